"""Events whose functions have kinks or jumps, or no value everywhere: what switches in them is watched beside them.

Between two places where nothing switches, a function is as smooth as the motion; at such a place it may turn, or jump. So it
is at the border beyond which it has no value: what happens before, in the same step, is found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ulp
from typing import Any

import numpy as np

from zeromass.expression import Expression, as_expression, symbols
from zeromass.expression.node import depending, is_integer, ordered
from zeromass.expression.pieces import Pieces, switches
from zeromass.integrate.stepping.inside import Inside
from zeromass.integrate.stepping.roots import event_roots
from zeromass.model import Event, System

KINK = "\0kink "
"""What names of switching functions begin with among events; no user's name does."""

BORDERS: dict[str, Callable[[Expression], Any]] = {
    "sqrt": lambda u: u,
    "log": lambda u: u,
    "log1p": lambda u: 1 + u,
    "arccos": lambda u: 1 - u**2,
    "arcsin": lambda u: 1 - u**2,
    "arctanh": lambda u: 1 - u**2,
    "arccosh": lambda u: u - 1,
}
"""Functions that do not have a value everywhere, with what is negative where they have none."""

REMEMBERED = 16
"""Choices of events for which it is remembered what switches in them."""


def kinks(system: System, events: Sequence[Event]) -> tuple[Event, ...]:
    """The switching functions of events that are not the system's own, those inside others before them."""
    own = {event.name for event in system.events}
    asked = tuple(event.zero for event in events if event.name not in own)
    known: dict[tuple[Expression, ...], tuple[Event, ...]] = system.memory.setdefault("kinks", {})
    if asked not in known:
        for old in list(known)[: 1 - REMEMBERED]:
            known.pop(old, None)
        known[asked] = _found(asked)
    return known[asked]


def _found(asked: Sequence[Expression]) -> tuple[Event, ...]:
    pieces = Pieces()
    if switches(asked):
        pieces.found(list(asked))
    functions = [
        switch.plain if switch.kind == "side" else (np.pi * switch.plain).sin()
        for switch in pieces.switches
        if switch.kind != "turn"
    ]
    functions += borders(asked)
    return tuple(Event(f"{KINK}{k}", function, terminal=False) for k, function in enumerate(functions))


def borders(formulas: Sequence[Expression]) -> list[Expression]:
    """What must not be negative for formulas to have a value, as far as it may become so, what is inside others first."""
    found: dict[Expression, None] = {}
    for node in ordered(formulas):
        inside = BORDERS.get(node.op)
        power = node.op == "power" and not (node.args[1].value is not None and is_integer(node.args[1].value))
        if inside is not None or power:
            found[node.args[0] if inside is None else as_expression(inside(node.args[0]))] = None
    leaves = symbols(list(found))
    if not leaves:
        return []
    from zeromass.expression.interval import Intervals  # few formulas have borders

    varying = depending(found, lambda leaf: True)
    everywhere = Intervals(found, leaves)([(np.float64(-np.inf), np.float64(np.inf))] * len(leaves))
    return [u for u, (low, _) in zip(found, everywhere, strict=True) if u in varying and not low >= 0.0]


def bent(watched: Sequence[Event], inside: Inside, places: list[float]) -> list[float]:
    """Places in a step, and those at which functions of events may bend or jump, with both sides of them."""
    ahead = 1.0 if places[-1] > places[0] else -1.0
    for k, event in enumerate(watched):
        if event.name.startswith(KINK):
            found, tolerance = event_roots([event], inside, places, columns=[k])
            for time, _ in found:
                beside = max(2 * tolerance, 4 * ulp(time))
                both = [
                    t
                    for t in (time - beside, time, time + beside)
                    if ahead * places[0] < ahead * t < ahead * places[-1]
                ]
                places = sorted({*places, *both}, key=lambda t: ahead * t)
    return places
