"""Long runs: what is asked of many steps, segments or events at once is what each of them says alone."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm


def bouncing(until: float) -> tuple[zm.Run, zm.Expression]:
    """A ball on a floor of springs: a segment for each flight and each touch."""
    x = zm.coordinate("x")
    ball = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: -9.81 + zm.where(x < 0, -225.0 * x, 0.0)})
    return zm.simulate(ball, ball.start({x: 1.0}), until=until), x


@pytest.mark.parametrize("until", [30.0, -30.0])
def test_many_segments_are_asked_as_each_of_them_alone(until: float) -> None:
    run, x = bouncing(until)
    assert len(run.segments) > 40
    asked = np.array([x, zm.rate(x), zm.acceleration(x), zm.where(x < 0, 1.0, 2.0)])
    times = np.random.default_rng(3).permutation(np.append(np.linspace(0.0, until, 500), run.changes or 0.0))
    found = run.at(times)[asked]
    for time, values in zip(times, found, strict=True):
        first = next(s for s in run.segments if min(s.t[0], s.t[-1]) <= time <= max(s.t[0], s.t[-1]))
        assert np.array_equal(first.at(np.array([time]))[asked][0], values)
    each = np.concatenate([segment.steps[asked] for segment in run.segments])
    assert np.array_equal(run[asked], each)


@pytest.mark.parametrize("until", [600.0, -600.0])
def test_states_do_not_depend_on_what_is_asked_with_them(until: float) -> None:
    x = zm.coordinate("x")
    spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    run = zm.simulate(spring, spring.start({x: 1.0}), until=until)
    times = np.random.default_rng(1).uniform(min(0.0, until), max(0.0, until), 20_000)
    times[:50] = run.t[:50]
    together = run.at(times).y
    some = np.random.default_rng(2).integers(0, len(times), 40)
    alone = np.array([zm.Run(run.segments).at(times[k]).y[0] for k in some])
    assert np.array_equal(together[some], alone)
    assert np.array_equal(together[:50], run.y[:50])
    assert np.abs(together[:, 0] - np.cos(times)).max() < 1e-8  # rtol 1e-10, 600 radians
