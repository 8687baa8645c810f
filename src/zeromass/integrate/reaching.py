"""Where a piece ends: its switches are watched like events, and located to the last digits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from zeromass.compile.holding import mean
from zeromass.compile.program import Hold, Program
from zeromass.expression import Array, Evaluator, Expression, as_expression, rate
from zeromass.integrate.deciding import Deciding
from zeromass.integrate.outcome import Ending, Occurrence, Outcome
from zeromass.integrate.segment import Segment
from zeromass.integrate.settings import Settings
from zeromass.integrate.stepping.layout import Real64
from zeromass.integrate.stepping.locate import happenings
from zeromass.integrate.stepping.loop import Loop, lanes_of
from zeromass.integrate.switching import Piece
from zeromass.model import Event, State
from zeromass.model.state import ROUNDING

CLOSE = 1e-12
"""Time, relative to 1 and to the time itself, before a switch in which a motion that finds no further step is at it."""

FLAT = 1e-2
"""Change of a switching function in a step, as a part of its terms, below which its zero is found from a step of its own."""

INSIDE, SEEN, FINER, SHORTEST = 16, 1e-2, 8, 1e-6
"""Places in a step at which what ends a piece is looked at, how well they must tell it, by what steps become shorter where
they do not, and the part of a run that is the shortest."""

LOW, SWITCH = "\0low ", "\0switch "
"""What names of switches, and of places where their functions are lowest, begin with among events; no user's name does."""


def own(name: str) -> bool:
    """Whether an event is one of these."""
    return name.startswith((LOW, SWITCH))


