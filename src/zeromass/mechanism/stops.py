"""Rigid stops at the limits of a joint, and its static friction, as unilateral constraints.

low ≤ x ≤ high,   the stops push with N ≥ 0 where x is at them, and impacts have a coefficient of restitution
|T| ≤ F where ẋ = 0,   T = −F sgn ẋ where it moves
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.errors import ModelError, shown
from zeromass.expression import Expression, as_expression
from zeromass.expression.build import ZERO
from zeromass.mechanism.joint import Connected, Law
from zeromass.model.given import Number, given_scalar, value_of
from zeromass.model.requirement import Ordered, Requirement
from zeromass.model.unilateral import Unilateral

if TYPE_CHECKING:
    from zeromass.mechanism.freedom import Freedom

Limits = tuple[Number | None, Number | None]
"""The lowest and the highest value of a free motion; None, or infinite, where there is none."""


class Stops(Connected):
    """What limits a free motion x of a joint, an angle or a displacement.

    limits       low and high, rad or m
    restitution  e of impacts at a stop, 0 to 1
    friction     F of static and kinetic friction, N m or N
    """

    def __init__(
        self,
        freedom: Freedom,
        *,
        limits: Limits | None = None,
        restitution: Number = 0.0,
        friction: Number | None = None,
        name: str | None = None,
    ) -> None:
        self.freedom: Freedom = freedom
        self.name: str = f"{freedom.owner} stops" if name is None else name
        self.parts = freedom.parts
        ends = _ends(limits, freedom.owner)
        e = given_scalar(restitution, f"the restitution of '{freedom.owner}'")
        bound = None if friction is None else given_scalar(friction, f"the friction of '{freedom.owner}'")
        self.requirements: tuple[Requirement, ...] = tuple(_possible(ends, e, bound, freedom.owner))
        for requirement in self.requirements:
            requirement.checked(f"limits, restitution and friction of '{freedom.owner}'")
        self._limits = [_stop(freedom, end, value, e) for end, value in ends.items()]
        self._friction = [] if bound is None else [_friction(freedom, bound)]
        self.unilaterals: tuple[Unilateral, ...] = (*self._limits, *self._friction)

    def _laws(self) -> Sequence[Law]:
        """Nothing holds always."""
        return ()

    @property
    def force(self) -> Expression:
        """Of the stops on b along the motion, N or N m: positive at the lower one."""
        total: Any = ZERO
        for one in self._limits:
            total = total + (one.forces[0] if one.name.endswith("lower limit") else -one.forces[0])
        return as_expression(total)

    @property
    def friction_force(self) -> Expression:
        """Of the friction on b along the motion, N or N m."""
        return self._friction[0].forces[1] if self._friction else ZERO


def _ends(limits: Limits | None, owner: str) -> dict[str, Expression]:
    """The limits that there are, by their names."""
    if limits is None:
        return {}
    pair = value_of(tuple, (limits,), f"limits of '{owner}'") if isinstance(limits, list | np.ndarray) else limits
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise ModelError(f"limits of '{owner}' are {shown(limits)}; give (low, high), None where there is no limit")
    found = {}
    for end, value in zip(("lower", "upper"), pair, strict=True):
        infinite = isinstance(value, int | float) and np.isinf(value)
        if value is not None and not infinite:
            found[end] = given_scalar(value, f"the {end} limit of '{owner}'")
    return found


def _possible(
    ends: dict[str, Expression], restitution: Expression, friction: Expression | None, owner: str
) -> list[Requirement]:
    """That numbers are possible, where parameters decide it."""
    found: list[Requirement] = [
        Ordered(0.0, restitution, f"restitution of '{owner}' is {{1:g}}; it lies between 0 and 1", equal=True),
        Ordered(restitution, 1.0, f"restitution of '{owner}' is {{0:g}}; it lies between 0 and 1", equal=True),
    ]
    if len(ends) == 2:
        said = f"the limits of '{owner}' are {{0:g}} and {{1:g}}; the first is the lower one"
        found.append(Ordered(ends["lower"], ends["upper"], said))
    if friction is not None:
        said = f"the friction of '{owner}' is {{1:g}}; it is positive, or zero"
        found.append(Ordered(0.0, friction, said, equal=True))
    return found


def _stop(freedom: Freedom, end: str, value: Expression, restitution: Expression) -> Unilateral:
    """A stop at one limit."""
    away = 1.0 if end == "lower" else -1.0
    return Unilateral(
        f"{freedom.owner} {end} limit",
        as_expression(away * (freedom.place - value)),
        restitution=restitution,
        words={"open": "free", "closed": "at its stop"},
        inside=f"the {freedom.what} of '{freedom.owner}' is {{depth:.3g}} beyond its {end} limit at the start",
        approaching=as_expression(away * freedom.speed),
    )


def _friction(freedom: Freedom, bound: Expression) -> Unilateral:
    """Static friction along the motion."""
    return Unilateral(f"{freedom.owner} friction", None, (freedom.speed, ZERO), friction=1.0, bound=bound)
