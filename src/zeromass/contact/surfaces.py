"""Named surfaces. Bodies are above, inside or outside, as the name says.

Sizes are in m, angles in rad, and may be expressions of parameters. `shift`, `rotation` and `velocity` move a surface as
they move every `Surface`. A public function of this module that gives a Surface is a kind of surface in scenario files,
with its arguments as keys; `zeromass/surfaces.py` lists those of `zm.surfaces`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from zeromass.contact.surface import Surface
from zeromass.expression import Expression
from zeromass.model.given import Number, Vector
from zeromass.model.given import given_flag as _given_flag
from zeromass.model.given import given_number as _given_number

ORIGIN = (0.0, 0.0, 0.0)
Rotation = tuple[Vector, Number] | np.ndarray | None
"""(axis, angle), or a matrix (3, 3), expressions of time."""

Velocity = Vector | Callable[[np.ndarray], Any] | None
"""Of the surface's material, m/s: a vector, or a function of the position."""


def plane(
    slope: Number = 0.0, *, shift: Vector = ORIGIN, rotation: Rotation = None, velocity: Velocity = None
) -> Surface:
    """A plane through the origin that falls along X at an angle `slope`; bodies above.

        cos(slope) Z + sin(slope) X = 0

    slope  rad

    >>> bool(abs(zm.surfaces.plane(slope=np.pi / 4)(np.array([1.0, 0.0, -1.0]))) < 1e-15)
    True
    """
    angle: Any = _given_number(slope, "the slope of a plane")
    c, s = np.cos(angle), np.sin(angle)
    if not isinstance(slope, Expression):
        c, s = float(c), float(s)
    return Surface(lambda X, Y, Z: c * Z + s * X, name="plane", shift=shift, rotation=rotation, velocity=velocity)


def sphere(
    radius: Number,
    *,
    inside: bool = False,
    shift: Vector = ORIGIN,
    rotation: Rotation = None,
    velocity: Velocity = None,
) -> Surface:
    """A sphere about the origin; bodies outside, or inside.

        (X² + Y² + Z² − radius²)/2 = 0

    >>> float(zm.surfaces.sphere(radius=5.0)(np.array([0.0, 3.0, 4.0])))
    0.0
    """

    radius = _given_number(radius, "the radius of a sphere")

    def shape(X: Any, Y: Any, Z: Any) -> Any:
        return (X**2 + Y**2 + Z**2 - radius**2) / 2

    return Surface(shape, side=_side(inside), name="sphere", shift=shift, rotation=rotation, velocity=velocity)


def cylinder(
    radius: Number,
    *,
    inside: bool = False,
    shift: Vector = ORIGIN,
    rotation: Rotation = None,
    velocity: Velocity = None,
) -> Surface:
    """A cylinder about the Z axis; bodies outside, or inside.

        (X² + Y² − radius²)/2 = 0

    >>> float(zm.surfaces.cylinder(radius=5.0, inside=True)(np.array([3.0, 4.0, 7.0])))
    0.0
    """

    radius = _given_number(radius, "the radius of a cylinder")

    def shape(X: Any, Y: Any, Z: Any) -> Any:
        return (X**2 + Y**2 - radius**2) / 2

    return Surface(shape, side=_side(inside), name="cylinder", shift=shift, rotation=rotation, velocity=velocity)


def cone(slope: Number, *, shift: Vector = ORIGIN, rotation: Rotation = None, velocity: Velocity = None) -> Surface:
    """A cone that opens upwards; bodies above.

        Z = slope √(X² + Y²)

    slope  tan of the angle between the cone and the horizontal

    >>> float(zm.surfaces.cone(slope=0.5)(np.array([3.0, 4.0, 2.5])))
    0.0
    """

    slope = _given_number(slope, "the slope of a cone")

    def height(X: Any, Y: Any) -> Any:
        return slope * np.sqrt(X**2 + Y**2)

    return Surface(height, name="cone", shift=shift, rotation=rotation, velocity=velocity)


def paraboloid(
    curvature: Number, *, shift: Vector = ORIGIN, rotation: Rotation = None, velocity: Velocity = None
) -> Surface:
    """A paraboloid that opens upwards; bodies above.

        Z = curvature (X² + Y²)                   curvature in 1/m; 1/(2 curvature) is the radius at the bottom

    >>> float(zm.surfaces.paraboloid(curvature=0.5)(np.array([1.0, 1.0, 1.0])))
    0.0
    """

    curvature = _given_number(curvature, "the curvature of a paraboloid")

    def height(X: Any, Y: Any) -> Any:
        return curvature * (X**2 + Y**2)

    return Surface(height, name="paraboloid", shift=shift, rotation=rotation, velocity=velocity)


def torus(
    radius: Number,
    tube: Number,
    *,
    inside: bool = False,
    shift: Vector = ORIGIN,
    rotation: Rotation = None,
    velocity: Velocity = None,
) -> Surface:
    """A torus about the Z axis with a tube of radius `tube`; bodies outside the tube, or inside.

        ((√(X² + Y²) − radius)² + Z² − tube²)/2 = 0

    >>> float(zm.surfaces.torus(radius=2.0, tube=0.5, inside=True)(np.array([0.0, 2.0, -0.5])))
    0.0
    """

    radius, tube = _given_number(radius, "the radius of a torus"), _given_number(tube, "the tube of a torus")

    def shape(X: Any, Y: Any, Z: Any) -> Any:
        return ((np.sqrt(X**2 + Y**2) - radius) ** 2 + Z**2 - tube**2) / 2

    return Surface(shape, side=_side(inside), name="torus", shift=shift, rotation=rotation, velocity=velocity)


def dimpled_bowl(
    h1: Number = 0.04,
    h2: Number = 1.2 * 2**0.5,
    h3: Number = 0.05,
    h4: Number = 1.6,
    h5: Number = 0.03,
    *,
    shift: Vector = ORIGIN,
    rotation: Rotation = None,
    velocity: Velocity = None,
) -> Surface:
    """The asymmetric multi-dimpled bowl [UM2022, eq. 57]; bodies above.

        Z = h₁ sin(h₂ π X)/(1 + X²) + h₃ sin(h₄ π Y)/(1 + Y²) + h₅ (X² + Y²)

    h1, h3  depths of the dimples along X and Y, m
    h2, h4  their frequencies, 1/(2 m)
    h5      of the bowl, 1/m

    >>> float(zm.surfaces.dimpled_bowl(h1=0.0, h3=0.0, h5=0.5)(np.array([1.0, 1.0, 1.0])))
    0.0
    """

    h1, h2, h3, h4, h5 = (_given_number(h, f"h{k} of a bowl") for k, h in enumerate((h1, h2, h3, h4, h5), 1))

    def height(X: Any, Y: Any) -> Any:
        dimples = h1 * np.sin(h2 * np.pi * X) / (1 + X**2) + h3 * np.sin(h4 * np.pi * Y) / (1 + Y**2)
        return dimples + h5 * (X**2 + Y**2)

    return Surface(height, name="dimpled bowl", shift=shift, rotation=rotation, velocity=velocity)


def _side(inside: bool) -> Literal[1, -1]:
    return -1 if _given_flag(inside, "inside") else 1
