"""Switches that depend on time alone: known before a run begins, however near they are to one another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from zeromass.expression import Evaluator, Expression, Symbol, derivative, t
from zeromass.integrate.ahead import zeros_of_time
from zeromass.model import State
from zeromass.model.pieces import SystemPieces
from zeromass.model.state import ROUNDING, Magnitude

TOGETHER = 1e-14
"""Times that are one, relative to 1 and to the time itself."""

SMALL, NEAR = 1e-9, 8 * ROUNDING
"""Values of a switching function below which one asks whether they are rounding, and the part of its terms that this is."""

INSIDE = np.array([0.2236, 0.4142, 0.5772, 0.6931, 0.8862])
"""Places between two switches, as parts of the time, at most of which a formula has its value: not where it is touched for
no time, as ⌊sin t⌋ is 1 in the middle of a half period."""


class TimeEvents:
    """When switches of time alone happen in a run, and their modes in between.

    events  functions that are watched
    times   of all of them that are felt, in the order of the run: not that of |t − 1| at t = 1 in |t − 1| < 0.1
    """

    times: np.ndarray

    def __init__(self, pieces: SystemPieces, start: State, until: float, events: Sequence[Expression] = ()) -> None:
        felt = pieces.felt(events) if pieces.of_time else ()
        self.switches: tuple[int, ...] = tuple(k for k in pieces.of_time if pieces.switches[k].mode in felt)
        self.times, self._symbols, self._modes = np.empty(0), [], np.empty((1, 0))
        if pieces.of_time:
            self._list(pieces, start, until)

    def _list(self, pieces: SystemPieces, start: State, until: float) -> None:
        values = {p: start.parameters[p] for p in pieces.given.parameters}
        ahead = 1.0 if until >= start.t else -1.0
        zeros = [_zeros(pieces, k, start.t, until, values) for k in sorted({*self.switches, *pieces.resting})]
        times = np.sort(ahead * np.concatenate([np.empty(0), *zeros])) * ahead
        apart = TOGETHER * np.maximum(1.0, np.abs(times))
        last = start.t
        kept = []
        for time, least in zip(times.tolist(), apart.tolist(), strict=True):
            if ahead * (time - last) > least and ahead * (until - time) > least:
                kept.append(time)
                last = time
        self.times = np.array(kept)
        ends = np.array([start.t, *kept, until])
        inside = ends[:-1, None] + np.diff(ends)[:, None] * INSIDE
        self._symbols = [pieces.switches[k].mode for k in self.switches]
        g = _values(pieces, self.switches, inside.ravel(), values).reshape(*inside.shape, -1)
        self._modes = np.median(_sides(pieces, self.switches, g), axis=1)
        self._modes[_vanishing(pieces, self.switches, inside, g, values)] = 0.0
        still = np.flatnonzero((g == 0).all(axis=1).any(axis=1))
        for place, modes in zip(still, _constants(pieces, inside[still, len(INSIDE) // 2], values), strict=True):
            columns = [column for column, mode in enumerate(self._symbols) if mode in modes]
            self._modes[place, columns] = [modes[self._symbols[column]] for column in columns]

    def modes(self, place: int) -> dict[Symbol, float]:
        """Of these switches before the time at that place, and after the one before it."""
        return dict(zip(self._symbols, self._modes[place].tolist(), strict=True))


def _values(pieces: SystemPieces, which: Sequence[int], times: np.ndarray, values: dict[Symbol, float]) -> np.ndarray:
    """Of switching functions at times, shape (times, switches)."""
    functions: list[Expression] = [pieces.switches[k].plain for k in which]
    inputs = np.column_stack([times, *[np.full(len(times), value) for value in values.values()]])
    return Evaluator(functions, [t, *values])(inputs) if functions else np.empty((len(times), 0))


def _sides(pieces: SystemPieces, which: Sequence[int], g: np.ndarray) -> np.ndarray:
    """The modes of values of switching functions, by the last axis."""
    whole = np.array([pieces.switches[k].kind == "whole" for k in which], dtype=bool)
    return np.where(whole, np.floor(g), np.where(g > 0, 1.0, -1.0))


def _vanishing(
    pieces: SystemPieces, which: Sequence[int], times: np.ndarray, g: np.ndarray, values: dict[Symbol, float]
) -> tuple[np.ndarray, np.ndarray]:
    """Intervals, by their places, and switches whose functions are rounding all over them, as sin²t + cos²t − 1 is.

    So are their slopes: near a zero that is only touched, as that of sin t − 1, they are larger.
    """
    sides = np.array([pieces.switches[k].kind == "side" for k in which], dtype=bool)
    places, columns = np.nonzero((np.abs(g) <= SMALL).all(axis=1) & sides)
    sizes: dict[int, Magnitude] = {}
    found = np.zeros(len(places), dtype=bool)
    for i, (place, column) in enumerate(zip(places.tolist(), columns.tolist(), strict=True)):
        if column not in sizes:
            plain = pieces.switches[which[column]].plain
            sizes[column] = Magnitude([plain, derivative(plain, t)], [t, *values])
        looks = [sizes[column].with_values(np.array([time, *values.values()])) for time in times[place]]
        found[i] = all(np.all(np.abs(value) <= NEAR * size) for value, size in looks)
    return places[found], columns[found]


def _constants(pieces: SystemPieces, times: np.ndarray, values: dict[Symbol, float]) -> list[dict[Symbol, float]]:
    """At each time, modes of functions that are numbers on a piece, as max(sin t, 0) is in half of the time."""
    sides = _sides(pieces, pieces.of_time, _values(pieces, pieces.of_time, times, values)) if len(times) else times
    found: list[dict[Symbol, float]] = []
    for row in sides.tolist():
        modes = {pieces.switches[k].mode: side for k, side in zip(pieces.of_time, row, strict=True)}
        numbers: dict[Symbol, float] = {}
        for k in pieces.of_time:
            if pieces.inner[k] and (number := pieces.constant(k, {**values, **modes})) is not None:
                modes[pieces.switches[k].mode] = numbers[pieces.switches[k].mode] = number
        found.append(numbers)
    return found


def _zeros(pieces: SystemPieces, k: int, t0: float, t1: float, values: dict[Symbol, float]) -> np.ndarray:
    switch = pieces.switches[k]
    g = switch.plain if switch.kind == "side" else (np.pi * switch.plain).sin()
    return zeros_of_time(g, t0, t1, values)
