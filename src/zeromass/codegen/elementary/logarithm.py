"""Logarithms.

    x = 2^k m,   √½ ≤ m < √2,   ln x = k ln 2 + 2 atanh s,   s = (m − 1) / (m + 1)

where atanh s / s is a polynomial in s².
"""

from __future__ import annotations

from .arithmetic import (
    INFINITY,
    NAN,
    Real,
    copysign,
    fma,
    pattern,
    polynomial,
    quick_two_sum,
    quotient,
    two_product,
    two_sum,
    where,
)
from .coefficients import LN2, LOG, LOG_TAIL, TWO_THIRDS

SMALLEST_NORMAL = 2.0**-1022
ROOT_HALF = pattern(float.fromhex("0x1.6a09e667f3bcdp-1"))
MANTISSA = (1 << 52) - 1
OFFSET = 2048
"""Added to k so that the shifted bits are never negative."""


def split(x: Real) -> tuple[Real, Real]:
    """(k, m) of a positive normal x."""
    shifted = x.bits() + ((OFFSET << 52) - ROOT_HALF)
    k = ((shifted >> 52) | pattern(2.0**52)).real() - (2.0**52 + OFFSET)
    m = ((shifted & MANTISSA) + ROOT_HALF).real()
    return k, m


def split_any(x: Real) -> tuple[Real, Real]:
    """(k, m) of a positive x, subnormal or not."""
    small = x < SMALLEST_NORMAL
    k, m = split(where(small, x * 2.0**54, x))
    return where(small, k - 54.0, k), m


def _sum(k: Real, f: Real, tail: Real | float) -> Real:
    """k ln 2 + ln(1 + f) + tail.

    ln(1 + f) = f − f²/2 + s (f²/2 + s² L(s²)),   s = f / (2 + f)
    """
    s = f / (2.0 + f)
    z = s * s
    half_square = (f * 0.5) * f
    inner = fma(s, half_square + z * polynomial(z, LOG), fma(k, LN2[1], tail))
    return fma(k, LN2[0], f - (half_square - inner))


def _guarded(x: Real, result: Real, zero: float) -> Real:
    """`result` where zero < x < ∞; −∞ at zero, NaN below, x where it is ∞ or NaN."""
    result = where(x < INFINITY, result, x)
    return where(x <= zero, where(x.equals(zero), -INFINITY, NAN), result)


def log(x: Real) -> Real:
    k, m = split_any(x)
    return _guarded(x, _sum(k, m - 1.0, 0.0), 0.0)


def log1p_of_sum(x: Real, tail: Real | float, doublings: Real | float = 0.0) -> Real:
    """ln(1 + x + tail) + doublings·ln 2, where 1 + x = 2^k m + lost and ln adds (lost + tail) / (1 + x)."""
    u, lost = two_sum(x.on.real(1.0), x)
    k, m = split(u)
    return _sum(k + doublings, m - 1.0, (lost + tail) / u)


def log1p(x: Real) -> Real:
    return copysign(_guarded(x, log1p_of_sum(x, 0.0), -1.0), x)


def log_pair(x: Real) -> tuple[Real, Real]:
    """ln x of a positive finite x as a pair, right to 2⁻⁶⁵ of its value.

    ln m = 2 s + s z (2/3 + z T(z)),   s = (m − 1) / (m + 1),   z = s²
    """
    k, m = split_any(x)
    f = m - 1.0
    s, s_tail = quotient((f, x.on.real(0.0)), quick_two_sum(1.0, m))
    z, z_tail = two_product(s, s)
    z_tail = fma(s + s, s_tail, z_tail)
    t, t_tail = quick_two_sum(TWO_THIRDS[0], z * polynomial(z, LOG_TAIL))
    t_tail = t_tail + TWO_THIRDS[1]
    p, p_tail = two_product(z, t)
    p_tail = fma(z, t_tail, fma(z_tail, t, p_tail))
    q, q_tail = two_product(s, p)
    q_tail = fma(s, p_tail, fma(s_tail, p, q_tail))
    h, l = quick_two_sum(s + s, q)
    l = l + (q_tail + (s_tail + s_tail))
    g, lost = quick_two_sum(k * LN2[0], h)
    return quick_two_sum(g, lost + fma(k, LN2[1], l))
