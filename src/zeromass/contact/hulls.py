"""Faces and edges of convex polyhedra that are given by their vertices."""

from __future__ import annotations

import numpy as np

from zeromass.model.collisions import SOLID, Polytope

SAME = 1e-9
"""Part of 1 and of sizes by which the planes of two triangles of one face may differ."""


def polyhedron(points: np.ndarray) -> Polytope:
    """The convex hull of some points."""
    from scipy.spatial import ConvexHull  # few shapes are looked at so

    hull = ConvexHull(points)
    kept = np.sort(hull.vertices)
    number = {old: new for new, old in enumerate(kept.tolist())}
    corners, planes, faces = points[kept], list[np.ndarray](), list[set[int]]()
    size = np.abs(corners).max()
    for plane, triangle in zip(hull.equations * (1.0, 1.0, 1.0, -1.0), hull.simplices.tolist(), strict=True):
        own = {number[corner] for corner in triangle if corner in number}
        for known, face in zip(planes, faces, strict=True):
            if np.all(np.abs(known - plane) <= SAME * np.array([1.0, 1.0, 1.0, size])):
                face |= own
                break
        else:
            planes.append(plane)
            faces.append(own)
    loops = tuple(_loop(corners, face, plane[:3]) for face, plane in zip(faces, planes, strict=True))
    beside = {edge: face for face, loop in enumerate(loops) for edge in zip(loop, (*loop[1:], loop[0]), strict=True)}
    edges = [(i, j, face, beside[j, i]) for (i, j), face in beside.items() if i < j]
    return Polytope(SOLID, corners, np.array(planes), loops, np.array(edges, dtype=np.int64))


def _loop(points: np.ndarray, face: set[int], normal: np.ndarray) -> tuple[int, ...]:
    """Vertices of a face, counterclockwise about its normal."""
    vertices = np.array(sorted(face))
    arms = points[vertices] - points[vertices].mean(axis=0)
    first = arms[0] / np.linalg.norm(arms[0])
    angles = np.arctan2(arms @ np.cross(normal, first), arms @ first)
    return tuple(vertices[np.argsort(angles)].tolist())
