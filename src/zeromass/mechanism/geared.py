"""What couples the motions of joints: gears, racks, belts, cams; the joints may be far apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from zeromass.errors import ModelError
from zeromass.expression import Expression, as_expression, rate, substitute
from zeromass.mechanism.freedom import Freedom, Turning
from zeromass.mechanism.joint import Connected, Law
from zeromass.mechanism.lower import Cylindrical, Prismatic
from zeromass.model.given import Number, given_flag, given_name, given_positive, given_scalar, shown, value_of
from zeromass.model.parts import Part


class Coupling(Connected):
    """One row between the free motions of two joints."""

    _interface = ("first", "second")

    def __init__(self, kind: str, first: Freedom, second: Freedom, name: str | None) -> None:
        self.first: Freedom = first
        self.second: Freedom = second
        own = f"{kind} of {first.owner} and {second.owner}"
        self.name: str = own if name is None else given_name(name, f"a {kind}")
        parts: dict[int, Part] = {id(part): part for part in (*first.parts, *second.parts)}
        self.parts: tuple[Part, ...] = tuple(parts.values())
        if first is second:
            raise ModelError(f"'{self.name}' couples a joint with itself; it needs two")

    def _law(self, what: str, speeds: Any, places: Any) -> list[Law]:
        """A row of speeds where an angle counts them, so that it holds the bodies and not the count; else of places."""
        if self.first.counted or self.second.counted:
            return [Law(what, as_expression(speeds), as_expression(places))]
        return [Law(what, as_expression(places))]


class Gear(Coupling):
    """Gear between two rotating joints: rate of the second = ratio · rate of the first.

    ratio   negative where they turn in opposite directions, as two wheels that mesh outside; −teeth(first)/teeth(second)
    torque  that it exerts along the second joint, N m; −ratio times it along the first
    offset  angle of the second where that of the first is zero, rad

    >>> a, b = (zm.RigidBody(name, mass=1.0, inertia=(1, 1, 1)) for name in "ab")
    >>> ground = zm.Ground()
    >>> first, second = zm.joints.Revolute(ground, a, axis=(0, 0, 1)), zm.joints.Revolute(ground, b, axis=(0, 0, 1))
    >>> gear = zm.joints.Gear(first, second, ratio=-2.0)
    >>> train = zm.System([a, b], gravity=0, joints=[first, second, gear], forces=[first.motor(10.0)])
    >>> train.start()[zm.rate([first.rate, second.rate])].round(12)
    array([ 2., -4.])
    """

    _interface = ("ratio", "offset", "torque")

    def __init__(
        self, first: Turning, second: Turning, *, ratio: Number, offset: Number = 0.0, name: str | None = None
    ) -> None:
        super().__init__("gear", turn_of(first, "a gear"), turn_of(second, "a gear"), name)
        self.ratio: Expression = given_scalar(ratio, f"the ratio of '{self.name}'")
        self.offset: Expression = given_scalar(offset, f"the offset of '{self.name}'")
        if self.ratio.value == 0:
            raise ModelError(f"the ratio of '{self.name}' is zero; it is the rate of the second over that of the first")

    def _laws(self) -> Sequence[Law]:
        speeds = self.second.speed - self.ratio * self.first.speed
        return self._law("mesh", speeds, self.second.place - self.ratio * self.first.place - self.offset)

    @property
    def torque(self) -> Expression:
        """Along the second joint, N m."""
        return self.multipliers[0]


class Belt(Gear):
    """Belt over two pulleys: r₁ · rate of the first = r₂ · rate of the second; the opposite sign if it is crossed.

    radii  of the pulleys, m
    pull   difference of the tensions of its two sides, N

    >>> a, b = (zm.RigidBody(name, mass=1.0, inertia=(1, 1, 1)) for name in "ab")
    >>> first, second = (zm.joints.Revolute(zm.Ground(), body, axis=(0, 0, 1)) for body in (a, b))
    >>> system = zm.System([a, b], gravity=0, joints=[first, second, zm.joints.Belt(first, second, radii=(0.1, 0.3))])
    >>> round(system.start({first.rate: 3.0})[second.rate], 12)
    1.0
    """

    _interface = ("radii", "pull")

    def __init__(
        self,
        first: Turning,
        second: Turning,
        *,
        radii: tuple[Number, Number],
        crossed: bool = False,
        name: str | None = None,
    ) -> None:
        several = isinstance(radii, Sequence) or (isinstance(radii, np.ndarray) and radii.ndim > 0)
        if not (several and len(radii) == 2):
            raise ModelError(f"the radii of a belt are {shown(radii)}; give two, one of each pulley")
        given_flag(crossed, "crossed of a belt")
        r1, r2 = (given_positive(r, "the radius of a pulley") for r in radii)
        name = (
            name
            if name is not None
            else f"belt of {turn_of(first, 'a belt').owner} and {turn_of(second, 'a belt').owner}"
        )
        super().__init__(first, second, ratio=-r1 / r2 if crossed else r1 / r2, name=name)
        self.radii: tuple[Expression, Expression] = (r1, r2)

    @property
    def pull(self) -> Expression:
        """Difference of the tensions of its two sides, N."""
        return self.multipliers[0] / self.radii[1]


class RackAndPinion(Coupling):
    """Rack and pinion: rate of the rack = radius · rate of the pinion.

    pinion  a turning joint
    rack    a sliding one
    radius  m; negative where the rack goes the other way
    force   along the rack, N

    >>> wheel, bar = (zm.RigidBody(name, mass=2.0, inertia=(1, 1, 1)) for name in ("wheel", "bar"))
    >>> axle = zm.joints.Revolute(zm.Ground(), wheel, axis=(0, 0, 1))
    >>> rail = zm.joints.Prismatic(zm.Ground(), bar, axis=(1, 0, 0))
    >>> mesh = zm.joints.RackAndPinion(axle, rail, radius=0.5)
    >>> system = zm.System([wheel, bar], gravity=0, joints=[axle, rail, mesh], forces=[rail.motor(3.0)])
    >>> round(system.start()[zm.rate(rail.rate)], 12)  # F/(m + J/r²)
    0.5
    """

    _interface = ("radius", "force")

    def __init__(
        self, pinion: Turning, rack: Prismatic | Cylindrical, *, radius: Number, name: str | None = None
    ) -> None:
        super().__init__("rack", turn_of(pinion, "a pinion"), _slide(rack, "a rack"), name)
        self.radius: Expression = given_scalar(radius, f"the radius of '{self.name}'")
        if self.radius.value == 0:
            raise ModelError(f"the radius of '{self.name}' is zero; it is the rate of the rack over that of the pinion")

    def _laws(self) -> Sequence[Law]:
        speeds = self.second.speed - self.radius * self.first.speed
        return self._law("mesh", speeds, self.second.place - self.radius * self.first.place)

    @property
    def force(self) -> Expression:
        """Along the rack, N."""
        return self.multipliers[0]


class Cam(Coupling):
    """Cam and follower: displacement of the follower = profile(angle of the cam).

    profile   function of the angle, m, or rad where the follower turns
    follower  a sliding or a turning joint
    force     along the follower, N or N m; the follower leaves the cam where it would have to pull

    >>> wheel, tappet = (zm.RigidBody(name, mass=1.0, inertia=(1, 1, 1)) for name in ("wheel", "tappet"))
    >>> axle = zm.joints.Revolute(zm.Ground(), wheel, axis=(0, 1, 0))
    >>> guide = zm.joints.Prismatic(zm.Ground(), tappet, axis=(0, 0, 1))
    >>> cam = zm.joints.Cam(axle, guide, lambda angle: 0.02 * (1 - np.cos(angle)))
    >>> system = zm.System([wheel, tappet], gravity=0, joints=[axle, guide, cam])
    >>> round(system.start({axle.angle: np.pi})[guide.displacement], 12)
    0.04
    """

    _interface = ("profile", "force")

    def __init__(
        self,
        cam: Turning,
        follower: Prismatic | Cylindrical | Turning,
        profile: Callable[[Any], Any],
        *,
        name: str | None = None,
    ) -> None:
        second = follower.turn if isinstance(follower, Turning) else _slide(follower, "a follower")
        super().__init__("cam", turn_of(cam, "a cam"), second, name)
        if not callable(profile):
            raise ModelError(f"the profile of '{self.name}' is {shown(profile)}; it is a function of the cam's angle")
        self.profile: Expression = given_scalar(
            value_of(profile, (self.first.place,), f"the profile of '{self.name}'"), f"the profile of '{self.name}'"
        )

    def _laws(self) -> Sequence[Law]:
        rise = substitute(rate(self.profile), {rate(self.first.place): self.first.speed}) if self.first.counted else 0.0
        return self._law("profile", self.second.speed - rise, self.second.place - self.profile)

    @property
    def force(self) -> Expression:
        """Along the follower, N or N m."""
        return self.multipliers[0]


def turn_of(joint: Any, what: str) -> Freedom:
    """The free turn of a joint."""
    if not isinstance(joint, Turning):
        raise ModelError(f"{what} needs a joint that turns, such as zm.joints.Revolute, not {shown(joint)}")
    return joint.turn


def _slide(joint: Any, what: str) -> Freedom:
    if not hasattr(joint, "slide"):
        raise ModelError(f"{what} needs a joint that slides, such as zm.joints.Prismatic, not {joint!r}")
    return joint.slide
