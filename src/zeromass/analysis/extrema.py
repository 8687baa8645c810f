"""The largest and smallest values along a run, found on its dense output."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from zeromass.integrate import Course
from zeromass.model import ModelError

SAMPLES = 4
"""Parts of a step at whose ends a function is looked at first."""

PARTS = 8
"""Parts into which a bracket of an extremum is divided; a round then keeps the two around the best point."""

ROUNDS = 6
"""Rounds of narrowing, each by PARTS/2. A parabola through the last three points gives the rest: closer points would
tell the time of a maximum less well, since their values differ by little more than rounding."""

Values = Callable[[np.ndarray], np.ndarray]


class Extremum(NamedTuple):
    """An extreme value of a run, and its time, s."""

    value: float
    time: float


def maximum(run: Course, expression: Any) -> Extremum:
    """The largest value of an expression along a run, between its steps too.

    Every largest sample that may hide the maximum beside it is followed on the dense output: for a smooth function the
    hidden part is at most a quarter of the drop to the farther neighbour, and four times as much is allowed for.
    """

    def values(at: np.ndarray) -> np.ndarray:
        found = run.at(at)[expression]
        if found.ndim != 1:
            raise ModelError(f"a maximum is that of one expression, not of an array of shape {found.shape[1:]}")
        return found

    times = between(run.t)
    t, samples = ordered(times, values(times))
    candidates = np.flatnonzero(samples + reach(samples) >= samples.max())
    places, peaks = maxima(values, t, candidates)
    places, peaks = np.append(places, t[np.argmax(samples)]), np.append(peaks, samples.max())
    best = int(np.argmax(peaks))
    return Extremum(float(peaks[best]), float(places[best]))


def minimum(run: Course, expression: Any) -> Extremum:
    """The smallest value of an expression along a run, between its steps too; see `maximum`."""
    value, time = maximum(run, -expression)
    return Extremum(-value, time)


def between(t: np.ndarray) -> np.ndarray:
    """The ends of steps, and `SAMPLES` − 1 times inside each of them."""
    inside = t[:-1, None] + np.diff(t)[:, None] * np.arange(SAMPLES) / SAMPLES
    return np.append(inside.ravel(), t[-1])


def ordered(t: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Samples in order of time, for runs backwards too."""
    return (t, values) if t[-1] >= t[0] else (t[::-1], values[::-1])


def reach(values: np.ndarray) -> np.ndarray:
    """How far a function may rise above each local maximum of its samples: the larger drop to its neighbours.

    Elsewhere −∞: the rise is counted at the neighbour.
    """
    padded = np.concatenate([values[1:2], values, values[-2:-1]])
    drops = values - padded[:-2], values - padded[2:]
    return np.where(np.minimum(*drops) >= 0, np.maximum(*drops), -np.inf)


def maxima(f: Values, t: np.ndarray, candidates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Places and values of the maxima between the neighbours of some samples, all of them narrowed at once."""
    if not len(candidates):
        return np.empty(0), np.empty(0)
    each = np.arange(len(candidates))

    def divided(low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        points = np.linspace(low, high, PARTS + 1, axis=1)
        values = f(points.ravel()).reshape(points.shape)
        return points, values, np.clip(np.argmax(values, axis=1), 1, PARTS - 1)

    points, values, middle = divided(t[np.maximum(candidates - 1, 0)], t[np.minimum(candidates + 1, len(t) - 1)])
    for _ in range(ROUNDS - 1):
        points, values, middle = divided(points[each, middle - 1], points[each, middle + 1])
    best = points[each, np.argmax(values, axis=1)]
    a, b, c = (values[each, middle + k] for k in (-1, 0, 1))
    bend = a - 2 * b + c
    shift = np.divide(a - c, 2 * bend, out=np.zeros_like(bend), where=bend < 0)
    vertex = points[each, middle] + np.clip(shift, -1, 1) * (points[each, middle + 1] - points[each, middle])
    top = f(vertex)
    known = values.max(axis=1)
    rounding = 4 * np.finfo(float).eps * np.abs(known)
    return np.where(top >= known - rounding, vertex, best), np.maximum(top, known)
