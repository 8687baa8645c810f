"""Random mechanisms through singular positions, by every method and at every tolerance: right, or stopped by name.

The reference is the same mechanism in the coordinates of its pins, at a tight tolerance: there the rows of the constraints
lose independence too, but a step is placed across; where it stops as well, what it has reached is compared.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import zeromass as zm
from integrate.mechanisms import (
    G,
    closed,
    four_bar_angles,
    four_bar_rods,
    four_bar_tips,
    rods,
    slider_crank_angles,
    slider_crank_tips,
    u,
)

METHODS = "collocation", "dop853", "radau"

REACH = 1e4
"""Error at the end of some seconds, in units of the tolerance of the run: a motion with one freedom spreads slowly."""

pytestmark = pytest.mark.filterwarnings("ignore::zeromass.RunStopped")


class Seen(Counter):
    """What became of the runs."""

    def compare(self, run: zm.Run, place: np.ndarray, exact, label: str) -> None:
        """Counts a run; it must be right as far as it goes, and if it ends before time say why."""
        times = run.t
        error = np.abs(run[place] - exact(times)).max()
        rtol = run.settings.rtol
        assert error <= REACH * (rtol + 1e-12), f"{label}: off by {error:.1e} at rtol {rtol:.0e}, {run.outcome}"
        if not run.outcome.complete:
            assert run.outcome.ending in ("singular branch", "step too small"), f"{label}: {run.outcome}"
        self["right" if run.outcome.complete else "stopped"] += 1


def simulated(system: zm.System, start: zm.State, until: float, rtol: float, method: str) -> zm.Run:
    return zm.simulate(system, start, until=until, rtol=rtol, atol=rtol / 100, method=method)


def reference(system: zm.System, start: zm.State, until: float) -> zm.Run:
    """The tightest run that reaches the end, or else goes furthest."""
    runs = []
    for rtol in (1e-12, 1e-11, 3e-12):
        runs.append(simulated(system, start, until, rtol, "collocation"))
        if runs[-1].outcome.complete:
            break
    return max(runs, key=lambda run: abs(run.t[-1] - run.t[0]))


def four_bars(rng: np.random.Generator, seen: Seen) -> None:
    """Any bars, or pairs of equal ones, which can lie flat; the six runs of one mechanism."""
    x, y = rng.uniform(0.5, 1.5, 2)
    kinds = (*rng.uniform(0.6, 1.2, 3), 1.0), (x, y, x, y), (x, x, y, y), (x, y, y, x)
    bars = kinds[rng.integers(len(kinds))]
    while True:
        angle, side = rng.uniform(0, 2 * np.pi), rng.choice([-1.0, 1.0])
        with np.errstate(invalid="ignore"):
            c, b = closed(bars, angle, side)
        if np.isfinite(b):
            break
    speed, until = rng.uniform(1, 5) * rng.choice([-1, 1]), rng.uniform(1, 3)
    A = bars[0] * u(angle)
    B = A + bars[1] * u(c)

    tips, pins = four_bar_tips(bars)
    along = zm.rate(pins[1]) * np.cos(angle) - zm.rate(pins[0]) * np.sin(angle)
    exact = reference(tips, tips.start([(pins[:2], A), (pins[2:], B), (along, speed * bars[0])]), until)
    angles, ends = four_bar_angles(bars)
    q = angles.coordinates
    starts = [(angles, ends, angles.start({q[0]: angle, q[1]: c, q[2]: b, zm.rate(q[0]): speed}))]
    system, ends, parts = four_bar_rods(bars)
    centers = (A / 2, angle), ((A + B) / 2, c), ((B + np.array([bars[3], 0.0])) / 2, b)
    given = [(part, (*center, turn)) for part, (center, turn) in zip(parts, centers, strict=True)]
    starts.append((system, ends, system.start([*given, (zm.rate(parts[0][2]), speed)])))
    for system, ends, start in starts:
        for method in METHODS:
            run = simulated(system, start, float(exact.t[-1]), 10.0 ** -rng.integers(6, 13), method)
            label = f"four-bar {np.round(bars, 3)} from {angle:.4f}, {speed:.4f}, {method}"
            seen.compare(run, ends, lambda t, exact=exact: exact.at(t)[pins], label)


def slider_cranks(rng: np.random.Generator, seen: Seen) -> None:
    """Equal arms: with the arms upright, one over the other, the block is free to stay where it is."""
    angle, speed, until = rng.uniform(0.2, 1.3), rng.uniform(1, 6) * rng.choice([-1, 1]), rng.uniform(1, 3)
    tips, pin = slider_crank_tips()
    x = tips.coordinates[2]
    given = [(pin, u(angle)), (x, 2 * np.cos(angle))]
    exact = reference(tips, tips.start([*given, (zm.rate(x), -2 * np.sin(angle) * speed)]), until)
    system, end = slider_crank_angles()
    a, b, _ = system.coordinates
    start = system.start({a: angle, b: -angle, zm.rate(a): speed})
    for method in METHODS:
        run = simulated(system, start, float(exact.t[-1]), 10.0 ** -rng.integers(6, 13), method)
        label = f"slider-crank from {angle:.4f}, {speed:.4f}, {method}"
        seen.compare(run, end, lambda t, exact=exact: exact.at(t)[pin], label)


def parallelograms(rng: np.random.Generator, seen: Seen) -> None:
    """Parallel cranks move as one pendulum of their own, (2/3 + 1) ä = −2 g cos a, in whatever coordinates."""
    from scipy.integrate import solve_ivp

    angle, speed, until = rng.uniform(0.3, 2.8), rng.uniform(0.5, 5) * rng.choice([-1, 1]), rng.uniform(1, 4)
    pendulum = solve_ivp(
        lambda t, y: [y[1], -1.2 * G * np.cos(y[0])], (0, until), [angle, speed], "DOP853", rtol=3e-14, atol=1e-14,
        dense_output=True,
    )  # fmt: skip
    system, ends = four_bar_angles((1.0, 1.0, 1.0, 1.0))
    a, c, b = system.coordinates
    start = system.start({a: angle, c: 0.0, b: angle, zm.rate(a): speed})
    for method in METHODS:
        run = simulated(system, start, until, 10.0 ** -rng.integers(6, 13), method)
        label = f"parallelogram from {angle:.4f}, {speed:.4f}, {method}"
        seen.compare(run, ends[:2], lambda t: u(pendulum.sol(t)[0]).T, label)


def chains(rng: np.random.Generator, seen: Seen) -> None:
    """N four-bars in a row, of rods: parallel cranks are a pendulum, ((N + 1)/3 + N) ä = −g ((N + 1)/2 + N) cos a."""
    from scipy.integrate import solve_ivp

    N = int(rng.integers(1, 3))
    angle, speed, until = rng.uniform(0.3, 2.8), rng.uniform(0.5, 5) * rng.choice([-1, 1]), rng.uniform(1, 4)
    pull = ((N + 1) / 2 + N) / ((N + 1) / 3 + N) * G
    pendulum = solve_ivp(
        lambda t, y: [y[1], -pull * np.cos(y[0])], (0, until), [angle, speed], "DOP853", rtol=3e-14, atol=1e-14,
        dense_output=True,
    )  # fmt: skip
    pins: dict = {f"foot {k}": (k, -0.5, np.array([float(k), 0.0])) for k in range(N + 1)}
    for k in range(N):
        pins[f"left {k}"] = (k, 0.5, N + 1 + k, -0.5)
        pins[f"right {k}"] = (k + 1, 0.5, N + 1 + k, 0.5)
    system, parts, end = rods([1.0] * (2 * N + 1), pins)
    tip = u(angle)
    given = [(parts[k], (k + tip[0] / 2, tip[1] / 2, angle)) for k in range(N + 1)]
    given += [(parts[N + 1 + k], (k + 0.5 + tip[0], tip[1], 0.0)) for k in range(N)]
    start = system.start([*given, (zm.rate(parts[0][2]), speed)])
    for method in METHODS:
        run = simulated(system, start, until, 10.0 ** -rng.integers(6, 13), method)
        label = f"chain of {N} from {angle:.4f}, {speed:.4f}, {method}"
        seen.compare(run, end(0, 0.5), lambda t: u(pendulum.sol(t)[0]).T, label)


CAMPAIGN = four_bars, slider_cranks, parallelograms, chains


@pytest.mark.parametrize("mechanism", CAMPAIGN)
@pytest.mark.parametrize("seed", range(3))
def test_runs_are_right_or_stop_by_name(mechanism, seed):
    seen = Seen()
    mechanism(np.random.default_rng(seed), seen)
    assert seen.total() >= len(METHODS)


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", CAMPAIGN)
def test_hundreds_of_runs_are_right_or_stop_by_name(mechanism, record_property):
    seen, rng = Seen(), np.random.default_rng(2026)
    while seen.total() < 150:
        mechanism(rng, seen)
    for name, count in seen.items():
        record_property(name, count)
    print(mechanism.__name__, dict(seen))
    assert seen["right"] > seen.total() / 4
