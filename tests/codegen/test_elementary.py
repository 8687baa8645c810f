"""Elementary functions: their errors against ball arithmetic, their lanes, their special values."""

from __future__ import annotations

import ctypes
import math
import re
from fractions import Fraction
from functools import cache
from itertools import product

import flint
import llvmlite.binding as llvm
import numpy as np
import pytest
from mpmath import mp

from zeromass.codegen import elementary, ir
from zeromass.codegen.elementary import FUNCTIONS, coefficients, minimax

arb = flint.arb
PI, INF, NAN = math.pi, math.inf, math.nan
MAX, TINY = np.finfo(float).max, 5e-324
NAMES = [name for name in FUNCTIONS if name != "sincos"]
POWERS = (-40, -9, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 13, 16, 31, 64)
WIDTHS = (1, 2, 4, 8)
INT64 = ir.IntType(64)
WHOLE_POWER_ULP = {-1: 0.5, 0: 0.0, 1: 0.0, 2: 0.5, 3: 1.3, 4: 1.9, -2: 1.5}
"""As documented; 1.1 for the others."""

# ---- machine code


def lane_type(width):
    return ir.DoubleType() if width == 1 else ir.VectorType(ir.DoubleType(), width)


def add_loop(module, name, width, arity, results, body):
    """void name(double *out₀, …, double *in₀, …, i64 count): out = body(in), `width` values at a time."""
    T = lane_type(width)
    f = ir.Function(module, ir.FunctionType(ir.VoidType(), [T.as_pointer()] * (results + arity) + [INT64]), name)
    entry, loop, end = (f.append_basic_block(n) for n in ("entry", "loop", "end"))
    b = ir.IRBuilder(entry)
    b.branch(loop)
    b.position_at_end(loop)
    i = b.phi(INT64)
    i.add_incoming(ir.Constant(INT64, 0), entry)
    args = []
    for k in range(arity):
        args.append(b.load(b.gep(f.args[results + k], [i]), align=8))
    for k, value in enumerate(body(b, args)):
        b.store(value, b.gep(f.args[k], [i]), align=8)
    following = b.add(i, ir.Constant(INT64, 1))
    i.add_incoming(following, b.block)
    b.cbranch(b.icmp_signed("<", following, f.args[-1]), loop, end)
    b.position_at_end(end)
    b.ret_void()


