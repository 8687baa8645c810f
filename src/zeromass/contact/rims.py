"""Rims of wheels: where a wheel touches what has some normal, from its centre."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from zeromass.contact.directions import DIRECTION
from zeromass.contact.outlines import Round, across, steep
from zeromass.contact.roller import clearance_of, smallest_along
from zeromass.contact.surface import Surface
from zeromass.contact.traced import PLACE
from zeromass.expression import (
    Array,
    Expression,
    Symbol,
    as_expression,
    derivative,
    evaluate,
    expressions,
    jacobian,
    substitute,
    symbols,
)
from zeromass.model import ModelError

LAID = 20
"""Steps by which a wheel in the reference pose is brought onto its surface, for a first guess of its contact."""


class Rim(ABC):
    """The outside of a wheel about the third of its axes, S[:, 2], from its centre.

    radius  as it is drawn, m
    width   as well, m; 0 of a knife edge
    """

    radius: Any
    width: Any = 0.0

    @abstractmethod
    def spoke(self, d: Array, S: Array) -> Array:
        """From the centre to the point of the rim whose outer normal is d, m."""

    @abstractmethod
    def clearance(self, n: Array, S: Array, curvature: Array) -> Expression:
        """1 on a plane, or less, and 0 where a hollow of normal n and some curvature is as tight as the wheel is round."""

    def laws(self, d: Array, S: Array) -> Sequence[Expression]:
        """What must vanish for unknowns of its own."""
        return ()

    def upright(self, n: Array, S: Array) -> Expression:
        """Sine of the angle between wheel and surface: 0 where the wheel lies flat."""
        return steep(n, S[:, 2])


@dataclass(frozen=True, eq=False)
class Tyre(Rim):
    """A circle, the knife edge of a thin disc, made thick by a tube: s = R p/|p| + r d, p = d − (d·a) a.

    circle  R, m
    tube    r, m
    """

    circle: Any
    tube: Any

    @property
    def radius(self) -> Any:
        return self.circle + self.tube

    @property
    def width(self) -> Any:
        return 2 * self.tube

    @property
    def _round(self) -> Round:
        return Round(self.circle, 0.0, self.tube)

    def spoke(self, d: Array, S: Array) -> Array:
        return self._round.farthest(d, S)

    def clearance(self, n: Array, S: Array, curvature: Array) -> Expression:
        """The smallest eigenvalue of I + W K along the surface, W = ∂s/∂d."""
        W = jacobian(expressions(self.spoke(DIRECTION, S)), DIRECTION)
        return clearance_of(expressions(substitute(W, dict(zip(DIRECTION, expressions(n), strict=True)))) @ curvature)


@dataclass(frozen=True, eq=False)
class Profile(Rim):
    """Of radius r(y) at a place y along the axis a, an unknown of mass zero where it touches:

    s = y a + r(y) p/|p|,   d·a + r′(y) |p| = 0
    """

    radius_at: Callable[[Any], Any]
    y: Symbol

    def __post_init__(self) -> None:
        try:
            as_expression(self.radius_at(self.y))
        except Exception as error:  # whatever a function of the user's raises
            raise ModelError(f"the profile of a wheel does not give a radius for '{self.y!r}': {error}") from error

    @property
    def radius(self) -> Any:
        return substitute(self._r, {self.y: 0.0})

    @property
    def _r(self) -> Expression:
        return as_expression(self.radius_at(self.y))

    @property
    def _slope(self) -> Expression:
        return derivative(self._r, self.y)

    def spoke(self, d: Array, S: Array) -> Array:
        a = S[:, 2]
        return expressions(self.y * a + self._r * across(d, a) / steep(d, a))

    def laws(self, d: Array, S: Array) -> Sequence[Expression]:
        a = S[:, 2]
        return [as_expression(d @ a + self._slope * steep(d, a))]

    def clearance(self, n: Array, S: Array, curvature: Array) -> Expression:
        """The smallest curvature of the wheel against the surface, times its radius: 1/(r √(1 + r′²)) around the axis and
        −r″/(1 + r′²)^(3/2) along the profile, of a normal with its slope."""
        a, r, slope = S[:, 2], self._r, self._slope
        e = -across(n, a) / steep(n, a)
        tilt = as_expression(np.sqrt(1 + slope**2))
        around, along = np.cross(a, e), (a + slope * e) / tilt
        bends = np.outer(around, around) / (r * tilt) - np.outer(along, along) * derivative(slope, self.y) / tilt**3
        tangential = expressions(np.eye(3)) - np.outer(n, n)
        return as_expression(r * smallest_along(tangential @ bends @ tangential + curvature))


def laid(rim: Rim, surface: Surface, center: Array, axes: np.ndarray) -> np.ndarray:
    """Where a wheel at a place would touch a plane through its contact, again and again: p ← c + s(−n(p)).

    A first guess, in numbers: parameters have their usual values, places on a profile are zero.
    """
    touched = center + rim.spoke(DIRECTION, expressions(axes))
    n = expressions(surface.normal(PLACE))
    known = {leaf: leaf.default or 0.0 for leaf in symbols(touched, n) if leaf not in {*PLACE, *DIRECTION}}
    place = evaluate(center, known)
    for _ in range(LAID):
        with np.errstate(all="ignore"):
            down = -evaluate(n, {**known, **dict(zip(PLACE, place, strict=True))})
            moved = evaluate(touched, {**known, **dict(zip(DIRECTION, down, strict=True))})
        if not np.all(np.isfinite(moved)):  # it lies flat
            break
        place = moved
    return place
