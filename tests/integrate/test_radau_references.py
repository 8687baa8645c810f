"""Stiff systems against references of their own: another integrator in other coordinates, and exact solutions."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import mpmath as mp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import zeromass as zm
from cases import few
from integrate.problems import top
from integrate.test_radau_stiff import stiff_pendulum, van_der_pol
from zeromass.codegen import background
from zeromass.compile.native import BUSY

G = 9.81


@cache
def pendulum_in_polar_coordinates(k: float, c: float) -> tuple[np.ndarray, np.ndarray]:
    """Place and velocity after a second, by SciPy's Radau at 1e-12, with the stretch of the spring as a coordinate.

        δ̈ = (1 + δ) θ̇² + g cos θ − k δ − c δ̇,   (1 + δ) θ̈ = −g sin θ − 2 δ̇ θ̇

    Without the length of 1 m in it, the force has no cancellation.
    """

    def slope(t: float, y: np.ndarray) -> list[float]:
        δ, θ, dδ, dθ = y
        turn = (-G * np.sin(θ) - 2 * dδ * dθ) / (1 + δ)
        return [dδ, dθ, (1 + δ) * dθ**2 + G * np.cos(θ) - k * δ - c * dδ, turn]

    start = [0.0, np.pi / 2, 0.0, 0.0]
    δ, θ, dδ, dθ = solve_ivp(slope, (0.0, 1.0), start, method="Radau", rtol=1e-12, atol=1e-15).y[:, -1]
    along, across = np.array([np.sin(θ), -np.cos(θ)]), np.array([np.cos(θ), np.sin(θ)])
    return (1 + δ) * along, dδ * along + (1 + δ) * dθ * across


def assert_pendulum(run: zm.Run, k: float, c: float, rtol: float) -> None:
    """That places are right to a tenth of the tolerance, and speeds of the swing, up to 4 m/s, to a quarter of it.

    The spring forgets errors of its own rate at once: that of the last step is left, for which rtol |v| is allowed, or as
    much as rounding of the length of 1 m makes of it, 1e-16 k/c m/s.
    """
    place, velocity = pendulum_in_polar_coordinates(k, c)
    along = place / np.linalg.norm(place)
    error = run.y[-1][3:5] - velocity
    assert np.max(np.abs(run.y[-1][:2] - place)) <= rtol / 10
    assert abs(along[0] * error[1] - along[1] * error[0]) <= rtol / 4
    assert abs(along @ error) <= max(rtol * np.linalg.norm(velocity), 1e-16 * k / c)


@pytest.mark.parametrize("rtol", [1e-6, 1e-8, 1e-10])
@pytest.mark.parametrize(("k", "c"), [(1e6, 2e3), (1e8, 2e4), (1e10, 2e5), (1e10, 2e3)])
def test_a_stiff_spring_in_other_coordinates(k, c, rtol):
    """Damped critically, and a hundredth of that."""
    system, start = stiff_pendulum(k, c)
    run = zm.simulate(system, start, until=1.0, method="radau", rtol=rtol, atol=rtol / 100)
    assert_pendulum(run, k, c, rtol)
    assert run.statistics.steps < 200


@pytest.mark.parametrize(("k", "c", "rtol"), few([(1e10, 2e5, 1e-11), (1e10, 2e3, 1e-9), (1e10, 2e5, 1e-6)]))
def test_rounding_of_the_start_does_not_cost_accuracy(k, c, rtol):
    """From starts that are some units of rounding apart.

    The force of the spring is rounded by 1e-6 N, along it and not across: that excuses no error of the swing.
    """
    system, start = stiff_pendulum(k, c)
    for j in range(-4, 5):
        q = start.q + j * np.finfo(float).eps * np.array([1.0, 0.5, 0.0])
        run = zm.simulate(system, replace(start, q=q), until=1.0, method="radau", rtol=rtol, atol=rtol / 100)
        assert_pendulum(run, k, c, rtol)


def test_rates_over_ten_decades():
    """q̈ + C q̇ + K q = 0 with K = Uᵀ diag(κ) U, C = Uᵀ diag(1 + κ) U: modes decay as exp(−t) and exp(−κt), κ ≤ 1.5e8.

    The exact solution with K and C as they are rounded, in fifty digits: entries of 1.5e8 make 1e-8 of the slowest rate of
    0.015 uncertain. Errors as allowed in one step.
    """
    n, κ = 6, 1.5 * np.logspace(-2, 8, 6)
    random = np.random.default_rng(3)
    U = np.linalg.qr(random.normal(size=(n, n)))[0]
    q = zm.coordinates("q1 q2 q3 q4 q5 q6")
    K, C = U.T @ np.diag(κ) @ U, U.T @ np.diag(1 + κ) @ U
    system = zm.System(M=np.eye(n), Q=-K @ q - C @ zm.rate(q), coordinates=q)
    x, v = random.normal(size=n), random.normal(size=n)
    start = system.start([(q, U.T @ x), (zm.rate(q), U.T @ v)])
    until = 3.0
    with mp.workdps(50):
        matrix = mp.matrix(np.block([[np.zeros((n, n)), np.eye(n)], [-K, -C]]).tolist())
        exact = np.array(mp.expm(until * matrix) * mp.matrix([*start.q, *start.v]), dtype=float).reshape(2, n)
    for rtol in (1e-6, 1e-9):
        run = zm.simulate(system, start, until=until, method="radau", rtol=rtol, atol=rtol)
        for found, expected in zip(run.y[-1].reshape(2, n), exact, strict=True):
            assert np.max(np.abs(found - expected)) <= rtol * (1 + np.abs(expected).max())
        assert run.statistics.steps < 150


def test_a_reaction_without_inertia():
    """Robertson's reaction as motion of particles of 1 mg through honey, ε q̈ = f(q) − q̇ [HW1996, eq. IV.1.4].

    Rates differ by ten decades. Reference: SciPy's Radau at 1e-10 with formulas and derivatives of its own.
    """
    ε, start = 1e-6, (1.0, 0.0, 0.0, -0.04, 0.04, 0.0)
    shares = np.array([[-1, 1, 0], [1, -1, -1], [0, 0, 1]])

    def slope(t: float, y: np.ndarray) -> np.ndarray:
        a, b, c = y[:3]
        return np.concatenate([y[3:], (shares @ [0.04 * a, 1e4 * b * c, 3e7 * b**2] - y[3:]) / ε])

    def derivative(t: float, y: np.ndarray) -> np.ndarray:
        _, b, c = y[:3]
        J = np.kron([[0, 1], [0, -1 / ε]], np.eye(3))
        J[3:, :3] = shares @ np.array([[0.04, 0, 0], [0, 1e4 * c, 1e4 * b], [0, 6e7 * b, 0]]) / ε
        return J

    options = {"method": "Radau", "rtol": 1e-10, "atol": 1e-14, "jac": derivative}
    expected = solve_ivp(slope, (0.0, 40.0), start, **options).y[:, -1]
    a, b, c = q = zm.coordinates("a b c")
    flow = shares @ np.array([0.04 * a, 1e4 * b * c, 3e7 * b**2])
    system = zm.System(M=ε * np.eye(3), Q=flow - zm.rate(q), coordinates=q)
    at_rest = system.start([(q, start[:3]), (zm.rate(q), start[3:])])
    for rtol in (1e-6, 1e-8, 1e-10):
        run = zm.simulate(system, at_rest, until=40.0, method="radau", rtol=rtol, atol=rtol * 1e-6)
        assert np.max(np.abs(run.y[-1] - expected)[:3] / expected[:3]) <= rtol
        assert abs(run.y[-1][:3].sum() - 1) <= 1e-13  # nothing is lost, to rounding


def slider_crank(rod: float, speed: float) -> tuple[zm.System, zm.State, np.ndarray]:
    """A crank of 1 m and a rod with masses at their ends; with a rod of 1 m the slider may stop at the shaft."""
    pin, slider = zm.Particle("pin", mass=1.0), zm.Particle("slider", mass=1.0)
    (x, y, z), (u, v, w) = pin.position, slider.position
    rows = {
        "crank": x**2 + y**2 - 1,
        "rod": (u - x) ** 2 + (v - y) ** 2 - rod**2,
        "slide": v,
        "plane": z,
        "plane too": w,
    }
    system = zm.System([pin, slider], gravity=(0, -G, 0), constraints=rows)
    θ = 0.3
    places = [np.cos(θ), np.sin(θ), np.cos(θ) + np.sqrt(rod**2 - np.sin(θ) ** 2)]
    rates = [-speed * np.sin(θ), speed * np.cos(θ)]
    return system, system.start([([x, y, u], places), (zm.rate([x, y]), rates)]), np.array([x, y])


@pytest.mark.parametrize("rod", [1.0, 1.5])
def test_a_slider_crank(rod):
    """Against "collocation" and energy. The crank turns six times, with a rod of 1 m through two singular positions each."""
    system, start, pin = slider_crank(rod, 8.0)
    runs = [zm.simulate(system, start, until=5.0, method=m, rtol=1e-10, atol=1e-12) for m in ("collocation", "radau")]
    energy = runs[1][system.energy]
    assert runs[1].outcome.complete
    assert np.max(np.abs(energy - energy[0])) <= 1e-8
    t = np.linspace(0.0, 5.0, 101)
    assert np.max(np.abs(runs[0].at(t)[pin] - runs[1].at(t)[pin])) <= 1e-7


@pytest.mark.parametrize("case", ["van der Pol", "spring", "top", "crank"])
def test_the_same_bits(case):
    """A second time, and however much of LLVM's effort machine code was worth."""
    p = top()
    system, start = {
        "van der Pol": lambda: van_der_pol(),
        "spring": lambda: stiff_pendulum(1e8, 2e4),
        "top": lambda: (p.system, p.start),
        "crank": lambda: slider_crank(1.0, 8.0)[:2],
    }[case]()
    options = {"until": 1.0, "method": "radau", "rtol": 1e-9, "atol": 1e-11}
    first, again = (zm.simulate(system, start, **options) for _ in range(2))
    first.program.native.called(BUSY)
    background.wait()
    better = zm.simulate(system, start, **options)
    background.wait()  # for the routines of the method itself
    runs = [again, better, zm.simulate(system, start, **options)]
    times = np.linspace(0, 1, 101)
    for run in runs:
        assert np.array_equal(run.t, first.t)
        assert np.array_equal(run.y, first.y)
        assert run.statistics == first.statistics
        assert np.array_equal(run.at(times).y, first.at(times).y)
