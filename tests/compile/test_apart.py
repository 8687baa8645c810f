"""Functions of very many operations are made of several, each of some of the outputs."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import zeromass as zm
from zeromass.codegen.target import host
from zeromass.compile import module
from zeromass.compile.module import code


def test_parts_compute_what_one_function_does(monkeypatch):
    x = zm.coordinates("x0 x1 x2 x3 x4")
    random = np.random.default_rng(0)
    outputs = [np.sin(a * b + c) * np.exp(a - c) for a, b, c in random.choice(x, size=(40, 3))]
    places, found = random.normal(size=len(x)), []
    for part in (10**6, 40):
        monkeypatch.setattr(module, "PART", part)
        made = code({"f": ([list(x)], [outputs])}, host().scalar, apart=True)
        values = np.full(len(outputs) + 1, np.pi)
        made.function("f", None, *[ctypes.c_void_p] * 2)(places.ctypes.data, values.ctypes.data)
        assert made.address("f.1") if part == 40 else not made.address("f.1")
        found.append(values)
    np.testing.assert_allclose(found[1], found[0], rtol=1e-15)  # products may be fused in one and not in the other
    assert found[1][-1] == np.pi


def test_the_jacobian_of_a_stiff_rope_in_parts(monkeypatch):
    """The same motion as with its Jacobian in one piece."""
    a = zm.coordinates("a0 a1 a2 a3 a4 a5")
    x = z = energy = potential = 0.0
    for angle in a:
        x, z = x + np.cos(angle) / 6, z - np.sin(angle) / 6
        energy = energy + (zm.rate(x) ** 2 + zm.rate(z) ** 2) / 2
        potential = potential + 9.81 * z + 1e5 * np.maximum(-0.5 - z, 0.0) ** 2 / 2
    ends = []
    for part in (10**6, 500):
        monkeypatch.setattr(module, "PART", part)
        rope = zm.System(kinetic=energy, potential=potential)
        run = zm.simulate(rope, rope.start(dict.fromkeys(a, 0.0)), until=0.34, method="radau")
        assert run.outcome.ending == "finished"
        assert run.switches
        ends.append(run.y[-1])
    assert ends[1] == pytest.approx(ends[0], abs=1e-6)  # rtol 1e-10, magnified by contacts of 1e5 N/m
