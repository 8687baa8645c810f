"""A switching function that dips below zero by little: both its zeros are found, and the run goes on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import zeromass as zm
from integrate.wheelset import CONTACTS_AT_10, FORCES_AT_10, POSITIONS_AT_10, RATES_AT_10, wheelset

CONTROLLED = "collocation", "dop853", "radau"

BEFORE, LEAST = 4.9408, 4.9418149
"""Time, s, at which the right wheel creeps least, and before: there (sq/wt)² − 1 dips to −2e-13, for 1.2 ns."""

POSITIONS = (
    -0.0073683970719036, 9.74105875756429e-06, -2.488941410732237e-05, 0.002640173783495424, -0.0013048906989635931,
    -0.775538234723715, 7.26336322277875e-05, -0.14302318531602648, -6.574334174610663e-05, 0.1581775578444175,
    -0.03899060506348162, -0.03899995629042466,
)  # fmt: skip
RATES = (
    -0.12974449166021967, 0.0003394635242307142, -0.005357172050083127, 0.39747714839816944, -0.022976857626984273,
    -0.06912752752131869, 0.010995677159923913, 0.13328297905592407, -0.009837015782706083, 0.13357563700250147,
    -0.004561571650996154, -0.011214850893693952,
)  # fmt: skip


@pytest.mark.parametrize(
    ("method", "early"),
    [
        ("dop853", (3e-5, 7e-5, 6e-4)),
        *[pytest.param(name, np.geomspace(3e-5, 6e-4, 24), marks=pytest.mark.slow) for name in CONTROLLED],
    ],
)
def test_a_creep_law_that_saturates_for_a_moment_stops_no_run(method, early):
    system, start = wheelset()
    before = replace(start, t=BEFORE, q=np.array(POSITIONS), v=np.array(RATES))
    base = zm.simulate(system, before, until=4.9425, rtol=1e-12, atol=1e-15, method="dop853")
    for time in early:
        at = base.state(LEAST - time)
        begin = replace(start, t=at.t, q=at.q, v=at.v)
        for rtol in (1e-9, 1e-10, 1e-12):
            run = zm.simulate(system, begin, until=4.9425, rtol=rtol, atol=rtol / 1000, method=method)
            assert run.outcome.ending == "finished", (time, rtol)
            # errors of ten steps at most, and of the base run's; contact rates are the fastest, near 0.1 rad/s
            assert np.abs(run.y[-1] - base.y[-1]).max() < 100 * rtol


@pytest.mark.slow
@pytest.mark.parametrize("method", CONTROLLED)
@pytest.mark.parametrize("rtol", [1e-8, 1e-10, 1e-12])
def test_hunting_as_published(method, rtol):
    """The reference was computed with tolerances of 1e-9: it has five digits or more, relative to the size of a motion."""
    system, start = wheelset()
    run = zm.simulate(system, start, until=10.0, rtol=rtol, atol=rtol / 1000, method=method)
    assert run.outcome.ending == "finished"
    y = run.y[-1]
    for found, published in (
        (y[:5], POSITIONS_AT_10), (y[12:18], RATES_AT_10), (y[6:10], CONTACTS_AT_10), (y[22:24], FORCES_AT_10),
    ):  # fmt: skip
        np.testing.assert_allclose(found, published, rtol=1e-5 if rtol < 1e-8 else 1e-3)
