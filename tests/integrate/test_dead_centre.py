"""A crank without mass that a slider moves: x = cos θ has no slope at the dead centre, and nothing carries it through."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from integrate.references.one_mass import stopped_or_complete

METHODS = "collocation", "dop853", "radau"


def crank(amplitude: float, **options) -> tuple[zm.Run, zm.expression.Expression, zm.expression.Expression]:
    """The slider is drawn by −x, so that x = amplitude cos(t − 1)."""
    x, θ = zm.coordinates("x theta")
    system = zm.System(
        kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2, coordinates=[x, θ], constraints={"crank": x - np.cos(θ)}
    )
    begin = amplitude * np.cos(1.0)
    start = system.start({x: begin, θ: np.arccos(begin), zm.rate(x): amplitude * np.sin(1.0)})
    return stopped_or_complete(system, start, until=3.0, **options), x, θ


@pytest.mark.parametrize("rtol", [1e-6, 1e-8, 1e-10, 1e-12])
@pytest.mark.parametrize("method", METHODS)
def test_the_dead_centre_itself_is_named_or_passed_as_it_was_met(method, rtol):
    """x = cos(t − 1) comes to it with θ̇ = −1. It may go on as smoothly; that it turns back is decided by rounding alone."""
    run, _, θ = crank(1.0, method=method, rtol=rtol, atol=rtol / 100)
    if run.outcome.complete:
        times = np.linspace(0.0, 3.0, 31)
        np.testing.assert_allclose(run.at(times)[θ], 1.0 - times, rtol=0, atol=100 * rtol)
    else:
        assert run.outcome.ending == "non-unique"
        assert "give theta a mass" in run.outcome.message
        assert 0.9 < run.t[-1] < 1.0
        np.testing.assert_allclose(run[θ], 1.0 - run.t, rtol=0, atol=10 * np.sqrt(rtol))


@pytest.mark.parametrize("short", [1e-1, 1e-3, 1e-6])
@pytest.mark.parametrize("method", METHODS)
def test_what_turns_before_it_turns(method, short):
    """cos θ = (1 − short) cos(t − 1): θ is least at t = 1. An error of the place, 1e-11, is 1/sin θ times that of θ."""
    run, x, θ = crank(1.0 - short, method=method, rtol=1e-12, atol=1e-14)
    assert run.outcome.complete
    times = np.linspace(0.0, 3.0, 31)
    place = (1.0 - short) * np.cos(times - 1.0)
    np.testing.assert_allclose(run.at(times)[x], place, rtol=0, atol=1e-10)
    np.testing.assert_allclose(run.at(times)[θ], np.arccos(place), rtol=0, atol=1e-10 / np.sqrt(2 * short))
