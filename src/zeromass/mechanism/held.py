"""A robot as free bodies that joints hold: slower than in the coordinates of its joints, and every reaction can be told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.errors import ModelError
from zeromass.expression import Evaluator, Symbol, symbols
from zeromass.mechanism.description import word
from zeromass.mechanism.freedom import Turning
from zeromass.mechanism.geared import Gear
from zeromass.mechanism.ground import Ground
from zeromass.mechanism.joint import Connected
from zeromass.mechanism.lower import Fixed, Planar, Prismatic, Revolute
from zeromass.mechanism.pointed import Spherical
from zeromass.model.parts import RigidBody

if TYPE_CHECKING:
    from zeromass.mechanism.link import BodyLink, Link, Place
    from zeromass.mechanism.robot_joint import RobotJoint

KINDS: dict[str, type[Revolute | Prismatic | Planar]] = {
    "revolute": Revolute,
    "continuous": Revolute,
    "prismatic": Prismatic,
    "planar": Planar,
}


def held(
    frames: Mapping[str, Place],
    links: Mapping[str, Link | BodyLink],
    joints: Mapping[str, RobotJoint],
    usual: Mapping[Symbol, float],
    *,
    free: bool,
) -> tuple[dict[str, RigidBody], dict[str, Connected]]:
    """Bodies and joints by their names, in the reference pose; the root is the ground unless it is free.

    What is between two joints, and no link, is a body without mass.
    """
    root = next(iter(frames))
    ground = Ground(root)
    bodies: dict[str, RigidBody] = {}
    for name, frame in frames.items():
        if free or name != root:
            link = links.get(name)
            mass, J, at = (
                (0.0, np.zeros((3, 3)), frame.origin) if link is None else (link.mass, _inertia(link), link.at)
            )
            u = _drawn(frame.quaternion, usual)
            bodies[name] = RigidBody(word(name), mass, J, at=_drawn(at, usual), orientation=u)
            bodies[name].looks = () if link is None else link.looks
    made: dict[str, Connected] = {}
    for name, joint in joints.items():
        a, b = bodies.get(joint.parent, ground), bodies[joint.child]
        place = frames[joint.child].shifted(joint.data.anchor)
        at, axis = _drawn(place.origin, usual), _drawn(place.rotation @ joint.data.axis, usual)
        if joint.kind in KINDS:
            made[name] = KINDS[joint.kind](a, b, at=at, axis=axis, name=word(name))
        elif joint.kind == "fixed":
            made[name] = Fixed(a, b, at=at, name=word(name))
        elif joint.kind == "ball":
            made[name] = Spherical(a, b, at=at, name=word(name))
    for name, joint in joints.items():
        if joint.data.mimic is not None:
            leader, ratio, _ = joint.data.mimic
            first, second = made[leader], made[name]
            if not isinstance(first, Turning) or not isinstance(second, Turning):
                raise ModelError(
                    f"joint '{name}' mimics '{leader}' and one of them slides; only turning ones can be held"
                )
            made[f"{name} mimics"] = Gear(
                first, second, ratio=ratio, name=f"{word(name)} mimics"
            )  # in the reference pose, both are zero
    return bodies, made


def _inertia(link: Link | BodyLink) -> np.ndarray:
    return np.array([[e.value for e in row] for row in link.inertia])


def _drawn(e: Any, usual: Mapping[Symbol, float]) -> np.ndarray:
    """Values in the reference pose, where all coordinates are zero."""
    leaves = symbols(e)
    return Evaluator(e, leaves)(np.array([usual.get(x, 0.0) for x in leaves]))
