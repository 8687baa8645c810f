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

LARGEST = 510.0
"""Binary exponent of the largest scale: the product of two of them is still a number."""

STILL = 0.1
"""Part by which the last sweep may still change a scale."""

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
    exponent, is no round-off. If there is one, and if units exist that explain every entry, it is these. So it is where
    some columns are given and the iteration, which has further to go then, has not come to rest. Where all that joins two
    blocks is fainter than that beside both, nothing tells it from round-off, and units that would explain it are not looked
    for.
    """
    found, known = None, np.zeros((*A.shape[:-2], A.shape[-1]))
    if columns is not None:
        found = np.isnan(columns)
        known = np.log2(np.where(found, 1.0, columns))
    if not A.size:
        return np.ones(A.shape[:-1]), _power_of_two(known)
    with np.errstate(divide="ignore"):
        size = np.log2(np.abs(A))  # −∞ for 0
    scales = Scales(size, known if found is None else _begun(size, found, known), found)
    scales.bring_largest_to_one(0.5)
    scales.bring_largest_to_one()
    scales.balance(scales.size > FAINT)
    odd = (scales.size < FAINT) & (scales.size > noise) | (scales.size > 2.0)
    if odd.any() or scales.moving.any():
        scales.replace(_explained(size, found, known), np.asarray(odd.any(axis=(-2, -1)) | scales.moving))
    return _power_of_two(scales.row), _power_of_two(scales.column)


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


def scaled(A: Array, r: Array, c: Array) -> Array:
    """r A c of each matrix of a stack, (..., m, n); no product on the way is too large to be a number."""
    return A * (r[..., :, None] * c[..., None, :])


def power_of_two_near(size: Array) -> Array:
    """A power of two near each size; 1 for 0."""
    return _power_of_two(np.log2(np.where(size > 0.0, size, 1.0)))


def unit_rows(A: Array, b: Array) -> tuple[Array, Array]:
    """The equations A x = b with the largest entry of each nonzero row of A near 1; the solutions stay."""
    size = np.abs(A).max(axis=-1, initial=0.0)
    r = 1.0 / power_of_two_near(size)
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


class Scales:
    """Binary exponents of scales, and of the entries in these, on their way to a balance.

    size    of the entries of r A c, (..., m, n); −∞ for 0
    row     of r, (..., m)
    column  of c, (..., n)
    moving  whether the last sweep of a balance has still changed them, where some columns are given
    """

    moving: NDArray[np.bool_] | np.bool_ = np.False_

    def __init__(self, size: Array, column: Array, found: Found) -> None:
        self.size: Array = size + column[..., None, :]
        self.row: Array = np.zeros(size.shape[:-1])
        self.column: Array = column
        self._found = found

    def _add_to_rows(self, exponent: Array) -> None:
        self.row = self.row + exponent
        self.size += exponent[..., :, None]

    def _add_to_columns(self, exponent: Array) -> None:
        if self._found is not None:
            exponent = np.where(self._found, exponent, 0.0)
        self.column = self.column + exponent
        self.size += exponent[..., None, :]

    def bring_largest_to_one(self, share: float = 1.0, among: NDArray[np.bool_] | None = None) -> None:
        """Brings the largest entry of each row and then column to 1, or a share of the way."""

        def off(axis: int) -> Array:
            size = self.size if among is None else np.where(among, self.size, -np.inf)
            top = np.maximum.reduce(size, axis=axis)
            return np.where(top > -np.inf, -share * top, 0.0)

        self._add_to_rows(off(-1))
        self._add_to_columns(off(-2))

    def balance(self, among: NDArray[np.bool_]) -> None:
        """Brings the mean of √|entry| over some entries of each row and column to 1, and then the largest of them."""
        present = among.astype(float)
        root = np.exp2(0.5 * self.size) * present
        varied = root
        if self._found is not None:
            present = present * self._found[..., None, :]
            varied = root * present
        in_row, in_column = np.add.reduce(among, axis=-1, dtype=float), np.add.reduce(present, axis=-2)
        product = np.dot if root.ndim == 2 else times  # one matrix, several times as fast
        empty = not (in_row.all() and in_column.all())
        none_in_row = none_in_column = np.zeros(0)
        if empty:  # where there is no entry the factor is 1/(0 + 1)
            none_in_row, none_in_column = (in_row == 0.0).astype(float), (in_column == 0.0).astype(float)
            in_row, in_column = in_row + none_in_row, in_column + none_in_column
        x, y, turned = in_row, np.ones(in_column.shape), transpose(varied)
        last = y
        for _ in range(SWEEPS):
            sums = product(root, y)
            x, last = in_row / (sums + none_in_row if empty else sums), y
            sums = product(turned, x)
            y = in_column / (sums + none_in_column if empty else sums)
        if self._found is not None:
            self.moving = np.logical_or.reduce(np.abs(y / last - 1.0) > STILL, axis=-1)
        self._add_to_rows(2.0 * np.log2(x))
        self._add_to_columns(2.0 * np.log2(y))
        self.bring_largest_to_one(among=among)

    @property
    def least(self) -> Array:
        """The smallest entry that is not 0."""
        return np.where(self.size > -np.inf, self.size, 0.0).min(axis=(-2, -1))

    def replace(self, other: Scales, doubtful: NDArray[np.bool_]) -> None:
        """Takes other scales where these are in doubt and the others explain every entry."""
        use = (doubtful & (other.least > np.maximum(self.least, BALANCED)))[..., None]
        self.row, self.column = np.where(use, other.row, self.row), np.where(use, other.column, self.column)


def _begun(size: Array, found: NDArray[np.bool_], known: Array) -> Array:
    """Columns to begin with: those given, and where they are to be found the geometric mean of those given."""
    typical = known.sum(axis=-1, keepdims=True) / np.maximum((~found).sum(axis=-1, keepdims=True), 1)
    return np.where(found & (size.max(axis=-2) > -np.inf), typical, known)


def _explained(size: Array, found: Found, known: Array) -> Scales:
    """Scales where every entry is meant: from those of least squares, Σ (log₂|r A c|)² over the entries.

    These are the same in whatever units A is given, and so is what Sinkhorn's iteration makes of them.
    """
    present = size > -np.inf
    W, L = present.astype(float), np.where(present, size + known[..., None, :], 0.0)
    in_row = np.maximum(W.sum(axis=-1, keepdims=True), 1.0)
    in_column = W.sum(axis=-2)
    L = L - L.sum(axis=-1, keepdims=True) / in_row * W
    I = np.eye(size.shape[-1])
    # one direction of each group of rows and columns that hang together is left open: a little weight closes it
    G = in_column[..., None] * I * (1.0 + 1e-8) - transpose(W) @ (W / in_row)
    closed = in_column == 0.0 if found is None else ~found | (in_column == 0.0)
    G = np.where(closed[..., :, None] | closed[..., None, :], I, G)
    change = np.linalg.solve(G, np.where(closed, 0.0, -L.sum(axis=-2))[..., None])[..., 0]
    scales = Scales(size, known + change, found)
    scales.bring_largest_to_one()
    scales.balance(present)
    return scales


def _power_of_two(exponent: Array) -> Array:
    return np.ldexp(1.0, np.minimum(np.maximum(np.rint(exponent), -LARGEST), LARGEST).astype(np.int64))
