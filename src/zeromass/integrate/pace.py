"""How long a step may be where functions of time alone bend: no bump is stepped over, however narrow.

Over an interval that bounds of ü prove to be smooth, u differs from a straight line by |ü| h²/8 in a piece of length h. A
piece may miss `PART` of the largest change of u, and a step may have `SPAN` pieces:

    h ≤ SPAN √(8 PART max|u − u(t₀)| / max|ü|)

for each of the `terms_of_time` u, in every stretch of time that the step touches. Where a bump lies, stretches are divided
until it has its own. Where the bounds are the same all over, one stretch is enough; and where ü is as large as its bounds
all over, as in a vibration, nothing is hidden from steps within it, and they are left to their own control. That does not go
for functions of events, which the motion does not feel: every swing of theirs is to have stages of a step within it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from zeromass.expression import Expression, symbols
from zeromass.integrate.terms import Bounds, SharedTerms, Term, terms_of_time
from zeromass.model import System

PART, SPAN, SAMPLED = 0.1, 5.0, 2.0
"""Of the largest change of a term, what a piece may miss; pieces in a step; and the same of functions of events, for methods
that look at few places in a step too."""

SAMPLES = 64
"""Places of a run at which the size of a term is looked at first."""

BETTER = 1.5
"""How many times longer steps must become somewhere in a stretch for it to be divided."""

PARTS = 8
"""Into how many a stretch is divided."""

NEGLIGIBLE = 1e-3
"""Part of a piece's share that u may change by where bounds of ü say nothing, as where exp(−x²) underflows."""

DEEPEST = 2.0**-44
"""Part of a run that is not divided any more: a function that still can not be bounded there has a kink, jump or pole."""

SEVERAL = 8
"""Terms above which what is asked first of each is found at once."""

REMEMBERED = 16
"""Runs of a system whose pace is remembered."""

SEEN, EVEN = 100.0, 20.0
"""How many times less than its bound ü may be at half of the places in a stretch, for every step to see it: where the bounds
are alike all over, and where that is not known. What bends twenty times as much is four times as narrow, and the stages of
a step are closer than that."""

PLACES = (0.5 + np.arange(32) * 0.6180339887498949) % 1.0
"""Places in a stretch that fall together with no period."""

CAPACITY = 512
"""Stretches that are known ahead at a time."""


class Pace:
    """The longest steps along a run, in stretches that follow one another."""

    def __init__(self, terms: Sequence[Term], values: np.ndarray, start: float, until: float) -> None:
        self.start: float = start
        self.until: float = until
        self.direction: float = 1.0 if until >= start else -1.0
        with np.errstate(all="ignore"):
            firsts = _firsts(terms, values, start, until) if len(terms) > SEVERAL else [None] * len(terms)
            self._terms = [
                TermPace(term, values, start, until, first) for term, first in zip(terms, firsts, strict=True)
            ]

    @cached_property
    def first(self) -> np.ndarray:
        """The stretches from the start on, as long as they may be."""
        return self.stretches(self.start, self.until)

    def stretches(self, begin: float, end: float, longest: float = np.inf) -> np.ndarray:
        """Ends of stretches from one time on and the longest step in each, shape (k, 2).

        They may stop before `end` where there are many.

        longest  length of a stretch above which it is divided even where it is alike all over
        """
        d = self.direction
        with np.errstate(all="ignore"):
            tables = [term.stretches(begin, end, longest) for term in self._terms]
        end = d * min(d * table[-1, 0] for table in tables)
        ends = d * np.unique(np.concatenate([d * table[:, 0] for table in tables]))
        ends = ends[d * (ends - end) <= 0]
        limits = [table[np.searchsorted(d * table[:, 0], d * ends), 1] for table in tables]
        return _merged(np.column_stack([ends, np.min(limits, axis=0)]), abs(self.until - self.start))

    def allows(self, step: float) -> bool:
        """Whether steps of one length are short enough all along the run."""
        table = self.first
        while np.all(table[:, 1] >= step):
            if table[-1, 0] == self.until:
                return True
            table = self.stretches(float(table[-1, 0]), self.until)
        return False


class First(NamedTuple):
    """What is asked first of a term.

    numbers   u at times all along the run
    bounds    of u in its parts
    rounding  by how much bounds of u at one time differ there
    bend      bounds of ü over the run
    """

    numbers: np.ndarray
    bounds: tuple[np.ndarray, np.ndarray]
    rounding: np.ndarray
    bend: tuple[np.ndarray, np.ndarray]


