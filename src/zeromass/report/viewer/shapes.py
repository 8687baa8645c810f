"""Shapes of bodies as the page reads them, and those of parts that were given none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from zeromass.expression import Expression, evaluate
from zeromass.model import Box, Disc, Dot, Ellipsoid, Hull, Part, RigidBody, Ring, Rod, Shape, Shell, Wheel
from zeromass.model.picture.inertia import Placed, of_inertia, quaternions
from zeromass.model.quaternion import product
from zeromass.report.viewer.pack import exact, indices

__all__ = ["described", "dot", "placed", "quaternions", "reach", "usual"]

UPRIGHT = (1.0, 0.0, 0.0, 0.0)
"""The quaternion of no turn."""


def described(shape: Shape | Hull) -> dict[str, Any]:
    """A shape as the page reads it; `turn` is the quaternion from the shape's own axes to those of the body."""
    match shape:
        case Shell(radius, offset):
            return {"kind": "shell", "radius": radius, "offset": list(offset)}
        case Dot(radius):
            return {"kind": "dot", "radius": radius}
        case Box(sides):
            return {"kind": "box", "sides": list(sides)}
        case Ellipsoid(axes):
            return {"kind": "ellipsoid", "axes": list(axes)}
        case Rod(length, radius, axis):
            return {"kind": "rod", "length": length, "radius": radius, "turn": _onto(axis)}
        case Wheel(radius, width, axis):
            return {"kind": "wheel", "radius": radius, "width": width, "turn": _onto(axis)}
        case Disc(radius, width, axis):
            return {"kind": "disc", "radius": radius, "width": width, "turn": _onto(axis)}
        case Ring(radius, width, axis):
            return {"kind": "ring", "radius": radius, "width": width, "turn": _onto(axis)}
        case Hull(corners, triangles):
            far = float(np.linalg.norm(corners, axis=1).max())
            return {"kind": "mesh", "vertices": exact(corners), "triangles": indices(triangles), "radius": far}


def placed(made: Placed) -> dict[str, Any]:
    """A shape that is turned and shifted in the axes of its body."""
    data = described(made.shape)
    if any(made.middle):
        data["middle"] = list(made.middle)
    own = data.get("turn", UPRIGHT)  # from the axes of the shape to those in which it was placed
    return data if made.turn == UPRIGHT else data | {"turn": product(made.turn, own).tolist()}


def reach(shape: Mapping[str, Any]) -> float:
    """How far a shape reaches from its middle, m."""
    if shape["kind"] == "box":
        return float(np.linalg.norm(shape["sides"])) / 2
    if shape["kind"] == "rod":
        return max(float(shape["length"]) / 2, float(shape["radius"]))
    return float(max(shape["axes"])) if shape["kind"] == "ellipsoid" else float(shape["radius"])


def dot(radius: float, *, marker: bool = False) -> dict[str, Any]:
    """A particle, or the mark of a place."""
    return {"kind": "dot", "radius": radius, "marker": marker}


def usual(part: Part, parameters: Mapping[Any, float], size: float) -> dict[str, Any]:
    """The shape of a part that was given none, in a scene of given size: a dot, or the shape that has its inertia."""
    mass = _value(part.mass, parameters)
    if isinstance(part, RigidBody):
        J = np.array([[_value(entry, parameters) for entry in row] for row in part.inertia])
        made = of_inertia(mass, J)
        side = 0.06 * size
        return described(Box((side, side, side))) if made is None else {"turn": list(made.turn)} | placed(made)
    return dot(size * (0.022 if mass > 0 else 0.011), marker=not mass > 0)


def _onto(axis: Any) -> list[float]:
    """The quaternion that turns z onto an axis."""
    a = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    if a[2] < -1 + 1e-12:
        return [0.0, 1.0, 0.0, 0.0]
    u = np.array([1 + a[2], -a[1], a[0], 0.0])
    return (u / np.linalg.norm(u)).tolist()


def _value(e: Expression, parameters: Mapping[Any, float]) -> float:
    return float(evaluate(e, dict(parameters)))
