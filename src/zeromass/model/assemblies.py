"""Other ways to assemble a mechanism: the distinct states that satisfy its constraints, from many first guesses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.errors import ModelError, StartError
from zeromass.expression import expressions
from zeromass.model.given import Parameters, given_count, given_finite
from zeromass.model.parts import RigidBody
from zeromass.model.start import Prescribed
from zeromass.model.state import State

if TYPE_CHECKING:
    from zeromass.model.system import System

SAME = 1e-6
"""Difference of places and axes below which two states are the same assembly, in their own units."""


def assemblies(
    system: System,
    prescribed: Prescribed,
    *,
    tries: int,
    t: float,
    parameters: Parameters | None,
    spread: float | None,
) -> list[State]:
    """Distinct states with the prescribed values, that of `system.start` first; see `System.assemblies`."""
    tries = given_count(tries, "tries")
    spread = None if spread is None else given_finite(spread, "spread")
    if spread is not None and spread < 0:
        raise ModelError(f"spread is {spread:g}; it is positive")
    first = system.start(prescribed, t=t, parameters=parameters)
    places = [part.position for part in system.parts]
    size = float(np.abs(first[expressions(places)]).max()) if places else 1.0
    size = (size or 1.0) if spread is None else spread
    random = np.random.default_rng(0)
    turned = {u for part in system.parts if isinstance(part, RigidBody) for u in part.quaternion}
    moved = {x for part in system.parts for x in part.position}
    found, seen = [first], [_looks(system, first)]
    for _ in range(tries):
        scales = [1.0 if x in turned else size if x in moved else np.pi for x in system.coordinates]
        guess = list(zip(system.coordinates, random.normal(first.q, scales), strict=True))
        try:
            state = system.start(prescribed, t=t, parameters=parameters, guess=guess)
        except StartError:
            continue
        looks = _looks(system, state)
        if all(np.abs(looks - other).max() > SAME for other in seen):
            found.append(state)
            seen.append(looks)
    return found


def _looks(system: System, state: State) -> np.ndarray:
    """Places and axes of all parts, which do not tell u from −u; coordinates where there are no parts."""
    shown: list[Any] = []
    for part in system.parts:
        shown += [*part.position]
        if isinstance(part, RigidBody):
            shown += [*part.rotation.ravel()]
    return state[expressions(shown)] if shown else state.q
