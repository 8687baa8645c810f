"""Dense output: the state between steps, made when it is asked for.

Only the ends of the steps are kept during a run. When a time inside a step is asked for, its method gives the polynomial of
that step, which it finds by taking the step again from its stored start; polynomials are kept as coefficients of Legendre's,
which neither writing nor reading them disturbs.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from zeromass.integrate.stepper import Stepper

DEGREE = 9
"""Of the polynomials inside steps: that of places in a step of order 15."""

Projection = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""States, shape (k, 2n), brought onto the constraints at times (k,)."""


def legendre(θ: np.ndarray) -> np.ndarray:
    """P_0 … P_DEGREE on [0, 1] at places θ in a step, shape (DEGREE + 1, len(θ))."""
    x = 2 * np.asarray(θ, dtype=float) - 1
    P = [np.ones_like(x), x]
    for k in range(1, DEGREE):
        P.append(((2 * k + 1) * x * P[k] - k * P[k - 1]) / (k + 1))
    return np.array(P)


NODES = (1 - np.cos(np.pi * (np.arange(DEGREE + 1) + 0.5) / (DEGREE + 1))) / 2
"""Chebyshev's places in a step, from whose states a polynomial is found well."""

_FIT = np.linalg.inv(legendre(NODES).T)


def fitted(states: np.ndarray) -> np.ndarray:
    """Legendre's coefficients of the polynomial through states at `NODES`, both of shape (DEGREE + 1, 2n)."""
    return _FIT @ states


def states_in(polynomial: np.ndarray, θ: np.ndarray) -> np.ndarray:
    """States at places θ in steps, shape (k, 2n), from their polynomials, shape (DEGREE + 1, k or 1, 2n)."""
    total = np.zeros((len(θ), polynomial.shape[2]))
    for P, coefficients in zip(legendre(θ), polynomial, strict=True):
        total += P[:, None] * coefficients
    return total


class DenseOutput:
    """States at any times of a run, from its recorded steps: t, shape (k,), and y, shape (k, 2n).

    stepper  the method that took the steps; None for a run without any
    project  returns interpolated states to the constraints, as the run did at the ends of its steps
    """

    def __init__(
        self, t: np.ndarray, y: np.ndarray, stepper: Stepper | None, project: Projection | None = None
    ) -> None:
        self.t, self.y = t, y
        self._stepper = stepper
        self._project = project
        self._known: dict[int, np.ndarray] = {}

    def polynomials(self, steps: np.ndarray) -> np.ndarray:
        """Legendre's coefficients of the states inside some steps, shape (len(steps), DEGREE + 1, 2n)."""
        new = np.array([step for step in steps.tolist() if step not in self._known], dtype=int)
        if len(new):
            assert self._stepper is not None  # a run with steps has one
            found = self._stepper.polynomials(self.t[new], self.y[new], self.t[new + 1], self.y[new + 1])
            self._known.update(zip(new.tolist(), found, strict=True))
        return np.array([self._known[step] for step in steps.tolist()]).reshape(-1, DEGREE + 1, self.y.shape[1])

    def __call__(self, times: np.ndarray) -> np.ndarray:
        """States at times within the run, shape (len(times), 2n); ends of steps are given as they were recorded."""
        times = np.asarray(times, dtype=float)
        if len(self.t) == 1:
            return np.repeat(self.y, len(times), axis=0)
        sign = 1.0 if self.t[-1] > self.t[0] else -1.0
        places = np.searchsorted(sign * self.t, sign * times, side="right") - 1
        result = self.y[np.clip(places, 0, len(self.t) - 1)].copy()
        between = np.flatnonzero(times != self.t[np.clip(places, 0, len(self.t) - 1)])
        if not len(between):
            return result
        steps, which = np.unique(np.clip(places[between], 0, len(self.t) - 2), return_inverse=True)
        polynomials = self.polynomials(steps).swapaxes(0, 1)
        t0, t1 = self.t[steps][which], self.t[steps + 1][which]
        found = states_in(polynomials[:, which], (times[between] - t0) / (t1 - t0))
        result[between] = self._project(times[between], found) if self._project else found
        return result
