"""Gaps that open, and accelerations that stand for impulses, of wheels that lift."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from zeromass.equation import solve
from zeromass.expression import Symbol
from zeromass.model import State
from zeromass.model.nearest import least_change
from zeromass.model.start import equations_of

ALIKE = 4.0
"""Bounces up to so many times as high as one that ends, of the same stroke, end with it."""

REGULAR, ROUNDED = 1e-10, 1e-14
"""Part of their terms that may be left of equations that were solved as they stand, and of the largest of the unknowns."""


def kinetic_solution(M: np.ndarray, Q: np.ndarray, A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """x with M x = Q + Aᵀλ and A x = b, of least change where M sees nothing.

    Solved as it stands where it is regular, which is quick, else by ranks.
    """
    n, m = len(Q), len(b)
    K = np.zeros((n + m, n + m))
    K[:n, :n], K[:n, n:], K[n:, :n] = M, -A.T, A
    used = np.flatnonzero(np.any(K != 0.0, axis=0))
    right = np.concatenate([Q, b])
    x = np.zeros(n + m)
    try:
        x[used] = np.linalg.solve(K[np.ix_(used, used)], right[used])
    except np.linalg.LinAlgError:
        x[:] = np.nan
    size = np.abs(A) @ np.abs(x[:n]) + np.abs(b)
    rounding = ROUNDED * np.abs(A).sum(axis=1) * np.abs(x[:n]).max(initial=0.0)
    if np.all(np.isfinite(x)) and np.all(np.abs(A @ x[:n] - b) <= REGULAR * np.where(size > 0.0, size, 1.0) + rounding):
        return x[:n]
    return np.asarray(solve(M, Q, A, b).acceleration) if np.any(Q) else least_change(M, A, b)


def parted(found: State, opened: Sequence[Symbol], extent: float) -> State:
    """A state with gaps that are open, by a little more than the rounding of places, m, so that they can close."""
    system = found.system
    gaps = [system.index(gap) for gap in opened]
    rounding = 4 * np.finfo(float).eps * extent
    rows, equations = system.told(0), equations_of(system, 0)
    known = [found.t, *found.parameters.values()]
    for aim in (rounding, 2 * rounding, 8 * rounding, 64 * rounding):
        q = found.q.copy()
        for _ in range(2):
            φ = equations.values(np.concatenate([q, known]))
            A = np.concatenate([found.matrices.A[rows], np.eye(len(q))[gaps]])
            missing = np.concatenate([-φ, np.maximum(aim - q[gaps], 0.0)])
            q = q + np.linalg.lstsq(A, missing, rcond=None)[0]
        found = replace(found, q=q)
        if np.all(q[gaps] > 0.0):
            return found
    return found
