"""Surfaces of triangles, from STL and OBJ files, and integrals over what they enclose."""

from __future__ import annotations

import stat
from collections.abc import Sequence
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np

from zeromass.errors import ModelError
from zeromass.model.given import given_numbers, given_path, shape_of, shown
from zeromass.model.shapes import Hull

MassRule = Literal["exact", "convex", "legacy", "shell"]
"""How mass is distributed over a mesh, in MuJoCo's words."""

CREASE = np.radians(40.0)
"""Angle between triangles from which on their edge is drawn sharp."""


class MeshFile(Hull):
    """The triangles of a file, read when somebody looks at them; its numbers times `scale` in m."""

    path: Path
    scale: tuple[float, ...]

    def __init__(self, path: Path, scale: Sequence[float] = (1.0, 1.0, 1.0)) -> None:
        self.__dict__.update(path=path, scale=tuple(float(s) for s in scale))

    def __repr__(self) -> str:
        return f"MeshFile({self.path.name!r})"

    def __getattr__(self, name: str) -> np.ndarray:
        if name not in ("corners", "triangles"):
            raise AttributeError(f"a mesh has no '{name}'")
        corners, triangles = shared_corners(np.array(self.scale) * read_mesh(self.path))
        self.__dict__.update(corners=corners, triangles=triangles)
        return self.__dict__[name]


def shared_corners(triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Corners, shape (n, 3), and which of them each triangle has, shape (k, 3), for drawing.

    Triangles share corners across edges that are not sharper than `CREASE`, so that boxes look like boxes and balls round.
    """
    corners, which = np.unique(triangles.reshape(-1, 3), axis=0, return_inverse=True)
    which = which.reshape(-1, 3)
    pairs = np.stack([which.ravel(), np.repeat(_faces(triangles, which), 3)], axis=1)
    split, own = np.unique(pairs, axis=0, return_inverse=True)
    return corners[split[:, 0]], own.reshape(-1, 3)


def _faces(triangles: np.ndarray, which: np.ndarray) -> np.ndarray:
    """The smooth face that each triangle belongs to, a number."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), np.finfo(float).tiny)
    edges = np.sort(np.concatenate([which[:, [0, 1]], which[:, [1, 2]], which[:, [2, 0]]]), axis=1)
    owner = np.tile(np.arange(len(which)), 3)
    order = np.lexsort(edges.T)
    edges, owner = edges[order], owner[order]
    same = np.flatnonzero(np.all(edges[1:] == edges[:-1], axis=1))
    a, b = owner[same], owner[same + 1]
    smooth = np.einsum("ij,ij->i", normals[a], normals[b]) > np.cos(CREASE)
    graph = coo_array((np.ones(smooth.sum()), (a[smooth], b[smooth])), shape=(len(which), len(which)))
    return connected_components(graph, directed=False)[1]


def given_scale(scale: Any) -> np.ndarray:
    """Scale of a mesh: one number, or one for each axis."""
    factors = given_numbers(scale, "the scale of a mesh", () if shape_of(scale) == () else (3,))
    if not np.all(factors):
        raise ModelError(f"the scale of a mesh is {shown(scale)}; it is one number or three, none of them 0")
    return factors


def read_mesh(path: str | PathLike[str]) -> np.ndarray:
    """Corners of the triangles of an STL or OBJ file, shape (triangles, 3, 3)."""
    kind = given_path(path, "link.stl").suffix.lower()
    if kind not in (".stl", ".obj"):
        raise ModelError(f"{path} is no mesh that can be read; .stl and .obj can")
    return read_obj(path) if kind == ".obj" else read_stl(path)


def read_obj(path: str | PathLike[str]) -> np.ndarray:
    """Corners of the triangles of an OBJ file, shape (triangles, 3, 3); faces of more corners are cut into triangles."""
    corners, faces = [], []
    for number, line in enumerate(_bytes(path).decode("utf-8", errors="replace").split("\n"), 1):
        words = line.split()
        try:
            if words[:1] == ["v"]:
                x, y, z = (float(word) for word in words[1:4])
                corners.append((x, y, z))
            elif words[:1] == ["f"]:
                which = [int(word.split("/")[0]) for word in words[1:]]
                which = [k - 1 if k > 0 else len(corners) + k for k in which]
                if len(which) < 3 or not all(0 <= k < len(corners) for k in which):
                    raise ValueError
                faces += [(which[0], b, c) for b, c in pairwise(which[1:])]
        except ValueError:
            raise ModelError(f"{path}, line {number}: {line.strip()!r} is no corner and no face of corners") from None
    if not faces or not np.all(np.isfinite(corners)):
        raise ModelError(f"{path} has no faces, or corners that are not finite")
    return np.array(corners, dtype=float)[np.array(faces)]


def _bytes(path: str | PathLike[str]) -> bytes:
    try:
        if not stat.S_ISREG(Path(path).stat().st_mode):
            raise ModelError(f"{path} can not be read: it is no plain file")
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"{path} can not be read: {getattr(error, 'strerror', None) or error}") from None


