"""The N-four-bar chain of the IFToMM benchmark library (A02): 2N + 1 rods that pass through positions where the chain gains
N degrees of freedom for a moment. On the branch where all cranks stay parallel the motion is that of one pendulum,

    I θ'' = W sin θ,   I = (N + 1)/3 + N,   W = g ((N + 1)/2 + N),   θ(0) = 0, θ'(0) = 1,   B₀ = (sin θ, cos θ).
"""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm

G = 9.81

PUBLISHED = {
    2: {4.0: (0.11761610237661214, 0.9930591384513484), 10.0: (0.32845811153973853, 0.9445185381789755)},
    40: {4.0: (0.06934203222786768, 0.9975929443247428), 10.0: (0.18051222668577602, 0.9835727405824863)},
}


def chain(N: int) -> tuple[zm.System, zm.State, np.ndarray]:
    """Tips B₀ … B_N in Cartesian coordinates; a uniform rod from a to b has T = m (ȧ² + ȧ·ḃ + ḃ²)/6."""
    tips = [zm.coordinates(f"x{k} y{k}") for k in range(N + 1)]
    kinetic, potential, constraints = 0.0, 0.0, {}
    for k, tip in enumerate(tips):
        v, arm = zm.rate(tip), tip - np.array([float(k), 0.0])
        kinetic = kinetic + v @ v / 6
        potential = potential + G * tip[1] / 2
        constraints[f"crank {k}"] = (arm @ arm - 1) / 2
    for k in range(N):
        a, b, rod = zm.rate(tips[k]), zm.rate(tips[k + 1]), tips[k + 1] - tips[k]
        kinetic = kinetic + (a @ a + a @ b + b @ b) / 6
        potential = potential + G * (tips[k][1] + tips[k + 1][1]) / 2
        constraints[f"coupler {k}"] = (rod @ rod - 1) / 2
    system = zm.System(kinetic=kinetic, potential=potential, constraints=constraints)
    upright = [(tip, (float(k), 1.0)) for k, tip in enumerate(tips)]
    return system, system.start([*upright, (zm.rate(tips[0][0]), 1.0)]), tips[0]


def horizontal_times(N: int, until: float) -> list[float]:
    """Times at which the cranks are horizontal, from the pendulum alone."""
    from scipy.integrate import solve_ivp

    inertia, weight = (N + 1) / 3 + N, G * ((N + 1) / 2 + N)
    level = lambda t, y: np.cos(y[0])  # noqa: E731
    motion = solve_ivp(
        lambda t, y: [y[1], weight / inertia * np.sin(y[0])], (0, until), [0.0, 1.0], "DOP853", events=level, rtol=1e-12
    )
    return motion.t_events[0].tolist()


@pytest.mark.parametrize("rtol", [1e-9, 1e-10, 1e-11, 1e-12, 1e-13])
def test_two_loops_stay_on_the_branch_at_every_tolerance(rtol):
    system, start, tip = chain(2)
    run = zm.simulate(system, start, until=10.0, rtol=rtol, atol=rtol / 100)
    assert run.outcome.ending.value == "finished"
    energy = run[system.energy]
    # the error of a run grows to some hundred times the tolerance in 10 s (five turns of a driven pendulum)
    assert np.abs(energy - energy[0]).max() <= 100 * rtol * abs(energy[0])
    for t, place in PUBLISHED[2].items():
        assert np.abs(run.at(t)[tip][0] - place).max() <= 300 * rtol + 1e-11


def test_singular_positions_are_reported():
    system, start, _ = chain(2)
    run = zm.simulate(system, start, until=10.0, rtol=1e-12, atol=1e-14)
    expected = horizontal_times(2, 10.0)
    assert len(run.passages) == len(expected)
    # growth of the pivots is known to be largest only to the square root of rounding
    assert np.allclose([p.t for p in run.passages], expected, atol=1e-6)
    assert all({"crank 0", "coupler 0", "coupler 1"} <= set(p.constraints) for p in run.passages)


def test_forty_loops():
    system, start, tip = chain(40)
    run = zm.simulate(system, start, until=10.0, rtol=1e-11, atol=1e-13)
    assert run.outcome.ending.value == "finished"
    energy = run[system.energy]
    assert np.abs(energy - energy[0]).max() <= 1e-9 * abs(energy[0])
    for t, place in PUBLISHED[40].items():
        assert np.abs(run.at(t)[tip][0] - place).max() <= 3e-9
    assert len(run.passages) == len(horizontal_times(40, 10.0))


def test_a_regular_mechanism_reports_no_passage():
    p = zm.Particle("bob", 1.0)
    system = zm.System([p], gravity=G, constraints={"rod": (p.position @ p.position - 1) / 2})
    run = zm.simulate(system, system.start([(p.position, (0.6, 0.0, -0.8)), (p.velocity, (0.0, 1.0, 0.0))]), until=5.0)
    assert run.passages == ()
