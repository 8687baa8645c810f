"""What a user gives, as expressions. What can not be one is refused under the name by which messages call it."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from numbers import Real
from os import PathLike
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from zeromass.errors import unwritable
from zeromass.expression import Expression, ExpressionError, as_expression, expressions
from zeromass.model.errors import ModelError

SHOWN = 80
"""Letters of what was given that a message repeats."""

Number = Expression | float
"""A number, or a formula of time, parameters and coordinates."""

Vector = Annotated[Sequence[Number] | np.ndarray, (3,)]
"""Three of them."""

Quaternion = Annotated[Sequence[float] | np.ndarray, (4,)]
"""Four numbers."""

Inertia = Annotated[Sequence[Number] | Sequence[Sequence[Number]] | np.ndarray, (3,), (3, 3)]
"""Three principal moments, or a symmetric matrix."""


def given_array(values: Any, what: str) -> np.ndarray:
    """An object array of expressions from numbers, expressions, or nested sequences or arrays of them."""
    try:
        array = expressions(values)
    except (ExpressionError, ValueError) as error:
        raise ModelError(f"{what}: {error}") from error
    for e in array.ravel():
        if e.value is not None and not math.isfinite(e.value):
            raise ModelError(f"{what} is {e.value}; every number in it must be finite")
    return array


def given_number(value: Any, what: str) -> Number:
    """A finite number as it is, or a formula."""
    try:
        found = as_expression(value)
    except ExpressionError:
        found = None
    if found is None or (found.value is not None and not math.isfinite(found.value)):
        raise ModelError(f"{what} is {shown(value)}; it is a finite number, or a formula of parameters")
    return found if found.value is None else value.item() if isinstance(value, np.ndarray) else value


def shown(value: Any) -> str:
    """What was given, in one short line of a message."""
    words = " ".join(repr(value).split())
    return words if len(words) <= SHOWN else f"{words[:SHOWN]}…"


def given_name(name: Any, what: str) -> str:
    """A name, which is a word that a file can have."""
    if not isinstance(name, str) or not name:
        raise ModelError(f"the name of {what} is {shown(name)}; it is a word, such as 'first'")
    if unwritable(name):
        raise ModelError(f"the name of {what} is {shown(name)}: no file can have such characters; give another name")
    return name


def given_real(value: Any, what: str) -> float:
    """A number, of Python or NumPy; not-a-numbers and infinities are left to whoever knows what it may be."""
    number = value.item() if isinstance(value, np.ndarray) and value.ndim == 0 else value
    if not isinstance(number, Real):
        raise ModelError(f"{what} is {shown(value)}; it is a number")
    return float(number)


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