def read_stl(path: str | PathLike[str]) -> np.ndarray:
    """Corners of the triangles of a file, shape (triangles, 3, 3); binary or text."""
    data = _bytes(path)
    count = int.from_bytes(data[80:84], "little")
    if len(data) >= 84 and len(data) == 84 + 50 * count:
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
        binary = len(data) >= 84 and not data[:5].lower().startswith(b"solid")
        count = int.from_bytes(data[80:84], "little")
        what = f"its header says {count} triangles, for which it has {len(data)} and not {84 + 50 * count} bytes"
        raise ModelError(f"{path} is no STL file: {what if binary else f'it has {len(found)} corners of triangles'}")
    return np.array(found).reshape(-1, 3, 3)


def mesh_integrals(triangles: np.ndarray, rule: MassRule, what: str) -> tuple[float, np.ndarray, np.ndarray]:
    """Volume (area of a shell), mass centre and inertia about it at density 1, of a surface of triangles.

    rule  "exact", the volume that a closed surface encloses; "convex", its convex hull; "shell", the surface itself, of a
          density per area; "legacy", MuJoCo's default: all tetrahedra count as positive, so that a body that is not
          convex weighs too much. The last three take surfaces that are not closed.
    """
    if rule == "exact":
        _closed(triangles, what)
    if rule == "convex":
        triangles = _hull(triangles, what)
    middle = triangles.reshape(-1, 3).mean(axis=0)  # from where little cancels
    corners = triangles - middle
    if rule == "exact":
        volume, center, J = _about_center(*_moments(corners, _volumes(corners), 4), what)
    elif rule == "convex":
        volume, center, J = _about_center(*_moments(corners, np.abs(_volumes(corners)), 4), what)
    else:
        area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2
        volume, center, J = _about_center(*_moments(corners, area, 3), what)
    if (
        rule == "legacy"
    ):  # the mass centre from tetrahedra to the centre of the surface, the rest from those to the mass centre
        surface = corners - center
        whole, first, _ = _moments(surface, np.abs(_volumes(surface)), 4)
        center = center + first / (whole or 1.0)
        volume, _, second = _moments(corners - center, np.abs(_volumes(corners - center)), 4)
        volume, _, J = _about_center(volume, np.zeros(3), second, what)
    return volume, center + middle, J


def _volumes(triangles: np.ndarray) -> np.ndarray:
    """Volumes a·(b × c)/6 of the tetrahedra between triangles (a, b, c) and the origin, with their signs."""
    a, b, c = triangles.transpose(1, 0, 2)
    return np.einsum("ij,ij->i", a, np.cross(b, c)) / 6


def _moments(triangles: np.ndarray, measure: np.ndarray, corners: int) -> tuple[float, np.ndarray, np.ndarray]:
    """∫ 1, ∫ x and ∫ x xᵀ over simplices of given measure: n = 3 `corners`, triangles; 4, tetrahedra to the origin.

    With s = a + b + c:  Σ v,  Σ v s/n,  Σ v (s sᵀ + a aᵀ + b bᵀ + c cᵀ)/(n (n + 1))
    """
    s = triangles.sum(axis=1)
    second = np.einsum("t,ti,tj->ij", measure, s, s) + np.einsum("t,tki,tkj->ij", measure, triangles, triangles)
    return float(measure.sum()), (measure @ s) / corners, second / (corners * (corners + 1))


def _about_center(
    volume: float, first: np.ndarray, second: np.ndarray, what: str
) -> tuple[float, np.ndarray, np.ndarray]:
    """Volume, centre and inertia about the centre, from ∫ 1, ∫ x and ∫ x xᵀ; all negative where triangles face inwards."""
    if not volume:
        raise ModelError(f"the surface of {what} encloses no volume: its triangles lie in a plane")
    center = first / volume
    second = second - volume * np.outer(center, center)
    return abs(volume), center, np.sign(volume) * (np.trace(second) * np.eye(3) - second)


def _hull(triangles: np.ndarray, what: str) -> np.ndarray:
    """Triangles of the convex hull."""
    from scipy.spatial import ConvexHull, QhullError

    points = triangles.reshape(-1, 3)
    try:
        return points[ConvexHull(points).simplices]
    except QhullError:
        raise ModelError(f"the surface of {what} has no convex hull: its triangles lie in a plane") from None


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
