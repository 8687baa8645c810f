"""Events: expressions whose zeros are looked for along a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from zeromass.expression import Expression, as_expression
from zeromass.model import Event, ModelError

Events = Event | Iterable[Event] | Mapping[str, Expression] | None
"""What a run may be asked to watch: an event, several, or {name: expression} for terminal ones either way."""


@dataclass(frozen=True)
class Occurrence:
    """An event that happened: its name, the time, and the state there.

    >>> x = zm.coordinate("x")
    >>> free = zm.System(kinetic=zm.rate(x) ** 2 / 2)
    >>> gate = zm.Event("gate", x - 1.5, terminal=False)
    >>> run = zm.simulate(free, free.start({zm.rate(x): 1.0}), until=3.0, events=gate)
    >>> run.events
    (Occurrence(name='gate', t=1.5, y=array([1.5, 1. ])),)
    """

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
