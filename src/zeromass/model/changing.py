"""Kinds of motion that follow one another, as a driver outside Python goes from one to the next."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from zeromass.expression import Expression, Symbol
from zeromass.expression.pieces import Switch

if TYPE_CHECKING:
    from zeromass.model.state import State
    from zeromass.model.system import System


@dataclass(frozen=True, eq=False)
class Changing:
    """Kinds of motion that follow one another, and what decides between them.

    kinds   systems of the same coordinates, by their kinds
    judged  {kind: {name: functions of time, state and parameters}} that decisions look at
    carried a state of any of them as one of another, near to it
    moved   coordinates that are moved where the body is lifted off its surface, its own first
    turned  coordinates of its quaternion
    said    names of what is told beside events, such as the end of bounces
    driver  what goes from one to the next: "kinds" of a body that rolls, or "sliding" of a particle
    named   what a system's kind is called here
    more    what the driver is told beside
    fields  functions of a `place`, three symbols, that it asks of a kind which is not that of the start
    ends    of a kind and a switch of its formulas: whether parts without mass leap there, and why the motion ends if not
    """

    kinds: Mapping[str, System]
    judged: Mapping[str, Mapping[str, Sequence[Expression]]]
    carried: Callable[[State, System], State]
    moved: tuple[int, ...]
    turned: tuple[int, ...]
    said: tuple[str, ...] = ()
    driver: str = "kinds"
    named: Callable[[System], str] = attrgetter("kind")
    more: Mapping[str, Any] = field(default_factory=dict)
    place: tuple[Symbol, ...] = ()
    fields: tuple[Expression, ...] = ()
    ends: Callable[[System, Switch], tuple[bool, str]] = lambda system, switch: (True, "")
