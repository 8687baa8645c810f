"""The method of order 15 whose stages run in SIMD lanes."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from zeromass.compile.compiled import Compiled
from zeromass.compile.machine import machine
from zeromass.integrate import collocation_kernel
from zeromass.integrate.collocation_coefficients import PARTS, STAGES, C
from zeromass.integrate.collocation_stages import LANES, TABLES
from zeromass.integrate.dense import DEGREE
from zeromass.integrate.dop853 import Dop853
from zeromass.integrate.machine_stepper import MachineStepper
from zeromass.integrate.stepper import EventCode, Status, Tolerances
from zeromass.integrate.stepping_kernel import NEAR, Int64, Real64, callable_method

LINE = 64
"""Bytes that memory of the stages is aligned to: a vector of eight never lies in two lines of the cache."""

PATIENCE = 20
"""Steps of the other method after which this one is tried again, at first."""


def _integration(terms: int) -> np.ndarray:
    """Legendre's coefficients of ∫₀^θ from those of a function: 2 (2k + 1) ∫ P_k = P_{k + 1} − P_{k − 1}, ∫ P_0 = θ."""
    result = np.zeros((DEGREE + 1, terms))
    result[:2, 0] = 0.5
    for k in range(1, terms):
        result[k + 1, k], result[k - 1, k] = 0.5 / (2 * k + 1), -0.5 / (2 * k + 1)
    return result


_PARTS = np.array(PARTS)
_ONCE = _integration(STAGES)
_TWICE = _integration(DEGREE) @ _ONCE[:DEGREE]


class Collocation(MachineStepper):
    """Collocation at Radau's points by parallel iteration; see `Stepper` and `collocation_kernel`.

    Singular positions, and places where the iteration does not converge however short the step, are left to the method of
    Dormand and Prince, whose stages follow one another.
    """

    places = np.array([0.0, *C])

    @staticmethod
    def lanes() -> int:
        return machine().lanes

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._project = False
        self._patience = PATIENCE
        self._watched: tuple[EventCode, np.ndarray] | None = None
        self._others: set[float] = set()  # where steps of the other method begin

    def use(self, compiled: Compiled, *, project: bool) -> None:
        super().use(compiled, project=project)
        self._project = project

    def watch(self, code: EventCode, directions: np.ndarray) -> None:
        super().watch(code, directions)
        self._watched = code, directions

    def advance(self, until: float, budget: int) -> Status:
        last = self.steps + budget
        status = super().advance(until, budget)
        while status in (Status.SINGULAR_AHEAD, Status.STEP_TOO_SMALL):
            if status is Status.SINGULAR_AHEAD:
                status = self._cross(until, last - self.steps)
            else:
                status = self._crawl(until, last - self.steps)
            if status is not Status.PAUSED:
                break
            status = super().advance(until, max(last - self.steps, 0))
        return status

    def _cross(self, until: float, budget: int) -> Status:
        """Steps of the other method until a singular position is left behind."""
        other, status, some = self._other(), Status.PAUSED, 1
        while status is Status.PAUSED and other.steps < budget:
            status = other.advance(until, min(some, budget - other.steps))
            some = min(2 * some, PATIENCE)
            if other._reals[Real64.fall] <= 0 and other._reals[Real64.room] > NEAR:
                break
        self._take(other)
        return status

    def _crawl(self, until: float, budget: int) -> Status:
        """Steps of the other method where this one finds none short enough; twice as many each time."""
        other = self._other()
        status = other.advance(until, min(self._patience, budget))
        self._patience *= 2
        self._take(other)
        return status

    def _other(self) -> Dop853:
        """The other method at the same state."""
        tolerances = Tolerances(*(float(self._reals[place]) for place in (Real64.rtol, Real64.atol, Real64.longest)))
        other = Dop853(self._compiled, self.t, self.y, self._parameters, tolerances, float(self._reals[Real64.h]), 16)
        other.use(self._compiled, project=self._project)
        for place in (Real64.growth_limit, Real64.room, Real64.fall):
            other._reals[place] = self._reals[place]
        if self._watched is not None:
            other.watch(*self._watched)
        return other

    def _take(self, other: Dop853) -> None:
        """Goes on from where the other method has come to, with its steps recorded."""
        rows = other._rows
        self._others.update([self.t, *rows[:-1, 0]] if len(rows) else [])
        recorded = int(self._ints[Int64.recorded])
        if recorded + len(rows) > len(self._record):
            self._extend(len(self._record) + len(rows))
        self._record[recorded : recorded + len(rows)] = rows
        self._y[: self._m] = other._y[: self._m]
        for place in (Real64.t, Real64.h, Real64.room, Real64.fall, Real64.growth):
            self._reals[place] = other._reals[place]
        for place in (Int64.steps, Int64.rejected, Int64.evaluations, Int64.recorded):
            self._ints[place] += other._ints[place]
        self._ints[Int64.started] = 0
        if self._watched is not None:
            self._signs = other._signs

    def polynomials(self, t0: np.ndarray, y0: np.ndarray, t1: np.ndarray, y1: np.ndarray) -> np.ndarray:
        n, h = self._m // 2, (t1 - t0)[:, None, None]
        a = _PARTS.T @ self._accelerations(t0, y0, t1).swapaxes(1, 2)
        velocities, places = h * (_ONCE @ a), h * h * (_TWICE @ a)
        velocities[:, 0] += y0[:, n:]
        half = h[:, 0] / 2 * y0[:, n:]
        places[:, 0] += y0[:, :n] + half  # θ = (P_0 + P_1)/2
        places[:, 1] += half
        result = np.concatenate([places, velocities], axis=2)
        rest = y1 - result.sum(axis=1)  # what the projection has added at the end of the step
        result[:, :2] += rest[:, None] / 2
        others = np.array([float(t) in self._others for t in t0], dtype=bool)
        if np.any(others):
            result[others] = self._other().polynomials(t0[others], y0[others], t1[others], y1[others])
        return result

    def _accelerations(self, t0: np.ndarray, y0: np.ndarray, t1: np.ndarray) -> np.ndarray:
        """At the stages of some steps, shape (k, n, 8); the steps are taken again."""
        other, steps = self._aside(), np.column_stack([t0, t1 - t0, y0])
        other._scratch = np.empty((len(steps), self._m // 2, STAGES))
        other._ints[Int64.capacity], other._ints[Int64.repeated] = len(steps), 0
        other._call("dense", steps)
        return other._scratch

    def _stage_memory(self) -> np.ndarray:
        """What `collocation_stages` keeps of the stages, and the parameters in lanes."""
        n, lanes = self._m // 2, self.lanes()
        constants = LANES + TABLES * n
        room = constants + lanes * len(self._parameters)
        memory = np.zeros(room + LINE // 8)
        first = -memory.ctypes.data % LINE // 8
        memory[first + constants : first + room] = np.repeat(self._parameters, lanes)
        return memory[first:]

    def _function(self, name: str, effort: int) -> Any:
        return _function(name, self.lanes(), effort)


@cache
def _function(name: str, lanes: int, effort: int) -> Any:
    full = f"collocation_{name}"
    return callable_method(collocation_kernel.code(full, lanes, effort), full)
