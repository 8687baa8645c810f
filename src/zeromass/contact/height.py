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
    shape = np.broadcast_shapes(np.shape(x), np.shape(y), np.shape(guess))
    points = np.empty((*shape, 3))
    points[..., 0], points[..., 1], points[..., 2] = x, y, guess
    flat = points.reshape(-1, 3)
    Z, found = flat[:, 2], np.zeros(len(flat), dtype=bool)
    open_, moved = np.arange(len(flat)), np.full(len(flat), np.inf)
    for _ in range(STEPS):
        f, slope_x, slope_y, slope = values(flat[open_]).T
        steep = np.sqrt(slope_x**2 + slope_y**2 + slope**2)
        good = (np.abs(f) + steep < np.inf) & (steep > 0.0) & (np.abs(slope) >= VERTICAL * steep)
        if not good.all():
            open_, f, slope = open_[good], f[good], slope[good]
        step = f / slope
        Z[open_] -= step
        step, scale = np.abs(step), np.maximum(np.abs(flat[open_]).max(axis=1), size)
        done = (step <= ROUNDING * scale) | ((step >= moved[open_]) & (step <= FOUND * scale))
        if done.any():
            found[open_[done]] = True
            open_, step = open_[~done], step[~done]
        if not len(open_):
            break
        moved[open_] = step
    return Heights(np.where(found, Z, np.nan).reshape(shape), Z.reshape(shape))
