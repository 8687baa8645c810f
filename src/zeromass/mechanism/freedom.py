"""Free motions of joints, about an axis or along it, and what acts along them: motors, drives, springs, friction, stops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from zeromass.errors import ModelError
from zeromass.expression import Array, Expression, Symbol, as_expression, caption, gradient, rate, symbols, t, where
from zeromass.expression.build import ZERO
from zeromass.mechanism.joint import Connected, Law
from zeromass.model.event import Event, refusing
from zeromass.model.given import Number, given_name, given_real, given_scalar, value_of
from zeromass.model.interface import Interface
from zeromass.model.parts import Part
from zeromass.model.requirement import Ordered, Requirement


class Acting:
    """A force along a free motion x of a joint: virtual work f δx, and the energy it stores.

    >>> wheel = zm.RigidBody("wheel", mass=1.0, inertia=(0.5, 0.5, 0.5))
    >>> axle = zm.joints.Revolute(zm.Ground(), wheel, axis=(0, 0, 1))
    >>> motor = axle.motor(3.0)
    >>> system = zm.System([wheel], gravity=0, joints=[axle], forces=[motor])
    >>> start = system.start({axle.rate: 2.0})
    >>> round(start[zm.rate(axle.rate)], 12), start[motor.power]
    (6.0, 6.0)
    """

    def __init__(self, speed: Expression, force: Expression, potential: Expression = ZERO) -> None:
        self.speed: Expression = speed
        self.force: Expression = force
        self.potential: Expression = potential

    @property
    def torque(self) -> Expression:
        """The same, where the motion is a turn, N m."""
        return self.force

    @property
    def power(self) -> Expression:
        """f ẋ, W."""
        return self.force * self.speed

    def generalized(self, q: np.ndarray) -> np.ndarray:
        """Its force on each coordinate."""
        return self.force * gradient(self.speed, rate(q))


class Friction(Acting):
    """Dry friction along a free motion, −level sign(ẋ): it never drives."""

    def __init__(self, speed: Expression, level: Expression, owner: str) -> None:
        super().__init__(speed, -level * np.sign(speed))
        self.level: Expression = level
        self._owner = owner
        for requirement in self.requirements:
            requirement.checked(f"the friction of '{owner}'")

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """That its level is not negative, where parameters decide it."""
        said = f"the friction of '{self._owner}' is {{1:g}}; a level is positive, or zero"
        return (Ordered(0.0, self.level, said, equal=True),) if self._kinds <= {"parameter"} else ()

    @property
    def events(self) -> tuple[Event, ...]:
        """Where its level falls below zero in time."""
        if "time" not in self._kinds or not self._kinds <= {"time", "parameter"}:
            return ()
        said = f"the friction of '{self._owner}' = {caption(self.level)} falls below zero; a level is positive, or zero"
        return tuple(refusing(f"friction of '{self._owner}'", self.level, said))

    @property
    def _kinds(self) -> set[str]:
        return {leaf.kind for leaf in symbols(self.level)}


class Freedom(Interface):
    """A motion x that a joint leaves free: an angle, rad, or a displacement, m.

    place  x, an expression
    speed  ẋ in terms of the bodies' velocities
    counted  whether x is a massless coordinate that counts ẋ: constraints on it are then written in ẋ, and hold the bodies

    >>> sleeve = zm.RigidBody("sleeve", mass=2.0, inertia=(1, 1, 1))
    >>> rod = zm.joints.Cylindrical(zm.Ground(), sleeve, axis=(1, 0, 0))
    >>> start = zm.System([sleeve], gravity=0, joints=[rod], forces=[rod.slide.spring(8.0)]).start({rod.slide.place: 0.5})
    >>> start[zm.rate(sleeve.velocity)[0]]
    -2.0
    """

    _interface = ("motor", "drive", "spring", "damper", "friction", "stops", "limits", "place", "speed")

    def __init__(
        self,
        owner: str,
        what: str,
        place: Expression,
        speed: Expression,
        parts: Sequence[Part],
        *,
        counted: bool = False,
    ) -> None:
        self.owner: str = owner
        self.what: str = what
        self.place: Expression = place
        self.speed: Expression = speed
        self.parts: tuple[Part, ...] = tuple(parts)
        self.counted: bool = counted

    def motor(self, force: Number) -> Acting:
        """A force or torque on b along the motion, the opposite one on a; give it to `forces`."""
        return Acting(self.speed, given_scalar(force, f"the motor of '{self.owner}'"))

    def spring(self, stiffness: Number, rest: Number = 0.0) -> Acting:
        """A spring along the motion: −k (x − rest), N or N m; give it to `forces`."""
        k = given_scalar(stiffness, f"the spring of '{self.owner}'")
        x = self.place - given_scalar(rest, f"the rest of the spring of '{self.owner}'")
        return Acting(self.speed, -k * x, k * x**2 / 2)

    def damper(self, damping: Number) -> Acting:
        """A viscous damper along the motion: −c ẋ; give it to `forces`."""
        return Acting(self.speed, -given_scalar(damping, f"the damper of '{self.owner}'") * self.speed)

    def friction(self, level: Number) -> Acting:
        """Dry friction along the motion: −level sign(ẋ), N or N m; give it to `forces`, or to `nonideal` where the level
        depends on the joint's own reaction."""
        return Friction(self.speed, given_scalar(level, f"the friction of '{self.owner}'"), self.owner)

    def stops(self, low: float, high: float, stiffness: Number, damping: Number = 0.0) -> Acting:
        """Elastic stops beyond low and high, a spring and a damper that act there alone; give them to `forces`."""
        low, high = self._ordered(low, high)
        k, c = (given_scalar(value, f"a stop of '{self.owner}'") for value in (stiffness, damping))
        x, v = self.place, self.speed
        beyond = where(x > high, x - high, where(x < low, x - low, ZERO))
        force = -k * beyond - where(x > high, c * v, where(x < low, c * v, ZERO))
        return Acting(v, force, k * beyond**2 / 2)

    def limits(self, low: float = -np.inf, high: float = np.inf) -> tuple[Event, ...]:
        """Events where the motion leaves its range; give them to `simulate(…, events=[*limits])`."""
        low, high = self._ordered(low, high)
        ends = [("lower", low, -1), ("upper", high, 1)]
        words = f"the {self.what} of '{self.owner}' has reached its {{}} limit {{:g}}"
        return tuple(
            Event(f"{self.owner} {end} limit", self.place - value, way, message=words.format(end, value))  # type: ignore[arg-type]
            for end, value, way in ends
            if np.isfinite(value)
        )

    def drive(self, motion: Number | Callable[[Expression], Any], name: str | None = None) -> Drive:
        """The motion given as an expression of time; its force is the answer. Give it to `joints`."""
        given = value_of(motion, (t,), f"the motion of '{self.owner}'") if callable(motion) else motion
        return Drive(self, given, name)

    def _ordered(self, low: float, high: float) -> tuple[float, float]:
        low, high = (given_real(limit, f"a limit of '{self.owner}'") for limit in (low, high))
        if not low < high:
            raise ModelError(f"the limits of '{self.owner}' are {low:g} and {high:g}; the first is the lower one")
        return low, high


