"""The memory of a run under way, which the routines of stepping methods work in, and calls of them.

A workspace belongs to no method: one may go on where another has come to.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np

from zeromass.codegen.target import Code, address
from zeromass.integrate.stepping.ahead import Ahead
from zeromass.integrate.stepping.layout import ARGUMENTS, HEAD, PIVOTS, Int64, Real64
from zeromass.integrate.stepping.status import Status, Tolerances
from zeromass.integrate.stepping.writer import CHUNK
from zeromass.model import Event

RECORD = 1 << 16
"""Values that the record of a run has room for at first: half a megabyte, which the next run finds again."""

BLOCK = 2**26
"""Bytes by which a long record grows, or an eighth of it: memory that has been asked for and is not used is small."""

KEPT = 2
"""Times the record that a run takes: as it goes, and what is kept of it."""

NOTES = 1 << 12
"""Steps that are noted before what happened in them is looked at."""

_ROUTINE = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * len(ARGUMENTS))
_EVENT = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)


class MachineCode(Protocol):
    """What steps need of a system: see `Native`."""

    def rhs(self, lanes: int = 1, *, projected: bool = False) -> Code: ...

    @property
    def corrections(self) -> Code | None: ...

    def events(self, events: Sequence[Event], lanes: int) -> Code | None: ...

    @property
    def busy(self) -> bool: ...

    @property
    def pivots(self) -> int: ...

    def called(self, evaluations: int) -> None: ...


class Workspace:
    """A state y = (q, q̇) on its way, the record of its steps, and the machine code and the events of the system.

    code    machine code of the system
    lanes   states that the method in charge evaluates at once
    values  of the parameters
    memory  tells what the run may take, bytes; asked where the record is full
    beside  what its method takes beside the record, bytes
    noted   what events that happened take, bytes
    """

    code: MachineCode
    lanes: int
    project: bool
    state: np.ndarray
    new: np.ndarray
    record: np.ndarray
    memory: Callable[[], float]
    beside: int
    noted: int

    def __init__(
        self,
        code: MachineCode,
        t: float,
        y: np.ndarray,
        parameters: np.ndarray,
        tolerances: Tolerances,
        first_step: float,
        *,
        lanes: int = 1,
        memory: Callable[[], float] = lambda: np.inf,
    ) -> None:
        m = len(y)
        capacity = RECORD // (HEAD + m) + 1
        self.code, self.lanes = code, lanes
        self._codes: list[tuple[float, MachineCode]] = [(t, code)]  # the times from which on each was used
        self.tolerances = tolerances
        self.memory, self.beside, self.noted = memory, 0, 0
        self.values: np.ndarray = np.ascontiguousarray(parameters, dtype=float)
        self.watched: tuple[Event, ...] = ()
        self._notes: np.ndarray | None = None
        self._events_of: tuple[Any, Code | None] = None, None
        self.ahead: Ahead | None = None
        self.project = False
        self.order = m  # length of a state
        self.size: int = -(-m // CHUNK) * CHUNK  # the same, padded
        self.reals: np.ndarray = np.zeros(len(Real64))
        self.ints: np.ndarray = np.zeros(len(Int64), dtype=np.int64)
        self.state, self.new = np.ones(self.size), np.ones(self.size)
        self.scratch: np.ndarray = np.ones(max(self.size, 64))
        self.signs: np.ndarray = np.zeros((1, 2))
        self.record = np.empty((capacity, HEAD + m))
        self.pivots: np.ndarray = self._no_pivots()
        self.state[:m] = y
        for place, value in {
            Real64.t: t,
            Real64.h: first_step if tolerances.step is None else tolerances.step,
            Real64.rtol: tolerances.rtol,
            Real64.atol: tolerances.atol,
            Real64.longest: tolerances.longest,
            Real64.growth_limit: np.inf,
            Real64.correction_limit: np.inf,
            Real64.distance: np.inf,
            Real64.quiet: t,
            Real64.fixed: tolerances.step is not None,
        }.items():
            self.reals[place] = value
        for place, value in {
            Int64.coordinates: m // 2,
            Int64.size: self.size,
            Int64.width: HEAD + m,
            Int64.capacity: capacity,
            Int64.pivots: code.pivots,
        }.items():
            self.ints[place] = value

    # where it is -------------------------------------------------------------------------------------------------
    @property
    def t(self) -> float:
        return float(self.reals[Real64.t])

    @property
    def y(self) -> np.ndarray:
        return self.state[: self.order].copy()

    @property
    def steps(self) -> int:
        return int(self.ints[Int64.steps])

    @property
    def rejected(self) -> int:
        return int(self.ints[Int64.rejected])

    @property
    def evaluations(self) -> int:
        return int(self.ints[Int64.evaluations])

    @property
    def rows(self) -> np.ndarray:
        """The record: t, h, the growth of the pivots and the state at the end of each accepted step."""
        return self.record[: self.ints[Int64.recorded]]

    @property
    def times(self) -> np.ndarray:
        """Ends of the accepted steps."""
        return self.rows[:, 0]

    @property
    def growth(self) -> np.ndarray:
        """Growth of the pivots there."""
        return self.rows[:, 2]

    @property
    def states(self) -> np.ndarray:
        """States there."""
        return self.rows[:, HEAD:]

    @property
    def growth_limit(self) -> float:
        """Growth of the pivots at which a method returns PIVOTS."""
        return float(self.reals[Real64.growth_limit])

    @growth_limit.setter
    def growth_limit(self, value: float) -> None:
        self.reals[Real64.growth_limit] = value

    @property
    def correction_limit(self) -> float:
        """Correction by the projection after a step, in units of its tolerance, beyond which the step does not count."""
        return float(self.reals[Real64.correction_limit])

    @correction_limit.setter
    def correction_limit(self, value: float) -> None:
        self.reals[Real64.correction_limit] = value

    # what it works with --------------------------------------------------------------------------------------------
    def use(self, code: MachineCode, *, project: bool) -> None:
        """Goes on with this machine code, from the current state."""
        if code is not self.code:
            self._codes.append((self.t, code))
            self.code, self.pivots = code, self._no_pivots(code)
            self.ints[Int64.pivots] = code.pivots
            self.reals[Real64.distance] = np.inf
        self.project = project
        corrections = code.corrections if project else None
        for flag, name in (
            (Int64.project_positions, "positions"),
            (Int64.project_velocities, "velocities"),
        ):
            self.ints[flag] = corrections is not None and corrections.address(name) != 0

    def _no_pivots(self, code: MachineCode | None = None) -> np.ndarray:
        """Room for the pivots of multipliers, of which nothing is known yet."""
        return np.zeros(PIVOTS * max((code or self.code).pivots, 1))

    def allow(self, rtol: float, atol: float) -> None:
        """Goes on with other errors allowed in a step, relative and absolute."""
        self.reals[Real64.rtol], self.reals[Real64.atol] = rtol, atol

    def be_quiet(self, until: float, *, longest: float = 0.0) -> None:
        """Says nothing of pivots that fade until a time; until then no step is longer than this, if it is given."""
        self.reals[Real64.quiet], self.reals[Real64.careful], self.reals[Real64.dipped] = until, longest, 0.0

    @property
    def dipped(self) -> bool:
        """Whether a pivot of a multiplier may have vanished inside the last step."""
        return bool(self.reals[Real64.dipped])

    def restart(self) -> None:
        """What a step begins with is computed anew."""
        self.ints[Int64.started] = 0

    def watch(self, events: Sequence[Event], directions: Sequence[float] | None = None, *, patient: int = 0) -> None:
        """Watches events from the current state on, in directions of their own or, see `FOLLOWED`, in these.

        patient  the last of them that may wait: the steps in which they may have happened are noted
        """
        count = len(events)
        self.watched = tuple(events)
        self.ints[Int64.events], self.ints[Int64.patient] = count, patient
        self.ints[Int64.waiting], self.ints[Int64.room] = 0, NOTES if patient else 0
        if patient and self._notes is None:
            self._notes = np.zeros(NOTES, dtype=np.int64)
            self.ints[Int64.notes] = self._notes.ctypes.data
        self.signs = np.zeros((max(count, 1), 2))
        self.signs[:count, 1] = [event.direction for event in events] if directions is None else directions
        self.scratch = np.ones(max(self.size, CHUNK * count, 64))  # event functions at several places of a step
        self._look = EventValues(self.order, self.values, self.lanes, count)
        self.signs[:count, 0] = self.event_values(self.t, self.y)

    def take_values(self) -> None:
        """Looks at events with the parameters as they are now."""
        self._look.parameters[:] = self.values[:, None]

    def noted_steps(self) -> np.ndarray:
        """Rows of the record in which events that may wait may have happened; they are noted no longer."""
        waiting, self.ints[Int64.waiting] = int(self.ints[Int64.waiting]), 0
        return np.empty(0, dtype=np.int64) if self._notes is None else self._notes[:waiting].copy()

    def event_values(self, t: float, y: np.ndarray) -> np.ndarray:
        """The watched functions at a state."""
        code = self._event_code(self.lanes)
        return np.empty(0) if code is None else self._look(code, t, y)

    @property
    def event_code(self) -> Code | None:
        """Machine code of the watched functions, for as many states as there are lanes; None if nothing is watched."""
        return self._event_code(self.lanes)

    def _event_code(self, lanes: int) -> Code | None:
        """Machine code of the watched functions; found once, as a look at it is short."""
        if (self.code, self.watched, lanes) != self._events_of[0]:
            self._events_of = (self.code, self.watched, lanes), self.code.events(self.watched, lanes)
        return self._events_of[1]

    # what happens to it ----------------------------------------------------------------------------------------------
    def advance(self, routine: Code, name: str, stages: np.ndarray, lanes: int, until: float, budget: int) -> Status:
        """Lets a method's routine step until a time, an event, trouble, or for `budget` steps."""
        self.aim(until, budget)
        while True:
            status = self.call(routine, name, stages, lanes, self.record)
            if status is Status.AHEAD:
                self.look_ahead()
            elif status is not Status.RECORD_FULL or not self.extend():
                return status

    def limit(self, ahead: Ahead | None) -> None:
        """Steps are limited by what is known ahead of the run."""
        self.ahead = ahead if ahead is not None and ahead.matters else None
        self.reals[Real64.behind], self.reals[Real64.behind_at] = np.inf, self.t
        self._point_ahead()

    def look_ahead(self) -> None:
        """Further, or closer where steps are cut often."""
        assert self.ahead is not None
        self.ahead.look(self.t, float(self.reals[Real64.h]), bool(self.ints[Int64.patience] < 0))
        self._point_ahead()

    def _point_ahead(self) -> None:
        ahead, ints = self.ahead, self.ints
        ints[Int64.stretches] = 0 if ahead is None else len(ahead.table)
        if ahead is not None:
            ints[Int64.table], ints[Int64.patience] = ahead.table.ctypes.data, ahead.patience
            ints[Int64.stretch] = 0

    def aim(self, until: float, budget: int) -> None:
        """Sets the end of the steps, their direction, and how many there may be."""
        self.reals[Real64.until] = until
        self.reals[Real64.h] = np.copysign(self.reals[Real64.h], until - self.t)
        self.ints[Int64.budget], self.ints[Int64.stretch] = budget, 0

    def accept(self, t: float, h: float, y: np.ndarray, growth: float) -> None:
        """Takes y for the state at t after a step of length h, and records it; what routines do themselves."""
        if self.ints[Int64.recorded] == len(self.record) and not self.extend():
            raise MemoryError("the record of more steps does not fit into memory")
        self.reals[Real64.t], self.reals[Real64.growth], self.state[: self.order] = t, growth, y
        row = self.record[self.ints[Int64.recorded]]
        row[:HEAD], row[HEAD:] = (t, h, growth), y
        self.ints[Int64.recorded] += 1
        self.ints[Int64.steps] += 1

    def resume(self, h: float) -> None:
        """Goes on with steps of another length, about h, where the last ones tell nothing of the next."""
        self.reals[Real64.h], self.reals[Real64.fall], self.reals[Real64.distance] = h, 0.0, np.inf
        self.be_quiet(self.t)
        self.reals[Real64.room] = 1.0 / np.sqrt(self.reals[Real64.growth])
        self.ints[Int64.repeated] = 0
        self.restart()

    def reject(self) -> None:
        self.ints[Int64.rejected] += 1

    def count_evaluation(self) -> None:
        self.ints[Int64.evaluations] += 1

    def crossed(self) -> bool:
        """Whether a watched function has changed its sign the way it is watched for since the last look."""
        new, (old, direction) = self.event_values(self.t, self.y), self.signs[: len(self.watched)].T
        rising = (old < 0) & (new >= 0) & (direction >= 0)
        falling = (old > 0) & (new <= 0) & (direction <= 0)
        self.signs[: len(new), 0] = np.where(new == 0, old, new)
        return bool(np.any(rising | falling))

    def extend(self) -> bool:
        """More room for the record: as much again, or a block; False where the bound on memory leaves none."""
        rows, width = self.record.shape
        most = (self.memory() - self.beside - self.noted) / (KEPT * 8 * width)
        rows = int(min(rows + min(rows, max(BLOCK // (8 * width), rows // 8)), most))
        if rows <= len(self.record):
            return False
        try:
            with contextlib.suppress(ValueError):  # in place, if nobody else looks at it: a copy takes twice as much
                self.record.resize((rows, width))
            if len(self.record) < rows:
                self.record = np.concatenate([self.record, np.empty((rows - len(self.record), width))])
        except MemoryError:
            return False
        self.ints[Int64.capacity] = rows
        return True

    def call(self, routine: Code, name: str, stages: np.ndarray, lanes: int, record: np.ndarray) -> Status:
        """Calls a routine that works on this memory, with `stages` of its own, and writes to a record."""
        return self.prepared(routine, name, stages, lanes, record)()

    def prepared(
        self, routine: Code, name: str, stages: np.ndarray, lanes: int, record: np.ndarray
    ) -> Callable[[], Status]:
        """The call of a routine, see `call`, that may be repeated while this memory is what it is."""
        function, addresses, arrays = self.arguments(routine, name, stages, lanes, record)
        call = _ROUTINE(function)
        return lambda: (arrays, Status(call(*addresses)))[1]  # which keeps the arrays

    def arguments(
        self, routine: Code, name: str, stages: np.ndarray, lanes: int, record: np.ndarray
    ) -> tuple[int, list[int], Any]:
        """The address of a routine, those of what it is called with, and the arrays that must live as long."""
        code = self.code
        if code.busy:
            routine.improve()
        corrections, events = code.corrections if self.project else None, self._event_code(lanes)
        functions = [
            code.rhs(lanes, projected=self.project).address("rhs"),
            *[corrections.address(part) if corrections is not None else 0 for part in ("positions", "velocities")],
            events.address("event") if events is not None else 0,
        ]
        arrays = (self.reals, self.ints, self.state, stages, self.new, self.scratch, self.values, record, self.signs)
        arrays = (*arrays, self.pivots)
        return routine.address(name), [*[address(a) for a in arrays], *functions], arrays

    def cut(self, t: float, y: np.ndarray) -> None:
        """Ends the last accepted step earlier, at t and y."""
        row = self.rows[-1]
        row[1] -= row[0] - t
        row[0], row[HEAD:] = t, y
        self.reals[Real64.t], self.state[: self.order] = t, y

    def forget(self, steps: int, t: float, y: np.ndarray) -> None:
        """Goes back to the state y at t where the first `steps` of the record have led."""
        dropped = self.ints[Int64.recorded] - steps
        self.ints[Int64.steps] -= dropped
        self.ints[Int64.rejected] += dropped
        self.ints[Int64.recorded] = steps
        self.reals[Real64.t], self.state[: self.order] = t, y
        if len(self._codes) > 1:  # the steps from here on are taken anew
            self._codes.append((t, self.code))

    def forget_record(self) -> None:
        """Begins the record anew, and goes on where it is."""
        self.ints[Int64.recorded] = 0

    def shrink(self) -> None:
        """Keeps of the record what is written, and no room for more: a run is over."""
        self.record = self.rows.copy()
        self.ints[Int64.capacity] = len(self.record)

    def codes(self, t: np.ndarray) -> Iterator[tuple[MachineCode, np.ndarray]]:
        """The machine codes that took the steps from some times on, each with the places of its steps among them."""
        if len(self._codes) == 1:
            yield self._codes[0][1], np.arange(len(t))
            return
        which, way = np.zeros(len(t), dtype=int), np.sign(self.t - self._codes[0][0])
        for k, (since, _) in enumerate(self._codes):  # the last that was used from a time before
            which[way * t >= way * since] = k
        for k in np.unique(which).tolist():
            yield self._codes[k][1], np.flatnonzero(which == k)

    def aside(self, code: MachineCode) -> Workspace:
        """Memory of its own for steps that are taken again by a code, of the same system and with the same settings."""
        other = object.__new__(Workspace)  # much of a new one would be overwritten
        vars(other).update(vars(self))
        other.code, other._codes = code, [(self.t, code)]
        other.watched, other._notes, other._events_of = (), None, (None, None)
        other.reals, other.ints, other.state = self.reals.copy(), self.ints.copy(), self.state.copy()
        other.new, other.scratch, other.signs = np.ones(self.size), np.ones(max(self.size, 64)), np.zeros((1, 2))
        other.ints[Int64.pivots], other.pivots = code.pivots, self._no_pivots(code)
        other.limit(None)
        return other


class EventValues:
    """Event functions at one state after another: memory for what they are given, in lanes, and for what they return.

    parameters  the same in every lane, (p, lanes); they may change in between
    """

    def __init__(self, order: int, parameters: np.ndarray, lanes: int, count: int) -> None:
        self.lanes: int = lanes
        self._inputs = np.empty((1 + order + len(parameters), lanes))
        self.parameters: np.ndarray = self._inputs[1 + order :]
        self.parameters[:] = parameters[:, None]
        self._values = np.empty((count, lanes))
        self._state = self._inputs[1 : 1 + order]
        arrays = (self._inputs, self._state, self._inputs[1 + order :], self._values)
        self._addresses = [a.ctypes.data for a in arrays]

    def __call__(self, code: Code, t: float, y: np.ndarray) -> np.ndarray:
        self._inputs[0], self._state[:] = t, y[:, None]
        _EVENT(code.address("event"))(*self._addresses)
        return self._values[:, 0].copy()
