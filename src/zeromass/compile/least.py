"""The equations of motion in the fewest numbers: independent positions and independent speeds.

A position that a constraint gives as a formula of others need not be integrated, nor a rate that constraints give from
other rates. With the rates w of the coordinates, ω̄ for each body that turns, all constraints together say

    w = B s + w₀

where the speeds s are some of the w. What is left of M ẇ = Q + Aᵀλ is [KL1985, ch. 6]

    BᵀM B ṡ = Bᵀ(Q − M D),    D = ẇ where ṡ = 0

with no force of constraint in it, and no second derivative of a constraint where another one gives the rate more directly:
the centre of a ball that rolls moves with r ω̄ × n, and n is differentiated once. It is the same motion. Quaternions keep
their length, u̇ = ½ Gᵀω̄, but for rounding and the error of the steps; that is put right after a step, and so are
constraints that are no formula for a position.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from zeromass.compile.decisions import Decisions, Samples, Tree
from zeromass.compile.formulas import Given, changed
from zeromass.compile.kane import equations, forces, solved_speeds
from zeromass.compile.rates import solved_rates
from zeromass.compile.turning import Turning, turning
from zeromass.expression import Expression, expressions, jacobian, symbols
from zeromass.expression.build import ZERO, multiply, negative

if TYPE_CHECKING:
    from zeromass.compile.program import Program
    from zeromass.model import State


@dataclass(frozen=True, eq=False)
class Least:
    """A program in independent positions and speeds.

    positions, speeds  the symbols of its state
    q, v               all coordinates and rates of the system, as formulas of these
    start              positions and speeds as formulas of the coordinates and rates
    slopes             the rates of positions and speeds
    growth             of pivots, as in `Elimination`; and pivots that vary and might vanish
    correction         what returns the positions to the constraints that are no formulas; None without any
    solved             any formulas of the system, accelerations and multipliers among them, as formulas of these
    """

    positions: tuple[Expression, ...]
    speeds: tuple[Expression, ...]
    q: tuple[Expression, ...]
    v: tuple[Expression, ...]
    start: tuple[Expression, ...]
    slopes: tuple[Expression, ...]
    growth: tuple[Expression, ...]
    pivots: tuple[Expression, ...]
    correction: tuple[Expression, ...] | None
    solved: Callable[[Sequence[Expression]], list[Expression]]


def least(program: Program, state: State) -> Least | None:
    """A program in independent positions and speeds, chosen at a state; None where these are no fewer, or not known.

    They are known where constraints are on positions and on rates, linear in the rates, and where no force depends on
    those of constraints.
    """
    system = program.system
    if program.betas or system.pieces is not None or system.nonideal.places or any(r.level > 1 for r in system.rows):
        return None
    memory, key = system.memory, (program, state.inputs.tobytes())
    if memory.get("last least", (None,))[0] != key:
        trees: dict[Program, Tree[tuple[Least | None]]] = memory.setdefault("least", {})
        by = turning(system)
        tree = trees.setdefault(program, Tree())
        memory["last least"] = key, *tree.at(_samples(by, state), lambda decide: (_derived(program, by, decide),))
    return memory["last least"][1]


def _derived(program: Program, by: Turning, decide: Decisions) -> Least | None:
    system = by.system
    given = Given(by, decide)
    rows = given.meant(by.at_rates.values())
    if rows and not {*given.unknown}.isdisjoint(symbols(jacobian(rows, given.unknown))):
        return None  # they are not linear in the rates
    levels = [system.rows[by.rows[k]].level for k in by.at_rates]
    rates = solved_rates(rows, given.unknown, levels, program.rank - len(by.bodies), decide)
    if rates is None:
        return None
    speeds = [given.unknown[k] for k in rates.free]
    positions = [x for x in system.coordinates if x not in given.formulas]
    if len(positions) + len(speeds) >= 2 * len(system.coordinates) or len(speeds) > len(positions):
        return None
    value = dict(zip(given.unknown, rates.values, strict=True))
    along = given.along(value)
    M, f = equations(given, value)
    motion = solved_speeds(rates, M, f, along, decide)
    own = {**value, **{x: along[u] for body in by.bodies for x, u in zip(body.v, body.u, strict=True)}}
    q = given.plain(changed(system.coordinates, given.formulas))
    v = given.plain([own[x] for x in system.rates])
    names = {e: x for body in by.bodies for x, e in body.formulas.items() if x in value and value[x] is x}

    def means(e: Iterable[Expression]) -> list[Expression]:
        return given.plain(changed(given.meant(changed(e, names)), value))

    def solved(e: Sequence[Expression]) -> list[Expression]:
        present = {*symbols(expressions(list(e)))}
        if not present.isdisjoint([*system.accelerations, *system.multipliers]):
            q̈, λ = forces(given, rates, M, f, along, motion.solution)
            e = changed(e, dict(zip([*system.accelerations, *system.multipliers], [*q̈, *λ], strict=True)))
        return means(e)

    return Least(
        tuple(positions),
        tuple(speeds),
        tuple(q),
        tuple(v),
        (*positions, *changed(speeds, {x: e for body in by.bodies for x, e in body.formulas.items()})),
        tuple(given.plain([*[along[x] for x in positions], *motion.solution])),
        tuple(given.plain([*motion.growth, *rates.growth])),
        tuple(given.plain(rates.pivots)),
        _correction(program, given, positions, means),
        solved,
    )


def _correction(
    program: Program,
    given: Given,
    positions: Sequence[Expression],
    means: Callable[[Iterable[Expression]], list[Expression]],
) -> tuple[Expression, ...] | None:
    """u ← u − ½(u·u − 1) u; where there are constraints beside, what the program's own correction does to positions."""
    by = given.by
    if given.rest:
        change = program.corrections["positions"]
        return tuple(means([change[by.system.index(x)] for x in positions]))
    if not by.bodies:
        return None
    stretched = {x: negative(multiply(by.system.rows[body.row].zero, x)) for body in by.bodies for x in body.u}
    return tuple(stretched.get(x, ZERO) for x in positions)


def _samples(by: Turning, state: State) -> Samples:
    """Numbers at a state, also of the symbols of bodies."""
    plain = Samples(list(by.system.inputs), state.inputs)
    names = {x: plain(e) for body in by.bodies for x, e in body.formulas.items()}
    return Samples([*by.system.inputs, *names], np.array([*state.inputs, *names.values()]))
