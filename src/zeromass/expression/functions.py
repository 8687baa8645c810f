"""The table of elementary functions: for each its value, parity and how it is printed.

Names are NumPy's ("arctan2", not "atan2"). A function that is not here is written with those that are
(`np.hypot`, `np.log10`, …), see `arithmetic`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np


class Function(NamedTuple):
    """How one elementary function is evaluated and written."""

    number: Callable[..., float]
    array: Callable[..., np.ndarray]
    latex: str
    c: str
    sympy: str
    parity: str = ""


def _sign(x: float) -> float:
    return float((x > 0) - (x < 0))


FUNCTIONS: dict[str, Function] = {
    "sqrt": Function(math.sqrt, np.sqrt, r"\sqrt", "sqrt", "sqrt"),
    "exp": Function(math.exp, np.exp, r"\exp", "exp", "exp"),
    "log": Function(math.log, np.log, r"\ln", "log", "log"),
    "sin": Function(math.sin, np.sin, r"\sin", "sin", "sin", "odd"),
    "cos": Function(math.cos, np.cos, r"\cos", "cos", "cos", "even"),
    "tan": Function(math.tan, np.tan, r"\tan", "tan", "tan", "odd"),
    "arcsin": Function(math.asin, np.arcsin, r"\arcsin", "asin", "asin", "odd"),
    "arccos": Function(math.acos, np.arccos, r"\arccos", "acos", "acos"),
    "arctan": Function(math.atan, np.arctan, r"\arctan", "atan", "atan", "odd"),
    "arctan2": Function(math.atan2, np.arctan2, r"\operatorname{atan2}", "atan2", "atan2"),
    "sinh": Function(math.sinh, np.sinh, r"\sinh", "sinh", "sinh", "odd"),
    "cosh": Function(math.cosh, np.cosh, r"\cosh", "cosh", "cosh", "even"),
    "tanh": Function(math.tanh, np.tanh, r"\tanh", "tanh", "tanh", "odd"),
    "arcsinh": Function(math.asinh, np.arcsinh, r"\operatorname{arsinh}", "asinh", "asinh", "odd"),
    "arccosh": Function(math.acosh, np.arccosh, r"\operatorname{arcosh}", "acosh", "acosh"),
    "arctanh": Function(math.atanh, np.arctanh, r"\operatorname{artanh}", "atanh", "atanh", "odd"),
    "expm1": Function(math.expm1, np.expm1, r"\operatorname{expm1}", "expm1", "expm1"),
    "log1p": Function(math.log1p, np.log1p, r"\operatorname{log1p}", "log1p", "log1p"),
    "abs": Function(math.fabs, np.abs, "", "fabs", "Abs", "even"),
    "sign": Function(_sign, np.sign, r"\operatorname{sgn}", "", "sign", "odd"),
    "floor": Function(math.floor, np.floor, "", "floor", "floor"),
}
