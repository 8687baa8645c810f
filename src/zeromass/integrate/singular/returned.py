"""States between steps returned to the constraints, held to the bound of the steps themselves."""

from __future__ import annotations

import numpy as np

from zeromass.integrate.passages import faded
from zeromass.integrate.settings import Settings
from zeromass.integrate.singular.lightest import gone
from zeromass.integrate.stepping.dense import Projection
from zeromass.integrate.stepping.kernel import ROUNDING
from zeromass.model import State


def returned(projected: Projection, start: State, settings: Settings, *, whole: bool = True) -> Projection:
    """The nearest states on the constraints, but where these lose independence and that would lead too far away.

    There an error δ of an interpolated state is corrected by a multiple of δ²/σ, σ the strength of the weakest combination
    of rows, and the interpolated state itself is the better one. So it is where they hardly tell a coordinate without mass.

    whole  whether constraints can be looked at as a whole; those of a large system are not
    """

    def project(t: np.ndarray, y: np.ndarray) -> np.ndarray:
        on = projected(t, y)
        far = far_away(on, y, settings)
        if far.any() and whole:
            there = np.flatnonzero(far)[misled(start, t[far], y[far])]
            on[there] = y[there]
        return on

    return project


def far_away(on: np.ndarray, y: np.ndarray, settings: Settings) -> np.ndarray:
    """Whether states on the constraints, shape (k, 2n), are further from what they were than errors of steps explain."""
    allowed = np.abs(y)  # atol + rtol |y| + 16 ε
    allowed *= settings.rtol
    allowed += settings.atol
    allowed += ROUNDING
    with np.errstate(all="ignore"):
        moved = on - y
        moved /= allowed
        moved *= moved
        return ~(np.sqrt(np.mean(moved, axis=1)) <= settings.limits.correction)


def misled(start: State, t: np.ndarray, y: np.ndarray, *, firm: bool = False) -> np.ndarray:
    """Whether constraints that have lost independence lead states, shape (k, 2n), at times t away, as truths, (k,).

    States that the constraints led to where they have no value are such.

    firm  whether the pivots tell that they have not: then only motions without mass are looked for
    """
    values = np.array([start.parameters[p] for p in start.system.parameters])
    inputs = np.column_stack([t, y, np.broadcast_to(values, (len(t), len(values)))])
    at = start.system.matrices(inputs)
    known = np.asarray(np.isfinite(at.A).all(axis=(1, 2)) & np.isfinite(at.M).all(axis=(1, 2)))
    if not known.all():
        at = start.system.matrices(inputs[known])
    found = np.logical_not(known)
    if known.any():
        found[known] = gone(start, at) if firm else faded(start, at.A) | gone(start, at)
    return found
