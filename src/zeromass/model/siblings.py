"""Systems with constraints of one side, for a driver outside Python: their siblings, and what decides between them.

Ropes go slack and taut, wheels slip and roll, lift and land, as `zeromass.model.one_sided` says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import combinations
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.errors import ZeromassError
from zeromass.expression import Expression, as_expression, expressions, rate
from zeromass.expression.build import ZERO
from zeromass.model.changing import Changing
from zeromass.model.grip import STOPPED, Grip
from zeromass.model.landing import judged, landings, lifted, places
from zeromass.model.one_sided import OneSided, Side, sibling, usable
from zeromass.model.shared import undetermined_groups
from zeromass.model.state import State

if TYPE_CHECKING:
    from zeromass.model.system import System

SIBLINGS = 16
"""Siblings at most all of which have a program; of more, those that motions come to."""


def changing(system: System) -> Changing | None:
    """The siblings that a driver outside Python goes through; None where formulas of them switch."""
    return _known(system, {system: None}) if system.pieces is None else None


def _known(system: System, found: dict[System, State | None], count: int = 0) -> Changing:
    """Some siblings, each with a state of it, if one is known.

    count  how many there are, where others are left out
    """
    sides, strikes = system.one_sided, [name for name, _ in landings(system)]
    words = (
        "constraints of one side hold together in {} ways, and the page knows those that the motions come to which it was "
        "made from; it says where it needs another"
    )
    return Changing(
        {one.kind: one for one in found},
        {one.kind: _judged(one) for one in found},
        partial(_carried, found),
        (),
        (),
        tuple(name for side in sides for name in _happens(side)),
        driver="treads" if strikes else "sides",
        more={
            "sides": [_told(system, side) for side in sides],
            "cases": {one.kind: [side.name in one._closed for side in sides] for one in found},
            **(
                {"places": {one.kind: places(one) for one in found if one._closed.isdisjoint(strikes)}}
                if strikes
                else {}
            ),
            **({"shared": {one.kind: _shared(one, state) for one, state in found.items()}} if strikes else {}),
        },
        further=partial(_further, system),
        limits=words.format(count) if count else "",
    )


def _told(system: System, side: Side) -> dict[str, Any]:
    """What a driver is told of a side: its events, and where in a state its gap and slips stand."""
    names = [one.name for one in system.one_sided]
    if isinstance(side, Grip):
        return {"name": side.name, "grips": True, "on": names.index(side.on) if side.on else -1, **_events(side)}
    told = {"name": side.name, "grips": False, **_events(side)}
    if (landing := side.landing) is None:
        return told
    at = [system.index(x) for x in (landing.gap, *landing.slid)]
    limited = landing.friction_coefficient is not None
    return {**told, "touches": side.touches, "at": at, "limited": limited, "rested": landing.said[0]}


def _shared(system: System, state: State | None) -> list[bool]:
    """Of each side, whether its pull is shared in a way that the motion does not tell."""
    if state is None:
        return [False] * len(system.one_sided)
    pulls = [side.pull if side.name in system._closed else ZERO for side in system.one_sided]
    known = np.concatenate([state.inputs, state.motion.acceleration, state.motion.multipliers])
    groups = (undetermined_groups(system, state.matrices.A, expressions([e]), known) for e in pulls)
    return [bool(group) for group in groups]


def _events(side: Side) -> dict[str, str]:
    return {"opens": side.opens, "closes": side.closes, "begins": side.begins if isinstance(side, Grip) else ""}


def _happens(side: Side) -> list[str]:
    landing = None if isinstance(side, Grip) else side.landing
    return [name for name in (*_events(side).values(), *(landing.said if landing is not None else ())) if name]


def _further(system: System, states: Sequence[State]) -> Changing:
    """The siblings that some states are of, and all others of few sides."""
    found: dict[System, State | None] = {system: states[0] if states[0].system is system else None}
    kinds = {system.kind}
    for state in states:
        if state.system.kind not in kinds:
            found[state.system] = state
            kinds.add(state.system.kind)
    count = _ways(system.one_sided)
    few = count <= SIBLINGS
    for closed in _possible(system) if few else dict.fromkeys(lifted(system, one._closed) for one in found):
        one = sibling(system, closed)
        if one.kind not in kinds and one.pieces is None:
            try:
                found[one] = states[0].carried_to(one)
            except ZeromassError:  # none near the start
                continue
            kinds.add(one.kind)
    return _known(system, found, 0 if few else count)


def _ways(sides: Sequence[Side]) -> int:
    """How many ways there are to be open and closed, with no grip on what is open."""
    grips = Counter(side.on for side in sides if isinstance(side, Grip) and side.on)
    return prod(1 + 2 ** grips[side.name] for side in sides if not (isinstance(side, Grip) and side.on))


def _possible(system: System) -> list[frozenset[str]]:
    """What may be closed together."""
    names = [side.name for side in system.one_sided]
    every = (frozenset(some) for size in range(len(names) + 1) for some in combinations(names, size))
    return [closed for closed in every if usable(system, closed) == closed]


def _carried(found: dict[System, State | None], state: State, system: System) -> State:
    """A state of a sibling: the one that is known of it, or one near to that which is given."""
    known = found.get(system)
    if known is not None:
        return known
    return state if state.system is system else state.carried_to(system)


def _judged(system: System) -> dict[str, list[Expression]]:
    """What decides: pulls of what is closed, and whether what is open is as good as closed."""
    found: dict[str, Any] = {"pull": [], "apart": []}
    for side in system.one_sided:
        found["pull"].append(side.pull if side.name in system._closed else ZERO)
        if isinstance(side, Grip):
            found["apart"] += [side.speed, (STOPPED * side.creep) ** 2]
        elif isinstance(side, OneSided):
            found["apart"] += [side.gap, rate(side.gap)]
        elif side.landing is not None:
            found["apart"] += [side.landing.gap, rate(side.landing.gap)]
    strikes = {name for name, _ in landings(system)}
    if not strikes <= system._closed:
        found["accelerations"] = system.accelerations
    if strikes and system._closed.isdisjoint(strikes):
        found.update(judged(system))
    stiff = system.stiff
    if stiff is not None:
        found["stiff"] = [stiff]
    return {name: [as_expression(e) for e in some] for name, some in found.items()}
