"""Exact derivatives: of one expression by reverse sweep, of many by sparse forward sweep, along a direction, in time.

All sweeps run once over the nodes in topological order; what they build is simplified and shared like everything else.

Derivatives are partial: symbols that are not asked for stay fixed. Accelerations and constraint forces follow from the
motion, so that they can not stay fixed while positions, rates, time or parameters change: where they are not among the
variables themselves, such a derivative is refused.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from zeromass.errors import ExpressionError, quoted
from zeromass.expression.build import ONE, ZERO, add, divide, gridded, multiply, subtract, where
from zeromass.expression.evaluate import Sparse
from zeromass.expression.node import (
    Array,
    Expression,
    Gridded,
    Symbol,
    as_expression,
    expressions,
    given_formulas,
    ordered,
    symbol,
)
from zeromass.expression.operation import OPERATIONS
from zeromass.expression.operation.equations import PART

if TYPE_CHECKING:
    from zeromass.expression.signatures import Formulas, Scalar


def partials(f: Expression) -> tuple[Expression, ...]:
    """Derivatives of a node with respect to each of its operands.

    Of a choice, such as "where", they are 1 and 0 and for looking at only: the branch not taken may have no value (x**1.5
    at x < 0), and 0·NaN is NaN, so the sweeps choose between the branches' derivatives instead of multiplying by these.
    """
    row = OPERATIONS.get(f.op)
    if row is not None:
        return row.slope(f, *f.args)
    assert isinstance(f, Gridded)
    m, n = f.orders
    return gridded(f.grid, (m + 1, n), *f.args), gridded(f.grid, (m, n + 1), *f.args)


def _forward(op: str) -> bool:
    """Whether slopes are found by a forward sweep alone: of choices, and of solutions of linear equations."""
    return op == PART or (op in OPERATIONS and OPERATIONS[op].choice is not None)


def _number_of(node: Expression) -> int:
    """Which part of a solution a node is."""
    return int(node.args[1].value or 0)


def gradient(f: Scalar | np.ndarray, variables: Expression | Formulas) -> Array:
    """Derivatives of one expression with respect to an array of symbols, by one reverse sweep.

    Below a choice ("where", "maximum") the sweep is forward.

    >>> x, y = q = zm.coordinates("x y")
    >>> zm.expression.gradient(x**2 * y, q)
    array([2*(x*y), x**2], dtype=object)
    """
    root, variables = expressions(f), expressions(variables)
    if root.size != 1:
        raise ExpressionError(
            f"zm.expression.gradient is of one expression, not of {root.size}; zm.expression.jacobian is of several"
        )
    root = root.item()
    leaves = [_leaf(v) for v in variables.ravel()]
    nodes = ordered([root])
    _check_free(nodes, leaves)
    rows = None
    adjoint: dict[Expression, Expression] = {root: ONE}
    for node in reversed(nodes):
        bar = adjoint.get(node)
        if bar is None or not node.args:
            continue
        rule = OPERATIONS.get(node.op)
        if _forward(node.op):
            if rows is None:
                choices = [n for n in nodes if _forward(n.op)]
                rows = _rows(ordered(choices), leaves)
            slopes = rows.get(node, {}).items()
        else:
            slopes = zip(node.args, partials(node) if rule is None else rule.slope(node, *node.args), strict=True)
        for operand, slope in slopes:
            if slope is not ZERO and operand.value is None:
                term = multiply(bar, slope)
                adjoint[operand] = add(adjoint[operand], term) if operand in adjoint else term
    return _filled(variables.shape, [adjoint.get(v, ZERO) for v in leaves])


@overload
def derivative(f: Scalar, variable: Expression) -> Expression: ...
@overload
def derivative(f: Formulas, variable: Expression) -> Array: ...
def derivative(f: Scalar | Formulas, variable: Expression) -> Expression | Array:
    """Partial derivative of an expression, or of each in an array, with respect to one symbol.

    Accelerations and constraint forces follow from the state: by a coordinate, rate, time or parameter they are
    differentiated only once they are solved for (`Program.solved`).

    >>> x = zm.coordinate("x")
    >>> zm.expression.derivative(np.exp(3 * x), x)
    3*exp(3*x)
    """
    return directional(f, {_leaf(variable): ONE})


def jacobian(functions: Scalar | Formulas, variables: Expression | Formulas) -> Array:
    """∂f_i/∂x_j, an array of shape f.shape + x.shape, by one sparse forward sweep.

    >>> x, y = q = zm.coordinates("x y")
    >>> zm.expression.jacobian([x * y, x - y], q)
    array([[y, x],
           [1, -1]], dtype=object)
    """
    functions, variables = expressions(functions), expressions(variables)
    leaves = list(variables.ravel())
    entries = [row.get(x, ZERO) for row in slopes_of(functions.ravel(), leaves) for x in leaves]
    return _filled(functions.shape + variables.shape, entries)


def slopes_of(functions: Iterable[Expression], variables: Sequence[Expression]) -> list[dict[Expression, Expression]]:
    """{x: ∂f/∂x} of each function, as far as it may not be zero, by one sparse forward sweep."""
    functions, leaves = list(functions), [_leaf(v) for v in variables]
    nodes = ordered(functions)
    _check_free(nodes, leaves)
    rows = _rows(nodes, leaves)
    return [rows.get(f, {}) for f in functions]


def sparse_jacobian(functions: Sequence[Expression] | Array, variables: Sequence[Expression] | Array) -> Sparse:
    """∂f_i/∂x_j, by one forward sweep.

    >>> from zeromass.expression.derivative import sparse_jacobian
    >>> x, y, z = zm.coordinates("x y z")
    >>> sparse_jacobian([x * z, x - y], [x, y, z]).rows
    [{0: z, 2: x}, {0: 1, 1: -1}]
    """
    variables = list(variables)
    place = {x: j for j, x in enumerate(variables)}
    rows = slopes_of(functions, variables)
    return Sparse(({place[x]: e for x, e in row.items()} for row in rows), len(variables))


def _rows(nodes: Iterable[Expression], leaves: Iterable[Expression]) -> dict[Expression, dict[Expression, Expression]]:
    """Nonzero derivatives {x: ∂n/∂x} of nodes n in topological order."""
    rows: dict[Expression, dict[Expression, Any]] = {x: {x: ONE} for x in leaves}
    known = rows.keys()
    for node in nodes:
        if known.isdisjoint(node.args) or node in rows:
            continue
        row: dict[Expression, Any] = {}
        rule = OPERATIONS.get(node.op)
        if node.op == PART:
            row = {x: along.part(_number_of(node)) for x, along in rows[node.args[0]].items()}
            row = {x: slope for x, slope in row.items() if slope is not ZERO}
        elif rule is not None and rule.solves is not None:
            own = {a: rows[a] for a in node.args if a in rows}
            for x in dict.fromkeys(x for inner in own.values() for x in inner):
                row[x] = rule.solves(node, {a: inner[x] for a, inner in own.items() if x in inner})
        elif rule is not None and rule.choice is not None:
            condition, *branches = rule.choice(*node.args)
            a, b = (rows.get(branch, {}) for branch in branches)
            row = {x: where(condition, a.get(x, ZERO), b.get(x, ZERO)) for x in {**a, **b}}
        else:
            slopes = partials(node) if rule is None else rule.slope(node, *node.args)
            for operand, slope in zip(node.args, slopes, strict=True):
                if slope is ZERO:
                    continue
                for x, inner in rows.get(operand, {}).items():
                    term = multiply(slope, inner)
                    row[x] = add(row[x], term) if x in row else term
        if row:
            rows[node] = row
    return rows


@overload
def directional(functions: Scalar, direction: Mapping[Any, Scalar]) -> Expression: ...
@overload
def directional(functions: Formulas, direction: Mapping[Any, Scalar]) -> Array: ...
def directional(functions: Scalar | Formulas, direction: Mapping[Any, Scalar]) -> Expression | Array:
    """Σ_j ∂f/∂x_j d_j for a direction {x_j: d_j}; scalar in, scalar out.

    >>> x, y = zm.coordinates("x y")
    >>> zm.expression.directional(x * y, {x: 2, y: x})
    2*y + x**2
    """
    array = expressions(functions)
    given_formulas(direction, "the direction of zm.expression.directional", "{symbol: how fast it changes}")
    slope: dict[Expression, Any] = {_leaf(x): as_expression(d) for x, d in direction.items()}
    nodes = ordered(array.ravel())
    _check_free(nodes, slope.keys())
    known = slope.keys()
    for node in nodes:
        if known.isdisjoint(node.args) or node in slope:
            continue
        rule = OPERATIONS.get(node.op)
        if node.op == "divide":  # one division: (a/b)' = (a' − (a/b) b')/b
            a, b = node.args
            total = divide(subtract(slope.get(a, ZERO), multiply(node, slope.get(b, ZERO))), b)
        elif node.op == PART:
            total = slope[node.args[0]].part(_number_of(node))
        elif rule is not None and rule.solves is not None:
            total = rule.solves(node, {a: slope[a] for a in node.args if a in slope})
        elif rule is not None and rule.choice is not None:
            condition, a, b = rule.choice(*node.args)
            total = where(condition, slope.get(a, ZERO), slope.get(b, ZERO))
        else:
            total = ZERO
            factors = partials(node) if rule is None else rule.slope(node, *node.args)
            for operand, factor in zip(node.args, factors, strict=True):
                if operand in slope:
                    total = add(total, multiply(factor, slope[operand]))
        if total is not ZERO:
            slope[node] = total
    result = _filled(array.shape, [slope.get(f, ZERO) for f in array.ravel()])
    return result if array.ndim else result.item()


@overload
def rate(f: Scalar) -> Expression: ...
@overload
def rate(f: Formulas) -> Array: ...
def rate(f: Scalar | Formulas) -> Expression | Array:
    """Total time derivative of an expression or of each in an array; of a coordinate, its rate.

    >>> x = zm.coordinate("x")
    >>> zm.rate(np.sin(x) + zm.t)
    rate(x)*cos(x) + 1
    """
    array = expressions(f)
    flat = array.ravel().tolist()
    if array.ndim and all(isinstance(x, Symbol) and x.kind == "coordinate" for x in flat):
        return _filled(array.shape, [following(x) for x in flat])
    direction: dict[Expression, Expression] = {}
    for leaf in ordered(flat):
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


@overload
def acceleration(f: Scalar) -> Expression: ...
@overload
def acceleration(f: Formulas) -> Array: ...
def acceleration(f: Scalar | Formulas) -> Expression | Array:
    """Second total time derivative of an expression or of each in an array.

    >>> x = zm.coordinate("x")
    >>> zm.acceleration(x**2)
    2*(rate(x)**2 + x*acceleration(x))
    """
    return rate(rate(f))


def _check_free(nodes: Iterable[Expression], variables: Collection[Expression]) -> None:
    """That nothing under a derivative depends on its variables unseen, as accelerations do on the state."""
    by = next((x for x in variables if not _follows(x)), None)
    if by is None:
        return
    hidden = next((node for node in nodes if not node.args and _follows(node) and node not in variables), None)
    if hidden is not None:
        raise ExpressionError(
            f"the derivative of '{hidden!r}' by '{by!r}' is not known before the motion is solved: it follows from the "
            "state. Differentiate its solution, zm.expression.jacobian(zm.compile(system, start).solved(…), …), or a whole "
            "run, run.sensitivity()"
        )


def _follows(leaf: Expression) -> bool:
    """Whether a symbol follows from the motion: an acceleration, its rates, or a constraint force."""
    return isinstance(leaf, Symbol) and (leaf.order >= 2 or leaf.kind == "multiplier")


def _leaf(x: Any) -> Expression:
    if not isinstance(x, Symbol):
        raise ExpressionError(
            f"derivatives are taken with respect to coordinates, rates or parameters, not {quoted(x)}"
        )
    return x


def _filled(shape: tuple[int, ...], entries: list[Expression]) -> Array:
    result = np.empty(shape, dtype=object)
    result.ravel()[:] = entries
    return result
