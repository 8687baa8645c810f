"""Singular positions are crossed on the branch in any coordinates, told, and left; near misses are no crossings."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.optimize import brentq

import zeromass as zm
from integrate.mechanisms import G, parallelogram, rod_chain, u
from integrate.test_campaign import METHODS, pendulum
from integrate.test_chain import chain

TOLERANCES = 1e-6, 1e-8, 1e-10, 1e-12


def tip_of(N: int, times: np.ndarray) -> np.ndarray:
    """The first tip of a chain of N from upright, cranks turning at −1: the chain is one pendulum."""
    exact = pendulum((N + 1) / 3 + N, G * ((N + 1) / 2 + N), [np.pi / 2, -1.0], float(times.max()))
    return u(exact(times)[0]).T


def flat_times(N: int, until: float) -> list[float]:
    """When its cranks are level."""
    exact = pendulum((N + 1) / 3 + N, G * ((N + 1) / 2 + N), [np.pi / 2, -1.0], until)
    t = np.linspace(0, until, 1000)
    level = np.sin(exact(t)[0])
    return [
        brentq(lambda x: np.sin(exact(x)[0]), t[k], t[k + 1], xtol=1e-14)
        for k in np.flatnonzero(level[:-1] * level[1:] < 0)
    ]


@pytest.mark.parametrize("rtol", TOLERANCES)
@pytest.mark.parametrize("method", METHODS)
def test_a_chain_of_rods(method, rtol):
    """Right at steps and between them; every passage is told, where it is: errors of the run move it along with it."""
    system, start, tip = rod_chain(2, np.pi / 2, -1.0)
    run = zm.simulate(system, start, until=6.0, rtol=rtol, atol=rtol / 100, method=method)
    assert run.outcome.complete
    times = np.linspace(0, 6, 1501)
    assert np.abs(run.at(times)[tip] - tip_of(2, times)).max() <= 1e3 * rtol
    energy = run.at(times)[system.energy]
    assert np.ptp(energy) <= 1e3 * rtol * np.abs(energy).max()
    expected = flat_times(2, 6.0)
    assert len(run.passages) == len(expected)
    assert np.abs(np.array([passage.t for passage in run.passages]) - expected).max() <= 1e3 * rtol + 1e-6
    assert all({"left 0", "right 1"} <= set(passage.constraints) for passage in run.passages)


@pytest.mark.parametrize("rtol", TOLERANCES)
def test_between_the_steps_of_a_chain_of_points(rtol):
    """In the coordinates of its pins the states between steps were off by 0.66 m at rtol 1e-6."""
    system, start, tip = chain(2)
    run = zm.simulate(system, start, until=5.0, rtol=rtol, atol=rtol / 100)
    times = np.linspace(0, 5, 2001)
    assert np.abs(run.at(times)[tip] - tip_of(2, times)).max() <= 1e3 * rtol


@pytest.mark.slow
@pytest.mark.parametrize("N", [10, 40])
def test_long_chains_of_rods(N):
    system, start, tip = rod_chain(N, np.pi / 2, -1.0)
    run = zm.simulate(system, start, until=4.0, rtol=1e-10, atol=1e-12)
    assert run.outcome.complete
    times = np.linspace(0, 4, 401)
    assert np.abs(run.at(times)[tip] - tip_of(N, times)).max() <= 1e-7
    assert len(run.passages) == len(flat_times(N, 4.0))


@pytest.mark.parametrize("method", METHODS)
def test_backwards(method):
    system, a, b, c = parallelogram(1.0, 1.0)
    start = system.start({a: 1.0, b: 1.0, c: 0.0, zm.rate(a): 2.0})
    run = zm.simulate(system, start, until=-2.0, rtol=1e-10, atol=1e-12, method=method)
    exact = pendulum(5 / 3, 2 * G, [1.0, -2.0], 2.0)
    assert run.outcome.complete
    assert len(run.passages) >= 1
    assert np.abs(run[a] - exact(-run.t)[0]).max() <= 1e-7


@pytest.mark.parametrize("method", METHODS)
def test_what_happens_on_a_leap(method):
    """An event just before the singular position, in it and just after: cranks without weight turn at a constant rate."""
    a, b, c = zm.coordinates("a b c")
    kinetic = (zm.rate(a) ** 2 + zm.rate(b) ** 2 + zm.rate(c) ** 2) / 2
    system = zm.System(kinetic=kinetic, constraints={"loop": u(a) + u(c) - np.array([1.0, 0.0]) - u(b)})
    start = system.start({a: 0.5, b: 0.5, c: 0.0, zm.rate(a): -1.0})
    places = {"before": 0.005, "there": 0.0, "after": -0.005}
    events = [zm.Event(name, a - place, terminal=False) for name, place in places.items()]
    run = zm.simulate(system, start, until=2.0, events=events, method=method)
    assert [event.name for event in run.events] == list(places)
    assert np.abs([event.t - (0.5 - places[event.name]) for event in run.events]).max() <= 1e-9
    ended = zm.simulate(system, start, until=2.0, events={"after": a + 0.005}, method=method)
    assert abs(ended.t[-1] - 0.505) <= 1e-9
    assert abs(ended.at(0.5)[a][0]) <= 1e-9


@pytest.mark.parametrize("rtol", [1e-4, 1e-6, 1e-8, 1e-10, 1e-12])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("miss", [1e-8, 1e-10, 1e-12, 1e-13])
def test_a_near_miss_is_no_crossing(method, rtol, miss):
    """On x y = ε a particle that comes along x turns the corner and leaves along y, however small ε.

    The corner is round, of about √ε, and its arc shorter than the way along the axes by as much.
    """
    x, y = zm.coordinates("x y")
    kinetic = (zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2
    system = zm.System(kinetic=kinetic, constraints={"corner": x * y - miss})
    start = system.start([(x, 1.0), (y, miss), (zm.rate(x), -1.0)])
    run = zm.simulate(system, start, until=2.0, rtol=rtol, atol=rtol / 100, method=method)
    assert run.outcome.complete
    assert run.passages == ()
    assert abs(run[y][-1] - 1.0) <= 2 * np.sqrt(miss) + 10 * rtol
    assert abs(run[x * y][-1] - miss) <= 1e-15


@pytest.mark.parametrize("unit", [1e-9, 1e-6, 1e-3, 1e3, 1e6, 1e9])
@pytest.mark.parametrize("miss", [0.0, 1e-8, 1e-12])
def test_near_misses_in_units_of_any_size(unit, miss):
    """The same, and a crossing, in whatever units the particle's place is measured."""
    x, y = zm.coordinates("x y")
    kinetic = (zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2
    system = zm.System(kinetic=kinetic, constraints={"corner": x * y - miss * unit**2})
    start = system.start([(x, unit), (y, miss * unit), (zm.rate(x), -unit)])
    run = zm.simulate(system, start, until=2.0, rtol=1e-8, atol=1e-10 * unit)
    assert run.outcome.complete
    assert len(run.passages) == (miss == 0.0)
    end = (-1.0, 0.0) if miss == 0.0 else (0.0, 1.0)
    assert np.abs(run.y[-1][:2] / unit - end).max() <= 2 * np.sqrt(miss) + 1e-7


@pytest.mark.parametrize("method", METHODS)
def test_and_a_crossing_is_no_miss(method):
    x, y = zm.coordinates("x y")
    kinetic = (zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2
    system = zm.System(kinetic=kinetic, constraints={"cross": x * y})
    start = system.start([(x, 1.0), (y, 0.0), (zm.rate(x), -1.0)])
    run = zm.simulate(system, start, until=2.0, method=method)
    assert np.abs(run[np.array([x, y])] - np.stack([1 - run.t, 0 * run.t], axis=1)).max() <= 1e-9
    assert [passage.constraints for passage in run.passages] == [("cross",)]
    assert abs(run.passages[0].t - 1.0) <= 1e-9


def test_a_taut_elbow_without_mass_is_undetermined():
    E, P = zm.coordinates("ex ey"), zm.coordinates("px py")
    constraints = {"upper": (E @ E - 1) / 2, "lower": ((P - E) @ (P - E) - 1) / 2}
    system = zm.System(kinetic=zm.rate(P) @ zm.rate(P) / 2, coordinates=[*E, *P], constraints=constraints)
    taut = zm.State(system, 0.0, np.array([0.0, 1.0, 0.0, 2.0]), np.zeros(4), {})
    with pytest.warns(zm.errors.RunStopped):
        assert zm.simulate(system, taut, until=1.0).outcome.ending == "non-unique"
    half = np.array([np.sin(0.5), np.cos(0.5)])
    start = system.start([(E, half), (P, (0.0, 2 * half[1])), (zm.rate(P), (0.0, 0.3))])
    with pytest.warns(zm.errors.RunStopped):
        run = zm.simulate(system, start, until=3.0)
    assert run.t[-1] <= (2 - 2 * half[1]) / 0.3 + 1e-9


def test_squares_of_rates_that_vanish():
    """ẋ² = ẏ² has no gradient at rest; from ẋ = ẏ it is kept until the rates vanish, and no further in silence."""
    x, y = zm.coordinates("x y")
    kinetic = (zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2
    system = zm.System(kinetic=kinetic, potential=9.81 * y, constraints={"rates": zm.rate(x) ** 2 - zm.rate(y) ** 2})
    with pytest.warns(zm.errors.RunStopped, match="rates"):
        run = zm.simulate(system, zm.State(system, 0.0, np.zeros(2), np.zeros(2), {}), until=1.0)
    assert run.outcome.ending == "singular branch"
    with pytest.warns(zm.errors.RunStopped):
        run = zm.simulate(system, zm.State(system, 0.0, np.zeros(2), np.ones(2), {}), until=1.0)
    assert np.abs(run[x] - run.t + 9.81 * run.t**2 / 4).max() <= 1e-9


@pytest.mark.parametrize("method", METHODS)
def test_a_row_that_says_what_the_motion_keeps_anyway(method):
    """E = E₀ on an incline has no gradient where the motion turns back, and needs no force: x = t − a t²/2 all the way."""
    x, y = zm.coordinates("x y")
    kinetic = (zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2
    constraints = {"incline": y - x / 2, "energy": kinetic + G * y - 0.625}
    system = zm.System(kinetic=kinetic, potential=G * y, constraints=constraints)
    run = zm.simulate(system, system.start([(x, 0.0), (zm.rate(x), 1.0)]), until=1.0, method=method)
    assert run.outcome.complete
    assert np.abs(run[x] - run.t + G * 0.4 * run.t**2 / 2).max() <= 1e-9


def test_a_file_keeps_the_passages(tmp_path):
    system, a, b, c = parallelogram(1.0, 1.0)
    run = zm.simulate(system, system.start({a: 1.0, b: 1.0, c: 0.0, zm.rate(a): -2.0}), until=1.0, rtol=1e-8)
    with warnings.catch_warnings(
        action="ignore", category=zm.errors.FewDigits
    ):  # c is 0 but for rounding, and has no digits
        run.save(tmp_path / "parallelogram.nc")
    again = zm.load(tmp_path / "parallelogram.nc")
    assert len(run.passages) == 2
    assert again.passages == run.passages
    times = np.linspace(0, 1, 301)
    assert np.abs(again.at(times)[again.system.coordinates] - run.at(times)[system.coordinates]).max() <= 1e-12
