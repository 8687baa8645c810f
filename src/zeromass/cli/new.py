"""`zeromass new`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from zeromass.cli.app import AsJson, Debug, app
from zeromass.cli.console import UsageError, out, print_json, reporting

HELP = """Write a commented scenario to start from; an existing file is not overwritten.

[bold]Examples[/bold]

  zeromass new bowl                      bowl.toml: a ball in a shaken bowl

  zeromass new mine --like um2022        a copy of an included scenario
"""


@app.command(help=HELP)
def new(
    name: Annotated[str, typer.Argument(help="Name of the file, with or without .toml.")],
    like: Annotated[str | None, typer.Option(help="Copy this included scenario instead.")] = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    with reporting("new", as_json=as_json, debug=debug):
        from zeromass.report.writing import write

        target = Path(name) if name.endswith(".toml") else Path(f"{name}.toml")
        if target.stem in ("", ".toml") or target.is_dir():
            raise UsageError(f"'{name}' is no name for a file; give one such as bowl")
        text = _text(like).replace("NAME.toml", str(target.name))
        if target.exists():
            raise UsageError(f"'{target}' is there already and is left as it is; choose another name")
        write(target, lambda place: _put(place, text))
        if as_json:
            print_json({"command": "new", "exit_code": 0, "file": target})
        else:
            console = out()
            console.print(f"{escape(str(target))} is written; next: zeromass run {escape(str(target))}", soft_wrap=True)


def _put(place: Path, text: str) -> None:
    place.write_text(text, encoding="utf-8")


def _text(like: str | None) -> str:
    from zeromass.errors import nearest
    from zeromass.scenario.scenario import shipped_scenarios, starter

    if like is None:
        return starter()
    known = shipped_scenarios()
    if like not in known:
        hint = nearest(like, known) or f"; there are: {', '.join(known)}"
        raise UsageError(f"no scenario '{like}' is included{hint}")
    return known[like].read_text(encoding="utf-8")
