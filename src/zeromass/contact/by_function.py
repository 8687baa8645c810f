"""Any convex body, by its support or by a function that vanishes on its outside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from zeromass.contact.directions import DIRECTION, scattered
from zeromass.contact.matter import Matter
from zeromass.contact.moments import Moments, moments
from zeromass.contact.outlines import Outline, Supported
from zeromass.contact.roller import Roller
from zeromass.contact.shaped import ConvexBody, ImplicitBody
from zeromass.contact.traced import PLACE
from zeromass.errors import ExpressionError
from zeromass.expression import Evaluator, Expression, as_expression, expressions, gradient, jacobian, symbols
from zeromass.model import ModelError
from zeromass.model.given import Inertia, Number, Vector

CONVEX = 1e-9
"""Part of the largest radius of curvature, or curvature, by which one may be negative from rounding."""


def convex(
    *,
    support: Callable[..., Any] | None = None,
    implicit: Callable[..., Any] | None = None,
    mass: float | None = None,
    density: float | None = None,
    inertia: Inertia | None = None,
    center_of_mass: Vector | None = None,
    center: Vector | None = None,
    reach: Number | None = None,
    name: str = "body",
) -> Roller:
    """Any convex body, by its support function or an implicit function; homogeneous unless its inertia is given.

    support         h(x, y, z): how far the body reaches in the direction of a unit vector, from its centre, m; it is smooth
    implicit        g(x, y, z): negative inside the body, zero on its outside, with a gradient there; the centre is inside
    mass            kg, or
    density         kg/m³
    inertia         about the centre of mass in the body frame, kg m²
    center_of_mass  from the centre, body frame, m; the centroid unless it is given
    center          the other way round: the centre from the centre of mass
    reach           largest distance of the outside from the centre, m; found by a search unless it is given

    The support of an egg that is longer on one end:

    >>> egg = zm.bodies.convex(support=lambda x, y, z: 0.03 + 0.004 * z**2 + 0.002 * z, mass=0.06)
    >>> egg.farthest(np.array([[0.0, 0.0, 1.0]]), {}).round(6) + 0.0
    array([[0.   , 0.   , 0.036]])
    """
    if (support is None) == (implicit is None):
        raise ModelError(f"'{name}' is given by support= or by implicit=, one of them")
    matter = Matter(mass, density, inertia, center_of_mass, center, name)
    if support is not None:
        outline = _supported(support, reach, name)
        own = _moments_of_support(outline, name) if matter.homogeneous else None
        return ConvexBody(outline, *_numbers(matter, own), name)
    assert implicit is not None
    g = _traced(implicit, PLACE, f"implicit of '{name}'")
    size = _reach(g, name) if reach is None else reach
    own = _moments_of_implicit(g, size, name) if matter.homogeneous else None
    return ImplicitBody(g, *_numbers(matter, own), name, size)


def _numbers(matter: Matter, own: Moments | None) -> tuple[Number, Inertia, Vector]:
    """Mass, inertia and centre of mass, with the moments of a homogeneous body where they are asked for."""
    if own is None:
        return matter.numbers(matter.total(None), None)
    mass = matter.total(own.volume)
    return matter.numbers(mass, mass / own.volume * own.inertia, tuple(own.centroid.tolist()))


def _traced(function: Callable[..., Any], place: Any, what: str) -> Expression:
    try:
        return as_expression(function(*place))
    except (ExpressionError, TypeError, ValueError) as error:
        raise ModelError(f"{what} does not give a formula of x, y, z: {error}") from error


def _supported(support: Callable[..., Any], reach: Number | None, name: str) -> Supported:
    """s = h d + (I − d dᵀ) ∇h, which is ∇h of the function of degree one that h is on unit vectors."""
    d = DIRECTION
    h = _traced(support, d, f"support of '{name}'")
    slope = gradient(h, d)
    s = expressions(h * d + slope - (slope @ d) * d)
    outline = Supported(s, 1.0)
    if not symbols(s) or all(leaf in set(d) for leaf in symbols(s)):
        points = Evaluator(s, list(d))(scattered(4096))
        radii = Evaluator(_radii(outline), list(d))(scattered(4096))
        least = np.array([np.sort(np.linalg.eigvals(W).real)[0] for W in radii])
        if not np.all(np.isfinite(points)) or least.min() < -CONVEX * np.abs(radii).max():
            k = int(np.argmin(np.where(np.isfinite(least), least, -np.inf)))
            where = tuple(scattered(4096)[k].round(3).tolist())
            raise ModelError(f"'{name}' is not convex: its support bends inward in the direction {where}")
        reach = float(np.linalg.norm(points, axis=1).max()) if reach is None else reach
    if reach is None:
        raise ModelError(
            f"the size of '{name}' depends on parameters; give reach=, its largest distance from the centre"
        )
    return Supported(s, reach)


def _radii(outline: Outline) -> Any:
    """W + d dᵀ in the axes of the body, with W = ∂s/∂d along the surface."""
    s, d = expressions(outline.farthest(DIRECTION, expressions(np.eye(3)))), DIRECTION
    along = expressions(np.eye(3)) - np.outer(d, d)
    return along @ jacobian(s, d) @ along + np.outer(d, d)


def _moments_of_support(outline: Outline, name: str) -> Moments:
    values = Evaluator(
        [*outline.farthest(DIRECTION, expressions(np.eye(3))), *_radii(outline).ravel()], _numbers_only(outline, name)
    )

    def outside(d: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        found = values(d)
        return found[:, :3], np.linalg.det(found[:, 3:].reshape(-1, 3, 3))

    return moments(outside)


def _numbers_only(outline: Outline, name: str) -> list[Any]:
    if any(leaf not in set(DIRECTION) for leaf in symbols(outline.farthest(DIRECTION, expressions(np.eye(3))))):
        raise ModelError(f"the outside of '{name}' depends on parameters; give its mass, inertia and centre of mass")
    return list(DIRECTION)


def _ray(g: Expression, directions: np.ndarray, furthest: float, name: str) -> np.ndarray:
    """How far the outside is along directions, (k,)."""
    if any(leaf not in set(PLACE) for leaf in symbols(g)):
        raise ModelError(
            f"the outside of '{name}' depends on parameters; give reach=, its inertia and its centre of mass"
        )
    values = Evaluator(g, list(PLACE))
    low, high = np.zeros(len(directions)), np.full(len(directions), furthest)
    for _ in range(80):
        middle = (low + high) / 2
        with np.errstate(all="ignore"):
            within = values(middle[:, None] * directions) < 0.0
        low, high = np.where(within, middle, low), np.where(within, high, middle)
    return low


def _reach(g: Expression, name: str) -> float:
    """The largest distance of the outside from the centre."""
    if any(leaf not in set(PLACE) for leaf in symbols(g)):
        raise ModelError(
            f"the size of '{name}' depends on parameters; give reach=, its largest distance from the centre"
        )
    values, size = Evaluator(g, list(PLACE)), 1e-9
    middle = float(values(np.zeros(3)))
    if not middle < 0.0:
        raise ModelError(f"the centre (0, 0, 0) of '{name}' is not inside it: implicit is {middle:g} there")
    directions = np.concatenate([scattered(4096), np.eye(3), -np.eye(3)])
    with np.errstate(all="ignore"):
        while np.any(values(size * directions) < 0.0):
            size *= 2.0
            if size > 1e9:
                raise ModelError(f"'{name}' has no end: implicit stays negative up to {size:g} m from its centre")
    return 1.05 * float(_ray(g, directions, size, name).max())


def _moments_of_implicit(g: Expression, size: Any, name: str) -> Moments:
    """By rays: a body that is seen whole from its centre has dA (d·n) = ρ² dd for the distance ρ of its outside."""

    def outside(d: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        ρ = _ray(g, d, 2 * float(size), name)
        return ρ[:, None] * d, ρ**2

    return moments(outside)
