"""Symmetric elimination of W x + Aᵀμ = g, A x = b with W positive definite: no pivoting, least fill."""

from __future__ import annotations

from functools import cached_property
from itertools import product
from typing import NamedTuple

import numpy as np

from zeromass.compile.samples import Samples
from zeromass.equation import RANK_TOLERANCE, Rank, numerical_rank
from zeromass.expression import Expression
from zeromass.expression.build import ONE, ZERO, add, constant, divide, multiply, negative, subtract

WEAK = (0.05, 1e-3, 1e-6, RANK_TOLERANCE)
"""Directions whose scaled inertia is below the first of these parts of the largest are strengthened by rows of A.

A row is taken for what it adds above the first bound, then for what it adds above the next, down to what counts as
zero: a direction that no row strengthens (a thin rod's turning about itself) is left as it is, a null one never.
"""


class Factor(NamedTuple):
    """Solution and multipliers as expressions; `growth` ≥ 1 of each pivot, the cancellation that led to it."""

    solution: list[Expression]
    multipliers: list[Expression]
    growth: list[Expression]


def factored(
    M: list[list[Expression]], f: list[Expression], A: list[list[Expression]], b: list[Expression], samples: Samples
) -> Factor:
    """Solution of M x = f + Aᵀλ, A x = b for M ≥ 0, [M; A] of full column rank and A of full row rank."""
    n = len(f)
    K: list[dict[int, Expression]] = [{j: a for j, a in enumerate(row) if a is not ZERO} for row in M]
    K += [{} for _ in b]
    rhs = [*f, *b]
    for i, row in enumerate(A):
        for j, a in enumerate(row):
            if a is not ZERO:
                K[n + i][j] = a
                K[j][n + i] = a
    for i, weight in _definite(M, A, samples).items():
        for j, a in [(j, a) for j, a in enumerate(A[i]) if a is not ZERO]:
            scaled = multiply(constant(weight), a)
            rhs[j] = add(rhs[j], multiply(scaled, b[i]))
            for k, c in enumerate(A[i][: j + 1]):
                if c is not ZERO:
                    total = add(K[j].get(k, ZERO), multiply(scaled, c))
                    K[j][k] = total
                    K[k][j] = total
    return _solved(K, rhs, n, [{j for j, a in enumerate(row) if a is not ZERO} for row in A])


def _definite(M: list[list[Expression]], A: list[list[Expression]], samples: Samples) -> dict[int, float]:
    """Rows of A, with weights, whose squares make M positive definite: the sparsest that do.

    Coordinates that neither M nor a chosen row couples are looked at apart, in blocks.
    """
    if not M or not A:
        return {}
    numbers, rows = samples.matrix(M), samples.matrix(A)
    masses = np.diagonal(numbers[0])
    present = [[j for j, a in enumerate(row) if a is not ZERO] for row in A]
    block_of: dict[int, _Block] = {}
    for columns in _coupled(M):
        block = _Block(columns, numbers[:, columns])
        block_of.update(dict.fromkeys(columns, block))
    chosen: dict[int, float] = {}
    order = sorted(range(len(A)), key=lambda i: len(present[i]))
    for bound, i in product(WEAK, order):
        touched = list(dict.fromkeys(block_of[j] for j in present[i]))
        missing = sum(block.missing(bound) for block in touched)
        if i in chosen or not missing:
            continue
        columns = sorted(j for block in touched for j in block.columns)
        joined = _Block(columns, np.concatenate([*[block.rows for block in touched], rows[:, i : i + 1]], axis=1))
        if joined.missing(bound) < missing:
            chosen[i] = _weight(rows[0, i], masses[present[i]], masses)
            block_of.update(dict.fromkeys(columns, joined))
    return chosen


class _Block:
    """Coordinates coupled with one another, and the rows that couple them, shape (states, rows, all coordinates)."""

    def __init__(self, columns: list[int], rows: np.ndarray) -> None:
        self.columns, self.rows = columns, rows

    @cached_property
    def _rank(self) -> Rank:
        return numerical_rank(self.rows[:, :, self.columns])

    def missing(self, bound: float) -> int:
        """How many directions the rows leave below a part of the largest."""
        return len(self.columns) - int(np.min(self._rank.at(bound)))


def _coupled(M: list[list[Expression]]) -> list[list[int]]:
    """The coordinates, in groups that M does not couple with one another."""
    left, groups = set(range(len(M))), []
    while left:
        group = {left.pop()}
        new = list(group)
        while new:
            i = new.pop()
            found = {j for j in left if M[i][j] is not ZERO}
            left -= found
            group |= found
            new += found
        groups.append(sorted(group))
    return groups


def _weight(row: np.ndarray, own: np.ndarray, masses: np.ndarray) -> float:
    """A power of two that makes the square of a row about as large as the masses of its own coordinates."""
    size = own.max(initial=0.0) or masses.max(initial=0.0) or 1.0
    return 2.0 ** round(np.log2(size / np.max(row**2)))


def _solved(K: list[dict[int, Expression]], rhs: list[Expression], n: int, rows: list[set[int]]) -> Factor:
    """LDLᵀ in an order of least degree; a multiplier waits until the coordinates in its row are gone."""
    m = len(rows)
    missing = [set(row) for row in rows]
    whole = [K[p].get(p, ZERO) if p < n else ZERO for p in range(n + m)]  # diagonal without what was taken away
    waiting = set(range(n + m))
    steps: list[tuple[int, Expression, dict[int, Expression], Expression]] = []
    growth: list[Expression] = []
    while waiting:
        ready = [p for p in waiting if p < n or not missing[p - n]]
        p = min(ready, key=lambda p: (len(K[p]), p))
        d = K[p].pop(p, ZERO)
        inverse = divide(ONE, d)
        neighbours = K[p]
        shares = {i: multiply(value, inverse) for i, value in neighbours.items()}
        if d.value is None and whole[p] is not d:
            growth.append(multiply(whole[p], inverse if p < n else negative(inverse)))
        for i, value in neighbours.items():
            del K[i][p]
            rhs[i] = subtract(rhs[i], multiply(shares[i], rhs[p]))
            for j in neighbours:
                if j <= i:
                    change = multiply(shares[j], value)
                    if i == j and (p < n) != (i < n):  # a coordinate and a multiplier: the diagonal grows
                        whole[i] = add(whole[i], change if p < n else negative(change))
                    total = subtract(K[i].get(j, ZERO), change)
                    K[i][j] = total
                    K[j][i] = total
        steps.append((p, inverse, shares, rhs[p]))
        waiting.discard(p)
        for row in missing:
            row.discard(p)
    x: dict[int, Expression] = {}
    for p, inverse, shares, g in reversed(steps):
        total = multiply(g, inverse)
        for i, share in shares.items():
            total = subtract(total, multiply(share, x[i]))
        x[p] = total
    return Factor([x[j] for j in range(n)], [negative(x[n + i]) for i in range(m)], growth)
