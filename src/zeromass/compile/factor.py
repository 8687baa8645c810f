"""Symmetric elimination of W x + Aᵀμ = g, A x = b with W positive definite: no pivoting, least fill."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from zeromass.compile.decisions import Decisions, frozen
from zeromass.compile.pivots import Strengthening
from zeromass.expression import Expression
from zeromass.expression.build import ONE, ZERO, add, constant, divide, multiply, negative, subtract


class Factor(NamedTuple):
    """Solution and multipliers as expressions; `growth` ≥ 1 of each pivot, the cancellation that led to it.

    pivots  of the multipliers by their rows, those that are not constant: one vanishes where rows lose independence
    """

    solution: list[Expression]
    multipliers: list[Expression]
    growth: list[Expression]
    pivots: dict[int, Expression]


def factored(
    M: list[list[Expression]],
    f: list[Expression],
    A: list[list[Expression]],
    b: list[Expression],
    decide: Decisions,
    dropped: Sequence[Sequence[Expression]] = (),
) -> Factor:
    """Solution of M x = f + Aᵀλ, A x = b for M ≥ 0, [M; A] of full column rank and A of full row rank.

    dropped  rows that follow from those of A. Where they hold a coordinate without mass that those of A let go, its pivot
             fades although nothing cancels in it: they count in its growth.
    """
    n = len(f)
    K: list[dict[int, Expression]] = [{j: a for j, a in enumerate(row) if a is not ZERO} for row in M]
    K += [{} for _ in b]
    rhs = [*f, *b]
    for i, row in enumerate(A):
        for j, a in enumerate(row):
            if a is not ZERO:
                K[n + i][j] = a
                K[j][n + i] = a
    strongest = [0.0] * n
    for i, exponent in decide(Strengthening(frozen(M), frozen(A))) if M and A else ():
        weight = 2.0**exponent
        for j, a in [(j, a) for j, a in enumerate(A[i]) if a is not ZERO]:
            scaled, strongest[j] = multiply(constant(weight), a), max(strongest[j], weight)
            rhs[j] = add(rhs[j], multiply(scaled, b[i]))
            for k, c in enumerate(A[i][: j + 1]):
                if c is not ZERO:
                    total = add(K[j].get(k, ZERO), multiply(scaled, c))
                    K[j][k] = total
                    K[k][j] = total
    held = [ZERO] * n
    for j in range(n):
        for row in dropped if M[j][j] is ZERO else ():
            held[j] = add(held[j], multiply(constant(strongest[j]), multiply(row[j], row[j])))
    return _solved(K, rhs, n, [{j for j, a in enumerate(row) if a is not ZERO} for row in A], held)


def _solved(
    K: list[dict[int, Expression]], rhs: list[Expression], n: int, rows: list[set[int]], held: list[Expression]
) -> Factor:
    """LDLᵀ in an order of least degree; a multiplier waits until the coordinates in its row are gone."""
    m = len(rows)
    missing = [set(row) for row in rows]
    # diagonal without what was taken away
    whole = [add(K[p].get(p, ZERO), held[p]) if p < n else ZERO for p in range(n + m)]
    waiting = set(range(n + m))
    steps: list[tuple[int, Expression, dict[int, Expression], Expression]] = []
    growth: list[Expression] = []
    pivots: dict[int, Expression] = {}
    while waiting:
        ready = [p for p in waiting if p < n or not missing[p - n]]
        p = min(ready, key=lambda p: (len(K[p]), p))
        d = K[p].pop(p, ZERO)
        inverse = divide(ONE, d)
        neighbours = K[p]
        shares = {i: multiply(value, inverse) for i, value in neighbours.items()}
        if d.value is None and whole[p] is not d:
            growth.append(multiply(whole[p], inverse if p < n else negative(inverse)))
        if d.value is None and p >= n:
            pivots[p - n] = d
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
    return Factor([x[j] for j in range(n)], [negative(x[n + i]) for i in range(m)], growth, pivots)
