"""Joints that turn or slide: fixed, revolute, prismatic, cylindrical, planar, screw."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from zeromass.errors import ModelError, shown
from zeromass.expression import Array, Expression, as_expression, rate
from zeromass.mechanism.freedom import Acting, Drive, Freedom, Turning, turn_about
from zeromass.mechanism.ground import Ground
from zeromass.mechanism.joint import Joint, Law
from zeromass.mechanism.laws import across, aligned, counted, parallel, together
from zeromass.mechanism.marker import Marker, Pose, axes, bodies, points, relative_turn
from zeromass.mechanism.stops import Limits, Stops
from zeromass.mechanism.turns import inverse, of_matrix
from zeromass.model.event import Event
from zeromass.model.given import Number, given_finite, given_mapping, given_numbers, given_scalar
from zeromass.model.parts import Part
from zeromass.model.quaternion import product, rotation
from zeromass.model.requirement import Requirement

Place = Any
"""One point in the reference pose, or two, on a and on b in their own axes."""

Axis = Any
"""One axis in the reference pose, or two, on a and on b in their own axes."""


class _Axial(Joint):
    """A joint with axes on both bodies, and the turn between them."""

    _interface = ("axis",)

    def __init__(self, a: Ground | Part, b: Ground | Part, at: Place, axis: Axis, name: str | None) -> None:
        what = f"'{name}'" if name is not None else f"a {type(self).__name__}"
        bodies(a, b, what)
        (p, r), (A, B) = points(a, b, at, what), axes(a, b, axis, what)
        super().__init__(Marker(a, p, A), Marker(b, r, B), name)

    @cached_property
    def _turn(self) -> Array:
        return relative_turn(self.a, self.b)

    @property
    def axis(self) -> Array:
        """Unit vector of the axis, inertial components."""
        return self.a.pose.z

    def _turned(self, pose: tuple[np.ndarray, np.ndarray], angle: float) -> tuple[np.ndarray, np.ndarray] | None:
        """Place and turn of b, where a is so and b turned about the axis; None where points are no numbers."""
        numbers = [e.value for e in (*self.a.place, *self.b.place)]
        if None in numbers:
            return None
        if not isinstance(pose, tuple | list) or len(pose) != 2:
            raise ModelError(f"pose is {shown(pose)}; it is a place and a quaternion")
        p, u = given_numbers(pose[0], "the place", (3,)), given_numbers(pose[1], "the quaternion", (4,))
        angle = given_finite(angle, "the angle")
        about = np.array([np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2)])
        v = product(product(product(u, of_matrix(self.a.axes)), about), inverse(of_matrix(self.b.axes)))
        v /= np.linalg.norm(v)
        return p + rotation(u) @ np.array(numbers[:3]) - rotation(v) @ np.array(numbers[3:]), v


class _Limited(_Axial):
    """What has rigid stops at the limits of its free motion, and static friction."""

    _interface = ("stop_force", "friction_force")

    _stops: Stops

    def _limit(self, freedom: Freedom, limits: Limits | None, restitution: Number, friction: Number | None) -> None:
        """Gives its free motion stops and friction."""
        self._stops = Stops(freedom, limits=limits, restitution=restitution, friction=friction)
        self.unilaterals = self._stops.unilaterals

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """That its limits, restitution and friction are possible."""
        return self._stops.requirements

    @property
    def stop_force(self) -> Expression:
        """Force of the rigid stops on b, N (torque, N m, of a hinge): positive at the lower limit."""
        return self._stops.force

    @property
    def friction_force(self) -> Expression:
        """Force of dry friction on b, N (torque, N m, of a hinge)."""
        return self._stops.friction_force


class Fixed(_Axial):
    """Fixed joint (weld): six constraints.

    at  reference point of its force and torque

    >>> beam = zm.RigidBody("beam", mass=2.0, inertia=(1, 1, 1), at=(0.5, 0, 0))
    >>> wall = zm.joints.Fixed(zm.Ground(), beam, at=(0, 0, 0))
    >>> start = zm.System([beam], gravity=10.0, joints=[wall]).start()
    >>> start[wall.force], start[wall.torque] + 0.0
    (array([ 0.,  0., 20.]), array([  0., -10.,   0.]))
    """

    def __init__(self, a: Ground | Part, b: Ground | Part, *, at: Place = None, name: str | None = None) -> None:
        super().__init__(a, b, at, (0.0, 0.0, 1.0), name)

    def _held(self, a: Pose, b: Pose) -> Sequence[Law]:
        return [*together(a, b), *aligned(a, b, self._turn)]

    def beyond(
        self, pose: tuple[np.ndarray, np.ndarray], given: Mapping[Expression, float]
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """Place of the mass centre and quaternion of b, in numbers, from those of a."""
        return self._turned(pose, 0.0)


class _Turned(_Axial, Turning):
    """What turns about the third axis of a, its angle a massless coordinate."""

    _interface = ("turn",)

    def __init__(
        self, a: Ground | Part, b: Ground | Part, *, at: Place = None, axis: Axis, name: str | None = None
    ) -> None:
        super().__init__(a, b, at, axis, name)
        self.angle: Expression = self._coordinate("angle")
        self.angles: tuple[Expression, ...] = (self.angle,)
        self.turn: Freedom = turn_about(self, self.angle, self.a.pose.z)

    def _laws(self) -> Sequence[Law]:
        return [*super()._laws(), counted(self.angle, self.turn.speed, self._turn, 3)]


class Revolute(_Limited, _Turned):
    """Revolute joint (hinge): five constraints, and the angle as massless coordinate.

    at     point of the axis in the reference pose, or two, on a and on b in their own axes; by default the mass centre of b
    axis   its direction, likewise
    angle  of b relative to a about the axis, rad, over many turns; zero in the reference pose
    rate   its rate, rad/s
    limits       (low, high) of the angle, rad: rigid stops; None for no stop
    restitution  coefficient of restitution at a stop, 0 to 1
    friction     dry friction, N m: the hinge sticks up to this torque, and rotates against it

    `motor`, `spring`, `damper`, `friction` and `stops` give torques about the axis, for `forces=`; `drive` prescribes the
    angle, for `joints=`.

    >>> arm = zm.RigidBody("arm", mass=2.0, inertia=(1, 1, 1), at=(1, 0, 0))
    >>> pin = zm.joints.Revolute(zm.Ground(), arm, at=(0, 0, 0), axis=(0, 0, 1))
    >>> start = zm.System([arm], gravity=0, joints=[pin]).start({pin.angle: np.pi / 2, pin.rate: 3.0})
    >>> round(start[arm.position[1]], 9), round(start[pin.force[1]], 9)
    (1.0, -18.0)
    """

    def __init__(
        self,
        a: Ground | Part,
        b: Ground | Part,
        *,
        at: Place = None,
        axis: Axis,
        limits: Limits | None = None,
        restitution: Number = 0.0,
        friction: Number | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(a, b, at=at, axis=axis, name=name)
        self._limit(self.turn, limits, restitution, friction)

    def _held(self, a: Pose, b: Pose) -> Sequence[Law]:
        return [*together(a, b), *parallel(a, b, self._turn)]

    def beyond(
        self, pose: tuple[np.ndarray, np.ndarray], given: Mapping[Expression, float]
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """Place of the mass centre and quaternion of b, in numbers, from those of a; None where its angle is not given."""
        given_mapping(given, "given", "{coordinate: number}")
        return self._turned(pose, given[self.angle]) if self.angle in given else None


class _Sliding(_Axial):
    """What slides along the third axis of a."""

    _interface = ("displacement", "slide")

    @cached_property
    def displacement(self) -> Expression:
        """Of b along the axis, m; zero in the reference pose."""
        return as_expression(self.a.pose.z @ (self.b.point - self.a.point))

    @cached_property
    def slide(self) -> Freedom:
        """The free motion along the axis, and what acts along it."""
        x = self.displacement
        return Freedom(self.name, "displacement", x, rate(x), self.parts)


class Prismatic(_Limited, _Sliding):
    """Prismatic joint (slider): b moves along an axis of a without rotation; five constraints.

    displacement  along the axis, m; zero in the reference pose
    rate          its rate, m/s
    limits        (low, high) of the displacement, m: rigid stops; None for no stop
    restitution   coefficient of restitution at a stop, 0 to 1
    friction      dry friction, N: the slider sticks up to this force, and slides against it

    `motor`, `spring`, `damper`, `friction` and `stops` give forces along the axis, for `forces=`; `drive` prescribes the
    displacement, for `joints=`.

    >>> sledge = zm.RigidBody("sledge", mass=2.0, inertia=(1, 1, 1))
    >>> rail = zm.joints.Prismatic(zm.Ground(), sledge, axis=(1, 0, -1))
    >>> start = zm.System([sledge], gravity=10.0, joints=[rail]).start({rail.displacement: 2.0})
    >>> round(start[sledge.position[0]], 6), round(start[zm.rate(rail.rate)], 6)  # 2 cos 45°, g sin 45°
    (1.414214, 7.071068)
    """

    _interface = ("rate", "motor", "drive", "spring", "damper", "friction", "stops", "limits")

    def __init__(
        self,
        a: Ground | Part,
        b: Ground | Part,
        *,
        at: Place = None,
        axis: Axis,
        limits: Limits | None = None,
        restitution: Number = 0.0,
        friction: Number | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(a, b, at, axis, name)
        self._limit(self.slide, limits, restitution, friction)

    def _held(self, a: Pose, b: Pose) -> Sequence[Law]:
        return [*across(a, b), *aligned(a, b, self._turn)]

    @property
    def rate(self) -> Expression:
        """Rate of the displacement, m/s."""
        return rate(self.displacement)

    def motor(self, force: Number) -> Acting:
        """Motor force on b along the axis, and its opposite on a, N; give it to `forces`."""
        return self.slide.motor(force)

    def spring(self, stiffness: Number, rest: Number = 0.0) -> Acting:
        """Spring along the axis, −k (displacement − rest), N; give it to `forces`."""
        return self.slide.spring(stiffness, rest)

    def damper(self, damping: Number) -> Acting:
        """Viscous damper along the axis, N; give it to `forces`."""
        return self.slide.damper(damping)

    def friction(self, level: Number) -> Acting:
        """Dry friction, −level sign(rate), N; see `Freedom.friction`."""
        return self.slide.friction(level)

    def stops(self, low: float, high: float, stiffness: Number, damping: Number = 0.0) -> Acting:
        """Elastic stops beyond displacements low and high; give them to `forces`."""
        return self.slide.stops(low, high, stiffness, damping)

    def limits(self, low: float = -np.inf, high: float = np.inf) -> tuple[Event, ...]:
        """Events where the displacement leaves its range; give them to `simulate(…, events=[*limits])`."""
        return self.slide.limits(low, high)

    def drive(self, motion: Number | Callable[[Expression], Any], name: str | None = None) -> Drive:
        """Drive: the displacement as an expression of time; `drive.force` is the force it takes. Give it to `joints`."""
        return self.slide.drive(motion, name)


class Cylindrical(_Sliding, _Turned):
    """Cylindrical joint: b rotates about an axis of a and slides along it; four constraints.

    angle, rate   of the turn, over many turns
    displacement  along the axis, m; `slide` is that motion, with motor, spring, drive and the like

    >>> sleeve = zm.RigidBody("sleeve", mass=2.0, inertia=(1, 1, 1))
    >>> rod = zm.joints.Cylindrical(zm.Ground(), sleeve, axis=(0, 0, 1))
    >>> zm.System([sleeve], gravity=0, joints=[rod]).check().degrees_of_freedom
    2
    """

    def _held(self, a: Pose, b: Pose) -> Sequence[Law]:
        return [*across(a, b), *parallel(a, b, self._turn)]


class Screw(Cylindrical):
    """Screw joint: b slides by the pitch in one turn; five constraints.

    pitch  m a turn, positive of a right-handed thread

    >>> nut = zm.RigidBody("nut", mass=2.0, inertia=(1, 1, 0.5))
    >>> thread = zm.joints.Screw(zm.Ground(), nut, axis=(0, 0, 1), pitch=2 * np.pi)
    >>> start = zm.System([nut], gravity=10.0, joints=[thread]).start({thread.angle: 3.0})
    >>> round(start[nut.position[2]], 9), round(start[zm.rate(thread.rate)], 9)  # −m g/(m + J)
    (3.0, -8.0)
    """

    def __init__(
        self,
        a: Ground | Part,
        b: Ground | Part,
        *,
        at: Place = None,
        axis: Axis,
        pitch: Number,
        name: str | None = None,
    ) -> None:
        super().__init__(a, b, at=at, axis=axis, name=name)
        self.pitch: Expression = given_scalar(pitch, f"the pitch of '{self.name}'")

    def _held(self, a: Pose, b: Pose) -> Sequence[Law]:
        h = self.pitch / (2 * np.pi)
        ω = b.angular_velocity - a.angular_velocity
        v = b.velocity - a.velocity - np.cross(a.angular_velocity, b.point - a.point)
        thread = Law(
            "thread", as_expression(a.z @ v - h * (a.z @ ω)), as_expression(self.displacement - h * self.angle)
        )
        return [*super()._held(a, b), thread]


class Planar(_Turned):
    """Planar joint: b moves in a plane of a, normal to the axis, and rotates about the axis; three constraints.

    displacements  along the joint's first two axes on a, m
    angle, rate    of the turn

    >>> puck = zm.RigidBody("puck", mass=2.0, inertia=(1, 1, 1))
    >>> table = zm.joints.Planar(zm.Ground(), puck, axis=(0, 0, 1))
    >>> system = zm.System([puck], gravity=10.0, joints=[table])
    >>> system.check().degrees_of_freedom, system.start()[table.force]
    (3, array([ 0.,  0., 20.]))
    """

    @property
    def displacements(self) -> Array:
        """Of b along the joint's first two axes on a, m."""
        return self.a.pose.axes.T[:2] @ (self.b.point - self.a.point)

    def _held(self, a: Pose, b: Pose) -> Sequence[Law]:
        return [Law("plane", as_expression(a.z @ (b.point - a.point))), *parallel(a, b, self._turn)]
