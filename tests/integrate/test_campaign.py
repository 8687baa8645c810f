"""Random mechanisms through singular positions, by every method and at every tolerance: right, or stopped by name.

The references are independent of the rows that lose independence: mechanisms of one freedom as one equation, integrated by
SciPy, and four-bars in the coordinates of their pins, at a tight tolerance. Steps and states between them are compared.

Measured over 1,900 runs of five seeds, rtol 1e-6 … 1e-12: none wrong, none stopped.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import zeromass as zm
from cases import few
from integrate.mechanisms import (
    G,
    closed,
    four_bar_angles,
    four_bar_rods,
    four_bar_tips,
    hinged_in_space,
    parallelogram,
    rod_chain,
    scissors,
    slider_crank_angles,
    slider_crank_tips,
    u,
)

METHODS = "collocation", "dop853", "radau"

REACH = 1e4
"""Error in some seconds, in units of the tolerance of the run: a motion with one freedom spreads slowly."""

STOPS = 0.05
"""Part of the runs that may end before time."""

pytestmark = pytest.mark.filterwarnings("ignore::zeromass.errors.RunStopped")


class Seen(Counter):
    """What became of the runs."""

    def compare(self, run: zm.Run, place: np.ndarray, exact, label: str) -> None:
        """Counts a run; it must be right as far as it goes, between steps too, and if it ends before time say why."""
        times = np.concatenate([run.t, *[run.t[:-1] + part * np.diff(run.t) for part in (0.1, 0.3, 0.5, 0.7, 0.9)]])
        error = np.abs(run.at(times)[place] - exact(times)).max()
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


def one_freedom(inertia, slope, force, start: list[float], until: float):
    """φ(t) and φ̇(t) of I(φ) φ̈ + I′(φ) φ̇²/2 = f(φ, φ̇)."""
    from scipy.integrate import solve_ivp

    return solve_ivp(
        lambda t, y: [y[1], (force(*y) - slope(y[0]) * y[1] ** 2 / 2) / inertia(y[0])],
        (0, until), start, "DOP853", rtol=3e-14, atol=1e-14, dense_output=True,
    ).sol  # fmt: skip


def pendulum(inertia: float, weight: float, start: list[float], until: float, friction: float = 0.0):
    """The same of I φ̈ = −W cos φ − k φ̇."""
    return one_freedom(lambda φ: inertia, lambda φ: 0.0, lambda φ, ω: -weight * np.cos(φ) - friction * ω, start, until)


def simulated_by_all(system: zm.System, start: zm.State, until: float, rng: np.random.Generator):
    for method in METHODS:
        yield simulated(system, start, until, 10.0 ** -rng.integers(6, 13), method)


def parallelograms(rng: np.random.Generator, seen: Seen) -> None:
    """Parallel cranks move as one pendulum of their own, (2/3 + 1) ä = −2 g cos a, in whatever coordinates."""
    angle, speed, until = rng.uniform(0.3, 2.8), rng.uniform(0.5, 5) * rng.choice([-1, 1]), rng.uniform(1, 4)
    exact = pendulum(5 / 3, 2 * G, [angle, speed], until)
    system, ends = four_bar_angles((1.0, 1.0, 1.0, 1.0))
    a, c, b = system.coordinates
    start = system.start({a: angle, c: 0.0, b: angle, zm.rate(a): speed})
    for run in simulated_by_all(system, start, until, rng):
        seen.compare(run, ends[:2], lambda t: u(exact(t)[0]).T, f"parallelogram from {angle:.4f}, {speed:.4f}")


def damped(rng: np.random.Generator, seen: Seen) -> None:
    """The same with friction in the hinge of a crank."""
    k, angle, until = rng.uniform(0.05, 1), rng.uniform(0.3, 2.8), rng.uniform(1, 4)
    speed = rng.uniform(0.5, 5) * rng.choice([-1, 1])
    exact = pendulum(5 / 3, 2 * G, [angle, speed], until, friction=k)
    system, a, b, c = parallelogram(1.0, 1.0, friction=k)
    start = system.start({a: angle, c: 0.0, b: angle, zm.rate(a): speed})
    for run in simulated_by_all(system, start, until, rng):
        label = f"damped {k:.3f} from {angle:.4f}, {speed:.4f}"
        seen.compare(run, np.array([a, b]), lambda t: np.stack([exact(t)[0]] * 2, axis=1), label)


def driven(rng: np.random.Generator, seen: Seen) -> None:
    """A parallelogram whose crank turns as it is told."""
    x, y = rng.uniform(0.6, 1.4, 2)
    first, ω, until = rng.uniform(0.3, 2.8), rng.uniform(0.7, 3) * rng.choice([-1, 1]), rng.uniform(2, 4)

    def turn(t):
        return first + ω * t + 0.3 * np.sin(t)

    system, a, b, c = parallelogram(x, y, drive=turn(zm.t))
    for run in simulated_by_all(system, system.start({a: first, c: 0.0, b: first}), until, rng):
        label = f"driven {x:.3f}, {y:.3f} from {first:.4f}, {ω:.4f}"
        seen.compare(run, np.array([a, b, c]), lambda t: np.stack([turn(t), turn(t), 0 * t], axis=1), label)


def chains(rng: np.random.Generator, seen: Seen) -> None:
    """N four-bars in a row, of rods: parallel cranks are a pendulum, ((N + 1)/3 + N) ä = −g ((N + 1)/2 + N) cos a."""
    N = int(rng.integers(1, 3))
    angle, speed, until = rng.uniform(0.3, 2.8), rng.uniform(0.5, 5) * rng.choice([-1, 1]), rng.uniform(1, 4)
    exact = pendulum((N + 1) / 3 + N, G * ((N + 1) / 2 + N), [angle, speed], until)
    system, start, tip = rod_chain(N, angle, speed)
    for run in simulated_by_all(system, start, until, rng):
        seen.compare(run, tip, lambda t: u(exact(t)[0]).T, f"chain of {N} from {angle:.4f}, {speed:.4f}")


def lifts(rng: np.random.Generator, seen: Seen) -> None:
    """Scissors in stages on a pin and a slide: all arms turn alike, and flat they lie in a line."""
    N, length = int(rng.integers(1, 4)), rng.uniform(0.7, 1.4)
    angle, speed, until = rng.uniform(0.2, 1.2), rng.uniform(0.5, 4) * rng.choice([-1, 1]), rng.uniform(1, 2.5)
    heights, m = (np.arange(N) + 0.5) * length, length  # of the crossings when upright, and the mass of an arm
    exact = one_freedom(
        lambda φ: 2 * m * np.sum((length * np.sin(φ) / 2) ** 2 + (heights * np.cos(φ)) ** 2 + length**2 / 12),
        lambda φ: 4 * m * np.sin(φ) * np.cos(φ) * np.sum(length**2 / 4 - heights**2),
        lambda φ, ω: -2 * m * G * np.cos(φ) * np.sum(heights),
        [angle, speed],
        until,
    )
    system, parts = scissors(N, length)
    given = []
    for k, height in enumerate(heights):
        center = length * np.cos(angle) / 2, height * np.sin(angle)
        given += [(parts[2 * k], (*center, angle)), (parts[2 * k + 1], (*center, np.pi - angle))]
    start = system.start([*given, (zm.rate(parts[0][2]), speed)])
    for run in simulated_by_all(system, start, until, rng):
        label = f"lift of {N} from {angle:.4f}, {speed:.4f}"
        top = np.array([parts[0][2], parts[-1][1]])
        seen.compare(run, top, lambda t: np.stack([exact(t)[0], heights[-1] * np.sin(exact(t)[0])], axis=1), label)


def in_space(rng: np.random.Generator, seen: Seen) -> None:
    """Three bodies in space on four parallel hinges: 23 rows, of which 3 always follow from others, 4 when it is flat."""
    crank, base, masses = rng.uniform(0.5, 1.2), rng.uniform(0.6, 1.4), rng.uniform(0.5, 2, 3)
    angle, speed, until = rng.uniform(0.4, 2.7), rng.uniform(0.5, 4) * rng.choice([-1, 1]), rng.uniform(1, 2.5)
    inertia = (masses[0] + masses[2]) * crank**2 / 3 + masses[1] * crank**2
    weight = G * crank * ((masses[0] + masses[2]) / 2 + masses[1])
    exact = pendulum(inertia, weight, [angle, speed], until)
    system, start, tip = hinged_in_space(crank, base, masses, angle, speed)
    for run in simulated_by_all(system, start, until, rng):
        label = f"in space {crank:.3f}, {base:.3f} from {angle:.4f}, {speed:.4f}"
        seen.compare(run, tip, lambda t: crank * u(exact(t)[0]).T, label)


CAMPAIGN = four_bars, slider_cranks, parallelograms, chains, damped, driven, lifts, in_space


@pytest.mark.parametrize("mechanism", CAMPAIGN)
@pytest.mark.parametrize("seed", few(range(2)))
def test_runs_are_right_or_stop_by_name(mechanism, seed):
    seen = Seen()
    mechanism(np.random.default_rng(seed), seen)
    assert seen.total() >= len(METHODS)
    assert seen["right"] == seen.total()


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", CAMPAIGN)
def test_hundreds_of_runs_are_right_or_stop_by_name(mechanism, record_property):
    seen, rng = Seen(), np.random.default_rng(2026)
    while seen.total() < 150:
        mechanism(rng, seen)
    for name, count in seen.items():
        record_property(name, count)
    print(mechanism.__name__, dict(seen))
    assert seen["stopped"] <= STOPS * seen.total()
