"""Figures of surfaces alone, without a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.contact.height import heights
from zeromass.contact.surface import Surface
from zeromass.contact.traced import PLACE
from zeromass.expression import Evaluator, as_expression, gradient, symbols
from zeromass.expression import t as time
from zeromass.model import ModelError
from zeromass.model.given import Parameters, by_parameter, given_kind, given_numbers, given_real
from zeromass.report.axes import axes, given_axes

if TYPE_CHECKING:
    from mpl_toolkits.mplot3d import Axes3D

GRID = 121
"""Points along each side."""


def surface(
    of: Surface,
    x: tuple[float, float] = (-1.0, 1.0),
    y: tuple[float, float] = (-1.0, 1.0),
    ax: Axes3D | None = None,
    *,
    t: float = 0.0,
    parameters: Parameters | None = None,
    colors: str = "viridis",
) -> Axes3D:
    """Surface in three dimensions over a rectangle of X and Y, coloured by its height.

    x, y        the rectangle, m
    t           time, s, of a surface that moves
    parameters  their values, by default those that they were made with
    colors      a colour map of Matplotlib

    >>> from matplotlib.figure import Figure
    >>> bowl = zm.surfaces.dimpled_bowl()
    >>> zm.plot.surface(bowl, (-2, 2), (-2, 2), Figure().add_subplot(projection="3d")).get_zlabel()
    'Z [m]'
    """
    given_kind(of, Surface, "what is drawn", "a zm.Surface")
    (x0, x1), (y0, y1) = (given_numbers(side, f"the range of {name}", (2,)) for name, side in (("X", x), ("Y", y)))
    drawn: Any = axes(space=[0], size=(6.0, 4.6)) if ax is None else given_axes(ax, space=True)
    X, Y = np.meshgrid(np.linspace(x0, x1, GRID), np.linspace(y0, y1, GRID))
    Z = _heights(of, X, Y, given_real(t, "t"), {} if parameters is None else parameters)
    drawn.plot_surface(X, Y, Z, cmap=colors, rcount=GRID, ccount=GRID, linewidth=0, antialiased=True)
    drawn.set(xlabel="X [m]", ylabel="Y [m]", zlabel="Z [m]")
    return drawn


def _heights(of: Surface, X: np.ndarray, Y: np.ndarray, t: float, parameters: Any) -> np.ndarray:
    """Z of the surface over the grid."""
    level = as_expression(of(PLACE))
    names = [leaf for leaf in symbols(level) if leaf.kind == "parameter" and leaf not in PLACE]
    given = by_parameter(parameters, names)
    values = Evaluator([level, *gradient(level, PLACE)], [*PLACE, time, *names])
    rest = np.array([t, *(given.get(p, p.default) for p in names)], dtype=float)

    def at(points: np.ndarray) -> np.ndarray:
        return values(np.concatenate([points, np.broadcast_to(rest, (len(points), len(rest)))], axis=1))

    Z = heights(at, X, Y, 0.0, size=float(np.ptp(X))).z
    if not np.isfinite(Z).any():
        raise ModelError(f"'{of.name}' has no height over the rectangle")
    return Z
