"""Mass matrix and impressed force from a Lagrangian."""

from __future__ import annotations

import numpy as np

from zeromass.expression import Expression, directional, gradient, rate, t
from zeromass.expression.derivative import sparse_jacobian
from zeromass.expression.evaluate import Sparse


def motion_of(lagrangian: Expression, q: np.ndarray) -> tuple[Sparse, np.ndarray]:
    """M and Q of M q̈ = Q, from Lagrange's equations with every coordinate taken as independent.

    p = ∂L/∂q̇,    M = ∂p/∂q̇,    Q = ∂L/∂q − (∂p/∂q) q̇ − ∂p/∂t
    """
    p = gradient(lagrangian, rate(q))
    return _masses(p, q), gradient(lagrangian, q) - directional(p, along_motion(q))


def _masses(p: np.ndarray, q: np.ndarray) -> Sparse:
    M: list[dict[int, Expression]] = [{} for _ in q]
    for i, row in enumerate(sparse_jacobian(p, rate(q)).rows):
        for j, e in row.items():
            if j >= i:  # one form for both halves, so that they share every operation
                M[i][j] = M[j][i] = e
    return Sparse(M, len(q))


def along_motion(q: np.ndarray) -> dict[Expression, Expression]:
    """The direction in which time carries positions: {q: q̇, t: 1}, rates held fixed."""
    from zeromass.expression.build import ONE

    return {**dict(zip(q, rate(q), strict=True)), t: ONE}
