"""Surfaces of a film: the cells of all of them by height and light, the farthest first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from zeromass.report.film.camera import Camera
from zeromass.report.film.figures import matrix
from zeromass.report.film.moments import at, unit
from zeromass.report.film.tones import by_height, rgb

CELLS = 60
"""Most cells of a surface along one side."""

HALVED = 4
"""Times that the sides of the triangles of a plane are halved."""

SUN = np.array([-0.55, -0.45, 0.7])
LEVEL = "#e3e6ea"
"""The colour of a surface that has but one height."""


class Faces(NamedTuple):
    """Outlines in the picture, shape (k, 3 or 4, 2), px; how far each is, m; their colours, 0 to 255."""

    outlines: np.ndarray
    depth: np.ndarray
    shades: np.ndarray


class Surfaces:
    """What a run touches, as the viewer's page reads it: the first surface, and those beside it."""

    def __init__(self, entries: Sequence[Mapping[str, Any]]) -> None:
        self._entries = entries

    def __bool__(self) -> bool:
        return bool(self._entries)

    @property
    def moves(self) -> bool:
        """Whether any moves or changes its shape."""
        return any(_moves(one) for one in self._entries)

    def corners(self, t: float) -> np.ndarray:
        """Corners of all cells at a time, shape (n, 3), m."""
        return np.concatenate([np.zeros((0, 3)), *(_cells(one, t)[0] for one in self._entries)])

    def paint(self, pen: Any, camera: Camera, t: float) -> None:
        """All cells, the farthest first whichever surface they belong to."""
        seen = [_seen(one, camera, t) for one in self._entries]
        cells = [
            (float(depth), outline, shade)
            for one in seen
            for depth, outline, shade in zip(
                one.depth, one.outlines.reshape(len(one.depth), -1).tolist(), one.shades, strict=True
            )
        ]
        for _, outline, shade in sorted(cells, key=lambda cell: -cell[0]):
            fill, edge = (tuple(tone.astype(int).tolist()) for tone in (shade, 0.93 * shade))
            pen.polygon(outline, fill=fill, outline=edge)


def _seen(surface: Mapping[str, Any], camera: Camera, t: float) -> Faces:
    """Cells by height and light; those beside the picture or behind the camera, and the backs of walls, are left out."""
    corners, faces = _cells(surface, t)
    height = corners[:, 2]
    low, high = float(np.nanmin(height)), float(np.nanmax(height))
    pixels, depth = camera.seen(corners)
    beside = np.concatenate([pixels < 0, pixels > camera.size], axis=1)  # left, above, right, below
    near = depth < 2e-2 * camera.distance
    faces = faces[~(np.any(np.all(beside[faces], axis=1), axis=1) | near[faces].any(axis=1))]
    sides = corners[faces]
    normal = np.cross(sides[:, 2] - sides[:, 0], sides[:, -1] - sides[:, 1])
    if surface["kind"] == "height":
        normal *= np.sign(normal[:, 2:] + 1e-300)
    else:  # the viewer sees through them
        front = np.einsum("ij,ij->i", normal, camera.eye - sides.mean(axis=1)) > 0
        faces, normal = faces[front], normal[front]
    length = np.linalg.norm(normal, axis=1)  # zero of a triangle that is but a line
    light = 0.72 + 0.3 * np.clip(normal @ SUN / np.where(length > 0, length, 1.0), -1, 1)
    level = height[faces].mean(axis=1)
    flat = surface.get("plane") or high - low <= 1e-6 * np.ptp(corners)
    tones = np.tile(rgb(LEVEL), (len(faces), 1)) if flat else by_height((level - low) / (high - low))
    return Faces(pixels[faces], depth[faces].mean(axis=1), np.clip(tones * light[:, None], 0, 255))


def _cells(surface: Mapping[str, Any], t: float) -> tuple[np.ndarray, np.ndarray]:
    """Corners, m, and faces of a surface at a time, in space."""
    first, last, count = surface["t"]
    part = (t - first) / (last - first)
    if surface["kind"] == "mesh":
        mesh = surface["meshes"][round(part * (len(surface["meshes"]) - 1))]
        corners, faces = np.asarray(mesh["vertices"]), np.asarray(mesh["triangles"], dtype=int)
        for _ in range(HALVED if surface.get("plane") else 0):
            corners, faces = _halved(corners, faces)
    else:
        corners, faces = _height_cells(surface, t)
    if surface["motion"] is not None:
        turn = matrix(unit(at(surface["motion"]["turn"], part * (count - 1))))
        corners = corners @ turn.T + at(surface["motion"]["shift"], part * (count - 1))
    return corners, faces


def _halved(corners: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each triangle as four: of small ones it is known which is farther than which."""
    a, b, c = (corners[faces[:, k]] for k in range(3))
    p, q, r = (a + b) / 2, (b + c) / 2, (c + a) / 2
    four = np.concatenate([np.stack(one, axis=1) for one in ((a, p, r), (p, b, q), (r, q, c), (p, q, r))])
    return four.reshape(-1, 3), np.arange(3 * len(four)).reshape(-1, 3)


def _moves(surface: Mapping[str, Any]) -> bool:
    moving = surface["motion"] is not None and len(surface["motion"]["shift"]) > 1
    return moving or surface["moments"][2] > 1


def _height_cells(surface: Mapping[str, Any], t: float) -> tuple[np.ndarray, np.ndarray]:
    first, last, count = surface["moments"]
    moment = 0 if count == 1 else round((t - first) / (last - first) * (count - 1))
    (x0, x1, nx), (y0, y1, ny) = surface["x"], surface["y"]
    i, j = (np.unique(np.linspace(0, n - 1, min(n, CELLS + 1)).astype(int)) for n in (nx, ny))
    X, Y = np.meshgrid(np.linspace(x0, x1, nx)[i], np.linspace(y0, y1, ny)[j])
    Z = surface["z"][moment][np.ix_(j, i)]
    a = np.arange(X.size).reshape(X.shape)
    faces = np.stack([a[:-1, :-1], a[:-1, 1:], a[1:, 1:], a[1:, :-1]], axis=-1).reshape(-1, 4)
    known = np.isfinite(Z.ravel())[faces].all(axis=1)
    return np.stack([X.ravel(), Y.ravel(), np.nan_to_num(Z.ravel(), nan=float(np.nanmean(Z)))], axis=1), faces[known]
