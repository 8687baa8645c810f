"""A plot that comes to life: its curves grow as the motion goes on, as a GIF or WebP for slides."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from zeromass.integrate import Course
from zeromass.model import ModelError
from zeromass.model.given import given_finite
from zeromass.report.axes import given_axes
from zeromass.report.writing import given_path, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ENDINGS = {".gif": "GIF", ".webp": "WEBP"}

SLOWEST, FRAMES = 0.01, 1000
"""Least frames a second, and most frames."""

COLORS = 64
"""Of a GIF: curves and words need no more."""


FEWEST_DOTS = 5.0
"""Dots an inch below which letters have no size."""


def animation(
    run: Course, ax: Axes, path: str | PathLike[str], *, fps: float = 20, seconds: float | None = None, dpi: float = 100
) -> Path:
    """Writes a plot of a run as an animation: each curve that spans the run grows, with a dot at its end.

    seconds  of the film; by default as long as the motion, at most 12
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image

    ending = given_path(path, "run.gif").suffix.lower()
    if ending not in ENDINGS:
        raise ModelError(f"an animation is written as .gif or .webp, not '{path}'; run.movie writes .mp4 too")
    fps, dpi = given_finite(fps, "fps"), given_finite(dpi, "dpi")
    seconds = None if seconds is None else given_finite(seconds, "seconds")
    if not fps >= SLOWEST or not dpi > 0 or not (seconds is None or seconds > 0):
        words = f"an animation needs dpi and seconds above zero, and fps of {SLOWEST:g} or more"
        raise ModelError(f"{words}, not dpi = {dpi:g}, seconds = {seconds} and fps = {fps:g}")
    if dpi < FEWEST_DOTS:
        raise ModelError(f"dpi is {dpi:g}: letters need {FEWEST_DOTS:g} dots an inch, or more")
    given_axes(ax)
    figure = cast("Figure", ax.figure)
    figure.set_dpi(dpi)
    canvas = FigureCanvasAgg(figure)
    span = float(abs(run.t[-1] - run.t[0]))
    long = min(max(span, 2.0), 12.0) if seconds is None else seconds
    count = round(float(np.clip(long * fps, 2, FRAMES)))
    canvas.draw()  # the layout is made once, and stays while curves grow
    figure.set_layout_engine("none")
    curves = [_Curve(line, axes) for axes in figure.axes for line in axes.lines if np.size(line.get_xdata()) > 2]
    frames = []
    for part in np.linspace(0.0, 1.0, count):
        for curve in curves:
            curve.until(part)
        canvas.draw()
        shown = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
        frames.append(shown)
    if ending == ".gif":
        colors = frames[-1].quantize(COLORS)  # the last frame has all colours; one palette keeps them from changing
        frames = [frame.quantize(palette=colors, dither=Image.Dither.NONE) for frame in frames]
    options: dict[str, Any] = {"save_all": True, "append_images": frames[1:], "duration": round(1000 / fps), "loop": 0}

    def content(place: Path) -> None:
        frames[0].save(place, format=ENDINGS[ending], **options)

    return write(path, content)


class _Curve:
    """A line of a plot: pale as a whole, strong as far as the motion has come."""

    def __init__(self, line: Any, axes: Axes) -> None:
        self._x, self._y = (np.asarray(values) for values in (line.get_xdata(), line.get_ydata()))
        self._line = axes.plot([], [], color=line.get_color(), lw=line.get_linewidth() * 1.4, ls=line.get_linestyle())[
            0
        ]
        (self._dot,) = axes.plot(
            [], [], "o", color=line.get_color(), ms=5, mec="white", mew=0.7, zorder=5, clip_on=False
        )
        line.set_alpha(0.18)

    def until(self, part: float) -> None:
        """The curve up to a part of it."""
        last = max(1, round(part * len(self._x)))
        self._line.set_data(self._x[:last], self._y[:last])
        self._dot.set_data(self._x[last - 1 : last], self._y[last - 1 : last])
