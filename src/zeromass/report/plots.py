"""Plots of runs: each function takes one run or several and an Axes, and returns the Axes.

Colours are those of Okabe and Ito, which colour-blind readers tell apart; labels carry units; nothing global is changed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from zeromass.contact.height import heights
from zeromass.expression import Evaluator, Expression, expressions, gradient
from zeromass.expression.operation.writing import printable
from zeromass.integrate import Course, Segment
from zeromass.model import ModelError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from mpl_toolkits.mplot3d import Axes3D

COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
SAMPLES = 1500
"""Times at which a run is drawn."""

GRID, MARGIN = 161, 0.12
"""Lines of the grid on which a surface is drawn, each way, and how far it goes beyond the path, as a part of that."""

FLAT = 1e-6
"""Heights that differ by less than this part of a grid's width are flat: rounding would draw their contour lines."""

Runs = Course | Sequence[Course]


def path(runs: Runs, ax: Axes | None = None, *, labels: Sequence[str] | None = None, contours: bool = True) -> Axes:
    """Contact point and centre seen from above, on the contour lines of the surface [UM2022, figs 5, 8, 11]."""
    ax = _axes(ax)
    runs = _several(runs)
    for k, (run, label) in enumerate(zip(runs, _labels(runs, labels), strict=True)):
        sampled = _sampled(run)
        contact, center = (sampled[_quantity(run, name)] for name in ("contact", "center"))
        color = COLORS[k % len(COLORS)]
        ax.plot(*contact[:, :2].T, color=color, lw=1.2, label=f"contact {label}".strip())
        if len(runs) == 1:
            ax.plot(*center[:, :2].T, color=COLORS[1], lw=0.9, ls=(0, (4, 2)), label=f"centre {label}".strip())
        ax.plot(*contact[0, :2], "o", color=color, ms=4)
    if contours:
        _contours(ax, runs[0])
    _wide_enough(ax)
    ax.set(xlabel="X [m]", ylabel="Y [m]", aspect="equal")
    ax.legend(frameon=False, loc="upper right")
    return ax


def path3d(runs: Runs, ax: Axes3D | None = None, *, labels: Sequence[str] | None = None) -> Axes3D:
    """Contact point and centre in space over the surface [UM2022, figs 3, 5]."""
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.figure(figsize=(6.4, 4.8)).add_subplot(projection="3d")
    runs = _several(runs)
    grid = heights_around(runs[0])
    if grid is not None:
        ax.plot_surface(*grid, cmap="cividis", alpha=0.45, lw=0, rcount=80, ccount=80)
    for k, (run, label) in enumerate(zip(runs, _labels(runs, labels), strict=True)):
        sampled = _sampled(run)
        contact, center = (sampled[_quantity(run, name)] for name in ("contact", "center"))
        ax.plot(*contact.T, color=COLORS[1 + k], lw=1.4, label=f"contact {label}".strip())
        ax.plot(*center.T, color=COLORS[0], lw=0.9, ls="--", label=f"centre {label}".strip())
    ax.set(xlabel="X [m]", ylabel="Y [m]", zlabel="Z [m]")
    ax.legend(frameon=False, loc="upper right")  # the best place would be looked for among all points of the surface
    return ax


def forces(runs: Runs, ax: Axes | None = None, *, labels: Sequence[str] | None = None) -> Axes:
    """Normal and friction force of the surface [UM2022, figs 6, 9, 12]; intervals in which it pulls are shaded."""
    ax = _axes(ax)
    runs = _several(runs)
    for k, (run, label) in enumerate(zip(runs, _labels(runs, labels), strict=True)):
        sampled = _sampled(run)
        normal, friction = (sampled[_quantity(run, name)] for name in ("normal force", "friction force"))
        color = COLORS[k % len(COLORS)]
        ax.plot(sampled.t, normal, color=color, lw=1.1, label=f"normal {label}".strip())
        ax.plot(sampled.t, friction, color=color, lw=1.1, ls="--", label=f"friction {label}".strip())
        if np.any(normal < 0):
            ax.fill_between(
                sampled.t,
                0,
                1,
                where=list(normal < 0),
                transform=ax.get_xaxis_transform(),
                color="#D55E00",
                alpha=0.15,
                lw=0,
            )
            ax.axhline(0.0, color="0.5", lw=0.6)
    return _timed(ax, "force [N]", runs)


