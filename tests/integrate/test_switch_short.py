"""What happens shortly: a border crossed and left within a step, a level that swings fast, what sticks let go at times."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import zeromass as zm
from integrate.references.one_mass import METHODS, TIGHT, mass
from integrate.references.pieces import Pieces, Switch
from integrate.references.piecewise import motion


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("depth", [1e-2, 1e-4, 1e-6, 1e-8, 1e-10])
def test_a_border_that_is_crossed_shortly_is_crossed(depth, method):
    """Thrown up to ½ m against 1 m/s², and against 101 above ½ − depth: there and back in 2v/101, v = √(2 depth).

    An error of the tolerance where it turns, 1e-12 m, makes one of 1e-12/v in v, and four times that at the end.
    """
    system, x, v = mass(lambda x, v: -1.0 - zm.where(x > 0.5 - depth, 100.0, 0.0))
    run = zm.simulate(system, system.start({x: 0.0, v: 1.0}), until=3.0, method=method, **TIGHT)
    speed = np.sqrt(2 * (0.5 - (0.5 - depth)))  # at the border, as float64 has it
    saved = 2 * speed - 2 * speed / 101
    t = 3.0 + saved
    np.testing.assert_allclose(run.at(3.0)[x], t - t**2 / 2, rtol=0, atol=4e-12 / speed + 1e-10)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("depth", [1e-2, 1e-4, 1e-6, 1e-8, 1e-10])
def test_a_speed_that_falls_to_a_border_for_a_moment(depth, method):
    """2(t − 1) makes v = (t − 1)² − depth; below 0 another 1 N pushes back: v = 0 from 1 − √depth to 1."""
    system, x, v = mass(lambda x, v: 2 * (zm.t - 1) + zm.where(v < 0, 1.0, 0.0))
    run = zm.simulate(system, system.start({x: 0.0, v: 1.0 - depth}), until=2.0, method=method, **TIGHT)
    np.testing.assert_allclose(run.at([1.0 - np.sqrt(depth) / 2, 1.0, 2.0])[v], [0.0, 0.0, 1.0], rtol=0, atol=1e-10)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("rate", [4.0, 60.0, 300.0])
def test_a_level_that_swings_faster_than_the_mass(rate, method):
    """±2 N by the side of a level 0.1 sin(rate t): nothing but the switch itself tells a step to be short."""
    pieces = Pieces(
        lambda t, y, p: np.array([y[1], -2 * (2 * p[0] - 1)]),
        [Switch("level", lambda t, y: y[0] - 0.1 * np.sin(rate * t))],
        longest=0.3 / rate,
    )
    times = np.linspace(0.0, 1.5, 7)
    expected = motion(pieces, [0.3, 0.0], times)
    system, x, v = mass(lambda x, v: -2 * np.sign(x - 0.1 * np.sin(rate * zm.t)))
    run = zm.simulate(system, system.start({x: 0.3, v: 0.0}), until=1.5, method=method, **TIGHT)
    assert len(run.switches) == len(expected.changes)
    np.testing.assert_allclose(run.at(times)[np.array([x, v])], expected.y, rtol=0, atol=1e-9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("swing", "rate"), [(0.2, 2.0), (0.11, 20.0), (0.1005, 5.0), (0.2, 200.0)])
def test_a_block_that_sticks_is_let_go_for_a_moment(swing, rate, method):
    """Pushed by 0.9 + swing sin(rate t) against a friction of 1: while it sticks, nothing else tells a step to be short."""
    pieces = Pieces(
        lambda t, y, p: np.array([y[1], 0.9 + swing * np.sin(rate * t) - (2 * p[0] - 1)]),
        [Switch("friction", lambda t, y: y[1])],
        longest=0.2 / rate,
    )
    until = min(6.0, 40 / rate)
    expected = motion(pieces, [0.0, 0.0], [0.0, until])
    system, x, v = mass(lambda x, v: 0.9 + swing * np.sin(rate * zm.t) - np.sign(v))
    run = zm.simulate(system, system.start({x: 0.0, v: 0.0}), until=until, method=method, **TIGHT)
    np.testing.assert_allclose(run.at(until)[np.array([x, v])][0], expected.y[-1], rtol=0, atol=1e-11)


@pytest.mark.parametrize("method", METHODS)
def test_a_bump_moves_a_block_that_sticks(method):
    """0.5 N and a bump of 5 N, 10 ms wide, against a friction of 1."""

    def push(t: Any) -> Any:
        return 0.5 + 5 * np.exp(-(((t - 3.0) / 0.01) ** 2))

    pieces = Pieces(
        lambda t, y, p: np.array([y[1], push(t) - (2 * p[0] - 1)]),
        [Switch("friction", lambda t, y: y[1])],
        breaks=[3.0 + 0.01 * j for j in range(-8, 9)],
    )
    expected = motion(pieces, [0.0, 0.0], [0.0, 6.0]).y[-1]
    system, x, v = mass(lambda x, v: push(zm.t) - np.sign(v))
    run = zm.simulate(system, system.start({x: 0.0, v: 0.0}), until=6.0, method=method, **TIGHT)
    np.testing.assert_allclose(run.at(6.0)[np.array([x, v])][0], expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize("method", METHODS)
def test_a_bump_within_a_condition_is_not_missed(method):
    """100 N as long as x is below a bump of width 3 ms at t = 2 s."""

    def bump(t: Any) -> Any:
        return np.exp(-(((t - 2.0) / 0.003) ** 2))

    pieces = Pieces(
        lambda t, y, p: np.array([y[1], 100 * p[0]]),
        [Switch("bump", lambda t, y: bump(t) - y[0])],
        breaks=[2.0 + 0.003 * j for j in range(-8, 9)],
    )
    expected = motion(pieces, [0.3, 0.05], [0.0, 4.0])
    assert len(expected.changes) == 2
    system, x, v = mass(lambda x, v: zm.where(x < bump(zm.t), 100.0, 0.0))
    run = zm.simulate(system, system.start({x: 0.3, v: 0.05}), until=4.0, method=method, **TIGHT)
    np.testing.assert_allclose(run.at(4.0)[np.array([x, v])][0], expected.y[-1], rtol=0, atol=1e-10)


@pytest.mark.parametrize("until", [4.0, 8.0, 16.0, 32.0, 33.0])
def test_pulses_of_a_run_that_is_whole_periods_long(until):
    """0.3 s of 1 N each second: halves, quarters and eighths of the run may begin with a pulse."""
    system, x, v = mass(lambda x, v: zm.where(zm.t % 1.0 < 0.3, 1.0, 0.0))
    run = zm.simulate(system, system.start({x: 0.0, v: 0.0}), until=until, **TIGHT)
    np.testing.assert_allclose(run.at(until)[v], 0.3 * until, rtol=0, atol=1e-11)


@pytest.mark.slow
def test_thousands_of_pulses():
    """A pulse width modulation of 1 kHz with 30 %, for 1.2 s: it is no chattering, and its mean is what drives."""
    system, x, v = mass(lambda x, v: zm.where((zm.t * 1000.0) % 1.0 < 0.3, 1.0, 0.0))
    run = zm.simulate(system, system.start({x: 0.0, v: 0.0}), until=1.2, rtol=1e-10, atol=1e-12)
    assert run.outcome.ending == "finished"
    assert run.at(1.2)[v][0] == pytest.approx(0.36, abs=1e-9)


@pytest.mark.parametrize("origin", [0.0, 1e3, 1e5])
def test_clocks_far_from_zero(origin):
    """Pulses of 10 ms each second, at any time of the day: rounding of the time is all that may be seen."""
    system, x, v = mass(lambda x, v: zm.where((zm.t % 1.0) < 0.01, 100.0, 0.0))
    run = zm.simulate(system, system.start({x: 0.0, v: 0.0}, t=origin + 0.5), until=origin + 5.5, **TIGHT)
    assert run.at(origin + 5.5)[v][0] == pytest.approx(5.0, abs=1e-10 + 5 * 200 * 1.5e-16 * origin)


def test_a_kink_inside_a_condition_of_time_is_no_switch():
    """|t − 1| < 0.1 switches where the condition does, and not at t = 1; an event that has the kink itself stops there."""
    system, x, v = mass(lambda x, v: zm.where(abs(zm.t - 1.0) < 0.1, 1.0, 0.0))
    start = system.start({x: 0.0, v: 0.0})
    run = zm.simulate(system, start, until=2.0, **TIGHT)
    np.testing.assert_allclose([switch.t for switch in run.switches], [0.9, 1.1], rtol=0, atol=1e-15)
    np.testing.assert_allclose(run.at(2.0)[v], 0.2, rtol=0, atol=1e-12)
    near = zm.Event("near", abs(zm.t - 1.0) - 0.05 + 0 * x, terminal=False)
    run = zm.simulate(system, start, until=2.0, events=near, **TIGHT)
    np.testing.assert_allclose([event.t for event in run.events], [0.95, 1.05], rtol=0, atol=1e-12)
    np.testing.assert_allclose([switch.t for switch in run.switches], [0.9, 1.0, 1.1], rtol=0, atol=1e-15)
