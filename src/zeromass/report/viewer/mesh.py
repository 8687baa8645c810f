"""Triangles of an implicit surface f = 0 inside a box, by surface nets [G1998]."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Function = Callable[[np.ndarray], np.ndarray]
"""Of points, shape (…, 3), to values of f, shape (…,), or of ∇f, shape (…, 3)."""


def triangles(
    f: Function, slope: Function, low: np.ndarray, high: np.ndarray, cells: int
) -> tuple[np.ndarray, np.ndarray]:
    """Vertices, shape (v, 3), and triangles, shape (k, 3), whose normals point where f grows.

    cells  along the longest side of the box

    Each cell that the surface crosses gets one vertex, the mean of the crossings on its edges, moved onto the surface
    by Newton's method; each edge of the grid that crosses the surface gives one quadrilateral of the four cells at it.
    """
    step = float((high - low).max()) / cells
    count = np.maximum(np.ceil((high - low) / step - 1e-9).astype(int), 1)
    axes = [np.linspace(a, b, n + 1) for a, b, n in zip(low, high, count, strict=True)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    value = f(points)
    value = np.where(np.isfinite(value), value, np.nan)

    total, crossings = np.zeros((*count, 3)), np.zeros(count)
    quads = []
    number = np.arange(count.prod()).reshape(count)
    for axis in range(3):
        a, b = (np.take(value, np.arange(n, n + count[axis]), axis=axis) for n in (0, 1))
        crosses = (a < 0) != (b < 0)
        crosses &= np.isfinite(a) & np.isfinite(b)
        with np.errstate(all="ignore"):
            part = np.where(crosses, a / (a - b), 0.0)[..., None]
        pa, pb = (np.take(points, np.arange(n, n + count[axis]), axis=axis) for n in (0, 1))
        place = np.where(crosses[..., None], pa + part * (pb - pa), 0.0)
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for du in (0, 1):
            for dv in (0, 1):
                window = [slice(None)] * 3
                window[u], window[v] = slice(du, du + count[u]), slice(dv, dv + count[v])
                total += place[tuple(window)]
                crossings += crosses[tuple(window)]
        inner = [slice(None)] * 3
        inner[u], inner[v] = slice(1, -1), slice(1, -1)
        edges = np.argwhere(crosses[tuple(inner)])
        around = []
        for du, dv in ((0, 0), (1, 0), (1, 1), (0, 1)):
            cell = edges.copy()
            cell[:, u] += du
            cell[:, v] += dv
            around.append(number[tuple(cell.T)])
        quad = np.stack(around, axis=1)
        falling = ~(a[tuple(inner)] < 0)[crosses[tuple(inner)]]
        quad[falling] = quad[falling][:, ::-1]
        quads.append(quad)

    quad = np.concatenate(quads)
    used = np.unique(quad)
    vertices = total.reshape(-1, 3)[used] / np.maximum(crossings.reshape(-1)[used], 1)[:, None]
    vertices = _onto_surface(f, slope, vertices, step)
    quad = np.searchsorted(used, quad)
    return vertices, np.concatenate([quad[:, [0, 1, 2]], quad[:, [0, 2, 3]]])


def is_closed(f: Function, low: np.ndarray, high: np.ndarray, cells: int = 24) -> bool:
    """Whether the surface is inside the box and reaches none of its sides."""
    axes = [np.linspace(a, b, cells + 1) for a, b in zip(low, high, strict=True)]
    inside = f(np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)) < 0
    shell = np.ones(inside.shape, dtype=bool)
    shell[1:-1, 1:-1, 1:-1] = False
    rim = inside[shell]
    return bool((rim.all() or not rim.any()) and np.any(inside != rim[0]))


def _onto_surface(f: Function, slope: Function, x: np.ndarray, step: float) -> np.ndarray:
    """Three Newton steps along the gradient, none longer than half a cell."""
    for _ in range(3):
        k = slope(x)
        with np.errstate(all="ignore"):
            move = -k * (f(x) / np.einsum("ij,ij->i", k, k))[:, None]
            length = np.linalg.norm(move, axis=1, keepdims=True)
            move *= np.minimum(1.0, 0.5 * step / length)
        x = x + np.where(np.isfinite(move), move, 0.0)
    return x
