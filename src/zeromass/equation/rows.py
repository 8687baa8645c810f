"""Which rows of a matrix follow from the rows before them, and how."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .checks import numbers
from .inverse import least_norm_multipliers
from .rank import CONSISTENCY_TOLERANCE, RANK_TOLERANCE, Lock, Rank, negligible, numerical_rank, prefix_ranks
from .scaling import Array
from .stack import freeze, per_problem


@dataclass(frozen=True, eq=False)
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
