"""One segment of a run under way: steps until there is an outcome."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from zeromass.compile.program import Program
from zeromass.expression import Expression
from zeromass.expression.node import ordered, undisturbed
from zeromass.integrate.endings import in_large, no_number, no_step, out_of_memory, rounded_away, singular, unexplained
from zeromass.integrate.methods import Method
from zeromass.integrate.outcome import Ending, Occurrence, Outcome
from zeromass.integrate.passages import weakened
from zeromass.integrate.segment import Segment, Statistics
from zeromass.integrate.settings import Settings
from zeromass.integrate.singular.returned import returned
from zeromass.integrate.stepping.ahead import Ahead
from zeromass.integrate.stepping.dense import DEGREE, Projection
from zeromass.integrate.stepping.functions import Functions, first_step
from zeromass.integrate.stepping.status import Status, Tolerances
from zeromass.integrate.stepping.stepper import Stepper
from zeromass.integrate.stepping.workspace import Workspace
from zeromass.integrate.terms import Term, terms_of_time
from zeromass.model import Event, State, System

if TYPE_CHECKING:
    from zeromass.integrate.singular.leap import Leap
    from zeromass.integrate.singular.passing import Passing
    from zeromass.integrate.stepping.inside import Inside
    from zeromass.integrate.stepping.step_functions import StepMemory, Steps

CHUNK_OF_STEPS = 4096
"""Steps between looks at the keyboard and the progress bar."""

NEARLY = 1e-5
"""Part of a run that still counts as here where it gets stuck."""

SHORT = 1e-6
"""Part of the longest step below which one is looked at after the run."""

SLOWED = 1e-3
"""Part of the longest step below which one may be at a dead centre, where a coordinate has no mass."""

OCCURRENCE = 400
"""Bytes that an event which happened takes, beside its state."""

AT_ONCE = 2**17
"""Numbers of polynomials of steps that are made together: what bounds the memory."""

PEAKED = frozenset({"exp", "cosh", "tanh"})
"""Operations that bumps in space are made of."""

EARLY, EARLIEST = 50 * np.finfo(float).eps, 1e-3
"""Relative error of rates that margins are compared with, and the margin from which that is done."""

WAYS = 12
"""Ways through beyond events with a margin that a segment looks for where its steps have become short, at most."""

HOPELESS = np.finfo(float).eps ** -0.75
"""Growth of the pivots at which no choice of them is good: a quarter of the digits is left."""


class Loop:
    """Steps of one method on one program, events located, pivots chosen anew where they have become weak.

    held     memory that earlier segments of the run take, bytes
    patient  whether events that end nothing are located after some steps, together
    watched  what is looked at after each step; what may wait comes last
    """

    patient: ClassVar[bool] = True

    program: Program
    start: State
    until: float
    settings: Settings

    @undisturbed
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
        bumps = () if settings.step is not None else self._bumps(program.system)
        kinks = self._kinks(program.system, events) if events else ()
        events = [*events, *self._early(events)] if any(event.margin is not None for event in events) else events
        waits = () if kinks or not self.patient else tuple(e for e in events if not (e.terminal or e.guard))
        more = (*kinks, *bumps)
        at_once = [event for event in events if event not in waits] if waits else events
        self.watched: tuple[Event, ...] = (*at_once, *more, *waits) if more or waits else tuple(events)
        self._asked, self._waits = events, len(waits)
        self.occurrences: list[Occurrence] = []
        self.repivots: int = 0
        self._ways = 0  # that were looked for where steps had become short
        self._called: Functions | None = None
        self._step_memory: StepMemory | None = None
        method = stepper_of(settings.chosen)
        self._lanes = method.lanes
        self.values: np.ndarray = np.array([start.parameters[p] for p in program.system.parameters])
        y = np.concatenate([start.q, start.v])
        tolerances = Tolerances(settings.rtol, settings.atol, settings.longest_step, settings.step)
        first = departure.h if departure else first_step(self.functions(), start.t, y, self.until, tolerances)
        self.work: Workspace = Workspace(
            program.native,
            start.t,
            y,
            self.values,
            tolerances,
            first,
            lanes=method.lanes,
            memory=lambda: settings.bound - held,
        )
        self.stepper: Stepper = method(self.work)
        self.work.growth_limit = settings.limits.growth
        self.work.correction_limit = settings.limits.correction
        sampled = [event.zero for event in self.watched if self.samples(event)]
        followed = [event.zero for event in self.watched if self.follows(event) and not self.samples(event)]
        if settings.step is None and (terms := terms_of_time(program.system, followed, sampled)):
            from zeromass.integrate.pace import pace  # few systems have such terms

            found = pace(program.system, start.parameters, start.t, self.known_until(terms), followed, sampled)
            self.work.limit(Ahead(found) if found is not None else None)
        self._use(program)
        self._departure = departure
        self._passing: Passing | None = None

    def _early(self, events: Sequence[Event]) -> list[Event]:
        """Where runs begin to pass through beyond events with a margin: rounding of the rates of coordinates without mass, a
        multiple of ε/margin, is larger there than the error allowed."""
        least = EARLY / self.settings.rtol
        if self.settings.step is not None or least < EARLIEST:
            return []
        return [
            Event(f"\0{e.name}", e.margin - min(least, 1.0), direction=-1, margin=e.margin)
            for e in events
            if e.margin is not None
        ]

    @cached_property
    def listed(self) -> list[tuple[int, Event]]:
        """The events that were asked for, in their order, with their places among what is watched."""
        return [(self.watched.index(event), event) for event in self._asked]

    def segment(self, tell: Callable[[float], None]) -> Segment:
        """Steps until there is an outcome."""
        outcome = self._beyond_a_guard()
        if outcome is None and self._departure is not None:
            outcome = self.passing.leapt.depart(self._departure)
        return self._ended(tell, outcome)

    def onward(self, tell: Callable[[float], None], outcome: Outcome | None) -> Segment:
        """Steps on after `step`, with the outcome that it had."""
        return self._ended(tell, None if outcome is None else self._across(outcome))

    @property
    def passing(self) -> Passing:
        """What looks after singular positions."""
        if self._passing is None:
            from zeromass.integrate.singular.passing import Passing  # few runs come near one

            self._passing = Passing(self)
        return self._passing

    @property
    def searched(self) -> bool:
        """Whether it has looked for singular positions, for which it needs all its steps."""
        return self._passing is not None and self._passing.searched

    @property
    def carefree(self) -> bool:
        """Whether nothing but its own control and its tolerance bounds a step."""
        return self._passing is None or self._passing.carefree

    def _across(self, outcome: Outcome) -> Outcome | None:
        """What becomes of a run that would end: it may have come to a singular position, or turned there."""
        if self.program.code == "rolled":
            return outcome
        h = self.lengths()
        turned = h.size > 1 and self.settings.step is None and h[1:].min() < SHORT * h.max()  # the first may be short
        stopped = outcome.ending in (Ending.SINGULAR_BRANCH, Ending.STEP_TOO_SMALL)
        slowed = self._slowed()
        if turned or stopped or slowed:
            self._locate()
        if stopped or slowed:
            from zeromass.integrate.singular.dead_centre import dead_centre  # few runs come to one

            outcome = dead_centre(self) or outcome
        return self.passing.across(outcome) if turned or stopped else outcome

    def lengths(self) -> np.ndarray:
        """Of all steps, as far as they tell of singular positions."""
        return np.abs(self.work.rows[:, 1]) if self._passing is None else self._passing.leapt.lengths()

    def _slowed(self) -> bool:
        """Whether steps became much shorter on the way, and not by the end of the run."""
        h = self.lengths()[:-1]
        return self.settings.step is None and bool(np.any(h < SLOWED * np.maximum.accumulate(h)))

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
        t, y = self.recorded()
        return Segment(
            self.program,
            self.start,
            t,
            y,
            outcome,
            Statistics(
                work.steps, work.rejected, work.evaluations, self.repivots, float(np.max(work.growth, initial=1.0))
            ),
            self._happened(),
            self.settings,
            work.growth.copy(),
            self.polynomials,
            () if self._passing is None else self._passing.leapt.passages(float(t[0]), float(t[-1])),
        )

    def _some_steps(self, tell: Callable[[float], None]) -> Outcome | None:
        outcome = self.step(CHUNK_OF_STEPS, at_leisure=True)
        tell(self.work.t)
        return outcome

    def step(self, budget: int, *, at_leisure: bool = False) -> Outcome | None:
        """Steps until the method can not go on by itself, `budget` of them at most, and what is to be done then.

        at_leisure  whether events that may wait do so still where these were the last steps
        """
        since, evaluations = self.work.t, self.work.evaluations
        end = self.until if self._passing is None else self._passing.next_end()
        status = self.stepper.advance(end, budget)
        if not (at_leisure and status is Status.FINISHED and end == self.until):
            self._locate()
        self.work.noted = len(self.occurrences) * (OCCURRENCE + self.work.state.nbytes)
        self.program.native.called(self.work.evaluations - evaluations)
        if self.work.dipped:
            return self.passing.dipped(status)
        return self.after(status, since)

    def after(self, status: Status, since: float) -> Outcome | None:
        """What follows from the answer of a method that has made steps since a time."""
        match status:
            case Status.FADING:
                return self.passing.faded()
            case Status.FINISHED if self.work.t != self.until:  # careful steps end before
                self.passing.relax()
                return None
            case Status.FINISHED:
                return Outcome(Ending.FINISHED, self.work.t, "")
            case Status.PIVOTS:
                return self._new_pivots()
            case Status.EVENT:
                return self.happened()
            case Status.NOT_A_NUMBER if self.program.code == "rolled":
                return in_large(self.state(), Ending.NOT_A_NUMBER)
            case Status.NOT_A_NUMBER:
                return no_number(self.state(), self.functions().slope, self.until - self.work.t)
            case Status.STEP_TOO_SMALL:
                return self._stuck()
            case Status.RECORD_FULL:
                return self._full()
            case Status.UNEXPLAINED:
                return self._weak() or unexplained(self.state(), float(self.settings.step or 0.0))
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
        self._watch()

    def _watch(self) -> None:
        """Looks at events from the current state on."""
        self.work.watch(self.watched, patient=self._waits)

    def _happened(self) -> tuple[Occurrence, ...] | Callable[[], tuple[Occurrence, ...]]:
        """What happened in the run; what waits is located when somebody asks for it."""
        known, rows = tuple(self.occurrences), self.work.noted_steps()
        if not len(rows):
            return known
        return lambda: (*known, *self._waited(rows))

    def _locate(self) -> None:
        """Locates events that have waited."""
        rows = self.work.noted_steps()
        if len(rows):
            self.occurrences += self._waited(rows)

    def _waited(self, rows: np.ndarray) -> list[Occurrence]:
        """What has happened in steps that were noted, of events that end nothing, in order; threads may ask at once."""
        columns, events = zip(*[(k, event) for k, event in self.listed if not event.terminal], strict=True)
        most, found = max(1, AT_ONCE // (self.work.order * (DEGREE + 1))), []
        for k in range(0, len(rows), most):
            some = rows[k : k + most]
            steps, memory = self._steps(some), self._inside(int(some[0])).memory
            for step, roots in memory.roots(steps, events, columns, self.stepper.places):
                if roots is None:  # machine code is not sure of a state
                    roots = self._closely(int(some[step]), events, columns)
                found += [Occurrence(events[j].name, t, y) for t, j, y in roots]
        return found

    def _closely(
        self, row: int, events: Sequence[Event], columns: Sequence[int]
    ) -> list[tuple[float, int, np.ndarray]]:
        """Roots of the functions of events in a step: times, which event, states."""
        from zeromass.integrate.stepping.roots import event_roots

        inside = self._inside(row)
        found, _ = event_roots(events, inside, self._places(row), columns=columns)
        return [(t, events.index(event), inside.state(t)) for t, event in found]

    def _steps(self, rows: np.ndarray) -> Steps:
        """Steps, given by their rows in the record."""
        from zeromass.integrate.stepping.step_functions import Steps

        work, start, before = self.work, self.start, np.maximum(rows - 1, 0)
        t0, y0 = work.times[before], work.states[before]
        t0[rows == 0], y0[rows == 0] = start.t, np.concatenate([start.q, start.v])
        ends = t0, y0, work.times[rows], work.states[rows]
        return Steps(*ends, self.polynomials(*ends))

    def state(self) -> State:
        y = self.work.y
        n = len(y) // 2
        return State(self.program.system, self.work.t, y[:n], y[n:], self.start.parameters)

    def functions(self) -> Functions:
        if self._called is None or self._called.code is not self.program.native:
            self._called = Functions(self.program.native, self.values, self._lanes)
        return self._called

    def _new_pivots(self) -> Outcome | None:
        """Chooses the pivots anew here, with the rank of the start; ends the run where that does not help."""
        state = self.state()
        fresh = self.program.anew(state)
        growth, before = (float(program.native.growth(state.inputs)) for program in (fresh, self.program))
        if not min(growth, before) < HOPELESS:
            if self.program.code == "rolled":
                return in_large(state, Ending.SINGULAR_BRANCH)
            through, outcome = self._through_ahead()
            if through:
                return outcome
            return singular(state) if weakened(self.start, state) else rounded_away(state)
        if before < growth:  # those of before are better still, as where masses differ by much
            growth = before
        else:
            self.repivots += 1
            self._use(fresh)
        self.work.growth_limit = max(self.settings.limits.growth, 10.0 * growth)
        return None

    def happened(self) -> Outcome | None:
        """Locates the events of the last step; a terminal one ends the run there."""
        last = len(self.work.rows) - 1
        inside, places = self._inside(last, self._step_memory), self._places(last)
        self._step_memory = inside.memory
        t0, y0 = places[0], inside.state(places[0])
        found, tolerance = self.located(inside, places)
        if self._passing is not None and self._passing.leapt.margin is not None:
            found = [(place, event) for place, event in found if event.margin is not self._passing.leapt.margin]
        end = next((place for place, event in found if event.terminal), None)
        bump = self._stepped_over(inside, places)
        if bump is not None and (end is None or abs(bump[0] - t0) < abs(end - t0)):
            return self._before_a_bump(t0, y0, *bump)
        for place, event in found:
            if end is not None and abs(place - t0) > abs(end - t0) + 2 * tolerance:
                break  # what happens with the terminal event is listed, what would come later is not
            self.occurrences.append(Occurrence(event.name, place, inside.state(place)))
        if end is None:
            return None
        self.work.cut(end, inside.state(end))
        ending = [event for place, event in found if event.terminal and abs(place - end) <= 2 * tolerance]
        if len(ending) == 1 and ending[0].margin is not None:
            through, outcome = self._through(ending[0])
            if through or ending[0].name.startswith("\0"):
                return outcome
        state = self.state()
        return Outcome(Ending.EVENT, end, ", ".join(event.words(state) for event in ending))

    def _through_ahead(self) -> tuple[bool, Outcome | None]:
        """The same of an event with a margin that steps have become short before; from where they began to."""
        flat = [event for _, event in self.listed if event.margin is not None]
        if not flat or self._ways >= WAYS:
            return False, None
        self._ways += 1
        h = self.lengths()
        long = np.flatnonzero(h >= SLOWED * h.max(initial=0.0))
        for event in flat:
            through, outcome = self._through(event, int(long[-1]) + 1 if len(long) else 0)
            if through:
                return through, outcome
        return False, None

    def _through(self, event: Event, steps: int | None = None) -> tuple[bool, Outcome | None]:
        """Whether the run passes through beyond an event with a margin, and what happens on the way.

        steps  of the record after which the way begins; all by default
        """
        if self.settings.step is not None:
            return False, None
        through, outcome = self.passing.leapt.transit(event, steps)
        if through or event.name.startswith("\0"):
            self.occurrences = [e for e in self.occurrences if e.name != event.name]
        return through, outcome

    def _inside(self, row: int, memory: StepMemory | None = None) -> Inside:
        """The inside of a step, given by its row in the record, in memory of its own or in that of an earlier one."""
        from zeromass.integrate.stepping.inside import Inside  # nothing happens in most runs

        steps = self._steps(np.array([row]))
        return Inside(self.work, self.functions(), steps, self.returned(), memory)

    def _places(self, row: int) -> list[float]:
        """Where in a step events are looked at first."""
        t0, t1 = self.work.times[row - 1] if row else self.start.t, self.work.times[row]
        return np.append(t0 + (t1 - t0) * self.stepper.places[:-1], t1).tolist()

    def _stepped_over(self, inside: Inside, places: list[float]) -> tuple[float, float] | None:
        if not bumps_of(self.program.system) or self.settings.step is not None:
            return None
        from zeromass.integrate.stepping.narrow import stepped_over  # few systems have bumps

        return stepped_over(self.watched, inside, places)

    def _before_a_bump(self, t0: float, y0: np.ndarray, place: float, long: float) -> None:
        """Takes the last step again, from (t0, y0), up to where a bump begins that it has gone over, or a part into it."""
        from zeromass.integrate.stepping.narrow import PART

        gap = place - t0
        self.back_to(len(self.work.rows) - 1, t0, y0)
        self.work.resume(gap if abs(gap) > abs(long) else gap + PART * long)

    def returned(self) -> Projection | None:
        """What brings states inside steps onto the constraints; None where nothing does."""
        if not (self.settings.project and self.program.corrections):
            return None
        whole = self.program.code != "rolled"
        return returned(self.functions().projected, self.start, self.settings, whole=whole)

    def _kinks(self, system: System, events: Sequence[Event]) -> tuple[Event, ...]:
        """What switches in the functions of events that are not the system's own, which is watched too."""
        own = {event.name for event in system.events}
        if all(event.name in own for event in events):
            return ()
        from zeromass.integrate.stepping.kinks import kinks  # few runs are asked to watch something

        return kinks(system, events)

    def _bumps(self, system: System) -> tuple[Event, ...]:
        """What is above zero in the bumps of a system's formulas, which is watched too."""
        return bumps_of(system)

    def located(self, inside: Inside, places: list[float]) -> tuple[list[tuple[float, Event]], float]:
        """What happens in a step, in order of its course, and how well that is located; see `event_roots`."""
        from zeromass.integrate.stepping.kinks import bent  # nothing happens in most runs
        from zeromass.integrate.stepping.roots import event_roots

        places = bent(self.watched, inside, places)
        return event_roots(
            [event for _, event in self.listed], inside, places, columns=[column for column, _ in self.listed]
        )

    def known_until(self, terms: Sequence[Term]) -> float:
        """Until when it is known what depends on time alone: a later segment need not look at it again."""
        return self.until

    def follows(self, event: Event) -> bool:
        """Whether steps are to be short enough for what of an event's function depends on time alone."""
        return True

    @cached_property
    def own_events(self) -> frozenset[str]:
        """Names of events that are the system's own."""
        return frozenset(event.name for event in self.program.system.events)

    def samples(self, event: Event) -> bool:
        """Whether an event is one that a user asks for: the motion does not feel how its function swings."""
        return not event.name.startswith("\0") and event.name not in self.own_events

    def _beyond_a_guard(self) -> Outcome | None:
        """The end of a run that starts where it must not even be, such as where a contact would have to pull."""
        start, y = self.start, self.work.y
        for event, value in zip(self.watched, self.work.event_values(start.t, y), strict=True):
            if event.guard and value * event.direction > 0:
                if event.margin is not None:
                    through, outcome = self._through(event)
                    if through:
                        return outcome
                self.occurrences.append(Occurrence(event.name, start.t, y))
                return Outcome(Ending.EVENT, start.t, event.words(start, " already at the start"))
        return None

    def _stuck(self) -> Outcome | None:
        """The end of a run whose steps have become too short: it may be at what must not happen, which is named then."""
        t, y = self.recorded()
        some = np.linspace(0, len(t) - 1, 50).astype(int)
        values = np.array([self.work.event_values(float(t[k]), y[k]) for k in some])
        ends = self.work.event_values(self.work.t, self.work.y)
        most = self.settings.limits.close * np.abs(values).max(axis=0)
        close = [
            event for event, end, size in zip(self.watched, ends, most, strict=True) if event.guard and abs(end) < size
        ]
        through, outcome = self._through_ahead()
        if through:
            return outcome
        for event in close[:1]:
            self.occurrences.append(Occurrence(event.name, self.work.t, self.work.y))
            words = event.words(self.state(), " nearly: no step is short enough to come closer")
            return Outcome(Ending.EVENT, self.work.t, words)
        if self.program.code == "rolled":
            return in_large(self.state(), Ending.STEP_TOO_SMALL)
        return self._weak() or no_step(
            self.state(),
            self.functions().slope,
            ahead=NEARLY * (self.until - self.start.t),
            stiff=self.settings.chosen.stiff,
        )

    def _weak(self) -> Outcome | None:
        """The end of a run where its constraints have lost independence."""
        if self.program.code == "rolled":
            return None
        state = self.state()
        return singular(state) if weakened(self.start, state) else None

    def back_to(self, steps: int, t: float, y: np.ndarray) -> None:
        """Goes back to an earlier state."""
        self.work.forget(steps, t, y)
        ahead = np.sign(self.until - self.start.t)
        self.occurrences = [event for event in self.occurrences if ahead * (event.t - t) <= 0]
        if self.watched:
            self._watch()

    def polynomials(self, t0: np.ndarray, y0: np.ndarray, t1: np.ndarray, y1: np.ndarray) -> np.ndarray:
        """The states inside steps; see `Source`."""
        inside = self.stepper if self._passing is None else self._passing.leapt
        return inside.polynomials(t0, y0, t1, y1)

    def recorded(self, last: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Times and states of the start and of all accepted steps, or the last of them."""
        t, y = self.work.times[-last:], self.work.states[-last:]
        if len(t) == last > 0:
            return t.copy(), y.copy()
        first = np.concatenate([self.start.q, self.start.v])
        return np.concatenate([[self.start.t], t]), np.concatenate([first[None], y])


def bumps_of(system: System) -> tuple[Event, ...]:
    """What is above zero in the bumps of a system's formulas that depend on its state, each with its rate."""
    if "bumps in space" not in system.memory:
        some = not PEAKED.isdisjoint(system.contents[1])
        peaks = [node for node in ordered(system.formulas) if _is_peaked(node)] if some else []
        system.memory["bumps in space"] = _felt(peaks) if peaks else ()
    return system.memory["bumps in space"]


def _is_peaked(node: Expression) -> bool:
    """Whether it is e^u or cosh u, or tanh²u, as in the force 1 − tanh²u of a potential that rises within a short way."""
    return node.op in ("exp", "cosh") or (node.op == "power" and node.args[0].op == "tanh")


def _felt(peaks: Sequence[Expression]) -> tuple[Event, ...]:
    from zeromass.integrate.stepping.narrow import bumps  # few systems have any

    return bumps(peaks)


def stepper_of(method: Method) -> type[Stepper]:
    """The class of a method, imported when it is first used."""
    if not isinstance(method.stepper, str):
        return method.stepper
    module, name = method.stepper.split(":")
    return getattr(import_module(module), name)


def lanes_of(method: Method) -> int:
    """States that a method's calls of the system's functions take at once."""
    return stepper_of(method).lanes
