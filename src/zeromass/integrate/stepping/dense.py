"""Dense output: the state between steps, made when it is asked for.

Only the ends of the steps are kept during a run. When a time inside a step is asked for, its method gives the polynomial of
that step, which it finds by taking the step again from its stored start; polynomials are kept as coefficients of Legendre's,
which neither writing nor reading them disturbs.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from zeromass.integrate.legendre import legendre

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

_FIT = np.linalg.inv(np.array(legendre(NODES, DEGREE + 1)).T)


def fitted(states: np.ndarray) -> np.ndarray:
    """Legendre's coefficients of the polynomial through states at `NODES`, both of shape (…, DEGREE + 1, 2n)."""
    return _FIT @ states


def states_in(polynomial: np.ndarray, θ: np.ndarray) -> np.ndarray:
    """States at places θ in steps, shape (k, 2n), from their polynomials, shape (DEGREE + 1, k or 1, 2n)."""
    total = np.zeros((len(θ), polynomial.shape[2]))
    for P, coefficients in zip(legendre(θ, DEGREE + 1), polynomial, strict=True):
        total += P[:, None] * coefficients
    return total


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
        self._known: dict[int, np.ndarray] = {}

    def polynomials(self, steps: np.ndarray | None = None) -> np.ndarray:
        """Legendre's coefficients of the states inside some or all steps, shape (len(steps), DEGREE + 1, 2n)."""
        steps = np.arange(len(self.t) - 1) if steps is None else steps
        if isinstance(self._inside, np.ndarray):
            return self._inside[steps]
        if 0 < len(steps) <= AT_ONCE:
            return self._made(self._inside, steps)
        result = np.empty((len(steps), DEGREE + 1, self.y.shape[1]))
        for k in range(0, len(steps), AT_ONCE):
            result[k : k + AT_ONCE] = self._made(self._inside, steps[k : k + AT_ONCE])
        return result

    def _made(self, inside: Source, steps: np.ndarray) -> np.ndarray:
        """Of at most as many steps as can be made at once."""
        if len(self._known) > REMEMBERED:
            self._known.clear()
        new = np.array([step for step in steps.tolist() if step not in self._known], dtype=int)
        if len(new):
            found = inside(self.t[new], self.y[new], self.t[new + 1], self.y[new + 1])
            self._known.update(zip(new.tolist(), found, strict=True))
        return np.array([self._known[step] for step in steps.tolist()])

    def __call__(self, times: np.ndarray) -> np.ndarray:
        """States at times within the run, shape (len(times), 2n); ends of steps are given as they were recorded."""
        times = np.asarray(times, dtype=float)
        if len(self.t) == 1:
            return np.repeat(self.y, len(times), axis=0)
        if len(times) <= AT_ONCE:
            return self._states(times)
        result, order = np.empty((len(times), self.y.shape[1])), np.argsort(times)  # so that no step is made twice
        for k in range(0, len(times), AT_ONCE):
            some = order[k : k + AT_ONCE]
            result[some] = self._states(times[some])
        return result

    def _states(self, times: np.ndarray) -> np.ndarray:
        places = self._places(times)
        result = self.y[np.maximum(places, 0)]
        between = np.flatnonzero(times != self.t[np.maximum(places, 0)])
        if not len(between):
            return result
        steps, which = np.unique(np.clip(places[between], 0, len(self.t) - 2), return_inverse=True)
        polynomials = self.polynomials(steps).swapaxes(0, 1)
        t0, t1 = self.t[steps][which], self.t[steps + 1][which]
        found = states_in(polynomials[:, which], (times[between] - t0) / (t1 - t0))
        result[between] = self._project(times[between], found) if self._project else found
        return result

    def _places(self, times: np.ndarray) -> np.ndarray:
        """The last end of a step before or at each time, in the course of the run."""
        if self.t[-1] > self.t[0]:
            return np.searchsorted(self.t, times, side="right") - 1
        return len(self.t) - 1 - np.searchsorted(self.t[::-1], times, side="left")
