"""Where a piece ends: its switches are watched like events, and located to the last digits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from zeromass.compile.program import Program
from zeromass.expression import Expression, as_expression, jacobian, symbols
from zeromass.expression.node import ordered
from zeromass.integrate.deciding import Deciding
from zeromass.integrate.grazing import Grazing
from zeromass.integrate.outcome import Ending, Occurrence, Outcome
from zeromass.integrate.piecewise import GRAZE, HOLD, LOW, REMEMBERED, SWITCH, PieceLoop, place_of
from zeromass.integrate.segment import Segment
from zeromass.integrate.settings import Settings
from zeromass.integrate.stepping.kinks import kinks
from zeromass.integrate.stepping.loop import lanes_of
from zeromass.integrate.switching import Piece
from zeromass.integrate.terms import lengths_in
from zeromass.kernel.negative_values import ROUNDING as NEGATIVE
from zeromass.model import Event, State
from zeromass.model.pieces import SystemPieces
from zeromass.model.sliding import Guard, acting, guards
from zeromass.model.state import ROUNDING

CLOSE = 1e-12
"""Time, relative to 1 and to the time itself, before a switch in which a motion that finds no further step is at it."""

FLAT = 1e-2
"""Change of a switching function in a step, as a part of its terms, below which its zero is found from a step of its own."""

BENT = 0.5
"""Part of its rate by which that of a switching function may change in a step of Newton's method."""

SHORTEST = 1e-6
"""Part of a piece below which no closer look is taken at what does not tell itself from places inside a step."""

LESS = 1e2
"""How many times further below zero a function must be seen once it was not there in a step of its own."""

LONG = 2000
"""Operations in a formula from which its slopes are not written out to see that it bends: it does."""


