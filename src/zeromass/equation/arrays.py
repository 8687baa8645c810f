"""Arrays from outside, checked, and stacks of matrices: products and bases, by one thread."""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable
from contextlib import ContextDecorator
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zeromass.errors import EquationError, shown


def numbers(name: str, value: ArrayLike, axes: int, meaning: str) -> Array:
    """The argument as a real, finite array of at least so many axes."""
    try:
        array = np.asarray(value)
        if np.iscomplexobj(array):
            raise TypeError
        array = array.astype(float)
    except (TypeError, ValueError, OverflowError):
        raise EquationError(f"{name} is not an array of real numbers; give numbers, with {meaning}") from None
    if array.ndim < axes:
        raise EquationError(f"{name} has shape {array.shape}; it needs at least {axes} axes, with {meaning}")
    if not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise EquationError(f"{name}{list(where)} is {array[where]}; every entry must be a finite number")
    return array


def tolerance_of(name: str, value: Any) -> float:
    """The argument as one number, 0 or more."""
    number = value.item() if isinstance(value, np.ndarray) and value.ndim == 0 else value
    if not isinstance(number, int | float | np.integer | np.floating) or not 0 <= number <= sys.float_info.max:
        raise EquationError(f"{name} is {shown(value)}; it is a number, 0 or more")
    return float(number)


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


def fixed(array: NDArray[np.float64]) -> NDArray[np.float64]:
    """The array, read-only."""
    array.setflags(write=False)
    return array


Array = NDArray[np.float64]


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


_NAMES = ("scipy_openblas_{}_num_threads64_", "openblas_{}_num_threads64_", "openblas_{}_num_threads")
"""What OpenBLAS calls the functions that `get` and `set` the number of threads, as it comes with NumPy or from elsewhere."""


class SingleThread(ContextDecorator):
    """`with single_thread:` linear algebra uses one thread, in the whole process, while any thread is inside.

    OpenBLAS, which comes with NumPy, divides products of more than some 64³ operations, and sums of more than 10,000 terms,
    among all cores. How it divides them enters the last bits. On a busy machine it also takes longer: its threads wait for
    one another in loops, so that the singular values of a 300 × 300 matrix take 0.07 s by one thread and seconds by two.
    Where NumPy has another library, nothing is changed.

    >>> from zeromass.equation.arrays import single_thread
    >>> with single_thread:
    ...     σ = np.linalg.svd(np.eye(70), compute_uv=False)
    """

    def __init__(self) -> None:
        self._inside, self._threads, self._lock = 0, 0, threading.Lock()

    @cached_property
    def _library(self) -> tuple[Callable[[], int], Callable[[int], Any]] | None:
        try:
            from numpy.linalg import _umath_linalg  # type: ignore[attr-defined]

            library = ctypes.CDLL(_umath_linalg.__file__)
        except (ImportError, OSError):
            return None
        found = next((name for name in _NAMES if hasattr(library, name.format("set"))), None)
        return None if found is None else (library[found.format("get")], library[found.format("set")])

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1
            if self._inside == 1 and self._library is not None:
                get, put = self._library
                self._threads = get()
                put(1)

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0 and self._library is not None:
                self._library[1](self._threads)


single_thread = SingleThread()
