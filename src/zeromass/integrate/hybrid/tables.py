"""Tables of the switches of a system for the kernels that select modes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import numpy as np

from zeromass.codegen.target import Code, host
from zeromass.compile.module import code
from zeromass.compile.program import Program
from zeromass.expression import Expression, as_expression, jacobian, where
from zeromass.expression.build import ZERO, function
from zeromass.expression.magnitude import magnitudes
from zeromass.integrate.hybrid.python_functions import PythonFunctions
from zeromass.integrate.hybrid.switches import SIDE, SIGNS, TURN, WHOLE, Switches
from zeromass.integrate.hybrid.tolerances import MOST, NEAR, ORDERS
from zeromass.model import Event, System
from zeromass.model.pieces import SystemPieces

_KINDS = {"side": SIDE, "whole": WHOLE, "turn": TURN}


class SwitchFunctions(Protocol):
    """What kernels call of the switches of a system: addresses, or functions of ctypes; see `Switches`."""

    rhs: Any
    judge: Any
    across: Any
    derivative: Any
    failed: np.ndarray


def switch_functions(pieces: SystemPieces, program: Program) -> Code:
    """Machine code of `judge(t, y, parameters, g, sizes, slopes)`, and of what lies `across` turns."""
    known: dict[Program, Code] = pieces.system.memory.setdefault("functions that decide", {})
    if program not in known:
        formulas = switch_formulas(pieces, program)
        made = code({name: (program.inputs, some) for name, some in formulas.items()}, host().scalar)
        known.setdefault(program, made)
    return known[program]


def switch_formulas(pieces: SystemPieces, program: Program) -> dict[str, list[list[Expression]]]:
    """What these functions compute, by their names; those that nothing asks for are not there, nor `judge` of large ones."""
    found: dict[str, list[list[Expression]]] = {}
    if not pieces.in_forces and _explicit(pieces, program):
        formulas, sizes = [switch.g for switch in pieces.switches], _sizes(pieces.system)
        g = list(program.solved(formulas))
        slopes = jacobian(g, [*program.inputs[0], *program.inputs[1]])
        for k in pieces.of_force:
            terms = magnitudes(list(slopes[k]), sizes)
            slopes[k] = [where(abs(e) > NEAR * size, e, ZERO) for e, size in zip(slopes[k], terms, strict=True)]
        found["judge"] = [g, list(program.solved(magnitudes(formulas, sizes))), list(slopes.ravel())]
    if any(switch.kind == "turn" for switch in pieces.switches):
        found["across"] = [[switch.across for switch in pieces.switches]]
    return found


def energy_formulas(pieces: SystemPieces) -> list[Expression]:
    """The energies, the one first that must not jump at a switch; none where they have no switches."""
    names = pieces.energies[0] if pieces.parts["energies"] else []
    first = "potential" if "potential" in names else "energy"
    free = pieces.system._free
    return [as_expression(getattr(free, name)) for name in sorted(names, key=lambda name: name != first)]


def _sizes(system: System) -> dict[Expression, Expression]:
    """Of leaves that are known to rounding of the largest of their kind."""
    found: dict[Expression, Expression] = {}
    for kind in (system.coordinates, system.rates, system.accelerations, system.multipliers):
        if len(kind):
            size = function("abs", kind[0])
            for x in kind[1:]:
                size = function("maximum", size, function("abs", x))
            found.update(dict.fromkeys(kind, size))
    return found


def _explicit(pieces: SystemPieces, program: Program) -> bool:
    """Whether all switching functions are known in terms of the state: no forces that redundant constraints share."""
    return not (pieces.of_force and program.elimination.dropped)


def compiled_table(
    pieces: SystemPieces, program: Program, native: Any, events: Sequence[Event], ahead: float, slow: PythonFunctions
) -> Switches:
    """The switches of a system in memory, with the machine code of a program.

    native  this machine code
    events  that are watched
    ahead   1 for motions forward in time, −1 backward
    slow    what there is no machine code of
    """
    w, functions = switch_table(pieces, ahead, slow), switch_functions(pieces, program)
    guards = native.events(events, 1)
    fast = {"rhs": native.rhs(1).address("rhs"), "guard": 0 if guards is None else guards.address("event")}
    if _explicit(pieces, program):
        fast["judge"] = functions.address("judge")
    if any(switch.kind == "turn" for switch in pieces.switches):
        fast["across"] = functions.address("across")
    for name, address in fast.items():
        setattr(w, name, address)
    w.pivots, w.guards = np.zeros(native.pivots + 1), np.zeros(len(events))
    return w


def switch_table(pieces: SystemPieces, ahead: float, functions: SwitchFunctions) -> Switches:
    """The switches of a system in memory."""
    system, switches = pieces.system, pieces.switches
    n, count, names = len(system.coordinates), len(switches), {p: k for k, p in enumerate(system.parameters)}
    held = [pieces.held.get(switch.mode) for switch in switches]
    whole, real = (lambda: np.zeros(count, dtype=np.int64)), (lambda: np.zeros(count))
    small = 1 if pieces.in_forces else count  # what a switch of a large system does is not tabulated
    square, rows = (lambda: np.zeros((small, small))), (lambda: np.zeros((small, 1 + 2 * n)))
    modes = {switch.mode: k for k, switch in enumerate(switches)}
    within = np.zeros((count, count), dtype=np.int64)
    for k, inner in enumerate(pieces.inner):
        within[k, [modes[mode] for mode in inner]] = 1
    return Switches(
        kind=ints([_KINDS[switch.kind] for switch in switches]),
        timed=ints([k in pieces.of_time for k in range(count)]),
        rates=ints(pieces.of_rates),
        force=ints([k in pieces.of_force for k in range(count)]),
        inner=ints([bool(inner) for inner in pieces.inner]),
        within=within,
        mode=ints([names[switch.mode] for switch in switches]),
        margin=ints([names[switch.margin] for switch in switches]),
        flag=ints([-1 if one is None else names[one.flag] for one in held]),
        orders=ints([ORDERS] * count),
        nested=pieces.nested,
        large=pieces.in_forces,
        ahead=ahead,
        rhs=functions.rhs,
        judge=functions.judge,
        across=functions.across,
        derivative=functions.derivative,
        failed=functions.failed,
        clock=np.zeros(1),
        known=whole(),
        reached=whole(),
        way=real(),
        tied=whole(),
        held=whole(),
        open=whole(),
        natural=real(),
        choice=real(),
        tried=real(),
        lower=real(),
        can=whole(),
        wrong=whole(),
        right=real(),
        values=np.zeros(len(names)),
        trial=np.zeros(len(names)),
        g=real(),
        sizes=real(),
        slopes=rows(),
        row=np.zeros(1 + 2 * n),
        drift=real(),
        zeros=real(),
        terms=real(),
        slope=np.zeros(2 * n),
        growth=np.zeros(1),
        seen=np.zeros(3 ** min(small, MOST), dtype=np.int64),
        accelerations=np.zeros((3 ** min(small, MOST), n)),
        pivots=np.zeros(1),
        there=np.zeros(2 * n),
        clock_there=np.zeros(1),
        g_there=real(),
        sizes_there=real(),
        slopes_there=rows(),
        slope_there=np.zeros(2 * n),
        alike=np.zeros(SIGNS, dtype=np.int64),
        base=np.zeros(n),
        ends=np.zeros((small, n)),
        r=real(),
        G=square(),
        beta=real(),
        betas=real(),
        c=real(),
        mean=np.zeros(n),
        signs=real(),
        least=np.zeros(n),
        most=np.zeros(n),
        A=square(),
        x=real(),
        scale=real(),
        order=whole(),
        guards=np.zeros(0),
    )


def lengthened(rows: np.ndarray, needed: int) -> np.ndarray:
    """An array with twice the rows, or more, where it has not as many as are needed."""
    more = max(needed - len(rows), len(rows)) if len(rows) < needed else 0
    return np.concatenate([rows, np.zeros((more, *rows.shape[1:]), rows.dtype)]) if more else rows


def ints(values: Iterable[int]) -> np.ndarray:
    """Whole numbers in memory."""
    return np.array(list(values), dtype=np.int64)
