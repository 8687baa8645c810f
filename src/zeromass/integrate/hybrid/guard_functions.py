"""What is watched on the pieces of a motion: events that were asked for, and functions of switches that end a piece."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from zeromass.compile.program import Program
from zeromass.expression import Expression, as_expression, jacobian, rate, symbols, where
from zeromass.expression.build import ONE
from zeromass.expression.node import ordered
from zeromass.integrate.hybrid.contact_table import (
    CLOSES,
    FLOWS,
    MEETS,
    OPENS,
    RETURNS,
    SLIPS,
    STOPS,
    STRAYS,
    TURNS,
    contact_guards,
)
from zeromass.integrate.stepping.kinks import KINK, kinks
from zeromass.integrate.stepping.layout import FOLLOWED
from zeromass.integrate.stepping.loop import bumps_of
from zeromass.integrate.stepping.narrow import NARROW
from zeromass.model import Event
from zeromass.model.pieces import SystemPieces
from zeromass.model.sliding import Guard, acting, guards
from zeromass.model.unilateral import Unilateral

REMEMBERED = 16
"""Choices of events for which it is remembered what is watched."""

LONG = 2000
"""Operations in a formula from which its slopes are not written out to see that it bends: it does."""

LOW, SWITCH, HOLD, CONTACT = "\0low ", "\0switch ", "\0hold ", "\0contact "
"""What names of functions of switches, of their rates, of those that hold a motion, and of contacts begin with among events;
no user's name does."""


FOUND = OPENS, SLIPS, STOPS, TURNS, STRAYS, TURNS, MEETS
"""Causes that are watched of each contact of collision shapes, in the order of `collisions.guards.GUARDS`."""


def place_of(name: str) -> tuple[int, int]:
    """A switch, and which of its functions, by the name of an event."""
    k, j = name[name.index(" ") :].split()
    return int(k), int(j)


class LookedAt:
    """Kinds of functions on a piece, by their places among all that is watched."""

    def __init__(self, watched: Sequence[Event]) -> None:
        def some(*beginnings: str) -> list[int]:
            return [k for k, event in enumerate(watched) if event.name.startswith(beginnings)]

        self.low, self.kinks, self.bumps = some(LOW), some(KINK), some(NARROW)
        self.others: list[int] = sorted({*range(len(watched))} - {*self.low, *self.kinks, *self.bumps})
        self._followed = {kind + watched[k].name.removeprefix(LOW) for k in self.low for kind in (SWITCH, CONTACT)}
        self.directions: list[float] = [e.direction * (1.0 if self.turns(e) else FOLLOWED) for e in watched]

    def turns(self, event: Event) -> bool:
        """Whether nothing but its values tells where the function of an event turns."""
        return event.name not in self._followed


