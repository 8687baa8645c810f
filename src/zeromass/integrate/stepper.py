"""What every stepping method offers to a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

import numpy as np

from zeromass.compile.compiled import Compiled
from zeromass.compile.machine import Code

EventCode = Callable[[int], Code | None]
"""Machine code of `event(t, y, parameters, out)` for a number of lanes; None if there are no events."""


class Status(IntEnum):
    """Why a stepping method returned."""

    FINISHED = 0
    RECORD_FULL = 1
    PAUSED = 2
    STEP_TOO_SMALL = 3
    NOT_A_NUMBER = 4
    PIVOTS = 5
    EVENT = 6
    SINGULAR_AHEAD = 7


@dataclass(frozen=True)
class Tolerances:
    """Error allowed in a step; a step of fixed length has none."""

    rtol: float
    atol: float
    longest: float = np.inf
    step: float | None = None


class Stepper(Protocol):
    """A stepping method at work on y = (q, q̇).

    t, y           where it is
    places         where in a step events are looked for, from 0 to 1
    growth_limit   growth of the pivots at which it returns PIVOTS
    times, states  ends of the accepted steps, without the start; growth: of the pivots there
    """

    t: float
    places: np.ndarray
    growth_limit: float
    steps: int
    rejected: int
    evaluations: int

    @staticmethod
    def lanes() -> int:
        """States that the functions of the system take at once."""
        ...

    @property
    def y(self) -> np.ndarray: ...

    @property
    def times(self) -> np.ndarray: ...

    @property
    def states(self) -> np.ndarray: ...

    @property
    def growth(self) -> np.ndarray: ...

    def use(self, compiled: Compiled, *, project: bool) -> None:
        """Goes on with this machine code, from the current state."""
        ...

    def watch(self, code: EventCode, directions: np.ndarray) -> None:
        """Watches event functions from the current state on."""
        ...

    def advance(self, until: float, budget: int) -> Status:
        """Steps until a time, an event, trouble, or for `budget` steps."""
        ...

    def cut(self, t: float, y: np.ndarray) -> None:
        """Ends the last accepted step earlier, at t and y."""
        ...

    def event_values(self, t: float, y: np.ndarray) -> np.ndarray:
        """The watched functions at a state."""
        ...

    def polynomials(self, t0: np.ndarray, y0: np.ndarray, t1: np.ndarray, y1: np.ndarray) -> np.ndarray:
        """The states inside k steps from (t0, y0) to (t1, y1), all as recorded: see `DenseOutput.polynomials`."""
        ...
