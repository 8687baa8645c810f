"""Zeros and maxima of functions of one variable, many at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Values = Callable[[np.ndarray], np.ndarray]
"""A function at places (k,)."""

PARTS = 8
"""Parts into which a bracket of a maximum is divided; a round then keeps the two around the best point."""

ROUNDS = 6
"""Rounds of narrowing, each by PARTS/2. A parabola through the last three points gives the rest: closer points would
tell the place of a smooth maximum less well, since their values differ by little more than rounding."""


def zeros(
    f: Values, a: np.ndarray, b: np.ndarray, fa: np.ndarray, fb: np.ndarray, tolerance: float = 0.0
) -> np.ndarray:
    """Places x between a and b with f(x) = 0, each to `tolerance` and on the side of b: f(x) has the sign of f(b), or is 0.

    The values at the ends of each bracket differ in sign. Inverse quadratic interpolation where it is sure to help,
    bisection elsewhere [C1997].
    """
    if len(a) == 1:  # plain numbers are several times as fast as arrays of one
        one = _zero(
            lambda x: float(f(np.array([x]))[0]), float(a[0]), float(b[0]), float(fa[0]), float(fb[0]), tolerance
        )
        return np.array([one])
    x1, f1, x2, f2 = (np.array(x, dtype=float) for x in (b, fb, a, fa))
    x3, f3, end = x2.copy(), f2.copy(), f1 > 0
    t = np.full(len(x1), 0.5)
    found = np.where(f2 == 0, x2, x1)
    open_ = np.flatnonzero((f1 != 0) & (f2 != 0))
    while len(open_):
        k = open_
        x = x1[k] + t[k] * (x2[k] - x1[k])
        fx = f(x)
        same = (fx > 0) == (f1[k] > 0)
        x3[k], f3[k] = np.where(same, x1[k], x2[k]), np.where(same, f1[k], f2[k])
        x2[k], f2[k] = np.where(same, x2[k], x1[k]), np.where(same, f2[k], f1[k])
        x1[k], f1[k] = x, fx
        width = np.abs(x2[k] - x1[k])
        limit = np.maximum(tolerance, np.finfo(float).eps * np.maximum(np.abs(x1[k]), np.abs(x2[k])))
        found[k] = np.where((f1[k] > 0) == end[k], x1[k], x2[k])
        done = (fx == 0) | (width <= 2 * limit)
        found[k] = np.where(fx == 0, x, found[k])
        part = np.where(width > 0, limit / np.where(width > 0, width, 1.0), 0.5)
        with np.errstate(all="ignore"):
            ξ, φ = (x1[k] - x2[k]) / (x3[k] - x2[k]), (f1[k] - f2[k]) / (f3[k] - f2[k])
            quadratic = (f1[k] / (f2[k] - f1[k])) * (f3[k] / (f2[k] - f3[k])) + (x3[k] - x1[k]) / (x2[k] - x1[k]) * (
                f1[k] / (f3[k] - f1[k])
            ) * (f2[k] / (f3[k] - f2[k]))
            sure = (φ**2 < ξ) & ((1 - φ) ** 2 < 1 - ξ)
        t[k] = np.clip(np.where(sure, quadratic, 0.5), part, 1 - part)
        open_ = k[~done]
    return found


def _zero(f: Callable[[float], float], a: float, b: float, fa: float, fb: float, tolerance: float) -> float:
    """The place of one zero; see `zeros`."""
    if fa == 0.0 or fb == 0.0:
        return a if fa == 0.0 else b
    x1, f1, x2, f2, t = b, fb, a, fa, 0.5
    while True:
        x = x1 + t * (x2 - x1)
        fx = f(x)
        if (fx > 0) == (f1 > 0):
            x3, f3 = x1, f1
        else:
            x3, f3, x2, f2 = x2, f2, x1, f1
        x1, f1 = x, fx
        limit = max(tolerance, np.finfo(float).eps * max(abs(x1), abs(x2)))
        if fx == 0.0:
            return x
        if abs(x2 - x1) <= 2 * limit:
            return x1 if (f1 > 0) == (fb > 0) else x2
        part = limit / abs(x2 - x1)
        ξ, φ = (x1 - x2) / (x3 - x2), (f1 - f2) / (f3 - f2)
        t = 0.5
        if φ**2 < ξ and (1 - φ) ** 2 < 1 - ξ:
            t = (f1 / (f2 - f1)) * (f3 / (f2 - f3)) + (x3 - x1) / (x2 - x1) * (f1 / (f3 - f1)) * (f2 / (f3 - f2))
        t = min(max(t, part), 1 - part)


def maxima(f: Values, low: np.ndarray, high: np.ndarray, rounds: int = ROUNDS) -> tuple[np.ndarray, np.ndarray]:
    """Places and values of the maxima between some low and high ends, all of them narrowed at once.

    rounds  of narrowing; a pole, which is no parabola, needs as many as it takes to reach rounding
    """
    if not len(low):
        return np.empty(0), np.empty(0)
    each = np.arange(len(low))

    def divided(low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        points = np.linspace(low, high, PARTS + 1, axis=1)
        values = f(points.ravel()).reshape(points.shape)
        return points, values, np.clip(np.argmax(values, axis=1), 1, PARTS - 1)

    points, values, middle = divided(low, high)
    for _ in range(rounds - 1):
        points, values, middle = divided(points[each, middle - 1], points[each, middle + 1])
    best = points[each, np.argmax(values, axis=1)]
    a, b, c = (values[each, middle + k] for k in (-1, 0, 1))
    bend = a - 2 * b + c
    shift = np.divide(a - c, 2 * bend, out=np.zeros_like(bend), where=bend < 0)
    vertex = points[each, middle] + np.clip(shift, -1, 1) * (points[each, middle + 1] - points[each, middle])
    top = f(vertex)
    known = values.max(axis=1)
    rounding = 4 * np.finfo(float).eps * np.abs(known)
    return np.where(top >= known - rounding, vertex, best), np.maximum(top, known)
