"""Gradients backward are those forward, and derivatives of outputs are those of runs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import zeromass as zm

STEP = 1e-6
EXACT = {"rtol": 1e-13, "atol": 1e-15}


def rod():
    """A pendulum on a rod of given length, and its tension."""
    L, c = zm.parameter("L", 1.0), zm.parameter("c", 0.2)
    p = zm.Particle("p", 1.0)
    constraints = {"rod": p.position @ p.position - L**2, "plane": p.position[1]}
    system = zm.System([p], gravity=9.81, constraints=constraints, forces=zm.Force(-c * p.velocity, at=p.position))
    start = system.start([(p.position, (0.6, 0, -0.8)), (p.velocity, (1.6, 0, 1.2))])
    return system, start, [p.position[0], system.multipliers[0], zm.acceleration(p.position[2])]


def coin():
    """A coin that rolls without slip, in rates only."""
    x, y, phi, theta = q = zm.coordinates("x y phi theta")
    R, k, v = zm.parameter("R", 0.5), zm.parameter("k", 0.3), zm.rate(q)
    kinetic = (v[0] ** 2 + v[1] ** 2 + 0.1 * v[2] ** 2 + 0.2 * v[3] ** 2) / 2
    roll = [v[0] - R * v[3] * np.cos(phi), v[1] - R * v[3] * np.sin(phi)]
    system = zm.System(kinetic=kinetic, potential=k * x**2, coordinates=q, constraints={"roll": roll})
    start = system.start({x: 0, y: 0, phi: 0.4, theta: 0, v[2]: 1.0, v[3]: 2.0})
    return system, start, [x * y, system.reaction["roll"][0], k * v[3]]


@pytest.mark.parametrize("make", [rod, coin])
def test_backward_is_forward(make):
    """Σ w e: by every entry of the start and every parameter, at several times at once."""
    system, start, outputs = make()
    run = zm.simulate(system, start, until=0.8, **EXACT)
    times, weights = np.array([0.2, 0.5, 0.8]), np.array([1.0, -2.0, 0.7])
    forward = run.sensitivity(times)
    for e in outputs:
        found, wanted = run.adjoint(e, times, weights), forward.of(e)
        size = max(1.0, np.abs(wanted.start).max())
        assert abs(found.value - weights @ run.at(times)[e]) < 1e-9
        assert np.abs(found.start - weights @ wanted.start).max() < 1e-8 * size
        by_p = np.array([found.parameters[p] for p in system.parameters])
        assert np.abs(by_p - weights @ wanted.parameters).max() < 1e-8 * max(1.0, np.abs(wanted.parameters).max())


@pytest.mark.parametrize("make", [rod, coin])
def test_derivatives_of_outputs_are_differences_of_runs(make):
    system, start, outputs = make()
    found = zm.simulate(system, start, until=0.6, **EXACT).sensitivity().of(np.array(outputs)).parameters[0]
    for j, p in enumerate(system.parameters):

        def ends(change, p=p):
            other = replace(start, parameters={**start.parameters, p: start.parameters[p] + change})
            return zm.simulate(system, other.carried_to(system), until=0.6, **EXACT).at(0.6)[np.array(outputs)][0]

        wanted = (ends(STEP) - ends(-STEP)) / (2 * STEP)
        # central differences: step² times third derivatives, and rounding/step
        assert np.abs(found[:, j] - wanted).max() < 1e-7 * max(1.0, np.abs(wanted).max())


def test_gradient_of_an_oscillator_is_exact():
    """x = x₀ cos √k t: ∂x/∂k = −x₀ t sin(√k t)/(2√k)."""
    x, k = zm.coordinate("x"), zm.parameter("k", 4.0)
    spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=k * x**2 / 2)
    run = zm.simulate(spring, spring.start({x: 1.5}), until=3.0, **EXACT)
    found = run.adjoint(x)
    assert abs(found.parameters[k] + 1.5 * 3 * np.sin(6.0) / 4) < 1e-10
    assert np.abs(found.start - [np.cos(6.0), np.sin(6.0) / 2]).max() < 1e-10


def test_no_gradient_across_a_switch():
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: -np.sign(x)})
    run = zm.simulate(system, system.start({x: 1.0}), until=3.0)
    with pytest.raises(zm.errors.ModelError, match="tangents end where a formula switches"):
        run.adjoint(x)
