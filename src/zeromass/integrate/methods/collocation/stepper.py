"""The method of order 15 whose stages run in SIMD lanes."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from zeromass.codegen.target import address, host
from zeromass.integrate.methods.collocation.coefficients import C
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
        """The steps are taken again, by the code that took them."""
        order, dense = self.work.order, routine(CollocationDense, self._target)
        steps, result = np.empty((len(t0), 2 + 2 * order)), np.empty((len(t0), DEGREE + 1, order))
        steps[:, 0], steps[:, 1] = t0, t1 - t0
        steps[:, 2 : 2 + order], steps[:, 2 + order :] = y0, y1
        for code, places in self.work.codes(t0):
            aside, all_ = self.work.aside(code), len(places) == len(steps)
            some = steps if all_ else np.ascontiguousarray(steps[places])
            aside.scratch = result if all_ else np.empty((len(some), DEGREE + 1, self.work.order))
            aside.ints[Int64.capacity], aside.ints[Int64.repeated] = len(some), 0
            aside.call(dense, CollocationDense.name, self._stage_memory(), self.lanes, some)
            if not all_:
                result[places] = aside.scratch
        others = np.array([t in self._by_other for t in t0.tolist()] if self._by_other else [], dtype=bool)
        if np.any(others):
            result[others] = self._other.polynomials(t0[others], y0[others], t1[others], y1[others])
        return result

    def _stage_memory(self) -> np.ndarray:
        return stage_memory(self.work, self.lanes)[0]


def stage_memory(work: Workspace, lanes: int) -> tuple[np.ndarray, np.ndarray]:
    """What `Stages` keeps of the stages, and in it the parameters in lanes, shape (parameters, lanes)."""
    n, values = work.order // 2, work.values
    constants = LANES + TABLES * n
    room = constants + lanes * len(values)
    memory = np.zeros(room + LINE // 8)
    first = -address(memory) % LINE // 8
    own = memory[first + constants : first + room].reshape(len(values), lanes)
    own[:] = values[:, None]
    return memory[first:], own