class Drive(Connected):
    """A drive: the free motion of a joint follows an expression of time, and `force` or `torque` is what that takes.

    >>> arm = zm.RigidBody("arm", mass=1.0, inertia=(0.5, 0.5, 0.5))
    >>> axle = zm.joints.Revolute(zm.Ground(), arm, axis=(0, 0, 1))
    >>> drive = axle.drive(3 * zm.t**2)
    >>> system = zm.System([arm], gravity=0, joints=[axle, drive])
    >>> round(system.start(t=1.0)[drive.torque], 12)
    3.0
    """

    _interface = ("force", "torque", "power", "motion")

    def __init__(self, freedom: Freedom, motion: Any, name: str | None) -> None:
        self.name: str = given_name(name, "a drive") if name is not None else f"{freedom.owner} drive"
        self.motion: Expression = given_scalar(motion, f"the motion of '{self.name}'")
        self.freedom: Freedom = freedom
        self.parts: tuple[Part, ...] = freedom.parts

    def _laws(self) -> Sequence[Law]:
        x, ẋ, what = self.freedom.place, self.freedom.speed, self.freedom.what
        if not self.freedom.counted:
            return [Law(what, as_expression(x - self.motion))]
        return [Law(what, as_expression(ẋ - rate(self.motion)), as_expression(x - self.motion))]

    @property
    def force(self) -> Expression:
        """On b along the motion, the opposite one on a, N or N m."""
        return self.multipliers[0]

    @property
    def torque(self) -> Expression:
        """The same, where the motion is a turn, N m."""
        return self.multipliers[0]

    @property
    def power(self) -> Expression:
        """Of the drive, W."""
        return self.multipliers[0] * self.freedom.speed


