"""The one place that decides a rank, or calls a residual zero.

Nothing else in zeromass compares a singular value or a residual with a number. The numbers used here are
arguments with the defaults below, and every rank comes back with the margin by which it was decided.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zeromass.errors import EquationError, shown
from zeromass.frozen import frozen

from .arrays import (
    Array,
    Index,
    columns_from,
    complement,
    freeze,
    numbers,
    per_problem,
    single_thread,
    times,
    transpose,
)
from .units import equilibration, power_of_two_near, scaled

RANK_TOLERANCE = 1e-11
"""Singular values below this part of the largest one count as zero.

Round-off in the entries (a few hundred operations) and in the decomposition disturbs the singular values of
an equilibrated matrix by about 1e-14, and a state that satisfies its constraints to 1e-13 disturbs them as
much. A singular value that means something but is smaller than 1e-11 would leave fewer than five digits of
the answer. The tolerance lies between the two, nearer to the noise.
"""

CLEAR = (1e-14, 1e-4)
"""Singular values at most and at least so large, as parts of the largest, leave no doubt about a rank."""

MANY = 100
"""Rows and columns from which eigenvalues are asked whether a rank is full before singular values are."""

CONSISTENCY_TOLERANCE = 1e-9
"""Residuals below this part of the terms they are made of count as zero.

