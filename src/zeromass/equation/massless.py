"""Motions in which constraints hardly hold coordinates without mass, as the contact near a flat point of a body."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .arrays import Array
from .motion import Motion, Verdict
from .rank import numerical_rank
from .solution import solve


def in_massless_units(motion: Motion, Q_error: Array, b_error: Array) -> Motion:
    """The motion of one problem whose undetermined acceleration is determined in other units of the massless coordinates y.

        A_y = U Σ Vᵀ,   y = V Σ⁻¹ ỹ

    Where a singular value σ of A_y is small, the constraints allow a motion with the velocities (ẏ, v), v ≈ σ ẏ, which has
    σ² of the mass of its coordinates: `solve` calls it zero from σ ≈ 3e-6 on. In the units ỹ its mass is 1. The same motion
    is returned where A_y is not of full column rank, or nothing is won.
    """
    M, Q, A, b, C, _ = motion.basis.given
    light = np.flatnonzero(~M.any(axis=0))
    rows = numerical_rank(A[:, light]) if len(light) else None
    if motion.verdict is not Verdict.UNDETERMINED or rows is None or rows.rank < len(light):
        return motion
    T = np.eye(len(M))
    V = (rows.column_scale[:, None] * rows.right)[:, : len(light)]
    T[np.ix_(light, light)] = V / rows.singular_values[: len(light)]
    found = solve(M, T.T @ Q, A @ T, b, T.T @ C, Q_error=np.abs(T.T) @ Q_error, b_error=b_error)
    if not found.unique:
        return motion
    a = T @ found.acceleration
    ideal = T @ solve(M, T.T @ Q, A @ T, b).acceleration if C.any() else a
    return replace(
        found,
        acceleration=a,
        reaction=M @ a - Q,
        ideal=M @ ideal - Q,
        rank=motion.rank.locked(len(M)),
        constraint_rank=motion.constraint_rank,
        basis=found.basis._replace(given=motion.basis.given),
    )
