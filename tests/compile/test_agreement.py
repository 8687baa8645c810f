"""Operations with hard corners agree wherever a formula is computed: NumPy's floats, `evaluate`, machine code, C, mpmath.

hypot, %, //, maximum and minimum, on all pairs of special numbers and on random pairs of numbers near them: overflow,
underflow, infinities, not-a-numbers, signed zeros, operands of either sign, quotients of a thousand bits, zero divisors.
"""

from __future__ import annotations

import ctypes
import itertools
import math
import shutil
import subprocess
from fractions import Fraction
from functools import cache

import llvmlite.binding as llvm
import mpmath
import numpy as np
import pytest

import zeromass as zm
from zeromass.codegen import elementary, ir
from zeromass.codegen.target import host
from zeromass.compile.lanes import LaneFunction
from zeromass.compile.straight import Flavour, StraightLine

x, y = zm.coordinates("x y")
FORMULAS = {
    "hypot": np.hypot(x, y),
    "remainder": x % y,
    "floor_divide": x // y,
    "maximum": np.maximum(x, y),
    "minimum": np.minimum(x, y),
}
SPECIAL = [0.0, 5e-324, 1e-310, 2.2250738585072014e-308, 1e-200, 1e-160, 0.1, 0.5, 1.0, 3.0, 7.5, 2.0**52, 2.0**53]
SPECIAL += [1e20, 1e154, 1e200, 1.7976931348623157e308, np.inf]
SPECIAL += [-number for number in SPECIAL] + [np.nan]
HYPOT_ULP = 1
"""What the C library promises of its hypot; ours is within 0.51 of a unit."""


@cache
def points() -> np.ndarray:
    """All pairs of special numbers, and random pairs made of them with a few bits changed."""
    pairs = np.array(list(itertools.product(SPECIAL, repeat=2)))
    random = np.random.default_rng(5)
    near = random.choice(SPECIAL, (4000, 2)) * random.choice([1.0, 1 - 2**-53, 0.75, 0.3], (4000, 2))
    plain = random.normal(size=(1000, 2)) * 10.0 ** random.uniform(-6, 6, (1000, 2))
    multiples = plain[:, :1] * random.integers(-50, 50, (1000, 1))
    return np.concatenate([pairs, near, plain, np.concatenate([multiples, plain[:, :1]], axis=1)])


def numpy_values(name: str) -> np.ndarray:
    with np.errstate(all="ignore"):
        return getattr(np, name)(*points().T)


