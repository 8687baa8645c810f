"""What holds as long as it takes no more than a limit, and slides beyond it against friction, as a wheel that slips.

Massless coordinates tell how far it has slid. While it holds, rows keep them from changing; a sibling of the system is
without these rows, and has the friction in their place. So the force of a joint is the same formula in both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from zeromass.expression import Array, Expression, Symbol, as_expression, rate
from zeromass.model.event import Event
from zeromass.model.state import State

if TYPE_CHECKING:
    from zeromass.model.constraint import Row

STOPPED, BEGUN = 10.0, 20.0
"""Creeps below which a slip has died out, and above which one has begun."""


class Grip(NamedTuple):
    """What is held by friction.

    slid      massless coordinates, m, that rest while it holds
    held      names of the rows that keep them at rest
    spare     μ N − |F|, N: what is left of the friction; negative where it takes more to hold
    friction  force on each of them while it slides, N
    creep     speed, m/s, below which friction falls off
    slow      speed, m/s, below which a slip is stiff
    closed, open  what the motion is called while it holds, and while it slides
    on        name of the gap that must be closed for it to hold or slide; of none if nothing opens
    """

    name: str
    slid: Array
    held: tuple[str, ...]
    spare: Expression
    friction: Mapping[Symbol, Any]
    creep: Any
    slow: Any
    closed: str = "rolling"
    open: str = "slipping"
    on: str = ""

    @property
    def at_first(self) -> bool:
        """Whether a system as it is made has it closed."""
        return True

    @property
    def pull(self) -> Expression:
        """What is not negative as long as it is closed."""
        return self.spare

    @property
    def rows(self) -> tuple[Row, ...]:
        """Rows that close it, beside those of its joint."""
        return ()

    @property
    def coefficients(self) -> tuple[Any, ...]:
        """The friction, which equations do not know while it holds."""
        return tuple(self.friction.values())

    def told(self, closed: frozenset[str]) -> str:
        """What it is."""
        return f"{self.name} {self.closed if self.name in closed else self.open}"

    @property
    def opens(self) -> str:
        """The event at which it opens."""
        return f"{self.name} would slip"

    @property
    def closes(self) -> str:
        """The event at which it may close."""
        return f"{self.name}: slip dies out"

    @property
    def begins(self) -> str:
        """The event at which its friction has found its direction, and others are looked at."""
        return f"{self.name}: slip begins"

    def opening(self, *, alone: bool) -> list[Event]:
        """Events of the motion in which it is closed.

        alone  nothing else slides: what slides from rest has no friction for a moment, and others would seem to give way
        """
        words = "it takes more friction than there is to hold it"
        return [Event(self.opens, self.spare, direction=-1, guard=alone, message=words)]

    def closing(self, *, others: bool) -> list[Event]:
        """Events of the motion in which it is open; others may give way once it slides, where there are some."""
        v, c = self.speed, self.creep
        found = [Event(self.closes, as_expression(v - (STOPPED * c) ** 2), direction=-1)]
        return [*found, Event(self.begins, as_expression(v - (BEGUN * c) ** 2), direction=1)] if others else found

    @property
    def speed(self) -> Expression:
        """Of the slip, squared, m²/s²."""
        ṡ = rate(self.slid)
        return as_expression(ṡ @ ṡ)

    @property
    def stiff(self) -> Expression:
        """Negative where the slip is slow."""
        return as_expression(self.speed - self.slow**2)

    def closed_in(self, state: State) -> bool:
        """Whether it holds at a state: of a system in which it does, or where it does not slide."""
        holds = self.name in state.system._closed
        return holds or state[self.speed] <= state[as_expression((STOPPED * self.creep) ** 2)]


def stiff_of(grips: list[Grip]) -> Expression | None:
    """Negative where one of them slides slowly; None where none slides."""
    found: Any = None
    for grip in grips:
        found = grip.stiff if found is None else np.minimum(found, grip.stiff)
    return found
