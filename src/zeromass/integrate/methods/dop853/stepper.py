"""The method of order 8 with step control or with fixed steps."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from zeromass.compile.target import host
from zeromass.integrate.methods.dop853.coefficients import EXTENDED
from zeromass.integrate.methods.dop853.kernel import Dop853Advance, Dop853Dense
from zeromass.integrate.stepping.dense import NODES, fitted
from zeromass.integrate.stepping.kernel import routine
from zeromass.integrate.stepping.layout import Real64
from zeromass.integrate.stepping.status import Status
from zeromass.integrate.stepping.workspace import Workspace

DENSE_VECTORS = 7


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
        work, m, dense = self.work, self.work.order, routine(Dop853Dense, host().scalar)
        vectors, F = np.empty((DENSE_VECTORS, work.size)), np.empty((len(t0), DENSE_VECTORS, m))
        for code, places in work.codes(t0):
            aside, stages = work.aside(code), np.zeros_like(self._stages)
            step = aside.prepared(dense, Dop853Dense.name, stages, self.lanes, vectors)
            for k in places.tolist():
                aside.reals[Real64.t], aside.reals[Real64.h] = t0[k], t1[k] - t0[k]
                aside.state[:m], aside.new[:m] = y0[k], y1[k]
                step()
                F[k] = vectors[:, :m]
        θ, total = NODES[:, None], np.zeros((len(t0), len(NODES), m))
        for k in reversed(range(DENSE_VECTORS)):
            total = (total + F[:, None, k]) * (θ if k % 2 == 0 else 1.0 - θ)
        return fitted(y0[:, None] + total)
