"""Mass matrix and impressed force from a Lagrangian."""

from __future__ import annotations

import numpy as np

from zeromass.expression import Expression, directional, gradient, jacobian, rate, t


def motion_of(lagrangian: Expression, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """M and Q of M q̈ = Q, from Lagrange's equations with every coordinate taken as independent.

    p = ∂L/∂q̇,    M = ∂p/∂q̇,    Q = ∂L/∂q − (∂p/∂q) q̇ − ∂p/∂t
    """
    v = rate(q)
    p = gradient(lagrangian, v)
    M = jacobian(p, v)
    lower = np.tril_indices(len(q), -1)
    M[lower] = M.T[lower]  # one form for both halves, so that they share every operation
    Q = gradient(lagrangian, q) - directional(p, along_motion(q))
    return M, Q


def along_motion(q: np.ndarray) -> dict[Expression, Expression]:
    """The direction in which time carries positions: {q: q̇, t: 1}, rates held fixed."""
    from zeromass.expression.build import ONE

    return {**dict(zip(q, rate(q), strict=True)), t: ONE}
