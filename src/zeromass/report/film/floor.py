"""The floor of a film in which nothing is touched: a level grid below all that moves, fading out, as in the viewer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from zeromass.report.film.camera import Camera
from zeromass.report.film.tones import PAPER, rgb

LINE = "#d5d3cc"
REACH = 3.0
"""How far it reaches, in sizes of the scene."""

LINES = 7
"""About as many of them as the scene is wide."""

PIECES = 24
"""Of a line, each paler than the one nearer to the middle."""


class Floor(NamedTuple):
    """Its middle, m, half its side and the distance of its lines."""

    middle: np.ndarray
    reach: float
    step: float

    @classmethod
    def below(cls, stated: Mapping[str, Any] | None, points: np.ndarray) -> Floor | None:
        """Below points, m, or at the height that a constraint states; none where there are no points."""
        if not len(points):
            return None
        low, high = points.min(axis=0), points.max(axis=0)
        size = float(np.linalg.norm(high - low)) or 1.0
        height = low[2] - 0.006 * size if stated is None else stated["height"]
        return cls(np.array([*(low + high)[:2] / 2, height]), REACH * size / 2, _nice(size / LINES))

    def paint(self, pen: Any, camera: Camera) -> None:
        """Lines along X and Y, the farther from the middle the paler."""
        x, y, z = self.middle
        ends = np.linspace(-self.reach, self.reach, PIECES + 1)
        for k, middle in ((0, x), (1, y)):
            first, last = np.ceil((middle - self.reach) / self.step), np.floor((middle + self.reach) / self.step)
            for place in self.step * np.arange(first, last + 1):
                line = np.empty((PIECES + 1, 3))
                line[:, k], line[:, 1 - k], line[:, 2] = place, ends + (y, x)[k], z
                self._paint_line(pen, camera, line)

    def _paint_line(self, pen: Any, camera: Camera, line: np.ndarray) -> None:
        pixels, depth = camera.seen(line)
        far = np.linalg.norm((line[1:] + line[:-1])[:, :2] / 2 - self.middle[:2], axis=1) / self.reach
        strength = np.clip(1.15 - far, 0.0, 1.0)
        behind = depth < 2e-2 * camera.distance
        for k in np.flatnonzero((strength > 0) & ~behind[1:] & ~behind[:-1]):
            tone = strength[k] * rgb(LINE) + (1 - strength[k]) * rgb(PAPER)
            ends = [tuple(p) for p in pixels[k : k + 2].tolist()]
            pen.line(ends, fill=tuple(tone.astype(int).tolist()), width=2)


def _nice(length: float) -> float:
    """1, 2 or 5 times a power of ten, near a length."""
    power = 10.0 ** np.floor(np.log10(length))
    return float(min((1, 2, 5, 10), key=lambda part: abs(np.log(part * power / length))) * power)
