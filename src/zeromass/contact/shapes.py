"""Collision shapes: convex outsides that are placed on bodies, for contacts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from zeromass.contact.hulls import polyhedron
from zeromass.contact.outlines import Ellipsoid, Outline, Round
from zeromass.model import ModelError
from zeromass.model.given import Number, Vector, given_numbers, given_scalar, given_vector
from zeromass.model.polyhedra import Polyhedron

__all__ = ["Vertices", "box", "capsule", "cylinder", "disc", "ellipsoid", "hull", "point", "sphere"]


@dataclass(frozen=True, eq=False)
class Vertices:
    """A convex polyhedron, by its vertices.

    points  m, in the axes of the shape, (k, 3)
    """

    points: np.ndarray

    @cached_property
    def polyhedron(self) -> Polyhedron:
        """Its faces and edges."""
        return polyhedron(self.points)

    @property
    def size(self) -> float:
        """Largest distance of a vertex from the origin, m."""
        return float(np.linalg.norm(self.points, axis=1).max())


CollisionShape = Outline | Vertices


def _length(value: Any, what: str, *, zero: bool = False) -> Any:
    """A length, a number or a formula of parameters; positive where it is a number."""
    given = given_scalar(value, what)
    number = given.value
    if number is not None and not (number >= 0.0 if zero else number > 0.0):
        raise ModelError(f"{what} is {number:g}; a length is positive")
    return given if number is None else number


def point() -> Outline:
    """A point, such as the tip of a leg."""
    return Round(0.0, 0.0, 0.0)


def sphere(radius: Number) -> Outline:
    """A sphere.

    >>> zm.shapes.sphere(0.02).size
    0.02
    """
    return Round(0.0, 0.0, _length(radius, "the radius of a sphere"))


def capsule(radius: Number, length: Number) -> Outline:
    """A cylinder with half a sphere on each end, along the third axis.

    length  of the cylinder, m: the capsule is longer by two radii
    """
    return Round(0.0, _length(length, "the length of a capsule") / 2, _length(radius, "the radius of a capsule"))


def cylinder(radius: Number, length: Number, *, edge: Number = 0.0) -> Outline:
    """A cylinder along the third axis.

    edge  radius of its rounded edges, m, which add to radius and length
    """
    rim, height = _length(radius, "the radius of a cylinder"), _length(length, "the length of a cylinder") / 2
    return Round(rim, height, _length(edge, "the edge of a cylinder", zero=True))


def disc(radius: Number, *, edge: Number = 0.0) -> Outline:
    """A thin disc across the third axis.

    edge  radius of its round edge, m, which adds to the radius
    """
    return Round(_length(radius, "the radius of a disc"), 0.0, _length(edge, "the edge of a disc", zero=True))


def ellipsoid(axes: Vector) -> Outline:
    """An ellipsoid of three semi-axes, m, along those of the shape."""
    given = given_vector(axes, "the axes of an ellipsoid")
    return Ellipsoid(np.array([_length(a, "an axis of an ellipsoid") for a in given], dtype=object))


def box(size: Any) -> Vertices:
    """A box.

    size  lengths of its edges, m, along the axes of the shape

    >>> zm.shapes.box((2.0, 4.0, 4.0)).size
    3.0
    """
    edges = given_numbers(size, "the size of a box", (3,))
    if not np.all(edges > 0.0):
        raise ModelError(f"the size of a box is {edges.tolist()}; lengths are positive")
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
    return Vertices(corners * edges / 2)


def hull(points: Any) -> Vertices:
    """The convex hull of some points, m, (k, 3)."""
    from scipy.spatial import ConvexHull, QhullError  # few shapes are hulls

    given = given_numbers(points, "the points of a hull", (None, 3))
    try:
        return Vertices(given[np.sort(ConvexHull(given).vertices)])
    except (QhullError, ValueError) as error:
        raise ModelError(f"the points of a hull have no volume: {str(error).splitlines()[0]}") from None
