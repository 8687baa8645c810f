"""Numbers as one writes them: the shortest decimal that is the number but for rounding, fractions, multiples of π."""

from __future__ import annotations

import math
from fractions import Fraction

ROUNDING = 4
"""Units in the last place by which a number may differ from how it is written: what a few operations make of it."""

DENOMINATORS = 100
"""Largest denominator of a fraction that no decimal says."""

HALVES = {0.5: (1, 2), 1.5: (3, 2), 0.25: (1, 4), 0.75: (3, 4), 0.125: (1, 8)}
"""Decimals that are written as fractions."""


def decimal(value: float, digits: int | None = None) -> str:
    """The shortest decimal within a few roundings of a number; with `digits`, rounded to so many.

    >>> from zeromass.expression.numerals import decimal
    >>> decimal(0.32000000000000006), decimal(2.0), decimal(1 / 3, 4)
    ('0.32', '2', '0.3333')
    """
    if not math.isfinite(value):
        return repr(value)
    room = ROUNDING * math.ulp(value)
    places = range(1, 16) if digits is None else [digits]
    for count in places:
        words = f"{value:.{count}g}"
        if digits is not None or abs(float(words) - value) <= room:
            break
    else:
        words = repr(value)
    return _plain(words)


def _plain(words: str) -> str:
    """Without an exponent where the number is neither large nor small."""
    mantissa, _, exponent = words.partition("e")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    if not exponent:
        return mantissa
    if -4 <= int(exponent) < 7:
        value = Fraction(mantissa) * Fraction(10) ** int(exponent)
        return str(value.numerator) if value.denominator == 1 else f"{float(value):.15g}"
    return f"{mantissa}e{int(exponent)}"


def fraction(value: float) -> tuple[int, int] | None:
    """Numerator and denominator of a number that a fraction says better than a decimal: ½, ⅔; None of others.

    >>> from zeromass.expression.numerals import fraction
    >>> fraction(0.5), fraction(2 / 7), fraction(0.32), fraction(3.0)
    ((1, 2), (2, 7), None, None)
    """
    sign = -1 if value < 0 else 1
    size = abs(value)
    if size in HALVES:
        top, bottom = HALVES[size]
        return sign * top, bottom
    if not 1e-3 < size < 1e3 or len(decimal(size).replace(".", "")) < 12:
        return None
    near = Fraction(size).limit_denominator(DENOMINATORS)
    if near.denominator > 1 and abs(float(near) - size) <= ROUNDING * math.ulp(size):
        return sign * near.numerator, near.denominator
    return None


def turns(value: float) -> tuple[int, int] | None:
    """Numerator and denominator of a multiple of π; None of other numbers.

    >>> from zeromass.expression.numerals import turns
    >>> turns(np.pi), turns(-np.pi / 2), turns(3.14)
    ((1, 1), (-1, 2), None)
    """
    if not value or not math.isfinite(value):
        return None
    near = Fraction(value / math.pi).limit_denominator(12)
    if 0 < abs(near.numerator) <= 100 and abs(float(near) * math.pi - value) <= ROUNDING * math.ulp(value):
        return near.numerator, near.denominator
    return None
