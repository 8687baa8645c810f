"""Radau's methods: memory for their machine code, calls to it, and the polynomials of their steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, cast

import numpy as np

from zeromass.codegen.target import BEST, Code, host
from zeromass.compile.native import Native
from zeromass.integrate.methods.radau import kernel
from zeromass.integrate.methods.radau.coefficients import MOST, coefficients, table
from zeromass.integrate.methods.radau.increments import KEPT, Increments, StepIncrements, increments_in_memory
from zeromass.integrate.methods.radau.memory import Memory, Slot
from zeromass.integrate.stepping.kernel import routine
from zeromass.integrate.stepping.layout import Int64
from zeromass.integrate.stepping.status import Status
from zeromass.integrate.stepping.workspace import MachineCode, Workspace

if TYPE_CHECKING:
    from zeromass.compile.rolled.native import RolledNative
    from zeromass.integrate.methods.radau.outside import Calls

ORDERS = 5, 9, 13

MANY = 32
"""Coordinates from which linear algebra takes most of the time."""

INCREMENTS = 1 << 16
"""Values that the record of increments has room for at first."""


class Radau:
    """Radau's stepping methods; see `Stepper`.

    orders  those to choose from, 1 + 4k each, rising; a fixed step keeps the first

    The increments of every accepted step are kept beside the record: the polynomial inside a step is that of the run.
    """

    lanes: ClassVar[int] = 1
    places: np.ndarray = np.linspace(0.0, 1.0, 9)

    def __init__(self, work: Workspace, orders: Sequence[int] = ORDERS) -> None:
        self.work = work
        self._methods = [coefficients(order) for order in orders]
        self._outside = hasattr(work.code, "shifted")  # the code of a large program is rolled
        stages = max(method.stages for method in self._methods)
        self.memory = memory = Memory(work.order // 2, stages, outside=self._outside)
        self._calls: Calls | None = None
        self._code: MachineCode | None = None
        self._reached = work.t
        memory.point(y=work.state, reals=work.reals, ints=work.ints, parameters=work.values)
        memory.point(tables=np.array([table(method) for method in self._methods]))
        memory.point(increments=np.empty(max(INCREMENTS, 16 * self._longest)))
        memory.point(offsets=np.zeros(len(work.record), dtype=np.int64))
        memory.set_whole(places=len(orders), capacity=len(memory.array(Slot.increments)))

    @property
    def jacobians(self) -> int:
        """How many were evaluated."""
        return self.memory.whole(Slot.jacobians)

    @property
    def orders(self) -> np.ndarray:
        """Of the accepted steps."""
        return self.steps.orders()

    @property
    def _longest(self) -> int:
        """Values that a step may add to the record of increments."""
        return MOST * self.work.order + KEPT

    def advance(self, until: float, budget: int) -> Status:
        work, memory = self.work, self.memory
        native = cast(Native, work.code)
        elsewhere = work.t != self._reached
        if native is not self._code or elsewhere:  # slopes and Jacobians are of other code, or of another state
            self._code = native
            self.take_equations(native)
            work.restart()
        if elsewhere:
            memory.set_whole(last_stages=0)  # the last step does not lead here, and predicts nothing
            self._room_for_record()
        kind, code = self.routine(native)
        work.aim(until, budget)
        while True:
            status = work.call(code, kind.name, memory.values, self.lanes, work.record)
            if status is Status.AHEAD:
                work.look_ahead()
            elif status is not Status.RECORD_FULL or not self.make_room():
                self._reached = work.t
                return status

    def routine(self, native: Native) -> tuple[type[kernel.RadauAdvance], Code]:
        """The loop over steps, which calls the best code that there is of the equations by now."""
        memory = self.memory
        memory.set_whole(rhs=native.rhs().address("rhs"))
        if self._outside:
            return kernel.RadauAdvanceOutside, routine(kernel.RadauAdvanceOutside, host().scalar)
        if native.products is not None:
            memory.set_whole(tangent=native.product_equations.address("tangent"))
            memory.set_whole(product=native.product.address("products"))
        else:
            memory.set_whole(tangent=native.tangent.address("tangent"))
        if native.products is None and self.work.order < 2 * MANY:
            return kernel.RadauAdvance, routine(kernel.RadauAdvance, host().scalar)
        return kernel.RadauAdvanceMany, routine(kernel.RadauAdvanceMany, host().scalar, BEST)

    def take_equations(self, native: Native) -> None:
        """Those whose Jacobians are to be made."""
        self.memory.point(multiplier_pivots=self.work.pivots)
        if not self._outside:
            if native.products is None:
                self.memory.equations(*native.tangent_entries)
                self.memory.set_whole(groups=0)
            else:
                self.memory.equations(*native.product_entries)
                self.memory.products(native.products, len(self.work.values))
            return
        from zeromass.integrate.methods.radau.outside import Calls  # few systems are large

        shifted, wide = cast("RolledNative", native).shifted, self.memory.whole(Slot.wide)
        self._calls = Calls(shifted, self.work.values, self.work.order // 2, wide)
        self._calls.into(self.memory)

    def make_room(self) -> bool:
        """For more steps, or for more of their increments, whichever there is none left for; False if memory has none."""
        work, memory = self.work, self.memory
        if work.ints[Int64.recorded] >= len(work.record):
            if not work.extend():
                return False
            self._room_for_record()
        increments = memory.array(Slot.increments)
        if memory.whole(Slot.used) + self._longest > len(increments):
            if work.beside + 3 * increments.nbytes + work.record.nbytes > work.memory():
                return False
            work.beside += increments.nbytes
            increments = np.concatenate([increments, np.empty_like(increments)])
            memory.point(increments=increments)
            memory.set_whole(capacity=len(increments))
        return True

    def _room_for_record(self) -> None:
        """As many places of increments as the record has rows."""
        offsets = self.memory.array(Slot.offsets)
        more = np.zeros(max(len(self.work.record) - len(offsets), 0), dtype=np.int64)
        self.memory.point(offsets=np.concatenate([offsets, more]))

    def polynomials(self, t0: np.ndarray, y0: np.ndarray, t1: np.ndarray, y1: np.ndarray) -> np.ndarray:
        return self.steps.polynomials(t0, y0, t1, y1)

    @property
    def steps(self) -> StepIncrements:
        """The accepted steps with their increments."""
        increments, offsets = (self.memory.array(slot) for slot in (Slot.increments, Slot.offsets))
        return StepIncrements(self._methods, self.work.rows, increments, offsets)

    @property
    def increments(self) -> Increments:
        """Their record for kernels, as long as it does not grow."""
        increments, offsets = (self.memory.array(slot) for slot in (Slot.increments, Slot.offsets))
        used = self.memory.values.view(np.int64)[Slot.used : Slot.used + 1]
        return increments_in_memory(self._methods, increments, offsets, used)
