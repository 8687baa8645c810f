"""Exponential functions.

    e^x = 2^k e^r,   k = the integer nearest to x / ln 2,   r = x − k ln 2 = h − l,   |r| ≤ ln 2 / 2

with h exact. The even and odd parts of e^r, cosh r and sinh r, are one polynomial in r² each.
"""

from __future__ import annotations

from typing import NamedTuple

from .arithmetic import (
    ROUNDER,
    Bits,
    Real,
    at_least,
    at_most,
    copysign,
    fma,
    nearest,
    polynomial,
    quick_two_sum,
)
from .coefficients import COSH, LN2, LOG2_E, SINH

HIGHEST, LOWEST = 710.0, -746.0
"""e^x is infinity from 709.79 up and zero from −745.14 down."""
NOTHING_LEFT = -40.0
"""e^x − 1 = −1 from −37.5 down."""
BIAS = 2046
"""Twice the bias of an exponent: k + BIAS is the sum of the fields of two powers of two with product 2^k."""


class Reduced(NamedTuple):
    """x + tail = k ln 2 + h − l; `exponent` holds k + BIAS in its lowest twelve bits; r = h − l."""

    k: Real
    exponent: Bits
    h: Real
    l: Real
    r: Real


def reduced(x: Real, tail: Real | None = None) -> Reduced:
    """The reduced argument of x between LOWEST and HIGHEST; NaN stays NaN."""
    k, exponent = nearest(x, LOG2_E, BIAS)
    h = fma(-k, LN2[0], x)
    l = k * LN2[1] if tail is None else fma(k, LN2[1], -tail)
    return Reduced(k, exponent, h, l, h - l)


def beyond_linear(a: Reduced) -> Real:
    """e^r − 1 − h, so that the exact h can be added last."""
    z = a.r * a.r
    return fma(z, fma(a.r, polynomial(z, SINH), polynomial(z, COSH)), -a.l)


def scaled(x: Real, exponent: Bits) -> Real:
    """x 2^k in two exact steps, of which the last rounds if the result is subnormal."""
    first = exponent >> 1
    second = exponent - first
    return x * (first << 52).real() * (second << 52).real()


def exp(x: Real, tail: Real | None = None) -> Real:
    """e^x, or e^(x + tail) for a tail below one unit in the last place of x."""
    a = reduced(at_least(at_most(x, HIGHEST), LOWEST), tail)
    s, lost = quick_two_sum(1.0, a.h)
    return scaled(s + (lost + beyond_linear(a)), a.exponent)


def expm1(x: Real) -> Real:
    """e^x − 1 = 2^k ((1 − 2^−k) + h + [r²/2 + (e^r − 1 − h − r²/2)])."""
    a = reduced(at_least(at_most(x, HIGHEST), NOTHING_LEFT))
    z = a.r * a.r
    cubic = fma(z, fma(a.r, polynomial(z, SINH), z * polynomial(z, COSH[1:])), -a.l)
    # For k > 60 the 1 is below half a unit in the last place of e^x.
    less, less_tail = quick_two_sum(1.0, -power_of_two(-at_most(a.k, 60.0)))
    h, lost = quick_two_sum(less, a.h)
    return copysign(scaled(h + ((lost + less_tail) + (z * 0.5 + cubic)), a.exponent), x)


def power_of_two(k: Real) -> Real:
    """2^k of whole −1022 ≤ k ≤ 1023."""
    return ((k + (ROUNDER + 1023.0)).bits() << 52).real()
