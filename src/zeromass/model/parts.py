"""What a system is made of: particles, of any mass down to zero, and rigid bodies."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.errors import ModelError
from zeromass.expression import (
    Array,
    Evaluator,
    Expression,
    Symbol,
    coordinate,
    expressions,
    rate,
    symbols,
)
from zeromass.expression.pattern import Pattern
from zeromass.frozen import frozen
from zeromass.model.given import (
    Inertia,
    Number,
    Quaternion,
    Vector,
    given_array,
    given_name,
    given_scalar,
    given_vector,
    shown,
)
from zeromass.model.interface import Interface
from zeromass.model.quaternion import body_rates, inertial_rates, rotation
from zeromass.model.requirement import Ordered, Requirement

if TYPE_CHECKING:
    from zeromass.model.shapes import Look

TYPED = 1e-12
"""Part of its largest entry by which an inertia that was typed or computed in double precision may be off."""


class Part(Interface):
    """A thing with coordinates, a kinetic energy, and constraints of its own.

    name         what messages and results call it
    coordinates  array of coordinate symbols
    mass         kg, a number or an expression of parameters
    position     of the mass centre, shape (3,), m
    at           position in the reference pose, shape (3,), m

    >>> zm.Particle("p", mass=2.0)
    Particle('p', mass=2)
    """

    _interface = ("name", "position", "velocity", "mass", "kinetic", "coordinates", "at")

    name: str
    coordinates: Array
    mass: Expression
    position: Array
    at: Array
    constraints: dict[str, Any]
    usual: dict[Symbol, float]
    """First guesses for coordinates whose natural value is not zero."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, mass={self.mass!r})"

    @cached_property
    def kinetic(self) -> Expression:
        """Kinetic energy, J: m v²/2 of its mass centre."""
        return self.mass / 2 * (self.velocity @ self.velocity)

    @property
    def formulas(self) -> list[Expression]:
        """All that its energies are made of, beside sums and products with its coordinates and rates."""
        return [self.kinetic, self.mass]

    @property
    def velocity(self) -> Array:
        """Velocity of the mass centre, shape (3,), m/s."""
        return rate(self.position)

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """What its numbers must satisfy, where parameters decide it."""
        return (_positive(self.name, self.mass),)


class Particle(Part):
    """Point of mass m ≥ 0. A particle of mass 0 marks a place: constraints move it, and no force may act on it.

    >>> bob = zm.Particle("bob", mass=0.5)
    >>> bob.position, bob.kinetic
    (array([bob.x, bob.y, bob.z], dtype=object), 0.25*(rate(bob.x)**2 + rate(bob.y)**2 + rate(bob.z)**2))
    """

    def __init__(self, name: str, mass: Number, *, at: Vector = (0.0, 0.0, 0.0)) -> None:
        self.name: str = given_name(name, "a part")
        self.mass: Expression = _mass(name, mass)
        self.at: Array = given_vector(at, f"the place of '{name}'")
        self.position: Array = _named(name, "xyz")
        self.coordinates: Array = self.position
        self.constraints: dict[str, Any] = {}
        self.usual: dict[Symbol, float] = _drawn(self.position, self.at)

    @property
    def formulas(self) -> list[Expression]:
        """All that its energies are made of, beside sums and products with its coordinates and rates."""
        plain = type(self) is Particle and all(isinstance(x, Symbol) for x in self.coordinates)
        return [self.mass] if plain else super().formulas


