"""Events whose functions have kinks or jumps, and events at the switches of a motion: found, where they are."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm

METHODS = "collocation", "dop853", "radau"


def swung(make, method, *, force=lambda x: 0.0, direction=0, until=3.0, back=False):
    """x = cos t until something happens; the time at which it ended, or None."""
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, coordinates=[x], forces={x: -x + force(x)})
    start = system.start({x: np.cos(until), zm.rate(x): -np.sin(until)}, t=until) if back else system.start({x: 1.0})
    event = zm.Event("hit", make(x), direction=direction)
    run = zm.simulate(system, start, until=0.0 if back else until, events=event, rtol=1e-12, atol=1e-14, method=method)
    return float(run.t[-1]) if run.outcome.ending == "event" else None


KINKED = {
    "a window": (lambda x, w: zm.where(np.abs(x - 0.5) < w, -1.0, 1.0), 1.0),
    "a hat": (lambda x, w: np.maximum(0, w - np.abs(x - 0.5)) - w / 2, 0.5),
    "a roof": (lambda x, w: np.abs(x - 0.5) - w, 1.0),
    "a window of both": (lambda x, w: zm.where(x < 0.5 + w, 1.0, -1.0) * zm.where(x > 0.5 - w, 1.0, -1.0), 1.0),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("width", [1e-1, 1e-2, 1e-3, 1e-5, 1e-8])
@pytest.mark.parametrize("name", KINKED)
def test_a_window_in_space_is_entered_however_narrow(name, width, method):
    make, part = KINKED[name]
    expected = np.arccos(0.5 + part * width)
    assert swung(lambda x: make(x, width), method) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("width", [1e-2, 1e-5, 1e-8])
def test_a_window_in_time_is_entered_however_narrow(width, method):
    assert swung(lambda x: zm.where(np.abs(zm.t - 1) < width, -1.0, 1.0), method) == pytest.approx(1 - width, abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_back_in_time(method):
    def window(x):
        return zm.where(np.abs(x - 0.5) < 1e-3, -1.0, 1.0)

    assert swung(window, method, back=True) == pytest.approx(np.arccos(0.499), abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda x: np.maximum(x, 0.2) - 0.2, np.arccos(0.2)),
        (lambda x: np.floor(2 * x), np.arccos(0.5)),
        (lambda x: np.minimum(x, 0.0), None),
        (lambda x: zm.where(x > 0.3, x, 0.0), np.arccos(0.3)),
    ],
)
def test_what_stays_zero_is_so_from_its_first_moment_on(make, expected, method):
    """A function that falls to zero and rests there has come to it when it does; one that leaves it has not."""
    found = swung(make, method, until=1.6)
    assert (found is None) if expected is None else found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("direction", [-1, 0, 1])
@pytest.mark.parametrize(
    "make", [lambda x: zm.where(x > 0.5, 1.0, -1.0), lambda x: np.sign(x - 0.5), lambda x: 2 * np.sign(x - 0.5) - x]
)
def test_an_event_that_jumps_where_the_motion_switches(make, direction, method):
    """At x = ½ a force of 1e-12 N, which changes nothing to speak of, begins or ends."""
    found = swung(make, method, force=lambda x: zm.where(x > 0.5, 1e-12, 0.0), direction=direction)
    assert (found is None) if direction == 1 else found == pytest.approx(np.pi / 3, abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_an_event_at_a_switch_need_not_end_the_run(method):
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: -x + zm.where(x > 0.5, 1e-12, 0.0)})
    gate = zm.Event("gate", np.sign(x - 0.5), terminal=False)
    run = zm.simulate(system, system.start({x: 1.0}), until=7.0, events=gate, rtol=1e-12, atol=1e-14, method=method)
    assert run.outcome.ending == "finished"
    assert [event.t for event in run.events] == pytest.approx([np.pi / 3, 5 * np.pi / 3], abs=1e-9)


def test_a_rate_that_jumps_through_zero_at_an_impulse():
    """A mass drawn along at 1 m/s, and from t = 1 s on at −1 m/s: its speed changes its sign then."""
    x = zm.coordinate("x")
    drawn = zm.System(kinetic=zm.rate(x) ** 2, constraints={"drive": x - 1 + np.abs(zm.t - 1)})
    run = zm.simulate(drawn, drawn.start(), until=2.0, events=zm.Event("turns", zm.rate(x), terminal=False))
    assert [event.t for event in run.events] == [1.0]
