"""Inverse dynamics: the forces that a given motion takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from zeromass.analysis.inputs import Input, inputs_of
from zeromass.equation import numerical_rank
from zeromass.equation.rank import CONSISTENCY_TOLERANCE, negligible
from zeromass.expression import Evaluator, expressions, jacobian
from zeromass.model import ModelError, State, System
from zeromass.model.collisions import without_collisions
from zeromass.model.feedback import with_feedback
from zeromass.model.given import given_mapping, given_numbers, given_parameters
from zeromass.model.start import Prescribed


@dataclass(frozen=True, eq=False)
class InverseDynamicsResult:
    """Forces along a given motion.

    t       times, s
    forces  {name of a force: its values}
    states  of the motion, under constraints that prescribe it

    >>> x = zm.coordinate("x")
    >>> cart = zm.System(kinetic=zm.rate(x) ** 2)
    >>> effort = zm.analysis.inverse_dynamics(cart, {x: np.sin(zm.t)}, by=[{x: 1.0}], times=[0.0, np.pi / 2])
    >>> effort.t.round(3), len(effort.states), effort.forces["force on x"].round(9)
    (array([0.   , 1.571]), 2, array([ 0., -2.]))
    """

    t: np.ndarray
    forces: dict[str, np.ndarray]
    states: tuple[State, ...]


def inverse_dynamics(
    system: System,
    motion: Mapping[Any, Any],
    by: Sequence[Input] | Input,
    times: ArrayLike,
    *,
    parameters: Mapping[Any, float] | None = None,
    guess: Prescribed = (),
) -> InverseDynamicsResult:
    """Inverse dynamics: the forces along a given motion, at given times.

        M q̈ = Q + C + Aᵀλ + B u,    q, q̇, q̈ from the motion and the constraints

    motion  {expression: formula of time} that determines how the system moves, with its constraints
    by      the forces that act: parameters, or forces of unit size. Of several possible ones the smallest are taken
    guess   where to look for the position at the first time

    A motion that these forces can not make is a ModelError: give its path to zm.control.servo, which finds whether
    another motion of the rest makes it possible, as it does for the load of a crane.

    >>> theta, torque = zm.coordinate("theta"), zm.parameter("torque", 0.0)
    >>> arm = zm.System(kinetic=zm.rate(theta) ** 2 / 2, potential=-np.cos(theta), forces={theta: torque})
    >>> zm.analysis.inverse_dynamics(arm, {theta: zm.t**2 / 2}, by=[torque], times=[0.0, 1.0]).forces["torque"].round(6)
    array([1.      , 1.479426])
    """
    without_collisions(system, "inverse dynamics")
    given_mapping(motion, "the motion", "{expression: formula of zm.t}")
    parameters = {} if parameters is None else given_parameters(parameters, "parameters")
    times = np.atleast_1d(given_numbers(times, "times"))
    if times.ndim > 1 or not times.size:
        raise ModelError(f"times are one or several, not an array of shape {times.shape}")
    inputs = inputs_of(system, by)
    if not inputs.parameters:
        raise ModelError("inverse dynamics needs forces that act: by=[…]")
    driven = with_feedback(system, {}, inputs.acting) if inputs.acting else system
    follow = {f"motion {e!r}": expressions(e) - expressions(path) for e, path in motion.items()}
    moved = driven.with_constraints(follow)
    B = Evaluator(jacobian(moved.Q + moved.C, list(inputs.parameters)), moved.inputs)
    still = {**parameters, **dict.fromkeys(inputs.parameters, 0.0)}
    own = len(system.rows)
    forces, states = [], []
    for t in times:
        state = moved.start(t=float(t), parameters=still, guess=guess)
        if not state.motion.unique:
            raise ModelError(f"the motion is not determined at t = {t:g} s by what is given: {moved.check(state)}")
        M, Q, A, _, C = state.matrices
        needed = M @ state.motion.acceleration - Q - C
        both = np.concatenate([B(state.inputs), A[:own].T], axis=1)
        decision = numerical_rank(both)
        found = decision.inverse @ needed
        left = needed - both @ found
        bad = ~negligible(left, np.abs(needed).max() + np.abs(both) @ np.abs(found), CONSISTENCY_TOLERANCE)
        if bad.any():
            name = system.names[int(np.argmax(np.abs(left)))]
            raise ModelError(
                f"{', '.join(inputs.names)} can not make this motion: at t = {t:g} s a force of {np.abs(left).max():.3g} on "
                f"'{name}' is missing; add a force, or give the path to zm.control.servo"
            )
        forces.append(_smallest(both, found, len(inputs.parameters)))
        states.append(state)
        guess = [(moved.coordinates, state.q), (moved.rates, state.v)]
    values = np.array(forces)
    return InverseDynamicsResult(times, {name: values[:, j] for j, name in enumerate(inputs.names)}, tuple(states))


def _smallest(both: np.ndarray, found: np.ndarray, count: int) -> np.ndarray:
    """Of all solutions of both · x = …, the forces of least length: x without what the null space can take from them."""
    N = numerical_rank(both).null_space[:count]
    return found[:count] - N @ np.linalg.lstsq(N, found[:count], rcond=None)[0] if N.shape[1] else found[:count]
