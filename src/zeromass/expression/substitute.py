"""Expressions with some of their symbols replaced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from zeromass.expression import build
from zeromass.expression.build import rebuilt
from zeromass.expression.node import Array, Expression, Gridded, as_expression, expressions, given_formulas, ordered

if TYPE_CHECKING:
    from zeromass.expression.signatures import Formulas, Scalar


def renewed(node: Expression, args: Sequence[Expression]) -> Expression:
    """The operation of a node on other operands."""
    if isinstance(node, Gridded):
        return build.gridded(node.grid, node.orders, args[0], args[1])
    return rebuilt(node.op, *args)


@overload
def substitute(functions: Scalar, replacements: Mapping[Any, Any]) -> Expression: ...
@overload
def substitute(functions: Formulas, replacements: Mapping[Any, Any]) -> Array: ...
def substitute(functions: Scalar | Formulas, replacements: Mapping[Any, Any]) -> Expression | Array:
    """Expression, or array of them, with symbols replaced simultaneously.

    >>> x, y = zm.coordinates("x y")
    >>> zm.expression.substitute(x - 2 * y, {x: y, y: x})
    y - 2*x
    """
    array = expressions(functions)
    given_formulas(replacements, "what zm.expression.substitute puts in", "{symbol: expression or number}")
    new = {symbol: as_expression(value) for symbol, value in replacements.items()}
    known = new.keys()
    for node in ordered(array.ravel()):
        if not known.isdisjoint(node.args) and node not in new:
            new[node] = renewed(node, [new.get(a, a) for a in node.args])
    result = np.empty(array.shape, dtype=object)
    result.ravel()[:] = [new.get(e, e) for e in array.ravel()]
    return result if array.ndim else result.item()
