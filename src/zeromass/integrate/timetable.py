"""Switches that depend on time alone: known before a run begins, however near they are to one another."""

from __future__ import annotations

import numpy as np

from zeromass.expression import Evaluator, Expression, Symbol, t
from zeromass.integrate.ahead import zeros_of_time
from zeromass.model import State
from zeromass.model.pieces import SystemPieces

TOGETHER = 1e-14
"""Times that are one, relative to 1 and to the time itself."""


class Timetable:
    """When switches of time alone happen in a run, and their modes in between.

    times  of all of them, in the order of the run
    """

    times: np.ndarray

    def __init__(self, pieces: SystemPieces, start: State, until: float) -> None:
        self.switches: tuple[int, ...] = pieces.of_time
        values = {p: start.parameters[p] for p in pieces.given.parameters}
        ahead = 1.0 if until >= start.t else -1.0
        found = [_zeros(pieces, k, start.t, until, values) for k in self.switches]
        times = np.sort(ahead * np.concatenate([np.empty(0), *found])) * ahead
        apart = TOGETHER * np.maximum(1.0, np.abs(times))
        last = start.t
        kept = []
        for time, least in zip(times.tolist(), apart.tolist(), strict=True):
            if ahead * (time - last) > least and ahead * (until - time) > least:
                kept.append(time)
                last = time
        self.times = np.array(kept)
        ends = np.array([start.t, *kept, until])
        middles = (ends[:-1] + ends[1:]) / 2
        functions: list[Expression] = [pieces.switches[k].plain for k in self.switches]
        inputs = np.column_stack([middles, *[np.full(len(middles), value) for value in values.values()]])
        g = Evaluator(functions, [t, *values])(inputs) if functions else np.empty((len(middles), 0))
        whole = np.array([pieces.switches[k].kind == "whole" for k in self.switches], dtype=bool)
        self._modes = np.where(whole, np.floor(g), np.where(g > 0, 1.0, -1.0))
        self._symbols = [pieces.switches[k].mode for k in self.switches]

    def modes(self, place: int) -> dict[Symbol, float]:
        """Of these switches before the time at that place, and after the one before it."""
        return dict(zip(self._symbols, self._modes[place].tolist(), strict=True))


def _zeros(pieces: SystemPieces, k: int, t0: float, t1: float, values: dict[Symbol, float]) -> np.ndarray:
    switch = pieces.switches[k]
    g = switch.plain if switch.kind == "side" else (np.pi * switch.plain).sin()
    return zeros_of_time(g, t0, t1, values)