def different(name: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Pairs at which two results differ: in a bit, or for hypot by more than a unit."""
    same = (a.view(np.int64) == b.view(np.int64)) | (np.isnan(a) & np.isnan(b))
    if name in ("maximum", "minimum"):  # of two zeros NumPy returns whichever the machine likes
        same |= (a == b) & (a == 0)
    if name == "hypot":
        with np.errstate(all="ignore"):
            same |= np.abs(a - b) <= HYPOT_ULP * np.spacing(np.minimum(np.abs(a), np.abs(b)))
    return points()[~same]


def bits(a: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(a), -1, a.view(np.int64))


@pytest.mark.parametrize("name", FORMULAS)
def test_evaluate_is_numpy(name):
    found = zm.expression.evaluate(FORMULAS[name], {x: points()[:, 0], y: points()[:, 1]})
    assert len(different(name, found, numpy_values(name))) == 0
    one_by_one = [zm.expression.evaluate(FORMULAS[name], {x: a, y: b}) for a, b in points()[:1500]]
    assert np.array_equal(bits(np.array(one_by_one)), bits(found[:1500]))


@pytest.mark.parametrize("name", FORMULAS)
def test_machine_code_is_numpy(name):
    found = LaneFunction(FORMULAS[name], [x, y], host().scalar)(points())
    assert len(different(name, found, numpy_values(name))) == 0
    if name != "hypot":  # zeros of `evaluate` have the sign that machine code gives them
        assert np.array_equal(
            bits(found), bits(zm.expression.evaluate(FORMULAS[name], {x: points()[:, 0], y: points()[:, 1]}))
        )


def compiled(name: str, width: int, fused: bool) -> np.ndarray:
    """Values from code for so many lanes, with or without fused operations."""
    line = StraightLine("f", [[x, y]], [[FORMULAS[name]]], Flavour(width, fused))
    module = ir.Module()
    for call in line.calls:
        kind = ir.DoubleType() if width == 1 else ir.VectorType(ir.DoubleType(), width)
        elementary.function(module, call, kind, fused)
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), jit=True
    )
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(str(module) + line.text), target)
    engine.finalize_object()
    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(engine.get_function_address("f"))
    rows = np.resize(points(), (-(-len(points()) // width) * width, 2)).reshape(-1, width, 2).swapaxes(1, 2).copy()
    out = np.empty((len(rows), width))
    for given, result in zip(rows, out, strict=True):
        call(given.ctypes.data, result.ctypes.data)
    return out.ravel()[: len(points())]


@pytest.mark.parametrize("fused", [False, True])
@pytest.mark.parametrize("name", FORMULAS)
def test_lanes_and_machines_give_the_same_bits(name, fused):
    """Whatever the number of lanes, and whether products are fused or not."""
    if fused and not llvm.get_host_cpu_features().get("fma", llvm.get_process_triple()[:3] in ("aar", "arm")):
        pytest.skip("no fused multiply-add here")
    scalar = bits(LaneFunction(FORMULAS[name], [x, y], host().scalar)(points()))
    for width in (1, 2, 4, 8):
        assert np.array_equal(bits(compiled(name, width, fused)), scalar), width


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler 'cc' on this machine")
def test_c_is_numpy(tmp_path):
    (tmp_path / "f.c").write_text(zm.export.c_code(list(FORMULAS.values()), [x, y], name="f"))
    flags = ["-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-pedantic", "-shared", "-fPIC"]
    subprocess.run(["cc", *flags, "f.c", "-o", "f.so", "-lm"], cwd=tmp_path, check=True)
    f = ctypes.CDLL(str(tmp_path / "f.so")).f
    f.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    out = np.empty((len(points()), len(FORMULAS)))
    for given, result in zip(points(), out, strict=True):
        f(given.ctypes.data, result.ctypes.data)
    for k, name in enumerate(FORMULAS):
        assert len(different(name, out[:, k].copy(), numpy_values(name))) == 0, name


def test_hypot_is_that_of_mpmath():
    found = LaneFunction(FORMULAS["hypot"], [x, y], host().scalar)(points())
    with mpmath.workprec(2400):
        for (a, b), value in zip(points(), found, strict=True):
            if math.isfinite(a) and math.isfinite(b):
                true = mpmath.sqrt(mpmath.mpf(a) ** 2 + mpmath.mpf(b) ** 2)
                nearest = float(true)
                assert value == nearest or abs(mpmath.mpf(value) - true) <= 0.51 * math.ulp(nearest), (a, b)
            else:
                assert value == np.inf or (math.isnan(value) and not (math.isinf(a) or math.isinf(b)))


def test_remainder_is_the_exact_one_rounded():
    """a − b ⌊a/b⌋ of rational numbers; and floor_divide the whole number that belongs to it, while that is below 2⁵⁰."""
    values = LaneFunction([x % y, x // y], [x, y], host().scalar)(points())
    for (a, b), (r, n) in zip(points(), values, strict=True):
        if math.isfinite(a) and math.isfinite(b) and b:
            assert r == float(Fraction(a) % Fraction(b)), (a, b)
            assert math.copysign(1, r) == math.copysign(1, b)
            whole = Fraction(a) // Fraction(b)
            if abs(whole) < 2**50:
                assert n == whole, (a, b)


CORNERS = {
    "hypot": [
        ((1e200, 1e200), math.sqrt(2) * 1e200),
        ((1e-200, 1e-200), math.sqrt(2) * 1e-200),
        ((np.inf, np.nan), np.inf),
    ],
    "remainder": [
        ((-1.0, 3.0), 2.0),
        ((1.0, -3.0), -2.0),
        ((1e300, 3.0), float(int(1e300) % 3)),
        ((-1.0, np.inf), np.inf),
    ],
    "floor_divide": [((-1.0, 3.0), -1.0), ((1.0, 0.0), np.inf), ((-1.0, 0.0), -np.inf), ((7.5, -2.0), -4.0)],
    "maximum": [((np.nan, 1.0), np.nan), ((1.0, np.nan), np.nan), ((-np.inf, 2.0), 2.0)],
    "minimum": [((np.nan, 1.0), np.nan), ((1.0, np.nan), np.nan), ((-np.inf, 2.0), -np.inf)],
}


@pytest.mark.parametrize("name", CORNERS)
def test_corners(name):
    f = LaneFunction(FORMULAS[name], [x, y], host().scalar)
    for (a, b), expected in CORNERS[name]:
        for value in (f([a, b]), zm.expression.evaluate(FORMULAS[name], {x: a, y: b})):
            assert value == pytest.approx(expected, rel=2.3e-16, nan_ok=True), (a, b)


@pytest.mark.parametrize("name", FORMULAS)
def test_slopes_are_those_of_differences(name):
    """Central differences of the formula away from its kinks, to their error h² and rounding ε/h."""
    h = 1e-5
    for a, b in np.random.default_rng(1).uniform(-3, 3, (40, 2)):
        quotient = a / b
        if abs(quotient - round(quotient)) < 1e-2 or abs(a - b) < 1e-2 or abs(b) < 0.1:
            continue

        def at(da, db, a=a, b=b):
            return zm.expression.evaluate(FORMULAS[name], {x: a + da, y: b + db})

        slopes = zm.expression.evaluate(zm.expression.gradient(FORMULAS[name], [x, y]), {x: a, y: b})
        differences = [(at(h, 0) - at(-h, 0)) / (2 * h), (at(0, h) - at(0, -h)) / (2 * h)]
        np.testing.assert_allclose(slopes, differences, atol=1e-7)
        forward = zm.expression.evaluate([zm.expression.derivative(FORMULAS[name], v) for v in (x, y)], {x: a, y: b})
        np.testing.assert_array_equal(forward, slopes)
