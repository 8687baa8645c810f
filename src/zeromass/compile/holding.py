"""Programs of motions that slide along switches: Filippov's solution [F1988, §4].

On both sides of a switch g = 0 that depends on rates the motion is pushed towards it, as dry friction pushes towards rest.
Then it stays there, with the mean of the accelerations of both sides that keeps it there:

    q̈ = q̈₀ + Σᵢ βᵢ (q̈ᵢ − q̈₀),   ġⱼ = 0,   0 ≤ βᵢ ≤ 1

q̈₀ with all modes low, q̈ᵢ with the i-th one high. The mode itself is then low + β (high − low), which is what holds the
motion: of a friction −F sgn(v) the force that acts at rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from zeromass.compile.decisions import Samples, Tree
from zeromass.compile.program import Hold, Program, corrections, program_at
from zeromass.expression import (
    Array,
    Evaluator,
    Expression,
    as_expression,
    expressions,
    jacobian,
    rate,
    substitute,
    symbols,
)
from zeromass.expression.build import constant
from zeromass.expression.node import ordered
from zeromass.expression.pieces import SWITCHING
from zeromass.model import State, System
from zeromass.model.constraint import Row
from zeromass.model.pieces import SystemPieces

REMEMBERED = 64
"""Expressions of which it is remembered what they are on pieces."""


def can_hold(system: System, holds: Sequence[Hold]) -> bool:
    """Whether the forces alone depend on the modes, so that a motion may slide."""
    modes, known = {hold.mode for hold in holds}, system.memory
    if "fixed" not in known:
        known["fixed"] = frozenset(symbols(system.M, system.A, system.b, system.velocity_constraints))
    of_modes: dict[Expression, frozenset[Expression]] = known.setdefault("symbols of switches", {})
    for hold in holds:
        if hold.g not in of_modes:
            of_modes[hold.g] = frozenset(symbols(hold.g))
    return modes.isdisjoint(known["fixed"]) and all(modes.isdisjoint(of_modes[hold.g]) for hold in holds)


def holding_at(system: System, state: State, holds: tuple[Hold, ...], rank: int | None = None) -> Program:
    """The program of a motion that slides, with the pivots that are best at a state.

    The program is kept for the next time: the order in which the β are solved for is the best at the state too.
    """
    plain = program_at(system, state, rank)
    ends, slopes, order = _pivoted(plain, state, holds)
    returning = _returning(system, state, holds)
    known: dict[Any, Program] = system.memory.setdefault("holding", {})
    key = (plain, holds, order, returning)
    if key not in known:
        known[key] = _held(plain, holds, [ends, slopes], order, returning)
    return known[key]


def order_at(system: System, state: State, holds: tuple[Hold, ...]) -> tuple[int, ...]:
    """The order in which the β are solved for, the best at a state."""
    return _pivoted(program_at(system, state), state, holds)[2]


def _pivoted(plain: Program, state: State, holds: tuple[Hold, ...]) -> tuple[Array, Array, tuple[int, ...]]:
    """ġ with all modes low, what each high one adds, and in which order these equations are best solved at a state."""
    system = plain.system
    rates: dict[Any, tuple[Array, Array, Evaluator]] = system.memory.setdefault("rates of holds", {})
    if (plain, holds) not in rates:
        ends, slopes = _rates(plain, holds)
        rates[plain, holds] = ends, slopes, Evaluator(slopes, system.inputs)
    ends, slopes, numbers = rates[plain, holds]
    return ends, slopes, _order(numbers(state.inputs))


class _Returning(tuple):
    """Corrections that keep a motion on its switches too; one is itself alone, so that it can be a key."""

    __slots__ = ()
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


def _returning(system: System, state: State, holds: tuple[Hold, ...]) -> _Returning:
    """The corrections of the system with the switches as further constraints on rates."""
    found: dict[Any, tuple[System, Tree[_Returning]]] = system.memory.setdefault("held", {})
    if holds not in found:
        more = object.__new__(System)
        rows = [Row(f"held {k}", f"held {k}", 1, hold.g) for k, hold in enumerate(holds)]
        more._complete(system._free, [*system.rows, *rows], system.C)
        found[holds] = more, Tree()
    more, tree = found[holds]
    return tree.at(
        Samples([*system.inputs], state.inputs), lambda decide: _Returning(corrections(more, decide).items())
    )


def _rates(plain: Program, holds: Sequence[Hold]) -> tuple[Array, Array]:
    """ġ with all modes low, shape (k,), and what each high one adds to them, shape (k, k)."""
    g, low = [hold.g for hold in holds], _at(plain.acceleration, holds, -1)
    accelerations = plain.system.accelerations
    by_rates = jacobian(g, plain.system.rates)
    ends = [substitute(as_expression(rate(e)), dict(zip(accelerations, low, strict=True))) for e in g]
    slopes = by_rates @ np.array(_added(plain.acceleration, holds), dtype=object).T
    return expressions(ends), expressions(slopes)


def _added(functions: Any, holds: Sequence[Hold]) -> list[Array]:
    """What expressions gain where one mode is high instead of low: (high − low) times their slope, if that is constant."""
    functions, modes = expressions(functions), [hold.mode for hold in holds]
    slopes = jacobian(functions, modes)
    chosen = [node for node in ordered(functions.ravel()) if node.op in SWITCHING]  # where(0 < mode, a, b) has no slope
    if set(modes).isdisjoint(symbols(slopes, chosen)):
        return [expressions((hold.high - hold.low) * slopes[:, k]) for k, hold in enumerate(holds)]
    low = _at(functions, holds, -1)
    return [_at(functions, holds, k) - low for k in range(len(holds))]


def _at(functions: Any, holds: Sequence[Hold], high: int) -> Array:
    """Expressions with all modes low but one."""
    return expressions(
        substitute(
            expressions(functions), {hold.mode: hold.high if k == high else hold.low for k, hold in enumerate(holds)}
        )
    )


def mean(functions: Any, holds: Sequence[Hold]) -> Array:
    """Expressions on a switch: the mean of their values on both sides, with the weights that the modes tell."""
    functions = expressions(functions)
    felt = set(symbols(functions)) if holds else set()
    holds = [hold for hold in holds if hold.mode in felt]
    if not holds:
        return functions
    low = _at(functions, holds, -1)
    total = low
    for k, hold in enumerate(holds):
        β = (hold.mode - hold.low) / constant(hold.high - hold.low)
        total = total + β * (_at(functions, holds, k) - low)
    return expressions(total)


def told(pieces: SystemPieces, e: Array, holds: Sequence[Hold]) -> Array:
    """Expressions on the pieces of a large system, and where it slides: found once for all that may hold.

    Most are sums of multiples of modes, and then they have their mean where a mode has its own.
    """
    known: dict[Any, tuple[Array, bool]] = pieces.system.memory.setdefault("told", {})
    key = e.shape, *e.ravel().tolist()
    if key not in known:
        if len(known) >= REMEMBERED:
            known.clear()
        smooth = pieces.smooth(e)
        felt, nodes = [x for x in symbols(smooth) if x in pieces.held], ordered(smooth.ravel())
        chosen = [node for node in nodes if node.op in SWITCHING] if felt else []
        solved = [
            x for x in symbols(smooth) if x.order >= 2 or x.kind == "multiplier"
        ]  # they stand for themselves here
        slopes = jacobian(smooth.ravel(), [*felt, *solved])[:, : len(felt)] if felt else []
        known[key] = smooth, set(felt).isdisjoint(symbols(slopes, chosen))
    smooth, straight = known[key]
    return smooth if straight else mean(smooth, holds)


def _held(
    plain: Program, holds: tuple[Hold, ...], rates: list[Array], order: tuple[int, ...], returning: _Returning
) -> Program:
    ends, slopes = rates
    β = _solved(slopes, -ends, order)
    held = {hold.mode: hold.low + (hold.high - hold.low) * b for hold, b in zip(holds, β, strict=True)}

    def solved(functions: Sequence[Expression]) -> tuple[Expression, ...]:
        more = (b * added for b, added in zip(β, _added(functions, holds), strict=True))
        return tuple(sum(more, _at(functions, holds, -1)))

    old = plain.elimination
    elimination = old._replace(
        acceleration=solved(old.acceleration),
        multipliers=solved(old.multipliers) if old.multipliers else (),
        growth=tuple(_at(old.growth, holds, -1)) if old.growth else (),
    )
    return Program(plain.system, elimination, dict(returning), holds, held)


def _order(G: np.ndarray) -> tuple[int, ...]:
    """The row with the largest pivot for each column in turn, of some numbers."""
    G, rows = G.copy(), list(range(len(G)))
    order: list[int] = []
    for j in range(len(G)):
        i = max(rows, key=lambda row: abs(G[row, j]))
        rows.remove(i)
        order.append(i)
        for row in rows:
            if G[i, j] != 0:
                G[row] = G[row] - G[row, j] / G[i, j] * G[i]
    return tuple(order)


def _solved(G: Array, r: Array, order: tuple[int, ...]) -> list[Expression]:
    """x with G x = r, by elimination in the order of pivots that is given."""
    G, r, k = G.copy(), r.copy(), len(order)
    for j, i in enumerate(order):
        for row in order[j + 1 :]:
            part = G[row, j] / G[i, j]
            G[row], r[row] = G[row] - part * G[i], r[row] - part * r[i]
    x: list[Expression] = [constant(0.0)] * k
    for j in reversed(range(k)):
        i = order[j]
        x[j] = as_expression((r[i] - sum(G[i, m] * x[m] for m in range(j + 1, k))) / G[i, j])
    return x
