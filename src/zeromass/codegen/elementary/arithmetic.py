"""float64 arithmetic in LLVM IR, written as formulas, the same for one value and for SIMD lanes.

A `Real` is an IR value of type `double` or `<N x double>` with Python's operators on it, a `Bits` the same
as 64-bit integers, a `Truth` the outcome of a comparison, lane by lane. Every operator is one IR
instruction without fast-math flags, so that a lane of a vector goes through exactly the operations of a
scalar and ends with the same bits.

A pair (h, l) stands for h + l, where h is the sum rounded. The sums of `two_sum` and the products of
`two_product` are exact [D1971].
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from typing import Any

from zeromass.codegen import ir

DOUBLE: ir.Type = ir.DoubleType()
INT64: ir.Type = ir.IntType(64)
INFINITY, NAN = math.inf, math.nan
SIGN = 1 << 63
ROUNDER = 1.5 * 2.0**52
"""For |x| < 2⁵¹, x + ROUNDER − ROUNDER is x rounded to a whole number; low bits of x + ROUNDER hold it."""
SPLITTER = 2.0**27 + 1.0


def lanes(type: ir.Type) -> int:
    """Number of lanes: 1 for `double`, N for `<N x double>`."""
    if type == DOUBLE:
        return 1
    if isinstance(type, ir.VectorType) and type.element == DOUBLE:
        return type.count
    raise TypeError(f"elementary functions take double or <N x double>, not {type}")


def suffix(type: ir.Type) -> str:
    """LLVM's mangled name of the type: f64, v8f64."""
    n = lanes(type)
    return "f64" if n == 1 else f"v{n}f64"


class Arithmetic:
    """Where operations are emitted, on what type, and whether a·b + c may be one fused operation."""

    __slots__ = ("builder", "fused", "type")

    def __init__(self, builder: Any, type: ir.Type, fused: bool) -> None:
        self.builder: Any = builder  # an ir.IRBuilder, whose methods llvmlite does not annotate
        self.type: ir.Type = type
        self.fused: bool = fused

    def real(self, value: ir.Value | float) -> Real:
        if not isinstance(value, ir.Value):
            value = ir.Constant(self.type, float(value))
        return Real(self, value)

    def bits(self, value: int) -> Bits:
        return Bits(self, ir.Constant(self.integer, value))

    @property
    def integer(self) -> ir.Type:
        n = lanes(self.type)
        return INT64 if n == 1 else ir.VectorType(INT64, n)

    def intrinsic(self, name: str, *arguments: Real) -> Real:
        """llvm.name.type(arguments), all of one type."""
        module = self.builder.module
        full = f"llvm.{name}.{suffix(self.type)}"
        callee = module.globals.get(full)
        if callee is None:
            callee = ir.Function(module, ir.FunctionType(self.type, [self.type] * len(arguments)), full)
        return Real(self, self.builder.call(callee, [a.value for a in arguments]))


