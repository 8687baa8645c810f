"""What follows from a decided rank: the Moore–Penrose inverse, and which rows of a matrix follow from those before them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zeromass.frozen import frozen

from .arrays import Array, freeze, numbers, per_problem, transpose
from .rank import CONSISTENCY_TOLERANCE, RANK_TOLERANCE, Lock, Rank, negligible, numerical_rank, prefix_ranks


def pseudoinverse(
    A: ArrayLike,
    *,
    tolerance: float = RANK_TOLERANCE,
    rank: Lock = None,
    equilibrate: bool = True,
) -> Array:
    """Moore–Penrose inverse A⁺, (..., n, m), of A, (..., m, n), at its numerical or a given (locked) rank.

        A⁺ = (I − N Nᵀ) X (I − Y Yᵀ),   X = c V Σ⁻¹ Uᵀ r,   r A c ≈ U Σ Vᵀ

    X inverts A on its column space. The projections along the null space N and the left null space Y, both
    orthonormal in the units of A, make A⁺ b the shortest of the vectors that bring A x nearest to b.

    >>> from zeromass.equation import pseudoinverse
    >>> pseudoinverse([[1.0, 1.0], [1.0, 1.0]]).round(12)
    array([[0.25, 0.25],
           [0.25, 0.25]])
    """
    return moore_penrose(numerical_rank(A, tolerance=tolerance, rank=rank, equilibrate=equilibrate))


def moore_penrose(decision: Rank) -> Array:
    """A⁺, (..., n, m), of the A that was decided on; see `pseudoinverse`."""
    N, Y = decision.padded_null_space, decision.padded_left_null_space
    return _along(N, transpose(_along(Y, transpose(decision.inverse))))


def least_norm(decision: Rank, b: Array) -> Array:
    """Shortest x, (..., n), with A x = b, for b in the column space of the A that was decided on.

        x = (I − N Nᵀ) X b = A⁺ b

    Scaling the rows leaves the solutions of consistent equations as they are, so the projection of b on the
    column space, which would mix rows of different units, is left out. If b is not consistent, x solves the
    equilibrated rows in the sense of least squares.
    """
    return _along(decision.padded_null_space, decision.inverse @ b[..., None])[..., 0]


@np.errstate(over="ignore", invalid="ignore")
def least_norm_multipliers(decision: Rank, A: Array, f: Array) -> Array:
    """Shortest λ, (..., m), with Aᵀ λ = f, for f in the row space of the A that was decided on.

        λ = (I − Y Yᵀ) Xᵀ f,   and then λ + Xᵀ (f − Aᵀλ)

    Where rows that follow from others are in very different units the projection disturbs Aᵀλ, and the second
    step restores it: that the force is f matters more than that λ is the shortest.
    """
    Xt, At = transpose(decision.inverse), transpose(A)
    λ = _along(decision.padded_left_null_space, Xt @ f[..., None])
    return (λ + Xt @ (f[..., None] - At @ λ))[..., 0]


def _along(N: Array, x: Array) -> Array:
    """x without its part in the span of the orthonormal columns of N."""
    return x - N @ (transpose(N) @ x)


@frozen()
class IndependentRows:
    """Rows kept, rows dropped, and each dropped row as a combination of kept rows that come before it.

    A[dropped] = coefficients @ A[kept];  a coefficient is exactly 0 where the kept row has no part.

    >>> from zeromass.equation import independent_rows
    >>> rows = independent_rows([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0]])
    >>> rows.kept.tolist(), rows.dropped.tolist(), rows.coefficients.round(12).tolist()
    ([0, 2], [1], [[2.0, 0.0]])
    """

    kept: NDArray[np.intp]  # (rank,), increasing
    dropped: NDArray[np.intp]  # (m − rank,), increasing
    coefficients: Array  # (m − rank, rank)

    def __post_init__(self) -> None:
        freeze(self)


def independent_rows(
    A: ArrayLike,
    *,
    tolerance: float = RANK_TOLERANCE,
    consistency_tolerance: float = CONSISTENCY_TOLERANCE,
    rank: Lock = None,
) -> Any:
    """Rows of A, (..., m, n), that do not follow from earlier ones, as `IndependentRows`.

    A row is kept when it raises the rank of the rows up to it. In equilibrated rows, a coefficient that is
    smaller than `consistency_tolerance` times the largest of its row is set to 0. `rank` locks the number of
    rows kept. A stack gives an object array of `IndependentRows`.

    >>> from zeromass.equation import independent_rows
    >>> independent_rows([[1.0, 1.0], [1.0, 1.0]]).dropped.tolist()
    [1]
    """
    A = numbers("A", A, 2, "rows and columns")
    decision = numerical_rank(A, tolerance=tolerance, rank=rank)
    return per_problem(
        A.shape[:-2],
        lambda index: _independent_rows(A[index], decision.member(index), consistency_tolerance),
    )


def redundant_rows(A: Array, decision: Rank) -> NDArray[np.intp]:
    """Indices of the rows of one matrix A, (m, n), that follow from rows before them."""
    if decision.rank == len(A):
        return np.arange(0)
    return np.flatnonzero(np.diff(prefix_ranks(A, decision), prepend=0) == 0)


def _independent_rows(A: Array, decision: Rank, consistency_tolerance: float) -> IndependentRows:
    dropped = redundant_rows(A, decision)
    kept = np.setdiff1d(np.arange(len(A)), dropped)
    coefficients = np.zeros((len(dropped), len(kept)))
    for row, i in enumerate(dropped):
        before = kept[kept < i]
        earlier = numerical_rank(A[before], rank=len(before))
        found = least_norm_multipliers(earlier, A[before], A[i])
        share = found / earlier.row_scale
        none = negligible(share, np.abs(share).max(initial=0.0), consistency_tolerance)
        coefficients[row, : len(before)] = np.where(none, 0.0, found)
    return IndependentRows(kept, dropped, coefficients)
