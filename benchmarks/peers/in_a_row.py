"""Runs of the shell one after another in one process: `python -m peers.in_a_row COUNT` prints their seconds as JSON."""

from __future__ import annotations

import json
import sys
import time

import zeromass as zm
from peers import shape
from peers.rolling import rolling


def main(count: int) -> list[float]:
    """Seconds on the wall of each of some runs of the same system, the first with its compilation."""
    model, times = rolling(), []
    for _ in range(count):
        begin = time.perf_counter()
        zm.simulate(model.system, model.start, until=shape.UNTIL, rtol=shape.RTOL, atol=shape.ATOL)
        times.append(time.perf_counter() - begin)
    return times


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]))))
