"""Contacts as elements of any system: a shape on a body that may touch a surface, or the shape of another body."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from zeromass.contact.friction import possible_friction
from zeromass.contact.limits import possible_restitution
from zeromass.contact.outlines import Ellipsoid, Outline, Round
from zeromass.contact.shapes import CollisionShape, Vertices
from zeromass.contact.skin import Skin
from zeromass.contact.surface import Surface
from zeromass.contact.traced import PLACE
from zeromass.errors import shown
from zeromass.expression import Array, Expression, Symbol, as_expression, coordinate, expressions, substitute, symbols
from zeromass.expression.pieces import switches
from zeromass.model import ContactPoint, ModelError, Particle, RigidBody
from zeromass.model.given import Number, given_kind, given_name, given_vector
from zeromass.model.parts import Part
from zeromass.model.requirement import Requirement
from zeromass.model.unilateral import Unilateral, tangent_axis

GRAVITY = 9.81
"""m/s²: √(g r) is the speed that slow slips are compared with."""

Body = Particle | RigidBody


class Contact:
    """A body that may touch a surface or another body, as an element of a `System`.

    body         what may touch: a zm.RigidBody or zm.Particle of the system
    shape        its outside there, such as zm.shapes.sphere(0.02)
    other        a zm.Surface, or another body
    other_shape  of another body
    friction     μ: a number or a formula; 0 smooth, None rough, so that it never slips
    restitution  e of impacts, 0 to 1
    at           where the shape is on the body, in its axes from the mass centre, m
    turned       (3, 3) matrix that turns the axes of the shape against those of the body
    other_at, other_turned  likewise of the other body
    name         for messages and results

    A contact is open, sticks or slips. A run goes from one to the other by itself, with the impact where a gap closes. A
    shape of vertices, as a box, touches with each of them.

    >>> ball = zm.RigidBody("ball", mass=1.0, inertia=(0.004, 0.004, 0.004))
    >>> floor = zm.Contact(ball, zm.shapes.sphere(0.1), zm.surfaces.plane(), friction=0.3, restitution=0.5)
    >>> system = zm.System([ball], gravity=10.0, contacts=[floor])
    >>> start = system.start([(ball.position, (0, 0, 5.1)), (ball.velocity, 0.0), (ball.angular_velocity, 0.0)])
    >>> run = zm.simulate(system, start, until=2.5)
    >>> [round(impulse.t, 9) for impulse in run.impulses]
    [1.0, 2.0, 2.5]
    """

    unilaterals: tuple[Unilateral, ...]
    """Its gaps, with forces and friction: one, or one of each vertex."""

    def __init__(
        self,
        body: Body,
        shape: CollisionShape,
        other: Surface | Body,
        other_shape: CollisionShape | None = None,
        *,
        friction: Number | None = None,
        restitution: Number = 0.0,
        at: Any = (0.0, 0.0, 0.0),
        turned: Any = None,
        other_at: Any = (0.0, 0.0, 0.0),
        other_turned: Any = None,
        name: str | None = None,
    ) -> None:
        given_kind(body, Particle | RigidBody, "what may touch", "a zm.RigidBody or zm.Particle")
        given_kind(other, Surface | Particle | RigidBody, "what is touched", "a zm.Surface or another body")
        self.body, self.other = body, other
        self.name: str = f"{body.name} on {other.name}" if name is None else given_name(name, "a contact")
        for one in (shape, *([] if isinstance(other, Surface) else [other_shape])):
            if not isinstance(one, Outline | Vertices):
                raise ModelError(f"the shape of contact '{self.name}' is {shown(one)}; give one of zm.shapes")
        self.friction, self.restitution = friction, restitution
        self.requirements: tuple[Requirement, ...] = (
            *possible_friction(friction, friction),
            *possible_restitution(restitution, f" of '{self.name}'"),
        )
        for requirement in self.requirements:
            requirement.checked("friction and restitution")
        self.shape, self.other_shape = shape, other_shape
        self.parts: tuple[Particle, ...] = ()
        self.coordinates: tuple[Symbol, ...] = ()
        self.constraints: dict[str, Any] = {}
        self._pose = _Pose(body, at, turned, self.name)
        if isinstance(other, Surface):
            places = [(self.name, self._pose, shape)]
            if isinstance(shape, Vertices):
                places = [
                    (f"{self.name} {k}", self._pose.shifted(corner), _POINT) for k, corner in enumerate(shape.points)
                ]
            touches = [self._on_surface(name, pose, outline, other) for name, pose, outline in places]
        else:
            touches = [self._on_body(_Pose(other, other_at, other_turned, self.name), shape, other_shape)]
        self.leaping: dict[str, str] = {}
        if isinstance(other, Surface) and not switches([other(PLACE), *other.normal(PLACE)]):
            self.leaping = {
                name: name.removesuffix(" nearest") for name in self.constraints if name.endswith(" nearest")
            }
        self.unilaterals = tuple(touch.unilateral for touch in touches)
        self.points: tuple[ContactPoint, ...] = tuple(touch.point for touch in touches)

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
        """Distance, m; of a shape of vertices that of the nearest."""
        found: Any = self.unilaterals[0].gap
        for one in self.unilaterals[1:]:
            found = np.minimum(found, one.gap)
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

    # kinematics -------------------------------------------------------------------------------------------------------
    def _on_surface(self, name: str, pose: _Pose, outline: CollisionShape, surface: Surface) -> _Touch:
        """Contact of a smooth outside with a surface."""
        assert isinstance(outline, Outline)
        flat = _is_flat(surface)
        sharp = isinstance(outline, Round) and outline.sizes == _POINT.sizes
        if flat or sharp:
            k = surface.gradient(PLACE)
            place = pose.center if sharp else _lowest(pose, outline, k)
            k = _at(k, place)
            length = np.sqrt(as_expression(k @ k))
            gap, n = as_expression(surface.side * surface(place) / length), expressions(k / length)
            slip = pose.velocity_of(place) - _at(surface.velocity(PLACE), place)
            return self._touch(name, gap, n, place, slip, outline)
        return self._at_particle(name, pose, outline, surface)

    def _at_particle(self, name: str, pose: _Pose, outline: Outline, surface: Surface) -> _Touch:
        """Contact with a curved surface, at a particle without mass that is the point nearest to the body."""
        P = Particle(f"{name} point", mass=0)
        gap = coordinate(f"{name} gap")
        n = surface.normal(P.position)
        place = pose.center - pose.lever(outline, n)
        self.parts, self.coordinates = (*self.parts, P), (*self.coordinates, gap)
        self.constraints |= {
            f"{name} surface": as_expression(surface(P.position)),
            f"{name} nearest": place - P.position - gap * n,
        }
        slip = pose.velocity_of(place) - surface.velocity(P.position)
        return self._touch(name, gap, n, P.position, slip, outline)

    def _on_body(self, other: _Pose, shape: Any, other_shape: Any) -> _Touch:
        """Contact of two smooth outsides."""
        name, pose = self.name, self._pose
        one, two = _radius(shape), _radius(other_shape)
        if one is not None and two is not None:
            d = expressions(pose.center - other.center)
            length = np.sqrt(as_expression(d @ d))
            n = expressions(d / length)
            place = expressions(other.center + two * n)
            slip = pose.velocity_of(pose.center - one * n) - other.velocity_of(place)
            return self._touch(name, as_expression(length - one - two), n, place, slip, shape)
        if isinstance(shape, Outline) and _implicit(other_shape) is not None:
            return self._at_particle(name, pose, shape, other.skin(other_shape))
        if isinstance(other_shape, Outline) and _implicit(shape) is not None:
            return self._at_particle(name, other, other_shape, pose.skin(shape))
        raise ModelError(
            f"contact '{name}': of two bodies that touch, one is a sphere or an ellipsoid, and the other has no flat faces; "
            "give such shapes, or several spheres"
        )

    def _touch(self, name: str, gap: Expression, n: Array, place: Array, slip: Any, outline: Any) -> _Touch:
        steady = _numbers(n)
        axis = tangent_axis(name) if steady is None else np.eye(3)[int(np.argmin(np.abs(steady)))]
        t1 = np.cross(n, expressions(axis))
        t1 = expressions(t1 / np.sqrt(as_expression(t1 @ t1)))
        t2 = expressions(np.cross(n, t1))
        size: Any = outline.size
        extent = 1.0 if isinstance(size, Expression) or size == 0.0 else float(size)
        smooth = self.friction is not None and as_expression(self.friction).value == 0.0
        w = (as_expression(0.0), as_expression(0.0)) if smooth else (as_expression(t1 @ slip), as_expression(t2 @ slip))
        unilateral = Unilateral(
            name,
            gap,
            w,
            friction=self.friction,
            restitution=self.restitution,
            size=extent,
            speed=float(np.sqrt(GRAVITY * extent)),
            normal=n if steady is None else None,
            approaching=as_expression(n @ slip),
        )
        N, *T = unilateral.forces
        along = expressions(T[0] * t1 + T[1] * t2)
        ratio = as_expression(np.sqrt(as_expression(T[0] ** 2 + T[1] ** 2)) / N)
        return _Touch(unilateral, ContactPoint(name, place, n, N, along, ratio))


class _Touch(SimpleNamespace):
    """A unilateral constraint, and the contact point that results tell of."""

    unilateral: Unilateral
    point: ContactPoint

    def __init__(self, unilateral: Unilateral, point: ContactPoint) -> None:
        super().__init__(unilateral=unilateral, point=point)


class _Pose:
    """Where a shape is: its centre, its axes, and velocities of material points of its body."""

    def __init__(self, body: Body, at: Any, turned: Any, name: str) -> None:
        place = given_vector(at, f"at of contact '{name}'")
        if isinstance(body, Particle):
            if any(as_expression(x).value != 0.0 for x in place) or turned is not None:
                raise ModelError(f"contact '{name}': '{body.name}' is a particle, whose shape is at it; leave at= out")
            self.center: Array = body.position
            self.axes: Array = expressions(np.eye(3))
            self._spin: Array = expressions(np.zeros(3))
        else:
            own = expressions(np.eye(3) if turned is None else turned)
            if own.shape != (3, 3):
                raise ModelError(f"turned of contact '{name}' has shape {own.shape}; give a (3, 3) matrix")
            self.center = expressions(body.position + body.rotation @ place)
            self.axes = expressions(body.rotation @ own) if turned is not None else body.rotation
            self._spin = body.angular_velocity
        self.body = body

    def shifted(self, corner: np.ndarray) -> _Pose:
        """The same axes about another point of the body."""
        found = object.__new__(_Pose)
        found.__dict__ = {**self.__dict__, "center": expressions(self.center + self.axes @ corner)}
        return found

    def velocity_of(self, place: Any) -> Array:
        """Velocity of the body's material at a point, m/s."""
        return expressions(self.body.velocity + np.cross(self._spin, expressions(place) - self.body.position))

    def lever(self, outline: Outline, n: Array) -> Array:
        """From the point of the outside that is farthest against n to its centre, m."""
        if outline.symmetric:
            return expressions(outline.farthest(n, self.axes))
        return expressions(-outline.farthest(expressions(-n), self.axes))

    def skin(self, outline: Any) -> Skin:
        """The outside as a surface that moves with the body."""
        f = _implicit(outline)
        assert f is not None
        center: Any = SimpleNamespace(position=self.center, velocity=self.velocity_of(self.center))
        body: Any = SimpleNamespace(name=self.body.name, rotation=self.axes, angular_velocity=self._spin)
        return Skin(f, body, center, sphere=_radius(outline) is not None)