class Loops:
    """All functions over arrays, for a number of lanes, fused or not, called or inline."""

    def __init__(self, width, fused, inline=False):
        module = ir.Module()
        self.width, self.shape = width, {}

        def add(name, arity, results, body):
            self.shape[name] = arity, results
            add_loop(module, name, width, arity, results, body)

        for name in NAMES:
            add(
                name,
                FUNCTIONS[name].arity,
                1,
                lambda b, a, name=name: [elementary.emit(b, name, a, fused, inline=inline)],
            )
        add("sincos", 1, 2, lambda b, a: elementary.emit_sincos(b, a[0], fused, inline=inline))
        for n in POWERS:
            add(f"power {n}", 1, 1, lambda b, a, n=n: [elementary.emit_power(b, a[0], n, fused)])
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        target = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(
            cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), jit=True
        )
        self.engine = llvm.create_mcjit_compiler(llvm.parse_assembly(str(module)), target)
        self.engine.finalize_object()

    def __call__(self, name, *arrays):
        arity, results = self.shape[name]
        size = len(arrays[0])
        padded = -(-size // self.width) * self.width
        ins = [np.resize(np.asarray(a, float), padded) for a in arrays]
        outs = [np.empty(padded) for _ in range(results)]
        signature = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (arity + results), ctypes.c_int64)
        call = signature(self.engine.get_function_address(name))
        call(*[a.ctypes.data for a in (*outs, *ins)], padded // self.width)
        return outs[0][:size] if results == 1 else [out[:size] for out in outs]


@cache
def loops(width, fused, inline=False):
    if fused and not llvm.get_host_cpu_features().get("fma", llvm.get_process_triple()[:3] in ("aar", "arm")):
        pytest.skip("no fused multiply-add here")
    return Loops(width, fused, inline)


def same_bits(a, b):
    """Equal bit for bit, except that all NaN are one."""
    return np.all((a.view(np.int64) == b.view(np.int64)) | (np.isnan(a) & np.isnan(b)))


# ---- points and truth


def signed(rng, x):
    return x * rng.choice([-1.0, 1.0], len(x))


def spread(rng, n, low, high):
    """Log-uniform between 2^low and 2^high."""
    return np.exp2(rng.uniform(low, high, n))


def around(rng, n, x):
    """Numbers at log-uniform distances from x on both sides."""
    return x + signed(rng, spread(rng, n, -52, -1))


def angles(rng, n):
    quarters = rng.integers(1, 2**20, n) * (PI / 2)
    return [
        rng.uniform(-4, 4, n),
        rng.uniform(-2e5, 2e5, n),
        rng.uniform(2**19, 2**21, n),
        np.nextafter(quarters, signed(rng, np.full(n, INF))),
        np.resize(closest_to_quarters(), n),
        signed(rng, spread(rng, n, -1074, 1024)),
    ]


@cache
def closest_to_quarters():
    """For each exponent e the float m 2^e closest to a multiple of π/2: p/m is a convergent of 2^e·2/π."""
    found = []
    with mp.workprec(2400):
        two_over_pi = 2 / mp.pi
        for e in range(-52, 972):
            x = mp.ldexp(two_over_pi, e)
            before, m = 0, 1
            rest = x - mp.floor(x)
            while m < 2**53:
                best = m
                a = int(1 / rest)
                rest = 1 / rest - a
                before, m = m, a * m + before
            found.append(math.ldexp(best, e))
    return np.array(found)


def unit(rng, n):
    return [
        rng.uniform(-1, 1, n),
        signed(rng, spread(rng, n, -1074, 0)),
        signed(rng, 1 - spread(rng, n, -53, -1)),
        signed(rng, rng.uniform(0.45, 0.55, n)),
    ]


def pairs(rng, n):
    def wide():
        return signed(rng, spread(rng, n, -1074, 1024))

    x = rng.uniform(-3, 3, n)
    return [
        (rng.uniform(-3, 3, n), rng.uniform(-3, 3, n)),
        (signed(rng, spread(rng, n, -20, 20)), signed(rng, spread(rng, n, -20, 20))),
        (wide(), wide()),
        (x, x * around(rng, n, 1.0)),
        (x, x * around(rng, n, math.tan(PI / 8))),
    ]


def multiples(rng, n):
    """Dividends next to multiples of the divisor, and quotients of up to 60 bits."""
    b = signed(rng, spread(rng, n, -30, 30))
    a = b * rng.integers(-(2**20), 2**20, n)
    return [(a, b), (np.nextafter(a, signed(rng, np.full(n, INF))), b), (a * spread(rng, n, 0, 40), b)]


def bases_and_exponents(rng, n):
    near_one, middle = around(rng, n, 1.0), rng.uniform(0.7, 1.42, n)
    wide = spread(rng, n, -1074, 1024)
    small = spread(rng, n, -20, 20)
    return [
        (rng.uniform(0, 4, n), rng.uniform(-50, 50, n)),
        (near_one, rng.uniform(-760, 720, n) / np.log(near_one)),
        (middle, rng.uniform(-760, 720, n) / np.log(middle)),
        (wide, rng.uniform(-1, 1, n)),
        (wide, rng.uniform(-760, 720, n) / np.log(wide)),
        (signed(rng, small), rng.integers(-60, 60, n).astype(float)),
        (small, signed(rng, spread(rng, n, -1074, 0))),
    ]


def ranges(name, rng, n):
    """Arrays of arguments, n in each, that go through every branch of the function and its hard places."""
    anywhere = signed(rng, spread(rng, n, -1074, 1024))
    if name in ("sin", "cos", "sincos", "tan"):
        return angles(rng, n)
    if name in ("asin", "acos", "atanh"):
        return unit(rng, n)
    if name == "atan":
        return [
            rng.uniform(-3, 3, n),
            signed(rng, spread(rng, n, -5, 5)),
            anywhere,
            around(rng, n, math.sqrt(2) - 1),
            around(rng, n, math.sqrt(2) + 1),
        ]
    if name in ("atan2", "hypot"):
        return pairs(rng, n)
    if name in ("remainder", "quotient"):
        return [*pairs(rng, n), *multiples(rng, n)]
    if name == "pow":
        return bases_and_exponents(rng, n)
    if name in ("exp", "expm1", "sinh", "cosh", "tanh"):
        return [
            rng.uniform(-1, 1, n),
            rng.uniform(-40, 40, n),
            rng.uniform(-746, 711, n),
            rng.uniform(709.7, 710.6, n),
            rng.uniform(-745.2, -708, n),
            signed(rng, spread(rng, n, -1074, 10)),
        ]
    if name == "log":
        return [rng.uniform(0, 4, n), rng.uniform(0.7, 1.42, n), around(rng, n, 1.0), np.abs(anywhere)]
    if name == "log1p":
        return [
            rng.uniform(-1, 4, n),
            rng.uniform(-0.3, 0.42, n),
            spread(rng, n, -53, -1) - 1,
            np.abs(anywhere),
            -spread(rng, n, -1074, -1),
        ]
    if name == "acosh":
        return [
            rng.uniform(1, 3, n),
            1 + spread(rng, n, -52, 2),
            spread(rng, n, 0, 1024),
            spread(rng, n, 0, 62),
        ]
    if name == "floor":
        return [rng.uniform(-9, 9, n), around(rng, n, 7.0), anywhere, signed(rng, spread(rng, n, 50, 54))]
    if name == "sqrt":
        return [rng.uniform(0, 4, n), np.abs(anywhere)]
    return [rng.uniform(-3, 3, n), rng.uniform(-9, 9, n), anywhere, signed(rng, spread(rng, n, -40, 62))]


def points(name, count=24000, seed=0):
    """At least `count` points, shared out among the ranges of a function: one array for each argument."""
    kinds = len(ranges(name, np.random.default_rng(seed), 1))
    parts = ranges(name, np.random.default_rng(seed), count // kinds + 1)
    columns = zip(*parts, strict=True) if FUNCTIONS[name].arity == 2 else [parts]
    return [np.concatenate(column) for column in columns]


def exact(rule):
    """A function of two numbers by rational arithmetic."""

    def truth(x, y):
        value = rule(Fraction(float(x)), Fraction(float(y)))
        return arb(flint.fmpq(value.numerator, value.denominator))

    return truth


TRUTH = {
    **{name: getattr(arb, name) for name in ("sin", "cos", "tan", "asin", "acos", "atan", "atan2")},
    **{name: getattr(arb, name) for name in ("exp", "expm1", "log", "log1p", "sqrt", "floor")},
    **{name: getattr(arb, name) for name in ("sinh", "cosh", "tanh", "asinh", "acosh", "atanh")},
    "pow": lambda x, y: x ** (y.unique_fmpz() if x < 0 else y),
    "abs": abs,
    "sign": lambda x: arb((x > 0) - (x < 0)),
    "hypot": lambda x, y: (x * x + y * y).sqrt(),
    "remainder": exact(lambda x, y: x % y),
    "quotient": exact(lambda x, y: Fraction(x // y)),
    "cbrt": lambda x: x.root(3) if x > 0 else -((-x).root(3)),
}


def true_values(truth, columns, precision=128):
    """The function at each point to `precision` bits, with more where that was not enough."""
    values = []
    flint.ctx.prec = precision
    for arguments in zip(*[c.tolist() for c in columns], strict=True):
        balls = [arb(a) for a in arguments]
        value = truth(*balls)
        if value.rel_accuracy_bits() < 80 and value != 0:
            flint.ctx.prec = 2500
            value = truth(*balls)
            flint.ctx.prec = precision
        values.append(value)
    return values


def errors(computed, values):
    """|computed − true| in units in the last place of the true value; none where both are past the range."""
    result = np.zeros(len(computed))
    for i, (y, value) in enumerate(zip(computed.tolist(), values, strict=True)):
        nearest = float(value)
        if math.isfinite(y) and math.isfinite(nearest):
            result[i] = abs(float((arb(y) - value) / math.ulp(nearest)))
        elif not (y == nearest or (abs(nearest) == MAX and y == math.copysign(INF, nearest))):
            result[i] = INF
    return result


def assert_within(bound, computed, values, columns):
    found = errors(computed, values)
    worst = int(np.argmax(found))
    at = [c[worst] for c in columns]
    assert found[worst] <= bound, f"{found[worst]:.4f} ulp at {at}: {computed[worst]!r}"


# ---- tests


@pytest.mark.parametrize("name", NAMES)
def test_error_is_within_the_documented_bound(name):
    columns = points(name)
    values = true_values(TRUTH[name], columns)
    for fused in (False, True):
        assert_within(FUNCTIONS[name].ulp, loops(1, fused)(name, *columns), values, columns)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_error_is_within_the_documented_bound_at_a_million_points(name):
    columns = points(name, 1_000_000, seed=1)
    values = true_values(TRUTH[name], columns)
    for fused in (False, True):
        assert_within(FUNCTIONS[name].ulp, loops(1, fused)(name, *columns), values, columns)


def test_the_table_in_the_docstring_is_the_asserted_one():
    text = elementary.__doc__
    table = {n: float(v) for n, v in re.findall(r"\b([a-z0-9]+) +(\d\.?\d*)(?=  |\n)", text) if n in FUNCTIONS}
    assert table == {name: entry.ulp for name, entry in FUNCTIONS.items()}
    assert max(table.values()) <= 2.0


@pytest.mark.parametrize("fused", [False, True])
@pytest.mark.parametrize("width", WIDTHS[1:])
def test_lanes_equal_scalars_bit_for_bit(width, fused):
    special = [0.0, -0.0, INF, -INF, NAN, MAX, -MAX, TINY, -TINY, 1.0, -1.0]
    for name in (*NAMES, "sincos"):
        columns = points(name)
        grid = list(product(special, repeat=FUNCTIONS[name].arity))
        columns = [np.concatenate([c, g]) for c, g in zip(columns, np.transpose(grid), strict=True)]
        scalar, lanes = (np.atleast_2d(loops(w, fused)(name, *columns)) for w in (1, width))
        assert same_bits(scalar, lanes), name
    x = points("cbrt")[0]
    for n in POWERS:
        name = f"power {n}"
        assert same_bits(loops(1, fused)(name, x), loops(width, fused)(name, x)), name


@pytest.mark.parametrize("width", [1, 8])
def test_a_copy_equals_a_call_bit_for_bit(width):
    for name in NAMES:
        columns = points(name, 4000)
        called, copied = (loops(width, False, inline)(name, *columns) for inline in (False, True))
        assert same_bits(called, copied), name


@pytest.mark.parametrize("fused", [False, True])
def test_sincos_is_sin_and_cos(fused):
    x = points("sincos")[0]
    sine, cosine = loops(1, fused)("sincos", x)
    assert same_bits(sine, loops(1, fused)("sin", x))
    assert same_bits(cosine, loops(1, fused)("cos", x))


@pytest.mark.parametrize("fused", [False, True])
def test_parity_is_exact(fused):
    run = loops(1, fused)
    for name in ("sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh", "cbrt", "sign"):
        x = points(name, 4000)[0]
        assert same_bits(run(name, -x), -run(name, x)), name
    for name in ("cos", "cosh", "abs"):
        x = points(name, 4000)[0]
        assert same_bits(run(name, -x), run(name, x)), name


@pytest.mark.parametrize("fused", [False, True])
@pytest.mark.parametrize("n", POWERS)
def test_whole_powers(n, fused):
    """Against exact fractions."""
    rng = np.random.default_rng(2)
    reach = 1020 / max(abs(n), 1)
    x = np.concatenate([rng.uniform(-2, 2, 1000), signed(rng, spread(rng, 1000, -reach, reach))])
    x = x[np.abs(n * np.log2(np.abs(x))) < 1020]
    found = loops(1, fused)(f"power {n}", x)
    exact = [Fraction(v) ** n for v in x.tolist()]
    flint.ctx.prec = 128
    values = [arb(flint.fmpq(e.numerator, e.denominator)) for e in exact]
    assert_within(WHOLE_POWER_ULP.get(n, 1.1), found, values, [x])


@pytest.mark.parametrize("fused", [False, True])
def test_whole_powers_past_the_range(fused):
    x = np.array([0.0, INF, -INF, 1e300, -1e300, 1e-300, -1e-300, NAN])
    for n in POWERS:
        with np.errstate(all="ignore"):
            expected = x**n if n >= 0 else 1 / x**-n
        assert same_bits(loops(1, fused)(f"power {n}", x), expected), n


SPECIAL = {
    "sin": [(0.0, 0.0), (-0.0, -0.0), (INF, NAN), (-INF, NAN), (TINY, TINY)],
    "cos": [(0.0, 1.0), (-0.0, 1.0), (INF, NAN), (-INF, NAN)],
    "tan": [(0.0, 0.0), (-0.0, -0.0), (INF, NAN), (-INF, NAN), (-TINY, -TINY)],
    "asin": [(0.0, 0.0), (-0.0, -0.0), (1.0, PI / 2), (-1.0, -PI / 2), (1.5, NAN), (INF, NAN), (-INF, NAN)],
    "acos": [(0.0, PI / 2), (-0.0, PI / 2), (1.0, 0.0), (-1.0, PI), (-1.5, NAN), (INF, NAN), (-INF, NAN)],
    "atan": [(0.0, 0.0), (-0.0, -0.0), (INF, PI / 2), (-INF, -PI / 2), (MAX, PI / 2), (TINY, TINY)],
    "exp": [(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, 0.0), (710.0, INF), (-746.0, 0.0), (-MAX, 0.0)],
    "expm1": [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -1.0), (710.0, INF), (-MAX, -1.0), (-TINY, -TINY)],
    "log": [(0.0, -INF), (-0.0, -INF), (1.0, 0.0), (INF, INF), (-1.0, NAN), (-INF, NAN), (-TINY, NAN)],
    "log1p": [(0.0, 0.0), (-0.0, -0.0), (-1.0, -INF), (INF, INF), (-1.5, NAN), (-INF, NAN), (-TINY, -TINY)],
    "sinh": [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (-711.0, -INF), (MAX, INF), (TINY, TINY)],
    "cosh": [(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, INF), (711.0, INF), (-MAX, INF)],
    "tanh": [(0.0, 0.0), (-0.0, -0.0), (INF, 1.0), (-INF, -1.0), (30.0, 1.0), (-MAX, -1.0), (-TINY, -TINY)],
    "asinh": [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (TINY, TINY)],
    "acosh": [(1.0, 0.0), (INF, INF), (0.5, NAN), (-3.0, NAN), (-INF, NAN)],
    "atanh": [(0.0, 0.0), (-0.0, -0.0), (1.0, INF), (-1.0, -INF), (1.5, NAN), (-INF, NAN), (TINY, TINY)],
    "sqrt": [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-1.0, NAN), (-INF, NAN)],
    "cbrt": [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (27.0, 3.0), (-8.0, -2.0)],
    "abs": [(0.0, 0.0), (-0.0, 0.0), (-INF, INF)],
    "sign": [(0.0, 0.0), (-0.0, -0.0), (INF, 1.0), (-INF, -1.0), (TINY, 1.0), (-TINY, -1.0)],
    "floor": [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (TINY, 0.0), (-TINY, -1.0), (-2.0, -2.0)],
}


@pytest.mark.parametrize("fused", [False, True])
@pytest.mark.parametrize("name", SPECIAL)
def test_special_values(name, fused):
    cases = [*SPECIAL[name], (NAN, NAN)]
    x, expected = (np.array(column) for column in zip(*cases, strict=True))
    found = loops(1, fused)(name, x)
    assert same_bits(found, expected), dict(zip(x.tolist(), found.tolist(), strict=True))


@pytest.mark.parametrize("fused", [False, True])
@pytest.mark.parametrize(("name", "reference"), [("pow", np.power), ("atan2", np.arctan2)])
def test_special_pairs_follow_annex_f_of_c99(name, reference, fused):
    """NumPy hands both to the C library, which follows the annex; other results agree to two last places."""
    values = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 1e-5, 1e300, 2.0**53 - 1, 2.0**53, 2.0**52 + 1, TINY, MAX, INF]
    values = [*values, *[-v for v in values], NAN]
    x, y = np.array(list(product(values, repeat=2))).T
    with np.errstate(all="ignore"):
        expected = reference(x, y)
        found = loops(1, fused)(name, x, y)
        exact = np.isnan(expected) | np.isinf(expected) | (expected == 0) | (np.abs(expected) == 1)
        assert same_bits(found[exact], expected[exact])
        assert np.all(np.abs(found - expected)[~exact] <= 2 * np.spacing(np.abs(expected[~exact])))


@pytest.mark.slow
@pytest.mark.parametrize("name", minimax.polynomials())
def test_polynomials_are_those_of_the_derivation(name):
    with mp.workdps(60):
        _, g, w, interval, degree, fixed = minimax.polynomials()[name]
        derived, error = minimax.rounded(g, w, interval, degree, fixed)
    assert tuple(derived) == getattr(coefficients, name)
    if name != "INVERSE_CUBE_ROOT":  # an approximation that is improved upon
        assert error < 2.0**-57


def test_constants_are_sums_of_their_parts():
    flint.ctx.prec = 1500

    def misses(parts, value):
        return float(abs(sum((arb(p) for p in parts), arb(0)) - value))

    half_pi, ln2 = arb.pi() / 2, arb(2).log()
    assert misses(coefficients.HALF_PI_PARTS, half_pi) < 2.0**-140
    assert misses(coefficients.HALF_PI, half_pi) < 2.0**-107
    assert misses(coefficients.LN2, ln2) < 2.0**-98
    assert misses(coefficients.TWO_THIRDS, arb(2) / 3) < 2.0**-107
    assert float(1 / half_pi) == coefficients.TWO_OVER_PI
    assert float(1 / ln2) == coefficients.LOG2_E
    words = coefficients.TWO_OVER_PI_WORDS
    digits = (2 ** (64 * (len(words) - 1)) / half_pi).floor().unique_fmpz()
    assert sum(w << 64 * i for i, w in enumerate(reversed(words))) == int(digits)


TARGETS = [
    ("x86_64-unknown-linux-gnu", "x86-64", 1, False),
    ("x86_64-unknown-linux-gnu", "x86-64", 2, False),
    ("x86_64-unknown-linux-gnu", "x86-64-v3", 4, True),
    ("x86_64-unknown-linux-gnu", "x86-64-v4", 8, True),
    ("x86_64-pc-windows-msvc", "x86-64", 2, False),
    ("x86_64-pc-windows-msvc", "x86-64-v3", 4, True),
    ("arm64-apple-darwin", "apple-m1", 1, True),
    ("aarch64-unknown-linux-gnu", "", 2, True),
]


@pytest.mark.slow
@pytest.mark.parametrize(("triple", "cpu", "width", "fused"), TARGETS)
def test_no_target_calls_a_library(triple, cpu, width, fused):
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    module = ir.Module()
    for name in (*NAMES, "sincos"):
        entry = FUNCTIONS[name]

        def body(b, a, name=name, results=entry.results):
            if results == 2:
                return elementary.emit_sincos(b, a[0], fused)
            return [elementary.emit(b, name, a, fused)]

        add_loop(module, f"loop_{name}", width, entry.arity, entry.results, body)
    target = llvm.Target.from_triple(triple).create_target_machine(cpu=cpu, opt=1, codemodel="small")
    assembly = target.emit_assembly(llvm.parse_assembly(str(module)))
    called = re.findall(r"^\s+(?:callq?|bl|blr|jmp|b)\s+\*?\"?_?([A-Za-z][\w.$]*)", assembly, re.MULTILINE)
    called = {name for name in called if not name.startswith(("LBB", "r"))}
    assert called, "the functions are called"
    assert all(name.startswith("zeromass.") for name in called), called


def test_errors_name_what_is_wrong():
    b = ir.IRBuilder(ir.Function(ir.Module(), ir.FunctionType(ir.VoidType(), []), "f").append_basic_block())
    x, pair = ir.Constant(ir.DoubleType(), 1.0), ir.Constant(lane_type(2), 1.0)
    with pytest.raises(ValueError, match="no elementary function 'sine'; there are abs, acos"):
        elementary.emit(b, "sine", [x], False)
    with pytest.raises(ValueError, match=r"atan2 takes 2 argument\(s\), not 1"):
        elementary.emit(b, "atan2", [x], False)
    with pytest.raises(TypeError, match="the arguments of pow differ in type: double, <2 x double>"):
        elementary.emit(b, "pow", [x, pair], False)
    with pytest.raises(TypeError, match=r"take double or <N x double>, not i64"):
        elementary.emit(b, "exp", [ir.Constant(INT64, 1)], False)
