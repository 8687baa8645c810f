"""Polytopes with radii for the shapes of a group of bodies, and half-spaces for planes."""

from __future__ import annotations

from typing import Any

import numpy as np

from zeromass.contact.directions import constant_vector
from zeromass.contact.outlines import Outline, Round
from zeromass.contact.pose import Body
from zeromass.contact.shapes import CollisionShape, Vertices
from zeromass.contact.surface import Surface
from zeromass.contact.traced import PLACE
from zeromass.expression import as_expression, gradient, substitute
from zeromass.expression.build import ZERO
from zeromass.model import ModelError
from zeromass.model.collisions import Collider, half_space, point, segment


def collider(body: Body, shape: CollisionShape, name: str) -> Collider | None:
    """The collision shape of a body; None of shapes that have no polytope, or no numbers."""
    if isinstance(shape, Vertices):
        return Collider(name, body, shape.polyhedron, 0.0)
    if not isinstance(shape, Round):
        return None
    rim, height, ball = (as_expression(x).value for x in (shape.rim, shape.height, shape.ball))
    if rim != 0.0 or height is None or ball is None:
        return None
    end = np.array([0.0, 0.0, height])
    return Collider(name, body, segment(-end, end) if height > 0.0 else point(end), ball)


def plane_of(surface: Surface) -> Collider | None:
    """The half-space below a plane that does not move; None of other surfaces."""
    f = as_expression(surface(PLACE))
    normal = constant_vector(gradient(f, PLACE))
    offset = as_expression(substitute(f, dict.fromkeys(PLACE, ZERO))).value
    if normal is None or offset is None or surface.moves or surface.has_velocity:
        return None
    size = float(np.linalg.norm(normal)) * surface.side
    return Collider(surface.name, None, half_space(normal / size, -offset / size), 0.0)


def given_shapes(given: Any, what: str) -> list[CollisionShape]:
    """One shape or several."""
    found = list(given) if isinstance(given, (list, tuple)) else [given]
    for one in found:
        if not isinstance(one, Outline | Vertices):
            raise ModelError(f"{what} is {one!r}; give one of zm.shapes, or several")
    return found
