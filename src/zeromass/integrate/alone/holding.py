"""What holds a motion to its switches, for a driver outside Python: a flag says of each switch whether it does."""

from __future__ import annotations

import numpy as np

from zeromass.compile.program import Program
from zeromass.expression import Expression, as_expression, jacobian, symbols
from zeromass.model import ModelError
from zeromass.model.pieces import SystemPieces
from zeromass.model.sliding import upper


def check_sliding(pieces: SystemPieces) -> None:
    """That no switch of a large system depends on what holds another; an error that says which."""
    for switch in pieces.switches:
        inside = [held.switch.said for mode, held in pieces.held.items() if mode in symbols(switch.g)]
        if inside:
            raise ModelError(
                f"'{switch.said!r}' depends on '{inside[0]!r}', which may hold the motion; a page has no code for that"
            )


def flags_of(pieces: SystemPieces) -> list[list[int]]:
    """Of each switch that may hold the motion its number, and the place of its flag behind modes and margins."""
    first = len(pieces.given.parameters) + 2 * len(pieces.switches)
    flags = {p: i for i, p in enumerate(pieces.system.parameters[first:])}
    numbers = {switch.mode: k for k, switch in enumerate(pieces.switches)}
    return [[numbers[mode], flags[held.flag]] for mode, held in pieces.held.items()]


def judged_holds(pieces: SystemPieces, program: Program) -> list[Expression]:
    """Of each switch that may hold the motion by how much ġ, or in a large system the force along it, is larger on its
    upper side; β; and 1 − β."""
    found: list[Expression] = []
    for held in pieces.held.values():
        if pieces.in_forces:
            c = held.c
        else:
            by = jacobian([held.switch.g], pieces.system.rates)[0]
            c = as_expression(by @ np.asarray(upper(program.acceleration, held)))
        found += [c, held.beta, as_expression(1 - held.beta)]
    return found
