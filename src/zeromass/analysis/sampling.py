"""Digital control: forces that are set at sampling times, and held between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from zeromass.compile.program import Program, compile
from zeromass.expression import Expression, Symbol
from zeromass.integrate import Ending, Segment, Settings
from zeromass.integrate.course import course
from zeromass.later import later
from zeromass.model import ModelError, State, System

if TYPE_CHECKING:
    from zeromass.run import Run

Feedback = Mapping[Any, Any] | Callable[[State], Mapping[Any, float]]
"""{parameter: formula of the state}, or a function of the state that gives {parameter: value} and may remember."""


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
    """The motion under a digital controller: at each sampling time it reads the state and sets parameters until the next.

    feedback  {parameter: formula}, of accelerations and constraint forces too; or a function that takes the State and
              returns {parameter: value}, and may keep a memory of its own, as an integrator does
    every     time between samples, s

    >>> x, F = zm.coordinate("x"), zm.parameter("F", 0.0)
    >>> cart = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: F})
    >>> run = zm.sampled(cart, cart.start({x: 1.0}), {F: -x - zm.rate(x)}, every=0.5, until=10.0)
    >>> run.at([0.25, 0.75])[F].round(6), bool(abs(run.at(10.0)[x]) < 0.02)
    (array([-1.   , -0.375]), True)
    """
    every, settings = float(every), Settings(rtol, atol)
    if not every > 0:
        raise ModelError(f"the time between samples is {every:g} s; it must be positive")
    if not until > start.t:
        raise ModelError("a sampled motion goes forward in time")
    state, segments, k, begin = start, [], 0, start.t
    program: Program | None = None
    while True:
        values = _values(system, feedback, state)
        state = State(system, state.t, state.q, state.v, {**state.parameters, **values}, turns=state.turns)
        if program is None:
            program = compile(system, state)
        k += 1
        end = min(begin + k * every, until)
        part = course(program, state, end, settings)
        segments += part.segments
        if end >= until or not part.outcome.complete or part.outcome.ending is not Ending.FINISHED:
            break
        state = part.state(end)
    made: type[Run] = later(__name__, {"zeromass.run": ["Run"]})("Run")
    return made((*[_going_on(segment) for segment in segments[:-1]], segments[-1]))


def _going_on(segment: Segment) -> Segment:
    """A segment that does not end the run, and is followed by one of the same kind."""
    if segment.outcome.ending is not Ending.FINISHED:
        return segment
    return replace(segment, outcome=replace(segment.outcome, ending=Ending.SWITCH))


def _values(system: System, feedback: Feedback, state: State) -> dict[Symbol, float]:
    given = feedback(state) if callable(feedback) else feedback
    found: dict[Symbol, float] = {}
    for p, value in given.items():
        if not isinstance(p, Symbol) or p not in system.parameters:
            names = ", ".join(x.name for x in system.parameters) or "none"
            raise ModelError(f"'{p!r}' is no parameter of the system; its parameters are: {names}")
        found[p] = float(state[value]) if isinstance(value, Expression) else float(value)
    return found
