"""Consistent starts: prescribed values completed to a state that satisfies the constraints.

Positions first (holonomic constraints and prescriptions without rates), then velocities (first derivatives of the
constraints, nonholonomic constraints and prescriptions with rates). Coordinates that are prescribed directly are not
touched.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.errors import ExpressionError, StartError
from zeromass.expression import Evaluator, Expression, Symbol, expressions, symbols
from zeromass.expression import t as time
from zeromass.expression.leaves import namesake
from zeromass.expression.node import undisturbed
from zeromass.expression.pieces import switches
from zeromass.lazy import later
from zeromass.model.chained import chained
from zeromass.model.connection import warn_of_degrees
from zeromass.model.continuation import followed
from zeromass.model.given import Parameters, by_parameter, given_mapping, given_real, shown
from zeromass.model.naming import meant
from zeromass.model.nearby import nearest
from zeromass.model.prescription import Prescription, numbers, parameters_in, values_of
from zeromass.model.solving import StartEquations
from zeromass.model.state import State, parameter_values
from zeromass.model.unilateral import beginning

if TYPE_CHECKING:
    from zeromass.model.system import System

Prescribed = Mapping[Any, Any] | Iterable[tuple[Any, Any]]
"""{expression or name: value}, or pairs of expressions, or arrays of them, and values."""

REMEMBERED = 8
"""Sets of equations that a system keeps for its next starts."""


@undisturbed
def consistent_start(
    system: System,
    prescribed: Prescribed,
    *,
    t: float,
    parameters: Parameters | None,
    guess: Prescribed,
    near: Prescribed = (),
    admitted: bool = True,
) -> State:
    """A state on the constraint manifold with the prescribed values; see `System.start`.

    admitted  whether a state that the system does not admit, as of a body inside another, is an error
    """
    t = given_real(t, "the start time")
    if not np.isfinite(t):
        raise StartError(f"the start time is {t}")
    items = _items(system, prescribed, "prescribed")
    own = parameters_in(value for _, value in items)
    known = given_mapping({} if parameters is None else parameters, "parameters", "{parameter: number}")
    given = by_parameter(known, [*own, *system.parameters])
    values = parameter_values(system, {p: x for p, x in given.items() if p in system.parameters or p not in own})
    own_values = values_of(own, given)
    at = {**values, **own_values}
    given_values = [(key, numbers(value, at)) for key, value in items]
    wishes = _pairs(system, given_values, "prescribed")
    warn_of_degrees(system.joints, wishes)
    first: dict[Expression, float] = {**system.usual}
    guesses = _pairs(system, guess, "guess")
    first.update(guesses)
    first = {**first, **_carried(system, first, wishes), **guesses}
    made_of = Prescription(tuple(items), t, tuple(guesses.items()), own, own_values)
    hint = {**guesses, **{x: value for x, value in wishes.items() if isinstance(x, Symbol)}}
    if system.large and not near:
        sparse = later("zeromass.compile.rolled.start", "large_start")
        beside = {**first, **system.placement(hint, t, values), **guesses} if system.ambiguous else first
        found = sparse(system, wishes, t, values, beside, made_of)
        if found is not None and not faces_away(found):
            return admitted_start(found) if admitted else found
    data = _pairs(system, near, "near")
    first.update({x: value for x, value in data.items() if isinstance(x, Symbol)})
    problem = _Problem(system, wishes, _scales(given_values), data, t, values, made_of)
    return _facing(problem, first, hint, guesses, admitted=admitted)


def begun(system: System, prescribed: Prescribed, modes: Mapping[str, str]) -> Prescribed:
    """Prescribed values, and those of the modes in which unilateral constraints begin, unless they are given themselves.

    modes  of those by name that begin otherwise than they say
    """
    own = beginning(system.unilaterals, modes)
    if not own:
        return prescribed
    items = _items(system, prescribed, "prescribed")
    given = {e for key, _ in items for e in np.ravel(np.asarray(key, dtype=object)).tolist()}
    return [*items, *(pair for pair in own if pair[0] not in given)]


@dataclass(frozen=True)
class _Problem:
    """What a start must satisfy: prescribed values, with the scales of their rounding, and data that it is nearest to."""

    system: System
    wishes: Mapping[Expression, float]
    scales: Mapping[Expression, float]
    data: Mapping[Expression, float]
    t: float
    values: dict[Symbol, float]
    made_of: Prescription

    def solved(self, first: Mapping[Expression, float]) -> State:
        """The state that is reached from first guesses."""
        system, t, values, data = self.system, self.t, self.values, self.data
        known: dict[Expression, float] = {time: t, **values}
        pieces, moving = system.pieces if switches(row.zero for row in system.rows) else None, system
        begun = pieces.begun(t, values) if pieces is not None else None
        if pieces is not None and begun is not None:  # on a kink of time the rates are those with which it goes on
            moving = pieces.system
            known = {**known, **begun}
        free: list[str] = []
        for level, unknowns in enumerate((system.coordinates, system.rates)):
            wanted = {e: value for e, value in self.wishes.items() if _order(e) == level}
            fixed = {x: wanted.pop(x) for x in unknowns if x in wanted}
            guessed = np.array([first.get(x, 0.0) for x in unknowns])
            equations = equations_of(moving, level, tuple(wanted))
            given = list(known.values()), fixed, list(wanted.values())
            if level == 0 and system.joints:
                there = followed(equations, guessed, *given)
                guessed = guessed if there is None else there
            rounded = {e: value for e, value in data.items() if _order(e) == level and e not in fixed}
            if rounded:
                found, _ = equations.solution(guessed, *given, self.scales)
                guessed = nearest(moving, level, equations, rounded, found, *given)
            solution, open_ = equations.solution(guessed, *given, self.scales)
            known.update(zip(unknowns, solution, strict=True))
            free += open_
        n = len(system.coordinates)
        y = np.array([known[x] for x in [*system.coordinates, *system.rates]])
        return State(system, t, y[:n], y[n:], values, tuple(free), made_of=self.made_of)


def _facing(
    problem: _Problem,
    first: Mapping[Expression, float],
    hint: Mapping[Expression, float],
    guesses: Mapping[Expression, float],
    *,
    admitted: bool,
) -> State:
    """The solution in which bodies are on the outer side of what they touch.

    Tangency has two solutions: the outward normals of body and surface are opposite, or parallel, with the body inside.
    A system that can be on either side says which by `System.facing`, and where to begin by `System.placement`. From a
    solution on the wrong side the search begins again at the same contact, on the other side.
    """
    system, t, values = problem.system, problem.t, problem.values

    def guessed() -> Iterator[Mapping[Expression, float]]:
        if not system.ambiguous:
            yield first
        placed = system.placement(hint, t, values)
        if system.ambiguous:
            yield {**first, **placed, **guesses}
        if placed:
            yield {**first, **placed}

    error: StartError | None = None
    for guess in guessed():
        try:
            state = problem.solved(guess)
            if faces_away(state):
                there = {x: float(value) for x, value in zip(system.coordinates, state.q, strict=True)}
                state = problem.solved({**first, **there, **system.placement(there, t, values)})
            if not faces_away(state):
                return admitted_start(state) if admitted else state
        except StartError as reason:
            error = error or reason
    raise error or StartError(system.wrong_side)


def admitted_start(state: State) -> State:
    """The same state; an error where the system refuses it, as that of a body inside a surface."""
    system = state.system
    parameters = np.array([[state.parameters[p] for p in system.parameters]])
    refused = system.refused(np.array([state.t]), np.concatenate([state.q, state.v])[None], parameters)
    for words in refused.values():
        raise StartError(words)
    return state


def faces_away(state: State) -> bool:
    """Whether a body of a state is on the inner side of what it touches."""
    return bool(facing_away(state.system, state.inputs[None])[0])


def facing_away(system: System, inputs: np.ndarray) -> np.ndarray:
    """Of states, numbers in the order of `system.inputs`, shape (k, …): where a body is on the inner side."""
    if not system.facing:
        return np.zeros(len(inputs), dtype=bool)
    if "facing" not in system.memory:
        system.memory["facing"] = Evaluator(expressions(system.facing), system.inputs)
    with np.errstate(all="ignore"):
        return ~np.all(system.memory["facing"](inputs) > 0.0, axis=-1)


def _carried(
    system: System, first: Mapping[Expression, float], wishes: Mapping[Expression, float]
) -> dict[Expression, float]:
    """Where joints carry bodies that know it from their coordinates; with the values of these, as far as they are given."""
    found: dict[Expression, float] = {}
    for joint in system.joints:
        carried = getattr(joint, "carried", None)  # a connection need not know where its parts are
        if carried is not None:
            found |= carried({**first, **wishes})
    if system.large:
        found |= chained(system, wishes)
    return {**{x: value for x, value in wishes.items() if isinstance(x, Symbol)}, **found} if found else {}


def equations_of(system: System, level: int, prescribed: tuple[Expression, ...] = ()) -> StartEquations:
    """What constraints and prescribed expressions say about positions (level 0) or rates (level 1).

    They are solved at values of time, the parameters and, for rates, the positions. The system keeps them for its next
    start with the same expressions.
    """
    kept = system.equations_of_starts
    equations = kept.pop((level, prescribed), None)
    if equations is None:
        known = [time, *system.parameters, *(system.coordinates if level else ())]
        unknowns = system.rates if level else system.coordinates
        metric = system.sparse_M if level else None  # that of the kinetic energy compares rates, whatever their units
        equations = StartEquations(
            system.zeros(level), system.slopes(level), prescribed, unknowns, known, metric, bool(system.joints)
        )
    kept[level, prescribed] = equations  # the last ones used stand last
    while len(kept) > REMEMBERED:
        del kept[next(iter(kept))]
    return equations


def states_nearby(system: System, state: State, *, spread: float, count: int, rates: bool = True) -> Iterator[State]:
    """States that satisfy the constraints, found from random steps of size `spread` away from a state.

    The steps are in the coordinates' own units, and the same every time. Steps that lead to no state are left out.
    With `rates=False` only the positions satisfy them.
    """
    random = np.random.default_rng(0)
    known = [state.t, *[state.parameters[p] for p in system.parameters]]
    for _ in range(count):
        q = equations_of(system, 0).near(random.normal(state.q, spread), known)
        v = random.normal(state.v, spread)
        if q is not None and rates:
            v = equations_of(system, 1).near(v, [*known, *q])
        if q is None or v is None:
            continue
        yield State(system, state.t, q, v, state.parameters)


def _order(e: Expression) -> int:
    return max((leaf.order for leaf in _leaves(e) if leaf.kind == "coordinate"), default=-1)


def _leaves(e: Expression) -> list[Symbol]:
    return [e] if isinstance(e, Symbol) else symbols(e)


def _pairs(system: System, given: Prescribed, what: str) -> dict[Expression, float]:
    """{expression: number} from a mapping or pairs of expressions or arrays and numbers or arrays."""
    known = {*system.coordinates, *system.rates}
    result: dict[Expression, float] = {}
    for key, value in _items(system, given, what):
        for e, number in _flat(key, value, what):
            _check_wish(e, number, known, what)
            if e in result and result[e] != number:
                raise StartError(f"{what}: '{e!r}' is given twice, as {result[e]:g} and as {number:g}")
            result[e] = float(number)
    return result


def _scales(given: Iterable[tuple[Any, Any]]) -> dict[Expression, float]:
    """The largest value of the array in which an expression is prescribed: its components are rounded as the largest is."""
    result: dict[Expression, float] = {}
    for key, value in given:
        pairs = [] if isinstance(key, Expression) else list(_flat(key, value, "prescribed"))
        largest = max((abs(float(number)) for _, number in pairs), default=0.0)
        result.update((e, largest) for e, _ in pairs)
    return result


def _flat(key: Any, value: Any, what: str) -> Iterable[tuple[Expression, float]]:
    """Single expressions with their numbers, from an expression or an array of them and its value or values."""
    if isinstance(key, Expression) and isinstance(value, float):
        return [(key, value)]
    try:
        keys = expressions(key)
    except ExpressionError as error:
        raise StartError(f"{what}: {error}") from error
    try:
        if np.asarray(value).dtype.kind in "USc":  # words, which NumPy reads numbers from, and complex numbers
            raise TypeError
        numbers = np.broadcast_to(np.asarray(value, dtype=float), keys.shape)
    except (ValueError, TypeError, OverflowError) as error:
        raise StartError(f"{what}: {shown(value)} is no value for {shown(key)} of shape {keys.shape}") from error
    return zip(keys.ravel(), numbers.ravel(), strict=True)


def _items(system: System, given: Prescribed, what: str) -> list[tuple[Any, Any]]:
    """Pairs of what is prescribed and its value, with expressions instead of names."""
    try:
        pairs = [(key, value) for key, value in (given.items() if isinstance(given, Mapping) else given)]
    except (TypeError, ValueError):
        words = "give {expression: value} or pairs (expressions, values)"
        raise StartError(f"{what} is {shown(given)}; {words}") from None
    return [(meant(system, key), value) for key, value in pairs]


def _check_formula(e: Expression, known: set, what: str) -> None:
    """That a formula, or a symbol which is none of the system's, can have a value in a state."""
    leaves = [leaf for leaf in _leaves(e) if leaf.kind in ("coordinate", "multiplier")]
    for leaf in leaves:
        if leaf.kind == "multiplier" or leaf.order > 1:
            raise StartError(f"{what}: '{e!r}' contains '{leaf!r}', which follows from the motion; prescribe states")
        if leaf not in known:
            raise StartError(f"{what}: '{leaf.name}' in '{e!r}' is no coordinate of the system{namesake(leaf, known)}")
    if not leaves:
        raise StartError(f"{what}: '{e!r}' contains no coordinate, so it can not be given a value")


def _check_wish(e: Expression, number: float, known: set, what: str) -> None:
    if e not in known:
        _check_formula(e, known, what)
    if not math.isfinite(number):
        raise StartError(f"{what}: '{e!r}' is {number}")
    if what == "guess" and not isinstance(e, Symbol):
        raise StartError(f"guess: '{e!r}' is no coordinate or rate; guess those, prescribe formulas")
