"""Values of expressions at one state, kept as the graph grows: pivots are chosen by looking at them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from zeromass.expression import Expression, Symbol
from zeromass.expression.build import ZERO
from zeromass.expression.evaluate import numeric


class Samples:
    """Numbers of expressions at some inputs, symbols and their values; each node is evaluated once.

    key  the bits of the values
    """

    def __init__(self, inputs: Sequence[Expression], values: Sequence[float] | np.ndarray) -> None:
        numbers = np.asarray(values, dtype=float)  # its elements are several times as fast as arrays of one
        self.key = numbers.tobytes()
        self._known: dict[Expression, Any] = dict(zip(inputs, numbers, strict=True))

    def __call__(self, e: Expression) -> float:
        """The value of one expression."""
        if e not in self._known:
            with np.errstate(all="ignore"):
                self._evaluate(e)
        return self._known[e]

    def _evaluate(self, e: Expression) -> None:
        known, stack = self._known, [e]
        while stack:
            node = stack[-1]
            if node in known:
                stack.pop()
            elif node.value is not None:
                known[node] = np.float64(node.value)
            elif isinstance(node, Symbol):
                raise KeyError(f"no sample of '{node!r}'")
            else:
                missing = [a for a in node.args if a not in known]
                if missing:
                    stack.extend(missing)
                else:
                    known[node] = numeric(node)(*[known[a] for a in node.args])

    def matrix(self, rows: Iterable[Iterable[Expression]]) -> np.ndarray:
        """Values of a rectangular arrangement of expressions, shape (rows, columns)."""
        rows = [list(row) for row in rows]
        result = np.zeros((len(rows), len(rows[0]) if rows else 0))
        for i, row in enumerate(rows):
            for j, e in enumerate(row):
                if e is not ZERO:
                    result[i, j] = self(e)
        return result
