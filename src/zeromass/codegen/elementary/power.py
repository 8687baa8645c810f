"""Powers x^y with any exponent, and with a constant whole one."""

from __future__ import annotations

from .arithmetic import (
    INFINITY,
    NAN,
    Real,
    Truth,
    at_least,
    at_most,
    copysign,
    fma,
    two_product,
    where,
)
from .exponential import exp
from .logarithm import log_pair

DECIDED = 2.0**65
"""x^y is 0, 1 or infinity for |y| ≥ DECIDED: the x closest to 1 has |ln x| > 2⁻⁵⁴."""


def pow(x: Real, y: Real) -> Real:
    """x^y = e^(y ln |x|), negative where x is and y is odd; NaN where x < 0 and y is not whole.

    pow(x, ±0) = pow(1, y) = 1 even for NaN; zeros and infinities as in C99, annex F.9.4.4.
    """
    a = abs(x)
    exponent = at_least(at_most(y, DECIDED), -DECIDED)
    proper = (a > 0.0) & (a < INFINITY)
    h, l = log_pair(where(proper, a, 1.0))
    p, p_tail = two_product(exponent, h)
    # Where y ln x is past the range of exp, its tail may be anything.
    result = exp(p, where(abs(p) < 1000.0, fma(exponent, l, p_tail), 0.0))
    shrinks = ((y < 0.0) & (a > 1.0)) | ((y > 0.0) & (a < 1.0))
    result = where(proper, result, where(shrinks, 0.0, INFINITY))

    whole, odd = _parity(y)
    result = where(odd, copysign(result, x), result)
    improper = (x < 0.0) & ~whole & (a < INFINITY)
    result = where(improper, NAN, result)
    result = where(x.is_nan() | y.is_nan(), NAN, result)
    return where(y.equals(0.0) | x.equals(1.0), 1.0, result)


def _parity(y: Real) -> tuple[Truth, Truth]:
    """Whether y is whole, and whether it is odd. From 2⁵³ on all numbers are even."""
    a = abs(y)
    huge = a >= 2.0**53
    small = where(huge, 0.0, a)
    rounded = (small + 2.0**52) - 2.0**52
    whole = where(small >= 2.0**52, small, rounded).equals(small)
    half = small * 0.5
    halved = (half + 2.0**52) - 2.0**52
    return whole, whole & ~halved.equals(half)


def integer_power(x: Real, n: int) -> Real:
    """x^n with a constant n, by squaring.

    Plain products for −2 ≤ n ≤ 4; beyond, each product carries its rounding error along to the last sum.
    """
    if n == 0:
        return x.on.real(1.0)
    if -2 <= n <= 4:
        return _plain(x, n) if n > 0 else 1.0 / _plain(x, -n)
    h, l = _carried(x, abs(n))
    # Past the range the error may be anything, and h alone is right.
    if n > 0:
        return where(abs(l) < abs(h), h + l, h)
    y = 1.0 / h
    relative = l * y
    return where(abs(relative) < 1.0, fma(-relative, y, y), y)


def _plain(x: Real, n: int) -> Real:
    if n == 1:
        return x
    half = _plain(x, n // 2)
    return half * half * x if n % 2 else half * half


def _carried(x: Real, n: int) -> tuple[Real, Real]:
    """x^n as a sum of two."""
    if n == 1:
        return x, x.on.real(0.0)
    h, l = _carried(x, n // 2)
    p, e = two_product(h, h)
    h, l = p, fma(h + h, l, e)
    if n % 2:
        p, e = two_product(h, x)
        h, l = p, fma(l, x, e)
    return h, l
