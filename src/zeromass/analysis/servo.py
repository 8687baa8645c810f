"""Servo-constraints: the forces that make expressions vanish, found by differentiating until the forces appear.

    z = e,   z ← ż + ω z,   until   ż + ω z = α(t, q, q̇) + P(t, q, q̇) u      and then   P u = −α

The accelerations in ż are those of the solved equations of motion, so that masses may be zero and constraints many. Where
P of several requirements is singular, combinations of them are free of forces: these are differentiated further, as they
are where a path is given to the load of a crane, or to the far end of a chain. With ω > 0 errors die out as tʳ⁻¹e^{−ωt}.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from zeromass.analysis.inputs import Input, Inputs, inputs_of
from zeromass.compile.program import Program, compile
from zeromass.expression import (
    Expression,
    Symbol,
    as_expression,
    directional,
    expressions,
    jacobian,
    substitute,
    symbols,
)
from zeromass.expression import t as time
from zeromass.expression.build import ZERO
from zeromass.model import ModelError, StartError, State, System
from zeromass.model.constraint import rows_of
from zeromass.model.control import SETTLING, Control
from zeromass.model.feedback import with_feedback
from zeromass.model.solving import StartEquations
from zeromass.model.start import Prescribed, _pairs, consistent_start, states_nearby
from zeromass.model.state import Magnitude, parameter_values

SAMPLES, SPREAD = 4, 0.1
"""States beside one at which it is asked whether a force appears, and how far they lie, in the coordinates' own units."""

VANISHES = 1e-9
"""Part of its terms below which an entry of P counts as zero at all of these states."""


def servo(
    system: System,
    control: Mapping[str, Any],
    by: Sequence[Input] | Input,
    *,
    settling: float = SETTLING,
    at: State | None = None,
) -> System:
    """The system under forces that make expressions vanish.

    control   {name: expression or array that shall be zero}, of positions or rates, and of time
    by        what may act: parameters that stand in forces, or forces of unit size, {x: 1.0} or zm.Force(…)
    settling  rate at which errors die out, 1/s; with 0 they stay
    at        a state near which it shall hold, by default one of the system's own

    `system.control` has the forces as expressions and says how each requirement is realised. One that no force can ever
    fulfil is a ModelError.

    The far one of two masses on springs follows a path, pushed by a force on the near one:

    >>> x, y = zm.coordinates("x y")
    >>> chain = zm.System(kinetic=(zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2, potential=(x - y) ** 2 / 2)
    >>> pulled = zm.servo(chain, {"path": y - np.sin(zm.t)}, by=[{x: 1.0}])
    >>> print(pulled.control)
    'path' is realised by tangent: forces appear in its derivative of order 4, a servo-constraint of index 5
    >>> start = pulled.control.start(t=1.0)
    >>> bool(abs(start[x]) < 1e-12)  # x = y + ÿ
    True
    """
    inputs = inputs_of(system, by)
    if not inputs.parameters:
        raise ModelError("control needs forces that may act: by=[…]")
    driven = _driven(system, inputs)
    state = _beside(system, driven, at)
    program = compile(driven, state)
    rows = rows_of(control)
    wrong = next((row for row in rows if row.level > 1), None)
    if wrong is not None:
        raise ModelError(f"control '{wrong.name}' contains an acceleration; ask for positions or rates")
    work = Differentiation(program, inputs.parameters, float(settling), _samples(driven, state))
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
        if at.system is not system:
            raise ModelError("the state belongs to another system; make it with system.start(…)")
        return State(driven, at.t, at.q, at.v, parameter_values(driven, {**at.parameters}))
    try:
        state = driven.start()
        return state if state.motion.unique else next(states_nearby(driven, state, spread=SPREAD, count=20))
    except (StartError, StopIteration):
        raise ModelError(
            "no state of the system was found at which to derive the control; give one: "
            "zm.servo(system, control, by, at=system.start(…))"
        ) from None


def _samples(system: System, state: State) -> np.ndarray:
    """Numbers of some states near one, in the order of the system's inputs."""
    random = np.random.default_rng(1)
    found = [s.inputs for s in states_nearby(system, state, spread=SPREAD, count=4 * SAMPLES)][:SAMPLES]
    found = np.array([*found, state.inputs])
    found[:, 0] += random.uniform(0.1, 1.0, size=len(found))  # formulas of time may vanish at the start
    return found


@dataclass(frozen=True)
class Pivot:
    """A requirement in which a force appears: α + P u = 0, solved for the force of one column."""

    α: Expression
    P: np.ndarray
    column: int


