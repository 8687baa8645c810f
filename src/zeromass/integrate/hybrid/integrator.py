"""The motion of a system whose formulas have kinks or jumps: smooth from one switch to the next.

During a step every formula stays on its piece; a switch is located as events are, and the next step begins there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np

from zeromass.compile.program import Program, program_at
from zeromass.contact.redundant import warn_of_redundancy
from zeromass.expression import Symbol
from zeromass.integrate.hybrid.chattering import CROWDED, PILED, RECENT, chatters
from zeromass.integrate.hybrid.collision_native import MOST, first_room
from zeromass.integrate.hybrid.crossing import AT_ONCE
from zeromass.integrate.hybrid.endings import CHATTERS, RETURNS, TOUCHES
from zeromass.integrate.hybrid.guard_functions import GuardFunctions
from zeromass.integrate.hybrid.memory import STANDS_IN, Crossing, Drive
from zeromass.integrate.hybrid.mode_selector import ModeSelector
from zeromass.integrate.hybrid.motion import Driver, NoRoom
from zeromass.integrate.hybrid.piece_end import PieceEnd
from zeromass.integrate.hybrid.piece_runner import PieceRunner
from zeromass.integrate.hybrid.pieces import Piece, contact_events, struck_contacts, switchings
from zeromass.integrate.hybrid.reset_outcomes import energy_jump, impulse_between, state_beyond
from zeromass.integrate.hybrid.time_events import TimeEvents
from zeromass.integrate.outcome import Ending, Occurrence, Outcome, at_start
from zeromass.integrate.segment import Segment, Segments
from zeromass.integrate.settings import Settings
from zeromass.integrate.stepping.loop import lanes_of
from zeromass.integrate.stepping.status import Status
from zeromass.kernel.language import compiled
from zeromass.model import Event, ModelError, State
from zeromass.model.pieces import SystemPieces, Undecided

FINE = 1e-12
"""Relative tolerance, at most, of slips that begin: small differences of large numbers."""

PERIODIC = 1e-9
"""Part of accelerations by which they may differ where an angle is larger by 2π, and its formulas count as periodic."""


class CanNotBegin(ModelError):
    """No motion begins at a state."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(str(outcome))
        self.outcome: Outcome = outcome


