"""Bodies that roll and are no spheres: ellipsoids, discs, wheels, cylinders, cones, superquadrics.

A public function of this module that gives a Roller is a kind of body in scenario files, with its arguments as keys.
"""

from __future__ import annotations

from math import gamma, prod
from typing import Any

import numpy as np

from zeromass.contact.matter import Matter
from zeromass.contact.outlines import Cone, Ellipsoid, Outline, Round
from zeromass.contact.shaped import ConvexBody, ImplicitBody
from zeromass.contact.traced import PLACE
from zeromass.expression import Expression, as_expression, expressions
from zeromass.model import ModelError
from zeromass.model.given import Inertia, Number, Vector, shape_of, shown
from zeromass.model.requirement import Ordered, Requirement, in_numbers


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
    """Ellipsoid, homogeneous unless its inertia and mass centre are given.

    axes            semi-axes a, b, c along those of the body, m
    mass            kg, or
    density         kg/m³
    inertia         about the centre of mass in the body frame, kg m²
    center_of_mass  from the middle of the ellipsoid, body frame, m
    center          the other way round: the middle of the ellipsoid from the centre of mass

    >>> np.round(zm.bodies.ellipsoid((0.3, 0.2, 0.1), mass=5.0).inertia, 12)  # m (b² + c²)/5 and so on
    array([0.05, 0.1 , 0.13])
    """
    a, b, c = _positive(axes, "semi-axis", name)
    matter = Matter(mass, density, inertia, center_of_mass, center, name)
    mass = matter.total(4 / 3 * np.pi * a * b * c)
    own = tuple(mass * (x**2 + y**2) / 5 for x, y in ((b, c), (a, c), (a, b)))
    sizes = _sizes(name, **{"semi-axis": (a, b, c)})
    return _convex(Ellipsoid(_array(a, b, c)), matter, mass, own, sizes)


