"""Bodies that roll and are no spheres: ellipsoids, discs, wheels, cylinders, cones, and any convex body.

A public function of this module that gives a Roller is a kind of body in scenario files, with its arguments as keys, but for
those that take functions.
"""

from __future__ import annotations

from collections.abc import Callable
from math import gamma, prod
from typing import Any, NamedTuple

import numpy as np

from zeromass.contact.directions import DIRECTION, scattered
from zeromass.contact.moments import Moments, moments
from zeromass.contact.outlines import Cone, Ellipsoid, Outline, Round, Supported
from zeromass.contact.roller import Roller
from zeromass.contact.shaped import ConvexBody, ImplicitBody
from zeromass.contact.traced import PLACE
from zeromass.expression import (
    Evaluator,
    Expression,
    ExpressionError,
    as_expression,
    expressions,
    gradient,
    jacobian,
    symbols,
)
from zeromass.model import ModelError
from zeromass.model.given import Inertia, Number, Vector, given_vector
from zeromass.model.requirement import Ordered, Requirement, in_numbers

ORIGIN = (0.0, 0.0, 0.0)

CONVEX = 1e-9
"""Part of the largest radius of curvature, or curvature, by which one may be negative from rounding."""


def ellipsoid(
    axes: Vector,
    mass: Number | None = None,
    *,
    density: Number | None = None,
    inertia: Inertia | None = None,
    center_of_mass: Vector | None = None,
    center: Vector | None = None,
    name: str = "ellipsoid",
) -> ConvexBody:
    """An ellipsoid, homogeneous unless inertia and centre of mass are given.

    axes            semi-axes a, b, c along those of the body, m
    mass            kg, or
    density         kg/m³
    inertia         about the centre of mass in the body frame, kg m²
    center_of_mass  from the middle of the ellipsoid, body frame, m
    center          the other way round: the middle of the ellipsoid from the centre of mass

    >>> np.round(zm.ellipsoid((0.3, 0.2, 0.1), mass=5.0).inertia, 12)  # m (b² + c²)/5 and so on
    array([0.05, 0.1 , 0.13])
    """
    a, b, c = _positive(axes, "semi-axis", name)
    mass = _mass(mass, density, 4 / 3 * np.pi * a * b * c, name)
    own = tuple(mass * (x**2 + y**2) / 5 for x, y in ((b, c), (a, c), (a, b)))
    sizes = _sizes(name, **{"semi-axis": (a, b, c)})
    return _convex(Ellipsoid(_array(a, b, c)), mass, own, inertia, center_of_mass, center, name, sizes)


def disc(
    radius: Number,
    mass: Number,
    *,
    edge: Number = 0.0,
    inertia: Inertia | None = None,
    center_of_mass: Vector | None = None,
    center: Vector | None = None,
    name: str = "disc",
) -> ConvexBody:
    """A disc that turns about the third axis of its body, thin and homogeneous unless its inertia is given.

    radius          m
    mass            kg
    edge            radius of its edge, m: half its thickness; 0 of a sharp one
    inertia         about the centre of mass in the body frame, kg m²
    center_of_mass  from the middle of the disc, body frame, m
    center          the other way round: the middle of the disc from the centre of mass

    >>> np.round(zm.disc(radius=0.2, mass=1.0).inertia, 12)
    array([0.01, 0.01, 0.02])
    """
    words = "the edge of '{name}' has a radius of {0:g} m; that of the disc, {1:g} m, is larger"
    more = (
        Ordered(0.0, edge, "the radius of the edge of '{name}' is {1:g}; it is zero or positive", name, equal=True),
        Ordered(edge, radius, words, name),
    )
    own = (mass * radius**2 / 4, mass * radius**2 / 4, mass * radius**2 / 2)
    sizes = (*_sizes(name, radius=(radius,)), *more)
    return _convex(Round(radius - edge, 0.0, edge), mass, own, inertia, center_of_mass, center, name, sizes)


def torus(
    radius: Number,
    tube: Number,
    mass: Number | None = None,
    *,
    density: Number | None = None,
    inertia: Inertia | None = None,
    center_of_mass: Vector | None = None,
    center: Vector | None = None,
    name: str = "torus",
) -> ConvexBody:
    """A wheel with a tyre that turns about the third axis of its body; a homogeneous torus unless its inertia is given.

    radius          of the circle in the middle of the tyre, m
    tube            radius of the tyre, m
    mass            kg, or
    density         kg/m³
    inertia         about the centre of mass in the body frame, kg m²
    center_of_mass  from the middle of the wheel, body frame, m
    center          the other way round: the middle of the wheel from the centre of mass

    >>> zm.torus(radius=0.3, tube=0.02, mass=1.0).size
    0.32
    """
    R, r = radius, tube
    mass = _mass(mass, density, 2 * np.pi**2 * R * r**2, name)
    across = mass * (R**2 / 2 + 5 / 8 * r**2)
    own = (across, across, mass * (R**2 + 3 / 4 * r**2))
    sizes = _sizes(name, **{"radius": (R,), "radius of the tyre": (r,)})
    return _convex(Round(R, 0.0, r), mass, own, inertia, center_of_mass, center, name, sizes)


