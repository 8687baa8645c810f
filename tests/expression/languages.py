"""Other languages for `formulas`: SymPy, which derives on its own, and mpmath, with any number of digits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mpmath
import sympy

from expression.formulas import Language

DIGITS = 40
"""Of every mpmath number. A double has 16, so that what is compared are the library's roundings alone."""


class Below(sympy.Function):
    """1 where a < b, else 0."""

    def fdiff(self, argindex: int = 1) -> Any:
        return sympy.S.Zero


class NotAbove(Below):
    """1 where a ≤ b, else 0."""


class Floor(Below):
    """The largest integer not above. (SymPy leaves the derivative of its own `floor` undone.)"""


class Choice(sympy.Function):
    """a where the condition holds, else b. (SymPy's `Piecewise` spends minutes on comparing conditions.)"""

    def fdiff(self, argindex: int = 1) -> Any:
        condition = self.args[0]
        return (sympy.S.Zero, Choice(condition, 1, 0), Choice(condition, 0, 1))[argindex - 1]


SYMPY: Language = {
    "number": sympy.Rational,
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b,
    "power": lambda a, b: a**b,
    "negative": lambda a: -a,
    "square": lambda a: a**2,
    "reciprocal": lambda a: 1 / a,
    "sqrt": sympy.sqrt,
    "cbrt": sympy.cbrt,
    "hypot": lambda a, b: sympy.sqrt(a**2 + b**2),
    "exp": sympy.exp,
    "exp2": lambda a: 2**a,
    "expm1": lambda a: sympy.exp(a) - 1,
    "log": sympy.log,
    "log2": lambda a: sympy.log(a) / sympy.log(2),
    "log10": lambda a: sympy.log(a) / sympy.log(10),
    "log1p": lambda a: sympy.log(1 + a),
    "sin": sympy.sin,
    "cos": sympy.cos,
    "tan": sympy.tan,
    "arcsin": sympy.asin,
    "arccos": sympy.acos,
    "arctan": sympy.atan,
    "arctan2": sympy.atan2,
    "sinh": sympy.sinh,
    "cosh": sympy.cosh,
    "tanh": sympy.tanh,
    "arcsinh": sympy.asinh,
    "arccosh": sympy.acosh,
    "arctanh": sympy.atanh,
    "abs": lambda a: Choice(Below(0, a), a, -a),
    "sign": lambda a: Choice(Below(0, a), 1, Choice(Below(a, 0), -1, 0)),
    "floor": Floor,
    "maximum": lambda a, b: Choice(Below(a, b), b, a),
    "minimum": lambda a, b: Choice(Below(a, b), a, b),
    "less": lambda a, b, c, d: Choice(Below(a, b), c, d),
    "less_equal": lambda a, b, c, d: Choice(NotAbove(a, b), c, d),
}

_SAME_NAME = ("sqrt", "cbrt", "hypot", "exp", "expm1", "log", "log10", "log1p")
_TRIGONOMETRIC = ("sin", "cos", "tan", "sinh", "cosh", "tanh")
_ALGEBRA = ("add", "subtract", "multiply", "divide", "power", "negative", "square", "reciprocal", "exp2")

MPMATH: Language = {
    "number": mpmath.mpf,
    **{name: SYMPY[name] for name in _ALGEBRA},
    **{name: getattr(mpmath, name) for name in _SAME_NAME + _TRIGONOMETRIC},
    **{f"arc{name}": getattr(mpmath, f"a{name}") for name in _TRIGONOMETRIC},
    "arctan2": mpmath.atan2,
    "log2": lambda a: mpmath.log(a, 2),
}
"""For smooth formulas."""


def digits_of(formulas: Any, variables: Sequence[Any]) -> Any:
    """A function of mpmath numbers from SymPy formulas."""
    choices = {
        "Below": lambda a, b: a < b,
        "NotAbove": lambda a, b: a <= b,
        "Floor": mpmath.floor,
        "Choice": lambda condition, a, b: a if condition else b,
    }
    return sympy.lambdify(variables, formulas, modules=[choices, "mpmath"], cse=True)
