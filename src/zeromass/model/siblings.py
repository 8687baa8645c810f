"""Systems with constraints of one side, for a driver outside Python: their siblings, and what decides between them.

Ropes go slack and taut, wheels slip and roll, as `zeromass.model.one_sided` says.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any

from zeromass.errors import ZeromassError
from zeromass.expression import Expression, as_expression, rate
from zeromass.expression.build import ZERO
from zeromass.model.changing import Changing
from zeromass.model.grip import STOPPED, Grip
from zeromass.model.one_sided import OneSided, Side, sibling
from zeromass.model.state import State

if TYPE_CHECKING:
    from zeromass.model.system import System

SIBLINGS = 16
"""Siblings at most all of which have a program; of more, those that motions come to."""


def changing(system: System) -> Changing | None:
    """The siblings that a driver outside Python goes through; None where formulas of them switch, or wheels lift."""
    known = all(isinstance(side, OneSided | Grip) for side in system.one_sided)
    return _known(system, {system: None}) if known and system.pieces is None else None


def _known(system: System, found: dict[System, State | None], count: int = 0) -> Changing:
    """Some siblings, each with a state of it, if one is known.

    count  how many there are, where others are left out
    """
    sides = system.one_sided
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
        driver="sides",
        more={
            "sides": [{"name": side.name, "grips": isinstance(side, Grip), **_events(side)} for side in sides],
            "cases": {one.kind: [side.name in one._closed for side in sides] for one in found},
        },
        further=partial(_further, system),
        limits=words.format(count) if count else "",
    )


def _events(side: Side) -> dict[str, str]:
    return {"opens": side.opens, "closes": side.closes, "begins": side.begins if isinstance(side, Grip) else ""}


def _happens(side: Side) -> list[str]:
    return [name for name in _events(side).values() if name]


def _further(system: System, states: Sequence[State]) -> Changing:
    """The siblings that some states are of, and all others of few sides."""
    found: dict[System, State | None] = {system: None}
    kinds = {system.kind}
    for state in states:
        if state.system.kind not in kinds:
            found[state.system] = state
            kinds.add(state.system.kind)
    names = [side.name for side in system.one_sided]
    count = 2 ** len(names)
    if count > SIBLINGS:
        return _known(system, found, count)
    for closed in chain.from_iterable(combinations(names, size) for size in range(len(names) + 1)):
        one = sibling(system, frozenset(closed))
        if one.kind not in kinds and one.pieces is None:
            try:
                found[one] = states[0].carried_to(one)
            except ZeromassError:  # none near the start
                continue
    return _known(system, found)


def _carried(found: dict[System, State | None], state: State, system: System) -> State:
    """A state of a sibling: the one that is known of it, or one near to that which is given."""
    known = found.get(system)
    if known is not None:
        return known
    return state if state.system is system else state.carried_to(system)


def _judged(system: System) -> dict[str, list[Expression]]:
    """What decides: pulls of what is closed, and whether what is open is as good as closed."""
    found: dict[str, list[Any]] = {"pull": [], "apart": []}
    for side in system.one_sided:
        found["pull"].append(side.pull if side.name in system._closed else ZERO)
        if isinstance(side, Grip):
            found["apart"] += [side.speed, (STOPPED * side.creep) ** 2]
        elif isinstance(side, OneSided):
            found["apart"] += [side.gap, rate(side.gap)]
    stiff = system.stiff
    if stiff is not None:
        found["stiff"] = [stiff]
    return {name: [as_expression(e) for e in some] for name, some in found.items()}
