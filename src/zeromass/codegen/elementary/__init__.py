"""Elementary functions of float64 in LLVM IR, for one value and for SIMD lanes, without the user's libm.

    emit(builder, "exp", [x], fused)          x of type double or <N x double>
    emit_sincos(builder, x, fused)            sin x and cos x, which share most of their work
    emit_power(builder, x, -3, fused)         x⁻³, the exponent a constant
    function(module, "sin", type, fused)      the function that `emit` calls, emitted once in a module

`fused` says whether the target has a fused multiply-add; without one, exact products are made of halves
[D1971]. The operations are the same for a scalar and for a lane, so that both have the same bits. They are
additions, products, quotients, roots, comparisons, selections and integer operations, which are instructions
on every target; the only table is that of the digits of 2/π. Rounding must be to nearest, and subnormal
numbers enabled.

Error, in units in the last place of the true value (`FUNCTIONS[name].ulp`), fused or not, over the whole range
of float64 with its subnormal numbers. It is what millions of points showed, the worst places among them, rounded
up, and not a theorem; the tests assert it:

    sin     0.82      asin    0.72      exp     0.82      sinh    0.97
    cos     0.84      acos    0.70      expm1   1.10      cosh    0.95
    sincos  0.84      atan    0.78      log     0.90      tanh    1.01
    tan     1.10      atan2   0.78      log1p   0.90      asinh   1.01
    sqrt    0.5       sign    0         pow     1.10      acosh   0.90
    cbrt    0.51      floor   0         abs     0         atanh   1.01
    hypot   0.51      remainder  0.5    quotient  2

quotient is the whole one, ⌊a/b⌋ of the exact a/b, which remainder leaves. Both are NumPy's to the last bit, as
floor_divide and remainder.

The plain products x², x³, x⁴ and 1/x² are within 0.5, 1.3, 1.9 and 1.5, other whole powers within 1.1. sin,
cos and tan hold for every finite number, with a slower reduction above 2²⁰. Zeros keep their sign, NaN stays
NaN, results past the range are infinite or zero; outside its domain a function is NaN, and at the edge infinite
(log 0 = log1p −1 = −∞, atanh 1 = ∞). pow and atan2 follow C99, annex F, in all special cases; sign ±0 = ±0.

A function is called wherever it is used, not copied, unless `inline` is asked for. On a Zen 4 core ten sincos
among 200 other operations took 10 ms to compile as calls and 51 ms as copies, and ran equally fast (56 ns and
55 ns); in eight lanes 12 ms and 67 ms, and calls ran faster (65 ns and 109 ns: copies crowd the registers). In a
small right-hand side a copy saves 2–5 ns in all. LLVM, left to choose, copies too much: the functions forbid it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NamedTuple

from zeromass.codegen import ir

from .arithmetic import Arithmetic, suffix

__all__ = ["FUNCTIONS", "Elementary", "emit", "emit_power", "emit_sincos", "function"]


class Elementary(NamedTuple):
    """A function of `arity` reals, as a formula on `Real`s, by its module and its name there; its error; its number of
    results.

    One of a few instructions, `small`, is never called.
    """

    module: str
    name: str
    ulp: float
    arity: int = 1
    results: int = 1
    small: bool = False

    @property
    def formula(self) -> Callable[..., Any]:
        """Its module is imported when it is first asked for: most systems need few of them."""
        return getattr(import_module(f".{self.module}", __name__), self.name)


FUNCTIONS: dict[str, Elementary] = {
    "sin": Elementary("trigonometric", "sin", ulp=0.82),
    "cos": Elementary("trigonometric", "cos", ulp=0.84),
    "sincos": Elementary("trigonometric", "sincos", ulp=0.84, results=2),
    "tan": Elementary("trigonometric", "tan", ulp=1.1),
    "asin": Elementary("inverse", "asin", ulp=0.72),
    "acos": Elementary("inverse", "acos", ulp=0.7),
    "atan": Elementary("inverse", "atan", ulp=0.78),
    "atan2": Elementary("inverse", "atan2", ulp=0.78, arity=2),
    "exp": Elementary("exponential", "exp", ulp=0.82),
    "expm1": Elementary("exponential", "expm1", ulp=1.1),
    "log": Elementary("logarithm", "log", ulp=0.9),
    "log1p": Elementary("logarithm", "log1p", ulp=0.9),
    "pow": Elementary("power", "pow", ulp=1.1, arity=2),
    "sinh": Elementary("hyperbolic", "sinh", ulp=0.97),
    "cosh": Elementary("hyperbolic", "cosh", ulp=0.95),
    "tanh": Elementary("hyperbolic", "tanh", ulp=1.01),
    "asinh": Elementary("hyperbolic", "asinh", ulp=1.01),
    "acosh": Elementary("hyperbolic", "acosh", ulp=0.9),
    "atanh": Elementary("hyperbolic", "atanh", ulp=1.01),
    "sqrt": Elementary("arithmetic", "sqrt", ulp=0.5, small=True),
    "cbrt": Elementary("simple", "cbrt", ulp=0.51),
    "abs": Elementary("arithmetic", "absolute", ulp=0.0, small=True),
    "sign": Elementary("simple", "sign", ulp=0.0, small=True),
    "floor": Elementary("simple", "floor", ulp=0.0, small=True),
    "hypot": Elementary("simple", "hypot", ulp=0.51, arity=2),
    "remainder": Elementary("division", "remainder", ulp=0.5, arity=2),
    "quotient": Elementary("division", "floor_divide", ulp=2.0, arity=2),
}


def emit(builder: Any, name: str, args: Sequence[Any], fused: bool, *, inline: bool = False) -> Any:
    """The value of a function: a call of `function`, or a copy of its instructions.

    builder  an `ir.IRBuilder` at the end of its block; a copy of sin, cos or tan moves it on to a new block
    args     values of one type, `double` or `<N x double>`
    """
    return _values(builder, name, args, fused, inline)[0]


def emit_sincos(builder: Any, x: Any, fused: bool, *, inline: bool = False) -> tuple[Any, Any]:
    """sin x and cos x."""
    sine, cosine = _values(builder, "sincos", [x], fused, inline)
    return sine, cosine


def emit_power(builder: Any, x: Any, n: int, fused: bool) -> Any:
    """x^n with a constant whole n, as products in place."""
    from .power import integer_power

    return integer_power(Arithmetic(builder, x.type, fused).real(x), n).value


def function(module: ir.Module, name: str, type: ir.Type, fused: bool) -> ir.Function:
    """The internal function `zeromass.name.type` of a module, emitted when first asked for.

    Its calling convention is `fastcc`, which a call has to repeat. `sincos` returns {type, type}.
    """
    entry = _entry(name, [type] * FUNCTIONS[name].arity if name in FUNCTIONS else [])
    full = f"zeromass.{name}.{suffix(type)}" + ("" if fused else ".unfused")
    if full in module.globals:
        return module.globals[full]
    result = type if entry.results == 1 else ir.LiteralStructType([type] * entry.results)
    f = ir.Function(module, ir.FunctionType(result, [type] * entry.arity), full)
    f.linkage, f.calling_convention = "internal", "fastcc"
    for attribute in ("noinline", "nounwind"):
        f.attributes.add(attribute)
    b: Any = ir.IRBuilder(f.append_basic_block())
    values = _inlined(b, entry, f.args, fused)
    if entry.results == 1:
        b.ret(values[0])
        return f
    packed = ir.Constant(result, ir.Undefined)
    for i, value in enumerate(values):
        packed = b.insert_value(packed, value, i)
    b.ret(packed)
    return f


def _values(builder: Any, name: str, args: Sequence[Any], fused: bool, inline: bool) -> list[Any]:
    entry = _entry(name, [a.type for a in args])
    if inline or entry.small:
        return _inlined(builder, entry, args, fused)
    callee = function(builder.module, name, args[0].type, fused)
    value = builder.call(callee, list(args), cconv="fastcc")
    if entry.results == 1:
        return [value]
    return [builder.extract_value(value, i) for i in range(entry.results)]


def _inlined(builder: Any, entry: Elementary, args: Sequence[Any], fused: bool) -> list[Any]:
    on = Arithmetic(builder, args[0].type, fused)
    values = entry.formula(*[on.real(a) for a in args])
    return [values.value] if entry.results == 1 else [v.value for v in values]


def _entry(name: str, types: Sequence[ir.Type]) -> Elementary:
    """The function of that name, if there is one and it takes arguments of these types."""
    if name not in FUNCTIONS:
        raise ValueError(f"no elementary function '{name}'; there are {', '.join(sorted(FUNCTIONS))}")
    entry = FUNCTIONS[name]
    if len(types) != entry.arity:
        raise ValueError(f"{name} takes {entry.arity} argument(s), not {len(types)}")
    if any(t != types[0] for t in types):
        raise TypeError(f"the arguments of {name} differ in type: {', '.join(map(str, types))}")
    return entry
