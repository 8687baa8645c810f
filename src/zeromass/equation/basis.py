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


def span_and_complement(vectors: Array, rank: ArrayLike, scale: Array) -> tuple[Array, Array]:
    """Orthonormal bases of the span of vectors[:, :rank] / scale and of its complement, both (..., n, n).

    The first has zeros in the columns from `rank` on and the second in those before, so that B Bᵀ projects
    for every member of a stack.

    Before they are divided by the scale the vectors are recombined to a triangle, its rows in the order of
    the scale. Its columns then come out as different in size as the scales are, and an orthogonal
    triangularisation keeps the digits of such columns; of columns with mixed sizes it would lose them.
    """
    beyond = columns_from(rank, vectors.shape[-1])
    order = np.argsort(scale, axis=-1)[..., :, None]
    ordered = np.take_along_axis(np.where(beyond, 0.0, vectors), order, axis=-2)
    triangle = transpose(cast(Array, np.linalg.qr(transpose(ordered), mode="r")))
    Q, _ = np.linalg.qr(triangle / np.take_along_axis(scale[..., :, None], order, axis=-2))
    Q = np.take_along_axis(Q, np.argsort(order, axis=-2), axis=-2)
    return np.where(beyond, 0.0, Q), np.where(beyond, Q, 0.0)
