"""Contacts as elements of any system: a shape on a body that may touch a surface, or the shape of another body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from zeromass.contact.friction import Friction
from zeromass.contact.outlines import Outline
from zeromass.contact.pair import Pair
from zeromass.contact.pose import Body, Pose
from zeromass.contact.shapes import AboutAxis, CollisionShape, Vertices, point
from zeromass.contact.skin import Faces, outside_of, skin_of
from zeromass.contact.surface import Surface
from zeromass.errors import shown
from zeromass.expression import Array, Expression, Symbol, as_expression, expressions
from zeromass.model import ContactPoint, ModelError, Particle, RigidBody
from zeromass.model.given import Number, given_kind, given_name
from zeromass.model.interface import Interface
from zeromass.model.parts import Part
from zeromass.model.polyhedra import PolyhedraPair
from zeromass.model.requirement import Requirement
from zeromass.model.unilateral import Unilateral

GRAVITY = 9.81
"""m/s²: √(g r) is the speed that slow slips are compared with."""

Touching = tuple[str, Outline | Vertices, Pose, Surface]
"""A name, a shape and where it is, and what it touches."""


class Contact(Interface):
    """Unilateral contact of a body with a surface or with another body; an element of a `System`.

    body         a zm.RigidBody or zm.Particle of the system
    shape        collision shape on the body, such as zm.shapes.sphere(0.02)
    other        a zm.Surface, or another body
    other_shape  collision shape of the other body
    friction     coefficient μ: a number, a formula of time and parameters, or zm.Friction(static=…, kinetic=…), which may
                 depend on the speed of slip. 0 is frictionless; None never slips
    restitution  coefficient of restitution e, 0 to 1
    at           place of the shape on the body, from the mass centre in body axes, m
    turned       rotation of the shape's axes on the body, (3, 3)
    other_at, other_turned  likewise of the other body
    name         for messages and results

    Modes are open, stick and slip; `simulate` finds the transitions, and the impact where a gap closes. A polyhedron, such
    as a box, touches a surface with its vertices, and another polyhedron with vertices, edges and faces.

    >>> ball = zm.RigidBody("ball", mass=1.0, inertia=(0.004, 0.004, 0.004))
    >>> floor = zm.Contact(ball, zm.shapes.sphere(0.1), zm.surfaces.plane(), friction=0.3, restitution=0.5)
    >>> system = zm.System([ball], gravity=10.0, contacts=[floor])
    >>> start = system.start([(ball.position, (0, 0, 5.1)), (ball.velocity, 0.0), (ball.angular_velocity, 0.0)])
    >>> run = zm.simulate(system, start, until=2.6)
    >>> [round(impulse.t, 9) for impulse in run.impulses]
    [1.0, 2.0, 2.5]
    """

    _interface = (
        "gap", "force", "normal_force", "friction_force", "points", "pairs", "body", "shape", "other",
        "other_shape", "bodies", "name",
    )  # fmt: skip

    unilaterals: tuple[Unilateral, ...]
    """Its gaps, with forces and friction: one, or one of each vertex."""

    def __init__(
        self,
        body: Body,
        shape: CollisionShape,
        other: Surface | Body,
        other_shape: CollisionShape | None = None,
        *,
        friction: Number | Friction | None = None,
        restitution: Number = 0.0,
        at: Any = (0.0, 0.0, 0.0),
        turned: Any = None,
        other_at: Any = (0.0, 0.0, 0.0),
        other_turned: Any = None,
        name: str | None = None,
    ) -> None:
        given_kind(body, (Particle, RigidBody), "what may touch", "a zm.RigidBody or zm.Particle")
        given_kind(other, (Surface, Particle, RigidBody), "what is touched", "a zm.Surface or another body")
        self.body, self.other = body, other
        self.name: str = f"{body.name} on {other.name}" if name is None else given_name(name, "a contact")
        for one in (shape, *([] if isinstance(other, Surface) else [other_shape])):
            if not isinstance(one, Outline | Vertices | AboutAxis):
                raise ModelError(f"the shape of contact '{self.name}' is {shown(one)}; give one of zm.shapes")
        self.shape, self.other_shape = shape, other_shape
        outside, turned = _about_third_axis(shape, turned)
        pose = Pose.on(body, at, turned, self.name)
        if isinstance(other, Surface):
            given = self._on_surface(outside, pose, other)
        else:
            other_outside, other_turned = _about_third_axis(cast(CollisionShape, other_shape), other_turned)
            given = self._between(outside, pose, other_outside, Pose.on(other, other_at, other_turned, self.name))
        self.pairs: tuple[Pair, ...] = tuple(
            Pair(*what, friction, restitution, speed=_speed(what[1]), words={}) for what in given
        )
        self.parts: tuple[Particle, ...] = tuple(part for pair in self.pairs for part in pair.parts)
        self.coordinates: tuple[Symbol, ...] = tuple(x for pair in self.pairs for x in pair.coordinates)
        self.constraints: dict[str, Any] = {name: e for pair in self.pairs for name, e in pair.constraints.items()}
        self.requirements: tuple[Requirement, ...] = self.pairs[0].requirements
        for requirement in self.requirements:
            requirement.checked("friction and restitution")
        self.leaping: dict[str, str] = {name: own for pair in self.pairs for name, own in pair.leaping.items()}
        self.unilaterals = tuple(pair.unilateral for pair in self.pairs)
        self.points: tuple[ContactPoint, ...] = tuple(pair.contact for pair in self.pairs)

    def _on_surface(self, shape: Outline | Vertices, pose: Pose, surface: Surface) -> list[Touching]:
        """What touches a surface: one outside, or every vertex."""
        if isinstance(shape, Outline):
            return [(self.name, shape, pose, surface)]
        corners = [pose.moved(pose.rotation @ corner) for corner in shape.points]
        return [(f"{self.name} {k}", point(), corner, surface) for k, corner in enumerate(corners)]

    def _between(self, shape: Any, pose: Pose, other_shape: Any, other: Pose) -> list[Touching]:
        """What touches another body: of two polyhedra as many points as they may have in common."""
        if isinstance(shape, Vertices) and isinstance(other_shape, Vertices):
            turned, apart = other.rotation.T, pose.position - other.position
            placed = (*expressions(turned @ pose.rotation).ravel(), *expressions(turned @ apart))
            pair = PolyhedraPair(shape.polyhedron, other_shape.polyhedron, placed)
            return [(f"{self.name} {k}", shape, pose, Faces(other, pair)) for k in range(pair.most)]
        smooth = isinstance(shape, Outline) and isinstance(other_shape, Outline)
        if smooth and outside_of(cast(Any, other_shape)) is not None:
            return [(self.name, shape, pose, skin_of(other_shape, other))]
        if smooth and outside_of(cast(Any, shape)) is not None:
            return [(self.name, other_shape, other, skin_of(cast(Any, shape), pose))]
        raise ModelError(
            f"contact '{self.name}': of two bodies that touch, one is a sphere or an ellipsoid and the other has no flat "
            "faces, or both are boxes or hulls; give such shapes, or several spheres"
        )

    @property
    def bodies(self) -> tuple[Part, ...]:
        """The bodies that it moves."""
        return (self.body,) if isinstance(self.other, Surface) else (self.body, self.other)

    @property
    def usual(self) -> Mapping[Symbol, float]:
        """No first guesses of its own."""
        return {}

    @property
    def gap(self) -> Expression:
        """Distance, m; of a shape of vertices that of the nearest.

        Of two polyhedra that are apart, that along the direction in which they were farthest apart when modes last changed.
        """
        found: Any = self.pairs[0].gap
        for one in self.pairs[1:]:
            found = np.minimum(found, cast(Any, one.gap))
        return as_expression(found)

    @property
    def normal_force(self) -> Expression:
        """N, N; of several vertices their sum."""
        return as_expression(sum(point.normal_force for point in self.points))

    @property
    def friction_force(self) -> Array:
        """On the body along the surface, inertial components, N."""
        return expressions(sum(point.friction_force for point in self.points))

    @property
    def force(self) -> Array:
        """On the body, inertial components, N."""
        return expressions(sum(point.normal_force * point.normal + point.friction_force for point in self.points))

    def __repr__(self) -> str:
        return f"Contact({self.name!r})"


def _about_third_axis(shape: CollisionShape, turned: Any) -> tuple[Outline | Vertices, Any]:
    """A shape about its third axis, and the rotation of its axes on the body."""
    if not isinstance(shape, AboutAxis):
        return shape, turned
    return shape.outline, shape.rotation if turned is None else expressions(turned) @ shape.rotation


def _speed(shape: Outline | Vertices) -> float:
    """√(g r), m/s, of a size in numbers; that of a metre of others."""
    size = as_expression(shape.size).value
    return float(np.sqrt(GRAVITY * (size or 1.0)))
