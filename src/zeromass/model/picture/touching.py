"""The shape of a body from where it touches: the point of contact, as a function of the body's turn, goes over all of it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from zeromass.expression import Evaluator, Symbol, expressions, symbols
from zeromass.model.parts import RigidBody
from zeromass.model.picture.inertia import THINNEST, Placed, quaternions
from zeromass.model.shapes import Disc, Ellipsoid, Hull

TURNS = 1500
"""Turns of a body, spread at random over all, at which its contact is looked at."""

FITS = 1e-6
"""Part of its size by which the points of a shape may be off those of an ellipsoid, or of a plane."""


def places(body: RigidBody, point: np.ndarray, parameters: Mapping[Symbol, float], count: int = TURNS) -> np.ndarray:
    """Where a point lies in the axes of a body, m, shape (count, 3), for turns at random; rows that are no numbers left out.

    s(u) = S(u)ᵀ (p(u) − w)

    None are left where time or another part decides of it too.
    """
    u = np.random.default_rng(0).normal(size=(count, 4))
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    s = expressions(body.rotation.T @ (point - body.position))
    known = [*body.coordinates, *parameters]
    if any(leaf not in known and leaf.default is None for leaf in symbols(s)):
        return np.empty((0, 3))
    rest = np.broadcast_to(np.array(list(parameters.values()), dtype=float), (count, len(parameters)))
    with np.errstate(all="ignore"):
        found = Evaluator(s, known)(np.concatenate([np.zeros((count, 3)), u, rest], axis=1))
    return found[np.isfinite(found).all(axis=1)]


def of_contact(s: np.ndarray) -> Placed | None:
    """The shape that contacts at places s, shape (n, 3), in the body's axes belong to; None of a single point or a line."""
    size = float(np.ptp(s, axis=0).max())
    _, widths, axes = np.linalg.svd(s - s.mean(axis=0), full_matrices=False)
    widths = widths / np.sqrt(len(s))
    if widths[1] <= FITS * size:
        return None
    if widths[2] <= FITS * size:
        return _flat(s, axes)
    return _ellipsoid(s, size) or _hull(s)


def _flat(s: np.ndarray, axes: np.ndarray) -> Placed:
    """A rim: a disc where all its points lie on a circle, |x − c|² = r², else the plate that it bounds."""
    mean = s.mean(axis=0)
    x = (s - mean) @ axes[:2].T
    (cx, cy, k), *_ = np.linalg.lstsq(np.column_stack([2 * x, np.ones(len(x))]), np.sum(x**2, axis=1), rcond=None)
    far = np.hypot(x[:, 0] - cx, x[:, 1] - cy)
    if np.ptp(far) <= FITS * far.max():
        a, b, c = (float(v) for v in axes[2])
        radius, middle = float(np.sqrt(k + cx**2 + cy**2)), mean + cx * axes[0] + cy * axes[1]
        return Placed(Disc(radius, 2 * THINNEST * radius, (a, b, c)), middle=_three(middle))
    thick = THINNEST * far.max() * axes[2]
    return _hull(np.concatenate([s + thick, s - thick]))


def _ellipsoid(s: np.ndarray, size: float) -> Placed | None:
    """xᵀA x + b·x = 1 through all points, if there is one."""
    x, y, z = (s / size).T
    columns = np.stack([x * x, y * y, z * z, 2 * x * y, 2 * x * z, 2 * y * z, x, y, z], axis=1)
    k, *_ = np.linalg.lstsq(columns, np.ones(len(s)), rcond=None)
    if np.abs(columns @ k - 1).max() > FITS:
        # the origin may lie on the surface, where no such equation holds
        return None
    A = np.array([[k[0], k[3], k[4]], [k[3], k[1], k[5]], [k[4], k[5], k[2]]])
    middle = -np.linalg.solve(A, k[6:]) / 2
    values, axes = np.linalg.eigh(A / (1 + middle @ A @ middle))
    if values.min() <= 0:
        return None
    order = [int(np.argmax(np.abs(axes[j]))) for j in range(3)]
    if sorted(order) == [0, 1, 2]:
        values, axes = values[order], axes[:, order]
    if np.linalg.det(axes) < 0:
        axes = axes * np.array([1.0, 1.0, -1.0])
    a, b, c = (size / np.sqrt(values)).tolist()
    return Placed(Ellipsoid((a, b, c)), tuple(quaternions(axes[None])[0].tolist()), _three(size * middle))


def _hull(s: np.ndarray) -> Placed:
    from scipy.spatial import ConvexHull

    hull = ConvexHull(s)
    corners = np.searchsorted(hull.vertices[np.argsort(hull.vertices)], hull.simplices)
    points = s[np.sort(hull.vertices)]
    a, b, c = (points[corners[:, k]] for k in range(3))
    inwards = np.einsum("ij,ij->i", np.cross(b - a, c - a), a - points.mean(axis=0)) < 0
    corners[inwards] = corners[inwards][:, ::-1]
    return Placed(Hull(points, corners))


def _three(x: np.ndarray) -> tuple[float, float, float]:
    a, b, c = x.tolist()
    return a, b, c
