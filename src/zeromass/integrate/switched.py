"""The motion of a system whose formulas have kinks or jumps: smooth from one switch to the next.

During a step every formula stays on its piece; a switch is located as events are, and the next step begins there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from zeromass.compile.program import Program
from zeromass.expression import Symbol
from zeromass.integrate.hybrid.driver import BEYOND, LOOKS
from zeromass.integrate.hybrid.endings import CHATTERS, RETURNS, TOUCHES
from zeromass.integrate.hybrid.memory import Drive
from zeromass.integrate.hybrid.mode_selector import ModeSelector, Selector, mode_selector
from zeromass.integrate.hybrid.motion import Driver
from zeromass.integrate.hybrid.piece_end import PieceEnd
from zeromass.integrate.hybrid.watched import Watched
from zeromass.integrate.outcome import Ending, Outcome, at_start
from zeromass.integrate.reaching import Reaching
from zeromass.integrate.segment import Segment, Segments
from zeromass.integrate.settings import Settings
from zeromass.integrate.shocks import Shock, shock
from zeromass.integrate.stepping.loop import lanes_of
from zeromass.integrate.switching import (
    CROWDED,
    PILED,
    RECENT,
    SHRINKS,
    STILL,
    Decision,
    Impulse,
    Piece,
    Switching,
    switchings,
)
from zeromass.integrate.timetable import TOGETHER, Timetable
from zeromass.model import Event, State, System
from zeromass.model.pieces import SystemPieces, Undecided

MOST_SKIPPED = 64
"""Pieces at most that are made without the driver, after it has left several."""

AT_ONCE = 8
"""Switches at one moment after which a motion is given up: one leads back to the other."""

PERIODIC = 1e-9
"""Part of accelerations by which they may differ where an angle is larger by 2π, and its formulas count as periodic."""

PARTS = tuple(2.0**-k for k in range(6, -1, -1))
"""Of the time between switches that count as one, by which one of them may be earlier or later."""


class Switched:
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
        held: int = 0,
    ) -> None:
        self.pieces, self.start, self.until, self.settings = pieces, start, until, settings
        self._tell = tell
        self._asked = tuple(events)
        self._ahead = 1.0 if until >= start.t else -1.0
        self.deciding: Selector = mode_selector(pieces, self._ahead, lanes_of(settings.chosen))
        self._standing = self.deciding.standing
        self._watched = Watched(pieces, self._asked, self._ahead)
        self._reaching = Reaching(self.deciding, settings, self._watched, until)
        self._reaching.held = held
        self._table = Timetable(pieces, start, until, [event.zero for event in self._asked])
        self._place = 0  # in the timetable: of the next time
        self._last: dict[int, float] = {}
        self._begun = False
        self.following: System | None = None
        """The system that the motion goes on with where an impulse is more than its constraints can give."""

    def segments(self) -> Segments:
        """The segments of the motion, one for each piece; the last tells how it ended."""
        self._drivers: dict[Program, Driver] = {}
        found = self._segments()
        for driver in self._drivers.values():
            driver.release(self._watched)
        return found

    def _segments(self) -> Segments:
        if self.pieces.in_forces:
            from zeromass.integrate.large import at_large_start  # few systems are

            moving = self._standing.state(self.start, self._timed)
            outcome = at_large_start(self._standing.program(moving), moving, self.settings.limits.violation)
            if outcome is not None:
                return Segments([Segment.standing(self.start, outcome, self.settings)])
            self._begun = True
        if (
            isinstance(self.deciding, ModeSelector)
            and self.pieces.only_forces
            and Driver.serves(self.pieces, self.settings, self._asked)
        ):
            modes = {switch.mode: self._timed.get(switch.mode, 1.0) for switch in self.pieces.switches}
            driver = self._of(self._standing.state(self.start, modes))
            self.deciding.use(driver.slow, driver.w)
        try:
            decision = self.deciding.begin(self.start, self._timed)
        except Undecided as why:
            outcome = Outcome(Ending.AMBIGUOUS, self.start.t, str(why))
            return Segments([Segment.standing(self.start, outcome, self.settings)])
        state, piece = self._led(decision), Piece(decision.modes, decision.holds)
        times: list[float] = []  # of switches that are not known ahead
        found, waits, skips = Segments(), 0, 1
        while True:
            status, flipped = Drive.LEFT, dict[int, float]()
            driver = self._driver(state, piece) if waits == 0 else None
            if driver is not None and self._quiet(driver, state, piece):
                driven = driver.run(self.start, state, piece, self._place, times, self._tell)
                found.promise(driven.segments, self.start.system)
                status, flipped = driven.status, driven.reached
                if driven.interrupted:
                    outcome = Outcome(Ending.INTERRUPTED, driven.state.t, "what was computed so far is kept")
                    self._end_with(found, driven.state, driven.piece, outcome)
                if status is Drive.TOUCHED:
                    self._end_with(found, driven.state, driven.piece, self._touching(driven.state.t, list(flipped)))
                if driven.interrupted or status in (Drive.FINISHED, Drive.EVENT, Drive.TOUCHED):
                    return found
                self._note_events(driver, found, len(driven.segments))
                state, piece, self._place = driven.state, driven.piece, driven.place
                waits, skips = (0, 1) if driven.segments else (skips, min(2 * skips, MOST_SKIPPED))
            waits = max(waits - 1, 0)
            if status is Drive.LEFT:
                segment, flipped = self._segment(state, piece)
                if (
                    segment.outcome.ending is not Ending.EVENT
                    and not flipped
                    and (gone := self._strayed(segment, piece))
                ):
                    status, flipped = Drive.STRAYED, dict.fromkeys(gone, 0.0)
                else:
                    found.append(segment)
                    self._reaching.held += segment.held
                    if segment.outcome.ending is not Ending.SWITCH:
                        stuck = segment.outcome.ending is Ending.STEP_TOO_SMALL and len(times) >= PILED
                        if stuck and abs(segment.outcome.t - times[-PILED]) < CROWDED * abs(self.until - self.start.t):
                            found.replace_last(replace(segment, outcome=self._chattering(times, self._last)))
                        return found
                    state = self._end(segment)
            if (
                status is Drive.STRAYED
            ):  # from a switch that it does not leave: what follows on either side is no motion
                self._end_with(found, state, piece, self._not_left(state.t, list(flipped), times))
                return found
            outcome, state, piece = self._next(found, state, piece, flipped, times)
            if outcome is not None:
                self._end_with(found, state, piece, outcome)
                return found

    def _next(
        self, found: Segments, state: State, piece: Piece, flipped: dict[int, float], times: list[float]
    ) -> tuple[Outcome | None, State, Piece]:
        """The state and the piece after one that has ended; an outcome where the motion ends there."""
        reversed_ = self._reversed(found[-1], state, piece)
        if isinstance(reversed_, Outcome):
            return reversed_, state, piece
        if flipped:
            times.append(state.t)
            self._last = flipped
            if self._chatters(times):
                return self._chattering(times, flipped), state, piece
        return self._after(state, reversed_, flipped)

    def _end_with(self, found: Segments, state: State, piece: Piece, outcome: Outcome) -> None:
        """Ends the motion with another outcome than that of its last segment; it may have none."""
        found.replace_last(replace(found[-1], outcome=outcome) if len(found) else self._none(state, piece, outcome))

    def _note_events(self, driver: Driver, found: Segments, segments: int) -> None:
        """Keeps the functions of events where the last piece that was driven ends."""
        if self._asked and segments:
            last = found[-1]
            values = driver.event_values(float(last.t[-1]), last.y[-1], cast(Piece, last.piece))
            self._reaching.before = values[: len(self._asked)].tolist()

    def _quiet(self, driver: Driver, state: State, piece: Piece) -> bool:
        """Whether no event happens where a piece begins: none has jumped through zero, and none must not even be there."""
        if not self._asked:
            return True
        values = driver.event_values(state.t, np.concatenate([state.q, state.v]), piece)[: len(self._asked)]
        if any(event.guard and value * event.direction > 0 for event, value in zip(self._asked, values, strict=True)):
            return False
        return all(old * new > 0 for old, new in zip(self._reaching.before, values.tolist(), strict=False))

    def _driver(self, state: State, piece: Piece) -> Driver | None:
        """What goes over switches in machine code from a piece on, if it serves such a system."""
        if not Driver.serves(self.pieces, self.settings, self._asked):
            return None
        moving = self._standing.state(state, piece.modes)
        known = self._standing.seen(moving) or (self._begun and self.pieces.only_forces)
        if not known and at_start(moving, self.settings.limits.violation) is not None:
            return None
        self._begun = True
        return self._of(moving)

    def _of(self, moving: State) -> Driver:
        """The driver of the program at a state on the pieces."""
        program = self._standing.program(moving)
        if program not in self._drivers:
            self._drivers[program] = driver = Driver.of(self._watched, self.settings, program)
            driver.begin(moving, self.until, self._table, lambda: self.settings.bound - self._reaching.held)
        driver = self._drivers[program]
        driver.work.growth_limit = max(driver.work.growth_limit, self._reaching.growth)
        return driver

    def _reversed(self, segment: Segment, state: State, piece: Piece) -> Piece | Outcome:
        """A piece beyond the origins of angles that go on smoothly: they jump by π there.

        Whether by π or −π is told by formulas alone that are the same for both. Other motions end.
        """
        turns = [k for k, switch in enumerate(self.pieces.switches) if switch.kind == "turn"]
        if not turns or not segment.crossed:
            return piece
        g = self._standing.switching(self._standing.state(state, piece.modes))[0]
        modes = dict(piece.modes)
        for k in [k for k in turns if g[k] < 0.0]:
            mode, β = self.pieces.switches[k].mode, modes[self.pieces.switches[k].mode]
            some = [self._at(segment, i) for i in (0, len(segment.t) // 2)]
            once, more = (
                np.array([self._standing.acceleration(self._standing.state(s, {**modes, mode: angle})) for s in some])
                for angle in (β, β + 2 * np.pi)
            )
            if not np.abs(more - once).max() <= PERIODIC * np.abs(once).max():
                words = "passes its origin, where the angle jumps by π or by −π: both are motions; let it pass beside"
                return Outcome(Ending.AMBIGUOUS, state.t, f"{self._standing.words([k])} {words}")
            modes[mode] = β - float(np.copysign(np.pi, β))
        return replace(piece, modes=modes)

    def _strayed(self, segment: Segment, piece: Piece) -> list[int]:
        """Switches beyond which a segment has come, though it was to end there: it began on them, and returned unseen."""
        pieces, held = self.pieces, {hold.mode for hold in piece.holds}
        watched = [
            k
            for k, switch in enumerate(pieces.switches)
            if switch.kind == "side"
            and pieces.of_place[k]
            and k not in pieces.of_force
            and switch.mode not in held
            and piece.modes[switch.mode] != 0.0
        ]
        if not watched or len(segment.t) < 2:
            return []
        modes = [piece.modes[switch.mode] for switch in pieces.switches]
        end = self._standing.state(self._end(segment), piece.modes)
        g, slopes = self._standing.switching(end)[0], np.abs(self._standing.slopes(end)[:, 1:])
        allowed = slopes @ (self.settings.atol + self.settings.rtol * np.abs(segment.y[-1]))
        margins = [abs(piece.modes[switch.margin]) + off for switch, off in zip(pieces.switches, allowed, strict=True)]
        beyond = [k for k in watched if not g[k] * modes[k] >= -margins[k]]
        if not beyond:
            return []
        n, some = len(self.start.q), np.unique(np.linspace(0, len(segment.t) - 1, LOOKS).astype(int))
        rows = [replace(self.start, t=float(segment.t[i]), q=segment.y[i, :n], v=segment.y[i, n:]) for i in some]
        sizes = np.max([pieces.switching(pieces.state(row, piece.modes))[1] for row in rows], axis=0)
        return [k for k in beyond if not g[k] * modes[k] >= -BEYOND * sizes[k]]

    def _not_left(self, t: float, strayed: Sequence[int], times: Sequence[float]) -> Outcome:
        """The outcome of a motion that stays on switches, to rounding, along which it can not slide."""
        if len(times) >= PILED and abs(t - times[-PILED]) < CROWDED * abs(self.until - self.start.t):
            return self._chattering(times, dict.fromkeys(strayed, 0.0))
        return self._touching(t, strayed)

    def _touching(self, t: float, which: Sequence[int]) -> Outcome:
        """The outcome of a motion that touches switches."""
        return Outcome(Ending.AMBIGUOUS, t, TOUCHES.format(which=self._standing.words(which)))

    def _none(self, state: State, piece: Piece, outcome: Outcome) -> Segment:
        return replace(Segment.standing(state, outcome, self.settings), piece=piece)

    def _led(self, decision: Decision) -> State:
        """The start; where it lies on a switch, with parts without mass where their constraints are on the piece beyond."""
        pieces, start = self.pieces, self.start
        if not pieces.parts["constraints"] or pieces.of_force:
            return start
        before, after = pieces.here(start), self._standing.state(start, decision.modes)
        modes = {k: pieces.switches[k].mode for k in pieces.parts["constraints"]}
        changed = [k for k, mode in modes.items() if before.parameters[mode] != after.parameters[mode]]
        done = shock(pieces, before, after, changed, self._standing.words(changed)) if changed else None
        return replace(start, q=done.state.q, v=done.state.v) if isinstance(done, Shock) and done.leapt else start

    def _end(self, segment: Segment) -> State:
        return self._at(segment, -1)

    def _at(self, segment: Segment, i: int) -> State:
        y, n = segment.y[i], len(self.start.q)
        return State(self.start.system, float(segment.t[i]), y[:n].copy(), y[n:].copy(), self.start.parameters)

    @property
    def _timed(self) -> dict[Symbol, float]:
        """Modes of switches that depend on time alone."""
        return self._table.modes(self._place)

    def _chatters(self, times: Sequence[float]) -> bool:
        """Whether switches follow one another faster and faster, so that there would be no end of them."""
        count = len(times)
        if count < RECENT:
            return False
        span = abs(times[-1] - times[-RECENT])
        if span < self.settings.limits.stalled * abs(self.until - self.start.t):
            return True
        half = count // 2
        if count < max(self.settings.limits.changes, 2 * RECENT):
            return False
        before = abs(times[half] - times[half - RECENT])
        return span < SHRINKS * before and abs(self.until - times[-1]) * RECENT > STILL * count * span

    def _chattering(self, times: Sequence[float], flipped: dict[int, float]) -> Outcome:
        many = min(RECENT, len(times))
        which, span = self._standing.words(list(flipped)), f"{abs(times[-1] - times[-many]):.3g}"
        words = CHATTERS.format(which=which, many=many, span=span, all=len(times))
        return Outcome(Ending.CHATTERING, times[-1], words)

    def _segment(self, state: State, piece: Piece) -> tuple[Segment, dict[int, float]]:
        """The motion on one piece, and the switches that end it, with the side that they go to."""
        moving = self._standing.state(state, piece.modes)
        if not (self._standing.seen(moving) or (self._begun and self.pieces.only_forces)):
            outcome = at_start(moving, self.settings.limits.violation)
            if outcome is not None:
                return replace(Segment.standing(state, outcome, self.settings), piece=piece), {}
        self._begun = True
        program = self._standing.program(moving)
        target = self._next_time(moving, piece) if self._place < len(self._table.times) else self.until
        segment, found, reached = self._reaching.segment(program, moving, piece, target, self._tell)
        end, outcome, flipped = segment.outcome.t, segment.outcome, dict[int, float]()
        if segment.t[-1] == target != self.until and outcome.complete:
            self._place += 1
            outcome = Outcome(Ending.SWITCH, end, self._standing.words(self._table.switches))
        if found is PieceEnd.TOUCHED:
            outcome = self._touching(end, list(reached))
        elif reached and segment.t[-1] == self.until:
            outcome = Outcome(Ending.FINISHED, end, "")
        elif reached:
            outcome, flipped = Outcome(Ending.SWITCH, end, self._standing.words(list(reached))), reached
        segment = replace(segment, start=self._given(state, piece), outcome=outcome, piece=piece)
        return segment, flipped

    def _next_time(self, moving: State, piece: Piece) -> float:
        """The next time of the timetable: to rounding, and where the formulas before and after it have values.

        As exp(−1/(1 − s²)) between s = −1 and 1, which rounding makes infinite at the ends.
        """
        t = float(self._table.times[self._place])
        if self.pieces.timeless:
            return t
        before, after = (
            self._standing.state(moving, {**piece.modes, **self._table.modes(place)})
            for place in (self._place, self._place + 1)
        )
        inputs, seen = np.array([before.inputs, after.inputs]), self._standing.seen(after)
        moved = seen and self._standing.seen(before)

        def defined(time: float) -> bool:
            if moved:
                slopes = [self._standing.acceleration(replace(state, t=time)) for state in (before, after)]
                return bool(np.isfinite(slopes).all())
            inputs[:, 0] = time
            with np.errstate(all="ignore"):
                values = all(np.isfinite(block).all() for block in self.pieces.system.matrices(inputs))
                return values and (seen or not replace(after, t=time).overflowing)

        late = [way * part * TOGETHER * max(1.0, abs(t)) for part in PARTS for way in (1.0, -1.0)]
        return next((time for time in (t, *[t + δ for δ in late]) if defined(time)), t)

    def _given(self, state: State, piece: Piece) -> State:
        """A state of the system as it was given; the start is the one that the run was given."""
        return self.start if state is self.start else replace(state, turns=self.pieces.turns(piece.modes))

    # what a switch does ---------------------------------------------------------------------------------------------------
    def _after(self, state: State, piece: Piece, flipped: dict[int, float]) -> tuple[Outcome | None, State, Piece]:
        """The state and the piece after a switch; an outcome where the motion ends there."""
        t = state.t
        old, modes = piece, dict(piece.modes)
        impulses: list[Impulse] = []
        energy, leads = 0.0, ""
        decision, changed = Decision(modes, piece.holds), list(flipped)
        for _ in range(AT_ONCE):
            try:
                decision = self.deciding.after(state, decision, flipped, self._timed)
            except Undecided as why:
                return Outcome(Ending.AMBIGUOUS, t, str(why)), state, piece
            before, after = (self._standing.state(state, m) for m in (modes, decision.modes))
            changed = [k for k, s in enumerate(self.pieces.switches) if decision.modes[s.mode] != modes[s.mode]]
            done = shock(self.pieces, before, after, changed, self._standing.words(changed)) if changed else None
            if isinstance(done, Outcome):
                return done, state, piece
            if done is not None and done.impulse is not None:
                M = after.matrices.M
                taker = self.pieces.given.struck(state, M @ done.impulse.change)
                if taker is not self.pieces.given:
                    return self._not_taken(state, changed, taker), state, piece
            modes, flipped = decision.modes, {}
            energy += done.energy if done is not None else 0.0
            if done is not None and done.leapt:
                leads = self.pieces.given.jumped((), before, after)
                state = replace(state, q=done.state.q, v=done.state.v)
                continue
            if done is None or done.impulse is None:
                said = self._switchings(t, old, decision)
                return None, state, Piece(modes, decision.holds, said, _sum(impulses), energy)
            impulses.append(done.impulse)
            state = replace(state, v=done.state.v)
        words = RETURNS.format(which=self._standing.words(changed))
        return Outcome(Ending.CHATTERING, t, leads or words), state, piece

    def _not_taken(self, state: State, changed: Sequence[int], taker: System | None) -> Outcome:
        """How a motion ends in which a contact can not give the impulse that its constraints ask for."""
        said = self._standing.words(changed)
        if taker is None:
            words = (
                f"where {said} switches, a contact is struck and can not give the impulse that it would take, by its "
            )
            return Outcome(
                Ending.AMBIGUOUS, state.t, words + "friction or its grip: the model does not decide what follows"
            )
        self.following = taker
        words = f"where {said} switches, it would take an impulse that no friction gives: {taker.kind} from here on"
        return Outcome(Ending.EVENT, state.t, words)

    def _switchings(self, t: float, old: Piece, new: Decision) -> tuple[Switching, ...]:
        return switchings(self.pieces, t, old, Piece(new.modes, new.holds))


def _sum(impulses: Sequence[Impulse]) -> Impulse | None:
    """Impulses at one moment as one."""
    if len(impulses) < 2:
        return impulses[0] if impulses else None
    total: dict[str, float] = {}
    for impulse in impulses:
        for name, p in zip(impulse.constraints, impulse.impulses, strict=True):
            total[name] = total.get(name, 0.0) + float(p)
    change = np.sum([impulse.change for impulse in impulses], axis=0)
    energy = sum(impulse.energy for impulse in impulses)
    return Impulse(impulses[0].t, tuple(total), np.array(list(total.values())), change, energy)
