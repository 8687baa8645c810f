"""Turns in numbers and in formulas: products of quaternions, and axes to measure them from."""

from __future__ import annotations

from typing import Any

import numpy as np

from zeromass.errors import ModelError
from zeromass.model.given import shown
from zeromass.model.quaternion import rotation


def inverse(p: Any) -> np.ndarray:
    """The turn back, of a unit quaternion."""
    p0, p1, p2, p3 = p
    return np.array([p0, -p1, -p2, -p3])


def of_matrix(S: np.ndarray) -> np.ndarray:
    """The unit quaternion of a rotation matrix, in numbers."""
    q = np.empty(4)
    q[0] = 1.0 + np.trace(S)
    for i in range(3):
        q[1 + i] = 1.0 + 2.0 * S[i, i] - np.trace(S)
    k = int(np.argmax(q))  # the largest component divides the others
    axial = np.array([S[2, 1] - S[1, 2], S[0, 2] - S[2, 0], S[1, 0] - S[0, 1]])
    if k == 0:
        u = np.array([q[0], *axial])
    else:
        i = k - 1
        u = np.array([axial[i], *(S[i] + S[:, i])])
        u[k] = q[k]
    return u / np.linalg.norm(u)


def direction(axis: Any, what: str) -> np.ndarray:
    """An axis in numbers, of length 1."""
    try:
        a = np.zeros(0) if np.iscomplexobj(axis) else np.asarray(axis, dtype=float)
    except (TypeError, ValueError, OverflowError):
        a = np.zeros(0)
    if a.shape != (3,) or not np.all(np.isfinite(a)):
        raise ModelError(f"the axis of {what} is {shown(axis)}; it is three numbers")
    size = float(np.linalg.norm(a))
    if size == 0.0:
        raise ModelError(f"the axis of {what} is {shown(axis)}, of length zero; it needs a direction")
    return a / size


def axes_about(z: np.ndarray, x: np.ndarray | None = None) -> np.ndarray:
    """Right-handed axes, columns of a (3, 3) matrix, the third along z, the first near to x if given."""
    near = np.eye(3)[int(np.argmin(np.abs(z)))] if x is None else x
    across = near - (near @ z) * z
    first = across / np.linalg.norm(across)
    return np.stack([first, np.cross(z, first), z], axis=1)


def shortest_turn(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The rotation matrix of the shortest turn that brings a unit vector a to b."""
    c = float(a @ b)
    if c < -1.0 + 1e-12:  # half a turn, about any axis across
        w = axes_about(a)[:, 0]
        return 2.0 * np.outer(w, w) - np.eye(3)
    return rotation(np.array([1.0 + c, *np.cross(a, b)]) / np.sqrt(2.0 * (1.0 + c))).astype(float)
