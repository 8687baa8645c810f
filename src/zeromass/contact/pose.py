"""Where a shape is that may touch: its centre, its axes, and velocities of material points of its body."""

from __future__ import annotations

from typing import Any

import numpy as np

from zeromass.contact.outlines import Outline
from zeromass.expression import Array, as_expression, expressions
from zeromass.model import ModelError, Particle, RigidBody
from zeromass.model.given import given_vector
from zeromass.model.parts import Part

Body = Particle | RigidBody


class Pose:
    """The centre and the axes of a shape, and how they move.

    body              that it is on
    position          of the centre, m; velocity: of the body's material there
    rotation          its axes as columns
    angular_velocity  rad/s
    """

    def __init__(self, body: Body, position: Array, velocity: Array, rotation: Array) -> None:
        self.body, self.position, self.velocity, self.rotation = body, position, velocity, rotation
        spins = isinstance(body, RigidBody)
        self.angular_velocity: Array = body.angular_velocity if spins else expressions(np.zeros(3))

    @classmethod
    def on(cls, body: Body, at: Any, turned: Any, name: str) -> Pose:
        """That of a shape at a place of a body, whose axes are turned by a matrix, for the contact of a name."""
        place = given_vector(at, f"at of contact '{name}'")
        own = np.eye(3) if turned is None else expressions(turned)
        if own.shape != (3, 3):
            raise ModelError(f"turned of contact '{name}' has shape {own.shape}; give a (3, 3) matrix")
        if isinstance(body, RigidBody):
            axes = body.rotation if turned is None else expressions(body.rotation @ own)
            return cls(body, body.position, body.velocity, axes).moved(body.rotation @ place)
        if any(as_expression(x).value != 0.0 for x in place) or turned is not None:
            raise ModelError(f"contact '{name}': '{body.name}' is a particle, whose shape is at it; leave at= out")
        return cls(body, body.position, body.velocity, expressions(own))

    @classmethod
    def about(cls, body: RigidBody, center: Part) -> Pose:
        """That of a shape in the axes of a body, about a particle."""
        return cls(body, center.position, center.velocity, body.rotation)

    def moved(self, by: Any) -> Pose:
        """The same axes about another point, inertial components from the centre."""
        place = expressions(self.position + by)
        return Pose(self.body, place, self.velocity_of(place), self.rotation)

    def velocity_of(self, place: Any) -> Array:
        """Velocity of the body's material at a point, m/s."""
        return expressions(self.velocity + np.cross(self.angular_velocity, expressions(place) - self.position))

    def lever(self, outline: Outline, n: Array) -> Array:
        """From the point of an outside that is farthest against n to its centre, m."""
        if outline.symmetric:
            return expressions(outline.farthest(n, self.rotation))
        return expressions(-outline.farthest(expressions(-n), self.rotation))
