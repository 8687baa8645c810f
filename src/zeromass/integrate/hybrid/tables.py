"""Tables of the switches of a system for the kernels that select modes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from zeromass.codegen.target import Code, host
from zeromass.compile.module import code
from zeromass.compile.program import Program
from zeromass.expression import Expression, as_expression, jacobian, symbols
from zeromass.expression.magnitude import magnitudes
from zeromass.integrate.hybrid.switches import SIDE, TURN, WHOLE, Switches
from zeromass.integrate.piecewise import HOLD
from zeromass.model import Event
from zeromass.model.pieces import SystemPieces

_KINDS = {"side": SIDE, "whole": WHOLE, "turn": TURN}


def switch_functions(pieces: SystemPieces, program: Program) -> Code:
    """Machine code of `judge(t, y, parameters, g, sizes, slopes)` and `energy(t, y, parameters, energies)`."""
    known: dict[Program, Code] = pieces.system.memory.setdefault("functions that decide", {})
    if program not in known:
        formulas = switch_formulas(pieces, program)
        known[program] = code({name: (program.inputs, some) for name, some in formulas.items()}, host().scalar)
    return known[program]


def switch_formulas(pieces: SystemPieces, program: Program) -> dict[str, list[list[Expression]]]:
    """What these functions compute, by their names; without an energy that switches there is no `energy`."""
    from zeromass.integrate.alone.judging import sizes_of

    system = pieces.system
    g = [switch.g for switch in pieces.switches]
    slopes = jacobian(g, [*program.inputs[0], *program.inputs[1]])
    judged = [g, list(magnitudes(g, sizes_of(system))), list(slopes.ravel())]
    names = pieces.energies[0]
    first = "potential" if "potential" in names else "energy"
    energies = [as_expression(getattr(system._free, name)) for name in sorted(names, key=lambda name: name != first)]
    return {"judge": judged, "energy": [energies]} if energies else {"judge": judged}


def switch_table(pieces: SystemPieces, program: Program, events: Sequence[Event], ahead: float) -> Switches:
    """The switches of a system in memory.

    events  that are watched
    ahead   1 for motions forward in time, −1 backward
    """
    n, system = len(program.system.coordinates), program.system
    count, names = len(pieces.switches), {p: k for k, p in enumerate(system.parameters)}
    columns = {e.name: k for k, e in enumerate(events)}
    held = [pieces.held.get(switch.mode) for switch in pieces.switches]
    judged, guards = switch_functions(pieces, program), program.native.events(events, 1)
    whole, real = (lambda: np.zeros(count, dtype=np.int64)), (lambda: np.zeros(count))
    return Switches(
        kind=ints([_KINDS[switch.kind] for switch in pieces.switches]),
        timed=ints([k in pieces.of_time for k in range(count)]),
        rates=ints(pieces.of_rates),
        inner=ints([bool(inner) for inner in pieces.inner]),
        mode=ints([names[switch.mode] for switch in pieces.switches]),
        margin=ints([names[switch.margin] for switch in pieces.switches]),
        flag=ints([-1 if one is None else names[one.flag] for one in held]),
        holds=ints([columns.get(f"{HOLD}{k} 0", -1) for k in range(count)]),
        nested=pieces.nested,
        additive=additive(pieces),
        ahead=ahead,
        rhs=program.native.rhs(1).address("rhs"),
        judge=judged.address("judge"),
        guard=0 if guards is None else guards.address("event"),
        clock=np.zeros(1),
        known=whole(),
        reached=whole(),
        tied=whole(),
        held=whole(),
        open=whole(),
        natural=real(),
        choice=real(),
        tried=real(),
        best=real(),
        can=whole(),
        wrong=whole(),
        right=real(),
        values=np.zeros(len(system.parameters)),
        g=real(),
        sizes=real(),
        slopes=np.zeros((count, 1 + 2 * n)),
        drift=real(),
        zeros=real(),
        terms=real(),
        slope=np.zeros(2 * n),
        growth=np.zeros(1),
        pivots=np.zeros(program.native.pivots + 1),
        low=np.zeros(n),
        there=np.zeros(2 * n),
        guards=np.zeros(len(events)),
    )


def additive(pieces: SystemPieces) -> bool:
    """Whether what switches do that may hold the motion is the sum of what each of them does."""
    system, modes = pieces.system, [held.switch.mode for held in pieces.held.values()]
    if len(modes) < 2:
        return True
    slopes = jacobian([*system.Q, *system.C], [*modes, *system.accelerations, *system.multipliers])[:, : len(modes)]
    return set(modes).isdisjoint(symbols(list(slopes.ravel())))


def ints(values: Iterable[int]) -> np.ndarray:
    """Whole numbers in memory."""
    return np.array(list(values), dtype=np.int64)
