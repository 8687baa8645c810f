"""A wheel on level ground: it rolls on a sharp edge and does not slip."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from zeromass.errors import ModelError
from zeromass.expression import Array, Expression, as_expression, expressions
from zeromass.mechanism.ground import Ground
from zeromass.mechanism.joint import Joint, Law
from zeromass.mechanism.marker import Marker, Pose, bodies, place_of
from zeromass.mechanism.turns import axes_about, direction
from zeromass.model.given import Number, given_positive, given_scalar
from zeromass.model.parts import RigidBody


class WheelOnGround(Joint):
    """Wheel with a sharp edge that rolls on the level Z = height: one holonomic and two nonholonomic constraints.

        Z_c = h + r √(1 − k_Z²),    v_c + ω × r d = 0 along the ground,    d = −(e_Z − k_Z k)/√(1 − k_Z²)

    radius   m
    axis     k of the wheel, in its own axes
    center   c in the wheel's axes; its mass centre by default
    contact  the point where it touches, three expressions
    force    of the ground on the wheel at the contact, N

    >>> hoop = zm.RigidBody("hoop", mass=1.0, inertia=(0.1, 0.2, 0.1), at=(0, 0, 0.5))
    >>> rolls = zm.joints.WheelOnGround(zm.Ground(), hoop, radius=0.5, axis=(0, 1, 0))
    >>> start = zm.System([hoop], gravity=10.0, joints=[rolls]).start([(hoop.angular_velocity, (0, 2.0, 0))])
    >>> round(start[hoop.velocity[0]], 9), round(start[rolls.force[2]], 9)
    (1.0, 10.0)
    """

    _interface = ("contact", "radius", "height")

    def __init__(
        self,
        ground: Ground,
        wheel: RigidBody,
        *,
        radius: Number,
        axis: Any,
        center: Any = None,
        height: Number = 0.0,
        name: str | None = None,
    ) -> None:
        what = f"'{name}'" if name is not None else "a WheelOnGround"
        bodies(ground, wheel, what)
        if not isinstance(ground, Ground) or not isinstance(wheel, RigidBody):
            raise ModelError(f"{what} is between zm.Ground() and a rigid body, in this order")
        origin = expressions(np.zeros(3))
        own = axes_about(direction(axis, what))
        middle = place_of(wheel, center, f"the centre of {what}")
        super().__init__(Marker(ground, origin, np.eye(3)), Marker(wheel, middle, own), name)
        self.radius: Expression = given_positive(radius, f"the radius of {what}")
        self.height: Expression = given_scalar(height, f"the height of {what}")

    def _spoke(self, b: Pose) -> tuple[Array, Expression]:
        """From the centre to the contact, m, and √(1 − k_Z²)."""
        up, k = np.array([0.0, 0.0, 1.0]), b.z
        steep = as_expression(np.sqrt(1 - k[2] ** 2))
        return expressions(-self.radius * (up - k[2] * k) / steep), steep

    @property
    def contact(self) -> Array:
        """The point where the wheel touches the ground."""
        return expressions(self.b.point + self._spoke(self.b.pose)[0])

    def _held(self, a: Pose, b: Pose) -> Sequence[Law]:
        spoke, steep = self._spoke(b)
        v = b.velocity + np.cross(b.angular_velocity, spoke)
        return [
            Law("height", as_expression(b.point[2] - self.height - self.radius * steep)),
            Law("rolls[0]", as_expression(v[0])),
            Law("rolls[1]", as_expression(v[1])),
        ]

    @property
    def point(self) -> Array:
        """The contact."""
        return self.contact

    @cached_property
    def torque(self) -> Array:
        """Of the ground on the wheel about the contact, N m: none."""
        spoke, _ = self._spoke(self.b.pose)
        return expressions(self._sum(self._wrenches[1]) - np.cross(spoke, self.force))
