"""Events: expressions whose zeros matter to a run."""

from __future__ import annotations

from dataclasses import dataclass

from zeromass.expression import Expression


@dataclass(frozen=True)
class Event:
    """A zero crossing of an expression.

    zero       the expression; accelerations and constraint forces may be in it
    direction  1 when it rises through zero, −1 when it falls, 0 either way
    terminal   whether the run ends there
    guard      whether the run must not even start beyond it: `direction` is the way out
    message    what it means that it happened, and what to do
    """

    name: str
    zero: Expression
    direction: int = 0
    terminal: bool = True
    guard: bool = False
    message: str = ""
