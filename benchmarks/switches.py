"""Motions with switches: one run over all of them beside their smooth pieces, run one by one.

    PYTHONPATH=src python benchmarks/switches.py [--rtol 1e-12] [--rounds 15] [--only WORDS] [--method NAMES]

The motions are those of tests/integrate/references/closed_forms.py. A piece is a system of its own, smooth, from the exact
state at which it begins to the exact time at which it ends, by the same method at the same tolerance. Everything is
compiled before it is timed; of each time of the processor the shortest of several rounds counts, and rounds take turns. The
error is the largest of x and v at a hundred times.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import zeromass as zm
from integrate.references import closed_forms as exact

WITHIN = 3.0
"""Times the smooth pieces that a run with switches may take."""

Force = Callable[[zm.expression.Expression, zm.expression.Expression], zm.expression.Expression | float]


@dataclass(frozen=True)
class Workload:
    """A motion, its force as one formula, and the smooth one of each piece: of its number and of how many there are."""

    problem: Callable[[], exact.Exact]
    force: Force
    piece: Callable[[int, int], Force]


def alternating(even: Force, odd: Force) -> Callable[[int, int], Force]:
    return lambda j, count: odd if j % 2 else even


WORKLOADS = (
    Workload(
        exact.dry_friction,
        lambda x, v: (-5.0 * x - 0.7 * np.sign(v)) / 1.3,
        lambda j, count: (
            (lambda x, v: 0.0 * x) if j == count - 1 else (lambda x, v: (-5.0 * x + (0.7, -0.7)[j % 2]) / 1.3)
        ),
    ),
    Workload(exact.block, lambda x, v: -1.7 * np.sign(v), alternating(lambda x, v: -1.7 + 0 * x, lambda x, v: 0.0 * x)),
    Workload(
        exact.bouncing,
        lambda x, v: -9.81 + zm.where(x < 0, -225.0 * x, 0.0),
        alternating(lambda x, v: -9.81 + 0 * x, lambda x, v: -9.81 - 225.0 * x),
    ),
    Workload(
        exact.bang_bang,
        lambda x, v: -2.3 * np.sign(x),
        alternating(lambda x, v: -2.3 + 0 * x, lambda x, v: 2.3 + 0 * x),
    ),
    Workload(
        exact.relay,
        lambda x, v: -3.0 * np.sign(1.5 * x + v),
        alternating(lambda x, v: -3.0 + 0 * x, lambda x, v: -1.5 * v),
    ),
    Workload(
        exact.belt,
        lambda x, v: -4.0 * x - 1.5 * np.sign(v - 0.5) + 0.3 * (v - 0.5),
        alternating(lambda x, v: 0.0 * x, lambda x, v: -4.0 * x + 1.5 + 0.3 * (v - 0.5)),
    ),
    Workload(
        exact.backlash,
        lambda x, v: -49.0 * zm.where(x > 0.4, x - 0.4, zm.where(x < -0.4, x + 0.4, 0.0)),
        lambda j, count: (lambda x, v: 0.0 * x) if j % 2 == 0 else (lambda x, v: -49.0 * (x + (-0.4, 0.4)[j // 2 % 2])),
    ),
    Workload(
        exact.saw_tooth,
        lambda x, v: -9.0 * x + 5.0 * ((zm.t / 0.7) % 1.0),
        lambda j, count: lambda x, v: -9.0 * x + 5.0 * (zm.t / 0.7 - j),
    ),
)


def moved(force: Force) -> tuple[zm.System, zm.expression.Expression]:
    x = zm.coordinate("x")
    return zm.System(kinetic=zm.rate(x) ** 2 / 2, coordinates=[x], forces={x: force(x, zm.rate(x))}), x


def prepared(force: Force, known: exact.Exact, begin: float, end: float, options: dict) -> Callable[[], zm.Run]:
    """A run from the exact state at one time to another."""
    system, x = moved(force)
    place, speed = known.solution(np.array([begin]))[0]
    start = system.start({x: place, zm.rate(x): speed}, t=begin)
    return lambda: zm.simulate(system, start, until=end, **options)


def measured(work: Workload, rounds: int, options: dict) -> tuple[float, float, float, int]:
    """Seconds of the run and of its pieces, the error, and the number of switches."""
    known = work.problem()
    times = (0.0, *known.switches, known.until)
    whole = prepared(work.force, known, 0.0, known.until, options)
    count = len(times) - 1
    pieces = [prepared(work.piece(j, count), known, times[j], times[j + 1], options) for j in range(count)]
    run = whole()
    assert run.outcome.complete, str(run.outcome)
    sampled = np.linspace(0.0, known.until, 100)
    x = run.system.coordinates[0]
    error = float(np.abs(run.at(sampled)[np.array([x, zm.rate(x)])] - known.solution(sampled)).max())
    for piece in pieces:
        piece()
    seconds = [np.inf, np.inf]
    for _ in range(rounds):
        for i, calls in enumerate(([whole], pieces)):
            begin = time.process_time()
            for call in calls:
                call()
            seconds[i] = min(seconds[i], time.process_time() - begin)
    return seconds[0], seconds[1], error, len(known.switches)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rtol", type=float, default=1e-12)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", default="", help="motions whose names contain this")
    parser.add_argument("--method", nargs="*", default=["collocation", "dop853"])
    asked = parser.parse_args()
    print(f"{'motion':14s}{'method':13s}{'switches':>9s}{'run, ms':>10s}{'pieces, ms':>12s}{'ratio':>8s}{'error':>10s}")
    for work in WORKLOADS:
        name = work.problem.__name__.replace("_", " ")
        if asked.only not in name:
            continue
        for method in asked.method:
            options = {"rtol": asked.rtol, "atol": asked.rtol / 100, "method": method}
            run, pieces, error, switches = measured(work, asked.rounds, options)
            verdict = "met" if run <= WITHIN * pieces else "missed"
            print(
                f"{name:14s}{method:13s}{switches:9d}{run * 1e3:10.2f}{pieces * 1e3:12.2f}{run / pieces:8.2f}{error:10.1e}"
                f"  {verdict}: within {WITHIN:g} × the pieces",
                flush=True,
            )


if __name__ == "__main__":
    main()
