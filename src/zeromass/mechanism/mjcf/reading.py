"""MJCF files, MuJoCo's, as far as they describe trees."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike

import numpy as np

from zeromass.mechanism.description import ActuatorData, LinkData, RobotData
from zeromass.mechanism.mjcf.actuators import actuator_of
from zeromass.mechanism.mjcf.bodies import Bodies
from zeromass.mechanism.mjcf.known import look_through
from zeromass.mechanism.mjcf.words import Words, read_whole
from zeromass.mechanism.xml_lines import Element
from zeromass.model.given import given_all, given_path

MORE = ("equality", "tendon", "deformable")
"""Sections of what is more than a tree."""

SWITCHES = ("actuation", "clampctrl", "constraint", "damper", "frictionloss", "passive", "spring")
"""Flags that take away what a tree has, but for gravity."""


def read_mjcf(path: str | PathLike[str], without: Sequence[str] = ()) -> RobotData:
    """What an MJCF file says; an error with its line where it can not be, or where it is more than a tree.

    without  sections to leave out
    """
    path = given_path(path, "arm.xml")
    root = read_whole(path)
    left_out = [without] if isinstance(without, str) else given_all(without, str, "without", "the name of a section")
    root.inside[:] = [one for one in root.inside if one.tag not in left_out]
    if root.tag != "mujoco":
        raise root.error(f"the file describes a <{root.tag}>, and not a <mujoco>")
    for one in root.inside:
        if one.tag in MORE and one.inside:
            words = "leave it out, without=[…], and close loops with zm.joints.Spherical and the like"
            raise one.error(f"<{one.tag}> is more than a tree of bodies; {words}")
    look_through(root)
    words = Words.of(root)
    _weights_stay(words.compiler)
    world = LinkData("world", 0.0, np.zeros(3), np.zeros((3, 3)), (), root)
    tree = Bodies(words, world, {"body": _names(root, "body"), "joint": _names(root, "joint", "freejoint")})
    for world in root.all("worldbody"):
        tree.inside(world, "world", "main")
    if not tree.joints:
        raise root.error("the world has no bodies")
    joints = {joint.name: joint for joint in tree.joints}
    acting = [one for section in root.all("actuator") for one in section.inside]
    actuators = tuple(actuator_of(one, words, joints, k) for k, one in enumerate(acting))
    return RobotData(
        root.attributes.get("model", path.stem),
        "world",
        tree.links,
        tuple(tree.joints),
        _apart(actuators),
        _gravity(root),
    )


def _apart(actuators: tuple[ActuatorData, ...]) -> tuple[ActuatorData, ...]:
    seen: set[str] = set()
    for one in actuators:
        if one.name in seen:
            raise one.element.error(f"a second actuator has the name '{one.name}'")
        seen.add(one.name)
    return actuators


def _names(element: Element, *tags: str) -> set[str]:
    """Names of all elements of these tags in the world."""
    found: set[str] = set()
    waiting = [element]
    while waiting:
        for one in waiting.pop().inside:
            if one.tag in ("worldbody", "body", "frame"):
                waiting.append(one)
            if one.tag in tags:
                found.add(one.attributes.get("name", ""))
    return found


def _weights_stay(compiler: Element) -> None:
    """Raises where the compiler is to change what bodies weigh."""
    least = {"settotalmass": -1.0, "boundmass": 0.0, "boundinertia": 0.0}
    changing = [name for name, none in least.items() if compiler.number(name, none) > max(none, 0.0)]
    if compiler.attributes.get("balanceinertia") == "true":
        changing.append("balanceinertia")
    if changing:
        raise compiler.error(f"{changing[0]} of <compiler> changes what bodies weigh; give their masses themselves")


def _gravity(root: Element) -> np.ndarray:
    """Of <option>, with which a look at what else it says of the motion."""
    g, none = np.array([0.0, 0.0, -9.81]), False
    for option in root.all("option"):
        if option.attributes.get("actuatorgroupdisable", "").split():
            raise option.error("actuatorgroupdisable of <option> is not known; leave the actuators themselves out")
        for flag in option.all("flag"):
            none = flag.attributes.get("gravity", "disable" if none else "enable") == "disable"
            off = [name for name in SWITCHES if flag.attributes.get(name, "enable") != "enable"]
            if off:
                raise flag.error(f"{off[0]} of <flag> is not known; leave out, in the file itself, what it disables")
        g = option.vector("gravity", (0.0, 0.0, -9.81)) if "gravity" in option.attributes else g
        for name in ("density", "viscosity"):
            if option.number(name, 0.0):
                raise option.error(f"{name} of <option>: drag of a medium is not known; give it as forces")
        if "wind" in option.attributes and np.any(option.vector("wind", (0.0, 0.0, 0.0))):
            raise option.error("wind of <option> is not known; give it as forces")
    return np.zeros(3) if none else g
