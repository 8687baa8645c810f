"""Links: rigid bodies whose place follows from the coordinates of joints, from the ground outwards."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from zeromass.expression import Array, Evaluator, Expression, Symbol, as_expression, expressions, rate, symbols
from zeromass.expression.build import ZERO
from zeromass.mechanism.description import CollisionData, LinkData
from zeromass.model.parts import RigidBody
from zeromass.model.quaternion import body_rates, product, rotation
from zeromass.model.requirement import Requirement
from zeromass.model.shapes import Look


class Place(NamedTuple):
    """Where axes are in space and how they move.

    origin            (3,), inertial components, m
    rotation          (3, 3): turns their components into inertial ones
    quaternion        the same turn
    velocity          of the origin, (3,), components along the axes, m/s
    angular_velocity  (3,), components along the axes, rad/s
    """

    origin: Array
    rotation: Array
    quaternion: Array
    velocity: Array
    angular_velocity: Array

    def shifted(self, xyz: Any) -> Place:
        """The same axes at another point fixed in them."""
        if all(e is ZERO for e in expressions(xyz)):
            return self
        velocity = expressions(self.velocity + np.cross(self.angular_velocity, xyz))
        return self._replace(origin=expressions(self.origin + self.rotation @ xyz), velocity=velocity)

    def turned(self, R: Any, u: Any, ω: Any = None) -> Place:
        """Axes turned by R, a turn u as a quaternion, that turn at ω in themselves."""
        spin = R.T @ self.angular_velocity
        return Place(
            self.origin,
            expressions(self.rotation @ R),
            expressions(product(self.quaternion, u)),
            expressions(R.T @ self.velocity),
            expressions(spin if ω is None else spin + ω),
        )

    def moved(self, d: Any, speed: Any) -> Place:
        """Axes shifted by d, which changes at `speed`, components along them."""
        moved = self.shifted(d)
        return moved._replace(velocity=expressions(moved.velocity + speed))


GROUND = Place(
    expressions(np.zeros(3)),
    expressions(np.eye(3)),
    expressions([1.0, 0.0, 0.0, 0.0]),
    expressions(np.zeros(3)),
    expressions(np.zeros(3)),
)


class Link(RigidBody):
    """A rigid body whose place follows from joint coordinates; it has none of its own. Massless ones are fine.

    frame    where the axes of its description are; its mass centre is `center` from there
    inertia  about the mass centre, along these axes

    As drawn, all coordinates are zero. Joints may hold links like any rigid body, which closes loops. `link.point(place)`
    counts from the mass centre, and `link.at_frame(place)` from the origin of its axes.
    """

    def __init__(self, data: LinkData, frame: Place, usual: Mapping[Symbol, float]) -> None:
        self.name: str = data.name
        self.mass: Expression = as_expression(data.mass)
        self.center: np.ndarray = data.center
        self.inertia: Array = expressions(data.inertia)
        self.frame: Place = frame
        self.looks: tuple[Look, ...] = data.looks
        self.collisions: tuple[CollisionData, ...] = data.collisions
        self._center: Place = frame.shifted(data.center)
        self.position: Array = self._center.origin
        self.quaternion: Array = frame.quaternion
        leaves = symbols(self.position, self.quaternion)
        drawn = Evaluator([*self.position, *self.quaternion], leaves)(np.array([usual.get(x, 0.0) for x in leaves]))
        self.at: Array = expressions(drawn[:3])
        self.orientation: np.ndarray = drawn[3:]
        self.coordinates: Array = np.empty(0, dtype=object)
        self.constraints: dict[str, Any] = {}
        self.usual: dict[Symbol, float] = {x: usual[x] for x in leaves if x in usual}

    @cached_property
    def kinetic(self) -> Expression:
        """Kinetic energy, J."""
        v, ω = self._center.velocity, self.frame.angular_velocity
        heavy = [self.mass / 2 * (v @ v)] if self.mass.value != 0.0 else []
        turning = [ω @ self.inertia @ ω / 2] if any(e.value != 0.0 for e in self.inertia.ravel()) else []
        return as_expression(sum(heavy + turning, as_expression(0.0)))

    @cached_property
    def rotation(self) -> Array:
        """S, shape (3, 3): turns components along its axes into inertial ones."""
        return self.frame.rotation

    @cached_property
    def _moves(self) -> tuple[Array, Array]:
        S = self.frame.rotation
        return expressions(S @ self._center.velocity), expressions(S @ self.frame.angular_velocity)

    @property
    def velocity(self) -> Array:
        """Of the mass centre, inertial components, m/s."""
        return self._moves[0]

    @cached_property
    def angular_velocity(self) -> Array:
        """Inertial components, rad/s."""
        return self._moves[1]

    @cached_property
    def angular_velocity_body(self) -> Array:
        """Components along its axes, rad/s."""
        return self.frame.angular_velocity

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """None: descriptions are taken as they are, and what is odd is told when they are read."""
        return ()

    def at_frame(self, place: Any) -> Array:
        """Inertial position of a point that is given from the origin of its axes, m."""
        return self.point(np.asarray(place, dtype=float) - self.center)


class BodyLink(RigidBody):
    """A link with coordinates of its own, as every rigid body has them; constraints hold it where its joint says.

    frame, center  as of a `Link`
    own            what its coordinates are called after
    """

    def __init__(self, data: LinkData, own: str, origin: np.ndarray, quaternion: np.ndarray) -> None:
        self.center: np.ndarray = data.center
        self.looks: tuple[Look, ...] = data.looks
        self.collisions: tuple[CollisionData, ...] = data.collisions
        at = expressions(origin + rotation(quaternion).astype(float) @ data.center)
        self._make(data.name, own, as_expression(data.mass), expressions(data.inertia), at, quaternion)

    @cached_property
    def frame(self) -> Place:
        """Where the axes of its description are."""
        S, ω = self.rotation, self.angular_velocity_body
        velocity = expressions(S.T @ self.velocity - np.cross(ω, self.center))
        return Place(self.at_frame(np.zeros(3)), S, self.quaternion, velocity, ω)

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """None: descriptions are taken as they are, and what is odd is told when they are read."""
        return ()

    @property
    def _plain(self) -> bool:
        return True

    def at_frame(self, place: Any) -> Array:
        """Inertial position of a point that is given from the origin of its axes, m."""
        return self.point(np.asarray(place, dtype=float) - self.center)


def free_turn(u: Array) -> tuple[Array, Array]:
    """R and ω of axes turned by a unit quaternion of coordinates."""
    return expressions(rotation(u)), expressions(2 * body_rates(u) @ rate(u))


def turn_by(axis: np.ndarray, angle: Any) -> tuple[Array, Array]:
    """R and the quaternion of a turn by an angle, an expression, about an axis of length 1."""
    c, s = np.cos(angle), np.sin(angle)
    along = np.outer(axis, axis)
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    half = angle / 2
    R = expressions(along + c * (np.eye(3) - along) + s * cross)
    return R, expressions([np.cos(half), *(np.sin(half) * axis)])
