"""One segment of a run under way: steps until there is an outcome."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module

import numpy as np

from zeromass.compile.program import Program
from zeromass.integrate.endings import branches, no_number, no_step, out_of_memory, singular, unexplained
from zeromass.integrate.methods import Method
from zeromass.integrate.outcome import Ending, Occurrence, Outcome
from zeromass.integrate.passages import Passage, dependents, weakened
from zeromass.integrate.segment import Segment, Statistics
from zeromass.integrate.settings import Settings
from zeromass.integrate.stepping.ahead import Ahead
from zeromass.integrate.stepping.crossing import LEAST, Crossing, Landing, Miss
from zeromass.integrate.stepping.dense import DEGREE, Projection, states_in
from zeromass.integrate.stepping.functions import Functions, first_step
from zeromass.integrate.stepping.layout import Real64
from zeromass.integrate.stepping.leap import Leap
from zeromass.integrate.stepping.returned import returned
from zeromass.integrate.stepping.status import Status, Tolerances
from zeromass.integrate.stepping.stepper import Stepper
from zeromass.integrate.stepping.strength import RECENT
from zeromass.integrate.stepping.workspace import Workspace
from zeromass.integrate.terms import Term, terms_of_time
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

FAR = 3.0
"""Steps, of the length of the next, from which a singular position is too far ahead to leap across."""

CAREFUL = 8.0
"""Steps to a position that is nearly singular, at least."""

THIRDS = 1 / 3, 2 / 3, 1.0
"""Ends of the steps that a leap is recorded as: none of them begins or ends in its middle."""

SOME = 8
"""States on the way whose rows tell how large they are."""

LOOKS_INSIDE = 9
"""States in a step, its ends among them, at which a singular position is looked for."""

OCCURRENCE = 400
"""Bytes that an event which happened takes, beside its state."""

HOPELESS = np.finfo(float).eps ** -0.75
"""Growth of the pivots at which no choice of them is good: a quarter of the digits is left."""


class Loop:
    """Steps of one method on one program, events located, pivots chosen anew where they have become weak.

    held  memory that earlier segments of the run take, bytes
    """

    program: Program
    start: State
    until: float
    settings: Settings

    def __init__(
        self,
        program: Program,
        start: State,
        until: float,
        settings: Settings,
        events: Sequence[Event],
        *,
        departure: Leap | None = None,
        held: int = 0,
    ) -> None:
        self.program, self.start, self.until, self.settings = program, start, float(until), settings
        self.watched: tuple[Event, ...] = tuple(events)
        self.occurrences: list[Occurrence] = []
        self.repivots: int = 0
        self.crossed: list[tuple[float, np.ndarray]] = []  # times and states of singular positions
        self._called: Functions | None = None
        self._leaps: dict[float, Leap] = {}  # by the times at which their steps begin
        self._crosses: Crossing | None = None
        self._careful: float | None = None  # where steps of one kind end, see `_next_end`
        self._passed_by: tuple[float, float] = np.inf, 0.0  # what was no crossing in a step, and the step's length
        method = _stepper(settings.chosen)
        self._lanes = method.lanes
        self._values = np.array([start.parameters[p] for p in program.system.parameters])
        y = np.concatenate([start.q, start.v])
        tolerances = Tolerances(settings.rtol, settings.atol, settings.longest_step, settings.step)
        first = departure.h if departure else first_step(self._functions(), start.t, y, self.until, tolerances)
        self.work: Workspace = Workspace(
            program.native,
            start.t,
            y,
            self._values,
            tolerances,
            first,
            lanes=method.lanes,
            memory=lambda: settings.bound - held,
        )
        self.stepper: Stepper = method(self.work)
        self.work.growth_limit = settings.limits.growth
        self.work.correction_limit = settings.limits.correction
        followed = [event.zero for event in self.watched if self.follows(event)]
        if settings.step is None and (terms := terms_of_time(program.system, followed)):
            from zeromass.integrate.pace import pace  # few systems have such terms

            found = pace(program.system, start.parameters, start.t, self.known_until(terms), followed)
            self.work.limit(Ahead(found) if found is not None else None)
        self._use(program)
        self._departure = departure

    def segment(self, tell: Callable[[float], None]) -> Segment:
        """Steps until there is an outcome."""
        outcome = self._beyond_a_guard()
        if outcome is None and self._departure is not None:
            outcome = self._departed(self._departure)
        return self._ended(tell, outcome)

    def onward(self, tell: Callable[[float], None], outcome: Outcome | None) -> Segment:
        """Steps on after `step`, with the outcome that it had."""
        return self._ended(tell, None if outcome is None else self._across(outcome))

    @property
    def searched(self) -> bool:
        """Whether it has looked for singular positions, for which it needs all its steps."""
        return self._crosses is not None

    @property
    def carefree(self) -> bool:
        """Whether nothing but its own control and its tolerance bounds a step."""
        return self._careful is None

    def _ended(self, tell: Callable[[float], None], outcome: Outcome | None) -> Segment:
        """Steps from where the memory is until there is an outcome."""
        try:
            while outcome is None:
                outcome = self._some_steps(tell)
                if outcome is not None:
                    outcome = self._across(outcome)
        except KeyboardInterrupt:
            outcome = Outcome(Ending.INTERRUPTED, self.work.t, "what was computed so far is kept")
        except MemoryError:
            outcome = self._full()
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
            self._polynomials,
            self._passages(float(t[0]), float(t[-1])),
        )

    def _passages(self, first: float, last: float) -> tuple[Passage, ...]:
        """The singular positions that were leapt across between two times."""
        told = [(t, y) for t, y in self.crossed if first <= t <= last or last <= t <= first]
        inputs = np.array([[t, *y, *self._values] for t, y in told])
        names = dependents(self.program.system, inputs)
        return tuple(Passage(t, constraints) for (t, _), constraints in zip(told, names, strict=True))

    def _some_steps(self, tell: Callable[[float], None]) -> Outcome | None:
        outcome = self.step(CHUNK_OF_STEPS)
        tell(self.work.t)
        return outcome

    def step(self, budget: int) -> Outcome | None:
        """Steps until the method can not go on by itself, `budget` of them at most, and what is to be done then."""
        since, evaluations = self.work.t, self.work.evaluations
        end = self._next_end()
        status = self.stepper.advance(end, budget)
        self.work.noted = len(self.occurrences) * (OCCURRENCE + self.work.state.nbytes)
        self.program.native.called(self.work.evaluations - evaluations)
        if self.work.dipped:
            return self._dipped(status)
        if status is Status.FINISHED and end != self.until:
            self._carefree()
            return None
        return self._follows(status, since)

    def _follows(self, status: Status, since: float) -> Outcome | None:
        """What follows from the answer of a method that has made steps since a time."""
        match status:
            case Status.FADING:
                return self._faded()
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
            case Status.RECORD_FULL:
                return self._full()
            case Status.UNEXPLAINED:
                return self._weak() or unexplained(self._state(), float(self.settings.step or 0.0))
        return self._stuck() if self._stalls(since) else None

    def _full(self) -> Outcome:
        """The end of a run for which there is no more memory."""
        return out_of_memory(self.work.t, self.work.steps, self.settings.bound)

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
        if self._called is None or self._called.code is not self.program.native:
            self._called = Functions(self.program.native, self._values, self._lanes)
        return self._called

    def _new_pivots(self) -> Outcome | None:
        """Chooses the pivots anew here, with the rank of the start; ends the run where that does not help."""
        state = self._state()
        fresh = self.program.anew(state)
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

        (t0, t1), (y0, y1) = self._recorded(last=2)
        (polynomial,) = self._polynomials(*[np.array([x]) for x in (t0, y0, t1, y1)])
        inside = Inside(self.work, polynomial, float(t0), y0, float(t1), y1, self._returned())
        places = np.append(t0 + (t1 - t0) * self.stepper.places[:-1], t1).tolist()
        inside.look(places)
        found, tolerance = self.located(inside.watched, places)
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

    def _returned(self) -> Projection | None:
        """What brings states inside steps onto the constraints; None where nothing does."""
        if not (self.settings.project and self.program.corrections):
            return None
        return returned(self._functions().projected, self.start, self.settings)

    def located(
        self, values: Callable[[float], np.ndarray], places: list[float]
    ) -> tuple[list[tuple[float, Event]], float]:
        """What happens in a step, in order of its course, and how well that is located; see `happenings`."""
        from zeromass.integrate.stepping.locate import happenings  # nothing happens in most runs

        return happenings(self.watched, values, places)

    def known_until(self, terms: Sequence[Term]) -> float:
        """Until when it is known what depends on time alone: a later segment need not look at it again."""
        return self.until

    def follows(self, event: Event) -> bool:
        """Whether steps are to be short enough for what of an event's function depends on time alone."""
        return True

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

    # singular positions ------------------------------------------------------------------------------------------------
    def _across(self, outcome: Outcome) -> Outcome | None:
        """What becomes of a run that would end: where it has come to a singular position, it leaps across and goes on."""
        corner = self._corner()
        if corner is None and outcome.ending not in (Ending.SINGULAR_BRANCH, Ending.STEP_TOO_SMALL):
            return outcome
        t, y = self._recorded()
        last = len(t) if corner is None else corner + 2
        place = self._crossing.strength.ahead(t[:last], y[:last])
        if place is not None and abs(place - t[last - 1]) > np.abs(np.diff(t[:last])).max(initial=0.0):
            place = None  # that is elsewhere
        landing = Miss.NARROW if place is None else self._landing(place, t[:last], y[:last])
        if isinstance(landing, Landing):
            return self._landed(landing)
        return outcome if corner is None else self._ends_before(corner)

    def _faded(self) -> Outcome | None:
        """Looks ahead where a pivot of a multiplier is about to vanish: a leap, or nothing for a while."""
        work = self.work
        t, y = self._recorded(last=RECENT)
        h = float(work.reals[Real64.h])
        place = self._crossing.strength.ahead(t, y)
        if place is None or abs(place - work.t) > FAR * abs(h):
            work.be_quiet(work.t + h)
            return None
        runway = self._crossing.runway(place, t) if self._leaping else None
        if runway is not None:
            self._careful = runway
            work.be_quiet(runway)
            return None
        landing = self._landing(place, t, y)
        if isinstance(landing, Landing):
            return self._landed(landing)
        if landing is Miss.NARROW:
            self._be_careful(place)
        else:
            work.be_quiet(work.t + 2 * (place - work.t))
        return None

    def _be_careful(self, place: float) -> None:
        """Goes on to as far behind a position as it is ahead with steps that do not leave it out, as exact as can be: a
        tolerance that is wider than a motion misses it by would let it cross."""
        work = self.work
        distance = place - work.t
        self._careful = place + distance
        work.be_quiet(self._careful, longest=abs(distance) / CAREFUL)
        work.allow(min(work.tolerances.rtol, LEAST), min(work.tolerances.atol, LEAST / 1000))

    def _next_end(self) -> float:
        """Where steps of one kind end: those that are careful or lead to a leap, or all of them."""
        careful = self._careful
        return (
            self.until if careful is None or abs(careful - self.start.t) > abs(self.until - self.start.t) else careful
        )

    def _carefree(self) -> None:
        self._careful = None
        self.work.allow(self.work.tolerances.rtol, self.work.tolerances.atol)
        self.work.be_quiet(self.work.t)

    def _dipped(self, status: Status) -> Outcome | None:
        """Looks into the last step, in which a pivot of a multiplier may have vanished: a leap in its place, or careful
        steps; what follows from the status, if it was none."""
        work = self.work
        (t0, t1), (y0, y1) = self._recorded(last=2)
        times = np.linspace(t0, t1, LOOKS_INSIDE)
        polynomial = self._polynomials(*[np.array([x]) for x in (t0, y0, t1, y1)]).swapaxes(0, 1)
        states = states_in(polynomial, (times - t0) / (t1 - t0))
        place = self._crossing.strength.inside(times, states)
        surely = place is not None
        if place is None and self.settings.project:
            on = self._functions().projected(times, states)
            allowed = work.tolerances.atol + work.tolerances.rtol * np.abs(states)
            if not np.abs((on - states) / allowed).max() <= self.settings.limits.correction:
                place = self._crossing.searched(float(t0), y0, float(t1))
        t, y = self._recorded()
        landing = Miss.WIDE if place is None else self._landing(place, t[:-1], y[:-1])
        if isinstance(landing, Landing):
            return self._landed(landing)
        work.be_quiet(work.t)
        if place is None or landing is Miss.WIDE:
            return None if status is Status.FADING else self._follows(status, float(t0))
        before, length = self._passed_by
        if abs(place - before) < length:  # careful steps have not helped
            return singular(self._state()) if surely else self._follows(status, float(t0))
        self._passed_by = place, float(abs(t1 - t0))
        self._back_to(len(t) - 2, float(t0), y0)
        work.resume((place - t0) / CAREFUL)
        self._be_careful(place)
        return None

    @property
    def _crossing(self) -> Crossing:
        if self._crosses is None or self._crosses.program is not self.program:
            t, y = self._recorded()
            some = np.linspace(0, len(t) - 1, SOME).astype(int)
            limit, functions = self.settings.limits.correction, self._functions()
            self._crosses = Crossing(
                self.program, self.start, (t[some], y[some]), functions, self.work.tolerances, limit
            )
        return self._crosses

    @property
    def _leaping(self) -> bool:
        """Whether there are leaps at all."""
        return self.settings.project and self.settings.step is None

    def _landing(self, place: float, t: np.ndarray, y: np.ndarray) -> Landing | Miss:
        """A leap across the singular position at about a time, from one of some states."""
        if not self._leaping:
            return Miss.WIDE
        if self.crossed:  # not across the last one again
            after = np.sign(self.until - self.start.t) * (t - self.crossed[-1][0]) > 0
            t, y = t[after], y[after]
        return self._crossing.landing(place, t, y) if len(t) else Miss.NARROW

    def _landed(self, landing: Landing) -> Outcome | None:
        """Goes back to where leaps begin, and records them as steps; an outcome, if something happens on the way."""
        leaps = landing.leaps
        self._carefree()
        self.crossed.append((landing.t, landing.y))
        steps = int(np.count_nonzero(np.sign(leaps[0].h) * (self.work.times - leaps[0].t) <= 0))
        _, y = self._recorded(last=len(self.work.times) - steps + 1)
        self._back_to(steps, leaps[0].t, y[0])
        for leap in leaps:
            outcome = self._taken(leap, THIRDS)
            if outcome is not None:
                return outcome
        self.work.resume(leaps[-1].h / 4)
        return None

    def _departed(self, leap: Leap) -> Outcome | None:
        """Leaves a singular position that a run starts in by the second half of a leap."""
        self.crossed.append((self.start.t, np.concatenate([self.start.q, self.start.v])))
        outcome = self._taken(leap, (0.75, 1.0))
        self.work.resume(leap.h / 8)
        return outcome

    def _taken(self, leap: Leap, places: Sequence[float]) -> Outcome | None:
        """Records a leap as steps to some places in it; an outcome, if something happens on the way."""
        rest = abs(self.until - leap.t)
        ends = np.array([end if abs(end - leap.t) < rest else self.until for end in leap.t + leap.h * np.array(places)])
        on, _, growth = self._functions().stages(len(ends), len(leap.end))(ends, leap.states(ends))
        states = on.copy()
        for end, state, quality in zip(ends.tolist(), states, growth.tolist(), strict=True):
            since = self.work.t
            self._leaps[since] = leap
            self.work.accept(end, end - since, leap.end if end == leap.t + leap.h else state, quality)
            outcome = self._happened() if self.watched and self.work.crossed() else None
            if outcome is None and end == self.until:
                outcome = Outcome(Ending.FINISHED, end, "")
            if outcome is not None:
                return outcome
        return None

    def _back_to(self, steps: int, t: float, y: np.ndarray) -> None:
        """Goes back to an earlier state."""
        self.work.forget(steps, t, y)
        ahead = np.sign(self.until - self.start.t)
        self.occurrences = [event for event in self.occurrences if ahead * (event.t - t) <= 0]
        self.work.watch(self.watched)

    def _corner(self) -> int | None:
        """The step with which a run has turned at a singular position within rounding of it, by its place in the record:
        nothing tells the branches there apart. Such a turn takes steps of next to no length.
        """
        h = np.abs(self.work.rows[:, 1])
        short = h < SHORT * h.max(initial=0.0)
        short[:1] = False  # the first step may be as short as it likes
        if self.settings.step is not None or not short.any():
            return None
        for k in np.sort(np.argsort(h + np.where(short, 0.0, np.inf))[: min(LOOKS, int(short.sum()))]):
            if weakened(self.start, self._step_end(k), WITHIN):
                return int(k)
        return None

    def _step_end(self, k: int) -> State:
        n, y = len(self.start.q), self.work.states[k]
        return State(self.program.system, float(self.work.times[k]), y[:n], y[n:], self.start.parameters)

    def _ends_before(self, corner: int) -> Outcome:
        """Takes the run back to where the short steps of a corner begin."""
        h, there = np.abs(self.work.rows[:, 1]), self._step_end(corner)
        kept = int(np.flatnonzero(h[:corner] >= SHORT * h.max())[-1]) + 1
        self._back_to(kept, float(self.work.times[kept - 1]), self.work.states[kept - 1].copy())
        return branches(self._state(), there)

    def _polynomials(self, t0: np.ndarray, y0: np.ndarray, t1: np.ndarray, y1: np.ndarray) -> np.ndarray:
        """The states inside steps: those of the method, and leaps."""
        leaps = [self._leaps.get(t) for t in t0.tolist()]
        if not any(leaps):
            return self.stepper.polynomials(t0, y0, t1, y1)
        steps = np.array([leap is None for leap in leaps])
        result = np.empty((len(t0), DEGREE + 1, y0.shape[1]))
        if steps.any():
            result[steps] = self.stepper.polynomials(t0[steps], y0[steps], t1[steps], y1[steps])
        for k, leap in enumerate(leaps):
            if leap is not None:
                result[k] = leap.polynomial(float(t0[k]), y0[k], float(t1[k]), y1[k])
        return result

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


def lanes_of(method: Method) -> int:
    """States that a method's calls of the system's functions take at once."""
    return _stepper(method).lanes
