"""Tangents carried along together: each is what it would be alone, and what linear systems say exactly."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm

import zeromass as zm
from zeromass.analysis.neighbours import Neighbours
from zeromass.analysis.tangent import carried
from zeromass.codegen.target import host


def chain(n: int) -> tuple[zm.System, np.ndarray]:
    """Masses in a row of springs with dampers, and A of ẏ = A y."""
    x = np.array(zm.coordinates(" ".join(f"x{i}" for i in range(n))))
    K = 2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    D = 0.1 * np.diag(np.arange(1.0, n + 1))
    v = np.array([zm.rate(e) for e in x])
    system = zm.System(kinetic=v @ v / 2, potential=x @ K @ x / 2, forces=dict(zip(x, -D @ v, strict=True)))
    return system, np.block([[np.zeros((n, n)), np.eye(n)], [-K, -D]])


@pytest.mark.parametrize("count", [1, 2, 3, 10, 11])
def test_tangents_of_a_linear_system_are_its_exponential(count: int) -> None:
    system, A = chain(5)
    run = zm.simulate(system, system.start({system.coordinates[0]: 1.0}), until=4.0, rtol=1e-12, atol=1e-15)
    δ = np.random.default_rng(count).normal(size=(10, count))
    times = np.array([1.5, 4.0])
    found = carried(run, δ, np.zeros((0, count)), times)
    assert found.shape == (2, 10, count)
    for time, tangents in zip(times, found, strict=True):
        assert np.abs(tangents - expm(A * time) @ δ).max() < 1e-10  # rtol 1e-12 in some forty steps


def test_tangents_of_parameters_in_several_groups_are_exact() -> None:
    """y and δy together are a linear system too: δẏ = A δy + ∂A/∂k δk y."""
    n, count = 5, 11
    x, k = np.array(zm.coordinates(" ".join(f"x{i}" for i in range(n)))), zm.parameter("k", 3.0)
    K = 2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    v = np.array([zm.rate(e) for e in x])
    system = zm.System(kinetic=v @ v / 2, potential=k * (x @ K @ x) / 2)
    run = zm.simulate(system, system.start({x[0]: 1.0, x[3]: -0.5}), until=2.0, rtol=1e-12, atol=1e-15)
    random = np.random.default_rng(0)
    δy, δk = random.normal(size=(2 * n, count)), random.normal(size=(1, count))
    (found,) = carried(run, δy, δk, np.array([2.0]))
    none = np.zeros((n, n))
    A, B = np.block([[none, np.eye(n)], [-3.0 * K, none]]), np.block([[none, none], [-K, none]])
    for j in range(count):
        whole = expm(2.0 * np.block([[A, np.zeros_like(A)], [δk[0, j] * B, A]]))
        expected = (whole @ np.concatenate([run.y[0], δy[:, j]]))[2 * n :]
        assert np.abs(found[:, j] - expected).max() < 1e-10  # rtol 1e-12 in some forty steps


def test_tangents_together_are_tangents_alone() -> None:
    shell = zm.bodies.two_material_shell(outer=0.09, inner=0.08, densities=(7874, 10490))
    ball = zm.Rolling(shell, on=zm.Surface(lambda X, Y, Z: Z - 0.03 * (X**2 + Y**2)))
    start = ball.start(contact=(0.3, 0.1), velocity=(0.2, -0.4))
    run = zm.simulate(ball, start, until=1.0, rtol=1e-11, atol=1e-13)
    m, times = run.y.shape[1], np.array([0.4, 1.0])
    none = np.zeros((len(run.parameters), m))
    together = carried(run, np.eye(m), none, times)
    for k in (0, 5, m - 1):
        alone = carried(run, np.eye(m)[:, [k]], none[:, [k]], times)
        assert np.abs(together[:, :, [k]] - alone).max() < 1e-8 * np.abs(alone).max()


def test_what_is_no_number_stays_alone() -> None:
    system, A = chain(2)
    run = zm.simulate(system, system.start({system.coordinates[0]: 1.0}), until=1.0, rtol=1e-12, atol=1e-15)
    δ = np.eye(4)
    δ[2, 1] = np.nan
    (found,) = carried(run, δ, np.zeros((0, 4)), np.array([1.0]))
    assert np.isnan(found[:, 1]).all()
    assert np.abs(found[:, [0, 2, 3]] - expm(A)[:, [0, 2, 3]]).max() < 1e-10


def test_a_motion_goes_on_with_other_tangents() -> None:
    system, A = chain(3)
    run = zm.simulate(system, system.start({system.coordinates[1]: 1.0}), until=3.0, rtol=1e-12, atol=1e-15)
    first, second = np.random.default_rng(0).normal(size=(2, 6, 1 + host().width))
    neighbours = Neighbours(run, first, np.zeros((0, first.shape[1])), 0.0)
    assert np.abs(neighbours.carry(1.0) - expm(A) @ first).max() < 1e-10
    neighbours.go_on(run.at(1.0).y[0], second)
    assert np.abs(neighbours.carry(3.0) - expm(2 * A) @ second).max() < 1e-10


def test_exponents_of_a_linear_system_are_real_parts_of_its_eigenvalues() -> None:
    system, A = chain(2)
    run = zm.simulate(system, system.start({system.coordinates[0]: 1.0}), until=400.0)
    expected = np.sort(np.linalg.eigvals(A).real)[::-1]
    assert np.abs(run.lyapunov_spectrum(every=1.0) - expected).max() < 0.01  # of the order 1/400
    assert abs(run.lyapunov_exponent(every=1.0) - expected[0]) < 0.01
