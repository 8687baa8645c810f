"""Linear systems: the benchmark bicycle of four bodies, three hinges and two wheels, 28 coordinates under 25 rows.

    PYTHONPATH=src python benchmarks/linear.py [--json FILE]

CPU seconds of one core, the shortest of several. `derive`: from bodies and constraints to M, Q, A, b; `start`: a state that
satisfies them; `first`: the first linear system, with the machine code of its derivatives; `again`: another at another
speed, the decisions about pivots and rank taken anew; `same program`: another with the program given, after compile.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import zeromass as zm
from exact.bicycle import TABLE, bicycle


def timed(make: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of a call, and what it makes."""
    begin = time.process_time()
    made = make()
    return time.process_time() - begin, made


def measured() -> dict[str, float]:
    """Seconds by name, and the largest difference from the published eigenvalues, 1/s."""
    derive, model = timed(bicycle)
    start, first_state = timed(lambda: model.straight(5.0))
    first, _ = timed(lambda: zm.analysis.linearize(model.system, first_state, states=model.states))
    program = zm.compile(model.system, first_state)
    again, same, error = [], [], 0.0
    for speed in np.linspace(0.5, 9.5, 37):
        state = model.straight(float(speed))
        again.append(timed(lambda state=state: zm.analysis.linearize(model.system, state, states=model.states))[0])
        same.append(timed(lambda state=state: zm.analysis.linearize(program, state, states=model.states))[0])
    for speed, wanted in TABLE.items():
        found = zm.analysis.linearize(model.system, model.straight(float(speed)), states=model.states).eigenvalues
        error = max([error, *[float(np.abs(found - λ).min()) for λ in wanted]])
    return {
        "derive": derive,
        "start": start,
        "first": first,
        "again": min(again),
        "same program": min(same),
        "error of eigenvalues": error,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", type=Path, help="write the numbers to a file")
    options = parser.parse_args()
    found = measured()
    for name, value in found.items():
        print(f"{name:22} {value:.2e}" + ("" if "error" in name else " s"))
    if options.json:
        options.json.write_text(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
