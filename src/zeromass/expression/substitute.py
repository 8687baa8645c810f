"""Expressions with some of their symbols replaced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from zeromass.expression import build
from zeromass.expression.build import rebuilt
from zeromass.expression.node import Expression, Gridded, as_expression, expressions, ordered


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
