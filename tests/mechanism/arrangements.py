"""Every joint between two bodies that lie anyhow, and the number of motions that it takes away."""

from __future__ import annotations

from typing import Any

import numpy as np

import zeromass as zm

AT, AXIS = np.array([0.3, -0.2, 0.5]), np.array([0.48, -0.6, 0.64])
ACROSS = np.array([0.8, 0.64, 0.0])  # of length > 1, at right angles to AXIS


def inertia(random: np.random.Generator) -> np.ndarray:
    """Of a body of eight random masses."""
    p = random.normal(size=(8, 3))
    return np.sum([(x @ x) * np.eye(3) - np.outer(x, x) for x in p - p.mean(axis=0)], axis=0)


def bodies(random: np.random.Generator) -> tuple[zm.RigidBody, zm.RigidBody]:
    """Two, anywhere and turned anyhow."""
    made = [
        zm.RigidBody(
            name, random.uniform(1, 3), inertia(random), at=random.normal(size=3), orientation=random.normal(size=4)
        )
        for name in "ab"
    ]
    return made[0], made[1]


def curve(s: Any) -> tuple[Any, Any, Any]:
    return 0.3 * np.cos(s), 0.2 * np.sin(s), 0.1 * s


def surface(X: Any, Y: Any, Z: Any) -> Any:
    return X**2 + 2 * Y**2 + 3 * Z**2 - 1.5


JOINTS = {
    "fixed": (6, lambda a, b: zm.joints.Fixed(a, b, at=AT)),
    "revolute": (5, lambda a, b: zm.joints.Revolute(a, b, at=AT, axis=AXIS)),
    "prismatic": (5, lambda a, b: zm.joints.Prismatic(a, b, at=AT, axis=AXIS)),
    "cylindrical": (4, lambda a, b: zm.joints.Cylindrical(a, b, at=AT, axis=AXIS)),
    "screw": (5, lambda a, b: zm.joints.Screw(a, b, at=AT, axis=AXIS, pitch=0.7)),
    "planar": (3, lambda a, b: zm.joints.Planar(a, b, at=AT, axis=AXIS)),
    "spherical": (3, lambda a, b: zm.joints.Spherical(a, b, at=AT)),
    "universal": (4, lambda a, b: zm.joints.Universal(a, b, at=AT, axes=(AXIS, ACROSS))),
    "constant velocity": (4, lambda a, b: zm.joints.ConstantVelocity(a, b, at=AT, axis=AXIS)),
    "point on line": (2, lambda a, b: zm.joints.PointOnLine(a, b, at=AT, axis=AXIS)),
    "point on plane": (1, lambda a, b: zm.joints.PointOnPlane(a, b, at=AT, normal=AXIS)),
    "point on curve": (2, lambda a, b: zm.joints.PointOnCurve(a, b, curve, on=(0.1, 0.2, 0.3), near=0.4)),
    "point on surface": (1, lambda a, b: zm.joints.PointOnSurface(a, b, surface, on=(0.1, 0.2, 0.3))),
    "distance": (1, lambda a, b: zm.joints.Distance(a, b, at=((0.1, 0.2, 0.3), (-0.2, 0.1, 0.4)))),
}
"""{name: (motions that it takes away, how it is made)}."""
