"""Symmetric elimination of W x + Aᵀμ = g, A x = b with W positive definite: no pivoting, least fill."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from zeromass.compile.decisions import Decisions, frozen
from zeromass.compile.pivots import Strengthening
from zeromass.expression import Expression
from zeromass.expression.build import ONE, ZERO, add, constant, divide, multiply, negative, subtract
from zeromass.expression.evaluate import Sparse


class Factor(NamedTuple):
    """Solution and multipliers as expressions; `growth` ≥ 1 of each pivot, the cancellation that led to it.

    pivots  of the multipliers by their rows, those that are not constant, each times the pivots of coordinates in its row
            whose mass may vanish: one vanishes where rows lose independence. The pivot of a multiplier alone falls too
            where a coordinate gains mass, as that of a rod does behind the dead centre of its slider
    """

    solution: list[Expression]
    multipliers: list[Expression]
    growth: list[Expression]
    pivots: dict[int, Expression]


def factored(
    M: Sparse | Sequence[Sequence[Expression]],
    f: list[Expression],
    A: Sparse | Sequence[Sequence[Expression]],
    b: list[Expression],
    decide: Decisions,
    dropped: Sequence[Mapping[int, Expression]] = (),
) -> Factor:
    """Solution of M x = f + Aᵀλ, A x = b for M ≥ 0, [M; A] of full column rank and A of full row rank.

    dropped  rows that follow from those of A, without zeros. Where they hold a coordinate without mass that those of A let
             go, its pivot fades although nothing cancels in it: they count in its growth.
    """
    n = len(f)
    M = Sparse.of(M) if n else Sparse([], 0)
    A = Sparse.of(A) if b else Sparse([], n)
    K: list[dict[int, Expression]] = [dict(row) for row in M.rows]
    K += [{} for _ in b]
    rhs = [*f, *b]
    for i, row in enumerate(A.rows):
        for j, a in row.items():
            K[n + i][j] = a
            K[j][n + i] = a
    strongest = [0.0] * n
    for i, exponent in decide(Strengthening(frozen(M), frozen(A))) if n and b else ():
        weight = 2.0**exponent
        row = A.rows[i]
        for j, a in row.items():
            scaled, strongest[j] = multiply(constant(weight), a), max(strongest[j], weight)
            rhs[j] = add(rhs[j], multiply(scaled, b[i]))
            for k, c in row.items():
                if k <= j:
                    total = add(K[j].get(k, ZERO), multiply(scaled, c))
                    K[j][k] = total
                    K[k][j] = total
    held = [ZERO] * n
    for row in dropped:
        for j, a in row.items():
            if M.get(j, j) is ZERO:
                held[j] = add(held[j], multiply(constant(strongest[j]), multiply(a, a)))
    return _solved(K, rhs, n, [set(row) for row in A.rows], held)


def _solved(
    K: list[dict[int, Expression]], rhs: list[Expression], n: int, rows: list[set[int]], held: list[Expression]
) -> Factor:
    """LDLᵀ in an order of least degree; a multiplier waits until the coordinates in its row are gone."""
    m = len(rows)
    missing = [set(row) for row in rows]
    holding: dict[int, list[int]] = {}
    for i, row in enumerate(rows):
        for j in row:
            holding.setdefault(j, []).append(i)
    # diagonal without what was taken away
    whole = [add(K[p].get(p, ZERO), held[p]) if p < n else ZERO for p in range(n + m)]
    done = [False] * (n + m)
    ready = [(len(K[p]), p) for p in range(n + m) if p < n or not missing[p - n]]
    heapify(ready)
    steps: list[tuple[int, Expression, dict[int, Expression], Expression]] = []
    growth: list[Expression] = []
    pivots: dict[int, Expression] = {}
    bearing: list[list[Expression]] = [[] for _ in range(m)]
    while ready:
        degree, p = heappop(ready)
        if done[p] or degree != len(K[p]):
            continue  # it stands there again
        done[p] = True
        d = K[p].pop(p, ZERO)
        inverse = divide(ONE, d)
        neighbours = K[p]
        shares = {i: multiply(value, inverse) for i, value in neighbours.items()}
        if d.value is None and whole[p] is not d:
            growth.append(multiply(whole[p], inverse if p < n else negative(inverse)))
        for i in neighbours if p < n and not _bounded(whole[p]) else ():
            if i >= n:
                bearing[i - n].append(d)
        if p >= n:
            pivot = reduce(multiply, bearing[p - n], d)
            if pivot.value is None:
                pivots[p - n] = pivot
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
        for i in holding.get(p, ()):
            missing[i].discard(p)
            if not missing[i] and n + i not in neighbours:
                heappush(ready, (len(K[n + i]), n + i))
        for i in neighbours:
            if i < n or not missing[i - n]:
                heappush(ready, (len(K[i]), i))
    x: dict[int, Expression] = {}
    for p, inverse, shares, g in reversed(steps):
        total = multiply(g, inverse)
        for i, share in shares.items():
            total = subtract(total, multiply(share, x[i]))
        x[p] = total
    return Factor([x[j] for j in range(n)], [negative(x[n + i]) for i in range(m)], growth, pivots)


def _bounded(mass: Expression) -> bool:
    """Whether a constant is among the terms of a sum of squares, so that it never vanishes."""
    waiting = [mass]
    while waiting:
        e = waiting.pop()
        if e.value is not None and e.value > 0:
            return True
        waiting += e.args if e.op == "add" else ()
    return False
