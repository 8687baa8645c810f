"""Numbers from expressions: a tape of NumPy operations, vectorised over arrays of inputs; matrices that are mostly zero."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from zeromass.errors import ExpressionError
from zeromass.expression.build import ZERO
from zeromass.expression.node import Array, Expression, Gridded, Symbol, expressions, given_formulas, ordered
from zeromass.expression.operation import OPERATIONS

if TYPE_CHECKING:
    from zeromass.expression.signatures import Formulas, Scalar


AT_ONCE, ROWS = 2**24, 2**13
"""Numbers that an evaluation holds at once, and places that it takes at once: of more it takes a block after the other.
Columns of 64 KiB stay near the processor."""


def numeric(node: Expression) -> Callable[..., Any]:
    """The operation of a node as a function of the arrays of its operands."""
    if isinstance(node, Gridded):
        return partial(node.grid.derivative, orders=node.orders)
    return OPERATIONS[node.op].number


def step(node: Expression) -> tuple[Callable[..., Any], Sequence[Expression]]:
    """The operation of a node as a function of numbers, and its operands; a square is a product."""
    if node.op == "power" and node.args[1].value == 2:
        return operator.mul, node.args[:1] * 2
    return numeric(node), node.args


class Tape:
    """Every node under some expressions as a number, or an array of numbers.

    `Tape(roots, inputs)(values)` takes an array whose last axis runs over the inputs, in their order, and returns a list
    with the values of the nodes, that of a node at `place[node]`, children before parents. Parameters that are not inputs
    keep their default. Where many tapes have the same many inputs, these are given as {input: its place}.
    """

    def __init__(self, roots: Iterable[Expression], inputs: Iterable[Expression] | Mapping[Expression, int]) -> None:
        given = inputs if isinstance(inputs, Mapping) else {node: j for j, node in enumerate(inputs)}
        nodes = ordered(roots)
        leaves = [node for node in nodes if node in given]
        self._inputs = [given[node] for node in leaves]
        constants = [node for node in nodes if not node.args and node not in given]
        self._constants = [np.float64(constant_number(node)) for node in constants]
        self.place: dict[Expression, int] = {node: i for i, node in enumerate([*leaves, *constants])}
        self._steps: list[tuple[Callable[..., Any], tuple[int, ...]]] = []
        place = self.place
        for node in nodes:
            if node not in place:
                operation, args = step(node)
                self._steps.append((operation, tuple([place[a] for a in args])))
                place[node] = len(place)

    def __call__(self, values: np.ndarray) -> list[Any]:
        columns = values.T if values.ndim <= 2 else np.moveaxis(values, -1, 0)
        tape: list[Any] = [*[columns[j] for j in self._inputs], *self._constants]
        with np.errstate(all="ignore"):
            for operation, operands in self._steps:
                if len(operands) == 2:
                    tape.append(operation(tape[operands[0]], tape[operands[1]]))
                else:
                    tape.append(operation(*[tape[i] for i in operands]))
        return tape


class Evaluator:
    """A function of numeric arrays made from expressions.

    `Evaluator(outputs, inputs)(values)` takes an array whose last axis runs over the inputs, in their order, and
    returns an array of shape values.shape[:-1] + outputs.shape. Parameters that are not inputs keep their default.

    >>> from zeromass.expression import Evaluator
    >>> x, y = zm.coordinates("x y")
    >>> f = Evaluator([x + y, x * y], [x, y])
    >>> f([[2.0, 3.0], [4.0, 5.0]])
    array([[ 5.,  6.],
           [ 9., 20.]])
    """

    def __init__(self, outputs: Scalar | Formulas, inputs: Iterable[Expression] | Mapping[Expression, int]) -> None:
        outputs = expressions(outputs)
        self.shape: tuple[int, ...] = outputs.shape
        self._tape = Tape(outputs.ravel(), inputs)
        self._outputs = [self._tape.place[node] for node in outputs.ravel()]

    def __call__(self, values: Any) -> np.ndarray:
        values = np.asarray(values, dtype=float)
        lead = values.shape[:-1]
        if not lead:
            tape = self._tape(values)
            return np.fromiter([tape[i] for i in self._outputs], dtype=float).reshape(self.shape)
        count, most = math.prod(lead), min(ROWS, max(1, AT_ONCE // max(1, len(self._tape.place))))
        result = np.empty((*lead, len(self._outputs)))
        if count <= most:
            self._put(values, result)
        else:
            places, rows = values.reshape(count, -1), result.reshape(count, -1)
            for k in range(0, count, most):
                self._put(places[k : k + most], rows[k : k + most])
        return result.reshape((*lead, *self.shape))

    def _put(self, values: np.ndarray, result: np.ndarray) -> None:
        tape = self._tape(values)
        for column, i in enumerate(self._outputs):
            result[..., column] = tape[i]


class Sparse:
    """A matrix of expressions, each row as {column: entry} without zeros, columns ascending.

    >>> from zeromass.expression.evaluate import Sparse
    >>> x = zm.coordinate("x")
    >>> matrix = Sparse.of([[0, x, 0], [1, 0, 0]])
    >>> matrix.rows, matrix.shape
    ([{1: x}, {0: 1}], (2, 3))
    >>> matrix.array[0]
    array([0, x, 0], dtype=object)
    """

    def __init__(self, rows: Iterable[Mapping[int, Expression]], columns: int) -> None:
        self.rows: list[dict[int, Expression]] = [
            dict(sorted((j, e) for j, e in row.items() if e is not ZERO)) for row in rows
        ]
        self.columns: int = columns

    @classmethod
    def of(cls, matrix: Sparse | Formulas | Sequence[Sequence[Expression]]) -> Sparse:
        """A matrix that has all its entries, or is one of these."""
        if isinstance(matrix, Sparse):
            return matrix
        array = expressions(matrix)
        return cls(({j: e for j, e in enumerate(row) if e is not ZERO} for row in array), array.shape[1])

    def __getstate__(self) -> dict[str, object]:
        return {"rows": self.rows, "columns": self.columns}

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        return len(self.rows), self.columns

    def __len__(self) -> int:
        return len(self.rows)

    def get(self, i: int, j: int) -> Expression:
        """The entry of a row in a column."""
        return self.rows[i].get(j, ZERO)

    @cached_property
    def array(self) -> Array:
        """All entries, zeros among them, shape (rows, columns)."""
        result = np.full(self.shape, ZERO, dtype=object)
        for i, row in enumerate(self.rows):
            for j, e in row.items():
                result[i, j] = e
        return result

    @cached_property
    def entries(self) -> list[Expression]:
        """Those that are not zero, row by row."""
        return [e for row in self.rows for e in row.values()]

    @cached_property
    def places(self) -> np.ndarray:
        """Where the entries stand among all of them, row by row."""
        n = self.columns
        return np.array([i * n + j for i, row in enumerate(self.rows) for j in row], dtype=np.intp)

    def filled(self, numbers: np.ndarray) -> np.ndarray:
        """Numbers of the entries, (..., entries), as the whole matrix, (..., rows, columns)."""
        result = np.zeros((*numbers.shape[:-1], len(self.rows) * self.columns))
        result[..., self.places] = numbers
        return result.reshape(*numbers.shape[:-1], *self.shape)

    def picked(self, rows: Iterable[int], columns: Sequence[int] | None = None) -> Sparse:
        """Some rows, and some columns, of the matrix."""
        found = [self.rows[i] for i in rows]
        if columns is None:
            return Sparse(found, self.columns)
        new = {j: k for k, j in enumerate(columns)}
        return Sparse(({new[j]: e for j, e in row.items() if j in new} for row in found), len(columns))


def stacked(*parts: Sparse) -> Sparse:
    """Matrices of as many columns, one above the other."""
    return Sparse((row for part in parts for row in part.rows), parts[0].columns)


def constant_number(leaf: Expression) -> float:
    """The value of a constant, or the default of a parameter."""
    if leaf.value is not None:
        return leaf.value
    if not isinstance(leaf, Symbol) or leaf.default is None:
        raise ExpressionError(f"no value is given for '{leaf!r}'")
    return leaf.default


@overload
def evaluate(outputs: Scalar, values: Mapping[Any, float]) -> float: ...
@overload
def evaluate(outputs: Scalar, values: Mapping[Any, Any]) -> Any: ...
@overload
def evaluate(outputs: Formulas, values: Mapping[Any, Any]) -> np.ndarray: ...
def evaluate(outputs: Scalar | Formulas, values: Mapping[Any, Any]) -> float | np.ndarray:
    """Numeric value of an expression or array of expressions, with the symbols' values (numbers or arrays) given.

    Values broadcast against one another; the result has their shape followed by the shape of `outputs`.

    >>> x, y = zm.coordinates("x y")
    >>> zm.expression.evaluate(x % y, {x: -7.0, y: 3.0})
    2.0
    >>> zm.expression.evaluate(x % y, {x: np.array([-7.0, 7.0]), y: 3.0})
    array([2., 1.])
    """
    given_formulas(values, "the values of zm.expression.evaluate", "{symbol: number or array}")
    try:
        arrays = np.broadcast_arrays(*[np.asarray(v, dtype=float) for v in values.values()]) if values else []
    except (TypeError, ValueError, OverflowError) as error:
        raise ExpressionError(f"the values of symbols are numbers, or arrays that fit one another: {error}") from error
    stacked = np.stack(arrays, axis=-1) if arrays else np.empty(0)
    result = Evaluator(outputs, list(values))(stacked)
    return result if result.ndim else float(result)
