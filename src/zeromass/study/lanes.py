"""Members of one program side by side: their memory, and the calls of the machine code that moves them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import numpy as np

from zeromass.codegen.target import BEST, Code, Target, host
from zeromass.compile.module import code
from zeromass.compile.program import Program
from zeromass.compile.repeated import repeated
from zeromass.expression import Evaluator, symbols
from zeromass.integrate import Settings
from zeromass.integrate.hybrid.members import Members
from zeromass.integrate.hybrid.motion import Driver
from zeromass.integrate.memory import amount
from zeromass.integrate.methods.dop853.coefficients import EXTENDED
from zeromass.integrate.stepping.functions import first_steps
from zeromass.integrate.stepping.kinks import kinks
from zeromass.integrate.stepping.layout import HEAD, Int64, Real64
from zeromass.integrate.stepping.loop import CHUNK_OF_STEPS, SHORT
from zeromass.integrate.stepping.status import Status, Tolerances
from zeromass.model import Event
from zeromass.study.kernel import Dop853Lanes, lanes_routine
from zeromass.study.layout import Left, Own, Places, Queue

Made = TypeVar("Made")

TURNS = 20_000
"""Steps of all lanes between looks at the keyboard."""

RECORDED = 1 << 22
"""Values that the record of steps has room for at first: 32 megabytes."""


@dataclass(frozen=True, eq=False)
class Ends:
    """Members as they left their lanes, shapes (members, …).

    t, y, h     time, state, and the step that would follow
    ended       whether a member has come to its end; the others ask for what only Python does, before their next step
    steps, rejected, evaluations, repeated, largest, longest_taken, shortest_taken   what their steps were like
    room, fall  what is known of a singular position ahead, see `Real64`
    signs       of the event functions
    record      accepted steps, in the order of time for each member: its number, t, h, growth of the pivots, state
    """

    table: np.ndarray
    places: Places
    record: np.ndarray

    def __getattr__(self, name: str) -> np.ndarray:
        for numbers in (Own, Real64):
            if name in numbers.__members__:
                return self.table[:, numbers[name]]
        raise AttributeError(name)

    @property
    def ended(self) -> np.ndarray:
        return self.left == Left.ENDED

    @property
    def asks(self) -> np.ndarray:
        return self.left == Left.ASKS

    @property
    def fades(self) -> np.ndarray:
        """Whether the pivot of a multiplier may vanish in the next step."""
        return self.left == Left.FADES

    @property
    def y(self) -> np.ndarray:
        return self.table[:, self.places.state : self.places.state + self.places.order]

    @property
    def signs(self) -> np.ndarray:
        """Values of the event functions that the next ones are compared with."""
        return self.table[:, self.places.signs : self.places.roots : 2]

    @property
    def evaluations(self) -> np.ndarray:
        """One at first, twelve of a step, eleven of a rejected one."""
        return (1 + 12 * self.steps + 11 * self.rejected).astype(int)

    @property
    def plain(self) -> np.ndarray:
        """Members without a step so short that `Loop` looks at it after the run."""
        return self.shortest_taken >= SHORT * self.longest_taken

    @cached_property
    def _more(self) -> list[np.ndarray]:
        """Rows of the record that were added."""
        return []

    def append(self, seat: int, rows: np.ndarray) -> None:
        """Adds steps of a member that were not taken in its lane."""
        self._more.append(np.concatenate([np.full((len(rows), 1), float(seat)), rows], axis=1))

    def joined(self, seats: np.ndarray, other: Ends) -> Ends:
        """The same after some of them, `seats`, have gone on and left their lanes again."""
        self.table[seats] = other.table
        record = other.record.copy()
        record[:, 0] = seats[record[:, 0].astype(int)]
        return Ends(self.table, self.places, np.concatenate([self.record, *self._more, record]))

    def steps_of(self, seat: int) -> np.ndarray:
        """The recorded steps of a member, each as t, h, growth, state."""
        order, places = self._order
        return self.record[order[places[seat] : places[seat + 1]], 1:]

    @property
    def ordered(self) -> tuple[np.ndarray, np.ndarray]:
        """The record, member by member, and where that of each member with steps begins."""
        order, places = self._order
        return self.record[order], places[:-1][np.diff(places) > 0]

    @cached_property
    def _order(self) -> tuple[np.ndarray, np.ndarray]:
        members = self.record[:, 0].astype(np.int16 if len(self.table) < 2**15 else np.int64)  # short ones sort at once
        order = np.argsort(members, kind="stable")
        return order, np.searchsorted(members[order], np.arange(len(self.table) + 1))


class Lanes:
    """Machine code that moves members of one program, `width` at once, a power of two.

    asked   events that are asked for
    events  that are watched: these, and what switches in their functions
    """

    program: Program
    settings: Settings
    asked: tuple[Event, ...]
    events: tuple[Event, ...]
    target: Target
    pivots: int
    places: Places
    routine: ClassVar[type[Dop853Lanes]] = Dop853Lanes

    def __init__(
        self, program: Program, settings: Settings, events: Sequence[Event] = (), width: int | None = None
    ) -> None:
        self.program, self.settings, self.asked = program, settings, tuple(events)
        self.events = (*self.asked, *kinks(program.system, self.asked))
        self.target = host().lanes(width or host().width)
        self.pivots = program.native.pivots
        system = program.system
        n = len(system.coordinates)
        self.places = Places(n, 2 * n, len(system.parameters), len(self.events), self.pivots)

    @cached_property
    def code(self) -> Code:
        """Slopes with the growth of the pivots, corrections and event functions of the program, in lanes.

        The system keeps it for the next study.
        """
        known: dict[Any, Code] = self.program.system.memory.setdefault("lanes", {})
        key = self.program, self.settings.project, self.events, self.target
        if key not in known:
            known.setdefault(key, self._made())
        return known[key]

    def _made(self) -> Code:
        p = self.program
        functions = {"rhs": (p.inputs, [[*p.system.rates, *p.acceleration], [p.growth], list(p.native.telling)])}
        if self.settings.project:
            functions |= {name: (p.inputs, [list(change)]) for name, change in p.corrections.items()}
        if self.events:
            functions["event"] = (p.inputs, [p.zeros(self.events)])
        return code(functions, self.target, effort=BEST)

    def drive(self, driver: Driver, members: Members, tell: Callable[[int], None]) -> None:
        """Moves members over switches, by a driver of their motions; `tell` is told how many more have ended."""
        driver.move(members, tell)

    def run(
        self, t: np.ndarray, y: np.ndarray, parameters: np.ndarray, until: float, *, recording: bool = False
    ) -> Ends:
        """Moves members from times t, shape (k,), states y, (k, 2n), and values of the parameters, (k, p), until a time."""
        return self.moved(self.table(t, y, parameters, until), recording=recording)

    def moved(self, table: np.ndarray, *, recording: bool) -> Ends:
        """Moves members from where they are, in place."""
        memory = _Memory(self.places, self.target.width, table, recording)
        call = memory.call(self, lanes_routine(self.target, self.routine).address(self.routine.name))
        status = Status.PAUSED
        while status is not Status.FINISHED:
            memory.ints[Int64.budget] = TURNS
            status = Status(call())
            if status is Status.RECORD_FULL:
                memory.extend(self.settings.bound)
                call = memory.call(self, lanes_routine(self.target, self.routine).address(self.routine.name))
        return Ends(table, self.places, memory.record[: memory.ints[Int64.recorded]])

    def table(self, t: np.ndarray, y: np.ndarray, parameters: np.ndarray, until: float) -> np.ndarray:
        """The rows of members at their starts, slopes and first steps known."""
        places, settings = self.places, self.settings
        m, count = places.order, len(y)
        table = np.zeros((count, places.row))
        slopes, _, pivots = self.called("rhs", t, y, parameters, (m, 1, self.pivots))
        tolerances = Tolerances(settings.rtol, settings.atol, settings.longest_step)
        first = first_steps(lambda t, y: self.slopes(t, y, parameters)[0], t, y, slopes, until, tolerances)
        for place, value in {
            Real64.t: t,
            Real64.h: first,
            Real64.until: until,
            Real64.rtol: settings.rtol,
            Real64.atol: settings.atol,
            Real64.longest: settings.longest_step,
            Real64.growth_limit: settings.limits.growth,
            Real64.correction_limit: settings.limits.correction,
            Real64.distance: np.inf,
            Real64.quiet: t,
            Own.live: 1.0,
            Own.budget: CHUNK_OF_STEPS,
            Own.since: t,
            Own.least: settings.limits.stalled * np.abs(until - t),
            Own.largest: 1.0,
            Own.shortest_taken: np.inf,
        }.items():
            table[:, place] = value
        table[:, places.state : places.values] = 1.0
        table[:, places.state : places.state + m] = y
        table[:, places.values : places.signs] = parameters
        if self.events:
            (values,) = self.called("event", t, y, parameters, (places.events,))
            table[:, places.signs : places.roots : 2] = values
            table[:, places.signs + 1 : places.roots : 2] = [event.direction for event in self.events]
        table[:, places.roots : places.largest] = np.sqrt(np.abs(pivots))
        table[:, places.slope : places.slope + m] = slopes
        return table

    def count(self, evaluations: int) -> None:
        """Counts evaluations of the program's code: when there have been many, better code is made for later runs."""
        self.program.native.called(evaluations)

    def evaluator(self, e: Any) -> Callable[[np.ndarray], np.ndarray]:
        """Values of expressions from numbers in the order of `system.inputs`, for the checks of starts."""
        return Evaluator(e, self.program.system.inputs)

    @cached_property
    def residuals(self) -> Callable[[np.ndarray], np.ndarray]:
        """All that must vanish at positions and rates, from numbers in that order."""
        return self.program.system.residuals[1]

    @cached_property
    def dropped(self) -> Callable[[np.ndarray], np.ndarray] | None:
        """The rows A | b that the program has dropped, from numbers in the order of `system.inputs`; None without any."""
        system, dropped = self.program.system, list(self.program.elimination.dropped)
        if not dropped:
            return None
        return self._remembered(
            "dropped",
            lambda: self.evaluator(np.concatenate([system.A[dropped], system.b[dropped][:, None]], axis=1)),
        )

    def _remembered(self, name: str, made: Callable[[], Made]) -> Made:
        """What follows from the program, by its name; the system keeps it for the next study."""
        known: dict[Any, Made] = self.program.system.memory.setdefault("of lanes", {})
        key = type(self), self.program, name
        if key not in known:
            known[key] = made()
        return known[key]

    @cached_property
    def linear(self) -> bool:
        """Whether members are projected, and the rows dropped are linear in the rates."""
        return self.settings.project and self._remembered("linear", self._dropped_are_linear)

    def _dropped_are_linear(self) -> bool:
        system, dropped = self.program.system, list(self.program.elimination.dropped)
        levels = [system.rows[i].level for i in dropped]
        kinematic = [i for i, row in enumerate(system.rows) if row.level < 2]
        return max(levels, default=2) < 2 and {*system.rates}.isdisjoint(symbols(system.A[kinematic]))

    @cached_property
    def linear_rows(self) -> Callable[[np.ndarray], np.ndarray]:
        """The rows of A that were dropped, and what their constraints say of rates, from numbers in that order."""
        system, dropped = self.program.system, list(self.program.elimination.dropped)
        kinematic = [i for i, row in enumerate(system.rows) if row.level < 2]
        said = system.velocity_constraints[[kinematic.index(i) for i in dropped]]
        return self._remembered(
            "linear rows", lambda: self.evaluator(np.concatenate([system.A[dropped], said[:, None]], axis=1))
        )

    @cached_property
    def rows(self) -> Callable[[np.ndarray], np.ndarray]:
        """A, shape (m, n), from numbers in the order of `system.inputs`."""
        return self._remembered("rows", lambda: self.evaluator(self.program.system.A))

    def slopes(self, t: np.ndarray, y: np.ndarray, parameters: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """dy/dt of states, shape (k, 2n), and the growth of the pivots, (k,)."""
        slopes, growth, _ = self.called("rhs", t, y, parameters, (self.places.order, 1, self.pivots))
        return slopes, growth[:, 0]

    def called(
        self, name: str, t: np.ndarray, y: np.ndarray, parameters: np.ndarray, sizes: Sequence[int]
    ) -> list[np.ndarray]:
        """The results of a function of the code at states, arrays of shapes (k, size)."""
        width = self.target.width
        inputs = [in_lanes(x, width) for x in (t[:, None], y, parameters)]
        groups = len(inputs[0])
        outputs = [np.empty((groups, size, width)) for size in sizes]
        repeated(self.code.address(name), [*inputs, *outputs])
        return [x.swapaxes(1, 2).reshape(groups * width, x.shape[1])[: len(y)] for x in outputs]


def in_lanes(x: np.ndarray, width: int) -> np.ndarray:
    """Rows (k, n) in groups of `width` side by side, (groups, n, width); the last row fills the last group."""
    groups = -(-len(x) // width)
    whole = groups * width == len(x)
    padded = x if whole else x[np.minimum(np.arange(groups * width), len(x) - 1)]
    return np.ascontiguousarray(padded.reshape(groups, width, -1).swapaxes(1, 2), dtype=float)


class _Memory:
    """The lanes: a block of numbers that the routine works in, its queue, and the record of steps."""

    def __init__(self, places: Places, width: int, table: np.ndarray, recording: bool) -> None:
        self.places, self.width, self.table = places, width, table
        size, count = places.size, len(table)
        rows = places.row + (EXTENDED - 1) * size  # the first stage is the last part of a member
        self.lanes = aligned(rows, width)
        self.new, self.scratch = aligned(size, width), aligned(max(size, 2 * places.events), width)
        self.new[:] = self.scratch[:] = 1.0
        self.pivots = aligned(2 * max(places.pivots, 1), width)
        self.record = np.empty(
            (RECORDED // (1 + HEAD + places.order) + width if recording else width, 1 + HEAD + places.order)
        )
        seats = min(width, count)
        self.lanes[: places.row] = table[np.minimum(np.arange(width), count - 1)].T
        self.lanes[Own.live, seats:] = 0.0
        self.ints = np.zeros(Queue.members + width, dtype=np.int64)
        self.ints[Queue.members : Queue.members + seats] = np.arange(seats)
        for place, value in {
            Int64.coordinates: places.coordinates,
            Int64.size: size,
            Int64.events: places.events,
            Int64.pivots: places.pivots,
            Int64.width: self.record.shape[1],
            Int64.capacity: len(self.record),
            Queue.waiting: seats,
            Queue.count: count,
            Queue.alive: seats,
            Queue.row: places.row,
            Queue.order: places.order,
            Queue.recording: recording,
        }.items():
            self.ints[place] = value

    def call(self, lanes: Lanes, address: int) -> Callable[[], int]:
        """The call of the routine, which may be repeated while the record is where it is."""
        code, p, block = lanes.code, self.places, self.lanes
        functions = [code.address(name) for name in ("rhs", "positions", "velocities", "event")]
        self.ints[Int64.project_positions], self.ints[Int64.project_velocities] = (f != 0 for f in functions[1:3])
        at = block.ctypes.data
        row = block.strides[0]
        addresses = {
            "reals": at,
            "ints": self.ints.ctypes.data,
            "y": at + p.state * row,
            "stages": at + p.slope * row,
            "new": self.new.ctypes.data,
            "scratch": self.scratch.ctypes.data,
            "parameters": at + p.values * row,
            "record": self.record.ctypes.data,
            "signs": at + p.signs * row,
            "pivots": self.pivots.ctypes.data,
            "roots": at + p.roots * row,
            **dict(zip(("rhs", "positions", "velocities", "event"), functions, strict=True)),
            "ending": code.address("ending"),
            "table": self.table.ctypes.data,
        }
        takes = lanes.routine.takes
        call = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * len(takes))
        routine, arguments = call(address), [addresses[name] for name in takes]
        return lambda: routine(*arguments)

    def extend(self, bound: float) -> None:
        """As much room again for the record, if the steps of these members may take so many bytes."""
        if 3 * self.record.nbytes > bound:  # the old and the new one at once
            raise MemoryError(
                f"the steps of a member take more than the {amount(bound)} that they may; give more (memory=…), take a "
                "looser tolerance, or keep what needs no steps: values at the end, first times"
            )
        self.record = np.concatenate([self.record, np.empty_like(self.record)])
        self.ints[Int64.capacity] = len(self.record)


def aligned(rows: int, width: int) -> np.ndarray:
    """Zeros that begin where a cache line does."""
    memory = np.zeros(rows * width + 8)
    first = -memory.ctypes.data % 64 // 8
    return memory[first : first + rows * width].reshape(rows, width)
