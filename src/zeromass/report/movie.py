"""A film of a run: MP4 through ffmpeg where it is installed, an animated GIF or WebP otherwise."""

from __future__ import annotations

import shutil
import subprocess
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from zeromass.integrate import Course
from zeromass.model import ModelError
from zeromass.report.plots import COLORS, as_written, heights_around
from zeromass.report.writing import write


def movie(
    run: Course, path: str | PathLike[str], *, fps: int = 25, speed: float = 1.0, size: tuple[int, int] = (960, 640)
) -> Path:
    """Writes a film of a run.

    path   .mp4 needs ffmpeg on the machine; .gif and .webp need Pillow, which matplotlib brings
    speed  seconds of motion for a second of film

    >>> x = zm.coordinate("x")
    >>> swing = zm.System(kinetic=zm.rate(x)**2 / 2, potential=x**2 / 2)
    >>> zm.simulate(swing, swing.start({x: 1.0}), until=1.0).movie("swing.avi")
    Traceback (most recent call last):
    zeromass.model.errors.ModelError: a film is written as .mp4, .gif or .webp, not 'swing.avi'
    """
    import matplotlib.pyplot as plt
    from matplotlib.animation import FFMpegWriter, FuncAnimation, PillowWriter

    ending = Path(path).suffix.lower()
    if ending not in (".mp4", ".gif", ".webp"):
        raise ModelError(f"a film is written as .mp4, .gif or .webp, not '{path}'")
    if ending == ".mp4" and shutil.which("ffmpeg") is None:
        raise ModelError("an .mp4 film needs ffmpeg, which is not on this machine; write a .gif or .webp instead")
    count = max(2, round(abs(run.t[-1] - run.t[0]) / speed * fps))
    sampled = run.at(np.linspace(run.t[0], run.t[-1], count))
    tracks = _tracks(run, sampled)
    figure = plt.figure(figsize=(size[0] / 100, size[1] / 100), dpi=100)
    ax: Any = figure.add_subplot(projection="3d")
    grid = heights_around(run)
    if grid is not None:
        ax.plot_surface(*grid, cmap="cividis", alpha=0.5, lw=0, rcount=60, ccount=60)
    everything = np.concatenate(list(tracks.values()))
    low, high = everything.min(axis=0), everything.max(axis=0)
    half = max((high - low).max() / 2, 1e-3) * 1.05
    middle = (low + high) / 2
    ax.set(xlim=(middle[0] - half, middle[0] + half), ylim=(middle[1] - half, middle[1] + half))
    ax.set(zlim=(middle[2] - half, middle[2] + half), xlabel="X [m]", ylabel="Y [m]", zlabel="Z [m]")
    lines = [
        ax.plot([], [], [], color=COLORS[k % 7], lw=1.2, label=as_written(name))[0] for k, name in enumerate(tracks)
    ]
    dots = [ax.plot([], [], [], "o", color=COLORS[k % 7], ms=7)[0] for k in range(len(tracks))]
    ax.legend(frameon=False, loc="upper left")

    def frame(i: int) -> list[Any]:
        for line, dot, points in zip(lines, dots, tracks.values(), strict=True):
            line.set_data_3d(*points[: i + 1].T)
            dot.set_data_3d(*points[i : i + 1].T)
        ax.set_title(f"t = {sampled.t[i]:.2f} s")
        return [*lines, *dots]

    writer = FFMpegWriter(fps=fps) if ending == ".mp4" else PillowWriter(fps=fps)

    def content(place: Path) -> None:  # the writers choose the format by the ending
        try:
            FuncAnimation(figure, frame, frames=count, blit=False).save(place, writer=writer)
        except subprocess.CalledProcessError as error:
            raise OSError(f"ffmpeg ended with {error.returncode}, as it does when a disk is full") from error

    try:
        return write(path, content)
    finally:
        plt.close(figure)


def _tracks(run: Course, sampled: Any) -> dict[str, np.ndarray]:
    """Points that the film follows, by name."""
    trails = run.system.drawing.trails
    if not trails:
        raise ModelError("the film shows particles and bodies, and the system has none; see run.plot")
    return {trail.name: sampled[trail.point] for trail in trails}
