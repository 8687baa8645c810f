"""States carried from one system to another of the same coordinates, as where a body that slipped begins to roll."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from zeromass.errors import shown
from zeromass.expression import Evaluator, Expression, jacobian
from zeromass.model.errors import ModelError
from zeromass.model.event import Onward
from zeromass.model.nearest import least_change
from zeromass.model.start import equations_of
from zeromass.model.state import State, parameter_values

if TYPE_CHECKING:
    from zeromass.model.system import System

ROUNDING = 64 * float(np.finfo(float).eps)
"""Part of the largest rate below which one that was brought to rest is at rest."""

AGAIN = 3
"""Changes of rates that are to come to rest: the second and third take the rounding of the one before."""

STEPS = 8
"""Newton's steps towards constraints that are not linear; each doubles the digits, and one does for linear ones."""


def carried_over(state: State, system: System, *, held: bool = False) -> State:
    """A state of a system of the same coordinates, brought onto its constraints by the least change.

        min δᵀ M δ   with   A δ = −φ,      δ a change of positions, φ(q, t) → 0, then of velocities, φ(q, q̇, t) → 0

    In velocities this is what an impulse of the constraints does. A state that satisfies them already stays as it is.

    held  whether rates that dry friction holds at zero stay there, as far as the constraints allow: in a change of next to
          nothing, which is none of an impulse
    """
    theirs = getattr(system, "coordinates", None)
    if theirs is None:
        raise ModelError(f"a state is carried to a zm.System, not to {shown(system)}")
    ours = state.system.coordinates
    if len(ours) != len(theirs) or any(a is not b for a, b in zip(ours, theirs, strict=True)):
        raise ModelError("a state is carried only to a system that has the same coordinates in the same order")
    known = {p: state.parameters[p] for p in system.parameters if p in state.parameters}
    here = State(system, state.t, state.q.copy(), state.v.copy(), parameter_values(system, known))
    here = _onto(here, 0)
    return _onto(_holding(here, state.held) if held and state.held else here, 1)


def carried_there(state: State, there: State) -> System | Onward:
    """What a motion goes on as from a state that was carried with what held it: where nothing did, the system alone."""
    return Onward(there, (), np.empty(0), np.zeros(len(there.v)), 0.0) if state.held else there.system


def _holding(state: State, held: tuple[Expression, ...]) -> State:
    """The state with its rates on the constraints and what is held at zero, where both are possible."""
    system, n, first = state.system, len(state.q), np.abs(state.v).max(initial=0.0)
    telling = Evaluator([*held, *jacobian(held, system.rates).ravel()], system.inputs)
    rows, known = system.told(1), [state.t, *state.parameters.values(), *state.q]
    for _ in range(AGAIN):
        told = telling(state.inputs)
        A = np.concatenate([state.matrices.A[rows], told[len(held) :].reshape(-1, n)])
        φ = np.concatenate([equations_of(system, 1).values(np.concatenate([state.v, known])), told[: len(held)]])
        state = replace(state, v=state.v + least_change(state.matrices.M, A, -φ))
    return replace(state, v=np.where(np.abs(state.v) <= ROUNDING * first, 0.0, state.v))


def _onto(state: State, level: int) -> State:
    """The state with its positions (level 0) or rates (level 1) on the constraints."""
    system, name = state.system, "qv"[level]
    rows = system.told(level)
    equations = equations_of(system, level)
    known = [state.t, *state.parameters.values(), *(state.q if level else ())]
    for _ in range(STEPS):
        x = getattr(state, name)
        if equations.satisfied(x, known):
            return state
        φ = equations.values(np.concatenate([x, known]))
        state = replace(state, **{name: x + least_change(state.matrices.M, state.matrices.A[rows], -φ)})
    x, _ = equations.solution(getattr(state, name), known, {})  # to the last digits, or an error that says what is off
    return replace(state, **{name: x})
