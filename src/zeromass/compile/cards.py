"""The card of a program, for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zeromass.expression.card import card, table, text

if TYPE_CHECKING:
    from zeromass.compile.program import Program


def program_card(program: Program) -> str:
    """What the equations became: how many operations, and which rows of constraints carry forces."""
    rows, kept = program.system.rows, set(program.elimination.kept)
    dropped = [row.name for i, row in enumerate(rows) if i not in kept]
    lines = [
        ["coordinates", str(len(program.system.coordinates))],
        ["constraint rows", f"{len(kept)} of {len(rows)} kept"],
        ["operations", f"{program.operations} for one right-hand side"],
    ]
    if dropped:
        lines.insert(2, ["without force", text(", ".join(dropped))])
    if program.corrections:
        lines.append(["projection", text(" and ".join(program.corrections))])
    if program.betas:
        lines.append(["switches that may hold it", str(len(program.betas))])
    return card("Program", table(lines))
