"""The checks that every array from outside has to pass, and what is said when it does not."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from zeromass.errors import ZeromassError

from .scaling import Array


class EquationError(ZeromassError, ValueError):
    """An argument that cannot be used; the message names it and says what to do.

    >>> zm.solve([[1.0]], [0.0], A=[[1.0]])
    Traceback (most recent call last):
    zeromass.equation.checks.EquationError: A is given without b; the constraints A q̈ = b need both, or neither
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
