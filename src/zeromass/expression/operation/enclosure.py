"""Operations on intervals: from bounds of the operands, bounds of the value, rounded outwards.

Bounds are a pair (low, high) of numbers or arrays; (−∞, ∞) says nothing: so it is of an operation that has no value
somewhere in its operands. What is infinite is never attained: 0·∞ is 0.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

Bounds = tuple[Any, Any]

ULP = 2.0**-52
LEAST, LARGEST = 5e-324, sys.float_info.max
LIBRARY = 4
"""Units in the last place by which a library's elementary functions may be off."""

EXACT = 2.0**52
"""Beyond, neighbouring numbers are whole: nothing is known of the angle that they are."""


def outward(low: Any, high: Any, units: int = 1) -> Bounds:
    """Bounds further apart by some units in the last place, at least; all numbers where there are none."""
    low = np.where(np.isnan(low), -np.inf, np.minimum(low, LARGEST))
    high = np.where(np.isnan(high), np.inf, np.maximum(high, -LARGEST))
    part = units * ULP
    return low - (np.abs(low) * part + LEAST), high + (np.abs(high) * part + LEAST)


def within(bounds: Bounds, least: float, largest: float) -> Bounds:
    """Bounds of what can not be outside of others."""
    return np.clip(bounds[0], least, largest), np.clip(bounds[1], least, largest)


def unbounded_where(condition: Any, bounds: Bounds) -> Bounds:
    return np.where(condition, -np.inf, bounds[0]), np.where(condition, np.inf, bounds[1])


def rising(f: Callable[..., Any], least: float = -np.inf, largest: float = np.inf) -> Callable[..., Bounds]:
    """A function that rises in each operand, with its own least and largest values."""

    def bounds(*operands: Bounds) -> Bounds:
        low, high = f(*[a[0] for a in operands]), f(*[a[1] for a in operands])
        undefined = np.isnan(low) | np.isnan(high)
        return unbounded_where(undefined, within(outward(low, high, LIBRARY), least, largest))

    return bounds


def falling(f: Callable[[Any], Any], least: float, largest: float) -> Callable[[Bounds], Bounds]:
    """A function of one operand that falls."""
    of_opposite = rising(lambda x: f(-x), least, largest)
    return lambda a: of_opposite(opposite(a))


def opposite(a: Bounds) -> Bounds:
    return -a[1], -a[0]


def _sum(a: Any, b: Any, side: float) -> Any:
    """a + b rounded to one side: as it is where it is exact, which Knuth's remainder tells."""
    s = a + b
    part = s - a
    rest = (a - (s - part)) + (b - part)
    s = side * np.maximum(side * s, -LARGEST)
    next_ = s + side * (np.abs(s) * ULP + LEAST)
    return np.where(np.isnan(s), side * np.inf, np.where(rest == 0, s, next_))


def sum_(a: Bounds, b: Bounds) -> Bounds:
    return _sum(a[0], b[0], -1.0), _sum(a[1], b[1], 1.0)


def difference(a: Bounds, b: Bounds) -> Bounds:
    return sum_(a, opposite(b))


def _extremes(corners: list[Any]) -> Bounds:
    low = high = corners[0]
    for corner in corners[1:]:
        low, high = np.minimum(low, corner), np.maximum(high, corner)
    return low, high


def product(a: Bounds, b: Bounds) -> Bounds:
    corners = [x * y for x in a for y in b]
    low, high = _extremes([np.where(np.isnan(c), 0.0, c) for c in corners])  # 0·∞
    below, above = outward(low, high)
    zero = _is_zero(a) | _is_zero(b)
    positive = ((a[0] >= 0) & (b[0] >= 0)) | ((a[1] <= 0) & (b[1] <= 0))
    negative = ((a[0] >= 0) & (b[1] <= 0)) | ((a[1] <= 0) & (b[0] >= 0))
    below = np.where(zero, 0.0, np.where(positive, np.maximum(below, 0.0), below))
    return below, np.where(zero, 0.0, np.where(negative, np.minimum(above, 0.0), above))


def _is_zero(a: Bounds) -> Any:
    return (a[0] == 0) & (a[1] == 0)


def reciprocal(b: Bounds) -> Bounds:
    """1/b; with zero at one end, bounded on one side."""
    low = np.where(b[1] == 0, -np.inf, np.divide(1.0, b[1]))
    high = np.where(b[0] == 0, np.inf, np.divide(1.0, b[0]))
    below, above = outward(low, high)
    below = np.where(b[0] >= 0, np.maximum(below, 0.0), below)
    above = np.where(b[1] <= 0, np.minimum(above, 0.0), above)
    return unbounded_where(((b[0] < 0) & (b[1] > 0)) | _is_zero(b), (below, above))


def quotient(a: Bounds, b: Bounds) -> Bounds:
    return product(a, reciprocal(b))


def magnitude(a: Bounds) -> Bounds:
    """|a|"""
    low, high = np.abs(a[0]), np.abs(a[1])
    least = np.where((a[0] <= 0) & (a[1] >= 0), 0.0, np.minimum(low, high))
    return least, np.maximum(low, high)


def power(a: Bounds, n: Bounds) -> Bounds:
    if np.ndim(n[0]) == 0 and n[0] == n[1] and n[0] == np.floor(n[0]):
        return _whole_power(a, float(n[0]))
    # n ln a is bilinear: largest and smallest at corners
    bounds = outward(*_extremes([np.float_power(x, y) for x in a for y in n]), LIBRARY)
    return unbounded_where(~(a[0] >= 0) | (n[0] == n[1]) & np.isinf(n[0]), within(bounds, 0.0, np.inf))


