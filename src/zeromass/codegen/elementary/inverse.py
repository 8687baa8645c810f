"""Inverse trigonometric functions."""

from __future__ import annotations

from .arithmetic import (
    INFINITY,
    NAN,
    Real,
    Truth,
    at_most,
    copysign,
    fma,
    polynomial,
    quick_two_sum,
    quotient,
    root,
    where,
)
from .coefficients import ASIN, ATAN, HALF_PI

TAN_EIGHTH = float.fromhex("0x1.a827999fcef32p-2")
"""tan π/8 = √2 − 1"""
FLAT = 2.0**60
"""atan x is π/2 to the last place from 2⁵⁴ up."""


def asin(x: Real) -> Real:
    """a + a³ A(a²) up to a = |x| = ½, beyond π/2 − 2 asin √((1 − a) / 2)."""
    a = abs(x)
    near = a <= 0.5
    half = (1.0 - a) * 0.5
    chord, chord_tail = root(half)
    z, s = where(near, a * a, half), where(near, a, chord)
    beyond_linear = (s * z) * polynomial(z, ASIN)
    h, l = quick_two_sum(HALF_PI[0], -(chord + chord))
    tail = beyond_linear + chord_tail
    far = h + (l + (HALF_PI[1] - (tail + tail)))
    return copysign(where(near, a + beyond_linear, far), x)


def acos(x: Real) -> Real:
    """π/2 − asin x up to |x| = ½; beyond, 2 asin √((1 − x) / 2), and π minus the same of −x."""
    a = abs(x)
    near = a <= 0.5
    half = (1.0 - a) * 0.5
    chord, chord_tail = root(half)
    z = where(near, x * x, half)
    positive = x > 0.0
    twice = chord + chord
    s = where(near, -x, where(positive, twice, -twice))
    twice_tail = chord_tail + chord_tail
    s_tail = where(near, 0.0, where(positive, twice_tail, -twice_tail))
    quarters = where(near, 1.0, where(positive, 0.0, 2.0))
    h, l = quick_two_sum(quarters * HALF_PI[0], s)
    return h + (l + (fma(quarters, HALF_PI[1], s_tail) + (s * z) * polynomial(z, ASIN)))


def _angle(y: Real, x: Real, behind: Truth | None = None) -> Real:
    """Angle in [0, π] of the point (x, y), x, y ≥ 0 not both zero, or of (−x, y) where `behind`.

    With u the smaller and v the larger of x and y, and t = u/v, or (u − v)/(u + v) where u/v > tan π/8, the
    angle is a number of quarters of π plus or minus atan t.
    """
    steep = y > x
    u, v = where(steep, x, y), where(steep, y, x)
    middle = u > v * TAN_EIGHTH
    (n, n_tail), (d, d_tail) = quick_two_sum(-v, u), quick_two_sum(v, u)
    above = where(middle, n, u), where(middle, n_tail, 0.0)
    below = where(middle, d, v), where(middle, d_tail, 0.0)
    t, t_tail = quotient(above, below)
    z = t * t
    tail = fma(t * z, polynomial(z, ATAN), fma(-z, t_tail, t_tail))

    quarters = where(middle, 1.0, 0.0)
    quarters = where(steep, 2.0 - quarters, quarters)
    sense = where(steep, -1.0, 1.0)
    if behind is not None:
        quarters = where(behind, 4.0 - quarters, quarters)
        sense = where(behind, -sense, sense)
    h, l = quick_two_sum(quarters * (HALF_PI[0] / 2), sense * t)
    return h + (l + fma(quarters, HALF_PI[1] / 2, sense * tail))


def atan(x: Real) -> Real:
    return copysign(_angle(at_most(abs(x), FLAT), x.on.real(1.0)), x)


def atan2(y: Real, x: Real) -> Real:
    """Angle of (x, y) in [−π, π]: signed zeros and infinities as in C99, annex F.9.1.4."""
    a, b = abs(y), abs(x)
    infinite = a.equals(INFINITY) | b.equals(INFINITY)
    a = where(infinite, where(a < INFINITY, 0.0, 1.0), a)
    b = where(infinite, where(b < INFINITY, 0.0, 1.0), b)
    b = where(a.equals(0.0) & b.equals(0.0), 1.0, b)
    largest = where(a > b, a, b)
    # The larger may not overflow when split in halves, nor the rest of a normal quotient underflow.
    scale = where(largest > 2.0**900, 2.0**-30, where(largest > 1.0, 2.0**90, 2.0**900))
    behind = copysign(x.on.real(1.0), x) < 0.0
    angle = copysign(_angle(a * scale, b * scale, behind), y)
    return where(x.is_nan() | y.is_nan(), NAN, angle)