class Reaching:
    """Motions on one piece, up to what ends it."""

    def __init__(self, deciding: Deciding, settings: Settings, asked: Sequence[Event]) -> None:
        self.deciding, self.pieces, self.settings = deciding, deciding.pieces, settings
        self._asked = tuple(asked)
        self._retakes = settings.step is None and lanes_of(settings.chosen) == 1  # its steps are the best
        self._events: dict[tuple[Hold, ...], tuple[Event, ...]] = {}
        self.held: int = 0
        """Memory of the segments before, bytes."""

    def segment(
        self, program: Program, moving: State, piece: Piece, target: float, tell: Callable[[float], None]
    ) -> Segment:
        """The motion from a state on a piece until a time or an event, switches of its own among them."""
        segment = self._stepped(program, moving, piece, target, tell)
        if segment.outcome.ending in (Ending.NOT_A_NUMBER, Ending.STEP_TOO_SMALL):
            return self._up_to_a_switch(segment, moving, piece)
        if segment.outcome.ending is Ending.EVENT and not piece.holds and segment.t[-1] != target:
            return self._to_the_last_digits(segment, program, moving, piece)
        return segment

    def _stepped(
        self, program: Program, moving: State, piece: Piece, target: float, tell: Callable[[float], None]
    ) -> Segment:
        """The steps of a motion on a piece, short enough for what ends it to be seen, which the motion need not feel."""
        settings = self.settings
        held = {hold.mode for hold in piece.holds}
        bent = [k for k, s in enumerate(self.pieces.switches) if s.mode in held or k in self.pieces.bent]
        bent = [k for k in bent if k not in self.pieces.of_time and self.pieces.switches[k].kind != "turn"]
        leaving = [zero for k in bent for zero in self._leaving(k, piece.holds)]
        while True:
            loop = PieceLoop(program, moving, target, settings, self.watched(piece.holds), held=self.held)
            segment = loop.segment(tell)
            loop.work.shrink()
            if not leaving or settings.step is not None or len(segment.t) < 2:
                return segment
            length = _unseen(segment, program.solved(leaving))
            if length is None or length < SHORTEST * abs(target - moving.t):
                return replace(segment, settings=self.settings)
            settings = replace(settings, longest_step=length / FINER)

    def _leaving(self, k: int, holds: tuple[Hold, ...]) -> tuple[Expression, ...]:
        """What falls through zero where a motion leaves a piece, or what holds it, at a switch."""
        switch = self.pieces.switches[k]
        for hold in holds:
            if hold.mode is switch.mode:
                β = (switch.mode - hold.low) / (hold.high - hold.low)
                return β + switch.margin, 1 - β + switch.margin
        return switch.leaving

    def watched(self, holds: tuple[Hold, ...]) -> tuple[Event, ...]:
        """What is watched on a piece: the events asked for, and what ends it."""
        if holds not in self._events:
            events = [
                replace(event, zero=as_expression(mean(self.pieces.smooth(event.zero), holds).item()))
                for event in self._asked
            ]
            held = {hold.mode for hold in holds}
            for k, switch in enumerate(self.pieces.switches):
                if k in self.pieces.of_time:
                    continue
                for j, zero in enumerate(self._leaving(k, holds)):
                    events.append(Event(f"{SWITCH}{k} {j}", as_expression(zero), direction=-1))
                    if (
                        k in self.pieces.of_force
                    ):  # it has no rate before it is solved for, and is looked at inside steps
                        continue
                    if switch.mode not in held:  # where it is lowest it may be below zero, for a moment
                        lowest = as_expression(mean(as_expression(rate(zero)), holds).item())
                        events.append(Event(f"{LOW}{k} {j}", lowest, direction=1, terminal=False))
            self._events[holds] = tuple(events)
        return self._events[holds]

    def flipped(self, names: Sequence[str], piece: Piece) -> dict[int, float]:
        """The switches that were reached, by names of events, and the side that each goes to, or numbers up or down."""
        found: dict[int, float] = {}
        for name in names:
            if name.startswith(SWITCH):
                k, j = _place(name)
                switch, way = self.pieces.switches[k], -1.0 if j == 0 else 1.0
                held = any(hold.mode is switch.mode for hold in piece.holds)
                found[k] = -piece.modes[switch.mode] if switch.kind == "side" and not held else way
        return found

    def _to_the_last_digits(self, segment: Segment, program: Program, moving: State, piece: Piece) -> Segment:
        """A segment that ends at one switch, with this end by Newton's method: g = 0 to rounding."""
        ends = [event.name for event in segment.events if event.t == segment.t[-1] and not event.name.startswith(LOW)]
        if len(ends) != 1 or not own(ends[0]):
            return segment
        k, j = _place(ends[0])
        switch, n = self.pieces.switches[k], len(moving.q)
        if switch.kind == "turn":
            return segment
        border = 0.0 if switch.kind == "side" else piece.modes[switch.mode] + j
        t, y, length = segment.t.copy(), segment.y.copy(), abs(segment.t[-1] - segment.t[-2])
        margin = 4 * abs(piece.modes[switch.margin])
        for again in (False, False, True):
            here = replace(moving, t=float(t[-1]), q=y[-1, :n], v=y[-1, n:])
            g, sizes = self.pieces.switching(here)
            slope = np.concatenate([here.v, self.deciding.acceleration(here)])
            falls = float(self.pieces.slopes(here.inputs)[k] @ np.concatenate([[1.0], slope]))
            off = g[k] - border
            if not abs(off) <= abs(falls) * CLOSE * max(1.0, abs(t[-1])) + margin or abs(off) > abs(falls) * length / 2:
                return segment
            t[-1], y[-1] = t[-1] - off / falls, y[-1] - off / falls * slope
            if not again and self._retakes and abs(falls) * length < FLAT * sizes[k]:
                before = replace(moving, t=float(t[-2]), q=y[-2, :n], v=y[-2, n:])
                loop = Loop(program, before, float(t[-1]), self.settings, ())
                loop.work.reals[Real64.h] = t[-1] - t[-2]  # in one step, as it was
                y[-1] = loop.segment(lambda t: None).y[-1]
                margin = np.inf
        beyond = -np.sign(falls) * (
            self.pieces.switching(replace(here, q=y[-1, :n], v=y[-1, n:], t=t[-1]))[0][k] - border
        )
        if beyond * self.deciding.ahead > 0:  # it ends where the next piece begins
            late = 2 * (abs(beyond) + ROUNDING * sizes[k]) / falls
            t[-1], y[-1] = t[-1] + abs(late) * self.deciding.ahead, y[-1] + abs(late) * self.deciding.ahead * slope
        events = tuple(replace(e, t=float(t[-1]), y=y[-1].copy()) if e.name == ends[0] else e for e in segment.events)
        return replace(segment, t=t, y=y, events=events, outcome=replace(segment.outcome, t=float(t[-1])))

    def _up_to_a_switch(self, segment: Segment, moving: State, piece: Piece) -> Segment:
        """A segment that stops just before switches, because its formulas have no values beyond them, ends at them."""
        y, n = segment.y[-1], len(moving.q)
        here = replace(moving, t=float(segment.t[-1]), q=y[:n], v=y[n:])
        slope = np.concatenate([[1.0], here.v, np.zeros(n) if piece.holds else self.deciding.acceleration(here)])
        late = CLOSE * max(1.0, abs(here.t))
        g, rates = self.pieces.switching(here)[0], self.deciding.ahead * (self.pieces.slopes(here.inputs) @ slope)
        reached: list[str] = []
        for k, switch in enumerate(self.pieces.switches):
            if k in self.pieces.of_time or switch.kind == "turn" or any(h.mode is switch.mode for h in piece.holds):
                continue
            mode = piece.modes[switch.mode]
            ways = ((mode * g[k], mode * rates[k]),)
            if switch.kind == "whole":
                ways = (g[k] - mode, rates[k]), (mode + 1 - g[k], -rates[k])
            reached += [
                f"{SWITCH}{k} {j}" for j, (left, falls) in enumerate(ways) if falls < 0 and left <= -falls * late
            ]
        if not reached:
            return segment
        happened = tuple(Occurrence(name, here.t, y) for name in reached)
        return replace(segment, outcome=Outcome(Ending.EVENT, here.t, ""), events=(*segment.events, *happened))


