"""Formulas that are written again and again for other symbols, as those of a rotation for every body.

Whatever simplifies them depends on what they are built like, and not on which symbols stand in them: it is done once.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from zeromass.expression.leaves import coordinates
from zeromass.expression.node import Array, Expression, Symbol, expressions, operation, ordered

Step = tuple[str, bool, int, int]
"""An operation, whether its operands stand in the order of their age, and their places among what is there already."""

ALONE = -1
"""The place of the second operand where there is none."""


class Pattern:
    """Formulas of some symbols, of sums, products and powers with numbers.

    written  the formulas, from an array of so many expressions

    >>> from zeromass.expression.pattern import Pattern
    >>> unit = Pattern(lambda q: (q @ q - 1) / 2, 2)
    >>> x, y = q = zm.coordinates("x y")
    >>> unit(q).item() is (x**2 + y**2 - 1) / 2
    True
    """

    def __init__(self, written: Callable[[Any], Any], count: int) -> None:
        self._written, self._count = written, count

    @cached_property
    def _steps(self) -> tuple[list[Expression], list[Step], tuple[int, ...], list[int]]:
        """Numbers; operations, operands first; shape of the formulas, and their places."""
        q = coordinates(" ".join(f"q{k}" for k in range(self._count)))
        formulas = expressions(self._written(q))
        nodes = [node for node in ordered(formulas.ravel()) if not isinstance(node, Symbol)]
        numbers = [node for node in nodes if node.value is not None]
        place = {node: k for k, node in enumerate([*q, *numbers])}
        steps: list[Step] = []
        for node in nodes:
            if node.args:
                aged = node.op in ("add", "multiply") and all(a.value is None for a in node.args)
                first, second = (*[place[a] for a in node.args], ALONE)[:2]
                steps.append((node.op, aged, first, second))
                place[node] = len(place)
        return numbers, steps, formulas.shape, [place[e] for e in formulas.ravel()]

    def __call__(self, q: Array) -> Array:
        """The formulas of other symbols; of formulas in their place, and of one symbol twice, they are simplified anew."""
        given = q.tolist()
        if len(set(given)) < self._count or not all(isinstance(x, Symbol) for x in given):
            return expressions(self._written(q))
        numbers, steps, shape, places = self._steps
        there: list[Expression] = [*given, *numbers]
        for op, aged, i, j in steps:
            a = there[i]
            if j == ALONE:
                there.append(operation(op, a))
                continue
            b = there[j]
            there.append(operation(op, b, a) if aged and b.serial < a.serial else operation(op, a, b))
        result = np.empty(shape, dtype=object)
        result.ravel()[:] = [there[k] for k in places]
        return result
