"""A body and a surface that may touch, or another body: a particle of mass zero there, a gap and a slip without mass."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from zeromass.contact.flying import axes_of
from zeromass.contact.friction import lacking
from zeromass.contact.pressing import Pressing
from zeromass.contact.roller import Roller
from zeromass.contact.skin import Skin
from zeromass.contact.surface import Surface
from zeromass.expression import Array, Expression, Symbol, as_expression, coordinate, expressions, multiplier, rate
from zeromass.expression.build import ZERO
from zeromass.model import Contact, Particle, RigidBody
from zeromass.model.given import Number, given_kind, given_name
from zeromass.model.remembering import Remembering

LOST, PARTED, SLIPS, STOPS, BEGINS, LANDS, RESTED = (
    "contact lost",
    "does not follow from others",
    "would slip",
    "slip dies out",
    "slip begins",
    "lands",
    "bounces end",
)
"""What happens at a contact; events are called by the contact and one of these."""


class Pair(Pressing, Remembering):
    """A body and a surface that may touch, and what they do to one another, whether they touch or not.

    Four quantities without mass tell how far they are apart and how one slides along the other; P is the contact on the
    surface, O the centre of the body, l the lever from the one to the other where they touch, n the normal and h the
    direction in which the gap is measured:

        f(P) = 0,   O − P − l = g h,   w = ṡ         w the velocity of the body's point at the contact against the surface

    What acts between them is what acts on g and ṡ: nothing while they are apart. Of two bodies the outside of one, `other`,
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
        self.slip: Array = expressions([coordinate(f"{name} slip.{axis}") for axis in "xyz"])
        """How far the body's point has slid over the surface, m: the rate of this is the slip velocity."""
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
            f"{name} slip": self.slip_velocity - rate(self.slip),
        }
        self._between: Array = expressions([multiplier(f"λ {row}") for row in self._rows])

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

    @property
    def _rows(self) -> list[str]:
        """Names of the rows whose multipliers are the force between body and surface."""
        return [f"{self.name} {what}[{i}]" for what in ("tangency", "slip") for i in range(3)]

    @property
    def multipliers(self) -> dict[str, Expression]:
        """The multipliers that make up the force, by the names of their rows."""
        return dict(zip(self._rows, self._between, strict=True))

    @property
    def coordinates(self) -> Sequence[Expression]:
        """Gap and slip."""
        return [self.gap, *self.slip]

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
        return expressions(self._axes.T @ self._between[:3] + self._between[3:])

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
    def contact(self) -> Contact:
        """The contact as systems tell of it, while it is one."""
        return Contact(
            name=self.name,
            point=self.point,
            normal=self.normal,
            normal_force=self.normal_force,
            friction_force=self.friction_force,
            friction_ratio=self.friction_ratio,
            lost=self.says(LOST),
        )

    def says(self, what: str) -> str:
        """The name of an event of this contact."""
        return f"{self.name}: {what}"

    def __repr__(self) -> str:
        return f"Pair({self.name!r})"
