"""Events whose functions have kinks or jumps, or no value everywhere: what switches in them is watched beside them.

Between two places where nothing switches, a function is as smooth as the motion; at such a place it may turn, or jump. So it
is at the border beyond which it has no value: what happens before, in the same step, is found.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from zeromass.expression import Expression, symbols
from zeromass.expression.node import depending, ordered
from zeromass.expression.pieces import Pieces, switches
from zeromass.integrate.stepping.inside import Inside
from zeromass.integrate.stepping.roots import Search
from zeromass.integrate.terms import border
from zeromass.kernel.language import Ints, compiled, kernel, ulp
from zeromass.kernel.roots import RootSearch, add_place, search_again
from zeromass.model import Event, System

KINK = "\0kink "
"""What names of switching functions begin with among events; no user's name does."""

ROOM = 64
"""Places in a step, beside those where it is looked at first, for which there is room at first."""

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
        if (u := border(node)) is not None:
            found[u] = None
    leaves = symbols(list(found))
    if not leaves:
        return []
    from zeromass.expression.interval import Intervals  # few formulas have borders

    varying = depending(found, lambda leaf: True)
    everywhere = Intervals(found, leaves)([(np.float64(-np.inf), np.float64(np.inf))] * len(leaves))
    return [u for u, (low, _) in zip(found, everywhere, strict=True) if u in varying and not low >= 0.0]


@kernel
def add_kinks(kinks: Ints, bends: RootSearch, r: RootSearch) -> bool:
    """Adds the places at which functions of events may bend or jump, and both sides of them: whether there is room.

    kinks  the functions at whose zeros they may; bends: the search for these, one after another
    """
    first, last = r.places[0], r.places[r.looks - 1]
    ahead = 1.0 if last > first else -1.0
    for k in range(len(kinks)):
        bends.columns[0] = kinks[k]
        search_again(bends, r)
        for i in range(bends.count):
            time = bends.times[i]
            beside = max(2.0 * bends.tolerance, 4.0 * ulp(time))
            for side in range(-1, 2):
                place = time + float(side) * beside
                inside = ahead * first < ahead * place and ahead * place < ahead * last
                if inside and not add_place(r, place, ahead):
                    return False
    return True


def bent(watched: Sequence[Event], inside: Inside, places: list[float]) -> list[float]:
    """Places in a step, and those at which functions of events may bend or jump, with both sides of them."""
    columns = np.array([k for k, event in enumerate(watched) if event.name.startswith(KINK)], dtype=np.int64)
    room = len(places)
    while len(columns):
        room = 2 * room + ROOM
        bends, r = (Search(inside.memory.step.values, room, 1) for _ in range(2))
        bends.ask([0.0] * room, columns[:1].tolist(), [0.0], [True])

        def found(r: Search = r, bends: Search = bends) -> bool:
            r.look_at(places)
            return bool(compiled(add_kinks)(columns, bends.memory, r.memory))

        if inside.search(found, bends):
            return r.looked_at
    return places
