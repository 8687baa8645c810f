"""Planes that are no heights, such as walls: patches beside the path, which end where another plane begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

LEVEL = 1e-6
"""Of a direction that is no longer upwards in a plane."""


class Plane(NamedTuple):
    """Where n·x = d; bodies are where it is more. n is of length 1, d in m."""

    n: np.ndarray
    d: float


def patch(plane: Plane, path: np.ndarray, margin: float, others: Sequence[Plane] = ()) -> tuple[np.ndarray, np.ndarray]:
    """Corners, shape (k, 3), and triangles of a plane as far as a path and a margin go, cut off by others.

    One that others leave nothing of is not cut.
    """
    n, d = plane
    b = np.eye(3)[2] - n[2] * n
    b = np.eye(3)[1] - n[1] * n if np.linalg.norm(b) < LEVEL else b
    b = b / np.linalg.norm(b)
    a = np.cross(b, n)  # a × b = n: corners go round as seen by who stands before it
    (s0, t0), (s1, t1) = (f(path @ np.stack([a, b], axis=1), axis=0) for f in (np.nanmin, np.nanmax))
    whole = np.array([(s0, t0), (s1, t0), (s1, t1), (s0, t1)]) + margin * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    corners = d * n + whole @ np.stack([a, b])
    cut = corners
    for other in others:
        cut = _before(cut, other)
    corners = cut if len(cut) > 2 else corners
    fan = [(0, k, k + 1) for k in range(1, len(corners) - 1)]
    return corners, np.array(fan)


def _before(corners: np.ndarray, plane: Plane) -> np.ndarray:
    """What of a convex polygon lies before a plane [Sutherland and Hodgman 1974]."""
    far = corners @ plane.n - plane.d
    kept: list[np.ndarray] = []
    for p, q, x, y in zip(corners, np.roll(corners, -1, axis=0), far, np.roll(far, -1), strict=True):
        if x >= 0:
            kept.append(p)
        if (x < 0) != (y < 0):
            kept.append(p + x / (x - y) * (q - p))
    return np.array(kept).reshape(-1, 3)