class Turning(Interface):
    """The free turn of a joint about an axis: its angle, over many turns, and what acts along it.

    >>> wheel = zm.RigidBody("wheel", mass=1.0, inertia=(0.5, 0.5, 0.5))
    >>> axle = zm.joints.Revolute(zm.Ground(), wheel, axis=(0, 0, 1))
    >>> system = zm.System([wheel], gravity=0, joints=[axle])
    >>> run = zm.simulate(system, system.start({axle.rate: 20.0}), until=2.0)
    >>> round(float(run[axle.angle][-1]), 6)
    40.0
    """

    _interface = ("angle", "rate", "motor", "drive", "spring", "damper", "friction", "stops", "limits")

    angle: Expression
    """A massless coordinate, rad; zero in the reference pose. Its rate is the relative angular velocity about the axis."""

    turn: Freedom

    @property
    def rate(self) -> Expression:
        """Rate of the angle, rad/s."""
        return rate(self.angle)

    def motor(self, torque: Number) -> Acting:
        """Motor torque on b about the axis, and its opposite on a, N m; give it to `forces`."""
        return self.turn.motor(torque)

    def spring(self, stiffness: Number, rest: Number = 0.0) -> Acting:
        """Torsional spring, −k (angle − rest), N m; give it to `forces`."""
        return self.turn.spring(stiffness, rest)

    def damper(self, damping: Number) -> Acting:
        """Viscous damper, −c rate, N m; give it to `forces`."""
        return self.turn.damper(damping)

    def friction(self, level: Number) -> Acting:
        """Dry friction, −level sign(rate), N m; see `Freedom.friction`."""
        return self.turn.friction(level)

    def stops(self, low: float, high: float, stiffness: Number, damping: Number = 0.0) -> Acting:
        """Elastic stops beyond angles low and high; give them to `forces`."""
        return self.turn.stops(low, high, stiffness, damping)

    def limits(self, low: float = -np.inf, high: float = np.inf) -> tuple[Event, ...]:
        """Events where the angle leaves its range; give them to `simulate(…, events=[*limits])`."""
        return self.turn.limits(low, high)

    def drive(self, motion: Number | Callable[[Expression], Any], name: str | None = None) -> Drive:
        """Drive: the angle as an expression of time; `drive.torque` is the torque it takes. Give it to `joints`."""
        return self.turn.drive(motion, name)


def turn_about(joint: Any, angle: Symbol, axis: Array, what: str = "angle") -> Freedom:
    """The turn of b against a about an axis in space."""
    ω = joint.b.pose.angular_velocity - joint.a.pose.angular_velocity
    return Freedom(joint.name, what, angle, as_expression(axis @ ω), joint.parts, counted=True)