def disc(
    radius: Number,
    mass: Number | None = None,
    *,
    edge: Number = 0.0,
    density: Number | None = None,
    inertia: Inertia | None = None,
    center_of_mass: Vector | None = None,
    center: Vector | None = None,
    name: str = "disc",
) -> ConvexBody:
    """Disc about the third axis of its body; thin and homogeneous unless its density or inertia is given.

    radius          m
    mass            kg, or
    edge            radius of its edge, m: half its thickness; 0 of a sharp one
    density         kg/m³, of one with an edge: mass and inertia are those of the thick disc with its round edge
    inertia         about the centre of mass in the body frame, kg m²
    center_of_mass  from the middle of the disc, body frame, m
    center          the other way round: the middle of the disc from the centre of mass

    >>> np.round(zm.bodies.disc(radius=0.2, mass=1.0).inertia, 12)
    array([0.01, 0.01, 0.02])
    >>> round(zm.bodies.disc(radius=0.012, edge=0.001, density=8000).mass, 6)
    0.006984
    """
    words = "the edge of '{name}' has a radius of {0:g} m; that of the disc, {1:g} m, is larger"
    sizes = _checked(
        name,
        *_sizes(name, radius=(radius,)),
        Ordered(0.0, edge, "the radius of the edge of '{name}' is {1:g}; it is zero or positive", name, equal=True),
        Ordered(edge, radius, words, name),
    )
    matter = Matter(mass, density, inertia, center_of_mass, center, name)
    if density is not None and edge == 0.0:
        raise ModelError(f"'{name}' is sharp, and a density says nothing of what has no thickness: give edge= or mass=")
    a, e = radius - edge, edge
    volume = np.pi * (2 * a**2 * e + np.pi * a * e**2 + 4 / 3 * e**3)
    mass = matter.total(volume)
    own = (mass * radius**2 / 4, mass * radius**2 / 4, mass * radius**2 / 2)
    if density is not None:  # with R = a + √(e² − z²): ½ π ρ ∫ R⁴ dz, and half of that and π ρ ∫ R² z² dz
        fourth = 2 * a**4 * e + 2 * np.pi * a**3 * e**2 + 8 * a**2 * e**3 + 3 / 2 * np.pi * a * e**4 + 16 / 15 * e**5
        along = np.pi / 2 * density * fourth
        across = along / 2 + np.pi * density * (2 / 3 * a**2 * e**3 + np.pi / 4 * a * e**4 + 4 / 15 * e**5)
        own = (across, across, along)
    return _convex(Round(a, 0.0, e), matter, mass, own, sizes)


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
    """Torus (wheel with a tyre) about the third axis of its body, homogeneous unless its inertia is given.

    radius          of the circle in the middle of the tyre, m
    tube            radius of the tyre, m
    mass            kg, or
    density         kg/m³
    inertia         about the centre of mass in the body frame, kg m²
    center_of_mass  from the middle of the wheel, body frame, m
    center          the other way round: the middle of the wheel from the centre of mass

    >>> zm.bodies.torus(radius=0.3, tube=0.02, mass=1.0).size
    0.32
    """
    R, r = radius, tube
    sizes = _checked(name, *_sizes(name, **{"radius": (R,), "radius of the tyre": (r,)}))
    if inertia is None:
        words = (
            "the tyre of '{name}' has a radius of {0:g} m, more than the circle in its middle, {1:g} m: give inertia="
        )
        sizes = (*sizes, *_checked(name, Ordered(r, R, words, name, equal=True)))
    matter = Matter(mass, density, inertia, center_of_mass, center, name)
    mass = matter.total(2 * np.pi**2 * R * r**2)
    across = mass * (R**2 / 2 + 5 / 8 * r**2)
    own = (across, across, mass * (R**2 + 3 / 4 * r**2))
    return _convex(Round(R, 0.0, r), matter, mass, own, sizes)


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
    """Cylinder about the third axis of its body, on its rim. On its side it touches in a line, and a run ends there.

    radius, length  m
    mass            kg, or
    edge            radius of its edges, m; the inertia is that of a cylinder with sharp ones
    density         kg/m³
    inertia         about the centre of mass in the body frame, kg m²
    center_of_mass  from the middle of the cylinder, body frame, m
    center          the other way round: the middle of the cylinder from the centre of mass

    >>> np.round(zm.bodies.cylinder(radius=0.1, length=0.3, mass=2.0).inertia, 12)
    array([0.02, 0.02, 0.01])
    """
    words = "the edge of '{name}' has a radius of {0:g} m, which is too much for a cylinder of {1:g} m"
    sizes = _checked(
        name,
        *_sizes(name, radius=(radius,), length=(length,)),
        Ordered(0.0, edge, "the radius of the edges of '{name}' is {1:g}; it is zero or positive", name, equal=True),
        Ordered(edge, radius, words, name),
    )
    sizes = (*sizes, *_checked(name, Ordered(2 * edge, length, words, name)))
    matter = Matter(mass, density, inertia, center_of_mass, center, name)
    mass = matter.total(np.pi * radius**2 * length)
    across = mass * (3 * radius**2 + length**2) / 12
    own = (across, across, mass * radius**2 / 2)
    outline = Round(radius - edge, length / 2 - edge, edge)
    return _convex(outline, matter, mass, own, sizes)


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
    """Capsule about the third axis of its body. On its side it touches in a line, and a run ends there.

    radius          m
    length          of the cylinder, m
    mass            kg, or
    density         kg/m³
    inertia         about the centre of mass in the body frame, kg m²
    center_of_mass  from the middle of the capsule, body frame, m
    center          the other way round: the middle of the capsule from the centre of mass

    >>> zm.bodies.capsule(radius=0.1, length=0.2, mass=1.0).size
    0.2
    """
    r, L = radius, length
    sizes = _checked(name, *_sizes(name, radius=(r,), length=(L,)))
    tube, ends = np.pi * r**2 * L, 4 / 3 * np.pi * r**3
    if in_numbers([tube, ends]) and tube + ends == 0:
        raise ModelError(f"'{name}' has no volume: the cube of its radius, {shown(r)} m, is no number above zero")
    matter = Matter(mass, density, inertia, center_of_mass, center, name)
    mass = matter.total(tube + ends)
    m_tube, m_ends = mass * tube / (tube + ends), mass * ends / (tube + ends)
    across = m_tube * (3 * r**2 + L**2) / 12 + m_ends * (2 / 5 * r**2 + L**2 / 4 + 3 / 8 * L * r)
    own = (across, across, m_tube * r**2 / 2 + m_ends * 2 / 5 * r**2)
    return _convex(Round(0.0, L / 2, r), matter, mass, own, sizes)


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
    """Cone about the third axis of its body, on its tip or its rim. On its side it touches in a line, and a run ends there.

    radius, height  m
    mass            kg, or
    density         kg/m³
    inertia         about the centre of mass in the body frame, kg m²
    center_of_mass  from the centroid of a homogeneous cone, a quarter of the height above its base, body frame, m
    center          the other way round: this centroid from the centre of mass

    >>> zm.bodies.cone(radius=0.1, height=0.2, mass=1.0).farthest(np.array([[0.0, 0.0, 1.0]]), {}).round(12)
    array([[0.  , 0.  , 0.15]])
    """
    sizes = _checked(name, *_sizes(name, radius=(radius,), height=(height,)))
    matter = Matter(mass, density, inertia, center_of_mass, center, name)
    mass = matter.total(np.pi * radius**2 * height / 3)
    across = 3 / 80 * mass * (4 * radius**2 + height**2)
    own = (across, across, 3 / 10 * mass * radius**2)
    outline = Cone(radius, 3 / 4 * height, height / 4)
    return _convex(outline, matter, mass, own, sizes)


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
    """Superquadric |x/a|ᵖ + |y/b|ᵖ + |z/c|ᵖ ≤ 1: an ellipsoid for p = 2, closer to a box for larger p.

    axes            semi-axes a, b, c along those of the body, m
    exponent        p, at least 2. Above 2 the body is flat across its planes of symmetry, see the guide on bodies
    mass            kg, or
    density         kg/m³
    inertia         about the centre of mass in the body frame, kg m²
    center_of_mass  from the middle of the body, body frame, m
    center          the other way round: the middle of the body from the centre of mass

    >>> stone = zm.bodies.superquadric((0.1, 0.1, 0.1), exponent=2, mass=1.0)
    >>> np.round(stone.inertia, 12)  # of a ball
    array([0.004, 0.004, 0.004])
    """
    a, b, c = _positive(axes, "semi-axis", name)
    if not (isinstance(exponent, int | float | np.integer | np.floating) and 2 <= exponent < LONGEST):
        said = f"the exponent of '{name}' is {shown(exponent)}"
        raise ModelError(f"{said}; it is a number of at least 2, where the body is an ellipsoid")
    matter = Matter(mass, density, inertia, center_of_mass, center, name)
    even = float(exponent) % 2 == 0

    def powered(x: Any) -> Any:
        return x ** int(exponent) if even else (x**2) ** (exponent / 2)

    x, y, z = PLACE
    g = as_expression(powered(x / a) + powered(y / b) + powered(z / c) - 1)
    mass = matter.total(8 * a * b * c * _dirichlet(exponent, 1, 1, 1))
    # ∫ x² dV = 8 a³ b c times Dirichlet's integral of the octant of |x|ᵖ + |y|ᵖ + |z|ᵖ ≤ 1
    share = mass * _dirichlet(exponent, 3, 1, 1) / _dirichlet(exponent, 1, 1, 1)
    own = tuple(share * (x**2 + y**2) for x, y in ((b, c), (a, c), (a, b)))
    sizes = _sizes(name, **{"semi-axis": (a, b, c)})
    return ImplicitBody(g, *matter.numbers(mass, own), name, _corner((a, b, c), exponent), sizes)


