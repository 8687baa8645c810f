"""The method of order 15 whose stages run in SIMD lanes."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from zeromass.compile.target import host
from zeromass.integrate.legendre import integration
from zeromass.integrate.methods.collocation.coefficients import PARTS, STAGES, C
from zeromass.integrate.methods.collocation.kernel import CollocationAdvance, CollocationDense
from zeromass.integrate.methods.collocation.stages import LANES, TABLES
from zeromass.integrate.stepping.dense import DEGREE
from zeromass.integrate.stepping.kernel import NEAR, routine
from zeromass.integrate.stepping.layout import Int64, Real64
from zeromass.integrate.stepping.status import Status
from zeromass.integrate.stepping.workspace import Workspace

if TYPE_CHECKING:
    from zeromass.integrate.methods.dop853.stepper import Dop853

LINE = 64
"""Bytes that memory of the stages is aligned to: a vector of eight never lies in two lines of the cache."""

PATIENCE = 20
"""Steps of the other method after which this one is tried again, at first."""

_PARTS = np.array(PARTS)
_ONCE = integration(STAGES, DEGREE + 1)
_TWICE = integration(DEGREE, DEGREE + 1) @ _ONCE[:DEGREE]


class Collocation:
    """Collocation at Radau's points by parallel iteration; see `Stepper` and `CollocationAdvance`.

    Singular positions, and places where the iteration does not converge however short the step, are left to the method of
    Dormand and Prince, whose stages follow one another: it goes on in the same workspace.
    """

    lanes: ClassVar[int] = host().width
    places: np.ndarray = np.array([0.0, *C])

    def __init__(self, work: Workspace) -> None:
        self.work = work
        self._target = host().lanes(self.lanes)
        self._stages = self._stage_memory()
        self._patience = PATIENCE
        self._by_other: set[float] = set()  # where steps of the other method begin

    @cached_property
    def _other(self) -> Dop853:
        """The other method, in the same workspace."""
        from zeromass.integrate.methods.dop853.stepper import Dop853  # few runs need it

        return Dop853(self.work)

    def advance(self, until: float, budget: int) -> Status:
        work = self.work
        last = work.steps + budget
        status = self._advance(until, budget)
        while status in (Status.SINGULAR_AHEAD, Status.STEP_TOO_SMALL):
            other = self._cross if status is Status.SINGULAR_AHEAD else self._crawl
            before = work.steps
            first = work.t
            work.restart()
            work.ints[Int64.repeated] = 0
            status = other(until, last - work.steps)
            work.restart()
            self._by_other.update([first, *work.times[before:-1]] if work.steps > before else [])
            if status is not Status.PAUSED:
                break
            status = self._advance(until, max(last - work.steps, 0))
        return status

    def _advance(self, until: float, budget: int) -> Status:
        code = routine(CollocationAdvance, self._target)
        return self.work.advance(code, CollocationAdvance.name, self._stages, self.lanes, until, budget)

    def _cross(self, until: float, budget: int) -> Status:
        """Steps of the other method until a singular position is left behind."""
        work, status, some = self.work, Status.PAUSED, 1
        last = work.steps + budget
        while status is Status.PAUSED and work.steps < last:
            status = self._other.advance(until, min(some, last - work.steps))
            some = min(2 * some, PATIENCE)
            if work.reals[Real64.fall] <= 0 and work.reals[Real64.room] > NEAR:
                break
        return status

    def _crawl(self, until: float, budget: int) -> Status:
        """Steps of the other method where this one finds none short enough; twice as many each time."""
        status = self._other.advance(until, min(self._patience, budget))
        self._patience *= 2
        return status

    def polynomials(self, t0: np.ndarray, y0: np.ndarray, t1: np.ndarray, y1: np.ndarray) -> np.ndarray:
        n, h = self.work.order // 2, (t1 - t0)[:, None, None]
        a = _PARTS.T @ self._accelerations(t0, y0, t1).swapaxes(1, 2)
        velocities, places = h * (_ONCE @ a), h * h * (_TWICE @ a)
        velocities[:, 0] += y0[:, n:]
        half = h[:, 0] / 2 * y0[:, n:]
        places[:, 0] += y0[:, :n] + half  # θ = (P_0 + P_1)/2
        places[:, 1] += half
        result = np.concatenate([places, velocities], axis=2)
        rest = y1 - result.sum(axis=1)  # what the projection has added at the end of the step
        result[:, :2] += rest[:, None] / 2
        others = np.array([t in self._by_other for t in t0.tolist()] if self._by_other else [], dtype=bool)
        if np.any(others):
            result[others] = self._other.polynomials(t0[others], y0[others], t1[others], y1[others])
        return result

    def _accelerations(self, t0: np.ndarray, y0: np.ndarray, t1: np.ndarray) -> np.ndarray:
        """At the stages of some steps, shape (k, n, 8); the steps are taken again, by the code that took them."""
        steps, dense = np.column_stack([t0, t1 - t0, y0]), routine(CollocationDense, self._target)
        found = np.empty((len(steps), self.work.order // 2, STAGES))
        for code, places in self.work.codes(t0):
            aside, some = self.work.aside(code), np.ascontiguousarray(steps[places])
            aside.scratch = np.empty((len(some), aside.order // 2, STAGES))
            aside.ints[Int64.capacity], aside.ints[Int64.repeated] = len(some), 0
            aside.call(dense, CollocationDense.name, self._stage_memory(), self.lanes, some)
            found[places] = aside.scratch
        return found

    def _stage_memory(self) -> np.ndarray:
        """What `Stages` keeps of the stages, and the parameters in lanes."""
        n, lanes, values = self.work.order // 2, self.lanes, self.work.values
        constants = LANES + TABLES * n
        room = constants + lanes * len(values)
        memory = np.zeros(room + LINE // 8)
        first = -memory.ctypes.data % LINE // 8
        memory[first + constants : first + room] = np.repeat(values, lanes)
        return memory[first:]