class Reaching:
    """Motions on one piece, up to what ends it; until the end of a run at most."""

    deciding: Deciding
    pieces: SystemPieces
    settings: Settings
    until: float

    def __init__(self, deciding: Deciding, settings: Settings, asked: Sequence[Event], until: float) -> None:
        self.deciding, self.pieces, self.settings = deciding, deciding.pieces, settings
        self._standing = deciding.standing
        self._asked, self.until = tuple(asked), until
        self._retakes = settings.step is None and lanes_of(settings.chosen) == 1  # its steps are the best
        self._grazing = Grazing(deciding, settings, until)
        self.before: list[float] = []
        """Functions of events at the end of the last piece."""
        self.growth: float = 0.0
        """Of pivots, that a large motion was let have."""
        self._span = 0.0  # of the last piece, where it ended at the zero of a length
        self.held: int = 0
        """Memory of the segments before, bytes."""

    def segment(
        self, program: Program, moving: State, piece: Piece, target: float, tell: Callable[[float], None]
    ) -> Segment:
        """The motion from a state on a piece until a time or an event, switches of its own among them.

        It ends just behind the first zero of a length, too.
        """
        if self.settings.step is not None or not lengths_in(moving.system):
            return self._to_its_end(program, moving, piece, target, tell)
        from zeromass.integrate.lengths import before_and_behind  # few systems have any that may vanish

        def motion(until: float) -> Segment:
            return self._to_its_end(program, moving, piece, until, tell)

        segment = before_and_behind(program, motion, moving.t, target, self._span)
        self._span = float(segment.t[-1]) - moving.t if segment.outcome.ending is Ending.SWITCH else 0.0
        return segment

    def _to_its_end(
        self, program: Program, moving: State, piece: Piece, target: float, tell: Callable[[float], None]
    ) -> Segment:
        loop, segment = self._stepped(program, moving, piece, target, tell)
        if segment.outcome.ending in (Ending.NOT_A_NUMBER, Ending.STEP_TOO_SMALL):
            segment = self._up_to_a_switch(segment, moving, piece)
        elif segment.outcome.ending is Ending.EVENT and not piece.holds and segment.t[-1] != target:
            segment = self._to_the_last_digits(segment, loop, piece)
        if self._asked:
            ends = loop.work.event_values(float(segment.t[-1]), segment.y[-1])
            self.before = ends[: len(self._asked)].tolist()
        return segment

    def _stepped(
        self, program: Program, moving: State, piece: Piece, target: float, tell: Callable[[float], None]
    ) -> tuple[PieceLoop, Segment]:
        """The steps of a motion on a piece, up to what ends it, which the motion itself need not feel.

        Where a closer look finds that a step has passed over the end, the motion is made again up to that place.
        """
        loop, segment = self._run(program, moving, piece, target, tell)
        leaving = self._bent(loop.program, piece)
        if not leaving or self.settings.step is not None:
            return loop, segment
        off = NEGATIVE
        while len(segment.t) > 1:
            place = loop.first_negative(leaving, off, SHORTEST * abs(target - moving.t))
            if place is None:
                break
            sooner = self._run(loop.program, moving, piece, place, tell)
            if sooner[1].outcome.ending is not Ending.EVENT:
                off *= LESS  # states inside steps have errors of their own
            elif abs(sooner[1].t[-1] - moving.t) < abs(segment.t[-1] - moving.t):
                loop, segment = sooner
            else:
                break
        return loop, segment

    def _run(
        self, program: Program, moving: State, piece: Piece, target: float, tell: Callable[[float], None]
    ) -> tuple[PieceLoop, Segment]:
        """The steps of a motion on a piece, as its error control makes them."""
        loop = PieceLoop(
            program,
            moving,
            target,
            self.settings,
            self.watched,
            self.pieces.switches,
            self.until,
            self.held,
            self._grazing.ambiguous,
            self.before,
            frozenset(event.name for event in self.pieces.given.events),
        )
        loop.work.growth_limit = max(loop.work.growth_limit, self.growth)
        segment = loop.segment(tell)
        loop.work.shrink()
        if self.pieces.in_forces:
            self.growth = loop.work.growth_limit
            self._standing.take(loop.program)
        return loop, segment

    def _bent(self, program: Program, piece: Piece) -> list[str]:
        """Names of what falls through zero where a motion leaves a piece, as far as it may do so unseen.

        A sum of multiples of time, positions and rates changes its sign no more often than the motion turns.
        """
        known: dict[Program, list[str]] = self.pieces.system.memory.setdefault("bent", {})
        if program not in known:
            known[program] = self.unseen(program)
        own = known[program]
        held = {hold.mode for hold in piece.holds}
        modes = [self.pieces.switches[place_of(name)[0]].mode for name in own]
        return [name for name, mode in zip(own, modes, strict=True) if name.startswith(HOLD) == (mode in held)]

    @property
    def _followed(self) -> list[int]:
        """Switches that the state decides on, but for those of angles."""
        switches = self.pieces.switches
        return [k for k, s in enumerate(switches) if k not in self.pieces.of_time and s.kind != "turn"]

    def unseen(self, program: Program) -> list[str]:
        """The same of all pieces."""
        zeros = {
            name: self._acting(k, guard.zero)
            for k in self._followed
            for name, guard in self._guards(k)
            if guard.sliding or k in self.pieces.bent
        }
        if self.pieces.in_forces:
            return list(zeros)
        state = list(program.system.inputs[: 1 + 2 * len(program.acceleration)])
        leaving = program.solved(list(zeros.values()))
        return [name for name, e in zip(zeros, leaving, strict=True) if _bends(e, state)]

    def _guards(self, k: int) -> list[tuple[str, Guard]]:
        """What is watched of a switch, each with its name among events."""
        switch = self.pieces.switches[k]
        found = guards(switch, self.pieces.held.get(switch.mode))
        return [(f"{HOLD if guard.sliding else SWITCH}{k} {guard.side}", guard) for guard in found]

    @cached_property
    def watched(self) -> tuple[Event, ...]:
        """What is watched on every piece: the events asked for, and what ends it."""
        known: dict[Any, tuple[Event, ...]] = self.pieces.system.memory.setdefault("watched", {})
        key = self._asked, self.deciding.ahead
        if key not in known:
            for old in list(known)[: 1 - REMEMBERED]:
                known.pop(old, None)
            events = [
                replace(event, zero=as_expression(self.pieces.acting(event.zero).item())) for event in self._asked
            ]
            events += kinks(self.pieces.given, events)
            for k in range(len(self.pieces.switches)):
                if k not in self.pieces.of_time:
                    events += self._ends(k)
            known[key] = tuple(events)
        return known[key]

    def _ends(self, k: int) -> list[Event]:
        """What is watched of a switch; one that has a rate may be below zero for a moment, where it is lowest."""
        turns, events = 1 if self.deciding.ahead > 0 else -1, []
        for name, guard in self._guards(k):
            events.append(Event(name, self._acting(k, guard.zero), direction=-1))
            if guard.rate is not None:
                lowest = self._acting(k, guard.rate)
                events.append(Event(f"{LOW}{k} {guard.side}", lowest, direction=turns, terminal=False))
        return events

    def _acting(self, k: int, e: Expression) -> Expression:
        """A function of a switch where others hold the motion."""
        if self.pieces.in_forces:
            return e
        mode = self.pieces.switches[k].mode
        return as_expression(
            acting(e, [one for one in self.pieces.held.values() if one.switch.mode is not mode]).item()
        )

    def words(self, which: Sequence[int]) -> str:
        """Formulas that switch, as they were written."""
        return self._standing.words(which)

    def touched(self, names: Sequence[str]) -> list[int]:
        """The switches that were only touched, by names of events, where that does not tell how the motion goes on."""
        return [place_of(name)[0] for name in names if name.startswith(GRAZE)]

    def flipped(self, names: Sequence[str], piece: Piece) -> dict[int, float]:
        """The switches that were reached, by names of events, and the side that each goes to, or numbers up or down."""
        found: dict[int, float] = {}
        for name in names:
            if name.startswith((SWITCH, HOLD)):
                k, j = place_of(name)
                switch, way = self.pieces.switches[k], -1.0 if j == 0 else 1.0
                crossed = switch.kind == "side" and name.startswith(SWITCH)
                found[k] = -piece.modes[switch.mode] if crossed else way
        return found

    def _to_the_last_digits(self, segment: Segment, loop: PieceLoop, piece: Piece) -> Segment:
        """A segment that ends at one switch, with this end by Newton's method: g = 0 to rounding.

        Newton's method, and a state moved along its tangent, are good only as far as g is nearly linear. One that just
        dips below zero is not: its lowest place may be nearer than the step. It ends where the dense output says.
        """
        ends = [event.name for event in segment.events if event.t == segment.t[-1] and not event.name.startswith(LOW)]
        if len(ends) != 1 or not ends[0].startswith(SWITCH):
            return segment
        k, j = place_of(ends[0])
        switch = self.pieces.switches[k]
        if switch.kind == "turn":
            return segment
        places = [place for place, event in enumerate(loop.watched) if event.name in (ends[0], f"{LOW}{k} {j}")]
        margin = piece.modes[switch.margin]
        border = margin if switch.kind == "side" else max(margin if j == 0 else -margin, 0.0)
        t, y, length = float(segment.t[-1]), segment.y[-1], float(abs(segment.t[-1] - segment.t[-2]))
        slope, near, size = loop.slope(t, y), 4 * abs(margin), self._size(loop, t, y, k)
        off, falls = self._falling(loop, t, y, k, places)
        for again in (False, False, True):
            off -= border
            if not abs(off) <= abs(falls) * CLOSE * max(1.0, abs(t)) + near or abs(off) > abs(falls) * length / 2:
                return segment
            t, y = t - off / falls, y - off / falls * slope
            if not again and self._retakes and abs(falls) * length < FLAT * size:
                y, near = loop.retaken(float(segment.t[-2]), segment.y[-2], t, y), np.inf
            before = falls
            off, falls = self._falling(loop, t, y, k, places)
            if not _linear(before, falls):
                return segment
            if off == border:
                break
        if off > border:  # it ends where the next piece begins
            late = 2 * abs((off - border + ROUNDING * size) / falls) * self.deciding.ahead
            t, y = t + late, y + late * slope
            if not _linear(falls, self._falling(loop, t, y, k, places)[1]):
                return segment
        times, states = segment.t.copy(), segment.y.copy()
        times[-1], states[-1] = t, y
        events = tuple(replace(e, t=t, y=y.copy()) if e.name == ends[0] else e for e in segment.events)
        return replace(segment, t=times, y=states, happened=events, outcome=replace(segment.outcome, t=t))

    def _falling(self, loop: PieceLoop, t: float, y: np.ndarray, k: int, places: list[int]) -> tuple[float, float]:
        """What is left of a switching function on its side, and its rate: both are watched, but that of an unknown force."""
        values = loop.work.event_values(t, y)[places].tolist()
        if k not in self.pieces.of_force:
            return values[0], values[1]
        n = len(y) // 2
        here = replace(loop.start, t=t, q=y[:n], v=y[n:])
        rate = self.pieces.slopes(here.inputs)[k] @ np.concatenate([[1.0], loop.slope(t, y)])
        return values[0], here.parameters[self.pieces.switches[k].mode] * float(rate)

    def _size(self, loop: PieceLoop, t: float, y: np.ndarray, k: int) -> float:
        """Of what a switching function is computed from."""
        n = len(y) // 2
        return self.pieces.size(k, replace(loop.start, t=t, q=y[:n], v=y[n:]))

    def _up_to_a_switch(self, segment: Segment, moving: State, piece: Piece) -> Segment:
        """A segment that stops just before switches, because its formulas have no values beyond them, ends at them."""
        y, n = segment.y[-1], len(moving.q)
        here = replace(moving, t=float(segment.t[-1]), q=y[:n], v=y[n:])
        slope = np.concatenate([[1.0], here.v, np.zeros(n) if piece.holds else self._standing.acceleration(here)])
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
        return replace(segment, outcome=Outcome(Ending.EVENT, here.t, ""), happened=(*segment.events, *happened))


def _linear(before: float, after: float) -> bool:
    """Whether a function with these rates at two places is nearly linear between them."""
    return abs(after - before) <= BENT * abs(before)


def _bends(e: Expression, state: list[Expression]) -> bool:
    """Whether a formula is more than a sum of multiples of time, positions and rates; a long one that has any of them is."""
    found, own = symbols(e), set(state)
    if own.isdisjoint(found):
        return False
    return len(ordered([e])) > LONG or not own.isdisjoint(symbols(jacobian([e], state)))
