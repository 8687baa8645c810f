"""The method of order 8 with step control or with fixed steps."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from zeromass.compile.compiled import Compiled
from zeromass.integrate import dop853_kernel
from zeromass.integrate.dense import NODES, fitted
from zeromass.integrate.dop853_coefficients import EXTENDED
from zeromass.integrate.machine_stepper import MachineStepper
from zeromass.integrate.stepping_kernel import Int64, Real64, callable_method

DENSE_VECTORS = 7


class Dop853(MachineStepper):
    """The stepping method of Dormand and Prince; see `Stepper`."""

    places = np.linspace(0.0, 1.0, 9)

    def use(self, compiled: Compiled, *, project: bool) -> None:
        super().use(compiled, project=project)
        self._ints[Int64.started] = 0  # the first slope is one of the new code

    def polynomials(self, t0: np.ndarray, y0: np.ndarray, t1: np.ndarray, y1: np.ndarray) -> np.ndarray:
        return np.array([self._polynomial(*step) for step in zip(t0, y0, t1, y1, strict=True)])

    def _polynomial(self, t0: float, y0: np.ndarray, t1: float, y1: np.ndarray) -> np.ndarray:
        other = self._aside()
        other._reals[Real64.t], other._reals[Real64.h] = t0, t1 - t0
        other._y[: self._m], other._new[: self._m] = y0, y1
        F = np.empty((DENSE_VECTORS, self.size))
        other._call("dense", F)
        θ = NODES[:, None]
        total = np.zeros((len(θ), self._m))
        for k in reversed(range(DENSE_VECTORS)):
            total = (total + F[k, : self._m]) * (θ if k % 2 == 0 else 1.0 - θ)
        return fitted(y0 + total)

    def _stage_memory(self) -> np.ndarray:
        return np.zeros((EXTENDED, self.size))

    def _function(self, name: str, effort: int) -> Any:
        return _function(name, effort)


@cache
def _function(name: str, effort: int) -> Any:
    full = f"dop853_{name}"
    return callable_method(dop853_kernel.code(full, effort), full)