def _firsts(terms: Sequence[Term], values: np.ndarray, start: float, until: float) -> list[First | None]:
    """What is asked first of each of many terms, found at once."""
    shared = SharedTerms(terms)
    begin, end = np.array([start]), np.array([until])
    a, b = _divided(begin, end, PARTS)
    times = np.concatenate([a, (a + b) / 2, b])
    numbers = shared.numbers(_inputs(np.linspace(start, until, SAMPLES), values))
    whole, points = _bounds(shared.bounds, a, b, values), _bounds(shared.bounds, times, times, values)
    bend = _bounds(shared.bounds_of_bend, begin, end, values)
    asked = zip(numbers, whole, map(_least_width, points), bend, strict=True)
    return [First(*found) for found in asked]


def _inputs(times: np.ndarray, values: np.ndarray) -> np.ndarray:
    return np.column_stack([times, np.broadcast_to(values, (len(times), len(values)))])


def _bounds(of: Bounds, a: np.ndarray, b: np.ndarray, values: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Bounds of functions in intervals of time."""
    found = of([(np.minimum(a, b), np.maximum(a, b)), *[(v, v) for v in values]])
    return [(np.broadcast_to(low, a.shape), np.broadcast_to(high, a.shape)) for low, high in found]


def _least_width(bounds: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """The least width of bounds at three times in each of some intervals."""
    width = (bounds[1] - bounds[0]).reshape(3, -1)
    return np.where(np.isfinite(width), width, 0.0).min(axis=0)


class TermPace:
    """The longest steps that one term allows along a run; `first` is what was asked first, where that is known."""

    def __init__(self, term: Term, values: np.ndarray, start: float, until: float, first: First | None = None) -> None:
        self._term, self._values, self._first = term, values, first
        self._start, self._until = start, until
        self._direction = 1.0 if until >= start else -1.0
        rounding = 2 * np.spacing(max(abs(start), abs(until)))  # less can not be divided, and a segment may be short
        self._least = max(DEEPEST * abs(until - start), rounding)
        self._size = self._largest_change()

    def _inputs(self, times: np.ndarray) -> np.ndarray:
        return _inputs(times, self._values)

    def _bounds(self, of: Bounds, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        (found,) = _bounds(of, a, b, self._values)
        return found

    def _largest_change(self) -> float:
        """max |u − u(t₀)| over the run, to a factor of 2, by dividing where it may be larger than was seen."""
        known = self._first
        times = np.linspace(self._start, self._until, SAMPLES)
        u = known.numbers if known else self._term.number(self._inputs(times))
        first = u[0] if np.isfinite(u[0]) else 0.0
        size = _largest(u - first)
        a, b = _divided(np.array([self._start]), np.array([self._until]), PARTS)
        while len(a):
            low, high = known.bounds if known else self._bounds(self._term.bounds, a, b)
            possible = np.fmax(np.abs(low - first), np.abs(high - first))
            more = np.flatnonzero((possible > 2 * size) & (np.abs(b - a) > self._least))
            chosen = more[np.argsort(-possible[more], kind="stable")[:CAPACITY]]
            rounding = known.rounding[chosen] if known else self._rounding(a[chosen], b[chosen])
            chosen = chosen[possible[chosen] > 2 * size + rounding]
            a, b = _divided(a[chosen], b[chosen], PARTS)
            if not len(a):
                break
            known = None
            size = max(size, _largest(self._term.number(self._inputs((a + b) / 2)) - first))
        return size

    def _rounding(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """By how much bounds of u at one time differ, at the best of three in each interval: dividing it leaves as much."""
        times = np.concatenate([a, (a + b) / 2, b])
        return _least_width(self._bounds(self._term.bounds, times, times))

    def _limits(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """The longest step in each interval."""
        known = self._first if len(a) == 1 and (a[0], b[0]) == (self._start, self._until) else None
        bend = known.bend if known else self._bounds(self._term.bounds_of_bend, a, b)
        limit = self._limit(np.abs(bend).max(axis=0))
        lost = np.flatnonzero(limit == 0)
        if len(lost):
            low, high = self._bounds(self._term.bounds, a[lost], b[lost])
            limit[lost] = np.where(high - low <= NEGLIGIBLE * PART * self._size, np.inf, 0.0)
        return limit

    def stretches(self, begin: float, end: float, longest: float) -> np.ndarray:
        """See `Pace.stretches`."""
        if not self._size > 0:
            return np.array([[end, np.inf]])
        a, b = np.array([begin]), np.array([end])
        limit = self._limits(a, b)
        done = np.empty((0, 3))
        while len(a):
            length = np.abs(b - a)
            small = (limit < length) & (length <= self._least)
            good = (limit >= length) | small
            done = np.concatenate([done, np.column_stack([a, b, np.where(small, np.inf, limit)])[good]])
            a, b, limit = a[~good], b[~good], limit[~good]
            if 0 < len(a) <= PARTS:
                plain = self._plain(a, b, limit, EVEN)
                even = plain > limit
                done = np.concatenate([done, np.column_stack([a, b, plain])[even]])
                a, b, limit = a[~even], b[~even], limit[~even]
            if not len(a):
                break
            c, d = _divided(a, b, PARTS)
            parts = self._limits(c, d).reshape(-1, PARTS)
            alike = (parts.max(axis=1) <= BETTER * limit) & (np.abs(b - a) <= longest) & (limit > 0)
            plain = self._plain(a[alike], b[alike], limit[alike], SEEN)
            done = np.concatenate([done, np.column_stack([a[alike], b[alike], plain])])
            a, b, limit = (x.reshape(-1, PARTS)[~alike].ravel() for x in (c, d, parts))
            if len(done) + len(a) > CAPACITY:  # the first of them
                starts = np.sort(self._direction * np.concatenate([a, done[:, 0]]))
                near = self._direction * a < starts[CAPACITY // 2]
                a, b, limit = a[near], b[near], limit[near]
                done = done[self._direction * done[:, 0] < starts[CAPACITY // 2]]
        return done[np.argsort(self._direction * done[:, 0])][:, 1:]

    def _plain(self, a: np.ndarray, b: np.ndarray, limit: np.ndarray, times_less: float) -> np.ndarray:
        """The limits in stretches: their lengths where each step within sees how u bends, as in a vibration.

        In a train of bumps it would not: between them nothing bends. And a longer step may pass over all of it: a stretch
        that is as short as a bump bends everywhere.
        """
        if not len(a) or self._term.sampled:
            return limit
        times = a[:, None] + (b - a)[:, None] * PLACES
        bend = np.abs(self._term.bend(self._inputs(times.ravel()))).reshape(times.shape)
        bend = np.where(np.isfinite(bend), bend, 0.0)  # an overflow tells nothing
        half = np.sort(bend, axis=1)[:, bend.shape[1] // 2]
        seen = self._limit(times_less * half) <= limit
        return np.where(seen, np.maximum(limit, np.abs(b - a)), limit)

    def _limit(self, bend: np.ndarray) -> np.ndarray:
        """h for the largest |ü|."""
        span = SAMPLED if self._term.sampled else SPAN
        return np.where(bend > 0, span * np.sqrt(8 * PART * self._size / bend), np.inf)


def pace(
    system: System,
    parameters: Mapping[Any, float],
    start: float,
    until: float,
    watched: Sequence[Expression] = (),
    sampled: Sequence[Expression] = (),
) -> Pace | None:
    """The pace of a run, or of a longer one to the same end; None where nothing depends on time alone.

    watched  functions of switches and events that it is to follow as well
    sampled  functions of events that a user asks for, each of whose swings is to be seen

    Those of the last runs are remembered: a motion in many segments needs one.
    """
    terms = terms_of_time(system, watched, sampled)
    if not terms or start == until:
        return None
    values = np.array([parameters[p] for p in system.parameters])
    functions = tuple((term.u, term.sampled) for term in terms)
    known: dict[Any, Pace] = system.memory.setdefault("paces", {})
    felt = tuple(parameters[leaf] for leaf in symbols([term.u for term in terms]) if leaf in parameters)
    key = functions, felt, until, start < until
    found = known.get(key)
    if found is None or found.direction * (start - found.start) < 0:
        for old in list(known)[: 1 - REMEMBERED]:
            known.pop(old, None)
        found = known[key] = Pace(terms, values, start, until)
    return found


def _largest(change: np.ndarray) -> float:
    """Of those that are numbers."""
    return float(np.max(np.abs(change), where=np.isfinite(change), initial=0.0))


def _divided(a: np.ndarray, b: np.ndarray, parts: int) -> tuple[np.ndarray, np.ndarray]:
    """Each interval as several, in order."""
    edges = a[:, None] + (b - a)[:, None] * (np.arange(parts + 1) / parts)
    edges[:, -1] = b
    return edges[:, :-1].ravel(), edges[:, 1:].ravel()


def _merged(stretches: np.ndarray, whole: float) -> np.ndarray:
    """With neighbours as one whose limits do not matter: they are as long as the run."""
    free = stretches[:, 1] >= whole
    stretches[free, 1] = np.inf
    return stretches[np.append(~(free[:-1] & free[1:]), True)]
