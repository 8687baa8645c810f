"""A switch that a motion only touches: where the two sides lead to different motions, nothing is decided in silence."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from integrate.references.one_mass import METHODS, mass, stopped_or_complete


def thrown(force, *, until=2.0, start=(0.5, 1.0), t=0.0, **options):
    """Against 1 m/s² it turns at x = 1, after 1 s, and is back after 2."""
    system, x, v = mass(force)
    return stopped_or_complete(system, system.start({x: start[0], v: start[1]}, t=t), until=until, **options)


def at(run, *times):
    """Where it is."""
    return run.at(times)[run.system.coordinates[0]]


AWAY = {
    "away": lambda x, v: -1.0 + zm.where(x > 1, 5.0, 0.0),
    "away, written otherwise": lambda x, v: 1.5 + 2.5 * np.sign(x - 1),
    "hardly away": lambda x, v: -1.0 + zm.where(x >= 1, 1.001, 0.0),
    "it stays": lambda x, v: -1.0 + zm.where(x > 1, 1.0, 0.0),
    "nested": lambda x, v: -1.0 + zm.where(x > 1, zm.where(v > -3, 5.0, -5.0), 0.0),
    "a whole number": lambda x, v: -1.0 + 5.0 * np.floor(x),
    "of the place squared": lambda x, v: -1.0 + zm.where(x**2 > 1, 5.0, 0.0),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("force", AWAY.values(), ids=AWAY.keys())
def test_a_touch_with_a_force_away_beyond_is_ambiguous(force, method):
    """It may turn at x = 1, or be driven away from there: both are motions."""
    run = thrown(force, method=method)
    assert run.outcome.ending == "ambiguous"
    assert run.t[-1] == pytest.approx(1.0, abs=1e-5)  # v vanishes there: 1e-10 of x are 1e-5 s
    assert "touch" in run.outcome.message
    np.testing.assert_allclose(at(run, 0.7), 0.5 + 0.7 - 0.245, rtol=0, atol=1e-11)


@pytest.mark.parametrize("method", METHODS)
def test_a_speed_that_touches_its_border(method):
    """2(1 − t) makes v = 1 − (1 − t)²; above 1 another 3 N draw on: it may go either way at t = 1."""
    run = thrown(lambda x, v: 2 * (1 - zm.t) + zm.where(v > 1, 3.0, 0.0), start=(0.0, 0.0), method=method)
    assert run.outcome.ending == "ambiguous"
    assert run.t[-1] == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("method", METHODS)
def test_a_touch_back_in_time(method):
    run = thrown(AWAY["away"], until=0.0, start=(0.5, -1.0), t=2.0, method=method)
    assert run.outcome.ending == "ambiguous"
    assert run.t[-1] == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("method", METHODS)
def test_a_touch_where_another_formula_switches(method):
    """At the moment of the touch a switch of time ends a step: it is no less a touch."""
    run = thrown(lambda x, v: -1.0 + zm.where(x > 1, 5.0, 0.0) + 0 * v - zm.where(zm.t > 1, 0.25, 0.0), method=method)
    assert run.outcome.ending == "ambiguous"
    assert run.t[-1] == pytest.approx(1.0, abs=1e-5)


BACK = {
    "continuous": lambda x, v: -1.0 + 50 * np.maximum(0, x - 1),
    "continuous, away": lambda x, v: -1.0 + 50 * np.abs(x - 1) - 50 * (1 - x),
    "less": lambda x, v: -1.0 + zm.where(x > 1, 0.5, 0.0),
    "back": lambda x, v: -1.0 - zm.where(x > 1, 5.0, 0.0),
    "a smooth bend": lambda x, v: -1.0 + np.maximum(0, x - 1) ** 2,
    "of another place": lambda x, v: -1.0 + zm.where(x > 1.5, 5.0, 0.0),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("force", BACK.values(), ids=BACK.keys())
def test_a_touch_from_which_both_sides_lead_back_stops_nothing(force, method):
    """It is above the border for no time. An error δ of the place makes that √δ: 1e-5 s of 5 N and less."""
    run = thrown(force, method=method)
    assert run.outcome.ending == "finished"
    np.testing.assert_allclose(at(run, 1.0, 2.0), [1.0, 0.5], rtol=0, atol=1e-4)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("depth", [1e-9, 1e-7, 1e-3])
def test_what_the_tolerance_tells_apart_is_decided(depth, method):
    """Turned below the border it comes back; above it, it is driven away: x̣ = √(2 depth) there, and 4 m/s² on."""
    for border, away in ((1.0 + depth, False), (1.0 - depth, True)):
        run = thrown(lambda x, v: -1.0 + zm.where(x > border, 5.0, 0.0), method=method)  # noqa: B023
        assert run.outcome.ending == "finished"
        speed = np.sqrt(2 * (1.0 - border)) if away else 0.0
        t = 1.0 + speed  # since the border
        expected = border + speed * t + 2 * t**2 if away else 0.5
        np.testing.assert_allclose(at(run, 2.0), expected, rtol=0, atol=1e-8 + 4e-12 / max(speed, 1e-3))


def test_a_touch_at_the_very_end_decides_nothing():
    run = thrown(AWAY["away"], until=1.0)
    assert run.outcome.ending == "finished"


def test_the_remedy_is_named():
    run = thrown(AWAY["away"])
    assert "x > 1" in run.outcome.message or "1 < x" in run.outcome.message
    assert "rtol" in run.outcome.message
