"""Sine, cosine and tangent. The argument is first reduced to the quadrant around zero:

    a = n π/2 + r,   |r| ≤ π/4,   r = h + l

Up to `LIMIT` the multiple of π/2 is taken away in parts, exactly but for the last [CW1980]. Beyond, the 53
bits of a are multiplied, as integers, by those digits of 2/π that decide n mod 4 and r [PH1983]. That takes
a branch, entered only if some lane needs it, and a function of its own, one in a module.
"""

from __future__ import annotations

from typing import Any

from zeromass.codegen import ir

from .arithmetic import (
    DOUBLE,
    INT64,
    SIGN,
    Arithmetic,
    Bits,
    Real,
    fma,
    lanes,
    nearest,
    polynomial,
    quick_two_sum,
    quotient,
    suffix,
    two_product,
    where,
)
from .coefficients import COS, HALF_PI, HALF_PI_PARTS, SIN, TWO_OVER_PI, TWO_OVER_PI_WORDS

LIMIT = 2.0**20
"""Greatest argument reduced in floating point: n < 2²⁰ keeps the products n·part exact."""

INT128: ir.Type = ir.IntType(128)


def reduced(a: Real) -> tuple[Bits, Real, Real]:
    """(n, h, l) of a ≥ 0; the lowest two bits of n count quadrants."""
    c1, c2, c3, c4 = HALF_PI_PARTS
    count, n = nearest(a, TWO_OVER_PI)
    # HALF_PI[0] = c1 + c2: one exact operation where a product is not rounded, two where it is.
    r = fma(-count, HALF_PI[0], a) if a.on.fused else (a - count * c1) - count * c2
    # |r| < |n c3| happens only where r + n c3 needs no rounding: the quick sum is exact.
    h, l = quick_two_sum(r, -count * c3)
    l = fma(-count, c4, l)

    on, b = a.on, a.on.builder
    far = (a > LIMIT).anywhere()
    before = b.block
    with b.if_then(far, likely=False):
        triple = b.call(_far_function(on), [a.value, n.value, h.value, l.value], cconv="fastcc")
        there = [b.extract_value(triple, i) for i in range(3)]
        inside = b.block
    joined = []
    kinds = (on.integer, on.type, on.type)
    for kind, near, beyond in zip(kinds, (n.value, h.value, l.value), there, strict=True):
        phi = b.phi(kind)
        phi.add_incoming(near, before)
        phi.add_incoming(beyond, inside)
        joined.append(phi)
    return Bits(on, joined[0]), Real(on, joined[1]), Real(on, joined[2])


def _far_function(on: Arithmetic) -> ir.Function:
    """(a, n, h, l) ↦ (n, h, l), reduced anew in the lanes where a > LIMIT."""
    module = on.builder.module
    name = f"zeromass.quadrant.{suffix(on.type)}" + ("" if on.fused else ".unfused")
    if name in module.globals:
        return module.globals[name]
    result = ir.LiteralStructType([on.integer, on.type, on.type])
    f = ir.Function(module, ir.FunctionType(result, [on.type, on.integer, on.type, on.type]), name)
    f.linkage, f.calling_convention = "internal", "fastcc"
    for attribute in ("noinline", "nounwind", "cold"):
        f.attributes.add(attribute)
    b: Any = ir.IRBuilder(f.append_basic_block())
    here = Arithmetic(b, on.type, on.fused)
    a, n, h, l = f.args
    if lanes(on.type) == 1:
        n, h, l = payne_hanek(here.real(a))
    else:
        n, h, l = _far_lanes(here, a, (n, h, l))
    packed = ir.Constant(result, ir.Undefined)
    for i, v in enumerate((n, h, l)):
        packed = b.insert_value(packed, v, i)
    b.ret(packed)
    return f