class Real:
    """A float64 value, or lanes of them."""

    __slots__ = ("on", "value")
    on: Arithmetic
    value: ir.Value

    def __init__(self, on: Arithmetic, value: ir.Value) -> None:
        self.on, self.value = on, value

    def _other(self, other: Real | float) -> ir.Value:
        return other.value if isinstance(other, Real) else self.on.real(other).value

    def _binary(self, emit: Callable[..., ir.Value], left: ir.Value, right: ir.Value) -> Real:
        return Real(self.on, emit(left, right))

    def __add__(self, other: Real | float) -> Real:
        return self._binary(self.on.builder.fadd, self.value, self._other(other))

    def __radd__(self, other: float) -> Real:
        return self._binary(self.on.builder.fadd, self._other(other), self.value)

    def __sub__(self, other: Real | float) -> Real:
        return self._binary(self.on.builder.fsub, self.value, self._other(other))

    def __rsub__(self, other: float) -> Real:
        return self._binary(self.on.builder.fsub, self._other(other), self.value)

    def __mul__(self, other: Real | float) -> Real:
        return self._binary(self.on.builder.fmul, self.value, self._other(other))

    def __rmul__(self, other: float) -> Real:
        return self._binary(self.on.builder.fmul, self._other(other), self.value)

    def __truediv__(self, other: Real | float) -> Real:
        return self._binary(self.on.builder.fdiv, self.value, self._other(other))

    def __rtruediv__(self, other: float) -> Real:
        return self._binary(self.on.builder.fdiv, self._other(other), self.value)

    def __neg__(self) -> Real:
        return Real(self.on, self.on.builder.fneg(self.value))

    def __abs__(self) -> Real:
        return self.on.intrinsic("fabs", self)

    def _compare(self, relation: str, other: Real | float) -> Truth:
        """An ordered comparison: false where either side is NaN."""
        return Truth(self.on, self.on.builder.fcmp_ordered(relation, self.value, self._other(other)))

    def __lt__(self, other: Real | float) -> Truth:
        return self._compare("<", other)

    def __le__(self, other: Real | float) -> Truth:
        return self._compare("<=", other)

    def __gt__(self, other: Real | float) -> Truth:
        return self._compare(">", other)

    def __ge__(self, other: Real | float) -> Truth:
        return self._compare(">=", other)

    def equals(self, other: Real | float) -> Truth:
        return self._compare("==", other)

    def is_nan(self) -> Truth:
        return Truth(self.on, self.on.builder.fcmp_unordered("uno", self.value, self.value))

    def bits(self) -> Bits:
        return Bits(self.on, self.on.builder.bitcast(self.value, self.on.integer))


class Bits:
    """64-bit integers, one for each lane."""

    __slots__ = ("on", "value")
    on: Arithmetic
    value: ir.Value

    def __init__(self, on: Arithmetic, value: ir.Value) -> None:
        self.on, self.value = on, value

    def _emit(self, emit: Callable[..., ir.Value], other: Bits | int) -> Bits:
        right = other if isinstance(other, Bits) else self.on.bits(other)
        return Bits(self.on, emit(self.value, right.value))

    def __add__(self, other: Bits | int) -> Bits:
        return self._emit(self.on.builder.add, other)

    def __sub__(self, other: Bits | int) -> Bits:
        return self._emit(self.on.builder.sub, other)

    def __and__(self, other: Bits | int) -> Bits:
        return self._emit(self.on.builder.and_, other)

    def __or__(self, other: Bits | int) -> Bits:
        return self._emit(self.on.builder.or_, other)

    def __xor__(self, other: Bits | int) -> Bits:
        return self._emit(self.on.builder.xor, other)

    def __lshift__(self, count: int) -> Bits:
        return self._emit(self.on.builder.shl, count)

    def __rshift__(self, count: int) -> Bits:
        """The logical shift, zeros coming in: not every SIMD set has the arithmetic one for 64 bits."""
        return self._emit(self.on.builder.lshr, count)

    def is_zero(self) -> Truth:
        return Truth(self.on, self.on.builder.icmp_unsigned("==", self.value, self.on.bits(0).value))

    def real(self) -> Real:
        return Real(self.on, self.on.builder.bitcast(self.value, self.on.type))


class Truth:
    """The outcome of a comparison, lane by lane."""

    __slots__ = ("on", "value")
    on: Arithmetic
    value: ir.Value

    def __init__(self, on: Arithmetic, value: ir.Value) -> None:
        self.on, self.value = on, value

    def __and__(self, other: Truth) -> Truth:
        return Truth(self.on, self.on.builder.and_(self.value, other.value))

    def __or__(self, other: Truth) -> Truth:
        return Truth(self.on, self.on.builder.or_(self.value, other.value))

    def __invert__(self) -> Truth:
        return Truth(self.on, self.on.builder.not_(self.value))

    def anywhere(self) -> ir.Value:
        """i1: true in at least one lane."""
        n, b = lanes(self.on.type), self.on.builder
        if n == 1:
            return self.value
        mask = ir.IntType(n)
        return b.icmp_unsigned("!=", b.bitcast(self.value, mask), ir.Constant(mask, 0))


