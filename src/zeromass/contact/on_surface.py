"""A body that touches a surface: what there is to ask of its contact, of the forces there, and of its energies."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.contact.bodies import SphericalBody
from zeromass.contact.directions import tangents
from zeromass.contact.faces import below_center
from zeromass.contact.friction import (
    Coefficient,
    Friction,
    at_speed,
    bounded,
    coefficient,
    friction_of,
    lacking,
)
from zeromass.contact.pressing import Pressing
from zeromass.contact.roller import Roller
from zeromass.contact.surface import Surface
from zeromass.expression import Array, Expression, as_expression, coordinate, expressions
from zeromass.expression.build import ZERO
from zeromass.model import ModelError, Part, Particle, Quantity, RigidBody, System
from zeromass.model.contact import Supported
from zeromass.model.given import Number, Vector, length
from zeromass.model.quaternion import body_rates

if TYPE_CHECKING:
    from zeromass.contact.guiding import Wrench

NEGLIGIBLE = 1e-12
"""Part of m v²/r that forces of a contact without weight are at least: below, they are rounding."""


class OnSurface(Pressing, System):
    """A body that touches a surface in one point, the contact, a particle of mass zero; so is its centre."""

    _interface = (
        "start", "with_constraints", "body", "surface", "solid", "contact", "center", "normal", "normal_force",
        "friction_force", "friction_magnitude", "friction_ratio", "friction_coefficient", "kinetic_coefficient",
        "reaction_force", "spin", "rolling_velocity", "slip_velocity", "clearance", "gap", "torque_at_contact",
        "torque_at_mass_center", "torque_at_contact_body", "torque_at_mass_center_body", "translational_energy",
        "rotational_energy", "surface_power", "slipping", "flying", "contact_particle", "center_particle",
        "gravity",
    )  # fmt: skip

    gravity: Number | Vector | None
    written_out: bool = True

    solid: Roller
    """What rolls, as it was given."""

    surface: Surface
    two_sided: bool
    creep: Number | None
    no_spin: bool
    friction_coefficient: Number | None
    """μ up to which the contact holds."""

    kinetic_coefficient: Number | None
    """μ where it slips."""

    rolling_resistance: Number | None
    torsional_friction: Number | None
    body: RigidBody
    contact_particle: Particle
    center_particle: Particle
    unknowns: tuple[Expression, ...]
    """What is solved for beside the positions of body, contact and centre."""

    gap: Expression
    """How far the body is above its surface, m: a coordinate without mass, if it may slip or leave."""

    up: Array
    """The direction in which the gap is measured."""

    normal: Array
    """Unit normal of the surface at the contact, towards the body."""

    slip_velocity: Array
    """Velocity of the body's contact point against the surface, m/s."""

    further: tuple[str, ...] = ()
    """Constraints that it has beside those of its contact, from `with_constraints`: they are no force of the surface."""

    def _hinder(
        self,
        friction: Number | Friction | None,
        rolling_resistance: Coefficient | None,
        torsional_friction: Coefficient | None,
        creep: Number | None,
    ) -> None:
        """Takes what hinders its contact."""
        self.friction_coefficient, self.kinetic_coefficient = friction_of(bounded(friction))
        self.rolling_resistance = coefficient(rolling_resistance, "rolling_resistance")
        self.torsional_friction = coefficient(torsional_friction, "torsional_friction")
        self.creep = creep

    def _meet(
        self,
        body: Roller,
        on: Surface,
        gravity: Number | Vector | None,
        *,
        two_sided: bool,
        no_spin: bool,
        changes: bool,
    ) -> tuple[list[Part], dict[str, Any]]:
        """Takes body and surface; parts, and what is true of them where the body rolls [UM2022, eqs. 17, 19, 22, 27].

        changes  whether it may slip, leave or rest: then its contact is a unilateral constraint, with a gap h along e

            O − P − l = h e,   l from the contact to the centre where they touch
        """
        self.gravity, self.solid, self.surface = gravity, body, on
        self.two_sided, self.no_spin = two_sided, no_spin
        self.body = RigidBody(body.name, mass=body.mass, inertia=body.inertia)
        self.contact_particle, self.center_particle = Particle("contact", mass=0), Particle("center", mass=0)
        P, O = self.contact_particle, self.center_particle
        self.normal = on.normal(P.position)
        touch = body.touching(self.body, P, O, self.normal, on.gradient(P.position))
        self.slip_velocity = O.velocity + touch.turned - on.velocity(P.position)
        constraints: dict[str, Any] = {
            "surface": as_expression(on(P.position)),
            **touch.constraints,
            "mass center": O.position + self.body.rotate(body.center_of_mass) - self.body.position,
        }
        self.up = self.normal if on.upward is None else on.upward
        if changes:
            self.gap = coordinate("gap")
            by = self.gap * self.up
            if touch.parts:
                constraints["tangency"] = touch.constraints["tangency"] - self.body.rotation.T @ by
            else:
                constraints["tangency"] = below_center(self, touch.apart) - by
            self.tangents = tangents(self.normal, self.contact_name)
        else:
            self.gap = ZERO
            constraints["no slip"] = self.slip_velocity
        if no_spin:
            k = on.gradient(P.position)
            constraints["no spin"] = k @ (self.body.angular_velocity - on.angular_velocity)
        self.unknowns = touch.unknowns
        self._support()
        return [self.body, P, O, *touch.parts], constraints

    def _support(self) -> None:
        """Says how it takes part in systems that are joined of it and others."""
        light = self.contact_particle.position, self.center_particle.position
        self.label = self.solid.name
        if self.gap is ZERO:
            self.supported = (Supported(self.body.position, self.body.mass, light),)

    @property
    def contact_name(self) -> str:
        """What results call the contact."""
        return f"{self.solid.name} on {self.surface.name}"

    # geometry and motion --------------------------------------------------------------------------------------
    @property
    def contact(self) -> Array:
        """Contact point P, m."""
        return self.contact_particle.position

    @property
    def center(self) -> Array:
        """Centre O of the outside, m."""
        return self.center_particle.position

    @cached_property
    def spin(self) -> Expression:
        """Spin velocity λ = n·ω̄, rad/s."""
        return as_expression(self.normal @ self.body.angular_velocity)

    @cached_property
    def clearance(self) -> Expression:
        """The smallest eigenvalue along the surface of I + W ∂n/∂x, W the radii of curvature of the body: 1 on a plane, 0
        where the hollow is as tight as the body is round [UM2022, eq. 21, for W = r].

        The contact point moves with what centre and turning do at the contact over it.
        """
        return self.solid.clearance(self.body, self.parts[3:], self.normal, self.surface.curvature(self.contact))

    @cached_property
    def facing(self) -> tuple[Expression, ...]:
        """Positive where the outward normals of body and surface are opposite; none, where they always are."""
        found = self.solid.facing(self.body, self.parts[3:], self.normal, self.center - self.contact)
        return () if found is None else (found,)

    @property
    def wrong_side(self) -> str:
        """What is said of a start with the body inside its surface."""
        return (
            f"'{self.solid.name}' would touch '{self.surface.name}' from inside; give guess= for contact, centre and "
            "orientation nearer to those of a body outside"
        )

    @cached_property
    def turning(self) -> Array:
        """Angular velocity against the surface, ω̄ − Ω, rad/s."""
        return self.body.angular_velocity - self.surface.angular_velocity

    @cached_property
    def rolling_velocity(self) -> Array:
        """Tangential part of the relative angular velocity, rad/s."""
        return self.turning - (self.normal @ self.turning) * self.normal

    # forces ---------------------------------------------------------------------------------------------------
    @cached_property
    def reaction_force(self) -> Array:
        """Force of the surface on the body, inertial components, N [UM2022, eq. 51]."""
        return self.force

    @cached_property
    def _guiding(self) -> Wrench:
        from zeromass.contact.guiding import wrench  # few bodies have further constraints

        return wrench(self)

    def _pressing(self) -> Array:
        total = self.reaction.on(self.body.position)
        return total - self._guiding.force if self.further else total

    @cached_property
    def lack_of_friction(self) -> Expression:
        """|F_t| − μ F_n, N, |F_n| of a contact that can pull: positive where rolling needs more friction than there is."""
        if self.friction_coefficient is None:
            raise ModelError("without a coefficient of friction there is never too little: Rolling(…, friction=μ)")
        most = abs(self.normal_force) if self.two_sided else self.normal_force
        return lacking(self.friction_magnitude, self.friction_coefficient * most)

    @cached_property
    def lack_of_resistance(self) -> Expression:
        """|τ_t| − l N, N m: positive where it takes more than rolling resistance to keep the body from rolling."""
        if self.rolling_resistance is None:
            raise ModelError("without rolling resistance nothing holds the body: Rolling(…, rolling_resistance=l)")
        τ = self.torque_at_contact - (self.normal @ self.torque_at_contact) * self.normal
        return lacking(length(τ), at_speed(self.rolling_resistance, 0.0) * self.normal_force)

    @cached_property
    def negligible_force(self) -> Expression:
        """Force of the contact, N, that is rounding without gravity, 1e-12 m (v² + r²ω²)/r; zero with gravity.

        A ball without weight on a plane is neither pressed nor pulled, and its friction is zero of zero.
        """
        if self.gravity is not None and not all(e is ZERO for e in expressions(self.gravity).ravel()):
            return ZERO
        r, v, ω = self.solid.size, self.body.velocity, self.body.angular_velocity_body
        return as_expression(NEGLIGIBLE * self.solid.mass / r * (v @ v + r**2 * (ω @ ω)))

    @cached_property
    def torque_at_mass_center_body(self) -> Array:
        """Torque of the surface at C, body components, N m: ½ E Q_u [UM2022, eq. 52]."""
        total = body_rates(self.body.quaternion) @ self.reaction.on(self.body.quaternion) / 2
        return total - self.body.rotation.T @ self._guiding.torque if self.further else total

    @cached_property
    def torque_at_mass_center(self) -> Array:
        """Torque of the surface at C, inertial components, N m."""
        return self.body.rotate(self.torque_at_mass_center_body)

    @cached_property
    def torque_at_contact(self) -> Array:
        """Torque of the surface at P, inertial components, N m [UM2022, eq. 55]."""
        arm = self.body.position - self.contact
        if isinstance(self.solid, SphericalBody):
            arm = self.body.rotate(self.solid.center_of_mass) + self.solid.radius * self.normal
        return self.torque_at_mass_center + np.cross(arm, self.reaction_force)

    @cached_property
    def torque_at_contact_body(self) -> Array:
        """Torque of the surface at P, body components, N m [UM2022, eq. 54]."""
        return self.body.rotation.T @ self.torque_at_contact

    # energies -------------------------------------------------------------------------------------------------
    @cached_property
    def translational_energy(self) -> Expression:
        """m |ẇ_C|²/2, J."""
        return self.body.mass / 2 * (self.body.velocity @ self.body.velocity)

    @cached_property
    def rotational_energy(self) -> Expression:
        """ωᵀJω/2, J."""
        omega = self.body.angular_velocity_body
        return as_expression(omega @ self.body.inertia @ omega / 2)

    @cached_property
    def surface_power(self) -> Expression:
        """Power of the moving surface on the body, W."""
        force = self.reaction_force @ self.surface.velocity(self.contact)
        return as_expression(force + self.torque_at_contact @ self.surface.angular_velocity)

    def _own_quantities(self) -> dict[str, Quantity]:
        """What plots and files show of a rolling body."""
        return {
            **super()._own_quantities(),
            "contact": Quantity(self.contact, "m", "contact point"),
            "center": Quantity(self.center, "m", "centre"),
            "spin": Quantity(self.spin, "rad/s", "spin velocity"),
            "normal force": Quantity(self.normal_force, "N", "normal force"),
            "friction force": Quantity(self.friction_magnitude, "N", "friction force"),
            "friction ratio": Quantity(self.friction_ratio, "1", "friction needed"),
            "torque at contact": Quantity(self.torque_at_contact, "N m", "torque at the contact"),
            "slip velocity": Quantity(self.slip_velocity, "m/s", "slip velocity"),
            "translational energy": Quantity(self.translational_energy, "J", "translational energy"),
            "rotational energy": Quantity(self.rotational_energy, "J", "rotational energy"),
        }
