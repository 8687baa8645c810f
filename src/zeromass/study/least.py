"""Members moved by their independent positions and speeds: fewer numbers, and fewer operations on them.

Positions are projected where constraints are no formulas of them; the speeds are free.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from zeromass.codegen.target import BEST, Code
from zeromass.compile.lanes import LaneFunction
from zeromass.compile.least import Least
from zeromass.compile.least import least as least_of
from zeromass.compile.module import Groups, code
from zeromass.compile.program import largest
from zeromass.expression import Expression, t
from zeromass.integrate.stepping.layout import HEAD
from zeromass.study.kernel import Dop853Lanes, Dop853LeastLanes
from zeromass.study.lanes import Ends, Lanes
from zeromass.study.layout import Places
from zeromass.study.starts import Starts

INTERLEAVED = 2
"""Registers side by side: states are so short that one waits for the other half of the time."""


def least_lanes(whole: Lanes, first: Starts) -> LeastLanes | None:
    """What moves members by independent positions and speeds, chosen at a start; None where these are no fewer."""
    found = least_of(whole.program, first.state(whole.program.system, 0))
    return None if found is None else LeastLanes(whole, found)


class LeastLanes(Lanes):
    """Machine code that moves members by independent positions and speeds."""

    least: Least
    routine: ClassVar[type[Dop853Lanes]] = Dop853LeastLanes

    def __init__(self, whole: Lanes, least: Least) -> None:
        super().__init__(whole.program, whole.settings, whole.asked, INTERLEAVED * whole.target.width)
        self.least = least
        self.pivots: int = len(least.pivots)
        order, parameters = len(least.start), len(self.program.system.parameters)
        chunk = self.routine.chunk
        self.places: Places = Places(len(least.positions), order, parameters, len(self.events), self.pivots, chunk)

    @cached_property
    def inputs(self) -> Groups:
        """t, positions and speeds, and the parameters."""
        return [[t], [*self.least.positions, *self.least.speeds], list(self.program.system.parameters)]

    @cached_property
    def code(self) -> Code:
        known: dict[Any, Code] = self.program.system.memory.setdefault("lanes", {})
        key = self.least, self.settings.project, self.events, self.target
        if key not in known:
            known.setdefault(key, self._made())
        return known[key]

    def _made(self) -> Code:
        least = self.least
        outputs = [list(least.slopes), [largest(least.growth)], list(least.pivots)]
        functions: dict[str, tuple[Groups, Groups]] = {"rhs": (self.inputs, outputs)}
        if self.settings.project and least.correction is not None:
            functions["positions"] = (self.inputs, [list(least.correction)])
        if self.events:
            functions["event"] = (self.inputs, [self._zeros])
            functions["ending"] = (self.inputs, [*outputs, self._zeros])
        return code(functions, self.target, effort=BEST)

    @cached_property
    def _zeros(self) -> list[Expression]:
        """The functions of events."""
        return self.least.solved(self.program.stated(self.events))

    @cached_property
    def _start(self) -> LaneFunction:
        return self._kept("start", self.least.start, list(self.program.system.inputs))

    @cached_property
    def _whole(self) -> LaneFunction:
        inputs = [x for group in self.inputs for x in group]
        return self._kept("whole", (*self.least.q, *self.least.v), inputs)

    def _kept(self, name: str, formulas: tuple[Expression, ...], inputs: Sequence[Expression]) -> LaneFunction:
        known: dict[Any, LaneFunction] = self.program.system.memory.setdefault("least functions", {})
        key = self.least, name
        if key not in known:
            known[key] = LaneFunction(list(formulas), inputs)
        return known[key]

    def table(self, t: np.ndarray, y: np.ndarray, parameters: np.ndarray, until: float) -> np.ndarray:
        """The rows of members at their starts, from whole states y, shape (k, 2n)."""
        own = self._start(np.concatenate([t[:, None], y, parameters], axis=1))
        return super().table(t, own, parameters, until)

    def whole(self, t: np.ndarray, y: np.ndarray, parameters: np.ndarray) -> np.ndarray:
        """Whole states, shape (k, 2n), of positions and speeds."""
        return self._whole(np.concatenate([t[:, None], y, parameters], axis=1))

    def moved(self, table: np.ndarray, *, recording: bool) -> Ends:
        """Moves members; steps are recorded as whole states."""
        ends = super().moved(table, recording=recording)
        record, places = ends.record, self.places
        if not recording or not len(record):
            return ends
        parameters = table[record[:, 0].astype(int), places.values : places.signs]
        states = self.whole(record[:, 1], record[:, 1 + HEAD :], parameters)
        return Ends(table, places, np.concatenate([record[:, : 1 + HEAD], states], axis=1))