def _whole_power(a: Bounds, n: float) -> Bounds:
    base = magnitude(a) if n % 2 == 0 else a
    bounds = outward(np.float_power(base[0], abs(n)), np.float_power(base[1], abs(n)), LIBRARY)
    zero = (np.where(base[0] == 0, 0.0, bounds[0]), np.where(base[1] == 0, 0.0, bounds[1]))
    bounds = within(zero, 0.0, np.inf) if n % 2 == 0 else zero
    if n == 0:
        return np.ones_like(base[0]), np.ones_like(base[1])
    return bounds if n > 0 else reciprocal(bounds)


def _turns(x: Any, phase: float, period: float) -> tuple[Any, Any]:
    """How many periods lie before x, at least and at most."""
    k = (x - phase) / period
    doubt = 4 * ULP * (np.abs(x) + 1)
    return np.floor(k - doubt), np.floor(k + doubt)


def _reaches(a: Bounds, phase: float, period: float) -> Any:
    """Whether phase + k·period may be in a for a whole k."""
    return ~(_turns(a[1], phase, period)[1] == _turns(a[0], phase, period)[0])


def _wave(f: Callable[[Any], Any], top: float) -> Callable[[Bounds], Bounds]:
    """A function of period 2π that rises and falls between −1 and 1, with its top there."""

    def bounds(a: Bounds) -> Bounds:
        low, high = outward(*_extremes([f(a[0]), f(a[1])]), LIBRARY)
        any_ = ~(np.maximum(np.abs(a[0]), np.abs(a[1])) < EXACT)
        low = np.where(any_ | _reaches(a, top + np.pi, 2 * np.pi), -1.0, low)
        return within((low, np.where(any_ | _reaches(a, top, 2 * np.pi), 1.0, high)), -1.0, 1.0)

    return bounds


cosine, sine = _wave(np.cos, 0.0), _wave(np.sin, np.pi / 2)


def tangent(a: Bounds) -> Bounds:
    any_ = ~(np.maximum(np.abs(a[0]), np.abs(a[1])) < EXACT)
    bounds = outward(np.tan(a[0]), np.tan(a[1]), LIBRARY)
    return unbounded_where(any_ | _reaches(a, np.pi / 2, np.pi), bounds)


def cosh(a: Bounds) -> Bounds:
    return rising(np.cosh, 1.0)(magnitude(a))


def length(a: Bounds, b: Bounds) -> Bounds:
    """√(a² + b²)"""
    return rising(np.hypot, 0.0)(magnitude(a), magnitude(b))


def angle(y: Bounds, x: Bounds) -> Bounds:
    """Of a point in a rectangle: between those of its corners, unless the origin or the cut is in it."""
    low, high = outward(*_extremes([np.arctan2(v, u) for v in y for u in x]), LIBRARY)
    any_ = cut(y, x) | ((x[0] <= 0) & (x[1] >= 0) & (y[0] <= 0) & (y[1] >= 0))
    bounds = np.where(any_, -np.inf, low), np.where(any_, np.inf, high)
    return within(bounds, -np.nextafter(np.pi, 4), np.nextafter(np.pi, 4))


def cut(y: Bounds, x: Bounds) -> Any:
    """Whether the angle of (x, y) may jump."""
    return (x[0] <= 0) & np.signbit(y[0]) & (y[1] >= 0)


def sign(a: Bounds) -> Bounds:
    return np.sign(a[0]), np.sign(a[1])


def floor(a: Bounds) -> Bounds:
    return np.floor(a[0]), np.floor(a[1])


def whole_quotient(a: Bounds, b: Bounds) -> Bounds:
    return floor(quotient(a, b))


def remainder(a: Bounds, b: Bounds) -> Bounds:
    """a − b ⌊a/b⌋, between 0 and b."""
    whole = whole_quotient(a, b)
    low, high = difference(a, product(b, whole))
    any_ = (whole[0] != whole[1]) | np.isinf(whole[0])
    least, largest = np.minimum(b[0], 0.0), np.maximum(b[1], 0.0)
    low, high = (
        np.where(any_, least, np.clip(low, least, largest)),
        np.where(any_, largest, np.clip(high, least, largest)),
    )
    return unbounded_where((b[0] <= 0) & (b[1] >= 0), (low, high))


def larger(a: Bounds, b: Bounds) -> Bounds:
    return np.maximum(a[0], b[0]), np.maximum(a[1], b[1])


def smaller(a: Bounds, b: Bounds) -> Bounds:
    return np.minimum(a[0], b[0]), np.minimum(a[1], b[1])


def less(a: Bounds, b: Bounds) -> Bounds:
    return np.where(a[1] < b[0], 1.0, 0.0), np.where(a[0] >= b[1], 0.0, 1.0)


def less_equal(a: Bounds, b: Bounds) -> Bounds:
    return np.where(a[1] <= b[0], 1.0, 0.0), np.where(a[0] > b[1], 0.0, 1.0)


def either(condition: Bounds, a: Bounds, b: Bounds) -> Bounds:
    """The branch that is taken, both where that is not known."""
    first, second = (condition[0] > 0) | (condition[1] < 0), _is_zero(condition)
    low = np.where(first, a[0], np.where(second, b[0], np.minimum(a[0], b[0])))
    return low, np.where(first, a[1], np.where(second, b[1], np.maximum(a[1], b[1])))


# where a value may jump ------------------------------------------------------------------------------------------------


def undecided(of: Callable[..., Bounds]) -> Callable[..., Any]:
    """Whether a value that is constant between its jumps is not the same everywhere in the operands."""

    def jumps(*operands: Bounds) -> Any:
        low, high = of(*operands)
        return ~(low == high)

    return jumps


def undecided_choice(condition: Bounds, a: Bounds, b: Bounds) -> Any:
    return (condition[0] <= 0) & (condition[1] >= 0) & ~_is_zero(condition)
