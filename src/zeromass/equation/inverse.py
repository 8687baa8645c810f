"""The Moore–Penrose inverse at a decided rank."""

from __future__ import annotations

from numpy.typing import ArrayLike

from .rank import RANK_TOLERANCE, Lock, Rank, numerical_rank
from .scaling import Array
from .stack import transpose


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
