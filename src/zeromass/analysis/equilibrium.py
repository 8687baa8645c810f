"""States of rest and of steady motion, on the constraints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from zeromass.analysis.approach import steady
from zeromass.analysis.balance import Balance, Constant, constants, shortened
from zeromass.analysis.slopes import slopes_of
from zeromass.compile.program import compile
from zeromass.equation.arrays import single_thread
from zeromass.equation.rank import CONSISTENCY_TOLERANCE, negligible
from zeromass.errors import quoted
from zeromass.expression import Expression, Symbol, jacobian, symbols
from zeromass.expression import t as time
from zeromass.model import ModelError, StartError, State, System
from zeromass.model.collisions import without_collisions
from zeromass.model.given import Parameters, given_all, given_finite, given_kind, parameters_by_name
from zeromass.model.naming import meant
from zeromass.model.solving import StartEquations
from zeromass.model.start import Prescribed, consistent_start
from zeromass.model.start import _pairs as prescribed_pairs
from zeromass.model.state import parameter_values


@single_thread
def equilibrium(
    system: System,
    prescribed: Prescribed = (),
    *,
    constant: Constant = None,
    by: Sequence[Expression] = (),
    t: float = 0.0,
    parameters: Parameters | None = None,
    guess: Prescribed = (),
) -> State:
    """A state of rest, or of steady motion; the arguments are those of `System.equilibrium`."""
    given_kind(system, System, "the system", "a zm.System")
    without_collisions(system, "an equilibrium", "simulate until it rests, or give each contact as a zm.Contact")
    t = given_finite(t, "t")
    values = parameter_values(system, parameters)
    free = _freed(system, by)
    staying = constants(meant(system, constant))
    balance = Balance(system, staying)
    wishes = prescribed_pairs(system, prescribed, "prescribed")
    try:
        if constant is None:
            state = _rest(balance, wishes, t, values, guess, free)
        else:
            first = consistent_start(system, wishes, t=t, parameters={**values}, guess=guess)
            equations = [*[(f"{shortened(e)} = {value:g}", e) for e, value in wishes.items()], *balance.constancies]
            wanted = np.concatenate([list(wishes.values()), np.zeros(len(balance.constancies))])
            state = steady(first, equations, wanted, free)
    except StartError as error:
        kind = "rest" if constant is None else "steady motion"
        hint = "" if constant is not None else "; of a motion that is steady, name what stays constant=[…]"
        raise StartError(
            f"there is no such {kind}: {error}; or let by=[…] parameters take other values{hint}"
        ) from None
    _check_lasting(state, balance, staying)
    return state


def _rest(
    balance: Balance,
    wishes: dict[Expression, float],
    t: float,
    values: dict[Symbol, float],
    guess: Prescribed,
    free: list[Symbol],
) -> State:
    """The state where forces balance, from all equations at once."""
    system = balance.system
    unknowns = np.concatenate([balance.unknowns, np.array(free, dtype=object)])
    fixed: dict[Expression, float] = dict.fromkeys(balance.still, 0.0)
    coordinates = set(system.coordinates)
    fixed.update({x: wishes.pop(x) for x in list(wishes) if x in coordinates})
    moving = [e for e in wishes if any(s.order for s in symbols(e))]
    if moving:
        raise StartError(f"'{moving[0]!r}' is prescribed, and at rest nothing moves")
    held = [p for p in system.parameters if p not in free]
    slopes = jacobian([zero for _, zero in balance.equations], unknowns)
    equations = StartEquations(balance.equations, slopes, tuple(wishes), unknowns, [time, *held])
    first = _first(balance, fixed, wishes, t, values, guess, free)
    found, open_ = equations.solution(first, [t, *[values[p] for p in held]], fixed, list(wishes.values()))
    n = len(system.coordinates)
    values = {**values, **dict(zip(free, found[len(balance.unknowns) :].tolist(), strict=True))}
    names = {repr(x) for x in (*system.coordinates, *system.rates)}
    return State(system, t, found[:n], found[n : 2 * n], values, tuple(name for name in open_ if name in names))


def _freed(system: System, by: Sequence[Expression]) -> list[Symbol]:
    found: list[Symbol] = []
    for p in parameters_by_name(given_all(by, object, "by", "a parameter"), system.parameters):
        if not isinstance(p, Symbol) or p not in system.parameters:
            names = ", ".join(x.name for x in system.parameters) or "none"
            raise ModelError(f"{quoted(p)} is no parameter of the system; its parameters are: {names}")
        found.append(p)
    return found


def _first(
    balance: Balance,
    fixed: Mapping[Expression, float],
    wishes: Mapping[Expression, float],
    t: float,
    values: dict[Symbol, float],
    guess: Prescribed,
    free: Sequence[Symbol],
) -> np.ndarray:
    """Where to look first: at a state with the prescribed values as far as there is one, its λ as good as can be."""
    system = balance.system
    positions = {e: x for e, x in {**fixed, **wishes}.items() if not any(s.order for s in symbols(e))}
    try:
        q = consistent_start(system, positions, t=t, parameters={**values}, guess=guess).q
    except StartError:
        usual: dict[Expression, float] = {x: value for part in system.parts for x, value in part.usual.items()}
        usual.update(prescribed_pairs(system, guess, "guess"))
        coordinates = set(system.coordinates)
        usual.update({x: value for x, value in fixed.items() if x in coordinates})
        q = np.array([usual.get(x, 0.0) for x in system.coordinates])
    still = np.zeros_like(q)
    _, Q, A, _, C = State(system, t, q, still, values).matrices
    λ = np.linalg.lstsq(A.T, -(Q + C), rcond=None)[0] if len(A) else np.empty(0)
    return np.concatenate([q, still, still, np.where(np.isfinite(λ), λ, 0.0), [values[p] for p in free]])


def _check_lasting(state: State, balance: Balance, constant: Mapping[str, Expression] | None) -> None:
    """That what is constant stays so: its derivatives along the motion vanish a moment later too."""
    if not state.motion.unique:
        return
    system = state.system
    formulas = tuple(balance.constancy(name, e)[-1][1] for name, e in (constant or {}).items())
    slope = slopes_of(compile(system, state), formulas, (time,)).at(state)
    if constant is None:
        by_time = slope.acceleration[1][:, 0]
        moved = ~negligible(by_time, 1.0 + np.abs(slope.acceleration[0]).max(initial=0.0), CONSISTENCY_TOLERANCE)
        if moved.any():
            raise StartError(
                f"it rests for a moment only: the force on '{system.names[int(moved.argmax())]}' changes with time"
            )
        return
    ẏ = np.concatenate([state.v, slope.motion])
    along = slope.outputs[0] @ ẏ + slope.outputs[1][:, 0]
    sizes = slope.sizes @ np.abs(ẏ) + np.abs(slope.outputs[1][:, 0])
    later = ~negligible(along, 1.0 + sizes, CONSISTENCY_TOLERANCE)
    if later.any():
        name = list(constant)[int(later.argmax())]
        raise StartError(
            f"'{name}' does not stay constant: the equations hold for a moment only; name more in constant=[…]"
        )
