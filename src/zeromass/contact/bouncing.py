"""After a stroke: whether there is another flight, and how it begins above the surface."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from zeromass.contact.watched import RESTED
from zeromass.expression import Expression, as_expression
from zeromass.expression.magnitude import magnitudes
from zeromass.model import State

RESTS = 1e-11
"""Height of the next bounce, as a part of places and sizes, below which bounces end: rounding would decide of the rest."""

TOUCHES = 1e-12
"""Part of places and speeds below which a surface counts as touched, and as not approached."""


class Bounce(NamedTuple):
    """Whether a flight follows a stroke, and what is said where it does not: by name and when, s."""

    flies: bool
    said: tuple[tuple[str, float], ...] = ()


def bounce(t: float, rises: float, falls: float, least: float, e: float) -> Bounce:
    """What follows a stroke after which a gap opens at a rate, m/s, and is drawn back at an acceleration, m/s².

    least  height of a bounce, m, below which bounces end; those left out would last 2 v/(a (1 − e)) in all
    """
    if rises > 0.0 and (falls <= 0.0 or rises**2 / (2 * falls) > least):
        return Bounce(True)
    if rises > 0.0 and e < 1.0:
        return Bounce(False, ((RESTED, t + 2 * rises / (falls * (1 - e))),))
    return Bounce(False)


def late(gap: float, rising: float) -> float:
    """Time since a gap has closed, s; none where it does not close."""
    return gap / rising if rising < 0.0 else 0.0


def rounding_of(gap: Expression) -> Expression:
    """How much two ways to compute a gap may differ, m: what is less is neither open nor closed."""
    return as_expression(np.finfo(float).eps * magnitudes([gap])[0])


def above(
    state: State, gap: Expression, rounding: Expression, moved: Sequence[int], up: np.ndarray, by: float, size: float
) -> State:
    """A state with a gap that is open, however it is computed: moved up by a distance, m, then by as little as that takes.

    moved  coordinates that move along `up`
    size   of places, m, of which their rounding is a part
    """
    least = np.finfo(float).eps * size
    while True:
        q = state.q.copy()
        q[list(moved)] += by * up
        state = replace(state, q=q)
        lacks = float(state[rounding] - state[gap])
        if lacks < 0.0:
            return state
        by, least = lacks + least, 2 * least
