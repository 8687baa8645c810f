"""A film of a run: MP4 through ffmpeg where it is installed, an animated GIF or WebP otherwise."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.errors import shown
from zeromass.integrate import Course
from zeromass.model import ModelError
from zeromass.model.given import given_count, given_finite
from zeromass.report.film.painter import Painter
from zeromass.report.viewer.pack import unpacked
from zeromass.report.viewer.scene import scene
from zeromass.report.writing import given_path, write

if TYPE_CHECKING:
    from PIL.Image import Image

WEBP: dict[str, Any] = {"quality": 72, "method": 2}
"""How WebP is packed: as small as a slide needs, in little time."""


SLOWEST, MOST = 0.01, 1e6
"""The least frames a second, and the most frames, of a film."""


def movie(
    run: Course,
    path: str | PathLike[str],
    *,
    fps: float = 25,
    speed: float = 1.0,
    size: tuple[int, int] = (960, 640),
    tell: Callable[[float], None] = lambda t: None,
) -> Path:
    """Writes a film of a run: what the viewer shows, a frame after the other.

    path   .mp4 needs ffmpeg on the machine; .gif and .webp need Pillow, which matplotlib brings
    speed  seconds of motion for a second of film
    size   pixels, wide and tall
    tell   called with the time reached

    >>> x = zm.coordinate("x")
    >>> swing = zm.System(kinetic=zm.rate(x)**2 / 2, potential=x**2 / 2)
    >>> zm.simulate(swing, swing.start({x: 1.0}), until=1.0).movie("swing.avi")
    Traceback (most recent call last):
    zeromass.errors.ModelError: a film is written as .mp4, .gif or .webp, not 'swing.avi'
    """
    ending = given_path(path, "run.mp4").suffix.lower()
    if ending not in (".mp4", ".gif", ".webp"):
        raise ModelError(f"a film is written as .mp4, .gif or .webp, not '{path}'")
    program = _ffmpeg()
    if ending == ".mp4" and program is None:
        raise ModelError("an .mp4 film needs ffmpeg, which is not on this machine; write a .gif or .webp instead")
    speed, fps = given_finite(speed, "speed"), given_finite(fps, "fps")
    if not speed > 0:
        raise ModelError(f"speed is {shown(speed)}; it is positive, 1 for the time that the motion takes")
    if not fps >= SLOWEST:
        raise ModelError(f"fps is {shown(fps)}; it is at least {SLOWEST:g}")
    if not isinstance(size, tuple | list) or len(size) != 2:
        raise ModelError(f"size is {shown(size)}; it is (width, height) in pixels")
    size = (given_count(size[0], "the width of a film", 1), given_count(size[1], "the height of a film", 1))
    drawing = run.system.drawing_at(run.parameters)
    if drawing.empty:
        raise ModelError("the film shows particles and bodies, and the system has none; see run.plot")
    data = unpacked(scene([run], names=[""], shapes={}, lines=(), trails=None, plots={}, fps=None))
    painter = Painter(data, size, drawing.title)
    first, last = sorted((float(run.t[0]), float(run.t[-1])))
    frames = (last - first) / speed * fps
    if not frames < MOST:
        raise ModelError(f"a film of {frames:.3g} frames is asked for; give a larger speed, or less fps")
    times = np.linspace(first, last, max(2, round(frames)))

    def content(place: Path) -> None:
        frames = _told(painter, times, tell)
        if program is not None and ending == ".mp4":
            _through_ffmpeg(program, frames, place, fps, size)
        elif ending == ".webp":
            one = next(frames)
            one.save(place, save_all=True, append_images=frames, duration=round(1000 / fps), loop=0, **WEBP)
        else:
            _as_gif(frames, place, fps)

    return write(path, content)


def _told(painter: Painter, times: np.ndarray, tell: Callable[[float], None]) -> Iterator[Image]:
    for t in times.tolist():
        yield painter.frame(t)
        tell(t)


def _as_gif(frames: Iterator[Image], place: Path, fps: float) -> None:
    """All frames in the colours of the first, which are chosen once."""
    from PIL import Image

    one = next(frames)
    known = one.quantize(255, method=Image.Quantize.FASTOCTREE)
    rest = (frame.quantize(palette=known, dither=Image.Dither.NONE) for frame in frames)
    known.save(place, save_all=True, append_images=rest, duration=round(1000 / fps), loop=0, optimize=False)


def _ffmpeg() -> str | None:
    """The program's full path; one that is found in the current folder, as Windows does, is not taken."""
    found = shutil.which("ffmpeg")
    return found if found is not None and Path(found).is_absolute() and Path(found).parent != Path.cwd() else None


def _through_ffmpeg(program: str, frames: Iterator[Image], place: Path, fps: float, size: tuple[int, int]) -> None:
    raw = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{size[0]}x{size[1]}", "-r", str(fps), "-i", "-"]
    packed = ["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p", "-crf", "20", str(place)]
    command = [program, "-y", "-loglevel", "error", *raw, *packed]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        try:
            for frame in frames:
                process.stdin.write(frame.tobytes())
        except BrokenPipeError:
            pass
        process.stdin.close()
    if process.returncode:
        raise OSError(f"ffmpeg ended with {process.returncode}, as it does when a disk is full")
