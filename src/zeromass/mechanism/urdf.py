"""URDF files, read with our own few lines: the format is small, and an error should say the line, which no library does."""

from __future__ import annotations

import os
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from zeromass.errors import ModelError
from zeromass.mechanism.description import CollisionData, JointData, LinkData, RobotData
from zeromass.mechanism.mesh import MeshFile
from zeromass.mechanism.turns import direction, of_matrix
from zeromass.mechanism.xml_lines import Element, read_xml
from zeromass.model.given import given_path
from zeromass.model.shapes import Box, Dot, Hull, Look, Rod, Shape

RIGHT = 1e-15
"""rad: a turn that is so near to a multiple of π/2 is one; π/2 itself is not, in double precision."""

KINDS = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")

WORDS = {
    "joint": "name type",
    "inertial": "",
    "origin": "xyz rpy",
    "mass": "value",
    "inertia": "ixx ixy ixz iyy iyz izz",
    "parent": "link",
    "child": "link",
    "axis": "xyz",
    "limit": "lower upper effort velocity acceleration deceleration jerk",
    "dynamics": "damping friction",
    "mimic": "joint multiplier offset",
}
"""Elements that say how a robot moves, and their attributes; others of these are refused."""

INSIDE = {
    "robot": "link joint material transmission gazebo",
    "link": "inertial visual collision",
    "joint": "origin parent child axis limit dynamics mimic calibration safety_controller",
    "inertial": "origin mass inertia",
}
"""What may stand in what: in joints and inertials nothing else, and once; in a robot or a link all else is remarked."""


def read_urdf(path: str | PathLike[str]) -> RobotData:
    """What a URDF file says; an error with its line where it can not be."""
    path = given_path(path, "arm.urdf")
    robot = read_xml(path)
    if robot.tag != "robot":
        raise robot.error(f"the file describes a <{robot.tag}>, and not a <robot>")
    remarks = _looked_through(robot)
    links = _named(robot, "link", _link)
    joints = _named(robot, "joint", _joint)
    if not links:
        raise robot.error("the robot has no links")
    for joint in joints.values():
        for role in ("parent", "child"):
            if getattr(joint, role) not in links:
                known = ", ".join(list(links)[:8])
                words = (
                    f"joint '{joint.name}' has the {role} '{getattr(joint, role)}', which is no link; there are {known}"
                )
                raise joint.element.error(words)
        if joint.mimic is not None and joint.mimic[0] not in joints:
            raise joint.element.error(f"joint '{joint.name}' mimics '{joint.mimic[0]}', which is no joint")
    name = robot.attributes.get("name", path.stem)
    return RobotData(name, *_tree(robot, links, joints), remarks=tuple(remarks))


def _looked_through(element: Element) -> list[str]:
    """What is left out, in words; an error where that might be part of the motion."""
    remarks, seen = [], set()
    for one in element.inside:
        if one.tag.startswith("xacro:"):
            raise one.error(f"<{one.tag}>: the file is not URDF yet; let xacro make that of it first")
        if one.tag not in INSIDE[element.tag].split():
            said = f"<{one.tag}> inside <{element.tag}> is not known"
            if element.tag in ("joint", "inertial"):
                raise one.error(said)
            remarks.append(f"{one.file}, line {one.line}: {said}, and left out")
        if one.tag in seen and one.tag in (*WORDS, "inertial") and element.tag != "robot":
            raise one.error(f"a second <{one.tag}> inside <{element.tag}>")
        seen.add(one.tag)
        for name in one.attributes if one.tag in WORDS else ():
            if name not in WORDS[one.tag].split():
                raise one.error(f"{name}=… of <{one.tag}> is not known; it has {WORDS[one.tag].replace(' ', ', ')}")
        if one.tag in INSIDE:
            remarks += _looked_through(one)
    return remarks


