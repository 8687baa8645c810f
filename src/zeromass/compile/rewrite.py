"""The graph as a machine likes it: one division for each denominator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from zeromass.expression import Expression
from zeromass.expression.build import ONE, divide, multiply
from zeromass.expression.node import ordered
from zeromass.expression.substitute import renewed


def _worthwhile(denominator: Expression, uses: int) -> bool:
    """Whether a reciprocal saves divisions and, of a constant, is a normal number."""
    if denominator.value is None:
        return uses > 1
    return bool(np.finfo(float).tiny <= abs(denominator.value) <= 1 / np.finfo(float).tiny)


def with_reciprocals(outputs: Sequence[Expression]) -> list[Expression]:
    """Quotients of a denominator that divides more than once become products with its reciprocal.

    A division takes as long as five to ten products; the product rounds once more.
    """
    nodes = ordered(outputs)
    shared = Counter(node.args[1] for node in nodes if node.op == "divide")
    new: dict[Expression, Expression] = {}
    for node in nodes:
        inverted = node.op == "divide" and _worthwhile(node.args[1], shared[node.args[1]])
        if inverted or not new.keys().isdisjoint(node.args):
            args = [new.get(a, a) for a in node.args]
            new[node] = multiply(args[0], divide(ONE, args[1])) if inverted else renewed(node, args)
    return [new.get(e, e) for e in outputs]
