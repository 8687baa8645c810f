"""A camera that looks at a scene: what it sees, and where points lie in the picture."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

HALF = float(np.tan(np.radians(35 / 2)))
"""Half the height of the view, at distance 1."""

FILLED = 0.84
"""Part of the view that a scene fills."""


@dataclass
class Camera:
    """Looks against a direction at a target from a distance, m; pictures have `size` pixels."""

    direction: np.ndarray
    target: np.ndarray
    distance: float
    size: tuple[int, int]

    def __post_init__(self) -> None:
        self.direction = self.direction / np.linalg.norm(self.direction)
        right = np.cross([0.0, 0.0, 1.0], self.direction)
        self.right: np.ndarray = right / np.linalg.norm(right)
        self.up: np.ndarray = np.cross(self.direction, self.right)

    @property
    def eye(self) -> np.ndarray:
        """Where it stands, m."""
        return self.target + self.distance * self.direction

    def seen(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Pixels, shape (n, 2), and depth, m, of points, shape (n, 3)."""
        x = points - self.target
        depth = np.maximum(self.distance - x @ self.direction, 1e-3 * self.distance)
        scale = self.scale(depth)
        pixels = np.stack(
            [self.size[0] / 2 + scale * (x @ self.right), self.size[1] / 2 - scale * (x @ self.up)], axis=1
        )
        return pixels, depth

    def scale(self, depth: np.ndarray) -> np.ndarray:
        """Pixels of a metre at depths."""
        return self.size[1] / 2 / (HALF * depth)

    def fit(self, points: np.ndarray) -> None:
        """Comes as close as points allow, and centres what is then seen."""
        tall, wide = HALF * FILLED, HALF * FILLED * self.size[0] / self.size[1]
        self.target = (points.min(axis=0) + points.max(axis=0)) / 2
        for _ in range(3):
            x = points - self.target
            across, up, towards = x @ self.right, x @ self.up, x @ self.direction
            self.distance = float((towards + np.maximum(np.abs(across) / wide, np.abs(up) / tall)).max())
            near = self.distance / (self.distance - towards)
            middle = [(v.min() + v.max()) / 2 for v in (across * near, up * near)]
            self.target = self.target + middle[0] * self.right + middle[1] * self.up

    def close(self, radius: float, part: float) -> float:
        """From where a body of a radius, m, is a part of the smaller side of the view."""
        return radius / (part * HALF * min(1.0, self.size[0] / self.size[1]))
