"""A bushing: an elastic joint of six components, linear or any function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from zeromass.errors import ModelError
from zeromass.expression import Array, Expression, as_expression, expressions, gradient, jacobian, rate
from zeromass.expression.build import ZERO
from zeromass.mechanism.ground import Ground
from zeromass.mechanism.marker import Marker, axes, bodies, points, relative_turn
from zeromass.model.given import given_array, given_function, value_of
from zeromass.model.parts import Part


class Bushing:
    """Bushing: an elastic joint between a and b; give it to `forces`.

    at         one point in the reference pose, or two, on a and on b in their own axes
    axis       its third axis in the reference pose; by default (0, 0, 1)
    stiffness  six: three along its axes, N/m, three about them, N m/rad; V = ½ Σ k x²
    damping    likewise, N s/m and N m s/rad
    function   of displacement (3,), turn (3,), velocity (3,) and angular velocity (3,) of b against a, along the axes of a,
               that gives force (3,) and torque (3,) on b; beside stiffness and damping, or instead of them

    The turn is 2 sin(½α) along its axis, α for small ones. Where stiffness is large a run is stiff: use method="radau".

    >>> block = zm.RigidBody("block", mass=2.0, inertia=(1, 1, 1))
    >>> mount = zm.joints.Bushing(zm.Ground(), block, stiffness=(8, 8, 50, 1, 1, 1))
    >>> start = zm.System([block], forces=[mount]).start({block.position[0]: 0.5})
    >>> start[zm.rate(block.velocity)[0]], start[mount.force[0]]
    (-2.0, -4.0)
    """

    def __init__(
        self,
        a: Ground | Part,
        b: Ground | Part,
        *,
        at: Any = None,
        axis: Any = (0.0, 0.0, 1.0),
        stiffness: Any = (0.0,) * 6,
        damping: Any = (0.0,) * 6,
        function: Callable[[Array, Array, Array, Array], tuple[Any, Any]] | None = None,
    ) -> None:
        what = "a Bushing"
        bodies(a, b, what)
        (p, r), (A, B) = points(a, b, at, what), axes(a, b, axis, what)
        self.a: Marker = Marker(a, p, A)
        self.b: Marker = Marker(b, r, B)
        k, c = given_array(stiffness, "the stiffness of a bushing"), given_array(damping, "the damping of a bushing")
        if k.shape != (6,) or c.shape != (6,):
            raise ModelError(f"stiffness and damping of a bushing are six numbers each, not {k.shape} and {c.shape}")
        ours, theirs = self.a.pose, self.b.pose
        d = ours.axes.T @ (theirs.point - ours.point)
        turn = 2 * relative_turn(self.a, self.b)[1:]
        self._x: Array = expressions([*d, *turn])
        v = rate(d)
        ω = ours.axes.T @ (theirs.angular_velocity - ours.angular_velocity)
        self._speed: Array = expressions([*v, *ω])
        self.potential: Expression = as_expression(np.sum(k * self._x**2) / 2)
        own = expressions(-c * self._speed)
        if function is not None:
            law, told = (
                given_function(function, "the function of a bushing", "of four vectors"),
                "what the function of a bushing gives",
            )
            given = value_of(law, [expressions(e) for e in (d, turn, v, ω)], "the function of a bushing")
            given = given_array(given, told)
            if given.shape != (2, 3):
                raise ModelError(f"{told} is a force and a torque, three components each, not shape {given.shape}")
            own = expressions(own + given.ravel())
        self._own: Array = own
        self._elastic: Array = expressions(-k * self._x)

    @property
    def force(self) -> Array:
        """On b at its point, inertial components, N."""
        return expressions(self.a.pose.axes @ (self._elastic + self._own)[:3])

    def generalized(self, q: np.ndarray) -> np.ndarray:
        """Its force on each coordinate."""
        elastic = -gradient(self.potential, q) if self.potential is not ZERO else ZERO
        return expressions(elastic + self._own @ jacobian(self._speed, rate(q)))
