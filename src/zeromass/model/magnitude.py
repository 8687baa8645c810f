"""How large the terms of an expression are: the scale of the round-off in its value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from zeromass.expression import Evaluator, Expression, expressions, where
from zeromass.expression.build import ONE, ZERO
from zeromass.expression.derivative import partials
from zeromass.expression.node import ordered

ROUNDING = 4 * np.finfo(float).eps
"""Part of its magnitude by which a value may be wrong: ½ ε from the operations, and the rest for what it is made of,
a state that solves its equations to a few units of rounding."""


class Magnitude:
    """Sum of the sizes of all that an expression is computed from, each times its effect on the value.

        |f| of a leaf, and |f| + Σ |∂f/∂a| magnitude(a) of an operation f on operands a

    Half a unit of round-off in each leaf and each operation disturbs the value by at most ½ ε magnitude. It does not
    vanish with the value: for x² − 1 at x = 1 it is 5. `Magnitude(functions, inputs)(values)` takes the values of the
    inputs, shape (n,), and returns one number for each function, shape (m,). Where inputs are less exact than their
    own rounding, `sizes`, shape (n,), says of what size they count.
    """

    def __init__(self, functions: Any, inputs: Sequence[Expression] | np.ndarray) -> None:
        functions = expressions(functions)
        nodes = ordered(functions.ravel())
        place = {node: i for i, node in enumerate(nodes)}
        slopes: list[Expression] = []
        self._operands: list[list[tuple[int, int]]] = []
        for node in nodes:
            self._operands.append([(len(slopes) + k, place[a]) for k, a in enumerate(node.args)])
            slopes += _slopes(node)
        self._inputs = [(place[x], j) for j, x in enumerate(inputs) if x in place]
        self._count = len(nodes)
        self._values = Evaluator([*nodes, *slopes], inputs)
        self._outputs = [place[f] for f in functions.ravel()]

    def __call__(self, values: np.ndarray, sizes: np.ndarray | None = None) -> np.ndarray:
        own, slopes = np.split(np.abs(self._values(values)), [self._count])
        if sizes is not None:
            for i, j in self._inputs:
                own[i] = sizes[j]
        result = own.tolist()
        effects = slopes.tolist()
        for i, operands in enumerate(self._operands):
            for k, j in operands:
                result[i] += effects[k] * result[j]
        return np.array([result[i] for i in self._outputs])


def _slopes(node: Expression) -> list[Expression]:
    if node.op == "where":
        condition = node.args[0]
        return [ZERO, where(condition, ONE, ZERO), where(condition, ZERO, ONE)]
    return list(partials(node)) if node.args else []
