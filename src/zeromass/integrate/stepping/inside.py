"""The inside of one step: states on the constraints and values of what is watched, one time after another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from zeromass.integrate.legendre import legendre
from zeromass.integrate.stepping.dense import DEGREE, Projection
from zeromass.integrate.stepping.functions import Functions
from zeromass.integrate.stepping.kernel import ROUNDING
from zeromass.integrate.stepping.workspace import Workspace


class Inside:
    """The last step of a workspace, from (t0, y0) to (t1, y1).

    functions   of its machine code
    polynomial  Legendre's coefficients of the states in it, shape (DEGREE + 1, 2n)
    returned    what brings states onto the constraints, within the bound of the steps; None if the run does not
    """

    def __init__(
        self,
        work: Workspace,
        functions: Functions,
        polynomial: np.ndarray,
        t0: float,
        y0: np.ndarray,
        t1: float,
        y1: np.ndarray,
        returned: Projection | None,
    ) -> None:
        self._work, self._polynomial = work, polynomial
        self._ends = {t1: y1, t0: y0}
        self._t0, self._h = t0, t1 - t0
        self._tolerances, self._limit = work.tolerances, work.correction_limit
        self._returned = returned
        self._project = functions.one(work.order) if returned is not None else None
        self._known: dict[float, np.ndarray] = {}

    def state(self, t: float) -> np.ndarray:
        """The state at a time in the step, on the constraints; its ends as they were recorded."""
        if t in self._ends:
            return self._ends[t].copy()
        P = np.array(legendre((t - self._t0) / self._h, DEGREE + 1))
        return self._on_the_constraints(t, np.add.reduce(P[:, None] * self._polynomial))

    def _on_the_constraints(self, t: float, y: np.ndarray) -> np.ndarray:
        if self._project is None or self._returned is None:
            return y
        on = self._project(t, y)
        if (on == y).all():
            return on
        scale = self._tolerances.atol + self._tolerances.rtol * np.abs(y) + ROUNDING
        change = (on - y) / scale
        if np.dot(change, change) <= len(y) * self._limit**2:
            return on
        return self._returned(np.array([t]), y[None])[0]

    def watched(self, t: float) -> np.ndarray:
        """The watched functions there; what was looked at once is known."""
        if t not in self._known:
            self._known[t] = self._work.event_values(t, self.state(t))
        return self._known[t]

    def look(self, times: Sequence[float]) -> None:
        """Looks at what is watched at several times at once."""
        t = np.array(times)
        P = np.array([legendre(θ, DEGREE + 1) for θ in ((t - self._t0) / self._h).tolist()]).T
        y = np.add.reduce(P[:, :, None] * self._polynomial[:, None])
        for k, time in enumerate(times):
            y[k] = self._ends[time] if time in self._ends else self._on_the_constraints(time, y[k])
        self.note(times, self._work.events_at(t, y))

    def note(self, times: Sequence[float], seen: np.ndarray) -> None:
        """Takes what is watched at several times as it was seen, shape (times, events)."""
        self._known.update(zip(times, seen, strict=True))
