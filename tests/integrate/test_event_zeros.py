"""Events whose functions swing faster than the motion: no zero is missed between the stages of a step."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm

x = zm.coordinate("x")
SPRING = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
START = SPRING.start({x: 1.0})  # x = cos t

SWINGING = {
    "wave": (np.sin(1000 * zm.t), lambda t: np.sin(1000 * t)),
    "wave beside the state": (np.sin(1000 * zm.t) - x, lambda t: np.sin(1000 * t) - np.cos(t)),
    "nearly touched": (np.cos(700 * zm.t) - 0.999, lambda t: np.cos(700 * t) - 0.999),
    "chirp": (np.sin(300 * zm.t**2), lambda t: np.sin(300 * t**2)),
    "product": (np.sin(300 * zm.t) * np.cos(7 * zm.t), lambda t: np.sin(300 * t) * np.cos(7 * t)),
    "kinks": (np.abs(np.sin(500 * zm.t)) - 0.3, lambda t: np.abs(np.sin(500 * t)) - 0.3),
    "of the state": (np.sin(1000 * x), lambda t: np.sin(1000 * np.cos(t))),
    "of both": (np.cos(300 * zm.rate(x) + 200 * zm.t), lambda t: np.cos(-300 * np.sin(t) + 200 * t)),
    "whole numbers": (np.floor(200.5 * x) % 2 - 0.5, lambda t: np.floor(200.5 * np.cos(t)) % 2 - 0.5),
}


@pytest.mark.parametrize("method", ["collocation", "dop853", "radau"])
@pytest.mark.parametrize("name", SWINGING)
def test_no_zero_is_missed(name, method):
    zero, exact = SWINGING[name]
    run = zm.simulate(SPRING, START, until=1.0, events=zm.Event("e", zero, terminal=False), method=method)
    times = np.linspace(0.0, 1.0, 200_003)[1:-1]  # apart by less than 1/100 of the shortest swing
    values = exact(times)
    expected = times[1:][values[1:] * values[:-1] < 0]
    found = np.array([event.t for event in run.events])
    assert len(found) == len(expected)
    assert np.abs(found - expected).max() < 1e-5  # the distance of the times


def test_the_first_zero_ends_a_run():
    """sin(1000 t + 2) = 0.9999 first where 1000 t = arcsin 0.9999 + 2 π − 2."""
    run = zm.simulate(SPRING, START, until=1.0, events={"e": np.sin(1000 * zm.t + 2.0) - 0.9999})
    assert run.outcome.ending == "event"
    assert (
        abs(run.t[-1] - (np.arcsin(0.9999) + 2 * np.pi - 2.0) / 1000) < 1e-12
    )  # located to rounding of a root of 1e-4
    run = zm.simulate(SPRING, START, until=1.0, events={"e": np.sin(1000 * x)})
    assert abs(np.cos(run.t[-1]) - 318 * np.pi / 1000) < 1e-10  # rtol of the run


def test_members_of_a_study_miss_none_of_time():
    k = zm.parameter("k", 1.0)
    spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=k * x**2 / 2)
    event = zm.Event("e", np.sin(1000 * k * zm.t) - 0.999)
    stiffness = np.array([0.01, 0.9, 1.1])
    study = zm.sweep(spring, spring.start({x: 1.0}), over={k: stiffness}, until=1.0, events=event, keep={"end": zm.t})
    expected = np.arcsin(0.999) / (1000 * stiffness)
    assert np.abs(study["end"].values - expected).max() < 1e-11  # located to rounding of a root of 1e-3


def test_slow_events_leave_the_steps_alone():
    run = zm.simulate(SPRING, START, until=5.0)
    other = zm.simulate(SPRING, START, until=5.0, events=zm.Event("e", np.sin(x) - 0.1 * np.cos(zm.t), terminal=False))
    assert np.array_equal(run.t, other.t)
    assert np.array_equal(run.y, other.y)