def _far_lanes(on: Arithmetic, a: Any, near: tuple[Any, Any, Any]) -> list[Any]:
    """(n, h, l), reduced anew lane by lane, in memory: seldom needed, it should be small."""
    b, zero, one = on.builder, ir.Constant(INT64, 0), ir.Constant(INT64, 1)
    places = [b.alloca(v.type) for v in (a, *near)]
    for place, v in zip(places, (a, *near), strict=True):
        b.store(v, place)
    items = [b.bitcast(p, k.as_pointer()) for p, k in zip(places, (DOUBLE, INT64, DOUBLE, DOUBLE), strict=True)]
    before, body, after = b.block, b.append_basic_block(), b.append_basic_block()
    b.branch(body)
    b.position_at_end(body)
    i = b.phi(INT64)
    i.add_incoming(zero, before)
    values = [b.load(b.gep(item, [i])) for item in items]
    with b.if_then(b.fcmp_ordered(">", values[0], ir.Constant(DOUBLE, LIMIT))):
        triple = b.call(_far_function(Arithmetic(b, DOUBLE, on.fused)), values, cconv="fastcc")
        for j in range(3):
            b.store(b.extract_value(triple, j), b.gep(items[j + 1], [i]))
    following = b.add(i, one)
    i.add_incoming(following, b.block)
    b.cbranch(b.icmp_unsigned("<", following, ir.Constant(INT64, lanes(on.type))), body, after)
    b.position_at_end(after)
    return [b.load(place) for place in places[1:]]


def payne_hanek(a: Real) -> tuple[ir.Value, ir.Value, ir.Value]:
    """(n, h, l) of one a > LIMIT; h is NaN for infinity.

    a = m 2^e with a whole m < 2⁵³. The digits of 2/π of weight 2^(2−e) and more add multiples of four
    quadrants. The 192 digits after them, as a whole number I, give a·2/π ≡ m I 2⁻¹⁹⁰ (mod 4), right to
    2⁻¹³⁷, of which 126 places are kept. No float64 is closer to a multiple of π/2 than 2⁻⁶², so that r has
    64 significant bits.
    """
    on = a.on
    b = on.builder

    def word(v: int) -> ir.Constant:
        return ir.Constant(INT64, v)

    pattern = a.bits().value
    m = b.or_(b.and_(pattern, word(2**52 - 1)), word(2**52))
    exponent = b.and_(b.lshr(pattern, word(52)), word(0x7FF))
    # The first digit wanted has the weight 2^(1−e), e = exponent − 1075: number e + 62 of the table, from 0.
    place = b.sub(exponent, word(1075 - 62))
    index, shift = b.lshr(place, word(6)), b.and_(place, word(63))
    table = _table(b.module)
    words = [b.load(b.gep(table, [word(0), b.add(index, word(i))], inbounds=True)) for i in range(4)]
    funnel = b.module.globals.get("llvm.fshl.i64") or ir.Function(
        b.module, ir.FunctionType(INT64, [INT64] * 3), "llvm.fshl.i64"
    )
    high, middle, low = (b.call(funnel, [words[i], words[i + 1], shift]) for i in range(3))

    def wide(v: Any) -> Any:
        return b.zext(v, INT128)

    def upper(v: Any) -> Any:
        return b.trunc(b.lshr(v, ir.Constant(INT128, 64)), INT64)

    below = upper(b.mul(wide(m), wide(low)))
    product = b.add(b.mul(wide(m), wide(middle)), wide(below))
    top, bottom = b.add(upper(product), b.mul(m, high)), b.trunc(product, INT64)

    # The first two digits are n mod 4. The others, read as a signed number, are the rest from the nearest n.
    fraction = b.call(funnel, [top, bottom, word(2)])
    n = b.add(b.lshr(top, word(62)), b.lshr(fraction, word(63)))
    rest = b.shl(bottom, word(2))
    mask = word(2**32 - 1)
    digits = [b.ashr(fraction, word(32)), b.and_(fraction, mask), b.lshr(rest, word(32)), b.and_(rest, mask)]
    f1, f2, f3, f4 = (Real(on, b.sitofp(d, DOUBLE)) * 2.0 ** (-32 * (i + 1)) for i, d in enumerate(digits))
    f, g = quick_two_sum(f1, f2)
    f, t = quick_two_sum(f, f3)
    g = (g + t) + f4

    h, l = two_product(f, on.real(HALF_PI[0]))
    h, l = quick_two_sum(h + (a - a), fma(f, HALF_PI[1], fma(g, HALF_PI[0], l)))
    return n, h.value, l.value


def _table(module: ir.Module) -> ir.GlobalVariable:
    name = "zeromass.two_over_pi"
    if name in module.globals:
        return module.globals[name]
    kind = ir.ArrayType(INT64, len(TWO_OVER_PI_WORDS))
    table: Any = ir.GlobalVariable(module, kind, name)
    table.initializer = ir.Constant(kind, list(TWO_OVER_PI_WORDS))
    table.global_constant, table.linkage = True, "internal"
    return table


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
