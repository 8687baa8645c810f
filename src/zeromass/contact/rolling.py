"""A spherical body rolling on a surface, with two particles of mass zero: the contact point and the centre [UM2022].

The model is written down as in the paper, from constraints between parts, and goes through the general machinery; the
surface may move as it likes [UD2011, eq. 17, for surfaces that turn and change their shape].
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from zeromass.contact.bodies import SphericalBody
from zeromass.contact.slipping import Slipping
from zeromass.contact.start import SurfaceAt, rolling_start
from zeromass.contact.surface import Surface
from zeromass.expression import Evaluator, as_expression, rate, symbols
from zeromass.expression import t as time
from zeromass.expression.build import ZERO
from zeromass.model import Event, ModelError, Particle, Quantity, RigidBody, State, System
from zeromass.model.forces import loads
from zeromass.model.quaternion import body_rates

TIGHT = 1e-4
"""Room at which a hollow counts as too tight: the contact point would run ever faster, and never reach zero room."""


class Rolling(System):
    """A body with a spherical outside that rolls on a surface without slipping.

    gravity          m/s², g for (0, 0, −g) or a vector
    spin             "free", or "none": the body does not turn about the normal against the surface [UM2022, eq. 39]
    conserve_energy  adds the redundant row dE/dt = 0 [UM2022, eq. 34]; for surfaces at rest only
    contact          "one-sided": the run ends where the surface would have to pull; "two-sided": it goes on, as in the
                     papers, and the run marks where it pulls
    friction         coefficient μ at which the body would slip; the run ends there
    forces           as of a System, or a function that gives them: lambda rolling: zm.Force(…, at=rolling.body.point(…))
    """

    def __init__(
        self,
        body: SphericalBody,
        *,
        on: Surface,
        gravity: Any = 9.81,
        spin: str = "free",
        conserve_energy: bool = False,
        contact: str = "one-sided",
        friction: float | None = None,
        forces: Any = None,
    ) -> None:
        for name, value, allowed in (
            ("spin", spin, ("free", "none")),
            ("contact", contact, ("one-sided", "two-sided")),
        ):
            if value not in allowed:
                raise ModelError(f"{name} is {value!r}; it is one of {', '.join(map(repr, allowed))}")
        if not isinstance(body, SphericalBody):
            raise ModelError(f"what rolls is a zm.SphericalBody, such as zm.ball(…), not {body!r}")
        if not isinstance(on, Surface):
            raise ModelError(f"on is {on!r}; give a zm.Surface, such as zm.Surface(lambda X, Y: …)")
        if conserve_energy and on.moves:
            raise ModelError(f"'{on.name}' moves and does work: the energy is not conserved, leave conserve_energy out")
        if friction is not None and not friction > 0:
            raise ModelError(f"friction is {friction}; a coefficient is positive")
        self.gravity = gravity
        self.sphere, self.surface, self.two_sided, self.friction_limit = body, on, contact == "two-sided", friction
        self.body = RigidBody(body.name, mass=body.mass, inertia=body.inertia)
        self.contact_particle, self.center_particle = Particle("contact", mass=0), Particle("center", mass=0)
        P, O = self.contact_particle, self.center_particle
        self.normal = n = on.normal(P.position)
        r = body.radius
        constraints: dict[str, Any] = {
            "surface": as_expression(on(P.position)),
            "tangency": O.position - P.position - r * n,
            "mass center": O.position + self.body.rotate(body.center_of_mass) - self.body.position,
            "no slip": O.velocity + r * np.cross(n, self.body.angular_velocity) - on.velocity(P.position),
        }
        if spin == "none":
            k = on.gradient(P.position)
            constraints["no spin"] = k @ (self.body.angular_velocity - on.angular_velocity)
        self.applied = loads(forces(self) if callable(forces) else forces)
        super().__init__([self.body, P, O], gravity=gravity, forces=self.applied, constraints=constraints)
        if any(self.Q[self.index(x)] is not ZERO for x in (*P.position, *O.position)):
            raise ModelError(
                "a force acts on the contact or the centre, which have no mass; give at=rolling.body.point(…)"
            )
        if conserve_energy:
            if any(load.potential is ZERO for load in self.applied) or time in symbols(self.energy):
                raise ModelError("a force changes the energy: it is not conserved, leave conserve_energy out")
            self._complete(self._free, [*self.rows, *_energy_row(self)], self.C)
        self.events = self._events()

    def _events(self) -> tuple[Event, ...]:
        pull = Event(
            "contact lost",
            self.normal_force,
            direction=0 if self.two_sided else -1,
            terminal=not self.two_sided,
            guard=not self.two_sided,
            message="the surface would have to pull the body; contact='two-sided' goes on regardless",
        )
        tight = Event(
            "hollow too tight",
            self.room - TIGHT,
            direction=-1,
            guard=True,
            message="the hollow is as tight as the body is round, which then touches in more than one point",
            detail=self._radii,
        )
        inside = self.surface.inside(self.contact)
        border = Event(
            "contact left the measured terrain",
            inside,
            direction=-1,
            guard=True,
            message=f"nothing is known of '{self.surface.name}' beyond the data it is made from",
        )
        always = (pull, tight) if inside is None else (pull, tight, border)
        if self.friction_limit is None:
            return always
        slip = Event(
            "would slip",
            self.friction_ratio - self.friction_limit,
            direction=1,
            guard=True,
            message=f"rolling needs more friction than μ = {self.friction_limit:g}",
        )
        return *always, slip

    @cached_property
    def slipping(self) -> Slipping:
        """The same body slipping on the same surface with Coulomb friction μ = `friction`."""
        if self.friction_limit is None:
            raise ModelError("a body slips only with a coefficient of friction: Rolling(…, friction=μ)")
        return Slipping(self, self.friction_limit)

    @cached_property
    def quantities(self) -> dict[str, Quantity]:
        """What plots and files show of a rolling body."""
        return {
            **super().quantities,
            "contact": Quantity(self.contact, "m", "contact point"),
            "center": Quantity(self.center, "m", "centre"),
            "spin": Quantity(self.spin, "rad/s", "spin velocity"),
            "normal force": Quantity(self.normal_force, "N", "normal force"),
            "friction force": Quantity(self.friction, "N", "friction force"),
            "friction ratio": Quantity(self.friction_ratio, "1", "friction needed"),
            "torque at contact": Quantity(self.torque_at_contact, "N m", "torque at the contact"),
            "slip velocity": Quantity(self.slip_velocity, "m/s", "slip velocity"),
            "translational energy": Quantity(self.translational_energy, "J", "translational energy"),
            "rotational energy": Quantity(self.rotational_energy, "J", "rotational energy"),
        }

    def _radii(self, state: State) -> str:
        """Where a hollow is too tight, and the two radii."""
        bend = float(np.real(np.linalg.eigvals(state[self.surface.curvature(self.contact)])).min())
        place = ", ".join(f"{x:.6g}" for x in state[self.contact])
        return (
            f"at ({place}) m the radius of curvature is {-1.0 / bend:.6g} m, that of the body {self.sphere.radius:g} m"
        )

    def start(self, prescribed: Any = None, /, **given: Any) -> State:
        """A consistent start; see `rolling_start` for contact, velocity, spin and orientation.

        With a mapping of expressions as the only argument it is `System.start`.
        """
        if prescribed is not None:
            return super().start(prescribed, **given)
        return rolling_start(self, super().start, **given)

    def surface_at(self, point: np.ndarray, others: Sequence[float]) -> SurfaceAt:
        """The surface at a point, at values of time and of the parameters."""
        numbers = self._surface_at([*point, *others])
        return SurfaceAt(float(numbers[0]), numbers[1:4], numbers[4:7], numbers[7:].reshape(3, 3))

    @cached_property
    def _surface_at(self) -> Evaluator:
        P, on = self.contact, self.surface
        outputs = [as_expression(on(P)), *(on.side * on.gradient(P)), *self.normal, *on.curvature(P).ravel()]
        return Evaluator(outputs, [*P, time, *self.parameters])

    # geometry and motion --------------------------------------------------------------------------------------
    @property
    def contact(self) -> np.ndarray:
        """Contact point P, m."""
        return self.contact_particle.position

    @property
    def center(self) -> np.ndarray:
        """Centre O of the sphere, m."""
        return self.center_particle.position

    @cached_property
    def spin(self) -> Any:
        """Spin velocity λ = n·ω̄, rad/s."""
        return self.normal @ self.body.angular_velocity

    @cached_property
    def slip_velocity(self) -> np.ndarray:
        """Velocity of the body's contact point against the surface, m/s."""
        r = self.sphere.radius
        slip = self.center_particle.velocity + r * np.cross(self.normal, self.body.angular_velocity)
        return slip - self.surface.velocity(self.contact)

    @cached_property
    def room(self) -> Any:
        """1 + r κ of the tightest curvature: 1 on a plane, 0 where the hollow is as tight as the body is round.

        The smallest eigenvalue along the surface of J_f = I + r ∂n/∂x [UM2022, eq. 21]; the contact point moves with the
        centre's velocity over it.
        """
        K = self.sphere.radius * self.surface.curvature(self.contact)
        mean = np.trace(K) / 2
        return 1 + mean - np.sqrt(np.maximum(np.trace(K @ K) / 2 - mean**2, 0.0))

    # forces ---------------------------------------------------------------------------------------------------
    @cached_property
    def reaction_force(self) -> np.ndarray:
        """Force of the surface on the body, inertial components, N [UM2022, eq. 51]."""
        return self.reaction.on(self.body.position)

    @cached_property
    def normal_force(self) -> Any:
        """Normal part of the force of the surface, N; negative where the surface pulls."""
        return self.normal @ self.reaction_force

    @cached_property
    def friction_force(self) -> np.ndarray:
        """Tangential part of the force of the surface, N."""
        return self.reaction_force - self.normal_force * self.normal

    @cached_property
    def friction(self) -> Any:
        """Magnitude of the friction force, N."""
        return np.sqrt(self.friction_force @ self.friction_force)

    @cached_property
    def friction_ratio(self) -> Any:
        """|F_t|/F_n: the coefficient of friction that rolling needs."""
        return self.friction / self.normal_force

    @cached_property
    def torque_at_mass_center_body(self) -> np.ndarray:
        """Torque of the surface at C, body components, N m: ½ E Q_u [UM2022, eq. 52]."""
        return body_rates(self.body.quaternion) @ self.reaction.on(self.body.quaternion) / 2

    @cached_property
    def torque_at_mass_center(self) -> np.ndarray:
        """Torque of the surface at C, inertial components, N m."""
        return self.body.rotate(self.torque_at_mass_center_body)

    @cached_property
    def torque_at_contact(self) -> np.ndarray:
        """Torque of the surface at P, inertial components, N m [UM2022, eq. 55]."""
        arm = self.body.rotate(self.sphere.center_of_mass) + self.sphere.radius * self.normal
        return self.torque_at_mass_center + np.cross(arm, self.reaction_force)

    @cached_property
    def torque_at_contact_body(self) -> np.ndarray:
        """Torque of the surface at P, body components, N m [UM2022, eq. 54]."""
        return self.body.rotation.T @ self.torque_at_contact

    # energies -------------------------------------------------------------------------------------------------
    @cached_property
    def translational_energy(self) -> Any:
        """m |ẇ_C|²/2, J."""
        return self.body.mass / 2 * (self.body.velocity @ self.body.velocity)

    @cached_property
    def rotational_energy(self) -> Any:
        """ωᵀJω/2, J."""
        omega = self.body.angular_velocity_body
        return omega @ self.body.inertia @ omega / 2

    @cached_property
    def surface_power(self) -> Any:
        """Power of the moving surface on the body, W."""
        force = self.reaction_force @ self.surface.velocity(self.contact)
        return force + self.torque_at_contact @ self.surface.angular_velocity


def _energy_row(system: System) -> list[Any]:
    from zeromass.model.constraint import rows_of

    return rows_of({"energy": rate(system.energy)})
