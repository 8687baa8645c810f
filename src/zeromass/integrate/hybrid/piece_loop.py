"""Steps on one piece by the loop of smooth motion, where the driver leaves it: kernels say where the piece ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache

import numpy as np

from zeromass.compile.program import Program
from zeromass.expression import symbols
from zeromass.integrate.hybrid.contact_table import may_end
from zeromass.integrate.hybrid.guard_functions import CONTACT, HOLD, LOW, GuardFunctions, LookedAt, place_of
from zeromass.integrate.hybrid.piece_end import PieceEnd
from zeromass.integrate.hybrid.piece_memory import PieceMemory
from zeromass.integrate.hybrid.pieces import Piece
from zeromass.integrate.outcome import Ending, Occurrence, Outcome
from zeromass.integrate.segment import Segment
from zeromass.integrate.settings import Settings
from zeromass.integrate.stepping.dense import DEGREE
from zeromass.integrate.stepping.loop import Loop
from zeromass.integrate.stepping.roots import python_function
from zeromass.integrate.stepping.step_functions import StepMemory, functions_at, select_step
from zeromass.integrate.terms import Term
from zeromass.kernel.language import compiled
from zeromass.kernel.negative_values import PARTS, STACK, NegativeSearch, begin_search, first_negative
from zeromass.model import Event, State, System

SEARCHED = 2**21
"""Numbers of polynomials of steps that are searched together: 16 MB."""


class PieceLoop(Loop):
    """Steps on one piece up to its end.

    watched  on every piece of the system
    piece    on which the motion is
    end      of the run
    before   functions of events where the last piece ended, by the places of events among all that is watched
    found    how the piece ended; None where no switch and no event ended it
    reached  switches that ended it, and the side that each goes to
    strayed  switches beyond which it has come, though it was to end there: it began on them, and returned unseen
    """

    patient = False

    def __init__(
        self,
        program: Program,
        start: State,
        until: float,
        settings: Settings,
        watched: GuardFunctions,
        piece: Piece,
        end: float,
        held: int,
        before: Sequence[float] = (),
    ) -> None:
        self._known: PieceMemory | None = None
        self._on, self._piece, self._end, self._before = watched, piece, end, before
        self.own_events = frozenset(event.name for event in watched.pieces.given.events)
        self.found: PieceEnd | None = None
        self.reached: dict[int, float] = {}
        self.strayed: list[int] = []
        super().__init__(program, start, until, settings, watched.events, held=held)

    def known_until(self, terms: Sequence[Term]) -> float:
        """The end of the run, of terms that are the same on all pieces."""
        modes = {switch.mode for switch in self._on.pieces.switches}
        return self._end if modes.isdisjoint(symbols([term.u for term in terms])) else self.until

    @cached_property
    def _looked_at(self) -> LookedAt:
        return LookedAt(self.watched)

    @property
    def _memory(self) -> PieceMemory:
        """Of the kernels, for the pivots as they are now."""
        if self._known is None or self._known.program is not self.program:
            self._known = PieceMemory(
                self._on, self.watched, self.settings, self.program, self.work, type(self.stepper)
            )
            start = self.start
            self._known.enter(start.t, np.concatenate([start.q, start.v]), self.until, self._end)
        return self._known

    def segment(self, tell: Callable[[float], None]) -> Segment:
        outcome = self._memory and self._jumped()
        segment = super().segment(tell) if outcome is None else self._ended(tell, outcome)
        if segment.outcome.ending in (Ending.NOT_A_NUMBER, Ending.STEP_TOO_SMALL) and self._memory.stops():
            self.found, self.reached = PieceEnd.SWITCH, self._memory.reached()
            return replace(segment, outcome=Outcome(Ending.EVENT, segment.outcome.t, ""))
        self.strayed = self._memory.strayed() if segment.outcome.ending is not Ending.EVENT else []
        return segment

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
        self.work.watch(self.watched, self._looked_at.directions)

    def happened(self) -> Outcome | None:
        """Locates switches and events in the last step; the first that ends the piece ends it there."""
        work, memory, last = self.work, self._memory, len(self.work.rows) - 1
        step = self._steps(np.array([last]))
        leapt = None if self._passing is None else self._passing.leapt.margin
        memory.ignore([c for c, e in enumerate(self.watched) if e.margin is not None and e.margin is leapt])
        found = memory.locate(step, self._places(last), self.returned())
        if found is PieceEnd.BUMP:
            return self._before_a_bump(float(step.t0[0]), step.y0[0], *memory.m.bump.tolist())
        occurred = memory.m.occurred[: memory.m.occurrences].copy()
        events = [self.watched[int(c)] for c in occurred[:, 0]]
        self.occurrences += [
            Occurrence(e.name, float(t), y) for e, t, y in zip(events, occurred[:, 1], occurred[:, 2:], strict=True)
        ]
        if found is PieceEnd.NONE:
            return None
        ending = [event for event in events if event.terminal]
        if len(ending) == 1 and ending[0].margin is not None:
            through, outcome = self._through(ending[0])
            if through or ending[0].name.startswith("\0"):
                return outcome
        self.found, self.reached = found, {} if ending else memory.reached()
        return Outcome(Ending.EVENT, work.t, ", ".join(event.words(self.state()) for event in ending))

    def first_negative(self, rounding: float, shortest: float) -> float | None:
        """The first time inside the steps at which a function that ends the piece is negative; see `NegativeSearch`."""
        held = {hold.mode for hold in self._piece.holds}
        switches = self._on.pieces.switches
        names = [
            name
            for name in self._on.unseen(self.program)
            if (
                self._may_end(name)
                if name.startswith(CONTACT)
                else name.startswith(HOLD) == (switches[place_of(name)[0]].mode in held)
            )
        ]
        t, most = self.recorded()[0], max(1, SEARCHED // (self.work.order * (DEGREE + 1)))
        if not names or len(t) < 2:
            return None
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
            searched=len(columns),
            rounding=rounding,
            shortest=shortest,
            sizes=np.empty(len(columns)),
            seen=np.empty((PARTS + 1, len(columns))),
            stack=np.empty((STACK, 3)),
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

    def meets(self) -> tuple[float, dict[int, float]] | None:
        """The first time at which polyhedra meet, and the contact that ends the piece there, with its cause."""
        steps = range(len(self.work.rows)) if self._memory.m.contacts.polyhedra.count else ()
        found = (self._memory.meets(self._steps(np.array([step]))) for step in steps)
        return next((one for one in found if one is not None), None)

    def _may_end(self, name: str) -> bool:
        """Whether the mode of a contact is one that ends as an event says."""
        (k, cause), memory = place_of(name), self._memory
        return may_end(memory.m.contacts, self.work.values, k - len(self._on.pieces.switches), cause)

    def follows(self, event: Event) -> bool:
        return not event.name.startswith(LOW)  # which is the slope of another

    def _kinks(self, system: System, events: Sequence[Event]) -> tuple[Event, ...]:
        return ()  # they are among what is watched on the piece

    def _bumps(self, system: System) -> tuple[Event, ...]:
        return ()
