"""A run under way, as those see it who look after singular positions; see `Loop`."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from zeromass.compile.program import Program
from zeromass.integrate.outcome import Outcome
from zeromass.integrate.settings import Settings
from zeromass.integrate.stepping.functions import Functions
from zeromass.integrate.stepping.status import Status
from zeromass.integrate.stepping.stepper import Stepper
from zeromass.integrate.stepping.workspace import Workspace
from zeromass.model import Event, State


class UnderWay(Protocol):
    """Steps of a method on a program, from a start."""

    program: Program
    start: State
    until: float
    settings: Settings
    watched: tuple[Event, ...]
    work: Workspace
    stepper: Stepper
    values: np.ndarray

    def functions(self) -> Functions: ...

    def state(self) -> State: ...

    def recorded(self, last: int = 0) -> tuple[np.ndarray, np.ndarray]: ...

    def lengths(self) -> np.ndarray: ...

    def happened(self) -> Outcome | None: ...

    def after(self, status: Status, since: float) -> Outcome | None: ...

    def back_to(self, steps: int, t: float, y: np.ndarray) -> None: ...
