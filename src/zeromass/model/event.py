"""Events: expressions whose zeros matter to a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from zeromass.errors import ModelError
from zeromass.expression import Expression, as_expression, symbols
from zeromass.frozen import frozen
from zeromass.model.given import (
    given_flag,
    given_function,
    given_kind,
    given_name,
    given_scalar,
    shown,
    value_of,
)
from zeromass.model.state import State

IMPOSSIBLE = "impossible "
"""What names of events begin with at which the numbers of a model are none any longer: there a run is refused."""


POSSIBLE = 1e-12
"""How far a coefficient may be below zero by rounding."""


@frozen(eq=True)
class Event:
    """Event: a zero crossing of an expression.

    zero       the expression; accelerations and constraint forces may be in it
    name       in results and messages
    direction  1 when it rises through zero, −1 when it falls, 0 either way
    terminal   whether the run ends there
    guard      whether a start beyond it is an error; `direction` is the direction of leaving
    message    the meaning of the event, and what to do
    detail     further words from the state at the event
    margin     of a terminal one beyond which coordinates without mass have no finite rate: the run passes through, to where
               `zero` has its sign again, as long as this expression is not negative; None where it ends

    >>> x = zm.coordinate("x")
    >>> falling = zm.System(kinetic=zm.rate(x)**2 / 2, potential=9.81 * x)
    >>> run = zm.simulate(falling, falling.start({x: 9.81 / 2}), until=5.0, events=zm.Event("floor", x, direction=-1))
    >>> round(float(run.t[-1]), 9)
    1.0
    """

    name: str
    zero: Expression
    direction: Literal[-1, 0, 1] = 0
    terminal: bool = True
    guard: bool = False
    message: str = ""
    detail: Callable[[State], str] | None = None
    margin: Expression | None = None

    def __post_init__(self) -> None:
        given_name(self.name.removeprefix("\0") if isinstance(self.name, str) else self.name, "an event")
        given_scalar(self.zero, f"zero of the event '{self.name}'")
        if not isinstance(self.direction, int | float | np.number) or self.direction not in (-1, 0, 1):
            raise ModelError(f"event '{self.name}' has direction {shown(self.direction)}; it is −1, 0 or 1")
        given_flag(self.terminal, f"terminal of the event '{self.name}'")
        given_flag(self.guard, f"guard of the event '{self.name}'")
        given_kind(self.message, str, f"message of the event '{self.name}'", "a word")
        if self.margin is not None:
            given_scalar(self.margin, f"margin of the event '{self.name}'")
        if self.detail is not None:
            given_function(self.detail, f"detail of the event '{self.name}'", "of a state")

    def words(self, state: State, when: str = "") -> str:
        """Name, meaning and details of the event at a state where it happened."""
        told = "" if self.detail is None else value_of(self.detail, (state,), f"detail of the event '{self.name}'")
        parts = [
            f"'{self.name}'{when}",
            self.message,
            given_kind(told, str, f"detail of the event '{self.name}'", "words"),
        ]
        return ": ".join(part for part in parts if part)


def refusing(what: str, left: Any, said: str) -> list[Event]:
    """Where what is left of a number falls below zero in the course of a motion; parameters alone are looked at before it.

    said  why the run is refused there
    """
    left = as_expression(left)
    if all(leaf.kind == "parameter" for leaf in symbols(left)):
        return []
    return [Event(f"{IMPOSSIBLE}{what}", as_expression(left + POSSIBLE), direction=-1, guard=True, message=said)]