_POINT = Round(0.0, 0.0, 0.0)


def _lowest(pose: _Pose, outline: Outline, k: Array) -> Array:
    """The point of an outside that is nearest to a plane of gradient k."""
    n = expressions(k / np.sqrt(as_expression(k @ k)))
    return expressions(pose.center - pose.lever(outline, n))


def _is_flat(surface: Surface) -> bool:
    """Whether its gradient is the same everywhere, and its material moves as its axes do."""
    k = surface.gradient(PLACE)
    return set(symbols(k)).isdisjoint(PLACE)


def _at(e: Array, place: Array) -> Array:
    """Formulas of a place at another one."""
    return expressions(substitute(e, dict(zip(PLACE, place, strict=True))))


def _radius(outline: Any) -> Any:
    """Of a sphere, m; None of other shapes."""
    if isinstance(outline, Round) and all(as_expression(x).value == 0.0 for x in (outline.rim, outline.height)):
        return outline.ball
    return None


def _implicit(outline: Any) -> Expression | None:
    """f of an outside, negative inside; None where none is known."""
    radius = _radius(outline)
    if radius is not None:
        return as_expression((PLACE @ PLACE - radius**2) / (2 * radius))
    if isinstance(outline, Ellipsoid):
        a = PLACE / outline.axes
        return as_expression((a @ a - 1) * outline.size / 2)
    return None


def _numbers(n: Array) -> np.ndarray | None:
    """The components of a vector that is constant; None of others."""
    values = [as_expression(x).value for x in n]
    return None if any(value is None for value in values) else np.array(values, dtype=float)
