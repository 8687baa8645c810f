"""Convergence: order 8 at the ends of steps, order 7 between them, with and without projection."""

from __future__ import annotations

import numpy as np
import pytest

from integrate.problems import kepler, oscillator, sleigh, top, wire


def slope(sizes: np.ndarray, errors: list[float]) -> float:
    """Power with which errors shrink: the slope of a line through their logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(errors), 1)[0])


@pytest.mark.parametrize(
    ("problem", "project", "counts"),
    [
        (oscillator, False, (40, 60, 80)),
        (wire, True, (30, 40, 50)),
        (wire, False, (30, 40, 50)),
        (top, True, (60, 80, 100)),
        (top, False, (60, 80, 100)),
        (sleigh, True, (64, 80, 100)),
    ],
)
def test_order_of_fixed_steps(problem, project, counts):
    """The error at the end falls as h⁸ [HNW1993, §II.5], to 0.1.

    The numbers of steps are those at which the next power of h adds less than that, and the errors are still a hundred
    times rounding. Projection moves the state by no more than the error of a step and leaves the order as it is.
    """
    p = problem()
    h = p.until / np.array(counts)
    errors = [p.errors(p.run(method="fixed", step=step, project=project))[-1] for step in h]
    assert min(errors) > 1e-13
    assert abs(slope(h, errors) - 8) <= 0.1


@pytest.mark.parametrize("problem", [kepler, top])
def test_order_between_steps(problem):
    """Order 7: within one step from an exact state the error falls as h⁸, and at its end as h⁹ [HNW1993, §II.6]."""
    p = problem()
    h = np.array([0.1, 0.08, 0.07, 0.06])
    inside, end = [], []
    for step in h:
        run = p.run(method="fixed", step=step, until=step)
        assert len(run) == 2
        inside.append(p.errors(run, np.linspace(0.05, 0.95, 19) * step).max())
        end.append(p.errors(run)[-1])
    assert abs(slope(h, inside) - 8) <= 0.1
    assert abs(slope(h, end) - 9) <= 0.15  # of errors down to 1e-15, which rounding has touched


def test_long_runs_between_steps():
    """Between steps a run is as good as at their ends, up to a factor: h⁸ both."""
    p = kepler()
    run = p.run(method="fixed", step=0.1)
    times = np.linspace(0.0, p.until, 1001)
    assert p.errors(run, times).max() <= 20 * p.errors(run).max()
