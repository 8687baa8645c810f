"""Operations that simplify as they build: constants are folded, zeros and ones vanish, signs move outwards.

Every function takes and returns expressions. The rules are local (they look at most two levels down), so building
costs a fixed amount of work a node and a formula keeps the shape that its author gave it.

Folding loses nothing: constants that are normal numbers stay apart where together they would overflow, or vanish, or
lose digits below the smallest normal number. 1e-200*(1e-200*x) is 1e-100 at
x = 1e300, and not 0·x.

A symbol stands for a finite number: 0·x is 0 and x − x is 0, also where the x of a run overflows. Of constants, 0·∞ and
∞ − ∞ are refused like every other NaN.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from zeromass.errors import ExpressionError
from zeromass.expression import node
from zeromass.expression.node import Expression, commuted, constant, is_integer, operation, pair
from zeromass.expression.operation import OPERATIONS

if TYPE_CHECKING:
    from zeromass.expression.grid import Grid

ZERO, ONE, MINUS_ONE, TWO = constant(0), constant(1), constant(-1), constant(2)
_TINY, _HUGE = sys.float_info.min, sys.float_info.max
_LOOKED_AT = frozenset(("negative", "multiply", "power", "divide"))
"""Operations that a product of them looks into."""
_WHOLE = 2.0**53
"""Up to here sums and products of whole numbers are exact."""


def _normal(value: float) -> bool:
    return _TINY <= abs(value) <= _HUGE


def _proper(value: float) -> bool:
    """Whether it is neither zero nor infinite: then a zero or infinity that comes of it is a loss."""
    return 0 < abs(value) <= _HUGE


def _infinite(a: Expression) -> bool:
    return a.value is not None and math.isinf(a.value)


def add(a: Expression, b: Expression) -> Expression:
    if a is ZERO:
        return b
    if b is ZERO:
        return a
    if a.value is not None and b.value is not None:
        total = a.value + b.value  # a sum of tiny numbers is exact
        lost = math.isinf(total) and abs(a.value) <= _HUGE and abs(b.value) <= _HUGE
        return commuted("add", a, b) if lost else constant(total)
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
        if a.op == "add" and a.args[1].value is not None and a.args[0].value is None:
            total = a.args[1].value + b.value
            if abs(total) <= _HUGE or not abs(a.args[1].value) <= _HUGE or not abs(b.value) <= _HUGE:
                return add(a.args[0], constant(total))
        return pair("add", a, b)
    if (
        a is b
        or (a.op == "multiply" and a.args[0].value is not None)
        or (b.op == "multiply" and b.args[0].value is not None)
    ):
        (p, x), (q, y) = _coefficient(a), _coefficient(b)
        if x is y and abs(p + q) <= _HUGE:
            return multiply(constant(p + q), x)
        if q < 0:
            return subtract(a, multiply(constant(-q), y))
        if p < 0:
            return subtract(b, multiply(constant(-p), x))
    return pair("add", a, b) if a.serial < b.serial else pair("add", b, a)


def subtract(a: Expression, b: Expression) -> Expression:
    if b is ZERO:
        return a
    if a is b and not _infinite(a):
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
    if (a.op == "multiply" and a.args[0].value is not None) or (b.op == "multiply" and b.args[0].value is not None):
        (p, x), (q, y) = _coefficient(a), _coefficient(b)
        if x is y and abs(p - q) <= _HUGE:
            return multiply(constant(p - q), x)
        if q < 0:
            return add(a, multiply(constant(-q), y))
        if p < 0:  # −2x − 3y = −(2x + 3y), whichever stands first
            return negative(add(multiply(constant(-p), x), b))
    return pair("subtract", a, b)


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
            folded = a.value * b.value
            lost = not _normal(folded) and _proper(a.value) and _proper(b.value)
            return commuted("multiply", a, b) if lost else constant(folded)
        if a is ZERO:
            return ZERO
        if a is ONE:
            return b
        if a is MINUS_ONE:
            return negative(b)
        if b.op == "negative":
            return multiply(constant(-a.value), b.args[0])
        if b.op == "multiply" and b.args[0].value is not None and b.args[1].value is None:
            folded = a.value * b.args[0].value
            if _normal(folded) or not _proper(a.value):
                return multiply(constant(folded), b.args[1])
        return pair("multiply", a, b)
    if a.op not in _LOOKED_AT and b.op not in _LOOKED_AT and a is not b:
        return pair("multiply", a, b) if a.serial < b.serial else pair("multiply", b, a)
    if a.op == "negative":
        return negative(multiply(a.args[0], b))
    if b.op == "negative":
        return negative(multiply(a, b.args[0]))
    if a.op == "multiply" and a.args[0].value is not None:
        p, q = a.args[0].value, _coefficient(b)[0]
        if q != 1 and not _normal(p * q) and _proper(p) and _proper(q):
            return commuted("multiply", a, b)  # each constant stays with what it scales
        return multiply(a.args[0], multiply(a.args[1], b))
    if b.op == "multiply" and b.args[0].value is not None:
        return multiply(b.args[0], multiply(a, b.args[1]))
    if a is b or a.op == "power" or b.op == "power":
        (x, p), (y, q) = _exponent(a), _exponent(b)
        if x is y and is_integer(p) and is_integer(q) and abs(p + q) <= _WHOLE:
            return power(x, constant(p + q))
    if a is b and a.op == "sqrt":
        return a.args[0]
    if a.op == "divide" and a.args[1] is b:
        return a.args[0]
    if b.op == "divide" and b.args[1] is a:
        return b.args[0]
    return pair("multiply", a, b) if a.serial < b.serial else pair("multiply", b, a)


def divide(a: Expression, b: Expression) -> Expression:
    if b is ZERO:
        raise ExpressionError(f"division of '{a!r}' by zero")
    if a is ZERO:
        return ZERO
    if b is ONE:
        return a
    if a is b and not _infinite(a):
        return ONE
    if b.value is not None:
        if a.value is not None:
            folded = a.value / b.value
            lost = not _normal(folded) and _proper(a.value) and _proper(b.value)
            return operation("divide", a, b) if lost else constant(folded)
        inverse = 1.0 / b.value
        if math.frexp(b.value)[0] in (0.5, -0.5) and _normal(inverse):
            return multiply(constant(inverse), a)  # dividing by a power of two is exact as a product
    if a.op == "negative":
        return negative(divide(a.args[0], b))
    if b.op == "negative":
        return negative(divide(a, b.args[0]))
    if a.op == "multiply" and (a.args[0] is b or a.args[1] is b):
        return a.args[1] if a.args[0] is b else a.args[0]
    (x, p), (y, q) = _exponent(a), _exponent(b)
    if x is y and is_integer(p) and is_integer(q) and abs(p - q) <= _WHOLE:
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
        lost = not _normal(folded) and _proper(a.value) and math.isfinite(n)
        return operation("power", a, b) if lost else constant(folded)
    if n == -1:
        return divide(ONE, a)
    if n == 0.5:
        return function("sqrt", a)
    if is_integer(n):
        if a.op == "negative":
            return power(a.args[0], b) if n % 2 == 0 else negative(power(a.args[0], b))
        inner = a.args[1].value if a.op == "power" else None
        if inner is not None and is_integer(inner) and abs(inner * n) <= _WHOLE:
            return power(a.args[0], constant(inner * n))
        if a.op == "sqrt" and n % 2 == 0:
            return power(a.args[0], constant(n / 2))
        if a.op == "abs" and n % 2 == 0:
            return power(a.args[0], b)
    return operation("power", a, b)


def function(name: str, *args: Expression) -> Expression:
    """An operation by its name in the table, without rules of its own: an elementary function, say."""
    a = args[0]
    if len(args) == 1:
        if a.value is not None:
            return _folded(name, args)
        if a.op == "negative" and OPERATIONS[name].parity:
            inner = function(name, a.args[0])
            return inner if OPERATIONS[name].parity == "even" else negative(inner)
        if name == "abs" and a.op in ("abs", "sqrt", "exp", "hypot"):
            return a
        return operation(name, a)
    if all(b.value is not None for b in args):
        return _folded(name, args)
    if OPERATIONS[name].parity == "even" and any(b.op == "negative" for b in args):
        return function(name, *[b.args[0] if b.op == "negative" else b for b in args])
    if a is args[1] and OPERATIONS[name].choice is not None:
        return a  # the larger or smaller of two that are one
    return operation(name, *args)


def _folded(name: str, args: tuple[Expression, ...]) -> Expression:
    row = OPERATIONS[name]
    numbers = [float(a) for a in args]
    try:
        if row.fold is not None:
            folded = float(row.fold(*numbers))
        else:
            with np.errstate(all="ignore"):
                folded = float(row.number(*[np.float64(number) for number in numbers]))
        if math.isnan(folded):
            raise ValueError
    except (ValueError, ZeroDivisionError, OverflowError) as error:
        words = ", ".join(repr(a) for a in args)
        raise ExpressionError(f"{name}({words}) has no real value") from error
    lost = not math.isfinite(folded) or (row.underflows and not _normal(folded))
    return operation(name, *args) if lost and all(map(_proper, numbers)) else constant(folded)


def remainder(a: Expression, b: Expression) -> Expression:
    """a − b ⌊a/b⌋."""
    if b is ZERO:
        raise ExpressionError(f"division of '{a!r}' by zero")
    return ZERO if a is ZERO or a is b else function("remainder", a, b)


def floor_divide(a: Expression, b: Expression) -> Expression:
    """⌊a/b⌋."""
    if b is ZERO:
        raise ExpressionError(f"division of '{a!r}' by zero")
    if a is b:
        return ONE
    return ZERO if a is ZERO else function("floor_divide", a, b)


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


RULES: dict[str, Callable[..., Expression]] = {
    "add": add,
    "subtract": subtract,
    "multiply": multiply,
    "divide": divide,
    "negative": negative,
    "power": power,
    "remainder": remainder,
    "floor_divide": floor_divide,
    "less": partial(compare, "less"),
    "less_equal": partial(compare, "less_equal"),
    "where": where,
}
"""Operations that simplify in ways of their own."""


def rebuilt(op: str, *args: Expression) -> Expression:
    """The simplified node of an operation given by its name."""
    rule = RULES.get(op)
    return function(op, *args) if rule is None else rule(*args)


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
