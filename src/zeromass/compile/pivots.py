"""The questions that elimination asks of the numbers at a state."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import product

import numpy as np

from zeromass.compile.decisions import Frozen, Matrix, Question, Samples, frozen
from zeromass.equation import RANK_TOLERANCE
from zeromass.equation.rank import count_above, rank_of, scaled_singular_values
from zeromass.expression import Expression
from zeromass.expression.evaluate import Sparse

LARGEST_FACTOR = 100.0
"""A constant entry of a row is a pivot only if no other entry of the row is this many times larger."""

WEAK = (0.05, 1e-3, 1e-6, RANK_TOLERANCE)
"""Directions whose scaled inertia is below the first of these parts of the largest are strengthened by rows of A.

A row is taken for what it adds above the first bound, then for what it adds above the next, down to what counts as
zero: a direction that no row strengthens (a thin rod's turning about itself) is left as it is, a null one never.
"""

COARSE = 4
"""Weights of rows are powers of two to the power of this: what is near in size has the same."""

APART = 10
"""Exponents of two that sizes of rows are told in steps of: formulas of about the same size count as of the same."""


class Independent(Question[int]):
    """How many of some rows are independent."""

    def __init__(self, rows: Frozen | Sparse | Sequence[Sequence[Expression]]) -> None:
        self.rows: Frozen = frozen(rows)
        super().__init__(self.rows)

    @property
    def matrices(self) -> tuple[Frozen, ...]:
        return (self.rows,)

    def answer(self, samples: Samples) -> int:
        return rank_of(samples.matrix(self.rows)) if self.rows.rows else 0


class Pivotal(Question[bool]):
    """Whether a constant entry of a row is good to divide by: more than is left of a dependent row, and none of the rest
    is much larger.

    value  the entry
    rest   the other entries of the row as elimination has left it
    given  the row as it was, what is not zero of it
    """

    def __init__(self, value: float, rest: tuple[Expression, ...], given: tuple[Expression, ...]) -> None:
        super().__init__(value, rest, given)
        self.value: float = value
        self.rest: Matrix = (rest,)
        self.given: Matrix = (given,)

    @property
    def settled(self) -> bool:
        return all(e.value is not None for e in (*self.rest[0], *self.given[0]))

    @property
    def matrices(self) -> tuple[Matrix, ...]:
        return self.rest, self.given

    def answer(self, samples: Samples) -> bool:
        size = abs(self.value)
        if size <= _noise(samples.matrix(self.given))[0]:
            return False
        return bool((np.abs(samples.matrix(self.rest)) <= size * LARGEST_FACTOR).all())


class MostIndependent(Question[tuple[int, ...]]):
    """Which rows are as independent as can be, `count` of them, by their places.

    rows   as elimination has left them
    given  as they were: what elimination has left little of is nearly dependent
    """

    def __init__(self, rows: Frozen, given: Frozen, count: int) -> None:
        super().__init__(rows, given, count)
        self.rows: Frozen = rows
        self.given: Frozen = given
        self.count: int = count

    @property
    def matrices(self) -> tuple[Frozen, ...]:
        return self.rows, self.given

    def answer(self, samples: Samples) -> tuple[int, ...]:
        noise = _noise(samples.matrix(self.given))
        rows = samples.matrix(self.rows) * RANK_TOLERANCE / np.maximum(noise, np.finfo(float).tiny)[:, None]
        chosen: list[int] = []
        for _ in range(self.count):  # of each row, the part that the chosen ones do not span: the longest is next
            k = int(np.argmax(np.linalg.norm(rows, axis=1)))
            chosen.append(k)
            direction = rows[k] / np.linalg.norm(rows[k])
            rows = rows - np.outer(rows @ direction, direction)
            rows[k] = 0.0
        return tuple(sorted(chosen))


class Sizes(Question[tuple[int, ...]]):
    """Of what size rows are, as exponents of two, in steps of APART, so that formulas may be multiplied by any factor."""

    def __init__(self, rows: Frozen) -> None:
        super().__init__(rows)
        self.rows: Frozen = rows

    @property
    def matrices(self) -> tuple[Frozen, ...]:
        return (self.rows,)

    def answer(self, samples: Samples) -> tuple[int, ...]:
        largest = np.abs(samples.matrix(self.rows)).max(axis=1, initial=0.0)
        exponents = np.log2(np.where(largest > 0.0, largest, 1.0))
        return tuple((APART * np.round(exponents / APART)).astype(int).tolist())


def _noise(rows: np.ndarray) -> np.ndarray:
    """What may be left of each row if it follows from others."""
    return RANK_TOLERANCE * np.abs(rows).max(axis=1, initial=0.0)


class Strengthening(Question[tuple[tuple[int, int], ...]]):
    """Rows of A, as (place, exponent of two of a weight), whose squares make M positive definite: the sparsest that do.

    Coordinates that neither M nor a chosen row couples are looked at apart, in blocks.
    """

    def __init__(self, M: Frozen, A: Frozen) -> None:
        super().__init__(M, A)
        self.M: Frozen = M
        self.A: Frozen = A

    @property
    def matrices(self) -> tuple[Frozen, ...]:
        return self.M, self.A

    @cached_property
    def _structure(self) -> tuple[list[list[int]], list[list[int]]]:
        """The coordinates of each row of A, and those that M couples."""
        return [[j for j, _ in row] for row in self.A.rows], _coupled(self.M)

    def answer(self, samples: Samples) -> tuple[tuple[int, int], ...]:
        numbers, rows = samples.matrix(self.M), samples.matrix(self.A)
        masses = np.diagonal(numbers)
        present, groups = self._structure
        block_of: dict[int, _Block] = {}
        for columns in groups:
            block = _Block(columns, numbers[columns])
            block_of.update(dict.fromkeys(columns, block))
        firm = _firm(rows, masses)
        chosen: dict[int, int] = {}
        order = sorted(range(len(rows)), key=lambda i: len(present[i]))
        for bound, i in product(WEAK, order):
            touched = list(dict.fromkeys(block_of[j] for j in present[i]))
            missing = sum(block.missing(bound) for block in touched)
            if i in chosen or not missing:
                continue
            columns = sorted(j for block in touched for j in block.columns)
            row = (rows if bound == WEAK[-1] else firm)[i : i + 1]
            joined = _Block(columns, np.concatenate([*[block.rows for block in touched], row]))
            if joined.missing(bound) < missing:
                chosen[i] = _exponent(rows[i], masses[present[i]], masses)
                block_of.update(dict.fromkeys(columns, joined))
        return tuple(chosen.items())


def _firm(rows: np.ndarray, masses: np.ndarray) -> np.ndarray:
    """Rows without entries by which they hardly hold a coordinate of no mass that others hold firmly: what is divided by
    such an entry, or by the noise that one may be, grows without cancelling."""
    sizes = np.abs(rows) / np.maximum(np.abs(rows).max(axis=1, initial=0.0), np.finfo(float).tiny)[:, None]
    slight = sizes * LARGEST_FACTOR < sizes.max(axis=0, initial=0.0)
    return np.where(slight & (masses == 0.0), 0.0, rows)


class _Block:
    """Coordinates coupled with one another, and the rows that couple them, shape (rows, all coordinates)."""

    def __init__(self, columns: list[int], rows: np.ndarray) -> None:
        self.columns, self.rows = columns, rows

    @cached_property
    def _sizes(self) -> np.ndarray:
        return scaled_singular_values(self.rows[:, self.columns])

    def missing(self, bound: float) -> int:
        """How many directions the rows leave below a part of the largest."""
        return len(self.columns) - count_above(self._sizes, bound)


def _coupled(M: Frozen) -> list[list[int]]:
    """The coordinates, in groups that M does not couple with one another."""
    left, groups = set(range(len(M.rows))), []
    while left:
        group = {left.pop()}
        new = list(group)
        while new:
            i = new.pop()
            found = {j for j, _ in M.rows[i] if j in left}
            left -= found
            group |= found
            new += found
        groups.append(sorted(group))
    return groups


def _exponent(row: np.ndarray, own: np.ndarray, masses: np.ndarray) -> int:
    """Of a power of two that makes the square of a row about as large as the masses of its own coordinates."""
    size = own.max(initial=0.0) or masses.max(initial=0.0) or 1.0
    largest = np.abs(row).max()  # its square may be too large, or too small, to be a number
    exponent = np.log2(size / np.sum((row / largest) ** 2)) - 2 * np.log2(largest)
    return COARSE * round(exponent / COARSE)
