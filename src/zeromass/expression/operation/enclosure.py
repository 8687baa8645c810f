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
    if units > 1:
        part = (units - 1) * ULP
        low, high = np.minimum(low, LARGEST), np.maximum(high, -LARGEST)
        low, high = low - np.abs(low) * part, high + np.abs(high) * part
    return np.nextafter(np.fmax(low, -np.inf), -np.inf), np.nextafter(np.fmin(high, np.inf), np.inf)


def within(bounds: Bounds, least: float, largest: float) -> Bounds:
    """Bounds of what can not be outside of others."""
    low, high = bounds
    low = np.minimum(np.maximum(low, least), largest) if least > -np.inf else low
    return low, np.maximum(np.minimum(high, largest), least) if largest < np.inf else high


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
    exact = (a - (s - part)) == (part - b)
    return np.where(exact, s, np.nextafter(np.where(s == s, s, side), side))


def sum_(a: Bounds, b: Bounds) -> Bounds:
    return _sum(a[0], b[0], -np.inf), _sum(a[1], b[1], np.inf)


def difference(a: Bounds, b: Bounds) -> Bounds:
    return sum_(a, opposite(b))


def _extremes(corners: list[Any]) -> Bounds:
    low = high = corners[0]
    for corner in corners[1:]:
        low, high = np.fmin(low, corner), np.fmax(high, corner)
    return low, high


def product(a: Bounds, b: Bounds) -> Bounds:
    if _is_number(b):
        a, b = b, a
    if _is_number(a):
        if a[0] == 0:
            return np.zeros_like(b[0]), np.zeros_like(b[1])
        low, high = a[0] * b[0], a[0] * b[1]
        low, high = (low, high) if a[0] > 0 else (high, low)
    else:  # a corner 0·∞ counts for nothing: the others know of the zero
        low, high = _extremes([x * y for x in a for y in b])
        zero = low != low
        low, high = np.where(zero, 0.0, low), np.where(zero, -0.0, high)
    # a zero that came of underflow has the sign of the product
    below, above = outward(low, high)
    return (
        np.where((low == 0) & ~np.signbit(low), 0.0, below),
        np.where((high == 0) & np.signbit(high), 0.0, above),
    )


def _is_number(a: Bounds) -> bool:
    """Whether it is one and the same everywhere."""
    return bool(np.ndim(a[0]) == 0 == np.ndim(a[1]) and a[0] == a[1])


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
    if _is_number(n) and n[0] == np.floor(n[0]):
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


def _turns(a: Bounds, phase: float, period: float) -> tuple[Any, Any]:
    """How many periods lie before the ends, at least before the lower and at most before the higher."""
    doubt = 4 * ULP * (np.abs(a[0]) + np.abs(a[1]) + 1)
    return np.floor((a[0] - phase) / period - doubt), np.floor((a[1] - phase) / period + doubt)


def _wave(f: Callable[[Any], Any], top: float) -> Callable[[Bounds], Bounds]:
    """A function that rises and falls between −1 and 1, with its top there and at every second multiple of π from it."""

    def bounds(a: Bounds) -> Bounds:
        low, high = outward(*_extremes([f(a[0]), f(a[1])]), LIBRARY)
        first, last = _turns(a, top, np.pi)
        any_ = ~(last - first < 2) | ~(np.abs(first) < EXACT)
        turns, even = last != first, last % 2 == 0
        low = np.where(any_ | (turns & ~even), -1.0, np.maximum(low, -1.0))
        return low, np.where(any_ | (turns & even), 1.0, np.minimum(high, 1.0))

    return bounds


cosine: Callable[[Bounds], Bounds] = _wave(np.cos, 0.0)
sine: Callable[[Bounds], Bounds] = _wave(np.sin, np.pi / 2)


def tangent(a: Bounds) -> Bounds:
    first, last = _turns(a, np.pi / 2, np.pi)
    pole = (first != last) | ~(np.abs(first) < EXACT)
    return unbounded_where(pole, outward(np.tan(a[0]), np.tan(a[1]), LIBRARY))


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
