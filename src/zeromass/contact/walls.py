"""Contact of a particle with a surface that it can not pass, as an element of a system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from zeromass.contact.directions import constant_vector, tangents
from zeromass.contact.friction import at_speed
from zeromass.contact.limits import impossible_friction
from zeromass.contact.pressing import friction_ratio
from zeromass.contact.surface import Surface
from zeromass.contact.traced import PLACE
from zeromass.contact.watched import BORDER, LOST
from zeromass.expression import Array, Expression, Symbol, as_expression, expressions, symbols, where
from zeromass.model import ContactPoint, Event, Particle
from zeromass.model.given import Number, length
from zeromass.model.unilateral import Unilateral

CREEP = 1e-9
"""Part of the speed that slips are compared with, below which a slip counts as none."""


FINEST = 1e-12
"""Height of a bounce, m, that bounces end at as a rule; lengths that are `RESTED` of it."""

RESTED = 1e11
"""Length of which a bounce of unit height is as little as rounding."""


class Wall:
    """One of the surfaces of a particle: an element with one unilateral constraint.

    friction     μ up to which it holds the particle, and kinetic, where that slides; None of a rough one
    restitution  e of impacts
    creep        speed of slip, m/s, below which a slip counts as none
    least_bounce height of a bounce, m, below which bounces end
    sole         whether it is the only surface
    """

    parts: tuple[Particle, ...] = ()
    coordinates: tuple[Symbol, ...] = ()

    def __init__(
        self,
        surface: Surface,
        particle: Particle,
        *,
        friction: Number | None,
        kinetic: Number | None,
        restitution: Number,
        creep: Number,
        least_bounce: Number,
        sole: bool,
    ) -> None:
        self.surface, self.particle = surface, particle
        P, gradient = particle.position, surface.gradient(particle.position)
        self.gap: Expression = as_expression(surface.side * as_expression(surface(P)))
        """Positive where the particle may be, and 0 on the surface; m, of a surface that is a height."""
        self.normal: Array = surface.normal(P)
        self.slip: Array = particle.velocity - surface.velocity(P)
        self.tangents: Array = tangents(self.normal, self.name)
        first, second = (as_expression(along @ self.slip) for along in self.tangents)
        speed = np.sqrt(as_expression(first**2 + second**2 + creep**2))
        self.friction: Number | None = friction
        self.kinetic: Number | None = None if kinetic is friction or kinetic is None else at_speed(kinetic, speed)
        self.unilateral: Unilateral = Unilateral(
            self.name,
            self._distance(gradient),
            (first, second),
            friction=friction,
            kinetic=self.kinetic,
            restitution=restitution,
            size=_size(least_bounce),
            speed=creep / CREEP,
            normal=None if constant_vector(self.normal) is not None else self.normal,
            inside=f"'{particle.name}' begins {{depth:.3g}} m inside '{self.name}'",
            approaching=as_expression(self.normal @ self.slip),
            least_bounce=least_bounce,
            sole=sole,
        )

    def _distance(self, gradient: Array) -> Expression:
        """From the surface, m, to first order; bounded where the gradient may vanish: f/√(|∇f|² + f²), f per metre."""
        size = as_expression(gradient @ gradient)
        if self.surface.upward is None and not set(symbols(self.surface.gradient(PLACE))).isdisjoint(PLACE):
            size = as_expression(size + self.gap**2)
        return as_expression(self.gap / np.sqrt(size))

    @property
    def name(self) -> str:
        """That of its surface."""
        return self.surface.name

    @property
    def bodies(self) -> tuple[Particle, ...]:
        """The particle."""
        return (self.particle,)

    @property
    def constraints(self) -> Mapping[str, Any]:
        """None beside its gap."""
        return {}

    @property
    def usual(self) -> Mapping[Symbol, float]:
        """No first guesses."""
        return {}

    @property
    def unilaterals(self) -> tuple[Unilateral, ...]:
        """Its gap, with force and friction."""
        return (self.unilateral,)

    @property
    def normal_force(self) -> Expression:
        """N, N; zero while the particle is off the surface."""
        return self.unilateral.forces[0]

    @cached_property
    def friction_force(self) -> Array:
        """On the particle along the surface, N."""
        return expressions(expressions(self.unilateral.forces[1:]) @ self.tangents)

    @cached_property
    def force(self) -> Array:
        """On the particle, N."""
        return expressions(self.normal_force * self.normal + self.friction_force)

    @property
    def points(self) -> tuple[ContactPoint, ...]:
        """The forces where it touches the particle."""
        return (
            ContactPoint(
                name=self.name,
                point=self.particle.position,
                normal=self.normal,
                normal_force=self.normal_force,
                friction_force=self.friction_force,
                friction_ratio=friction_ratio(length(expressions(self.unilateral.forces[1:])), self.normal_force),
                lost=self.unilateral.event_name(LOST),
            ),
        )

    @property
    def events(self) -> list[Event]:
        """Where nothing is known of the surface any longer, and where friction comes to be none."""
        found, inside = [], self.surface.inside(self.particle.position)
        if inside is not None:
            words = f"nothing is known of '{self.name}' beyond the data it is made from"
            found.append(Event(f"{BORDER}: {self.name}", inside, direction=-1, guard=True, message=words))
        return found

    def friction_events(self, kinetic: Number | None) -> list[Event]:
        """Where a coefficient of friction comes to be none while the particle touches the surface.

        kinetic  as it was given, a formula of `SPEED` perhaps
        """
        touches, speed = self.unilateral.closed > 0.5, length(self.tangents @ self.slip)
        found = impossible_friction(f"friction of '{self.name}'", self.friction, kinetic, speed)
        return [replace(event, zero=as_expression(where(touches, event.zero, 1.0))) for event in found]


def _size(least_bounce: Number) -> Number:
    """Length that rounding of a gap is a part of, m: a particle has none of its own."""
    found: Any = np.minimum(least_bounce, FINEST)  # type: ignore[type-var]
    return RESTED * (found if isinstance(found, Expression) else float(found))
