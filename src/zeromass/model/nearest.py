"""The nearest point that satisfies linear equations, in the metric of the kinetic energy."""

from __future__ import annotations

import numpy as np

from zeromass.equation.rank import RANK_TOLERANCE, clearly_full, numerical_rank
from zeromass.equation.solution import clearly_unique, freedom, nullspace_acceleration
from zeromass.equation.units import mass_units, power_of_two_near, scaled

MISSED = 0.5
"""Part of the right side that a solution leaves of it, beyond which it is none."""


def least_change(M: np.ndarray, A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The δ, (..., n), of least δᵀMδ with A δ = b, (..., m).

    Where M sees nothing, coordinates without mass among them, it is the shortest in comparable units: those in which
    masses are 1, and in which the constraints measure what has none. A mass that is rounding beside those it is coupled to,
    as that of a quaternion along itself, is none where its units would drown the rest.
    """
    δ = _least(M, A, b)
    missed = np.abs(δ @ A.T - b).max(axis=-1, initial=0.0)
    if np.any(missed > MISSED * np.abs(b).max(axis=-1, initial=0.0)):
        coupled = np.where(M != 0.0, np.diagonal(M), 0.0).max(axis=-1, initial=0.0)
        whole = np.diagonal(M) > np.finfo(float).eps * coupled
        if not whole.all():
            δ = _least(np.where(whole[:, None] & whole, M, 0.0), A, b)
    return δ


def _least(M: np.ndarray, A: np.ndarray, b: np.ndarray) -> np.ndarray:
    _, d = mass_units(M, A)
    constraints = numerical_rank(A, units=d)
    return nullspace_acceleration(freedom(M, constraints, d, RANK_TOLERANCE), np.zeros(len(M)), b)


def clear_change(A: np.ndarray, b: np.ndarray, M: np.ndarray | None = None) -> np.ndarray | None:
    """The δ of least δᵀMδ, or the shortest, with A δ = b, where ranks are full beyond doubt; None where they are not.

        [M Aᵀ; A 0] [δ; −λ] = [0; b],    or   δ = Aᵀ(AAᵀ)⁻¹ b

    By elimination, for many unknowns: singular values would take a hundred times as long.
    """
    if M is None:
        B, r = _in_units(A)
        return B.T @ np.linalg.solve(B @ B.T, r * b) if clearly_full(B) else None
    if not clearly_unique(M, A):
        return None
    r, d = mass_units(M, A)
    (m, n), A = A.shape, scaled(A, r, d)
    K = np.block([[scaled(M, d, d), A.T], [A, np.zeros((m, m))]])
    return d * np.linalg.solve(K, np.concatenate([np.zeros(n), r * b]))[:n]


def open_directions(A: np.ndarray) -> np.ndarray:
    """An orthonormal basis of {w: A w = 0}, as columns."""
    B, _ = _in_units(A)
    if clearly_full(B):
        return np.linalg.qr(B.T, mode="complete")[0][:, len(B) :]
    return numerical_rank(A).null_space


def _in_units(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows with their largest entry near 1, and what they were multiplied by."""
    r = 1.0 / power_of_two_near(np.abs(A).max(axis=1, initial=0.0))
    return r[:, None] * A, r
