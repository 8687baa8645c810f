"""Robots from their descriptions: links whose places follow from joint coordinates, and loops that joints close."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any, Literal

import numpy as np

from zeromass.expression import Array, Expression, Symbol, as_expression, coordinate, expressions, rate
from zeromass.mechanism.freedom import Acting, Freedom, Turning
from zeromass.mechanism.held import held
from zeromass.mechanism.joint import Connected
from zeromass.mechanism.link import GROUND, Link, Place, free_turn, turn_by
from zeromass.mechanism.turns import axes_about, of_matrix
from zeromass.mechanism.urdf import JointData, LinkData, RobotData, read_urdf, word
from zeromass.model.connection import Connection
from zeromass.model.errors import ModelError
from zeromass.model.event import Event
from zeromass.model.forces import Forces, loads
from zeromass.model.given import Number, Vector
from zeromass.model.parts import TYPED, Part, RigidBody, unit_quaternion
from zeromass.model.system import System


class RobotJoint(Turning):
    """A joint of a robot, whose coordinates are coordinates of the system.

    name, kind    as described: revolute, continuous, prismatic, fixed, floating, planar
    parent, child the names of its links
    coordinates   of its own; none of one that is fixed, or that mimics another
    angle         of one that turns, rad; of one that mimics another, in terms of that
    displacement  of one that slides, m
    low, high     its limits
    turn          its free motion, with motor, spring, damper, drive and the like, whether it turns or slides

    >>> text = '''<robot name="lift"><link name="base"/><link name="car"><inertial><mass value="2"/></inertial></link>
    ... <joint name="rail" type="prismatic"><parent link="base"/><child link="car"/><axis xyz="0 0 1"/>
    ... <limit lower="0" upper="3"/></joint></robot>'''
    >>> _ = (folder / "lift.urdf").write_text(text)
    >>> robot = zm.from_urdf(folder / "lift.urdf")
    >>> rail = robot.joints["rail"]
    >>> lift = robot.system(gravity=10.0, forces=[rail.motor(26.0)])
    >>> run = zm.simulate(lift, lift.start(), until=9.0, events=[*rail.limits()])
    >>> round(float(run.t[-1]), 9)  # (26 − 20)/2 t²/2 = 3
    1.414213562
    """

    def __init__(self, data: JointData, coordinates: Array, place: Expression | None, child: Link) -> None:
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
            free = Freedom(data.name, "displacement" if slides else "angle", place, rate(place), [child])
            self.turn: Freedom = free
            self.slide: Freedom = free
            self.angle: Expression = place
            self.displacement: Expression = place

    def __getattr__(self, name: str) -> Any:
        if name in ("turn", "slide", "angle", "displacement"):
            raise ModelError(f"joint '{self.name}' is {self.kind} and has no single coordinate, so no {name}")
        raise AttributeError(f"a joint of a robot has no '{name}'")

    def __repr__(self) -> str:
        return f"RobotJoint({self.name!r}, {self.kind})"

    def limits(self, low: float | None = None, high: float | None = None) -> tuple[Event, ...]:
        """Events where it leaves its range, that of the description by default."""
        return self.turn.limits(self.low if low is None else low, self.high if high is None else high)


class Robot:
    """A robot: links, joints, and the system that they make.

    links    by name; bodies for joints, forces and drawings
    joints   by name; `angle`, `rate`, `motor(…)`, `limits()` and so on
    remarks  what is odd in the description, in words: inertias that no body has

    >>> text = '''<robot name="slide"><link name="base"/><link name="puck"><inertial><mass value="1"/>
    ... <inertia ixx="1" iyy="1" izz="3"/></inertial></link>
    ... <joint name="table" type="planar"><parent link="base"/><child link="puck"/><axis xyz="0 0 1"/></joint></robot>'''
    >>> _ = (folder / "slide.urdf").write_text(text)
    >>> robot = zm.from_urdf(folder / "slide.urdf")
    >>> robot.coordinates, robot.remarks
    (array([table.x, table.y, table.angle], dtype=object),
     ("slide.urdf, line 1: no distribution of mass has the inertia of link 'puck': 1 + 1 < 3 kg m²",))
    """

    def __init__(self, data: RobotData, base: Literal["fixed", "free"]) -> None:
        self.name: str = data.name
        self.remarks: tuple[str, ...] = tuple(words for link in data.links.values() for words in _odd(link))
        self.links: dict[str, Link] = {}
        self.joints: dict[str, RobotJoint] = {}
        self._constraints: dict[str, Any] = {}
        self._usual: dict[Symbol, float] = {}
        root = GROUND
        if base == "free":
            root, self.base = self._floating(GROUND, data.root)
        else:
            self.base: Array = np.empty(0, dtype=object)
        self._add(data.links[data.root], root)
        waiting, own = {joint.name: joint for joint in data.joints}, {}
        for joint in data.joints:
            self._place_of(joint, waiting, own, ())
        for joint in data.joints:
            place, coordinates, single = self._beyond(self.links[joint.parent].frame, joint, own.get(joint.name))
            child = self._add(data.links[joint.child], place)
            self.joints[joint.name] = RobotJoint(joint, coordinates, single, child)

    def __repr__(self) -> str:
        return f"Robot({self.name!r}, {len(self.links)} links, {len(self.coordinates)} coordinates)"

    @property
    def parts(self) -> tuple[Part, ...]:
        """Its links."""
        return tuple(self.links.values())

    @property
    def coordinates(self) -> Array:
        """Of all joints, in the order of the tree; those of a free base first."""
        return np.concatenate([self.base, *[joint.coordinates for joint in self.joints.values()]])

    def system(
        self,
        *,
        gravity: Number | Vector | None = 9.81,
        forces: Forces = None,
        joints: Iterable[Connection] = (),
        parts: Iterable[Part] = (),
        constraints: Mapping[str, Any] | None = None,
        losses: bool = True,
    ) -> System:
        """The equations of motion, under forces, with further parts and with joints that close loops.

        losses  whether the damping and friction of the description act
        """
        acting = [*loads(forces), *(self.losses if losses else ())]
        own = {**self._constraints, **(constraints or {})}
        return System(
            [*self.parts, *parts],
            coordinates=list(self.coordinates),
            gravity=gravity,
            forces=acting,
            joints=joints,
            constraints=own,
        )

    @property
    def losses(self) -> list[Acting]:
        """Damping and dry friction of the joints, as described."""
        found: list[Acting] = []
        for joint in self.joints.values():
            if joint.single:
                found += [joint.damper(joint.data.damping)] if joint.data.damping else []
                found += [joint.friction(joint.data.friction)] if joint.data.friction else []
        return found

    def bodies_and_joints(self) -> tuple[dict[str, RigidBody], dict[str, Connected]]:
        """The robot as free bodies and the joints that hold them, by name, for `zm.System`.

        A tree is faster in its own coordinates, `system`; here every joint is a constraint and tells its force. The root is
        the ground, unless the base is free. As drawn all coordinates are zero, and angles count from there.
        """
        return held(self.links, self.joints, self._usual, len(self.base) > 0)

    def _add(self, data: LinkData, frame: Place) -> Link:
        new = Link(data.name, data.mass, data.center, data.inertia, frame, self._usual, data.looks)
        self.links[data.name] = new
        return new

    def _place_of(
        self, joint: JointData, all_: dict[str, JointData], own: dict[str, Expression], behind: tuple[str, ...]
    ) -> Expression | None:
        """The angle or displacement of a joint: a coordinate, or what it mimics."""
        if joint.kind in ("fixed", "floating", "planar"):
            return None
        if joint.name in own:
            return own[joint.name]
        if joint.mimic is None:
            own[joint.name] = coordinate(word(joint.name))
        else:
            leader, factor, offset = joint.mimic
            if leader in behind or leader == joint.name:
                raise joint.element.error(f"joint '{joint.name}' mimics itself, by way of '{leader}'")
            place = self._place_of(all_[leader], all_, own, (*behind, joint.name))
            if place is None:
                raise joint.element.error(f"joint '{joint.name}' mimics '{leader}', which has no single coordinate")
            own[joint.name] = as_expression(factor * place + offset)
        return own[joint.name]

    def _beyond(self, parent: Place, joint: JointData, x: Expression | None) -> tuple[Place, Array, Expression | None]:
        """Where the child's axes are, the joint's own coordinates, and its single one."""
        at, none = parent.shifted(joint.place), np.empty(0, dtype=object)
        if np.any(joint.turn != np.eye(3)):
            at = at.turned(joint.turn, of_matrix(joint.turn))
        own = expressions([x]) if isinstance(x, Symbol) else none
        if joint.kind in ("revolute", "continuous"):
            R, u = turn_by(joint.axis, x)
            return at.turned(R, u, joint.axis * rate(as_expression(x))), own, x
        if joint.kind == "prismatic":
            return at.moved(joint.axis * x, joint.axis * rate(as_expression(x))), own, x
        if joint.kind == "planar":
            name = word(joint.name)
            own = expressions([coordinate(f"{name}.{letter}") for letter in ("x", "y", "angle")])
            d = axes_about(joint.axis)[:, :2] @ own[:2]
            R, u = turn_by(joint.axis, own[2])
            return at.moved(d, rate(d)).turned(R, u, joint.axis * rate(own[2])), own, None
        if joint.kind == "floating":
            return *self._floating(at, joint.name), None
        return at, none, None

    def _floating(self, at: Place, name: str) -> tuple[Place, Array]:
        """Axes that move freely: their place and a unit quaternion, in the axes before."""
        own = word(name)
        d = expressions([coordinate(f"{own}.{letter}") for letter in "xyz"])
        u = expressions([coordinate(f"{own}.u{i}") for i in range(4)])
        self._constraints |= unit_quaternion(own, u)
        self._usual[u[0]] = 1.0
        R, ω = free_turn(u)
        return at.moved(d, rate(d)).turned(R, u, ω), np.concatenate([d, u])


def from_urdf(path: str | PathLike[str], *, base: Literal["fixed", "free"] = "fixed") -> Robot:
    """The robot that a URDF file describes; every joint, also floating and planar ones and those that mimic others.

    base  whether its root link is fixed to the ground or moves freely

    Coordinates are those of the joints, in which a tree is fastest. Loops, which the format can not describe, are closed
    by joints between links, `robot.system(joints=[…])`. Visuals of simple shapes are drawn; meshes are not.

    >>> text = '''<robot name="pendulum"><link name="base"/><link name="bob">
    ... <inertial><origin xyz="0 0 -1"/><mass value="2"/></inertial></link>
    ... <joint name="pin" type="continuous"><parent link="base"/><child link="bob"/><axis xyz="0 1 0"/></joint></robot>'''
    >>> file = folder / "pendulum.urdf"
    >>> _ = file.write_text(text)
    >>> robot = zm.from_urdf(file)
    >>> robot
    Robot('pendulum', 2 links, 1 coordinates)
    >>> pin = robot.joints["pin"]
    >>> start = robot.system(gravity=10.0).start({pin.angle: np.pi / 2})
    >>> round(start[zm.rate(pin.rate)], 12)
    -10.0
    """
    if base not in ("fixed", "free"):
        raise ModelError(f"base is {base!r}; it is 'fixed' or 'free'")
    return Robot(read_urdf(path), base)


def _odd(link: LinkData) -> list[str]:
    """What is odd with a link."""
    J, rounding = link.inertia, TYPED * float(np.abs(link.inertia).max())
    a, b, c = np.linalg.eigvalsh(J)
    where = f"{link.element.file}, line {link.element.line}: "
    if a < -rounding:
        return [where + f"the inertia of link '{link.name}' has a negative principal moment, {a:g} kg m²"]
    if a + b < c - rounding:
        return [where + f"no distribution of mass has the inertia of link '{link.name}': {a:g} + {b:g} < {c:g} kg m²"]
    return []
