"""Functions of a few operations, the cube root, and the length of a vector."""

from __future__ import annotations

from .arithmetic import (
    INFINITY,
    Real,
    copysign,
    fma,
    nearest,
    polynomial,
    quick_two_sum,
    root,
    two_product,
    where,
)
from .coefficients import INVERSE_CUBE_ROOT
from .exponential import power_of_two
from .logarithm import SMALLEST_NORMAL, split


def sign(x: Real) -> Real:
    """−1, 1, or x itself where it is zero or NaN."""
    return where(x > 0.0, 1.0, where(x < 0.0, -1.0, x))


def floor(x: Real) -> Real:
    """The greatest whole number not above x."""
    a = abs(x)
    near = where(a < 2.0**52, copysign((a + 2.0**52) - 2.0**52, x), x)
    return where(near > x, near - 1.0, near)


def cbrt(x: Real) -> Real:
    """The real cube root: |x| = 8^q m, ∛m = m y² where y = m^(−1/3) solves m y³ = 1.

    From e = 1 − m y³ the root is y (1 − e)^(−1/3) = y (1 + e/3 + 2e²/9 + 14e³/81 + …).
    """
    a = abs(x)
    small = a < SMALLEST_NORMAL
    k, mantissa = split(where(small, a * 2.0**54, a))
    q, _ = nearest(k - 1.0, 1.0 / 3.0)
    m = mantissa * power_of_two(fma(q, -3.0, k))
    y = polynomial(m, INVERSE_CUBE_ROOT)
    e = fma(-(m * y), y * y, 1.0)
    y = fma(y, e * fma(e, fma(e, 14.0 / 81.0, 2.0 / 9.0), 1.0 / 3.0), y)
    e = fma(-(m * y), y * y, 1.0)
    y = fma(y, e * fma(e, 2.0 / 9.0, 1.0 / 3.0), y)

    square = y * y
    c = m * square
    s, s_tail = two_product(c, c)
    p, p_tail = two_product(s, c)
    rest = ((m - p) - p_tail) - s_tail * c
    root = fma(rest, square * (1.0 / 3.0), c) * power_of_two(where(small, q - 18.0, q))
    return where((a > 0.0) & (a < INFINITY), copysign(root, x), x)


def hypot(x: Real, y: Real) -> Real:
    """√(x² + y²) without overflow or underflow on the way; infinite where x or y is, even beside NaN.

    Squares and their sum are pairs, the numbers scaled where the squares would leave the range. All operations are the
    same with and without fused products, and so are the bits.
    """
    a, b = abs(x), abs(y)
    infinite = a.equals(INFINITY) | b.equals(INFINITY)
    a, b = where(a < b, b, a), where(a < b, a, b)
    large, small = a > 2.0**510, a < 2.0**-400
    scale = where(large, 2.0**-600, where(small, 2.0**600, 1.0))
    a, b = a * scale, b * scale
    (p, p_tail), (q, q_tail) = two_product(a, a), two_product(b, b)
    h, l = quick_two_sum(p, q)
    s, rest = root(h, l + (p_tail + q_tail))
    length = (s + rest) * where(large, 2.0**600, where(small, 2.0**-600, 1.0))
    return where(infinite, INFINITY, length)