def friction_ratio(runs: Runs, ax: Axes | None = None, *, labels: Sequence[str] | None = None) -> Axes:
    """Coefficient of friction that rolling needs, |F_t|/F_n."""
    return _lines(runs, ["friction ratio"], ax, labels, "friction needed |F_t|/F_n")


def torque(runs: Runs, ax: Axes | None = None, *, labels: Sequence[str] | None = None) -> Axes:
    """Torque of the surface at the contact, inertial components [UM2022, figs 6, 9, 12]."""
    return _lines(runs, ["torque at contact"], ax, labels, "torque at P [N m]")


def spin(runs: Runs, ax: Axes | None = None, *, labels: Sequence[str] | None = None) -> Axes:
    """Spin velocity about the normal."""
    return _lines(runs, ["spin"], ax, labels, "spin [rad/s]")


def energies(runs: Runs, ax: Axes | None = None, *, labels: Sequence[str] | None = None) -> Axes:
    """Kinetic, potential and total energy."""
    return _lines(runs, ["kinetic", "potential", "energy"], ax, labels, "energy [J]")


def coordinates(runs: Runs, names: Sequence[str] | None = None, ax: Axes | None = None) -> Axes:
    """Coordinates against time, all or those named."""
    ax = _axes(ax)
    runs = _several(runs)
    for run in runs:
        sampled = _sampled(run)
        wanted = [x for x in run.system.coordinates if names is None or x.name in names]
        if not wanted:
            known = ", ".join(x.name for x in run.system.coordinates)
            raise ModelError(f"no coordinate is named {names}; there are: {known}")
        for k, x in enumerate(wanted):
            ax.plot(sampled.t, sampled[x], color=COLORS[k % len(COLORS)], lw=1.1, label=as_written(x.name))
    return _timed(ax, "coordinate [SI]", runs)


def quantity(runs: Runs, expression: Expression | np.ndarray, ax: Axes | None = None, *, label: str = "") -> Axes:
    """Any expression against time."""
    ax = _axes(ax)
    runs = _several(runs)
    for k, run in enumerate(runs):
        sampled = _sampled(run)
        ax.plot(sampled.t, sampled[expressions(expression)], color=COLORS[k % len(COLORS)], lw=1.1)
    return _timed(ax, label, runs, legend=False)


def residuals(run: Course, ax: Axes | None = None) -> Axes:
    """Violation of each constraint at the steps, on a logarithmic scale [UM2022, figs 7, 10, 13]."""
    ax = _axes(ax)
    rows = [row for segment in run.segments for row in segment.system.rows if row.level < 2]
    floor = np.finfo(float).eps / 100
    for k, group in enumerate(dict.fromkeys(row.group for row in rows)):
        values = np.concatenate([_violation(segment, group) for segment in run.segments])
        ax.semilogy(run.t, np.maximum(values, floor), color=COLORS[k % len(COLORS)], lw=0.8, label=as_written(group))
    if run.system.has_energy:
        E = run[run.system.energy]
        drift = np.abs(E - E[0]) / max(abs(E[0]), np.finfo(float).tiny)
        ax.semilogy(run.t, np.maximum(drift, floor), color="0.4", lw=0.8, ls=":", label="energy, relative")
    _timed(ax, "residual [SI]", [run])
    ax.legend(frameon=False, fontsize="small", ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return ax


def _violation(segment: Segment, group: str) -> np.ndarray:
    """Of a constraint at the steps of a segment; not a number where there is no such constraint, as where a body slips."""
    zeros = [row.zero for row in segment.system.rows if row.group == group]
    if not zeros:
        return np.full(len(segment.t), np.nan)
    return np.abs(segment.steps[expressions(zeros)]).max(axis=1)


KINDS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (path, path3d, forces, friction_ratio, torque, spin, energies, residuals, coordinates, quantity)
}


def save_figure(ax: Axes, file: str | PathLike[str], *, dpi: int = 150) -> None:
    """Writes the figure of an Axes as PNG, SVG or PDF, by the ending of its name, and closes it.

    >>> from zeromass.report import save_figure
    >>> x = zm.coordinate("x")
    >>> swing = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2)
    >>> run = zm.simulate(swing, swing.start({x: 1.0}), until=1.0)
    >>> save_figure(run.plot.energies(), folder / "energies.svg")
    """
    import matplotlib.pyplot as plt

    from zeromass.report.writing import write

    ending = str(file).rsplit(".", 1)[-1].lower()
    if ending not in ("png", "svg", "pdf"):
        raise ModelError(f"a figure is written as .png, .svg or .pdf, not '{file}'")
    figure = cast("Figure", ax.figure)
    write(file, lambda place: figure.savefig(place, format=ending, dpi=dpi, bbox_inches="tight"))
    plt.close(figure)


