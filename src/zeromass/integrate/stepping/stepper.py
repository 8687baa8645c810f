"""What every stepping method offers to a run."""

from __future__ import annotations

from typing import ClassVar, Protocol

import numpy as np

from zeromass.integrate.stepping.status import Status
from zeromass.integrate.stepping.workspace import Workspace


class Stepper(Protocol):
    """A stepping method at work on y = (q, q̇).

    lanes   states that its calls of the system's functions take at once
    places  where in a step events are looked for, from 0 to 1
    work    where it is: the state, its record, the machine code and the events that are watched
    """

    lanes: ClassVar[int]
    places: np.ndarray
    work: Workspace

    def __init__(self, work: Workspace) -> None: ...

    def advance(self, until: float, budget: int) -> Status:
        """Steps until a time, an event, trouble, or for `budget` steps."""
        ...

    def polynomials(self, t0: np.ndarray, y0: np.ndarray, t1: np.ndarray, y1: np.ndarray) -> np.ndarray:
        """The states inside k steps from (t0, y0) to (t1, y1), all as recorded: see `DenseOutput.polynomials`."""
        ...
