"""The names of `zeromass.expression`: `zeromass.lazy.attach` reads them from here."""

from zeromass.expression.arithmetic import where as where
from zeromass.expression.c import c_code as c_code
from zeromass.expression.derivative import acceleration as acceleration
from zeromass.expression.derivative import derivative as derivative
from zeromass.expression.derivative import directional as directional
from zeromass.expression.derivative import gradient as gradient
from zeromass.expression.derivative import jacobian as jacobian
from zeromass.expression.derivative import rate as rate
from zeromass.expression.evaluate import Evaluator as Evaluator
from zeromass.expression.evaluate import evaluate as evaluate
from zeromass.expression.grid import Grid as Grid
from zeromass.expression.leaves import coordinate as coordinate
from zeromass.expression.leaves import coordinates as coordinates
from zeromass.expression.leaves import multiplier as multiplier
from zeromass.expression.leaves import parameter as parameter
from zeromass.expression.leaves import t as t
from zeromass.expression.node import Array as Array
from zeromass.expression.node import Expression as Expression
from zeromass.expression.node import Symbol as Symbol
from zeromass.expression.node import as_expression as as_expression
from zeromass.expression.node import expressions as expressions
from zeromass.expression.node import symbols as symbols
from zeromass.expression.substitute import substitute as substitute
from zeromass.expression.text import caption as caption
from zeromass.expression.text import heading as heading
from zeromass.expression.text import matrix_text as matrix_text
from zeromass.expression.to_sympy import sympy as sympy
from zeromass.expression.typeset import latex as latex

__all__ = [
    "Expression",
    "Symbol",
    "derivative",
    "directional",
    "evaluate",
    "gradient",
    "jacobian",
    "substitute",
]
