"""One step of collocation in plain NumPy, which its machine code is compared with."""

from __future__ import annotations

import numpy as np

from zeromass.integrate.methods.collocation.coefficients import ONCE, STAGES, TWICE, C
from zeromass.integrate.stepping.plain import Slope

ITERATIONS = 100
"""After which an iteration that does not stand still is given up."""


def step(f: Slope, t: float, y: np.ndarray, h: float) -> np.ndarray:
    """The state after a step of length h from y = (q, q̇) at t, of order 15; NaN where the iteration does not contract.

    q̇_i = q̇ + h Σ_j ONCE_ij a_j,   q_i = q + c_i h q̇ + h² Σ_j TWICE_ij a_j,   a_i = q̈(t + c_i h, q_i, q̇_i)
    """
    n = len(y) // 2
    q, v = y[:n], y[n:]
    c, once, twice = np.array(C)[:, None], np.array(ONCE), np.array(TWICE)
    stages = np.repeat(y[None], STAGES, axis=0)
    change = np.inf
    for _ in range(ITERATIONS):
        a = np.array([f(t + h * C[i], stages[i])[n:] for i in range(STAGES)])
        new = np.concatenate([q + c * h * v + h**2 * (twice @ a), v + h * (once @ a)], axis=1)
        before, change = change, float(np.abs(new - stages).max())
        stages = new
        if change == 0.0 or (change >= before and change <= 1e-12 * np.abs(stages).max()):
            return stages[-1]  # the end of the step is its last stage
    return np.full_like(y, np.nan)
