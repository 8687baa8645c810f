"""Hyperbolic functions and their inverses.

With |x| = k ln 2 + r, the addition theorems and 2^±k in place of e^(±k ln 2),

    sinh |x| = 2^(k−1) [d cosh r + e sinh r],   cosh x = 2^(k−1) [e cosh r + d sinh r],   d, e = 1 ∓ 4^−k
"""

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
    two_product,
    two_sum,
    where,
)
from .coefficients import COSH, SINH
from .exponential import Reduced, power_of_two, reduced, scaled
from .logarithm import log1p_of_sum

HIGHEST = 711.0
"""sinh and cosh are infinite from 710.48 up."""
FLAT = 22.0
"""tanh x is 1 to the last place from 19.1 up."""
LARGE = 2.0**60
"""From here up asinh x = acosh x = ln 2x to the last place, and their squares might overflow."""

Pair = tuple[Real, Real]


def _combined(main: Pair, other: Pair, h: Real, even: Real, odd: Real) -> Pair:
    """main cosh r + other sinh r as a sum of two, given even = cosh r − 1 and odd = sinh r − h."""
    p, p_tail = two_product(h, other[0])
    s, lost = quick_two_sum(main[0], p)
    return s, lost + ((p_tail + main[1]) + fma(even, main[0], odd * other[0]))


def _parts(x: Real, highest: float) -> tuple[Reduced, Pair, Pair]:
    """2^(1−k) sinh |x| and 2^(1−k) cosh x, each as a sum of two."""
    a = reduced(at_most(abs(x), highest))
    z = a.r * a.r
    even, odd = z * polynomial(z, COSH), fma(a.r * z, polynomial(z, SINH), -a.l)
    g = power_of_two(at_most(a.k, 60.0) * -2.0)
    d, e = quick_two_sum(1.0, -g), quick_two_sum(1.0, g)
    return a, _combined(d, e, a.h, even, odd), _combined(e, d, a.h, even, odd)


def sinh(x: Real) -> Real:
    a, (s, tail), _ = _parts(x, HIGHEST)
    return copysign(scaled((s + tail) * 0.5, a.exponent), x)


def cosh(x: Real) -> Real:
    a, _, (c, tail) = _parts(x, HIGHEST)
    return scaled((c + tail) * 0.5, a.exponent)


def tanh(x: Real) -> Real:
    _, s, c = _parts(x, FLAT)
    q, rest = quotient(quick_two_sum(*s), quick_two_sum(*c))
    return copysign(q + rest, x)


def asinh(x: Real) -> Real:
    """ln(1 + a + a² / (1 + √(1 + a²))), a = |x|."""
    a = abs(x)
    large = a > LARGE
    b = where(large, 1.0, a)
    square, square_tail = two_product(b, b)
    w, w_tail = two_sum(x.on.real(1.0), square)
    s, s_tail = root(w, w_tail + square_tail)
    d, d_tail = quick_two_sum(s, x.on.real(1.0))
    q, q_tail = quotient((square, square_tail), (d, d_tail + s_tail))
    v, v_tail = quick_two_sum(b, q)
    return copysign(_log1p_or_log(a, large, v, v_tail + q_tail), x)


def acosh(x: Real) -> Real:
    """ln(1 + t + √(t² + 2t)), t = x − 1."""
    large = x > LARGE
    t = where(large, 1.0, x) - 1.0
    square, square_tail = two_product(t, t)
    w, w_tail = two_sum(t + t, square)
    s, s_tail = root(w, w_tail + square_tail)
    v, v_tail = two_sum(s, t)
    return where(x < 1.0, NAN, _log1p_or_log(x, large, v, v_tail + s_tail))


def _log1p_or_log(x: Real, large: Truth, v: Real, v_tail: Real) -> Real:
    """ln(1 + v + v_tail), or ln 2x where x is large."""
    result = log1p_of_sum(where(large, x, v), v_tail, where(large, 1.0, 0.0))
    return where(x < INFINITY, result, x)


def atanh(x: Real) -> Real:
    """½ ln(1 + 2 a / (1 − a)), a = |x|."""
    a = abs(x)
    q, rest = quotient((a + a, a.on.real(0.0)), quick_two_sum(1.0, -a))
    result = log1p_of_sum(q, rest) * 0.5
    result = where(a < 1.0, result, where(a.equals(1.0), INFINITY, NAN))
    return copysign(result, x)
