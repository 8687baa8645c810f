"""Pulls that come to what friction gives, touch it, pass it by little, or stay there: at once, and on the right side."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import zeromass as zm
from integrate.references.one_mass import METHODS, mass

N = 0.3 * 9.81
FEW = 400
"""Steps: a run that looks for a touch with steps of its own makes a million."""


def pulled(F: Any, v0: float = 0.0, until: float = 10.0, **settings: Any) -> tuple[zm.Run, Any, Any]:
    """A block of 1 kg, by F against a friction of N."""
    system, x, v = mass(lambda x, v: F - N * np.sign(v))
    return zm.simulate(system, system.start({x: 0.0, v: v0}), until=until, **settings), x, v


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "F",
    [
        N * np.sin(zm.t),
        -N * np.sin(zm.t) ** 3,
        N * np.cos(zm.t),
        N * (1 - (zm.t / 5 - 1) ** 4),
        N * (1 - (zm.t / 5 - 1) ** 6),
        N * (1 - np.exp(-zm.t)),
        N * np.minimum(zm.t, 1.0),
        N + 0 * zm.t,
        N * (1 - np.sqrt(np.abs(zm.t - 1) / 9)),
    ],
    ids=["sine", "sine cubed", "from the start", "quartic", "sixth", "from below", "stays", "always", "root"],
)
def test_a_pull_that_touches_what_friction_gives_moves_nothing(F, method):
    run, x, v = pulled(F, method=method)
    assert run.outcome.complete
    assert len(run.t) < FEW
    assert np.all(run[x] == 0.0)
    assert np.all(run[v] == 0.0)


@pytest.mark.parametrize("method", METHODS)
def test_a_block_that_comes_to_rest_before_a_touch_stays(method):
    """v = v₀ + N (1 − cos t − t) until it rests; the pull touches N twice afterwards."""
    run, x, _ = pulled(N * np.sin(zm.t), v0=0.5, method=method, rtol=1e-12, atol=1e-14)
    (stops,) = run.switches
    assert 0.5 + N * (1 - np.cos(stops.t) - stops.t) == pytest.approx(0.0, abs=1e-12)
    assert run.outcome.complete
    assert len(run.t) < FEW
    expected = 0.5 * stops.t + N * (stops.t - np.sin(stops.t) - stops.t**2 / 2)
    assert run.at([stops.t, 5.0, 10.0])[x] == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("over", [1e-2, 1e-5, 1e-8, 1e-11])
def test_a_pull_that_passes_it_by_little_moves_the_block(over):
    """It goes where sin t = 1/(1 + over), at t₁, and stops where the impulse is zero again, by bisection:
    cos t₁ − cos t = (t − t₁)/(1 + over). Both times are known to the root of rounding."""
    run, _, _ = pulled((1 + over) * N * np.sin(zm.t), until=3.0)
    goes, stops = (s.t for s in run.switches)
    t1 = np.pi / 2 - np.arccos(1 / (1 + over))
    width = np.arccos(1 / (1 + over))
    assert goes == pytest.approx(t1, abs=1e-13 / width)
    # with s = t − π/2, to the leading order 2 width beyond the top; in full by bisection
    s0, low, high = t1 - np.pi / 2, 0.0, 3 * width

    def speed(s: float) -> float:
        return (1 + over) * (np.sin(s) - np.sin(s0)) - (s - s0)

    for _ in range(200):
        low, high = (low, (low + high) / 2) if speed((low + high) / 2) < 0 else ((low + high) / 2, high)
    assert stops == pytest.approx(np.pi / 2 + low, rel=0, abs=max(1e-5 * width, 1e-10))


@pytest.mark.parametrize("rate", [40.0, 700.0])
def test_a_fast_swing_that_touches_among_others_is_held(rate):
    """0.9 N + 0.1 N sin(rate t): a hundred touches in a run of a step or two."""
    run, x, _ = pulled(N * (0.9 + 0.1 * np.sin(rate * zm.t)), until=2.0)
    assert run.outcome.complete
    assert np.all(run[x] == 0.0)


def test_two_blocks_one_on_the_other_touch_their_bounds():
    """The upper one is carried up to μ g of the lower, which is pulled by what both frictions give, and no more."""
    x, y = zm.coordinates("x y")
    v, w = zm.rate(x), zm.rate(y)
    between, below = 2.0, 5.0
    upper = between * np.sign(w - v)
    system = zm.System(
        kinetic=v**2 + w**2 / 2,
        forces={x: (below + 3 * between) * np.sin(zm.t) - below * np.sign(v) + upper, y: -upper},
    )
    run = zm.simulate(system, system.start({x: 0.0, y: 0.0}), until=np.pi, rtol=1e-11, atol=1e-13)
    assert run.outcome.complete
    assert len(run.t) < FEW
    assert np.abs(run[w - v]).max() < 1e-15  # a = (F − 5)/3 ≤ 2, which is what 1 kg takes from 2 N
    begins = np.arcsin(below / 11)
    speed = (11 * (np.cos(begins) - np.cos(2.5)) - below * (2.5 - begins)) / 3
    assert run.at(2.5)[v] == pytest.approx(speed, abs=1e-9)


SWINGS = {
    "beside an end of a step": (
        (0.4398121314647126, 0.2305040191959666, 0.3525287906834521),
        (3.216882911991066, 0.9456700630617096, 19.12504936920477),
        (5.940799349166761, 5.051053492084635, 1.7910671430562695),
    ),
    "in step with the places": (
        (0.3776410826083269, 0.27253642475310463, 0.3585607283489142),
        (196.34331826786305, 0.6562780609826386, 2.5780380005670858),
        (1.7280056099644021, 0.33080788442358633, 3.9067233611082552),
    ),
    "a ripple": (
        (0.049711611047591475, 0.4641248787333347, 0.48694866479042026),
        (297.79634641289505, 0.8971645118120994, 5.634983401372984),
        (4.493934992476051, 0.6916445747596306, 2.6909769462404136),
    ),
}


@pytest.mark.parametrize("swing", SWINGS.values(), ids=SWINGS)
def test_swings_of_which_one_passes_it_by_little(swing):
    """The first time at which Σ a sin(ω t + φ) is 1, on a grid of 400,001 times and then by bisection."""
    a, ω, φ = (np.array(values) for values in swing)
    system, x, v = mass(
        lambda x, v: sum(a * np.array([np.sin(w * zm.t + p) for w, p in zip(ω, φ, strict=True)])) - np.sign(v)
    )
    run = zm.simulate(system, system.start({x: 0.0, v: 0.0}), until=10.0)

    def left(t: float) -> float:
        return float(abs(a @ np.sin(ω * t + φ)) - 1)

    times = np.linspace(0.0, 10.0, 400_001)
    k = np.flatnonzero(np.abs(a @ np.sin(ω[:, None] * times + φ[:, None])) > 1)[0]
    assert run.switches[0].t == pytest.approx(brentq(left, times[k - 1], times[k], xtol=1e-14), abs=1e-9)
