"""Units in which the numbers of a matrix are comparable: powers of two, which round nothing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SWEEPS = 8  # enough for a rank to have much the same margin in all units between 1e-6 and 1e6
FAINT = 2.0**-30  # an entry so much smaller than the largest of its row and column may be round-off


def equilibration(A: Array, columns: Array | None = None) -> tuple[Array, Array]:
    """Row and column scales r, c that give every nonzero row and column of r A c a largest entry near 1.

    A: (..., m, n); r: (..., m); c: (..., n). Zero rows and columns keep the scale 1. `columns` holds column
    scales that are given, and NaN where they are to be found; only the latter columns are then equilibrated, from
    the geometric mean of those given, which leaves the iteration a short way however small or large they are.

    Many scales would do. Sinkhorn's iteration finds those for which √|r A c| has the mean 1 over the nonzero
    entries of each row and of each column. They always exist, and r A c is then the same in whatever units A
    was given. Faint entries have no say, so that a zero may as well be round-off. But a row or column that is
    meant to be zero as a whole has to be zero: round-off alone is scaled up like anything else.
    """
    given = np.full((*A.shape[:-2], A.shape[-1]), np.nan) if columns is None else columns
    found = np.isnan(given)
    size = np.full(A.shape, -np.inf)
    np.log2(np.abs(A), out=size, where=A != 0.0)
    known = np.log2(np.where(found, 1.0, given))
    typical = known.sum(axis=-1, keepdims=True) / np.maximum((~found).sum(axis=-1, keepdims=True), 1)
    row, column = np.zeros(A.shape[:-1]), np.where(found, typical, known)
    for share in (0.5, 1.0):
        row, column = _largest_one(size, row, column, found, share)
    size = np.where(_scaled(size, row, column) > np.log2(FAINT), size, -np.inf)
    row, column = _largest_one(size, *_mean_one(size, row, column, found), found)
    return _power_of_two(row), _power_of_two(column)


def unit_rows(A: Array, b: Array) -> tuple[Array, Array]:
    """The equations A x = b with the largest entry of each nonzero row of A near 1; the solutions stay."""
    size = np.abs(A).max(axis=-1, initial=0.0)
    r = _power_of_two(-np.log2(np.where(size > 0.0, size, 1.0)))
    return r[..., :, None] * A, r * b


def mass_units(M: Array, A: Array) -> tuple[Array, Array]:
    """Units r of the constraints and d of the coordinates in which each coordinate has a mass near 1.

        q̈ = d z,   (d M d)_ii ≈ 1 where M_ii > 0

    M: (..., n, n); A: (..., m, n); r: (..., m); d: (..., n). A coordinate without mass is measured by the
    constraints: its column of r A d is equilibrated like the rows. In these units light coordinates follow
    heavy ones whatever the masses are, and the length of an acceleration is that of the kinetic energy.
    """
    mass = np.diagonal(M, axis1=-2, axis2=-1)
    massive = mass > 0.0
    return equilibration(A, np.where(massive, 1.0 / np.sqrt(np.where(massive, mass, 1.0)), np.nan))


def _scaled(size: Array, row: Array, column: Array) -> Array:
    return size + row[..., :, None] + column[..., None, :]


def _largest_one(
    size: Array, row: Array, column: Array, found: NDArray[np.bool_], share: float = 1.0
) -> tuple[Array, Array]:
    """Exponents that bring the largest entry of each row and then column to 1, or a share of the way."""
    row = row - share * _finite(_scaled(size, row, column).max(axis=-1, initial=-np.inf))
    return row, column - share * found * _finite(_scaled(size, row, column).max(axis=-2, initial=-np.inf))


def _mean_one(size: Array, row: Array, column: Array, found: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Exponents that bring the mean of √|entry| over the nonzero entries of each row and column to 1."""
    root = np.exp2(_scaled(size, row, column) / 2.0)
    varied = np.where(found[..., None, :], root, 0.0)
    in_row, in_column = (root > 0.0).sum(axis=-1), (varied > 0.0).sum(axis=-2)
    # 1 where there is no entry: the factor is then 1/(0 + 1)
    none_in_row, none_in_column = np.where(in_row == 0, 1.0, 0.0), np.where(in_column == 0, 1.0, 0.0)
    in_row, in_column = np.maximum(in_row, 1.0), np.maximum(in_column, 1.0)
    x, y = np.ones(row.shape), np.ones(column.shape)
    for _ in range(SWEEPS):
        x = in_row / ((root @ y[..., None])[..., 0] + none_in_row)
        y = in_column / ((x[..., None, :] @ varied)[..., 0, :] + none_in_column)
    return row + 2.0 * np.log2(x), column + 2.0 * np.log2(y)


def _finite(exponent: Array) -> Array:
    return np.where(np.isfinite(exponent), exponent, 0.0)


def _power_of_two(exponent: Array) -> Array:
    return np.ldexp(1.0, np.rint(exponent).astype(np.int64))
