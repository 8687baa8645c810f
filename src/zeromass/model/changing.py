"""Kinds of motion that follow one another, as a driver outside Python goes from one to the next."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from zeromass.expression import Expression

if TYPE_CHECKING:
    from zeromass.model.state import State
    from zeromass.model.system import System


@dataclass(frozen=True, eq=False)
class Changing:
    """Kinds of motion of one body at one contact, and what decides between them.

    kinds   systems of the same coordinates, by their kinds
    judged  {kind: {name: functions of time, state and parameters}} that decisions look at
    carried a state of any of them as one of another, near to it
    moved   coordinates that are moved where the body is lifted off its surface, its own first
    turned  coordinates of its quaternion
    said    names of what is told beside events, such as the end of bounces
    beyond  events after which the motion goes on in Python alone
    """

    kinds: Mapping[str, System]
    judged: Mapping[str, Mapping[str, Sequence[Expression]]]
    carried: Callable[[State, System], State]
    moved: tuple[int, ...]
    turned: tuple[int, ...]
    said: tuple[str, ...] = ()
    beyond: tuple[str, ...] = ()
