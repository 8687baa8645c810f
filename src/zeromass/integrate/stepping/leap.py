"""A step across a singular position: collocation whose stages keep away from the middle of the step.

The motion is analytic there, but its formula is not: a state that is off the constraints by δ at a time τ from the singular
one has an acceleration that is wrong by a multiple of δ/τ². So the stages are brought onto the constraints before they are
evaluated, which takes away a power of τ, and none of them lies near the middle, where the singular position is. Their places
are those of Chebyshev in θ²,

    θ_j = (1 ± √((1 + g²)/2 + (1 − g²)/2 cos φ_j))/2,   g = GAP,

so that the polynomial through them is as good in the gap as outside of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import NamedTuple

import numpy as np

from zeromass.integrate.legendre import integration, legendre
from zeromass.integrate.stepping.dense import NODES, Projection, fitted

GAP = 0.3
"""Part of the step around its middle without a stage."""

STAGES = 12

ITERATIONS = 40
"""After which an attempt is given up."""

CONVERGED = 1e-3
"""Change of the stages, in units of the tolerance, that ends the iteration."""

SLOW = 0.5
"""Contraction from which a change is taken for rounding, after some iterations."""

_φ = (np.arange(STAGES // 2) + 0.5) * np.pi / (STAGES // 2)
_x = np.sqrt((1 + GAP**2) / 2 + (1 - GAP**2) / 2 * np.cos(_φ))

PLACES: np.ndarray = (1 + np.concatenate([-_x, _x[::-1]])) / 2
"""Of the stages in the step, from 0 to 1."""

_INVERSE = np.linalg.inv(np.array(legendre(PLACES, STAGES)).T)
_AGAIN = np.pad(integration(STAGES + 1, STAGES + 2), ((0, 0), (0, 1)))
_AT = np.array(legendre(np.append(PLACES, 1.0), STAGES + 2)).T


_DEGREES = np.arange(STAGES + 2)
_CHEBYSHEV = np.array(legendre((1 + np.cos((_DEGREES + 0.5) * np.pi / len(_DEGREES))) / 2, len(_DEGREES)))
_CHEBYSHEV = np.linalg.solve(np.cos(np.outer(_DEGREES, (_DEGREES + 0.5) * np.pi / len(_DEGREES))).T, _CHEBYSHEV.T)


def values_at(places: np.ndarray) -> np.ndarray:
    """Values of Legendre's polynomials at places in a leap from 0 to 1, as `Leap.at` takes them: from cos(k arccos x)."""
    return np.cos(np.arccos(np.clip(2 * places - 1, -1.0, 1.0))[:, None] * _DEGREES) @ _CHEBYSHEV


class _Integrals(NamedTuple):
    """Twice the integral of accelerations at the stages, from a place in the step where the state is known.

    velocities, positions  Legendre's coefficients of them for h = 1
    along                  of the positions, for a velocity of 1
    later, places, ways    the same as values at the stages and at the end
    """

    velocities: np.ndarray
    positions: np.ndarray
    along: np.ndarray
    later: np.ndarray
    places: np.ndarray
    ways: np.ndarray


def _integrals(θ: float) -> _Integrals:
    known = np.array(legendre(np.array([θ]), STAGES + 2))[:, 0]
    vanishing = np.eye(STAGES + 2) - np.outer(np.eye(STAGES + 2)[0], known)  # at θ
    velocities = vanishing @ integration(STAGES, STAGES + 2) @ _INVERSE
    positions, along = vanishing @ _AGAIN @ velocities, (vanishing @ _AGAIN)[:, 0]
    return _Integrals(velocities, positions, along, _AT @ velocities, _AT @ positions, _AT @ along)


_FROM_BEGINNING, _FROM_MIDDLE = _integrals(0.0), _integrals(0.5)

Evaluated = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]]
"""States (k, 2n) brought onto the constraints at times (k,), q̈ there, (k, n), and the growth of the pivots, (k,)."""


