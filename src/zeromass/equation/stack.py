"""Stacks of problems: results whose size differs from problem to problem."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
