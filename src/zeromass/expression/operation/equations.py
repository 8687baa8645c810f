"""Rows of the table: linear equations of which some rows hold, solved by numbers, and the parts of their solution.

    (J Wᵀ x)ᵢ = bᵢ   in each row i that holds,   xᵢ = 0 in the others

Equations stand for all of their solution: the unknowns, (m,), the growth of pivots, and the inverse (J Wᵀ)⁻¹, (m, m), whose
rows and columns are zero where equations do not hold. Written out, few contacts of several bodies would have 10⁵ operations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from zeromass.errors import ExpressionError
from zeromass.expression.node import Expression, constant, operation
from zeromass.expression.operation import writing as w
from zeromass.expression.operation.algebra import ZERO
from zeromass.expression.operation.enclosure import Bounds
from zeromass.expression.operation.row import Operation

if TYPE_CHECKING:
    from collections.abc import Iterable

EQUATIONS, PART = "equations", "part of solution"

ANY = -1
"""Operands of an operation that takes any number of them."""


class Equations:
    """Linear equations: J and W, (m, n), flags of the rows that hold, and the right-hand side b, (m,)."""

    def __init__(self, node: Expression) -> None:
        m, n = (int(a.value or 0) for a in node.args[:2])
        rest = node.args[2:]
        size = m * n
        self.node, self.m, self.n = node, m, n
        self.J, self.W = (np.array(rest[k * size : (k + 1) * size], dtype=object).reshape(m, n) for k in range(2))
        self.holds, self.b = rest[2 * size : 2 * size + m], rest[2 * size + m :]

    @classmethod
    def of(cls, J: np.ndarray, W: np.ndarray, holds: Sequence[Expression], b: Iterable[Expression]) -> Equations:
        """Equations of their parts."""
        m, n = J.shape
        return cls(operation(EQUATIONS, constant(m), constant(n), *J.ravel(), *W.ravel(), *holds, *b))

    def part(self, k: int) -> Expression:
        """One of the unknowns; behind them the growth of pivots, and the entries of the inverse."""
        return operation(PART, self.node, constant(k))

    @property
    def x(self) -> list[Expression]:
        """The unknowns."""
        return [self.part(k) for k in range(self.m)]

    @property
    def growth(self) -> Expression:
        """The largest entry of a row of J Wᵀ beside its pivot."""
        return self.part(self.m)

    @property
    def inverse(self) -> list[list[Expression]]:
        """(J Wᵀ)⁻¹."""
        m = self.m
        return [[self.part(m + 1 + m * i + j) for j in range(m)] for i in range(m)]

    @cached_property
    def pattern(self) -> tuple[list[int], list[Expression]]:
        """Of `zeromass.kernel.linear.solve_rows`: where entries are that may not be zero, and all its data."""
        rows = [[[c for c in range(self.n) if row[c] is not ZERO] for row in matrix] for matrix in (self.J, self.W)]
        reached: list[list[int]] = [[] for _ in range(self.n)]
        for j, columns in enumerate(rows[1]):
            for c in columns:
                reached[c].append(j)
        coupled = [sorted({j for c in columns for j in reached[c]}) for columns in rows[0]]
        both = ((self.J, rows[0]), (self.W, rows[1]))
        entries = [matrix[i, c] for matrix, own in both for i, columns in enumerate(own) for c in columns]
        return [self.m, self.n, *_packed(rows[0]), *_packed(rows[1]), *_packed(coupled)], [
            *entries,
            *self.holds,
            *self.b,
        ]

    @property
    def room(self) -> int:
        """Numbers of memory that the elimination takes."""
        return self.m * self.m + self.n


class EquationsSlope:
    """How a solution changes where operands of its equations do: K x' = b' − (J' Wᵀ + J W'ᵀ) x."""

    def __init__(self, node: Expression, slopes: Mapping[Expression, Expression]) -> None:
        self._equations, self._slopes = Equations(node), slopes

    @cached_property
    def _right(self) -> list[Expression]:
        own, zero = self._equations, ZERO
        x, slopes = own.x, self._slopes
        right = [slopes.get(b, zero) for b in own.b]
        along, turned = [zero] * own.n, [zero] * own.n  # Wᵀ x and W'ᵀ x
        for k, (row, value) in enumerate(zip(own.W, x, strict=True)):
            for c, e in enumerate(row):
                if e is not zero:
                    along[c] = along[c] + e * x[k]
                    if e in slopes:
                        turned[c] = turned[c] + slopes[e] * value
        for i, row in enumerate(own.J):
            for c, e in enumerate(row):
                if e in slopes:
                    right[i] = right[i] - slopes[e] * along[c]
                if e is not zero and turned[c] is not zero:
                    right[i] = right[i] - e * turned[c]
        return right

    def part(self, k: int) -> Expression:
        """The slope of a part of the solution; that of the growth of pivots counts as none."""
        own, total = self._equations, ZERO
        if k < own.m:
            for j, r in enumerate(self._right):
                if r is not ZERO:
                    total = total + own.part(own.m + 1 + own.m * k + j) * r
            return total
        if k == own.m:
            return ZERO
        i, j = divmod(k - own.m - 1, own.m)
        unit = [constant(float(row == j)) for row in range(own.m)]
        column = Equations.of(own.J, own.W, own.holds, unit)  # one column of the inverse, with its own slope
        return EquationsSlope(column.node, self._slopes).part(i)


def _packed(rows: Sequence[Sequence[int]]) -> list[int]:
    """Where each row begins and ends, and then all rows."""
    return [*np.cumsum([0, *map(len, rows)]).tolist(), *[c for row in rows for c in row]]


def _solution(m: Any, n: Any, *operands: Any) -> np.ndarray:
    """All of the solution by numbers, one place after another."""
    from zeromass.kernel.language import compiled  # few formulas have equations
    from zeromass.kernel.linear import solve_rows

    m, n = int(m), int(n)
    values = np.array(np.broadcast_arrays(*operands), dtype=float)
    shape = values.shape[1:]
    columns = values.reshape(len(values), -1)
    found = np.empty((m + 1 + m * m, columns.shape[1]))
    whole, square = ([range(count)] * m for count in (n, m))
    pattern, room = np.array([m, n, *_packed(whole), *_packed(whole), *_packed(square)]), np.empty(m * m + n)
    order, out = np.zeros(4 * m, dtype=np.int64), np.empty(len(found))
    for k in range(columns.shape[1]):
        compiled(solve_rows)(columns[:, k].copy(), pattern, 1, 0, out, room, order, True)
        found[:, k] = out
    return found.reshape(len(found), *shape)


def _anything(*operands: Bounds) -> Bounds:
    return -np.inf, np.inf


EQUATION_ROWS: dict[str, Operation] = {
    EQUATIONS: Operation(
        code=1035,
        arity=ANY,
        number=_solution,
        slope=lambda f, *operands: (ZERO,) * len(operands),
        text=lambda *operands: ("equations", w.ATOM),
        latex=lambda *operands: (r"\mathrm{equations}", w.ATOM),
        c=lambda node, *operands: _unwritten("C"),
        sympy=lambda sympy, *operands: _unwritten("SymPy"),
        llvm=lambda e, node, *operands: e.equations(node, operands),
        interval=_anything,
        solves=EquationsSlope,
    ),
    PART: Operation(
        code=1036,
        arity=2,
        number=lambda solution, k: solution[int(k)],
        slope=lambda f, solution, k: (ZERO, ZERO),
        text=lambda solution, k: (f"solution {k[0]}", w.ATOM),
        latex=lambda solution, k: (rf"x_{{{k[0]}}}", w.ATOM),
        c=lambda node, *operands: _unwritten("C"),
        sympy=lambda sympy, *operands: _unwritten("SymPy"),
        llvm=lambda e, node, solution, k: e.part(solution, int(node.args[1].value or 0)),
        interval=_anything,
    ),
}


def _unwritten(language: str) -> NoReturn:
    raise ExpressionError(f"forces of several contacts are solved for by numbers, which has no formula in {language}")