def _unseen(segment: Segment, leaving: Array) -> float | None:
    """The longest step in which functions that should stay positive are not followed well enough to tell; None if none is.

    They are looked at inside all steps, and every second value is compared with what those around it make of it.
    """
    t0, h = segment.t[:-1, None], np.diff(segment.t)[:, None]
    times = t0 + h * np.linspace(0.0, 1.0, INSIDE + 1)
    y = segment.dense(np.clip(times.ravel(), *sorted((segment.t[0], segment.t[-1]))))
    values = np.array([segment.start.parameters[p] for p in segment.start.system.parameters])
    inputs = np.concatenate([times.ravel()[:, None], y, np.broadcast_to(values, (len(y), len(values)))], axis=1)
    f = Evaluator(leaving, segment.start.system.inputs)(inputs).reshape(*times.shape, -1)
    between = (9 * (f[:, 2:-3:2] + f[:, 4:-1:2]) - f[:, 0:-5:2] - f[:, 6::2]) / 16
    off = np.abs(between - f[:, 3:-2:2]).max(axis=1)
    lowest = f[:, 1:-1].min(axis=1)
    bend = f[:, :-2] - 2 * f[:, 1:-1] + f[:, 2:]
    dips = (f[:, 1:-1] <= f[:, :-2]) & (f[:, 1:-1] <= f[:, 2:]) & (f[:, 1:-1] < bend / 4)  # below zero beside a place
    size = np.abs(f).max(axis=1)
    falls = 2 * f[:, 1] - 1.5 * f[:, 0] - f[:, 2] / 2 < 0
    first = falls & (f[:, 0] < bend[:, 0] / 4) & (f[:, 0] > SEEN**4 * size)  # the same beside the start of a step
    blind = (off > SEEN * size) & (lowest < off + SEEN * size)
    bad = np.any(blind | dips.any(axis=1) | first | (lowest < -(SEEN**4) * size), axis=1)
    return float(np.abs(h[bad]).max()) if bad.any() else None


class PieceLoop(Loop):
    """Steps on one piece: a switching function that falls below zero and returns between two places is seen too."""

    def closer(self, values: Callable[[float], np.ndarray], places: list[float]) -> list[float]:
        which = [k for k, event in enumerate(self.watched) if event.name.startswith(LOW)]
        lowest, _ = happenings([self.watched[k] for k in which], lambda t: values(t)[which], places)
        if not lowest:
            return places
        ahead = 1.0 if places[-1] > places[0] else -1.0
        return sorted({*places, *[time for time, _ in lowest]}, key=lambda t: ahead * t)

    def follows(self, event: Event) -> bool:
        return not event.name.startswith(LOW)  # which is the slope of another


def _place(name: str) -> tuple[int, int]:
    """A switch, and which of its functions, by the name of an event."""
    k, j = name.removeprefix(SWITCH).split()
    return int(k), int(j)
