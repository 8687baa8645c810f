"""Feedback: parameters of the forces of a system, given as formulas of its state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.errors import ModelError, quoted
from zeromass.expression import Expression, Symbol, expressions, substitute, symbols
from zeromass.expression.leaves import namesake
from zeromass.model.given import given_array, given_kind, given_mapping, given_parameters, given_scalar

if TYPE_CHECKING:
    from zeromass.model.system import System


def with_feedback(
    system: System, feedback: Mapping[Any, Any], acting: Mapping[Symbol, np.ndarray] | None = None
) -> System:
    """Closed loop: the system with formulas of state and time for parameters of its forces.

    feedback  {parameter: formula}; accelerations and constraint forces are not known to it
    acting    unit forces on the coordinates, shape (n,), of parameters that the system does not have

    A proportional and derivative controller:

    >>> x, F = zm.coordinate("x"), zm.parameter("F", 0.0)
    >>> cart = zm.System(kinetic=zm.rate(x) ** 2, forces={x: F})
    >>> zm.control.with_feedback(cart, {F: -3 * (x - 1) - 2 * zm.rate(x)}).start()[zm.acceleration(x)]
    1.5
    """
    from zeromass.model.system import System

    given_kind(system, System, "the system", "a zm.System")
    given = {
        u: given_scalar(formula, f"the feedback of {quoted(u)}")
        for u, formula in given_mapping(feedback, "feedback", "{parameter: formula}").items()
    }
    own = {} if acting is None else given_parameters(acting, "acting")
    n = len(system.coordinates)
    own = {u: given_array(force, f"the force of '{u.name}'") for u, force in own.items()}
    for u, force in own.items():
        if force.shape != (n,):
            raise ModelError(f"the force of '{u.name}' has shape {force.shape}; {n} coordinates need ({n},)")
    for u, formula in given.items():
        if not isinstance(u, Symbol) or (u not in system.parameters and u not in own):
            names = ", ".join(p.name for p in system.parameters) or "none"
            raise ModelError(
                f"{quoted(u)} is no parameter of the system; its parameters are: {names}{namesake(u, system.parameters)}"
            )
        unknown = [leaf for leaf in symbols(formula) if leaf.order > 1 or leaf.kind == "multiplier"]
        if unknown:
            raise ModelError(
                f"the feedback of '{u.name}' contains '{unknown[0]!r}', which follows from the feedback itself"
            )
        held = [where for where, e in _elsewhere(system) if u in symbols(e)]
        if held:
            raise ModelError(f"'{u.name}' stands in {held[0]}; feedback is given to forces")
    free = system._free
    Q = free.Q + sum((u * force for u, force in own.items()), expressions(np.zeros(len(free.q))))
    closed = object.__new__(System)
    closed.joints, closed.contact_elements, closed.unilaterals = (
        system.joints,
        system.contact_elements,
        system.unilaterals,
    )
    closed.colliders = system.colliders
    closed._complete(
        free._replace(Q=substitute(Q, given)), list(system.rows), substitute(system.C, given), system.multipliers
    )
    closed.events, closed.mode = system.events, system.mode
    closed._limited = system._limited
    numbers = () if closed.colliders is None else closed.colliders.numbers
    closed._know(
        *(e for one in closed.unilaterals for e in one.numbers), *numbers, *(event.zero for event in closed.events)
    )
    return closed


def _elsewhere(system: System) -> list[tuple[str, Expression]]:
    found = [("a mass", e) for e in system.sparse_M.entries]
    found += [(f"the constraint '{row.name}'", row.zero) for row in system.rows]
    return found + [("an energy", e) for e in (system._free.energy,) if e is not None]