@dataclass(frozen=True, eq=False)
class Leap:
    """The motion over a step of length h from t: a polynomial.

    coefficients  Legendre's, of the states, shape (STAGES + 2, 2n)
    end           its last state, on the constraints
    correction    what brought it there, in units of the tolerance (root mean square)
    tail          of the accelerations, the last two of Legendre's coefficients times h, in the same units
    left          last change of the iteration, in the same units
    accelerations Legendre's coefficients of q̈, shape (STAGES, n)
    off           largest distance of a stage from the constraints, in a position
    growth        largest, of the pivots
    """

    t: float
    h: float
    coefficients: np.ndarray
    accelerations: np.ndarray
    end: np.ndarray
    correction: float
    tail: float
    left: float
    off: float
    growth: float

    def states(self, times: np.ndarray) -> np.ndarray:
        """States at times in the step, shape (k, 2n), as the polynomial gives them."""
        return self.at(values_at((times - self.t) / self.h))

    def at(self, values: np.ndarray) -> np.ndarray:
        """The same at places whose values of Legendre's polynomials are known, see `values_at`."""
        return values @ self.coefficients

    def polynomial(self, t0: float, y0: np.ndarray, t1: float, y1: np.ndarray) -> np.ndarray:
        """The states of a part of the step as that of a step of its own from (t0, y0) to (t1, y1); see `DenseOutput`."""
        first, last = y0, y1
        a, b = self.states(np.array([t0, t1]))
        inside = self.states(t0 + NODES * (t1 - t0))
        return fitted(inside + (1 - NODES)[:, None] * (first - a) + NODES[:, None] * (last - b))


def leap(
    evaluated: Evaluated,
    projected: Projection,
    t: float,
    y: np.ndarray,
    h: float,
    scale: np.ndarray,
    *,
    centred: bool = False,
    like: Leap | None = None,
    first: np.ndarray | None = None,
) -> Leap | None:
    """The motion over a step of length h from (t, y), with a singular position in its middle; None where there is none.

    scale    1 over the error allowed in each component of the state
    centred  whether y is the state in the middle, at t, and not that at the beginning
    like     a leap over about the same time, to begin the iteration with
    first    otherwise q̈ at the beginning, if it is known
    """
    n = len(y) // 2
    q, v, from_ = y[:n], y[n:], _FROM_MIDDLE if centred else _FROM_BEGINNING
    if centred:
        t -= h / 2
    times = t + h * PLACES
    if like is not None:
        a = np.array(legendre((times - like.t) / like.h, STAGES)).T @ like.accelerations
    else:
        a = np.zeros((STAGES, n)) if first is None else np.repeat(first[None], STAGES, axis=0)
    straight, size = q + (h * from_.ways)[:, None] * v, np.sqrt(scale.size * (STAGES + 1))
    places, later = h**2 * from_.places, h * from_.later
    new, stages, last = np.empty((STAGES + 1, 2 * n)), None, np.inf
    on, growths = new, np.ones(1)
    for iteration in range(ITERATIONS):
        new = np.empty((STAGES + 1, 2 * n))
        np.add(straight, places @ a, out=new[:, :n])
        np.add(v, later @ a, out=new[:, n:])
        if stages is not None:
            change = float(np.linalg.norm((new - stages) * scale)) / size
            if not isfinite(change):
                return None
            if change < CONVERGED or (iteration > 4 and change > SLOW * last):
                last = change
                break
            last = change
        stages = new
        on, a, growths = evaluated(times, new[:-1])
    else:
        return None
    assert stages is not None
    velocities, positions = h * (from_.velocities @ a), h**2 * (from_.positions @ a) + np.outer(h * from_.along, v)
    velocities[0] += v
    positions[0] += q
    off = float(np.abs(on - stages[:-1])[:, :n].max())
    end = projected(np.array([t + h]), new[-1:])[0]
    c = _INVERSE @ a
    tail = abs(h) * float(np.sqrt(np.mean((c[-2:] * scale[n:]) ** 2)))
    correction = float(np.sqrt(np.mean(((end - new[-1]) * scale) ** 2)))
    coefficients = np.concatenate([positions, velocities], axis=1)
    found = Leap(t, h, coefficients, c, end, correction, tail, last, off, float(growths.max()))
    return found if isfinite(tail + correction + found.growth) else None
