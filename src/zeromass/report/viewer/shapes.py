"""Shapes of bodies as the page reads them, and those of parts that were given none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from zeromass.expression import Expression, evaluate
from zeromass.model import Box, Dot, Mesh, Part, RigidBody, Rod, Shape, Shell, Wheel

THINNEST = 0.03
"""Smallest side of a box made from an inertia, as a part of its largest: a rod stays visible."""


def described(shape: Shape) -> dict[str, Any]:
    """A shape as the page reads it; `turn` is the quaternion from the shape's own axes to those of the body."""
    match shape:
        case Shell(radius, offset):
            return {"kind": "shell", "radius": radius, "offset": list(offset)}
        case Dot(radius):
            return {"kind": "dot", "radius": radius}
        case Mesh(points, faces):
            return {"kind": "mesh", "points": [list(p) for p in points], "faces": [list(f) for f in faces]}
        case Box(sides):
            return {"kind": "box", "sides": list(sides)}
        case Rod(length, radius, axis):
            return {"kind": "rod", "length": length, "radius": radius, "turn": _onto(axis)}
        case Wheel(radius, width, axis):
            return {"kind": "wheel", "radius": radius, "width": width, "turn": _onto(axis)}


def usual(part: Part, parameters: Mapping[Any, float], size: float) -> dict[str, Any]:
    """The shape of a part that was given none, in a scene of given size: a dot, or the box that has its inertia."""
    if not isinstance(part, RigidBody):
        mass = _value(part.mass, parameters)
        return {"kind": "dot", "radius": size * (0.018 if mass > 0 else 0.011), "marker": not mass > 0}
    mass = _value(part.mass, parameters)
    J = np.array([[_value(entry, parameters) for entry in row] for row in part.inertia])
    moments, axes = np.linalg.eigh((J + J.T) / 2)
    sides = np.full(3, 0.06 * size)
    if mass > 0 and moments.max() > 0:
        if np.allclose(axes @ np.diag(moments) @ axes.T, np.diag(np.diag(J)), atol=1e-9 * moments.max()):
            moments, axes = np.diag(J), np.eye(3)
        # A homogeneous box: J₁ = m (b² + c²)/12 and so on, hence a² = 6 (J₂ + J₃ − J₁)/m.
        sides = np.sqrt(np.maximum(6 * (moments.sum() - 2 * moments) / mass, 0.0))
        sides = np.maximum(sides, THINNEST * sides.max())
    if np.linalg.det(axes) < 0:
        axes = axes * np.array([1.0, 1.0, -1.0])
    return {"kind": "box", "sides": sides.tolist(), "turn": quaternions(axes[None])[0].tolist()}


def quaternions(R: np.ndarray) -> np.ndarray:
    """Unit quaternions (u0, u1, u2, u3) of rotation matrices, shape (n, 3, 3) → (n, 4), without jumps of sign.

    The symmetric matrix K below has the quaternion as its eigenvector of the largest eigenvalue [Bar-Itzhack 2000].
    """
    K = np.empty((len(R), 4, 4))
    trace = np.trace(R, axis1=1, axis2=2)
    vector = np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=1)
    K[:, 0, 0], K[:, 0, 1:], K[:, 1:, 0] = trace, vector, vector
    K[:, 1:, 1:] = R + R.transpose(0, 2, 1) - trace[:, None, None] * np.eye(3)
    u = np.linalg.eigh(K)[1][:, :, -1]
    u[0] *= -1.0 if u[0, 0] < 0 else 1.0
    flips = np.sign(np.einsum("ij,ij->i", u[1:], u[:-1]))
    u[1:] *= np.cumprod(np.where(flips == 0, 1.0, flips))[:, None]
    return u


def _onto(axis: Any) -> list[float]:
    """The quaternion that turns z onto an axis."""
    a = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    if a[2] < -1 + 1e-12:
        return [0.0, 1.0, 0.0, 0.0]
    u = np.array([1 + a[2], -a[1], a[0], 0.0])
    return (u / np.linalg.norm(u)).tolist()


def _value(e: Expression, parameters: Mapping[Any, float]) -> float:
    return float(evaluate(e, dict(parameters)))
