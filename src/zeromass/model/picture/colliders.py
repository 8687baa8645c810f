"""What bodies of a group that collide look like: their collision shapes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from zeromass.model.collisions import SEGMENT, SOLID, Collider, Colliders
from zeromass.model.parts import RigidBody
from zeromass.model.picture.inertia import Placed
from zeromass.model.shapes import Dot, Hull, Rod


def collision_figures(colliders: Colliders | None) -> dict[RigidBody, list[Placed]]:
    """The figures of each rigid body, in its axes."""
    found: dict[RigidBody, list[Placed]] = {}
    for one in () if colliders is None else colliders.colliders:
        if isinstance(one.body, RigidBody):
            found.setdefault(one.body, []).extend(_figures(one))
    return {body: figures for body, figures in found.items() if figures}


def _figures(one: Collider) -> list[Placed]:
    """Those of one shape: balls, a rod between balls, or a hull; none of a point."""
    points = one.polytope.points
    if one.polytope.kind == SOLID:
        corners = [(loop[0], *pair) for loop in one.polytope.loops for pair in pairwise(loop[1:])]
        return [Placed(Hull(points, np.array(corners)))]
    balls = [Placed(Dot(one.radius), middle=tuple(p.tolist())) for p in points] if one.radius > 0.0 else []
    if one.polytope.kind != SEGMENT or not balls:
        return balls
    x, y, z = (points[1] - points[0]).tolist()
    length = float(np.linalg.norm(points[1] - points[0]))
    rod = Rod(length, one.radius, (x / length, y / length, z / length))
    return [Placed(rod, middle=tuple(points.mean(axis=0).tolist())), *balls]
