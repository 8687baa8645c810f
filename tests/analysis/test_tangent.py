"""Sensitivities are derivatives of runs, and the exponent is known where the motion is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

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


def rod():
    """A pendulum on a rod whose length is a parameter: the acceleration itself does not contain it."""
    L, p = zm.parameter("L", 1.0), zm.Particle("p", 1.0)
    constraints = {"rod": p.position @ p.position - L**2, "plane": p.position[1]}
    system = zm.System([p], gravity=9.81, constraints=constraints)
    return system, system.start([(p.position, (0.6, 0, -0.8)), (p.velocity, (1.6, 0, 1.2))])


def moving_bowl():
    """A bead and a heavier one tied to it in a bowl of given depth that is shaken sideways and up."""
    k, w = zm.parameter("k", 0.4), zm.parameter("w", 3.0)
    p, q = zm.Particle("p", 1.0), zm.Particle("q", 4.0)
    x, y, z = p.position
    tie = q.position - p.position
    bowl = z - k * (x - 0.1 * np.sin(w * zm.t)) ** 2 - k * y**2 - k * np.cos(w * zm.t)
    system = zm.System([p, q], gravity=9.81, constraints={"bowl": bowl, "tie": tie @ tie - (1 + k) ** 2})
    return system, system.start({x: 0.5, y: 0.2, zm.rate(y): 1.0}, t=0.2, guess={q.position[0]: 1.0})


def wheel():
    """A wheel on an incline with one coordinate too many, its radius a parameter [UP2006, example 1]."""
    theta, y = zm.coordinates("theta y")
    R = zm.parameter("R", 0.5)
    kinetic = (2 * R**2 + 0.3) * zm.rate(theta) ** 2 / 2
    constraints = {"rolling": y - R * theta * np.sin(0.4)}
    system = zm.System(kinetic=kinetic, potential=-2 * 9.81 * y, coordinates=[theta, y], constraints=constraints)
    return system, system.start({theta: 0.3, zm.rate(theta): 2.0})


def rolling_disc():
    """A coin that rolls without slip, in rates only: its positions stay, its rates must fit another radius."""
    x, y, phi, theta = q = zm.coordinates("x y phi theta")
    R, v = zm.parameter("R", 0.5), zm.rate(q)
    kinetic = (v[0] ** 2 + v[1] ** 2 + 0.1 * v[2] ** 2 + 0.2 * v[3] ** 2) / 2
    roll = [v[0] - R * v[3] * np.cos(phi), v[1] - R * v[3] * np.sin(phi)]
    system = zm.System(kinetic=kinetic, potential=x, coordinates=q, constraints={"roll": roll})
    return system, system.start({x: 0, y: 0, phi: 0.4, theta: 0, v[2]: 1.0, v[3]: 2.0})


@pytest.mark.parametrize("make", [rod, moving_bowl, wheel, rolling_disc])
def test_parameters_of_constraints_move_the_start_with_them(make):
    """Differences of runs from starts that the least change brings onto the constraints for p ± step."""
    system, start = make()
    settings = {"until": start.t + 0.7, "rtol": 1e-13, "atol": 1e-15}

    def end(p, change):
        other = replace(start, parameters={**start.parameters, p: start.parameters[p] + change})
        return zm.simulate(system, other.carried_to(system), **settings).y[-1]

    found = zm.simulate(system, start, **settings).sensitivity().parameters[-1]
    assert np.abs(found).max() > 0.1
    for j, p in enumerate(system.parameters):
        wanted = (end(p, STEP) - end(p, -STEP)) / (2 * STEP)
        # central differences: step² times third derivatives of up to 1e3, and rounding/step
        assert np.abs(found[:, j] - wanted).max() < 1e-8 * max(1.0, np.abs(wanted).max())


def test_sensitivity_at_the_start_keeps_the_constraints():
    """∂φ/∂y ∂y/∂p + ∂φ/∂p = 0 all along: of the rod x·∂x/∂L = L, and along it at the start."""
    system, start = rod()
    run = zm.simulate(system, start, until=1.0, rtol=1e-12, atol=1e-14)
    times = np.linspace(0.0, 1.0, 5)
    found = run.sensitivity(times).parameters[:, :, 0]
    q, v = np.split(run.at(times).y, 2, axis=1)
    assert np.allclose(found[0], [0.6, 0, -0.8, 0, 0, 0], atol=1e-14)
    assert np.allclose((q * found[:, :3]).sum(axis=1), 1.0, rtol=1e-9)
    assert np.allclose((q * found[:, 3:] + v * found[:, :3]).sum(axis=1), 0.0, atol=1e-9)


def test_no_derivative_where_constraints_agree_for_one_value_only():
    """Two rods to one bead of the lengths 1 and L = 1; the spring is not concerned."""
    L, k = zm.parameter("L", 1.0), zm.parameter("k", 2.0)
    x, y = zm.coordinates("x y")
    square, kinetic = x**2 + y**2, (zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2
    system = zm.System(kinetic=kinetic, potential=k * y, constraints={"rod": square - 1, "other": square - L**2})
    run = zm.simulate(system, system.start({x: 0.6}, guess={y: -1.0}), until=0.5)
    found = dict(zip((p.name for p in system.parameters), run.sensitivity().parameters[-1].T, strict=True))
    assert np.isnan(found["L"]).all()
    assert np.isfinite(found["k"]).all()


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
    growth = [zm.simulate(system, start, until=T, rtol=1e-10).lyapunov_exponent() * T for T in (6.0, 12.0)]
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
    chaotic = zm.simulate(double, start, until=20.0).lyapunov_exponent()
    single = zm.System([p], gravity=9.81, constraints={"rod": constraints["upper"], "plane": p.position[1]})
    start = single.start([(p.position, (0.6, 0.0, -0.8)), (p.velocity[2], 0.0)])
    regular = zm.simulate(single, start, until=20.0).lyapunov_exponent()
    assert chaotic > 0.8
    assert regular < 0.3  # falls as log(t)/t


def _lorenz(until: float) -> zm.Run:
    """Lorenz's equations as constraints of rates: σ = 10, ρ = 28, β = 8/3; their divergence is −σ − 1 − β everywhere."""
    x, y, z = zm.coordinates("x y z")
    rules = {"x": zm.rate(x) - 10 * (y - x), "y": zm.rate(y) - x * (28 - z) + y, "z": zm.rate(z) - x * y + 8 / 3 * z}
    system = zm.System(kinetic=sum(zm.rate(c) ** 2 for c in (x, y, z)) / 2, constraints=rules)
    return zm.simulate(system, system.start({x: 1.0, y: 1.0, z: 20.0}), until=until, rtol=1e-7)


