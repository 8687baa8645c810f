"""Shapes in which parts are drawn, in the axes of the body."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from zeromass.errors import ModelError, shown
from zeromass.model.given import given_finite, given_numbers

Direction = tuple[float, float, float]


@dataclass(frozen=True)
class Dot:
    """A ball of given radius, m.

    >>> from zeromass.model import Dot
    >>> Dot(0.05)
    Dot(radius=0.05)
    """

    radius: float

    def __post_init__(self) -> None:
        _positive("the radius of a dot", self.radius)


@dataclass(frozen=True)
class Box:
    """A box with sides (a, b, c) along the axes of the body, m, its middle at the mass centre.

    >>> from zeromass.model import Box
    >>> Box((0.2, 0.1, 0.05)).sides
    (0.2, 0.1, 0.05)
    """

    sides: tuple[float, float, float]

    def __post_init__(self) -> None:
        for side in given_numbers(self.sides, "the sides of a box", (3,)):
            _positive("a side of a box", side)


@dataclass(frozen=True)
class Rod:
    """A round rod along an axis of the body, its middle at the mass centre; lengths in m.

    >>> from zeromass.model import Rod
    >>> Rod(1.0, 0.02, axis=(1, 0, 0)).length
    1.0
    """

    length: float
    radius: float
    axis: Direction = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        _positive("the length of a rod", self.length)
        _positive("the radius of a rod", self.radius)
        _direction("a rod", self.axis)


@dataclass(frozen=True)
class Wheel:
    """A wheel that turns about an axis of the body; lengths in m.

    >>> from zeromass.model import Wheel
    >>> Wheel(0.3, 0.05, axis=(0, 1, 0)).width
    0.05
    """

    radius: float
    width: float
    axis: Direction = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        _positive("the radius of a wheel", self.radius)
        _positive("the width of a wheel", self.width)
        _direction("a wheel", self.axis)


@dataclass(frozen=True)
class Disc:
    """A flat round disc, such as a coin, about an axis of the body, its middle at the mass centre; lengths in m.

    >>> from zeromass.model import Disc
    >>> Disc(0.05, 0.004).axis
    (0.0, 0.0, 1.0)
    """

    radius: float
    width: float
    axis: Direction = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        _positive("the radius of a disc", self.radius)
        _positive("the width of a disc", self.width)
        _direction("a disc", self.axis)


@dataclass(frozen=True)
class Ellipsoid:
    """An ellipsoid with semi-axes (a, b, c) along the axes of the body, m, its middle at the mass centre.

    >>> from zeromass.model import Ellipsoid
    >>> Ellipsoid((0.2, 0.03, 0.02)).axes
    (0.2, 0.03, 0.02)
    """

    axes: tuple[float, float, float]

    def __post_init__(self) -> None:
        for axis in given_numbers(self.axes, "the semi-axes of an ellipsoid", (3,)):
            _positive("a semi-axis of an ellipsoid", axis)


@dataclass(frozen=True)
class Ring:
    """A thin ring about an axis of the body, such as a hoop; lengths in m.

    >>> from zeromass.model import Ring
    >>> Ring(0.5, 0.01).radius
    0.5
    """

    radius: float
    width: float
    axis: Direction = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        _positive("the radius of a ring", self.radius)
        _positive("the width of a ring", self.width)
        _direction("a ring", self.axis)


@dataclass(frozen=True, eq=False)
class Hull:
    """A body of any other shape: corners, shape (n, 3), m, in its axes, and triangles of them, shape (k, 3).

    >>> from zeromass.model import Hull
    >>> Hull(np.eye(3), np.array([[0, 1, 2]])).corners.shape
    (3, 3)
    """

    corners: np.ndarray
    triangles: np.ndarray


@dataclass(frozen=True)
class Shell:
    """A sphere of two halves, cut open; the drawn body is placed by its middle.

    radius  m
    offset  of the mass centre from the middle, axes of the body, m; the halves meet in the plane across it

    >>> from zeromass.model import Shell
    >>> Shell(0.09, (0.006, 0.0, 0.0)).radius
    0.09
    """

    radius: float
    offset: Direction = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        _positive("the radius of a shell", self.radius)


Shape = Dot | Box | Rod | Wheel | Disc | Ellipsoid | Ring | Shell


def _positive(what: str, value: float) -> None:
    if not (given_finite(value, what) > 0):
        raise ModelError(f"{what} is {shown(value)}; it is a length and positive")


def _direction(what: str, axis: Direction) -> None:
    if not given_numbers(axis, f"the axis of {what}", (3,)).any():
        raise ModelError(f"the axis of {what} is {shown(axis)}; give three components, not all zero")


@dataclass(frozen=True)
class Look:
    """A shape at a place of a body, for bodies that look like several: from the mass centre in the body's axes, m.

    >>> from zeromass.model import Dot, Look
    >>> Look(Dot(0.05), (0.0, 0.0, 0.1)).turn
    (1.0, 0.0, 0.0, 0.0)
    """

    shape: Shape | Hull
    place: Direction = (0.0, 0.0, 0.0)
    turn: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)

    def seen_from(self, point: ArrayLike) -> Look:
        """The same, its place told from another point of the body."""
        x, y, z = (np.asarray(self.place) - np.asarray(point, dtype=float)).tolist()
        return replace(self, place=(x, y, z))
