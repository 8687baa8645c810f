"""Ends of runs that can not go on: by name, with the place, the reason and the remedy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from zeromass.integrate.memory import amount
from zeromass.integrate.outcome import Ending, Outcome, diagnosed, ending_of, not_finite
from zeromass.integrate.passages import dependent
from zeromass.model import State

Slope = Callable[[float, np.ndarray], tuple[np.ndarray, float]]
"""dy/dt at a state, and the growth of the pivots."""


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
        return Outcome(ending_of(state.motion.verdict), state.t, diagnosed(state))
    words = f"the constraints {', '.join(dependent(state.system, state))} are about to lose independence, and several "
    return Outcome(Ending.SINGULAR_BRANCH, state.t, words + "motions may go on from here")


def rounded_away(state: State) -> Outcome:
    """Of a run at a state where no choice of pivots is good, with constraints that are as independent as ever."""
    if not state.motion.unique:
        return Outcome(ending_of(state.motion.verdict), state.t, diagnosed(state))
    masses = np.diagonal(state.matrices.M)
    heavy = np.flatnonzero(masses > 0.0)
    words = "rounding leaves no digit of the acceleration"
    if len(heavy):
        least, most = heavy[np.argmin(masses[heavy])], heavy[np.argmax(masses[heavy])]
        names = state.system.coordinates
        words += (
            f": the masses of {names[least]!r} and {names[most]!r} are {masses[most] / masses[least]:.0e} apart; a "
            "mass that is negligible may be zero, and a part that hardly moves may be held"
        )
    return Outcome(Ending.NON_UNIQUE, state.t, words)


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


def in_large(state: State, ending: Ending) -> Outcome:
    """Of a run of a large system, whose constraints are not looked at as a whole."""
    words = {
        Ending.NOT_A_NUMBER: "beyond this state a formula has no finite value, or constraints lose independence",
        Ending.SINGULAR_BRANCH: "constraints are about to lose independence, or a part to lose what gives it mass",
        Ending.STEP_TOO_SMALL: "the error stays above the tolerance however short the step: the motion is not smooth here, "
        "constraints lose independence, or the system is stiff",
    }
    return Outcome(ending, state.t, words[ending])


def out_of_memory(t: float, steps: int, bound: float) -> Outcome:
    """Of a run whose record has grown to what it may take."""
    words = (
        f"after {steps} steps the run has taken all of the {amount(bound)} that it may; give it more (memory=…), take a "
        "looser tolerance, or run it in parts, the next from run.state(t)"
    )
    return Outcome(Ending.OUT_OF_MEMORY, t, words)


def _culprits(state: State, slope: Slope, direction: float, furthest: float = np.inf) -> str:
    """What first has no finite value on the way ahead, looked for along the tangent."""
    m = 2 * len(state.q)
    tangent = np.concatenate([[1.0], slope(state.t, state.inputs[1 : m + 1])[0]])
    for ahead in np.copysign(2.0 ** np.arange(-60, 4), direction):
        if abs(ahead) > furthest:
            break
        inputs = state.inputs.copy()
        inputs[: m + 1] += ahead * tangent
        names = not_finite(state.system, state.system.matrices(inputs))
        if names:
            return names
    return ""


def _fastest(state: State, slope: Slope) -> str:
    """The coordinate whose rate changes most within the time in which it changes itself."""
    tangent, _ = slope(state.t, np.concatenate([state.q, state.v]))
    with np.errstate(over="ignore"):  # at rest
        change = np.abs(tangent[len(state.q) :]) / (np.abs(state.v) + np.finfo(float).tiny)
    return state.system.names[int(np.argmax(np.where(state.v == 0, 0, change)))]