class GuardFunctions:
    """What is watched on every piece of motions of a system.

    asked   events that were asked for
    ahead   1 for motions forward in time, −1 backward
    room    contacts of collision shapes that there may be; pairs: of them that may be near one another
    events  all of them: those asked for, and what ends a piece
    """

    def __init__(
        self, pieces: SystemPieces, asked: Sequence[Event], ahead: float, room: int = 0, pairs: int = 0
    ) -> None:
        self.pieces, self.asked, self.ahead = pieces, tuple(asked), ahead
        self.room, self.pairs = room, pairs
        known: dict[Any, tuple[Event, ...]] = pieces.system.memory.setdefault("watched", {})
        key = self.asked, ahead, room
        if key not in known:
            for old in list(known)[: 1 - REMEMBERED]:
                known.pop(old, None)
            known[key] = tuple(self._all())
        self.events: tuple[Event, ...] = known[key]

    def _all(self) -> list[Event]:
        pieces = self.pieces
        events = [replace(event, zero=as_expression(pieces.acting(event.zero).item())) for event in self.asked]
        events += [*kinks(pieces.given, events), *bumps_of(pieces.system)]
        for k in range(len(pieces.switches)):
            if k not in pieces.of_time:
                events += self._ends(k)
        for k, one in enumerate(pieces.unilaterals):
            events += self._contact_ends(len(pieces.switches) + k, one)
        for k in range(self.room):
            names = (f"{CONTACT}{len(pieces.switches) + k} {cause}" for cause in FOUND)
            events += [Event(name, ONE, direction=-1) for name in names]  # kernels know these functions
        return events

    def _contact_ends(self, k: int, one: Unilateral) -> list[Event]:
        """What is watched of a contact, by its number behind the switches; an open gap may be closed for a moment."""
        turns = 1 if self.ahead > 0 else -1
        ends = {f"{CONTACT}{k} {cause}": zero for cause, zero in contact_guards(one).items()}
        if len(self.pieces.unilaterals) == 1:
            ends.pop(f"{CONTACT}{k} {STRAYS}", None)
        found = [
            Event(name, as_expression(self.pieces.acting(zero).item()), direction=-1) for name, zero in ends.items()
        ]
        if one.gap is None or not one.opens or one.pair is not None:
            return found
        rate_of_gap = where(one.closed > 0.5, 1.0, rate(one.gap))
        low = Event(f"{LOW}{k} {CLOSES}", as_expression(rate_of_gap), direction=turns, terminal=False)
        return [*found, low]

    def _ends(self, k: int) -> list[Event]:
        """What is watched of a switch; one that has a rate may be below zero for a moment, where it is lowest."""
        turns, events = 1 if self.ahead > 0 else -1, []
        for name, guard in self._guards(k):
            events.append(Event(name, self._acting(k, guard.zero), direction=-1))
            if guard.rate is not None:
                lowest = self._acting(k, guard.rate)
                events.append(Event(f"{LOW}{k} {guard.side}", lowest, direction=turns, terminal=False))
        return events

    def _guards(self, k: int) -> list[tuple[str, Guard]]:
        """What is watched of a switch, each with its name among events."""
        switch = self.pieces.switches[k]
        found = guards(switch, self.pieces.held.get(switch.mode))
        return [(f"{HOLD if guard.sliding else SWITCH}{k} {guard.side}", guard) for guard in found]

    def _acting(self, k: int, e: Expression) -> Expression:
        """A function of a switch where others hold the motion."""
        if self.pieces.in_forces:
            return e
        mode = self.pieces.switches[k].mode
        return as_expression(
            acting(e, [one for one in self.pieces.held.values() if one.switch.mode is not mode]).item()
        )

    def unseen(self, program: Program) -> list[str]:
        """Names of what falls through zero where a motion leaves a piece, as far as it may do so unseen.

        A sum of multiples of time, positions and rates changes its sign no more often than the motion turns.
        """
        known: dict[Program, list[str]] = self.pieces.system.memory.setdefault("bent", {})
        if program not in known:
            known[program] = self._unseen(program)
        return known[program]

    def _unseen(self, program: Program) -> list[str]:
        pieces = self.pieces
        own = [
            (k, name, guard)
            for k, switch in enumerate(pieces.switches)
            if k not in pieces.of_time and switch.kind != "turn"
            for name, guard in self._guards(k)
            if guard.sliding or k in pieces.bent
        ]
        if pieces.in_forces or pieces.colliders is not None:
            return [name for _, name, _ in own]
        state = list(program.system.inputs[: 1 + 2 * len(program.system.coordinates)])
        zeros = program.solved([self._acting(k, guard.zero) for k, _, guard in own])
        names = [name for (_, name, _), e in zip(own, zeros, strict=True) if _bends(e, state)]
        unsearched = (f" {CLOSES}", f" {FLOWS}", f" {RETURNS}")
        return names + [e.name for e in self.events if e.name.startswith(CONTACT) and not e.name.endswith(unsearched)]


def _bends(e: Expression, state: list[Expression]) -> bool:
    """Whether a formula is more than a sum of multiples of time, positions and rates; a long one that has any of them is."""
    found = set(symbols(e))
    own = [x for x in state if x in found]
    if not own:
        return False
    return len(ordered([e])) > LONG or not set(own).isdisjoint(symbols(jacobian([e], own)))
