"""Collision shapes of bodies, in numbers: convex polytopes with a radius, which pairs of them may touch, and by what law.

A sphere is a point with a radius, a capsule a segment with one; boxes and hulls are solids without, planes half-spaces. What
touches where is found by numbers while the motion goes on, so there may be many: none of it is in formulas.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from zeromass.errors import ModelError
from zeromass.expression import Expression, Symbol, as_expression
from zeromass.expression.node import symbol
from zeromass.model.connection import Connection
from zeromass.model.forces import Force, Load, Torque
from zeromass.model.given import Number
from zeromass.model.parts import Part, RigidBody
from zeromass.model.requirement import Requirement

if TYPE_CHECKING:
    from zeromass.model.system import System

POINT, SEGMENT, SOLID, HALF_SPACE = range(4)
"""Kinds of polytopes, as kernels know them."""

FIXED = -1
"""Number of the body of what does not move."""


@dataclass(frozen=True, eq=False)
class Polytope:
    """A convex polytope.

    points  vertices, m, (v, 3)
    planes  n and d of each face, n · x ≤ d inside, (f, 4)
    loops   vertices of each face, counterclockwise seen from outside
    edges   both vertices and both faces of each edge, −1 for no face, (e, 4)
    """

    kind: int
    points: np.ndarray
    planes: np.ndarray
    loops: tuple[tuple[int, ...], ...]
    edges: np.ndarray

    @cached_property
    def size(self) -> float:
        """Largest distance of a vertex from their mean, m."""
        return float(np.linalg.norm(self.points - self.points.mean(axis=0), axis=1).max())

    @cached_property
    def sides(self) -> int:
        """Vertices of the face that has most."""
        return max(map(len, self.loops))


def point(place: np.ndarray) -> Polytope:
    """A point."""
    return Polytope(POINT, place.reshape(1, 3), np.empty((0, 4)), (), np.empty((0, 4), dtype=np.int64))


def segment(first: np.ndarray, last: np.ndarray) -> Polytope:
    """A segment between two points."""
    return Polytope(SEGMENT, np.array([first, last]), np.empty((0, 4)), (), np.array([[0, 1, -1, -1]]))


def half_space(normal: np.ndarray, offset: float) -> Polytope:
    """What is below a plane, n · x ≤ offset."""
    plane = np.append(normal, offset)
    edges = np.empty((0, 4), dtype=np.int64)
    return Polytope(HALF_SPACE, (offset * normal).reshape(1, 3), plane.reshape(1, 4), ((0,),), edges)


@dataclass(frozen=True, eq=False)
class Collider:
    """A collision shape: a polytope with a radius, in the axes of a body from its mass centre; of no body if it is fixed."""

    name: str
    body: Part | None
    polytope: Polytope
    radius: float

    @property
    def size(self) -> float:
        """Largest distance of its points from its centre, m; one metre of a half-space."""
        return 1.0 if self.polytope.kind == HALF_SPACE else self.polytope.size + self.radius


@dataclass(frozen=True, eq=False)
class ContactLaw:
    """Coefficients of friction, static and kinetic, both None of a rough contact, and of restitution.

    creep, least_bounce  speed of slip, m/s, and height of a bounce, m, below which these have ended; None: parts of sizes
    """

    friction: Number | None
    kinetic: Number | None
    restitution: Number
    creep: float | None = None
    least_bounce: float | None = None
    requirements: tuple[Requirement, ...] = ()


class CollisionElement(Protocol):
    """Contacts among the collision shapes of a group of bodies: all of them may touch one another, but those of one body.

    colliders  its shapes
    law        of its contacts
    """

    @property
    def name(self) -> str: ...
    @property
    def colliders(self) -> Sequence[Collider]: ...
    @property
    def law(self) -> ContactLaw: ...


class Colliders:
    """The collision shapes of a system.

    colliders  those of all groups; groups: of each the numbers of its shapes; laws: of each
    joined     bodies that joints connect: they do not touch one another
    """

    def __init__(self, elements: Sequence[CollisionElement], joined: Sequence[tuple[Part, Part]]) -> None:
        self.elements: tuple[CollisionElement, ...] = tuple(elements)
        self.colliders: list[Collider] = [one for group in elements for one in group.colliders]
        ends = np.cumsum([0, *(len(group.colliders) for group in elements)]).tolist()
        self.groups: list[range] = [range(*some) for some in pairwise(ends)]
        self.laws: list[ContactLaw] = [group.law for group in elements]
        self.bodies: list[Part] = list(dict.fromkeys(one.body for one in self.colliders if one.body is not None))
        self.joined: tuple[tuple[Part, Part], ...] = tuple(joined)

    def name(self, one: int, two: int) -> str:
        """What messages and results call the contacts of two shapes."""
        return f"{self.colliders[one].name} on {self.colliders[two].name}"

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """What coefficients must satisfy."""
        return tuple(requirement for law in self.laws for requirement in law.requirements)

    @property
    def numbers(self) -> list[Expression]:
        """Coefficients of all laws."""
        given = [e for law in self.laws for e in (law.friction, law.kinetic, law.restitution) if e is not None]
        return [as_expression(e) for e in given]

    @cached_property
    def wrenches(self) -> dict[Part, tuple[Symbol, ...]]:
        """Of each body parameters that no user sees: force and moment of its contacts, inertial components, N and N m."""
        axes = ("Fx", "Fy", "Fz", "Mx", "My", "Mz")
        return {
            body: tuple(
                symbol(f"{body.name} {axis}", "parameter", default=0.0, token=f"zeromass wrench {body.name} {axis}")
                for axis in axes
            )
            for body in self.bodies
        }

    @property
    def loads(self) -> list[Load]:
        """The forces and torques of all contacts."""
        found: list[Load] = []
        for body, wrench in self.wrenches.items():
            found.append(Force(list(wrench[:3]), at=body.position))
            if isinstance(body, RigidBody):
                found.append(Torque(list(wrench[3:]), on=body))
        return found

    @property
    def hidden(self) -> list[Symbol]:
        """All parameters of wrenches."""
        return [leaf for wrench in self.wrenches.values() for leaf in wrench]


def colliders_of(elements: Sequence[Any], joints: Sequence[Connection]) -> Colliders | None:
    """The collision shapes of groups of bodies that may touch; None of systems without such groups."""
    groups = [one for one in elements if hasattr(one, "colliders")]
    if not groups:
        return None
    other = next((one for one in elements if not hasattr(one, "colliders")), None)
    if other is not None:
        raise ModelError(
            f"'{other.name}' is one contact and '{groups[0].name}' is a group of bodies that collide; a system has either: "
            "give all shapes to zm.Collisions, or each contact as a zm.Contact"
        )
    return Colliders(groups, [two for joint in joints for two in combinations(joint.parts, 2)])


def without_collisions(system: System, what: str, remedy: str = "give each contact as a zm.Contact") -> None:
    """Raises where bodies of a system may touch by `zm.Collisions`, and something does not know these contacts.

    what, remedy  in words: what that is, and what to do
    """
    if system.colliders is not None:
        name = system.colliders.elements[0].name
        raise ModelError(
            f"{what}: the contacts of '{name}' are detected during a motion, and are not known here; {remedy}"
        )


@dataclass(frozen=True)
class LoadedGroup:
    """A group of collision shapes of a system that was read from a file; see `CollisionElement`."""

    name: str
    colliders: tuple[Collider, ...]
    law: ContactLaw