def where(condition: Truth, yes: Real | float, no: Real | float) -> Real:
    """`yes` in the lanes where the condition holds, else `no`."""
    on = condition.on
    yes, no = (v if isinstance(v, Real) else on.real(v) for v in (yes, no))
    return Real(on, on.builder.select(condition.value, yes.value, no.value))


def at_most(x: Real, bound: float) -> Real:
    """min(x, bound); NaN stays NaN."""
    return where(x > bound, bound, x)


def at_least(x: Real, bound: float) -> Real:
    """max(x, bound); NaN stays NaN."""
    return where(x < bound, bound, x)


def sqrt(x: Real) -> Real:
    return x.on.intrinsic("sqrt", x)


def absolute(x: Real) -> Real:
    return abs(x)


def copysign(magnitude: Real, sign: Real) -> Real:
    return magnitude.on.intrinsic("copysign", magnitude, sign)


def fma(a: Real, b: Real | float, c: Real | float) -> Real:
    """a b + c, rounded once where fused, twice where not."""
    if not a.on.fused:
        return a * b + c
    b, c = (v if isinstance(v, Real) else a.on.real(v) for v in (b, c))
    return a.on.intrinsic("fma", a, b, c)


def quick_two_sum(a: Real | float, b: Real) -> tuple[Real, Real]:
    """a + b exactly, where |a| ≥ |b| or a = 0."""
    h = a + b
    return h, b - (h - a)


def two_sum(a: Real, b: Real) -> tuple[Real, Real]:
    """a + b exactly."""
    h = a + b
    t = h - a
    return h, (a - (h - t)) + (b - t)


def two_product(a: Real, b: Real) -> tuple[Real, Real]:
    """a b exactly. Without fused operations |a|, |b| < 2⁹⁹⁶ is needed."""
    h = a * b
    if a.on.fused:
        return h, fma(a, b, -h)
    (ah, al), (bh, bl) = _halves(a), _halves(b)
    return h, ((ah * bh - h) + ah * bl + al * bh) + al * bl


def _halves(a: Real) -> tuple[Real, Real]:
    """a = ah + al with 26 bits each, so that products of halves are exact."""
    t = a * SPLITTER
    ah = t - (t - a)
    return ah, a - ah


def quotient(n: tuple[Real, Real], d: tuple[Real, Real]) -> tuple[Real, Real]:
    """(n₀ + n₁) / (d₀ + d₁) as a pair, with one division."""
    y = 1.0 / d[0]
    q = n[0] * y
    if q.on.fused:
        rest = fma(-q, d[0], n[0])
    else:
        h, l = two_product(q, d[0])
        rest = (n[0] - h) - l
    return q, (rest + fma(-q, d[1], n[1])) * y


def root(x: Real, x_tail: Real | None = None) -> tuple[Real, Real]:
    """√(x + x_tail) as a pair."""
    s = sqrt(x)
    h, l = two_product(s, s)
    rest = (x - h) - l
    if x_tail is not None:
        rest = rest + x_tail
    return s, rest / where(s > 0.0, s + s, 1.0)


def polynomial(z: Real, c: Sequence[float]) -> Real:
    """Σ cᵢ zⁱ by Horner's rule in z², for more than six coefficients in z⁴: short chains, few powers."""
    square = z * z

    def pair(i: int) -> Real:
        return fma(z, c[i + 1], c[i]) if i + 1 < len(c) else z.on.real(c[i])

    if len(c) <= 6:
        power, groups = square, [pair(i) for i in range(0, len(c), 2)]
    else:
        power, groups = square * square, []
        for i in range(0, len(c), 4):
            groups.append(fma(square, pair(i + 2), pair(i)) if i + 2 < len(c) else pair(i))
    result = groups[-1]
    for group in reversed(groups[:-1]):
        result = fma(power, result, group)
    return result


def nearest(x: Real, scale: float, offset: float = 0.0) -> tuple[Real, Bits]:
    """The integer nearest to x·scale, and bits whose lowest hold that integer + offset."""
    shifted = fma(x, scale, ROUNDER + offset)
    return shifted - (ROUNDER + offset), shifted.bits()


def pattern(x: float) -> int:
    """The bits of a float64 as an integer."""
    return int.from_bytes(struct.pack("<d", x), "little")
