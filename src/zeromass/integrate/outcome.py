"""How a run ended, and why it can not begin or go on: by name, with the place, the reason and the remedy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from zeromass.equation import Verdict
from zeromass.integrate.branching import branching_at
from zeromass.integrate.passages import dependent
from zeromass.model import State, System


class Ending(StrEnum):
    """The ways in which a run ends; each is equal to its words.

    >>> zm.Ending.NON_UNIQUE == "non-unique"
    True
    """

    FINISHED = "finished"
    EVENT = "event"
    NON_UNIQUE = "non-unique"
    INCONSISTENT = "inconsistent"
    SINGULAR_BRANCH = "singular branch"
    STEP_TOO_SMALL = "step too small"
    NOT_A_NUMBER = "not a number"
    INTERRUPTED = "interrupted"
    CHATTERING = "chattering"


@dataclass(frozen=True)
class Outcome:
    """How and where a run ended; `message` says where, why and what to do, in the user's names.

    >>> x = zm.coordinate("x")
    >>> free = zm.System(kinetic=zm.rate(x) ** 2 / 2)
    >>> run = zm.simulate(free, free.start({zm.rate(x): 1.0}), until=2.0, events={"wall": x - 1.5})
    >>> print(run.outcome)
    event at t = 1.5 s: 'wall'
    >>> run.outcome.ending == "event", run.outcome.complete
    (True, True)
    """

    ending: Ending
    t: float
    message: str

    @property
    def complete(self) -> bool:
        """Whether the run went as far as it was asked to: to the end, or to a terminal event."""
        return self.ending in (Ending.FINISHED, Ending.EVENT)

    def __str__(self) -> str:
        return f"{self.ending.value} at t = {self.t:.9g} s" + (f": {self.message}" if self.message else "")


@dataclass(frozen=True)
class Occurrence:
    """An event that happened: its name, the time, and the state there.

    >>> x = zm.coordinate("x")
    >>> free = zm.System(kinetic=zm.rate(x) ** 2 / 2)
    >>> gate = zm.Event("gate", x - 1.5, terminal=False)
    >>> run = zm.simulate(free, free.start({zm.rate(x): 1.0}), until=3.0, events=gate)
    >>> run.events
    (Occurrence(name='gate', t=1.5, y=array([1.5, 1. ])),)
    """

    name: str
    t: float
    y: np.ndarray


class RunStopped(UserWarning):
    """A run ended before it was asked to; the part that is good is kept.

    >>> import warnings
    >>> x = zm.coordinate("x")
    >>> falling = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=np.sqrt(x))
    >>> with warnings.catch_warnings(action="ignore", category=zm.RunStopped):
    ...     run = zm.simulate(falling, falling.start({x: 1.0}), until=10.0)
    >>> run.outcome.ending.value, round(float(run.t[-1]), 6)
    ('not a number', 1.885618)
    """


Slope = Callable[[float, np.ndarray], tuple[np.ndarray, float]]
"""dy/dt at a state, and the growth of the pivots."""


def at_start(start: State, violation: float) -> Outcome | None:
    """What keeps a run from beginning; `violation` of a constraint is allowed, relative to the state or 1."""
    if not all(np.all(np.isfinite(block)) for block in start.matrices):
        names = _not_finite(start.system, start.inputs)
        return Outcome(Ending.NOT_A_NUMBER, start.t, f"at the start {names} has no finite value")
    size = violation * max(1.0, float(np.abs([*start.q, *start.v]).max()))
    violated = [f"'{name}' by {value:.3g}" for name, value in start.residuals.items() if abs(value) > size]
    if violated:
        words = ", ".join(violated[:4])
        words = f"the start violates {words}; make it with system.start(…) and the parameters of the run"
        return Outcome(Ending.INCONSISTENT, start.t, words)
    verdict = start.motion.verdict
    if verdict is not Verdict.UNIQUE:
        return Outcome(_ending(verdict), start.t, _diagnosed(start))
    branching = branching_at(start)
    return None if branching is None else Outcome(Ending.SINGULAR_BRANCH, start.t, branching)


def no_number(state: State, slope: Slope, direction: float) -> Outcome:
    """Of a run that meets something that is not a number."""
    culprits = _culprits(state, slope, direction)
    if not culprits and state.system.rows:
        return singular(state)  # all formulas are good, so it is the constraints that do not determine λ
    words = f"beyond this state {culprits or 'a formula'} has no finite value; the motion leaves the region where the "
    return Outcome(Ending.NOT_A_NUMBER, state.t, words + "model is defined")


def singular(state: State) -> Outcome:
    """Of a run at a state where no choice of pivots is good."""
    if not state.motion.unique:
        return Outcome(_ending(state.motion.verdict), state.t, _diagnosed(state))
    words = f"the constraints {', '.join(dependent(state.system, state))} are about to lose independence, and several "
    return Outcome(Ending.SINGULAR_BRANCH, state.t, words + "motions may go on from here")


def branches(state: State, there: State) -> Outcome:
    """Of a run that ends before a singular position, which it can not cross."""
    names = ", ".join(dependent(there.system, there))
    words = f"the constraints {names} lose independence at t = {there.t:.9g} s, and several motions go on from there"
    return Outcome(Ending.SINGULAR_BRANCH, state.t, words + "; rounding would choose between them")


def no_step(state: State, slope: Slope, *, ahead: float, stiff: bool) -> Outcome:
    """Of a run that finds no step short enough; `stiff`, if its method is for stiff systems.

    ahead  time, with its sign, within which a formula without a finite value is the reason
    """
    if _culprits(state, slope, ahead, abs(ahead)):
        return no_number(state, slope, ahead)
    remedy = "" if stiff else ", or the system is stiff (method='radau')"
    words = (
        "the error stays above the tolerance however short the step: the motion is not smooth here "
        f"({_fastest(state, slope)} changes fastest){remedy}"
    )
    return Outcome(Ending.STEP_TOO_SMALL, state.t, words)


def unexplained(state: State, step: float) -> Outcome:
    """Of a run with steps of fixed length, one of which leads so far off the constraints that it is no motion at all."""
    words = (
        f"a step of {step:g} s leads away from the constraints by more than a tenth of itself, and a projection that takes "
        "back so much is none; take shorter steps, or let their length be controlled (no step=…)"
    )
    return Outcome(Ending.STEP_TOO_SMALL, state.t, words)


def _ending(verdict: Verdict) -> Ending:
    return Ending.NON_UNIQUE if verdict is Verdict.UNDETERMINED else Ending.INCONSISTENT


def _diagnosed(state: State) -> str:
    return str(state.system.check(state)).replace("\n", "; ")


def _culprits(state: State, slope: Slope, direction: float, furthest: float = np.inf) -> str:
    """What first has no finite value on the way ahead, looked for along the tangent."""
    m = 2 * len(state.q)
    tangent = np.concatenate([[1.0], slope(state.t, state.inputs[1 : m + 1])[0]])
    for ahead in np.copysign(2.0 ** np.arange(-60, 4), direction):
        if abs(ahead) > furthest:
            break
        inputs = state.inputs.copy()
        inputs[: m + 1] += ahead * tangent
        names = _not_finite(state.system, inputs)
        if names:
            return names
    return ""


def _not_finite(system: System, inputs: np.ndarray) -> str:
    """The masses, forces and constraints without a finite value at some inputs, by name."""
    M, Q, A, b, C = system.matrices(inputs)
    bad = {
        "the mass": ~np.all(np.isfinite(M), axis=1),
        "the force": ~np.isfinite(Q + C),
    }
    names = [f"{what} of {x.name}" for what, which in bad.items() for x in system.coordinates[which]]
    rows = np.flatnonzero(~(np.all(np.isfinite(A), axis=1) & np.isfinite(b)))
    return ", ".join(names + [f"constraint '{system.rows[i].name}'" for i in rows])


def _fastest(state: State, slope: Slope) -> str:
    """The coordinate whose rate changes most within the time in which it changes itself."""
    tangent, _ = slope(state.t, np.concatenate([state.q, state.v]))
    change = np.abs(tangent[len(state.q) :]) / (np.abs(state.v) + np.finfo(float).tiny)
    return str(state.system.coordinates[np.argmax(np.where(state.v == 0, 0, change))].name)
