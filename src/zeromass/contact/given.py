"""What a user gives of a surface, checked: its shape as a formula, its motion as expressions of time."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from zeromass.contact.traced import PLACE
from zeromass.errors import ExpressionError
from zeromass.expression import Expression, as_expression, evaluate, expressions, symbols
from zeromass.expression import t as time
from zeromass.expression.build import ZERO
from zeromass.model import ModelError
from zeromass.model.given import Number, Vector, shown

Rotation = np.ndarray | Sequence[Sequence[Number]] | tuple[Vector, Number]
"""A (3, 3) matrix, or (axis, angle)."""

ORTHOGONAL = 1e-9
"""Entries of RᵀR − I that still are rounding in a rotation that was typed or computed."""


def implicit(shape: Callable[..., Any], name: str) -> Callable[..., Any]:
    if not callable(shape):
        raise ModelError(f"the shape of '{name}' is a function f(X, Y, Z) or h(X, Y), not {shown(shape)}")
    try:
        arguments = inspect.signature(shape).parameters.values()
        count = sum(1 for argument in arguments if argument.default is inspect.Parameter.empty)
    except (TypeError, ValueError):
        count = 3
    if count == 2:
        return lambda X, Y, Z: Z - shape(X, Y)
    if count == 3:
        return shape
    raise ModelError(f"the shape of '{name}' takes {count} arguments; it is a function f(X, Y, Z) or h(X, Y)")


def formula(shape: Callable[..., Any], name: str) -> Expression:
    """The shape as one expression of X, Y, Z, or an error; a not-a-number in it is found here too."""
    try:
        found = as_expression(shape(*PLACE))
    except (ExpressionError, TypeError, OverflowError) as error:
        raise ModelError(f"the shape of '{name}' does not give a formula of its arguments: {error}") from error
    wrong = [s for s in symbols(found) if s.kind not in ("time", "parameter") and s not in set(PLACE)]
    if wrong:
        said = f"the shape of '{name}' depends on '{wrong[0]!r}'"
        raise ModelError(f"{said}; it is a formula of its arguments, of time and of parameters")
    return found


def rotation_matrix(rotation: Any, name: str) -> np.ndarray | None:
    if rotation is None:
        return None
    if isinstance(rotation, tuple | list) and len(rotation) == 2:
        try:
            axis, angle = as_numbers(expressions(rotation[0])), as_expression(rotation[1])
        except (ExpressionError, TypeError, ValueError) as error:
            raise ModelError(f"the rotation of '{name}' is (axis, angle), not {shown(rotation)}: {error}") from error
        size = np.sqrt(axis @ axis) if axis.dtype == object and axis.shape == (3,) else np.linalg.norm(axis)
        if axis.shape != (3,) or (not isinstance(size, Expression) and not 0 < size < np.inf):
            raise ModelError(f"the rotation of '{name}' needs an axis of three components, not {shown(rotation[0])}")
        rotation = turned(axis / size, angle)
    R = of_time(rotation, (3, 3), "rotation", name)
    _check_orthogonal(R, name)
    return R


def _check_orthogonal(R: np.ndarray, name: str) -> None:
    """Raises where a matrix is no rotation; one with parameters, whose values may change, is taken on trust."""
    if any(s.kind == "parameter" for s in symbols(R)):
        return
    for moment in (0.0, 0.7, 3.1):
        numbers = evaluate(R, {time: moment})
        if not (np.abs(numbers.T @ numbers - np.eye(3)).max() < ORTHOGONAL and np.linalg.det(numbers) > 0):
            raise ModelError(
                f"the rotation of '{name}' is at t = {moment:g} s the matrix {numbers.tolist()}: no rotation"
            )


def turned(axis: np.ndarray, angle: Any) -> np.ndarray:
    """The matrix that turns by an angle about a unit axis [Rodrigues]."""
    K = np.array([[0.0, -axis[2], axis[1]], [axis[2], 0.0, -axis[0]], [-axis[1], axis[0], 0.0]], dtype=axis.dtype)
    return expressions(np.eye(3) + np.sin(angle) * expressions(K) + (1 - np.cos(angle)) * expressions(K @ K))


def of_time(given: Any, shape: tuple[int, ...], what: str, name: str) -> np.ndarray:
    try:
        array = expressions(given)
    except ExpressionError as error:
        raise ModelError(f"the {what} of '{name}': {error}") from error
    if array.shape != shape:
        raise ModelError(f"the {what} of '{name}' has shape {array.shape}, not {shape}")
    wrong = [s for s in symbols(array) if s.kind not in ("time", "parameter")]
    if wrong:
        raise ModelError(f"the {what} of '{name}' depends on '{wrong[0]!r}'; it is prescribed in time")
    return array


def as_numbers(array: np.ndarray) -> np.ndarray:
    """Constant expressions as floats; anything else as it is."""
    values = [entry.value for entry in array.ravel()]
    return array if None in values else np.array(values, dtype=float).reshape(array.shape)


def all_zero(array: np.ndarray) -> bool:
    return all(entry is ZERO for entry in array.ravel())
