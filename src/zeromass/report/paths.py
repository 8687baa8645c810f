"""Plots of where bodies go: their paths on the surface from above and in space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from zeromass.integrate import Course
from zeromass.model.given import given_choice, given_flag
from zeromass.report import ground
from zeromass.report.axes import STYLES, as_written, given_axes, legend, own, titled
from zeromass.report.ground import SAMPLES, Frame, heights_around
from zeromass.report.palette import SERIES, color
from zeromass.report.runs import Runs, labels_of, quantity_of, several

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from mpl_toolkits.mplot3d import Axes3D

BESIDE, ABOVE = 0.8, 1.3
"""Inches of a figure that labels take beside its axes, and labels, legend and title below and above them."""

TICKS = 7
"""Most ticks of the longest axis in space."""

STRETCHED = 4.0
"""Times that a height is less than a breadth beyond which a picture in space is stretched upwards."""


def path(
    runs: Runs,
    ax: Axes | None = None,
    *,
    labels: Sequence[str] | None = None,
    contours: bool = True,
    frame: Frame = "space",
) -> Axes:
    """Contact point and centre seen from above, on the contour lines of the surface [UM2022, figs 5, 8, 11].

    Of several bodies the centres.

    frame  "space", or "surface": the track that the contact leaves on a surface that moves

    >>> from matplotlib.figure import Figure
    >>> ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.Surface(lambda X, Y: 0.3 * (X**2 + Y**2)))
    >>> runs = [zm.simulate(ball, ball.start(contact=(a, 0)), until=1.0) for a in (0.2, 0.4)]
    >>> zm.plot.path(runs, Figure().add_subplot(), labels=["near", "far"]).get_xlabel()
    'X [m]'
    """
    given_flag(contours, "contours")
    given_choice(frame, "frame", ("space", "surface"))
    new, ax = ax is None, own(ax, (5.4, 4.6))
    runs = several(runs)
    for k, (run, label) in enumerate(zip(runs, labels_of(runs, labels), strict=True)):
        for j, track in enumerate(_tracks(run, frame)):
            if j and len(runs) > 1 and track.second:
                continue
            mark = track.color(j) if len(runs) == 1 else SERIES[k % len(SERIES)]
            x, y, _ = track.points.T
            ax.plot(x, y, color=mark, lw=track.width, ls=track.style, label=as_written(f"{track.name} {label}".strip()))
            if not track.second:
                ax.plot(x[:1], y[:1], "o", color=mark, ms=4.5, mec="white", mew=0.6, zorder=4)
    if contours:
        ground.contours(ax, runs[0], frame)
    _wide_enough(ax)
    if new:
        _as_tall_as_drawn(ax)
    ax.set(xlabel="X [m]", ylabel="Y [m]", aspect="equal")
    ax.set_axisbelow(True)
    titled(ax, "Path from above" if frame == "space" else "Track on the surface, in its own axes")
    legend(ax)
    return ax


class _Track(NamedTuple):
    """A path, shape (n, 3), m; `second` where it follows another one, as a centre follows its contact."""

    name: str
    points: np.ndarray
    second: bool = False

    def color(self, k: int) -> str:
        return color(self.name, k)

    @property
    def width(self) -> float:
        return 0.9 if self.second else 1.2

    @property
    def style(self) -> Any:
        return STYLES[1 if self.second else 0]


def has_paths(run: Course) -> bool:
    """Whether bodies of a run go over a surface."""
    if run.system.large or "contact" in run.system.quantities:
        return "contact" in run.system.quantities
    drawing = run.system.drawing_at(run.parameters)
    return drawing.ground is not None and any(trail.kind == "center" for trail in drawing.trails)


def _tracks(run: Course, frame: Frame) -> list[_Track]:
    """Of the contact and the centre, or of the centres of several bodies; on the surface that of the contact alone."""
    sampled = run.at(np.linspace(run.t[0], run.t[-1], SAMPLES))
    below = ground.ground_of(run) if frame == "surface" else None
    if below is not None:
        return [_Track("contact", sampled[below.contact])]
    if has_paths(run) and "contact" not in run.system.quantities:
        trails = run.system.drawing_at(run.parameters).trails
        return [_Track(trail.name, sampled[trail.point]) for trail in trails if trail.kind == "center"]
    contact, center = quantity_of(run, "contact"), quantity_of(run, "center")
    return [_Track("contact", sampled[contact]), _Track("centre", sampled[center], second=True)]


def path3d(runs: Runs, ax: Axes3D | None = None, *, labels: Sequence[str] | None = None) -> Axes3D:
    """Contact point and centre in space over the surface, at the start where that moves [UM2022, figs 3, 5].

    >>> from matplotlib.figure import Figure
    >>> ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.Surface(lambda X, Y: 0.3 * (X**2 + Y**2)))
    >>> runs = [zm.simulate(ball, ball.start(contact=(a, 0)), until=1.0) for a in (0.2, 0.4)]
    >>> zm.plot.path3d(runs, Figure().add_subplot(projection="3d")).get_zlabel()
    'Z [m]'
    """
    if ax is None:
        ax = _in_space()
    else:
        given_axes(ax, space=True)
    runs = several(runs)
    grid = heights_around(runs[0], at=float(runs[0].t[0]))
    if grid is not None:
        ax.plot_surface(*grid, cmap="cividis", alpha=0.4, lw=0, rcount=80, ccount=80)
    seen = []
    for k, (run, label) in enumerate(zip(runs, labels_of(runs, labels), strict=True)):
        for j, track in enumerate(_tracks(run, "space")):
            alone = len(runs) == 1 or track.second
            mark = track.color(j) if alone else SERIES[k % len(SERIES)]
            words = track.name if track.second else as_written(f"{track.name} {label}".strip())
            named = words if not track.second or k == 0 else None
            ax.plot(*track.points.T, color=mark, lw=track.width, ls=track.style, label=named)
            seen.append(track.points)
    _stretched(ax, np.concatenate(seen), grid)
    ax.set(xlabel="X [m]", ylabel="Y [m]", zlabel="Z [m]")
    ax.tick_params(labelsize="x-small", pad=0)
    ax.xaxis.labelpad = ax.yaxis.labelpad = 8.0  # off the numbers of a long axis
    for axis in ("xaxis", "yaxis", "zaxis"):
        getattr(ax, axis).pane.set_alpha(0.0)
    _few(ax)
    ax.legend(frameon=False, loc="upper left", fontsize="small")  # the best place would be looked for among all points
    return ax


def _few(ax: Axes3D) -> None:
    """As many ticks as there is room for: few of a short axis, where more would stand on one another."""
    from matplotlib.ticker import MaxNLocator

    lengths: Any = ax.get_box_aspect()  # type: ignore[attr-defined]
    longest = max(lengths)
    for axis, length in zip((ax.xaxis, ax.yaxis, ax.zaxis), lengths, strict=True):
        axis.set_major_locator(MaxNLocator(max(2, round(TICKS * length / longest)), min_n_ticks=2))


def _in_space() -> Axes3D:
    """New axes in space that fill their figure."""
    import matplotlib.pyplot as plt

    with plt.rc_context({"grid.color": "0.92", "grid.linewidth": 0.6}):  # as quiet as the grids of other plots
        ax: Any = plt.figure(figsize=(6.0, 4.4)).add_axes((0.02, 0.0, 0.93, 0.94), projection="3d")
    return ax


def _stretched(ax: Axes3D, points: np.ndarray, grid: tuple[np.ndarray, ...] | None) -> None:
    """Equal lengths along all axes; a flat picture is stretched upwards, and says how much."""
    if grid is not None:
        points = np.concatenate([points, np.stack([np.ravel(one) for one in grid], axis=1)])
        points = points[np.isfinite(points).all(axis=1)]
    x, y, z = np.maximum(np.ptp(points, axis=0), 1e-12)
    factor = max(x, y) / z / STRETCHED
    factor = 1.0 if factor <= 1.0 else float(f"{min(factor, 1e6):.1g}")
    tall = max(z * factor / max(x, y), 0.05)
    zoom = 1.05 - 0.2 * float(
        np.clip((tall - 1 / STRETCHED) / 0.75, 0.0, 1.0)
    )  # what is tall needs room for its labels
    aspect: Any = {"aspect": (x, y, tall * max(x, y)), "zoom": zoom}
    ax.set_box_aspect(**aspect)
    words = "Path in space" if factor == 1.0 else f"Path in space, heights × {factor:g}"
    if not ax.get_title():
        ax.set_title(words, fontsize="medium")


def _as_tall_as_drawn(ax: Axes) -> None:
    """A figure without empty paper above and below a path that is wider than high."""
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    figure: Any = ax.figure
    wide, tall = figure.get_size_inches()
    drawn = (wide - BESIDE) * (high - low) / (right - left) + ABOVE
    figure.set_size_inches(wide, min(tall, drawn))


def _wide_enough(ax: Axes) -> None:
    """Keeps a straight path from being drawn as a line without height: a quarter of the other way at least."""
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    least = max(right - left, high - low) / 4
    if right - left < least:
        ax.set_xlim((left + right - least) / 2, (left + right + least) / 2)
    if high - low < least:
        ax.set_ylim((low + high - least) / 2, (low + high + least) / 2)
