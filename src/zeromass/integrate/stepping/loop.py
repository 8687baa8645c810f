"""One segment of a run under way: steps until there is an outcome."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module

import numpy as np

from zeromass.compile.program import Program, program_at
from zeromass.integrate.endings import branches, no_number, no_step, singular, unexplained
from zeromass.integrate.methods import Method
from zeromass.integrate.outcome import Ending, Occurrence, Outcome
from zeromass.integrate.passages import weakened
from zeromass.integrate.segment import Segment, Statistics
from zeromass.integrate.settings import Settings
from zeromass.integrate.stepping.functions import Functions, first_step
from zeromass.integrate.stepping.status import Status, Tolerances
from zeromass.integrate.stepping.stepper import Stepper
from zeromass.integrate.stepping.workspace import Workspace
from zeromass.model import Event, State

CHUNK_OF_STEPS = 4096
"""Steps between looks at the keyboard and the progress bar."""

NEARLY = 1e-5
"""Part of a run that still counts as here where it gets stuck."""

SHORT, LOOKS = 1e-6, 64
"""Part of the longest step below which one is looked at after the run, and how many of the shortest are."""

WITHIN = 1e-6
"""What is left of constraints, as a part of that at the start, where a position is so near a singular one that rounding
decides on what side of it: at the root of rounding the constraints hold on all branches alike."""

HOPELESS = np.finfo(float).eps ** -0.75
"""Growth of the pivots at which no choice of them is good: a quarter of the digits is left."""


class Loop:
    """Steps of one method on one program, events located, pivots chosen anew where they have become weak."""

    program: Program
    start: State
    until: float
    settings: Settings

    def __init__(
        self, program: Program, start: State, until: float, settings: Settings, events: Sequence[Event]
    ) -> None:
        self.program, self.start, self.until, self.settings = program, start, float(until), settings
        self.watched: tuple[Event, ...] = tuple(events)
        self.occurrences: list[Occurrence] = []
        self.repivots: int = 0
        method = _stepper(settings.chosen)
        self._lanes = method.lanes
        self._values = np.array([start.parameters[p] for p in program.system.parameters])
        y = np.concatenate([start.q, start.v])
        tolerances = Tolerances(settings.rtol, settings.atol, settings.longest_step, settings.step)
        first = first_step(self._functions(), start.t, y, self.until, tolerances)
        self.work: Workspace = Workspace(
            program.native, start.t, y, self._values, tolerances, first, lanes=method.lanes
        )
        self.stepper: Stepper = method(self.work)
        self.work.growth_limit = settings.limits.growth
        self.work.correction_limit = settings.limits.correction
        self._use(program)

    def segment(self, tell: Callable[[float], None]) -> Segment:
        """Steps until there is an outcome."""
        return self.onward(tell, self._beyond_a_guard())

    def onward(self, tell: Callable[[float], None], outcome: Outcome | None = None) -> Segment:
        """Steps from where the memory is until there is an outcome."""
        try:
            while outcome is None:
                outcome = self._some_steps(tell)
        except KeyboardInterrupt:
            outcome = Outcome(Ending.INTERRUPTED, self.work.t, "what was computed so far is kept")
        outcome = self._corner() or outcome
        work = self.work
        t, y = self._recorded()
        return Segment(
            self.program,
            self.start,
            t,
            y,
            outcome,
            Statistics(
                work.steps, work.rejected, work.evaluations, self.repivots, float(np.max(work.growth, initial=1.0))
            ),
            tuple(self.occurrences),
            self.settings,
            work.growth.copy(),
            self.stepper.polynomials,
        )

    def _some_steps(self, tell: Callable[[float], None]) -> Outcome | None:
        outcome = self.step(CHUNK_OF_STEPS)
        tell(self.work.t)
        return outcome

    def step(self, budget: int) -> Outcome | None:
        """Steps until the method can not go on by itself, `budget` of them at most, and what is to be done then."""
        since, evaluations = self.work.t, self.work.evaluations
        status = self.stepper.advance(self.until, budget)
        self.program.native.called(self.work.evaluations - evaluations)
        match status:
            case Status.FINISHED:
                return Outcome(Ending.FINISHED, self.work.t, "")
            case Status.PIVOTS:
                return self._new_pivots()
            case Status.EVENT:
                return self._happened()
            case Status.NOT_A_NUMBER:
                return no_number(self._state(), self._functions().slope, self.until - self.work.t)
            case Status.STEP_TOO_SMALL:
                return self._stuck()
            case Status.UNEXPLAINED:
                return self._weak() or unexplained(self._state(), float(self.settings.step or 0.0))
        return self._stuck() if self._stalls(since) else None

    def _stalls(self, since: float) -> bool:
        """Whether steps whose length is controlled bring the run forward by next to nothing."""
        least = self.settings.limits.stalled * abs(self.until - self.start.t)
        return self.settings.step is None and abs(self.work.t - since) < least

    def _use(self, program: Program) -> None:
        self.program = program
        self.work.use(program.native, project=self.settings.project)
        self.work.watch(self.watched)

    def _state(self) -> State:
        y = self.work.y
        n = len(y) // 2
        return State(self.program.system, self.work.t, y[:n], y[n:], self.start.parameters)

    def _functions(self) -> Functions:
        return Functions(self.program.native, self._values, self._lanes)

    def _new_pivots(self) -> Outcome | None:
        """Chooses the pivots anew here, with the rank of the start; ends the run where that does not help."""
        state = self._state()
        fresh = program_at(self.program.system, state, self.program.rank)
        growth = float(fresh.native.growth(state.inputs))
        if not growth < HOPELESS:
            return singular(state)
        self.repivots += 1
        self._use(fresh)
        self.work.growth_limit = max(self.settings.limits.growth, 10.0 * growth)
        return None

    def _happened(self) -> Outcome | None:
        """Locates the events of the last step; a terminal one ends the run there."""
        from zeromass.integrate.stepping.inside import Inside  # nothing happens in most runs
        from zeromass.integrate.stepping.locate import happenings

        (t0, t1), (y0, y1) = self._recorded(last=2)
        (polynomial,) = self.stepper.polynomials(*[np.array([x]) for x in (t0, y0, t1, y1)])
        inside = Inside(self.work, polynomial, float(t0), y0, float(t1), y1)
        places = np.append(t0 + (t1 - t0) * self.stepper.places[:-1], t1)
        found, tolerance = happenings(self.watched, inside.watched, places.tolist())
        end = next((place for place, event in found if event.terminal), None)
        for place, event in found:
            if end is not None and abs(place - t0) > abs(end - t0) + 2 * tolerance:
                break  # what happens with the terminal event is listed, what would come later is not
            self.occurrences.append(Occurrence(event.name, place, inside.state(place)))
        if end is None:
            return None
        self.work.cut(end, inside.state(end))
        ending = [event for place, event in found if event.terminal and abs(place - end) <= 2 * tolerance]
        state = self._state()
        return Outcome(Ending.EVENT, end, ", ".join(event.words(state) for event in ending))

    def _beyond_a_guard(self) -> Outcome | None:
        """The end of a run that starts where it must not even be, such as where a contact would have to pull."""
        start, y = self.start, self.work.y
        for event, value in zip(self.watched, self.work.event_values(start.t, y), strict=True):
            if event.guard and value * event.direction > 0:
                self.occurrences.append(Occurrence(event.name, start.t, y))
                return Outcome(Ending.EVENT, start.t, event.words(start, " already at the start"))
        return None

    def _stuck(self) -> Outcome:
        """The end of a run whose steps have become too short: it may be at what must not happen, which is named then."""
        t, y = self._recorded()
        some = np.linspace(0, len(t) - 1, 50).astype(int)
        values = np.array([self.work.event_values(float(t[k]), y[k]) for k in some])
        ends = self.work.event_values(self.work.t, self.work.y)
        for event, end, course in zip(self.watched, ends, values.T, strict=True):
            if event.guard and abs(end) < self.settings.limits.close * np.abs(course).max():
                self.occurrences.append(Occurrence(event.name, self.work.t, self.work.y))
                words = event.words(self._state(), " nearly: no step is short enough to come closer")
                return Outcome(Ending.EVENT, self.work.t, words)
        return self._weak() or no_step(
            self._state(),
            self._functions().slope,
            ahead=NEARLY * (self.until - self.start.t),
            stiff=self.settings.chosen.stiff,
        )

    def _weak(self) -> Outcome | None:
        """The end of a run where its constraints have lost independence."""
        state = self._state()
        return singular(state) if weakened(self.start, state) else None

    def _corner(self) -> Outcome | None:
        """The end of a run that has turned at a singular position within rounding of it: nothing tells its branches apart.

        Such a turn takes steps of next to no length. The run is taken back to where they begin.
        """
        h = np.abs(self.work.rows[:, 1])
        short = h < SHORT * h.max(initial=0.0)
        short[:1] = False  # the first step may be as short as it likes
        if self.settings.step is not None or not short.any():
            return None
        for k in np.sort(np.argsort(h + np.where(short, 0.0, np.inf))[: min(LOOKS, int(short.sum()))]):
            n, y = len(self.start.q), self.work.states[k]
            state = State(self.program.system, float(self.work.times[k]), y[:n], y[n:], self.start.parameters)
            if weakened(self.start, state, WITHIN):
                kept = int(np.flatnonzero(~short[:k])[-1]) + 1
                self.work.forget(kept)
                end = self.work.t
                ahead = np.sign(self.until - self.start.t)
                self.occurrences = [event for event in self.occurrences if ahead * (event.t - end) <= 0]
                return branches(self._state(), state)
        return None

    def _recorded(self, last: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Times and states of the start and of all accepted steps, or the last of them."""
        t, y = self.work.times[-last:], self.work.states[-last:]
        if len(t) == last > 0:
            return t.copy(), y.copy()
        first = np.concatenate([self.start.q, self.start.v])
        return np.concatenate([[self.start.t], t]), np.concatenate([first[None], y])


def _stepper(method: Method) -> type[Stepper]:
    """The class of a method, imported when it is first used."""
    if not isinstance(method.stepper, str):
        return method.stepper
    module, name = method.stepper.split(":")
    return getattr(import_module(module), name)
