"""Division with a remainder, as NumPy divides: the remainder is exact or rounded once, and has the divisor's sign."""

from __future__ import annotations

from .arithmetic import INFINITY, NAN, ROUNDER, Real, at_most, copysign, two_product, where
from .exponential import power_of_two
from .logarithm import split_any
from .simple import floor

STEP = 50.0
"""Bits of the quotient that one step takes away: the quotient of a step is below 2⁵¹, where adding 2⁵² rounds it."""


def remainder(a: Real, b: Real) -> Real:
    """a − b ⌊a/b⌋, with the sign of b even where it is zero; NaN of an infinite a or of b = 0."""
    r = truncated(a, b)
    return where(r.equals(0.0), copysign(a.on.real(0.0), b), where(_other_side(r, b), r + b, r))


def floor_divide(a: Real, b: Real) -> Real:
    """⌊a/b⌋ from the exact remainder, rounded where it has more than 53 bits; a/b where b = 0."""
    r, plain = truncated(a, b), a / b
    q = (a - r) / b
    q = where(_other_side(r, b), q - 1.0, q)
    whole = floor(q)
    whole = where(q - whole > 0.5, whole + 1.0, whole)
    whole = where(q.equals(0.0), copysign(a.on.real(0.0), plain), whole)
    return where(b.equals(0.0), plain, whole)


def _other_side(r: Real, b: Real):
    return ((r < 0.0) & (b > 0.0)) | ((r > 0.0) & (b < 0.0))


def truncated(a: Real, b: Real) -> Real:
    """a − b·trunc(a/b), exactly, with the sign of a.

    |a| = m 2^e, |b| = n 2^f: from r = m each step makes r 2^s − q n of r, q the nearest whole number, until the steps s
    add up to e − f. Nothing is rounded: all are multiples of the last place of n, and below n. Most quotients have less
    than 51 bits and take one step; the longest, 2⁰/2⁻¹⁰⁷⁴·2¹⁰²³, take 42.
    """
    x, y = abs(a), abs(b)
    proper = (x >= y) & (y > 0.0) & (x < INFINITY)
    (e, m), (f, n) = split_any(where(proper, x, 1.0)), split_any(where(proper, y, 1.0))

    def step(r: Real, left: Real) -> tuple[Real, Real]:
        s = at_most(left, STEP)
        r = r * power_of_two(s)
        q = (r / n + 2.0**52) - 2.0**52
        h, l = two_product(q, n)
        r = (r - h) - l
        return where(r < 0.0, r + n, r), left - s

    r = _repeated(step, *step(m, e - f))
    half = (f * 0.5 + ROUNDER) - ROUNDER  # 2^f may be no normal number
    r = (r * power_of_two(half)) * power_of_two(f - half)
    return where(proper, copysign(r, a), where(x < y, a, NAN))


def _repeated(step, r: Real, left: Real) -> Real:
    """r after as many more steps as the lane with the most left to do needs; the others stand still."""
    on, b = r.on, r.on.builder
    before, body, after = b.block, b.append_basic_block(), b.append_basic_block()
    b.cbranch((left > 0.0).anywhere(), body, after)
    b.position_at_end(body)
    inner = [b.phi(on.type) for _ in range(2)]
    stepped = step(*[Real(on, phi) for phi in inner])
    for phi, first, following in zip(inner, (r, left), stepped, strict=True):
        phi.add_incoming(first.value, before)
        phi.add_incoming(following.value, b.block)
    b.cbranch((stepped[1] > 0.0).anywhere(), body, after)
    last = b.block
    b.position_at_end(after)
    result = b.phi(on.type)
    result.add_incoming(r.value, before)
    result.add_incoming(stepped[0].value, last)
    return Real(on, result)
