"""Where a formula may change abruptly: the arguments of its operations that decide that.

Between the samples of a step a formula of smooth states can hide a peak, as exp(−(x/w)²) does, or a window, as `where` does.
The arguments of its operations are milder than the formula itself, so that samples of them tell where it needs more.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from zeromass.expression import Expression, Symbol, expressions
from zeromass.expression.node import is_integer, ordered

MOST = 100
"""Arguments up to which they are sampled. Longer formulas are those of contacts and reactions, functions on the scale of the
motion itself, which the step control resolves."""


class Kind(IntEnum):
    """How an operation depends on its argument u.

    unit   on the scale of 1 everywhere, such as sin u
    grows  the same, and not at all where it underflows, such as exp u
    steps  the same, and not at all where it rounds to ±1, such as tanh u
    zero   ever faster towards u = 0, such as √u and 1/u
    side   on the sign of u, such as |u|
    whole  on the largest integer below u
    """

    unit = 0
    grows = 1
    steps = 2
    zero = 3
    side = 4
    whole = 5


class Steep(NamedTuple):
    """Arguments of the operations of some formulas, and the kind of each."""

    arguments: list[Expression]
    kinds: np.ndarray


NONE = Steep([], np.empty(0, dtype=int))

FELT = np.array([(-np.inf, np.inf), (-745.0, np.inf), (-20.0, 20.0)])
"""Between which arguments operations of the first three kinds change at all, in double precision."""

_SCALED = {
    **dict.fromkeys(("sin", "cos", "tan", "sinh", "cosh"), Kind.unit),
    **dict.fromkeys(("exp", "expm1"), Kind.grows),
    "tanh": Kind.steps,
}


def steep(e: Sequence[Expression]) -> Steep:
    """Of formulas; none of formulas that have too many."""
    found: dict[tuple[Expression, Kind], None] = {}
    moving: set[Expression] = set()
    for node in ordered(list(e)):
        if not (moving.intersection(node.args) or (isinstance(node, Symbol) and node.kind != "parameter")):
            continue
        moving.add(node)
        found.update(dict.fromkeys(_of(node, moving)))
        if len(found) > MOST:
            found = {}
            break
    return Steep([u for u, _ in found], np.array([kind for _, kind in found], dtype=int))


def _of(node: Expression, moving: set[Expression]) -> list[tuple[Expression, Kind]]:
    """What decides how fast an operation changes; operands that are not `moving` are constant."""
    op, args = node.op, node.args
    if op in _SCALED:
        return [(args[0], _SCALED[op])]
    match op, *args:
        case "divide", _, u:
            return [(u, Kind.zero)] if u in moving else []
        case "power", u, n:
            polynomial = n.value is not None and n.value >= 0 and is_integer(n.value)
            return [] if polynomial else [(u, Kind.zero)]
        case (("sqrt" | "log"), u):
            return [(u, Kind.zero)]
        case "log1p", u:
            return [(expressions(1 + u).item(), Kind.zero)]
        case (("arcsin" | "arccos" | "arctanh" | "arccosh"), u):
            return [(expressions(1 - u**2).item(), Kind.zero)]
        case (("arctan" | "arcsinh"), u):
            return [(expressions(1 + u**2).item(), Kind.zero)]
        case "hypot", a, b:
            return [(expressions(a**2 + b**2).item(), Kind.zero)]
        case "arctan2", y, x:
            return [(expressions(x**2 + y**2).item(), Kind.zero), (y, Kind.side)]
        case (("abs" | "sign"), u):
            return [(u, Kind.side)]
        case (("maximum" | "minimum" | "less" | "less_equal"), a, b):
            return [(expressions(a - b).item(), Kind.side)]
        case "floor", u:
            return [(u, Kind.whole)]
        case (("remainder" | "floor_divide"), a, b):
            return [(expressions(a / b).item(), Kind.whole)]
    return []
