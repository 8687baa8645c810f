"""Sine, cosine and tangent."""

from __future__ import annotations

from .arithmetic import SIGN, Bits, Real, fma, polynomial, quick_two_sum, quotient, where
from .coefficients import COS, SIN
from .quadrant import reduced


def _kernel(h: Real, l: Real) -> tuple[tuple[Real, Real], tuple[Real, Real]]:
    """sin r and cos r of r = h + l, |r| ≤ π/4, each as a sum of two.

    sin r = h + [h³ S(h²) + l (1 − h²/2)]
    cos r = w + [(1 − w − h²/2) − h l + h⁴ C(h²)],   w = 1 − h²/2 rounded
    """
    z = h * h
    half = h * 0.5
    w = fma(-half, h, 1.0)
    lost = fma(-half, h, 1.0 - w)
    sine = fma(h * z, polynomial(z, SIN), l * w)
    cosine = fma(z * z, polynomial(z, COS), fma(-h, l, lost))
    return (h, sine), (w, cosine)


def _signed(x: Real, sign: Bits) -> Real:
    """x with its sign changed where the highest bit of `sign` is set."""
    return (x.bits() ^ (sign & SIGN)).real()


def sincos(x: Real) -> tuple[Real, Real]:
    """sin x and cos x, with one reduction of the argument and both polynomials used."""
    n, h, l = reduced(abs(x))
    (s0, s1), (c0, c1) = _kernel(h, l)
    s, c = s0 + s1, c0 + c1
    even = (n & 1).is_zero()
    return (
        _signed(where(even, s, c), (n << 62) ^ x.bits()),
        _signed(where(even, c, s), (n + 1) << 62),
    )


def sin(x: Real) -> Real:
    return sincos(x)[0]


def cos(x: Real) -> Real:
    return sincos(x)[1]


def tan(x: Real) -> Real:
    """sin r / cos r in even quadrants, −cos r / sin r in odd ones."""
    n, h, l = reduced(abs(x))
    h, l = quick_two_sum(h, l)
    s, c = (quick_two_sum(*pair) for pair in _kernel(h, l))
    even = (n & 1).is_zero()
    above = where(even, s[0], c[0]), where(even, s[1], c[1])
    below = where(even, c[0], s[0]), where(even, c[1], s[1])
    q, rest = quotient(above, below)
    return _signed(q + rest, (n << 63) ^ x.bits())
