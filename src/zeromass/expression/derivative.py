"""Exact derivatives: of one expression by reverse sweep, of many by sparse forward sweep, along a direction, in time.

All sweeps run once over the nodes in topological order; what they build is simplified and shared like everything else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from zeromass.expression.build import (
    MINUS_ONE,
    ONE,
    TWO,
    ZERO,
    add,
    divide,
    function,
    gridded,
    multiply,
    negative,
    power,
    subtract,
    where,
)
from zeromass.expression.node import (
    Expression,
    ExpressionError,
    Gridded,
    Symbol,
    as_expression,
    constant,
    expressions,
    ordered,
    symbol,
)


def _square(x: Expression) -> Expression:
    return power(x, TWO)


def _over_sqrt(x: Expression) -> Expression:
    return divide(ONE, function("sqrt", x))


_UNARY = {
    "negative": lambda f, x: MINUS_ONE,
    "sqrt": lambda f, x: divide(constant(0.5), f),
    "exp": lambda f, x: f,
    "log": lambda f, x: divide(ONE, x),
    "sin": lambda f, x: function("cos", x),
    "cos": lambda f, x: negative(function("sin", x)),
    "tan": lambda f, x: add(ONE, _square(f)),
    "arcsin": lambda f, x: _over_sqrt(subtract(ONE, _square(x))),
    "arccos": lambda f, x: negative(_over_sqrt(subtract(ONE, _square(x)))),
    "arctan": lambda f, x: divide(ONE, add(ONE, _square(x))),
    "sinh": lambda f, x: function("cosh", x),
    "cosh": lambda f, x: function("sinh", x),
    "tanh": lambda f, x: subtract(ONE, _square(f)),
    "arcsinh": lambda f, x: _over_sqrt(add(_square(x), ONE)),
    "arccosh": lambda f, x: _over_sqrt(subtract(_square(x), ONE)),
    "arctanh": lambda f, x: divide(ONE, subtract(ONE, _square(x))),
    "expm1": lambda f, x: add(f, ONE),
    "log1p": lambda f, x: divide(ONE, add(x, ONE)),
    "abs": lambda f, x: function("sign", x),
    "sign": lambda f, x: ZERO,
    "floor": lambda f, x: ZERO,
}


def partials(f: Expression) -> tuple[Expression, ...]:
    """Derivatives of a node with respect to each of its operands.

    Of "where" there are none: the branch not taken may have no value (x**1.5 at x < 0), and 0·NaN is NaN, so
    the sweeps choose between the branches' derivatives instead of multiplying them by 1 and 0.
    """
    op, args = f.op, f.args
    if op == "add":
        return ONE, ONE
    if op == "subtract":
        return ONE, MINUS_ONE
    if op == "multiply":
        return args[1], args[0]
    if op == "divide":
        inverse = divide(ONE, args[1])
        return inverse, negative(multiply(f, inverse))
    if op == "power":
        a, n = args
        by_base = multiply(n, power(a, subtract(n, ONE)))
        return by_base, ZERO if n.value is not None else multiply(f, function("log", a))
    if op == "arctan2":
        y, x = args
        r2 = add(_square(x), _square(y))
        return divide(x, r2), negative(divide(y, r2))
    if op in ("less", "less_equal"):
        return ZERO, ZERO
    if isinstance(f, Gridded):
        m, n = f.orders
        return gridded(f.grid, (m + 1, n), *args), gridded(f.grid, (m, n + 1), *args)
    return (_UNARY[op](f, args[0]),)


def gradient(f: Any, variables: Any) -> np.ndarray:
    """Derivatives of one expression with respect to an array of symbols, by one reverse sweep.

    Below a "where" the sweep is forward.
    """
    f, variables = expressions(f).item(), expressions(variables)
    leaves = [_leaf(v) for v in variables.ravel()]
    nodes = ordered([f])
    rows = _rows([node for node in nodes if node.op == "where"], leaves)
    adjoint: dict[Expression, Expression] = {f: ONE}
    for node in reversed(nodes):
        bar = adjoint.get(node)
        if bar is None or not node.args:
            continue
        if node.op == "where":
            slopes = rows.get(node, {}).items()
        else:
            slopes = zip(node.args, partials(node), strict=True)
        for operand, slope in slopes:
            if slope is not ZERO and operand.value is None:
                term = multiply(bar, slope)
                adjoint[operand] = add(adjoint[operand], term) if operand in adjoint else term
    return _filled(variables.shape, [adjoint.get(v, ZERO) for v in leaves])


def derivative(f: Any, variable: Expression) -> Any:
    """Partial derivative of an expression, or of each in an array, with respect to one symbol."""
    return directional(f, {_leaf(variable): ONE})


def jacobian(functions: Any, variables: Any) -> np.ndarray:
    """∂f_i/∂x_j, an array of shape f.shape + x.shape, by one sparse forward sweep."""
    functions, variables = expressions(functions), expressions(variables)
    leaves = [_leaf(v) for v in variables.ravel()]
    rows = _rows(functions.ravel(), leaves)
    entries = [rows.get(f, {}).get(x, ZERO) for f in functions.ravel() for x in leaves]
    return _filled(functions.shape + variables.shape, entries)


def _rows(
    functions: Iterable[Expression], leaves: Iterable[Expression]
) -> dict[Expression, dict[Expression, Expression]]:
    """Nonzero derivatives {x: ∂n/∂x} of every node n under the functions."""
    rows: dict[Expression, dict[Expression, Expression]] = {x: {x: ONE} for x in leaves}
    for node in ordered(functions):
        if node in rows or rows.keys().isdisjoint(node.args):
            continue
        row: dict[Expression, Expression] = {}
        if node.op == "where":
            a, b = (rows.get(branch, {}) for branch in node.args[1:])
            row = {x: where(node.args[0], a.get(x, ZERO), b.get(x, ZERO)) for x in {**a, **b}}
        else:
            for operand, slope in zip(node.args, partials(node), strict=True):
                if slope is ZERO:
                    continue
                for x, inner in rows.get(operand, {}).items():
                    term = multiply(slope, inner)
                    row[x] = add(row[x], term) if x in row else term
        if row:
            rows[node] = row
    return rows


def directional(functions: Any, direction: Mapping[Expression, Any]) -> Any:
    """Σ_j ∂f/∂x_j d_j for a direction {x_j: d_j}; scalar in, scalar out."""
    array = expressions(functions)
    slope: dict[Expression, Expression] = {_leaf(x): as_expression(d) for x, d in direction.items()}
    for node in ordered(array.ravel()):
        if node in slope or slope.keys().isdisjoint(node.args):
            continue
        if node.op == "divide":  # one division: (a/b)' = (a' − (a/b) b')/b
            a, b = node.args
            total = divide(subtract(slope.get(a, ZERO), multiply(node, slope.get(b, ZERO))), b)
        elif node.op == "where":
            condition, a, b = node.args
            total = where(condition, slope.get(a, ZERO), slope.get(b, ZERO))
        else:
            total = ZERO
            for operand, factor in zip(node.args, partials(node), strict=True):
                if operand in slope:
                    total = add(total, multiply(factor, slope[operand]))
        if total is not ZERO:
            slope[node] = total
    result = _filled(array.shape, [slope.get(f, ZERO) for f in array.ravel()])
    return result if array.ndim else result.item()


def rate(f: Any) -> Any:
    """Total time derivative of an expression or of each in an array; of a coordinate, its rate."""
    array = expressions(f)
    direction: dict[Expression, Expression] = {}
    for leaf in ordered(array.ravel()):
        if isinstance(leaf, Symbol):
            if leaf.kind == "coordinate":
                direction[leaf] = following(leaf)
            elif leaf.kind == "time":
                direction[leaf] = ONE
            elif leaf.kind == "multiplier":
                raise ExpressionError(f"the rate of the constraint force '{leaf.name}' is not available")
    result = directional(array, direction)
    return result if array.ndim else expressions(result).item()


def following(leaf: Symbol) -> Symbol:
    """The symbol of the time derivative of a coordinate, rate or acceleration."""
    return symbol(leaf.name, leaf.kind, order=leaf.order + 1, latex=leaf.latex, token=leaf.token)


def acceleration(f: Any) -> Any:
    """Second total time derivative of an expression or of each in an array."""
    return rate(rate(f))


def _leaf(x: Any) -> Expression:
    if not isinstance(x, Symbol):
        raise ExpressionError(f"derivatives are taken with respect to coordinates, rates or parameters, not '{x!r}'")
    return x


def _filled(shape: tuple[int, ...], entries: list[Expression]) -> np.ndarray:
    result = np.empty(shape, dtype=object)
    result.ravel()[:] = entries
    return result
