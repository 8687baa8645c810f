"""The machine code of a leap beside the same iteration in NumPy, and where a leap says that rows lose independence."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.polynomial import legendre

import zeromass as zm
from integrate.mechanisms import G, four_bar_angles, parallelogram, rod_chain, u
from integrate.test_campaign import pendulum
from integrate.test_chain import chain
from integrate.test_leap import flat_times
from zeromass.integrate.singular.crossing import Crossing
from zeromass.integrate.singular.fading import weakest_of
from zeromass.integrate.singular.leap import Leap, Leaps
from zeromass.integrate.singular.places import ENDS, FROM_BEGINNING, GAP, PLACES, STAGES
from zeromass.integrate.stepping.functions import Functions
from zeromass.integrate.stepping.status import Tolerances

LANES = 1, 2, 4, 8


def before_a_crossing(make, ahead: float) -> zm.State:
    """A chain of two on its way, some time before its first singular position."""
    system, start, _ = make(2)
    run = zm.simulate(system, start, until=flat_times(2, 1.0)[0] - ahead, rtol=1e-12, atol=1e-14)
    n = len(start.q)
    return zm.State(system, float(run.t[-1]), run.y[-1][:n], run.y[-1][n:], {})


def leaps_from(state: zm.State, lanes: int) -> tuple[Leaps, Functions, np.ndarray]:
    functions = Functions(zm.compile(state.system, state).native, np.empty(0), lanes)
    return Leaps(functions, 2 * len(state.q)), functions, np.concatenate([state.q, state.v])


def plain(functions: Functions, t: float, y: np.ndarray, h: float) -> np.ndarray:
    """q̈ at the stages: a → states by two integrals of the polynomial through it → on the constraints → q̈."""
    n, x = len(y) // 2, 2 * PLACES - 1
    a = np.repeat(functions.slope(t, y)[0][None, n:], STAGES, axis=0)
    for _ in range(8):  # until rounding is what is left: it does not shrink
        velocities = legendre.legint(np.linalg.solve(legendre.legvander(x, STAGES - 1), a), scl=h / 2, lbnd=-1)
        velocities[0] += y[n:]
        positions = legendre.legint(velocities, scl=h / 2, lbnd=-1)
        positions[0] += y[:n]
        states = np.concatenate([legendre.legval(x, coefficients) for coefficients in (positions, velocities)]).T
        on = functions.projected(t + h * PLACES, states)
        a = np.array([functions.slope(t + h * θ, state)[0][n:] for θ, state in zip(PLACES, on, strict=True)])
    return a


@pytest.mark.parametrize("lanes", LANES)
def test_the_iteration_is_that_of_the_plain_one(lanes):
    """Four-bars in a row from 0.03 s before they lie flat, over 0.06 s: the rest of both iterations is rounding over τ²."""
    state = before_a_crossing(chain, 0.03)
    leaps, functions, y = leaps_from(state, lanes)
    found = leaps(state.t, y, 0.06, 1 / (1e-13 + 1e-12 * np.abs(y)))
    assert isinstance(found, Leap)
    exact = plain(functions, state.t, y, 0.06)
    assert np.abs(found.stages - exact).max() <= 1e-9 * np.abs(exact).max()
    again = functions.projected(state.t + 0.06 * np.array(ENDS), found.ends)
    assert np.abs(found.ends - again)[:, : len(state.q)].max() <= 1e-14


@pytest.mark.parametrize("make", [chain, lambda N: rod_chain(N, np.pi / 2, -1.0)])
@pytest.mark.parametrize("part", [0.2, 0.35, 0.5, 0.65, 0.8])
def test_where_rows_lose_independence(make, part):
    """In a leap of which the singular position is not the middle, too; stages beside it spoil what they tell by as much."""
    state = before_a_crossing(make, 0.03)
    leaps, _, y = leaps_from(state, 8)
    found = leaps(state.t, y, 0.03 / part, 1 / (1e-13 + 1e-12 * np.abs(y)))
    assert found is not None
    place, inside = weakest_of(found)
    assert inside
    assert abs(place - flat_times(2, 1.0)[0]) <= 1e-6


def test_beside_a_leap():
    state = before_a_crossing(chain, 0.03)
    leaps, _, y = leaps_from(state, 8)
    found = leaps(state.t, y, 0.025, 1 / (1e-13 + 1e-12 * np.abs(y)))
    assert found is not None
    place, inside = weakest_of(found)
    assert not inside
    assert abs(place - flat_times(2, 1.0)[0]) <= 1e-4


def test_states_in_any_order_of_memory_are_projected():
    state = before_a_crossing(chain, 0.03)
    _, functions, y = leaps_from(state, 1)
    states = y + 1e-3 * np.cos(np.arange(5 * len(y))).reshape(5, -1)
    times = np.zeros(5)
    assert np.array_equal(functions.projected(times, np.asfortranarray(states)), functions.projected(times, states))


def test_no_stage_lies_in_the_gap():
    assert np.abs(2 * PLACES - 1).min() > GAP
    assert np.abs(FROM_BEGINNING.table[-1, -1] - 1.0) <= 1e-14  # a velocity of 1 leads 1 far


def test_a_fall_that_several_rows_share():
    """The rows of a damped parallelogram are about as strong here, and tell too late that one of their pivots vanishes."""
    system, a, b, c = parallelogram(1.0, 1.0, friction=0.16807219217805397)
    turn = 0.30698392888529796
    start = system.start({a: turn, c: 0.0, b: turn, zm.rate(a): -4.359968793717579})
    run = zm.simulate(system, start, until=1.510351521619076, rtol=1e-6, atol=1e-8)
    assert run.outcome.complete
    exact = pendulum(5 / 3, 2 * G, [turn, -4.359968793717579], 1.6, friction=0.16807219217805397)
    times = np.linspace(0, run.t[-1], 301)
    assert np.abs(run.at(times)[a] - exact(times)[0]).max() <= 1e-5
    assert len(run.passages) == np.count_nonzero(np.diff(np.sign(np.sin(exact(times)[0]))))


def test_a_step_is_searched_all_over():
    """The singular position of a step is found wherever it is in it, beside the ends of the leaps that look for it too."""
    state, place = before_a_crossing(chain, 0.03), flat_times(2, 1.0)[0]
    program, y = zm.compile(state.system, state), np.concatenate([state.q, state.v])
    functions = Functions(program.native, np.empty(0))
    crossing = Crossing(program, state, (np.array([state.t]), y[None]), functions, Tolerances(1e-7, 1e-9), 100.0)
    for part in np.linspace(0.03, 0.96, 94):
        found = crossing.searched(state.t, y, state.t + 0.03 / part)
        assert found is not None, part
        assert abs(found - place) <= 0.03 / part / 9, part


BESIDE_A_STAGE = 2.27568, 2.2761, 2.2764, 2.277
"""Starts of a parallelogram at 4.573 rad/s with which the second step of collocation at rtol 1e-7 has its singular position,
at 0.16 s, beside a stage. Its end was right, by nothing but symmetry; states inside were off by a tenth of a metre."""


@pytest.mark.parametrize("angle", BESIDE_A_STAGE)
@pytest.mark.parametrize("seen", [True, False])
def test_inside_a_step_across_a_singular_position(angle, seen, monkeypatch):
    """It is leapt across in place of the step; where it is not found in it, the step is not kept either."""
    if not seen:
        monkeypatch.setattr(Crossing, "searched", lambda *_: None)
    system, ends = four_bar_angles((1.0, 1.0, 1.0, 1.0))
    a, c, b = system.coordinates
    start = system.start({a: angle, c: 0.0, b: angle, zm.rate(a): 4.573147265047282})
    run = zm.simulate(system, start, until=0.4, rtol=1e-7, atol=1e-9, method="collocation")
    assert run.outcome.complete
    exact = pendulum(5 / 3, 2 * G, [angle, 4.573147265047282], 0.4)
    times = np.linspace(0, 0.4, 401)
    assert np.abs(run.at(times)[ends[:2]] - u(exact(times)[0]).T).max() <= 1e-5
    assert len(run.passages) == 1
    assert abs(np.sin(exact(run.passages[0].t)[0])) <= 1e-5


@pytest.mark.parametrize("method", ["collocation", "dop853", "radau"])
@pytest.mark.parametrize("rtol", [1e-6, 1e-8, 1e-10])
def test_without_projection_a_singular_position_ends_a_run(method, rtol):
    """Nothing keeps states on their branch there: of such runs some came out on another one, and were "finished"."""
    system, ends = four_bar_angles((1.0, 1.0, 1.0, 1.0))
    a, c, b = system.coordinates
    for angle in (2.0, 2.3, 2.6, 2.9):
        start = system.start({a: angle, c: 0.0, b: angle, zm.rate(a): 4.57})
        with pytest.warns(zm.errors.RunStopped):
            run = zm.simulate(system, start, until=0.6, rtol=rtol, atol=rtol / 100, method=method, project=False)
        exact = pendulum(5 / 3, 2 * G, [angle, 4.57], 0.6)
        assert run.outcome.ending == "singular branch"
        assert np.abs(run[ends[:2]] - u(exact(run.t)[0]).T).max() <= 1e3 * rtol
