"""The scenario files of the papers move exactly as the same models built in Python, bit for bit."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import zeromass as zm
from zeromass.papers import stanescu, ud2011, um2022, up2006
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


EXAMPLES = {
    "up2006-wheel": up2006.wheel,
    "up2006-virtual-particle": up2006.virtual_particle,
    "up2006-chain": up2006.chain,
    "up2006-light-first-mass": up2006.light_first_mass,
    "up2006-light-second-mass": up2006.light_second_mass,
}


def same(a: zm.Run, b: zm.Run) -> bool:
    return np.array_equal(a.t, b.t) and np.array_equal(a.y, b.y)


def shell(case: str) -> zm.Run:
    body = zm.bodies.two_material_shell(0.09, 0.08, (7874.0, 10490.0))
    free = case[0] != "3"
    rolling = zm.Rolling(body, on=zm.surfaces.dimpled_bowl(), gravity=9.81, no_spin=not free)
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


@pytest.mark.slow
@pytest.mark.parametrize("case", [*ud2011.CASES, *ud2011.READINGS])
def test_trough_of_the_papers(case):
    ud2011.model.cache_clear()
    assert same(load_scenario("ud2011", case).simulate(), ud2011.run({**ud2011.CASES, **ud2011.READINGS}[case]))


@pytest.mark.parametrize("case", stanescu.CASES)
def test_particle_of_the_papers(case):
    ours, theirs = load_scenario("stanescu", case).simulate(), stanescu.run(case)
    assert same(ours, theirs)
    assert [event.t for event in ours.events] == [event.t for event in theirs.events]


def test_every_case_of_the_papers_is_shipped():
    for name, cases in (("um2022", um2022.CASES), ("stanescu", stanescu.CASES)):
        assert set(load_scenario(name).cases) == set(cases)
    assert set(load_scenario("ud2011").cases) == {*ud2011.CASES, *ud2011.READINGS}


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
    ball = zm.bodies.SphericalBody(0.02, 0.2634, (4.21e-5,) * 3, name="ball")
    rolling = zm.Rolling(ball, on=trough, gravity=9.81, two_sided=True)
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


@pytest.mark.parametrize("name", EXAMPLES)
def test_singular_mass_matrices(name):
    """UP2006, examples 1–3: state, accelerations, diagnosis and run are those of `papers`."""
    scenario, case = load_scenario(name), EXAMPLES[name]()
    ours, theirs = scenario.start, case.state
    assert [x.name for x in scenario.system.coordinates] == [x.name for x in case.system.coordinates]
    assert [row.name for row in scenario.system.rows] == [row.name for row in case.system.rows]
    assert np.array_equal(ours.q, theirs.q)
    assert np.array_equal(ours.v, theirs.v)
    assert np.array_equal(ours.motion.acceleration, theirs.motion.acceleration)
    assert str(scenario.system.check(ours)) == str(case.diagnosis)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", zm.errors.RunStopped)  # the virtual particle's
        run, other = scenario.simulate(), zm.simulate(case.system, case.state, until=2.0)
    assert same(run, other)
    assert run.outcome == other.outcome


def test_every_example_with_singular_mass_matrices_is_shipped():
    titles = [case().title for case in EXAMPLES.values()]
    assert titles == [case.title for case in up2006.cases()]
    assert {name for name in shipped_scenarios() if name.startswith("up2006")} == set(EXAMPLES)


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
        assert len(cases) == {"um2022": 12, "ud2011": 17, "stanescu": 2, **dict.fromkeys(EXAMPLES, 0)}[name]
        for case in cases[::5]:
            assert load_scenario(name, case).case == case
