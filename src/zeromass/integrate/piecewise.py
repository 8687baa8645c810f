"""Steps on one piece: what is watched there, and where it turns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import takewhile

import numpy as np

from zeromass.compile.program import Program
from zeromass.expression import symbols
from zeromass.expression.pieces import Switch
from zeromass.integrate.outcome import Ending, Occurrence, Outcome
from zeromass.integrate.segment import Segment
from zeromass.integrate.settings import Settings
from zeromass.integrate.stepping.dense import DEGREE
from zeromass.integrate.stepping.inside import Inside
from zeromass.integrate.stepping.kinks import KINK, bent
from zeromass.integrate.stepping.layout import FOLLOWED, Real64
from zeromass.integrate.stepping.loop import CHUNK_OF_STEPS, Loop
from zeromass.integrate.stepping.narrow import NARROW
from zeromass.integrate.stepping.roots import event_roots, python_function
from zeromass.integrate.stepping.step_functions import StepMemory, functions_at, select_step
from zeromass.integrate.stepping.workspace import Workspace
from zeromass.integrate.terms import Term
from zeromass.kernel.language import compiled
from zeromass.kernel.negative_values import PARTS, STACK, NegativeSearch, begin_search, first_negative
from zeromass.model import Event, State, System

REMEMBERED = 16
"""Choices of events, and of switches that hold, for which it is remembered what is watched."""

LEAST = float(np.finfo(float).tiny)
"""What a function that rises from zero is taken for there."""

SEARCHED = 2**21
"""Numbers of polynomials of steps that are searched together: 16 MB."""

NEARLY = 1e-2
"""Part of what a switching function is in a step, by which it misses its switch or passes it, where that is looked at."""

LOW, SWITCH, GRAZE, HOLD = "\0low ", "\0switch ", "\0graze ", "\0hold "
"""What names of switches, of places where their functions are lowest, of switches that are touched, and of those that hold a
motion in code for all pieces begin with among events; no user's name does."""

Grazes = Callable[[State, int, float, float], bool]
"""Whether a motion that turns at a switch, see `Grazing.ambiguous`, may as well go on beyond it."""


def own(name: str) -> bool:
    """Whether an event is one of these."""
    return name.startswith((LOW, SWITCH, GRAZE, HOLD, KINK, NARROW))


class LookedAt:
    """Events on a piece, apart from the slopes of switching functions, by their places among all that is watched."""

    def __init__(self, watched: Sequence[Event]) -> None:
        self.low: list[int] = [k for k, event in enumerate(watched) if event.name.startswith(LOW)]
        self.slopes: list[Event] = [replace(watched[k], direction=0) for k in self.low]
        self.others: list[int] = [
            k for k, event in enumerate(watched) if not event.name.startswith((LOW, KINK, NARROW))
        ]
        self.events: list[Event] = [watched[k] for k in self.others]
        self._followed = {SWITCH + event.name.removeprefix(LOW) for event in self.slopes}
        self.directions: list[float] = [e.direction * (1.0 if self.turns(e) else FOLLOWED) for e in watched]

    def turns(self, event: Event) -> bool:
        """Whether nothing but its values tells where the function of an event turns."""
        return event.name not in self._followed


