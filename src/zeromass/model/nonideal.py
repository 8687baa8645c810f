"""Work of constraint forces that depends on the motion itself: C affine in the accelerations, such as Coulomb friction.

    C = C₀ + D z,   z some of the accelerations

The motion is affine in C, so that z = z₀ + G z with z₀ the accelerations for C₀ and G their response to the columns of D.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from zeromass.expression import jacobian, substitute, symbols
from zeromass.model.errors import ModelError


class Nonideal(NamedTuple):
    """C split into what does not depend on accelerations, and the slopes of the rest.

    constant  C₀, (n,)
    slopes    D, (n, k)
    places    indices of the k accelerations z among all
    """

    constant: np.ndarray
    slopes: np.ndarray
    places: tuple[int, ...]


def split(C: np.ndarray, accelerations: np.ndarray) -> Nonideal:
    """C = C₀ + D z; an error where C is not affine in the accelerations."""
    present = set(symbols(C))
    places = tuple(j for j, a in enumerate(accelerations) if a in present)
    if not places:
        return Nonideal(C, np.empty((len(C), 0), dtype=object), ())
    z = accelerations[list(places)]
    slopes = jacobian(C, z)
    bad = [leaf for leaf in symbols(slopes) if leaf.order == 2]
    if bad:
        raise ModelError(
            f"the non-ideal force C is not linear in '{bad[0]!r}'; it may be proportional to a reaction only"
        )
    return Nonideal(substitute(C, dict.fromkeys(z, 0.0)), slopes, places)
