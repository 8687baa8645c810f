"""A motion over switches by the driver in machine code: its tables, its memory, and the segments that it leaves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from zeromass.compile.program import Program
from zeromass.expression import Symbol
from zeromass.integrate.hybrid.callbacks import Callbacks
from zeromass.integrate.hybrid.driven import DrivenPieces, piece_of
from zeromass.integrate.hybrid.driver import drive, functions_in_piece, select_in_piece, take_back
from zeromass.integrate.hybrid.large import LargeSwitches
from zeromass.integrate.hybrid.members import Ending, Members, drive_members
from zeromass.integrate.hybrid.memory import COUNTS, LOWEST, NONE, SLIDING, SWITCH, Drive, Motion
from zeromass.integrate.hybrid.methods import MethodMemory, method_memory
from zeromass.integrate.hybrid.selection import Selection, select_modes
from zeromass.integrate.hybrid.switches import Switches
from zeromass.integrate.hybrid.tables import ints, switch_functions, switch_table
from zeromass.integrate.pace import pace
from zeromass.integrate.piecewise import GRAZE, HOLD, LOW, LookedAt, place_of
from zeromass.integrate.piecewise import SWITCH as SWITCHES
from zeromass.integrate.reaching import Reaching
from zeromass.integrate.segment import Segment
from zeromass.integrate.settings import Settings
from zeromass.integrate.stepping.ahead import Ahead
from zeromass.integrate.stepping.dense import DEGREE
from zeromass.integrate.stepping.functions import Functions, Onto
from zeromass.integrate.stepping.kinks import kinks
from zeromass.integrate.stepping.layout import Int64, Real64
from zeromass.integrate.stepping.loop import CHUNK_OF_STEPS, _bumps, stepper_of
from zeromass.integrate.stepping.status import Tolerances
from zeromass.integrate.stepping.step_functions import StepFunctions, functions_at
from zeromass.integrate.stepping.stepper import Stepper
from zeromass.integrate.stepping.workspace import Workspace
from zeromass.integrate.switching import Piece
from zeromass.integrate.terms import lengths_in, terms_of_time
from zeromass.integrate.timetable import Timetable
from zeromass.kernel.language import compiled
from zeromass.kernel.negative_values import PARTS, ROUNDING, NegativeSearch
from zeromass.kernel.negative_values import STACK as PENDING
from zeromass.kernel.roots import KNOWN, STACK, RootSearch
from zeromass.model import Event, State
from zeromass.model.pieces import SystemPieces

TURNS = 24
"""Places in a step where functions turn, for which there is room."""

PIECES, LOG = 64, 2**20
"""Pieces of a motion for which there is room at first, and the most numbers of their states and modes then."""

STEPS = 2**14
"""Steps of a piece in which functions are looked for that dip below zero."""

AT_ONCE = 256
"""Members that are moved between looks at the keyboard."""

REMEMBERED, SPARE, KEPT = 8, 4, 2**22
"""Programs and settings of which drivers are kept, how many of each, and the most bytes that the record of one may have."""


class Driven(NamedTuple):
    """What a run of the driver has led to.

    ends      whether to the end of the run
    segments  what makes those of the pieces that were finished
    state, piece, place   the start of the piece that it leaves, the piece, and the place in the timetable
    interrupted   whether it leaves it because of Ctrl-C
    """

    ends: bool
    segments: list[Callable[[], Segment]]
    state: State
    piece: Piece
    place: int
    interrupted: bool


class Driver:
    """The driver of motions of one program with the same settings, and its memory: one motion after another.

    pieces    of the system
    events    that are watched: those asked for, and what ends pieces
    unseen    names of those that may dip below zero between two looks
    ahead     1 for motions forward in time, −1 backward
    words     formulas that switch, as they were written
    """

    @staticmethod
    def serves(pieces: SystemPieces, settings: Settings, asked: Sequence[Event]) -> bool:
        """Whether it can drive motions of a system, those pieces apart that it leaves."""
        if pieces.of_force or not pieces.only_forces:
            return False
        if settings.step is None and (lengths_in(pieces.system) or _bumps(pieces.system)):
            return False
        return not kinks(pieces.given, list(asked))

    @classmethod
    def of(cls, reaching: Reaching, program: Program) -> Driver:
        """One that is free, of those that earlier motions have left, or a new one."""
        try:
            return _free(reaching, program).pop()  # no other thread has it now
        except IndexError:
            return cls(reaching, program)

    def release(self, reaching: Reaching) -> None:
        """Leaves it to later motions."""
        free = _free(reaching, self.program)
        if len(free) < SPARE and self.work.record.nbytes + self.work.beside <= KEPT:
            free.append(self)

    def __init__(self, reaching: Reaching, program: Program) -> None:
        pieces, settings = reaching.pieces, reaching.settings
        self.pieces, self.program, self.settings, self.events = pieces, program, settings, reaching.watched
        self._unseen, self.ahead, self.words = set(reaching.unseen(program)), reaching.deciding.ahead, reaching.words
        self.method: type[Stepper] = stepper_of(settings.chosen)
        self.order: int = 2 * len(program.system.coordinates)
        self.hidden: int = len(pieces.given.parameters)
        self.parameters: tuple[Symbol, ...] = program.system.parameters[self.hidden :]
        self.tolerances = Tolerances(settings.rtol, settings.atol, settings.longest_step, settings.step)
        native, parameters = program.native, program.system.parameters
        state, values = np.zeros(self.order), np.zeros(len(parameters))
        self.work: Workspace = Workspace(native, 0.0, state, values, self.tolerances, 0.0, lanes=self.method.lanes)
        self.work.growth_limit, self.work.correction_limit = settings.limits.growth, settings.limits.correction
        self.work.use(native, project=settings.project)
        self.work.watch(self.events, LookedAt(self.events).directions)
        self._fresh = self.work.reals.copy()
        own = [event for event in self.events if not event.name.startswith(LOW)]
        self._sampled = [e.zero for e in own if not e.name.startswith("\0")]
        self._followed = [e.zero for e in own if e.name.startswith("\0")]
        controlled = settings.step is None
        self._timed: bool = controlled and bool(terms_of_time(program.system, self._followed, self._sampled))
        self._keep: list[Any] = []
        self._callbacks = Callbacks()
        self._large: LargeSwitches | None = None
        if pieces.in_forces:
            large = LargeSwitches(pieces, program, self.events, self.ahead, self.method.lanes, self._callbacks)
            self._large, self.w = large, large.table()
        else:
            self._rhs: int = native.rhs(1).address("rhs")
            self.w: Switches = switch_table(pieces, program, self.events, self.ahead)
        self.step: StepFunctions = self._step_functions()
        self.memory: MethodMemory = method_memory(settings, self.work, program, self.step.polynomial, self._callbacks)
        self.low: RootSearch = self._search([k for k, e in enumerate(self.events) if e.name.startswith(LOW)], 0)
        others = [k for k, e in enumerate(self.events) if not e.name.startswith(LOW)]
        self.roots: RootSearch = self._search(others, TURNS)
        self.m: Motion = self._motion()
        if self._large is None:  # else its equations take the time
            for kernel in (drive, functions_at, functions_in_piece, select_in_piece):
                compiled(kernel).code.improve()

    def begin(self, start: State, until: float, table: Timetable, memory: Callable[[], float]) -> None:
        """Takes up a motion from a start on its pieces until a time.

        table   of switches of time alone
        memory  what it may take, bytes
        """
        work, m, w, switches = self.work, self.m, self.w, self.pieces.switches
        if self._large is None and (rhs := self.program.native.rhs(1).address("rhs")) != self._rhs:
            self._rhs, w.rhs = rhs, rhs  # better code has been made  # pyright: ignore[reportAttributeAccessIssue]
            self.memory.tell(m)
        work.memory = memory
        work.values[:] = [start.parameters.get(p, p.default or 0.0) for p in self.program.system.parameters]
        work.reals[:], work.reals[Real64.t] = self._fresh, start.t
        work.ints[[Int64.recorded, Int64.steps, Int64.rejected, Int64.evaluations]] = 0
        if self._timed:
            known = dict(zip(self.program.system.parameters, work.values.tolist(), strict=True))
            found = pace(self.program.system, known, start.t, until, self._followed, self._sampled)
            work.limit(Ahead(found) if found is not None else None)
            m.fresh[Real64.behind] = np.inf
        m.until, m.start, m.pieces, m.flipped, m.tries = until, start.t, 0, 0, 0
        rows = [table.modes(place) for place in range(len(table.times) + 1)]
        m.times = np.array(table.times, dtype=float)
        m.timed = np.array([[row[switches[k].mode] for k in table.switches] for row in rows]).reshape(len(rows), -1)
        m.which = ints(table.switches)

    def _step_functions(self) -> StepFunctions:
        order, work, lanes = self.order, self.work, 1 if self._large is None else self.method.lanes
        inputs, row = np.zeros((1 + order + len(work.values), lanes)), np.zeros(1 + order)
        more: dict[str, Any] = {}
        projects = self.settings.project and bool(self.program.corrections)
        if projects:
            onto = Onto(Functions(self.program.native, work.values), row[None])
            place, arguments, _ = onto.arguments
            more = {"project": place, "arguments": np.array(arguments)}
            self._keep.append(onto)
        guards = self.program.native.events(self.events, lanes)
        return StepFunctions(
            t0=np.zeros(1),
            t1=np.zeros(1),
            y0=np.zeros((1, order)),
            y1=np.zeros((1, order)),
            polynomial=np.zeros((DEGREE + 1, order)),
            weights=np.zeros(DEGREE + 1),
            row=row,
            projects=projects,
            **more,
            rtol=work.tolerances.rtol,
            atol=work.tolerances.atol,
            limit=order * work.correction_limit**2,
            event=0 if guards is None else guards.address("event"),
            inputs=inputs,
            outputs=np.zeros((len(self.events), lanes)),
            values=np.zeros(len(self.events)),
        )

    def _search(self, columns: list[int], room: int) -> RootSearch:
        looked = LookedAt(self.events)
        n, some = len(self.method.places) + room, [self.events[k] for k in columns]
        slopes = not room
        return RootSearch(
            evaluate=compiled(functions_at).address,
            context=self.step,
            values=self.step.values,
            places=np.zeros(n),
            looks=len(self.method.places),
            columns=ints(columns),
            directions=np.array([0.0 if slopes else float(e.direction) for e in some]),
            turning=ints([slopes or looked.turns(e) for e in some]),
            seen=np.zeros((n, len(self.events))),
            points=np.zeros((3 * n, 2)),
            stack=np.zeros((STACK, 6)),
            known=np.zeros((KNOWN, 3)),
            times=np.zeros(max(3 * n * len(columns), 1)),
            which=np.zeros(max(3 * n * len(columns), 1), dtype=np.int64),
        )

    def _motion(self) -> Motion:
        work, order, pieces = self.work, self.order, self.pieces
        names = [event.name for event in self.events]
        causes = {SWITCHES: SWITCH, HOLD: SLIDING, LOW: LOWEST, GRAZE: NONE}
        cause = [next((c for begin, c in causes.items() if name.startswith(begin)), NONE) for name in names]
        of = [place_of(name) if c != NONE else (0, 0) for name, c in zip(names, cause, strict=True)]
        slopes = [names.index(low) if (low := LOW + name.removeprefix(SWITCHES)) in names else -1 for name in names]
        slopes = [at if c == SWITCH else -1 for at, c in zip(slopes, cause, strict=True)]
        count, energies = len(pieces.switches), pieces.energies[0]
        energy: Any = 0
        if energies and self._large is not None:
            energy = self._large.energy
        elif energies:
            energy = switch_functions(pieces, self.program).address("energy")
        width = 1 + order + len(work.values) - self.hidden
        rows = max(2, min(PIECES, LOG // width))
        m = Motion(
            reals=work.reals,
            fresh=self._fresh,
            ints=work.ints,
            y=work.state,
            values=work.values,
            signs=work.signs,
            cause=ints(cause),
            of=ints([k for k, _ in of]),
            below=ints([j for _, j in of]),
            slopes=ints(slopes),
            continuous=ints([self._continuous(k) for k in range(count)]),
            energy=energy,
            energies=np.zeros((2, max(len(energies), 1))),
            times=np.empty(0),
            timed=np.empty((1, 0)),
            which=ints([]),
            stalled=self.settings.limits.stalled,
            changes=self.settings.limits.changes,
            begun=np.zeros(1 + order),
            was=work.values.copy(),
            log=np.zeros((rows, width)),
            counts=np.zeros(rows * COUNTS, dtype=np.int64),
            hidden=self.hidden,
            flips=np.zeros(2 * rows),
            ends=np.zeros(len(names)),
            work=np.zeros(order),
            moved=np.zeros(order),
            step=self.step,
        )
        unseen = self._unseen if self.settings.step is None else ()
        columns = ints([k for k, name in enumerate(names) if name in unseen])
        m.dips = NegativeSearch(
            evaluate=compiled(functions_in_piece).address,
            select=compiled(select_in_piece).address,
            context=m,
            values=self.step.values,
            t=np.zeros(STEPS),
            columns=columns,
            rounding=ROUNDING,
            sizes=np.zeros(len(columns)),
            seen=np.zeros((PARTS + 1, len(columns))),
            stack=np.zeros((PENDING, 2)),
        )
        if self._large is not None:
            self._large.bind(m)
        self.memory.tell(m)
        return m

    def _continuous(self, k: int) -> int:
        """Whether nothing but forces jumps at a switch; 2 if the energy is to be compared."""
        parts, pieces = self.pieces.parts, self.pieces
        if k in parts["constraints"] or k in parts["masses"]:
            return 0
        return 2 if k in parts["energies"] and pieces.of_place[k] else 1

    def run(
        self, start: State, state: State, piece: Piece, place: int, times: list[float], tell: Callable[[float], None]
    ) -> Driven:
        """Moves on from a state on some pieces until the end of the run, or a piece that it leaves.

        start  of the motion
        place  in the timetable; times: of the switches before that are not in it, to which those on the way are added
        """
        work, m = self.work, self.m
        if self._large is not None:
            self._large.start = start
        work.reals[Real64.t], work.state[: self.order] = state.t, np.concatenate([state.q, state.v])
        work.values[self.hidden :] = self._values(piece)
        first, m.place = m.pieces, place
        while len(m.flips) <= len(times) or len(m.log) <= m.pieces:
            self._more_pieces()
        m.flips[: len(times)], m.flipped = times, len(times)
        interrupted = False
        try:
            status = self._driven(tell)
        except KeyboardInterrupt:
            if m.pieces == first:
                raise  # no piece has begun
            compiled(take_back)(m)
            status, interrupted = Drive.LEFT, True
        times[:] = m.flips[: m.flipped].tolist()
        now = [int(work.ints[Int64.recorded]), work.steps, work.rejected, work.evaluations]
        counts = np.concatenate([m.counts.reshape(-1, COUNTS)[first : m.pieces], [now]])
        driven = DrivenPieces(self, start, state, piece, m.log[first : m.pieces].copy(), counts)
        left, ends = m.pieces - first - 1, status is Drive.FINISHED
        if not ends:
            m.pieces -= 1  # it is begun anew
        made = [partial(driven.segment, k, ends and k == left) for k in range(left + ends)]
        return Driven(ends, made, driven.state(left), driven.piece(left), m.place, interrupted)

    def _driven(self, tell: Callable[[float], None]) -> Drive:
        """Drives the motion until its end or a piece that it leaves; in between Python makes room and looks ahead."""
        work, m = self.work, self.m
        begins, status = True, Drive.PAUSED
        while status not in (Drive.FINISHED, Drive.LEFT):
            work.ints[Int64.budget], before = CHUNK_OF_STEPS, work.evaluations
            given = m, self.w, self.step, self.roots, self.low, self.method.places, begins
            status, begins = Drive(compiled(drive)(*given)), False
            self._callbacks.returned()
            self.program.native.called(work.evaluations - before)
            tell(work.t)
            if status is Drive.AHEAD:
                work.look_ahead()
            elif status is Drive.LOG_FULL:
                self._more_pieces()
            elif status is Drive.RECORD_FULL:
                if self.memory.extend():
                    self.memory.tell(m)
                else:
                    compiled(take_back)(m)
                    status = Drive.LEFT
        return status

    @property
    def timeless(self) -> bool:
        """Whether steps are limited by nothing that depends on time alone."""
        return not self._timed

    def move(self, members: Members, tell: Callable[[int], None]) -> None:
        """Moves members of the program one after another, those that it does not leave to their ends.

        tell  is told how many more have ended
        """
        m = self.m
        compiled(drive_members).code.improve()
        while members.next < len(members.t):
            before = members.next
            given = members, m, self.w, self.step, self.roots, self.low, self.method.places, AT_ONCE
            status = Drive(compiled(drive_members)(*given))
            self._callbacks.returned()
            if status is Drive.LOG_FULL:
                self._more_pieces()
            elif status is Drive.RECORD_FULL:
                if not self.memory.extend():
                    members.counts[members.next, 0] = Ending.LEFT
                    members.next += 1
                self.memory.tell(m)
            tell(int(np.count_nonzero(members.counts[before : members.next, 0] == Ending.FINISHED)))
        self.program.native.called(int(members.counts[:, 3].sum()))

    def first_piece(self, start: State) -> Piece | None:
        """On which pieces a motion begins that has just been taken up; None where first derivatives do not decide that."""
        work, w = self.work, self.w
        state = np.concatenate([start.q, start.v])
        w.clock[0], w.reached[:] = start.t, 0
        if compiled(select_modes)(w, state, work.values, True) != Selection.DECIDED:
            return None
        return piece_of(self.pieces, dict(zip(self.parameters, work.values[self.hidden :].tolist(), strict=True)))

    def event_values(self, t: float, y: np.ndarray, piece: Piece) -> np.ndarray:
        """The watched functions at a state on a piece."""
        found, values = np.empty(len(self.events)), self.work.values.copy()
        values[self.hidden :] = self._values(piece)
        if len(found):
            self.w.guard(np.array([t]), y, values, found)
        return found

    def _values(self, piece: Piece) -> list[float]:
        """Modes, margins and flags of a piece, in the order of the parameters."""
        return [piece.modes.get(p, p.default or 0.0) for p in self.parameters]

    def _more_pieces(self) -> None:
        m = self.m
        self.work.beside += m.log.nbytes
        m.log = np.concatenate([m.log, np.zeros_like(m.log)])
        m.counts = np.concatenate([m.counts, np.zeros_like(m.counts)])
        m.flips = np.concatenate([m.flips, np.zeros_like(m.flips)])


def _free(reaching: Reaching, program: Program) -> list[Driver]:
    """Drivers of earlier motions that nobody uses."""
    known: dict[Any, list[Driver]] = reaching.pieces.system.memory.setdefault("drivers", {})
    key = program, reaching.settings, reaching.watched, reaching.deciding.ahead
    if key not in known:
        for old in list(known)[: 1 - REMEMBERED]:
            known.pop(old, None)
        known[key] = []
    return known[key]
