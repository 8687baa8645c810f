"""Closed surfaces of triangles, from STL files, and integrals over what they enclose."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

import numpy as np

from zeromass.model.errors import ModelError


def read_stl(path: str | PathLike[str]) -> np.ndarray:
    """Corners of the triangles of a file, shape (triangles, 3, 3); binary or text."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise ModelError(f"{path} can not be read: {error.strerror or error}") from None
    count = int.from_bytes(data[80:84], "little") if len(data) >= 84 else -1
    if len(data) == 84 + 50 * count:
        records = np.frombuffer(data, dtype=np.dtype([("f", "<f4", (4, 3)), ("a", "<u2")]), offset=84)
        corners = records["f"][:, 1:].astype(float)
    else:
        corners = _text(data, path)
    if not len(corners) or not np.all(np.isfinite(corners)):
        raise ModelError(f"{path} has no triangles, or some that are not finite")
    return corners


def _text(data: bytes, path: str | PathLike[str]) -> np.ndarray:
    lines = data.decode("ascii", errors="replace").split("\n")
    found = []
    for number, line in enumerate(lines, 1):
        words = line.split()
        if words[:1] == ["vertex"]:
            try:
                x, y, z = (float(word) for word in words[1:])
            except ValueError:
                raise ModelError(f"{path}, line {number}: a vertex is three numbers, not {line.strip()!r}") from None
            found.append((x, y, z))
    if not found or len(found) % 3:
        raise ModelError(f"{path} is no STL file: it has {len(found)} corners of triangles")
    return np.array(found).reshape(-1, 3, 3)


def volume_integrals(triangles: np.ndarray, what: str) -> tuple[float, np.ndarray, np.ndarray]:
    """Volume, centre and inertia about it at density 1, of what a closed surface encloses.

    Sums over the tetrahedra between its triangles (a, b, c) and the origin, of volume a·(b × c)/6: with s = a + b + c

        V = Σ v,   V x̄ = Σ v s/4,   ∫ x xᵀ dV = Σ v (s sᵀ + a aᵀ + b bᵀ + c cᵀ)/20
    """
    _closed(triangles, what)
    middle = triangles.reshape(-1, 3).mean(axis=0)  # from where little cancels
    corners = triangles - middle
    a, b, c = corners.transpose(1, 0, 2)
    v = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6
    volume = float(v.sum())
    if volume < 0:
        v, volume = -v, -volume  # triangles that are seen from inside
    s = corners.sum(axis=1)
    center = (v @ s) / (4 * volume)
    second = np.einsum("t,ti,tj->ij", v, s, s) + np.einsum("t,tki,tkj->ij", v, corners, corners)
    second = second / 20 - volume * np.outer(center, center)
    return volume, center + middle, np.trace(second) * np.eye(3) - second


def _closed(triangles: np.ndarray, what: str) -> None:
    """Raises unless every edge has a triangle on both of its sides, which go along it in opposite directions."""
    size = float(np.ptp(triangles.reshape(-1, 3), axis=0).max())
    _, corner = np.unique(np.round(triangles.reshape(-1, 3) / (1e-7 * size or 1.0)), axis=0, return_inverse=True)
    corner = corner.reshape(-1, 3)
    edges = np.concatenate([corner[:, [0, 1]], corner[:, [1, 2]], corner[:, [2, 0]]])
    edges = edges[edges[:, 0] != edges[:, 1]]
    forward, counts = np.unique(edges, axis=0, return_counts=True)
    back = {(j, i): n for (i, j), n in zip(map(tuple, forward.tolist()), counts.tolist(), strict=True)}
    open_ = sum(back.get(edge, 0) != n for edge, n in zip(map(tuple, forward.tolist()), counts.tolist(), strict=True))
    if open_:
        raise ModelError(f"the surface of {what} is not closed: {open_} edges have a triangle on one side only")
