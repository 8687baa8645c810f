"""`zeromass figures`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from zeromass.cli.app import AsJson, Debug, app
from zeromass.cli.console import UsageError, err, out, print_json, reporting
from zeromass.cli.files import use_matplotlib
from zeromass.errors import nearest

HELP = """Write the figures of a source paper as printed: the same panels, axes and line styles, with computed motions.

PAPER is um2022, ud2011, stanescu or up2006.

[bold]Examples[/bold]

  zeromass figures um2022                 to the folder figures/um2022

  zeromass figures ud2011 -o trough       to another folder

  zeromass figures um2022 --films         also the videos S1 to S4
"""


@app.command(help=HELP)
def figures(
    paper: Annotated[str, typer.Argument(help="um2022, ud2011, stanescu or up2006.")],
    folder: Annotated[Path | None, typer.Option("--out", "-o", help="Folder for the figures.")] = None,
    films: Annotated[bool, typer.Option("--films", help="Also write the videos S1 to S4 of um2022.")] = False,
    format: Annotated[str, typer.Option(help="Of the videos: webp, gif, or mp4 with ffmpeg.")] = "webp",
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    with reporting("figures", as_json=as_json, debug=debug):
        from zeromass.papers import printed

        if paper not in printed.PAPERS:
            raise UsageError(
                f"there is no paper '{paper}'{nearest(paper, printed.PAPERS)}; there are {', '.join(printed.PAPERS)}"
            )
        if films and paper != "um2022":
            raise UsageError(f"'{paper}' has no videos; um2022 has")
        use_matplotlib()
        place = folder or Path("figures") / paper
        console = err() if as_json else out(80)

        def done(file: Path, caption: str) -> None:
            console.print(f"{escape(file.name):24} {escape(caption)}", highlight=False, soft_wrap=True)

        files = printed.save(paper, place, done)
        if films:
            files += printed.films(place, f".{format}", done)
        if as_json:
            print_json({"command": "figures", "exit_code": 0, "folder": place, "files": files})
        else:
            console.print(f"{len(files)} files are in {escape(str(place))}", soft_wrap=True)
