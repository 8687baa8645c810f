"""Chains of four-bars through singular positions: rods with (x, y, angle) each beside the coordinates of their pins.

    python benchmarks/crossings.py [--rounds 30] [--loops 1 2] [--rtol 1e-6 1e-10] [--method NAMES] [--before SRC]

The motions are those of tests/integrate/test_leap.py: from upright, six seconds, six crossings. A worker process for each
version, --before SRC being sources of an earlier one, makes the systems, compiles, and then runs them by turns with the
others; of each CPU time the shortest counts. The error is the largest of the first tip at 301 times, between steps too.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}

WITHIN = 3.0
"""Times the coordinates of pins that rods may take."""

WORKER = """
import json, sys, time, warnings
import numpy as np
import zeromass as zm
from integrate.mechanisms import rod_chain
from integrate.test_chain import chain
from integrate.test_leap import tip_of

warnings.simplefilter("ignore")
runs = {}
for line in sys.stdin:
    coordinates, loops, rtol, method = key = tuple(json.loads(line))
    if key not in runs:
        system, start, tip = chain(loops) if coordinates == "pins" else rod_chain(loops, np.pi / 2, -1.0)
        options = dict(until=6.0, rtol=rtol, atol=rtol / 100, method=method)
        runs[key] = lambda system=system, start=start, options=options: zm.simulate(system, start, **options)
        run, times = runs[key](), np.linspace(0, 6, 301)
        error = float(np.abs(run.at(times)[tip] - tip_of(loops, times)).max())
        answer = error, len(run.t) - 1, len(run.passages), str(run.outcome.ending)
    else:
        begin = time.process_time()
        runs[key]()
        answer = time.process_time() - begin
    print(json.dumps(answer), flush=True)
"""


class Worker:
    """A process that imports zeromass from some sources, and times runs when it is asked."""

    def __init__(self, sources: Path) -> None:
        paths = os.pathsep.join(map(str, (sources, ROOT / "tests")))
        self._process = subprocess.Popen(
            [sys.executable, "-c", WORKER],
            env={**os.environ, **ONE_THREAD, "PYTHONPATH": paths},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __call__(self, *key):
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(key), file=self._process.stdin, flush=True)
        return json.loads(self._process.stdout.readline())

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--loops", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--rtol", type=float, nargs="*", default=[1e-6, 1e-8, 1e-10, 1e-12])
    parser.add_argument("--method", nargs="*", default=["collocation", "dop853", "radau"])
    parser.add_argument("--before", metavar="SRC", type=Path, help="sources of an earlier zeromass, for comparison")
    asked = parser.parse_args()
    workers = {"now": Worker(ROOT / "src")} | ({"before": Worker(asked.before.resolve())} if asked.before else {})
    print(
        f"{'loops':>5s} {'method':12s}{'rtol':>8s} {'version':8s}{'pins, ms':>10s}{'rods, ms':>10s}{'ratio':>7s}",
        end="",
    )
    print(f"{'error, pins':>13s}{'rods':>9s}{'crossings':>11s}")
    for loops in asked.loops:
        for method in asked.method:
            for rtol in asked.rtol:
                keys = [(coordinates, loops, rtol, method) for coordinates in ("pins", "rods")]
                told = {name: [worker(*key) for key in keys] for name, worker in workers.items()}
                times = {name: [float("inf")] * len(keys) for name in workers}
                for _ in range(asked.rounds):
                    for name, worker in workers.items():
                        times[name] = [min(best, worker(*key)) for best, key in zip(times[name], keys, strict=True)]
                for name, (pins, rods) in times.items():
                    errors, crossings = [x[0] for x in told[name]], " ".join(str(x[2]) for x in told[name])
                    ended = {x[3] for x in told[name]} - {"finished"}
                    verdict = ", ".join(sorted(ended)) or ("met" if rods <= WITHIN * pins else "missed")
                    print(
                        f"{loops:5d} {method:12s}{rtol:8.0e} {name:8s}{pins * 1e3:10.2f}{rods * 1e3:10.2f}{rods / pins:7.2f}"
                        f"{errors[0]:13.1e}{errors[1]:9.1e}{crossings:>11s}  {verdict}: within {WITHIN:g} × the pins",
                        flush=True,
                    )
    for worker in workers.values():
        worker.close()


if __name__ == "__main__":
    main()
