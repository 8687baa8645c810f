"""The method of order 8 with step control or with fixed steps."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from zeromass.compile.target import host
from zeromass.integrate.methods.dop853.coefficients import EXTENDED
from zeromass.integrate.methods.dop853.kernel import DENSE_VECTORS, Dop853Advance, Dop853DenseSteps
from zeromass.integrate.stepping.dense import NODES, fitted
from zeromass.integrate.stepping.kernel import routine
from zeromass.integrate.stepping.layout import Int64
from zeromass.integrate.stepping.status import Status
from zeromass.integrate.stepping.workspace import Workspace


class Dop853:
    """The stepping method of Dormand and Prince; see `Stepper`."""

    lanes: ClassVar[int] = 1
    places: np.ndarray = np.linspace(0.0, 1.0, 9)

    def __init__(self, work: Workspace) -> None:
        self.work = work
        self._stages = np.zeros((EXTENDED, work.size))
        self._code = work.code

    def advance(self, until: float, budget: int) -> Status:
        if self.work.code is not self._code:
            self._code = self.work.code
            self.work.restart()  # the first slope is one of the new code
        code = routine(Dop853Advance, host().scalar)
        return self.work.advance(code, Dop853Advance.name, self._stages, self.lanes, until, budget)

    def polynomials(self, t0: np.ndarray, y0: np.ndarray, t1: np.ndarray, y1: np.ndarray) -> np.ndarray:
        work, m, dense = self.work, self.work.order, routine(Dop853DenseSteps, host().scalar)
        rows, F = np.ones((len(t0), 2 + DENSE_VECTORS * work.size)), np.empty((len(t0), DENSE_VECTORS, m))
        rows[:, 0], rows[:, 1], rows[:, 2 : 2 + m] = t0, t1 - t0, y0
        rows[:, 2 + work.size : 2 + work.size + m] = y1
        for code, places in work.codes(t0):
            aside, some = work.aside(code), rows[places]
            aside.ints[Int64.capacity] = len(some)
            aside.call(dense, Dop853DenseSteps.name, np.zeros_like(self._stages), self.lanes, some)
            F[places] = some[:, 2:].reshape(len(some), DENSE_VECTORS, work.size)[:, :, :m]
        θ, total = NODES[:, None], np.zeros((len(t0), len(NODES), m))
        for k in reversed(range(DENSE_VECTORS)):
            total = (total + F[:, None, k]) * (θ if k % 2 == 0 else 1.0 - θ)
        return fitted(y0[:, None] + total)
