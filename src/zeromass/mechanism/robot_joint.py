"""A joint of a robot: a free motion whose coordinates are the system's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from zeromass.errors import ModelError
from zeromass.expression import Array, Expression, rate
from zeromass.mechanism.description import JointData
from zeromass.mechanism.freedom import Freedom, Turning
from zeromass.mechanism.link import free_turn
from zeromass.model.event import Event
from zeromass.model.parts import Part


class RobotJoint(Turning):
    """A joint of a robot, whose coordinates are coordinates of the system.

    name, kind    as described: revolute, continuous, prismatic, fixed, floating, planar, ball
    parent, child the names of its links
    coordinates   of its own; none of one that is fixed, or that mimics another
    angle         of one that turns, rad; of one that mimics another, in terms of that
    displacement  of one that slides, m
    low, high     its limits
    turn          its free motion, with motor, spring, damper, drive and the like, whether it turns or slides

    >>> text = '''<robot name="lift"><link name="base"/><link name="car"><inertial>
    ... <mass value="2"/></inertial></link>
    ... <joint name="rail" type="prismatic"><parent link="base"/><child link="car"/>
    ... <axis xyz="0 0 1"/>
    ... <limit lower="0" upper="3"/></joint></robot>'''
    >>> _ = (folder / "lift.urdf").write_text(text)
    >>> robot = zm.from_urdf(folder / "lift.urdf")
    >>> rail = robot.joints["rail"]
    >>> lift = robot.system(gravity=10.0, forces=[rail.motor(26.0)])
    >>> run = zm.simulate(lift, lift.start(), until=9.0, events=[*rail.limits()])
    >>> round(float(run.t[-1]), 9)  # (26 − 20)/2 t²/2 = 3
    1.414213562
    """

    def __init__(self, data: JointData, coordinates: Array, place: Expression | None, parts: Sequence[Part]) -> None:
        self.data: JointData = data
        self.name: str = data.name
        self.kind: str = data.kind
        self.parent: str = data.parent
        self.child: str = data.child
        self.coordinates: Array = coordinates
        self.low: float = data.low
        self.high: float = data.high
        self.single: bool = place is not None
        if place is not None:
            slides = data.kind == "prismatic"
            free = Freedom(data.name, "displacement" if slides else "angle", place, rate(place), parts)
            self.turn: Freedom = free
            self.slide: Freedom = free
            self.angle: Expression = place
            self.displacement: Expression = place

    def __getattr__(self, name: str) -> Any:
        if name in ("turn", "slide", "angle", "displacement"):
            raise ModelError(f"joint '{self.name}' is {self.kind} and has no single coordinate, so no {name}")
        raise AttributeError(f"a joint of a robot has no '{name}'")

    @property
    def speeds(self) -> list[Expression]:
        """Rate of its single coordinate; of a ball those of its turn along the child's axes; if free, of its place too."""
        if self.kind in ("ball", "floating"):
            place, turn = self.coordinates[:-4], self.coordinates[-4:]
            return [*(rate(x) for x in place), *free_turn(turn)[1]]
        return [self.turn.speed] if self.single else []

    def __repr__(self) -> str:
        return f"RobotJoint({self.name!r}, {self.kind})"

    def limits(self, low: float | None = None, high: float | None = None) -> tuple[Event, ...]:
        """Events where it leaves its range, that of the description by default."""
        return self.turn.limits(self.low if low is None else low, self.high if high is None else high)
