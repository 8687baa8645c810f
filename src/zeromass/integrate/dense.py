"""Dense output: the state between steps, made when it is asked for.

Only the ends of the steps are kept during a run. When a time inside a step is asked for, the step is taken again from
its stored start, with the three further stages that the interpolation of order 7 needs, and its coefficients are kept.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from zeromass.integrate.stepper import Interpolant, Stepper

Projection = Callable[[float, np.ndarray], np.ndarray]


class DenseOutput:
    """States at any times of a run, from its recorded steps: t, shape (k,), and y, shape (k, 2n).

    stepper  the method that took the steps; None for a run without any
    project  returns an interpolated state to the constraints, as the run did at the ends of its steps
    """

    def __init__(
        self, t: np.ndarray, y: np.ndarray, stepper: Stepper | None, project: Projection | None = None
    ) -> None:
        self.t, self.y = t, y
        self._stepper = stepper
        self._project = project
        self._known: dict[int, Interpolant] = {}

    def inside(self, step: int) -> Interpolant:
        """The states inside one step."""
        if step not in self._known:
            assert self._stepper is not None  # a run with steps has one
            ends = self.t[step], self.y[step], self.t[step + 1], self.y[step + 1]
            self._known[step] = self._stepper.interpolant(*ends)
        return self._known[step]

    def __call__(self, times: np.ndarray) -> np.ndarray:
        """States at times within the run, shape (len(times), 2n); ends of steps are given as they were recorded."""
        times = np.asarray(times, dtype=float)
        if len(self.t) == 1:
            return np.repeat(self.y, len(times), axis=0)
        sign = 1.0 if self.t[-1] > self.t[0] else -1.0
        places = np.searchsorted(sign * self.t, sign * times, side="right") - 1
        steps = np.clip(places, 0, len(self.t) - 2)
        result = self.y[np.clip(places, 0, len(self.t) - 1)].copy()
        between = times != self.t[np.clip(places, 0, len(self.t) - 1)]
        for step in np.unique(steps[between]):
            here = between & (steps == step)
            t0, t1 = self.t[step], self.t[step + 1]
            result[here] = self.inside(int(step))((times[here] - t0) / (t1 - t0))
        if self._project is not None:
            for i in np.flatnonzero(between):
                result[i] = self._project(times[i], result[i])
        return result
