"""Named surfaces. Bodies are above, inside or outside, as the name says."""

from __future__ import annotations

from typing import Any

import numpy as np

from zeromass.contact.surface import Surface


def plane(slope: float = 0.0, **motion: Any) -> Surface:
    """A plane through the origin that falls along X at an angle `slope`, rad; bodies above."""
    c, s = float(np.cos(slope)), float(np.sin(slope))
    return Surface(lambda X, Y, Z: c * Z + s * X, name="plane", **motion)


def sphere(radius: float, *, inside: bool = False, **motion: Any) -> Surface:
    """A sphere about the origin; bodies outside, or inside."""
    return Surface(
        lambda X, Y, Z: (X**2 + Y**2 + Z**2 - radius**2) / 2, side=-1 if inside else 1, name="sphere", **motion
    )


def cylinder(radius: float, *, inside: bool = False, **motion: Any) -> Surface:
    """A cylinder about the Z axis; bodies outside, or inside."""
    return Surface(lambda X, Y, Z: (X**2 + Y**2 - radius**2) / 2, side=-1 if inside else 1, name="cylinder", **motion)


def cone(slope: float, **motion: Any) -> Surface:
    """A cone Z = slope · √(X² + Y²), opening upwards; bodies above."""
    return Surface(lambda X, Y: slope * np.sqrt(X**2 + Y**2), name="cone", **motion)


def paraboloid(curvature: float, **motion: Any) -> Surface:
    """A paraboloid Z = curvature · (X² + Y²); bodies above."""
    return Surface(lambda X, Y: curvature * (X**2 + Y**2), name="paraboloid", **motion)


def torus(radius: float, tube: float, *, inside: bool = False, **motion: Any) -> Surface:
    """A torus about the Z axis with a tube of given radius; bodies outside the tube, or inside."""

    def shape(X: Any, Y: Any, Z: Any) -> Any:
        return ((np.sqrt(X**2 + Y**2) - radius) ** 2 + Z**2 - tube**2) / 2

    return Surface(shape, side=-1 if inside else 1, name="torus", **motion)


def dimpled_bowl(
    h1: float = 0.04,
    h2: float = 1.2 * 2**0.5,
    h3: float = 0.05,
    h4: float = 1.6,
    h5: float = 0.03,
    **motion: Any,
) -> Surface:
    """The asymmetric multi-dimpled bowl [UM2022, eq. 57]; bodies above."""

    def height(X: Any, Y: Any) -> Any:
        dimples = h1 * np.sin(h2 * np.pi * X) / (1 + X**2) + h3 * np.sin(h4 * np.pi * Y) / (1 + Y**2)
        return dimples + h5 * (X**2 + Y**2)

    return Surface(height, name="dimpled bowl", **motion)