def as_written(name: str) -> str:
    """A name in a figure, where Matplotlib would read what stands between dollars as a formula."""
    return printable(name).replace("$", r"\$")


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    _, ax = plt.subplots(figsize=(5.2, 3.6), layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _timed(ax: Axes, label: str, runs: Sequence[Course], legend: bool = True) -> Axes:
    """The axes of a plot against time, with a dotted line wherever the kind of motion changes."""
    for change in sorted({change for run in runs for change in run.changes}):
        ax.axvline(change, color="0.6", ls=":", lw=0.8, zorder=0)
    ax.set(xlabel="time [s]", ylabel=label)
    ax.grid(True, color="0.92", lw=0.6)
    ax.set_axisbelow(True)
    if legend and ax.get_legend_handles_labels()[0]:
        ax.legend(frameon=False, fontsize="small")
    return ax


def _lines(runs: Runs, names: Sequence[str], ax: Axes | None, labels: Sequence[str] | None, label: str) -> Axes:
    ax = _axes(ax)
    runs = _several(runs)
    k = 0
    for run, own in zip(runs, _labels(runs, labels), strict=True):
        sampled = _sampled(run)
        for name in names:
            values = sampled[_quantity(run, name)]
            series = [(values, name)] if values.ndim == 1 else [(values[:, i], axis) for i, axis in enumerate("XYZ")]
            for value, words in series:
                shown = " ".join(word for word in (words if len(series) * len(names) > 1 else "", own) if word)
                ax.plot(sampled.t, value, color=COLORS[k % len(COLORS)], lw=1.1, label=shown or None)
                k += 1
    return _timed(ax, label, runs)


def _several(runs: Runs) -> list[Course]:
    return [runs] if isinstance(runs, Course) else list(runs)


def _labels(runs: Sequence[Course], labels: Sequence[str] | None) -> list[str]:
    if labels is None:
        return [""] if len(runs) == 1 else [f"run {k + 1}" for k in range(len(runs))]
    return list(labels)


def _sampled(run: Course) -> Any:
    return run.at(np.linspace(run.t[0], run.t[-1], SAMPLES))


def _quantity(run: Course, name: str) -> Any:
    quantities = run.system.quantities
    if name not in quantities:
        raise ModelError(f"the run has no '{name}'; it has: {', '.join(quantities) or 'coordinates only'}")
    return quantities[name].expression


def heights_around(run: Course) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """The surface around the path as a grid of heights at the start, X, Y and Z; None where it moves or is no height."""
    ground = run.system.drawing_at(run.parameters).ground
    if ground is None or ground.moves:
        return None
    path = _sampled(run)[ground.point]
    low, high = path.min(axis=0), path.max(axis=0)
    margin = MARGIN * max(*(high - low)[:2], 4 * ground.extent)
    X, Y = np.meshgrid(*[np.linspace(low[i] - margin, high[i] + margin, GRID) for i in range(2)])
    level = ground.inertial
    numbers = Evaluator([level, *gradient(level, ground.place)], [*ground.place, *run.parameters])
    rest = np.array(list(run.parameters.values()), dtype=float)

    def values(points: np.ndarray) -> np.ndarray:
        return numbers(np.concatenate([points, np.broadcast_to(rest, (len(points), len(rest)))], axis=1))

    Z = heights(values, X, Y, float(path[:, 2].mean()), size=ground.extent).z
    return (X, Y, Z) if np.isfinite(Z).mean() > 0.5 else None


def _wide_enough(ax: Axes) -> None:
    """Keeps a straight path from being drawn as a line without height: a quarter of the other way at least."""
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    least = max(right - left, high - low) / 4
    if right - left < least:
        ax.set_xlim((left + right - least) / 2, (left + right + least) / 2)
    if high - low < least:
        ax.set_ylim((low + high - least) / 2, (low + high + least) / 2)


def _contours(ax: Axes, run: Course) -> None:
    grid = heights_around(run)
    if grid is not None and np.nanmax(grid[2]) - np.nanmin(grid[2]) > FLAT * np.ptp(grid[0]):
        ax.contour(*grid, levels=14, colors="0.75", linewidths=0.5, zorder=0)
