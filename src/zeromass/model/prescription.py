"""What a start was made from: prescribed values that may be formulas of parameters, so that it can be made again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.errors import StartError
from zeromass.expression import Evaluator, Expression, Symbol, expressions, symbols
from zeromass.frozen import frozen
from zeromass.model.given import given_mapping, given_real

if TYPE_CHECKING:
    from zeromass.model.state import State
    from zeromass.model.system import System


def has_formulas(value: Any) -> bool:
    """Whether a value, or an array of them, is given by a formula."""
    if isinstance(value, Expression):
        return True
    if isinstance(value, float | int | str) or value is None:
        return False
    try:
        return any(isinstance(item, Expression) for item in np.asarray(value, dtype=object).ravel())
    except ValueError:
        return False


def parameters_in(values: Iterable[Any]) -> tuple[Symbol, ...]:
    """The parameters in values that are formulas; anything else in them is refused."""
    found: dict[Symbol, None] = {}
    for value in values:
        if has_formulas(value):
            for leaf in symbols(expressions(value)):
                if leaf.kind != "parameter":
                    raise StartError(
                        f"a value of a start contains '{leaf!r}'; it is a number or a formula of zm.parameters"
                    )
                found[leaf] = None
    return tuple(found)


def numbers(value: Any, known: Mapping[Symbol, float]) -> Any:
    """A value as it is, or the number of its formula at values of the parameters."""
    if not has_formulas(value):
        return value
    names = list(known)
    found = Evaluator(expressions(value), names)(np.array([known[p] for p in names], dtype=float))
    return found if found.ndim else float(found)


def values_of(own: Iterable[Symbol], given: Mapping[Any, float]) -> dict[Symbol, float]:
    """Values of the parameters of a start: as given, or their defaults."""
    found = {p: given.get(p, p.default) for p in own}
    return {p: np.nan if value is None else float(value) for p, value in found.items()}


@frozen()
class Prescription:
    """The values that a start was made from, {expression: number or formula}, its time and its guesses.

    parameters  those in the formulas, which the system need not know
    values      of these, with which the start was made
    again       the start at values of parameters, where the pairs alone do not tell it, as which contacts touch
    conditions  not negative where the pairs do tell it, each with what is said where it is
    """

    pairs: tuple[tuple[Expression, Any], ...]
    t: float
    guess: tuple[tuple[Expression, float], ...]
    parameters: tuple[Symbol, ...]
    values: Mapping[Symbol, float] = field(default_factory=dict)
    again: Callable[[Mapping[Any, float]], State] | None = None
    conditions: tuple[tuple[Expression, str], ...] = ()

    def start(self, system: System, values: Mapping[Any, float]) -> State:
        """The start with other values of parameters."""
        from zeromass.model.start import consistent_start

        all_ = {**self.values, **values}
        if self.again is not None:
            return self.again(all_)
        return consistent_start(system, self.pairs, t=self.t, parameters=all_, guess=self.guess)


def made_again(state: State, values: Mapping[Any, float]) -> State:
    """A start made again with other values of parameters, or of what was prescribed; see `State.again`."""
    made_of, system = state.made_of, state.system
    known = {p.name: p for p in (*system.parameters, *(made_of.parameters if made_of else ()))}
    own: dict[Any, float] = {}
    wishes: dict[Expression, float] = {}
    pairs = single(made_of.pairs) if made_of and made_of.again is None else ()
    prescribed, names = [e for e, _ in pairs], names_of_prescribed(state)
    by_name = {repr(e): e for e in prescribed} | {names[e]: e for e in prescribed} | known
    for key, value in given_mapping(values, "what a start is made again with", "{parameter: number}").items():
        key = by_name.get(key, key) if isinstance(key, str) else key
        if isinstance(key, Symbol) and key.kind == "parameter" and key in known.values():
            own[key] = given_real(value, f"parameter '{key.name}'")
        elif isinstance(key, Expression) and key in prescribed:
            wishes[key] = given_real(value, f"'{key!r}'")
        else:
            words = ", ".join([*known, *[repr(e) for e in prescribed]]) or "nothing"
            raise StartError(
                f"'{key!r}' was neither prescribed for this start nor is it a parameter of it; there is: {words}"
            )
    before = {p: x for p, x in state.parameters.items() if p not in own}
    if made_of is None:
        from zeromass.model.state import State, parameter_values

        return State(system, state.t, state.q, state.v, parameter_values(system, {**before, **own}))
    given = tuple((e, wishes.get(e, value)) for e, value in pairs)
    return replace(made_of, pairs=given).start(system, {**before, **own})


def names_of_prescribed(state: State) -> dict[Expression, str]:
    """What was prescribed, by the name that the system has for it, such as "spin"; else as it is written."""
    made_of, system = state.made_of, state.system
    taken = {p.name for p in (*system.parameters, *(made_of.parameters if made_of else ()))}
    known: dict[Expression, str] = {
        q.expression: name
        for name, q in system.quantities.items()
        if isinstance(q.expression, Expression) and name not in taken
    }
    return {e: known.get(e, repr(e)) for e, _ in (single(made_of.pairs) if made_of else ())}


def single(pairs: Iterable[tuple[Any, Any]]) -> tuple[tuple[Expression, Any], ...]:
    """Prescribed expressions and their values one by one, where arrays were given."""
    found: list[tuple[Expression, Any]] = []
    for key, value in pairs:
        keys = expressions(key)
        found += zip(keys.ravel(), np.broadcast_to(np.asarray(value, dtype=object), keys.shape).ravel(), strict=True)
    return tuple(found)
