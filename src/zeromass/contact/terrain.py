"""Measured terrain: a smooth surface through heights on a rectangular grid."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from zeromass.contact.surface import Surface
from zeromass.expression import Grid
from zeromass.model import ModelError

DEGREE = 5
"""Of the spline: its fourth derivatives are continuous. The constraints of a contact take the third ones of the height,
and their own derivatives, which implicit methods and sensitivities need, the fourth ones."""


class Terrain(Surface):
    """The surface through measured heights, see `Surface.from_heights`.

    grid  the spline, with an apron of one cell around the data. The polynomials of the outermost cells go on there, so
          that a run can look over the border when it locates the point where its contact reaches it
    """

    def __init__(self, x: ArrayLike, y: ArrayLike, z: ArrayLike, *, name: str = "terrain", **motion: Any) -> None:
        x, y, z = _checked(x, y, z, name)
        self.grid: Grid = _spline(x, y, z, name)
        super().__init__(self.grid, name=name, **motion)
        self.area: np.ndarray | None = np.array([[x[0], y[0]], [x[-1], y[-1]]])


def _checked(x: Any, y: Any, z: Any, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The data as arrays, or what is wrong with them."""
    arrays = {}
    for letter, values in (("x", x), ("y", y), ("z", z)):
        try:
            arrays[letter] = np.asarray(values, dtype=float)
        except (TypeError, ValueError, OverflowError) as error:
            raise ModelError(f"{letter} of '{name}' must be numbers in a rectangular array: {error}") from error
    for letter in ("x", "y"):
        line = arrays[letter]
        if line.ndim != 1:
            raise ModelError(f"{letter} of '{name}' has shape {line.shape}; give one number for each line of the grid")
        if len(line) <= DEGREE:
            raise ModelError(
                f"{letter} of '{name}' has {len(line)} values; a spline of degree {DEGREE} needs at least {DEGREE + 1}"
            )
        if not np.all(np.isfinite(line)):
            k = int(np.flatnonzero(~np.isfinite(line))[0])
            raise ModelError(f"{letter}[{k}] of '{name}' is {line[k]}; it must be finite")
        falls = np.flatnonzero(np.diff(line) <= 0)
        if len(falls):
            k = int(falls[0])
            raise ModelError(
                f"{letter} of '{name}' must rise, but {letter}[{k}] = {line[k]:g} is followed by "
                f"{letter}[{k + 1}] = {line[k + 1]:g}; sort it, and z with it"
            )
    x, y, z = arrays.values()
    if z.shape != (len(x), len(y)):
        hint = "; give z.T" if z.shape == (len(y), len(x)) else ""
        raise ModelError(f"z of '{name}' has shape {z.shape}, not (len(x), len(y)) = {(len(x), len(y))}{hint}")
    if not np.all(np.isfinite(z)):
        bad = np.argwhere(~np.isfinite(z))
        i, j = (int(k) for k in bad[0])
        raise ModelError(
            f"z of '{name}' has {len(bad)} heights that are not finite, the first z[{i}, {j}] = {z[i, j]} at "
            f"x = {x[i]:g}, y = {y[j]:g}; fill the gaps first"
        )
    return x, y, z


def _spline(x: np.ndarray, y: np.ndarray, z: np.ndarray, name: str) -> Grid:
    """The interpolating spline of degree 5 in x and in y, as polynomials in the cells of the data and of the apron."""
    X, Y = (np.concatenate([[2 * a[0] - a[1]], a, [2 * a[-1] - a[-2]]]) for a in (x, y))
    along_x = _polynomials(x, X, z)
    c = _polynomials(y, Y, np.moveaxis(along_x, 2, 0))  # (J, L, I, K)
    c = np.ascontiguousarray(c.transpose(2, 0, 3, 1))
    c[1:, 1:, 0, 0] = z  # what they are but for rounding
    return Grid(X, Y, c, name=name)


def _polynomials(x: np.ndarray, lines: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Coefficients (cells, powers, …) about the first line of each cell, of splines through values (points, …) at x.

    The two outermost lines of the data at either end are no knots: there are as many polynomials as the data determine.
    """
    from scipy.interpolate import make_interp_spline

    try:
        spline = make_interp_spline(x - x[0], values, k=DEGREE)
    except np.linalg.LinAlgError:
        words = "lines that are too near to one another, or too far apart, for a spline of degree 5"
        raise ModelError(f"the heights have {words}: they lie between {x[0]:g} and {x[-1]:g}") from None
    starts = lines[:-1] - x[0]
    return np.stack([spline(starts, nu=k) / math.factorial(k) for k in range(DEGREE + 1)], axis=1)
