"""Sliding modes: switches that hold a motion, and expressions while they do.

On both sides of a switch g = 0 that depends on rates the motion may be pushed towards it, as dry friction pushes towards
rest. Then it stays there, with the mean of both sides that keeps it there [F1988, §4]: the mode of the switch is

    low + β (high − low),   0 ≤ β ≤ 1,   ġ = 0

A parameter, the flag of the switch, is 1 where it holds the motion; the mode is then that of the lower side. One system of
equations serves all modes of all switches.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from zeromass.expression import (
    Array,
    Expression,
    Symbol,
    as_expression,
    expressions,
    jacobian,
    rate,
    substitute,
    symbols,
    where,
)
from zeromass.expression.build import ONE, ZERO
from zeromass.expression.node import ordered, symbol
from zeromass.expression.pieces import SWITCHING, Switch
from zeromass.model.unknown import unknown_in

if TYPE_CHECKING:
    from zeromass.model.system import System


class Held(NamedTuple):
    """A switch that may hold a motion.

    switch  its functions and parameters
    flag    the parameter that is 1 where it holds the motion
    beta    β, where it does: a symbol that the program solves for, or in a large system λ/c of the row that holds it
    c       of a large system: Q(high) − Q(low) = c ∂g/∂q̇
    """

    switch: Switch
    flag: Symbol
    beta: Expression
    c: Expression = ZERO

    @property
    def width(self) -> float:
        """Of the mode on the upper side, less that on the lower."""
        return 2.0 if self.switch.kind == "side" else 1.0

    @property
    def holds(self) -> Expression:
        """Whether it holds the motion."""
        return as_expression(self.flag > 0.5)

    @property
    def leaving(self) -> tuple[Expression, Expression]:
        """What falls through zero where the motion leaves the switch, to its lower and to its upper side."""
        return as_expression(self.beta + self.switch.margin), as_expression(1 - self.beta + self.switch.margin)


def sliding_modes(system: System, switches: Sequence[Switch]) -> dict[Symbol, Held]:
    """What may hold the motion of a system on its pieces, by the modes of the switches.

    A switch may if its function depends on rates, and its mode acts by forces alone.
    """
    some = [s for s in switches if s.kind != "turn" and not unknown_in(s.g) and any(x.order == 1 for x in symbols(s.g))]
    if not some:
        return {}
    fixed = frozenset(symbols(system.M, system.A, system.b, system.velocity_constraints))
    numbers = {switch.mode: k for k, switch in enumerate(switches)}
    return {
        s.mode: Held(s, _leaf(f"hold{numbers[s.mode]}"), _leaf(f"beta{numbers[s.mode]}"))
        for s in some
        if s.mode not in fixed and s.mode not in symbols(s.g)
    }


def _leaf(name: str) -> Symbol:
    return symbol(name, "parameter", default=0.0, token=f"zeromass {name}")


class Guard(NamedTuple):
    """A function that falls through zero where a motion leaves a switch, or what holds it to one; 1 where it does neither.

    sliding  whether it is of a switch that holds the motion
    side     0 for the first function of the switch, to whose lower side it leaves, or 1
    rate     its derivative by time, as far as that is known before the motion is solved
    """

    sliding: bool
    side: int
    zero: Expression
    rate: Expression | None


def guards(switch: Switch, held: Held | None) -> list[Guard]:
    """What is watched of a switch, for all its modes."""
    rates = [None if unknown_in(switch.g) else as_expression(rate(zero)) for zero in switch.leaving]
    own = [
        Guard(False, j, as_expression(zero), by) for j, (zero, by) in enumerate(zip(switch.leaving, rates, strict=True))
    ]
    if held is None:
        return own
    free = [
        guard._replace(
            **{name: as_expression(where(held.holds, ONE, getattr(guard, name))) for name in ("zero", "rate")}
        )
        for guard in own
    ]
    sliding = [as_expression(where(held.holds, zero, ONE)) for zero in held.leaving]
    return [*free, *[Guard(True, j, zero, None) for j, zero in enumerate(sliding)]]


def upper(e: Any, held: Held) -> Array:
    """Expressions on the upper side of a switch that holds the motion, less those on the lower side.

    Most are sums of multiples of the mode.
    """
    e, mode = expressions(e), held.switch.mode
    solved = [x for x in symbols(e) if x.order >= 2 or x.kind == "multiplier"]  # they stand for themselves here
    slopes = jacobian(e.ravel(), [mode, *solved])[:, 0]
    chosen = [node for node in ordered(e.ravel()) if node.op in SWITCHING]  # where(0 < mode, a, b) has no slope
    if mode not in symbols(slopes, chosen):
        return expressions(held.width * slopes).reshape(e.shape)
    return expressions(expressions(substitute(e, {mode: mode + held.width})) - e)


def acting(e: Any, held: Iterable[Held]) -> Array:
    """Expressions of modes as they act: the mean of both sides of each switch that holds the motion.

    e + Σ β (e(high) − e(low)),   of −F sgn(v) the force that acts at rest
    """
    e = expressions(e)
    felt = set(symbols(e))
    total = e
    for one in held:
        if one.switch.mode in felt:
            total = where_held(one, total, total + one.beta * upper(e, one))
    return total


def where_held(held: Held, free: Any, sliding: Any) -> Array:
    """Some expressions where a switch does not hold the motion, others where it does."""
    free, sliding = expressions(free), expressions(sliding)
    parts = [where(held.holds, a, b) for a, b in zip(sliding.ravel(), free.ravel(), strict=True)]
    return expressions(parts).reshape(free.shape)


def mean(e: Any, held: Sequence[Held]) -> Array:
    """The same where the modes themselves are known as they act, −1 + 2β."""
    e = expressions(e)
    felt = [one for one in held if one.switch.mode in symbols(e)]
    low = expressions(substitute(e, {one.switch.mode: -1.0 for one in felt})) if felt else e
    total = low
    for one in felt:
        sides = {other.switch.mode: 1.0 if other is one else -1.0 for other in felt}
        high = expressions(substitute(e, sides))
        total = total + (1 + one.switch.mode) / 2 * (high - low)
    return expressions(total)
