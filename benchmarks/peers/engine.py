"""What every engine offers to the benchmark."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Result:
    """The end of a run.

    contact      contact point, m
    evaluations  of the right-hand side; for Taylor methods, steps
    """

    contact: np.ndarray
    evaluations: int


@dataclass(frozen=True)
class Engine:
    """An engine that is ready to run the shell.

    settings  in words, for the table
    run       (until, rtol, atol) → Result
    slope     seconds of one right-hand side, or None where it can not be told
    """

    settings: str
    run: Callable[[float, float, float], Result]
    slope: Callable[[], float] | None = None


def least(action: Callable[[], object], *, repeats: int, clock: Callable[[], float] = time.process_time) -> float:
    """Shortest time of an action, s."""
    best = np.inf
    for _ in range(repeats):
        begin = clock()
        action()
        best = min(best, clock() - begin)
    return best


def least_per_call(repeated: Callable[[int], object], *, count: int, repeats: int = 7) -> float:
    """Shortest time of one call, s, from loops of `count` calls."""
    return least(lambda: repeated(count), repeats=repeats) / count
