"""The course of a motion: segments that follow one another, each of one system, asked as one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from zeromass.compile.program import Program, program_at, rolls
from zeromass.equation.arrays import single_thread
from zeromass.expression import Expression, Symbol, as_expression, expressions
from zeromass.frozen import frozen
from zeromass.integrate.hybrid.pieces import Impulse, Switching
from zeromass.integrate.outcome import Ending, Occurrence, Outcome, at_start
from zeromass.integrate.passages import Passage
from zeromass.integrate.segment import Samples, Segment, Segments, Statistics
from zeromass.integrate.settings import Settings
from zeromass.integrate.stepping.loop import Loop
from zeromass.integrate.terms import lengths_in
from zeromass.model import Event, ModelError, State, System
from zeromass.model.beginning import Beginning
from zeromass.model.by_expression import ByExpression
from zeromass.model.event import IMPOSSIBLE
from zeromass.model.given import given_all, given_kind, given_name, given_real, shape_of, shown
from zeromass.model.interface import Interface
from zeromass.model.naming import meant

Events = Event | Iterable[Event] | Mapping[str, Expression] | None
"""What a run may be asked to watch: an event, several, or {name: expression} for terminal ones either way."""

SAMPLES = 9
"""Steps at which the energy of a conservative system is compared with that of its start."""


@frozen(repr=False)
class Course(Interface, ByExpression):
    """Motion of a run, in one or more segments: immutable, with dense output.

    course[expression]           values at the steps, `course.t`
    course.at(times)[expression] values at any times

    A ball that is thrown slips, and rolls from 2 v/(7 μ g) on:

    >>> ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.plane(), friction=0.2)
    >>> thrown = ball.slipping.start([(ball.contact, 0.0), (ball.center_particle.velocity, (1.0, 0.0, 0.0)),
    ...                               (ball.body.angular_velocity, 0.0)])
    >>> run = zm.simulate(ball, thrown, until=1.0)
    >>> run.modes, round(run.changes[0], 6), round(2 / (7 * 0.2 * 9.81), 6)
    (('slipping', 'rolling'), 0.145624, 0.145624)
    >>> run.system is ball, run.start.t, run.y.shape == (len(run), 28)
    (True, 0.0, True)
    >>> [event.name for event in run.events], run.outcome.ending.value
    (['slip dies out'], 'finished')
    >>> run.program, run.parameters, run.passages, run.settings.rtol, run.statistics.repivots
    (Program(14 coordinates, 8 of 8 constraint rows kept, ... operations), {}, (), 1e-10, 0)
    >>> run.remarks, run.switches, run.impulses
    ((), (), ())
    """

    _how = "run[x] are the values of an expression x at the times run.t"
    segments: Sequence[Segment]

    def __len__(self) -> int:
        return len(self.t)

    @property
    def system(self) -> System:
        """The system; of a run with mode changes, that of the first segment."""
        return self.segments[0].system

    @property
    def start(self) -> State:
        """State at the beginning."""
        return self.segments[0].start

    @property
    def t(self) -> np.ndarray:
        """Times at the ends of the steps, s; that of a mode change is there twice, before and after."""
        return self._steps[0]

    @property
    def y(self) -> np.ndarray:
        """States (q, q̇) there, shape (times, 2n)."""
        return self._steps[1]

    @cached_property
    def _steps(self) -> tuple[np.ndarray, np.ndarray]:
        parts = self.segments.steps() if isinstance(self.segments, Segments) else [(s.t, s.y) for s in self.segments]
        t, y = zip(*parts, strict=True)
        return _joined(t), _joined(y)

    @property
    def outcome(self) -> Outcome:
        """Why the run ended, by name."""
        return self.segments[-1].outcome

    @property
    def events(self) -> tuple[Occurrence, ...]:
        """Events in their order, with time and state."""
        return tuple(event for segment in self.segments for event in segment.events)

    @property
    def modes(self) -> tuple[str, ...]:
        """The modes of motion in their order, such as ("rolling", "slipping")."""
        return tuple(segment.mode for segment in self._begins)

    @property
    def changes(self) -> tuple[float, ...]:
        """Times of mode changes, s."""
        return tuple(float(segment.t[0]) for segment in self._begins[1:])

    @cached_property
    def _begins(self) -> tuple[Segment, ...]:
        """The segments that a kind of motion begins with: others go on after a switch."""
        if not self.system.unilaterals and self.system.colliders is None:
            return (self.segments[0],)
        modes = [None, *[segment.mode for segment in self.segments[:-1]]]
        before = zip(self.segments, modes, strict=True)
        return tuple(s for s, mode in before if s.mode != mode or (s.piece is not None and s.piece.impulse))

    @cached_property
    def switches(self) -> tuple[Switching, ...]:
        """Times at which formulas with kinks or jumps, such as np.sign or zm.where, switch."""
        pieces = [segment.piece for segment in self.segments if segment.piece is not None]
        return tuple(switching for piece in pieces for switching in piece.switchings)

    @cached_property
    def impulses(self) -> tuple[Impulse, ...]:
        """Jumps of the rates: times, impulses and energies."""
        pieces = [segment.piece for segment in self.segments if segment.piece is not None]
        return tuple(piece.impulse for piece in pieces if piece.impulse is not None)

    @property
    def statistics(self) -> Statistics:
        """Numbers of steps, rejections and evaluations."""
        first, *rest = [segment.statistics for segment in self.segments]
        return sum(rest, first)

    @property
    def parameters(self) -> Mapping[Symbol, float]:
        """Values of the parameters."""
        return self.segments[0].parameters

    @property
    def settings(self) -> Settings:
        """Tolerances, method and limits of the run."""
        return self.segments[0].settings

    @property
    def program(self) -> Program:
        """Explicit equations of motion of the first segment."""
        return self.segments[0].solved

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        """Singular positions along the run, with the constraints that lose independence there."""
        return tuple(passage for segment in self.segments for passage in segment.passages)

    @property
    def _drifts(self) -> bool:
        """Whether the energy of a system that conserves it is not that of the start, at some steps of a single segment.

        A few values of two formulas, so that every run can afford it. False also where work may be done.
        """
        segment, system = self.segments[0], self.system
        if len(self.segments) > 1 or len(self) < 2 or segment.piece is not None or not system.conservative:
            return False
        some = np.unique(np.linspace(0, len(segment.t) - 1, SAMPLES).astype(int))
        samples = Samples(segment, segment.t[some], segment.y[some])
        energy, kinetic = samples[expressions([system.energy, system.kinetic])].T
        most = self.settings.largest_imbalance(len(self)) * np.max(np.abs(kinetic))
        return not np.max(np.abs(energy - energy[0])) <= most

    @property
    def remarks(self) -> tuple[str, ...]:
        """What its systems find wrong with the finished motion, in words, such as a body inside its surface."""
        return self._examined

    @cached_property
    def _examined(self) -> tuple[str, ...]:
        segments = self.segments
        systems = segments.systems if isinstance(segments, Segments) else {segment.system: None for segment in segments}
        if len(systems) == 1:
            return self.system.examined(self)
        return tuple(words for segment in segments for words in segment.system.examined(segment))

    def __getitem__(self, e: Expression | str | np.ndarray | Sequence[Any]) -> np.ndarray:
        """Values of an expression at the steps, shape (times,), or of an array of them, shape (times, …).

        A name may stand for an expression: "theta", "rate(theta)", "bob.position", "pin.angle".
        """
        e = meant(self.system, e)
        ends = np.cumsum([0, *[len(segment.t) for segment in self.segments]]).tolist()
        parts = [(np.arange(*span), s.steps) for span, s in zip(pairwise(ends), self.segments, strict=True)]
        return _gathered(_alike(parts), ends[-1], lambda samples: samples[e])

    def at(self, times: ArrayLike) -> Sampled:
        """The motion at given times; at a mode change, before it.

        >>> x = zm.coordinate("x")
        >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
        >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=5.0)
        >>> run.at(np.pi)[x].round(9)
        array([-1.])
        """
        return Sampled(self.segments, _times(times))

    def within(self, times: ArrayLike) -> np.ndarray:
        """Times of the run, shape (n,), from one or several that are given; an error where one is outside.

        >>> x = zm.coordinate("x")
        >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
        >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=5.0)
        >>> run.within(4)
        array([4.])
        """
        found = _times(times)
        _which(self.segments, found)
        return found

    def state(self, t: float, *, after: bool = False) -> State:
        """State at one time, from which another run can start.

        after  at a mode change, as at an impact: the state after it; by default the one before it. A run from
               the state before it begins with the change

        >>> x = zm.coordinate("x")
        >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
        >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=5.0)
        >>> further = zm.simulate(spring, run.state(np.pi), until=2 * np.pi)
        >>> round(further.state(2 * np.pi)[x], 9)
        1.0
        """
        t = given_real(t, "the time of a state")
        (k,) = _which(self.segments, np.array([t]))
        later = [segment for segment in self.segments[k + 1 :] if segment.t[0] == t]
        if after and later:
            return later[-1].state(t)
        state = self.segments[k].state(t)
        return replace(state, beyond=later[-1].state(t)) if later and self.system.unilaterals else state


class Sampled(ByExpression):
    """Values of a trajectory at given times.

    which  segment each time is meant of, where rates jump between two; by default the first that has it

    >>> x = zm.coordinate("x")
    >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    >>> run = zm.simulate(spring, spring.start({x: 1.0}), until=5.0)
    >>> sampled = run.at([0.0, np.pi / 3])
    >>> sampled[x].round(9), sampled.y.shape
    (array([1. , 0.5]), (2, 2))
    """

    _how = "run.at(times)[x] are the values of an expression x"

    def __init__(self, segments: Sequence[Segment], times: np.ndarray, which: np.ndarray | None = None) -> None:
        self.t = times
        which = _which(segments, times) if which is None else which
        order = np.argsort(which, kind="stable")
        begins = np.flatnonzero(np.diff(which[order], prepend=-1)).tolist()
        self.parts: list[Part] = []
        """Places among the times, and the samples there, for each segment that has any; for the first, if there are none."""
        for begin, end in pairwise([*begins, len(times)]) if len(times) else [(0, 0)]:
            places = order[begin:end]
            segment = segments[int(which[places[0]]) if len(places) else 0]
            self.parts.append((places, segment.at(times[places])))
        self.t.setflags(write=False)
        self._system = segments[0].system

    def __len__(self) -> int:
        return len(self.t)

    @cached_property
    def _together(self) -> list[Part]:
        return _alike(self.parts)

    def _gathered(self, values: Callable[[Samples], np.ndarray]) -> np.ndarray:
        return _gathered(self._together, len(self.t), values)

    def __getitem__(self, e: Expression | str | np.ndarray | Sequence[Any]) -> np.ndarray:
        """Values of an expression, shape (times,), or of an array of them, shape (times, …)."""
        e = meant(self._system, e)
        return self._gathered(lambda samples: samples[e])

    @property
    def y(self) -> np.ndarray:
        """States (q, q̇), shape (times, 2n)."""
        return self._states

    @cached_property
    def _states(self) -> np.ndarray:
        y = self._gathered(lambda samples: samples.y)
        y.setflags(write=False)
        return y

    @cached_property
    def inputs(self) -> np.ndarray:
        """Numbers in the order of `system.inputs`, shape (times, inputs)."""
        return self._gathered(lambda samples: samples.inputs[:, : len(samples.segment.system.inputs)])

    @cached_property
    def acceleration(self) -> np.ndarray:
        """q̈, shape (times, n)."""
        return self._gathered(lambda samples: samples.acceleration)

    @cached_property
    def multipliers(self) -> np.ndarray:
        """λ of all rows, shape (times, rows); of a trajectory in one mode."""
        return self._gathered(lambda samples: samples.multipliers)


Part = tuple[np.ndarray, Samples]
"""Places among some times, and the samples of a segment there."""


def _alike(parts: list[Part]) -> list[Part]:
    """Parts, those of segments with the same equations as one: a run may go over thousands of switches."""
    if len(parts) == 1:
        return parts
    groups: dict[Any, list[Part]] = {}
    for places, samples in parts:
        groups.setdefault(samples.segment.equations_alike, []).append((places, samples))
    return [
        (np.concatenate([places for places, _ in group]), Samples.joined([samples for _, samples in group]))
        for group in groups.values()
    ]


def _gathered(parts: list[Part], count: int, values: Callable[[Samples], np.ndarray]) -> np.ndarray:
    """Values at all of some times from those of their parts."""
    found = [(places, values(samples)) for places, samples in parts]
    result = np.empty((count, *found[0][1].shape[1:]))
    for places, part in found:
        result[places] = part
    return result


def _joined(parts: Sequence[np.ndarray]) -> np.ndarray:
    joined = parts[0] if len(parts) == 1 else np.concatenate(parts)
    joined.setflags(write=False)
    return joined


def _times(given: Any) -> np.ndarray:
    """Times, shape (n,), from one or several."""
    times = np.asarray(given) if shape_of(given) is not None else np.array(None)
    if times.dtype.kind not in "iuf" and times.size:
        raise ModelError(f"times of a run are numbers, one or several, not {shown(given)}")
    if times.ndim > 1:
        raise ModelError(f"times of a run are one or several, not an array of shape {times.shape}")
    return np.atleast_1d(np.array(times, dtype=float))


def _which(segments: Sequence[Segment], times: np.ndarray) -> np.ndarray:
    """The segment of each time: the first that has it."""
    begins, ends = (np.array([segment.t[k] for segment in segments]) for k in (0, -1))
    ahead = 1.0 if ends[-1] >= begins[0] else -1.0
    which = np.searchsorted(ahead * ends, ahead * times)
    within = ahead * begins[np.minimum(which, len(ends) - 1)] <= ahead * times
    which = np.where(within & (which < len(ends)), which, -1)
    if np.any(which < 0):
        low, high = sorted((segments[0].t[0], segments[-1].t[-1]))
        raise ModelError(f"t = {times[which < 0][0]:g} s is outside the run, which covers {low:g} … {high:g} s")
    return which


@single_thread
def course(
    system: System | Program | Beginning,
    start: State,
    until: float,
    settings: Settings,
    *,
    events: Events = None,
    tell: Callable[[float], None] = lambda t: None,
    keep_interrupted: bool = False,
) -> Course:
    """Motion from a start until a time, through all mode changes.

    tell              called with the time reached
    keep_interrupted  whether Ctrl-C ends the motion with an outcome; otherwise KeyboardInterrupt is raised

    >>> from zeromass.integrate import Settings, course
    >>> x = zm.coordinate("x")
    >>> spring = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    >>> motion = course(spring, spring.start({x: 1.0}), np.pi, Settings(rtol=1e-12))
    >>> round(motion.state(np.pi)[x], 9)
    -1.0
    """
    system = system.system if isinstance(system, Beginning) else system
    program, moving = (system, system.system) if isinstance(system, Program) else (None, system)
    if not isinstance(moving, System):
        raise ModelError(f"what moves is a zm.System or its program, zm.compile(…), not {shown(moving)}")
    if not isinstance(settings, Settings):
        raise ModelError(f"settings is {shown(settings)}; it is zeromass.integrate.Settings(…)")
    until = until if isinstance(until, float) else given_real(until, "until")
    if not np.isfinite(until):
        raise ModelError(f"until = {until}: a run needs a finite end")
    given, start = start, start.after_event if isinstance(start, State) else start
    if not isinstance(start, State) or start.system is not moving:
        raise ModelError("the start belongs to another system; make it with system.start(…)")
    watched = asked_events(events)
    motion = ended(_pieces(program, start, until, settings, [*moving.events, *watched], tell), moving)
    if motion.outcome.ending is Ending.INTERRUPTED and not keep_interrupted:
        raise KeyboardInterrupt
    if watched and settings.step is None and motion.outcome.ending is not Ending.INTERRUPTED:
        from zeromass.integrate.aliasing import longest_for  # few runs are asked to watch something

        longest = longest_for(motion, watched)
        if longest is not None:
            settings = replace(settings, longest_step=min(longest, settings.longest_step))
            return course(system, given, until, settings, events=events, tell=tell, keep_interrupted=keep_interrupted)
    return motion


def ended(segments: Segments, system: System) -> Course:
    """The motion of a system that has come to its end; a ModelError where the numbers of its model are none any longer."""
    last = segments[-1]
    if last.outcome.ending is Ending.EVENT and last.events and last.events[-1].name.startswith(IMPOSSIBLE):
        for event in system.events:
            if event.name == last.events[-1].name:
                raise ModelError(f"at t = {last.outcome.t:.9g} s {event.message}")
    return Course(segments)


def _pieces(
    program: Program | None,
    start: State,
    until: float,
    settings: Settings,
    events: Sequence[Event],
    tell: Callable[[float], None],
) -> Segments:
    """The motion, a segment for each of the pieces of its formulas."""
    if start.system.pieces is None:
        return Segments([_segment(program, start, until, settings, events, tell)])
    from zeromass.integrate.hybrid.integrator import HybridIntegrator  # few systems switch

    return HybridIntegrator(
        start.system.pieces, _beside_zero(start), until, settings, events_of(events), tell
    ).segments()


def _segment(
    program: Program | None,
    start: State,
    until: float,
    settings: Settings,
    events: Sequence[Event],
    tell: Callable[[float], None],
) -> Segment:
    """The motion of one smooth system: program, method, loop."""
    given = program is not None
    program = program or (program_at(start.system, start) if rolls(start.system) else None)
    if program is not None and program.code == "rolled":
        from zeromass.integrate.large import at_large_start  # few systems are

        program = program.at(start) if given else program
        outcome = at_large_start(program, start, settings.limits.violation)
        if outcome is not None and given:  # its rows may depend on one another here
            program = program_at(start.system, start)
            outcome = at_large_start(program, start, settings.limits.violation)
        if outcome is not None:
            return Segment.standing(start, outcome, settings)
        return _run(program, start, until, settings, events_of(events), tell)
    start = _beside_zero(start)
    outcome = at_start(start, settings.limits.violation)
    way_out = None
    if outcome and outcome.ending is Ending.SINGULAR_BRANCH:
        from zeromass.integrate.singular.departure import departure  # few runs start in a singular position

        way_out = departure(start, until, settings)
    if outcome and outcome.ending is Ending.NOT_A_NUMBER and lengths_in(start.system):
        from zeromass.integrate.lengths import vanishing

        outcome = replace(outcome, message=outcome.message + vanishing(start))
    if outcome is not None and way_out is None:
        return Segment.standing(start, outcome, settings)  # there is no acceleration to compile
    program, leap = way_out or (program_at(start.system, start) if program is None else program.at(start), None)
    if leap is not None:
        return Loop(program, start, until, settings, events_of(events), departure=leap).segment(tell)
    return _run(program, start, until, settings, events_of(events), tell)


def _beside_zero(start: State) -> State:
    """A start whose lengths have directions, as far as its velocity tells them."""
    if not lengths_in(start.system):
        return start
    from zeromass.integrate.lengths import beside_zero  # few systems have any that may vanish

    return beside_zero(start)


def _run(
    program: Program,
    start: State,
    until: float,
    settings: Settings,
    events: Sequence[Event],
    tell: Callable[[float], None],
) -> Segment:
    """The segment of one smooth system, through every zero of its lengths; arguments as of `Loop`."""
    if settings.step is not None or not lengths_in(start.system):
        return Loop(program, start, until, settings, events).segment(tell)
    from zeromass.integrate.lengths import through_zero  # few systems have any that may vanish

    return through_zero(program, start, until, settings, events, tell)


def asked_events(given: Any) -> list[Event]:
    """The same of a user, whose names do not begin with NUL, as those of events inside do."""
    found = events_of(given)
    for event in found:
        given_name(event.name, "an event")
    return found


def events_of(given: Any) -> list[Event]:
    """A list of events from one or several events, or {name: expression} for terminal ones either way."""
    if given is None:
        return []
    if isinstance(given, Event):
        given = [given]
    if isinstance(given, Mapping):
        given = [Event(name, as_expression(zero)) for name, zero in given.items()]
    if not isinstance(given, Iterable):
        raise ModelError(f"events are zm.Event, several of them, or {{name: expression}}, not {shown(given)}")
    found = list(given) if isinstance(given, list | tuple) else given_all(given, object, "events", "a zm.Event")
    for event in found:
        if not isinstance(event, Event):
            raise ModelError(f"events are zm.Event or {{name: expression}}, not {shown(event)}")
    names = [event.name for event in found]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ModelError(f"two events have the name '{twice[0]}'")
    return found


def given_course(run: Any) -> Course:
    """A run; anything else is refused."""
    return given_kind(run, Course, "the run", "what zm.simulate or zm.load gives")
