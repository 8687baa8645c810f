"""Shapes of bodies as polygons in the axes of the body, in two tones so that their turning is seen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np


class Polygons(NamedTuple):
    """Corners, shape (n, 3), m; faces as rows of corner numbers, shape (k, 3 or 4); tone of each face, 0 or 1."""

    corners: np.ndarray
    faces: np.ndarray
    tones: np.ndarray

    def moved(self, turn: np.ndarray, shift: Any) -> Polygons:
        """Turned by a matrix, then shifted."""
        return Polygons(self.corners @ turn.T + np.asarray(shift), self.faces, self.tones)


def polygons(shape: Mapping[str, Any]) -> Polygons:
    """The figure of a shape as the viewer's page reads it."""
    made = _figure(shape)
    turn = np.eye(3) if "turn" not in shape else matrix(np.asarray(shape["turn"], dtype=float))
    return made.moved(turn, shape.get("middle", (0.0, 0.0, 0.0)))


def _figure(shape: Mapping[str, Any]) -> Polygons:
    match shape["kind"]:
        case "box":
            return _box(np.asarray(shape["sides"]) / 2)
        case "rod":
            return _lathe([(0, -1), (1, -1), (1, 1), (0, 1)], shape["radius"], shape["length"] / 2, 20, stripes=0)
        case "disc" | "wheel":
            return _lathe([(0, -1), (1, -1), (1, 1), (0, 1)], shape["radius"], shape["width"] / 2, 32, stripes=4)
        case "ring":
            return _ring(shape["radius"], shape["width"] / 2)
        case "mesh":
            corners, faces = np.asarray(shape["vertices"], dtype=float), np.asarray(shape["triangles"])
            x, y, _ = corners[faces].mean(axis=1).T
            tones = (x * y < 0) if shape.get("toned") else np.zeros(len(faces))
            return Polygons(corners, faces, tones.astype(int))
        case "ellipsoid":
            return _sphere(np.asarray(shape["axes"]), two=True)
        case kind:
            return _sphere(np.full(3, shape["radius"]), two=kind == "shell" or bool(shape.get("toned")))


def _sphere(axes: np.ndarray, *, two: bool) -> Polygons:
    """Rings about x, so that the tones meet in a plane across it."""
    rings, around = 16, 28
    theta, phi = np.linspace(0, np.pi, rings + 1), np.linspace(0, 2 * np.pi, around, endpoint=False)
    T, P = np.meshgrid(theta, phi, indexing="ij")
    corners = np.stack([np.cos(T), np.sin(T) * np.cos(P), np.sin(T) * np.sin(P)], axis=-1).reshape(-1, 3) * axes
    faces = _grid(rings, around)
    tones = (np.arange(len(faces)) // around >= rings // 2).astype(int) if two else np.zeros(len(faces), dtype=int)
    return Polygons(corners, faces, tones)


def _lathe(profile: list[tuple[float, float]], radius: float, half: float, around: int, *, stripes: int) -> Polygons:
    phi = np.linspace(0, 2 * np.pi, around, endpoint=False)
    rows = [
        np.stack([r * radius * np.cos(phi), r * radius * np.sin(phi), np.full(around, z * half)], 1) for r, z in profile
    ]
    faces = _grid(len(profile) - 1, around)
    sector = (np.arange(len(faces)) % around) * stripes // around
    return Polygons(np.concatenate(rows), faces, sector % 2)


def _ring(radius: float, width: float) -> Polygons:
    around, across = 64, 8
    P, T = np.meshgrid(
        np.linspace(0, 2 * np.pi, around + 1), np.linspace(0, 2 * np.pi, across, endpoint=False), indexing="ij"
    )
    far = radius + width * np.cos(T)
    corners = np.stack([far * np.cos(P), far * np.sin(P), width * np.sin(T)], axis=-1).reshape(-1, 3)
    faces = _grid(around, across)
    return Polygons(corners, faces, np.zeros(len(faces), dtype=int))


def _grid(rows: int, around: int) -> np.ndarray:
    """Quadrilaterals between rings of corners that are closed in themselves, outwards."""
    i, j = (a.ravel() for a in np.meshgrid(np.arange(rows), np.arange(around), indexing="ij"))
    k = (j + 1) % around
    return np.stack([i * around + j, (i + 1) * around + j, (i + 1) * around + k, i * around + k], axis=1)


def _box(half: np.ndarray) -> Polygons:
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half
    faces = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
    return Polygons(corners, faces, np.zeros(6, dtype=int))


def matrix(u: np.ndarray) -> np.ndarray:
    """The rotation of a unit quaternion (u0, u1, u2, u3)."""
    u0, v = u[0], u[1:]
    K = np.cross(np.eye(3), v)  # K x = v × x
    return np.eye(3) + 2 * u0 * K + 2 * K @ K