class RigidBody(Part):
    """Rigid body, with the position of its mass centre and a unit quaternion as coordinates.

    mass     kg
    inertia  about the mass centre in the body frame, kg m²: three principal moments, or a symmetric (3, 3) matrix
    at       position of the mass centre in the reference pose, m
    orientation  unit quaternion of the reference pose, from body axes to inertial axes
    looks    shapes in pictures, zeromass.model.Look; by default the box of the same inertia

    The reference pose is the zero of every joint angle and the first guess of `start()`; points and axes of joints are given
    in it.

    A constraint of the body keeps the norm of the quaternion. The mass matrix 4 EᵀJE of the four quaternion components is
    singular [UM2022, eq. 8].

    >>> top = zm.RigidBody("top", mass=1.0, inertia=(1.0, 2.0, 2.5))
    >>> spinning = zm.System([top]).start([(top.angular_velocity_body, (1.0, 2.0, 0.0))])
    >>> spinning[zm.rate(top.angular_velocity_body)]  # Euler: J₃ ω̇₃ = (J₁ − J₂) ω₁ ω₂
    array([ 0. ,  0. , -0.8])
    """

    _interface = (
        "quaternion", "rotation", "angular_velocity", "angular_velocity_body", "orientation", "point", "rotate",
        "inertia",
    )  # fmt: skip

    looks: tuple[Look, ...] = ()

    joined_at: tuple[np.ndarray, ...] = ()
    """Places of joints that are no constraints, as those in the tree of a robot, from the mass centre in its axes, m."""

    def __init__(
        self,
        name: str,
        mass: Number,
        inertia: Inertia,
        *,
        at: Vector = (0.0, 0.0, 0.0),
        orientation: Quaternion = (1.0, 0.0, 0.0, 0.0),
    ) -> None:
        place = given_vector(at, f"the place of '{name}'")
        self._make(
            name, name, _mass(name, mass), matrix_of_inertia(name, inertia), place, _orientation(name, orientation)
        )

    def _make(self, name: str, own: str, mass: Expression, inertia: Array, at: Array, orientation: np.ndarray) -> None:
        """Sets all that it has, of numbers that were looked at, with coordinates that are called after `own`."""
        self.name: str = given_name(name, "a part")
        self.at: Array = at
        self.orientation: np.ndarray = orientation
        self.mass: Expression = mass
        self.inertia: Array = inertia
        self.position: Array = _named(own, "xyz")
        self.quaternion: Array = _named(own, ("u0", "u1", "u2", "u3"))
        self.coordinates: Array = np.concatenate([self.position, self.quaternion])
        self.constraints: dict[str, Any] = unit_quaternion(own, self.quaternion)
        turned = {u: x for u, x in zip(self.quaternion, self.orientation.tolist(), strict=True) if x}
        self.usual: dict[Symbol, float] = {**_drawn(self.position, self.at), **turned}

    @cached_property
    def kinetic(self) -> Expression:
        """Kinetic energy, J: m v²/2 + ωᵀJω/2."""
        omega = self.angular_velocity_body
        return self.mass / 2 * (self.velocity @ self.velocity) + omega @ self.inertia @ omega / 2

    @property
    def formulas(self) -> list[Expression]:
        """All that its energies are made of, beside sums and products with its coordinates and rates."""
        return [self.mass, *self.inertia.ravel()] if self._plain else super().formulas

    def like(self, mass: Expression, inertia: Array) -> RigidBody:
        """Another one of this name, with coordinates of its own; whether a body can have these moments is not asked."""
        other = object.__new__(RigidBody)
        other._make(self.name, self.name, mass, inertia, expressions(np.zeros(3)), np.array([1.0, 0.0, 0.0, 0.0]))
        return other

    @property
    def _plain(self) -> bool:
        """Whether it moves as every rigid body does."""
        return type(self) is RigidBody and all(isinstance(x, Symbol) for x in self.coordinates)

    @cached_property
    def rotation(self) -> Array:
        """S, shape (3, 3): turns body components into inertial ones."""
        return _fixed(_ROTATION(self.quaternion))

    @cached_property
    def inertial_rates(self) -> Array:
        """G, shape (3, 4): ω̄ = 2 G u̇."""
        return _fixed(inertial_rates(self.quaternion))

    def rotate(self, vector: Vector) -> Array:
        """Inertial components of a vector given in the body frame."""
        return self.rotation @ given_vector(vector, f"the vector that '{self.name}' rotates")

    def point(self, place: Vector) -> Array:
        """Inertial position of a point fixed in the body, given from the mass centre in the body frame."""
        return self.position + self.rotate(place)

    @cached_property
    def angular_velocity(self) -> Array:
        """ω̄ in the inertial frame, rad/s."""
        return _fixed(2 * self.inertial_rates @ rate(self.quaternion))

    @cached_property
    def angular_velocity_body(self) -> Array:
        """ω in the body frame, rad/s."""
        return _fixed(2 * body_rates(self.quaternion) @ rate(self.quaternion))

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """A mass that is not negative, and moments of inertia that a body can have."""
        return (*super().requirements, Moments(self.name, self.inertia))


_ROTATION, _UNIT = Pattern(rotation, 4), Pattern(lambda u: (u @ u - 1) / 2, 4)
"""S(u), and what the length of a unit quaternion leaves."""


def _fixed(formulas: Array) -> Array:
    """Formulas that are made once and handed to everyone who asks."""
    formulas.setflags(write=False)
    return formulas


