"""Expressions at any times of a segment: one in machine code, several, or of few steps, by NumPy."""

from __future__ import annotations

import numpy as np

from zeromass.codegen.target import address, host
from zeromass.expression import Array, Evaluator
from zeromass.integrate.looking import Value, told_of, value_of
from zeromass.integrate.segment import Samples, Segment, asked
from zeromass.integrate.singular.returned import misled
from zeromass.integrate.stepping.calling import called
from zeromass.integrate.stepping.glances import Glances
from zeromass.integrate.stepping.layout import Int64

MANY = 100
"""Steps from which on machine code is worth while: to make it takes longer than NumPy takes to evaluate at few states."""

SOME, GROUPS = 80, 400
"""Steps and groups of times that there is room for at first."""


def glanced(segment: Segment, e: Array) -> Glance | Plain | None:
    """Values of expressions, shape (m,), along a segment of some steps; None of what needs more than its states and
    accelerations."""
    if len(segment.t) < 2 or segment.piece is not None or segment.program is None:
        return None
    if len(segment.t) > MANY and e.size == 1:
        value = value_of(segment, e, host().width)
        return None if value.code is None else Glance(segment, value)
    evaluator, moving, forces = asked(segment.equations, e)
    return None if forces else Plain(segment, evaluator, moving)


class Plain:
    """Values of expressions, shape (k, m, expressions), at times (k, m) within steps (k,) of a segment: those of
    `segment.at(times)[e]` to the bit."""

    def __init__(self, segment: Segment, evaluator: Evaluator, moving: bool) -> None:
        self._segment, self._evaluator, self._moving = segment, evaluator, moving
        self._values = segment.values

    def __call__(self, times: np.ndarray, steps: np.ndarray) -> np.ndarray:
        order = self._segment.y.shape[1]
        inputs = np.empty((times.size, 1 + order + len(self._values)))
        inputs[:, 0], inputs[:, 1 : 1 + order] = times.ravel(), self._segment.dense.within(times, steps)
        inputs[:, 1 + order :] = self._values
        if self._moving:
            inputs = np.concatenate([inputs, self._segment.solved.native.accelerations(inputs)], axis=1)
        return self._evaluator(inputs).reshape(*times.shape, -1)


class Glance:
    """Values of an expression at times (k, m) within steps (k,) of a segment.

    They are those of `segment.at(times)[e]`, to rounding; to the bit, if that is `exact`: of what is no formula, or its
    negative.
    """

    exact: bool

    def __init__(self, segment: Segment, value: Value) -> None:
        e = value.e[0]
        self.exact = not (e.args[0] if e.op == "negative" else e).args
        self._segment, self._value = segment, value
        self._projects = segment.settings.project and bool(segment.solved.corrections)
        self._whole = segment.solved.code != "rolled"
        order, side = segment.y.shape[1], value.side
        self._told = told_of(segment, value, projects=self._projects)
        self._told.ints[Int64.started] = value.moving
        self._room = np.empty((order, side)), np.empty((order // 2 if value.moving else 0, side))
        self._ends = np.ascontiguousarray(segment.t), np.ascontiguousarray(segment.y)
        self._make_room(SOME, GROUPS)

    def _make_room(self, steps: int, groups: int) -> None:
        """For so many groups of times, in so many steps."""
        self._times, self._values = (np.empty((groups, self._value.side)) for _ in range(2))
        self._moved = np.zeros((groups if self._projects else 1, self._value.side))
        self._steps = np.empty((steps, 2), dtype=np.int64)
        told, (inside, q̈) = self._told, self._room
        seen = (told.reals, told.ints, self._times, inside, self._moved, self._values, q̈, told.room, told.parameters)
        target, busy = host().lanes(self._value.side), self._segment.solved.native.busy
        self._call = called(Glances, target, busy, seen, told.functions, (*self._ends, self._steps))

    def __call__(self, times: np.ndarray, steps: np.ndarray) -> np.ndarray:
        (count, many), ints = times.shape, self._told.ints
        groups = -(-many // self._value.side)
        if count > len(self._steps) or count * groups > len(self._times):
            self._make_room(count, count * groups)
        seen, values = (x[: count * groups].reshape(count, -1) for x in (self._times, self._values))
        seen[:, :many] = times
        if many < seen.shape[1]:
            seen[:, many:] = times[:, -1:]
        self._steps[:count, 0] = steps
        ints[Int64.capacity], ints[Int64.width] = count, groups

        def look(rows: np.ndarray, polynomials: np.ndarray) -> None:
            self._steps[:count, 1] = rows
            there = np.ascontiguousarray(polynomials)
            ints[Int64.table] = address(there)
            self._call()

        self._segment.dense.using(steps, look)
        values = values[:, :many].copy()
        if self._projects and self._whole:
            moved = self._moved[: count * groups].reshape(count, -1)
            far = ~(moved[:, :many] <= self._segment.settings.limits.correction)
            if far.any():
                self._as_they_are(times[far], far, values)
        return values

    def at(self, time: float, step: int) -> float:
        """The value of `segment.at` at one time, to the bit: NumPy's, of the same state."""
        t = np.array([[time]])
        self(t, np.array([step]))
        if self._moved[0, 0] <= self._segment.settings.limits.correction:
            y = self._room[0][:, 0]
        else:
            y = self._segment.dense(t[0])[0]
        inputs = np.concatenate([t[0], y, self._segment.values])[None]
        evaluator, moving, _ = asked(self._segment.equations, self._value.e)
        if moving:
            inputs = np.concatenate([inputs, self._segment.solved.native.accelerations(inputs)], axis=1)
        return float(evaluator(inputs)[0, 0])

    def _as_they_are(self, times: np.ndarray, far: np.ndarray, values: np.ndarray) -> None:
        """Takes interpolated states as they are where constraints lose independence; see `returned`."""
        y, inside = self._segment.dense.interpolated(times)
        wrong = inside & misled(self._segment.start, times, y)
        if wrong.any():
            found = values[far]
            found[wrong] = Samples(self._segment, times[wrong], y[wrong])[self._value.e][:, 0]
            values[far] = found
