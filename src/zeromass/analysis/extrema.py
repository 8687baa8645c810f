"""The largest and smallest values along a run, found on its dense output."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from zeromass.analysis.rough import FEW, Rough, rough
from zeromass.expression import Expression, expressions
from zeromass.integrate import Course
from zeromass.integrate.course import Sampled
from zeromass.integrate.glance import glanced
from zeromass.integrate.search import Values, tops
from zeromass.model import ModelError

SAMPLES = 4
"""Parts of a step at whose ends a function is looked at first."""

TOGETHER = 64
"""Tops that are looked at in any case; of more, those that may exceed them."""

RESOLVED = 0.5
"""Part of the tolerance by which values that are not told apart may differ, or what they may be off by, if that is more."""


Look = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""Values at times (k, m) in steps of these numbers, (k,)."""

_PARTS = np.arange(SAMPLES + 1) / SAMPLES


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
    run only steps are looked at in which the maximum may be, see `rough`; of more than 64 peaks that are as high, to
    half the tolerance rtol |value|, not all.

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
    known = rough(run, [expression]) if sampled is None else sampled
    if isinstance(known, Rough):
        return _highest(run, expression, lambda look: _likely(known, look, run.settings.rtol))
    t = between(run.t)
    samples = _at_once(run, t, expression) if known is None else known[expression]
    if len(t) == 1 or np.isnan(samples).any():
        first = int(np.argmax(samples))  # that is no number, if there is one
        return Extremum(float(samples[first]), float(t[first]))
    likely = np.flatnonzero(samples + reach(samples) >= samples.max())
    steps = np.concatenate([np.maximum(likely - 1, 0), np.minimum(likely, len(samples) - 2)]) // SAMPLES
    return _highest(run, expression, lambda _: np.unique(steps))


def _at_once(run: Course, times: np.ndarray, expression: Expression) -> np.ndarray:
    """Values of an expression at times of a run."""
    segment, *several = run.segments
    return (run.at(times) if several else segment.at(times))[expression]


def _highest(run: Course, expression: Expression, likely: Callable[[Look], np.ndarray]) -> Extremum:
    """The largest value in the steps in which it is likely to be."""
    segment, *several = run.segments
    ends = run.t if several else segment.t

    def inside(times: np.ndarray, steps: np.ndarray) -> np.ndarray:
        return _at_once(run, times.ravel(), expression).reshape(times.shape)

    glance = None if several else glanced(segment, expression)
    look = inside if glance is None else glance
    steps = np.sort(likely(look))
    if len(steps) > FEW:
        steps = steps[_highest_of(look, steps, ends)]
    begin, end = ends[steps], ends[steps + 1]

    def of(some: np.ndarray) -> Values:
        return lambda times: look(times.reshape(len(some), -1), some).ravel()

    low, high = np.minimum(begin, end), np.maximum(begin, end)
    places, peaks = tops(of(steps), low, high, lambda some: of(steps[some]))
    best = int(np.argmax(peaks))
    time = float(places[best])
    if glance is None or glance.exact:
        return Extremum(float(peaks[best]), time)
    return Extremum(glance.at(time, int(steps[best])), time)


def _highest_of(look: Look, steps: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Which of some steps may hold the largest value, from a few values in each."""
    begin, end = ends[steps, None], ends[steps + 1, None]
    t = begin + (end - begin) * _PARTS
    t[:, -1] = end[:, 0]
    samples = look(t, steps)
    each, top = np.arange(len(steps)), np.argmax(samples, axis=1)
    beside = np.minimum(samples[each, np.maximum(top - 1, 0)], samples[each, np.minimum(top + 1, SAMPLES)])
    most = samples[each, top]
    return np.flatnonzero(most + (most - beside) >= most.max())


def _likely(known: Rough, look: Look, rtol: float) -> np.ndarray:
    """Steps that may hold the largest value: what is there at the tops of polynomials tells in which of them."""
    peaks = known.peaks
    if len(peaks.steps) <= FEW:
        return peaks.steps
    first = look(peaks.times[:TOGETHER, None], peaks.steps[:TOGETHER])[:, 0]
    beyond = first.max() + max(RESOLVED * rtol, 2 * known.off) * abs(first.max())
    others = TOGETHER + np.flatnonzero((peaks.tops + peaks.errors)[TOGETHER:] > beyond)
    chosen, there = np.arange(len(first)), first
    if len(others):
        chosen = np.append(chosen, others)
        there = np.append(first, look(peaks.times[others, None], peaks.steps[others])[:, 0])
    return peaks.steps[chosen[there + peaks.hidden[chosen] >= there.max()]]


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
