"""A body and a surface that may touch, or another body: a particle of mass zero there, a gap and a slip without mass."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from zeromass.contact.directions import constant_vector
from zeromass.contact.flying import axes_of
from zeromass.contact.friction import lacking
from zeromass.contact.pressing import Pressing
from zeromass.contact.roller import Roller
from zeromass.contact.skin import Skin
from zeromass.contact.surface import Surface
from zeromass.expression import Array, Expression, Symbol, as_expression, coordinate, expressions
from zeromass.expression.build import ZERO
from zeromass.model import ContactPoint, Particle, RigidBody
from zeromass.model.given import Number, given_kind, given_name, length
from zeromass.model.remembering import Remembering
from zeromass.model.unilateral import Unilateral, tangent_axis


class Pair(Pressing, Remembering):
    """A body and a surface that may touch, and what they do to one another, whether they touch or not.

    P is the contact on the surface, O the centre of the body, l the lever from the one to the other where they touch, n the
    normal and h the direction in which the gap is measured, a coordinate without mass:

        f(P) = 0,   O − P − l = g h

    Of two bodies the outside of one, `other`,
    is the surface; n points from it to the other one, `body`.

    >>> room = {"floor": zm.surfaces.plane(), "wall": zm.Surface(lambda X, Y, Z: 1.0 - X)}
    >>> ball = zm.Contacts(zm.ball(0.1, 0.5), on=room, gravity=10.0)
    >>> start = ball.start(center=(0.0, 0.0, 0.1))
    >>> start[ball["wall"].gap], zm.simulate(ball, start, until=0.1).at(0.0)[ball["floor"].normal_force]
    (0.9, array([5.]))
    """

    friction: Number | None
    """Coefficient μ; None where there is always enough."""

    restitution: Number
    """Coefficient e of impulses."""

    def __init__(
        self,
        name: str,
        solid: Roller,
        body: RigidBody,
        center: Particle,
        surface: Surface,
        friction: Number | None,
        restitution: Number,
        speed: Number = 1.0,
    ) -> None:
        self.name: str = given_name(name, "a contact")
        given_kind(solid, Roller, "what touches", "a body, such as zm.ball(…)")
        given_kind(surface, Surface, "what is touched", "a zm.Surface")
        given_kind(body, RigidBody, "the body", "a zm.RigidBody")
        given_kind(center, Particle, "the centre", "a zm.Particle")
        self.solid: Roller = solid
        self.surface: Surface = surface
        self.friction, self.restitution = friction, restitution
        self.body: RigidBody = body
        self.center_particle: Particle = center
        self.contact_particle: Particle = Particle(f"{name} contact", mass=0)
        P, O = self.contact_particle, center
        self.gap: Symbol = coordinate(f"{name} gap")
        self.normal: Array = surface.normal(P.position)
        """Unit normal of the surface at the contact, towards the body."""
        touch = solid.touching(body, P, O, self.normal, surface.gradient(P.position))
        axes = axes_of(surface)
        self.up: Array = self.normal if axes is None else axes[:, 2]
        """The direction in which the gap is measured."""
        self.slip_velocity: Array = expressions(O.velocity + touch.turned - surface.velocity(P.position))
        """Velocity of the body's point at the contact against the surface, m/s."""
        self.parts: tuple[Particle, ...] = (P, *touch.parts)
        self._axes: Array = body.rotation.T if touch.parts else expressions(np.eye(3))
        self.unknowns: tuple[Expression, ...] = touch.unknowns
        self.constraints: dict[str, Any] = {
            f"{name} surface": as_expression(surface(P.position)),
            **{f"{name} {what}": zero for what, zero in touch.constraints.items()},
            f"{name} tangency": (touch.constraints["tangency"] if touch.parts else touch.apart)
            - self._axes @ (self.gap * self.up),
        }
        self.unilateral: Unilateral = self._unilateral(speed)

    @property
    def other(self) -> RigidBody | None:
        """The body whose outside is the surface; None of a surface that is none."""
        return self.surface.body if isinstance(self.surface, Skin) else None

    @property
    def sides(self) -> tuple[tuple[RigidBody, int], ...]:
        """The bodies that the force acts on, and with which sign."""
        return ((self.body, 1),) if self.other is None else ((self.body, 1), (self.other, -1))

    def meets(self, other: Pair) -> bool:
        """Whether a body has both contacts."""
        given_kind(other, Pair, "what is met", "one of contacts.pairs")
        own = [body for body, _ in self.sides]
        return any(body in own for body, _ in other.sides)

    def _unilateral(self, speed: Number) -> Unilateral:
        """The unilateral constraint of the contact.

        speed  that slips are compared with, m/s
        """
        self.tangents: Array
        steady = constant_vector(self.normal)
        axis = tangent_axis(self.name) if steady is None else np.eye(3)[int(np.argmin(np.abs(steady)))]
        one = expressions(np.cross(self.normal, expressions(axis)))
        one = expressions(one / length(one))
        self.tangents = expressions([one, expressions(np.cross(self.normal, one))])
        first, second = (as_expression(along @ self.slip_velocity) for along in self.tangents)
        return Unilateral(
            self.name,
            self.gap,
            (first, second),
            friction=self.friction,
            restitution=self.restitution,
            size=self.solid.size,
            speed=speed,
            normal=self.normal if steady is None else None,
            words={"sticks": "rolling", "slips": "slipping", "closed": "slipping"},
            inside=f"'{self.solid.name}' lies {{depth:.3g}} m inside '{self.surface.name}'; give another center",
            approaching=self.approach,
        )

    @property
    def coordinates(self) -> Sequence[Expression]:
        """The gap."""
        return [self.gap]

    @property
    def point(self) -> Array:
        """The contact on the surface, m; where body and surface are apart, the point that would be touched."""
        return self.contact_particle.position

    @cached_property
    def approach(self) -> Expression:
        """Rate at which body and surface come apart, m/s, where they touch."""
        return as_expression(self.normal @ self.slip_velocity)

    # forces ------------------------------------------------------------------------------------------------------------
    @cached_property
    def force(self) -> Array:
        """Of the surface on the body, inertial components, N; zero while they are apart."""
        N, *T = self.unilateral.forces
        return expressions(N * self.normal + expressions(T) @ self.tangents)

    @property
    def normal_force(self) -> Expression:  # type: ignore[override]
        """N, N."""
        return self.unilateral.forces[0]

    @cached_property
    def friction_force(self) -> Array:  # type: ignore[override]
        """Tangential part of the force of the surface, N."""
        return expressions(expressions(self.unilateral.forces[1:]) @ self.tangents)

    @cached_property
    def friction_magnitude(self) -> Expression:  # type: ignore[override]
        """Magnitude of the friction force, N."""
        one, two = self.unilateral.forces[1:]
        return as_expression(np.sqrt(as_expression(one**2 + two**2)))

    def _pressing(self) -> Array:
        return self.force

    @property
    def lack_of_friction(self) -> Expression:
        """|F_t| − μ F_n, N: positive where rolling needs more friction than there is."""
        return lacking(self.friction_magnitude, (ZERO if self.friction is None else self.friction) * self.normal_force)

    @cached_property
    def clearance(self) -> Expression:
        """1 on a plane, 0 where a hollow is as tight as the body is round; as of a rolling body."""
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
