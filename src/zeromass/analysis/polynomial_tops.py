"""The largest values of polynomials on [0, 1], given by Legendre's coefficients: a kernel."""

from __future__ import annotations

import numpy as np

from zeromass.kernel.language import Reals, Reals2, kernel

DEGREE, PARTS, NEWTON = 8, 32, 3
"""Of polynomials, parts of the grid on which their values are known, and steps of Newton's method to a top."""

RISE = np.array([(2 * k + 1) / (k + 1) for k in range(DEGREE)])
FALL = np.array([k / (k + 1) for k in range(DEGREE)])
"""P₍ₖ₊₁₎ = RISEₖ x Pₖ − FALLₖ P₍ₖ₋₁₎, x = 2θ − 1."""


@kernel
def value_and_derivatives(c: Reals2, j: int, θ: float) -> tuple[float, float, float]:
    """p, dp/dθ and d²p/dθ² of polynomial j at θ."""
    x = 2.0 * θ - 1.0
    before, before1, before2 = 0.0, 0.0, 0.0
    P, P1, P2 = 1.0, 0.0, 0.0
    p, p1, p2 = c[0, j], 0.0, 0.0
    for k in range(DEGREE):
        a, b = RISE[k], FALL[k]
        after, after1 = a * x * P - b * before, a * (P + x * P1) - b * before1
        after2 = a * (2.0 * P1 + x * P2) - b * before2
        before, before1, before2 = P, P1, P2
        P, P1, P2 = after, after1, after2
        p, p1, p2 = p + c[k + 1, j] * P, p1 + c[k + 1, j] * P1, p2 + c[k + 1, j] * P2
    return p, 2.0 * p1, 4.0 * p2


@kernel
def polynomial_tops(c: Reals2, values: Reals2, tops: Reals, rivals: Reals) -> int:
    """tops, rivals ← the largest value of each polynomial, and by how much other local maxima may exceed it.

    c       coefficients, shape (9, k)
    values  on the grid, shape (33, k)

    By Newton's method from the largest value on the grid; from others a polynomial rises by less than it falls beside them.
    Neither is a number where a value is none.
    """
    for j in range(len(tops)):
        best, other, sound = 0, -np.inf, True
        for i in range(PARTS + 1):
            sound = sound and values[i, j] == values[i, j]
            best = i if values[i, j] > values[best, j] else best
        for i in range(PARTS + 1):
            before = values[i, j] - values[i - 1, j] if i > 0 else values[0, j] - values[1, j]
            after = values[i, j] - values[i + 1, j] if i < PARTS else values[i, j] - values[i - 1, j]
            if i != best and before >= 0.0 and after >= 0.0:
                other = max(other, values[i, j] + max(before, after))
        θ = best / PARTS
        low, high = max(θ - 1.0 / PARTS, 0.0), min(θ + 1.0 / PARTS, 1.0)
        for _ in range(NEWTON):
            p, slope, bend = value_and_derivatives(c, j, θ)
            if bend < 0.0:
                θ = min(max(θ - slope / bend, low), high)
        p, slope, bend = value_and_derivatives(c, j, θ)
        top = max(p, values[best, j])
        tops[j] = top if sound else np.nan
        rivals[j] = max(other - top, 0.0) if sound else np.nan
    return 0
