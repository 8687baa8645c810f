"""The named leaves that a user writes formulas with."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, cast

import numpy as np

from zeromass.errors import ExpressionError, shown, unwritable
from zeromass.expression.node import Symbol, as_float, symbol

if TYPE_CHECKING:
    from numpy.typing import NDArray

    class Coordinates(NDArray[np.object_]):
        """An array of coordinates: editors know what `x, y = zm.coordinates("x y")` are."""

        def __iter__(self) -> Iterator[Symbol]: ...  # type: ignore[override]


t: Symbol = symbol("t", "time", token="time")
"""Time, in seconds."""


def coordinate(name: str, *, latex: str | None = None) -> Symbol:
    """New generalised coordinate q. Its rate is `zm.rate(q)`, its acceleration `zm.acceleration(q)`.

    >>> theta = zm.coordinate("theta")
    >>> 1 - np.cos(theta)
    1 - cos(theta)
    >>> zm.coordinate("theta") is theta  # another one of that name
    False
    """
    name = _checked(name)
    return symbol(name, "coordinate", latex=_checked_latex(latex, name))


def coordinates(names: str) -> Coordinates:
    """New generalised coordinates, from names separated by blanks or commas, as an array.

    >>> x, y = zm.coordinates("x y")
    >>> x * y + y * x
    2*(x*y)
    """
    if not isinstance(names, str):
        raise ExpressionError(f"zm.coordinates({shown(names)}): give names in one word, such as zm.coordinates('x y')")
    words = names.replace(",", " ").split()
    if not words:
        raise ExpressionError("zm.coordinates needs at least one name, such as zm.coordinates('x y')")
    repeated = {word for word in words if words.count(word) > 1}
    if repeated:
        raise ExpressionError(f"zm.coordinates({shown(names)}) repeats the name {', '.join(sorted(repeated))}")
    result = np.empty(len(words), dtype=object)
    result[:] = [coordinate(word) for word in words]
    return cast("Coordinates", result)


def parameter(name: str, value: float, *, latex: str | None = None) -> Symbol:
    """Number that may change without new equations or machine code: a mass, a length, a force.

    >>> m = zm.parameter("m", 2.0)
    >>> zm.expression.evaluate(m * 3, {}), zm.expression.evaluate(m * 3, {m: 5.0})
    (6.0, 15.0)
    """
    name = _checked(name)
    number = as_float(value)
    if not np.isfinite(number):
        raise ExpressionError(f"parameter '{name}' must have a finite value, not {shown(value)}")
    return symbol(name, "parameter", default=number, latex=_checked_latex(latex, name))


def multiplier(name: str) -> Symbol:
    """The Lagrange multiplier of one constraint row: known once the motion is solved.

    >>> from zeromass.expression import multiplier
    >>> multiplier("tension").kind
    'multiplier'
    """
    return symbol(name, "multiplier")


def namesake(one: object, known: Iterable[Symbol]) -> str:
    """The remedy where a symbol is not known: another one of its name is, or the joint or part that it belongs to is not.

    >>> from zeromass.expression.leaves import namesake
    >>> namesake(zm.parameter("m", 1.0), [zm.parameter("m", 1.0)])
    "; another 'm' is, made apart from this one: make it once, and give that"
    >>> pin = zm.joints.Revolute(zm.Ground(), zm.RigidBody("arm", 1.0, (1, 1, 1)), axis=(0, 1, 0), name="pin")
    >>> namesake(pin.angle, [])
    "; 'pin' is not in the system: give a joint in joints=[…], a part as one of its parts"
    """
    if not isinstance(one, Symbol):
        return ""
    if any(other.name == one.name for other in known):
        return f"; another '{one.name}' is, made apart from this one: make it once, and give that"
    owner = one.name.rpartition(".")[0]
    if owner and not any(other.name.startswith(f"{owner}.") for other in known):
        return f"; '{owner}' is not in the system: give a joint in joints=[…], a part as one of its parts"
    return ""


def _checked(name: str) -> str:
    if not isinstance(name, str) or not re.fullmatch(r"[^\W\d][\w.'\[\] ]*", name):
        raise ExpressionError(f"{shown(name)} is not a name: begin with a letter, then letters, digits, '_' or '.'")
    return name


def _checked_latex(latex: str | None, name: str) -> str | None:
    if latex is not None and (not isinstance(latex, str) or unwritable(latex)):
        raise ExpressionError(f"latex of '{name}' is {shown(latex)}; it is how LaTeX writes it, such as '\\\\theta'")
    return latex