def test_contracting_directions_of_a_chaotic_motion_are_not_lost() -> None:
    """In a hundredth of the run tangents grow apart by e^(15.4 · 1.6) = 5e10. Volumes in (q, q̇) differ from those in q by a
    bounded factor, here less than e⁴: 4/160 s."""
    found = _lorenz(160.0).lyapunov_spectrum()
    assert found.sum() == pytest.approx(-41 / 3, abs=0.025)
    assert found[0] == pytest.approx(0.9056, abs=0.1)  # the known value, over 160 s only


def test_exponents_that_miss_the_divergence_are_reported() -> None:
    with pytest.warns(zm.errors.RunDoubtful, match=r"mean divergence of the flow along the run is -13\.6"):
        _lorenz(60.0).lyapunov_spectrum(every=6.0)


def test_the_sum_of_exponents_without_constraints_is_the_mean_divergence() -> None:
    """Van der Pol's: ẍ = 8 (1 − x²) ẋ − x contracts by e⁻⁹⁰ in a hundredth of the run."""
    x = zm.coordinate("x")
    v = zm.rate(x)
    system = zm.System(kinetic=v**2 / 2, potential=x**2 / 2, forces={x: 8 * (1 - x**2) * v})
    run = zm.simulate(system, system.start({x: 2.0}), until=600.0, rtol=1e-9)
    found = run.lyapunov_spectrum()
    assert found.sum() == pytest.approx(float(run.mean(8 * (1 - x**2))), rel=1e-5)  # of the tangents' tolerance
    assert abs(found[0]) < 0.01