def _checked(name: str, *sizes: Requirement) -> tuple[Requirement, ...]:
    """What sizes must satisfy, of sizes that do, as far as they are numbers: formulas are written with them."""
    for requirement in sizes:
        requirement.checked(f"'{name}'")
    return sizes


def _convex(
    outline: Outline, matter: Matter, mass: Number, own: tuple[Number, ...], sizes: tuple[Requirement, ...]
) -> ConvexBody:
    return ConvexBody(outline, *matter.numbers(mass, own), matter.name, sizes)


def _positive(axes: Any, what: str, name: str) -> tuple[Any, Any, Any]:
    if shape_of(axes) != (3,):
        raise ModelError(f"'{name}' needs three numbers for its {what.replace('axis', 'axe')}s, not {shown(axes)}")
    _checked(name, *_sizes(name, **{what: tuple(axes)}))
    a, b, c = (x if isinstance(x, Expression) else float(x) for x in axes)
    return a, b, c


LONGEST = 1e100
"""Lengths of bodies, m, and exponents: their cubes are numbers below it."""


def _sizes(name: str, **lengths: tuple[Any, ...]) -> tuple[Requirement, ...]:
    for what, all_ in lengths.items():
        for each in all_:
            if isinstance(each, int | float) and each >= LONGEST:
                raise ModelError(f"the {what} of '{name}' is {shown(each)} m; it is less than {LONGEST:g} m")
    return tuple(
        Ordered(0.0, each, f"the {what} of '{{name}}' is {{1:g}}; it must be positive", name)
        for what, all_ in lengths.items()
        for each in all_
    )


def _array(*values: Any) -> Any:
    return np.array(values, dtype=float) if in_numbers(values) else expressions(values)


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
