"""How large the terms of an expression are: the scale of the round-off in its value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from zeromass.expression import Expression, expressions
from zeromass.expression.derivative import partials
from zeromass.expression.evaluate import Tape
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
        effects = {node: partials(node) if node.args else () for node in ordered(functions.ravel())}
        self._tape = Tape([*effects, *[slope for slopes in effects.values() for slope in slopes]], inputs)
        place = self._tape.place
        self._operations = [
            (place[node], [(place[slope], place[a]) for slope, a in zip(slopes, node.args, strict=True)])
            for node, slopes in effects.items()
            if slopes
        ]
        self._inputs = [(place[x], j) for j, x in enumerate(inputs) if x in place]
        self._outputs = [place[f] for f in functions.ravel()]

    def __call__(self, values: np.ndarray, sizes: np.ndarray | None = None) -> np.ndarray:
        return self.with_values(values, sizes)[1]

    def with_values(self, values: np.ndarray, sizes: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """The values of the functions, and their magnitudes."""
        tape = np.fromiter(self._tape(values), dtype=float)
        numbers = np.abs(tape).tolist()
        result = numbers.copy()
        if sizes is not None:
            for i, j in self._inputs:
                result[i] = float(sizes[j])
        for i, operands in self._operations:
            for slope, operand in operands:
                result[i] += numbers[slope] * result[operand]
        return tape[self._outputs], np.array([result[i] for i in self._outputs])
