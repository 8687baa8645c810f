"""Calls from Python into the machine code of a system."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np
from llvmlite import ir

from zeromass.compile.compiled import Compiled
from zeromass.compile.machine import Code
from zeromass.integrate.stepping_kernel import ARGUMENTS, Int64, Project, Real64, addresses, callable_method


class Functions:
    """The compiled functions of a system, called on states; `rhs` is that made for a number of lanes."""

    def __init__(self, compiled: Compiled, parameters: np.ndarray, lanes: int = 1) -> None:
        self.compiled = compiled
        self.parameters = np.ascontiguousarray(parameters, dtype=float)
        self._lanes = lanes

    def slope(self, t: float, y: np.ndarray) -> tuple[np.ndarray, float]:
        """dy/dt at a state, and the growth of the pivots."""
        n, lanes = len(y) // 2, self._lanes
        rhs = self.compiled.rhs(lanes).function("rhs", None, *[ctypes.c_void_p] * 5)
        slopes, growth = np.empty((2 * n if lanes == 1 else n, lanes)), np.empty(lanes)
        _call(rhs, *(np.repeat(x, lanes) for x in ([t], y, self.parameters)), slopes, growth)
        return np.concatenate([y[n:], slopes[-n:, 0]]), float(growth[0])

    def projected(self, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        """The states on the constraints nearest to y, shape (k, 2n), at times t, positions first, then velocities."""
        compiled, (count, m) = self.compiled, y.shape
        rows = np.column_stack([t, y])
        reals, ints, memory = np.zeros(len(Real64)), np.zeros(len(Int64), dtype=np.int64), np.zeros((2, m))
        ints[Int64.coordinates], ints[Int64.width], ints[Int64.capacity] = m // 2, m + 1, count
        ints[Int64.project_positions] = "positions" in compiled.projections
        ints[Int64.project_velocities] = "velocities" in compiled.projections
        if count:
            arrays = {"reals": reals, "ints": ints, "new": memory[0], "scratch": memory[1]}
            arrays |= {"parameters": self.parameters, "record": rows}
            given = {name: array.ctypes.data for name, array in arrays.items()}
            given |= dict(zip(("positions", "velocities"), addresses(compiled), strict=True))
            _project()(*[given.get(name, 0) for name in ARGUMENTS])
        return rows[:, 1:]


@cache
def _project() -> Any:
    module = ir.Module("project")
    Project(module)
    return callable_method(Code(str(module), optimisation=0), "project")


def event_values(
    code: Code | None, count: int, t: float, y: np.ndarray, parameters: np.ndarray, lanes: int = 1
) -> np.ndarray:
    """Values of event functions, given by code for a number of lanes, at one state."""
    result = np.empty((count, lanes))
    if code is not None:
        event = code.function("event", None, *[ctypes.c_void_p] * 4)
        _call(event, *(np.repeat(x, lanes) for x in ([t], y, parameters)), result)
    return result[:, 0]


def _call(function, *arrays: np.ndarray) -> None:
    kept = [np.ascontiguousarray(a, dtype=float) for a in arrays]
    function(*[a.ctypes.data for a in kept])
