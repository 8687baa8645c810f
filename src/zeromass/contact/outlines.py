"""Outsides of convex bodies by the point that is farthest in a direction."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from zeromass.contact.directions import DIRECTION
from zeromass.contact.roller import in_values
from zeromass.expression import (
    Array,
    Expression,
    Symbol,
    as_expression,
    expressions,
    jacobian,
    substitute,
    symbols,
    where,
)
from zeromass.expression.build import ZERO
from zeromass.model.given import Number


class Outline(ABC):
    """The outside of a convex body, about its centre."""

    @abstractmethod
    def farthest(self, d: Array, S: Array) -> Array:
        """s(d), shape (3,), for a direction and the turn S of the body, both in the inertial frame."""

    @property
    @abstractmethod
    def size(self) -> Number:
        """Largest distance from the centre, m."""

    @property
    @abstractmethod
    def sizes(self) -> dict[str, Any]:
        """The numbers it is made of, by name."""

    def at(self, parameters: Mapping[Symbol, float]) -> Outline:
        """The outside in numbers, with values of the parameters in its formulas."""
        found = in_values(self.sizes, parameters)
        return self if found is None else type(self)(**found)

    @property
    def symmetric(self) -> bool:
        """Whether s(−d) = −s(d)."""
        return True

    def tangency(self, lever: Array, k: Array, S: Array) -> Array | None:
        """0 where the lever from the contact to the centre is −s(−k), in formulas that are simpler than s; None without."""
        return None

    def radii(self, n: Array, S: Array) -> Array:
        """W = ∂s/∂d at d = −n, shape (3, 3): the radii of curvature at the contact along the surface, m."""
        d = expressions(DIRECTION)
        W = jacobian(expressions(self.farthest(d if self.symmetric else -d, S)), d)
        W = expressions(substitute(W, dict(zip(d, expressions(n), strict=True))))
        return W if self.symmetric else expressions(-W)

    def upright(self, d: Array, S: Array) -> Expression | None:
        """Positive, and 0 where it lies on a face; None of what has no faces."""
        return None

    @property
    def thickness(self) -> Number:
        """Largest distance of a face from the centre, m."""
        return self.size

    def tilted(self, d: Array, S: Array) -> Expression | None:
        """0 where it lies on a line of its side, which another point of it touches beyond; None of what has none."""
        return None


@dataclass(frozen=True, eq=False)
class Ellipsoid(Outline):
    """Of semi-axes a, b, c, m, along those of the body: s = G d/√(d·G d), G = S D² Sᵀ.

    Of a lever l = s(k), k of any length, k·l = √(k·G k): so (k·l) l = G k says where it touches, without a root.
    """

    axes: Any

    def farthest(self, d: Array, S: Array) -> Array:
        reach = self.axes * (S.T @ d)
        return S @ (self.axes * reach) / np.sqrt(reach @ reach)

    def tangency(self, lever: Array, k: Array, S: Array) -> Array | None:
        """((k·l) l − G k)/c."""
        c, excess = self._excess
        apart = (k @ lever / c) * lever - c * k
        for i, e in excess.items():
            apart = apart - (e / c * (S[:, i] @ k)) * S[:, i]
        return expressions(apart)

    def radii(self, n: Array, S: Array) -> Array:
        """W = (G − l lᵀ)/(n·l)."""
        c, excess = self._excess
        G = c**2 * expressions(np.eye(3))
        for i, e in excess.items():
            G = G + e * np.outer(S[:, i], S[:, i])
        G_n = G @ n
        h = np.sqrt(n @ G_n)
        return expressions((G - np.outer(G_n / h, G_n / h)) / h)

    @property
    def _excess(self) -> tuple[Any, dict[int, Any]]:
        """c, the semi-axis that most others are like, and a² − c² of these: G = c² + Σ (a² − c²) s sᵀ, s along a."""
        c = max(reversed(self.axes), key=lambda a: sum(_same(a, other) for other in self.axes))
        return c, {i: a**2 - c**2 for i, a in enumerate(self.axes) if not _same(a, c)}

    @property
    def size(self) -> Number:
        a, b, c = self.axes
        return _plain(np.maximum(np.maximum(a, b), c))

    @property
    def sizes(self) -> dict[str, Any]:
        return {"axes": self.axes}


@dataclass(frozen=True, eq=False)
class Round(Outline):
    """Round about the third axis a of the body: two rims, or one, made thick by a ball that goes along them.

        s = R p/|p| ± H a + r d,   p = d − (d·a) a

    rim     R, m
    height  H, half the distance of the rims, m
    ball    r, m: the radius of the edges
    """

    rim: Any
    height: Any
    ball: Any

    def farthest(self, d: Array, S: Array) -> Array:
        a, s = S[:, 2], expressions(np.zeros(3))
        if not _is_zero(self.rim):
            s = s + self.rim * across(d, a) / steep(d, a)
        if not _is_zero(self.height):
            s = s + self.height * np.sign(d @ a) * a
        return s if _is_zero(self.ball) else s + self.ball * d

    @property
    def size(self) -> Number:
        return _plain(np.sqrt(self.rim**2 + self.height**2) + self.ball)

    @property
    def thickness(self) -> Number:
        return self.height + self.ball

    @property
    def sizes(self) -> dict[str, Any]:
        return {"rim": self.rim, "height": self.height, "ball": self.ball}

    def upright(self, d: Array, S: Array) -> Expression | None:
        return None if _is_zero(self.rim) else steep(d, S[:, 2])

    def tilted(self, d: Array, S: Array) -> Expression | None:
        return None if _is_zero(self.height) else as_expression(d @ S[:, 2])


@dataclass(frozen=True, eq=False)
class Cone(Outline):
    """A tip on the third axis a of the body, and a rim: s = z a of the tip, or R p/|p| − y a of the rim, whichever is
    farther."""

    rim: Any
    tip: Any
    base: Any

    def farthest(self, d: Array, S: Array) -> Array:
        a = S[:, 2]
        tip, rim = self.tip * a, self.rim * across(d, a) / steep(d, a) - self.base * a
        return expressions([where(self._ahead(d, a) > 0, x, y) for x, y in zip(tip, rim, strict=True)])

    def _ahead(self, d: Array, a: Array) -> Expression:
        """How much farther the tip is than the rim, m."""
        return as_expression((self.tip + self.base) * (d @ a) - self.rim * steep(d, a))

    @property
    def size(self) -> Number:
        return _plain(np.maximum(self.tip, np.sqrt(self.rim**2 + self.base**2)))

    @property
    def sizes(self) -> dict[str, Any]:
        return {"rim": self.rim, "tip": self.tip, "base": self.base}

    @property
    def symmetric(self) -> bool:
        return False

    def tilted(self, d: Array, S: Array) -> Expression | None:
        return as_expression(self._ahead(d, S[:, 2]) / (self.tip + self.base))

    def upright(self, d: Array, S: Array) -> Expression | None:
        """Of the base; on its tip it may stand upright."""
        return where(self._ahead(expressions(-d), S[:, 2]) > 0, 1.0, steep(d, S[:, 2]))


@dataclass(frozen=True, eq=False)
class Supported(Outline):
    """By a formula s of DIRECTION in the axes of the body."""

    support: Array
    reach: Any

    def farthest(self, d: Array, S: Array) -> Array:
        own = S.T @ d
        return S @ expressions(substitute(self.support, dict(zip(DIRECTION, own, strict=True))))

    @property
    def size(self) -> Number:
        return self.reach

    @property
    def sizes(self) -> dict[str, Any]:
        return {"reach": self.reach}

    def at(self, parameters: Mapping[Symbol, float]) -> Outline:
        found = in_values(self.sizes, parameters)
        names = [leaf for leaf in symbols(self.support) if leaf.kind == "parameter"]
        if found is None and not names:
            return self
        support = expressions(substitute(self.support, {name: parameters[name] for name in names}))
        return Supported(support, self.reach if found is None else found["reach"])

    @property
    def symmetric(self) -> bool:
        return False


def across(d: Array, a: Array) -> Array:
    """p = d − (d·a) a, the part of a direction across the axis."""
    return expressions(d - (d @ a) * a)


def steep(d: Array, a: Array) -> Expression:
    """|p|."""
    p = across(d, a)
    return as_expression(np.sqrt(p @ p))


def _same(a: Any, b: Any) -> bool:
    return a is b or (not isinstance(a, Expression) and not isinstance(b, Expression) and a == b)


def _is_zero(e: Any) -> bool:
    return e is ZERO or (not isinstance(e, Expression) and e == 0)


def _plain(e: Any) -> Number:
    return e if isinstance(e, Expression) else float(e)