class PieceLoop(Loop):
    """Steps on one piece: a switching function that falls below zero and returns between two places is seen too.

    switches  of the system
    end       of the run
    grazes    what a touch of one of them means
    before    functions of events where the last piece ended, by the places of events among all that is watched
    own_events  names of those that are the system's own
    """

    patient = False

    def __init__(
        self,
        program: Program,
        start: State,
        until: float,
        settings: Settings,
        events: Sequence[Event],
        switches: Sequence[Switch],
        end: float,
        held: int,
        grazes: Grazes,
        before: Sequence[float] = (),
        own_events: frozenset[str] = frozenset(),
    ) -> None:
        self._switches, self._end, self._grazes, self._before = switches, end, grazes, before
        self.own_events = own_events
        super().__init__(program, start, until, settings, events, held=held)

    def known_until(self, terms: Sequence[Term]) -> float:
        """The end of the run, of terms that are the same on all pieces."""
        modes = {switch.mode for switch in self._switches}
        return self._end if modes.isdisjoint(symbols([term.u for term in terms])) else self.until

    @cached_property
    def looked_at(self) -> LookedAt:
        """What is watched, in order of how it is looked at."""
        known: dict[tuple[Event, ...], LookedAt] = self.program.system.memory.setdefault("looked at", {})
        if self.watched not in known:
            for old in list(known)[: 1 - REMEMBERED]:
                known.pop(old, None)
            known[self.watched] = LookedAt(self.watched)
        return known[self.watched]

    def segment(self, tell: Callable[[float], None]) -> Segment:
        self._leave()
        outcome = self._jumped()
        return super().segment(tell) if outcome is None else self._ended(tell, outcome)

    def _jumped(self) -> Outcome | None:
        """Notes the events whose functions have jumped through zero where the piece begins; a terminal one ends it there."""
        if not self._before:
            return None
        t, y, ending = self.start.t, self.work.y, []
        for event, old, new in zip(self.watched, self._before, self.work.signs[:, 0].tolist(), strict=False):
            rises, falls = old < 0 < new and event.direction >= 0, old > 0 > new and event.direction <= 0
            if rises or falls:
                self.occurrences.append(Occurrence(event.name, t, y))
                ending += [event] if event.terminal else []
        return Outcome(Ending.EVENT, t, ", ".join(event.words(self.start) for event in ending)) if ending else None

    def _watch(self) -> None:
        self.work.watch(self.watched, self.looked_at.directions)

    def _leave(self) -> None:
        """Says on which side of its switches the piece begins.

        A function that rises from zero itself, which has no side, is above it: a step over all of the piece would not be
        seen. And where rounding says that one which rises from nearly zero falls first, it errs.
        """
        work, ahead = self.work, 1.0 if self.until >= self.start.t else -1.0
        signs, h = work.signs, abs(float(work.reals[Real64.h]))
        for k, event in enumerate(self.watched):
            if event.name.startswith(LOW):
                g, rises = signs[k - 1, 0], signs[k, 0] * ahead
                if g == 0 and rises * h > work.tolerances.atol:
                    signs[k - 1, 0] = LEAST
                if rises < 0 and g <= 2 * self._margin(event):
                    signs[k, 0] = LEAST * ahead

    def _margin(self, event: Event) -> float:
        """How far the switch of an event is allowed to be beyond the one that the piece begins at."""
        return abs(self.start.parameters[self._switches[place_of(event.name)[0]].margin])

    def slope(self, t: float, y: np.ndarray) -> np.ndarray:
        """dy/dt at a state."""
        return self.functions().slope(t, y)[0]

    def retaken(self, t0: float, y0: np.ndarray, t: float, y: np.ndarray) -> np.ndarray:
        """The state at a time from an earlier one, in one step, as far as its control allows that; y where there is none."""
        work = Workspace(self.work.code, t0, y0, self.work.values, self.work.tolerances, t - t0, lanes=self.work.lanes)
        work.use(self.work.code, project=self.settings.project)
        work.growth_limit, work.correction_limit = self.work.growth_limit, self.work.correction_limit
        type(self.stepper)(work).advance(t, CHUNK_OF_STEPS)
        return work.y if work.t == t else y

    def first_negative(self, names: Sequence[str], rounding: float, shortest: float) -> float | None:
        """The first time inside the steps at which the function of one of some events is negative; see `NegativeSearch`."""
        t, most = self.recorded()[0], max(1, SEARCHED // (self.work.order * (DEGREE + 1)))
        places = {event.name: k for k, event in enumerate(self.watched)}
        columns = np.array([places[name] for name in names])
        memory = self._step_memory
        if memory is None or not memory.fits(self.work):
            memory = StepMemory(self.work, self.functions(), self.returned() is not None, DEGREE + 1)
        search = NegativeSearch(
            evaluate=compiled(functions_at).address,
            select=compiled(select_step).address,
            context=memory.address,
            values=memory.step.values,
            t=t,
            count=len(t) - 1,
            columns=columns,
            rounding=rounding,
            shortest=shortest,
            sizes=np.empty(len(columns)),
            seen=np.empty((PARTS + 1, len(columns))),
            stack=np.empty((STACK, 2)),
        )

        def find() -> float:
            compiled(begin_search)(search)
            while not compiled(first_negative)(search):
                search.first, search.last = search.step, min(search.step + most, len(t) - 1)
                memory.open(self._steps(np.arange(search.first, search.last)))
            return search.place

        memory.step.unsure = 0
        place = find()
        if memory.step.unsure:  # Python decides whether a projection leads too far
            inside = lru_cache(maxsize=1)(self._inside)
            with python_function(lambda t: inside(search.step).watched(t), search.values) as search.evaluate:
                place = find()
        return place if place != t[-1] else None

    def located(self, inside: Inside, places: list[float]) -> tuple[list[tuple[float, Event]], float]:
        """The switches and events in a step, looked for between the places where switching functions turn as well.

        Where one is lowest it may be below zero; and where a piece begins it may rise from zero, and return.
        """
        looked, ahead = self.looked_at, 1.0 if places[-1] > places[0] else -1.0
        places = bent(self.watched, inside, places)
        if not looked.low:
            return event_roots(looked.events, inside, places, looked.turns, looked.others)
        turns, _ = event_roots(looked.slopes, inside, places, columns=looked.low)
        if turns:
            places = sorted({*places, *[time for time, _ in turns]}, key=lambda t: ahead * t)
        found, tolerance = event_roots(looked.events, inside, places, looked.turns, looked.others)
        touched = self._touched(inside, places, turns, found)
        return sorted([*found, *touched], key=lambda item: ahead * item[0]) if touched else found, tolerance

    def _touched(
        self, inside: Inside, places: list[float], turns: list[tuple[float, Event]], found: list[tuple[float, Event]]
    ) -> list[tuple[float, Event]]:
        """The first switch in a step that is only touched, where its two sides lead to different motions.

        It may be found as one that is crossed, and would be left again soon.
        """
        length = abs(places[-1] - places[0])
        end = next(((time, event) for time, event in found if event.terminal), None)
        some = takewhile(lambda turn: end is None or abs(turn[0] - places[0]) <= abs(end[0] - places[0]), turns)
        for time, event in [*some, *([end] if end is not None and not self.looked_at.turns(end[1]) else [])]:
            k, j = place_of(event.name)
            low = next(i for i in self.looked_at.low if place_of(self.watched[i].name) == (k, j))
            (g0, r0), (g, r), (g1, r1) = (
                inside.watched(place)[low - 1 : low + 1].tolist() for place in (places[0], time, places[-1])
            )
            bend = max(abs(r - r0), abs(r1 - r)) / length
            if 2 * bend * (NEARLY * max(abs(g0), abs(g1)) - abs(g)) >= r**2 and time != self._end:
                mode = self.start.parameters[self._switches[k].mode]
                side = mode if self._switches[k].kind == "side" else (1.0 if j == 0 else -1.0)
                y, n = inside.state(time), len(self.start.q)
                far = max(abs(g0), abs(g1))
                if self._grazes(replace(self.start, t=time, q=y[:n], v=y[n:]), k, side, far):
                    return [(time, Event(f"{GRAZE}{k} {j}", event.zero))]
        return []

    def follows(self, event: Event) -> bool:
        return not event.name.startswith(LOW)  # which is the slope of another

    def _kinks(self, system: System, events: Sequence[Event]) -> tuple[Event, ...]:
        return ()  # they are among what is watched on the piece


def place_of(name: str) -> tuple[int, int]:
    """A switch, and which of its functions, by the name of an event."""
    k, j = name[name.index(" ") :].split()
    return int(k), int(j)
