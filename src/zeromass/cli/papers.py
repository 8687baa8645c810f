"""`zeromass papers`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from zeromass import cli
from zeromass.cli.app import AsJson, Debug, app
from zeromass.cli.console import doing, err, out, print_json, reporting

if TYPE_CHECKING:
    from zeromass.papers import Section


HELP = """The worked examples of the source papers: printed results beside computed ones.

[bold]Examples[/bold]

  zeromass papers                        a summary, one line a paper

  zeromass papers --table                all printed and computed values

  zeromass papers --docs papers.md       also write the page with figures

  zeromass papers --json                 the result as JSON, on stdout
"""


@app.command(help=HELP)
def papers(
    table: Annotated[bool, typer.Option("--table", help="Print every quantity.")] = False,
    docs: Annotated[Path | None, typer.Option(help="Also write the page docs/papers.md, with figures.")] = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    with reporting("papers", as_json=as_json, debug=debug):
        begin = time.perf_counter()
        console = err() if as_json else out(80)
        with doing("running the examples of the papers"):
            found = cli.results()
        seconds = time.perf_counter() - begin
        runs = len(found.shell) + len(found.ball) + len(found.particle)
        if docs is not None:
            with doing("drawing figures"):
                files = cli.report(docs, found)
            console.print(f"written: {escape(str(docs))} and {len(files) - 1} figures", soft_wrap=True)
        if as_json:
            print_json(_data(found.sections, runs, seconds))
            return
        if table:
            for section in found.sections:
                console.print(_rows(section), highlight=False)
        console.print(_summary(found.sections), highlight=False)
        console.print(f"{runs} runs in {seconds:.1f} s; nothing was adjusted to come nearer to the printed values")
        if not table:
            console.print("every quantity: zeromass papers --table; the page with figures: docs/papers.md")


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


def _summary(sections: Sequence[Section]) -> Table:
    """One line a paper: how many of its printed values come out."""
    table = Table(box=None, pad_edge=False)
    for heading in ("paper", "examples", "agree", "differ", "largest difference"):
        table.add_column(heading, justify="right" if heading in ("agree", "differ") else "left")
    for section in sections:
        agrees = [row.agrees for row in section.rows]
        off = sorted((abs(row.difference), row.quantity, row.difference) for row in section.rows if row.difference)
        words = f"{100 * off[-1][2]:+.0f} %, {off[-1][1]}" if off else ""
        table.add_row(
            section.key, section.title, str(agrees.count(True)), str(agrees.count(False)), words, style=_style(agrees)
        )
    return table


def _style(agrees: Sequence[bool | None]) -> str | None:
    return "yellow" if False in agrees else None


def _rows(section: Section) -> Text:
    """Every quantity of a paper, in two lines: name, then printed and computed value, agreement and remark."""
    text = Text(f"{section.key}: {section.title}\n", style="bold")
    for row in section.rows:
        text.append(f"{row.quantity}\n", style=_style([row.agrees]) or "not bold")
        values = f"printed {row.printed}; computed {row.computed}; agreement: {row.agreement}"
        own = wrap(values + (f"; {row.remark}" if row.remark else ""), 76)
        text.append("".join(f"    {line}\n" for line in own), style="not bold dim")
    return text
