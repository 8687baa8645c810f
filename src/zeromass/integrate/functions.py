"""Calls from Python into the machine code of a system."""

from __future__ import annotations

import ctypes

import numpy as np

from zeromass.compile.compiled import Compiled
from zeromass.compile.machine import Code

REPEAT = 3e-8
"""A projection that moved the state further than this, relative to 1 and the state, is repeated: its square is rounding."""

PROJECTIONS = 4


class Functions:
    """The compiled functions of a system, called on one state."""

    def __init__(self, compiled: Compiled, parameters: np.ndarray) -> None:
        self.compiled = compiled
        self.parameters = np.ascontiguousarray(parameters, dtype=float)
        self._rhs = compiled.code.function("rhs", None, *[ctypes.c_void_p] * 5)
        self._corrections = {
            name: compiled.code.function(name, None, *[ctypes.c_void_p] * 4) for name in compiled.projections
        }

    def slope(self, t: float, y: np.ndarray) -> tuple[np.ndarray, float]:
        """dy/dt at a state, and the growth of the pivots."""
        result, growth = np.empty(len(y)), np.empty(1)
        _call(self._rhs, np.array([t]), y, self.parameters, result, growth)
        return result, float(growth[0])

    def correction(self, name: str, t: float, y: np.ndarray) -> np.ndarray:
        """What returns "positions" or "velocities" to the constraints, to first order, shape (n,)."""
        result = np.empty(len(y) // 2)
        _call(self._corrections[name], np.array([t]), y, self.parameters, result)
        return result

    def projected(self, t: float, y: np.ndarray) -> np.ndarray:
        """The state on the constraints nearest to y, positions first, then velocities."""
        y = np.array(y, dtype=float)
        n = len(y) // 2
        for name, part in (("positions", slice(0, n)), ("velocities", slice(n, None))):
            for _ in range(PROJECTIONS if name in self._corrections else 0):
                change = self.correction(name, t, y)
                size = np.max(np.abs(change) / np.maximum(np.abs(y[part]), 1.0))
                y[part] += change
                if not size > REPEAT:
                    break
        return y


def event_values(code: Code | None, count: int, t: float, y: np.ndarray, parameters: np.ndarray) -> np.ndarray:
    """Values of event functions at a state."""
    result = np.empty(count)
    if code is not None:
        _call(code.function("event", None, *[ctypes.c_void_p] * 4), np.array([t]), y, parameters, result)
    return result


def _call(function, *arrays: np.ndarray) -> None:
    kept = [np.ascontiguousarray(a, dtype=float) for a in arrays]
    function(*[a.ctypes.data for a in kept])
