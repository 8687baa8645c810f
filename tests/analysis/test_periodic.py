"""Periodic motions, Floquet multipliers and Lyapunov exponents where they are known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ellipk

import zeromass as zm

G = 9.81


def pendulum():
    bob = zm.Particle("bob", 1.0)
    x, y, z = bob.position
    system = zm.System(
        [bob], gravity=G, constraints={"rod": x**2 + z**2 - 1, "plane": y, "twice": 2 * x**2 + 2 * z**2 - 2}
    )
    return system, x, z


def test_period_of_a_pendulum():
    """T = 4 K(sin²(α/2))/ω, whichever of the family the energy picks; both multipliers are 1."""
    system, x, z = pendulum()
    α = 1.2
    start = system.start({x: np.sin(1.0), zm.rate(x): 0.0}, guess={z: -1.0})
    cycle = zm.analysis.periodic(system, start, period=2.1, hold={system.energy: -G * np.cos(α)})
    assert abs(cycle.period - 4 * ellipk(np.sin(α / 2) ** 2) / np.sqrt(G)) < 1e-9
    assert cycle.gap < 1e-9
    assert len(cycle.multipliers) == 2
    assert cycle.removed == 4
    assert abs(np.prod(cycle.multipliers) - 1) < 1e-7
    assert np.abs(cycle.multipliers - 1).max() < 1e-3  # a double root of a matrix known to 1e-8


def test_a_pendulum_that_turns_over():
    """One turn takes T = 2 K(4g/v²)·2/v, from the bottom with v² > 4g."""
    a = zm.coordinate("a")
    system = zm.System(kinetic=zm.rate(a) ** 2 / 2, potential=-G * np.cos(a))
    v = 8.0
    cycle = zm.analysis.periodic(
        system, system.start({zm.rate(a): v}), period=1.0, hold={zm.rate(a): v, a: 0.0}, turns={a: 2 * np.pi}
    )
    assert abs(cycle.period - 4 / v * ellipk(4 * G / v**2)) < 1e-10


def test_multipliers_of_a_forced_spring():
    """e^{λT} of the free motion, and the amplitude of the answer."""
    x, y = zm.coordinates("x y")
    system = zm.System(
        kinetic=zm.rate(x) ** 2 / 2,
        potential=2 * x**2,
        forces={x: np.cos(3 * zm.t) - 0.4 * zm.rate(x)},
        constraints={"tie": y - x**2},
        coordinates=[x, y],
    )
    T = 2 * np.pi / 3
    answer = zm.analysis.periodic(system, system.start({x: 0.3}), period=T)
    amplitude = 1 / (4 - 9 + 1.2j)
    assert abs(answer.run.y[0, 0] - amplitude.real) < 1e-9
    λ = np.roots([1, 0.4, 4])
    assert np.abs(np.sort_complex(answer.multipliers) - np.sort_complex(np.exp(λ * T))).max() < 1e-9
    assert answer.removed == 2


def test_mathieu():
    """ẍ + (δ + ε cos t) x = 0: the trace of the monodromy, by an independent integration."""
    from scipy.integrate import solve_ivp

    x = zm.coordinate("x")
    δ, ε = 0.3, 0.4
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=(δ + ε * np.cos(zm.t)) * x**2 / 2)
    found = zm.analysis.periodic(system, system.start(), period=2 * np.pi)

    def slope(t, y):
        return [y[1], -(δ + ε * np.cos(t)) * y[0], y[3], -(δ + ε * np.cos(t)) * y[2]]

    y = solve_ivp(slope, (0, 2 * np.pi), [1, 0, 0, 1], rtol=1e-12, atol=1e-13).y[:, -1]
    assert abs(found.multipliers.sum() - (y[0] + y[3])) < 1e-8
    assert abs(np.prod(found.multipliers) - 1) < 1e-9


def test_spectrum_of_what_is_damped_and_tied():
    """ẍ + cẋ + kx = 0 in three coordinates, two of them tied: −c/2 twice, and no others."""
    x, y, z = zm.coordinates("x y z")
    system = zm.System(
        kinetic=zm.rate(x) ** 2 / 2,
        potential=8 * x**2,
        forces={x: -0.3 * zm.rate(x)},
        constraints={"y": y - 2 * x, "z": z - x - y},
        coordinates=[x, y, z],
    )
    run = zm.simulate(system, system.start({x: 1.0}), until=60.0)
    found = run.lyapunov_spectrum()
    assert found.shape == (2,)
    assert abs(found.sum() + 0.3) < 1e-6
    assert np.abs(found + 0.15).max() < 0.02  # the transient falls as 1/t


def test_spectrum_of_a_conservative_system_is_symmetric():
    """Of the double pendulum in Cartesian coordinates: ±λ, and two zeros; twice the degrees of freedom in all."""
    p, q = zm.Particle("p", 1.0), zm.Particle("q", 1.0)
    link = q.position - p.position
    constraints = {"upper": (p.position @ p.position - 1) / 2, "lower": (link @ link - 1) / 2}
    plane = {"plane": np.array([p.position[1], q.position[1]])}
    double = zm.System([p, q], gravity=G, constraints={**constraints, **plane})
    start = double.start(
        [(p.position, (1.0, 0.0, 0.0)), (q.position, (1.0, 0.0, 1.0)), (p.velocity[2], 0.0), (q.velocity[0], 0.0)]
    )
    λ = zm.simulate(double, start, until=15.0).lyapunov_spectrum(every=0.25)
    assert len(λ) == 4
    assert λ[0] > 0.5
    assert abs(λ.sum()) < 0.2 * λ[0]  # in these coordinates the volume breathes, and so the sum falls as 1/t


def test_what_is_not_periodic_is_refused():
    x = zm.coordinate("x")
    damped = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: 1.0})
    with pytest.raises(zm.errors.StartError, match="no periodic motion was found"):
        zm.analysis.periodic(damped, damped.start(), period=1.0)
    with pytest.raises(zm.errors.ModelError, match="must be positive"):
        zm.analysis.periodic(damped, damped.start(), period=-1.0)


def _switching() -> list[tuple[zm.System, zm.State, float]]:
    x, bob = zm.coordinate("x"), zm.Particle("bob", mass=0.7)
    wedge = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=abs(x))
    rope = zm.System([bob], gravity=9.81, joints=[zm.joints.Rope(zm.Ground(), bob, length=1.3, name="rope")])
    thrown = rope.start([(bob.position, (0, 0, -1.3)), (bob.velocity, (6.0, 0, 0))])
    return [(wedge, wedge.start({x: 1.0}), 5.6), (rope, thrown, 2.0)]


@pytest.mark.parametrize("which", [0, 1])
def test_a_motion_that_switches_is_refused_in_words(which):
    system, start, period = _switching()[which]
    with pytest.raises(
        zm.errors.ModelError, match=r"tangents end where .* at t = .* s; zm\.analysis\.periodic needs them"
    ):
        zm.analysis.periodic(system, start, period)


def test_formulas_with_kinks_that_the_motion_does_not_reach_are_no_hindrance():
    """ẍ = −4 (x − 10) − 1 where x > 0: a period of π."""
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=2 * (x - 10) ** 2 + abs(x))
    assert zm.analysis.periodic(system, system.start({x: 9.0}), 3.1, hold={x: 9.0}).period == pytest.approx(
        np.pi, abs=1e-9
    )


def test_derivatives_of_a_sampled_run_are_refused_in_words():
    x, F = zm.coordinate("x"), zm.parameter("F", 0.0)
    cart = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: F})
    run = zm.control.sampled(cart, cart.start({x: 1.0}), {F: -x - zm.rate(x)}, every=0.5, until=2.0)
    for asked in (zm.Run.sensitivity, zm.Run.lyapunov_exponent, zm.Run.lyapunov_spectrum, lambda run: run.adjoint(x)):
        with pytest.raises(zm.errors.ModelError, match=r"set anew, as by zm\.control\.sampled, at t = 0\.5 s"):
            asked(run)
