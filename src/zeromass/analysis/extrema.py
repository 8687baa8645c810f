"""The largest and smallest values along a run, found on its dense output."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from zeromass.analysis.rough import FEW, Peaks, Rough, rough
from zeromass.expression import Expression, expressions
from zeromass.integrate import Course
from zeromass.integrate.course import Sampled
from zeromass.integrate.search import Values, tops
from zeromass.model import ModelError

SAMPLES = 4
"""Parts of a step at whose ends a function is looked at first."""

TOGETHER = 64
"""Tops that are looked at in any case; of more, those that may exceed them."""

RESOLVED = 0.5
"""Part of the tolerance by which values that are not told apart may differ, or what they may be off by, if that is more."""


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
    first, last = sorted((float(run.t[0]), float(run.t[-1])))
    segment, *several = run.segments

    def values(at: np.ndarray) -> np.ndarray:
        within = np.clip(at, first, last)  # a vertex beside the end is beyond it by rounding
        return (run.at(within) if several else segment.at(within))[expression]

    known = rough(run, [expression]) if sampled is None else sampled
    if isinstance(known, Rough):
        return _followed(known, values, run.settings.rtol)
    sampled = run.at(between(run.t)) if known is None else known
    t, samples = ordered(sampled.t, sampled[expression])
    candidates = np.flatnonzero(samples + reach(samples) >= samples.max())
    return _largest(values, t, samples, candidates)


def _followed(known: Rough, values: Values, rtol: float) -> Extremum:
    """The largest value in the steps that may hold it: what is there at the tops of polynomials tells in which of them."""
    peaks = known.peaks
    if len(peaks.steps) > FEW:
        first = values(peaks.times[:TOGETHER])
        beyond = first.max() + max(RESOLVED * rtol, 2 * known.off) * abs(first.max())
        others = TOGETHER + np.flatnonzero((peaks.tops + peaks.errors)[TOGETHER:] > beyond)
        there = np.append(first, values(peaks.times[others])) if len(others) else first
        chosen = np.append(np.arange(len(first)), others)
        peaks = Peaks(*[x[chosen[there + peaks.hidden[chosen] >= there.max()]] for x in peaks])
    return _in_steps(known.t, peaks.steps, values)


def _in_steps(ends: np.ndarray, steps: np.ndarray, values: Values) -> Extremum:
    """The largest value in some steps, or beside them."""
    last = SAMPLES * (len(ends) - 1)
    chosen = np.unique(SAMPLES * steps[:, None] + np.arange(SAMPLES + 1))
    neighbours = np.abs(chosen - 1), last - np.abs(last - chosen - 1)  # beyond an end is the one before it
    places = np.unique(np.concatenate([chosen, *neighbours]))
    t = _sampled(ends, places)
    samples = values(t)
    here, before, after = (np.searchsorted(places, x) for x in (chosen, *neighbours))
    drops = samples[here] - samples[before], samples[here] - samples[after]
    hidden = np.where(np.minimum(*drops) >= 0, np.maximum(*drops), -np.inf)
    candidates = here[samples[here] + hidden >= samples.max()]
    return _largest(values, t, samples, candidates)


def _sampled(ends: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Some of the times `between` the ends of steps."""
    step = np.minimum(places // SAMPLES, len(ends) - 2)
    t = ends[step] + (ends[step + 1] - ends[step]) * (places - SAMPLES * step) / SAMPLES
    t[places == SAMPLES * (len(ends) - 1)] = ends[-1]
    return t


def _largest(values: Values, t: np.ndarray, samples: np.ndarray, candidates: np.ndarray) -> Extremum:
    """The largest of some samples, or of what is beside the candidates among them."""
    ends = around(t, candidates)
    places, peaks = tops(values, np.minimum(*ends), np.maximum(*ends))
    places, peaks = np.append(places, t[np.argmax(samples)]), np.append(peaks, samples.max())
    best = int(np.argmax(peaks))
    return Extremum(float(peaks[best]), float(places[best]))


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
