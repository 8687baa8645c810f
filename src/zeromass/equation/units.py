"""Units in which the numbers of a matrix are comparable: powers of two for its rows and columns.

A change of units multiplies rows and columns by factors. It must not change a rank, so a rank is decided where every row
and column is balanced. The scales are powers of two: they leave every digit as it is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arrays import Array, times, transpose

SWEEPS = 8  # enough for a rank to have much the same margin in all units between 1e-6 and 1e6
FAINT = -30.0
"""Binary exponent of an entry, the largest of its row and column being 1, that may be round-off."""

NOISE = -44.0
"""Binary exponent below which round-off lies: 6e-14, a few hundred roundings."""

BALANCED = -20.0
"""Binary exponent of the smallest entry of a matrix whose entries differ by its units alone."""


def equilibration(A: Array, columns: Array | None = None, *, noise: float = NOISE) -> tuple[Array, Array]:
    """Row and column scales r, c that give every nonzero row and column of r A c a largest entry near 1.

    A: (..., m, n); r: (..., m); c: (..., n). Zero rows and columns keep the scale 1. `columns` holds column
    scales that are given, and NaN where they are to be found; only the latter columns are then equilibrated, from
    the geometric mean of those given, which leaves the iteration a short way however small or large they are.

    Many scales would do. Sinkhorn's iteration finds those for which √|r A c| has the mean 1 over the nonzero
    entries of each row and of each column. They always exist, and r A c is then the same in whatever units A
    was given. Faint entries have no say, so that a zero may as well be round-off. But a row or column that is
    meant to be zero as a whole has to be zero: round-off alone is scaled up like anything else.

    Entries are also faint because of units in which others are very large. One that is more than `noise`, a binary
    exponent, is no round-off. If there is one then, and if units exist that explain every entry, it is these.
    """
    found, known = None, np.zeros((*A.shape[:-2], A.shape[-1]))
    if columns is not None:
        found = np.isnan(columns)
        known = np.log2(np.where(found, 1.0, columns))
    if not A.size:
        return np.ones(A.shape[:-1]), _power_of_two(known)
    with np.errstate(divide="ignore"):
        size = np.log2(np.abs(A))  # −∞ for 0
    row, column = _noise_apart(size, found, known)
    scaled = _scaled(size, row, column)
    doubtful = np.logical_or.reduce((scaled < FAINT) & (scaled > noise) | (scaled > 2.0), axis=(-2, -1))
    if doubtful.any():
        other = _explained(size, found, known)
        scaled = _scaled(size, *other)
        least = np.where(scaled > -np.inf, scaled, 0.0).min(axis=(-2, -1))
        use = (doubtful & (least >= BALANCED))[..., None]
        row, column = np.where(use, other[0], row), np.where(use, other[1], column)
    return _power_of_two(row), _power_of_two(column)


def mass_units(M: Array, A: Array) -> tuple[Array, Array]:
    """Units r of the constraints and d of the coordinates in which each coordinate has a mass near 1.

        q̈ = d z,   (d M d)_ii ≈ 1 where M_ii > 0

    M: (..., n, n); A: (..., m, n); r: (..., m); d: (..., n). A coordinate without mass is measured by the
    constraints: its column of r A d is equilibrated like the rows. In these units light coordinates follow
    heavy ones whatever the masses are, and the length of an acceleration is that of the kinetic energy.
    """
    mass = np.diagonal(M, axis1=-2, axis2=-1)
    massive = mass > 0.0
    given = np.where(massive, 1.0 / np.sqrt(np.where(massive, mass, 1.0)), np.nan)
    return equilibration(A, given, noise=-np.inf)


def unit_rows(A: Array, b: Array) -> tuple[Array, Array]:
    """The equations A x = b with the largest entry of each nonzero row of A near 1; the solutions stay."""
    size = np.abs(A).max(axis=-1, initial=0.0)
    r = _power_of_two(-np.log2(np.where(size > 0.0, size, 1.0)))
    return r[..., :, None] * A, r * b


class Linked(NamedTuple):
    """Which rows and coordinates hang together, as 0 and 1: directly, or by others in between."""

    rows: Array  # (..., m, m)
    columns: Array  # (..., n, n)
    both: Array  # coordinates with rows, (..., n, m)


def links(M: Array, A: Array) -> Linked:
    """What M, (..., n, n), and A, (..., m, n), connect."""
    m, n = A.shape[-2:]
    W = (A != 0.0).astype(float)
    Wt = transpose(W)
    columns = ((M != 0.0) + Wt @ W + np.eye(n) > 0.0).astype(float)
    for _ in range(int(n - 1).bit_length()):
        if columns.all():
            break
        columns = (columns @ columns > 0.0).astype(float)
    both = (columns @ Wt > 0.0).astype(float)
    return Linked((transpose(both) @ both + np.eye(m) > 0.0).astype(float), columns, both)


Found = NDArray[np.bool_] | None
"""The columns whose scales are to be found; None for all."""


def _noise_apart(size: Array, found: Found, known: Array) -> tuple[Array, Array]:
    """Exponents of the scales, where the units that are given are near enough to tell round-off by its size."""
    row, column = np.zeros(size.shape[:-1]), known
    if found is not None:
        typical = known.sum(axis=-1, keepdims=True) / np.maximum((~found).sum(axis=-1, keepdims=True), 1)
        column = np.where(found & (size.max(axis=-2) > -np.inf), typical, known)
    for share in (0.5, 1.0):
        row, column = _largest_one(size, row, column, found, share)
    size = np.where(_scaled(size, row, column) > FAINT, size, -np.inf)
    return _largest_one(size, *_mean_one(size, row, column, found), found)


def _explained(size: Array, found: Found, known: Array) -> tuple[Array, Array]:
    """Exponents of the scales, where every entry is meant: from those of least squares, Σ (log₂|r A c|)² over the entries.

    These are the same in whatever units A is given, and so is what Sinkhorn's iteration makes of them.
    """
    present = size > -np.inf
    W, L = present.astype(float), np.where(present, size + known[..., None, :], 0.0)
    in_row = np.maximum(W.sum(axis=-1, keepdims=True), 1.0)
    in_column = W.sum(axis=-2)
    L = L - L.sum(axis=-1, keepdims=True) / in_row * W
    Wt, n = transpose(W), size.shape[-1]
    free = np.ones(known.shape, dtype=bool) if found is None else found
    # one direction of each group of rows and columns that hang together is left open: a little weight closes it
    G = in_column[..., None] * np.eye(n) * (1.0 + 1e-8) - Wt @ (W / in_row)
    closed = ~(free & (in_column > 0.0))
    G = np.where(closed[..., :, None] | closed[..., None, :], np.eye(n), G)
    change = np.linalg.solve(G, np.where(closed, 0.0, -L.sum(axis=-2))[..., None])[..., 0]
    row, column = _largest_one(size, np.zeros(size.shape[:-1]), known + change, found)
    return _largest_one(size, *_mean_one(size, row, column, found), found)


def _scaled(size: Array, row: Array, column: Array) -> Array:
    return size + row[..., :, None] + column[..., None, :]


def _largest_one(size: Array, row: Array, column: Array, found: Found, share: float = 1.0) -> tuple[Array, Array]:
    """Exponents that bring the largest entry of each row and then column to 1, or a share of the way."""
    row = row - share * _finite(np.maximum.reduce(_scaled(size, row, column), axis=-1))
    change = share * _finite(np.maximum.reduce(_scaled(size, row, column), axis=-2))
    return row, column - (change if found is None else found * change)


def _mean_one(size: Array, row: Array, column: Array, found: Found) -> tuple[Array, Array]:
    """Exponents that bring the mean of √|entry| over the nonzero entries of each row and column to 1."""
    root = np.exp2(_scaled(size, row, column) / 2.0)
    varied = root if found is None else np.where(found[..., None, :], root, 0.0)
    in_row, in_column = np.add.reduce(root > 0.0, axis=-1), np.add.reduce(varied > 0.0, axis=-2)
    # 1 where there is no entry: the factor is then 1/(0 + 1)
    none_in_row, none_in_column = np.where(in_row == 0, 1.0, 0.0), np.where(in_column == 0, 1.0, 0.0)
    in_row, in_column = np.maximum(in_row, 1.0), np.maximum(in_column, 1.0)
    product = np.dot if root.ndim == 2 else times  # one matrix, several times as fast
    x, y, turned = np.ones(row.shape), np.ones(column.shape), transpose(varied)
    for _ in range(SWEEPS):
        x = in_row / (product(root, y) + none_in_row)
        y = in_column / (product(turned, x) + none_in_column)
    return row + 2.0 * np.log2(x), column + 2.0 * np.log2(y)


def _finite(exponent: Array) -> Array:
    return np.where(exponent > -np.inf, exponent, 0.0)


def _power_of_two(exponent: Array) -> Array:
    return np.ldexp(1.0, np.rint(exponent).astype(np.int64))
