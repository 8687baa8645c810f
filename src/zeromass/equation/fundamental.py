"""The fundamental equation of constrained motion as printed, with pseudo-inverses.

These functions evaluate formulas. Whether the constraints contradict one another is for `solve` to say, and
coordinates in very different units are for it to scale; here only the rows of A are, which changes nothing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from zeromass.errors import EquationError

from .arguments import problem
from .arrays import Array, transpose
from .inverse import pseudoinverse
from .rank import RANK_TOLERANCE, Lock, numerical_rank
from .units import unit_rows


def acceleration(
    M: ArrayLike,
    Q: ArrayLike,
    A: ArrayLike | None = None,
    b: ArrayLike | None = None,
    C: ArrayLike | None = None,
    eta: ArrayLike | None = None,
    *,
    projected: bool = True,
    rank_tolerance: float = RANK_TOLERANCE,
    constraint_rank: Lock = None,
    rank: Lock = None,
) -> Array:
    """Acceleration of a constrained system whose mass matrix may be singular, (..., n).

        q̈ = M̄⁺ [(I − A⁺A)(Q + C); b] + (I − M̄⁺M̄) η,   M̄ = [(I − A⁺A) M; A]   [UP2006, eqs. 2.12–2.14]

    Unique, whatever η, exactly when [M; A] has full column rank [UP2006, result 3]. With `projected=False`
    the right-hand side is [Q + C; b], as eq. 2.14 prints it: the same solution, since M̄⁺ annihilates the
    difference, but the difference is a large residual whose round-off grows with the square of the condition
    number.

    `constraint_rank` and `rank` lock the ranks of A and of [M; A]. M̄ has the null space of [M; A] and so its
    rank; it is not equilibrated, because rows of (I − A⁺A) M may be zero up to round-off.

    >>> from zeromass.equation import acceleration
    >>> acceleration(np.diag([1.0, 0.0]), [3.0, 0.0], A=[[1.0, -1.0]], b=[0.0]).round(12)
    array([3., 3.])
    """
    M, Q, A, b, C, η = problem(M, Q, A, b, C, eta)
    I = np.eye(M.shape[-1])
    rank_A = numerical_rank(A, tolerance=rank_tolerance, rank=constraint_rank).rank
    rank_MA = numerical_rank(np.concatenate([M, A], axis=-2), tolerance=rank_tolerance, rank=rank).rank
    A, b = unit_rows(A, b)

    P = I - pseudoinverse(A, rank=rank_A, equilibrate=False) @ A
    M_bar = np.concatenate([P @ M, A], axis=-2)
    M_bar_inverse = pseudoinverse(M_bar, rank=rank_MA, equilibrate=False)
    force = P @ (Q + C)[..., None] if projected else (Q + C)[..., None]
    qdd = M_bar_inverse @ np.concatenate([force, b[..., None]], axis=-2)
    qdd = qdd + (I - M_bar_inverse @ M_bar) @ η[..., None]
    return qdd[..., 0]


def udwadia_kalaba(
    M: ArrayLike,
    Q: ArrayLike,
    A: ArrayLike | None = None,
    b: ArrayLike | None = None,
    C: ArrayLike | None = None,
    *,
    rank_tolerance: float = RANK_TOLERANCE,
    constraint_rank: Lock = None,
) -> Array:
    """Acceleration of a constrained system whose mass matrix is positive definite, (..., n).

        q̈ = a + M^(−1/2) B⁺ (b − A a) + M^(−1/2) (I − B⁺B) M^(−1/2) C,
        a = M⁻¹ Q,   B = A M^(−1/2)                                                    [UP2006, eq. 4.24]

    A singular M has no M^(−1/2) and raises an `EquationError`.

    >>> from zeromass.equation import udwadia_kalaba
    >>> udwadia_kalaba(np.diag([1.0, 2.0]), [3.0, 0.0], A=[[1.0, -1.0]], b=[0.0]).round(12)
    array([1., 1.])
    """
    M, Q, A, b, C, _ = problem(M, Q, A, b, C)
    n, I = M.shape[-1], np.eye(M.shape[-1])
    if np.any(np.asarray(numerical_rank(M, tolerance=rank_tolerance).rank) < n):
        raise EquationError("M is singular, so M^(−1/2) does not exist; use `solve` or `acceleration`")
    rank_A = numerical_rank(A, tolerance=rank_tolerance, rank=constraint_rank).rank
    A, b = unit_rows(A, b)

    eigenvalues, vectors = np.linalg.eigh(M)
    M_inverse_root = (vectors / np.sqrt(eigenvalues)[..., None, :]) @ transpose(vectors)
    B = A @ M_inverse_root
    B_inverse = pseudoinverse(B, rank=rank_A, equilibrate=False)
    a = M_inverse_root @ (M_inverse_root @ Q[..., None])
    qdd = a + M_inverse_root @ B_inverse @ (b[..., None] - A @ a)
    qdd = qdd + M_inverse_root @ (I - B_inverse @ B) @ M_inverse_root @ C[..., None]
    return qdd[..., 0]


def auxiliary_system(
    M: ArrayLike,
    Q: ArrayLike,
    A: ArrayLike | None = None,
    b: ArrayLike | None = None,
    C: ArrayLike | None = None,
    *,
    weight: float | None = None,
    rank_tolerance: float = RANK_TOLERANCE,
    constraint_rank: Lock = None,
) -> Array:
    """Acceleration by an auxiliary system whose mass matrix is positive definite, (..., n): the other route of remark 1.

        (M + α² A⁺A) q̈ = Q + α² A⁺b + C + Aᵀλ,   A q̈ = b                               [UM2022, remark 1; UW2013]

    evaluated by `udwadia_kalaba`. Since A q̈ = b, the added terms cancel, whatever α: the acceleration is that of
    `acceleration`. M + α² A⁺A is positive definite exactly when [M; A] has full column rank; where it has not, the
    motion is not unique, and an `EquationError` says so.

    weight  α², in the units of M; by default the mean of its diagonal

    >>> from zeromass.equation import auxiliary_system
    >>> auxiliary_system(np.diag([1.0, 0.0]), [3.0, 0.0], A=[[1.0, -1.0]], b=[0.0]).round(12)
    array([3., 3.])
    """
    M, Q, A, b, C, _ = problem(M, Q, A, b, C)
    rank_MA = numerical_rank(np.concatenate([M, A], axis=-2), tolerance=rank_tolerance).rank
    if np.any(np.asarray(rank_MA) < M.shape[-1]):
        raise EquationError(
            "[M; A] has no full column rank, so the motion is not unique; use `solve` or `acceleration`"
        )
    rank_A = numerical_rank(A, tolerance=rank_tolerance, rank=constraint_rank).rank
    A, b = unit_rows(A, b)
    A_inverse = pseudoinverse(A, rank=rank_A, equilibrate=False)
    mean = np.trace(M, axis1=-2, axis2=-1) / M.shape[-1]
    α2 = np.where(mean > 0, mean, 1.0) if weight is None else np.asarray(weight, dtype=float)
    added = α2[..., None, None] * A_inverse
    M_auxiliary = M + added @ A
    M_auxiliary = (M_auxiliary + transpose(M_auxiliary)) / 2  # A⁺A is symmetric up to round-off
    Q_auxiliary = Q + (added @ b[..., None])[..., 0]
    return udwadia_kalaba(M_auxiliary, Q_auxiliary, A, b, C, rank_tolerance=rank_tolerance, constraint_rank=rank_A)