def _drawn(position: Array, at: Array) -> dict[Symbol, float]:
    """First guesses of a position: as it is drawn, with the defaults of parameters; none where that is zero."""
    numbers = [e.value for e in at]
    if None in numbers:
        known = [leaf.default is not None for leaf in symbols(at)]
        numbers = Evaluator(at, [])(np.empty(0)).tolist() if all(known) else [0.0, 0.0, 0.0]
    return {x: value for x, value in zip(position, numbers, strict=True) if value}


def _orientation(name: str, given: Any) -> np.ndarray:
    try:
        u = np.zeros(0) if np.iscomplexobj(given) else np.asarray(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        u = np.zeros(0)
    if u.shape != (4,) or not np.all(np.isfinite(u)) or not u.any():
        raise ModelError(f"the orientation of '{name}' is {shown(given)}; it is a unit quaternion, four numbers")
    return u / np.linalg.norm(u)


def unit_quaternion(name: str, u: Array) -> dict[str, Any]:
    """The constraint that comes with a body: its quaternion has length 1."""
    return {f"{name} unit quaternion": _UNIT(u).item()}


def _named(owner: str, letters: Sequence[str]) -> Array:
    if not isinstance(owner, str) or not owner:
        raise ModelError(f"a part needs a name, not {owner!r}")
    result = np.empty(len(letters), dtype=object)
    result[:] = [coordinate(f"{owner}.{letter}") for letter in letters]
    return result


def _mass(name: str, mass: Any) -> Expression:
    mass = given_scalar(mass, f"the mass of '{name}'")
    if mass.value is None or not mass.value >= 0.0:
        _positive(name, mass).checked(f"the mass of '{name}'")
    return mass


def _positive(name: str, mass: Expression) -> Requirement:
    words = "the mass of '{name}' is {1:g}; a mass is finite and zero or positive"
    return Ordered(0.0, mass, words, name, equal=True)


def matrix_of_inertia(name: str, inertia: Any) -> Array:
    """J, shape (3, 3), of three principal moments or a matrix, that a body can have as far as it is in numbers."""
    J = given_array(inertia, f"the inertia of '{name}'")
    if J.shape == (3,):
        J = expressions(np.diag(J))
    if J.shape != (3, 3):
        raise ModelError(
            f"the inertia of '{name}' has shape {J.shape}; give three principal moments or a (3, 3) matrix"
        )
    numbers = tuple(e.value for e in J.ravel())
    if None in numbers or not _possible(numbers):
        Moments(name, J).checked(f"the inertia of '{name}'")
    return J


@lru_cache(maxsize=256)
def _possible(moments: tuple[float, ...]) -> bool:
    """Whether a body can have a matrix of inertia, row by row."""
    return bool(Moments("", np.empty(0, dtype=object)).met(np.array([moments]))[0])


@frozen()
class Moments(Requirement):
    """A matrix of inertia that a distribution of mass can have: symmetric, its principal moments a ≤ b ≤ c with
    a ≥ 0 and a + b ≥ c."""

    name: str
    inertia: Array

    @property
    def formulas(self) -> Array:
        return self.inertia.ravel()

    def met(self, values: np.ndarray) -> np.ndarray:
        J = values.reshape(-1, 3, 3)
        finite = np.asarray(np.isfinite(J).all(axis=(1, 2)))
        J = np.where(finite[:, None, None], J, 0.0)
        rounding = TYPED * np.abs(J).max(axis=(1, 2))
        a, b, c = np.linalg.eigvalsh(J).T
        symmetric = np.abs(J - J.swapaxes(1, 2)).max(axis=(1, 2)) <= rounding
        return finite & symmetric & (a >= -rounding) & (a + b >= c - rounding)

    def words(self, values: np.ndarray) -> str:
        name, J = self.name, values.reshape(3, 3)
        if not np.all(np.isfinite(J)):
            return f"the inertia of '{name}' is not finite: {J.tolist()}"
        rounding = TYPED * np.abs(J).max()
        if np.abs(J - J.T).max() > rounding:
            i, j = np.unravel_index(np.argmax(np.abs(J - J.T)), (3, 3))
            return (
                f"the inertia of '{name}' is not symmetric: entry [{i}, {j}] is {J[i, j]:g}, "
                f"entry [{j}, {i}] is {J[j, i]:g}"
            )
        a, b, c = np.linalg.eigvalsh(J)
        if a < -rounding:
            return f"the inertia of '{name}' has a negative principal moment, {a:g} kg m²"
        return (
            f"the inertia of '{name}' breaks the triangle inequality: principal moments {a:g}, {b:g}, {c:g} and "
            f"{a:g} + {b:g} < {c:g}; no distribution of mass has it"
        )
