"""Frames: bodies on several joints, drawn as tubes between these, with a mark at the mass centre."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from zeromass.expression import Symbol
from zeromass.model.parts import RigidBody
from zeromass.model.picture.inertia import Placed, inside
from zeromass.model.picture.touching import places
from zeromass.model.shapes import Dot, Rod

TUBE, THICKEST, MARK = 0.02, 0.06, 2.5
"""Radius of tubes as a part of the longest of all, and at most as a part of the longest of their own body; and of the mark
at a mass centre, as a multiple of that."""

STRAIGHT = 0.05
"""Distance of a mass centre from the tubes, as a part of the longest, up to which it counts as lying on them."""


Edge = tuple[np.ndarray, np.ndarray]


REACH = 1.15
"""How much farther from the mass centre than the surface of a shape a joint may be that the shape reaches to."""


class Attachment(NamedTuple):
    """Where a joint holds a body: the point, three expressions, and its place in the axes of the body, m, if that is fixed.

    pin  the other end of the axle of a hinge, in the axes of the body, where it holds another body elsewhere; or None
    """

    body: RigidBody
    point: np.ndarray
    place: np.ndarray | None
    pin: np.ndarray | None = None


def ends_of(joint: Any) -> list[Any]:
    """The points of a joint on its bodies, each with `body` and `point`."""
    return [end for name in ("a", "b") if hasattr(end := getattr(joint, name, None), "point")]


def attachments(joint: Any, parameters: Mapping[Symbol, float]) -> list[Attachment]:
    """Where a joint holds its rigid bodies.

    A hinge is where its axis comes nearest to the mass centre of each: the point that one gives may be anywhere on it.
    """
    ends = ends_of(joint)
    hinge = hasattr(joint, "angle") and hasattr(joint, "axis") and not hasattr(joint, "displacement")
    found: list[Attachment] = []
    along = 0.0  # of the body before, from the point that was given
    for end in ends:
        if not isinstance(end.body, RigidBody):
            continue
        known = places(end.body, end.point, parameters, 1)
        place = known[0] if len(known) else None
        if place is None or not hinge:
            found.append(Attachment(end.body, end.point, place))
            continue
        axis = end.axes[:, 2].astype(float)
        way = -float(place @ axis)
        own = place + way * axis
        near = abs(way) <= 1e-9 * (1 + float(np.linalg.norm(place)))
        pin = place + along * axis if end is ends[-1] and abs(way - along) > STRAIGHT * np.linalg.norm(own) else None
        found.append(Attachment(end.body, end.point if near else end.body.point(own), own, pin))
        along = way
    return found


def frames(shapes: Mapping[RigidBody, Placed], held: Sequence[Attachment]) -> dict[RigidBody, list[Placed]]:
    """Tubes of bodies with several joints, and marks of their mass centres.

    The shape of the same inertia stays where it reaches to all joints, or nearly, as that of a rod does.
    """
    edges: dict[RigidBody, list[Edge]] = {}
    for body in dict.fromkeys(one.body for one in held):
        mine = [one for one in held if one.body is body and one.place is not None]
        points: list[np.ndarray] = []
        for one in mine:
            if not any(np.allclose(one.place, other, atol=1e-9) for other in points):  # type: ignore[arg-type]
                points.append(one.place)  # type: ignore[arg-type]
        placed = shapes.get(body)
        if len(points) > 1 and any(placed is None or not inside(placed, p / REACH) for p in points):
            pins = [(one.place, one.pin) for one in mine if one.pin is not None]
            edges[body] = [*_edges(points), *pins]  # type: ignore[list-item]
    longest = {body: max(float(np.linalg.norm(q - p)) for p, q in own) for body, own in edges.items()}
    radii = {body: min(TUBE * max(longest.values()), THICKEST * own) for body, own in longest.items()}
    return {body: _tubes(own, radii[body]) for body, own in edges.items()}


def _edges(points: Sequence[np.ndarray]) -> list[Edge]:
    """Edges of the frame that joins points, and the mass centre where that lies apart: a line, a triangle, a polygon."""
    center = np.zeros(3)
    middle = np.mean(points, axis=0)
    _, _, axes = np.linalg.svd(points - middle)
    far = [p - middle for p in points]
    size = 2 * max(map(np.linalg.norm, far))
    if len(points) == 2:
        (p, q) = points
        part = float(np.clip(-p @ (q - p) / ((q - p) @ (q - p)), 0.0, 1.0))
        apart = np.linalg.norm(p + part * (q - p)) > STRAIGHT * size
        return [(p, q), (p, center), (center, q)] if apart else [(p, q)]
    ordered = sorted(points, key=lambda p: float(np.arctan2((p - middle) @ axes[1], (p - middle) @ axes[0])))
    arms = [(center, p) for p in points] if abs(middle @ axes[2]) > STRAIGHT * size else []
    return [*pairwise([*ordered, ordered[0]]), *arms]


def _tubes(edges: Sequence[Edge], radius: float) -> list[Placed]:
    """A mark at the mass centre, and a tube for each edge."""
    found = [Placed(Dot(MARK * radius))]
    for p, q in edges:
        length = float(np.linalg.norm(q - p))
        if length > radius:
            axis, middle = ((q - p) / length).tolist(), ((p + q) / 2).tolist()
            found.append(Placed(Rod(length, radius, tuple(axis)), middle=tuple(middle)))  # type: ignore[arg-type]
    return found
