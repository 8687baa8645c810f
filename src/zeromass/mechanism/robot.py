"""Robots from their descriptions: links whose places follow from joint coordinates, and loops that joints close."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np

from zeromass.expression import Array, Expression, Symbol, as_expression
from zeromass.mechanism.actuators import actuated
from zeromass.mechanism.description import LinkData, RobotData
from zeromass.mechanism.freedom import Acting
from zeromass.mechanism.held import held
from zeromass.mechanism.joint import Connected
from zeromass.mechanism.link import BodyLink, Link
from zeromass.mechanism.mjcf import read_mjcf
from zeromass.mechanism.robot_joint import RobotJoint
from zeromass.mechanism.stops import Stops
from zeromass.mechanism.tree import Tree
from zeromass.mechanism.urdf import read_urdf
from zeromass.model.connection import Connection
from zeromass.model.contact import ContactElement
from zeromass.model.forces import Forces, loads
from zeromass.model.given import Number, Vector, given_all, given_choice, given_flag, given_mapping
from zeromass.model.large import LARGE
from zeromass.model.parts import TYPED, Part, RigidBody
from zeromass.model.system import System

Coordinates = Literal["joints", "bodies"]

DEEP = 20
"""Joint coordinates behind one another up to which a robot is in the coordinates of its joints alone. Formulas grow along
a chain: the first result of one of 16 links takes 0.3 s so and 0.9 s with bodies, of one of 48 15 s and 0.9 s."""


class Robot:
    """A robot: links, joints, and the system that they make.

    links    by name; bodies for joints, forces and drawings
    joints   by name; `angle`, `rate`, `motor(…)`, `limits()` and so on
    inputs   of its actuators by name: parameters, zero by default
    stops    at the limits of its joints by name, where they were asked for: `force` of each
    remarks  what is odd in the description, in words: inertias that no body has, visuals that can not be shown, and
             elements that are left out

    >>> text = '''<robot name="slide"><link name="base"/><link name="puck">
    ... <inertial><mass value="1"/>
    ... <inertia ixx="1" iyy="1" izz="3"/></inertial></link>
    ... <joint name="table" type="planar"><parent link="base"/><child link="puck"/>
    ... <axis xyz="0 0 1"/></joint></robot>'''
    >>> _ = (folder / "slide.urdf").write_text(text)
    >>> robot = zm.from_urdf(folder / "slide.urdf")
    >>> robot.coordinates, robot.remarks
    (array([table.x, table.y, table.angle], dtype=object),
     ("slide.urdf, line 1: no distribution of mass has the inertia of link 'puck': 1 + 1 < 3 kg m²",))
    """

    def __init__(
        self,
        data: RobotData,
        base: Literal["fixed", "free"],
        kind: Coordinates | None = None,
        *,
        limits: bool = False,
        restitution: Number = 0.0,
    ) -> None:
        if kind is not None:
            given_choice(kind, "coordinates", ("joints", "bodies"))
        free = base == "free"
        bodies = _long(data, free) if kind is None else kind == "bodies"
        self.name: str = data.name
        self.gravity: Number | Vector = data.gravity
        odd = tuple(words for link in data.links.values() for words in _odd(link))
        self.remarks: tuple[str, ...] = data.remarks + odd
        self._tree: Tree = Tree(data, free=free, bodies=bodies)
        self.base: Array = self._tree.base
        self.links: dict[str, Link | BodyLink] = self._tree.links
        self.joints: dict[str, RobotJoint] = {}
        for joint, coordinates, single in self._tree.branches:
            child = [self.links[joint.child]] if joint.child in self.links else []
            self.joints[joint.name] = RobotJoint(joint, coordinates, single, child)
        self.stops: dict[str, Stops] = self._rigid_stops(restitution) if given_flag(limits, "limits") else {}
        inputs, actuators = actuated(data.actuators, self.joints)
        self.inputs: dict[str, Symbol] = inputs
        self.actuators: list[Acting] = actuators

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
        gravity: Number | Vector | Literal["described"] | None = "described",
        forces: Forces = None,
        joints: Iterable[Connection] = (),
        contacts: Iterable[ContactElement] = (),
        parts: Iterable[Part] = (),
        constraints: Mapping[str, Any] | None = None,
        losses: bool = True,
    ) -> System:
        """The equations of motion, under forces, with further parts, with joints that close loops, and with contacts.

        gravity  m/s², that of the description by default: 9.81 downwards where it says none
        losses   whether the damping and friction of the description act; its springs and actuators do
        """
        if isinstance(gravity, str):
            given_choice(gravity, "gravity", ("described",))
            gravity = self.gravity
        lost = self.losses if given_flag(losses, "losses") else ()
        further = {} if constraints is None else given_mapping(constraints, "constraints", "{name: expression}")
        skeleton = [] if self._tree.skeleton is None else [self._tree.skeleton]
        return System(
            [*self.parts, *given_all(parts, Part, "parts", "a part, such as zm.Particle(…)")],
            coordinates=list(self.coordinates),
            kinetic=self._armature,
            gravity=gravity,
            forces=[*loads(forces), *self.springs, *self.actuators, *lost],
            joints=[
                *skeleton,
                *self.stops.values(),
                *given_all(joints, object, "joints", "a joint, such as zm.joints.Revolute(…)"),
            ],
            contacts=contacts,
            constraints={**self._tree.constraints, **further},
        )

    def _rigid_stops(self, restitution: Number) -> dict[str, Stops]:
        """Stops at the limits of joints that have any."""
        ends = {joint.name: (joint.low, joint.high) for joint in self._single}
        bounded = [name for name, pair in ends.items() if np.isfinite(pair).any()]
        return {name: Stops(self.joints[name].turn, limits=ends[name], restitution=restitution) for name in bounded}

    @property
    def springs(self) -> list[Acting]:
        """Springs of the joints, as described."""
        return [joint.spring(joint.data.stiffness, joint.data.rest) for joint in self._single if joint.data.stiffness]

    @property
    def _single(self) -> list[RobotJoint]:
        return [joint for joint in self.joints.values() if joint.single]

    @property
    def _armature(self) -> Expression | None:
        """Energy of what turns or slides with joints alone, as rotors do, J."""
        with_rotor = [joint for joint in self.joints.values() if joint.data.armature]
        energies = [joint.data.armature / 2 * ẋ**2 for joint in with_rotor for ẋ in joint.speeds]
        return as_expression(sum(energies)) if energies else None

    @property
    def losses(self) -> list[Acting]:
        """Damping and dry friction of the joints, as described."""
        found: list[Acting] = []
        for joint in self.joints.values():
            if joint.data.damping:
                found += [Acting(ẋ, as_expression(-joint.data.damping * ẋ)) for ẋ in joint.speeds]
        for joint in self._single:
            found += [joint.friction(joint.data.friction)] if joint.data.friction else []
        return found

    def bodies_and_joints(self) -> tuple[dict[str, RigidBody], dict[str, Connected]]:
        """The robot as free bodies and the joints that hold them, by name, for `zm.System`.

        A small tree is faster in its own coordinates, `system`; here every joint is a constraint with a force. The root
        is the ground, unless the base is free. In the reference pose all coordinates and angles are zero. Springs, losses,
        armature and actuators of the description are not among them.
        """
        return held(self._tree.frames, self.links, self.joints, self._tree.drawn, free=len(self.base) > 0)


def from_urdf(
    path: str | PathLike[str],
    *,
    base: Literal["fixed", "free"] = "fixed",
    coordinates: Coordinates | None = None,
    limits: bool = False,
    restitution: Number = 0.0,
) -> Robot:
    """Robot from a URDF file, with all joint types: floating, planar and mimic joints too.

    base         the root link is fixed to the ground, or free
    coordinates  "joints": minimal coordinates, fastest for small trees; or "bodies": those of every link too, whose formulas
                 stay short in long chains. By default the number of joints decides
    limits       joints have rigid stops at the <limit> of the description; without it, `joint.limits()` are events
    restitution  coefficient of restitution of these stops, 0 to 1

    The format has no loops: close them by joints between links, `robot.system(joints=[…])`. The viewer shows visuals, also
    meshes from .stl and .obj files; `remarks` lists those it can not show. Unknown attributes of joints and inertials are
    errors; elements of other programs, such as <gazebo> and <transmission>, are ignored.

    >>> text = '''<robot name="pendulum"><link name="base"/><link name="bob">
    ... <inertial><origin xyz="0 0 -1"/><mass value="2"/></inertial></link>
    ... <joint name="pin" type="continuous"><parent link="base"/><child link="bob"/>
    ... <axis xyz="0 1 0"/></joint></robot>'''
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
    given_choice(base, "base", ("fixed", "free"))
    return Robot(read_urdf(path), base, coordinates, limits=limits, restitution=restitution)


