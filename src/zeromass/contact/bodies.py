"""Bodies that are spherical outside: mass, centre of mass and inertia from radii and densities.

A public function of this module that gives a SphericalBody is a kind of body in scenario files, with its arguments as
keys.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.contact.given import as_numbers
from zeromass.contact.roller import Laid, Roller, Touch, clearance_of, in_values, lying
from zeromass.expression import Array, Expression, Symbol, expressions
from zeromass.frozen import frozen
from zeromass.model import ModelError, Part, Particle, RigidBody
from zeromass.model.given import Inertia, Number, Vector, given_array, given_numbers, given_parameters, length, shown
from zeromass.model.requirement import Ordered, Requirement, in_numbers

if TYPE_CHECKING:
    from zeromass.model.shapes import Shape


LARGEST = 1e50
"""Sizes and masses are smaller: fifth powers of sizes, times a mass, are numbers."""


@frozen()
class SphericalBody(Roller):
    """Rigid body with a spherical outside.

    radius          of the outside, m
    mass            kg
    center_of_mass  ρ from the centre O of the sphere to the centre of mass C, body frame, m
    inertia         about C in the body frame, kg m²: three principal moments or a (3, 3) matrix
    name            for coordinates and messages

    Each number may be a formula of zm.parameters.

    >>> zm.bodies.SphericalBody(radius=0.1, mass=2.0, inertia=(0.008, 0.008, 0.006), center_of_mass=(0, 0, 0.01)).name
    'body'
    """

    radius: Number
    mass: Number
    inertia: Inertia
    center_of_mass: Vector = (0.0, 0.0, 0.0)
    name: str = "body"
    made_with: tuple[Requirement, ...] = field(default=(), repr=False)
    """What must hold beside, of the sizes that these numbers follow from."""

    def __post_init__(self) -> None:
        self._check()

    @property
    def size(self) -> Number:
        """The radius."""
        return self.radius

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """A radius and a mass that are positive, and a centre of mass inside."""
        name, rho = self.name, expressions(self.center_of_mass)
        off = "the centre of mass of '{name}' lies {0:g} m off, outside the body"
        return (
            *self.made_with,
            Ordered(0.0, self.radius, "the radius of '{name}' is {1:g}; it must be positive", name),
            Ordered(length(rho), self.radius, off, name),
            Ordered(0.0, self.mass, "the mass of '{name}' is {1:g}; a body that rolls has one", name),
        )

    def touching(self, body: RigidBody, contact: Particle, center: Particle, normal: Array, gradient: Array) -> Touch:
        """The centre is r n from the contact."""
        apart = center.position - contact.position - self.radius * normal
        return Touch(
            constraints={"tangency": apart},
            apart=apart,
            turned=self.radius * np.cross(normal, body.angular_velocity),
        )

    def clearance(self, body: RigidBody, parts: Sequence[Part], normal: Array, curvature: Array) -> Expression:
        """1 + r κ of the tightest curvature."""
        return clearance_of(self.radius * curvature)

    def laid(self, normal: np.ndarray, u: np.ndarray, parameters: Mapping[Symbol, float]) -> Laid:
        """r n."""
        _, normal = lying(normal, u)
        return Laid(float(self.at(given_parameters(parameters, "parameters")).radius) * normal, normal, "the normal")

    def farthest(self, directions: np.ndarray, parameters: Mapping[Symbol, float]) -> np.ndarray:
        """r d."""
        return float(self.at(given_parameters(parameters, "parameters")).radius) * given_numbers(
            directions, "directions"
        )

    @property
    def drawn(self) -> Shape:
        """A shell whose halves meet in the plane across ρ."""
        from zeromass.model.shapes import Shell  # what is not drawn need not be imported

        x, y, z = (float(component) for component in self.center_of_mass)
        return Shell(float(self.radius), (x, y, z))

    def at(self, parameters: Mapping[Symbol, float]) -> SphericalBody:
        """The body in numbers, with values of the parameters in its formulas."""
        names = ("radius", "mass", "inertia", "center_of_mass")
        found = in_values({name: getattr(self, name) for name in names}, parameters)
        return self if found is None else replace(self, **found, made_with=())


def ball(radius: Number, mass: Number, *, name: str = "ball") -> SphericalBody:
    """Homogeneous ball: J = 2/5 m r².

    radius  r, m
    mass    m, kg

    >>> zm.bodies.ball(radius=0.5, mass=2.0).inertia
    (0.2, 0.2, 0.2)
    """
    _numbers(name, radius=radius, mass=mass)
    return SphericalBody(radius, mass, (0.4 * mass * radius**2,) * 3, name=name)


def shell(outer: Number, inner: Number, mass: Number, *, name: str = "shell") -> SphericalBody:
    """Homogeneous shell between two radii: J = 2/5 m (R⁵ − r⁵)/(R³ − r³), or 2/3 m R² without thickness.

    outer, inner  R and r, m
    mass          m, kg

    >>> zm.bodies.shell(outer=0.5, inner=0.5, mass=6.0).inertia
    (1.0, 1.0, 1.0)
    """
    between = _between(inner, outer, name, equal=True)
    _numbers(name, mass=mass)
    if in_numbers([outer, inner]):
        R, r = np.float64(outer), np.float64(inner)  # whose powers may be infinite
        with np.errstate(over="ignore", invalid="ignore"):
            ratio = float(2 / 3 * R**2 if r == R else 0.4 * (R**5 - r**5) / (R**3 - r**3))
    else:  # (R⁵ − r⁵)/(R³ − r³) without the factor R − r, which vanishes with the thickness
        R, r = outer, inner
        ratio = 0.4 * (R**4 + R**3 * r + R**2 * r**2 + R * r**3 + r**4) / (R**2 + R * r + r**2)
    return SphericalBody(outer, mass, (mass * ratio,) * 3, name=name, made_with=between)


def two_material_shell(
    outer: Number, inner: Number, densities: tuple[Number, Number], *, name: str = "shell"
) -> SphericalBody:
    """Shell of two half shells joined at the plane x = 0 [UM2022, §3].

    outer, inner  R and r, m
    densities     kg/m³ of the halves x > 0 and x < 0

    A half shell of density d has mass m = 2π/3 d (R³ − r³), its centre of mass at 3/8 (R⁴ − r⁴)/(R³ − r³) from the
    centre, and about the centre the moments of the whole shell's half, 2/5 m (R⁵ − r⁵)/(R³ − r³).

    >>> half = zm.bodies.two_material_shell(outer=0.08, inner=0.0, densities=(1000.0, 0.0))
    >>> round(float(half.center_of_mass[0]), 12)
    0.03
    """
    between = _between(inner, outer, name)
    d: Any = as_numbers(given_array(densities, f"a density of '{name}'"))
    if d.shape != (2,) or (d.dtype != object and not (np.all(d >= 0) and d.sum() > 0)):
        raise ModelError(f"'{name}' needs two densities, not {shown(densities)}")
    said = "the density of '{name}' is {1:g}; it is zero or positive"
    between += tuple(Ordered(0.0, each, said, name, equal=True) for each in d)
    between += (Ordered(0.0, d[0] + d[1], "the densities of '{name}' add up to {1:g}: it has no mass", name),)
    cubes, fourths, fifths = (outer**k - inner**k for k in (3, 4, 5))
    masses = 2 * np.pi / 3 * d * cubes
    mass = masses.sum()
    rho = (masses[0] - masses[1]) / mass * 3 / 8 * fourths / cubes
    about_center = 0.4 * mass * fifths / cubes
    across = about_center - mass * rho**2
    return SphericalBody(outer, mass, (about_center, across, across), (rho, 0.0, 0.0), name, between)


def _numbers(name: str, **given: Any) -> None:
    """Raises where a size or a mass is neither a number nor a formula, before something is computed from it."""
    for what, value in given.items():
        said = f"the {what} of '{{name}}' is {{1:g}}; it must be positive"
        Ordered(0.0, value, said, name).checked(f"the {what} of '{name}'")
        _not_too_large(f"the {what} of '{name}'", value)


def _not_too_large(what: str, value: Any) -> None:
    """Raises where powers of a size are no numbers."""
    if isinstance(value, int | float) and abs(value) >= LARGEST:
        raise ModelError(f"{what} is {shown(value)}; it is less than {LARGEST:g}")


def _between(inner: Number, outer: Number, name: str, equal: bool = False) -> tuple[Requirement, ...]:
    """An inner radius that is not negative and less than the outer one, or equal."""
    said = "the inner radius of '{name}' is {0:g}; it lies between 0 and {1:g}"
    found = (
        Ordered(0.0, inner, "the inner radius of '{name}' is {1:g}; it is zero or positive", name, equal=True),
        Ordered(inner, outer, said, name, equal=equal),
    )
    for requirement in found:
        requirement.checked(f"the inner radius of '{name}'")
    _not_too_large(f"the outer radius of '{name}'", outer)
    return found
