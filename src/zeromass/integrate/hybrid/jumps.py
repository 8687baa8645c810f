"""Tables of what may jump at the switches of a system, for the kernel that crosses them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from zeromass.codegen.target import Code, host
from zeromass.compile.module import code
from zeromass.compile.program import Program
from zeromass.expression import Expression, as_expression
from zeromass.expression.build import ZERO
from zeromass.integrate.hybrid.memory import Jumps
from zeromass.integrate.hybrid.tables import energy_formulas, ints
from zeromass.model.constraint import Row
from zeromass.model.pieces import SystemPieces


def jump_formulas(pieces: SystemPieces) -> list[list[Expression]]:
    """Constraints of positions, rates of all, sums of |A| |q̇|, M q̇, energies and forces; none where they do not switch."""
    known: dict[str, list[list[Expression]]] = pieces.system.memory
    if "what may jump" not in known:
        known["what may jump"] = _formulas(pieces)
    return known["what may jump"]


def _formulas(pieces: SystemPieces) -> list[list[Expression]]:
    system, parts = pieces.system, pieces.parts
    rows = [i for i, row in enumerate(system.rows) if row.level < 2] if parts["constraints"] else []
    energies = energy_formulas(pieces)
    return [
        [system.rows[i].zero for i in rows if system.rows[i].level == 0],
        [zero for _, zero in system.zeros(1)] if rows else [],
        [_total([abs(a * v) for a, v in zip(system.A[i], system.rates, strict=True)]) for i in rows],
        [_total(list(row * system.rates)) for row in system.M] if parts["masses"] else [],
        energies,
        [*(pieces.stored if pieces.in_forces else system.Q)] if energies else [],
    ]


def jump_functions(pieces: SystemPieces, program: Program) -> Code | None:
    """Machine code of `jump_values(t, y, parameters, values)`; None where nothing but forces switches."""
    known: dict[str, Code] = pieces.system.memory
    if not any(pieces.parts.values()):
        return None
    if "jumps" not in known:
        values = [e for some in jump_formulas(pieces) for e in some]
        known.setdefault("jumps", code({"jump_values": (program.inputs, [values])}, host().scalar))
    return known["jumps"]


def jump_table(pieces: SystemPieces, evaluate: Any, *, strikes: bool) -> Jumps:
    """What may jump, in memory.

    evaluate  machine code or a function of ctypes, for values on one side of a switch; 0 where nothing but forces switches
    strikes   whether rates can be brought onto the constraints
    """
    sizes = [len(some) for some in jump_formulas(pieces)]
    rows = [row for row in pieces.system.rows if row.level < 2]
    count, parts = len(pieces.switches), pieces.parts
    return Jumps(
        evaluate=evaluate,
        places=sizes[0],
        rates=sizes[1],
        masses=sizes[3],
        energies=sizes[4],
        rate=ints([i for i, row in enumerate(rows) if row.level == 0]),
        of_constraints=ints([k in parts["constraints"] for k in range(count)]),
        of_masses=ints([k in parts["masses"] for k in range(count)]),
        of_energies=ints([k in parts["energies"] for k in range(count)]),
        of_place=ints(pieces.of_place),
        leaps=_leaps(pieces, rows) if sizes[0] else ints([]),
        heavy=ints([0 if pieces.in_forces else any(e is not ZERO for e in column) for column in pieces.system.M.T])
        if sizes[0]
        else ints([]),
        contact=bool(pieces.given.contacts),
        strikes=strikes,
        before=np.zeros(sum(sizes) + 1),
        after=np.zeros(sum(sizes) + 1),
        modes=np.zeros(len(pieces.system.parameters)),
        changed=ints([0] * count),
        jumped=ints([0] * sizes[0]),
    )


def _leaps(pieces: SystemPieces, rows: Sequence[Row]) -> np.ndarray:
    """Of each constraint of positions the number of the contact while whose gap is open it may jump, −1 of others."""
    numbers = {one.name: k for k, one in enumerate(pieces.unilaterals)}
    leaping = pieces.given.leaping
    return ints([numbers[leaping[row.group]] if row.group in leaping else -1 for row in rows if row.level == 0])


def _total(terms: list[Any]) -> Expression:
    return as_expression(np.sum(terms)) if terms else ZERO
