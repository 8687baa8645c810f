"""Plates of any outline: a polygon without holes, cut into triangles, and its prism."""

from __future__ import annotations

from typing import Any

import numpy as np

from zeromass.errors import ModelError
from zeromass.model.given import given_numbers

CROSSED = "the outline of a plate crosses itself, or has corners twice"


def prism(outline: Any, thickness: float) -> np.ndarray:
    """Triangles of a plate about the plane Z = 0, seen from outside, shape (count, 3, 3)."""
    corners = given_numbers(outline, "the outline of a plate")
    if corners.ndim != 2 or corners.shape[1] != 2 or len(corners) < 3 or not np.all(np.isfinite(corners)):
        raise ModelError(f"the outline of a plate is three points or more of two components, not {corners.shape}")
    x, y = corners.T
    area = float(x @ np.roll(y, -1) - y @ np.roll(x, -1))
    if area < 0:
        corners = corners[::-1]  # counterclockwise
    faces = corners[_ears(corners)]
    areas = _turn(*faces.transpose(1, 0, 2))
    if not area or np.any(areas < 0) or not np.isclose(areas.sum(), abs(area), rtol=1e-9):
        raise ModelError(CROSSED)
    ring, after = corners, np.roll(corners, -1, axis=0)
    low, high = -thickness / 2, thickness / 2
    top, bottom = (_at(faces, z) for z in (high, low))
    sides = [_at(np.stack(pair, axis=1), 0.0) for pair in ((ring, after, after), (ring, after, ring))]
    sides[0][..., 2], sides[1][..., 2] = (low, low, high), (low, high, high)
    return np.concatenate([top, bottom[:, ::-1], *sides])


def _at(points: np.ndarray, z: float) -> np.ndarray:
    return np.concatenate([points, np.full((*points.shape[:-1], 1), z)], axis=-1)


def _ears(corners: np.ndarray) -> np.ndarray:
    """Triangles of a polygon, three corners each: ears are cut off, triangles of neighbours with no other corner inside."""
    left, found = list(range(len(corners))), []
    while len(left) > 3:
        for k in range(len(left)):
            a, b, c = (left[(k + d) % len(left)] for d in (-1, 0, 1))
            others = corners[[j for j in left if j not in (a, b, c)]]
            if _turn(*corners[[a, b, c]]) > 0 and not np.any(_inside(others, *corners[[a, b, c]])):
                found.append((a, b, c))
                left.remove(b)
                break
        else:
            raise ModelError(CROSSED)
    return np.array([*found, left])


def _turn(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> Any:
    """Twice the area of a triangle, positive where it goes counterclockwise."""
    return (b[..., 0] - a[..., 0]) * (c[..., 1] - a[..., 1]) - (b[..., 1] - a[..., 1]) * (c[..., 0] - a[..., 0])


def _inside(p: np.ndarray, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    return (_turn(a, b, p) >= 0) & (_turn(b, c, p) >= 0) & (_turn(c, a, p) >= 0)
