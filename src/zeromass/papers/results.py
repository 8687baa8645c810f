"""Everything that the four papers compute, run at once."""

from __future__ import annotations

from dataclasses import dataclass

from zeromass.run import Run
from zeromass.papers import stanescu, ud2011, um2022, up2006
from zeromass.papers.table import Section


@dataclass(frozen=True)
class Results:
    """The runs of the papers by the names of their cases, and the tables made of them."""

    shell: dict[str, Run]
    ball: dict[str, Run]
    particle: dict[str, Run]
    sections: tuple[Section, ...]


def results() -> Results:
    """All runs and tables; it takes a few seconds, most of them for machine code."""
    shell, ball, particle = um2022.runs(), ud2011.runs(), stanescu.runs()
    sections = (
        up2006.section(up2006.cases()),
        um2022.section(shell),
        ud2011.section(ball),
        stanescu.section(particle),
    )
    return Results(shell, ball, particle, sections)
