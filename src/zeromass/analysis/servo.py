"""Servo-constraints: the forces that make expressions vanish, found by differentiating until the forces appear.

    z = e,   z ← ż + ω z,   until   ż + ω z = α(t, q, q̇) + P(t, q, q̇) u      and then   P u = −α

The accelerations in ż are those of the solved equations of motion, so that masses may be zero and constraints many. Where
P of several requirements is singular, combinations of them are free of forces: these are differentiated further, as they
are where a path is given to the load of a crane, or to the far end of a chain. With ω > 0 errors die out as tʳ⁻¹e^{−ωt}.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from zeromass.analysis.differentiation import Differentiation
from zeromass.analysis.inputs import Input, Inputs, inputs_of
from zeromass.compile.program import compile
from zeromass.expression import (
    jacobian,
)
from zeromass.expression import t as time
from zeromass.model import ModelError, StartError, State, System
from zeromass.model.constraint import rows_of
from zeromass.model.control import SETTLING, Control
from zeromass.model.feedback import with_feedback
from zeromass.model.given import Parameters, given_finite
from zeromass.model.solving import StartEquations
from zeromass.model.start import Prescribed, _pairs, consistent_start, states_nearby
from zeromass.model.state import parameter_values

SAMPLES, SPREAD = 4, 0.1
"""States beside one at which it is asked whether a force appears, and how far they lie, in the coordinates' own units."""


def servo(
    system: System,
    control: Mapping[str, Any],
    by: Sequence[Input] | Input,
    *,
    settling: float = SETTLING,
    at: State | None = None,
) -> System:
    """Servo-constraints: the system with the control forces that make expressions vanish.

    control   {name: expression or array that shall be zero}, of positions or rates, and of time
    by        what may act: parameters that stand in forces, or forces of unit size, {x: 1.0} or zm.Force(…)
    settling  rate at which errors die out, 1/s; with 0 they stay
    at        a state near which it shall hold, by default one of the system's own

    `system.control` has the forces as expressions and says how each requirement is realised. One that no force can ever
    fulfil is a ModelError.

    The far one of two masses on springs follows a path, pushed by a force on the near one:

    >>> x, y = zm.coordinates("x y")
    >>> chain = zm.System(kinetic=(zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2, potential=(x - y) ** 2 / 2)
    >>> pulled = zm.control.servo(chain, {"path": y - np.sin(zm.t)}, by=[{x: 1.0}])
    >>> print(pulled.control)
    'path' is realised by tangent: forces appear in its derivative of order 4, a servo-constraint of index 5
    >>> start = pulled.control.start(t=1.0)
    >>> bool(abs(start[x]) < 1e-12)  # x = y + ÿ
    True
    """
    settling = given_finite(settling, "settling")
    inputs = inputs_of(system, by)
    if not inputs.parameters:
        raise ModelError("control needs forces that may act: by=[…]")
    driven = _driven(system, inputs)
    state = _beside(system, driven, at)
    program = compile(driven, state)
    rows = rows_of(control)
    if not rows:
        raise ModelError("control is empty: give {name: expression that shall be zero}")
    wrong = next((row for row in rows if row.level > 1), None)
    if wrong is not None:
        raise ModelError(f"control '{wrong.name}' contains an acceleration; ask for positions or rates")
    work = Differentiation(program, inputs.parameters, settling, _samples(driven, state))
    work.require([(row.name, row.zero) for row in rows])
    forces = work.forces()
    known = {u: forces[u] for u in inputs.parameters}
    closed = with_feedback(system, known, inputs.acting)
    closed.control = Control(
        known, work.orders, tuple(work.zeros), float(settling), {row.name: row.level for row in rows}, closed
    )
    return closed


def _driven(system: System, inputs: Inputs) -> System:
    """The system with its inputs as parameters."""
    return with_feedback(system, {}, inputs.acting) if inputs.acting else system


def _beside(system: System, driven: System, at: State | None) -> State:
    if at is not None:
        if not isinstance(at, State) or at.system is not system:
            raise ModelError("the state belongs to another system; make it with system.start(…)")
        return State(driven, at.t, at.q, at.v, parameter_values(driven, {**at.parameters}))
    try:
        state = driven.start()
        return state if state.motion.unique else next(states_nearby(driven, state, spread=SPREAD, count=20))
    except (StartError, StopIteration):
        raise ModelError(
            "no state of the system was found at which to derive the control; give one: "
            "zm.control.servo(system, control, by, at=system.start(…))"
        ) from None


def _samples(system: System, state: State) -> np.ndarray:
    """Numbers of some states near one, in the order of the system's inputs."""
    random = np.random.default_rng(1)
    found = [s.inputs for s in states_nearby(system, state, spread=SPREAD, count=4 * SAMPLES)][:SAMPLES]
    found = np.array([*found, state.inputs])
    found[:, 0] += random.uniform(0.1, 1.0, size=len(found))  # formulas of time may vanish at the start
    return found


def start_on_path(
    system: System,
    prescribed: Prescribed = (),
    *,
    t: float = 0.0,
    parameters: Parameters | None = None,
    guess: Prescribed = (),
) -> State:
    """A state of a controlled system from which its path is followed exactly; see `Control.start`.

    >>> x, F = zm.coordinate("x"), zm.parameter("F", 0.0)
    >>> cart = zm.control.servo(zm.System(kinetic=zm.rate(x) ** 2, forces={x: F}), {"follow": x - np.cos(zm.t)}, by=[F])
    >>> cart.control.start(t=np.pi / 2)[[x, zm.rate(x)]].round(9)
    array([ 0., -1.])
    """
    control = system.control
    if not control:
        raise ModelError("the system has no control; make it by zm.System(…, control={…}, by=[…]) or zm.control.servo")
    values = parameter_values(system, parameters)
    wishes = _pairs(system, prescribed, "prescribed")
    unknowns = np.concatenate([system.coordinates, system.rates])
    zeros = [*system.zeros(0), *system.zeros(1), *[(f"path, {e!r:.40}", e) for e in control.zeros]]
    fixed = {x: wishes.pop(x) for x in unknowns if x in wishes}
    equations = StartEquations(
        zeros, jacobian([e for _, e in zeros], unknowns), tuple(wishes), unknowns, [time, *system.parameters]
    )
    try:
        first = consistent_start(system, (), t=t, parameters=parameters, guess=guess)
        guessed = np.concatenate([first.q, first.v])
    except StartError:
        near = _pairs(system, guess, "guess")
        guessed = np.array([near.get(x, 0.0) for x in unknowns])
    found, open_ = equations.solution(guessed, [t, *values.values()], fixed, list(wishes.values()))
    n = len(system.coordinates)
    return State(system, float(t), found[:n], found[n:], values, tuple(open_))
