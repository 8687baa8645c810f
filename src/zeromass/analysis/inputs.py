"""What may act on a system from outside: parameters that stand in its forces, or forces of their own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from zeromass.expression import Expression, Symbol, as_expression, parameter, symbols
from zeromass.model import ModelError, System
from zeromass.model.forces import Load, loads
from zeromass.model.given import given_all, given_kind, parameters_by_name

Input = Expression | str | Load | Mapping[Expression, Any]
"""A parameter of the system or its name, or a force of unit size: zm.Force, zm.Torque, {coordinate: force}."""


class Inputs(NamedTuple):
    """Inputs as parameters.

    parameters  one for each input
    acting      of those that are no parameters of the system: their unit force on each coordinate, shape (n,)
    """

    parameters: tuple[Symbol, ...]
    acting: dict[Symbol, np.ndarray]

    @property
    def names(self) -> tuple[str, ...]:
        """What results call them."""
        return tuple(u.name for u in self.parameters)


def inputs_of(system: System, given: Sequence[Input] | Input | None) -> Inputs:
    """Inputs as a user gives them; the same force is the same parameter every time."""
    if given is None:
        return Inputs((), {})
    if isinstance(given, Expression | Mapping | str) or not isinstance(given, Iterable):
        given = [given]
    given_kind(system, System, "the system", "a zm.System")
    known: dict[Any, tuple[Symbol, Any, np.ndarray]] = system.memory.setdefault("inputs", {})
    found: list[Symbol] = []
    acting: dict[Symbol, np.ndarray] = {}
    for one in parameters_by_name(given_all(given, object, "inputs", "a parameter, or a force"), system.parameters):
        if isinstance(one, Expression | str):
            found.append(_own(system, one))
            continue
        (load,) = loads([one], "inputs")
        key = tuple((x, as_expression(force)) for x, force in one.items()) if isinstance(one, Mapping) else id(one)
        if key not in known:
            known[key] = (parameter(_name(one, len(known)), 0.0), one, load.generalized(system.coordinates))
        u, _, force = known[key]
        found.append(u)
        acting[u] = force
    if len(set(found)) < len(found):
        raise ModelError("an input is given twice")
    return Inputs(tuple(found), acting)


def _own(system: System, u: Any) -> Symbol:
    if not isinstance(u, Symbol) or u.kind != "parameter":
        raise ModelError(
            f"'{u!r}' is no input: give a zm.parameter that stands in a force, or a force such as {{x: 1.0}}"
        )
    if u not in system.parameters:
        names = ", ".join(p.name for p in system.parameters) or "none"
        raise ModelError(f"'{u.name}' is no parameter of the system; its parameters are: {names}")
    bound = next((row.name for row in system.rows if u in symbols(row.zero)), None)
    if bound is not None:
        raise ModelError(
            f"'{u.name}' stands in the constraint '{bound}', so that its rates act too; make it a coordinate that a force "
            "moves, or a formula of zm.t"
        )
    return u


def _name(one: Any, count: int) -> str:
    if isinstance(one, Mapping):
        return "force on " + " and ".join(getattr(x, "name", "coordinate") for x in one)
    return f"{type(one).__name__.lower()} {count + 1}"
