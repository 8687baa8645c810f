"""Radau's methods: memory for their machine code, calls to it, and the polynomials of their steps."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

import numpy as np

from zeromass.compile.compiled import Compiled
from zeromass.integrate.dense import DEGREE, NODES, fitted
from zeromass.integrate.machine_stepper import MachineStepper
from zeromass.integrate.methods.radau import kernel
from zeromass.integrate.methods.radau.coefficients import MOST, Collocation, collocation, table
from zeromass.integrate.methods.radau.memory import Memory, Slot
from zeromass.integrate.stepper import Tolerances
from zeromass.integrate.stepping_kernel import Int64, callable_method

ORDERS = 5, 9, 13

INCREMENTS = 1 << 16
"""Values that the record of increments has room for at first."""


class Radau(MachineStepper):
    """Radau's stepping methods; see `Stepper`.

    orders  those to choose from, 1 + 4k each, rising; a fixed step keeps the first

    The increments of every accepted step are kept beside the record: the polynomial inside a step is that of the run.
    """

    places = np.linspace(0.0, 1.0, 9)

    def __init__(
        self,
        compiled: Compiled,
        t: float,
        y: np.ndarray,
        parameters: np.ndarray,
        tolerances: Tolerances,
        first_step: float,
        orders: Sequence[int] = ORDERS,
        capacity: int | None = None,
    ) -> None:
        self._methods = [collocation(order) for order in orders]
        super().__init__(compiled, t, y, parameters, tolerances, first_step, capacity)
        memory = self._memory
        memory.point(y=self._y, reals=self._reals, ints=self._ints, parameters=self._parameters)
        memory.point(tables=np.array([table(method) for method in self._methods]))
        memory.point(increments=np.empty(max(INCREMENTS, 16 * self._longest)))
        memory.point(offsets=np.empty(len(self._record), dtype=np.int64))
        memory.set_whole(places=len(orders), room=len(memory.array(Slot.increments)))
        self.use(compiled, project=False)

    jacobians = property(lambda self: self._memory.whole(Slot.jacobians))

    @property
    def orders(self) -> np.ndarray:
        """Of the accepted steps."""
        return np.array([method.order for method in self._methods])[self._kept(np.arange(self.steps))[1]]

    @property
    def _longest(self) -> int:
        """Values that a step may add to the record of increments."""
        return MOST * self._m + kernel.KEPT

    def use(self, compiled: Compiled, *, project: bool) -> None:
        super().use(compiled, project=project)
        self._memory.equations(*compiled.tangent_entries[:2])
        self._ints[Int64.started] = 0  # slopes and Jacobians are those of the new code

    def cut(self, t: float, y: np.ndarray) -> None:
        super().cut(t, y)
        self._ints[Int64.started] = 0

    def polynomials(self, t0: np.ndarray, y0: np.ndarray, t1: np.ndarray, y1: np.ndarray) -> np.ndarray:
        turn = np.sign(t1 - t0)[:1]
        steps = np.searchsorted(turn * self.times, turn * t1)
        h, places = self._kept(steps)
        parts = self._rows[steps, 1] / h  # less than 1 where the step was cut
        result = np.empty((len(steps), DEGREE + 1, self._m))
        for place, part in set(zip(places.tolist(), parts.tolist(), strict=True)):
            alike = (places == place) & (parts == part)
            result[alike] = _interpolation(self._methods[place], part) @ self._increments(steps[alike], place)
        result[:, 0] += y0
        return result

    def _kept(self, steps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Lengths of some steps and the places of their methods."""
        record, first = self._memory.array(Slot.increments), self._memory.array(Slot.offsets)[steps]
        return record[first], record[first + 1].astype(int)

    def _increments(self, steps: np.ndarray, place: int) -> np.ndarray:
        """Of some steps of one method, shape (k, s, 2n), with the projection of their ends shared out along them."""
        s, first = self._methods[place].stages, self._memory.array(Slot.offsets)[steps] + kernel.KEPT
        values = first[:, None] + np.arange(s * self._m)
        return self._memory.array(Slot.increments)[values].reshape(-1, s, self._m)

    def _stage_memory(self) -> np.ndarray:
        self._memory = Memory(self._m // 2, max(method.stages for method in self._methods))
        return self._memory.values

    def _extend(self, rows: int) -> None:
        memory = self._memory
        if self._ints[Int64.recorded] >= len(self._record):
            super()._extend(rows)
            offsets = memory.array(Slot.offsets)
            memory.point(offsets=np.concatenate([offsets, np.empty(rows, dtype=np.int64)]))
        increments = memory.array(Slot.increments)
        if memory.whole(Slot.used) + self._longest > len(increments):
            increments = np.concatenate([increments, np.empty_like(increments)])
            memory.point(increments=increments)
            memory.set_whole(room=len(increments))

    def _function(self, name: str, effort: int) -> Any:
        return _function(effort)

    def _call(self, name: str, target: np.ndarray) -> int:
        compiled = self._compiled
        self._memory.set_whole(rhs=compiled.rhs().address("rhs"), tangent=compiled.tangent.address("tangent"))
        return super()._call(name, target)


@cache
def _function(effort: int) -> Any:
    return callable_method(kernel.code(effort), "radau_advance")


@lru_cache(maxsize=64)
def _interpolation(method: Collocation, part: float) -> np.ndarray:
    """Legendre's coefficients of u − y over a part of a step from its increments, shape (DEGREE + 1, s)."""
    return fitted(method.basis(NODES * part))
