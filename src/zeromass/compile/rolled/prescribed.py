"""Formulas that a start of a large system prescribes, as rows of constraints beside its own: one system for each level."""

from __future__ import annotations

from collections.abc import Mapping

from zeromass.expression import Expression, Symbol, as_expression, expressions, multiplier, symbols
from zeromass.model import System
from zeromass.model.constraint import Row

WIDE = 48
"""Coordinates in a formula up to which it is a row like others; one of more would make one dense block of all of them."""


def asking(system: System, wishes: Mapping[Expression, float]) -> dict[int, System] | None:
    """{level: the system with what is prescribed of positions, or of rates}; None where a formula is no row like others."""
    rows: dict[int, list[Row]] = {0: [], 1: []}
    for k, (e, value) in enumerate(wishes.items()):
        if isinstance(e, Symbol):
            continue
        leaves = symbols(e)
        moving = [leaf for leaf in leaves if leaf.kind == "coordinate"]
        unknown = [leaf for leaf in leaves if leaf.kind == "parameter" and leaf not in system.parameters]
        if unknown or len({leaf.token for leaf in moving}) > WIDE:
            return None
        level = max(leaf.order for leaf in moving)
        name = f"prescribed {k}"
        rows[level].append(Row(name, name, level, as_expression(e - value)))
    return {level: _with_rows(system, some) if some else system for level, some in rows.items()}


def _with_rows(system: System, rows: list[Row]) -> System:
    λ = [*system.multipliers, *[multiplier(f"λ {row.name}") for row in rows]]
    made = object.__new__(System)
    made._complete(system._free, [*system.rows, *rows], system.C, expressions(λ))
    made.parameters = system.parameters
    return made
