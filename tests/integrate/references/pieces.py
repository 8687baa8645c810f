"""What a motion with switches is given by: plain functions, what separates their pieces, and clocks.

    ẏ = f(t, y, k),    k_i the piece of switch i

f is smooth in t and y and affine in each k_i. A switch of the state has a smooth function g(t, y): its piece is 1 where
g > 0 and 0 where g < 0, or ⌊g⌋ for stairs. A clock switches at times that are known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

Function = Callable[[float, np.ndarray], float]
"""g(t, y), of y with further axes too, and of complex numbers."""


class Unclear(Exception):
    """The reference does not know how the motion goes on: several ways, none, or a graze."""


@dataclass(frozen=True)
class Switch:
    """A switch of the state: piece g > 0, or ⌊g⌋ with stairs.

    blow  y where it has switched, from y before and the pieces before and after, if it jumps
    """

    name: str
    value: Function
    stairs: bool = False
    blow: Callable[[np.ndarray, float, float], np.ndarray] | None = None

    def piece(self, g: float) -> float:
        return float(np.floor(g)) if self.stairs else float(g > 0)


@dataclass(frozen=True)
class Clock:
    """A switch of time alone: its piece at times within a piece, and the times at which that changes."""

    piece: Callable[[float], float]
    times: tuple[float, ...]


@dataclass(frozen=True)
class Pieces:
    """What moves: f(t, y, k), its switches in the order of k, clocks last, and what jumps: y⁺ = jumps[t](y⁻).

    breaks   further times at which steps begin, such as before a narrow bump
    longest  step, s
    """

    slope: Callable[[float, np.ndarray, np.ndarray], np.ndarray]
    switches: Sequence[Switch] = ()
    clocks: Sequence[Clock] = ()
    jumps: Mapping[float, Callable[[np.ndarray], np.ndarray]] = field(default_factory=dict)
    breaks: Sequence[float] = ()
    longest: float = np.inf


@dataclass(frozen=True)
class Change:
    """What a motion did at a switch: its time, the switches that were at their border, and their pieces afterwards.

    A piece between two whole numbers is one that slides: it is given as None.
    """

    t: float
    names: tuple[str, ...]
    pieces: tuple[float | None, ...]
