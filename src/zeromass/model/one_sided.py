"""Constraints that hold on one side only, as a rope that can go slack: gap ≥ 0, pull ≥ 0, and one of them zero.

A massless coordinate is the gap. A system knows its siblings, in which some gaps are closed by a row gap = 0; a motion goes
on as another sibling where a gap closes, with the impulse that this takes, and where a pull would become a push. What
friction holds, see `zeromass.model.grip`, opens and closes likewise.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from zeromass.expression import Symbol, rate
from zeromass.model.at_once import at_once
from zeromass.model.carrying import carried_over, carried_there
from zeromass.model.constraint import Row
from zeromass.model.errors import StartError
from zeromass.model.event import Event, Onward
from zeromass.model.grip import Grip, stiff_of
from zeromass.model.state import State

if TYPE_CHECKING:
    from zeromass.expression import Expression
    from zeromass.model.landing import Landing
    from zeromass.model.system import System

CLOSED = 1e-12
"""Part of the size of a state below which a gap counts as closed, and its rate as none."""


class Gap(Protocol):
    """What is open or closed: a gap that is never negative, and a pull that closes it, never negative either."""

    @property
    def name(self) -> str: ...
    @property
    def pull(self) -> Expression:
        """What is not negative as long as it is closed."""
        ...

    @property
    def at_first(self) -> bool:
        """Whether a system as it is made has it closed."""
        ...

    @property
    def rows(self) -> tuple[Row, ...]:
        """Rows that close it, beside those of its joint."""
        ...

    @property
    def held(self) -> tuple[str, ...]:
        """Rows of the joint that hold only while it is closed."""
        ...

    @property
    def friction(self) -> Mapping[Symbol, Any]:
        """What acts while it is open."""
        ...

    @property
    def coefficients(self) -> tuple[Any, ...]:
        """Numbers that decide what follows, beside those in equations and events."""
        ...

    @property
    def opens(self) -> str:
        """The event at which it opens."""
        ...

    @property
    def closes(self) -> str:
        """The event at which it closes."""
        ...

    @property
    def touches(self) -> str:
        """The name of the contact that is none while it is open."""
        ...

    @property
    def landing(self) -> Landing | None:
        """What its strokes are made from; None where it closes by the least change."""
        ...

    def opening(self, *, alone: bool) -> list[Event]:
        """Events of the motion in which it is closed."""
        ...

    def closing(self, *, others: bool) -> list[Event]:
        """Events of the motion in which it is open."""
        ...

    def closed_in(self, state: State) -> bool:
        """Whether it is closed at a state, and stays so."""
        ...

    def told(self, closed: frozenset[str]) -> str:
        """What a motion with some of them closed is called by it, in a word or two."""
        ...

    def opened(self, system: System, state: State) -> System | Onward | None:
        """What a motion goes on as where it opens; None where it ends."""
        ...

    def closed_up(self, system: System, state: State) -> System | Onward:
        """What a motion goes on as where it closes."""
        ...


class OneSided(NamedTuple):
    """A gap that is never negative, and the pull that closes it, never negative either.

    gap           a massless coordinate, smooth wherever it is open
    slack         how far it is open, m: the gap itself, or to first order where it closes
    closed, open  what the motion is called with the gap closed and open
    """

    name: str
    gap: Symbol
    slack: Expression
    pull: Expression
    closed: str
    open: str

    @property
    def at_first(self) -> bool:
        """Whether a system as it is made has it closed."""
        return False

    @property
    def rows(self) -> tuple[Row, ...]:
        """Rows that close it."""
        return (Row(f"{self.name} {self.closed}", self.name, 0, self.gap),)

    @property
    def held(self) -> tuple[str, ...]:
        """Rows of the joint that hold only while it is closed."""
        return ()

    @property
    def friction(self) -> Mapping[Symbol, Any]:
        """What acts while it is open."""
        return {}

    @property
    def coefficients(self) -> tuple[Any, ...]:
        """None."""
        return ()

    @property
    def touches(self) -> str:
        """No contact."""
        return ""

    @property
    def landing(self) -> Landing | None:
        """It closes by the least change."""
        return None

    def told(self, closed: frozenset[str]) -> str:
        """What it is."""
        return f"{self.name} {self.closed if self.name in closed else self.open}"

    def opened(self, system: System, state: State) -> System:
        """The sibling without it."""
        return sibling(system, system._closed - {self.name})

    def closed_up(self, system: System, state: State) -> System:
        """The sibling with it; a rate that jumps is taken by an impulse."""
        return sibling(system, system._closed | {self.name})

    @property
    def opens(self) -> str:
        """The event at which it opens."""
        return f"{self.name} {self.open}"

    @property
    def closes(self) -> str:
        """The event at which it closes."""
        return f"{self.name} {self.closed}"

    def opening(self, *, alone: bool) -> list[Event]:
        """Events of the motion in which it is closed."""
        return [Event(self.opens, self.pull, direction=-1, guard=True, message=f"'{self.name}' would have to push")]

    def closing(self, *, others: bool) -> list[Event]:
        """Events of the motion in which it is open."""
        return [Event(self.closes, self.gap, direction=-1)]

    def closed_in(self, state: State) -> bool:
        """Whether it is closed at a state, and stays so."""
        size = CLOSED * max(1.0, float(np.abs(state.q).max()))
        slack = state[self.slack]
        if slack < -size:
            raise StartError(
                f"'{self.name}' is stretched by {-slack:.3g} m at the start; start where its ends are nearer"
            )
        return slack <= size and state[rate(self.gap)] <= CLOSED * max(1.0, float(np.abs(state.v).max()))


Side = Gap | Grip


def at_first(sides: tuple[Side, ...]) -> frozenset[str]:
    """Names of those that a system as it is made has closed."""
    return frozenset(side.name for side in sides if side.at_first)


def sibling(system: System, closed: frozenset[str]) -> System:
    """The system in which these are closed, and no others; always the same one."""
    whole = system.mode_of
    known: dict[frozenset[str], System] = whole.memory.setdefault("siblings", {whole._closed: whole})
    if closed not in known:
        open_ = [side for side in whole.one_sided if side.name not in closed]
        slide = [side for side in open_ if not _idle(side, closed)]
        left = {name for side in open_ for name in side.held}
        rows = [row for row in whole.rows if row.name not in left]
        rows += [row for side in whole.one_sided if side.name in closed for row in side.rows]
        C = whole.C.copy()
        for x, force in ((x, force) for side in slide for x, force in side.friction.items()):
            C[whole.index(x)] = C[whole.index(x)] + force
        new = object.__new__(type(whole))
        new.joints, new._whole, new._closed = whole.joints, whole, closed
        new.unilaterals = whole.unilaterals
        new._limited, new._kept_quantities = whole._limited, whole._kept_quantities
        new._complete(whole._free, rows, C)
        new.events, new.kind = events_of(new), kind_of(new)
        new._know(*whole.parameters)
        known[closed] = new
    return known[closed]


def kind_of(system: System) -> str:
    """What the motion is called: what is closed and what is open."""
    told = [side.told(system._closed) for side in system.one_sided if not _idle(side, system._closed)]
    return ", ".join(words for words in told if words)


def _idle(side: Side, closed: frozenset[str]) -> bool:
    """Whether it is a grip on what is not touched."""
    return isinstance(side, Grip) and bool(side.on) and side.on not in closed


def usable(system: System, closed: frozenset[str]) -> frozenset[str]:
    """Of what is closed, all but grips on what is not touched."""
    return closed - {side.name for side in system.one_sided if _idle(side, closed)}


def apart(system: System) -> set[str]:
    """Names of contacts that are none, since a gap is open."""
    return {side.touches for side in system.one_sided if not isinstance(side, Grip) and side.name not in system._closed}


def without(system: System, gap: str) -> frozenset[str]:
    """What is closed where a gap is open, with what it takes along: no grip is on it."""
    grips = {side.name for side in system.one_sided if isinstance(side, Grip) and side.on == gap}
    return system._closed - {gap} - grips


def sliding(system: System) -> list[Grip]:
    """What slides in it."""
    grips = [side for side in system.one_sided if isinstance(side, Grip) and not _idle(side, system._closed)]
    return [side for side in grips if side.name not in system._closed]


def stiff(system: System) -> Expression | None:
    """Negative where something slides slowly; None where nothing slides."""
    return stiff_of(sliding(system))


def events_of(system: System) -> tuple[Event, ...]:
    """Those of its joints, where gaps close, and where pulls would become pushes; where things slide, and cease to."""
    found = [event for one in (*system.joints, *system._limited) for event in one.events]
    slides, closed = bool(sliding(system)), system._closed
    others = any(isinstance(side, Grip) and side.name in closed for side in system.one_sided)
    for side in system.one_sided:
        if _idle(side, closed):
            continue
        found += side.opening(alone=not slides) if side.name in closed else side.closing(others=others)
    return tuple(found)


def beginning(system: System, state: State) -> System:
    """What a motion begins as: the sibling in which gaps that are closed, and stay so, are closed.

    A state of a sibling begins as that, but for gaps that are closed there though it has them open.
    """
    if state.system is system:
        closed = {side.name for side in system.one_sided if side.closed_in(state)}
        return _lawful(system, state, {*usable(system, frozenset(closed))})
    if state.system.mode_of is not system.mode_of:
        return state.system
    gaps = [side for side in system.one_sided if not isinstance(side, Grip) and side.name not in state.system._closed]
    closed = {side.name for side in gaps if side.closed_in(state)}
    return _lawful(system, state, {*state.system._closed, *closed}) if closed else state.system


def _lawful(system: System, state: State, closed: set[str]) -> System:
    """The sibling in which these are closed, as far as they need not push or hold more than they can."""
    while closed:
        there = _carried(state, sibling(system, frozenset(closed)))
        gaps = [side for side in system.one_sided if side.name in closed and not isinstance(side, Grip)]
        pushes = {side.name for side in gaps if at_once(there, side.pull) < 0.0}
        if not pushes:
            closed -= _weakest(there, closed)  # others are looked at once it slides, and has its friction
            break
        closed -= pushes | {side.name for side in system.one_sided if isinstance(side, Grip) and side.on in pushes}
    return sibling(system, frozenset(closed))


def _weakest(state: State, closed: set[str] | frozenset[str]) -> set[str]:
    """Of what holds more than it can, that which lacks most: where it slides, others may hold."""
    grips = [side for side in state.system.one_sided if isinstance(side, Grip) and side.name in closed]
    lacking = {grip.name: at_once(state, grip.spare) for grip in grips}
    least = min(lacking, key=lambda name: lacking[name], default=None)
    return set() if least is None or lacking[least] >= 0.0 else {least}


def _carried(state: State, system: System) -> State:
    return state if state.system is system else state.carried_to(system)


def following(system: System, event: str, state: State) -> System | Onward | None:
    """What a motion goes on as after an event; None where it is not one of a gap or of a slip."""
    for side in system.one_sided:
        held = side.name in system._closed
        if event == side.opens and held:
            if not isinstance(side, Grip):
                return side.opened(system, state)
            return sibling(system, system._closed - {side.name})
        if event == side.closes and not held:
            if not isinstance(side, Grip):
                return side.closed_up(system, state)
            after = sibling(system, system._closed | {side.name})
            there = carried_over(state, after, held=True)
            return carried_there(state, there) if at_once(there, side.spare) >= 0.0 else system
        if isinstance(side, Grip) and event == side.begins and not held:
            return sibling(system, system._closed - _weakest(state, system._closed))
    return None
