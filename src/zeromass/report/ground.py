"""The surface below a path: its heights on a grid, its contour lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from zeromass.contact.height import heights
from zeromass.expression import Evaluator, gradient
from zeromass.expression import t as time
from zeromass.integrate import Course
from zeromass.report.axes import remark

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from zeromass.model import Ground

Frame = Literal["space", "surface"]
"""Axes in which a path is seen: those at rest, or those of the surface."""

GRID, MARGIN = 161, 0.12
"""Lines of the grid on which a surface is drawn, each way, and how far it goes beyond the path, as a part of that."""

FLAT = 1e-6
"""Heights that differ by less than this part of a grid's width are flat: rounding would draw their contour lines."""

SAMPLES = 1500
"""Times at which a run is drawn."""

Grid = tuple[np.ndarray, np.ndarray, np.ndarray]


def ground_of(run: Course) -> Ground | None:
    """The surface of a run, where there is one."""
    return run.system.drawing_at(run.parameters).ground


def heights_around(run: Course, *, at: float | None = None, frame: Frame = "space") -> Grid | None:
    """The surface around the path as a grid of heights, X, Y and Z; None where it is no height.

    at     the time, of a surface that moves; without it there are no heights of one that does
    frame  axes at rest, or those of the surface
    """
    ground = ground_of(run)
    if ground is None or (ground.moves and at is None):
        return None
    sampled = run.at(np.linspace(run.t[0], run.t[-1], SAMPLES))
    beside = [one for one in run.system.drawing_at(run.parameters).beside if one.f is ground.f]  # other bodies on it
    path = np.concatenate([sampled[one.point if frame == "space" else one.contact] for one in (ground, *beside)])
    low, high = path.min(axis=0), path.max(axis=0)
    margin = MARGIN * max(*(high - low)[:2], 4 * ground.extent)
    X, Y = np.meshgrid(*[np.linspace(low[i] - margin, high[i] + margin, GRID) for i in range(2)])
    level = ground.inertial if frame == "space" else ground.f
    numbers = Evaluator([level, *gradient(level, ground.place)], [*ground.place, time, *run.parameters])
    rest = np.array([run.t[0] if at is None else at, *run.parameters.values()], dtype=float)

    def values(points: np.ndarray) -> np.ndarray:
        return numbers(np.concatenate([points, np.broadcast_to(rest, (len(points), len(rest)))], axis=1))

    Z = heights(values, X, Y, float(path[:, 2].mean()), size=ground.extent).z
    return (X, Y, Z) if np.isfinite(Z).mean() > 0.5 else None


def contours(ax: Axes, run: Course, frame: Frame = "space") -> None:
    """Contour lines of the surface, with the height between them; of one that moves those at the start."""
    ground = ground_of(run)
    begin = float(run.t[0])
    grid = heights_around(run, at=begin, frame=frame)
    if ground is None or grid is None or np.nanmax(grid[2]) - np.nanmin(grid[2]) <= FLAT * np.ptp(grid[0]):
        return
    from matplotlib.ticker import MaxNLocator

    levels = MaxNLocator(12).tick_values(float(np.nanmin(grid[2])), float(np.nanmax(grid[2])))
    ax.contour(*grid, levels=levels, colors="0.8", linewidths=0.5, zorder=0)
    words = f"contour lines every {levels[1] - levels[0]:.3g} m"
    if ground.moves and frame == "space":
        words += f", of the surface at t = {begin:g} s"
        _drift(ax, run, ground)
    remark(ax, words)


def _drift(ax: Axes, run: Course, ground: Ground) -> None:
    """How the origin of a moving surface goes, at the middle of the picture."""
    sampled = run.at(np.linspace(run.t[0], run.t[-1], SAMPLES))
    X, Y = sampled[ground.shift][:, :2].T
    if max(np.ptp(X), np.ptp(Y)) <= FLAT * ground.extent:
        return
    path = sampled[ground.point][:, :2]
    middle = (path.min(axis=0) + path.max(axis=0)) / 2
    x, y = X - X.mean() + middle[0], Y - Y.mean() + middle[1]
    ax.plot(x, y, color="0.55", lw=0.9, ls=(0, (1, 1.5)), label="way of the surface", zorder=1)
