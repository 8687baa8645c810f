"""Expressions inside the steps of a course, each step as its own segment has it.

Where rates jump, the end of one step and the beginning of the next are the same time and two states: `Course.at` gives the
first of them, here each step has its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from zeromass.analysis.panels import NODES, Along
from zeromass.analysis.steep import Steep, steep
from zeromass.expression import Expression, expressions
from zeromass.integrate import Course, Segment
from zeromass.integrate.course import Sampled, given_course
from zeromass.integrate.sampling import MANY, node_samples, time_sampler
from zeromass.integrate.segment import Samples, asked
from zeromass.integrate.stepping.dense import AT_ONCE

OFF, MOVING, FOREIGN = 0.1, 2.0, 10.0
"""What approximate values may be off by, in units of the tolerance: by their states, by accelerations, and where the run has
a method whose states between steps are less exact than those of collocation."""


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
        self._sampler = time_sampler(self._segments[0], self._e) if len(counts) == 1 else None

    def __len__(self) -> int:
        return len(self.begin)

    def times(self, steps: np.ndarray, places: np.ndarray) -> np.ndarray:
        """Of places θ in [0, 1], shape (k, m), in steps (k,)."""
        begin, end = self.begin[steps, None], self.end[steps, None]
        return np.where(places == 1.0, end, begin + (end - begin) * places)

    def __call__(self, steps: np.ndarray, places: np.ndarray) -> np.ndarray:
        """Values at places θ, shape (k, m), in steps (k,): shape (k, m, expressions + arguments)."""
        times = self.times(steps, places)
        if len(self._segments) > 1:
            which = np.broadcast_to(self._segment[steps, None], times.shape).ravel()
            return Sampled(self._segments, times.ravel(), which)[self._e].reshape(*times.shape, -1)
        found, segment = np.empty((*times.shape, self._e.size)), self._segments[0]
        for k in range(0, len(steps), AT_ONCE):
            some = slice(k, k + AT_ONCE)
            if self._sampler is not None:
                found[some] = self._sampler(times[some], steps[some])
            else:
                states = segment.dense.within(times[some], steps[some])
                found[some] = Samples(segment, times[some].ravel(), states)[self._e].reshape(found[some].shape)
        return found

    def exact(self, value: float, time: float) -> float:
        """The first expression at a time, to the bit as the run has it, where its value is known to rounding."""
        if self._sampler is not None and not self._sampler.exact:
            return float(self._segments[0].at(np.array([time]))[self._e[0]][0])
        return float(value)

    @property
    def along(self) -> Along:
        length = self.end - self.begin
        return Along(self, self.steep.kinds, length, np.zeros(len(length), dtype=np.int64), 1)


class Approximation(NamedTuple):
    """Some expressions along a run.

    nodes   values at the nodes of each step, shape (expressions, 9, steps)
    off     what these may be off by, relative to their size
    """

    nodes: np.ndarray
    off: float

    def of(self, k: int) -> Approximation:
        """The same of one of the expressions."""
        return Approximation(self.nodes[k : k + 1], self.off)


def approximation(run: Course, e: Sequence[Expression]) -> Approximation | None:
    """Of a run; None where it is short or changes its kind, or where the values are no numbers.

    The values are those of `node_samples`, which needs no step to be taken again.
    """
    (segment, *others), count = given_course(run).segments, len(run.t) - 1
    if others or count < MANY or segment.piece is not None or segment.program is None:
        return None
    array = expressions(e)
    nodes = np.empty((array.size, len(NODES), count))
    for part in node_samples(segment, array, projected=False):
        nodes[:, 1:, part.first : part.first + len(part.t)] = part.values.transpose(2, 1, 0)
    nodes[:, 0, 0], nodes[:, 0, 1:] = segment.at(segment.t[:1])[array][0], nodes[:, -1, :-1]
    moving = asked(segment.equations, array)[1]
    own = segment.settings.method == "collocation"
    off = FOREIGN if not own else MOVING if moving else OFF
    return Approximation(nodes, off * segment.settings.rtol) if np.isfinite(nodes).all() else None
