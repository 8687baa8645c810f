"""Many switches at one moment in a small system: what moves, and what stays, as one problem of least squares tells.

At rest, with friction |pᵢ| ≤ fᵢ along the rates A q̇, the acceleration is M⁻¹(Q − Aᵀp), with the p for which
(Q − Aᵀp)ᵀ M⁻¹ (Q − Aᵀp) is least.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import lsq_linear

import zeromass as zm


def signs(rates: np.ndarray) -> np.ndarray:
    return np.array([np.sign(rate) for rate in rates])


def expected(M: np.ndarray, Q: np.ndarray, A: np.ndarray, f: np.ndarray) -> np.ndarray:
    """The acceleration from rest."""
    inverse = np.linalg.inv(np.linalg.cholesky(M))
    p = lsq_linear(inverse @ A.T, inverse @ Q, (-f, f), method="bvls", tol=1e-15).x
    return np.linalg.solve(M, Q - A.T @ p)


def rack(M: Any, Q: Any, A: Any, f: Any, **more: Any) -> tuple[zm.System, np.ndarray]:
    x = np.array(zm.coordinates(" ".join(f"x{k}" for k in range(len(Q)))))
    v = zm.rate(x)
    F = Q - A.T @ (f * signs(A @ v))
    return zm.System(kinetic=v @ M @ v / 2, forces=dict(zip(x, F, strict=True)), **more), x


def begins(system: zm.System, x: np.ndarray) -> np.ndarray:
    run = zm.simulate(system, system.start(dict.fromkeys(x, 0.0)), until=1e-3)
    assert run.outcome.complete, run.outcome
    return run.at(0.0)[zm.rate(zm.rate(x))][0]


@pytest.mark.parametrize("n", [6, 8, 12])
def test_a_rack_of_blocks_that_are_pulled_at_once(n):
    """Those which are pulled by less than 1 N stay; the others move by (F ∓ 1) t²/2."""
    Q = np.linspace(-2.0, 2.0, n)
    system, x = rack(np.eye(n), Q, np.eye(n), np.ones(n))
    run = zm.simulate(system, system.start(dict.fromkeys(x, 0.0)), until=2.0)
    assert run.at(2.0)[x][0] == pytest.approx(np.sign(Q) * np.maximum(np.abs(Q) - 1, 0) * 2.0, abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_random_bodies_that_rub_on_one_another(seed):
    some = np.random.default_rng(seed)
    n = int(some.integers(6, 10))
    B = some.normal(size=(n, n))
    M, A, Q, f = B @ B.T + np.eye(n), some.normal(size=(n, n)), 2 * some.normal(size=n), some.uniform(0.1, 1.5, n)
    found = begins(*rack(M, Q, A, f))
    right = expected(M, Q, A, f)
    np.testing.assert_allclose(found, right, rtol=0, atol=1e-9 * np.abs(right).max())


@pytest.mark.parametrize("pull", [0.5, 1.5, 4.2, 9.0, 40.0])
def test_a_stack_whose_uppermost_block_is_pulled(pull):
    """Eight blocks on one another, 1 kg each and 1 N less friction in each gap above the last."""
    n = 8
    A = np.eye(n) - np.eye(n, k=-1)
    Q, f = pull * np.eye(n)[-1], np.arange(n, 0.0, -1.0)
    assert begins(*rack(np.eye(n), Q, A, f)) == pytest.approx(expected(np.eye(n), Q, A, f), abs=1e-12)


@pytest.mark.parametrize(
    "level", [0.3, pytest.param(3.0, marks=pytest.mark.slow), pytest.param(30.0, marks=pytest.mark.slow)]
)
def test_a_chain_of_hinges_with_dry_friction_all_at_rest(level):
    """Six rods held out aslant in their hinges, some of which give way; M and Q by hand, rods of 1 m and 1 kg."""
    n, g = 6, 9.81
    φ = np.array(zm.coordinates(" ".join(f"phi{k}" for k in range(n))))
    θ = 0.1 + 0.2 * np.arange(n)

    def along(angles: Any, k: int) -> tuple[Any, Any]:
        return (
            sum(np.sin(angles[:k])) + np.sin(angles[k]) / 2,
            -sum(np.cos(angles[:k])) - np.cos(angles[k]) / 2,
        )

    places = [along(φ, k) for k in range(n)]
    turning = sum(zm.rate(a) ** 2 for a in φ) / 24
    kinetic = turning + sum(zm.rate(X) ** 2 + zm.rate(Y) ** 2 for X, Y in places) / 2
    A = np.eye(n) - np.eye(n, k=-1)
    f = level * np.linspace(2.0, 0.3, n)
    F = -A.T @ (f * signs(A @ zm.rate(φ)))
    system = zm.System(kinetic=kinetic, potential=g * sum(Y for _, Y in places), forces=dict(zip(φ, F, strict=True)))
    run = zm.simulate(system, system.start(dict(zip(φ, θ, strict=True))), until=1e-3)
    assert run.outcome.complete
    J = np.array([[np.where(np.arange(n) < k, 1.0, np.where(np.arange(n) == k, 0.5, 0.0))] for k in range(n)])[:, 0]
    M = np.eye(n) / 12 + (J[:, :, None] * J[:, None, :]).sum(axis=0) * np.cos(θ[:, None] - θ)
    Q = -g * J.sum(axis=0) * np.sin(θ)
    right = expected(M, Q, A, np.maximum(f, 1e-300))
    np.testing.assert_allclose(run.at(0.0)[zm.rate(zm.rate(φ))][0], right, rtol=0, atol=1e-8)


def test_a_row_of_springs_let_go_at_once_goes_on_as_it_should():
    """Six blocks, springs between them and dry friction below: beside friction that is steep instead of dry, in SciPy."""
    n, k, ε = 6, 3.0, 1e-6
    Q = np.array([1.4, -0.2, 0.9, -1.8, 0.3, 2.2])
    x = np.array(zm.coordinates(" ".join(f"x{j}" for j in range(n))))
    v, K = zm.rate(x), k * (np.diff(np.eye(n), axis=0).T @ np.diff(np.eye(n), axis=0))
    system = zm.System(kinetic=v @ v / 2, potential=x @ K @ x / 2, forces=dict(zip(x, Q - signs(v), strict=True)))
    run = zm.simulate(system, system.start(dict.fromkeys(x, 0.0)), until=3.0)
    assert run.outcome.complete

    def slope(t: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[n:], Q - K @ y[:n] - np.tanh(y[n:] / ε)])

    other = solve_ivp(slope, (0.0, 3.0), np.zeros(2 * n), method="Radau", rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(run.at(3.0)[x][0], other.y[:n, -1], rtol=0, atol=2e-5)


@pytest.mark.parametrize("n", [2, 3, 7])
def test_friction_below_blocks_that_are_tied_to_one_another(n):
    """What holds is one of many solutions, of one motion: that of one block of n kg with n times the friction."""
    x = np.array(zm.coordinates(" ".join(f"x{k}" for k in range(n))))
    v, pull = zm.rate(x), 1.5 * n * np.sin(zm.t)
    forces = {x[k]: (pull if k == 0 else 0.0) - np.sign(v[k]) for k in range(n)}
    tied = zm.System(kinetic=v @ v / 2, constraints={"ties": list(x[1:] - x[:-1])}, forces=forces)
    one = zm.System(kinetic=n * v[0] ** 2 / 2, forces={x[0]: pull - n * np.sign(v[0])})
    runs = [zm.simulate(system, system.start({x[0]: 0.0, v[0]: 0.0}), until=10.0) for system in (tied, one)]
    assert all(run.outcome.complete for run in runs)
    times = np.linspace(0.0, 10.0, 101)
    np.testing.assert_allclose(runs[0].at(times)[x[0]], runs[1].at(times)[x[0]], rtol=0, atol=1e-9)


@pytest.mark.slow
def test_friction_in_all_hinges_of_a_loop():
    """A parallelogram whose bars turn alike: 1.7 kg m² in all, and four times the friction of a hinge."""
    crank, rocker = (zm.RigidBody(f"bar {k}", 1.0, (0.1, 0.1, 0.1), at=(k, 0, 0.5)) for k in (0.0, 1.5))
    coupler = zm.RigidBody("coupler", 1.0, (0.1, 0.1, 0.1), at=(0.75, 0, 1.0))
    places = [
        (zm.Ground(), crank, 0, 0),
        (crank, coupler, 0, 1),
        (coupler, rocker, 1.5, 1),
        (zm.Ground(), rocker, 1.5, 0),
    ]
    hinges = [zm.joints.Revolute(a, b, at=(X, 0, Z), axis=(0, 1, 0), name=f"hinge {X} {Z}") for a, b, X, Z in places]
    loads = [*[hinge.friction(1.0) for hinge in hinges], hinges[0].motor(6 * np.sin(zm.t))]
    system = zm.System([crank, coupler, rocker], gravity=0, joints=hinges, forces=loads)
    run = zm.simulate(system, system.start({hinges[0].angle: 0.0, hinges[0].rate: 0.0}), until=2.0)
    begins = np.arcsin(4 / 6)
    speed = (6 * (np.cos(begins) - np.cos(2.0)) - 4 * (2.0 - begins)) / 1.7
    assert run.at(begins - 1e-3)[hinges[0].angle] == pytest.approx(0.0, abs=1e-12)
    assert run.state(2.0)[hinges[0].rate] == pytest.approx(speed, abs=1e-9)
