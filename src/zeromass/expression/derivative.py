"""Exact derivatives: of one expression by reverse sweep, of many by sparse forward sweep, along a direction, in time.

All sweeps run once over the nodes in topological order; what they build is simplified and shared like everything else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from zeromass.expression.build import ONE, ZERO, add, divide, gridded, multiply, subtract, where
from zeromass.expression.node import (
    Expression,
    ExpressionError,
    Gridded,
    Symbol,
    as_expression,
    expressions,
    ordered,
    symbol,
)
from zeromass.expression.operation import OPERATIONS


def partials(f: Expression) -> tuple[Expression, ...]:
    """Derivatives of a node with respect to each of its operands.

    Of a choice, such as "where", they are 1 and 0 and for looking at only: the branch not taken may have no value (x**1.5
    at x < 0), and 0·NaN is NaN, so the sweeps choose between the branches' derivatives instead of multiplying by these.
    """
    if isinstance(f, Gridded):
        m, n = f.orders
        return gridded(f.grid, (m + 1, n), *f.args), gridded(f.grid, (m, n + 1), *f.args)
    return OPERATIONS[f.op].slope(f, *f.args)


def gradient(f: Any, variables: Any) -> np.ndarray:
    """Derivatives of one expression with respect to an array of symbols, by one reverse sweep.

    Below a choice ("where", "maximum") the sweep is forward.
    """
    f, variables = expressions(f).item(), expressions(variables)
    leaves = [_leaf(v) for v in variables.ravel()]
    nodes = ordered([f])
    choices = {node for node in nodes if node.op in OPERATIONS and OPERATIONS[node.op].choice is not None}
    rows = _rows(choices, leaves)
    adjoint: dict[Expression, Expression] = {f: ONE}
    for node in reversed(nodes):
        bar = adjoint.get(node)
        if bar is None or not node.args:
            continue
        if node in choices:
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
        choice = None if node.op == "grid" else OPERATIONS[node.op].choice
        if choice is not None:
            condition, *branches = choice(*node.args)
            a, b = (rows.get(branch, {}) for branch in branches)
            row = {x: where(condition, a.get(x, ZERO), b.get(x, ZERO)) for x in {**a, **b}}
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
        choice = None if node.op == "grid" else OPERATIONS[node.op].choice
        if node.op == "divide":  # one division: (a/b)' = (a' − (a/b) b')/b
            a, b = node.args
            total = divide(subtract(slope.get(a, ZERO), multiply(node, slope.get(b, ZERO))), b)
        elif choice is not None:
            condition, a, b = choice(*node.args)
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
