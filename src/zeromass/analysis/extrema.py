"""The largest and smallest values along a run, found on its dense output."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from zeromass.analysis.rough import SAMPLES, Rough, possible, rough
from zeromass.expression import Expression, expressions
from zeromass.integrate import Course
from zeromass.integrate.course import Sampled
from zeromass.integrate.search import Values, maxima
from zeromass.model import ModelError


class Extremum(NamedTuple):
    """An extreme value of a run, and its time, s.

    >>> x = zm.coordinate("x")
    >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=5.0)
    >>> lowest, when = run.minimum(x)
    >>> round(lowest, 9), bool(np.isclose(when, np.pi))
    (-1.0, True)
    """

    value: float
    time: float


def maximum(run: Course, expression: Expression, sampled: Sampled | Rough | None = None) -> Extremum:
    """The largest value of an expression along a run, between its steps too.

    sampled  the run at the times `between` its steps, where it has been looked at there before, or what is known of the
             expression there

    Every largest sample that may hide the maximum beside it is followed on the dense output: for a smooth function the
    hidden part is at most a quarter of the drop to the farther neighbour, and four times as much is allowed for. Of a long
    run samples are exact only where the maximum may be, see `rough`.

    >>> x = zm.coordinate("x")
    >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=5.0)
    >>> from zeromass.analysis import maximum
    >>> round(maximum(run, x**2 - x).value, 9)
    2.0
    """
    shape = expressions(expression).shape
    if shape:
        raise ModelError(f"a maximum is that of one expression, not of an array of shape {shape}")
    first, last = sorted((float(run.t[0]), float(run.t[-1])))

    def values(at: np.ndarray) -> np.ndarray:
        return run.at(np.clip(at, first, last))[expression]  # a vertex beside the end is beyond it by rounding

    t, samples = ordered(*_samples(run, expression, sampled, values))
    candidates = np.flatnonzero(samples + reach(samples) >= samples.max())
    places, peaks = maxima(values, *around(t, candidates))
    places, peaks = np.append(places, t[np.argmax(samples)]), np.append(peaks, samples.max())
    best = int(np.argmax(peaks))
    return Extremum(float(peaks[best]), float(places[best]))


def _samples(
    run: Course, expression: Expression, sampled: Sampled | Rough | None, values: Values
) -> tuple[np.ndarray, np.ndarray]:
    """Times and values between steps, exact where the largest may be."""
    known = rough(run, [expression]) if sampled is None else sampled
    if isinstance(known, Rough):
        samples, errors = known.values[:, 0].copy(), known.errors[:, 0]
        chosen = possible(samples, errors)
        samples[chosen] = values(known.t[chosen])
        return known.t, samples
    sampled = run.at(between(run.t)) if known is None else known
    return sampled.t, sampled[expression]


def minimum(run: Course, expression: Expression) -> Extremum:
    """The smallest value of an expression along a run, between its steps too; see `maximum`.

    >>> x = zm.coordinate("x")
    >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=5.0)
    >>> from zeromass.analysis import minimum
    >>> round(minimum(run, x).value, 9)
    -1.0
    """
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


def around(t: np.ndarray, candidates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The neighbours of some samples."""
    return t[np.maximum(candidates - 1, 0)], t[np.minimum(candidates + 1, len(t) - 1)]
