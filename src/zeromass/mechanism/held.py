"""A robot as free bodies that joints hold: slower than in the coordinates of its joints, and every reaction can be told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.expression import Evaluator, Symbol, symbols
from zeromass.mechanism.freedom import Turning
from zeromass.mechanism.geared import Gear
from zeromass.mechanism.ground import Ground
from zeromass.mechanism.joint import Connected
from zeromass.mechanism.lower import Fixed, Planar, Prismatic, Revolute
from zeromass.mechanism.urdf import word
from zeromass.model.errors import ModelError
from zeromass.model.parts import RigidBody

if TYPE_CHECKING:
    from zeromass.mechanism.link import Link
    from zeromass.mechanism.robot import RobotJoint

KINDS = {"revolute": Revolute, "continuous": Revolute, "prismatic": Prismatic, "planar": Planar}


def held(
    links: Mapping[str, Link], joints: Mapping[str, RobotJoint], usual: Mapping[Symbol, float], free: bool
) -> tuple[dict[str, RigidBody], dict[str, Connected]]:
    """Bodies and joints by their names, as drawn; the root is the ground unless it is free."""
    root = next(iter(links))
    ground = Ground(root)
    bodies: dict[str, RigidBody] = {}
    for name, link in links.items():
        if free or name != root:
            J = np.array([[e.value for e in row] for row in link.inertia])
            bodies[name] = RigidBody(word(name), link.mass, J, at=link.at, orientation=link.orientation)
            bodies[name].looks = link.looks
    made: dict[str, Connected] = {}
    for name, joint in joints.items():
        a, b = bodies.get(joint.parent, ground), bodies[joint.child]
        frame = links[joint.child].frame
        at, axis = _drawn(frame.origin, usual), _drawn(frame.rotation @ joint.data.axis, usual)
        if joint.kind in KINDS:
            made[name] = KINDS[joint.kind](a, b, at=at, axis=axis, name=word(name))
        elif joint.kind == "fixed":
            made[name] = Fixed(a, b, at=at, name=word(name))
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
            )  # as drawn, both are zero
    return bodies, made


def _drawn(e: Any, usual: Mapping[Symbol, float]) -> np.ndarray:
    """Values as drawn, where all coordinates are zero."""
    leaves = symbols(e)
    return Evaluator(e, leaves)(np.array([usual.get(x, 0.0) for x in leaves]))
