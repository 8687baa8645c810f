"""What a user gives, as expressions. What can not be one is refused under the name by which messages call it."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Real
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, TypeVar

import numpy as np

from zeromass.errors import ExpressionError, ModelError, shown, unwritable
from zeromass.expression import Expression, Symbol, as_expression, expressions

LARGEST = int(sys.float_info.max)
"""The largest whole number that is a float."""

T = TypeVar("T")

Number = Expression | float
"""A number, or a formula of time, parameters and coordinates."""

Vector = Annotated[Sequence[Number] | np.ndarray, (3,)]
"""Three of them."""

Parameters = Mapping[Expression, float] | Mapping[str, float]
"""Values of parameters, {parameter or its name: number}."""

Quaternion = Annotated[Sequence[float] | np.ndarray, (4,)]
"""Four numbers."""

Inertia = Annotated[Sequence[Number] | Sequence[Sequence[Number]] | np.ndarray, (3,), (3, 3)]
"""Three principal moments, or a symmetric matrix."""


def given_array(values: Any, what: str) -> np.ndarray:
    """An object array of expressions from numbers, expressions, or nested sequences or arrays of them."""
    try:
        array = expressions(values)
    except ExpressionError as error:
        raise ModelError(f"{what}: {error}") from error
    for e in array.ravel():
        if e.value is not None and not math.isfinite(e.value):
            raise ModelError(f"{what} is {e.value}; every number in it must be finite")
    return array


def given_number(value: Any, what: str) -> Number:
    """A finite number, or a formula."""
    try:
        found = as_expression(value)
    except ExpressionError:
        found = None
    if found is None or (found.value is not None and not math.isfinite(found.value)):
        raise ModelError(f"{what} is {shown(value)}; it is a finite number, or a formula of parameters")
    return found if found.value is None else found.value


def given_name(name: Any, what: str) -> str:
    """A name, which is a word that a file can have."""
    if not isinstance(name, str) or not name:
        raise ModelError(f"the name of {what} is {shown(name)}; it is a word, such as 'first'")
    if unwritable(name):
        raise ModelError(f"the name of {what} is {shown(name)}: no file can have such characters; give another name")
    return name


def given_real(value: Any, what: str) -> float:
    """A number, of Python or NumPy; not-a-numbers and infinities are left to whoever knows what it may be."""
    number = _real(value)
    if number is None:
        raise ModelError(f"{what} is {shown(value)}; it is a number")
    return number


def given_finite(value: Any, what: str, error: type[Exception] = ModelError) -> float:
    """A finite number."""
    number = _real(value)
    if number is None or not math.isfinite(number):
        raise error(f"{what} = {shown(value)}: give a finite number")
    return number


def _real(value: Any) -> float | None:
    """What is given as a float; None where it is no number, or a whole one beyond the largest float."""
    number: Any = value.item() if isinstance(value, np.ndarray) and value.ndim == 0 else value
    if not isinstance(number, Real) or (isinstance(number, int) and not -LARGEST <= number <= LARGEST):
        return None
    return float(number)


def given_count(value: Any, what: str, least: int = 0, below: int | None = None) -> int:
    """A whole number, from `least` on, and below another one where there is one."""
    number = value.item() if isinstance(value, np.ndarray) and value.ndim == 0 else value
    whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
    if not whole or number < least or (below is not None and number >= below):
        span = (
            f"from {least} on"
            if below is None
            else f"from {least} to {below - 1}"
            if below > least
            else "and none fits"
        )
        raise ModelError(f"{what} is {shown(value)}; it is a whole number, {span}")
    return int(number)


def given_choice(value: Any, what: str, choices: Iterable[Any]) -> Any:
    """One of a few words or numbers."""
    choices = tuple(choices)
    if not isinstance(value, str | int | float | np.integer) or value not in choices:
        raise ModelError(f"{what} is {shown(value)}; it is {' or '.join(map(repr, choices))}")
    return value


def given_kind(value: Any, kind: type[T] | tuple[type[T], ...], what: str, such: str) -> T:
    """Something of a kind; `such` is how one comes by it."""
    if not isinstance(value, kind):
        raise ModelError(f"{what} is {shown(value)}; it is {such}")
    return value


def given_all(values: Any, kind: type | tuple[type, ...], what: str, such: str) -> list[Any]:
    """Several of a kind, in a list, tuple, array or other collection that is not a word or a mapping."""
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise ModelError(f"{what} is {shown(values)}; it is a list of {such}")
    try:
        found = list(values)
    except (TypeError, ValueError) as error:
        raise ModelError(f"{what} is {shown(values)}, which can not be gone through: {error}") from error
    for value in found:
        if not isinstance(value, kind):
            raise ModelError(f"{what} has {shown(value)} in it; each is {such}")
    return found


def given_numbers(
    values: Any, what: str, shape: tuple[int | None, ...] | None = None, *, finite: bool = True
) -> np.ndarray:
    """Numbers as an array of floats; of a shape, where None stands for any length, and without it of any."""
    try:
        array = np.asarray(values)
        array = array.astype(float) if array.dtype.kind in "biufO" or not array.size else None
    except (TypeError, ValueError, OverflowError):
        array = None
    fits = array is not None and (
        shape is None
        or (len(shape) == array.ndim and all(n in (None, m) for n, m in zip(shape, array.shape, strict=True)))
    )
    if array is None or not fits:
        said = f", not shape {array.shape}" if array is not None else f", not {shown(values)}"
        size = "" if shape is None else f" in shape ({', '.join('any' if n is None else str(n) for n in shape)})"
        raise ModelError(f"{what} is an array of numbers{size}{said}")
    if finite and not np.isfinite(array).all():
        raise ModelError(f"{what} is {shown(values)}; every number in it must be finite")
    return array


def given_symbols(values: Any, what: str) -> Sequence[Symbol] | np.ndarray:
    """Symbols in an array or a sequence."""
    several = isinstance(values, tuple | list) or (isinstance(values, np.ndarray) and values.ndim == 1)
    if not several or not all(isinstance(x, Symbol) for x in values):
        raise ModelError(f"{what} is {shown(values)}; it is an array of coordinates")
    return values


def shape_of(value: Any) -> tuple[int, ...] | None:
    """The shape of what is given as an array would have it; None where it is none, as of lists of several lengths."""
    try:
        return np.shape(value)
    except (TypeError, ValueError):
        return None


def given_function(value: Any, what: str, such: str) -> Callable[..., Any]:
    """A function of the user; `such` is what it looks like."""
    if not callable(value) or isinstance(value, type):
        raise ModelError(f"{what} is {shown(value)}; it is a function {such}")
    return value


def value_of(function: Callable[..., Any], arguments: Sequence[Any], what: str) -> Any:
    """The value of a user's function; what it raises is left as it is, but it must take so many arguments."""
    try:
        return function(*arguments)
    except TypeError as error:
        if error.__traceback__ is not None and error.__traceback__.tb_next is not None:
            raise  # from inside the function
        raise ModelError(f"{what} can not be called with {len(arguments)} arguments: {error}") from error


