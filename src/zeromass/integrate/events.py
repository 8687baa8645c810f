"""Events: expressions whose zeros are looked for along a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from zeromass.compile.compiled import Compiled
from zeromass.compile.machine import Code
from zeromass.compile.module import code
from zeromass.expression import as_expression, expressions, substitute, symbols
from zeromass.model import Event, ModelError


@dataclass(frozen=True)
class Occurrence:
    """An event that happened: its name, the time, and the state there."""

    name: str
    t: float
    y: np.ndarray


def events_of(given: Any) -> list[Event]:
    """A list of events from one or several events, or {name: expression} for terminal ones either way."""
    if given is None:
        return []
    if isinstance(given, Event):
        given = [given]
    if isinstance(given, Mapping):
        given = [Event(name, as_expression(zero)) for name, zero in given.items()]
    if not isinstance(given, Iterable):
        raise ModelError(f"events are zm.Event, several of them, or {{name: expression}}, not {given!r}")
    found = list(given)
    for event in found:
        if not isinstance(event, Event):
            raise ModelError(f"events are zm.Event or {{name: expression}}, not {event!r}")
        if event.direction not in (-1, 0, 1):
            raise ModelError(f"event '{event.name}' has direction {event.direction}; it is −1, 0 or 1")
    names = [event.name for event in found]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ModelError(f"two events have the name '{twice[0]}'")
    return found


def event_code(events: list[Event], compiled: Compiled, lanes: int) -> Code | None:
    """Machine code of the event functions, as `event(t, y, parameters, out)` in lanes; None if there are none."""
    return _event_code(tuple(events), compiled, lanes, compiled.effort) if events else None


@lru_cache(maxsize=64)
def _event_code(events: tuple[Event, ...], compiled: Compiled, lanes: int, effort: int) -> Code:
    known = {symbol for group in compiled.inputs for symbol in group}
    zeros = []
    for event in events:
        zero = compiled.solved(event.zero)
        others = [leaf for leaf in symbols(zero) if leaf not in known]
        strangers = [leaf for leaf in others if leaf.default is None]
        if strangers:
            raise ModelError(f"event '{event.name}' contains '{strangers[0]!r}', which is nothing of the system")
        zeros.append(expressions(substitute(zero, {leaf: leaf.default for leaf in others})).item())
    return code({"event": (compiled.inputs, [zeros])}, lanes, optimisation=effort)
