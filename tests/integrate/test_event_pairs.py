"""Zeros of event functions that come in pairs, that are poles, or that lie where a step ends."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from zeromass.integrate.stepping.roots import event_roots

METHODS = ["collocation", "dop853", "radau"]


@pytest.fixture(scope="module")
def spring():
    """x = cos t."""
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    return system, x


def happened(run, name):
    return np.array([event.t for event in run.events if event.name == name])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("depth", [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8])
def test_a_function_that_dips_below_zero_has_two_zeros(spring, method, depth):
    """x = cos t comes above 1 − δ between −arccos(1 − δ) and arccos(1 − δ) around every turn."""
    system, x = spring
    event = zm.Event("top", x - (1 - depth), terminal=False)
    run = zm.simulate(system, system.start({x: -1.0}), until=20.0, events=event, method=method)
    half = np.arccos(1 - depth)
    exact = np.sort([np.pi + turn + side for turn in (0, 2 * np.pi, 4 * np.pi) for side in (-half, half)])
    assert happened(run, "top") == pytest.approx(exact, abs=1e-8 / half)


@pytest.mark.parametrize("method", METHODS)
def test_a_dip_that_does_not_reach_zero_is_none(spring, method):
    system, x = spring
    event = zm.Event("top", x - (1 + 1e-7), terminal=False)
    run = zm.simulate(system, system.start({x: -1.0}), until=20.0, events=event, method=method)
    assert not run.events


def test_narrow_pairs_in_long_steps():
    """x = t: steps are as long as the run, and only the event functions bend."""
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2)
    rng = np.random.default_rng(1)
    missed = 0
    for _ in range(60):
        place, width = rng.uniform(1, 9), 10 ** rng.uniform(-5, -1)
        event = zm.Event("pair", (x - place) * (x - place - width) * (2 + np.sin(x)), terminal=False)
        run = zm.simulate(system, system.start({zm.rate(x): 1.0}), until=10.0, events=event)
        found = happened(run, "pair")
        missed += len(found) != 2 or not np.allclose(found, [place, place + width], rtol=0, atol=1e-9)
    assert missed == 0


@pytest.mark.parametrize("method", METHODS)
def test_a_pole_is_no_zero(method):
    """tan x has its zeros at multiples of π and changes its sign at its poles too."""
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2)
    event = zm.Event("tan", np.tan(x), terminal=False)
    run = zm.simulate(
        system, system.start({x: 0.5, zm.rate(x): 1.0}), until=10.0, events=event, method=method, longest_step=0.5
    )
    assert happened(run, "tan") == pytest.approx(np.pi * np.arange(1, 4) - 0.5, abs=1e-10)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("end", [7.0, 1.0, 0.7, 10.0])
@pytest.mark.parametrize("terminal", [True, False])
def test_a_zero_where_a_step_ends_happens_once(spring, method, end, terminal):
    system, x = spring
    event = zm.Event("bell", zm.t - end, terminal=terminal)
    run = zm.simulate(system, system.start({x: 1.0}), until=end, events=event, method=method)
    assert happened(run, "bell").tolist() == [end]


def test_a_zero_at_the_end_of_a_step_on_the_way_happens_once(spring):
    """Steps of fixed length end exactly where the function is zero."""
    system, x = spring
    event = zm.Event("bell", zm.t - 0.5, terminal=False)
    run = zm.simulate(system, system.start({x: 1.0}), until=2.0, events=event, method="fixed", step=0.25)
    assert happened(run, "bell").tolist() == [0.5]


def test_a_step_of_a_few_roundings_has_few_places():
    """Its middle is one of its ends: nothing can dip between them."""
    event, eps = zm.Event("dip", zm.t), np.spacing(1.0)
    places = [1.0, 1.0 + eps, 1.0 + 2 * eps]
    found, _ = event_roots([event], lambda t: np.array([1e-34 + (t - 1.0 - eps) ** 2]), places)
    assert found == []
