"""One point at which a body may touch a surface or another body: its kinematics, and its forces."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from zeromass.contact.directions import constant_vector, tangents
from zeromass.contact.friction import Friction, at_speed, bounded, friction_of, lacking, possible_friction
from zeromass.contact.limits import possible_restitution
from zeromass.contact.outlines import Outline, Round
from zeromass.contact.pose import Pose
from zeromass.contact.pressing import Pressing
from zeromass.contact.roller import Roller, Touch
from zeromass.contact.shapes import Vertices
from zeromass.contact.skin import Faces, Skin, radius_of
from zeromass.contact.surface import Surface
from zeromass.contact.traced import PLACE
from zeromass.expression import Array, Expression, Symbol, as_expression, coordinate, expressions, substitute, symbols
from zeromass.expression.build import ONE, ZERO
from zeromass.expression.pieces import switches
from zeromass.model import ContactPoint, Particle
from zeromass.model.given import Number, given_kind, given_name
from zeromass.model.polyhedra import feature_parameters
from zeromass.model.remembering import Remembering
from zeromass.model.requirement import Requirement
from zeromass.model.unilateral import Unilateral

ROLLS = {"sticks": "rolling", "slips": "slipping", "closed": "slipping"}
"""What modes of bodies that roll are called."""


class Pair(Pressing, Remembering):
    """A body and a surface that may touch, and what they do to one another, whether they touch or not.

    n is the normal, P the contact on the surface, O the centre of the body, l the lever from the one to the other where they
    touch. Of spheres, and of a surface with the same normal everywhere, P and the gap g follow from O:

        g = f(O − l)/|∇f|,   g = (d² − R²)/(2 R),  d the distance of two centres and R the sum of their radii

    Else both are coordinates without mass, with the direction h in which the gap is measured:

        f(P) = 0,   O − P − l = g h

    Of polyhedra both follow from the vertex and the face, or the edges, that touch, see `PolyhedraPair`.

    Of two bodies the outside of one, `other`, is the surface; n points from it to the other one, `body`.

    >>> room = {"floor": zm.surfaces.plane(), "wall": zm.Surface(lambda X, Y, Z: 1.0 - X)}
    >>> ball = zm.Contacts(zm.bodies.ball(0.1, 0.5), on=room, gravity=10.0)
    >>> start = ball.start(center=(0.0, 0.0, 0.1))
    >>> start[ball["wall"].gap], zm.simulate(ball, start, until=0.1).at(0.0)[ball["floor"].normal_force]
    (0.9, array([5.]))
    """

    friction: Number | None
    """Coefficient μ up to which it holds; None where there is always enough."""

    kinetic: Number | None
    """Coefficient where it slips."""

    restitution: Number
    """Coefficient e of impulses."""

    gap: Expression
    """Distance of body and surface, m."""

    normal: Array
    """Unit normal of the surface at the contact, towards the body; of spheres that are apart it is no unit vector."""

    point: Array
    """The contact on the surface, m; where body and surface are apart, the point that would be touched."""

    slip_velocity: Array
    """Velocity of the body's point at the contact against the surface, m/s."""

    unilateral: Unilateral
    parts: tuple[Particle, ...] = ()
    unknowns: tuple[Expression, ...] = ()
    coordinates: Sequence[Symbol] = ()
    up: Array
    """The direction in which the gap is measured."""

    def __init__(
        self,
        name: str,
        shape: Roller | Outline | Vertices,
        pose: Pose,
        surface: Surface,
        friction: Number | Friction | None,
        restitution: Number,
        *,
        speed: Number = 1.0,
        words: dict[str, str] = ROLLS,
    ) -> None:
        self.name: str = given_name(name, "a contact")
        self.shape: Roller | Outline | Vertices = given_kind(
            shape, (Roller, Outline, Vertices), "what touches", "a body, such as zm.bodies.ball(…)"
        )
        self.surface: Surface = given_kind(surface, Surface, "what is touched", "a zm.Surface")
        self.pose: Pose = given_kind(pose, Pose, "where its shape is", "a pose, as contacts[name].pose")
        self.friction, self.kinetic = friction_of(bounded(friction))
        self.restitution = restitution
        self.constraints: dict[str, Any] = {}
        radius = None if isinstance(shape, Vertices) else radius_of(shape)
        outline = shape if radius is None else Round(0.0, 0.0, radius)
        if isinstance(shape, Vertices):
            gap = self._at_feature(given_kind(surface, Faces, "what is touched", "a polyhedron"))
        elif radius is not None and isinstance(surface, Skin) and surface.radius is not None:
            gap = self._of_spheres(radius, surface.pose, surface.radius)
        elif isinstance(outline, Outline) and (_is_flat(surface) or _is_point(radius)):
            gap = self._in_closed_form(outline)
        else:
            gap = self._at_particle(shape)
        self.unilateral = self._unilateral(gap, speed, words)  # type: ignore[override]

    # kinematics -------------------------------------------------------------------------------------------------------
    def _of_spheres(self, r: Number, other: Pose, R: Number) -> Expression:
        """Contact of two spheres."""
        d, least = expressions(self.pose.position - other.position), r + R
        self.normal = self.up = expressions(d / least)
        self.point = expressions(other.position + R * self.normal)
        self.gap = as_expression(np.sqrt(as_expression(d @ d)) - least)
        touching = expressions(self.pose.position - r * self.normal)
        self.slip_velocity = expressions(self.pose.velocity_of(touching) - other.velocity_of(self.point))
        return as_expression((d @ d - least**2) / (2 * least))

    def _at_feature(self, faces: Faces) -> Expression:
        """Contact of two polyhedra where a vertex is on a face, or where edges cross."""
        a, b, n_a, n_b, u, w = expressions(feature_parameters(self.name)[3:]).reshape(6, 3)
        one, two = self.pose, faces.pose
        P, Q = expressions(one.position + one.rotation @ a), expressions(two.position + two.rotation @ b)
        along, across = expressions(one.rotation @ u), expressions(two.rotation @ w)
        turned = np.cross(along, across)
        n = expressions(one.rotation @ n_a + two.rotation @ n_b + turned)
        face = as_expression(n_a @ n_a)
        part = np.cross(Q - P, across) @ turned / (turned @ turned + face + n_b @ n_b)
        self.normal = self.up = expressions(n / np.sqrt(as_expression(n @ n)))
        self.point = expressions(P + face * (Q - P) + part * along)
        self.gap = as_expression(self.normal @ (P - Q))
        self.slip_velocity = expressions(one.velocity_of(self.point) - two.velocity_of(self.point))
        return self.gap

    def _in_closed_form(self, outline: Outline) -> Expression:
        """Contact of an outside with a surface whose normal is the same everywhere, or of a point with any surface."""
        surface, k = self.surface, self.surface.gradient(PLACE)
        if _is_point(radius_of(outline)):
            self.point = self.pose.position
        else:
            self.point = expressions(self.pose.position - self.pose.lever(outline, expressions(k / np.sqrt(k @ k))))
        k = _at(k, self.point)
        size = np.sqrt(as_expression(k @ k))
        self.normal = self.up = expressions(k / size)
        self.gap = as_expression(surface.side * surface(self.point) / size)
        material = _at(expressions(surface.velocity(PLACE)), self.point)
        self.slip_velocity = expressions(self.pose.velocity_of(self.point) - material)
        return self.gap

    def _at_particle(self, shape: Roller | Outline) -> Expression:
        """Contact with a curved surface, at a particle without mass that is the point nearest to the body."""
        name, surface, pose = self.name, self.surface, self.pose
        particle = Particle(f"{name} contact", mass=0)
        P, O, gap = particle.position, pose.position, coordinate(f"{name} gap")
        self.gap, self.coordinates, self.point, self.normal = gap, (gap,), P, surface.normal(P)
        if isinstance(shape, Roller):
            center: Any = pose
            body: Any = pose.body
            touch = shape.touching(body, particle, center, self.normal, surface.gradient(P))
        else:
            touch = Touch(
                {}, expressions(O - P - pose.lever(shape, self.normal)), np.cross(O - P, pose.angular_velocity)
            )
        self.up = self.normal if surface.upward is None else surface.upward
        self.slip_velocity = expressions(pose.velocity + touch.turned - surface.velocity(P))
        self.parts, self.unknowns = (particle, *touch.parts), touch.unknowns
        own = pose.rotation.T if touch.parts else expressions(np.eye(3))
        self.constraints = {
            f"{name} surface": as_expression(surface(P)),
            **{f"{name} {what}": zero for what, zero in touch.constraints.items()},
            f"{name} tangency": (touch.constraints["tangency"] if touch.parts else touch.apart) - own @ (gap * self.up),
        }
        return gap

    def _unilateral(self, gap: Expression, speed: Number, words: dict[str, str]) -> Unilateral:
        """The unilateral constraint of the contact.

        speed  that slips are compared with, m/s
        """
        self.tangents: Array = tangents(self.normal, self.name)
        first, second = (as_expression(along @ self.slip_velocity) for along in self.tangents)
        fast = np.sqrt(as_expression(first**2 + second**2))
        changes = self.kinetic is not self.friction and self.kinetic is not None
        size = as_expression(self.shape.size)
        pair = self.surface.pair if isinstance(self.surface, Faces) else None
        deep = "{depth:.3g} m " if pair is None else ""
        return Unilateral(
            self.name,
            gap,
            (first, second),
            friction=self.friction,
            kinetic=at_speed(self.kinetic, fast) if changes and self.kinetic is not None else None,
            restitution=self.restitution,
            size=1.0 if size.value == 0.0 else self.shape.size,
            speed=speed,
            normal=None if constant_vector(self.normal) is not None else self.normal,
            words=words,
            inside=f"'{self.pose.body.name}' lies {deep}inside '{self.surface.name}'; give another center",
            approaching=self.approach,
            pair=pair,
        )

    @property
    def leaping(self) -> dict[str, str]:
        """Constraints of a point below an end of the body, where another end may come nearest: the surface is smooth."""
        if not self.constraints or switches([self.surface(PLACE), *self.surface.normal(PLACE)]):
            return {}
        return {name: self.name for name in self.constraints if not name.endswith(" surface")}

    @property
    def body(self) -> Any:
        """The body that touches, a zm.RigidBody or zm.Particle."""
        return self.pose.body

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """Coefficients that are possible."""
        of = f" of '{self.name}'"
        return (*possible_friction(self.friction, self.kinetic, of), *possible_restitution(self.restitution, of))

    @property
    def other(self) -> Any:
        """The body whose outside is the surface; None of a surface that is none."""
        return self.surface.body if isinstance(self.surface, Skin) else None

    @property
    def sides(self) -> tuple[tuple[Any, int], ...]:
        """The bodies that the force acts on, and with which sign."""
        return ((self.body, 1),) if self.other is None else ((self.body, 1), (self.other, -1))

    def meets(self, other: Pair) -> bool:
        """Whether a body has both contacts."""
        given_kind(other, Pair, "what is met", "one of contacts.pairs")
        own = [body for body, _ in self.sides]
        return any(body in own for body, _ in other.sides)

    @cached_property
    def approach(self) -> Expression:
        """Rate at which body and surface come apart, m/s, where they touch."""
        return as_expression(self.normal @ self.slip_velocity)

    # forces ------------------------------------------------------------------------------------------------------------
    @property
    def lack_of_friction(self) -> Expression:
        """|F_t| − μ F_n, N: positive where rolling needs more friction than there is."""
        return lacking(self.friction_magnitude, (ZERO if self.friction is None else self.friction) * self.normal_force)

    @property
    def solid(self) -> Roller:
        """The body that touches, of several on surfaces."""
        return given_kind(self.shape, Roller, "what touches", "a body")

    @cached_property
    def clearance(self) -> Expression:
        """1 on a plane, 0 where a hollow is as tight as the body is round; as of a rolling body."""
        if not self.parts:
            return ONE
        curvature = self.surface.curvature(self.point)
        return self.solid.clearance(self.body, self.parts[1:], self.normal, curvature)

    @cached_property
    def contact(self) -> ContactPoint:
        """The contact as systems tell of it, while it is one."""
        return ContactPoint(
            name=self.name,
            point=self.point,
            normal=self.normal,
            normal_force=self.normal_force,
            friction_force=self.friction_force,
            friction_ratio=self.friction_ratio,
            lost=f"{self.name}: contact lost",
        )

    def __repr__(self) -> str:
        return f"Pair({self.name!r})"


def _is_flat(surface: Surface) -> bool:
    """Whether its gradient is the same everywhere."""
    return set(symbols(surface.gradient(PLACE))).isdisjoint(PLACE)


def _is_point(radius: Number | None) -> bool:
    return radius is not None and as_expression(radius).value == 0.0


def _at(e: Array, place: Array) -> Array:
    """Formulas of a place at another one."""
    return expressions(substitute(e, dict(zip(PLACE, place, strict=True))))
