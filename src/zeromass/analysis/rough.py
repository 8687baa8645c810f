"""Values between the steps of a run from the ends of these alone, with what they may be off by.

Hermite's polynomials of degree 5 through q, q̇ and q̈ at both ends of a step need no step to be taken again. They are not
the motion, but tell where in it something can happen; what they are off by follows from those of degree 3, through q and q̇.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from zeromass.integrate import Course
from zeromass.integrate.segment import Samples

SAMPLES = 4
"""Parts of a step at whose ends a function is looked at first."""

MANY = 100
"""Steps from which on it is worth while to look at them roughly before."""

DOUBTED = 4.0
"""How many times the difference of both polynomials is allowed for as error in a step: that at its first sample, or at those
of the steps beside it, where it is larger; in the middle of a step both have the same rates, nearly."""


class Rough(NamedTuple):
    """Values of some expressions at the ends of steps, where they are exact, and between.

    t       times, shape (m,)
    values  and their `errors`, shapes (m, e)
    """

    t: np.ndarray
    values: np.ndarray
    errors: np.ndarray

    def of(self, k: int) -> Rough:
        """The same of one of the expressions."""
        return Rough(self.t, self.values[:, k : k + 1], self.errors[:, k : k + 1])

    @property
    def may_be_negative(self) -> bool:
        """Whether a value may be below zero somewhere, between samples too."""
        return bool((_most(-self.values[:, 0], self.errors[:, 0]) >= 0.0).any())


def rough(run: Course, expressions: Sequence[Any]) -> Rough | None:
    """Of a run; None where it is short or changes its kind, or where the values are no numbers."""
    (segment, *others), k = run.segments, len(run.t) - 1
    if others or k < MANY or segment.piece is not None or segment.program is None:
        return None
    ends = segment.steps
    t, y, a, h = ends.t, ends.y, ends.acceleration, np.diff(ends.t)[:, None]
    n = a.shape[1]
    q, v = y[:, :n], y[:, n:]
    told = np.stack([q[:-1], h * v[:-1], h * h * a[:-1], q[1:], h * v[1:], h * h * a[1:]])
    states = np.empty((SAMPLES, k, 2 * n))
    states[:, :, :n] = (_PLACES @ told.reshape(6, -1)).reshape(SAMPLES, k, n)
    states[:, :, n:] = (_RATES @ told.reshape(6, -1)).reshape(SAMPLES, k, n) / h
    times = t[:-1] + np.outer(_WHERE, h[:, 0])
    exact = ends[np.array(expressions, dtype=object)]
    found = Samples(segment, times.ravel(), states.reshape(-1, 2 * n))[np.array(expressions, dtype=object)]
    found = found.reshape(SAMPLES, k, -1)
    off = DOUBTED * _beside(np.abs(found[0] - found[-1]))
    values, errors = np.empty((k, SAMPLES, found.shape[2])), np.zeros((k, SAMPLES, found.shape[2]))
    values[:, 0], values[:, 1:], errors[:, 1:] = exact[:-1], found[:-1].swapaxes(0, 1), off[:, None]
    if not (np.isfinite(values).all() and np.isfinite(errors).all()):
        return None
    times = np.append(np.column_stack([t[:-1], times[:-1].T]).ravel(), t[-1])
    values, errors = (x.reshape(k * SAMPLES, -1) for x in (values, errors))
    return Rough(times, np.append(values, exact[-1:], axis=0), np.append(errors, 0 * exact[-1:], axis=0))


def possible(values: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """Samples that are to be known exactly for the largest value: where it may be, and those beside them."""
    near = _most(values, errors) >= (values - errors).max()
    return np.flatnonzero(near | np.append(near[1:], False) | np.append(False, near[:-1]))


def _most(values: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """What a function may be at most about each sample: as much above it as it is above its farther neighbour."""
    around = np.maximum(np.append(errors[1:], 0.0), np.append(0.0, errors[:-1]))
    padded = np.concatenate([values[1:2], values, values[-2:-1]])
    drop = values - np.minimum(padded[:-2], padded[2:])
    return values + errors + np.maximum(drop + errors + around, 0.0)


def _beside(x: np.ndarray) -> np.ndarray:
    """The largest of each value and of those beside it."""
    padded = np.concatenate([x[:1], x, x[-1:]])
    return np.maximum(np.maximum(padded[:-2], padded[2:]), x)


def _hermite(θ: np.ndarray, order: int) -> np.ndarray:
    """What q₀, q̇₀, q̈₀, q₁, q̇₁, q̈₁ give at places θ, or their derivatives: shape (θ, 6)."""
    powers = np.arange(6)
    conditions = np.array([_row(x, d) for x in (0.0, 1.0) for d in range(3)])
    rows = np.array([_row(x, order) for x in θ]).reshape(-1, len(powers))
    return rows @ np.linalg.inv(conditions)


def _row(x: float, derivative: int) -> list[float]:
    """x^k, or its derivatives, for k = 0 … 5."""
    factors = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    for d in range(derivative):
        factors = [factor * max(k - d, 0) for k, factor in enumerate(factors)]
    return [factor * x ** max(k - derivative, 0) for k, factor in enumerate(factors)]


_INSIDE = np.arange(1, SAMPLES) / SAMPLES
_WHERE = np.append(_INSIDE, _INSIDE[0])
_PLACES = np.vstack([_hermite(_INSIDE, 0), [27 / 32, 9 / 64, 0, 5 / 32, -3 / 64, 0]])
_RATES = np.vstack([_hermite(_INSIDE, 1), [-9 / 8, 3 / 16, 0, 9 / 8, -5 / 16, 0]])
"""Polynomials of degree 5 at the samples, and last that of degree 3 at the first of them; and their rates, times h."""
