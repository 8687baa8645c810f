"""Where bodies are that joints carry, one behind the other, where the joints' own coordinates are given.

Steps of Gauss–Newton from the drawing do not lead there along a long chain: its end goes far while each joint turns little.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.expression import Expression, Symbol
from zeromass.model.parts import RigidBody

if TYPE_CHECKING:
    from zeromass.model.system import System

Pose = tuple[np.ndarray, np.ndarray]
"""Place of a mass centre and quaternion of a body, in numbers."""

GROUND: Pose = np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])


def chained(system: System, given: Mapping[Expression, float]) -> dict[Symbol, float]:
    """Coordinates of all bodies of a tree of joints that are all given; none where anything else holds them.

    A joint tells by `beyond(pose of a, given)` where b is, or None.
    """
    joints: list[Any] = [joint for joint in system.joints if hasattr(joint, "beyond")]
    bodies = [part for part in system.parts if isinstance(part, RigidBody) and len(part.coordinates)]
    if not joints or not len(joints) == len(system.joints) == len(bodies) == len(system.parts):
        return {}
    known = set(bodies)
    below: dict[Any, list[Any]] = {}
    for joint in joints:
        below.setdefault(joint.a.body if joint.a.body in known else None, []).append(joint)
    poses: dict[Any, Pose] = {}
    waiting: list[tuple[Any, Pose]] = [(None, GROUND)]
    while waiting:
        body, pose = waiting.pop()
        for joint in below.get(body, ()):
            there = joint.beyond(pose, given)
            if there is None or joint.b.body in poses:
                return {}
            poses[joint.b.body] = there
            waiting.append((joint.b.body, there))
    found: dict[Symbol, float] = {}
    for body, (p, u) in poses.items():
        found |= zip(body.coordinates, [*p.tolist(), *u.tolist()], strict=True)
    return found if len(poses) == len(bodies) else {}