def cylinder(
    radius: Number,
    length: Number,
    mass: Number | None = None,
    *,
    edge: Number = 0.0,
    density: Number | None = None,
    inertia: Inertia | None = None,
    center_of_mass: Vector | None = None,
    center: Vector | None = None,
    name: str = "cylinder",
) -> ConvexBody:
    """A cylinder about the third axis of its body, on one of its rims; on its side it touches in a line, and a run ends.

    radius, length  m
    mass            kg, or
    edge            radius of its edges, m; the inertia is that of a cylinder with sharp ones
    density         kg/m³
    inertia         about the centre of mass in the body frame, kg m²
    center_of_mass  from the middle of the cylinder, body frame, m
    center          the other way round: the middle of the cylinder from the centre of mass

    >>> np.round(zm.cylinder(radius=0.1, length=0.3, mass=2.0).inertia, 12)
    array([0.02, 0.02, 0.01])
    """
    mass = _mass(mass, density, np.pi * radius**2 * length, name)
    across = mass * (3 * radius**2 + length**2) / 12
    words = "the edge of '{name}' has a radius of {0:g} m, which is too much for a cylinder of {1:g} m"
    more = (
        Ordered(0.0, edge, "the radius of the edges of '{name}' is {1:g}; it is zero or positive", name, equal=True),
        Ordered(edge, radius, words, name),
        Ordered(2 * edge, length, words, name),
    )
    own = (across, across, mass * radius**2 / 2)
    sizes = (*_sizes(name, radius=(radius,), length=(length,)), *more)
    outline = Round(radius - edge, length / 2 - edge, edge)
    return _convex(outline, mass, own, inertia, center_of_mass, center, name, sizes)


def capsule(
    radius: Number,
    length: Number,
    mass: Number | None = None,
    *,
    density: Number | None = None,
    inertia: Inertia | None = None,
    center_of_mass: Vector | None = None,
    center: Vector | None = None,
    name: str = "capsule",
) -> ConvexBody:
    """A cylinder with a hemisphere on each end, about the third axis of its body; on its side it touches in a line.

    radius          m
    length          of the cylinder, m
    mass            kg, or
    density         kg/m³
    inertia         about the centre of mass in the body frame, kg m²
    center_of_mass  from the middle of the capsule, body frame, m
    center          the other way round: the middle of the capsule from the centre of mass

    >>> zm.capsule(radius=0.1, length=0.2, mass=1.0).size
    0.2
    """
    r, L = radius, length
    tube, ends = np.pi * r**2 * L, 4 / 3 * np.pi * r**3
    mass = _mass(mass, density, tube + ends, name)
    m_tube, m_ends = mass * tube / (tube + ends), mass * ends / (tube + ends)
    across = m_tube * (3 * r**2 + L**2) / 12 + m_ends * (2 / 5 * r**2 + L**2 / 4 + 3 / 8 * L * r)
    own = (across, across, m_tube * r**2 / 2 + m_ends * 2 / 5 * r**2)
    sizes = _sizes(name, radius=(r,), length=(L,))
    return _convex(Round(0.0, L / 2, r), mass, own, inertia, center_of_mass, center, name, sizes)


def cone(
    radius: Number,
    height: Number,
    mass: Number | None = None,
    *,
    density: Number | None = None,
    inertia: Inertia | None = None,
    center_of_mass: Vector | None = None,
    center: Vector | None = None,
    name: str = "cone",
) -> ConvexBody:
    """A cone whose tip points along the third axis of its body, on its tip or its rim; on its side it touches in a line.

    radius, height  m
    mass            kg, or
    density         kg/m³
    inertia         about the centre of mass in the body frame, kg m²
    center_of_mass  from the centroid of a homogeneous cone, a quarter of the height above its base, body frame, m
    center          the other way round: this centroid from the centre of mass

    >>> zm.cone(radius=0.1, height=0.2, mass=1.0).farthest(np.array([[0.0, 0.0, 1.0]]), {}).round(12)
    array([[0.  , 0.  , 0.15]])
    """
    mass = _mass(mass, density, np.pi * radius**2 * height / 3, name)
    across = 3 / 80 * mass * (4 * radius**2 + height**2)
    own = (across, across, 3 / 10 * mass * radius**2)
    sizes = _sizes(name, radius=(radius,), height=(height,))
    outline = Cone(radius, 3 / 4 * height, height / 4)
    return _convex(outline, mass, own, inertia, center_of_mass, center, name, sizes)


