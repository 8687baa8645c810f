"""The method of order 8 with step control or with fixed steps."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from zeromass.codegen.target import host
from zeromass.integrate.methods.dop853.coefficients import EXTENDED
from zeromass.integrate.methods.dop853.inside import MANY, Inside
from zeromass.integrate.methods.dop853.kernel import Dop853Advance
from zeromass.integrate.stepping.dense import DEGREE
from zeromass.integrate.stepping.kernel import routine
from zeromass.integrate.stepping.status import Status
from zeromass.integrate.stepping.workspace import MachineCode, Workspace

KEPT = 2**20
"""Most memory that is kept for steps that may be taken again, bytes."""


class Dop853:
    """The stepping method of Dormand and Prince; see `Stepper`."""

    lanes: ClassVar[int] = 1
    places: np.ndarray = np.linspace(0.0, 1.0, 9)

    def __init__(self, work: Workspace) -> None:
        self.work = work
        self._stages = np.zeros((EXTENDED, work.size))
        self._code = work.code
        self._spare: dict[tuple[MachineCode, int], Inside] = {}

    def advance(self, until: float, budget: int) -> Status:
        if self.work.code is not self._code:
            self._code = self.work.code
            self.work.restart()  # the first slope is one of the new code
        code = routine(Dop853Advance, host().scalar)
        return self.work.advance(code, Dop853Advance.name, self._stages, self.lanes, until, budget)

    def polynomials(self, t0: np.ndarray, y0: np.ndarray, t1: np.ndarray, y1: np.ndarray) -> np.ndarray:
        steps = (t0, t1 - t0, y0, y1)
        parts = list(self.work.codes(t0))
        if len(parts) == 1:
            return self._inside(parts[0][0], *steps)
        inside = np.empty((len(t0), DEGREE + 1, self.work.order))
        for code, places in parts:
            inside[places] = self._inside(code, *[x[places] for x in steps])
        return inside

    def _inside(self, code: MachineCode, *steps: np.ndarray) -> np.ndarray:
        """Polynomials inside steps that a code took."""
        lanes = host().width if len(steps[0]) >= MANY else 1
        try:
            inside = self._spare.pop((code, lanes))  # no other thread has it now
        except KeyError:
            inside = Inside(self.work, code, lanes)
        found = inside(*steps)
        if inside.held <= KEPT:
            self._spare[code, lanes] = inside
        return found
