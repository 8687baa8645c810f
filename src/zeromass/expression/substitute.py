"""Expressions with some of their symbols replaced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from zeromass.expression import build
from zeromass.expression.node import Expression, Gridded, as_expression, expressions, ordered

_RULES = {
    "add": build.add,
    "subtract": build.subtract,
    "multiply": build.multiply,
    "divide": build.divide,
    "negative": build.negative,
    "power": build.power,
    "where": build.where,
}


def rebuilt(op: str, *args: Expression) -> Expression:
    """The simplified node of an operation given by its name."""
    rule = _RULES.get(op)
    if rule is not None:
        return rule(*args)
    return build.compare(op, *args) if op in ("less", "less_equal") else build.function(op, *args)


def renewed(node: Expression, args: Sequence[Expression]) -> Expression:
    """The operation of a node on other operands."""
    if isinstance(node, Gridded):
        return build.gridded(node.grid, node.orders, args[0], args[1])
    return rebuilt(node.op, *args)


def substitute(functions: Any, replacements: Mapping[Expression, Any]) -> Any:
    """The expression, or array of expressions, with symbols replaced by expressions or numbers all at once."""
    array = expressions(functions)
    new = {symbol: as_expression(value) for symbol, value in replacements.items()}
    for node in ordered(array.ravel()):
        if node not in new and not new.keys().isdisjoint(node.args):
            new[node] = renewed(node, [new.get(a, a) for a in node.args])
    result = np.empty(array.shape, dtype=object)
    result.ravel()[:] = [new.get(e, e) for e in array.ravel()]
    return result if array.ndim else result.item()
