"""The stepping methods as the driver calls them: where their routines are, and the memory that these work in."""

from __future__ import annotations

import ctypes
from typing import Any, Protocol, cast

import numpy as np

from zeromass.codegen.target import address, host
from zeromass.compile.native import Native
from zeromass.compile.program import Program
from zeromass.integrate.hybrid.callbacks import Callbacks
from zeromass.integrate.hybrid.memory import COUNTS, Motion
from zeromass.integrate.methods.collocation.kernel import CollocationAdvance, CollocationDense
from zeromass.integrate.methods.collocation.stepper import Collocation, stage_memory
from zeromass.integrate.methods.dop853.coefficients import EXTENDED
from zeromass.integrate.methods.dop853.inside import Dop853Inside
from zeromass.integrate.methods.dop853.kernel import DENSE_VECTORS, Dop853Advance
from zeromass.integrate.methods.dop853.stepper import Dop853
from zeromass.integrate.methods.radau.increments import StepIncrements
from zeromass.integrate.methods.radau.memory import Slot
from zeromass.integrate.methods.radau.stepper import Radau
from zeromass.integrate.settings import Settings
from zeromass.integrate.stepping.kernel import routine
from zeromass.integrate.stepping.layout import ARGUMENTS, HEAD, Int64, Real64
from zeromass.integrate.stepping.loop import stepper_of
from zeromass.integrate.stepping.status import Status
from zeromass.integrate.stepping.stepper import Stepper
from zeromass.integrate.stepping.workspace import Workspace

AGAIN = 64
"""Steps in which a state may be reached again."""

_ROUTINE = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * len(ARGUMENTS))


class MethodMemory(Protocol):
    """Memory of a method beside a workspace, for motions of a program."""

    def tell(self, m: Motion) -> None:
        """Says where routines and memory are: the record of the workspace may have moved, and better code been made."""
        ...

    def extend(self) -> bool:
        """More room for steps; False where the bound on memory leaves none."""
        ...

    def steps(self, first: int, rows: np.ndarray) -> StepIncrements | None:
        """What is kept of some steps beside their rows in the record; None of a method that takes steps again."""
        ...


class _Retaken:
    """A method of whose steps the record is all that is kept."""

    _work: Workspace

    def extend(self) -> bool:
        return self._work.extend()

    def steps(self, first: int, rows: np.ndarray) -> StepIncrements | None:
        return None


class Dop853Memory(_Retaken):
    """Of the method of Dormand and Prince."""

    def __init__(self, work: Workspace, program: Program, polynomial: np.ndarray) -> None:
        self._work, self._native, size = work, work.code, work.size
        self._stages = np.zeros((EXTENDED, size))
        ints, order, pivots = np.zeros(len(Int64), dtype=np.int64), work.order, work.code.pivots
        ints[Int64.coordinates], ints[Int64.size], ints[Int64.pivots], ints[Int64.capacity] = (
            order // 2,
            size,
            pivots,
            1,
        )
        inside = [np.zeros(len(Real64)), ints, np.ones(size), np.zeros(EXTENDED * size), np.ones(size), np.ones(size)]
        inside += [work.values, np.zeros(DENSE_VECTORS * size), np.zeros(max(pivots, 1))]
        self._span, self._ends = np.zeros(2), np.zeros((2, order))
        self._inside: list[np.ndarray] = [*inside, self._span[:1], self._span[1:], *self._ends, polynomial]
        again = work.ints.copy()
        again[Int64.events], again[Int64.capacity], again[Int64.stretches] = 0, AGAIN, 0
        self._again: dict[int, np.ndarray] = {
            0: np.zeros(len(Real64)),
            1: again,
            2: np.ones(size),
            3: np.zeros((EXTENDED, size)),
            4: np.ones(size),
            5: np.ones(max(size, 64)),
            7: np.zeros((AGAIN, HEAD + order)),
            8: np.zeros((1, 2)),
            9: work.pivots.copy(),
        }

    def tell(self, m: Motion) -> None:
        target = host().scalar
        self._codes = advance, dense = routine(Dop853Advance, target), routine(Dop853Inside, target)
        work, lanes = self._work, Dop853.lanes
        if self._native.busy:
            dense.improve()
        place, arguments, self._keep = work.arguments(advance, Dop853Advance.name, self._stages, lanes, work.record)
        again = [address(self._again[k]) if k in self._again else word for k, word in enumerate(arguments)]
        take_routines(m, place, arguments, dense.address(Dop853Inside.name), fifteen=True)
        m.dense_arguments = np.array([*map(address, self._inside), self._native.rhs(1).address("rhs")])
        m.span, m.first, m.last = self._span, *self._ends
        m.in_lanes = m.dense_in_lanes = np.zeros((0, 1))
        m.retakes, m.again_arguments = work.tolerances.step is None, np.array(again)
        m.again_reals, m.again_ints, m.again_y = (self._again[k] for k in range(3))
        m.record = work.record


