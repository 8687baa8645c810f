"""What rolls: a rigid body with a convex outside, and what its outside says of a contact.

With d a unit vector, the outside has one point that is farthest in the direction d, s(d) from its centre: its support. A
body touches a surface of normal n with s(−n), and where n turns by δn, the contact moves over the body by W δn, with the
radii of curvature of the outside as the eigenvalues of W = ∂s/∂d along the surface.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from zeromass.contact.directions import scattered
from zeromass.expression import Array, Evaluator, Expression, Symbol, as_expression, expressions, symbols
from zeromass.frozen import frozen
from zeromass.model import ModelError, Part, Particle, RigidBody, StartError
from zeromass.model.given import (
    Inertia,
    Number,
    Vector,
    given_all,
    given_kind,
    given_name,
    given_numbers,
    given_vector,
    shape_of,
    shown,
)
from zeromass.model.parts import matrix_of_inertia
from zeromass.model.quaternion import rotation
from zeromass.model.requirement import Ordered, Requirement, in_numbers

if TYPE_CHECKING:
    from zeromass.model.shapes import Hull, Shape


NORMALS = 4096
"""Directions among which the normal of a point of a body is looked for at first."""

OFF = 1e-9
"""Part of its distance from the centre by which a point that was given may be off the outside of its body."""


@frozen()
class Touch:
    """A body at its contact with a surface, as constraints between parts.

    parts        massless ones that it takes beside contact and centre
    unknowns     what is solved for beside them
    constraints  by name: that body and surface have one point and one tangent plane in common
    apart        where the body is, from where it would touch at the contact, m; zero
    turned       lever × ω̄, m/s: what turning adds to the velocity of the centre at the contact
    """

    constraints: dict[str, Any]
    apart: Array
    turned: Array
    parts: tuple[Particle, ...] = ()
    unknowns: tuple[Expression, ...] = ()


class Laid(NamedTuple):
    """A body on a surface in numbers.

    lever     from the contact to the centre, m
    still     the direction in which the centre of a body that rolls does not move: along the lever
    way       in words
    unknowns  those of its touch
    """

    lever: np.ndarray
    still: np.ndarray
    way: str = "the line from contact to centre"
    unknowns: np.ndarray = np.empty(0)


class Roller(ABC):
    """A rigid body that rolls, whatever its outside is like.

    mass            kg
    inertia         about the centre of mass in the body frame, kg m²: three principal moments or a (3, 3) matrix
    center_of_mass  from the centre of the outside, body frame, m
    name            for coordinates and messages
    made_with       what must hold beside, of the sizes that these numbers follow from

    >>> from zeromass.contact import Roller
    >>> isinstance(zm.bodies.ellipsoid((0.1, 0.1, 0.2), 0.5), Roller)
    True
    """

    mass: Number
    inertia: Inertia
    center_of_mass: Vector
    name: str
    made_with: tuple[Requirement, ...]

    @property
    @abstractmethod
    def size(self) -> Number:
        """Largest distance of the outside from its centre, m."""

    @abstractmethod
    def touching(self, body: RigidBody, contact: Particle, center: Particle, normal: Array, gradient: Array) -> Touch:
        """How it touches a surface of some normal n = k/|k| at the contact, k its gradient."""

    @abstractmethod
    def clearance(self, body: RigidBody, parts: Sequence[Part], normal: Array, curvature: Array) -> Expression:
        """1 on a plane, or less, and 0 where a hollow of some curvature is as tight as the body is round.

        parts  the massless ones of its touch
        """

    def facing(self, body: RigidBody, parts: Sequence[Part], normal: Array, lever: Array) -> Expression | None:
        """Positive where the outward normals of body and surface are opposite at the contact, as they must be.

        None where the constraints of its touch hold nowhere else: then the body can not be on the inner side.

        parts  the massless ones of its touch
        lever  from the contact to the centre
        """
        return None

    @abstractmethod
    def farthest(self, directions: np.ndarray, parameters: Mapping[Symbol, float]) -> np.ndarray:
        """Points of the outside, (k, 3), that are farthest in unit directions, (k, 3), in the axes of the body."""

    def normal_at(self, point: np.ndarray, parameters: Mapping[Symbol, float]) -> np.ndarray:
        """The unit normal of the outside at one of its points, from its centre, in its axes.

        The direction in which nothing of the body is farther than the point: the nearest of many, made better by least
        squares.
        """
        from scipy.optimize import least_squares  # few starts are given by the point that touches

        point = given_numbers(point, "the point", (3,))
        directions = scattered(NORMALS)
        nearest = directions[np.argmin(np.linalg.norm(self.farthest(directions, parameters) - point, axis=1))]
        found = least_squares(
            lambda d: self.farthest((d / np.linalg.norm(d))[None], parameters)[0] - point,
            nearest,
            xtol=1e-15,
            gtol=1e-15,
        )
        off, size = float(np.linalg.norm(found.fun)), float(np.abs(point).max())
        if off > OFF * size:
            raise off_outside(self.name, point, off, point + found.fun)
        return found.x / np.linalg.norm(found.x)

    def laid(self, normal: np.ndarray, u: np.ndarray, parameters: Mapping[Symbol, float]) -> Laid:
        """How it lies, turned by a quaternion, on a surface of some normal."""
        S, normal = lying(normal, u)
        lever = -(S @ self.farthest(-(normal @ S)[None], parameters)[0])
        return Laid(lever, lever / np.linalg.norm(lever))

    @abstractmethod
    def at(self, parameters: Mapping[Symbol, float]) -> Roller:
        """The body in numbers, with values of the parameters in its formulas."""

    @property
    @abstractmethod
    def drawn(self) -> Shape | Hull:
        """In which shape it is drawn, of a body in numbers."""

    def upright(self, body: RigidBody, normal: Array) -> Expression | None:
        """Positive, and 0 where it lies on a face, which one point of contact does not tell; None of what has no faces."""
        return None

    def tilted(self, body: RigidBody, normal: Array) -> Expression | None:
        """0 where it lies on a line of its side, which one point does not tell either; None of what has none."""
        return None

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """A mass that is positive, and what its sizes must satisfy."""
        return (
            *self.made_with,
            Ordered(0.0, self.mass, "the mass of '{name}' is {1:g}; a body that rolls has one", self.name),
        )

    def _check(self) -> None:
        """Raises where a number of it is not possible."""
        given_name(self.name, "a body")
        given: Any = self.center_of_mass
        if shape_of(given) != (3,):
            said = f"the centre of mass of '{self.name}' is {shown(given)}"
            raise ModelError(f"{said}; give three numbers")
        rho = given_vector(given, f"the centre of mass of '{self.name}'")
        made_with: Any = getattr(self, "made_with", ())
        given_all(made_with, Requirement, f"made_with of '{self.name}'", "a requirement of its sizes")
        for requirement in self.requirements:
            requirement.checked(f"'{self.name}'")
        J = matrix_of_inertia(self.name, self.inertia)
        numbers = [*rho, *J.ravel(), *[e for requirement in self.requirements for e in requirement.formulas]]
        if any(leaf.kind != "parameter" for leaf in symbols(numbers)):
            raise ModelError(f"'{self.name}' changes in time; only parameters may be in its mass, inertia and sizes")


def in_values(given: Mapping[str, Any], parameters: Mapping[Symbol, float]) -> dict[str, Any] | None:
    """Numbers and arrays of formulas at values of the parameters; None where they are numbers already."""
    if in_numbers(given.values()):
        return None
    names = list(parameters)
    values = np.array([parameters[p] for p in names], dtype=float)
    found = {name: Evaluator(expressions(e), names)(values) for name, e in given.items()}
    return {name: x if x.ndim else float(x) for name, x in found.items()}


def clearance_of(bends: Array) -> Expression:
    """The smallest eigenvalue along the surface of I + W K, from W K."""
    mean = np.trace(bends) / 2
    return as_expression(1 + mean - _half_difference(bends, mean))


def smallest_along(R: Array) -> Expression:
    """The smaller of the two eigenvalues along the surface of a matrix, shape (3, 3), that the normal has 0 of."""
    mean = np.trace(R) / 2
    return as_expression(mean - _half_difference(R, mean))


def lying(normal: Any, u: Any) -> tuple[np.ndarray, np.ndarray]:
    """The rotation matrix of a quaternion, and a normal, in numbers."""
    return rotation(given_numbers(u, "the quaternion", (4,))), given_numbers(normal, "the normal", (3,))


def turned_normal(body: Any, normal: Any) -> tuple[Array, Array]:
    """A normal as expressions, and the rotation of a body."""
    return given_vector(normal, "the normal"), given_kind(body, RigidBody, "the body", "a zm.RigidBody").rotation


def _half_difference(R: Array, mean: Expression) -> Expression:
    return np.sqrt(np.maximum(np.trace(R @ R) / 2 - mean**2, 0.0))


def off_outside(name: str, point: np.ndarray, off: float, nearest: np.ndarray) -> StartError:
    """That a point which should touch is not on the outside of a body, and which one is."""
    size, words = np.abs(nearest).max(), "give a point of it"
    if 0.0 < size < np.inf:
        digits = 12 - int(np.floor(np.log10(size)))
        place = ", ".join(f"{x:.12g}" for x in nearest.round(digits) + 0.0)
        words = f"near it is ({place}), which is on it"
    return StartError(f"the point {tuple(point.tolist())} lies {off:.3g} m off the outside of '{name}'; {words}")
