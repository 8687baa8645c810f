"""Zeros and maxima of functions of one variable, many at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from zeromass.integrate.exact import inverse

EPSILON = 2.0**-52

Values = Callable[[np.ndarray], np.ndarray]
"""A function at places (k,)."""

PARTS = 128
"""Parts into which a bracket of a maximum is divided; a round then keeps the two around the best point."""

ROUNDS = 2
"""Rounds of narrowing, each by PARTS/2; few with many points, as a function is asked for many in little more time than for
one. A parabola through the last three points gives the rest: closer points would tell the place of a smooth maximum less
well, since their values differ by little more than rounding."""

FINE = 32
"""Parts into which `tops` divides a bracket."""

BESIDE = 3
"""Values on either side of the largest that its polynomial goes through."""

NEWTON = 3
"""Steps from the largest value to the top of its polynomial, at most one part away."""

SMOOTH = 1e-6
"""Part of the drop beside a top by which a smooth function may differ from its polynomial: the place of the top is then off
by no more than the root of its rounding."""


def zeros(
    f: Values, a: np.ndarray, b: np.ndarray, fa: np.ndarray, fb: np.ndarray, tolerance: float = 0.0
) -> np.ndarray:
    """The places x of many zeros, each between its own a and b, to `tolerance` and on the side of b: f(x) has the sign of
    f(b), or is 0.

    The values at the ends differ in sign. All brackets are narrowed together, see `narrow_bracket`.
    """
    from zeromass.kernel.language import compiled  # few runs look for such zeros
    from zeromass.kernel.roots import PLACE, begin_bracket, narrow_bracket

    found, open_ = np.where(fa == 0.0, a, b), np.flatnonzero((fa != 0.0) & (fb != 0.0)).tolist()
    brackets = {k: np.empty(7) for k in open_}
    for k, bracket in brackets.items():
        compiled(begin_bracket)(bracket, a[k], b[k], fa[k], fb[k], tolerance)
    while brackets:
        values = f(np.array([bracket[PLACE] for bracket in brackets.values()])).tolist()
        for (k, bracket), value in zip(list(brackets.items()), values, strict=True):
            if compiled(narrow_bracket)(bracket, value):
                found[k] = brackets.pop(k)[PLACE]
    return found


@np.errstate(invalid="ignore")  # at a pole values are infinite
def maxima(
    f: Values, low: np.ndarray, high: np.ndarray, rounds: int = ROUNDS, parts: int = PARTS
) -> tuple[np.ndarray, np.ndarray]:
    """Places and values of the maxima between some low and high ends, all of them narrowed at once.

    rounds  of narrowing, each by half the `parts`; a pole, which is no parabola, needs as many as it takes to reach rounding
    """
    if not len(low):
        return np.empty(0), np.empty(0)
    each = np.arange(len(low))

    def divided(low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        points = np.linspace(low, high, parts + 1, axis=1)
        values = f(points.ravel()).reshape(points.shape)
        return points, values, np.clip(np.argmax(values, axis=1), 1, parts - 1)

    points, values, middle = divided(low, high)
    for _ in range(rounds - 1):
        points, values, middle = divided(points[each, middle - 1], points[each, middle + 1])
    best = points[each, np.argmax(values, axis=1)]
    a, b, c = (values[each, middle + k] for k in (-1, 0, 1))
    bend = a - 2 * b + c
    shift = np.divide(a - c, 2 * bend, out=np.zeros_like(bend), where=(bend < 0) & np.isfinite(bend))
    vertex = points[each, middle] + np.clip(shift, -1, 1) * (points[each, middle + 1] - points[each, middle])
    top = f(vertex)
    known = values.max(axis=1)
    rounding = 4 * np.finfo(float).eps * np.abs(known)
    return np.where(top >= known - rounding, vertex, best), np.maximum(top, known)


@np.errstate(invalid="ignore")  # values may be infinite: such a bracket counts as not smooth
def tops(
    f: Values,
    low: np.ndarray,
    high: np.ndarray,
    some: Callable[[np.ndarray], Values] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """The same as `maxima` for functions that are smooth at most of their maxima, from fewer values.

    f       is asked for as many values of each bracket, one bracket after the other
    some    gives the function that is asked where some brackets, by their numbers, are narrowed alone; f, if it is not given

    A polynomial of degree 6 through those around the largest of 33 tells the place of the top; where the function is not
    there what it should be, as at a kink, it is narrowed.
    """
    if not len(low):
        return np.empty(0), np.empty(0)
    length = high - low
    points = low[:, None] + length[:, None] * _PARTS
    points[:, -1] = high
    values = f(points.ravel()).reshape(points.shape)
    best, parts, expected, known, beside = _tops(values)
    parts = np.where(np.isfinite(parts), parts, best)
    places = np.minimum(np.maximum(low + parts * (length / FINE), low), high)
    found = f(places)
    rounding = 16 * EPSILON * np.abs(known)
    smooth = np.abs(found - expected) <= SMOOTH * (known - beside) + rounding
    lower = found < known - rounding
    if lower.any():
        places = np.where(lower, points[np.arange(len(low)), best], places)
        found = np.where(lower, known, found)
    if not smooth.all():
        rest = np.flatnonzero(~smooth)
        places[rest], found[rest] = maxima(f if some is None else some(rest), low[rest], high[rest])
    return places, found


def _tops(values: np.ndarray) -> tuple[np.ndarray, ...]:
    """Of values at the ends of parts, shape (k, FINE + 1): where the largest is, and the top of the polynomial around it, in
    parts from the first; how high this top is; and the largest value itself, and the smaller of those beside it."""
    each, best = np.arange(len(values)), values.argmax(axis=1)
    middle = np.minimum(np.maximum(best, BESIDE), FINE - BESIDE)
    window = values[each[:, None], middle[:, None] + _BESIDE].T
    base, start = window[BESIDE], (best - middle).astype(float)
    c = _SERIES @ (window - base)
    slopes, bends = c[1:] * _ONCE, c[2:] * _TWICE
    first, last, u = np.maximum(start - 1, -BESIDE), np.minimum(start + 1, BESIDE), start
    for _ in range(NEWTON):
        bend = _series(bends, u)
        bend[bend >= 0.0] = np.inf
        u = np.minimum(np.maximum(u - _series(slopes, u) / bend, first), last)
    beside = np.minimum(values[each, np.maximum(best - 1, 0)], values[each, np.minimum(best + 1, FINE)])
    return best, middle + u, base + _series(c, u), values[each, best], beside


def _series(c: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Σ_j c_j u^j."""
    total = c[-1]
    for term in c[-2::-1]:
        total = total * u + term
    return total


_SERIES = inverse(np.vander(np.arange(-BESIDE, BESIDE + 1.0), increasing=True))
"""Coefficients of powers of a polynomial through values at −3 … 3."""
_BESIDE = np.arange(-BESIDE, BESIDE + 1)
_PARTS = np.arange(FINE + 1) / FINE
_ONCE = np.arange(1.0, 2 * BESIDE + 1)[:, None]
_TWICE = _ONCE[1:] * _ONCE[:-1]
"""What powers are multiplied with in the first and second derivative."""
