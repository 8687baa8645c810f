"""What a system is made of: particles, of any mass down to zero, and rigid bodies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from zeromass.expression import (
    Array,
    Expression,
    Symbol,
    as_expression,
    coordinate,
    evaluate,
    expressions,
    rate,
    symbols,
)
from zeromass.model.errors import ModelError
from zeromass.model.given import Inertia, Number, Vector, given_array, given_scalar, given_vector
from zeromass.model.quaternion import body_rates, inertial_rates, rotation

TYPED = 1e-12
"""Part of its largest entry by which an inertia that was typed or computed in double precision may be off."""


class Part:
    """A thing with coordinates, a kinetic energy, and constraints of its own.

    name         what messages and results call it
    coordinates  array of coordinate symbols
    mass         kg, a number or an expression of parameters
    position     of the mass centre, shape (3,), m

    >>> zm.Particle("p", mass=2.0)
    Particle('p', mass=2)
    """

    name: str
    coordinates: Array
    mass: Expression
    position: Array
    kinetic: Expression
    constraints: dict[str, Any]
    usual: dict[Symbol, float]
    """First guesses for coordinates whose natural value is not zero."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, mass={self.mass!r})"

    @property
    def velocity(self) -> Array:
        """Velocity of the mass centre, shape (3,), m/s."""
        return rate(self.position)


class Particle(Part):
    """A point of mass m ≥ 0. With mass 0 it marks a place: constraints move it, no force can act on it.

    >>> bob = zm.Particle("bob", mass=0.5)
    >>> bob.position, bob.kinetic
    (array([bob.x, bob.y, bob.z], dtype=object), 0.25*(rate(bob.x)**2 + rate(bob.y)**2 + rate(bob.z)**2))
    """

    def __init__(self, name: str, mass: Number) -> None:
        self.name: str = name
        self.mass: Expression = _mass(name, mass)
        self.position: Array = _named(name, "xyz")
        self.coordinates: Array = self.position
        self.kinetic: Expression = self.mass / 2 * (self.velocity @ self.velocity)
        self.constraints: dict[str, Any] = {}
        self.usual: dict[Symbol, float] = {}


class RigidBody(Part):
    """A rigid body: position of its mass centre and a unit quaternion.

    mass     kg
    inertia  about the mass centre in the body frame, kg m²: three principal moments, or a symmetric (3, 3) matrix

    The quaternion's norm is kept by a constraint that comes with the body. The mass matrix 4 EᵀJE of the four
    quaternion components is singular [UM2022, eq. 8], and that is fine.

    >>> top = zm.RigidBody("top", mass=1.0, inertia=(1.0, 2.0, 2.5))
    >>> spinning = zm.System([top]).start([(top.angular_velocity_body, (1.0, 2.0, 0.0))])
    >>> spinning[zm.rate(top.angular_velocity_body)]  # Euler: J₃ ω̇₃ = (J₁ − J₂) ω₁ ω₂
    array([ 0. ,  0. , -0.8])
    """

    def __init__(self, name: str, mass: Number, inertia: Inertia) -> None:
        self.name: str = name
        self.mass: Expression = _mass(name, mass)
        self.inertia: Array = _inertia(name, inertia)
        self.position: Array = _named(name, "xyz")
        self.quaternion: Array = _named(name, ("u0", "u1", "u2", "u3"))
        self.coordinates: Array = np.concatenate([self.position, self.quaternion])
        omega = self.angular_velocity_body
        self.kinetic: Expression = self.mass / 2 * (self.velocity @ self.velocity) + omega @ self.inertia @ omega / 2
        self.constraints: dict[str, Any] = unit_quaternion(name, self.quaternion)
        self.usual: dict[Symbol, float] = {self.quaternion[0]: 1.0}

    @property
    def rotation(self) -> Array:
        """S, shape (3, 3): turns body components into inertial ones."""
        return rotation(self.quaternion)

    def rotate(self, vector: Vector) -> Array:
        """Inertial components of a vector given in the body frame."""
        return self.rotation @ given_vector(vector, f"the vector that '{self.name}' rotates")

    def point(self, place: Vector) -> Array:
        """Inertial position of a point fixed in the body, given from the mass centre in the body frame."""
        return self.position + self.rotate(place)

    @property
    def angular_velocity(self) -> Array:
        """ω̄ in the inertial frame, rad/s."""
        return 2 * inertial_rates(self.quaternion) @ rate(self.quaternion)

    @property
    def angular_velocity_body(self) -> Array:
        """ω in the body frame, rad/s."""
        return 2 * body_rates(self.quaternion) @ rate(self.quaternion)


def unit_quaternion(name: str, u: Array) -> dict[str, Any]:
    """The constraint that comes with a body: its quaternion has length 1."""
    return {f"{name} unit quaternion": as_expression((u @ u - 1) / 2)}


def _named(owner: str, letters: Sequence[str]) -> Array:
    if not isinstance(owner, str) or not owner:
        raise ModelError(f"a part needs a name, not {owner!r}")
    result = np.empty(len(letters), dtype=object)
    result[:] = [coordinate(f"{owner}.{letter}") for letter in letters]
    return result


def _mass(name: str, mass: Any) -> Expression:
    mass = given_scalar(mass, f"the mass of '{name}'")
    value = _number(mass, f"the mass of '{name}'")
    if value is not None and not (value >= 0 and np.isfinite(value)):
        raise ModelError(f"the mass of '{name}' is {value:g}; a mass is finite and zero or positive")
    return mass


def _inertia(name: str, inertia: Any) -> Array:
    J = given_array(inertia, f"the inertia of '{name}'")
    if J.shape == (3,):
        J = expressions(np.diag(J))
    if J.shape != (3, 3):
        raise ModelError(
            f"the inertia of '{name}' has shape {J.shape}; give three principal moments or a (3, 3) matrix"
        )
    values = [_number(entry, f"the inertia of '{name}'") for entry in J.ravel()]
    if any(value is None for value in values):
        return J
    number = np.array(values, dtype=float).reshape(3, 3)
    scale = np.abs(number).max()
    rounding = TYPED * scale
    if not np.all(np.isfinite(number)):
        raise ModelError(f"the inertia of '{name}' is not finite: {number.tolist()}")
    if np.abs(number - number.T).max() > rounding:
        i, j = np.unravel_index(np.argmax(np.abs(number - number.T)), (3, 3))
        raise ModelError(
            f"the inertia of '{name}' is not symmetric: entry [{i}, {j}] is {number[i, j]:g}, "
            f"entry [{j}, {i}] is {number[j, i]:g}"
        )
    a, b, c = np.linalg.eigvalsh(number)
    if a < -rounding:
        raise ModelError(f"the inertia of '{name}' has a negative principal moment, {a:g} kg m²")
    if a + b < c - rounding:
        raise ModelError(
            f"the inertia of '{name}' breaks the triangle inequality: principal moments {a:g}, {b:g}, {c:g} and "
            f"{a:g} + {b:g} < {c:g}; no distribution of mass has it"
        )
    return J


def _number(e: Expression, what: str) -> float | None:
    """The value with parameters at their defaults, or None where it depends on more than parameters."""
    if e.value is not None:
        return e.value
    leaves = symbols(e)
    if any(leaf.kind == "coordinate" or leaf.kind == "multiplier" for leaf in leaves):
        raise ModelError(f"{what} depends on {', '.join(repr(s) for s in leaves)}; only parameters may be in it")
    return None if any(leaf.default is None for leaf in leaves) else float(evaluate(e, {}))
