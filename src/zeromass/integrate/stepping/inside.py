"""The inside of one step: states on the constraints and values of what is watched, one time after another."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from zeromass.integrate.stepping.between import states_between
from zeromass.integrate.stepping.dense import DEGREE, Projection
from zeromass.integrate.stepping.functions import Functions
from zeromass.integrate.stepping.roots import Search, python_function
from zeromass.integrate.stepping.step_functions import StepMemory, Steps, functions_at, state_at
from zeromass.integrate.stepping.workspace import Workspace
from zeromass.kernel.language import compiled

T = TypeVar("T")


class Inside:
    """A step of a workspace.

    functions  of its machine code
    returned   what brings states onto the constraints, within the bound of the steps; None if the run does not
    memory     of earlier steps, which is used again
    """

    def __init__(
        self,
        work: Workspace,
        functions: Functions,
        step: Steps,
        returned: Projection | None,
        memory: StepMemory | None = None,
    ) -> None:
        self._work, self._step, self._returned = work, step, returned
        self._known: dict[float, np.ndarray] = {}
        if memory is None or not memory.fits(work):
            memory = StepMemory(work, functions, returned is not None, DEGREE + 1)
        self.memory: StepMemory = memory
        memory.open(step)

    def state(self, t: float) -> np.ndarray:
        """The state at a time in the step, on the constraints; its ends as they were recorded."""
        step = self.memory.step
        step.unsure = 0
        compiled(state_at)(step, t)
        if step.unsure and self._returned is not None:
            θ, first = (t - self._step.t0) / (self._step.t1 - self._step.t0), np.zeros(1, dtype=np.int64)
            return self._returned(np.array([t]), states_between(θ, first, self._step.polynomials))[0]
        return self.memory.state.copy()

    def watched(self, t: float) -> np.ndarray:
        """The watched functions there; what was looked at once is known."""
        if t not in self._known:
            self._known[t] = self._work.event_values(t, self.state(t))
        return self._known[t]

    def search(self, find: Callable[[], T], search: Search) -> T:
        """What is found of the watched functions: by machine code alone, unless it is not sure of a state."""
        step = self.memory.step
        step.unsure = 0
        search.bind(compiled(functions_at).address, self.memory.address)
        found = find()
        if step.unsure:
            with python_function(self.watched, search.values) as evaluate:
                search.bind(evaluate)
                found = find()
        return found