def _named(robot: Element, tag: str, made: Callable[[Element], Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for element in robot.all(tag):
        name = element.word("name")
        if name in found:
            first = found[name].element.line
            raise element.error(f"a second {tag} has the name '{name}', which that on line {first} has")
        found[name] = made(element)
    return found


def _tree(
    robot: Element, links: dict[str, LinkData], joints: dict[str, JointData]
) -> tuple[str, dict[str, LinkData], tuple[JointData, ...]]:
    """The root, and joints in the order in which they are reached from it."""
    above: dict[str, JointData] = {}
    for joint in joints.values():
        if joint.child in above:
            other = above[joint.child]
            raise joint.element.error(
                f"link '{joint.child}' hangs on two joints, '{other.name}' (line {other.element.line}) and '{joint.name}'; "
                "a file describes a tree: leave one out and close the loop with a zm.joints.Revolute or the like"
            )
        above[joint.child] = joint
    roots = [name for name in links if name not in above]
    if len(roots) != 1:
        words = (
            f"{len(roots)} links hang on nothing: {', '.join(roots)}" if roots else "every link hangs on another one"
        )
        raise robot.error(f"{words}; a robot has one root")
    below: dict[str, list[JointData]] = {}
    for joint in joints.values():
        below.setdefault(joint.parent, []).append(joint)
    place = {name: k for k, name in enumerate(joints)}
    order, now = [], below.get(roots[0], [])
    while now:
        order += now
        now = sorted((one for joint in now for one in below.get(joint.child, [])), key=lambda one: place[one.name])
    if len(order) < len(joints):
        reached = {joint.name for joint in order}
        left = next(joint for joint in joints.values() if joint.name not in reached)
        raise left.element.error(f"joint '{left.name}' is part of a loop that nothing connects with the root")
    return roots[0], links, tuple(order)


def _link(element: Element) -> LinkData:
    name, inertial = element.word("name"), element.one("inertial")
    mass, center, J = 0.0, np.zeros(3), np.zeros((3, 3))
    if inertial is not None:
        center, R = _origin(inertial)
        weighed, shaped = inertial.one("mass"), inertial.one("inertia")
        if weighed is None:
            raise inertial.error(f"<inertial> of link '{name}' has no <mass value=…>")
        mass = weighed.number("value")
        if mass < 0:
            raise weighed.error(f"the mass of link '{name}' is {mass:g}; it is zero or positive")
        if shaped is not None:
            xx, xy, xz, yy, yz, zz = (shaped.number(k, 0.0) for k in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
            J = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
            J = (J + J.T) / 2
    seen = [_look(visual, center) for visual in element.all("visual")]
    touch = [_collision(collision, center) for collision in element.all("collision")]
    looks = tuple(one for one in seen if isinstance(one, Look))
    remarks = tuple(one for one in (*seen, *touch) if isinstance(one, str))
    collisions = tuple(one for one in touch if isinstance(one, CollisionData))
    return LinkData(name, mass, center, J, looks, element, remarks, collisions)


def _collision(collision: Element, center: np.ndarray) -> CollisionData | str | None:
    """What of a link touches others, or why that is left out; None of one that says nothing."""
    geometry = collision.one("geometry")
    if geometry is None:
        return None
    place, R = _origin(collision)
    for one in geometry.inside:
        if one.tag == "mesh":
            path = mesh_file(one.word("filename"), one.path)
            if path is not None:
                mesh = MeshFile(path, one.vector("scale", (1.0, 1.0, 1.0)).tolist())
                return CollisionData("mesh", (), place - center, R, mesh)
        elif one.tag in ("sphere", "cylinder", "capsule"):
            sizes = [one.number(name) for name in ("radius", "length") if name == "radius" or one.tag != "sphere"]
            return CollisionData(one.tag, tuple(sizes), place - center, R)
        elif one.tag == "box":
            return CollisionData("box", tuple(one.vector("size", (0.0, 0.0, 0.0)).tolist()), place - center, R)
    where = f"{collision.file}, line {collision.line}"
    return f"{where}: a collision shape is left out: it is not known, or its mesh is not there"


def _look(visual: Element, center: np.ndarray) -> Look | str:
    """A visual, or why it can not be shown."""
    geometry = visual.one("geometry")
    if geometry is None:
        raise visual.error("<visual> has no <geometry>")
    place, R = _origin(visual)
    shape: Shape | Hull | None = None
    for one in geometry.inside:
        if one.tag == "box":
            shape = Box(tuple(one.vector("size", (0.0, 0.0, 0.0)).tolist()))  # type: ignore[arg-type]
        elif one.tag == "cylinder":
            shape = Rod(one.number("length"), one.number("radius"))
        elif one.tag == "sphere":
            shape = Dot(one.number("radius"))
        elif one.tag == "mesh":
            path = mesh_file(one.word("filename"), one.path)
            if path is None:
                name = one.word("filename")
                return f"{one.file}, line {one.line}: '{name}' is not drawn: it is not there, or no .stl or .obj"
            shape = MeshFile(path, one.vector("scale", (1.0, 1.0, 1.0)).tolist())
    if shape is None:
        return f"{visual.file}, line {visual.line}: a visual is not drawn: it is no box, cylinder, sphere or mesh"
    return Look(shape, tuple((place - center).tolist()), tuple(of_matrix(R).tolist()))  # type: ignore[arg-type]


def mesh_file(name: str, described: Path) -> Path | None:
    """The file that a description calls so: beside it, or in a package, a folder above it or in ROS_PACKAGE_PATH."""
    folder = described.resolve().parent
    if name.startswith("package://"):
        package, _, inner = name.removeprefix("package://").partition("/")
        above = [one for one in (folder, *folder.parents) if one.name == package]
        beside = [one / package for one in folder.parents]
        known = [Path(one) for one in os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep) if one]
        places = [one / inner for one in (*above, *beside, *(one / package for one in known), *known)]
    else:
        places = [folder / name.removeprefix("file://")]
    readable = [place for place in places if place.suffix.lower() in (".stl", ".obj") and place.is_file()]
    return readable[0] if readable else None


def _joint(element: Element) -> JointData:
    name, kind = element.word("name"), element.word("type")
    if kind not in KINDS:
        raise element.error(f"joint '{name}' is of the type '{kind}'; there are {', '.join(KINDS)}")
    ends = []
    for role in ("parent", "child"):
        end = element.one(role)
        if end is None:
            raise element.error(f"joint '{name}' has no <{role} link=…>")
        ends.append(end.word("link"))
    place, turn = _origin(element)
    given, axis = element.one("axis"), np.array([1.0, 0.0, 0.0])
    if given is not None and kind not in ("fixed", "floating"):
        try:
            axis = direction(given.vector("xyz", (1.0, 0.0, 0.0)), f"joint '{name}'")
        except ModelError as error:
            raise given.error(str(error)) from None
    limit, dynamics, mimic = element.one("limit"), element.one("dynamics"), element.one("mimic")
    bounded = kind in ("revolute", "prismatic")
    if bounded and limit is None:
        raise element.error(f"joint '{name}' is {kind} and has no <limit …>; use the type continuous for one without")
    nothing = Element("", {}, element.path, element.line)
    limit, dynamics = limit or nothing, dynamics or nothing
    like = None
    if mimic is not None:
        like = (mimic.word("joint"), mimic.number("multiplier", 1.0), mimic.number("offset", 0.0))
    if kind in ("floating", "planar"):
        if like is not None:
            raise element.error(f"joint '{name}' is {kind} and mimics another; only what turns or slides can")
        if any(dynamics.number(word, 0.0) for word in ("damping", "friction")):
            raise element.error(f"joint '{name}' is {kind}; of its damping and friction nothing is known")
    low, high = (limit.number("lower", 0.0), limit.number("upper", 0.0)) if bounded else (-np.inf, np.inf)
    if low > high:
        raise limit.error(f"the limits of joint '{name}' are {low:g} and {high:g}; the first is the lower one")
    return JointData(
        name,
        kind,
        ends[0],
        ends[1],
        place,
        turn,
        element,
        axis,
        low=low,
        high=high,
        effort=limit.number("effort", -1.0),
        speed=limit.number("velocity", -1.0),
        damping=dynamics.number("damping", 0.0),
        friction=dynamics.number("friction", 0.0),
        mimic=like,
    )


def _origin(element: Element) -> tuple[np.ndarray, np.ndarray]:
    """Place and rotation matrix of <origin xyz rpy>: turns about the fixed axes X, then Y, then Z."""
    origin = element.one("origin")
    if origin is None:
        return np.zeros(3), np.eye(3)
    xyz, rpy = (origin.vector(name, (0.0, 0.0, 0.0)) for name in ("xyz", "rpy"))
    (cr, sr), (cp, sp), (cy, sy) = (_cos_sin(angle) for angle in rpy.tolist())
    R = np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )
    return xyz, R + 0.0


def _cos_sin(angle: float) -> tuple[float, float]:
    quarters = round(angle / (np.pi / 2))
    if abs(angle - quarters * np.pi / 2) <= RIGHT:
        return ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[quarters % 4]
    return float(np.cos(angle)), float(np.sin(angle))
