"""One step of the method of Dormand and Prince in plain NumPy, which its machine code is compared with."""

from __future__ import annotations

import numpy as np

from zeromass.integrate.methods.dop853.coefficients import STAGES, A, C
from zeromass.integrate.stepping.plain import Slope


def step(f: Slope, t: float, y: np.ndarray, h: float) -> np.ndarray:
    """The state after a step of length h from y at t, of order 8.

    k_s = f(t + c_s h, y + h Σ a_sj k_j),   y_new = y + h Σ b_j k_j
    """
    k = [f(t, y)]
    for s in range(1, STAGES):
        k.append(f(t + C[s] * h, y + h * sum(a * k[j] for j, a in A[s].items())))
    return y + h * sum(b * k[j] for j, b in A[STAGES].items())
