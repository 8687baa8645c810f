"""Sensitivities are derivatives of runs, and the exponent is known where the motion is."""

from __future__ import annotations

import numpy as np

import zeromass as zm

STEP = 1e-6


def oscillator():
    x = zm.coordinate("x")
    k, c = zm.parameter("k", 4.0), zm.parameter("c", 0.3)
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=k * x**2 / 2 + x**4 / 4, forces={x: -c * zm.rate(x)})
    return x, k, c, system


def test_sensitivities_equal_differences_of_runs():
    x, k, c, system = oscillator()
    settings = {"until": 3.0, "rtol": 1e-13, "atol": 1e-15}

    def end(x0=0.8, v0=-0.2, **values):
        start = system.start({x: x0, zm.rate(x): v0}, parameters={{"k": k, "c": c}[n]: v for n, v in values.items()})
        return zm.simulate(system, start, **settings)

    run = end()
    found = run.sensitivity()
    wanted = np.stack(
        [
            (end(x0=0.8 + STEP).y[-1] - end(x0=0.8 - STEP).y[-1]) / (2 * STEP),
            (end(v0=-0.2 + STEP).y[-1] - end(v0=-0.2 - STEP).y[-1]) / (2 * STEP),
        ],
        axis=1,
    )
    # central differences: step² and rounding/step, both about 1e-10
    assert np.abs(found.start[-1] - wanted).max() < 1e-8
    order = [p.name for p in system.parameters]
    by = {"k": ("k", 4.0), "c": ("c", 0.3)}
    for j, name in enumerate(order):
        key, value = by[name]
        slope = (end(**{key: value + STEP}).y[-1] - end(**{key: value - STEP}).y[-1]) / (2 * STEP)
        assert np.abs(found.parameters[-1][:, j] - slope).max() < 1e-8


def test_area_is_kept_without_damping():
    """Liouville: det ∂y(t)/∂y(0) = 1 for a conservative system, e^(−ct) with damping c."""
    x, _, c, system = oscillator()
    start = system.start({x: 0.8, zm.rate(x): -0.2})
    for damping in (0.0, 0.3):
        run = zm.simulate(system, start, until=3.0, rtol=1e-12, atol=1e-14, parameters={c: damping})
        determinants = np.linalg.det(run.sensitivity([1.0, 2.0, 3.0]).start)
        assert np.allclose(determinants, np.exp(-damping * np.array([1.0, 2.0, 3.0])), rtol=1e-9)


def test_exponent_of_an_inverted_spring():
    """ẍ = a² x: a tangent grows as e^(at) once it has turned into the growing direction, which it does only once."""
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=-(1.5**2) * x**2 / 2)
    start = system.start({x: 1e-3, zm.rate(x): 0.0})
    growth = [zm.lyapunov_exponent(zm.simulate(system, start, until=T, rtol=1e-10)) * T for T in (6.0, 12.0)]
    # what is left of the other direction after 6 s is e^(−2·1.5·6) = 1.5e-8
    assert abs((growth[1] - growth[0]) / 6.0 - 1.5) < 1e-6


def test_exponent_of_a_pendulum_is_zero_and_of_the_double_pendulum_is_not():
    p, q = zm.Particle("p", 1.0), zm.Particle("q", 1.0)
    link = q.position - p.position
    constraints = {"upper": (p.position @ p.position - 1) / 2, "lower": (link @ link - 1) / 2}
    plane = {"plane": np.array([p.position[1], q.position[1]])}
    double = zm.System([p, q], gravity=9.81, constraints={**constraints, **plane})
    start = double.start(
        [(p.position, (1.0, 0.0, 0.0)), (q.position, (1.0, 0.0, 1.0)), (p.velocity[2], 0.0), (q.velocity[0], 0.0)]
    )
    chaotic = zm.lyapunov_exponent(zm.simulate(double, start, until=20.0))
    single = zm.System([p], gravity=9.81, constraints={"rod": constraints["upper"], "plane": p.position[1]})
    start = single.start([(p.position, (0.6, 0.0, -0.8)), (p.velocity[2], 0.0)])
    regular = zm.lyapunov_exponent(zm.simulate(single, start, until=20.0))
    assert chaotic > 0.8
    assert regular < 0.3  # falls as log(t)/t
