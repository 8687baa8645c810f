"""Rows of the table: the elementary functions, under NumPy's names ("arctan2", not "atan2")."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from zeromass.expression.node import Expression
from zeromass.expression.operation import enclosure as i
from zeromass.expression.operation import writing as w
from zeromass.expression.operation.algebra import ONE
from zeromass.expression.operation.row import Intrinsic, Library, Operation


def _unary(
    code: int,
    number: Callable[..., Any],
    slope: Callable[[Expression, Expression], Expression],
    latex: str,
    name: str,
    interval: Callable[[i.Bounds], i.Bounds] | None = None,
    **more: Any,
) -> Operation:
    """A function of one operand that C, SymPy, Python's math and our library know by one name.

    interval  by default that of a function that rises
    """
    row = {"c": name, "sympy": name, "llvm": Library(name), "fold": getattr(math, name, None), **more}
    row["interval"] = interval or i.rising(number)
    return Operation(code, 1, number, lambda f, x: (slope(f, x),), latex, **row)


def _of_angle(f: Expression, y: Expression, x: Expression) -> tuple[Expression, ...]:
    r2 = x**2 + y**2
    return x / r2, -(y / r2)


ELEMENTARY: dict[str, Operation] = {
    "sqrt": _unary(
        1025, np.sqrt, lambda f, x: 0.5 / f, "", "sqrt", i.rising(np.sqrt, 0.0), llvm=Intrinsic("sqrt")
    )._replace(latex=w.latex_root),
    "exp": _unary(1012, np.exp, lambda f, x: f, r"\exp", "exp", i.rising(np.exp, 0.0), underflows=True),
    "log": _unary(1017, np.log, lambda f, x: ONE / x, r"\ln", "log"),
    "sin": _unary(1023, np.sin, lambda f, x: x.cos(), r"\sin", "sin", i.sine, parity="odd"),
    "cos": _unary(1009, np.cos, lambda f, x: -x.sin(), r"\cos", "cos", i.cosine, parity="even"),
    "tan": _unary(1027, np.tan, lambda f, x: ONE + f**2, r"\tan", "tan", i.tangent, parity="odd"),
    "arcsin": _unary(1004, np.arcsin, lambda f, x: ONE / (ONE - x**2).sqrt(), r"\arcsin", "asin", parity="odd"),
    "arccos": _unary(
        1002, np.arccos, lambda f, x: -(ONE / (ONE - x**2).sqrt()), r"\arccos", "acos", i.falling(np.arccos, 0.0, 4.0)
    ),
    "arctan": _unary(1006, np.arctan, lambda f, x: ONE / (ONE + x**2), r"\arctan", "atan", parity="odd"),
    "arctan2": Operation(
        code=1007,
        arity=2,
        number=np.arctan2,
        slope=_of_angle,
        latex=r"\operatorname{\text{atan2}}",
        c="atan2",
        sympy="atan2",
        llvm=Library("atan2"),
        interval=i.angle,
        jumps=i.cut,
        fold=math.atan2,
        underflows=True,
        smooth=lambda modes, y, x: modes.angle(y, x),
    ),
    "hypot": Operation(
        code=1030,
        arity=2,
        number=np.hypot,
        slope=lambda f, a, b: (a / f, b / f),
        latex=w.latex_length,
        c="hypot",
        sympy=lambda sympy, a, b: sympy.sqrt(a**2 + b**2),
        llvm=Library("hypot"),
        interval=i.length,
        fold=math.hypot,
        parity="even",
    ),
    "sinh": _unary(1024, np.sinh, lambda f, x: x.cosh(), r"\sinh", "sinh", parity="odd"),
    "cosh": _unary(1010, np.cosh, lambda f, x: x.sinh(), r"\cosh", "cosh", i.cosh, parity="even"),
    "tanh": _unary(
        1028, np.tanh, lambda f, x: ONE - f**2, r"\tanh", "tanh", i.rising(np.tanh, -1.0, 1.0), parity="odd"
    ),
    "arcsinh": _unary(
        1005, np.arcsinh, lambda f, x: ONE / (x**2 + 1).sqrt(), r"\operatorname{arsinh}", "asinh", parity="odd"
    ),
    "arccosh": _unary(1003, np.arccosh, lambda f, x: ONE / (x**2 - 1).sqrt(), r"\operatorname{arcosh}", "acosh"),
    "arctanh": _unary(
        1008, np.arctanh, lambda f, x: ONE / (ONE - x**2), r"\operatorname{artanh}", "atanh", parity="odd"
    ),
    "expm1": _unary(
        1013,
        np.expm1,
        lambda f, x: f + 1,
        r"\operatorname{\text{expm1}}",
        "expm1",
        i.rising(np.expm1, -1.0),
        sympy=lambda sympy, x: sympy.exp(x) - 1,
    ),
    "log1p": _unary(
        1018,
        np.log1p,
        lambda f, x: ONE / (x + 1),
        r"\operatorname{\text{log1p}}",
        "log1p",
        sympy=lambda sympy, x: sympy.log(1 + x),
    ),
}
