"""Quotients and roots for graphics cards, with what a card knows of them, the upper half of a number, made here."""

from __future__ import annotations

import ctypes
import re
from functools import cache
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import pytest

from zeromass.codegen.cuda import cuda
from zeromass.codegen.passes import optimised
from zeromass.codegen.target import host
from zeromass.compile.quotients import FUNCTIONS, FUSED, without_branches
from zeromass.study.gpu_driver import Card, NoCard, Stream, packed

COUNT = 200_000

GUESSES = """
declare double @llvm.sqrt.f64(double)
define internal double @upper(double %x) alwaysinline {
  %bits = bitcast double %x to i64
  %half = and i64 %bits, -4294967296
  %r = bitcast i64 %half to double
  ret double %r
}
define internal double @rcp(double %b) alwaysinline {
  %x = fdiv double 1.0, %b
  %r = call double @upper(double %x)
  ret double %r
}
define internal double @rsqrt(double %b) alwaysinline {
  %s = call double @llvm.sqrt.f64(double %b)
  %x = fdiv double 1.0, %s
  %r = call double @upper(double %x)
  ret double %r
}
"""


def each(name: str, call: str) -> str:
    """A function that takes arrays a, b and writes what `call` gives of their numbers."""
    return f"""
define void @{name}(ptr %a, ptr %b, ptr %to, i64 %count) {{
entry:
  br label %loop
loop:
  %k = phi i64 [0, %entry], [%next, %loop]
  %at_a = getelementptr double, ptr %a, i64 %k
  %at_b = getelementptr double, ptr %b, i64 %k
  %x = load double, ptr %at_a
  %y = load double, ptr %at_b
  %z = {call}
  %at = getelementptr double, ptr %to, i64 %k
  store double %z, ptr %at
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %loop, label %end
end:
  ret void
}}
"""


@cache
def engine() -> Any:
    guesses = re.sub(r'asm "(rcp|rsqrt)\.approx[^"]*", "=d,d"', r"@\1", FUNCTIONS)
    text = FUSED + GUESSES + guesses
    text += each("reciprocal", "call double @card.reciprocal(double %y)")
    text += each("quotient", "call double @card.quotient(double %x, double %y)")
    text += each("root", "call double @card.root(double %x)")
    module, machine = optimised([text], host().scalar, ())
    made = llvm.create_mcjit_compiler(module, machine)
    made.finalize_object()
    return made


def computed(name: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    kinds = [ctypes.c_void_p] * 3 + [ctypes.c_int64]
    found = np.empty_like(a)
    call = ctypes.CFUNCTYPE(None, *kinds)(engine().get_function_address(name))
    call(a.ctypes.data, b.ctypes.data, found.ctypes.data, len(a))
    return found


def numbers(seed: int) -> np.ndarray:
    """Some of all sizes, and many beside powers of two, where roundings are closest: a last digit more or less."""
    rng = np.random.default_rng(seed)
    spread = rng.uniform(1.0, 2.0, COUNT) * 2.0 ** rng.integers(-400, 400, COUNT) * rng.choice([-1.0, 1.0], COUNT)
    near = np.concatenate([1.0 + np.arange(1000) * 2.0**-52, 1.0 - np.arange(1000) * 2.0**-53])
    return np.concatenate([spread, near, 2.0 * near, rng.permutation(near) * 2.0**300])


def same(found: np.ndarray, exact: np.ndarray) -> None:
    there = ~np.isnan(exact)
    np.testing.assert_array_equal(found[there].view(np.int64), exact[there].view(np.int64))
    assert np.isnan(found[~there]).all()


def test_reciprocals_are_rounded_as_here() -> None:
    b = numbers(0)
    same(computed("reciprocal", b, b), 1.0 / b)


def test_quotients_are_rounded_as_here() -> None:
    a, b = np.random.default_rng(2).permutation(numbers(0)), numbers(1)
    same(computed("quotient", a, b), a / b)


def test_roots_are_rounded_as_here() -> None:
    x = np.concatenate([np.abs(numbers(0)), 2.0 ** np.arange(-1074, 1024), np.arange(1, 1000) * 5e-324])
    same(computed("root", x, x), np.sqrt(x))


@pytest.mark.parametrize("name", ["reciprocal", "quotient", "root"])
def test_what_is_no_ordinary_number(name: str) -> None:
    some = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 1e300, -1e-300])
    a, b = (np.ascontiguousarray(x.ravel()) for x in np.meshgrid(some, some))
    with np.errstate(all="ignore"):
        exact = {"reciprocal": 1.0 / b, "quotient": a / b, "root": np.sqrt(np.abs(a))}[name]
    same(computed(name, np.abs(a) if name == "root" else a, b), exact)


def card() -> Card | None:
    try:
        return Card.first()
    except NoCard:
        return None


@pytest.mark.skipif(card() is None, reason="there is no graphics card of NVIDIA's here")
@pytest.mark.parametrize("name", ["reciprocal", "quotient", "root"])
def test_a_card_rounds_as_here(name: str) -> None:
    arguments = "double %x" if name == "root" else "double %y" if name == "reciprocal" else "double %x, double %y"
    text = each(name, f"call double @card.{name}({arguments})").replace("ptr %", "ptr addrspace(1) %")
    text = text.replace("define void", "define ptx_kernel void")
    module, machine = optimised([FUSED + FUNCTIONS + text], cuda(), ())
    kernel, stream = Card.first().kernel(machine.emit_assembly(module), name, 32, 0), Stream(Card.first())
    a, b = np.abs(np.random.default_rng(2).permutation(numbers(0))), numbers(1)
    inputs = [stream.memory(x) for x in (a, b)]
    to = stream.memory(a)
    kernel(stream, *packed([*[x.address for x in inputs], to.address, len(a)]))
    exact = {"reciprocal": 1.0 / b, "quotient": a / b, "root": np.sqrt(a)}[name]
    same(stream.read(to, np.empty_like(a)), exact)


def test_only_quotients_and_roots_are_replaced() -> None:
    text = """
declare double @llvm.sqrt.f64(double)
define double @f(double %x, double %y) {
  %a = fdiv double 0x3FF0000000000000, %x
  %b = fdiv double %a, %y
  %c = call double @llvm.sqrt.f64(double %b)
  %d = fmul double %c, %a
  ret double %d
}
"""
    found = without_branches(text)
    body = found[: found.index("@card.reciprocal(double %b) alwaysinline")]
    assert "fdiv" not in body
    assert "%a = call double @card.reciprocal(double %x)" in body
    assert "%b = call double @card.quotient(double %a, double %y)" in body
    assert "%c = call double @card.root(double %b)" in body
    assert "%d = fmul double %c, %a" in body
