"""`zeromass papers`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from zeromass import cli
from zeromass.cli.app import AsJson, Debug, app
from zeromass.cli.console import err, out, print_json, reporting

if TYPE_CHECKING:
    from zeromass.papers import Section


HELP = """Everything that the papers compute: what they print against what comes out.

[bold]Examples[/bold]

  zeromass papers                        the table, in some seconds

  zeromass papers --docs papers.md       also as a page with figures

  zeromass papers --json                 for another program
"""


@app.command(help=HELP)
def papers(
    docs: Annotated[Path | None, typer.Option(help="Also write the page docs/papers.md, with figures.")] = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    with reporting("papers", as_json=as_json, debug=debug):
        begin = time.perf_counter()
        found = cli.results()
        seconds = time.perf_counter() - begin
        runs = len(found.shell) + len(found.ball) + len(found.particle)
        console = err() if as_json else out(180)
        if as_json:
            print_json(_data(found.sections, runs, seconds))
        else:
            console.print(_table(found.sections), highlight=False)
            console.print(f"{runs} runs and the table in {seconds:.1f} s")
        if docs is not None:
            files = cli.report(docs, found)
            console.print(f"{escape(str(docs))} and {len(files) - 1} figures are written")


def _data(sections: Sequence[Section], runs: int, seconds: float) -> dict[str, Any]:
    fields = ("quantity", "printed", "computed", "agrees", "remark")
    tables = [
        {
            "key": section.key,
            "title": section.title,
            "rows": [{field: getattr(row, field) for field in fields} for row in section.rows],
        }
        for section in sections
    ]
    return {"command": "papers", "exit_code": 0, "runs": runs, "seconds": seconds, "sections": tables}


def _table(sections: Sequence[Section]) -> Table:
    from zeromass.papers import HEADINGS

    table = Table()
    for heading in HEADINGS:
        table.add_column(heading, overflow="fold", no_wrap=heading == HEADINGS[0])
    for section in sections:
        table.add_row(f"[bold]{section.key}[/bold]: {escape(section.title)}")
        for row in section.rows:
            style = "yellow" if row.agrees is False else None
            table.add_row(*[escape(cell) for cell in row.cells], style=style)
        table.add_section()
    return table
