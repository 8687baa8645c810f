"""Figures of several panels, lettered as in the papers, and what many of them draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from zeromass.contact import Surface, surfaces
from zeromass.report.surfaces import surface as draw_surface

LETTERS = "abcdefghijklmnop"


def panels(rows: int, columns: int, *, space: Sequence[int] = (), size: tuple[float, float] = (4.6, 3.4)) -> Any:
    """A figure and its axes, row by row, with letters (a), (b), …; those in `space` have three dimensions."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(size[0] * columns, size[1] * rows), layout="constrained")
    axes = []
    for k in range(rows * columns):
        ax: Any = figure.add_subplot(rows, columns, k + 1, projection="3d" if k in space else None)
        if rows * columns > 1:
            ax.set_title(f"({LETTERS[k]})", fontsize=10, loc="left")
        axes.append(ax)
    return figure, axes


def bowl_in_space(ax: Any, *, reach: float = 2.0, alpha: float = 1.0) -> None:
    """The dimpled bowl, over a square about the origin."""
    draw_surface(surfaces.dimpled_bowl(), (-reach, reach), (-reach, reach), ax)
    for part in ax.collections:
        part.set_alpha(alpha)


def contours(ax: Any, of: Surface, reach: float, levels: int = 14, **style: Any) -> None:
    """Contour lines of a surface over a square about the origin."""
    X, Y = np.meshgrid(*[np.linspace(-reach, reach, 201)] * 2)
    ax.contour(X, Y, of.height(X, Y), levels=levels, **{"linewidths": 0.7, **style})
    ax.set(xlabel="X [m]", ylabel="Y [m]", aspect="equal")


def in_time(ax: Any, t: np.ndarray, curves: Sequence[tuple[np.ndarray, str, str, str]], ylabel: str) -> None:
    """Curves over time: values, colour, line style and label of each."""
    for values, color, style, label in curves:
        ax.plot(t, values, color=color, ls=style, lw=0.9, label=label or None)
    ax.set(xlabel="Time [s]", ylabel=ylabel)
    if any(label for *_, label in curves):
        legend(ax)


def legend(ax: Any) -> None:
    """Names of the curves, above the panel: they hide nothing."""
    ax.legend(fontsize=7, frameon=False, loc="lower right", bbox_to_anchor=(1, 0.99), ncols=4, borderaxespad=0.1)