A residual carries the errors of A, b and Q and those of the solution, which the condition of the equations
has magnified. It is given two digits more than a rank.
"""

MASS_TOLERANCE = 1e-9
"""Asymmetry and negative eigenvalues of a mass matrix, where its masses are 1, that count as zero."""


@frozen()
class Rank:
    """Rank of a matrix A, or of each of a stack of them, with what it was decided on.

        r A c = U Σ Vᵀ,   rank = number of σ_i > tolerance · σ_1      (unless the rank was given: locked)

    A matrix is decided on by `numerical_rank`. `level` is tolerance · σ_1, or what takes its place.

    >>> from zeromass.equation import numerical_rank
    >>> decision = numerical_rank([[1.0, 2.0], [2.0, 4.0]])
    >>> decision.rank, bool(decision.margin > 1e4)
    (1, True)
    """

    rank: NDArray[np.intp] | int
    singular_values: Array  # σ, (..., min(m, n)), of the scaled matrix
    tolerance: float
    level: Array  # the singular values above it are those that the tolerance would keep
    row_scale: Array  # r, (..., m)
    column_scale: Array  # c, (..., n)
    left: Array  # U, (..., m, m)
    right: Array  # V, (..., n, n)

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def margin(self) -> Array:
        """Factor by which the tolerance may grow or shrink before the rank changes.

            min(σ_rank / (tolerance · σ_1), tolerance · σ_1 / σ_(rank + 1))

        Below 1 it says that a locked rank is not the one that the tolerance would give: a singular
        configuration is near, or the state is off the constraint manifold.
        """
        kept, dropped = self._neighbours
        return np.minimum(_ratio(kept, self.level), _ratio(self.level, dropped))[()]

    @property
    def gap(self) -> Array:
        """Smallest singular value kept over the largest one dropped; infinite if none is, or it is 0."""
        return _ratio(*self._neighbours)[()]

    @property
    def threshold(self) -> Array:
        """A number that parts the singular values kept from those dropped: the level, unless locked."""
        kept, dropped = self._neighbours
        between = np.sqrt(kept) * np.sqrt(np.maximum(dropped, np.finfo(float).tiny))
        return np.where((dropped <= self.level) & (self.level < kept), self.level, between)

    @cached_property
    def _neighbours(self) -> tuple[Array, Array]:
        """The last singular value kept and the first one dropped; infinite and 0 where there is none."""
        σ = self.singular_values
        ends = np.ones((*σ.shape[:-1], 1))
        padded = np.concatenate([np.inf * ends, σ, 0.0 * ends], axis=-1)
        index = np.asarray(self.rank)[..., None]
        kept, dropped = (np.take_along_axis(padded, index + step, axis=-1)[..., 0] for step in (0, 1))
        return kept, dropped

    @cached_property
    def inverse(self) -> Array:
        """X = c V Σ⁻¹ Uᵀ r, (..., n, m), with the singular values beyond the rank left out."""
        σ = self.singular_values
        kept = np.arange(σ.shape[-1]) < np.asarray(self.rank)[..., None]
        inverse = np.where(kept, 1.0 / np.where(kept, σ, 1.0), 0.0)
        V = self.column_scale[..., :, None] * self.right[..., :, : σ.shape[-1]]
        U = self.row_scale[..., :, None] * self.left[..., :, : σ.shape[-1]]
        return (V * inverse[..., None, :]) @ transpose(U)

    @cached_property
    def padded_null_space(self) -> Array:
        """The null space of A as n columns, those before the rank zero: N Nᵀ projects for a stack of matrices too."""
        return complement(self.right, self.rank, self.column_scale)

    @cached_property
    def padded_left_null_space(self) -> Array:
        """The left null space of A as m columns, those before the rank zero."""
        return complement(self.left, self.rank, self.row_scale)

    @property
    def null_space(self) -> Any:
        """Orthonormal basis N of {w: A w = 0}, (n, n − rank); an object array of them for a stack."""
        return self._beyond_rank(self.padded_null_space)

    @property
    def left_null_space(self) -> Any:
        """Orthonormal basis Y of {y: yᵀA = 0}, (m, m − rank): the dependencies among the given rows."""
        return self._beyond_rank(self.padded_left_null_space)

    @property
    def scaled_left_null_space(self) -> Any:
        """Orthonormal basis of the dependencies u among the rows of r A; y = r u is one among those of A."""
        return self._beyond_rank(self.left)

    def locked(self, rank: ArrayLike) -> Rank:
        """The same decomposition at another rank, as far as there are nonzero singular values for it."""
        most = np.count_nonzero(self.singular_values, axis=-1)
        return replace(self, rank=_number(np.clip(np.asarray(rank, dtype=np.intp), 0, most)))

    def in_units(self, rows: Array, columns: Array) -> Rank:
        """The decision on A of one on rows · A · columns."""
        r, c = broadcast(rows, self.row_scale), broadcast(columns, self.column_scale)
        return replace(self, row_scale=r * rows, column_scale=c * columns)

    def at(self, tolerance: ArrayLike) -> NDArray[np.intp] | int:
        """The rank that another tolerance gives, or one for each matrix: the number of σ_i > tolerance · σ_1."""
        σ = self.singular_values
        level = np.asarray(tolerance) * σ.max(axis=-1, initial=0.0)
        return _number(np.count_nonzero(σ > level[..., None], axis=-1))

    def member(self, index: Index) -> Rank:
        """The decision on one matrix of a stack."""
        σ, level, r, c = (x[index] for x in (self.singular_values, self.level, self.row_scale, self.column_scale))
        rank = int(np.asarray(self.rank)[index])
        return Rank(rank, σ, self.tolerance, level, r, c, self.left[index], self.right[index])

    def _beyond_rank(self, basis: Array) -> Any:
        rank = np.asarray(self.rank)
        return per_problem(rank.shape, lambda index: basis[index][:, rank[index] :].copy())


Lock = ArrayLike | Rank | None
"""A rank that is given: a number, or one for each matrix of a stack, or the `Rank` of nearby matrices."""


def numerical_rank(
    A: ArrayLike,
    *,
    tolerance: float = RANK_TOLERANCE,
    rank: Lock = None,
    units: Array | None = None,
    largest: float | None = None,
    equilibrate: bool = True,
) -> Rank:
    """Rank of A, (..., m, n), decided on its equilibrated rows and columns.

    With `rank` the decision is taken from there (locked) and only its margin is computed. The `Rank` of a
    nearby matrix locks the scales as well; a number does not, so that a row or column that was zero there and
    is round-off here would be scaled up. `equilibrate=False` is for a matrix in comparable units that has rows
    or columns of round-off, such as (I − A⁺A) M.

    `units`, (..., n), are scales of the columns to start from, for those that A says nothing about: zero columns,
    blocks that no entry connects. They matter for the digits of the null space. `largest` takes the place of σ_1
    where something else sets the scale.

    Entries below 6e-14 beside the largest of their row and of their column count as round-off, unless others between tell
    of units that differ as much: two blocks that are joined by nothing larger are taken apart.

    >>> from zeromass.equation import numerical_rank
    >>> numerical_rank([[1e-9, 0.0], [0.0, 1e9]]).rank  # whatever the units
    2
    """
    A = numbers("A", A, 2, "rows and columns")
    r, c = np.ones(A.shape[:-1]), np.ones(A.shape[:-2] + A.shape[-1:]) * (1.0 if units is None else units)
    if equilibrate and not isinstance(rank, Rank):
        with np.errstate(over="ignore"):
            scaled_columns = A * c[..., None, :]
        if not np.isfinite(scaled_columns).all():  # rows of numbers near the largest there are
            r = 1.0 / power_of_two_near(np.abs(A).max(axis=-1, initial=0.0))
            scaled_columns = scaled(A, r, c)
        change_r, change_c = equilibration(scaled_columns)
        r, c = r * change_r, c * change_c
    if isinstance(rank, Rank):
        r, c, rank = broadcast(r, rank.row_scale), broadcast(c, rank.column_scale), rank.rank
    with single_thread:
        U, σ, Vt = np.linalg.svd(scaled(A, r, c), full_matrices=True)
    σ_1 = σ.max(axis=-1, initial=0.0)
    level = tolerance * (σ_1 if largest is None else broadcast(σ_1, np.asarray(largest)))
    decided = np.count_nonzero(σ > level[..., None], axis=-1)
    if rank is not None:
        decided = broadcast(decided, _whole(rank))
        if np.any((decided < 0) | (decided > np.count_nonzero(σ, axis=-1))):
            raise EquationError(
                f"rank={rank} was given for a matrix of shape {A.shape} with {np.count_nonzero(σ, axis=-1)} "
                "nonzero singular values; give no more than that, or let the rank be decided"
            )
    return Rank(_number(decided), σ, tolerance, level, r, c, U, transpose(Vt))


@single_thread
def scaled_singular_values(A: Array) -> Array:
    """Singular values of one matrix A, (m, n), in equilibrated rows and columns: those of `numerical_rank`, alone."""
    A = numbers("A", A, 2, "rows and columns")
    r, c = equilibration(A)
    return np.asarray(np.linalg.svd(scaled(A, r, c), compute_uv=False), dtype=float)


def count_above(σ: Array, tolerance: float) -> int:
    """How many singular values, the largest first, are above a part of the largest."""
    return int(np.count_nonzero(σ > tolerance * σ[0])) if σ.size else 0


@single_thread
def rank_of(A: Array, tolerance: float = RANK_TOLERANCE) -> int:
    """The rank of one matrix A, (m, n): that of `numerical_rank`, sooner where it is clear in the units that are given.

    Units that differ by 2^k change the ratio of two singular values by 4^k at most. Where none lies between the two
    `CLEAR` parts of the largest, those that `equilibration` would find change nothing.
    """
    A = numbers("A", A, 2, "rows and columns")
    if not A.size:
        return 0
    low, high = CLEAR
    if min(A.shape) >= MANY and tolerance <= high and clearly_full(A if len(A) <= A.shape[1] else A.T):
        return min(A.shape)
    σ = np.asarray(np.linalg.svd(A, compute_uv=False), dtype=float)
    kept = count_above(σ, tolerance)
    if low <= tolerance <= high and count_above(σ, low) == kept == count_above(σ, high):
        return kept
    return count_above(scaled_singular_values(A), tolerance)


@single_thread
def clearly_full(B: Array) -> bool:
    """Whether one matrix B has full row rank beyond doubt, in the units that are given.

    Its smallest singular value is above the larger `CLEAR` part of the largest. The squares of both are eigenvalues of
    B Bᵀ, which take a tenth of the time where there are many rows.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        gram = B @ transpose(B)
    if not np.isfinite(gram).all():
        return False  # squares of numbers near the largest there are
    squares = np.linalg.eigvalsh(gram)
    return bool(squares.size == 0 or squares[0] > CLEAR[1] ** 2 * squares[-1])


