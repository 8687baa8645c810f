"""The motion of a system whose formulas have kinks or jumps: smooth from one switch to the next.

During a step every formula stays on its piece; a switch is located as events are, and the next step begins there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from zeromass.compile.holding import mean
from zeromass.compile.program import Hold
from zeromass.expression import Symbol, as_expression, rate
from zeromass.integrate.deciding import Deciding, Decision, Undecided, moving_program
from zeromass.integrate.outcome import Ending, Occurrence, Outcome, at_start
from zeromass.integrate.segment import Segment
from zeromass.integrate.settings import Settings
from zeromass.integrate.shocks import shock
from zeromass.integrate.stepping.locate import happenings
from zeromass.integrate.stepping.loop import Loop, stepper_of
from zeromass.integrate.switching import Impulse, Piece, Switching
from zeromass.integrate.timetable import Timetable
from zeromass.model import Event, State, System
from zeromass.model.pieces import SystemPieces

AT_ONCE = 8
"""Switches at one moment after which a motion is given up: one leads back to the other."""

RECENT = 64
"""Switches by whose rate chattering is recognised."""

SHRINKS, STILL = 0.6, 5
"""What is left of the time of so many switches when there have been twice as many, and how many times more would follow."""

CLOSE = 1e-12
"""Time, relative to 1 and to the time itself, before a switch in which a motion that finds no further step is at it."""

PILED, CROWDED = 4, 1e-6
"""Switches, and the part of a run that they take, just before a motion that finds no further step: it chatters."""

LOW = "\0low "
SWITCH = "\0switch "
"""What names of switches begin with among events, and no name of a user does."""


class Switched:
    """One motion of a system with switches, from a start until a time, an event, or what ends it."""

    def __init__(
        self,
        pieces: SystemPieces,
        start: State,
        until: float,
        settings: Settings,
        events: Sequence[Event],
        tell: Callable[[float], None],
    ) -> None:
        self.pieces, self.start, self.until, self.settings = pieces, start, until, settings
        self._tell = tell
        self._asked = tuple(events)
        self._ahead = 1.0 if until >= start.t else -1.0
        self.deciding = Deciding(pieces, self._ahead, stepper_of(settings.chosen).lanes)
        self._events: dict[tuple[Hold, ...], tuple[Event, ...]] = {}
        self._table = Timetable(pieces, start, until)
        self._place = 0  # in the timetable: of the next time
        self._last: dict[int, float] = {}
        self.following: System | None = None
        """The system that the motion goes on with where an impulse is more than its constraints can give."""

    def segments(self) -> list[Segment]:
        """The segments of the motion, one for each piece; the last tells how it ended."""
        found: list[Segment] = []
        try:
            decision = self.deciding.begin(self.start, self._timed)
        except Undecided as why:
            return [Segment.standing(self.start, Outcome(Ending.AMBIGUOUS, self.start.t, str(why)), self.settings)]
        state, piece = self.start, Piece(decision.modes, decision.holds)
        times: list[float] = []  # of switches that are not known ahead
        while True:
            segment, flipped = self._segment(state, piece)
            found.append(segment)
            if segment.outcome.ending is not Ending.SWITCH:
                stuck = segment.outcome.ending is Ending.STEP_TOO_SMALL and len(times) >= PILED
                if stuck and abs(segment.outcome.t - times[-PILED]) < CROWDED * abs(self.until - self.start.t):
                    found[-1] = replace(segment, outcome=self._chattering(times, self._last))
                return found
            state = segment.state(float(segment.t[-1]))
            if flipped:
                times.append(state.t)
                self._last = flipped
                if self._chatters(times):
                    found[-1] = replace(segment, outcome=self._chattering(times, flipped))
                    return found
            outcome, state, piece = self._after(state, piece, flipped)
            if outcome is not None:
                found[-1] = replace(segment, outcome=outcome)
                return found

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
        words = f"{self.deciding.words(list(flipped))} switches faster and faster, {many} times in the last "
        words += f"{abs(times[-1] - times[-many]):.3g} s, {len(times)} times in all; limits=zm.Limits(changes=…) lets it go on for longer"
        return Outcome(Ending.CHATTERING, times[-1], words)

    def _segment(self, state: State, piece: Piece) -> tuple[Segment, dict[int, float]]:
        """The motion on one piece, and the switches that end it, with the side that they go to."""
        moving = self.pieces.state(state, piece.modes)
        if not self.deciding.seen(moving):
            outcome = at_start(moving, self.settings.limits.violation)
            if outcome is not None:
                return replace(Segment.standing(state, outcome, self.settings), piece=piece), {}
        program = moving_program(self.deciding, moving, piece.holds)
        target = self._table.times[self._place] if self._place < len(self._table.times) else self.until
        loop = _Loop(program, moving, target, self.settings, self._watched(piece.holds))
        segment = loop.segment(self._tell)
        loop.work.shrink()
        if segment.outcome.ending in (Ending.NOT_A_NUMBER, Ending.STEP_TOO_SMALL):
            segment = self._up_to_a_switch(segment, moving, piece)
        elif segment.outcome.ending is Ending.EVENT and not piece.holds:
            segment = self._to_the_last_digits(segment, moving, piece)
        end = segment.outcome.t
        asked = [event for event in segment.events if not event.name.startswith((SWITCH, LOW))]
        reached = [event.name for event in segment.events if event.name.startswith(SWITCH)]
        outcome, flipped = segment.outcome, {}
        if segment.t[-1] == target != self.until and outcome.complete:
            self._place += 1
            outcome = Outcome(Ending.SWITCH, end, self.deciding.words(self._table.switches))
        if segment.outcome.ending is Ending.EVENT:
            terminal = {event.name: event for event in self._asked if event.terminal}
            ending = [terminal[event.name] for event in asked if event.name in terminal]
            flipped = {} if ending else dict(self._flipped(name, piece) for name in reached)
            if ending:
                here = segment.state(float(segment.t[-1]))
                outcome = Outcome(Ending.EVENT, end, ", ".join(event.words(here) for event in ending))
            elif segment.t[-1] == self.until:
                outcome = Outcome(Ending.FINISHED, end, "")
            else:
                outcome = Outcome(Ending.SWITCH, end, self.deciding.words(list(flipped)))
        segment = replace(segment, start=self._given(state, piece), outcome=outcome, events=tuple(asked), piece=piece)
        return segment, flipped

    def _given(self, state: State, piece: Piece) -> State:
        """A state of the system as it was given; the start is the one that the run was given."""
        return self.start if state is self.start else replace(state, turns=self.pieces.turns(piece.modes))

    def _to_the_last_digits(self, segment: Segment, moving: State, piece: Piece) -> Segment:
        """A segment that ends at one switch, with this end by Newton's method: g = 0 to rounding."""
        ends = [event.name for event in segment.events if event.t == segment.t[-1] and not event.name.startswith(LOW)]
        if len(ends) != 1 or not ends[0].startswith(SWITCH) or segment.t[-1] == self.until:
            return segment
        k, j = (int(word) for word in ends[0].removeprefix(SWITCH).split())
        switch, n = self.pieces.switches[k], len(moving.q)
        if switch.kind == "turn":
            return segment
        t, y = segment.t.copy(), segment.y.copy()
        allowed = CLOSE * max(1.0, abs(t[-1])), 4 * abs(piece.modes[switch.margin])
        for _ in range(2):
            here = replace(moving, t=float(t[-1]), q=y[-1, :n], v=y[-1, n:])
            slope = np.concatenate([here.v, self.deciding.acceleration(here)])
            left = self.pieces.switching(here)[0][k] - (0.0 if switch.kind == "side" else piece.modes[switch.mode] + j)
            rate = float(self.pieces.slopes(here.inputs)[k] @ np.concatenate([[1.0], slope]))
            if not abs(left) <= abs(rate) * allowed[0] + allowed[1] or abs(left) > abs(rate) * abs(t[-1] - t[-2]) / 2:
                return segment
            t[-1], y[-1] = t[-1] - left / rate, y[-1] - left / rate * slope
        events = tuple(replace(e, t=t[-1], y=y[-1].copy()) if e.name == ends[0] else e for e in segment.events)
        return replace(segment, t=t, y=y, events=events, outcome=replace(segment.outcome, t=float(t[-1])))

    def _up_to_a_switch(self, segment: Segment, moving: State, piece: Piece) -> Segment:
        """A segment that stops just before switches, because its formulas have no values beyond them, ends at them."""
        y, n = segment.y[-1], len(moving.q)
        here = replace(moving, t=float(segment.t[-1]), q=y[:n], v=y[n:])
        slope = np.concatenate([[1.0], here.v, self.deciding.acceleration(here) if not piece.holds else np.zeros(n)])
        late = CLOSE * max(1.0, abs(here.t))
        g, rates = self.pieces.switching(here)[0], self._ahead * (self.pieces.slopes(here.inputs) @ slope)
        reached = []
        for k, switch in enumerate(self.pieces.switches):
            if k in self.pieces.of_time or switch.kind == "turn" or any(h.mode is switch.mode for h in piece.holds):
                continue
            mode = piece.modes[switch.mode]
            ways = ((mode * g[k], mode * rates[k]),)
            if switch.kind == "whole":
                ways = (g[k] - mode, rates[k]), (mode + 1 - g[k], -rates[k])
            reached += [f"{SWITCH}{k} {j}" for j, (left, rate) in enumerate(ways) if rate < 0 and left <= -rate * late]
        if not reached:
            return segment
        happened = tuple(Occurrence(name, here.t, y) for name in reached)
        return replace(segment, outcome=Outcome(Ending.EVENT, here.t, ""), events=(*segment.events, *happened))

    # events -------------------------------------------------------------------------------------------------------------
    def _watched(self, holds: tuple[Hold, ...]) -> tuple[Event, ...]:
        """What is watched on a piece: the events asked for, and what ends it."""
        if holds not in self._events:
            events = [
                replace(event, zero=as_expression(mean(self.pieces.smooth(event.zero), holds).item()))
                for event in self._asked
            ]
            held = {hold.mode: hold for hold in holds}
            for k, switch in enumerate(self.pieces.switches):
                if k in self.pieces.of_time:
                    continue
                leaving = switch.leaving
                if switch.mode in held:
                    hold = held[switch.mode]
                    β = (switch.mode - hold.low) / (hold.high - hold.low)
                    leaving = β + switch.margin, 1 - β + switch.margin
                for j, zero in enumerate(leaving):
                    events.append(Event(f"{SWITCH}{k} {j}", as_expression(zero), direction=-1))
                    if switch.mode not in held:  # where it is lowest it may be below zero, for a moment
                        lowest = as_expression(mean(as_expression(rate(zero)), holds).item())
                        events.append(Event(f"{LOW}{k} {j}", lowest, direction=1, terminal=False))
            self._events[holds] = tuple(events)
        return self._events[holds]

    def _flipped(self, name: str, piece: Piece) -> tuple[int, float]:
        """A switch that was reached, by the name of its event, and the side that it goes to, or whole numbers up or down."""
        k, j = (int(word) for word in name.removeprefix(SWITCH).split())
        switch = self.pieces.switches[k]
        if any(hold.mode is switch.mode for hold in piece.holds):
            return k, -1.0 if j == 0 else 1.0
        return k, -piece.modes[switch.mode] if switch.kind == "side" else (-1.0 if j == 0 else 1.0)

    # what a switch does ---------------------------------------------------------------------------------------------------
    def _after(self, state: State, piece: Piece, flipped: dict[int, float]) -> tuple[Outcome | None, State, Piece]:
        """The state and the piece after a switch; an outcome where the motion ends there."""
        t = state.t
        old, modes = piece, dict(piece.modes)
        impulses: list[Impulse] = []
        energy = 0.0
        decision = Decision(modes, piece.holds)
        for _ in range(AT_ONCE):
            try:
                decision = self.deciding.after(state, decision, flipped, self._timed)
            except Undecided as why:
                return Outcome(Ending.AMBIGUOUS, t, str(why)), state, piece
            before, after = (self.pieces.state(state, m) for m in (modes, decision.modes))
            changed = [k for k, s in enumerate(self.pieces.switches) if decision.modes[s.mode] != modes[s.mode]]
            done = shock(self.pieces, before, after, changed) if changed else None
            if isinstance(done, Outcome):
                return done, state, piece
            if done is not None and done.impulse is not None:
                M = after.matrices.M
                taker = self.pieces.given.struck(state, M @ done.impulse.change)
                if taker is not self.pieces.given:
                    return self._not_taken(state, changed, taker), state, piece
            modes, flipped = decision.modes, {}
            energy += done.energy if done is not None else 0.0
            if done is None or done.impulse is None:
                said = self._switchings(t, old, decision)
                return None, state, Piece(modes, decision.holds, said, _sum(impulses), energy)
            impulses.append(done.impulse)
            state = replace(state, v=done.state.v)
        words = f"{self.deciding.words(changed)} switches to and fro at one moment: each impulse leads back over the switch"
        return Outcome(Ending.CHATTERING, t, words), state, piece

    def _not_taken(self, state: State, changed: Sequence[int], taker: System | None) -> Outcome:
        """How a motion ends in which a contact can not give the impulse that its constraints ask for."""
        said = self.deciding.words(changed)
        if taker is None:
            words = f"where {said} switches, a contact is struck, and its friction or its grip can not give the impulse"
            return Outcome(Ending.AMBIGUOUS, state.t, words + " that it would take; what follows is not decided by the model")
        self.following = taker
        words = f"where {said} switches, it would take an impulse that no friction gives: {taker.kind} from here on"
        return Outcome(Ending.EVENT, state.t, words)

    def _switchings(self, t: float, old: Piece, new: Decision) -> tuple[Switching, ...]:
        held = {hold.mode for hold in new.holds}
        were = {hold.mode for hold in old.holds}
        found = []
        for switch in self.pieces.switches:
            before, after = old.modes[switch.mode], new.modes[switch.mode]
            if switch.mode in held:
                if switch.mode not in were:
                    found.append(Switching(t, switch.said, 0))
            elif switch.mode in were:
                found.append(Switching(t, switch.said, 1 if after >= _high(old, switch.mode) else -1))
            elif before != after:
                found.append(Switching(t, switch.said, int(np.sign(after - before))))
        return tuple(found)


class _Loop(Loop):
    """Steps on one piece: a switching function that falls below zero and returns between two places is seen too."""

    def closer(self, values: Callable[[np.ndarray], np.ndarray], places: np.ndarray) -> np.ndarray:
        low = [event for event in self.watched if event.name.startswith(LOW)]
        which = [k for k, event in enumerate(self.watched) if event.name.startswith(LOW)]
        lowest = happenings(low, lambda times: values(times)[:, which], places)[0]
        if not lowest:
            return places
        ahead = 1.0 if places[-1] > places[0] else -1.0
        return ahead * np.unique(ahead * np.concatenate([places, [time for time, _ in lowest]]))


def _high(piece: Piece, mode: object) -> float:
    return next(hold.high for hold in piece.holds if hold.mode is mode)


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
