"""Orthonormal bases of a space that is known in other units."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .scaling import Array
from .stack import transpose


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
