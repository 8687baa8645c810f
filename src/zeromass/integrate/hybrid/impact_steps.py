"""Runge–Kutta steps of order 8 inside impacts, where slip turns: kernels that work on stages in the caller's memory.

The method is that of Dormand and Prince, of order 8(5,3) [HNW1993, §II.5]; its coefficients are those of
`integrate.methods.dop853`.
"""

from __future__ import annotations

import numpy as np

from zeromass.integrate.methods.dop853.coefficients import ERROR_3, ERROR_5, STAGES
from zeromass.integrate.methods.dop853.coefficients import A as ROWS
from zeromass.kernel.language import Reals, Reals2, kernel, sqrt

EXACT = 1e-13
"""Relative tolerance of a step."""

MOST_STEPS = 10_000
"""Steps at most between two events of an impact."""

SHRINKS, GROWS, SAFETY = 0.2, 10.0, 0.9
"""Bounds of the ratio of consecutive step sizes, and its safety factor [HNW1993, §II.4]."""

A = np.array([[row.get(j, 0.0) for j in range(STAGES)] for row in ROWS[: STAGES + 1]])
E5, E3 = (np.array([weights.get(s, 0.0) for s in range(STAGES)]) for weights in (ERROR_5, ERROR_3))


@kernel
def set_stage(y: Reals, h: float, K: Reals2, s: int, new: Reals, n: int) -> None:
    """new ← y + h Σ aₛⱼ kⱼ, the n values at which stage s evaluates the slope; at s = STAGES the result of the step."""
    for i in range(n):
        new[i] = 0.0
    for j in range(s):
        a = A[s, j]
        if a != 0.0:
            for i in range(n):
                new[i] += a * K[j, i]
    for i in range(n):
        new[i] = y[i] + h * new[i]


@kernel
def error_norm(y: Reals, new: Reals, h: float, K: Reals2, atol: Reals, n: int) -> float:
    """Norm of the error of a step, as a part of its tolerance: that of DOP853, of orders 5 and 3."""
    e5, e3 = 0.0, 0.0
    for i in range(n):
        scale = atol[i] + EXACT * max(abs(y[i]), abs(new[i]))
        five, three = 0.0, 0.0
        for j in range(STAGES):
            five += E5[j] * K[j, i]
            three += E3[j] * K[j, i]
        e5 += (five / scale) * (five / scale)
        e3 += (three / scale) * (three / scale)
    return 0.0 if e5 == 0.0 else abs(h) * e5 / sqrt((e5 + 0.01 * e3) * float(n))


@kernel
def step_ratio(error: float) -> float:
    """Size of the next step, as a part of one with this error."""
    if not error >= 0.0:
        return 0.1
    root = sqrt(sqrt(sqrt(error)))
    ratio = SAFETY / root if root * GROWS > SAFETY else GROWS
    return max(SHRINKS, ratio if error < 1.0 else min(ratio, SAFETY))


@kernel
def next_estimate(at: float, f: float, rate: float, low: float, high: float) -> float:
    """Newton's next estimate of a root between low and high; their middle where it lies outside."""
    x = at - f / rate if rate != 0.0 else low
    return x if x > low and x < high else low + (high - low) / 2.0
