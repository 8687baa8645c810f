"""One expression at any times of a segment, in machine code."""

from __future__ import annotations

import numpy as np

from zeromass.compile.target import host
from zeromass.expression import Expression, expressions
from zeromass.integrate.looking import Looking, Value, value_of
from zeromass.integrate.segment import Samples, Segment
from zeromass.integrate.singular.returned import misled
from zeromass.integrate.stepping.looks import PLACES

MANY = 100
"""Steps from which on machine code is worth while: to make it takes longer than NumPy takes to evaluate at few states."""

SOME = 256
"""Times that there is room for at first."""


def glanced(segment: Segment, expression: Expression) -> Glance | None:
    """Values of an expression along a segment; None where NumPy evaluates it, as in short ones."""
    if len(segment.t) <= MANY or segment.piece is not None or segment.program is None:
        return None
    value = value_of(segment, expressions([expression]), host().width)
    return None if value.code is None else Glance(segment, value)


class Glance:
    """Values of an expression as `segment.at(times)[e]` has them, to rounding; called with times within the segment."""

    def __init__(self, segment: Segment, value: Value) -> None:
        self._segment, self._value = segment, value
        self._projects = segment.settings.project and bool(segment.solved.corrections)
        self._looking: Looking | None = None

    def __call__(self, times: np.ndarray) -> np.ndarray:
        count, order, side = -(-len(times) // PLACES), self._segment.y.shape[1], self._value.side
        looking = self._looking
        if looking is None or looking.most < count:
            most = max(count, SOME // PLACES)
            looking = self._looking = Looking(self._segment, self._value, most, projects=self._projects)
        y, inner = self._segment.dense.interpolated(times)
        whole = len(times) == count * PLACES
        t, states, open_ = (times, y, inner) if whole else (_filled(x, count * PLACES) for x in (times, y, inner))
        looking.times[:count], looking.inner[:count] = t.reshape(count, PLACES), open_.reshape(count, PLACES)
        looking.inside[:count] = states.reshape(count, -1, side, order).swapaxes(2, 3)
        looking(count, self._value.moving)
        values = looking.values[:count].reshape(-1)[: len(times)]
        if self._projects and self._segment.solved.code != "rolled":
            far = ~(looking.moved[:count].reshape(-1)[: len(times)] <= self._segment.settings.limits.correction)
            if far.any():
                return self._as_they_are(times, y, np.flatnonzero(far & inner), values.copy())
        return values.copy()

    def _as_they_are(self, times: np.ndarray, y: np.ndarray, far: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Takes interpolated states as they are where constraints lose independence; see `returned`."""
        wrong = far[misled(self._segment.start, times[far], y[far])] if len(far) else far
        if len(wrong):
            values[wrong] = Samples(self._segment, times[wrong], y[wrong])[self._value.e][:, 0]
        return values


def _filled(x: np.ndarray, count: int) -> np.ndarray:
    """As many values, the last of them repeated."""
    return np.concatenate([x, np.repeat(x[-1:], count - len(x), axis=0)])
