"""Tangents of large systems: those of their kinds are those of formulas."""

from __future__ import annotations

import ctypes
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import zeromass as zm
from cases import few
from compile.large import SHAPES
from compile.test_rolled import Pair
from links import Links, g
from zeromass.analysis.tangent import allowed_directions
from zeromass.codegen.target import host
from zeromass.compile.program import program_at


@pytest.fixture(scope="module", params=["balls", *few([name for name in SHAPES if name != "balls"])])
def pair(request: pytest.FixtureRequest) -> Pair:
    shape, count = SHAPES[request.param]
    return Pair(shape(count))


@pytest.fixture(scope="module")
def links() -> Links:
    return Links(2)


def test_the_derivative_of_accelerations_is_that_of_formulas(pair: Pair) -> None:
    """Along the constraints, as rows that repeat others do so there alone; to rounding times a condition of some 100."""
    written = pair.written()
    exact = program_at(pair.plain, written).native.jacobian(written.inputs)
    found = pair.program.native.jacobian(pair.start.inputs)
    run = zm.simulate(pair.plain, written, until=1e-3)
    N = allowed_directions(run)
    assert np.abs((found - exact) @ N).max() < 1e-11 * max(1.0, np.abs(exact @ N).max())


@pytest.fixture(scope="module")
def run(links: Links) -> zm.Run:
    return zm.simulate(links.rolled, links.start(links.rolled), until=0.2, rtol=1e-11)


@pytest.fixture(scope="module")
def other(links: Links, run: zm.Run) -> zm.Run:
    """The same by formulas."""
    return zm.simulate(links.plain, links.written(run.start), until=0.2, rtol=1e-11)


def test_a_tangent_has_the_same_bits_in_any_lane_and_thread(links: Links, run: zm.Run) -> None:
    native: Any = run.program.native
    inputs = run.start.inputs
    known = native.jacobian(inputs)
    with ThreadPoolExecutor(2) as pool:
        assert all(np.array_equal(known, found) for found in pool.map(native.jacobian, [inputs] * 4))
    n = len(links.rolled.coordinates)
    y, δ = np.ascontiguousarray(inputs[1 : 1 + 2 * n]), np.eye(2 * n)
    for lanes in {1, 2, host().width}:
        call = native.along(lanes).code.function("tangent", None, *[ctypes.c_void_p] * 7)
        time, state, values, growth = (np.repeat(x, lanes) for x in (inputs[:1], y, np.append(inputs[-1:], 0.0), 0.0))
        ẏ, δẏ = np.empty((2, 2 * n, lanes))
        columns = np.ascontiguousarray(δ[:, 5 : 5 + lanes])
        call(*[x.ctypes.data for x in (time, state, columns, values, ẏ, δẏ, growth)])
        assert np.array_equal(δẏ[n:], known[:, 5 : 5 + lanes])
        assert np.array_equal(δẏ[:n], columns[n:])
        assert np.array_equal(ẏ[n:, 0], native.accelerations(inputs[None])[0])


def test_sensitivities_are_those_of_formulas(links: Links, run: zm.Run, other: zm.Run) -> None:
    """By the start and by a parameter, both to the tolerance of the tangents, which grow to five times their size."""
    found, exact = run.sensitivity(), other.sensitivity()
    assert list(run.system.parameters) == [g]
    assert np.abs(found.start - exact.start).max() < 1e-10
    assert np.abs(found.parameters - exact.parameters).max() < 1e-10
    outputs = [links.tip[2], zm.acceleration(links.tip[2]), g * links.tip[0]]
    of, known = found.of(outputs), exact.of(outputs)
    assert np.abs(of.start - known.start).max() < 1e-8  # of accelerations, which grow by a hundred
    assert np.abs(of.parameters - known.parameters).max() < 1e-9


def test_lyapunov_exponents_are_those_of_formulas(run: zm.Run, other: zm.Run) -> None:
    """The whole spectrum of a short run, which follows from the same directions."""
    assert np.abs(run.lyapunov_spectrum(every=0.1) - other.lyapunov_spectrum(every=0.1)).max() < 1e-7
    largest = run.lyapunov_spectrum(every=0.1)[0]
    assert np.isfinite(run.lyapunov_exponent(every=0.1))
    assert run.lyapunov_exponent(every=0.1) <= np.log(np.linalg.norm(run.sensitivity().start[0], 2)) / 0.2 + 1e-6
    assert largest > 0


def test_sparse_linear_systems_are_those_of_the_derivative(pair: Pair) -> None:
    """(μ I − ∂f/∂y) x = r for a real and a complex shift, by the matrix with all its entries."""
    inputs, n = pair.start.inputs, len(pair.rolled.coordinates)
    native: Any = pair.program.native
    J = np.block([[np.zeros((n, n)), np.eye(n)], [native.jacobian(inputs)]])
    shifted, random = native.shifted, np.random.default_rng(0)
    assert shifted.at(0.0, inputs[1 : 1 + 2 * n], inputs[1 + 2 * n :])
    for μ in (30.0 + 0j, 20.0 + 40.0j):
        r = random.normal(size=2 * n) + (1j * random.normal(size=2 * n) if μ.imag else 0.0)
        assert shifted.factor(μ, μ)
        exact = np.linalg.solve(μ * np.eye(2 * n) - J, r)
        assert np.abs(shifted.solve(μ, r) - exact).max() < 1e-11 * np.abs(exact).max()
