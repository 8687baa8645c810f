"""Step control of the method of order 8: errors follow the tolerance, steps follow the motion, and the counts add up."""

from __future__ import annotations

import numpy as np
import pytest

from integrate.problems import kepler, oscillator, sleigh, top, wire

TOLERANCES = 10.0 ** -np.arange(5, 13)


@pytest.mark.parametrize(("problem", "allowed"), [(top, 0.05), (sleigh, 0.1)])
def test_the_error_is_proportional_to_the_tolerance(problem, allowed):
    """h ∝ tol^(1/8), so that the error at a given time, ∝ h⁸, is proportional to the tolerance [HNW1993, §II.4].

    `allowed` is for rejected steps, which shift the sequence: a free top, whose motion is steady, has none.
    """
    p = problem()
    errors = [p.errors(p.run(method="dop853", rtol=rtol, atol=rtol)).max() for rtol in TOLERANCES]
    power = np.polyfit(np.log(TOLERANCES), np.log(errors), 1)[0]
    assert abs(power - 1) <= allowed


@pytest.mark.parametrize(("problem", "factor"), [(kepler, 200), (top, 20), (wire, 100), (sleigh, 10)])
def test_the_error_is_not_far_above_the_tolerance(problem, factor):
    """Errors of steps add up, and some motions magnify them: `factor` is three times what was measured."""
    p = problem()
    errors = np.array([p.errors(p.run(method="dop853", rtol=rtol, atol=rtol)).max() for rtol in TOLERANCES])
    assert np.all(errors <= factor * TOLERANCES)
    assert np.all(np.diff(errors) < 0)


def test_the_work_of_an_order_8_method():
    """Ten times the accuracy costs 10^(1/8) = 1.33 times the steps."""
    p = top()
    steps = [p.run(method="dop853", rtol=rtol, atol=rtol).statistics.steps for rtol in TOLERANCES]
    power = np.polyfit(np.log(TOLERANCES), np.log(steps), 1)[0]
    assert abs(power + 1 / 8) <= 0.01


@pytest.mark.parametrize("method", ["collocation", "dop853"])
def test_steps_follow_the_motion(method):
    """On an orbit with e = 0.9 the time scale, r^(3/2), is eighty times longer at the apocentre than at the ends."""
    p = kepler(e=0.9)
    run = p.run(method=method, rtol=1e-10, atol=1e-12)
    h, middle = np.diff(run.t), (run.t[1:] + run.t[:-1]) / 2
    assert abs(middle[np.argmax(h)] / p.until - 0.5) < 0.1
    near = h[middle > 0.99 * p.until][:-1]  # the last step is cut off at the end
    assert near.max() < 0.05 * h.max()
    assert run.statistics.rejected > 0  # on the way in, where the time scale shortens


@pytest.mark.parametrize("problem", [oscillator, kepler, wire, top, sleigh])
def test_evaluations_add_up(problem):
    """One evaluation at the start, then 12 in a step, and 11 in a rejected one: its last one is the next one's first."""
    run = problem().run(method="dop853", rtol=1e-9, atol=1e-9)
    counts = run.statistics
    assert counts.evaluations == 1 + 12 * counts.steps + 11 * counts.rejected
    assert counts.steps == len(run) - 1


@pytest.mark.parametrize("method", ["collocation", "dop853"])
def test_the_longest_step_is_kept(method):
    p = oscillator()
    run = p.run(method=method, rtol=1e-6, atol=1e-6, longest_step=0.07)
    h = np.diff(run.t)
    assert h.max() <= 0.07 * (1 + 1e-12)  # t is rounded at the ends of a step
    assert h.max() >= 0.069


@pytest.mark.parametrize("until", [1.0, np.pi, 17.3, -4.0])
@pytest.mark.parametrize("options", [{}, {"method": "fixed", "step": 0.1}], ids=["controlled", "fixed"])
def test_a_run_ends_where_it_is_asked_to(until, options):
    run = oscillator().run(until=until, **options)
    assert run.t[-1] == until
    assert np.all(np.diff(run.t) * np.sign(until) > 0)


def test_fixed_steps_are_equal():
    """All but the last, which takes what is left, and times are sums of steps."""
    run = oscillator().run(method="fixed", step=0.3, until=4.0)
    h = np.diff(run.t)
    assert np.allclose(h[:-1], 0.3, rtol=1e-14, atol=0)
    assert abs(h[-1] - (4.0 - 13 * 0.3)) <= 1e-14
    assert run.statistics.rejected == 0


def test_a_remainder_of_rounding_is_no_step():
    """0.1 a hundred times is not quite 10, and yet there are a hundred steps."""
    run = oscillator().run(method="fixed", step=0.1, until=10.0)
    assert run.statistics.steps == 100


def test_a_run_of_no_length():
    run = oscillator().run(until=0.0)
    assert run.outcome.complete
    assert len(run) == 1
    assert run.at(0.0).y.shape == (1, 2)