def from_mjcf(
    path: str | PathLike[str],
    *,
    without: Sequence[str] = (),
    coordinates: Coordinates | None = None,
    limits: bool = False,
    restitution: Number = 0.0,
) -> Robot:
    """Robot from an MJCF file (MuJoCo); the model must be a tree.

    without      sections to leave out, such as "equality", "tendon" or "actuator"
    coordinates, limits, restitution  as of `from_urdf`; limits are the `range` of joints

    It reads bodies; hinge, slide, ball and free joints, several at a body too; inertias as given, or of geoms and their
    density, of meshes by MuJoCo's rule ("legacy" unless the file says otherwise); default classes, frames and included
    files; springs, damping, dry friction and armature of joints; actuators that are motors, servos of position or velocity,
    or linear, whose `inputs` are parameters. Coordinates are those of MuJoCo, of a free joint its place and unit quaternion.
    Geoms do not touch one another, and limits are events, `joint.limits()`, unless limits=True makes stops of them.
    A closed loop is an error that names its line: close loops by joints between links, `robot.system(joints=[…])`.

    >>> text = '''<mujoco model="pendulum"><compiler angle="radian"/><worldbody>
    ... <body name="bob" pos="0 0 2">
    ... <joint name="pin" axis="0 1 0"/>
    ... <geom type="sphere" size="0.001" pos="0 0 -1" mass="2"/></body></worldbody>
    ... <actuator><motor name="drive" joint="pin" gear="5"/></actuator></mujoco>'''
    >>> _ = (folder / "pendulum.xml").write_text(text)
    >>> robot = zm.from_mjcf(folder / "pendulum.xml")
    >>> pin, system = robot.joints["pin"], robot.system(gravity=10.0)
    >>> start = system.start({pin.angle: np.pi / 2}, parameters={robot.inputs["drive"]: 4.0})
    >>> round(start[zm.rate(pin.rate)], 5)  # (5 · 4 − m g l)/(m l²)
    0.0
    """
    return Robot(read_mjcf(path, without), "fixed", coordinates, limits=limits, restitution=restitution)


