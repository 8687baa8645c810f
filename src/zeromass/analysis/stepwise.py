"""Expressions inside the steps of a course, each step as its own segment has it.

Where rates jump, the end of one step and the beginning of the next are the same time and two states: `Course.at` gives the
first of them, here each step has its own.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from zeromass.analysis.panels import Along, Panels, whole
from zeromass.analysis.peaking import NODES
from zeromass.analysis.steep import Steep, steep
from zeromass.expression import Expression, expressions
from zeromass.integrate import Course, Segment
from zeromass.integrate.course import Sampled
from zeromass.integrate.glance import Glance, Plain, glanced
from zeromass.integrate.stepping.dense import AT_ONCE


class Stepwise:
    """Some expressions, and the steep arguments of their operations, along all steps of a course.

    begin, end  of each step, s
    steep       the arguments
    """

    begin: np.ndarray
    end: np.ndarray
    steep: Steep

    def __init__(self, run: Course, e: Sequence[Expression], found: Steep | None = None) -> None:
        self._segments: list[Segment] = [segment for segment in run.segments if len(segment.t) > 1]
        self.steep = steep(e) if found is None else found
        self._e = expressions([*e, *self.steep.arguments])
        self.begin = np.concatenate([segment.t[:-1] for segment in self._segments])
        self.end = np.concatenate([segment.t[1:] for segment in self._segments])
        counts = [len(segment.t) - 1 for segment in self._segments]
        self._segment = np.repeat(np.arange(len(counts)), counts)
        only = self._segments[0] if len(self._segments) == 1 else None
        self.glance: Glance | Plain | None = None if only is None else glanced(only, self._e)

    def __len__(self) -> int:
        return len(self.begin)

    def times(self, steps: np.ndarray, places: np.ndarray) -> np.ndarray:
        """Of places θ in [0, 1], shape (k, m), in steps (k,)."""
        begin, end = self.begin[steps, None], self.end[steps, None]
        return np.where(places == 1.0, end, begin + (end - begin) * places)

    def __call__(self, steps: np.ndarray, places: np.ndarray) -> np.ndarray:
        """Values at places θ, shape (k, m), in steps (k,): shape (k, m, expressions + arguments)."""
        return self.at(self.times(steps, places), steps)

    def at(self, times: np.ndarray, steps: np.ndarray) -> np.ndarray:
        """Values at times (k, m) in steps (k,), of the same shape."""
        if self.glance is None:
            which = np.broadcast_to(self._segment[steps, None], times.shape).ravel()
            return Sampled(self._segments, times.ravel(), which)[self._e].reshape(*times.shape, -1)
        found = np.empty((*times.shape, self._e.size))
        for k in range(0, len(steps), AT_ONCE):
            some = slice(k, k + AT_ONCE)
            found[some] = self.glance(times[some], steps[some]).reshape(*times[some].shape, -1)
        return found

    @property
    def along(self) -> Along:
        length = self.end - self.begin
        return Along(self, self.steep.kinds, length, np.zeros(len(length), dtype=np.int64), 1)

    def panels(self, steps: np.ndarray | None = None) -> Panels:
        """Some steps, or all, as panels."""
        steps = np.arange(len(self)) if steps is None else steps
        return whole(steps, self(steps, np.broadcast_to(NODES, (len(steps), len(NODES)))))
