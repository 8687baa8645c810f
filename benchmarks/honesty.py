"""What is claimed of singular positions, long runs and slipping, as figures.

    PYTHONPATH=src python benchmarks/honesty.py [chain] [counted] [certified] [slipping]
                                                [--loops 40] [--runs 300] [--steps 11_000_000]

chain      four-bars in a row, of rods with (x, y, angle), through six singular positions: time of the processor and error
counted    random mechanisms through singular positions, by every method, rtol 1e-6 … 1e-12, against references that are
           independent of the rows: right, stopped by name, or wrong in silence; --runs of each of eight kinds
certified  a run of many steps and its certificate: time, and memory of the process at most
slipping   the shell of the README with a friction of 0.1: evaluations of its right-hand side, and kinds of motion

Without names all of them are made. Each is made in a process of its own.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import zeromass as zm

KINDS = "chain", "counted", "certified", "slipping"


def peak() -> float:
    """Memory that the process has taken at most, bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def chain(loops: int) -> None:
    from integrate.mechanisms import rod_chain
    from integrate.test_leap import tip_of

    begin = time.process_time()
    system, start, tip = rod_chain(loops, np.pi / 2, -1.0)
    made = time.process_time() - begin
    for method in ("collocation", "dop853"):
        begin = time.process_time()
        run = zm.simulate(system, start, until=6.0, rtol=1e-8, atol=1e-10, method=method)
        first = time.process_time() - begin
        begin = time.process_time()
        zm.simulate(system, start, until=6.0, rtol=1e-8, atol=1e-10, method=method)
        again = time.process_time() - begin
        times = np.linspace(0, 6, 301)
        error = float(np.abs(run.at(times)[tip] - tip_of(loops, times)).max())
        print(
            f"chain of {loops} in rods, {len(system.coordinates)} coordinates, {method}: made in {made:.1f} s, first run "
            f"{first:.1f} s, next {again:.2f} s; {len(run.passages)} passages, {run.outcome}, error {error:.1e}",
            flush=True,
        )


def counted(runs: int) -> None:
    from integrate import test_campaign as campaign

    class Counted(campaign.Seen):
        def compare(self, run, place, exact, label) -> None:
            try:
                super().compare(run, place, exact, label)
            except AssertionError as error:
                self["silent" if run.outcome.complete else "wrong before it stopped"] += 1
                print(error, flush=True)

    total: Counter[str] = Counter()
    for mechanism in campaign.CAMPAIGN:
        seen, rng = Counted(), np.random.default_rng(2026)
        while seen.total() < runs:
            mechanism(rng, seen)
        print(f"{mechanism.__name__}: {dict(seen)}", flush=True)
        total.update(seen)
    words = ", ".join(f"{total[name]} {name}" for name in ("right", "stopped", "wrong before it stopped", "silent"))
    print(f"{total.total()} runs through singular positions: {words}")


def certified(steps: int) -> None:
    x = zm.coordinate("x")
    spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    begin = time.process_time()
    run = zm.simulate(spring, spring.start({x: 1.0}), until=steps * 0.01, method="fixed", step=0.01)
    first, memory = time.process_time() - begin, peak()
    begin = time.process_time()
    trust = run.certificate()
    second = time.process_time() - begin
    t, end = float(run.t[-1]), run.y[-1]
    error = float(np.abs(end - [np.cos(t), -np.sin(t)]).max())
    print(
        f"{len(run.t) - 1} steps: {first:.1f} s and {memory / 2**30:.2f} GiB; the certificate {second:.1f} s and "
        f"{peak() / 2**30:.2f} GiB at most; {trust.digits:.1f} digits claimed, {-np.log10(error):.1f} there"
    )


def slipping() -> None:
    bowl = zm.Surface(lambda X, Y, Z: Z - 0.03 * (X**2 + Y**2), shift=(0.1 * np.cos(np.pi * zm.t), 0, 0))
    shell = zm.bodies.two_material_shell(outer=0.09, inner=0.08, densities=(7874, 10490))
    rolling = zm.Rolling(shell, on=bowl, gravity=9.81, friction=0.1)
    start = rolling.start(contact=(-1.5, -0.75), velocity=(1.5, 1.0), spin=0.0, orientation=(1, 0, 0, 0))
    for method in ("collocation", "dop853", "radau"):
        run = zm.simulate(rolling, start, until=25.0, rtol=1e-12, atol=1e-15, method=method)
        statistics, seconds = run.statistics, []
        for _ in range(3):
            begin = time.process_time()
            zm.simulate(rolling, start, until=25.0, rtol=1e-12, atol=1e-15, method=method)
            seconds.append(time.process_time() - begin)
        print(
            f"shell with friction 0.1, {method}: {statistics.evaluations} evaluations, {statistics.steps} steps, "
            f"{len(run.modes)} kinds one after another, {min(seconds) * 1e3:.0f} ms, {run.outcome}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("kind", nargs="*", choices=[*KINDS, []], help="which figures; all of them if none is named")
    parser.add_argument("--loops", type=int, default=40)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--steps", type=int, default=11_000_000)
    asked = parser.parse_args()
    if len(asked.kind) != 1:
        for kind in asked.kind or KINDS:
            subprocess.run([sys.executable, __file__, kind, *sys.argv[1 + len(asked.kind) :]], check=True)
        return
    warnings.simplefilter("ignore")
    match asked.kind[0]:
        case "chain":
            chain(asked.loops)
        case "counted":
            counted(asked.runs)
        case "certified":
            certified(asked.steps)
        case "slipping":
            slipping()


if __name__ == "__main__":
    main()