def superquadric(
    axes: Vector,
    exponent: float,
    mass: Number | None = None,
    *,
    density: Number | None = None,
    inertia: Inertia | None = None,
    center_of_mass: Vector | None = None,
    center: Vector | None = None,
    name: str = "superquadric",
) -> ImplicitBody:
    """The body |x/a|ᵖ + |y/b|ᵖ + |z/c|ᵖ ≤ 1: an ellipsoid for p = 2, nearer to a box for larger p.

    axes            semi-axes a, b, c along those of the body, m
    exponent        p, at least 2. Above 2 the body is flat at the six ends of its axes, where a run ends
    mass            kg, or
    density         kg/m³
    inertia         about the centre of mass in the body frame, kg m²
    center_of_mass  from the middle of the body, body frame, m
    center          the other way round: the middle of the body from the centre of mass

    >>> stone = zm.superquadric((0.1, 0.1, 0.1), exponent=2, mass=1.0)
    >>> np.round(stone.inertia, 12)  # of a ball
    array([0.004, 0.004, 0.004])
    """
    a, b, c = _positive(axes, "semi-axis", name)
    if not (np.isfinite(exponent) and exponent >= 2):
        raise ModelError(f"the exponent of '{name}' is {exponent!r}; it is at least 2, where the body is an ellipsoid")
    even = float(exponent) % 2 == 0

    def powered(x: Any) -> Any:
        return x ** int(exponent) if even else (x**2) ** (exponent / 2)

    g = _traced(lambda x, y, z: powered(x / a) + powered(y / b) + powered(z / c) - 1, PLACE, f"'{name}'")
    mass = _mass(mass, density, 8 * a * b * c * _dirichlet(exponent, 1, 1, 1), name)
    # ∫ x² dV = 8 a³ b c times Dirichlet's integral of the octant of |x|ᵖ + |y|ᵖ + |z|ᵖ ≤ 1
    share = mass * _dirichlet(exponent, 3, 1, 1) / _dirichlet(exponent, 1, 1, 1)
    own = tuple(share * (x**2 + y**2) for x, y in ((b, c), (a, c), (a, b)))
    given = _center(center_of_mass, center, name)
    if inertia is None and given is not None:
        raise ModelError(f"'{name}' has a centre of mass of its own; give its inertia about it too")
    place = ORIGIN if given is None else given
    about = own if inertia is None else inertia
    sizes = _sizes(name, **{"semi-axis": (a, b, c)})
    return ImplicitBody(g, mass, about, place, name, _corner((a, b, c), exponent), sizes)


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
    """Any convex body, by one of two functions written in NumPy; homogeneous unless inertia and centre of mass are given.

    support         h(x, y, z): how far the body reaches in the direction of a unit vector, from its centre, m; it is smooth
    implicit        g(x, y, z): negative inside the body, zero on its outside, with a gradient there; the centre is inside
    mass            kg, or
    density         kg/m³
    inertia         about the centre of mass in the body frame, kg m²
    center_of_mass  from the centre, body frame, m; the centroid unless it is given
    center          the other way round: the centre from the centre of mass
    reach           largest distance of the outside from the centre, m; found by looking unless it is given

    The support of an egg that is longer on one end:

    >>> egg = zm.convex(support=lambda x, y, z: 0.03 + 0.004 * z**2 + 0.002 * z, mass=0.06)
    >>> egg.farthest(np.array([[0.0, 0.0, 1.0]]), {}).round(6) + 0.0
    array([[0.   , 0.   , 0.036]])
    """
    if (support is None) == (implicit is None):
        raise ModelError(f"'{name}' is given by support= or by implicit=, one of them")
    given = _Given(mass, density, inertia, center_of_mass, center, name)
    if support is not None:
        outline = _supported(support, reach, name)
        own = _moments_of_support(outline, name) if given.homogeneous else None
        total, about, place = given.numbers(own)
        return ConvexBody(outline, total, about, place, name)
    assert implicit is not None
    g = _traced(implicit, PLACE, f"implicit of '{name}'")
    size = _reach(g, name) if reach is None else reach
    total, about, place = given.numbers(_moments_of_implicit(g, size, name) if given.homogeneous else None)
    return ImplicitBody(g, total, about, place, name, size)