class HybridIntegrator:
    """One motion of a system with switches, from a start until a time, an event, or what ends it."""

    pieces: SystemPieces
    start: State
    until: float
    settings: Settings

    def __init__(
        self,
        pieces: SystemPieces,
        start: State,
        until: float,
        settings: Settings,
        events: Sequence[Event],
        tell: Callable[[float], None],
    ) -> None:
        self.pieces, self.start, self.until, self.settings = pieces, start, until, _with_method(pieces, settings)
        settings = self.settings
        self._tell = tell
        self._asked = tuple(events)
        self._ahead = 1.0 if until >= start.t else -1.0
        self.selector: ModeSelector = ModeSelector(pieces, self._ahead, lanes_of(settings.chosen))
        self._guards = self.selector.guards
        self._room, self._pairs = first_room(pieces)
        self._watched = GuardFunctions(pieces, self._asked, self._ahead, self._room, self._pairs)
        self._runner = PieceRunner(self.selector, settings, self._watched, until)
        self._table = TimeEvents(pieces, start, until, [event.zero for event in self._asked])
        self._place = 0  # among the time events: of the next time
        self._last: dict[int, float] = {}
        self._begun = False
        self._drivers: dict[tuple[Program, bool], Driver] = {}
        self._implicit = False  # whether slips begin, whose direction is stiff

    def segments(self) -> Segments:
        """The segments of the motion, one for each piece; the last tells how it ended."""
        while True:
            try:
                found = self._segments()
                break
            except NoRoom:  # before the first piece
                self._enlarge()
        self._warn_of_redundancy()
        self.release()
        return found if self.settings.transitions or not self.pieces.unilaterals else self._first_modes(found)

    def _warn_of_redundancy(self) -> None:
        """Says of which contacts forces have not followed from the motion; of vertices of one shape their sums do."""
        if not self._drivers or not self.pieces.unilaterals:
            return
        shared = np.any([driver.m.contacts.shared for driver in self._drivers.values()], axis=0)
        elements = self.pieces.given.contact_elements
        vertices = {one.name for by in elements if len(by.unilaterals) > 1 for one in by.unilaterals}
        found = [
            one for one, some in zip(self.pieces.unilaterals, shared, strict=True) if some and one.name not in vertices
        ]
        warn_of_redundancy([one.name for one in found], any(not one.smooth for one in found))

    def _first_modes(self, found: Segments) -> Segments:
        """The segments up to the first change of contact modes, which ends the motion as an event."""
        for k, segment in enumerate(found[1:], start=1):
            before = found[k - 1]
            if segment.mode != before.mode or (segment.piece is not None and segment.piece.impulse):
                said = ", ".join(f"'{event.name}'" for event in before.events if event.t == before.t[-1])
                return Segments(
                    [*found[: k - 1], replace(before, outcome=Outcome(Ending.EVENT, before.outcome.t, said))]
                )
        return found

    def _enlarge(self) -> None:
        """Makes memory for more contacts that are found among shapes."""
        self._room, self._pairs = 2 * self._room, 2 * self._pairs
        if self._room > MOST:
            raise ModelError(f"more than {MOST} contacts of shapes are closed at a time")
        self._watched = GuardFunctions(self.pieces, self._asked, self._ahead, self._room, self._pairs)
        self._runner = PieceRunner(self.selector, self.settings, self._watched, self.until)
        self._drivers = {}

    def release(self) -> None:
        """Leaves its drivers to later motions."""
        for driver in self._drivers.values():
            driver.release(self._watched)

    def begin(self) -> tuple[Piece, State]:
        """The piece and the state with which the motion begins; Undecided or CanNotBegin where it does not."""
        if self.pieces.unilaterals or self.pieces.colliders is not None:
            moving = self._guards.state(self.start, self.selector.first_modes(self.start, self._timed))
            outcome = at_start(moving, self.settings.limits.violation)
            if outcome is not None:
                raise CanNotBegin(outcome)
        self._use_driver()
        piece = self.selector.begin(self.start, self._timed)
        begun = self._start_on(piece)
        contacts = self.pieces.unilaterals or self.pieces.colliders is not None
        return self._begin_contacts(piece, begun) if contacts else (piece, begun)

    def program(self, state: State, piece: Piece) -> Program:
        """The program of the motion on a piece."""
        return self._guards.program(self._guards.state(state, piece.modes))

    def _segments(self) -> Segments:
        if self.pieces.in_forces:
            from zeromass.integrate.large import at_large_start  # few systems are

            moving = self._guards.state(self.start, self._timed)
            outcome = at_large_start(self._guards.program(moving), moving, self.settings.limits.violation)
            if outcome is not None:
                return Segments([Segment.standing(self.start, outcome, self.settings)])
            self._begun = True
        try:
            piece, begun = self.begin()
        except CanNotBegin as why:
            return Segments([Segment.standing(self.start, why.outcome, self.settings)])
        except Undecided as why:
            outcome = Outcome(Ending.AMBIGUOUS, self.start.t, str(why))
            return Segments([Segment.standing(self.start, outcome, self.settings)])
        self._found = Segments()
        self._times: list[float] = []  # of switches that are not known ahead
        here: tuple[State, Piece] | None = begun, piece
        while here is not None:
            here = self._beyond(*here)
        return self._found

    def _begin_contacts(self, piece: Piece, start: State) -> tuple[Piece, State]:
        """The piece and the state with the modes of contacts."""
        moving = self._guards.state(start, piece.modes)
        driver = self._of(moving)
        driver.work.values[: driver.known] = moving.inputs[1 + driver.order :]
        return driver.begin_contacts(start)

    def _use_driver(self) -> None:
        """Lets the modes of a start be selected with the driver's machine code, where that is for all modes."""
        pieces = self.pieces
        if pieces.only_forces:
            driver = self._of(self._guards.state(self.start, self.selector.first_modes(self.start, self._timed)))
            self.selector.use(driver.functions, driver.w)

    def _beyond(self, state: State, piece: Piece) -> tuple[State, Piece] | None:
        """Where a motion begins anew after one piece or many; None where it has ended."""
        status, reached, found = Drive.LEFT, dict[int, float](), self._found
        driver = self._driver(state, piece)
        if driver is not None:
            given = self.start, state, piece, self._place, self._times, self._runner.before, self._tell
            try:
                driven = driver.run(*given)
            except NoRoom:
                self._enlarge()
                return state, piece
            found.promise(driven.segments, self.start.system)
            self._runner.before = driver.m.ends[: len(self._asked)].tolist()
            status, state, piece, self._place, reached, interrupted = driven.ended
            if interrupted:
                return self._end_with(
                    state, piece, Outcome(Ending.INTERRUPTED, state.t, "what was computed so far is kept")
                )
            if status is Drive.NO_ROOM:
                self._enlarge()
                return state, piece
            if self.pieces.colliders is not None and status in (Drive.LEFT, Drive.DECIDE, Drive.STRAYED, Drive.STIFF):
                return self._end_with(state, piece, Outcome(Ending.AMBIGUOUS, state.t, self._why(driver, status)))
            if status is Drive.STIFF:
                self._implicit = not self._implicit
                return state, piece
            if status is Drive.LEFT and driver.m.status == Status.STEP_TOO_SMALL and self._piled(state.t):
                return self._end_with(state, piece, self._chattering(np.flatnonzero(driver.m.jumps.changed).tolist()))
        if status is Drive.LEFT:
            status, state, reached = self._made(state, piece)
        match status:
            case Drive.FINISHED | Drive.EVENT:
                return None
            case Drive.TOUCHED:
                return self._end_with(state, piece, self._touching(state.t, list(reached)))
            case Drive.STRAYED:  # from a switch that it does not leave: what follows on either side is no motion
                return self._end_with(state, piece, self._not_left(state.t, list(reached)))
            case _:
                return self._next(state, piece, reached)

    def _why(self, driver: Driver, status: Drive) -> str:
        """Why a motion of shapes that touch ends where its driver returns."""
        if status is Drive.DECIDE and driver.m.contacts.why:
            return driver.contact_words()
        how = "no step beyond this time is accurate enough"
        if status is Drive.DECIDE and driver.m.crossing == Crossing.CHATTERS:
            how = "contacts open and close faster and faster"
        return f"{how} where shapes touch; round edges that rest on one another, or give pairs of bodies as zm.Contact"

    def _next(self, state: State, piece: Piece, reached: dict[int, float]) -> tuple[State, Piece] | None:
        """The state and the piece after one that has ended; None where the motion ends there."""
        here = self._reversed(state, piece)
        if isinstance(here, Outcome):
            return self._end_with(state, piece, here)
        if reached:
            times, limits = self._times, self.settings.limits
            times.append(state.t)
            self._last = reached
            span = abs(self.until - self.start.t)
            if compiled(chatters)(np.array(times), len(times), self.until, limits.stalled * span, limits.changes):
                return self._end_with(state, piece, self._chattering(reached))
        if self.pieces.unilaterals:
            outcome, state, piece = self._after_contacts(state, here, reached)
        else:
            outcome, state, piece = self._after(state, here, reached)
        return (state, piece) if outcome is None else self._end_with(state, piece, outcome)

    def _end_with(self, state: State, piece: Piece, outcome: Outcome) -> None:
        """Ends the motion with another outcome than that of its last segment; it may have none."""
        found = self._found
        last = found[-1] if len(found) else replace(Segment.standing(state, outcome, self.settings), piece=piece)
        found.replace_last(replace(last, outcome=outcome))

    def _driver(self, state: State, piece: Piece) -> Driver | None:
        """What goes over switches in machine code from a piece on, if it serves such a system."""
        moving = self._guards.state(state, piece.modes)
        known = self._guards.seen(moving) or (self._begun and self.pieces.only_forces)
        if not known and at_start(moving, self.settings.limits.violation) is not None:
            return None
        self._begun = True
        return self._of(moving)

    def _resets(self, before: State, after: State) -> Driver:
        """The driver whose kernels find the state beyond switches, given on the pieces before and after them.

        Its pivots are chosen for the pieces after, or before, where there are no unique accelerations after.
        """
        try:
            program = self._guards.program(after) if self._guards.seen(after) else program_at(self.pieces.system, after)
        except ModelError:
            program = self._guards.program(before)
        return self._driver_of(program, after)

    def _of(self, moving: State) -> Driver:
        """The driver of the program at a state on the pieces."""
        return self._driver_of(self._guards.program(moving), moving)

    def _driver_of(self, program: Program, moving: State) -> Driver:
        """The driver of a program."""
        key = program, self._implicit
        if key not in self._drivers:
            settings, stiffness = self.settings, None
            if self._implicit:
                rtol = min(settings.rtol, FINE)
                settings, stiffness = replace(settings, method="radau", **settings.tolerances(rtol)), STANDS_IN
            self._drivers[key] = driver = Driver.of(self._watched, settings, program, stiffness)
            driver.begin(moving, self.until, self._table, lambda: self.settings.bound - self._runner.held)
        driver = self._drivers[key]
        driver.work.growth_limit = max(driver.work.growth_limit, self._runner.growth)
        return driver

    def _reversed(self, state: State, piece: Piece) -> Piece | Outcome:
        """A piece beyond the origins of angles that go on smoothly: they jump by π there.

        Whether by π or −π is told by formulas alone that are the same for both. Other motions end.
        """
        turns = [k for k, switch in enumerate(self.pieces.switches) if switch.kind == "turn"]
        if not turns or not self._found[-1].crossed:
            return piece
        segment = self._found[-1]
        g = self._guards.switching(self._guards.state(state, piece.modes))[0]
        modes = dict(piece.modes)
        for k in [k for k in turns if g[k] < 0.0]:
            mode, β = self.pieces.switches[k].mode, modes[self.pieces.switches[k].mode]
            some = [self._at(segment, i) for i in (0, len(segment.t) // 2)]
            once, more = (
                np.array([self._guards.acceleration(self._guards.state(s, {**modes, mode: angle})) for s in some])
                for angle in (β, β + 2 * np.pi)
            )
            if not np.abs(more - once).max() <= PERIODIC * np.abs(once).max():
                words = "passes its origin, where the angle jumps by π or by −π: both are motions; let it pass beside"
                return Outcome(Ending.AMBIGUOUS, state.t, f"{self.pieces.words([k])} {words}")
            modes[mode] = β - float(np.copysign(np.pi, β))
        return replace(piece, modes=modes)

    def _not_left(self, t: float, strayed: Sequence[int]) -> Outcome:
        """The outcome of a motion that stays on switches, to rounding, along which it can not slide."""
        return self._chattering(strayed) if self._piled(t) else self._touching(t, strayed)

    def _piled(self, t: float) -> bool:
        """Whether there were several switches just before a time."""
        times = self._times
        return len(times) >= PILED and abs(t - times[-PILED]) < CROWDED * abs(self.until - self.start.t)

    def _touching(self, t: float, which: Sequence[int]) -> Outcome:
        """The outcome of a motion that touches switches."""
        return Outcome(Ending.AMBIGUOUS, t, TOUCHES.format(which=self.pieces.words(which)))

    def _start_on(self, piece: Piece) -> State:
        """The start; where it lies on a switch, with parts without mass where their constraints are on the piece beyond."""
        pieces, start = self.pieces, self.start
        if not pieces.parts["constraints"] or pieces.of_force:
            return start
        before, after = pieces.here(start), self._guards.state(start, piece.modes)
        modes = {k: pieces.switches[k].mode for k in pieces.parts["constraints"]}
        changed = [k for k, mode in modes.items() if before.parameters[mode] != after.parameters[mode]]
        try:
            done = state_beyond(pieces, self._resets(before, after), before, after, changed) if changed else None
        except ModelError:  # there are no unique accelerations: the start says so
            return start
        if not isinstance(done, tuple) or done[0] is not Crossing.CONSTRAINT:
            return start
        return replace(start, q=done[1].q, v=done[1].v)

    def _at(self, segment: Segment, i: int) -> State:
        y, n = segment.y[i], len(self.start.q)
        return State(self.start.system, float(segment.t[i]), y[:n].copy(), y[n:].copy(), self.start.parameters)

    @property
    def _timed(self) -> dict[Symbol, float]:
        """Modes of switches that depend on time alone."""
        return self._table.modes(self._place)

    def _chattering(self, reached: Iterable[int]) -> Outcome:
        times = self._times
        many = min(RECENT, len(times))
        which, span = self.pieces.words(list(reached)), f"{abs(times[-1] - times[-many]):.3g}"
        words = CHATTERS.format(which=which, many=many, span=span, all=len(times))
        return Outcome(Ending.CHATTERING, times[-1], words)

    def _made(self, state: State, piece: Piece) -> tuple[Drive, State, dict[int, float]]:
        """The motion on one piece by the loop of smooth motion: how it ended, where, and the switches that ended it."""
        moving = self._guards.state(state, piece.modes)
        if not (self._guards.seen(moving) or (self._begun and self.pieces.only_forces)):
            outcome = at_start(moving, self.settings.limits.violation)
            if outcome is not None:
                self._found.append(replace(Segment.standing(state, outcome, self.settings), piece=piece))
                return Drive.FINISHED, state, {}
        self._begun = True
        driver = self._of(moving)
        target = driver.target(moving, self._place)
        segment, found, reached, strayed = self._runner.segment(driver.program, moving, piece, target, self._tell)
        if strayed:
            return Drive.STRAYED, state, dict.fromkeys(strayed, 0.0)
        outcome, status = segment.outcome, Drive.FINISHED
        if segment.t[-1] == target != self.until and outcome.complete:
            self._place, status = self._place + 1, Drive.DECIDE
            outcome = Outcome(Ending.SWITCH, outcome.t, self.pieces.words(self._table.switches))
        if reached and segment.t[-1] == self.until:
            outcome, reached = Outcome(Ending.FINISHED, outcome.t, ""), {}
        elif reached:
            status = Drive.TOUCHED if found is PieceEnd.TOUCHED else Drive.DECIDE
            outcome = Outcome(Ending.SWITCH, outcome.t, self.pieces.words(list(reached)))
        elif outcome.ending is Ending.SWITCH:
            status = Drive.DECIDE
        elif outcome.ending is Ending.STEP_TOO_SMALL and self._piled(outcome.t):
            outcome = self._chattering(self._last)
        segment = replace(segment, start=self._given(state, piece), outcome=outcome, piece=piece)
        self._found.append(segment)
        self._runner.held += segment.held
        return status, self._at(segment, -1), reached

    def _given(self, state: State, piece: Piece) -> State:
        """A state of the system as it was given; the start is the one that the run was given."""
        return self.start if state is self.start else replace(state, turns=self.pieces.turns(piece.modes))

    # what a switch does ---------------------------------------------------------------------------------------------------
    def _after(self, state: State, piece: Piece, flipped: dict[int, float]) -> tuple[Outcome | None, State, Piece]:
        """The state and the piece after a switch; an outcome where the motion ends there."""
        pieces, t, new, struck = self.pieces, state.t, piece, False
        first, changed, energy, leads = state, list(flipped), 0.0, ""
        for _ in range(AT_ONCE):
            modes = new.modes
            try:
                new = self.selector.after(state, new, flipped, self._timed)
            except Undecided as why:
                return Outcome(Ending.AMBIGUOUS, t, str(why)), state, piece
            before, after = (self._guards.state(state, m) for m in (modes, new.modes))
            changed, flipped = [k for k, s in enumerate(pieces.switches) if new.modes[s.mode] != modes[s.mode]], {}
            if pieces.parts["energies"].isdisjoint(changed) and self._only_forces(changed):
                found, beyond = Crossing.NOTHING, state
            else:
                done = state_beyond(pieces, self._resets(before, after), before, after, changed)
                if isinstance(done, Outcome):
                    return done, state, piece
                (found, beyond), energy = done, energy + energy_jump(pieces, before, after)
            if found is Crossing.IMPULSE:
                if not pieces.given.takes(state, after.matrices.M @ (beyond.v - state.v)):
                    return self._not_taken(state, changed), state, piece
                struck = True
            elif found is Crossing.CONSTRAINT:
                leads = pieces.given.jumped((), before, after)
                first = replace(first, q=beyond.q, v=first.v + (beyond.v - state.v))
            else:
                impulse = impulse_between(self._guards.state(first, new.modes), after) if struck else None
                said = switchings(pieces, t, piece, new)
                return None, state, replace(new, switchings=said, impulse=impulse, energy=energy)
            state = replace(state, q=beyond.q, v=beyond.v)
        return Outcome(Ending.CHATTERING, t, leads or RETURNS.format(which=pieces.words(changed))), state, piece

    def _after_contacts(
        self, state: State, piece: Piece, reached: dict[int, float]
    ) -> tuple[Outcome | None, State, Piece]:
        """The same of a system with contacts, by the kernel of the driver."""
        driver = self._of(self._guards.state(state, piece.modes))
        found, beyond, new = driver.crossed(state, piece, reached, self._timed)
        if found is Crossing.NOTHING:
            last, y = _moved_end(self._found[-1], beyond), np.concatenate([state.q, state.v])
            struck = struck_contacts(self.pieces, new.impulse)
            names = contact_events(self.pieces, piece.modes, new.modes, struck)
            said = [Occurrence(name, beyond.t, y) for name in names]
            self._found.replace_last(replace(last, happened=(*last.events, *said)))
            return None, beyond, new
        if found is Crossing.CONTACT:
            return Outcome(Ending.AMBIGUOUS, state.t, driver.contact_words()), state, piece
        return self._after(state, piece, {k: way for k, way in reached.items() if k < len(self.pieces.switches)})

    def _only_forces(self, changed: Sequence[int]) -> bool:
        """Whether nothing but forces and energies depends on some switches."""
        parts = self.pieces.parts
        return parts["constraints"].isdisjoint(changed) and parts["masses"].isdisjoint(changed)

    def _not_taken(self, state: State, changed: Sequence[int]) -> Outcome:
        """How a motion ends in which a contact can not give the impulse that its constraints ask for."""
        said = self.pieces.words(changed)
        words = f"where {said} switches, a contact is struck and can not give the impulse that it would take: "
        return Outcome(Ending.AMBIGUOUS, state.t, words + "the model does not decide what follows")


def _with_method(pieces: SystemPieces, settings: Settings) -> Settings:
    """Settings of a run: contacts that are found among shapes are integrated by the method of Dormand and Prince."""
    if pieces.colliders is None or settings.method == "dop853":
        return settings
    if settings.method != "collocation":
        raise ModelError(f"contacts of zm.Collisions are integrated by method='dop853', not by '{settings.method}'")
    return replace(settings, method="dop853")


def _moved_end(segment: Segment, beyond: State) -> Segment:
    """A segment that ends where the next one begins: the last of a slip follows from its deceleration."""
    if beyond.t == segment.t[-1] or len(segment.t) < 2:
        return segment
    t, y = segment.t.copy(), segment.y.copy()
    t[-1], y[-1] = beyond.t, np.concatenate([beyond.q, beyond.v])
    return replace(segment, t=t, y=y, outcome=replace(segment.outcome, t=beyond.t))
