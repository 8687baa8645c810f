"""MJCF files, MuJoCo's, as far as they describe trees."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike

import numpy as np

from zeromass.mechanism.description import ActuatorData, LinkData, RobotData
from zeromass.mechanism.mjcf.actuators import actuator_of
from zeromass.mechanism.mjcf.bodies import Bodies
from zeromass.mechanism.mjcf.words import Words, read_whole
from zeromass.mechanism.xml_lines import Element
from zeromass.model.given import given_path

SILENT = {
    *("asset", "compiler", "contact", "custom", "default", "extension", "keyframe", "option", "sensor", "size"),
    *("statistic", "visual", "worldbody", "actuator"),
}
"""What a file may have beside the tree: read elsewhere, or no part of the motion."""


def read_mjcf(path: str | PathLike[str], without: Sequence[str] = ()) -> RobotData:
    """What an MJCF file says; an error with its line where it can not be, or where it is more than a tree.

    without  sections to leave out
    """
    path = given_path(path, "arm.xml")
    root = read_whole(path)
    root.inside[:] = [one for one in root.inside if one.tag not in without]
    if root.tag != "mujoco":
        raise root.error(f"the file describes a <{root.tag}>, and not a <mujoco>")
    for one in root.inside:
        if one.tag not in SILENT and one.inside:
            words = "leave it out, without=[…], and close loops with zm.Spherical and the like"
            raise one.error(f"<{one.tag}> is more than a tree of bodies; {words}")
    words = Words.of(root)
    for name in ("settotalmass", "balanceinertia", "boundmass", "boundinertia"):
        if words.compiler.attributes.get(name, "false") not in ("false", "0", "-1"):
            raise words.compiler.error(f"{name} of <compiler> changes what bodies weigh; give their masses themselves")
    tree = Bodies(words)
    tree.links["world"] = LinkData("world", 0.0, np.zeros(3), np.zeros((3, 3)), (), root)
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


def _gravity(root: Element) -> np.ndarray:
    g = np.array([0.0, 0.0, -9.81])
    for option in root.all("option"):
        g = option.vector("gravity", (0.0, 0.0, -9.81)) if "gravity" in option.attributes else g
        for name in ("density", "viscosity"):
            if option.number(name, 0.0):
                raise option.error(f"{name} of <option>: drag of a medium is not known; give it as forces")
        if "wind" in option.attributes and np.any(option.vector("wind", (0.0, 0.0, 0.0))):
            raise option.error("wind of <option> is not known; give it as forces")
    return g
