"""Work of constraint forces that depends on the motion itself: C affine in what is unknown, such as Coulomb friction.

    C = C₀ + D z,   z some of the accelerations and multipliers

The motion is affine in C, so that z = z₀ + G z with z₀ the unknowns for C₀ and G their response to the columns of D. Where
C has kinks or jumps in them, as |N| has, it is affine on its pieces: see `zeromass.model.unknown`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from zeromass.errors import ModelError
from zeromass.expression import Symbol, expressions, jacobian, substitute, symbols
from zeromass.expression.node import ordered
from zeromass.expression.pieces import SWITCHING, Pieces


class Nonideal(NamedTuple):
    """C split into what does not depend on unknowns, and the slopes of the rest.

    constant  C₀, (n,)
    slopes    D, (n, k)
    places    indices of the k unknowns z among accelerations and multipliers
    switched  whether C has kinks or jumps in them: then D and the places are those of no piece, and empty
    """

    constant: np.ndarray
    slopes: np.ndarray
    places: tuple[int, ...]
    switched: bool = False


def split(C: np.ndarray, unknown: np.ndarray) -> Nonideal:
    """C = C₀ + D z; an error where C is not affine in the unknowns, on its pieces.

    unknown  accelerations and multipliers
    """
    present = set(symbols(C))
    places = tuple(j for j, z in enumerate(unknown) if z in present)
    if not places:
        return Nonideal(C, np.empty((len(C), 0), dtype=object), ())
    z = unknown[list(places)]
    if _switches(C, set(z)):
        split(Pieces().found(C), unknown)
        return Nonideal(_without(C, z), np.empty((len(C), 0), dtype=object), (), switched=True)
    slopes = jacobian(C, z)
    bad = [leaf for leaf in symbols(slopes) if leaf.order == 2 or leaf.kind == "multiplier"]
    if bad:
        raise ModelError(
            f"the non-ideal force C is not linear in '{bad[0]!r}'; it may be proportional to a reaction only"
        )
    return Nonideal(_without(C, z), slopes, places)


def _without(C: np.ndarray, z: np.ndarray) -> np.ndarray:
    return expressions(substitute(C, dict.fromkeys(z, 0.0)))


def _switches(C: np.ndarray, unknown: set[Symbol]) -> bool:
    """Whether formulas have kinks or jumps in what is unknown."""
    return any(node.op in SWITCHING and not unknown.isdisjoint(symbols(list(node.args))) for node in ordered(C.ravel()))
