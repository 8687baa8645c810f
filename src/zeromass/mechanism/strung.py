"""What keeps two points at a distance: a rod, and a rope, which can go slack."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from zeromass.errors import ModelError, shown
from zeromass.expression import Array, Evaluator, Expression, as_expression, expressions, symbols
from zeromass.mechanism.ground import Ground
from zeromass.mechanism.joint import Joint, Law
from zeromass.mechanism.marker import Marker, Pose, as_drawn, bodies, points
from zeromass.model.given import Number, given_scalar, shape_of
from zeromass.model.parts import Part
from zeromass.model.unilateral import Unilateral


class Distance(Joint):
    """Massless rod between a point of a and a point of b, with ball joints at its ends; one constraint.

    at      points on a and on b in their own axes; their mass centres by default
    length  m; by default that of the reference pose
    tension of the rod, N: positive where it pulls

    >>> bob = zm.Particle("bob", mass=2.0, at=(0, 0, -1))
    >>> rod = zm.joints.Distance(zm.Ground(), bob)
    >>> zm.System([bob], gravity=10.0, joints=[rod]).start()[rod.tension]
    20.0
    """

    _interface = ("length", "tension")

    def __init__(
        self,
        a: Ground | Part,
        b: Ground | Part,
        *,
        at: Any = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
        length: Number | None = None,
        name: str | None = None,
    ) -> None:
        what = f"'{name}'" if name is not None else f"a {type(self).__name__}"
        bodies(a, b, what)
        if shape_of(at) != (2, 3):
            raise ModelError(f"the ends of {what} are {shown(at)}; give two points, on each body in its own axes")
        places = points(a, b, at, what)
        super().__init__(Marker(a, places[0], np.eye(3)), Marker(b, places[1], np.eye(3)), name)
        if length is None:
            length = _as_drawn(self)
        self.length: Expression = given_scalar(length, f"the length of {what}")
        if self.length.value is not None and not self.length.value > 0:
            raise ModelError(
                f"the length of {what} is {self.length.value:g}; it is positive: use zm.joints.Spherical for none"
            )

    def _held(self, a: Pose, b: Pose) -> Sequence[Law]:
        d = b.point - a.point
        return [Law("length", as_expression((d @ d - self.length**2) / (2 * self.length)))]

    @property
    def tension(self) -> Expression:
        """Of the rod, N; negative where it is pressed."""
        return -self.multipliers[0]


class Rope(Distance):
    """Massless rope between a point of a and a point of b: it pulls and can not push.

        |b − a| = length − slack,    slack ≥ 0,    tension ≥ 0

    slack    m, an expression of the places of both ends. A run goes over to the motion with a slack rope and back by events.
             Where it becomes taut, an impulse takes the velocity along it: what restitution there is, springs must give
    tension  N; zero while it is slack

    gap      (length² − |b − a|²)/(2 length), m, whose rate is that of the slack where the rope is taut. Unlike the slack it
             is smooth where the ends meet, so a slack end may pass through its anchor

    >>> bob = zm.Particle("bob", mass=2.0, at=(0, 0, -0.5))
    >>> rope = zm.joints.Rope(zm.Ground(), bob, length=1.0, name="rope")
    >>> system = zm.System([bob], gravity=10.0, joints=[rope])
    >>> run = zm.simulate(system, system.start([(bob.position, (0, 0, -0.5)), (bob.velocity, (0, 0, 0))]), until=1.0)
    >>> run.modes, round(run.events[0].t, 9), run.at(0.1)[rope.slack].round(9), run.at(0.9)[rope.tension].round(9)
    (('rope slack', 'rope taut'), 0.316227766, array([0.45]), array([20.]))
    """

    _interface = ("slack",)

    def __init__(
        self,
        a: Ground | Part,
        b: Ground | Part,
        *,
        at: Any = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
        length: Number | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(a, b, at=at, length=length, name=name)
        d = self.b.point - self.a.point
        self.slack: Expression = as_expression(self.length - np.sqrt(as_expression(d @ d)))
        self.gap: Expression = as_expression((self.length**2 - d @ d) / (2 * self.length))
        self.unilaterals: tuple[Unilateral, ...] = (
            Unilateral(
                self.name,
                self.gap,
                words={"open": "slack", "closed": "taut"},
                inside="'{name}' is stretched by {depth:.3g} m at the start; start where its ends are nearer",
                depth=as_expression(-self.slack),
            ),
        )

    def _laws(self) -> Sequence[Law]:
        """Nothing holds always."""
        return ()

    @property
    def tension(self) -> Expression:
        """Of the rope, N; zero while it is slack."""
        return self.unilaterals[0].forces[0]

    @cached_property
    def force(self) -> Array:
        """Force of a on b, inertial components, N."""
        d = self.b.point - self.a.point
        return expressions(-self.tension * d / self.length)

    @cached_property
    def torque(self) -> Array:
        """None, about the joint's point on b."""
        return expressions(np.zeros(3))


def _as_drawn(joint: Joint) -> Expression:
    """The distance of the ends in the reference pose."""
    ends = []
    for marker in (joint.a, joint.b):
        ends.append(marker.body.at + as_drawn(marker.body) @ marker.place)
    d = ends[1] - ends[0]
    length = as_expression(np.sqrt(as_expression(d @ d)))
    if not symbols(length) and not Evaluator(length, [])(np.empty(0)) > 0:
        raise ModelError(f"the ends of '{joint.name}' coincide in the reference pose; give its length=…")
    return length
