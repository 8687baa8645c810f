"""Methods in plain NumPy: one function that takes a step makes a method, with step control, events and dense output.

As slow as Python is, and as easily written. It serves to try out a method, and to compare machine code with.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np

from zeromass.integrate.methods.method import Method
from zeromass.integrate.stepping.dense import NODES, fitted
from zeromass.integrate.stepping.functions import Functions
from zeromass.integrate.stepping.kernel import ROUNDING, SHARE, WORST
from zeromass.integrate.stepping.layout import Real64
from zeromass.integrate.stepping.status import Status
from zeromass.integrate.stepping.workspace import Workspace

Slope = Callable[[float, np.ndarray], np.ndarray]
"""dy/dt at a time and a state."""

Step = Callable[[Slope, float, np.ndarray, float], np.ndarray]
"""The state after a step: step(f, t, y, h)."""

SAFETY, SHRINK, GROW = 0.9, 0.2, 5.0
"""Part of the step that the error estimate allows that is taken, and the bounds of its change from step to step."""


def plain_method(name: str, step: Step, *, order: int, summary: str, stiff: bool = False) -> Method:
    """A method from a function that takes one step of some order.

    The error of a step is that of its halves: two of half the length against one, over 2^order − 1.
    """

    class Plain(PlainStepper):
        taken = staticmethod(step)

    Plain.order = order
    return Method(name, summary, order=order, stepper=Plain, fixed=True, stiff=stiff)


class PlainStepper:
    """A method in plain NumPy at work; see `Stepper`."""

    lanes: ClassVar[int] = 1
    places: np.ndarray = np.linspace(0.0, 1.0, 9)
    order: ClassVar[int]
    taken: Step

    def __init__(self, work: Workspace) -> None:
        self.work = work
        self._rejections = 0

    def _slope(self, t: float, y: np.ndarray) -> np.ndarray:
        self.work.count_evaluation()
        return Functions(self.work.code, self.work.values).slope(t, y)[0]

    def advance(self, until: float, budget: int) -> Status:
        work = self.work
        functions = Functions(work.code, work.values)
        last = work.steps + budget
        work.reals[Real64.h] = np.copysign(work.reals[Real64.h], until - work.t)
        while work.t != until:
            if work.steps >= last:
                return Status.PAUSED
            t, y, h = work.t, work.y, float(work.reals[Real64.h])
            planned, h = h, work.ahead.limited(t, h) if work.ahead is not None else h
            if abs(h) < abs(t) * 1e-15 + 1e-300:
                return Status.STEP_TOO_SMALL
            h, time = (until - t, until) if abs(h) * (1 + 1e-6) >= abs(until - t) else (h, t + h)
            new, change = self._tried(t, y, h)
            if not np.all(np.isfinite(new)) and self._rejections > 60:
                return Status.NOT_A_NUMBER
            if change < 1 or not np.all(np.isfinite(new)):
                self._rejections += 1
                work.reject()
                work.reals[Real64.h] = h * (max(change, SHRINK) if np.isfinite(change) else 0.1)
                continue
            end, new = new, functions.projected(np.array([time]), new[None])[0] if work.project else new
            growth = functions.slope(time, new)[1]
            if self._unexplained(end, new, growth):
                if work.tolerances.step is not None:
                    return Status.UNEXPLAINED
                self._rejections += 1
                work.reject()
                work.reals[Real64.h] = h / 2
                continue
            self._rejections = 0
            work.accept(time, h, new, growth)
            if work.tolerances.step is None:
                longer = max(abs(h) * change, abs(planned) if abs(h) < abs(planned) else 0.0)
                work.reals[Real64.h] = np.copysign(min(longer, work.tolerances.longest), h)
            if work.crossed():
                return Status.EVENT
            if growth > work.growth_limit:
                return Status.PIVOTS
        return Status.FINISHED

    def _unexplained(self, end: np.ndarray, new: np.ndarray, growth: float) -> bool:
        """Whether the projection has moved the end of a step further than its error explains; see `Advance`."""
        tolerances = self.work.tolerances
        scale = tolerances.atol + tolerances.rtol * np.abs(new) + ROUNDING * min(growth, WORST)
        correction, step = (np.sqrt(np.mean((x / scale) ** 2)) for x in (new - end, end - self.work.y))
        known = tolerances.step is None
        return bool(correction > self.work.correction_limit and (known or correction > SHARE * step))

    def _tried(self, t: float, y: np.ndarray, h: float) -> tuple[np.ndarray, float]:
        """The state after a step, and how many times longer the next one may be; below 1 this one is too long."""
        tolerances = self.work.tolerances
        if tolerances.step is not None:
            return self.taken(self._slope, t, y, h), 1.0
        whole = self.taken(self._slope, t, y, h)
        middle = self.taken(self._slope, t, y, h / 2)
        halves = self.taken(self._slope, t + h / 2, middle, h / 2)
        scale = tolerances.atol + tolerances.rtol * np.maximum(np.abs(y), np.abs(halves))
        error = float(np.sqrt(np.mean(((halves - whole) / scale) ** 2))) / (2**self.order - 1)
        if not np.isfinite(error):
            return halves, np.nan
        factor = SAFETY * max(error, 1e-10) ** (-1 / (self.order + 1))
        return halves, (min(max(factor, 1.0), GROW) if error < 1 else min(factor, SAFETY))

    def polynomials(self, t0: np.ndarray, y0: np.ndarray, t1: np.ndarray, y1: np.ndarray) -> np.ndarray:
        """From steps to places inside, each taken from the start of its own, with what projection added shared out."""
        found = []
        for a, y, b, end in zip(t0, y0, t1, y1, strict=True):
            inside = np.array([self.taken(self._slope, a, y, θ * (b - a)) for θ in NODES])
            rest = end - self.taken(self._slope, a, y, b - a)
            found.append(fitted(inside + NODES[:, None] * rest))
        return np.array(found)
