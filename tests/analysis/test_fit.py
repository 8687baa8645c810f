"""Fits find the parameters that measurements were made with, and their errors are those of linear theory."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from zeromass.analysis.fit import Measured, derivatives

G = 9.81


def pendulum():
    """On a rod of unknown length, started at an unknown angle, with unknown damping; Cartesian."""
    L, a, c = zm.parameter("L", 0.8), zm.parameter("a", 0.5), zm.parameter("c", 0.1)
    bob = zm.Particle("bob", 1.0)
    x, y, z = bob.position
    system = zm.System(
        [bob],
        gravity=G,
        constraints={"rod": x**2 + z**2 - L**2, "plane": y},
        forces=zm.Force(-c * bob.velocity, at=bob.position),
    )
    start = system.start({x: L * np.sin(a), zm.rate(x): 0.0}, guess={z: -1.0})
    return system, start, (L, a, c), bob


def test_parameters_in_constraints_forces_and_the_start_are_found():
    system, start, (L, a, c), bob = pendulum()
    true = {L: 1.1, a: 0.9, c: 0.25}
    made = zm.simulate(system, start.made_of.start(system, true), until=2.0, rtol=1e-12, atol=1e-14)
    t = np.linspace(0.05, 2.0, 25)
    tension = system.reaction["rod"][2]
    data = {bob.position[0]: (t, made.at(t)[bob.position[0]]), tension: (t[:5], made.at(t[:5])[tension])}
    run = zm.simulate(system, start, until=1.0, rtol=1e-11, atol=1e-13)
    found = zm.analysis.fit(run, data, over=[L, a, c])
    for p, value in true.items():
        assert abs(found.values[p] - value) < 1e-8
    assert found.rms < 1e-9
    assert isinstance(found.run, zm.Run)
    assert "L = 1.1" in repr(found)


def test_derivatives_are_differences_of_residuals():
    system, start, over, bob = pendulum()
    t = np.linspace(0.1, 1.5, 7)
    measured = [Measured(bob.position[2] * bob.velocity[0], (t, np.zeros(7), 0.5))]
    values = {p: p.default for p in over}

    def model(**change):
        at = {p: v + change.get(p.name, 0.0) for p, v in values.items()}
        return zm.simulate(system, start.made_of.start(system, at), until=1.5, rtol=1e-13, atol=1e-15)

    found = derivatives(model(), measured, over)
    h = 1e-5
    for j, p in enumerate(over):
        e = measured[0].expression
        wanted = (model(**{p.name: h}).at(t)[e] - model(**{p.name: -h}).at(t)[e]) / (2 * h) / 0.5
        assert np.abs(found[:, j] - wanted).max() < 1e-7  # step² times third derivatives of up to 1e3


def test_errors_are_those_of_linear_regression():
    """x = x₀ + v t is linear: values, covariance and interval are those of the normal equations."""
    from scipy.stats import t as student

    x = zm.coordinate("x")
    x0, v = zm.parameter("x0", 0.0), zm.parameter("v", 0.0)
    free = zm.System(kinetic=zm.rate(x) ** 2 / 2)
    start = free.start({x: x0, zm.rate(x): v})
    random = np.random.default_rng(3)
    t = np.linspace(0.0, 2.0, 12)
    data = 1.0 + 0.7 * t + random.normal(scale=0.05, size=12)
    found = zm.analysis.fit(free, {x: (t, data)}, over=[x0, v], start=start)
    X = np.stack([np.ones(12), t], axis=1)
    β, rss = np.linalg.lstsq(X, data, rcond=None)[:2]
    covariance = rss[0] / 10 * np.linalg.inv(X.T @ X)
    assert np.abs([found.values[x0] - β[0], found.values[v] - β[1]]).max() < 1e-10
    assert np.abs(found.covariance / covariance - 1).max() < 1e-6
    low, high = found.interval(v, 0.9)
    assert abs((high - low) / 2 - student.ppf(0.95, 10) * np.sqrt(covariance[1, 1])) < 1e-9
    known = zm.analysis.fit(free, {x: (t, data, 0.05)}, over=[x0, v], start=start)
    assert np.abs(known.covariance / (0.05**2 * np.linalg.inv(X.T @ X)) - 1).max() < 1e-6


def test_what_measurements_do_not_tell_has_no_error_bar():
    """Of ẍ = −(k/m) x only k/m shows."""
    x, k, m = zm.coordinate("x"), zm.parameter("k", 3.0), zm.parameter("m", 1.0)
    spring = zm.System(kinetic=m * zm.rate(x) ** 2 / 2, potential=k * x**2 / 2)
    run = zm.simulate(spring, spring.start({x: 1.0}), until=1.0)
    t = np.linspace(0.1, 2.0, 9)
    found = zm.analysis.fit(run, {x: (t, np.cos(2 * t))}, over=[k, m])
    assert abs(found.values[k] / found.values[m] - 4) < 1e-7
    assert np.isinf(found.errors[k])
    assert np.isinf(found.errors[m])


def test_bad_input():
    x, k = zm.coordinate("x"), zm.parameter("k", 3.0)
    spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=k * x**2 / 2)
    start = spring.start({x: 1.0})
    run = zm.simulate(spring, start, until=1.0)
    with pytest.raises(zm.errors.ModelError, match="needs its start"):
        zm.analysis.fit(spring, {x: ([1.0], [1.0])}, over=[k])
    with pytest.raises(zm.errors.ModelError, match=r"data are \{expression: \(times, values\)\}"):
        zm.analysis.fit(run, {x: [1.0]}, over=[k])
    with pytest.raises(zm.errors.ModelError, match="2 values at 1 times"):
        zm.analysis.fit(run, {x: ([1.0], [1.0, 2.0])}, over=[k])
    with pytest.raises(zm.errors.ModelError, match="'x' is none"):
        zm.analysis.fit(run, {x: ([1.0], [1.0])}, over=[x])
    with pytest.raises(zm.errors.ModelError, match="data before the start"):
        zm.analysis.fit(run, {x: ([-1.0], [1.0])}, over=[k])
    for e, value, error in ((x, 1e200, 1e-200), (x, 1e200, 1.0), (x + np.inf, 1.0, 1.0)):
        with pytest.raises(zm.errors.ModelError, match=r"at t = 0\.5 s by, in standard errors, is no finite number"):
            zm.analysis.fit(run, {e: ([0.5], [value], error)}, over=[k])
    with pytest.raises(zm.errors.ModelError, match="'u' is no parameter of the system or of its start"):
        zm.analysis.fit(run, {x: ([1.0], [1.0])}, over=[zm.parameter("u", 1.0)])


def test_a_fit_begins_within_its_bounds():
    x, k = zm.coordinate("x"), zm.parameter("k", 1.0)
    spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=k * x**2 / 2)
    run = zm.simulate(spring, spring.start({x: 1.0}), until=1.0)
    with pytest.raises(zm.errors.ModelError, match="the fit begins with k = 1, outside its bounds 2 … 3"):
        zm.analysis.fit(run, {x: ([0.5, 1.0], [0.9, 0.6])}, over=[k], bounds={k: (2.0, 3.0)})
