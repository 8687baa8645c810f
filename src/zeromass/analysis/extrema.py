"""The largest and smallest values along a run, found on its dense output."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from zeromass.analysis.rough import FEW, Rough, rough
from zeromass.expression import Expression, as_expression, expressions
from zeromass.integrate import Course
from zeromass.integrate.course import Sampled, given_course
from zeromass.integrate.glance import Glance, Plain, glanced
from zeromass.integrate.search import Values, fine, tops
from zeromass.model import ModelError
from zeromass.model.given import given_scalar

SAMPLES = 4
"""Parts of a step at whose ends a function is looked at first."""

TOGETHER = 64
"""Tops that are looked at in any case; of more, those that may exceed them."""

ALL = 32
"""Steps up to which all are looked at closely at once: another look would take longer."""

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
    if not isinstance(expression, Expression) and (shape := expressions(expression).shape):
        raise ModelError(f"a maximum is that of one expression, not of an array of shape {shape}")
    constant = as_expression(expression).value
    if constant is not None:
        return Extremum(constant, float(given_course(run).t[0]))
    known = rough(run, [expression]) if sampled is None else sampled
    segment, *several = run.segments
    glance = None if several else glanced(segment, expression)

    def at(times: np.ndarray) -> np.ndarray:
        return (run.at(times) if several else segment.at(times))[expression]

    def inside(times: np.ndarray, steps: np.ndarray) -> np.ndarray:
        return at(times.ravel()).reshape(times.shape)

    look, ends = glance or inside, run.t if several else segment.t
    values = None
    if isinstance(known, Rough):
        steps = _likely(known, look, run.settings.rtol)
    else:
        if known is not None:
            samples = known[expression]
        elif isinstance(glance, Plain) and ends[-1] > ends[0]:
            values = _sampled(glance, ends)
            every = (values.shape[1] - 1) // SAMPLES
            samples = np.append(values[:, :-1:every], values[-1, -1])
        else:
            samples = at(between(ends))
        if len(samples) == 1 or not samples.max() < np.inf:
            first = int(samples.argmax())  # that is no number, if there is one, or infinite
            return Extremum(float(samples[first]), float(between(ends)[first]))
        steps = _beside_tops(np.where(samples > -np.inf, samples, samples.min(initial=np.inf, where=samples > -np.inf)))
        if len(steps) > FEW:
            steps = steps[_may_be_highest(look(_parts(ends, steps), steps))]
    if values is not None:
        values = values[steps] if values.shape[1] > SAMPLES + 1 else None
    place, value, step = _highest(look, steps, ends, values)
    if isinstance(glance, Glance) and not glance.exact:
        value = glance.at(place, step)
    return Extremum(value, place)


def _sampled(look: Plain, ends: np.ndarray) -> np.ndarray:
    """Values at the ends of parts of all steps, shape (k, parts + 1): of so many as tops are found from, where that is as
    quick."""
    steps = np.arange(len(ends) - 1)
    if look.light and len(steps) <= ALL:
        return look(fine(ends[:-1], ends[1:]), steps)
    return look(_parts(ends, steps), steps)


def _highest(
    look: Look, steps: np.ndarray, ends: np.ndarray, values: np.ndarray | None = None
) -> tuple[float, float, int]:
    """Place of the largest value in some steps, this value, and its step; `values`, at `fine` places, if they are known."""

    def of(some: np.ndarray) -> Values:
        return lambda times: look(times.reshape(len(some), -1), some).ravel()

    if values is None:
        steps = np.sort(steps)
    begin, end = ends[steps], ends[steps + 1]
    low, high = np.minimum(begin, end), np.maximum(begin, end)
    places, peaks = tops(of(steps), low, high, lambda some: of(steps[some]), values)
    best = int(peaks.argmax())
    return float(places[best]), float(peaks[best]), int(steps[best])


def _parts(ends: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """Times at the ends of parts of some steps, shape (k, SAMPLES + 1)."""
    begin, end = ends[steps, None], ends[steps + 1, None]
    t = begin + (end - begin) * _PARTS
    t[:, -1:] = end
    return t


def _beside_tops(samples: np.ndarray) -> np.ndarray:
    """Steps on either side of each sample that may hide the largest value beside it."""
    likely = np.flatnonzero(samples + reach(samples) >= samples.max())
    found = np.zeros((len(samples) - 1) // SAMPLES, dtype=bool)
    found[np.maximum(likely - 1, 0) // SAMPLES] = True
    found[np.minimum(likely, len(samples) - 2) // SAMPLES] = True
    return np.flatnonzero(found)


def _may_be_highest(samples: np.ndarray) -> np.ndarray:
    """Which of some steps may hold the largest value, from a few values in each."""
    each, top = np.arange(len(samples)), samples.argmax(axis=1)
    beside = np.minimum(samples[each, np.maximum(top - 1, 0)], samples[each, np.minimum(top + 1, SAMPLES)])
    most = samples[each, top]
    return np.flatnonzero(most + (most - beside) >= most.max())


def _likely(known: Rough, look: Look, rtol: float) -> np.ndarray:
    """Steps that may hold the largest value: what is there at the tops of polynomials, and beside, tells which."""
    peaks = known.peaks
    if len(peaks.steps) <= FEW:
        return peaks.steps

    def seen(some: slice | np.ndarray) -> np.ndarray:
        times = _parts(known.t, peaks.steps[some])
        return look(np.concatenate([times, peaks.times[some, None]], axis=1), peaks.steps[some])

    there, hidden, steps = seen(slice(TOGETHER)), peaks.hidden[:TOGETHER], peaks.steps[:TOGETHER]
    if len(peaks.steps) > TOGETHER:
        first = float(there[:, -1].max())
        beyond = first + max(RESOLVED * rtol, 2 * known.off) * abs(first)
        others = TOGETHER + np.flatnonzero((peaks.tops + peaks.errors)[TOGETHER:] > beyond)
        if len(others):
            there = np.concatenate([there, seen(others)])
            hidden, steps = np.append(hidden, peaks.hidden[others]), np.append(steps, peaks.steps[others])
    top = there[:, -1]
    kept = np.flatnonzero(top + hidden >= top.max())
    if len(kept) > FEW:
        kept = kept[_may_be_highest(there[kept, :-1])]
    return steps[kept]


def minimum(run: Course, expression: Expression) -> Extremum:
    """The smallest value of an expression along a run, between its steps too; see `maximum`.

    >>> x = zm.coordinate("x")
    >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=5.0)
    >>> from zeromass.analysis import minimum
    >>> round(minimum(run, x).value, 9)
    -1.0
    """
    value, time = maximum(run, -given_scalar(expression, "what a minimum is of"))
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
