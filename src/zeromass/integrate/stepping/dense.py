"""Dense output: the state between steps, made when it is asked for.

Only the ends of the steps are kept during a run. When a time inside a step is asked for, its method gives the polynomial of
that step, which it finds by taking the step again from its stored start; polynomials are kept as coefficients of Legendre's,
which neither writing nor reading them disturbs.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

import numpy as np

from zeromass.equation.arrays import single_thread
from zeromass.integrate.exact import inverse
from zeromass.integrate.legendre import legendre
from zeromass.integrate.stepping.between import states_between

DEGREE = 9
"""Of the polynomials inside steps: that of places in a step of order 15."""

AT_ONCE = 2**13
"""Times that are looked up at once, and steps whose polynomials are made at once."""

REMEMBERED = 2**16
"""Steps whose polynomials are kept; those of a longer run are made again."""

Projection = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""States, shape (k, 2n), brought onto the constraints at times (k,)."""

Source = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], np.ndarray]
"""Polynomials of the states inside steps from (t0, y0) to (t1, y1), shape (k, DEGREE + 1, 2n)."""


NODES = (1 - np.cos(np.pi * (np.arange(DEGREE + 1) + 0.5) / (DEGREE + 1))) / 2
"""Chebyshev's places in a step, from whose states a polynomial is found well."""

FIT = inverse(np.array(legendre(NODES, DEGREE + 1)).T)
"""Legendre's coefficients of the polynomial through values there."""


@single_thread
def fitted(states: np.ndarray) -> np.ndarray:
    """Legendre's coefficients of the polynomial through states at `NODES`, both of shape (…, DEGREE + 1, 2n)."""
    return FIT @ states


def _longer(x: np.ndarray, count: int, room: int) -> np.ndarray:
    """The first of some values, with room for more."""
    longer = np.empty((room, *x.shape[1:]), dtype=x.dtype)
    longer[:count] = x[:count]
    return longer


class DenseOutput:
    """States at any times of a segment, from its recorded steps: t, shape (k,), and y, shape (k, 2n).

    inside   gives the polynomials of steps from (t0, y0) to (t1, y1), see `Stepper.polynomials`; or all polynomials
    project  returns interpolated states to the constraints, as the run did at the ends of its steps
    """

    t: np.ndarray
    y: np.ndarray

    def __init__(
        self, t: np.ndarray, y: np.ndarray, inside: Source | np.ndarray, project: Projection | None = None
    ) -> None:
        self.t, self.y = t, y
        self._inside, self._project = inside, project
        given = isinstance(inside, np.ndarray)
        self._kept: np.ndarray = inside if given else np.empty((0, DEGREE + 1, y.shape[1]))
        self._steps: np.ndarray = np.empty(0, dtype=np.int64)
        """Those whose polynomials are kept, in the order of these."""
        self._place: np.ndarray = np.zeros(0 if given else len(t) - 1, dtype=np.int64)
        """Of each step one more than its place among them, or 0."""
        self._count = 0
        self._alone = Lock()  # several threads may ask, and what is kept is overwritten

    def polynomials(self, steps: np.ndarray | None = None) -> np.ndarray:
        """Legendre's coefficients of the states inside some or all steps, shape (len(steps), DEGREE + 1, 2n)."""
        steps = np.arange(len(self.t) - 1) if steps is None else steps
        result = np.empty((len(steps), DEGREE + 1, self.y.shape[1]))
        for k in range(0, len(steps), AT_ONCE):
            with self._alone:
                rows = self._rows(steps[k : k + AT_ONCE])
                result[k : k + AT_ONCE] = self._kept[rows]
        return result

    def using(self, steps: np.ndarray, used: Callable[[np.ndarray, np.ndarray], None]) -> None:
        """Shows the polynomials of at most as many steps as can be made at once: their rows, and where these are."""
        with self._alone:
            used(self._rows(steps), self._kept)

    def within(self, times: np.ndarray, steps: np.ndarray) -> np.ndarray:
        """States at times (k, m) within at most as many steps, (k,), as can be made at once: shape (k m, 2n)."""
        return self._states(times.ravel(), steps.repeat(times.shape[1]))

    def _rows(self, steps: np.ndarray) -> np.ndarray:
        """Where the polynomials of at most as many steps are kept as can be made at once; what is not there is made."""
        if isinstance(self._inside, np.ndarray):
            return steps
        rows = self._place[steps] - 1
        if (rows >= 0).all():
            return rows
        new = steps[rows < 0]
        if len(new) > 1 and not (new[1:] > new[:-1]).all():
            new = np.unique(new)
        if self._count + len(new) > REMEMBERED:
            self._place[self._steps[: self._count]], self._count = 0, 0
            new = np.unique(steps)
        if len(new):
            some, after = new, new + 1
            if new[-1] - new[0] == len(new) - 1:  # one after another
                some, after = (slice(new[0] + k, new[-1] + 1 + k) for k in range(2))
            made = self._inside(self.t[some], self.y[some], self.t[after], self.y[after])
            end = self._count + len(new)
            if not self._count:
                self._kept, self._steps = made, new
            else:
                if end > len(self._kept):
                    room = max(end, min(2 * len(self._kept), REMEMBERED))
                    self._kept, self._steps = (_longer(x, self._count, room) for x in (self._kept, self._steps))
                self._kept[self._count : end], self._steps[self._count : end] = made, new
            self._place[new], self._count = np.arange(self._count, end) + 1, end
        return self._place[steps] - 1

    def __call__(self, times: np.ndarray) -> np.ndarray:
        """States at times within the run, shape (len(times), 2n); ends of steps are given as they were recorded."""
        times = np.asarray(times, dtype=float)
        if len(self.t) == 1:
            return np.repeat(self.y, len(times), axis=0)
        if len(times) <= AT_ONCE:
            return self._states(times)
        result, order = np.empty((len(times), self.y.shape[1])), np.arange(len(times))
        if len(self.t) > AT_ONCE:
            order = np.argsort(times)  # so that no step is made twice
        else:
            with self._alone:
                self._rows(np.clip(self._places(times), 0, len(self.t) - 2))  # nor room for them
        for k in range(0, len(times), AT_ONCE):
            some = order[k : k + AT_ONCE]
            result[some] = self._states(times[some])
        return result

    def _states(self, times: np.ndarray, steps: np.ndarray | None = None) -> np.ndarray:
        result, inside = self.interpolated(times, steps)
        if self._project is None or not inside.any():
            return result
        if inside.all():
            return self._project(times, result)
        result[inside] = self._project(times[inside], result[inside])
        return result

    def interpolated(self, times: np.ndarray, steps: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """States at no more times than are looked up at once, as polynomials have them; and which are inside steps.

        steps  in which the times are, where that is known
        """
        if steps is None:
            steps = np.clip(self._places(times), 0, len(self.t) - 2)  # beyond the end, by rounding
        begin, end = self.t[steps], self.t[steps + 1]
        at_end = times == end
        inside = ~(at_end | (times == begin))
        if not inside.any():
            return self.y[steps + at_end], inside
        length = np.where(inside, end - begin, 1.0)  # a step between two segments may have none
        with self._alone:
            result = states_between((times - begin) / length, self._rows(steps), self._kept)
        given = np.flatnonzero(~inside)
        result[given] = self.y[steps[given] + at_end[given]]
        return result, inside

    def _places(self, times: np.ndarray) -> np.ndarray:
        """The last end of a step before or at each time, in the course of the run."""
        if self.t[-1] > self.t[0]:
            return np.searchsorted(self.t, times, side="right") - 1
        return len(self.t) - 1 - np.searchsorted(self.t[::-1], times, side="left")
