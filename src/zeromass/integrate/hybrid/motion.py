"""A motion over switches by the driver in machine code: its tables, its memory, and the segments that it leaves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from zeromass.codegen.target import Code
from zeromass.compile.program import Program
from zeromass.expression import Symbol, as_expression, caption
from zeromass.integrate.collisions.law import HOLD, KINETIC, LAW, RESTITUTION
from zeromass.integrate.collisions.slots import SLOT
from zeromass.integrate.hybrid.collision_native import CollisionNative
from zeromass.integrate.hybrid.crossing import begin_modes, cross_switch, has_events
from zeromass.integrate.hybrid.driven import DrivenPieces, DrivenSegments, piece_of
from zeromass.integrate.hybrid.driver import drive, functions_in_piece, select_in_piece, take_back
from zeromass.integrate.hybrid.guard_functions import LOW, GuardFunctions, LookedAt
from zeromass.integrate.hybrid.members import Ending, Members, drive_members
from zeromass.integrate.hybrid.memory import COUNTS, EXPLICIT, LEAVES, Crossing, Drive
from zeromass.integrate.hybrid.messages import CONTACT_WORDS, IMPOSSIBLE, NEGATIVE, ContactEnd, Selection, words
from zeromass.integrate.hybrid.methods import MethodMemory, method_memory
from zeromass.integrate.hybrid.piece_begin import next_target
from zeromass.integrate.hybrid.piece_memory import PieceMemory
from zeromass.integrate.hybrid.pieces import Piece, switchings
from zeromass.integrate.hybrid.reset_outcomes import contact_impulse
from zeromass.integrate.hybrid.switches import TURN
from zeromass.integrate.hybrid.tables import ints, lengthened
from zeromass.integrate.hybrid.time_events import TimeEvents
from zeromass.integrate.hybrid.vanishing import length_table
from zeromass.integrate.pace import pace
from zeromass.integrate.settings import Settings
from zeromass.integrate.stepping.ahead import Ahead
from zeromass.integrate.stepping.layout import Int64, Real64
from zeromass.integrate.stepping.loop import CHUNK_OF_STEPS, stepper_of
from zeromass.integrate.stepping.status import Tolerances
from zeromass.integrate.stepping.step_functions import functions_at
from zeromass.integrate.stepping.workspace import Workspace
from zeromass.integrate.terms import terms_of_time
from zeromass.kernel.language import compiled
from zeromass.model import ModelError, StartError, State
from zeromass.model.event import IMPOSSIBLE as REFUSES
from zeromass.model.pieces import Undecided
from zeromass.model.unilateral import inside_words

AT_ONCE = 256
"""Members that are moved between looks at the keyboard."""

AGAIN = Drive.LEFT, Drive.STIFF, Drive.NO_ROOM, Drive.STRAYED
"""Why the driver returns where the last piece has been taken back, or has strayed, and is begun anew."""

REMEMBERED, SPARE, KEPT = 8, 4, 2**22
"""Programs and settings of which drivers are kept, how many of each, and the most bytes that the record of one may have."""


class NoRoom(ModelError):
    """More shapes are near one another, or touch, than there is memory for."""


class Driven(NamedTuple):
    """What a run of the driver has led to.

    segments  those of the pieces that were finished
    status    why it returned
    state, piece   where it is: at the start of a piece that it leaves, or else at the end of the last one, but for a motion
              that has ended
    place     among the time events
    reached   switches that ended the last piece, or beyond which it has come, with the side that each goes to
    interrupted   whether it leaves a piece because of Ctrl-C
    """

    segments: DrivenSegments
    status: Drive
    state: State
    piece: Piece
    place: int
    reached: dict[int, float]
    interrupted: bool

    @property
    def ended(self) -> tuple[Drive, State, Piece, int, dict[int, float], bool]:
        """All but the segments."""
        return self[1:]


class Driver(PieceMemory):
    """The driver of motions of one program with the same settings, and its memory: one motion after another.

    pieces    of the system
    events    that are watched: those asked for, and what ends pieces
    ahead     1 for motions forward in time, −1 backward
    """

    @classmethod
    def of(cls, watched: GuardFunctions, settings: Settings, program: Program, stiffness: int | None = None) -> Driver:
        """One that is free, of those that earlier motions have left, or a new one."""
        stiffness = stiffness_of(watched, settings) if stiffness is None else stiffness
        try:
            return _free(watched, settings, program, stiffness).pop()  # no other thread has it now
        except IndexError:
            return cls(watched, settings, program, stiffness)

    def copy(self) -> Driver:
        """Another one that has taken up the same motion, with memory of its own."""
        other, m = Driver(self.watched, self.settings, self.program, self.stiffness), self.m
        other.work.values[:] = self.work.values
        other.m.until, other.m.start, other.m.which = m.until, m.start, m.which.copy()
        other.m.times, other.m.timed = m.times.copy(), m.timed.copy()
        return other

    def release(self, watched: GuardFunctions) -> None:
        """Leaves it to later motions."""
        if self._improvements != Code.improvements:
            return  # there is better code
        free = _free(watched, self.settings, self.program, self.stiffness)
        if len(free) < SPARE and self.work.record.nbytes + self.work.beside <= KEPT:
            free.append(self)

    def __init__(
        self, watched: GuardFunctions, settings: Settings, program: Program, stiffness: int = EXPLICIT
    ) -> None:
        method, events = stepper_of(settings.chosen), watched.events
        self._improvements = Code.improvements
        self.tolerances = Tolerances(settings.rtol, settings.atol, settings.longest_step, settings.step)
        native: Any = program.native
        if watched.pieces.colliders is not None:
            native = CollisionNative(watched.pieces, program, watched.room, watched.pairs)
        state, values = np.zeros(2 * len(program.system.coordinates)), np.zeros(len(program.system.parameters))
        if watched.pieces.colliders is not None:
            values = np.zeros(len(values) + SLOT * watched.room)
        work = Workspace(native, 0.0, state, values, self.tolerances, 0.0, lanes=method.lanes)
        work.growth_limit, work.correction_limit = settings.limits.growth, settings.limits.correction
        work.use(native, project=settings.project)
        work.watch(events, LookedAt(events).directions)
        super().__init__(watched, events, settings, program, work, method, stiffness)
        own = [event for event in self.events if not event.name.startswith(LOW)]
        self._sampled = [e.zero for e in own if not e.name.startswith("\0")]
        self._followed = [e.zero for e in own if e.name.startswith("\0")]
        controlled = settings.step is None
        self._timed: bool = controlled and bool(terms_of_time(program.system, self._followed, self._sampled))
        self.memory: MethodMemory = method_memory(settings, work, program, self.step.polynomial, self.callbacks)
        self.memory.tell(self.m)
        if settings.step is None:
            self.m.lengths = length_table(program)

    def _count(self, evaluations: int) -> None:
        """Counts evaluations; when there have been many, better code of the driver is made in the background."""
        native = self.program.native
        native.called(evaluations)
        if native.busy and self.large is None:  # else its equations take the time
            for kernel in (drive, functions_at, functions_in_piece, select_in_piece):
                compiled(kernel).code.improve()

    def begin(self, start: State, until: float, table: TimeEvents, memory: Callable[[], float]) -> None:
        """Takes up a motion from a start on its pieces until a time.

        table   of switches of time alone
        memory  what it may take, bytes
        """
        work, m, switches = self.work, self.m, self.pieces.switches
        work.memory = memory
        work.values[: self.known] = [start.parameters.get(p, p.default or 0.0) for p in self.program.system.parameters]
        work.reals[:], work.reals[Real64.t] = self._fresh, start.t
        work.ints[[Int64.recorded, Int64.steps, Int64.rejected, Int64.evaluations]] = 0
        if self._timed:
            known = dict(zip(self.program.system.parameters, work.values.tolist(), strict=True))
            found = pace(self.program.system, known, start.t, until, self._followed, self._sampled)
            work.limit(Ahead(found) if found is not None else None)
            m.fresh[Real64.behind] = np.inf
        m.until, m.start, m.pieces, m.flipped, m.tries, m.occurrences, m.forgets = until, start.t, 0, 0, 0, 0, False
        rows = [table.modes(place) for place in range(len(table.times) + 1)]
        m.contacts.shared[:] = 0
        m.times = np.array(table.times, dtype=float)
        m.timed = np.array([[row[switches[k].mode] for k in table.switches] for row in rows]).reshape(len(rows), -1)
        m.which = ints(table.switches)

    def run(
        self,
        start: State,
        state: State,
        piece: Piece,
        place: int,
        times: list[float],
        before: Sequence[float],
        tell: Callable[[float], None],
    ) -> Driven:
        """Moves on from a state on some pieces until the end of the run, or a piece that it leaves.

        start  of the motion
        place   among the time events; times: of the switches before that are not in it, to which those on the way are added
        before  functions of events where the piece before ended, if there was one
        """
        work, m = self.work, self.m
        work.reals[Real64.t], work.state[: self.order] = state.t, np.concatenate([state.q, state.v])
        self._take(piece)
        first, m.place = m.pieces, place
        self._make_room(len(times))
        m.ends[:] = 0.0
        m.ends[: len(before)] = before
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
        now = [int(work.ints[Int64.recorded]), work.steps, work.rejected, work.evaluations, m.occurrences]
        counts = np.concatenate([m.counts.reshape(-1, COUNTS)[first : m.pieces], [now]])
        driven = DrivenPieces(self, start, state, piece, m.log[first : m.pieces].copy(), counts)
        last, kept = m.pieces - first - 1, status not in AGAIN
        if not kept:
            m.pieces, m.occurrences = m.pieces - 1, int(counts[last, 4])  # it is begun anew
        none = Drive.LEFT, Drive.STIFF, Drive.NO_ROOM, Drive.FINISHED
        reached = {} if status in none else self.reached()
        which = [k for k in reached if self.pieces.colliders is None or k < len(self.w.kind)] or m.which.tolist()
        if status not in (Drive.FINISHED, Drive.EVENT):
            state, piece = driven.end if kept else driven.state(last), driven.piece(last)
        return Driven(driven.finished(last + kept, status, which), status, state, piece, m.place, reached, interrupted)

    def target(self, moving: State, place: int) -> float:
        """Where a piece that begins at a state ends at the latest: at the next time event, or with the run."""
        work, m = self.work, self.m
        work.state[: self.order] = np.concatenate([moving.q, moving.v])
        work.values[: self.known], m.place = moving.inputs[1 + self.order :], place
        return float(compiled(next_target)(m, self.w))

    def _driven(self, tell: Callable[[float], None]) -> Drive:
        """Drives the motion until its end or a piece that it leaves; in between Python makes room and looks ahead."""
        work, m = self.work, self.m
        begins, status = True, Drive.PAUSED
        while status in (Drive.PAUSED, Drive.RECORD_FULL, Drive.LOG_FULL, Drive.AHEAD):
            work.ints[Int64.budget], before = CHUNK_OF_STEPS, work.evaluations
            given = m, self.w, self.step, self.roots, self.low, self.method.places, begins
            status, begins = Drive(compiled(drive)(*given)), False
            self.callbacks.check()
            self._count(work.evaluations - before)
            tell(work.t)
            if status is Drive.AHEAD:
                work.look_ahead()
            elif status is Drive.LOG_FULL:
                self._make_room(m.flipped)
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
            self.callbacks.check()
            if status is Drive.LOG_FULL:
                self._make_room(m.flipped)
            elif status is Drive.RECORD_FULL:
                if not self.memory.extend():
                    members.counts[members.next, 0] = Ending.LEFT
                    members.next += 1
                self.memory.tell(m)
            tell(int(np.count_nonzero(members.counts[before : members.next, 0] == Ending.FINISHED)))
        self._count(int(members.counts[:, 3].sum()))

    def first_piece(self, start: State) -> Piece | None:
        """On which pieces a motion begins that has just been taken up; None where that is not decided."""
        if self.select_first(start) != Selection.DECIDED:
            return None
        values = self.work.values[self.hidden : self.known].tolist()
        return piece_of(self.pieces, dict(zip(self.parameters, values, strict=True)))

    def select_first(self, start: State) -> Selection:
        """Selects the modes with which a motion begins that has just been taken up, in `work`; or why there are none."""
        work, w = self.work, self.w
        work.reals[Real64.t], work.state[: self.order] = start.t, np.concatenate([start.q, start.v])
        w.reached[:] = w.kind == TURN
        why = Selection(compiled(begin_modes)(self.m, w, self.step))
        self.callbacks.check()
        return why

    def begin_contacts(self, start: State) -> tuple[Piece, State]:
        """The piece and the state with which a motion of a system with contacts begins."""
        why, n = self.select_first(start), self.order // 2
        if why is Selection.CONTACT and self.m.contacts.why == ContactEnd.NO_ROOM:
            raise NoRoom
        if why is Selection.CONTACT and self.m.contacts.why == ContactEnd.INSIDE:
            if self.pieces.colliders is not None:
                raise StartError(self.native.overlapping(self.m.contacts.which))
            raise StartError(inside_words(self.pieces.given, start, self.m.contacts.which))
        if why is Selection.CONTACT:
            raise Undecided(self.contact_words())
        if why is not Selection.DECIDED:
            which = self.w.open[: self.w.count].tolist()
            raise Undecided(words(why, self.pieces.words(which), len(which), self.w.number))
        y = self.work.state[: self.order]
        values = dict(zip(self.parameters, self.work.values[self.hidden : self.known].tolist(), strict=True))
        begun, P = replace(start, q=y[:n].copy(), v=y[n:].copy()), self.m.contacts.impulse
        if self.pieces.colliders is not None:
            return replace(piece_of(self.pieces, values), contacts=self.native.here(self.work.values, P)), begun
        impulse = contact_impulse(self.pieces, self.pieces.state(begun, values), start.v, P) if P.any() else None
        return replace(piece_of(self.pieces, values), impulse=impulse), begun

    def crossed(
        self, state: State, piece: Piece, reached: Mapping[int, float], timed: Mapping[Symbol, float]
    ) -> tuple[Crossing, State, Piece]:
        """What follows where switches or contacts have ended a piece: the state and the piece beyond, as the driver does."""
        work, m, w, n = self.work, self.m, self.w, self.order // 2
        work.reals[Real64.t], work.state[: self.order] = state.t, np.concatenate([state.q, state.v])
        self._take(piece)
        count = len(w.kind)
        w.reached[:] = [k in reached for k in range(count)]
        w.way[:] = [reached.get(k, 1.0) for k in range(count)]
        m.contacts.reached[:] = [int(reached.get(count + k, 0.0)) for k in range(m.contacts.count)]
        m.flipped, recorded = 0, int(work.ints[Int64.recorded])
        work.ints[Int64.recorded] = 0  # steps of the record may be those of other pieces
        found = Crossing(compiled(cross_switch)(m, w, self.step, m.jumps))
        work.ints[Int64.recorded] = recorded
        self.callbacks.check()
        y = work.state[: self.order]
        values = dict(zip(self.parameters, work.values[self.hidden : self.known].tolist(), strict=True))
        beyond = replace(state, t=float(work.t), q=y[:n].copy(), v=y[n:].copy())
        new = piece_of(self.pieces, values | dict(timed))
        P = m.contacts.impulse
        impulse = contact_impulse(self.pieces, self.pieces.state(beyond, new.modes), state.v, P) if P.any() else None
        said = switchings(self.pieces, state.t, piece, new)
        m.contacts.impulse[:] = 0.0
        return found, beyond, replace(new, switchings=said, impulse=impulse)

    def contact_words(self) -> str:
        """Why contacts do not tell what follows; raises where a coefficient is none."""
        x = self.m.contacts
        if self.pieces.colliders is not None:
            name = self.native.pair if x.why == ContactEnd.INSIDE else self.native.name
            return CONTACT_WORDS[ContactEnd(x.why)].format(which=name(x.which))
        which = self.pieces.words([len(self.w.kind) + x.which])
        if x.why in IMPOSSIBLE:
            one, law = self.pieces.given.unilaterals[x.which], x.law[LAW * x.which : LAW * (x.which + 1)]
            value = law[RESTITUTION if x.why == ContactEnd.RESTITUTION else KINETIC]
            what, given = f"friction of {which}", one.friction
            if law[HOLD] >= 0.0 and one.kinetic is not None:
                what, given = f"kinetic {what}", one.kinetic
            said = f"{what} = {caption(as_expression(given))}" + NEGATIVE
            for event in self.pieces.given.events:  # which is written as the user has given it
                said = event.message if event.name == f"{REFUSES}{what}" else said
            told = {"which": which, "value": value, "said": said, "t": self.w.clock[0]}
            raise ModelError(IMPOSSIBLE[ContactEnd(x.why)].format(**told))
        return CONTACT_WORDS[ContactEnd(x.why)].format(which=which)

    def _take(self, piece: Piece) -> None:
        """Modes, margins and flags of a piece, and the contacts that it was found with."""
        self.work.values[self.hidden : self.known] = [piece.modes.get(p, p.default or 0.0) for p in self.parameters]
        if piece.contacts is not None:
            work = self.work
            if not self.native.take(work.t, work.state[: self.order], piece.contacts, work.values):
                raise NoRoom
            self.m.contacts.count = self.native.table.slots

    def _make_room(self, flipped: int) -> None:
        """Memory for another piece, for the events in it, and for more switches than so many."""
        m, before = self.m, self.m.log.nbytes
        m.log, m.counts = lengthened(m.log, m.pieces + 1), lengthened(m.counts, COUNTS * (m.pieces + 1))
        if self.pieces.colliders is not None:
            self.native.make_room(len(m.log))
            m.contacts.left = self.native.room
        m.flips = lengthened(m.flips, flipped + 1)
        if has_events(m):
            m.occurred = lengthened(m.occurred, m.occurrences + len(self.roots.times) + len(m.cause))
        self.work.beside += m.log.nbytes - before


def stiffness_of(watched: GuardFunctions, settings: Settings) -> int:
    """What the method of a run does with slips whose direction is stiff."""
    spatial = any(one.spatial for one in watched.pieces.unilaterals)
    return LEAVES if spatial and settings.step is None and not settings.chosen.stiff else EXPLICIT


def _free(watched: GuardFunctions, settings: Settings, program: Program, stiffness: int) -> list[Driver]:
    """Drivers of earlier motions that nobody uses."""
    known: dict[Any, list[Driver]] = watched.pieces.system.memory.setdefault("drivers", {})
    key = program, settings, watched.events, watched.ahead, stiffness, Code.improvements  # which they have addresses of
    if key not in known:
        for old in list(known)[: 1 - REMEMBERED]:
            known.pop(old, None)
        known[key] = []
    return known[key]
