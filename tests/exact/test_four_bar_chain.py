"""N four-bar linkages in a row, which all pass at once through positions where they could fold: benchmark A02 of the
IFToMM library of multibody problems.

N + 1 uniform rods stand on the ground at (k, 0), N more join their tips; all have 1 m and 1 kg. Started upright with
the tips at 1 m/s it stays a parallelogram, one pendulum:

    I θ̈ = W sin θ,   I = (N + 1)/3 + N,   W = g ((N + 1)/2 + N),   tip = (sin θ, cos θ)

With all rods in a line, twice in each of its turns, N constraints follow from the others, and N + 1 ways lead on.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ellipj, ellipkinc

import zeromass as zm
from exact.measure import exact_run, relative

g = 9.81


def chain(N: int) -> tuple[np.ndarray, zm.System, zm.State]:
    """Tips, (N + 1, 2), and the system: two coordinates for each tip, rods as their ends."""
    names = [f"{axis}{k}" for k in range(N + 1) for axis in "xy"]
    tips = zm.coordinates(" ".join(names)).reshape(N + 1, 2)
    feet = np.stack([np.arange(N + 1.0), np.zeros(N + 1)], axis=1)
    rods = {f"bar{k}": (feet[k], tips[k]) for k in range(N + 1)}
    rods |= {f"coupler{k}": (tips[k], tips[k + 1]) for k in range(N)}
    kinetic, potential, constraints = 0, 0, {}
    for name, (a, b) in rods.items():
        u, v = zm.rate(a), zm.rate(b)
        kinetic = kinetic + (u @ u + u @ v + v @ v) / 6
        potential = potential + g * (a[1] + b[1]) / 2
        constraints[name] = (b - a) @ (b - a) - 1
    system = zm.System(kinetic=kinetic, potential=potential, coordinates=list(tips.ravel()), constraints=constraints)
    start = system.start([(tips, feet + np.array([0.0, 1.0])), (zm.rate(tips[0, 0]), 1.0)])
    return tips, system, start


def course(N: int, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Place and velocity of a tip, as a pendulum that turns over: with φ = θ + π from below and ω² = W/I,

    φ̇² = φ̇_low² − 4ω² sin²(φ/2),  sin(φ/2) = sn(φ̇_low t/2 | m), m = (2ω/φ̇_low)².
    """
    ω2 = g * ((N + 1) / 2 + N) / ((N + 1) / 3 + N)
    lowest = np.sqrt(1 + 4 * ω2)
    m = 4 * ω2 / lowest**2
    first = ellipkinc(np.pi / 2, m)  # from below to the top, where it starts
    sn, cn, dn, _ = ellipj(lowest / 2 * t + first, m)
    rate = lowest * dn
    place = -np.stack([2 * sn * cn, cn**2 - sn**2], axis=1)
    return place, rate[:, None] * np.stack([place[:, 1], -place[:, 0]], axis=1)


def check(N: int, published: dict[float, tuple[float, float]], bound: float) -> zm.Run:
    tips, system, start = chain(N)
    run = exact_run(system, start, 10.0)
    for t, place in published.items():
        assert relative(run.at(t)[tips[0]][0], place) <= bound
    t = np.linspace(0.0, 10.0, 401)
    place, velocity = course(N, t)
    for k in (0, N):
        assert relative(run.at(t)[tips[k]], place + np.array([k, 0.0])) <= bound
        assert relative(run.at(t)[zm.rate(tips[k])], velocity) <= bound
    return run


def test_two():
    """Measured in 10 s, with ten passages: 2e-12 to 3e-11.

    What it is depends on how near to a singular position a step ends: rounding is magnified by one over the distance.
    """
    published = {4.0: (0.11761610237661214, 0.9930591384513484), 10.0: (0.32845811153973853, 0.9445185381789755)}
    run = check(2, published, 1e-10)
    # sin θ = ±1 where all rods are in a line; their times are found as far as the growth of the pivots shows them
    place, _ = course(2, np.array([passage.t for passage in run.passages]))
    assert len(place) == 10
    assert np.max(np.abs(place[:, 1])) <= 1e-4


@pytest.mark.slow
def test_forty():
    """81 constraints on 82 coordinates; measured: 6e-12."""
    published = {4.0: (0.06934203222786768, 0.9975929443247428), 10.0: (0.18051222668577602, 0.9835727405824863)}
    check(40, published, 1e-10)