def _long(data: RobotData, free: bool) -> bool:
    """Whether the formulas of a robot in the coordinates of its joints are long: of a long chain, or of many joints."""
    own = {"fixed": 0, "floating": 7, "planar": 3, "ball": 4}
    base = 7 if free else 0
    above, whole = {data.root: base}, base
    for joint in data.joints:
        count = 0 if joint.mimic is not None else own.get(joint.kind, 1)
        above[joint.child] = above[joint.parent] + count
        whole += count
    return whole >= LARGE or max(above.values()) > DEEP


def _odd(link: LinkData) -> list[str]:
    """What is odd with a link."""
    return [*link.remarks, *_odd_inertia(link)]


def _odd_inertia(link: LinkData) -> list[str]:
    J, rounding = link.inertia, TYPED * float(np.abs(link.inertia).max())
    if not np.all(np.isfinite(J)):
        raise link.element.error(f"the inertia of link '{link.name}' is not finite")
    a, b, c = np.linalg.eigvalsh(J)
    where = f"{link.element.file}, line {link.element.line}: "
    if a < -rounding:
        return [where + f"the inertia of link '{link.name}' has a negative principal moment, {a:g} kg m²"]
    if a + b < c - rounding:
        return [where + f"no distribution of mass has the inertia of link '{link.name}': {a:g} + {b:g} < {c:g} kg m²"]
    return []
