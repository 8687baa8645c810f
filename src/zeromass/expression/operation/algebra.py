"""Rows of the table: sums, products, powers."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from zeromass.expression.node import Expression, constant, is_integer
from zeromass.expression.operation import enclosure as i
from zeromass.expression.operation import writing as w
from zeromass.expression.operation.row import Emitter, Instruction, Operation

ZERO, ONE, MINUS_ONE = constant(0), constant(1), constant(-1)
LARGEST_POWER = 4
"""Integer powers up to this are products, to 1.9 units in the last place; beyond, the power function is called."""


def _of_quotient(f: Expression, a: Expression, b: Expression) -> tuple[Expression, ...]:
    inverse = ONE / b
    return inverse, -(f * inverse)


def _of_power(f: Expression, a: Expression, n: Expression) -> tuple[Expression, ...]:
    if n.value is not None:
        return n * a ** (n.value - 1), ZERO
    return n * a ** (n - 1), f * a.log()


def _c_power(node: Expression, a: str, n: str) -> str:
    exponent = node.args[1].value
    if exponent is not None and is_integer(exponent) and 2 <= exponent <= LARGEST_POWER:
        return " * ".join([a] * int(exponent))
    return f"pow({a}, {n})"


def _llvm_power(e: Emitter, node: Expression, a: str, n: str) -> str:
    exponent = node.args[1].value
    if exponent is None or not is_integer(exponent) or not 1 <= abs(exponent) <= LARGEST_POWER:
        return e.library("pow", a, n)
    result, square, k = "", a, abs(int(exponent))
    while k:
        if k & 1:
            result = e.instruction("fmul", result, square) if result else square
        k >>= 1
        if k:
            square = e.instruction("fmul", square, square)
    return result if exponent > 0 else e.instruction("fdiv", e.number(1.0), result)


def _sympy(operation: Any) -> Any:
    return lambda sympy, *args: operation(*args)


ALGEBRA: dict[str, Operation] = {
    "add": Operation(
        code=1001,
        arity=2,
        number=operator.add,  # of NumPy's numbers the same as np.add, and several times as fast
        slope=lambda f, a, b: (ONE, ONE),
        text=w.sum_,
        latex=w.sum_,
        c="{0} + {1}",
        sympy=_sympy(operator.add),
        llvm=Instruction("fadd"),
        interval=i.sum_,
    ),
    "subtract": Operation(
        code=1026,
        arity=2,
        number=operator.sub,
        slope=lambda f, a, b: (ONE, MINUS_ONE),
        text=w.difference,
        latex=w.latex_difference,
        c="{0} - {1}",
        sympy=_sympy(operator.sub),
        llvm=Instruction("fsub"),
        interval=i.difference,
    ),
    "negative": Operation(
        code=1020,
        arity=1,
        number=operator.neg,
        slope=lambda f, a: (MINUS_ONE,),
        text=w.opposite,
        latex=w.latex_opposite,
        c="-{0}",
        sympy=_sympy(operator.neg),
        llvm=Instruction("fneg"),
        interval=i.opposite,
    ),
    "multiply": Operation(
        code=1019,
        arity=2,
        number=operator.mul,
        slope=lambda f, a, b: (b, a),
        text=w.product,
        latex=w.latex_product,
        c="{0} * {1}",
        sympy=_sympy(operator.mul),
        llvm=Instruction("fmul"),
        interval=i.product,
        underflows=True,
    ),
    "divide": Operation(
        code=1011,
        arity=2,
        number=operator.truediv,
        slope=_of_quotient,
        text=w.quotient("/"),
        latex=w.latex_fraction,
        c="{0} / {1}",
        sympy=_sympy(operator.truediv),
        llvm=Instruction("fdiv"),
        interval=i.quotient,
        underflows=True,
    ),
    "power": Operation(
        code=1021,
        arity=2,
        number=np.float_power,
        slope=_of_power,
        text=w.power,
        latex=w.latex_power,
        c=_c_power,
        sympy=_sympy(operator.pow),
        llvm=_llvm_power,
        interval=i.power,
        underflows=True,
    ),
}
