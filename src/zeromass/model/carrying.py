"""States carried from one system to another of the same coordinates, as where a body that slipped begins to roll."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from zeromass.errors import ModelError, shown
from zeromass.model.nearest import least_change
from zeromass.model.start import equations_of
from zeromass.model.state import State, parameter_values

if TYPE_CHECKING:
    from zeromass.model.system import System

STEPS = 8
"""Newton's steps towards constraints that are not linear; each doubles the digits, and one does for linear ones."""


def carried_over(state: State, system: System) -> State:
    """A state of a system of the same coordinates, brought onto its constraints by the least change.

        min δᵀ M δ   with   A δ = −φ,      δ a change of positions, φ(q, t) → 0, then of velocities, φ(q, q̇, t) → 0

    In velocities this is what an impulse of the constraints does. A state that satisfies them already stays as it is.
    """
    theirs = getattr(system, "coordinates", None)
    if theirs is None:
        raise ModelError(f"a state is carried to a zm.System, not to {shown(system)}")
    ours = state.system.coordinates
    if len(ours) != len(theirs) or any(a is not b for a, b in zip(ours, theirs, strict=True)):
        raise ModelError("a state is carried only to a system that has the same coordinates in the same order")
    known = {p: state.parameters[p] for p in system.parameters if p in state.parameters}
    here = State(system, state.t, state.q.copy(), state.v.copy(), parameter_values(system, known))
    return _onto(_onto(here, 0), 1)


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
