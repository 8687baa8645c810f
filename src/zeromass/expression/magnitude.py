"""The sizes of all that a formula is computed from, each times its effect, as a formula."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from zeromass.expression.build import ZERO, compare, function, multiply, where
from zeromass.expression.derivative import partials
from zeromass.expression.node import Expression, ordered


def magnitudes(
    functions: Sequence[Expression], sizes: Mapping[Expression, Expression] | None = None
) -> list[Expression]:
    """Of what size the rounding of some functions is, as `zeromass.model.state.Magnitude` has it, as expressions:
    two ways to compute one of them differ by ε times that at most.

    sizes  of leaves that count as larger than they are
    """
    known: dict[Expression, Expression] = {}
    for node in ordered(functions):
        total = (sizes or {}).get(node, function("abs", node))
        for slope, operand in zip(partials(node) if node.args else (), node.args, strict=True):
            part = multiply(function("abs", slope), known[operand])
            more = total + part
            total = more if slope.value else where(compare("less", ZERO, part), more, total)  # 0 · ∞ is no effect
        known[node] = total
    return [known[f] for f in functions]
