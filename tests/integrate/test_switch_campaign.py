"""Random systems with random switches, pulses and bumps: right, or stopped by name; none silently wrong.

Each is given twice (`references.random_systems`), and judged by a reference that begins anew at every switch. What the
reference can not judge is left out by its own measure: a motion that is not determined or switches without end ("unclear"),
whose neighbour makes other switches or that turns back just before one ("grazing"), or runs apart from it ("sensitive").
"""

from __future__ import annotations

import warnings
from collections import Counter

import numpy as np
import pytest

import zeromass as zm
from integrate.references.piecewise import Motion
from integrate.references.random_systems import Case, LeftOut, case

RTOL, ATOL = 1e-12, 1e-14
METHODS = "collocation", "collocation", "dop853"

QUICK = 3, 5, 8, 10, 16, 18, 19, 22, 25, 35, 50, 51, 56, 58, 62, 69, 71, 86, 87, 88
"""Seeds of all kinds whose reference takes little time."""

REACH = {"collocation": 100, "dop853": 1000}
"""Error allowed, in units of the tolerance, times what a neighbouring motion grows by and times its size or 1: that is
1e-10 of the size for a motion that does not spread. Hundreds of steps contribute to it, and forces jump by 100 N; between
steps the interpolation of DOP853 has a lower order."""


DOUBTFUL = 0.2
"""Part of the error allowed beyond which the reference is asked again, more closely."""


def off(run: zm.Run, each: Case, exact: Motion) -> float:
    """The largest difference of a run and a reference."""
    there = exact.t <= run.t[-1]
    return float(np.abs(run.at(exact.t[there])[each.carrier.observed[0]] - each.expected(exact)[there]).max())


def judged(each: Case) -> str:
    """What became of a run: "right", or "stopped: …", or "left out: …"; an error is raised where it is silently wrong."""
    try:
        exact, growth = each.reference()
    except LeftOut as reason:
        return f"left out: {reason}"
    method = METHODS[each.seed % len(METHODS)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", zm.errors.RunStopped)
        run = zm.simulate(each.system, each.start(), until=each.until, rtol=RTOL, atol=ATOL, method=method)
    allowed = REACH[method] * RTOL * growth * max(1.0, np.abs(each.expected(exact)).max())
    error = off(run, each, exact)
    if error > DOUBTFUL * allowed:  # then that of the reference itself counts
        error = off(run, each, each.closer())
    assert error <= allowed, (
        f"{method}: off by {error:.1e}, {error / allowed:.1e} of what is allowed; {run.outcome}; {each}"
    )
    return "right" if run.outcome.complete else f"stopped: {run.outcome.ending}"


@pytest.mark.parametrize("seed", range(40))
def test_both_accounts_of_a_system_agree(seed):
    """Accelerations of zeromass and of the reference at random states, within the pieces that hold there."""
    each, rng = case(seed), np.random.default_rng(seed)
    n = each.carrier.freedoms
    quantities, value = each.carrier.observed
    for _ in range(3):
        t = float(rng.uniform(0, each.until))
        y = np.concatenate([rng.uniform(-1, 1, n), rng.uniform(-2, 2, n)])
        k = [switch.piece(switch.value(t, y)) for switch in each.pieces.switches]
        k += [clock.piece(t) for clock in each.pieces.clocks]
        f = each.pieces.slope(t, y, np.array(k))
        h = 1e-30
        rates = np.imag(value(t, y[:n] + 1j * h * f[:n], y[n:] + 1j * h * f[n:])) / h
        if "driven" in each.carrier.words:
            rates[0] += value(t, y[:n], 0 * y[n:])[2]  # the pivot moves too
        at = dict(zip(quantities, value(t, y[:n], y[n:]), strict=True))
        start = each.system.start({x: at[x] for x in quantities}, t=t)
        np.testing.assert_allclose([start[zm.rate(x)] for x in quantities], rates, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("seed", QUICK)
def test_runs_are_right_or_stop_by_name(seed):
    judged(case(seed))


@pytest.mark.slow
def test_a_reference_that_is_off_itself_does_not_judge():
    """Of an angle that winds up to 30 rad, hundreds of steps of the reference add up to 1e-9: more than what is allowed."""
    each = case(6052)
    exact, _ = each.reference()
    run = zm.simulate(each.system, each.start(), until=each.until, rtol=RTOL, atol=ATOL)
    assert off(run, each, exact) > 10 * off(run, each, each.closer())
    assert judged(each) == "right"


@pytest.mark.slow
@pytest.mark.parametrize("hundred", range(10))
def test_a_thousand_systems_are_right_or_stop_by_name(hundred, record_property):
    """A hundred that the reference can judge, ten times; few may stop."""
    seen: Counter[str] = Counter()
    wrong = []
    seeds = iter(range(1000 + 1000 * hundred, 2000 + 1000 * hundred))
    while sum(count for what, count in seen.items() if not what.startswith("left out")) < 100:
        seed = next(seeds)
        try:
            seen[judged(case(seed))] += 1
        except Exception as error:  # an error of the library is as wrong as a wrong motion
            seen["silently wrong"] += 1
            wrong.append(f"seed {seed}: {type(error).__name__}: {error}")
    for what, count in sorted(seen.items()):
        record_property(what, count)
        print(f"{count:5d}  {what}")
    print(*wrong, sep="\n")
    assert not wrong
    assert seen["right"] >= 95
