"""Operations that simplify as they build: constants are folded, zeros and ones vanish, signs move outwards.

Every function takes and returns expressions. The rules are local (they look at most two levels down), so building
costs a fixed amount of work a node and a formula keeps the shape that its author gave it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from zeromass.expression import node
from zeromass.expression.functions import FUNCTIONS
from zeromass.expression.node import Expression, ExpressionError, constant, is_integer, operation

if TYPE_CHECKING:
    from zeromass.expression.grid import Grid

ZERO, ONE, MINUS_ONE, TWO = constant(0), constant(1), constant(-1), constant(2)


def add(a: Expression, b: Expression) -> Expression:
    if a is ZERO:
        return b
    if b is ZERO:
        return a
    if a.value is not None and b.value is not None:
        return constant(a.value + b.value)
    if b.op == "negative":
        return subtract(a, b.args[0])
    if a.op == "negative":
        return subtract(b, a.args[0])
    if a.op == "subtract" and a.args[1] is b:
        return a.args[0]
    if b.op == "subtract" and b.args[1] is a:
        return b.args[0]
    if a.value is not None:
        a, b = b, a
    if b.value is not None:  # a constant stands last: (x + 1) + 2 = x + 3
        if a.op == "add" and a.args[1].value is not None:
            return add(a.args[0], constant(a.args[1].value + b.value))
        return operation("add", a, b)
    if a is b or a.op == "multiply" or b.op == "multiply":
        (p, x), (q, y) = _coefficient(a), _coefficient(b)
        if x is y:
            return multiply(constant(p + q), x)
        if q < 0:
            return subtract(a, multiply(constant(-q), y))
        if p < 0:
            return subtract(b, multiply(constant(-p), x))
    return operation("add", a, b) if a.serial < b.serial else operation("add", b, a)


def subtract(a: Expression, b: Expression) -> Expression:
    if b is ZERO:
        return a
    if a is b:
        return ZERO
    if a is ZERO:
        return negative(b)
    if b.value is not None:
        return add(a, constant(-b.value))
    if b.op == "negative":
        return add(a, b.args[0])
    if a.op == "negative":
        return negative(add(a.args[0], b))
    if a.op == "add" and (a.args[0] is b or a.args[1] is b):
        return a.args[1] if a.args[0] is b else a.args[0]
    if b.op == "subtract" and b.args[0] is a:
        return b.args[1]
    (p, x), (q, y) = _coefficient(a), _coefficient(b)
    if x is y:
        return multiply(constant(p - q), x)
    if q < 0:
        return add(a, multiply(constant(-q), y))
    if p < 0:  # −2x − 3y = −(2x + 3y), whichever stands first
        return negative(add(multiply(constant(-p), x), b))
    return operation("subtract", a, b)


def negative(a: Expression) -> Expression:
    if a.value is not None:
        return constant(-a.value)
    if a.op == "negative":
        return a.args[0]
    if a.op == "subtract":
        return subtract(a.args[1], a.args[0])
    if a.op == "multiply" and a.args[0].value is not None:
        return multiply(constant(-a.args[0].value), a.args[1])
    return operation("negative", a)


def multiply(a: Expression, b: Expression) -> Expression:
    if a.value is None and b.value is not None:
        a, b = b, a
    if a.value is not None:  # a constant stands first
        if b.value is not None:
            return constant(a.value * b.value)
        if a is ZERO:
            return ZERO
        if a is ONE:
            return b
        if a is MINUS_ONE:
            return negative(b)
        if b.op == "negative":
            return multiply(constant(-a.value), b.args[0])
        if b.op == "multiply" and b.args[0].value is not None:
            return multiply(constant(a.value * b.args[0].value), b.args[1])
        return operation("multiply", a, b)
    if a.op == "negative":
        return negative(multiply(a.args[0], b))
    if b.op == "negative":
        return negative(multiply(a, b.args[0]))
    if a.op == "multiply" and a.args[0].value is not None:
        return multiply(a.args[0], multiply(a.args[1], b))
    if b.op == "multiply" and b.args[0].value is not None:
        return multiply(b.args[0], multiply(a, b.args[1]))
    if a is b or a.op == "power" or b.op == "power":
        (x, p), (y, q) = _exponent(a), _exponent(b)
        if x is y and is_integer(p) and is_integer(q):
            return power(x, constant(p + q))
    if a is b and a.op == "sqrt":
        return a.args[0]
    if a.op == "divide" and a.args[1] is b:
        return a.args[0]
    if b.op == "divide" and b.args[1] is a:
        return b.args[0]
    return operation("multiply", a, b) if a.serial < b.serial else operation("multiply", b, a)


def divide(a: Expression, b: Expression) -> Expression:
    if b is ZERO:
        raise ExpressionError(f"division of '{a!r}' by zero")
    if a is ZERO:
        return ZERO
    if b is ONE:
        return a
    if a is b:
        return ONE
    if b.value is not None:
        if a.value is not None:
            return constant(a.value / b.value)
        inverse = 1.0 / b.value
        if math.frexp(b.value)[0] in (0.5, -0.5) and math.isfinite(inverse):
            return multiply(constant(inverse), a)  # dividing by a power of two is exact as a product
    if a.op == "negative":
        return negative(divide(a.args[0], b))
    if b.op == "negative":
        return negative(divide(a, b.args[0]))
    if a.op == "multiply" and (a.args[0] is b or a.args[1] is b):
        return a.args[1] if a.args[0] is b else a.args[0]
    (x, p), (y, q) = _exponent(a), _exponent(b)
    if x is y and is_integer(p) and is_integer(q):
        return power(x, constant(p - q))
    if b.op == "sqrt" and b.args[0] is a:
        return b
    return operation("divide", a, b)


def power(a: Expression, b: Expression) -> Expression:
    if b.value is None:
        return function("exp", multiply(b, function("log", a))) if a.value is not None else operation("power", a, b)
    n = b.value
    if n == 0:
        return ONE
    if n == 1:
        return a
    if a.value is not None:
        try:
            folded = a.value**n
        except (ZeroDivisionError, OverflowError) as error:
            raise ExpressionError(f"{a!r} ** {b!r} has no value") from error
        if isinstance(folded, complex):
            raise ExpressionError(f"{a!r} ** {b!r} is not a real number")
        return constant(folded)
    if n == -1:
        return divide(ONE, a)
    if n == 0.5:
        return function("sqrt", a)
    if is_integer(n):
        if a.op == "negative":
            return power(a.args[0], b) if n % 2 == 0 else negative(power(a.args[0], b))
        if a.op == "power" and a.args[1].value is not None and is_integer(a.args[1].value):
            return power(a.args[0], constant(a.args[1].value * n))
        if a.op == "sqrt" and n % 2 == 0:
            return power(a.args[0], constant(n / 2))
        if a.op == "abs" and n % 2 == 0:
            return power(a.args[0], b)
    return operation("power", a, b)


def function(name: str, *args: Expression) -> Expression:
    """An elementary function by its NumPy name."""
    rule = FUNCTIONS[name]
    if all(a.value is not None for a in args):
        try:
            folded = rule.number(*[a.value for a in args])
        except (ValueError, ZeroDivisionError, OverflowError) as error:
            words = ", ".join(repr(a) for a in args)
            raise ExpressionError(f"{name}({words}) has no real value") from error
        return constant(folded)
    if args[0].op == "negative" and rule.parity:
        even = function(name, args[0].args[0], *args[1:])
        return even if rule.parity == "even" else negative(even)
    if name == "abs" and args[0].op in ("abs", "sqrt", "exp"):
        return args[0]
    return operation(name, *args)


def gridded(grid: Grid, orders: tuple[int, int], x: Expression, y: Expression) -> Expression:
    """A function on a grid, or one of its derivatives."""
    if any(order >= powers for order, powers in zip(orders, grid.powers, strict=True)):
        return ZERO
    if x.value is None or y.value is None:
        return node.gridded(grid, orders, x, y)
    folded = float(grid.derivative(x.value, y.value, orders))
    if folded != folded:
        raise ExpressionError(f"'{grid.name}' has no value at ({x!r}, {y!r}): {grid!r}")
    return constant(folded)


def compare(op: str, a: Expression, b: Expression) -> Expression:
    """A condition: "less" or "less_equal"."""
    if a.value is not None and b.value is not None:
        return ONE if (a.value < b.value or (op == "less_equal" and a.value == b.value)) else ZERO
    return operation(op, a, b)


def where(condition: Expression, a: Expression, b: Expression) -> Expression:
    if condition.value is not None:
        return a if condition.value else b
    return a if a is b else operation("where", condition, a, b)


def _coefficient(a: Expression) -> tuple[float, Expression]:
    if a.op == "multiply" and a.args[0].value is not None:
        return a.args[0].value, a.args[1]
    if a.op == "negative":
        return -1.0, a.args[0]
    return 1.0, a


def _exponent(a: Expression) -> tuple[Expression, float]:
    if a.op == "power" and a.args[1].value is not None:
        return a.args[0], a.args[1].value
    return a, 1.0
