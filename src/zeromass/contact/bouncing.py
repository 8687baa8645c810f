"""After a stroke: whether there is another flight, and how it begins above the surface."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from zeromass.contact.watched import RESTED
from zeromass.expression import Expression
from zeromass.model import State

RESTS = 1e-12
"""Height of the next bounce, as a part of places and sizes, below which bounces end: rounding would decide of the rest."""


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


def above(state: State, gap: Expression, moved: Sequence[int], up: np.ndarray, by: float, size: float) -> State:
    """A state with a gap that is open: moved up by a distance, m, and by rounding as often as that takes.

    moved  coordinates that move along `up`
    size   of places, m, of which rounding is a part
    """
    rounding = np.finfo(float).eps * size
    while True:
        q = state.q.copy()
        q[list(moved)] += by * up
        state, by, rounding = replace(state, q=q), rounding, 2 * rounding
        if state[gap] > 0.0:
            return state
