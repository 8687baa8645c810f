"""Markers: a point and axes fixed in a body, and how they lie and move in space."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from zeromass.errors import ModelError, shown
from zeromass.expression import Array, expressions
from zeromass.mechanism.ground import Ground
from zeromass.mechanism.turns import axes_about, direction, inverse, of_matrix, shortest_turn
from zeromass.model.given import given_array, given_vector, shape_of
from zeromass.model.parts import Part, Particle, RigidBody
from zeromass.model.quaternion import product, rotation

Body = Ground | RigidBody
"""What has axes of its own."""


class Pose(NamedTuple):
    """A point with axes in space, as expressions in inertial components.

    point, velocity    (3,), m and m/s
    axes               columns of a (3, 3) matrix
    angular_velocity   (3,), rad/s
    """

    point: Array
    axes: Array
    velocity: Array
    angular_velocity: Array

    @property
    def x(self) -> Array:
        """First axis."""
        return self.axes[:, 0]

    @property
    def y(self) -> Array:
        """Second axis."""
        return self.axes[:, 1]

    @property
    def z(self) -> Array:
        """Third axis, that of the joint."""
        return self.axes[:, 2]


@dataclass(frozen=True, eq=False)
class Marker:
    """A point and axes fixed in a body, from its mass centre in its own axes; `axes` are columns, numbers."""

    body: Ground | Part
    place: Array
    axes: np.ndarray

    @cached_property
    def point(self) -> Array:
        """Its place in space, three expressions, m."""
        if isinstance(self.body, Particle):
            return self.body.position
        return self._turning.point(self.place)

    @property
    def _turning(self) -> Body:
        if isinstance(self.body, Ground | RigidBody):
            return self.body
        raise ModelError(f"'{self.body.name}' is a particle and has no axes; a joint that turns needs a rigid body")

    @cached_property
    def pose(self) -> Pose:
        """Where it is, how it is turned, and how it moves."""
        if isinstance(self.body, Particle):
            return Pose(self.point, expressions(np.eye(3)), self.body.velocity, expressions(np.zeros(3)))
        body = self._turning
        ω, arm = body.angular_velocity, body.rotate(self.place)
        return Pose(self.point, body.rotation @ self.axes, body.velocity + np.cross(ω, arm), ω)

    @cached_property
    def quaternion(self) -> Array:
        """The turn from its axes to the inertial ones, four expressions."""
        return expressions(product(self._turning.quaternion, of_matrix(self.axes)))


def bodies(a: Any, b: Any, what: str) -> None:
    """Raises unless a joint can be between a and b."""
    for one in (a, b):
        if not isinstance(one, Ground | Part):
            raise ModelError(f"{what} connects zm.Ground, rigid bodies and particles, not {shown(one)}")
    if a is b or (isinstance(a, Ground) and isinstance(b, Ground)):
        raise ModelError(f"{what} connects '{a.name}' with itself; it needs two bodies")


def points(a: Ground | Part, b: Ground | Part, at: Any, what: str) -> tuple[Array, Array]:
    """The points of a joint on a and on b, in their own axes from their mass centres.

    at  one point in space, in the reference pose, or two, one on a and one on b, in their own axes; by default the mass
        centre of b
    """
    if at is None:
        at = b.at
    given = given_array(at, f"the place of {what}")
    if given.shape == (2, 3):
        return given[0], given[1]
    if given.shape != (3,):
        raise ModelError(
            f"the place of {what} has shape {given.shape}; give one point in the reference pose, or "
            "two, on each body in its own axes"
        )
    return _own(a, given), _own(b, given)


def _own(body: Ground | Part, point: Array) -> Array:
    return expressions(np.zeros(3)) if isinstance(body, Particle) else expressions(as_drawn(body).T @ (point - body.at))


def as_drawn(body: Any) -> np.ndarray:
    """How a body is turned in the reference pose."""
    return np.eye(3) if isinstance(body, Particle) else rotation(body.orientation).astype(float)


def axes(a: Any, b: Any, axis: Any, what: str, across: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """The axes of a joint on a and on b, columns in their own axes, the third along `axis`; equal in the reference pose.

    axis    one in the reference pose, or two, one on a and one on b, in their own axes: then the shortest rotation from
            one to the other, as if the bodies' axes were parallel, is the zero of angles
    across  in the reference pose, what the first axis is near to
    """
    if shape_of(axis) == (2, 3):
        za, zb = (direction(one, what) for one in axis)
        own = axes_about(za, None if across is None else np.asarray(across, dtype=float))
        return own, shortest_turn(za, zb) @ own
    z = direction(axis, what)
    own = axes_about(z, None if across is None else direction(across, what))
    return as_drawn(a).T @ own, as_drawn(b).T @ own


def relative_turn(a: Marker, b: Marker) -> Array:
    """The quaternion of b's axes in those of a."""
    return expressions(product(inverse(a.quaternion), b.quaternion))


def place_of(body: Ground | Part, point: Any, what: str) -> Array:
    """A point that is given in a body's own axes, or its mass centre."""
    return expressions(np.zeros(3)) if point is None else given_vector(point, what)
