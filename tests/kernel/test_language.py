"""Kernels have the same bits as Python, machine code and WebAssembly, whatever the numbers."""

from __future__ import annotations

import itertools
import math
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated

import llvmlite.binding as llvm
import numpy as np
import pytest

from kernel.same_bits import assert_same_bits, bits, copied
from zeromass.codegen.cuda import cuda
from zeromass.codegen.passes import optimised
from zeromass.codegen.target import LEVELS, Target, levels
from zeromass.kernel import functions
from zeromass.kernel.functions import cos, exp
from zeromass.kernel.language import (
    Address,
    Compiled,
    Ints,
    Reals,
    Reals2,
    Struct,
    compiled,
    copysign,
    function,
    ints,
    kernel,
    reals,
    sqrt,
    text_of,
    ulp,
)

SPECIAL = [0.0, -0.0, 1.0, -1.5, 0.1, 1e300, -1e300, 5e-324, math.inf, -math.inf, math.nan, 2.0**53 + 2]
PAIRS = list(itertools.product(SPECIAL, SPECIAL))
WEIGHTS = (0.25, 0.5, 0.25)
TABLE = np.arange(6.0).reshape(2, 3)


@kernel
def arithmetic(a: float, b: float, out: Reals) -> bool:
    out[0] = a + b
    out[1] = a - b
    out[2] = a * b
    out[3] = a / b
    out[4] = -a
    out[5] = abs(a)
    out[6] = min(a, b)
    out[7] = max(a, b)
    out[8] = sqrt(a)
    out[9] = copysign(a, b)
    out[10] = a * b + b
    out[11] = 1.0 if a < b else 2.0 if a <= b else 3.0
    out[11] /= b
    return (a < b) ^ (a == b) ^ (a != b) or not a >= b


@kernel
def whole(a: int, b: int, out: Ints) -> int:
    out[0] = a // b
    out[1] = a % b
    out[2] = abs(a) + (a & b) - (a | b) * (a ^ b)
    out[3] = max(a, b, 3)
    return a - b


@kernel
def converted(x: float) -> int:
    return int(x) + 3


@kernel
def smooth(x: Reals, out: Reals) -> None:
    """A running mean."""
    n = len(x)
    for i in range(1, n - 1):
        total = 0.0
        for k in range(3):
            total += WEIGHTS[k] * x[i + k - 1]
        out[i] = total
    out[0], out[n - 1] = x[n - 1], x[0]


@kernel
def product(A: Reals2, B: Reals2, C: Reals2) -> float:
    """C = A B by rows of it, and a sum with a table of the module."""
    rows, columns = C.shape
    local = reals(2, 3)
    local[:] = TABLE
    total = 0.0
    for i in range(rows):
        row = C[i]
        row[:] = 0.0
        for j in range(columns):
            row[j] = dot(A[i], B[j]) + local[i % 2, j % 3]
        C[i, 1:] = row[: columns - 1]
        total += C[i, 0]
    return total


@kernel
def dot(x: Reals, y: Reals) -> float:
    total = 0.0
    for i in range(len(x)):
        total += x[i] * y[i]
    return total


@kernel
def halved(x: float, least: float) -> tuple[float, int]:
    """How often x is halved until it is small: `while`, `break`, `continue`, and two results."""
    count = 0
    while True:
        x *= 0.5
        count += 1
        if count % 2 == 1:
            continue
        if abs(x) <= least or count > 2000:
            break
    return x, count


@kernel
def countdown(n: int, seen: Ints) -> int:
    last = -1
    place = 0
    for k in range(n - 1, -1, -2):
        last, place = k, place + 1
        seen[place] = last
    x, count = halved(float(n), 1e-3)
    return count * last if x < 1.0 else last


class Particle(Struct):
    mass: float
    hits: int
    alive: bool
    x: Reals
    force: Annotated[Callable[[int, float], float], function(Address, float, result=float)]
    context: Address


@kernel
def spring(context: Address, x: float) -> float:
    return -2.0 * x


@kernel
def pushed(p: Particle, h: float) -> int:
    for i in range(len(p.x)):
        p.x[i] += h * p.force(p.context, p.x[i]) / p.mass
        if p.x[i] < 0.0 and p.alive:
            p.hits += 1
    p.mass *= 1.5
    p.alive = p.hits < 2
    return p.hits


@kernel
def sorted_places(x: Reals, order: Ints) -> None:
    """Insertion, with a local array."""
    taken = ints(8)
    for i in range(len(x)):
        j = i
        while j > 0 and x[order[j - 1]] > x[i]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = i
        taken[i % 8] += 1
    order[0] += taken[0] - taken[0]


def test_arithmetic_is_that_of_ieee_754(tmp_path):
    assert_same_bits(arithmetic, [(a, b, np.zeros(12)) for a, b in PAIRS], tmp_path)
    out = np.zeros(12)
    arithmetic(1.0, 0.0, out)
    assert out[3] == math.inf
    arithmetic(-1.0, 0.0, out)
    assert out[3] == -math.inf
    assert math.isnan(out[8])


def test_ints_are_rounded_as_python_does(tmp_path):
    some = [-7, -2, -1, 1, 2, 5, 10**9]
    assert_same_bits(whole, [(a, b, np.zeros(4, dtype=np.int64)) for a in [0, *some] for b in some], tmp_path)


def test_floats_become_ints_towards_zero_and_within_64_bits(tmp_path):
    assert_same_bits(converted, [(x,) for x in (*SPECIAL[:7], 2.9, -2.9, math.nan, 9e18)], tmp_path)


