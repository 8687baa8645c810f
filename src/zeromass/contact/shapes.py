"""Shapes on bodies: convex outsides, for contacts and for pictures, and a ring and a wheel for pictures alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import Annotated, Any

import numpy as np

from zeromass.contact.hulls import polyhedron
from zeromass.contact.outlines import Ellipsoid, Outline, Round
from zeromass.model import Hull, ModelError, Ring, Wheel
from zeromass.model.collisions import Polytope
from zeromass.model.given import Number, Vector, given_numbers, given_scalar, given_vector

Axis = Annotated[Any, (3,)]
"""Of a round shape, three components along the axes of the body."""


@dataclass(frozen=True, eq=False)
class Vertices:
    """A convex polyhedron, by its vertices.

    points  m, in the axes of the shape, (k, 3)
    """

    points: np.ndarray

    @cached_property
    def polyhedron(self) -> Polytope:
        """Its faces and edges."""
        return polyhedron(self.points)

    @property
    def size(self) -> float:
        """Largest distance of a vertex from the origin, m."""
        return float(np.linalg.norm(self.points, axis=1).max())


@dataclass(frozen=True, eq=False)
class AboutAxis:
    """A round shape whose axis is another one than the third of its body.

    outline  about its third axis
    axis     unit vector in the axes of the body
    """

    outline: Outline
    axis: np.ndarray

    @property
    def size(self) -> Number:
        """Largest distance of a point from the origin, m."""
        return self.outline.size

    @property
    def rotation(self) -> np.ndarray:
        """The axes of the outline as columns: the smallest rotation of the third axis onto `axis`."""
        x, y, z = self.axis
        if z < -1.0 + 1e-12:
            return np.diag([1.0, -1.0, -1.0])
        k = 1.0 / (1.0 + z)
        return np.array([[1.0 - k * x * x, -k * x * y, x], [-k * x * y, 1.0 - k * y * y, y], [-x, -y, z]])


CollisionShape = Outline | Vertices | AboutAxis


def _about(outline: Outline, axis: Any, what: str) -> Outline | AboutAxis:
    a = given_numbers(axis, f"the axis of {what}", (3,))
    if not a.any():
        raise ModelError(f"the axis of {what} is {a.tolist()}; give three components, not all zero")
    a = a / np.linalg.norm(a)
    return outline if a[2] == 1.0 else AboutAxis(outline, a)


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


def capsule(radius: Number, length: Number, *, axis: Axis = (0.0, 0.0, 1.0)) -> CollisionShape:
    """A cylinder with half a sphere on each end.

    length  of the cylinder, m: the capsule is longer by two radii
    axis    of the cylinder, in the axes of the body
    """
    outline = Round(0.0, _length(length, "the length of a capsule") / 2, _length(radius, "the radius of a capsule"))
    return _about(outline, axis, "a capsule")


def cylinder(radius: Number, length: Number, *, edge: Number = 0.0, axis: Axis = (0.0, 0.0, 1.0)) -> CollisionShape:
    """A cylinder.

    edge  radius of its rounded edges, m, which adds to the radius and, at each end, to the length
    axis  of the cylinder, in the axes of the body
    """
    rim, height = _length(radius, "the radius of a cylinder"), _length(length, "the length of a cylinder") / 2
    return _about(Round(rim, height, _length(edge, "the edge of a cylinder", zero=True)), axis, "a cylinder")


def disc(radius: Number, *, edge: Number = 0.0, axis: Axis = (0.0, 0.0, 1.0)) -> CollisionShape:
    """A thin disc.

    edge  radius of its round edge, m, which adds to the radius
    axis  of the disc, in the axes of the body
    """
    outline = Round(_length(radius, "the radius of a disc"), 0.0, _length(edge, "the edge of a disc", zero=True))
    return _about(outline, axis, "a disc")


def ellipsoid(axes: Vector) -> Outline:
    """An ellipsoid of three semi-axes, m, along those of the shape."""
    given = given_vector(axes, "the axes of an ellipsoid")
    return Ellipsoid(np.array([_length(a, "an axis of an ellipsoid") for a in given], dtype=object))


def box(size: tuple[float, float, float]) -> Vertices:
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


def ring(radius: float, width: float, *, axis: Axis = (0.0, 0.0, 1.0)) -> Ring:
    """A thin ring, such as a hoop; it is drawn, and no shape of a contact.

    >>> zm.shapes.ring(0.5, 0.01).radius
    0.5
    """
    return Ring(radius, width, axis)


def wheel(radius: float, width: float, *, axis: Axis = (0.0, 0.0, 1.0)) -> Wheel:
    """A wheel with spokes; it is drawn, and no shape of a contact: that of `zm.shapes.disc` is.

    >>> zm.shapes.wheel(0.3, 0.05, axis=(0, 1, 0)).width
    0.05
    """
    return Wheel(radius, width, axis)


def mesh(path: str | PathLike[str], *, scale: Any = 1.0, at: Any = (0.0, 0.0, 0.0)) -> Hull:
    """Triangles of an STL or OBJ file; they are drawn, and no shape of a contact: that of `zm.shapes.hull` is.

    scale  m for each unit of the file, one number or one for each axis
    at     origin of the file, from the mass centre, in the axes of the body, m

    >>> _ = (folder / "tip.obj").write_text("v 0 0 0\\nv 1 0 0\\nv 0 1 0\\nf 1 2 3")
    >>> zm.shapes.mesh(folder / "tip.obj", scale=0.001).corners[-1]
    array([0.001, 0.   , 0.   ])
    """
    from zeromass.mechanism.mesh import given_scale, read_mesh, shared_corners  # few shapes are read from files

    origin = given_numbers(at, "the place of a mesh", (3,))
    return Hull(*shared_corners(given_scale(scale) * read_mesh(path) + origin))
