"""The command line: parse, call, print."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from zeromass.papers import HEADINGS, Section, report, results

app = typer.Typer(add_completion=False, no_args_is_help=True, help="Equations of motion as written on paper.")


@app.callback()
def zeromass() -> None:
    """Equations of motion as written on paper."""


@app.command()
def papers(
    docs: Annotated[Path | None, typer.Option(help="Also write the page docs/papers.md, with figures.")] = None,
) -> None:
    """Everything that the papers compute: what they print against what comes out."""
    begin = time.perf_counter()
    found = results()
    seconds = time.perf_counter() - begin
    console = Console()
    if not console.is_terminal:
        console = Console(width=180)
    console.print(_papers_table(found.sections), highlight=False)
    console.print(f"{len(found.shell) + len(found.ball) + len(found.particle)} runs and the table in {seconds:.1f} s")
    if docs is not None:
        files = report(docs, found)
        console.print(f"{docs} and {len(files) - 1} figures are written")


def _papers_table(sections: Sequence[Section]) -> Table:
    table = Table()
    for heading in HEADINGS:
        table.add_column(heading, overflow="fold", no_wrap=heading == HEADINGS[0])
    for section in sections:
        table.add_row(f"[bold]{section.key}[/bold]: {section.title}")
        for row in section.rows:
            style = "yellow" if row.agrees is False else None
            table.add_row(*[escape(cell) for cell in row.cells], style=style)
        table.add_section()
    return table


def main() -> None:
    """The `zeromass` command."""
    app()
