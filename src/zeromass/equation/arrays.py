"""Arrays from outside, checked, and stacks of matrices: products, units in which numbers are comparable, bases."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zeromass.errors import ZeromassError


class EquationError(ZeromassError, ValueError):
    """An argument that cannot be used; the message names it and says what to do.

    >>> zm.solve([[1.0]], [0.0], A=[[1.0]])
    Traceback (most recent call last):
    zeromass.equation.arrays.EquationError: A is given without b; the constraints A q̈ = b need both, or neither
    """


def numbers(name: str, value: ArrayLike, axes: int, meaning: str) -> Array:
    """The argument as a real, finite array of at least so many axes."""
    try:
        array = np.asarray(value)
        if np.iscomplexobj(array):
            raise TypeError
        array = array.astype(float)
    except (TypeError, ValueError):
        raise EquationError(f"{name} is not an array of real numbers; give numbers, with {meaning}") from None
    if array.ndim < axes:
        raise EquationError(f"{name} has shape {array.shape}; it needs at least {axes} axes, with {meaning}")
    if not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise EquationError(f"{name}{list(where)} is {array[where]}; every entry must be a finite number")
    return array


def vector(name: str, value: ArrayLike, length: int, meaning: str) -> Array:
    """The argument as a real, finite array whose last axis has the length asked for."""
    array = numbers(name, value, 1, f"{length} entries, the number of {meaning}")
    if array.shape[-1] != length:
        raise EquationError(f"{name} has shape {array.shape}; give {length} entries, the number of {meaning}")
    return array


def common_stack(**stacks: tuple[int, ...]) -> tuple[int, ...]:
    """The leading axes that the arguments have in common, broadcast."""
    try:
        return np.broadcast_shapes(*stacks.values())
    except ValueError:
        shapes = ", ".join(f"{name} {shape}" for name, shape in stacks.items())
        raise EquationError(
            f"the leading axes do not match: {shapes}; give every argument the same ones, or 1, or none"
        ) from None


Index = tuple[int, ...]


def per_problem(stack: tuple[int, ...], result: Callable[[Index], Any]) -> Any:
    """`result(index)` of each problem: itself for a single one, an object array over a stack of them."""
    if not stack:
        return result(())
    results = np.empty(stack, dtype=object)
    for index in np.ndindex(stack):
        results[index] = result(index)
    return results


def transpose(A: NDArray[np.float64]) -> NDArray[np.float64]:
    """Aᵀ of each matrix of a stack, (..., n, m)."""
    return np.swapaxes(A, -1, -2)


def times(A: NDArray[np.float64], x: NDArray[np.float64]) -> NDArray[np.float64]:
    """A x of each problem of a stack, (..., m)."""
    return (A @ x[..., None])[..., 0]


def freeze(record: object) -> None:
    """Makes the arrays of a frozen dataclass read-only, so that its values are as fixed as its fields."""
    for value in vars(record).values():
        if isinstance(value, np.ndarray):
            value.setflags(write=False)


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
    begun = found & np.any(A != 0.0, axis=-2)
    row, column = np.zeros(A.shape[:-1]), np.where(begun, typical, known)
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


def columns_from(rank: ArrayLike, count: int) -> NDArray[np.bool_]:
    """Mask, (..., 1, count), of the columns that come after the first `rank` ones."""
    return (np.arange(count) >= np.asarray(rank)[..., None])[..., None, :]


def complement(vectors: Array, rank: ArrayLike, scale: Array) -> Array:
    """Orthonormal basis of the complement of the span of vectors[:, :rank] / scale, (..., n, n).

    It has zeros in the columns before `rank`, so that B Bᵀ projects for every member of a stack.

    Before they are divided by the scale the vectors are recombined to a triangle, its rows in the order of
    the scale. Its columns then come out as different in size as the scales are, and an orthogonal
    triangularisation keeps the digits of such columns; of columns with mixed sizes it would lose them.
    """
    beyond = columns_from(rank, vectors.shape[-1])
    if not beyond.any():
        return np.zeros(vectors.shape)
    order = np.argsort(scale, axis=-1)
    ordered = _reordered(np.where(beyond, 0.0, vectors), order)
    triangle = transpose(cast(Array, np.linalg.qr(transpose(ordered), mode="r")))
    Q, _ = np.linalg.qr(triangle / _reordered(scale[..., :, None], order))
    return np.where(beyond, _reordered(Q, np.argsort(order, axis=-1)), 0.0)


def _reordered(rows: Array, order: NDArray[np.intp]) -> Array:
    """The rows of each matrix of a stack in an order, (..., n)."""
    return rows[order] if order.ndim == 1 else np.take_along_axis(rows, order[..., :, None], axis=-2)
