"""How long a step may be where functions of time alone bend: no bump is stepped over, however narrow.

Over an interval that bounds of ü prove to be smooth, u differs from a straight line by |ü| h²/8 in a piece of length h. A
piece has `PART` of the largest change of u, and a step `SPAN` pieces:

    h ≤ SPAN √(8 PART max|u − u(t₀)| / max|ü|)

for each term u of `Terms`, in every stretch of time that the step touches. Where the bounds are the same all over, as those
of sin t, one stretch is enough for a run; where a bump lies, stretches are halved until it has its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from zeromass.integrate.terms import Terms, terms_of_time
from zeromass.model import System

PART, SPAN, WAVES = 0.1, 5.0, 8.0
"""Of the largest change of a term, what a piece may miss; pieces in a step; those of a sine, which has no bump to miss: a
period and a bit, so that no step takes it for another one."""

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

REMEMBERED = 16
"""Runs of a system whose pace is remembered."""

CAPACITY = 512
"""Stretches that are known ahead at a time."""


class Pace:
    """The longest steps along a run, in stretches that follow one another.

    shortest  the limit that holds everywhere, from terms that bend alike everywhere
    """

    def __init__(self, terms: Terms, values: np.ndarray, start: float, until: float) -> None:
        self._terms, self._values = terms, values
        self.start, self.until = start, until
        self.direction: float = 1.0 if until >= start else -1.0
        self._places = np.linspace(start, until, SAMPLES)
        self.shortest: float = self._of_waves()
        self._size = self._sizes() if terms.others else np.empty(0)
        self.varied: bool = bool(np.any(self._size > 0))

    @cached_property
    def first(self) -> np.ndarray:
        """The stretches from the start on, as long as they may be."""
        return self.stretches(self.start, self.until)

    def _inputs(self, times: np.ndarray) -> np.ndarray:
        return np.column_stack([times, np.broadcast_to(self._values, (len(times), len(self._values)))])

    def _of_waves(self) -> float:
        """The limit from sines of ω t + φ, ü = −ω² u."""
        if not self._terms.waves:
            return np.inf
        u, ω = np.moveaxis(self._terms.wave_numbers(self._inputs(self._places)), 1, 0)
        size = np.abs(u - u[0]).max(axis=0)
        with np.errstate(all="ignore"):
            turned = np.abs(ω[0] * (self.until - self.start)) > 2 * np.pi
            limit = _limit(np.where(turned, np.maximum(size, 1.0), size), ω[0] ** 2) * (WAVES / SPAN)
        return float(np.min(limit))

    def _enclosed(self, intervals: Any, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Bounds of each term, shape (2, terms, intervals)."""
        found = intervals([(np.minimum(a, b), np.maximum(a, b)), *[(v, v) for v in self._values]])
        return np.array([[np.broadcast_to(side, a.shape) for side in bounds] for bounds in found]).swapaxes(0, 1)

    def _sizes(self) -> np.ndarray:
        """max |u − u(t₀)| of each term over the run, to a factor of 2, by halving where it may be larger than was seen."""
        u = self._terms.numbers(self._inputs(self._places))
        first = np.where(np.isfinite(u[0]), u[0], 0.0)
        size = np.nan_to_num(np.abs(u - first), nan=0.0, posinf=0.0).max(axis=0)
        a, b = _divided(np.array([self.start]), np.array([self.until]), PARTS)
        least = DEEPEST * abs(self.until - self.start)
        while len(a):
            low, high = self._enclosed(self._terms.bounds, a, b)
            possible = np.fmax(np.abs(low - first[:, None]), np.abs(high - first[:, None]))
            more = np.any(possible > 2 * size[:, None], axis=0) & (np.abs(b - a) > least)
            likely = np.max(possible / np.maximum(size[:, None], 1e-300), axis=0)
            chosen = np.flatnonzero(more)[np.argsort(-likely[more], kind="stable")[:CAPACITY]]
            a, b = _divided(a[chosen], b[chosen], PARTS)
            if len(a):
                u = self._terms.numbers(self._inputs((a + b) / 2))
                size = np.maximum(size, np.nan_to_num(np.abs(u - first), nan=0.0, posinf=0.0).max(axis=0))
        return size

    def _limits(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """The longest step in each interval."""
        size = self._size[:, None]
        limit = _limit(size, np.abs(self._enclosed(self._terms.bends, a, b)).max(axis=0))
        lost = np.flatnonzero(limit.min(axis=0) == 0)
        if len(lost):
            low, high = self._enclosed(self._terms.bounds, a[lost], b[lost])
            limit[:, lost] = np.where(high - low <= NEGLIGIBLE * PART * size, np.inf, limit[:, lost])
        return np.minimum(limit.min(axis=0), self.shortest)

    def stretches(self, begin: float, end: float, longest: float = np.inf) -> np.ndarray:
        """Ends of stretches from one time on and the longest step in each, shape (k, 2).

        They may stop before `end` where there are many.

        longest  length of a stretch above which it is divided even where it is alike all over
        """
        if not self.varied:
            return np.array([[end, self.shortest]])
        a, b = np.array([begin]), np.array([end])
        limit = self._limits(a, b)
        done: list[np.ndarray] = []
        least = DEEPEST * abs(self.until - self.start)
        count = 0
        while len(a):
            length = np.abs(b - a)
            good = limit >= length
            small = ~good & (length <= least)
            done.append(np.column_stack([a, b, np.where(small, np.inf, limit)])[good | small])
            a, b, limit = (x[~(good | small)] for x in (a, b, limit))
            if not len(a):
                break
            c, d = _divided(a, b, PARTS)
            divided = self._limits(c, d).reshape(-1, PARTS)
            alike = (divided.max(axis=1) <= BETTER * limit) & (np.abs(b - a) <= longest) & (limit > 0)
            done.append(np.column_stack([a, b, limit])[alike])
            count += len(done[-1]) + len(done[-2])
            a, b, limit = (x.reshape(-1, PARTS)[~alike].ravel() for x in (c, d, divided))
            if count + len(a) > CAPACITY:
                a, b, limit, done, end = self._nearest(a, b, limit, done)
                count = sum(map(len, done))
        found = np.concatenate(done)
        found = found[np.argsort(self.direction * found[:, 0])]
        return _merged(found[:, 1:], abs(end - begin))

    def _nearest(self, a, b, limit, done):
        """The stretches that come first, as many as there is room for."""
        starts = np.sort(self.direction * np.concatenate([a, *[d[:, 0] for d in done]]))
        end = self.direction * starts[min(CAPACITY // 2, len(starts) - 1)]
        kept = self.direction * (a - end) < 0
        done = [d[self.direction * (d[:, 0] - end) < 0] for d in done]
        return a[kept], b[kept], limit[kept], done, end


def pace(system: System, parameters: Mapping[Any, float], start: float, until: float) -> Pace | None:
    """The pace of a run; None where nothing depends on time alone. Those of the last runs are remembered."""
    terms = terms_of_time(system)
    if not terms or start == until:
        return None
    values = np.array([parameters[p] for p in terms.parameters])
    known: dict[Any, Pace] = system.memory.setdefault("paces", {})
    key = values.tobytes(), start, until
    if key not in known:
        for old in list(known)[: 1 - REMEMBERED]:
            known.pop(old, None)
        known[key] = Pace(terms, values, start, until)
    return known[key]


def _limit(size: np.ndarray, bend: np.ndarray) -> np.ndarray:
    """h for the largest change of u and the largest |ü|; of a term that does not change there is none."""
    with np.errstate(all="ignore"):
        limit = SPAN * np.sqrt(8 * PART * size / bend)
    return np.where((size > 0) & (bend > 0), np.fmax(limit, 0.0), np.inf)


def _divided(a: np.ndarray, b: np.ndarray, parts: int) -> tuple[np.ndarray, np.ndarray]:
    """Each interval as several, in order."""
    edges = a[:, None] + (b - a)[:, None] * (np.arange(parts + 1) / parts)
    edges[:, -1] = b
    return edges[:, :-1].ravel(), edges[:, 1:].ravel()


def _merged(stretches: np.ndarray, whole: float) -> np.ndarray:
    """With neighbours as one whose limits do not matter."""
    free = stretches[:, 1] >= whole
    return stretches[np.append(~(free[:-1] & free[1:]), True)]
