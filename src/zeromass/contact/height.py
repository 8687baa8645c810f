"""The height of a surface over places: Newton's method along Z, for many places at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

VERTICAL = 1e-12
"""Part of the slope |∇f| that its Z component has at least: below, rounding decides where a surface meets a vertical."""

ROUNDING = 2 * np.finfo(float).eps
"""Part of the place's size by which Z no longer moves when it is found."""

FOUND = 1e-12
"""Part of the place's size within which Z wanders from rounding where f is computed with few digits."""

STEPS = 100

Values = Callable[[np.ndarray], np.ndarray]
"""Of points, shape (…, 3), to f and ∇f, shape (…, 4)."""


class Heights(NamedTuple):
    """Z over each place, not a number where none was found, and the Z at which the search ended."""

    z: np.ndarray
    last: np.ndarray


def heights(values: Values, x: np.ndarray, y: np.ndarray, guess: np.ndarray | float, *, size: float) -> Heights:
    """The zero Z of f(x, y, Z) that Newton's method finds from a guess, for arrays of places.

        Z ← Z − f/f_Z

    size  m: of a body on the surface; rounding is measured by it where the places are nearer to the origin
    """
    X, Y, Z = (a.ravel() for a in np.broadcast_arrays(x, y, np.asarray(guess, dtype=float)))
    Z, found = Z.copy(), np.zeros(Z.shape, dtype=bool)
    open_ = np.arange(len(Z))
    moved = np.full(Z.shape, np.inf)
    for _ in range(STEPS):
        numbers = values(np.stack([X[open_], Y[open_], Z[open_]], axis=-1))
        f, slope = numbers[:, 0], numbers[:, 1:]
        steep = np.sqrt(np.sum(slope * slope, axis=1))
        good = np.isfinite(f) & np.isfinite(steep) & (steep > 0) & ~(np.abs(slope[:, 2]) < VERTICAL * steep)
        open_, step = open_[good], f[good] / slope[good, 2]
        Z[open_] -= step
        scale = np.maximum(np.maximum(np.abs(X[open_]), np.abs(Y[open_])), np.maximum(np.abs(Z[open_]), size))
        wanders = (np.abs(step) >= moved[open_]) & (np.abs(step) <= FOUND * scale)
        done = (np.abs(step) <= ROUNDING * scale) | wanders
        moved[open_] = np.abs(step)
        found[open_[done]] = True
        open_ = open_[~done]
        if not len(open_):
            break
    shape = np.broadcast_shapes(np.shape(x), np.shape(y), np.shape(guess))
    return Heights(np.where(found, Z, np.nan).reshape(shape), Z.reshape(shape))
