"""Memory for the machine code of a stepping method, and calls to it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from typing import Any, Self

import numpy as np

from zeromass.compile.compiled import Compiled
from zeromass.compile.machine import Code
from zeromass.integrate.functions import event_values
from zeromass.integrate.kernel import CHUNK
from zeromass.integrate.stepper import EventCode, Status, Tolerances
from zeromass.integrate.stepping_kernel import HEAD, Int64, Real64, addresses

RECORD = 1 << 16
"""Values that the record of a run has room for at first: half a megabyte, which the next run finds again."""


class MachineStepper(ABC):
    """A stepping method in machine code; see `Stepper`."""

    places: np.ndarray

    @staticmethod
    def lanes() -> int:
        return 1

    def __init__(
        self,
        compiled: Compiled,
        t: float,
        y: np.ndarray,
        parameters: np.ndarray,
        tolerances: Tolerances,
        first_step: float,
        capacity: int | None = None,
    ) -> None:
        m = len(y)
        capacity = capacity or RECORD // (HEAD + m) + 1
        self._m = m
        self.size = -(-m // CHUNK) * CHUNK
        self._reals = np.zeros(len(Real64))
        self._ints = np.zeros(len(Int64), dtype=np.int64)
        self._parameters = np.ascontiguousarray(parameters, dtype=float)
        self._signs = np.zeros((1, 2))
        self._record = np.empty((capacity, HEAD + m))
        self._events: Code | None = None
        self._spare: Self | None = None
        self._compiled = compiled
        self._scratch = np.ones(max(self.size, 64))
        self._make_room()
        self._y[:m] = y
        for place, value in {
            Real64.t: t,
            Real64.h: first_step if tolerances.step is None else tolerances.step,
            Real64.rtol: tolerances.rtol,
            Real64.atol: tolerances.atol,
            Real64.longest: tolerances.longest,
            Real64.growth_limit: np.inf,
            Real64.fixed: tolerances.step is not None,
        }.items():
            self._reals[place] = value
        for place, value in {
            Int64.coordinates: m // 2,
            Int64.size: self.size,
            Int64.width: HEAD + m,
            Int64.capacity: capacity,
        }.items():
            self._ints[place] = value

    def _make_room(self) -> None:
        """Memory for a state, the next one, and the stages."""
        self._y, self._new = np.ones(self.size), np.ones(self.size)
        self._stages = self._stage_memory()

    @abstractmethod
    def _stage_memory(self) -> np.ndarray: ...

    @abstractmethod
    def _function(self, name: str, effort: int) -> Any:
        """The machine code that advances ("advance") or prepares the dense output of a step ("dense"), for some effort."""

    t = property(lambda self: float(self._reals[Real64.t]))
    y = property(lambda self: self._y[: self._m].copy())
    steps = property(lambda self: int(self._ints[Int64.steps]))
    rejected = property(lambda self: int(self._ints[Int64.rejected]))
    evaluations = property(lambda self: int(self._ints[Int64.evaluations]))
    _rows = property(lambda self: self._record[: self._ints[Int64.recorded]])
    times = property(lambda self: self._rows[:, 0])
    growth = property(lambda self: self._rows[:, 2])
    states = property(lambda self: self._rows[:, HEAD:])

    @property
    def growth_limit(self) -> float:
        return float(self._reals[Real64.growth_limit])

    @growth_limit.setter
    def growth_limit(self, value: float) -> None:
        self._reals[Real64.growth_limit] = value

    def use(self, compiled: Compiled, *, project: bool) -> None:
        self._compiled = compiled
        self._ints[Int64.project_positions] = project and "positions" in compiled.projections
        self._ints[Int64.project_velocities] = project and "velocities" in compiled.projections

    def watch(self, code: EventCode, directions: np.ndarray) -> None:
        count = len(directions)
        self._events = code(self.lanes())
        self._ints[Int64.events] = count
        self._signs = np.zeros((max(count, 1), 2))
        self._signs[:count, 1] = directions
        self._scratch = np.ones(max(self.size, CHUNK * count, 64))  # event functions at several places of a step
        self._signs[:count, 0] = self.event_values(self.t, self.y)

    def event_values(self, t: float, y: np.ndarray) -> np.ndarray:
        return event_values(self._events, int(self._ints[Int64.events]), t, y, self._parameters, self.lanes())

    def advance(self, until: float, budget: int) -> Status:
        self._reals[Real64.until] = until
        self._reals[Real64.h] = np.copysign(self._reals[Real64.h], until - self.t)
        self._ints[Int64.budget] = budget
        while (status := Status(self._call("advance", self._record))) is Status.RECORD_FULL:
            self._extend(len(self._record))
        return status

    def _extend(self, rows: int) -> None:
        """More room in the record."""
        self._record = np.concatenate([self._record, np.empty((rows, HEAD + self._m))])
        self._ints[Int64.capacity] = len(self._record)

    def cut(self, t: float, y: np.ndarray) -> None:
        row = self._rows[-1]
        row[1] -= row[0] - t
        row[0], row[HEAD:] = t, y
        self._reals[Real64.t], self._y[: self._m] = t, y

    @abstractmethod
    def polynomials(self, t0: np.ndarray, y0: np.ndarray, t1: np.ndarray, y1: np.ndarray) -> np.ndarray: ...

    def _aside(self) -> Self:
        """The same method with memory of its own, for steps that are taken again."""
        if self._spare is None:
            self._spare = copy(self)
            self._spare._reals, self._spare._ints = self._reals.copy(), self._ints.copy()
            self._spare._scratch = np.ones_like(self._scratch)
            self._spare._make_room()
        self._spare._compiled = self._compiled
        return self._spare

    def _call(self, name: str, target: np.ndarray) -> int:
        compiled = self._compiled
        functions = [compiled.rhs(self.lanes()).address("rhs"), *addresses(compiled)]
        functions.append(self._events.address("event") if self._events is not None else 0)
        arrays = (self._reals, self._ints, self._y, self._stages, self._new, self._scratch, self._parameters)
        method = self._function(name, compiled.effort)
        return method(*[a.ctypes.data for a in (*arrays, target, self._signs)], *functions)
