"""Constraints that hold on one side only, as a rope that can go slack: gap ≥ 0, pull ≥ 0, and one of them zero.

A massless coordinate is the gap. A system knows its siblings, in which some gaps are closed by a row gap = 0; a motion goes
on as another sibling where a gap closes, with the impulse that this takes, and where a pull would become a push.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from zeromass.expression import Symbol, rate
from zeromass.model.constraint import Row
from zeromass.model.errors import StartError
from zeromass.model.event import Event
from zeromass.model.state import State

if TYPE_CHECKING:
    from zeromass.expression import Expression
    from zeromass.model.system import System

CLOSED = 1e-12
"""Part of the size of a state below which a gap counts as closed, and its rate as none."""


class OneSided(NamedTuple):
    """A gap that is never negative, and the pull that closes it, never negative either.

    closed, open  what the motion is called with the gap closed and open
    """

    name: str
    gap: Symbol
    pull: Expression
    closed: str
    open: str


def sibling(system: System, closed: frozenset[str]) -> System:
    """The system in which these gaps are closed, and no others; always the same one."""
    whole: System = getattr(system, "_whole", system)
    known: dict[frozenset[str], System] = whole.memory.setdefault("siblings", {frozenset(): whole})
    if closed not in known:
        sides = [side for side in whole.one_sided if side.name in closed]
        rows = [*whole.rows, *[Row(f"{side.name} {side.closed}", side.name, 0, side.gap) for side in sides]]
        new = object.__new__(type(whole))
        new.joints, new._whole, new._closed = whole.joints, whole, closed
        new._complete(whole._free, rows, whole.C)
        new.events, new.kind = events_of(new), kind_of(new)
        known[closed] = new
    return known[closed]


def kind_of(system: System) -> str:
    """What the motion is called: which gaps are closed and which are open."""
    return ", ".join(
        f"{side.name} {side.closed if side.name in system._closed else side.open}" for side in system.one_sided
    )


def events_of(system: System) -> tuple[Event, ...]:
    """Those of its joints, where gaps close, and where pulls would become pushes."""
    found = [event for joint in system.joints for event in joint.events]
    for side in system.one_sided:
        if side.name in system._closed:
            words = f"'{side.name}' would have to push"
            found.append(Event(f"{side.name} {side.open}", side.pull, direction=-1, guard=True, message=words))
        else:
            found.append(Event(f"{side.name} {side.closed}", side.gap, direction=-1))
    return tuple(found)


def beginning(system: System, state: State) -> System:
    """What a motion begins as: the sibling in which gaps that are closed, and stay so, are closed."""
    if state.system is not system:
        return state.system
    size = CLOSED * max(1.0, float(np.abs(state.q).max()))
    speed = CLOSED * max(1.0, float(np.abs(state.v).max()))
    closed = set()
    for side in system.one_sided:
        gap = state[side.gap]
        if gap < -size:
            raise StartError(f"'{side.name}' is stretched by {-gap:.3g} at the start; start where {side.gap!r} ≥ 0")
        if gap <= size and state[rate(side.gap)] <= speed:
            closed.add(side.name)
    while closed:
        there = state.carried_to(sibling(system, frozenset(closed)))
        pushes = {side.name for side in system.one_sided if side.name in closed and there[side.pull] < 0.0}
        if not pushes:
            break
        closed -= pushes
    return sibling(system, frozenset(closed))


def following(system: System, event: str) -> System | None:
    """What a motion goes on as after an event; None where it is not one of a gap."""
    for side in system.one_sided:
        if event == f"{side.name} {side.open}" and side.name in system._closed:
            return sibling(system, system._closed - {side.name})
        if event == f"{side.name} {side.closed}" and side.name not in system._closed:
            return sibling(system, system._closed | {side.name})
    return None
