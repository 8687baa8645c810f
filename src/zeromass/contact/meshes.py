"""Bodies as hulls, to be drawn: the points of their outside that belong to many normals."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from zeromass.model.shapes import Hull

if TYPE_CHECKING:
    from zeromass.contact.roller import Roller

CIRCLES = 24
"""Circles of normals between the poles; each has twice as many."""


def mesh_of(solid: Roller) -> Hull:
    """The outside of a body in numbers, from its centre in its axes."""
    directions, faces = _globe()
    return Hull(solid.farthest(directions, {}), np.array(faces))


@lru_cache(maxsize=1)
def _globe() -> tuple[np.ndarray, tuple[tuple[int, int, int], ...]]:
    """Directions on circles about the third axis, closer to one another near the equator and the poles, and triangles.

    Bodies that are round about that axis have their edges there.
    """
    around = 2 * CIRCLES
    s = np.linspace(-1, 1, 2 * CIRCLES)
    tilt = np.pi / 2 * np.sign(s) * np.abs(s) ** 1.5
    tilt = np.clip(tilt, -np.pi / 2 + 1e-6, np.pi / 2 - 1e-6)
    angle = 2 * np.pi * np.arange(around) / around
    rings = [
        np.stack([np.cos(each) * np.cos(angle), np.cos(each) * np.sin(angle), np.full(around, np.sin(each))], axis=1)
        for each in tilt
    ]
    faces = []
    for i in range(len(rings) - 1):
        for j in range(around):
            a, b = i * around + j, i * around + (j + 1) % around
            faces += [(a, b, b + around), (a, b + around, a + around)]
    first, last = 0, (len(rings) - 1) * around
    faces += [(first, first + j + 1, first + j) for j in range(1, around - 1)]
    faces += [(last, last + j, last + j + 1) for j in range(1, around - 1)]
    return np.concatenate(rings), tuple(faces)
