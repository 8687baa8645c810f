"""Kane's equations: the rates of independent speeds, and the forces of constraint from them.

BᵀM B ṡ = Bᵀ(Q − M D),    ẇ = B ṡ + D,    Aᵀλ = M ẇ − Q
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from zeromass.compile.decisions import Decisions
from zeromass.compile.factor import Factor, factored
from zeromass.compile.formulas import Given, Replaced, changed
from zeromass.compile.light import total
from zeromass.compile.rates import Rates
from zeromass.expression import Array, Expression, directional, expressions
from zeromass.expression.build import ZERO, add, divide, multiply, negative, subtract


def equations(given: Given, value: Replaced) -> tuple[Array, list[Expression]]:
    """M and Q of M ẇ = Q + Aᵀλ."""
    by = given.by
    M = by.system.M[np.ix_(by.columns, by.columns)]
    Q = by.impressed + by.force(by.system.nonideal.constant)
    for body, at in by.placed:
        M[np.ix_(at, at)], torque = body.inertia
        Q[at] = Q[at] + torque
    return expressions(changed(given.meant(M.ravel()), value)).reshape(M.shape), changed(given.meant(Q), value)


def solved_speeds(rates: Rates, M: Array, Q: Sequence[Expression], along: Replaced, decide: Decisions) -> Factor:
    """ṡ of BᵀM B ṡ = Bᵀ(Q − M D)."""
    B, n = rates.matrix, len(rates.free)
    entries = [(i, k, M[i, k]) for i in range(len(M)) for k in range(len(M)) if M[i, k] is not ZERO]
    heavy = sorted({k for _, k, _ in entries})
    D = dict(zip(heavy, directional([rates.values[k] for k in heavy], along), strict=True)) if heavy else {}
    f = list(Q)
    W = [[ZERO] * n for _ in range(n)]
    for i, k, m in entries:
        f[i] = subtract(f[i], multiply(m, D[k]))
        for a, e in B[i].items():
            share = multiply(e, m)
            for c, d in B[k].items():
                W[a][c] = add(W[a][c], multiply(share, d)) if c <= a else W[a][c]
    for a in range(n):
        for c in range(a):
            W[c][a] = W[a][c]
    g = [ZERO] * n
    for force, row in zip(f, B, strict=True):
        for a, e in row.items():
            g[a] = add(g[a], multiply(e, force))
    return _three(W, g) if n == 3 else factored(W, g, [], [], decide)


def _three(W: list[list[Expression]], g: list[Expression]) -> Factor:
    """W x = g for W symmetric and positive definite, 3 by 3, by its cofactors: one division in place of three.

    The product of the diagonal is never less than the determinant; how much less that is tells what has cancelled.
    """
    (a, _, _), (d, b, _), (e, f, c) = W
    minors = [
        [_minor(b, c, f, f), _minor(e, f, d, c), _minor(d, f, e, b)],
        [ZERO, _minor(a, c, e, e), _minor(d, e, a, f)],
        [ZERO, ZERO, _minor(a, b, d, d)],
    ]
    rows = [[minors[min(i, j)][max(i, j)] for j in range(3)] for i in range(3)]
    det = total(W[0], rows[0])
    growth = divide(multiply(multiply(a, b), c), det)
    solution = [divide(total(row, g), det) for row in rows]
    return Factor(solution, [], [growth] if growth.value is None else [], {})


def _minor(a: Expression, b: Expression, c: Expression, d: Expression) -> Expression:
    """a b − c d."""
    return subtract(multiply(a, b), multiply(c, d))


def forces(
    given: Given, rates: Rates, M: Array, Q: Sequence[Expression], along: Replaced, ṡ: Sequence[Expression]
) -> tuple[tuple[Expression, ...], tuple[Expression, ...]]:
    """q̈ and λ: ẇ = B ṡ + D, Aᵀλ = M ẇ − Q."""
    by = given.by
    ẇ = list(directional(rates.values, along))
    for j, row in enumerate(rates.matrix):
        for place, e in row.items():
            ẇ[j] = add(ẇ[j], multiply(e, ṡ[place]))
    force = [negative(e) for e in Q]
    for i, row in enumerate(M):
        for m, a in zip(row, ẇ, strict=True):
            force[i] = add(force[i], multiply(m, a))
    rows = rates.multipliers(force)
    λ = by.multipliers([rows.get(k, ZERO) for k in range(len(by.rows))], by.system.Q + by.system.nonideal.constant)
    return by.acceleration(ẇ), λ