def test_arrays(tmp_path):
    rng = np.random.default_rng(1)
    assert_same_bits(smooth, [(rng.normal(size=n), np.zeros(n)) for n in (2, 3, 40)], tmp_path)
    problems = [(rng.normal(size=(3, 5)), rng.normal(size=(4, 5)), np.zeros((3, 4))) for _ in range(5)]
    assert_same_bits(product, problems, tmp_path)
    orders = [(rng.normal(size=n), np.zeros(n, dtype=np.int64)) for n in (1, 2, 9, 30)]
    assert_same_bits(sorted_places, orders, tmp_path)
    x, order = orders[-1]
    compiled(sorted_places)(x, order)
    assert np.array_equal(order, np.argsort(x))


def test_control(tmp_path):
    assert_same_bits(countdown, [(n, np.zeros(40, dtype=np.int64)) for n in (0, 1, 2, 7, 30)], tmp_path)


def test_structs_and_pointers_to_machine_code(tmp_path):
    """The same words in memory, whoever writes them; a pointer leads to Python, to machine code, or into a table."""
    from kernel.node import MISSING, in_node, node

    def particle(force: object) -> Particle:
        return Particle(mass=0.7, hits=0, alive=True, x=np.array([0.3, -2.0, 5.0]), force=force, context=0)

    mine, theirs = particle(spring), particle(compiled(spring).address)
    results = [pushed(mine, 0.1), compiled(pushed)(theirs, 0.1)]
    assert bits([results[0], mine]) == bits([results[1], theirs])
    called = particle(compiled(spring).address)
    pushed(called, 0.1)  # as Python, with machine code behind the pointer
    assert bits(called) == bits(mine)
    if node() is None:
        pytest.skip(MISSING)
    there = particle(spring)
    results += in_node([(pushed, [there, 0.1])], tmp_path, [spring])
    assert bits([results[0], mine]) == bits([results[2], there])


@pytest.mark.parametrize("name", functions.ELEMENTARY)
def test_elementary_functions(name, tmp_path):
    from zeromass.codegen.elementary import FUNCTIONS

    f = getattr(functions, name)
    if FUNCTIONS[name].arity == 1:

        @kernel
        def called(x: float) -> float:
            return f(x)

        problems = [(x,) for x in (*SPECIAL, 0.7, -0.3, 40.0)]
    else:

        @kernel
        def called(x: float, y: float) -> float:
            return f(x, y)

        problems = PAIRS[::7]
    first = [bits(called(*args)) for args in problems]
    assert first == [bits(compiled(called)(*args)) for args in problems]


def test_elementary_functions_in_node(tmp_path):
    @kernel
    def both(x: float) -> float:
        return cos(x) * exp(-x) + ulp(x)

    assert_same_bits(both, [(x,) for x in (0.0, -0.3, 7.0, 1e5, 1e-9)], tmp_path)


def test_every_processor_has_the_same_bits():
    """Whether or not it has an instruction for a·b + c: none is fused."""
    triple = llvm.get_process_triple()
    out = [np.zeros(12) for _ in PAIRS]
    for (a, b), row in zip(PAIRS, out, strict=True):
        arithmetic(a, b, row)
    for name in levels():
        target = Target(triple, name, LEVELS[name].features, 1, LEVELS[name].fused)
        code = Compiled(arithmetic, target)
        for (a, b), row in zip(PAIRS, out, strict=True):
            mine = np.zeros(12)
            code(a, b, mine)
            assert bits(mine) == bits(row), (name, a, b)


@pytest.mark.parametrize("k", [arithmetic, whole, product, countdown, pushed, sorted_places], ids=lambda k: k.name)
def test_cards_have_code_for_it(k):
    """PTX for every kernel; nothing is fused there either, unless the assembler is asked to."""
    module, machine = optimised([text_of(k, target=cuda())], cuda(), ())
    text = machine.emit_assembly(module)
    assert f".visible .func  (.param .b64 func_retval0) {k.name}" in text or f".visible .func {k.name}" in text
    assert "fma.rn.f64" not in text
    assert "mul.f64" not in text  # which an assembler may fuse; mul.rn.f64 it may not


def test_arguments_of_the_wrong_type_are_named():
    with pytest.raises(TypeError, match=r"array of int64, shape \(3,\) was given where float\[:\] is needed"):
        compiled(dot)(np.arange(3), np.arange(3.0))
    with pytest.raises(TypeError, match="array with gaps"):
        compiled(dot)(np.arange(6.0)[::2], np.arange(3.0))
    with pytest.raises(TypeError, match=r"where Particle is needed"):
        compiled(pushed)(3, 0.1)
    with pytest.raises(AttributeError, match="Particle has no field 'weight'; there are mass, hits"):
        Particle(weight=1.0)


def test_copies_of_structs_are_apart():
    one = Particle(mass=1.0, hits=3, alive=True, x=np.ones(2), force=spring, context=7)
    two = copied(one)
    two.x[0], two.mass = 5.0, 2.0
    assert (one.x[0], one.mass, one.hits, two.hits, two.context, two.alive) == (1.0, 1.0, 3, 3, 7, True)


def test_threads_share_the_machine_code_of_a_kernel():
    """What another thread compiles at the same time does not replace it: its address may stand in a struct by then."""

    @kernel
    def twice(x: float) -> float:
        return 2.0 * x

    together = threading.Barrier(4)

    def made() -> Compiled:
        together.wait()
        return compiled(twice)

    with ThreadPoolExecutor(4) as threads:
        found = [future.result() for future in [threads.submit(made) for _ in range(4)]]
    assert all(one is compiled(twice) for one in found)
