"""The method of order 8 with step control or with fixed steps: memory for its machine code, and calls to it."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np

from zeromass.compile.compiled import Compiled
from zeromass.compile.machine import Code
from zeromass.integrate import dop853_kernel
from zeromass.integrate.dop853_coefficients import EXTENDED
from zeromass.integrate.dop853_kernel import HEAD, Int64, Real64
from zeromass.integrate.functions import event_values
from zeromass.integrate.kernel import CHUNK
from zeromass.integrate.stepper import Interpolant, Status, Tolerances

DENSE_VECTORS = 7


class Dop853:
    """The stepping method of Dormand and Prince; see `Stepper`."""

    def __init__(
        self,
        compiled: Compiled,
        t: float,
        y: np.ndarray,
        parameters: np.ndarray,
        tolerances: Tolerances,
        first_step: float,
        capacity: int = 1024,
    ) -> None:
        m = len(y)
        self.size = -(-m // CHUNK) * CHUNK
        self._m = m
        self._reals = np.zeros(len(Real64))
        self._ints = np.zeros(len(Int64), dtype=np.int64)
        self._y, self._new = np.ones(self.size), np.ones(self.size)
        self._y[:m] = y
        self._stages = np.zeros((EXTENDED, self.size))
        self._scratch = np.ones(max(self.size, 64))
        self._parameters = np.ascontiguousarray(parameters, dtype=float)
        self._signs = np.zeros((1, 2))
        self._record = np.empty((capacity, HEAD + m))
        self._events: Code | None = None
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
        self._compiled = compiled

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
        self._ints[Int64.started] = 0

    def watch(self, code: Code | None, directions: np.ndarray) -> None:
        count = len(directions)
        self._events = code
        self._ints[Int64.events] = count
        self._signs = np.zeros((max(count, 1), 2))
        self._signs[:count, 1] = directions
        self._scratch = np.ones(max(self.size, 2 * count, 64))  # event functions at the end and in the middle
        self._signs[:count, 0] = self.event_values(self.t, self.y)

    def event_values(self, t: float, y: np.ndarray) -> np.ndarray:
        return event_values(self._events, int(self._ints[Int64.events]), t, y, self._parameters)

    def advance(self, until: float, budget: int) -> Status:
        self._reals[Real64.until] = until
        self._reals[Real64.h] = np.copysign(self._reals[Real64.h], until - self.t)
        self._ints[Int64.budget] = budget
        while (status := Status(self._call("dop853_advance", self._record))) is Status.RECORD_FULL:
            self._record = np.concatenate([self._record, np.empty_like(self._record)])
            self._ints[Int64.capacity] = len(self._record)
        return status

    def cut(self, t: float, y: np.ndarray) -> None:
        row = self._rows[-1]
        row[1] -= row[0] - t
        row[0], row[HEAD:] = t, y
        self._reals[Real64.t], self._y[: self._m] = t, y

    def interpolant(self, t0: float, y0: np.ndarray, t1: float, y1: np.ndarray) -> Interpolant:
        F = self._dense(t0, t1 - t0, y0, y1)

        def states(θ: np.ndarray) -> np.ndarray:
            θ = θ[:, None]
            total = np.zeros((len(θ), self._m))
            for k in reversed(range(DENSE_VECTORS)):
                total = (total + F[k]) * (θ if k % 2 == 0 else 1.0 - θ)
            return y0 + total

        return states

    def _dense(self, t: float, h: float, y0: np.ndarray, y1: np.ndarray) -> np.ndarray:
        """Coefficients F of the dense output of a step, shape (7, 2n); the step is taken again, aside."""
        other = object.__new__(Dop853)
        other.__dict__.update(self.__dict__)
        other._reals, other._ints = self._reals.copy(), self._ints.copy()
        other._y, other._new = np.ones(self.size), np.ones(self.size)
        other._stages, other._scratch = np.zeros_like(self._stages), np.ones_like(self._scratch)
        other._reals[Real64.t], other._reals[Real64.h] = t, h
        other._y[: self._m], other._new[: self._m] = y0, y1
        result = np.empty((DENSE_VECTORS, self.size))
        other._call("dop853_dense", result)
        return result[:, : self._m]

    def _call(self, name: str, target: np.ndarray) -> int:
        code, projections = self._compiled.code, self._compiled.projections
        addresses = [code.address("rhs")]
        addresses += [code.address(p) if p in projections else 0 for p in ("positions", "velocities")]
        addresses.append(self._events.address("event") if self._events is not None else 0)
        arrays = (self._reals, self._ints, self._y, self._stages, self._new, self._scratch, self._parameters)
        return _method(name)(*[a.ctypes.data for a in (*arrays, target, self._signs)], *addresses)


@cache
def _method(name: str) -> Any:
    return dop853_kernel.code(name).function(name, ctypes.c_int64, *[ctypes.c_void_p] * 13)
