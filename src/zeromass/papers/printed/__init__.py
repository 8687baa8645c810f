"""The figures of the papers as they are printed: the same panels, axes and line styles, with the computed motions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from zeromass.report.writing import write

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Figures = Iterator[tuple[str, str, "Figure"]]
"""Name of a file, caption, figure."""

PAPERS = ("um2022", "ud2011", "stanescu", "up2006")


def figures_of(paper: str) -> Figures:
    """The figures of a paper, one after the other."""
    from zeromass.papers.printed import stanescu, ud2011, um2022, up2006

    made: dict[str, Callable[[], Figures]] = {
        "um2022": um2022.figures,
        "ud2011": ud2011.figures,
        "stanescu": stanescu.figures,
        "up2006": up2006.figures,
    }
    return made[paper]()


def save(paper: str, folder: Path, done: Callable[[Path, str], None] = lambda file, caption: None) -> list[Path]:
    """Writes the figures of a paper into a folder, as PNG; returns the files."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name, caption, figure in figures_of(paper):
        file = write(folder / f"{name}.png", lambda place, figure=figure: figure.savefig(place, format="png", dpi=110))
        done(file, caption)
        files.append(file)
    return files


def films(folder: Path, ending: str, done: Callable[[Path, str], None] = lambda file, caption: None) -> list[Path]:
    """Writes the videos S1 to S4 of UM2022, example 1 from orientations A to D."""
    from zeromass.papers import um2022

    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for number, case in enumerate(um2022.ORIENTATIONS, 1):
        file = um2022.run("1" + case).movie(folder / f"video-S{number}{ending}", fps=20)
        done(file, f"Video S{number}: example 1, case {case}")
        files.append(file)
    return files
