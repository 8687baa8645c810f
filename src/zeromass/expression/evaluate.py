"""Numbers from expressions: a tape of NumPy operations, vectorised over arrays of inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from zeromass.expression.functions import FUNCTIONS
from zeromass.expression.node import Expression, ExpressionError, Gridded, Symbol, expressions, ordered

OPERATIONS: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "negative": np.negative,
    "power": np.float_power,
    "less": lambda a, b: np.less(a, b) * 1.0,  # a condition is the number 1 or 0
    "less_equal": lambda a, b: np.less_equal(a, b) * 1.0,
    "where": lambda condition, a, b: np.where(condition, a, b),
    **{name: rule.array for name, rule in FUNCTIONS.items()},
}


def numeric(node: Expression) -> Callable[..., Any]:
    """The operation of a node as a function of the arrays of its operands."""
    if isinstance(node, Gridded):
        grid, orders = node.grid, node.orders
        return lambda x, y: grid.derivative(x, y, orders)
    return OPERATIONS[node.op]


class Evaluator:
    """A function of numeric arrays made from expressions.

    `Evaluator(outputs, inputs)(values)` takes an array whose last axis runs over the inputs, in their order, and
    returns an array of shape values.shape[:-1] + outputs.shape. Parameters that are not inputs keep their default.
    """

    def __init__(self, outputs: Any, inputs: Sequence[Expression] | np.ndarray) -> None:
        outputs = expressions(outputs)
        self.shape = outputs.shape
        nodes = ordered(outputs.ravel())
        place = {node: i for i, node in enumerate(nodes)}
        given = {node: j for j, node in enumerate(inputs)}
        self._size = len(nodes)
        self._constants: list[tuple[int, float]] = []
        self._inputs: list[tuple[int, int]] = []
        self._steps: list[tuple[int, Callable[..., Any], tuple[int, ...]]] = []
        self._outputs = [place[node] for node in outputs.ravel()]
        for i, node in enumerate(nodes):
            if node in given:
                self._inputs.append((i, given[node]))
            elif node.value is not None:
                self._constants.append((i, node.value))
            elif isinstance(node, Symbol):
                if node.default is None:
                    raise ExpressionError(f"no value is given for '{node!r}'")
                self._constants.append((i, node.default))
            elif node.op == "power" and node.args[1].value == 2:
                base = place[node.args[0]]
                self._steps.append((i, np.multiply, (base, base)))
            else:
                self._steps.append((i, numeric(node), tuple(place[a] for a in node.args)))

    def __call__(self, values: Any) -> np.ndarray:
        values = np.asarray(values, dtype=float)
        tape: list[Any] = [None] * self._size
        for i, value in self._constants:
            tape[i] = np.float64(value)
        for i, j in self._inputs:
            tape[i] = values[..., j]
        with np.errstate(all="ignore"):
            for i, step, operands in self._steps:
                tape[i] = step(*[tape[k] for k in operands])
        lead = values.shape[:-1]
        result = np.empty((*lead, len(self._outputs)))
        for column, i in enumerate(self._outputs):
            result[..., column] = tape[i]
        return result.reshape((*lead, *self.shape))


def evaluate(outputs: Any, values: Mapping[Expression, Any]) -> Any:
    """Numeric value of an expression or array of expressions, with the symbols' values (numbers or arrays) given.

    Values broadcast against one another; the result has their shape followed by the shape of `outputs`.
    """
    arrays = np.broadcast_arrays(*[np.asarray(v, dtype=float) for v in values.values()]) if values else []
    stacked = np.stack(arrays, axis=-1) if arrays else np.empty(0)
    result = Evaluator(outputs, list(values))(stacked)
    return result if result.ndim else float(result)
