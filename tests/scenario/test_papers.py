"""The scenario files of the papers move exactly as the same models built in Python, bit for bit."""

from __future__ import annotations

import math

import numpy as np
import pytest

import zeromass as zm
from zeromass.papers import um2022
from zeromass.scenario import load_scenario, shipped_scenarios

TIGHT = {"rtol": 1e-13, "atol": 1e-16}
ORIENTATIONS = {
    "A": (1.0, 0.0, 0.0, 0.0),
    "B": (math.sqrt(2 + math.sqrt(2)) / 2, 0.0, 0.0, math.sqrt(2 - math.sqrt(2)) / 2),
    "C": (math.sqrt(2) / 2, 0.0, -math.sqrt(2) / 2, 0.0),
    "D": "x-axis along the normal",
}
TROUGH = {  # amplitudes, m, and frequencies, π rad/s, along x, y, z, and the contact at the start
    "Ia": ({"x": [(0.1, 1.0)]}, 0.2),
    "IIc": ({"x": [(0.1, 3.0)], "y": [(0.1, 3.0)]}, 0.2),
    "IIId": ({"x": [(0.1, 6.0)], "y": [(0.1, 6.0)], "z": [(0.1, 6.0)]}, 0.3),
    "two frequencies": ({"x": [(0.05, 1.0), (0.1, 1.5)], "y": [(0.1, 1.0), (0.05, 6.0)]}, 0.3),
}


def same(a: zm.Trajectory, b: zm.Trajectory) -> bool:
    return np.array_equal(a.t, b.t) and np.array_equal(a.y, b.y)


def shell(case: str) -> zm.Trajectory:
    body = zm.two_material_shell(0.09, 0.08, (7874.0, 10490.0))
    free = case[0] != "3"
    rolling = zm.Rolling(body, on=zm.surfaces.dimpled_bowl(), gravity=9.81, spin="free" if free else "none")
    spin = {"1": 0.0, "2": 3 * math.pi, "3": None}[case[0]]
    orientation = ORIENTATIONS[case[1]]
    start = rolling.start(contact=(-1.5, -0.75), velocity=(1.5, 1.0), spin=spin, orientation=orientation)
    return zm.simulate(rolling, start, until=25.0, **TIGHT)


@pytest.mark.parametrize("case", ["1A", "2B", "3C", pytest.param("1D", marks=pytest.mark.slow)])
def test_shell(case):
    assert same(load_scenario("um2022", case).simulate(), shell(case))


@pytest.mark.slow
@pytest.mark.parametrize("case", um2022.CASES)
def test_shell_of_the_papers(case):
    um2022.system.cache_clear()  # its machine code depends on the case that ran before
    assert same(load_scenario("um2022", case).simulate(), um2022.run(case))


def test_the_file_as_it_stands_is_its_first_case():
    ours, first = load_scenario("um2022"), load_scenario("um2022", "1A")
    assert np.array_equal(ours.start.q, first.start.q)
    assert np.array_equal(ours.start.v, first.start.v)


@pytest.mark.parametrize("case", TROUGH)
def test_trough(case):
    given, xi0 = TROUGH[case]
    terms = {
        axis: [(zm.parameter(f"A_{axis}{i}", 0.0), zm.parameter(f"Omega_{axis}{i}", 0.0)) for i in range(count)]
        for axis, count in {"x": 2, "y": 2, "z": 1}.items()
    }
    shift = [sum(A * np.cos(w * zm.t) for A, w in terms[axis]) for axis in "xyz"]
    trough = zm.Surface(lambda x, y, z: z / 9.0 - x**2 / 4.0, shift=shift, name="trough")
    ball = zm.SphericalBody(0.02, 0.2634, (4.21e-5,) * 3, name="ball")
    rolling = zm.Rolling(ball, on=trough, gravity=9.81, contact="two-sided")
    values = {
        symbol: value
        for axis, pairs in given.items()
        for (A, w), (amplitude, frequency) in zip(terms[axis], pairs, strict=False)
        for symbol, value in ((A, amplitude), (w, frequency * np.pi))
    }
    start = rolling.start(contact=(xi0, 0.0), parameters=values)
    assert same(load_scenario("ud2011", case).simulate(), zm.simulate(rolling, start, until=4.0, **TIGHT))


def test_wheel():
    theta, y = zm.coordinates("theta y")
    m, R, Ic, alpha, g = (
        zm.parameter(n, v) for n, v in zip(["m", "R", "Ic", "alpha", "g"], (2, 0.35, 0.1, 0.4, 9.81), strict=True)
    )
    wheel = zm.System(
        kinetic=m * (R * zm.rate(theta)) ** 2 / 2 + Ic * zm.rate(theta) ** 2 / 2,
        potential=-m * g * y,
        constraints={"rolling": y - R * theta * np.sin(alpha)},
    )
    run = zm.simulate(wheel, wheel.start({theta: 0.3, zm.rate(theta): 1.2}), until=2.0)
    assert same(load_scenario("up2006-wheel").simulate(), run)


@pytest.mark.parametrize(
    ("case", "a", "place", "velocity"),
    [
        ("general", 0.3, (0.3 + 2 / 3, 1 / 3, -2 / 3), (1.0, 2.0, 2.0)),
        ("planar", 1.0, (1.0, 0.0, 1.0), (0.0, 0.0, 0.0)),
    ],
)
def test_particle(case, a, place, velocity):
    particle, a = zm.Particle("particle", mass=1.0), zm.parameter("a", a)
    X, Y, Z = particle.position
    sphere = (X - a * np.cos(2.0 * zm.t)) ** 2 + Y**2 + Z**2 - 1.0
    system = zm.System([particle], gravity=9.81, constraints={"sphere": sphere})
    start = system.start([(particle.position, place), (particle.velocity, velocity)])
    scenario = load_scenario("stanescu", case)
    ours = scenario.simulate()
    assert same(ours, zm.simulate(system, start, until=2.0, **TIGHT))
    assert len(ours.events) == (2 if case == "planar" else 0)


def test_every_case_of_every_file_is_valid():
    for name in shipped_scenarios():
        cases = load_scenario(name).cases
        assert len(cases) == {"um2022": 12, "ud2011": 13, "stanescu": 2, "up2006-wheel": 0}[name]
        for case in cases[::5]:
            assert load_scenario(name, case).case == case
