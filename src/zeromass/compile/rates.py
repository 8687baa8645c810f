"""Rates that follow from others: constraints that are linear in rates, solved for as many of these as they have rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from zeromass.compile.decisions import Decisions, Matrix, Question, Samples
from zeromass.compile.pivots import COARSE, LARGEST_FACTOR
from zeromass.equation import RANK_TOLERANCE
from zeromass.expression import Expression, expressions, jacobian, substitute
from zeromass.expression.build import ONE, ZERO, add, divide, multiply, negative, subtract

Form = dict[int, Expression]
"""Coefficients of the rates, by their places, as far as they are not zero."""


class Pair(NamedTuple):
    """Row i solved for rate j, w_j = offset + Σ shares_k w_k; and what part of it was taken from each row after it."""

    i: int
    j: int
    pivot: Expression
    shares: Form
    offset: Expression
    taken: Form


class Rates(NamedTuple):
    """w = B s + w₀.

    free    places of the speeds s among the rates w
    values  w as formulas of the speeds
    matrix  B, one form a rate, in the places of the speeds among themselves
    pivots  that are not constant: where one vanishes, other rates should have been free
    growth  ≥ 1 of those that are left of larger ones, as in `Elimination`
    pairs   the rows that were solved, each for a rate
    """

    free: list[int]
    values: list[Expression]
    matrix: list[Form]
    pivots: list[Expression]
    growth: list[Expression]
    pairs: list[Pair]

    def multipliers(self, force: Sequence[Expression]) -> dict[int, Expression]:
        """λ of the rows that were solved, with Aᵀλ = force: elimination transposed, forwards and backwards."""
        ν: list[Expression] = []
        for pair in self.pairs:
            total = force[pair.j]
            for before, value in zip(self.pairs, ν, strict=False):
                total = add(total, multiply(before.shares.get(pair.j, ZERO), value))
            ν.append(total)
        λ: dict[int, Expression] = {}
        for pair, value in zip(reversed(self.pairs), reversed(ν), strict=True):
            λ[pair.i] = divide(value, pair.pivot)
            for i, part in pair.taken.items():
                if i in λ:
                    λ[pair.i] = subtract(λ[pair.i], multiply(part, λ[i]))
        return λ


class RatePivot(Question[tuple[int, int]]):
    """Which row, by its place, is solved for which rate next; (−1, −1) if there is none left that could be.

    A constant is taken if nothing in its row counts much more: first in rows of rates, then where it costs least. Without
    one, the entry is taken that is the largest part of what its row was.

    rows    as elimination has left them, all columns
    given   as they were: what elimination has left little of is nearly dependent
    levels  0 of a row of positions, 1 of one of rates
    """

    def __init__(self, rows: Matrix, given: Matrix, levels: tuple[int, ...]) -> None:
        super().__init__(rows, given, levels)
        self.rows: Matrix = rows
        self.given: Matrix = given
        self.levels: tuple[int, ...] = levels

    @property
    def matrices(self) -> tuple[Matrix, ...]:
        return self.rows, self.given

    def answer(self, samples: Samples) -> tuple[int, int]:
        sizes = np.abs(samples.matrix(self.rows))
        largest, before = sizes.max(axis=1), np.abs(samples.matrix(self.given)).max(axis=1)
        filled = np.array([[e is not ZERO for e in row] for row in self.rows])
        candidates = []
        for i, row in enumerate(self.rows):
            for j, e in enumerate(row):
                if sizes[i, j] <= RANK_TOLERANCE * before[i]:
                    continue
                if e.value and sizes[i, j] * LARGEST_FACTOR >= largest[i]:
                    cost = int(filled[i].sum() - 1) * int(filled[:, j].sum() - 1)
                    candidates.append((0, -self.levels[i], cost, i, j))
                elif e.value is None:
                    part = round(np.log2(sizes[i, j] / before[i]) / COARSE)  # other states are to choose the same
                    candidates.append((1, -part, 0, i, j))
        *_, i, j = min(candidates, default=(-1, -1))
        return i, j


def solved_rates(
    rows: Sequence[Expression], unknown: Sequence[Expression], levels: Sequence[int], rank: int, decide: Decisions
) -> Rates | None:
    """What rows say of the rates, `unknown`, in which they are linear; None where they can not be solved for as many.

    The last two, if their pivots vary, are solved together: a division takes as long as ten products.
    """
    forms: list[Form] = []
    b: list[Expression] = []
    if rows:
        forms = [{j: a for j, a in enumerate(row) if a is not ZERO} for row in jacobian(list(rows), list(unknown))]
        b = list(substitute(expressions(list(rows)), dict.fromkeys(unknown, ZERO)))
    given = [tuple(form.get(j, ZERO) for j in range(len(unknown))) for form in forms]
    left = list(range(len(forms)))
    pairs: list[Pair] = []
    before: list[tuple[list[Form], list[Expression]]] = []
    while len(pairs) < rank:
        asked = tuple(tuple(forms[i].get(j, ZERO) for j in range(len(unknown))) for i in left)
        k, j = decide(RatePivot(asked, tuple(given[i] for i in left), tuple(levels[i] for i in left)))
        if k < 0:
            return None
        i = left.pop(k)
        before.append(([dict(form) for form in forms], list(b)))
        pairs.append(_eliminated(forms, b, i, j, left))
    gone = {pair.j for pair in pairs}
    free = [j for j in range(len(unknown)) if j not in gone]
    solution = _Solution(unknown, free)
    last = pairs[-2:]
    if len(last) == 2 and all(pair.pivot.value is None for pair in last):
        det, lost = solution.together(last, *before[-2])
        pivots, growth = [det], [add(ONE, multiply(lost, lost))]
        rest = pairs[:-2]
    else:
        pivots, growth, rest = [], [], pairs
    for pair in reversed(rest):
        solution.follows(pair)
    pivots += [pair.pivot for pair in rest if pair.pivot.value is None]
    every = range(len(unknown))
    values, matrix = solution.values, solution.matrix
    return Rates(free, [values[j] for j in every], [matrix[j] for j in every], pivots, growth, pairs)


def _eliminated(forms: list[Form], b: list[Expression], i: int, j: int, left: Sequence[int]) -> Pair:
    """Row i solved for rate j, and taken from the rows that are left, in place."""
    pivot = forms[i].pop(j)
    shares = {k: negative(divide(a, pivot)) for k, a in forms[i].items()}
    offset = negative(divide(b[i], pivot))
    taken: Form = {}
    for r in left:
        if (a := forms[r].pop(j, None)) is not None:
            taken[r] = divide(a, pivot)
            b[r] = add(b[r], multiply(a, offset))
            for k, share in shares.items():
                forms[r][k] = add(forms[r].get(k, ZERO), multiply(a, share))
            forms[r] = {k: e for k, e in forms[r].items() if e is not ZERO}
    return Pair(i, j, pivot, shares, offset, taken)


class _Solution:
    """w and B as far as they are known: at first, the speeds."""

    def __init__(self, unknown: Sequence[Expression], free: Sequence[int]) -> None:
        self.values: dict[int, Expression] = {j: unknown[j] for j in free}
        self.matrix: dict[int, Form] = {j: {place: ONE} for place, j in enumerate(free)}

    def follows(self, pair: Pair) -> None:
        """w_j = offset + Σ shares_k w_k."""
        self.values[pair.j], self.matrix[pair.j] = self._sum(pair.offset, pair.shares)

    def together(
        self, pairs: Sequence[Pair], forms: Sequence[Form], b: Sequence[Expression]
    ) -> tuple[Expression, Expression]:
        """Two rates from two rows, by Cramer's rule; the determinant, and what part of it has cancelled."""
        (p, q), rows = (pair.j for pair in pairs), [forms[pair.i] for pair in pairs]
        a = [[row.get(j, ZERO) for j in (p, q)] for row in rows]
        first, second = multiply(a[0][0], a[1][1]), multiply(a[0][1], a[1][0])
        det = subtract(first, second)
        known = [
            self._sum(b[pair.i], {k: e for k, e in row.items() if k not in (p, q)})
            for pair, row in zip(pairs, rows, strict=True)
        ]
        for j, x, y in ((p, negative(a[1][1]), a[0][1]), (q, a[1][0], negative(a[0][0]))):
            (c, C), (d, D) = known
            self.values[j] = divide(add(multiply(x, c), multiply(y, d)), det)
            self.matrix[j] = {
                k: divide(add(multiply(x, C.get(k, ZERO)), multiply(y, D.get(k, ZERO))), det) for k in sorted({*C, *D})
            }
        return det, divide(second, det)

    def _sum(self, offset: Expression, shares: Form) -> tuple[Expression, Form]:
        value, form = offset, dict[int, Expression]()
        for k, share in shares.items():
            value = add(value, multiply(share, self.values[k]))
            for place, e in self.matrix[k].items():
                form[place] = add(form.get(place, ZERO), multiply(share, e))
        return value, form