def given_flag(value: Any, what: str) -> bool:
    """A truth."""
    if not isinstance(value, bool | np.bool_):
        raise ModelError(f"{what} is {shown(value)}; it is True or False")
    return bool(value)


def given_scalar(value: Any, what: str) -> Expression:
    """One expression."""
    array = given_array(value, what)
    if array.ndim:
        raise ModelError(f"{what} is one number or expression, not an array of shape {array.shape}")
    return array.item()


def given_positive(value: Any, what: str) -> Expression:
    """One expression, positive as far as it is a number."""
    found = given_scalar(value, what)
    if found.value is not None and not found.value > 0:
        raise ModelError(f"{what} is {found.value:g}; it is positive")
    return found


def given_vector(values: Any, what: str) -> np.ndarray:
    """Three expressions, shape (3,)."""
    array = given_array(values, what)
    if array.shape != (3,):
        raise ModelError(f"{what} needs three components, not shape {array.shape}")
    return array


def length(vector: np.ndarray) -> Expression:
    """|v| of a vector of expressions."""
    return as_expression(np.sqrt(vector @ vector))


def given_mapping(value: Any, what: str, such: str) -> Mapping[Any, Any]:
    """A mapping; `such` is what it looks like."""
    if not isinstance(value, Mapping):
        raise ModelError(f"{what} is {shown(value)}; give {such}")
    return value


def given_parameters(value: Any, what: str, known: Iterable[Symbol] = ()) -> dict[Any, Any]:
    """A mapping of symbols to values; names of known symbols may stand for them."""
    found = by_parameter(given_mapping(value, what, "{parameter: value}"), known)
    for key in found:
        given_kind(key, Symbol, f"a key of {what}", "a parameter, zm.parameter(…), or another symbol")
    return found


def by_parameter(given: Mapping[Any, T], known: Iterable[Symbol]) -> dict[Any, T]:
    """A mapping with parameters as its keys instead of their names."""
    return dict(zip(parameters_by_name(given, known), given.values(), strict=True))


class ByName(dict[Symbol, float]):
    """Values of parameters, which can be asked for by name too: values["m"]."""

    def __missing__(self, key: Any) -> float:
        (found,) = parameters_by_name([key], self)
        if found is key:
            raise KeyError(key)
        return self[found]


def parameters_by_name(given: Iterable[Any], known: Iterable[Symbol]) -> list[Any]:
    """Parameters, with those instead of their names; a name that is unknown stays, for who says what is wrong with it."""
    symbols = {p.name: p for p in known}
    return [symbols.get(one, one) if isinstance(one, str) else one for one in given]


def path_of(value: Any) -> Path | None:
    """The path of a file that is given; None where it is none, as one of bytes."""
    named = os.fspath(value) if isinstance(value, str | PathLike) else None
    return Path(named) if isinstance(named, str) else None


def given_path(value: Any, such: str) -> Path:
    """The path of a file to be read; `such` is what it is called like."""
    found = path_of(value)
    if found is None or "\0" in str(found):
        raise ModelError(f"{shown(value)} is no path of a file; give a name such as '{such}'")
    return found
