"""The motion of a system as expressions, constraint forces that do work included."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from zeromass.compile.decisions import Decisions
from zeromass.compile.elimination import Elimination, eliminated
from zeromass.expression import Expression, expressions
from zeromass.expression.build import ONE, add, divide, function, multiply, negative, subtract
from zeromass.model import System


def solved_motion(system: System, decide: Decisions, rank: int | None = None) -> Elimination:
    """q̈ and λ of M q̈ = Q + C + Aᵀλ, A q̈ = b, with C = C₀ + D z affine in some accelerations z.

    The elimination is done for Q + C₀ and for each column of D: they share all its pivots. Then z = z₀ + G z is solved
    and the parts are added.
    """
    C = system.nonideal
    base = eliminated(system.M, system.Q + C.constant, system.A, system.b, decide, rank)
    if not C.places:
        return base
    still = expressions(np.zeros(len(system.b)))
    rank = len(base.kept)
    parts = [eliminated(system.M, column, system.A, still, decide, rank) for column in C.slopes.T]
    G = [[part.acceleration[j] for part in parts] for j in C.places]
    z, pivots = _fixed_point(G, [base.acceleration[j] for j in C.places])

    def total(first: Sequence[Expression], rest: Sequence[Sequence[Expression]]) -> tuple[Expression, ...]:
        sums = list(first)
        for factor, values in zip(z, rest, strict=True):
            sums = [add(sum_, multiply(factor, value)) for sum_, value in zip(sums, values, strict=True)]
        return tuple(sums)

    return Elimination(
        total(base.acceleration, [part.acceleration for part in parts]),
        total(base.multipliers, [part.multipliers for part in parts]),
        (*base.growth, *[divide(ONE, function("abs", pivot)) for pivot in pivots if pivot.value is None]),
        base.kept,
        base.dropped,
    )


def _fixed_point(G: list[list[Expression]], z0: list[Expression]) -> tuple[list[Expression], list[Expression]]:
    """z = z₀ + G z by Gauss's elimination of I − G, and its pivots, near 1 for small friction."""
    k = len(z0)
    K = [[subtract(ONE, G[i][j]) if i == j else negative(G[i][j]) for j in range(k)] for i in range(k)]
    z = list(z0)
    for p in range(k):
        for i in range(p + 1, k):
            share = divide(K[i][p], K[p][p])
            K[i] = [subtract(a, multiply(share, c)) for a, c in zip(K[i], K[p], strict=True)]
            z[i] = subtract(z[i], multiply(share, z[p]))
    for p in reversed(range(k)):
        for j in range(p + 1, k):
            z[p] = subtract(z[p], multiply(K[p][j], z[j]))
        z[p] = divide(z[p], K[p][p])
    return z, [K[p][p] for p in range(k)]
