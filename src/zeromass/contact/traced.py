"""Functions of a place as their formulas: what was written in Python, kept as data."""

from __future__ import annotations

from typing import Any

import numpy as np

from zeromass.expression import Expression, Symbol, evaluate, expressions, substitute, symbols
from zeromass.expression.node import symbol


def _place() -> np.ndarray:
    place = np.empty(3, dtype=object)
    place[:] = [symbol(letter, "coordinate", token=f"place {letter}") for letter in "XYZ"]
    return place


PLACE: np.ndarray = _place()
"""The symbols X, Y, Z in which surfaces are kept; the same ones everywhere, so that equal formulas are equal."""


class Traced:
    """A function of X, Y, Z that was traced: `formula` is what it gave for the symbols of `PLACE`.

    Of expressions it gives expressions, of numbers and arrays of them numbers, as the function itself did.
    """

    def __init__(self, formula: Expression | np.ndarray) -> None:
        self.formula = formula

    def __call__(self, X: Any, Y: Any, Z: Any) -> Any:
        place = [np.asarray(x) for x in (X, Y, Z)]
        if all(x.dtype != object for x in place) and self._is_numeric:
            return evaluate(self.formula, dict(zip(PLACE, place, strict=True)))
        if all(x.ndim == 0 for x in place):
            return substitute(self.formula, dict(zip(PLACE, (x.item() for x in place), strict=True)))
        return np.frompyfunc(self, 3, 1)(*place)

    @property
    def _is_numeric(self) -> bool:
        """Whether numbers of X, Y and Z give a number."""
        return all(leaf in set(PLACE) for leaf in self._leaves)

    @property
    def _leaves(self) -> list[Symbol]:
        return symbols(expressions(self.formula))
