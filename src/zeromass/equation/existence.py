"""Whether there is any motion: contradicting constraints, and forces on nothing."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arguments import Problem
from .rank import Rank, contradiction, negligible
from .scaling import Array
from .stack import Index, times


class Obstacle(NamedTuple):
    """Whether a problem has no motion, and the vector y, (..., k), that shows why."""

    present: NDArray[np.bool_]
    vector: Array  # y / scale, in equilibrated units, where its entries can be compared
    scale: Array

    def certificate(self, index: Index, tolerance: float) -> Array:
        """y of one problem, its largest entry 1 and negligible ones 0; empty where there is no obstacle."""
        if not self.present[index]:
            return np.zeros(0)
        share = self.vector[index]
        y = np.where(negligible(share, np.abs(share).max(), tolerance), 0.0, share * self.scale[index])
        return y / np.abs(y).max()


def contradicting_rows(
    given: Problem, f: Array, qdd: Array, constraints: Rank, b_error: Array, tolerance: float
) -> Obstacle:
    """Combinations y of the rows with yᵀA = 0 but yᵀb ≠ 0.

    b is compared with itself, with A q̈, and with A a, where a_i = f_i / M_ii is what the force f would do to
    a coordinate that has mass if it were alone. A body that rests under its weight has b = 0 and q̈ = 0 up to
    round-off, but its weight says how large a round-off may be.
    """
    mass = np.diagonal(given.M, axis1=-2, axis2=-1)
    alone = np.abs(f) / np.where(mass > 0.0, mass, np.inf)
    sizes = np.abs(given.b) + times(np.abs(given.A), np.abs(qdd) + alone)
    r = constraints.row_scale
    present, vector = contradiction(constraints.left, constraints, r * given.b, r * sizes, r * b_error, tolerance)
    return Obstacle(present, vector, r)


def impossible_force(given: Problem, f: Array, qdd: Array, total: Rank, f_error: Array, tolerance: float) -> Obstacle:
    """Directions w that have neither mass nor constraint, [M; A] w = 0, but a force, wᵀf ≠ 0.

    f is compared with itself and with the inertial force M q̈.
    """
    sizes = np.abs(f) + times(np.abs(given.M), np.abs(qdd))
    c = total.column_scale
    present, vector = contradiction(total.right, total, c * f, c * sizes, c * f_error, tolerance)
    return Obstacle(present, vector, c)
