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

import numpy as np

from zeromass.integrate.legendre import integration, legendre
from zeromass.integrate.stepping.dense import NODES, fitted

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
_ONCE = integration(STAGES, STAGES + 2) @ _INVERSE
_AGAIN = np.pad(integration(STAGES + 1, STAGES + 2), ((0, 0), (0, 1)))
_BEGINNING, _MIDDLE = (np.array(legendre(np.array([θ]), STAGES + 2))[:, 0] for θ in (0.0, 0.5))
_AT = np.array(legendre(np.append(PLACES, 1.0), STAGES + 2)).T

Accelerations = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
"""q̈, (k, n), and the growth of the pivots, (k,), of states (k, 2n) at times (k,)."""

Projection = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""States, (k, 2n), brought onto the constraints at times (k,)."""


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
        return np.array(legendre((times - self.t) / self.h, STAGES + 2)).T @ self.coefficients

    def polynomial(self, t0: float, y0: np.ndarray, t1: float, y1: np.ndarray) -> np.ndarray:
        """The states of a part of the step as that of a step of its own from (t0, y0) to (t1, y1); see `DenseOutput`."""
        first, last = y0, y1
        a, b = self.states(np.array([t0, t1]))
        inside = self.states(t0 + NODES * (t1 - t0))
        return fitted(inside + (1 - NODES)[:, None] * (first - a) + NODES[:, None] * (last - b))


def leap(
    accelerations: Accelerations,
    projected: Projection,
    t: float,
    y: np.ndarray,
    h: float,
    scale: np.ndarray,
    *,
    centred: bool = False,
    like: Leap | None = None,
) -> Leap | None:
    """The motion over a step of length h from (t, y), with a singular position in its middle; None where there is none.

    scale    1 over the error allowed in each component of the state
    centred  whether y is the state in the middle, at t, and not that at the beginning
    like     a leap over about the same time, to begin the iteration with
    """
    n = len(y) // 2
    if centred:
        a, t, known = np.zeros((STAGES, n)), t - h / 2, _MIDDLE
    elif like is not None:
        a, known = np.array(legendre((t + h * PLACES - like.t) / like.h, STAGES)).T @ like.accelerations, _BEGINNING
    else:
        a, known = np.repeat(accelerations(np.array([t]), y[None])[0], STAGES, axis=0), _BEGINNING
    times = t + h * PLACES
    stages, last, off, growth = None, np.inf, 0.0, 1.0
    for iteration in range(ITERATIONS):
        velocities = h * (_ONCE @ a)
        velocities[0] += y[n:] - known @ velocities
        positions = h * (_AGAIN @ velocities)
        positions[0] += y[:n] - known @ positions
        coefficients = np.concatenate([positions, velocities], axis=1)
        new = _AT @ coefficients
        if stages is not None:
            change = float(np.sqrt(np.mean(((new - stages) * scale) ** 2)))
            if not np.isfinite(change):
                return None
            if change < CONVERGED or (iteration > 4 and change > SLOW * last):
                last = change
                break
            last = change
        stages = new
        on = projected(times, new[:-1])
        off = float(np.abs(on - new[:-1])[:, :n].max())
        a, growths = accelerations(times, on)
        growth = float(growths.max())
    else:
        return None
    end = projected(np.array([t + h]), new[-1:])[0]
    c = _INVERSE @ a
    tail = abs(h) * float(np.sqrt(np.mean((c[-2:] * scale[n:]) ** 2)))
    correction = float(np.sqrt(np.mean(((end - new[-1]) * scale) ** 2)))
    found = Leap(t, h, coefficients, c, end, correction, tail, last, off, growth)
    return found if np.isfinite(tail + correction + growth) else None
