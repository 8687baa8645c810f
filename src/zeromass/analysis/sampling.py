"""Digital control: forces that are set at sampling times, and held between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from zeromass.compile.program import Program, compile
from zeromass.errors import quoted
from zeromass.expression import Expression, Symbol
from zeromass.expression.leaves import namesake
from zeromass.integrate import Course, Ending, Occurrence, Segment, Settings
from zeromass.integrate.course import course
from zeromass.lazy import later
from zeromass.model import ModelError, State, System
from zeromass.model.given import given_finite, given_kind, given_mapping, value_of
from zeromass.model.state import belonging

if TYPE_CHECKING:
    from zeromass.run import Run

Feedback = Mapping[Any, Any] | Callable[[State], Mapping[Any, float]]
"""{parameter: formula of the state}, or a function of the state that gives {parameter: value} and may remember."""

SAMPLE = "sample"
"""The event at which parameters are set anew."""


def sampled(
    system: System,
    start: State,
    feedback: Feedback,
    *,
    every: float,
    until: float,
    rtol: float = 1e-10,
    atol: float = 1e-13,
) -> Run:
    """Motion with a digital controller, which reads the state and sets parameters at sampling times (zero-order hold).

    feedback  {parameter: formula}, of accelerations and constraint forces too; or a function that takes the State and
              returns {parameter: value}, and may keep a memory of its own, as an integrator does
    every     time between samples, s

    It is one run, with an event "sample" at each of these times. A certificate follows the motion anew with the values that
    were set.

    >>> x, F = zm.coordinate("x"), zm.parameter("F", 0.0)
    >>> cart = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: F})
    >>> run = zm.control.sampled(cart, cart.start({x: 1.0}), {F: -x - zm.rate(x)}, every=0.5, until=10.0)
    >>> run.at([0.25, 0.75])[F].round(6), bool(abs(run.at(10.0)[x]) < 0.02)
    (array([-1.   , -0.375]), True)
    """
    given_kind(system, System, "the system", "a zm.System")
    belonging(start, system)
    every, until, settings = given_finite(every, "every"), given_finite(until, "until"), Settings(rtol, atol)
    if not every > 0:
        raise ModelError(f"the time between samples is {every:g} s; it must be positive")
    if not until > start.t:
        raise ModelError("a sampled motion goes forward in time")
    chain, k, state = Chain(system, settings), 0, start
    while True:
        k += 1
        end = min(start.t + k * every, until)
        state = chain.follow(state, {**state.parameters, **_values(system, feedback, state)}, end)
        if state is None or end >= until:
            break
    made: type[Run] = later("zeromass.run", "Run")
    return made(chain.segments)


class Chain:
    """A motion whose parameters are set anew at given times: its parts are the segments of one run."""

    def __init__(self, system: System, settings: Settings) -> None:
        self.system: System = system
        self.settings: Settings = settings
        self._program: Program | None = None
        self._found: list[Segment] = []

    def follow(self, state: State, parameters: Mapping[Symbol, float], until: float) -> State | None:
        """Goes on from a state with values of parameters; the state at the end, or None where the motion stops before."""
        start = State(self.system, state.t, state.q, state.v, parameters, turns=state.turns)
        if self._program is None:
            self._program = compile(self.system, start)
        part = course(self._program, start, until, self.settings)
        self._found += part.segments
        ended = part.outcome.complete and part.outcome.ending is Ending.FINISHED
        return part.state(until) if ended else None

    @property
    def segments(self) -> tuple[Segment, ...]:
        """All but the last go on: they end with a sample, which is an event."""
        return (*[_going_on(segment) for segment in self._found[:-1]], self._found[-1])


def _going_on(segment: Segment) -> Segment:
    """A segment that does not end the run, and is followed by one of the same kind."""
    if segment.outcome.ending is not Ending.FINISHED:
        return segment
    sample = Occurrence(SAMPLE, float(segment.t[-1]), segment.y[-1].copy())
    outcome = replace(segment.outcome, ending=Ending.SWITCH)
    return replace(segment, outcome=outcome, happened=(*segment.events, sample))


def is_sampled(run: Course) -> bool:
    """Whether parameters were set anew on the way."""
    return any(event.name == SAMPLE for segment in run.segments[:-1] for event in segment.events[-1:])


def repeated(run: Course, settings: Settings) -> Course:
    """The motion anew, with other settings, and with the values that were set, at the same times."""
    chain, state = Chain(run.system, settings), run.start
    parts = [segment for segment in run.segments if any(event.name == SAMPLE for event in segment.events)]
    ends = [float(segment.t[-1]) for segment in parts]
    there = set(ends)
    begins = [run.segments[0], *[segment for segment in run.segments if float(segment.t[0]) in there]]
    held = {float(segment.t[0]): segment.parameters for segment in begins}
    for end, parameters in zip([*ends, float(run.t[-1])], held.values(), strict=True):
        state = chain.follow(state, parameters, end)
        if state is None:
            break
    return Course(chain.segments)


def _values(system: System, feedback: Feedback, state: State) -> dict[Symbol, float]:
    given = value_of(feedback, (state,), "the feedback") if callable(feedback) else feedback
    given_mapping(
        given, "the feedback", "{parameter: formula}, or a function of a state that returns {parameter: value}"
    )
    found: dict[Symbol, float] = {}
    for p, value in given.items():
        if not isinstance(p, Symbol) or p not in system.parameters:
            names = ", ".join(x.name for x in system.parameters) or "none"
            raise ModelError(
                f"{quoted(p)} is no parameter of the system; its parameters are: {names}{namesake(p, system.parameters)}"
            )
        found[p] = (
            float(state[value]) if isinstance(value, Expression) else given_finite(value, f"the value of '{p.name}'")
        )
    return found
