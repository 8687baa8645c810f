"""Acceleration and multipliers by elimination: one positive definite matrix and one Schur complement."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from zeromass.errors import EquationError

from .arguments import problem
from .arrays import Array, transpose
from .inverse import pseudoinverse
from .rank import RANK_TOLERANCE, Lock, numerical_rank
from .units import mass_units


def kkt(
    M: ArrayLike,
    Q: ArrayLike,
    A: ArrayLike | None = None,
    b: ArrayLike | None = None,
    C: ArrayLike | None = None,
    *,
    rank_tolerance: float = RANK_TOLERANCE,
    constraint_rank: Lock = None,
) -> tuple[Array, Array]:
    """Acceleration q̈, (..., n), and multipliers λ, (..., m), of a system whose acceleration is unique.

        [ M  −Aᵀ ] [ q̈ ]   [ Q + C ]
        [ A    0 ] [ λ ] = [   b   ]

        W = M + AᵀA                              positive definite exactly when [M; A] has full column rank
        (A W⁻¹ Aᵀ) λ = b − A W⁻¹ (Q + C + Aᵀb)
        W q̈ = Q + C + Aᵀb + Aᵀλ

    It is evaluated in units that make the masses and the largest entry of each row of A near 1, so that
    neither term of W drowns the other. Rows that follow from others leave A W⁻¹ Aᵀ singular; its
    pseudo-inverse shares their multiplier among them, in these units. Raises an `EquationError` when [M; A]
    is rank deficient.

    >>> from zeromass.equation import kkt
    >>> qdd, λ = kkt(np.diag([1.0, 0.0]), [3.0, 0.0], A=[[1.0, -1.0]], b=[0.0])
    >>> qdd.round(12), λ.round(12) + 0.0
    (array([3., 3.]), array([0.]))
    """
    M, Q, A, b, C, _ = problem(M, Q, A, b, C)
    n = M.shape[-1]
    if np.any(np.asarray(numerical_rank(np.concatenate([M, A], axis=-2), tolerance=rank_tolerance).rank) < n):
        raise EquationError("[M; A] is rank deficient, so the acceleration is not unique; use `solve`")
    rank_A = numerical_rank(A, tolerance=rank_tolerance, rank=constraint_rank).rank
    r, d = mass_units(M, A)
    M, A, f, b = (
        d[..., :, None] * M * d[..., None, :],
        r[..., :, None] * A * d[..., None, :],
        d * (Q + C),
        r * b,
    )

    W = M + transpose(A) @ A
    right = f[..., None] + transpose(A) @ b[..., None]
    solved = np.linalg.solve(W, np.concatenate([transpose(A), right], axis=-1))
    W_At, W_right = solved[..., :-1], solved[..., -1:]
    λ = pseudoinverse(A @ W_At, rank=rank_A, equilibrate=False) @ (b[..., None] - A @ W_right)
    qdd = W_right + W_At @ λ
    return d * qdd[..., 0], r * λ[..., 0]