class CollocationMemory(_Retaken):
    """Of collocation, whose stages are evaluated in lanes."""

    def __init__(self, work: Workspace, polynomial: np.ndarray) -> None:
        self._work, lanes = work, Collocation.lanes
        self._stages, self._values = stage_memory(work, lanes)
        self._dense_stages, self._dense_values = stage_memory(work, lanes)
        self._aside, self._row = work.aside(work.code), np.zeros(2 + 2 * work.order)
        self._aside.values, self._aside.scratch = work.values, polynomial
        self._aside.ints[Int64.capacity], self._aside.ints[Int64.repeated] = 1, 0
        self._room = np.zeros(2), *np.zeros((2, work.order))

    def tell(self, m: Motion) -> None:
        work, lanes, target = self._work, Collocation.lanes, host().lanes(Collocation.lanes)
        self._codes = advance, dense = routine(CollocationAdvance, target), routine(CollocationDense, target)
        place, arguments, kept = work.arguments(advance, CollocationAdvance.name, self._stages, lanes, work.record)
        inside = self._aside.arguments(dense, CollocationDense.name, self._dense_stages, lanes, self._row)
        self._keep = kept, inside[2]
        take_routines(m, place, arguments, inside[0], fifteen=False)
        m.dense_arguments = np.array(inside[1])
        m.span, m.first, m.last = self._room
        m.row, m.in_lanes, m.dense_in_lanes = self._row, self._values, self._dense_values
        m.record = work.record


class RadauMemory:
    """Of Radau's methods, whose steps are kept with their increments."""

    def __init__(self, work: Workspace, program: Program) -> None:
        self._work, self._native = work, cast(Native, program.native)
        self.stepper = Radau(work)
        self.stepper.take_equations(self._native)
        self._room = np.zeros(2), *np.zeros((2, work.order))
        self._state = self.stepper.memory.values[Slot.t : Slot.used]
        self._begin = self._state.copy()

    def tell(self, m: Motion) -> None:
        work, memory = self._work, self.stepper.memory
        kind, self._code = self.stepper.routine(self._native)
        place, arguments, self._keep = work.arguments(self._code, kind.name, memory.values, 1, work.record)
        take_routines(m, place, arguments)
        m.implicit, m.increments = True, self.stepper.increments
        m.stepper, m.stepper_begin = self._state, self._begin
        m.span, m.first, m.last = self._room
        m.in_lanes = m.dense_in_lanes = np.zeros((0, 1))
        m.record = work.record

    def extend(self) -> bool:
        return self.stepper.make_room()

    def steps(self, first: int, rows: np.ndarray) -> StepIncrements:
        return self.stepper.steps.copy(first, rows)


def take_routines(m: Any, advance: int, arguments: list[int], dense: int = 0, *, fifteen: bool = False) -> None:
    """Sets the addresses of a method's routines: steps, and the polynomial of a step, of fourteen or fifteen arguments."""
    m.advance, m.arguments, m.fifteen = advance, np.array(arguments), fifteen
    if fifteen:
        m.dense_of_15 = dense
    else:
        m.dense = dense


class StepperMemory(_Retaken):
    """Of any other method, by calls of its stepper in Python."""

    def __init__(self, work: Workspace, method: type[Stepper], callbacks: Callbacks) -> None:
        self._work, self._method, self._stepper = work, method, method(work)
        self._functions = [
            callbacks.function(_ROUTINE, f, int(Status.NOT_A_NUMBER)) for f in (self._steps, self._inside)
        ]
        self._room = np.zeros(2), *np.zeros((2, work.order))

    def tell(self, m: Motion) -> None:
        self._motion, none = m, np.zeros(len(ARGUMENTS), dtype=np.int64)
        m.advance, m.dense = self._functions
        m.arguments = m.dense_arguments = none
        m.span, m.first, m.last = self._room
        m.row, m.in_lanes = np.zeros(2 + 2 * self._work.order), np.zeros((0, 1))
        m.dense_in_lanes, m.record = m.in_lanes, self._work.record

    def _steps(self, *_: int) -> int:
        work, m = self._work, self._motion
        if work.ints[Int64.recorded] == m.counts[COUNTS * (m.pieces - 1)]:  # a piece begins
            self._stepper = self._method(work)
            work.take_values()
        try:
            status = self._stepper.advance(float(work.reals[Real64.until]), int(work.ints[Int64.budget]))
        except MemoryError:
            status = Status.RECORD_FULL
        m.record = work.record
        return int(status)

    def _inside(self, *_: int) -> int:
        s = self._motion.step
        s.polynomial[:] = self._stepper.polynomials(s.t0, s.y0, s.t1, s.y1)[0]
        return 0


def method_memory(
    settings: Settings, work: Workspace, program: Program, polynomial: np.ndarray, callbacks: Callbacks
) -> MethodMemory:
    """Memory of the method of a run; `polynomial` is where those of steps are written."""
    method = stepper_of(settings.chosen)
    if method is Collocation:
        return CollocationMemory(work, polynomial)
    if method is Dop853:
        return Dop853Memory(work, program, polynomial)
    if method is Radau:
        return RadauMemory(work, program)
    return StepperMemory(work, method, callbacks)
