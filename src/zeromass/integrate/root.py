"""Zeros of a function of one variable between two points of opposite sign."""

from __future__ import annotations

from collections.abc import Callable


def located(f: Callable[[float], float], a: float, b: float, fa: float, fb: float, tolerance: float) -> float:
    """The place x between a and b with f(x) = 0, to `tolerance`, on the side of b: f(x) has the sign of f(b), or is 0.

    Inverse quadratic interpolation where it is sure to help, bisection elsewhere [C1997].
    """
    if fa == 0.0:
        return a
    x1, f1, x2, f2, x3, f3 = b, fb, a, fa, a, fa
    t = 0.5
    while True:
        x = x1 + t * (x2 - x1)
        fx = f(x)
        if (fx > 0) == (f1 > 0):
            x3, f3 = x1, f1
        else:
            x3, f3, x2, f2 = x2, f2, x1, f1
        x1, f1 = x, fx
        best, fbest = (x1, f1) if abs(f1) < abs(f2) else (x2, f2)
        width = abs(x2 - x1)
        if fbest == 0.0:
            return best
        if width <= 2 * tolerance:
            return x1 if (f1 > 0) == (fb > 0) else x2
        limit = tolerance / width
        ξ, φ = (x1 - x2) / (x3 - x2), (f1 - f2) / (f3 - f2)
        if φ**2 < ξ and (1 - φ) ** 2 < 1 - ξ:
            t = (f1 / (f2 - f1)) * (f3 / (f2 - f3)) + (x3 - x1) / (x2 - x1) * (f1 / (f3 - f1)) * (f2 / (f3 - f2))
        else:
            t = 0.5
        t = min(max(t, limit), 1 - limit)
