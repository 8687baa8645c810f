"""Scalar expressions used inside NumPy: built simplified and shared, differentiated exactly, evaluated, printed."""

import typing as _typing

from zeromass.expression.arithmetic import where
from zeromass.expression.derivative import acceleration, derivative, directional, gradient, jacobian, rate
from zeromass.expression.evaluate import Evaluator, evaluate
from zeromass.expression.leaves import coordinate, coordinates, multiplier, parameter, t
from zeromass.expression.node import Array, Expression, ExpressionError, Symbol, as_expression, expressions, symbols
from zeromass.expression.substitute import substitute
from zeromass.expression.to_sympy import to_sympy
from zeromass.later import later as _later

if _typing.TYPE_CHECKING:
    from zeromass.expression.c import c_code
    from zeromass.expression.grid import Grid
    from zeromass.expression.text import caption, heading, matrix_text
    from zeromass.expression.typeset import latex

__all__ = [
    "Array",
    "Evaluator",
    "Expression",
    "ExpressionError",
    "Grid",
    "Symbol",
    "acceleration",
    "as_expression",
    "c_code",
    "caption",
    "heading",
    "coordinate",
    "coordinates",
    "derivative",
    "directional",
    "evaluate",
    "expressions",
    "gradient",
    "jacobian",
    "latex",
    "matrix_text",
    "multiplier",
    "parameter",
    "rate",
    "substitute",
    "symbols",
    "t",
    "to_sympy",
    "where",
]

if not _typing.TYPE_CHECKING:  # type checkers know all names
    __getattr__ = _later(
        __name__,
        {
            "zeromass.expression.c": ["c_code"],
            "zeromass.expression.grid": ["Grid"],
            "zeromass.expression.text": ["caption", "heading", "matrix_text"],
            "zeromass.expression.typeset": ["latex"],
        },
    )