@single_thread
def prefix_ranks(A: Array, decision: Rank) -> NDArray[np.intp]:
    """Ranks of the first 1, 2, …, m rows of one matrix A, (m, n), at the threshold of the decision on it.

    Adding a row lowers no singular value and lets at most one pass the threshold (interlacing), so the ranks
    rise by 0 or 1 and end at that of A.
    """
    S = scaled(A, decision.row_scale, decision.column_scale)
    prefixes = np.tri(len(S))[:, :, None] * S
    return np.count_nonzero(np.linalg.svd(prefixes, compute_uv=False) > decision.threshold, axis=-1)


def negligible(value: Array, size: ArrayLike, tolerance: float) -> NDArray[np.bool_]:
    """Whether |value| ≤ tolerance · size, entry by entry."""
    return np.abs(value) <= tolerance * np.asarray(size)


def contradiction(
    basis: Array, decision: Rank, linked: Array, values: Array, sizes: Array, errors: Array, tolerance: float
) -> tuple[NDArray[np.bool_], Array, Array]:
    """Whether values that must be orthogonal to a null space N are not, the margin of that, and ρ, their part in it.

        ρ = N Nᵀ values,   ‖ρ‖² > |ρ|ᵀ(tolerance · sizes + errors) + τ ‖sizes‖ ‖ρ‖

    `basis` is `decision.left` or `.right`, N its columns beyond the rank; values, sizes, errors: (..., k). It is asked
    of each part that hangs together, `linked`, (..., k, k), by itself: others may be in any units. ρ is 0 outside the
    parts with a contradiction.

    The first term compares with what the contradiction is made of and with the known absolute errors of the
    values. The second allows for N, which is a null space only to the tolerance τ of the rank. Where a locked
    rank is not what that would give, τ is the tolerance of consistency, or the angle 1/gap by which N turns
    when the singular values dropped become zero, if that is larger.
    """
    beyond = columns_from(decision.rank, basis.shape[-1])
    if not beyond.any():
        stack = values.shape[:-1]
        return np.zeros(stack, dtype=bool), np.full(stack, np.inf), np.zeros(values.shape)
    N = np.where(beyond, basis, 0.0)
    ρ = times(linked * (N @ transpose(N)), values)
    length = np.sqrt(times(linked, ρ**2))  # of the part that each entry belongs to
    allowed = times(linked, np.abs(ρ) * (tolerance * sizes + errors))
    τ = np.where(decision.margin < 1.0, np.maximum(tolerance, 1.0 / decision.gap), decision.tolerance)
    bound = allowed + τ[..., None] * np.sqrt(times(linked, sizes**2)) * length
    present = length**2 > bound
    share = np.where(length > 0.0, _ratio(length**2, bound), 0.0).max(axis=-1)
    return np.asarray(present.any(axis=-1)), np.maximum(share, _ratio(1.0, share)), np.where(present, ρ, 0.0)


def broadcast(pattern: NDArray[Any], value: NDArray[Any]) -> NDArray[Any]:
    """The value for each member of a stack that has the shape of the pattern."""
    try:
        return np.broadcast_to(value, pattern.shape).copy()
    except ValueError:
        raise EquationError(
            f"a rank, or a scale, of shape {np.shape(value)} is given where the matrices have {pattern.shape}; give one of "
            "the same matrices"
        ) from None


def _whole(rank: Any) -> NDArray[np.intp]:
    """Ranks that are given, one or one for each matrix of a stack."""
    try:
        found = np.asarray(rank)
    except ValueError:  # lists of several lengths
        found = None
    if found is None or found.dtype.kind not in "iu":
        raise EquationError(f"rank is {shown(rank)}; it is a whole number, one for each matrix, or a Rank")
    return found.astype(np.intp)


def _number(rank: NDArray[np.intp]) -> NDArray[np.intp] | int:
    return int(rank) if np.ndim(rank) == 0 else rank


def _ratio(larger: Array | float, smaller: Array) -> Array:
    with np.errstate(over="ignore"):
        return np.where(smaller > 0.0, larger / np.where(smaller > 0.0, smaller, 1.0), np.inf)
