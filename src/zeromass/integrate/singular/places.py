"""The stages of a leap, none of them near its middle, and the integrals of what is known at them.

Their places are those of Chebyshev in θ²,

    θ_j = (1 ± √((1 + g²)/2 + (1 − g²)/2 cos φ_j))/2,   g = GAP,

so that the polynomial through them is as good in the gap as outside of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from zeromass.integrate.exact import inverse, product
from zeromass.integrate.legendre import integration, legendre

GAP = 0.3
"""Part of the step around its middle without a stage."""

STAGES = 12

_φ = (np.arange(STAGES // 2) + 0.5) * np.pi / (STAGES // 2)
_x = np.sqrt((1 + GAP**2) / 2 + (1 - GAP**2) / 2 * np.cos(_φ))

PLACES: np.ndarray = (1 + np.concatenate([-_x, _x[::-1]])) / 2
"""Of the stages in the step, from 0 to 1."""

ENDS = 1 / 3, 2 / 3, 1.0
"""Ends of the steps that a leap is recorded as: none of them begins or ends in its middle."""

INVERSE = inverse(np.array(legendre(PLACES, STAGES)).T)
"""Legendre's coefficients from values at the stages."""

_AGAIN = np.pad(integration(STAGES + 1, STAGES + 2), ((0, 0), (0, 1)))
_AT = np.array(legendre(np.array([*PLACES, *ENDS]), STAGES + 2)).T

_DEGREES = np.arange(STAGES + 2)
_CHEBYSHEV = np.array(legendre((1 + np.cos((_DEGREES + 0.5) * np.pi / len(_DEGREES))) / 2, len(_DEGREES)))
_CHEBYSHEV = product(inverse(np.cos(np.outer(_DEGREES + 0.5, _DEGREES) * np.pi / len(_DEGREES))), _CHEBYSHEV.T)


def values_at(places: np.ndarray) -> np.ndarray:
    """Values of Legendre's polynomials at places in a leap from 0 to 1, as `Leap.at` takes them: from cos(k arccos x)."""
    return np.cos(np.arccos(np.clip(2 * places - 1, -1.0, 1.0))[:, None] * _DEGREES) @ _CHEBYSHEV


class Integrals(NamedTuple):
    """Twice the integral of accelerations at the stages, from a place in the step where the state is known.

    velocities, positions  Legendre's coefficients of them for h = 1
    along                  of the positions, for a velocity of 1
    table                  the same as values at the stages and then at `ENDS`: of positions and of velocities for each
                           acceleration, and of positions for a velocity of 1; shape (STAGES + 3, 2 STAGES + 1)
    """

    velocities: np.ndarray
    positions: np.ndarray
    along: np.ndarray
    table: np.ndarray


def _integrals(θ: float) -> Integrals:
    known = np.array(legendre(np.array([θ]), STAGES + 2))[:, 0]
    vanishing = np.eye(STAGES + 2) - np.outer(np.eye(STAGES + 2)[0], known)  # at θ
    velocities = product(vanishing, product(integration(STAGES, STAGES + 2), INVERSE))
    again = product(vanishing, _AGAIN)
    positions, along = product(again, velocities), again[:, 0]
    table = np.column_stack([product(_AT, positions), product(_AT, velocities), product(_AT, along[:, None])])
    return Integrals(velocities, positions, along, np.ascontiguousarray(table))


FROM_BEGINNING, FROM_MIDDLE = _integrals(0.0), _integrals(0.5)
