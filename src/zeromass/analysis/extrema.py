"""The largest and smallest values along a run, found on its dense output."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from zeromass.analysis.panels import TOGETHER, brackets, doubtful
from zeromass.analysis.rough import FEW, Rough, rough
from zeromass.analysis.steep import Steep, steep
from zeromass.analysis.stepwise import Stepwise
from zeromass.expression import Expression, expressions
from zeromass.integrate import Course
from zeromass.integrate.course import given_course
from zeromass.integrate.glance import Glance
from zeromass.integrate.search import tops
from zeromass.model import ModelError
from zeromass.model.given import given_scalar

SAMPLES = 4
"""Parts of a step at whose ends a function is looked at first."""

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


def maximum(run: Course, expression: Expression, known: Rough | None = None) -> Extremum:
    """The largest value of an expression along a run, between its steps too.

    known  the expression at places of all steps, where it is known

    Steps are divided until a polynomial through nine values follows the expression, and until nothing can be hidden between
    them; see `brackets`. The value is then that of the expression at the top, to rounding. Of a long run only steps are
    looked at in which the maximum may be, see `rough`; of more than 64 peaks that are as high, to half the tolerance
    rtol |value|, not all.

    At a time when rates jump, the states before and after the jump both count.

    >>> x = zm.coordinate("x")
    >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=5.0)
    >>> from zeromass.analysis import maximum
    >>> round(maximum(run, x**2 - x).value, 9)
    2.0
    """
    if not isinstance(expression, Expression) and (shape := expressions(expression).shape):
        raise ModelError(f"a maximum is that of one expression, not of an array of shape {shape}")
    if all(len(segment.t) < 2 for segment in given_course(run).segments):
        return Extremum(float(run[expression][0]), float(run.t[0]))
    e, rtol = expressions(expression).item(), run.settings.rtol
    found = steep([e]) if known is None else Steep([], np.empty(0, dtype=int))
    known = rough(run, [e, *found.arguments]) if known is None else known
    along = Stepwise(run, [e], found)
    steps = None
    if known is not None:
        alone = along if not found.arguments else Stepwise(run, [e], Steep([], np.empty(0, dtype=int)))
        steps = _likely(known, lambda times, some: alone.at(times, some)[:, :, 0], rtol)
        if found.arguments:
            steps = np.union1d(steps, doubtful(known.nodes[:, :, 1:], found.kinds))
    places = brackets(along.along, along.panels(steps), rtol)
    best, step, place = float(places.best[0]), int(places.at_step[0]), float(places.at[0])
    if len(places.step):

        def of(some: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
            return lambda θ: along(places.step[some], θ.reshape(len(some), -1))[:, :, 0].ravel()

        every = np.arange(len(places.step))
        tops_, peaks = tops(of(every), places.low, places.high, lambda some: of(every[some]))
        top = int(peaks.argmax())
        if peaks[top] >= best:
            best, step, place = float(peaks[top]), int(places.step[top]), float(tops_[top])
    time = float(along.times(np.array([step]), np.array([[place]]))[0, 0])
    if isinstance(along.glance, Glance) and not along.glance.exact:
        best = along.glance.at(time, step)
    return Extremum(best, time)


def _parts(ends: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """Times at the ends of parts of some steps, shape (k, SAMPLES + 1)."""
    begin, end = ends[steps, None], ends[steps + 1, None]
    t = begin + (end - begin) * _PARTS
    t[:, -1:] = end
    return t


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
