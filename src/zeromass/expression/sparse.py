"""Matrices of expressions by their rows, without what is zero: of many bodies nearly all is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from zeromass.expression.build import ZERO
from zeromass.expression.derivative import slopes_of
from zeromass.expression.node import Array, Expression, expressions

if TYPE_CHECKING:
    from zeromass.expression.signatures import Formulas


class Sparse:
    """A matrix of expressions, each row as {column: entry} without zeros, columns ascending.

    >>> from zeromass.expression.sparse import Sparse
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


def sparse_jacobian(functions: Sequence[Expression] | Array, variables: Sequence[Expression] | Array) -> Sparse:
    """∂f_i/∂x_j, by one forward sweep.

    >>> from zeromass.expression.sparse import sparse_jacobian
    >>> x, y, z = zm.coordinates("x y z")
    >>> sparse_jacobian([x * z, x - y], [x, y, z]).rows
    [{0: z, 2: x}, {0: 1, 1: -1}]
    """
    variables = list(variables)
    place = {x: j for j, x in enumerate(variables)}
    rows = slopes_of(functions, variables)
    return Sparse(({place[x]: e for x, e in row.items()} for row in rows), len(variables))
