"""The length of a first step."""

from __future__ import annotations

import numpy as np

from zeromass.integrate.stepping.functions import Functions
from zeromass.integrate.stepping.status import Tolerances


def first_step(functions: Functions, t: float, y: np.ndarray, until: float, tolerances: Tolerances) -> float:
    """A first step from the size of the state, its slope and the slope's change [HNW1993, §II.4]."""
    f, _ = functions.slope(t, y)
    scale = (tolerances.atol + tolerances.rtol * np.abs(y)) * np.sqrt(len(y))
    d0, d1 = np.linalg.norm(y / scale), np.linalg.norm(f / scale)
    guess = 1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1
    guess = min(guess, abs(until - t)) or 1e-6
    ahead = np.copysign(guess, until - t)
    d2 = np.linalg.norm((functions.slope(t + ahead, y + ahead * f)[0] - f) / scale) / guess
    largest = max(d1, d2)
    second = max(1e-6, guess * 1e-3) if not largest > 1e-15 else (0.01 / largest) ** 0.125
    return float(np.copysign(min(100 * guess, second, tolerances.longest), until - t))
