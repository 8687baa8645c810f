"""Volume, centroid and moments of a convex body, from its outside.

Over the outside, whose points s(d) belong to all unit normals d, with dA = det(∂s/∂d along the surface) dd:

    V = ⅓ ∮ s·d dA,   ∫ x dV = ¼ ∮ s (s·d) dA,   ∫ x xᵀ dV = ⅕ ∮ s sᵀ (s·d) dA
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

FEW, MANY = 16, 256
"""Circles of directions to begin with, each with twice as many on it, and to end with at the latest."""

SAME = 1e-12
"""Change of the moments, as a part of them, below which there are enough directions."""


class Moments(NamedTuple):
    """Of a body of density 1.

    volume    m³
    centroid  m, shape (3,)
    inertia   about the centroid, m⁵, shape (3, 3)
    """

    volume: float
    centroid: np.ndarray
    inertia: np.ndarray


Outside = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
"""Of unit normals (k, 3), to points (k, 3) and areas by solid angle (k,)."""


def moments(outside: Outside) -> Moments:
    """By Gauss's rule along the height and even angles about it, doubled until nothing changes."""
    before, count = _summed(outside, FEW), FEW
    while True:
        count *= 2
        sums = _summed(outside, count)
        settled = np.abs(sums - before).max() <= SAME * np.abs(sums).max()
        if settled or count >= MANY:
            break
        before = sums
    volume, first, second = sums[0], sums[1:4], sums[4:].reshape(3, 3)
    centroid = _plain(first / volume, np.sqrt(np.trace(second) / volume))
    second = (second + second.T) / 2 - volume * np.outer(centroid, centroid)
    inertia = np.trace(second) * np.eye(3) - second
    return Moments(float(volume), centroid, _plain(inertia, np.abs(inertia).max()))


def _plain(values: np.ndarray, size: float) -> np.ndarray:
    """Numbers without those that are rounding beside others of some size: what is symmetric stays so."""
    return np.where(np.abs(values) <= SAME * size, 0.0, values)


def _summed(outside: Outside, count: int) -> np.ndarray:
    """V, ∫ x and ∫ x xᵀ, shape (13,), each in units of the size of the body to its power."""
    heights, weights = np.polynomial.legendre.leggauss(count)
    angles = 2 * np.pi * (np.arange(2 * count) + 0.5) / (2 * count)
    across = np.sqrt(1 - heights**2)
    d = np.stack(
        [np.outer(across, np.cos(angles)), np.outer(across, np.sin(angles)), np.repeat(heights[:, None], 2 * count, 1)],
        -1,
    ).reshape(-1, 3)
    w = np.repeat(weights * np.pi / count, 2 * count)
    s, area = outside(d)
    flux = w * area * np.einsum("ki,ki->k", s, d)
    return np.array([flux.sum() / 3, *(flux @ s / 4), *(np.einsum("k,ki,kj->ij", flux, s, s).ravel() / 5)])
