"""How shapes of contacts are drawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from zeromass.contact.outlines import Ellipsoid, Outline, Round
from zeromass.contact.shaped import ConvexBody
from zeromass.contact.shapes import AboutAxis, CollisionShape, Vertices
from zeromass.expression import Symbol
from zeromass.model import shapes as drawn

THIN = 0.02
"""Width of a disc without thickness, as a part of its radius."""

Shape = CollisionShape | drawn.Hull | drawn.Ring | drawn.Wheel
"""What `zm.shapes` makes."""

DRAWN = (Outline, Vertices, AboutAxis, drawn.Hull, drawn.Ring, drawn.Wheel)
"""Its types."""


def picture_of(shape: Shape, parameters: Mapping[Symbol, float]) -> drawn.Shape | drawn.Hull:
    """A shape as the viewer draws it, with values of the parameters in its sizes."""
    if isinstance(shape, drawn.Hull | drawn.Ring | drawn.Wheel):
        return shape
    if isinstance(shape, Vertices):
        box = _box(shape.points)
        return drawn.Box(box) if box is not None else drawn.Hull(shape.points, _triangles(shape.points))
    round_ = shape if isinstance(shape, AboutAxis) else AboutAxis(shape, np.array([0.0, 0.0, 1.0]))
    outline, axis = round_.outline.at(parameters), _three(round_.axis)
    if isinstance(outline, Ellipsoid):
        return drawn.Ellipsoid(_three(outline.axes))
    if isinstance(outline, Round):
        rim, height, edge = float(outline.rim), float(outline.height), float(outline.ball)
        if rim == height == 0.0:
            return drawn.Dot(max(edge, 1e-9))
        if height == 0.0:
            return drawn.Disc(rim + edge, max(2 * edge, THIN * rim), axis)
        if edge == 0.0:
            return drawn.Rod(2 * height, rim, axis)
    mesh = ConvexBody(outline, 1.0, (1.0, 1.0, 1.0)).drawn
    assert isinstance(mesh, drawn.Hull)
    return drawn.Hull(mesh.corners @ round_.rotation.T, mesh.triangles)


def _three(values: Any) -> tuple[float, float, float]:
    a, b, c = (float(x) for x in values)
    return a, b, c


def _box(points: np.ndarray) -> tuple[float, float, float] | None:
    """The sides of a box about the origin along the axes, whose vertices these are."""
    half = np.abs(points)
    return _three(2 * half[0]) if len(points) == 8 and np.all(half == half[0]) else None


def _triangles(points: np.ndarray) -> np.ndarray:
    """The faces of a convex hull as triangles, counter-clockwise as seen from outside."""
    from scipy.spatial import ConvexHull  # few shapes are hulls

    hull = ConvexHull(points)
    corners = points[hull.simplices]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inward = np.sum(normals * hull.equations[:, :3], axis=1) < 0.0
    return np.where(inward[:, None], hull.simplices[:, ::-1], hull.simplices)