def _dirichlet(p: float, *powers: int) -> float:
    """∫ x^(α−1) y^(β−1) z^(γ−1) over the octant of xᵖ + yᵖ + zᵖ ≤ 1: Γ(α/p) Γ(β/p) Γ(γ/p)/(p³ Γ(1 + (α + β + γ)/p))."""
    return prod(gamma(k / p) for k in powers) / (p**3 * gamma(1 + sum(powers) / p))


def _corner(axes: tuple[Any, Any, Any], p: float) -> Any:
    """The largest distance of |x/a|ᵖ + … = 1 from its middle: (Σ aᵏ)^(1/k) with 1/k = 1/2 − 1/p."""
    if p == 2:
        return Ellipsoid(axes).size
    k = 2 * p / (p - 2)
    largest = np.maximum(np.maximum(axes[0], axes[1]), axes[2])
    return largest * sum((a / largest) ** k for a in axes) ** (1 / k)


# numbers -----------------------------------------------------------------------------------------------------------
class _Given(NamedTuple):
    """What is said of a body beside its outside."""

    mass: Number | None
    density: Number | None
    inertia: Inertia | None
    center_of_mass: Vector | None
    center: Vector | None
    name: str

    @property
    def homogeneous(self) -> bool:
        """Whether something of a homogeneous body is asked for."""
        own = self.center_of_mass is None and self.center is None
        return self.inertia is None or self.density is not None or own

    def numbers(self, own: Moments | None) -> tuple[Number, Inertia, Vector]:
        """Mass, inertia and centre of mass, as given or as of a homogeneous body."""
        mass = _mass(self.mass, self.density, None if own is None else own.volume, self.name)
        place = _center(self.center_of_mass, self.center, self.name)
        if self.inertia is None and place is not None:
            raise ModelError(f"'{self.name}' has a centre of mass of its own; give its inertia about it too")
        if place is None:
            place = ORIGIN if own is None else tuple(own.centroid.tolist())
        if self.inertia is not None:
            return mass, self.inertia, place
        assert own is not None
        return mass, mass / own.volume * own.inertia, place


def _convex(
    outline: Outline,
    mass: Number,
    own: tuple[Number, ...],
    inertia: Inertia | None,
    center_of_mass: Vector | None,
    center: Vector | None,
    name: str,
    sizes: tuple[Requirement, ...],
) -> ConvexBody:
    for requirement in sizes:
        requirement.checked(f"'{name}'")
    given = _center(center_of_mass, center, name)
    if inertia is None and given is not None:
        raise ModelError(f"'{name}' has a centre of mass of its own; give its inertia about it too")
    return ConvexBody(
        outline, mass, own if inertia is None else inertia, ORIGIN if given is None else given, name, sizes
    )


def _center(center_of_mass: Vector | None, center: Vector | None, name: str) -> Vector | None:
    """The centre of mass from the middle, as it was given, or the other way round."""
    if center is None:
        return center_of_mass
    if center_of_mass is not None:
        raise ModelError(f"'{name}' is given its centre of mass twice: center_of_mass= and center=")
    return tuple(e if e.value is None else e.value for e in -given_vector(center, f"the centre of '{name}'"))


def _mass(mass: Number | None, density: Number | None, volume: Number | None, name: str) -> Number:
    if (mass is None) == (density is None):
        raise ModelError(f"'{name}' needs its mass= or its density=, one of them")
    if mass is not None:
        return mass
    assert density is not None
    assert volume is not None
    return density * volume


def _positive(axes: Any, what: str, name: str) -> tuple[Any, Any, Any]:
    if np.shape(axes) != (3,):
        raise ModelError(f"'{name}' needs three numbers for its {what}s, not {axes!r}")
    for requirement in _sizes(name, **{what: tuple(axes)}):
        requirement.checked(f"'{name}'")
    a, b, c = (x if isinstance(x, Expression) else float(x) for x in axes)
    return a, b, c


def _sizes(name: str, **lengths: tuple[Any, ...]) -> tuple[Requirement, ...]:
    return tuple(
        Ordered(0.0, each, f"the {what} of '{{name}}' is {{1:g}}; it must be positive", name)
        for what, all_ in lengths.items()
        for each in all_
    )


def _array(*values: Any) -> Any:
    return np.array(values, dtype=float) if in_numbers(values) else expressions(values)


# functions ---------------------------------------------------------------------------------------------------------
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