class Differentiation:
    """Requirements, differentiated one after the other until each has a force of its own.

    orders  {name: order of the derivative in which a force appeared}
    zeros   everything that vanishes on the path
    """

    def __init__(self, program: Program, inputs: Sequence[Symbol], settling: float, samples: np.ndarray) -> None:
        system = program.system
        self.inputs, self.ω, self.samples = list(inputs), settling, samples
        self._names = list(system.inputs)
        self._along: dict[Expression, Any] = {time: 1}
        self._along.update(zip(system.coordinates, system.rates, strict=True))
        self._along.update(zip(system.rates, program.acceleration, strict=True))
        self._most = 2 * len(system.coordinates) + 2
        self.pivots: list[Pivot] = []
        self.orders: dict[str, int] = {}
        self.zeros: list[Expression] = []

    def require(self, rows: Sequence[tuple[str, Expression]]) -> None:
        """Differentiates requirements until each has a force that no other one has taken.

        Of those in which forces have appeared the clearest comes first: it is the one to be solved for a force. Those that
        have none left beside it are differentiated further.
        """
        waiting = [(name, zero, self._slope(zero), 1) for name, zero in rows]
        self.zeros += [zero for _, zero in rows]
        while waiting:
            reduced = [self._without_taken(ż) for _, _, ż, _ in waiting]
            clear = np.array([self._present(P) for _, P in reduced])
            if clear.any():
                i, column = np.unravel_index(int(clear.argmax()), clear.shape)
                name, _, _, order = waiting.pop(int(i))
                self.orders[name] = order
                self.pivots.append(Pivot(*reduced[int(i)], int(column)))
                continue
            for (name, _, _, order), (α, _) in zip(waiting, reduced, strict=True):
                if order > self._most or not self._moves(α):
                    self._refuse(name, order)
            self.zeros += [α for α, _ in reduced]
            waiting = [
                (name, α, self._slope(α), order + 1)
                for (name, _, _, order), (α, _) in zip(waiting, reduced, strict=True)
            ]
        self.orders = {name: self.orders[name] for name, _ in rows}

    def _slope(self, z: Expression) -> Expression:
        return as_expression(directional(z, self._along)) + self.ω * z

    def _refuse(self, name: str, order: int) -> None:
        names = ", ".join(u.name for u in self.inputs)
        beside = f" beside {', '.join(repr(other) for other in self.orders)}" if self.orders else ""
        raise ModelError(
            f"control '{name}' can not be realised{beside}: no derivative of it, up to that of order {order}, depends on "
            f"{names}; give it another force, or ask for less"
        )

    def _without_taken(self, ż: Expression) -> tuple[Expression, np.ndarray]:
        """α and P of ż = α + P u, without the forces of the columns that others have taken."""
        P = expressions(jacobian(ż, self.inputs))
        α = substitute(ż, dict.fromkeys(self.inputs, 0.0))
        P = np.array([substitute(e, dict.fromkeys(self.inputs, 0.0)) for e in P], dtype=object)
        for pivot in self.pivots:
            share = P[pivot.column] / pivot.P[pivot.column]
            if share is not ZERO:
                α, P = α - share * pivot.α, P - share * pivot.P
                P[pivot.column] = ZERO
        return as_expression(α), P

    def _present(self, P: np.ndarray) -> np.ndarray:
        """How clear the entries of P are, as parts of their terms where these are smallest; 0 where they are absent."""
        if all(e is ZERO for e in P):
            return np.zeros(len(P))
        sizes = Magnitude(list(P), self._names)
        parts = []
        for numbers in self.samples:
            values, magnitudes = sizes.with_values(numbers)
            parts.append(np.abs(values) / np.where(magnitudes > 0, magnitudes, 1.0))
        there = np.median(np.array(parts), axis=0)
        clear = np.min(np.array(parts), axis=0) + VANISHES  # one that vanishes at a place is there, if no other is
        return np.where(np.isfinite(there) & (there > VANISHES), np.nan_to_num(clear), 0.0)

    def _moves(self, z: Expression) -> bool:
        """Whether a formula depends on the state at all."""
        return any(leaf.kind == "coordinate" for leaf in symbols(z))

    def forces(self) -> dict[Symbol, Expression]:
        """u with α + P u = 0; of more forces than requirements, the smallest ones that will do."""
        found: dict[int, Expression] = {}
        if len(self.pivots) == len(self.inputs):
            for k, pivot in reversed(list(enumerate(self.pivots))):
                later = sum((pivot.P[p.column] * found[p.column] for p in self.pivots[k + 1 :]), ZERO)
                found[pivot.column] = -(pivot.α + later) / pivot.P[pivot.column]
            return {u: as_expression(found[j]) for j, u in enumerate(self.inputs)}
        P = np.array([pivot.P for pivot in self.pivots], dtype=object)
        λ = _solved(P @ P.T, -expressions([pivot.α for pivot in self.pivots]))
        return {u: as_expression(P[:, j] @ λ) for j, u in enumerate(self.inputs)}


def _solved(S: np.ndarray, right: np.ndarray) -> np.ndarray:
    """S⁻¹ right of a positive definite matrix of expressions."""
    S, x = S.copy(), right.copy()
    n = len(x)
    for k in range(n):
        for i in range(k + 1, n):
            share = S[i, k] / S[k, k]
            S[i], x[i] = S[i] - share * S[k], x[i] - share * x[k]
    for k in reversed(range(n)):
        x[k] = (x[k] - S[k, k + 1 :] @ x[k + 1 :]) / S[k, k]
    return x


def start_on_path(
    system: System,
    prescribed: Prescribed = (),
    *,
    t: float = 0.0,
    parameters: Mapping[Expression, float] | None = None,
    guess: Prescribed = (),
) -> State:
    """A state of a controlled system from which its path is followed exactly; see `Control.start`.

    >>> x, F = zm.coordinate("x"), zm.parameter("F", 0.0)
    >>> cart = zm.servo(zm.System(kinetic=zm.rate(x) ** 2, forces={x: F}), {"follow": x - np.cos(zm.t)}, by=[F])
    >>> cart.control.start(t=np.pi / 2)[[x, zm.rate(x)]].round(9)
    array([ 0., -1.])
    """
    control = system.control
    if control is None:
        raise ModelError("the system has no control; make it by zm.System(…, control={…}, by=[…]) or zm.servo")
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
