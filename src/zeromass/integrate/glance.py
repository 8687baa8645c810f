"""One expression at any times of a segment, in machine code."""

from __future__ import annotations

import numpy as np

from zeromass.compile.target import host
from zeromass.expression import Expression, expressions
from zeromass.integrate.looking import Value, told_of, value_of
from zeromass.integrate.segment import Samples, Segment
from zeromass.integrate.singular.returned import misled
from zeromass.integrate.stepping.calling import called
from zeromass.integrate.stepping.glances import Glances
from zeromass.integrate.stepping.layout import Int64

MANY = 100
"""Steps from which on machine code is worth while: to make it takes longer than NumPy takes to evaluate at few states."""


def glanced(segment: Segment, expression: Expression) -> Glance | None:
    """Values of an expression along a segment; None where NumPy evaluates it, as in short ones."""
    if len(segment.t) <= MANY or segment.piece is not None or segment.program is None:
        return None
    value = value_of(segment, expressions([expression]), host().width)
    return None if value.code is None else Glance(segment, value)


class Glance:
    """Values of an expression at times (k, m) within steps (k,) of a segment.

    They are those of `segment.at(times)[e]`, to rounding.
    """

    def __init__(self, segment: Segment, value: Value) -> None:
        self._segment, self._value = segment, value
        self._projects = segment.settings.project and bool(segment.solved.corrections)
        self._whole = segment.solved.code != "rolled"
        order, side = segment.y.shape[1], value.side
        self._told = told_of(segment, value, projects=self._projects)
        self._told.ints[Int64.started] = value.moving
        self._room = np.empty((order, side)), np.empty((order // 2 if value.moving else 0, side))
        self._ends = np.ascontiguousarray(segment.t), np.ascontiguousarray(segment.y)

    def __call__(self, times: np.ndarray, steps: np.ndarray) -> np.ndarray:
        told, side, many = self._told, self._value.side, times.shape[1]
        groups = -(-many // side)
        filled = np.empty((len(times), groups * side))
        filled[:, :many], filled[:, many:] = times, times[:, -1:]
        values, moved = np.empty_like(filled), np.zeros_like(filled)
        told.ints[Int64.capacity], told.ints[Int64.width] = len(times), groups

        def look(rows: np.ndarray, polynomials: np.ndarray) -> None:
            inside, q̈ = self._room
            seen = (told.reals, told.ints, filled, inside, moved, values, q̈, told.room, told.parameters)
            arrays, busy = (
                (*self._ends, steps, rows, np.ascontiguousarray(polynomials)),
                self._segment.solved.native.busy,
            )
            called(Glances, host().lanes(side), busy, seen, told.functions, arrays)()

        self._segment.dense.using(steps, look)
        if self._projects and self._whole:
            far = ~(moved[:, :many] <= self._segment.settings.limits.correction)
            if far.any():
                self._as_they_are(times[far], far, values[:, :many])
        return values[:, :many]

    def _as_they_are(self, times: np.ndarray, far: np.ndarray, values: np.ndarray) -> None:
        """Takes interpolated states as they are where constraints lose independence; see `returned`."""
        y, inside = self._segment.dense.interpolated(times)
        wrong = inside & misled(self._segment.start, times, y)
        if wrong.any():
            found = values[far]
            found[wrong] = Samples(self._segment, times[wrong], y[wrong])[self._value.e][:, 0]
            values[far] = found
