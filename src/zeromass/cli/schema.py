"""`zeromass schema`."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from zeromass.cli.app import Debug, app
from zeromass.cli.console import out, reporting

HELP = """Print the JSON schema of scenario files, or the reference page of all keys.

Editors complete and check keys with the schema.

An editor that knows TOML finds it by the first line of a scenario: #:schema ./zeromass.json

[bold]Examples[/bold]

  zeromass schema                             to the terminal, or a pipe

  zeromass schema -o zeromass.json            for an editor

  zeromass schema --format markdown | less    every key, in words
"""


class Form(StrEnum):
    """How the keys are written."""

    json = "json"
    markdown = "markdown"


@app.command(help=HELP)
def schema(
    form: Annotated[Form, typer.Option("--format", "-f", help="As JSON schema, or as a page in Markdown.")] = Form.json,
    target: Annotated[Path | None, typer.Option("--out", "-o", help="Write it to a file.")] = None,
    debug: Debug = False,
) -> None:
    with reporting("schema", as_json=False, debug=debug):
        words = _words(form)
        if target is None:
            typer.echo(words, nl=False)
            return
        from zeromass.report.writing import write

        write(target, lambda place: _put(place, words))
        out().print(f"{escape(str(target))} is written", highlight=False, soft_wrap=True)


def _words(form: Form) -> str:
    if form is Form.markdown:
        from zeromass.scenario.reference import reference

        return reference()
    from zeromass.scenario import scenario_schema

    return json.dumps(scenario_schema(), indent=2, ensure_ascii=False) + "\n"


def _put(place: Path, words: str) -> None:
    place.write_text(words, encoding="utf-8")
