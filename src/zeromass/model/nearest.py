"""The nearest point that satisfies linear equations, in the metric of the kinetic energy."""

from __future__ import annotations

import numpy as np

from zeromass.equation.rank import RANK_TOLERANCE, numerical_rank
from zeromass.equation.solution import freedom, nullspace_acceleration
from zeromass.equation.units import mass_units


def least_change(M: np.ndarray, A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The δ, (..., n), of least δᵀMδ with A δ = b, (..., m).

    Where M sees nothing, coordinates without mass among them, it is the shortest in comparable units: those in which
    masses are 1, and in which the constraints measure what has none.
    """
    _, d = mass_units(M, A)
    constraints = numerical_rank(A, units=d)
    return nullspace_acceleration(freedom(M, constraints, d, RANK_TOLERANCE), np.zeros(len(M)), b)
