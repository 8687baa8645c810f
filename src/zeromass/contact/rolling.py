"""A convex body rolling on a surface, with two particles of mass zero: the contact point and the centre [UM2022].

The model is written down as in the paper, from constraints between parts, and goes through the general machinery; the
surface may move as it likes [UD2011, eq. 17, for surfaces that turn and change their shape].
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from zeromass.contact.bodies import SphericalBody
from zeromass.contact.flying import Flying
from zeromass.contact.old_words import in_old_words, renamed
from zeromass.contact.penetration import Outside, inside_words, penetration
from zeromass.contact.roller import Roller
from zeromass.contact.slipping import STOPPED, Slipping
from zeromass.contact.start import Orientation, SurfaceAt, outside_surface, rolling_start
from zeromass.contact.surface import Surface
from zeromass.contact.watched import LOST, SLIPS, rolling_events
from zeromass.expression import Array, Evaluator, Expression, Symbol, as_expression, expressions, rate, symbols
from zeromass.expression import t as time
from zeromass.expression.build import ZERO
from zeromass.model import Contact, Event, ModelError, Onward, Particle, Quantity, RigidBody, StartError, State, System
from zeromass.model.constraint import Row, rows_of
from zeromass.model.forces import Forces, Load, loads
from zeromass.model.given import Number, Vector, length
from zeromass.model.moved import Moved
from zeromass.model.quaternion import body_rates
from zeromass.model.record import recorded
from zeromass.model.requirement import Ordered, Requirement, number_at
from zeromass.model.start import Prescribed

if TYPE_CHECKING:
    from zeromass.expression.record import Reader, Writer
    from zeromass.model import Drawing

LEAST_CLEARANCE = 1e-4
"""Clearance at which a hollow counts as too tight: the contact point would run ever faster, and never reach zero."""

ROLLS = 1e-9
"""Part of the speeds of centre and rim that a slip is at most where the body rolls: well above their rounding."""

NEGLIGIBLE = 1e-12
"""Part of m v²/r that forces of a contact without weight are at least: below, they are rounding."""


@recorded("rolling")
class Rolling(System):
    """A body with a convex outside that rolls on a surface without slipping.

    body             what rolls: zm.ball(…), zm.ellipsoid(…), zm.disc(…) and others
    on               the surface
    gravity          m/s², g for (0, 0, −g) or a vector
    no_spin          the body does not turn about the normal against the surface [UM2022, eq. 39], slipping or not
    two_sided        the surface can pull, and the run marks where it does, as in the papers; else the run ends there
    conserve_energy  adds the redundant row dE/dt = 0 [UM2022, eq. 34]; for surfaces at rest only
    friction         coefficient μ at which the body would slip; the run ends there, or goes on as `slipping`
    restitution      coefficient e of impulses, 0 to 1: a body that leaves the surface flies on, and rebounds where it lands,
                     see `flying`; without it the run ends where the contact is lost
    creep            speed of slip, m/s, below which friction falls off and the body counts as rolling again; by default
                     1e-9 √(g r), a part of the speed that gravity gives on the way of a radius
    least_clearance  `clearance` at which a hollow is too tight for the body, and the run ends; a ratio, 1 on a plane
    forces           as of a System, or a function that gives them: lambda rolling: zm.Force(…, at=rolling.body.point(…))

    `spin="none"` and `contact="two-sided"` are the old words for no_spin=True and two_sided=True.

    >>> ball = zm.Rolling(zm.ball(0.1, 0.5), on=zm.surfaces.plane(slope=0.3), gravity=9.81)
    >>> start = ball.start(contact=(0, 0), velocity=(0, 0))
    >>> acceleration = start[zm.rate(ball.center_particle.velocity)]
    >>> bool(np.isclose(np.linalg.norm(acceleration), 5 / 7 * 9.81 * np.sin(0.3)))
    True
    """

    kind: str = "rolling"

    gravity: Number | Vector | None
    solid: Roller
    """What rolls, as it was given."""

    surface: Surface
    two_sided: bool
    no_spin: bool
    conserve_energy: bool
    friction_coefficient: Number | None
    restitution: Number | None
    creep: Number | None
    least_clearance: Number
    body: RigidBody
    contact_particle: Particle
    center_particle: Particle
    applied: list[Load]
    """Forces beside gravity."""

    unknowns: tuple[Expression, ...]
    """What is solved for beside the positions of body, contact and centre."""

    apart: Array
    """Where the body is, from where it would touch at the contact, m: zero unless it flies."""

    normal: Array
    """Unit normal of the surface at the contact, towards the body."""

    slip_velocity: Array
    """Velocity of the body's contact point against the surface, m/s."""

    def __init__(
        self,
        body: Roller,
        *,
        on: Surface,
        gravity: Number | Vector | None = 9.81,
        no_spin: bool = False,
        two_sided: bool = False,
        conserve_energy: bool = False,
        friction: Number | None = None,
        restitution: Number | None = None,
        creep: Number | None = None,
        least_clearance: Number = LEAST_CLEARANCE,
        forces: Forces | Callable[[Rolling], Forces] = None,
        spin: Literal["free", "none"] | None = None,
        contact: Literal["one-sided", "two-sided"] | None = None,
    ) -> None:
        no_spin = in_old_words("spin", spin, ("free", "none"), "no_spin", no_spin)
        two_sided = in_old_words("contact", contact, ("one-sided", "two-sided"), "two_sided", two_sided)
        if not isinstance(body, Roller):
            raise ModelError(
                "what rolls is a zm.SphericalBody or another zm.Roller, such as zm.ball(…) or zm.ellipsoid(…), "
                f"not {body!r}"
            )
        if not isinstance(on, Surface):
            many = ", and of several surfaces zm.Contacts(body, on=[…])" if isinstance(on, list | tuple | dict) else ""
            raise ModelError(f"on is {on!r}; give a zm.Surface, such as zm.Surface(lambda X, Y: …){many}")
        if conserve_energy and on.moves:
            raise ModelError(f"'{on.name}' moves and does work: the energy is not conserved, leave conserve_energy out")
        if restitution is not None and (two_sided or no_spin):
            raise ModelError(
                "a body that may leave its surface has neither two_sided=True nor no_spin=True; leave restitution out"
            )
        self.gravity, self.solid, self.surface, self.restitution = gravity, body, on, restitution
        self.two_sided, self.no_spin, self.conserve_energy = two_sided, no_spin, conserve_energy
        self.friction_coefficient, self.creep, self.least_clearance = friction, creep, least_clearance
        for requirement in self._possible_limits():
            requirement.checked("friction, creep and least_clearance")
        self.body = RigidBody(body.name, mass=body.mass, inertia=body.inertia)
        self.contact_particle, self.center_particle = Particle("contact", mass=0), Particle("center", mass=0)
        P, O = self.contact_particle, self.center_particle
        self.normal = on.normal(P.position)
        touch = body.touching(self.body, P, O, self.normal)
        self.slip_velocity: Array = O.velocity + touch.turned - on.velocity(P.position)
        constraints: dict[str, Any] = {
            "surface": as_expression(on(P.position)),
            **touch.constraints,
            "mass center": O.position + self.body.rotate(body.center_of_mass) - self.body.position,
            "no slip": self.slip_velocity,
        }
        if no_spin:
            k = on.gradient(P.position)
            constraints["no spin"] = k @ (self.body.angular_velocity - on.angular_velocity)
        self.applied = loads(forces(self) if callable(forces) else forces)
        self.unknowns, self.apart = touch.unknowns, touch.apart
        parts = [self.body, P, O, *touch.parts]
        super().__init__(parts, gravity=gravity, forces=self.applied, constraints=constraints)
        if any(self.Q[self.index(x)] is not ZERO for x in (*P.position, *O.position)):
            raise ModelError(
                "a force acts on the contact or the centre, which have no mass; give at=rolling.body.point(…)"
            )
        if conserve_energy:
            if any(load.potential is ZERO for load in self.applied) or time in symbols(self.energy):
                raise ModelError("a force changes the energy: it is not conserved, leave conserve_energy out")
            self._complete(self._free, [*self.rows, *_energy_row(self)], self.C)
        self._know(*self.limits)
        self.events: tuple[Event, ...] = rolling_events(self)

    @property
    def limits(self) -> list[Number]:
        """Friction, creep and clearance, as far as they are given: the events know them, not the equations."""
        given = (self.friction_coefficient, self.restitution, self.creep, self.least_clearance)
        return [e for e in given if e is not None]

    def _possible_limits(self) -> tuple[Requirement, ...]:
        """Of what is given beside body and surface."""
        given = (("friction", self.friction_coefficient, "coefficient"), ("creep", self.creep, "speed"))
        positive = [
            Ordered(0.0, e, f"{name} is {{1:g}}; a {what} is positive") for name, e, what in given if e is not None
        ]
        if self.restitution is not None:
            said = "restitution is {0:g}; it lies between 0 and 1"
            positive.append(Ordered(self.restitution, 1.0, said, equal=True))
            positive.append(Ordered(0.0, self.restitution, "restitution is {1:g}; it lies between 0 and 1", equal=True))
        least, words = self.least_clearance, "; it lies between 0 and 1, the clearance of a plane"
        return (
            *positive,
            Ordered(0.0, least, "least_clearance is {1:g}" + words, equal=True),
            Ordered(least, 1.0, "least_clearance is {0:g}" + words),
        )

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """Those of the body that rolls, and of friction, creep and clearance."""
        return (*self.solid.requirements, *super().requirements, *self._possible_limits())

    # kinds of motion ------------------------------------------------------------------------------------------
    def begins_as(self, state: State) -> System:
        """Itself, or `slipping` where the contact slips already, or where rolling needs more friction than there is.

        A start slips, with a coefficient of friction, where it comes from a surface that moved otherwise: no impulse
        brings it to roll at once. A state of the slipping body goes on slipping.
        """
        if isinstance(state.system, Slipping | Flying) and state.system.rolling is self:
            return state.system
        if state.system is not self or self.friction_coefficient is None:
            return self
        if not self.slips(state) and self.grips(state):
            return self
        return self.slipping.begins_as(state.carried_to(self.slipping))

    @property
    def begins_one_way(self) -> bool:
        """Where friction has no bound."""
        return self.friction_coefficient is None

    def refused(self, t: np.ndarray, y: np.ndarray, parameters: np.ndarray) -> dict[int, str]:
        """Starts whose parameters are not possible, and where the body lies inside its surface, away from the contact."""
        n, found = len(self.coordinates), super().refused(t, y, parameters)
        places = y[:, [self.index(x) for x in self.contact]]
        suspected = np.flatnonzero(~self.outside.alone(t, places, parameters))
        suspected = np.array([k for k in suspected.tolist() if k not in found], dtype=int)
        if self.outside.flat or not len(suspected):
            return found
        rows = np.concatenate([t[suspected, None], y[suspected, :n], parameters[suspected]], axis=1)
        _, firsts, same = np.unique(rows, axis=0, return_index=True, return_inverse=True)  # many begin at one place
        for place, k in enumerate(suspected[firsts].tolist()):
            values = dict(zip(self.parameters, parameters[k].tolist(), strict=True))
            try:
                outside_surface(self, State(self, float(t[k]), y[k, :n], y[k, n:], values))
            except StartError as error:
                found |= dict.fromkeys(suspected[same.ravel() == place].tolist(), str(error))
        return found

    def goes_on_as(self, event: str, state: State) -> System | Onward | None:
        """`slipping` where the body would slip, `flying` where it leaves and may come back; other events end the motion."""
        if event == LOST and self.restitution is not None:
            return self.flying.left(state)
        return self.slipping.begins_as(state) if event == SLIPS else None

    def struck(self, state: State, impulse: np.ndarray) -> System | None:
        """Itself, as far as the contact pushes and has the friction; `slipping`, where it is not pressed at all.

        A surface that strikes the body and would let it slip at the same moment, or that would have to pull, is not decided.
        """
        n, body = state[self.normal], [self.index(x) for x in self.body.position]
        normal = float(n @ impulse[body])
        along = float(np.linalg.norm(impulse[body] - normal * n))
        size = NEGLIGIBLE**0.5 * float(np.linalg.norm(impulse[body]))
        if not self.two_sided and normal < -size:
            return None
        μ = self.friction_coefficient
        if μ is None or along <= number_at(μ, state.parameters) * abs(normal) + size:
            return self
        return self.slipping if abs(normal) <= size else None

    def jumped(self, names: Sequence[str], before: State, after: State) -> str:
        """That the surface has an edge, where, and of which kind, if the tangency jumps but the surface does not."""
        if self.pieces is None or any(name.startswith("surface") for name in names):
            return ""
        from zeromass.contact.edges import edge_words  # few surfaces have edges

        return edge_words(self, self.pieces, before, after)

    def grips(self, state: State) -> bool:
        """Whether rolling, at a state of this system, needs no more than the friction there is."""
        return self.friction_coefficient is None or bool(state[self.lack_of_friction - self.negligible_force] <= 0.0)

    def slips(self, state: State) -> bool:
        """Whether the contact slips at a state of this system, beyond rounding of the speeds of centre and rim."""
        slip = np.array([state.residuals[row.name] for row in self.rows if row.group == "no slip"])
        v, u = (state.v[[self.index(x) for x in part]] for part in (self.center, self.body.quaternion))
        radius = number_at(self.solid.size, state.parameters)
        speeds = float(np.linalg.norm(v) + radius * 2 * np.linalg.norm(u))  # |ω̄| = 2 |u̇|
        speed = float(np.linalg.norm(slip))
        return speed > ROLLS * speeds and speed > STOPPED * number_at(self.slipping.creep, state.parameters)

    def examined(self, motion: Moved) -> tuple[str, ...]:
        """That the body was found inside its surface, away from the contact, if it was."""
        found = penetration(self, motion)
        return () if found is None else (inside_words(self, found),)

    @cached_property
    def outside(self) -> Outside:
        """The outside of the body, which may touch the surface elsewhere too."""
        return Outside(self)

    @cached_property
    def slipping(self) -> Slipping:
        """The same body slipping on the same surface with Coulomb friction μ = `friction`."""
        return Slipping(self)

    @cached_property
    def flying(self) -> Flying:
        """The same body where it has left the surface."""
        return Flying(self)

    @property
    def contacts(self) -> tuple[Contact, ...]:
        """The contact with the surface."""
        contact = Contact(
            name=f"{self.solid.name} on {self.surface.name}",
            point=self.contact,
            normal=self.normal,
            normal_force=self.normal_force,
            friction_force=self.friction_force,
            friction_ratio=self.friction_ratio,
            two_sided=self.two_sided,
            lost=LOST,
        )
        return (contact,)

    @cached_property
    def drawing(self) -> Drawing:
        """The body on its surface, with the paths of contact and centre and the forces at the contact."""
        from zeromass.contact.looks import drawing_on_surface  # what is not drawn need not be imported

        return drawing_on_surface(self, {})

    def drawing_at(self, parameters: Mapping[Symbol, float]) -> Drawing:
        """With the sizes that values of the parameters give."""
        from zeromass.contact.looks import drawing_on_surface

        return self.drawing if self.solid.at(parameters) is self.solid else drawing_on_surface(self, parameters)

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

    @overload
    def start(
        self,
        prescribed: Prescribed = ...,
        *,
        t: float = ...,
        parameters: Mapping[Expression, float] | None = ...,
        guess: Prescribed = ...,
    ) -> State: ...

    @overload
    def start(
        self,
        *,
        contact: ArrayLike | Sequence[Number],
        velocity: ArrayLike | Sequence[Number] = ...,
        spin: Number | None = ...,
        orientation: Orientation = ...,
        touching: ArrayLike | None = ...,
        relative: bool = ...,
        t: float = ...,
        parameters: Mapping[Expression, float] | None = ...,
        guess: Number = ...,
    ) -> State: ...

    def start(
        self,
        prescribed: Prescribed = (),
        *,
        contact: ArrayLike | Sequence[Number] | None = None,
        t: float = 0.0,
        parameters: Mapping[Expression, float] | None = None,
        guess: Any = None,
        **words: Any,
    ) -> State:
        """A consistent start, from what one would say of a body that rolls.

        contact      contact point, (X, Y) or (X, Y, Z); with two, Z is found on the surface near `guess`
        velocity     of the centre, (X, Y) or (X, Y, Z); with `relative`, against the surface's material at the contact
        spin         n·ω̄, rad/s, with `relative` n·(ω̄ − Ω), Ω that of the surface; zero by default; not with no_spin=True
        orientation  quaternion, rotation vector (three components, rad), or "x-axis along the normal"
        touching     instead of it: the point of the body that touches, from the centre of its outside in its axes, m; it is
                     laid on the surface by the shortest turn

        Numbers may be formulas of zm.parameters, which a study varies. With a mapping of expressions as the only argument it
        is `System.start`.

        >>> ball = zm.Rolling(zm.ball(0.1, 0.5), on=zm.surfaces.paraboloid(0.5))
        >>> start = ball.start(contact=(0.6, 0.0), velocity=(0.0, 0.3), spin=1.0)
        >>> start[ball.contact], round(start[ball.spin], 12)
        (array([0.6 , 0.  , 0.18]), 1.0)
        """
        if contact is None:
            if words:
                raise StartError(f"a start with {', '.join(words)} needs contact=(X, Y) too")
            state = super().start(prescribed, t=t, parameters=parameters, guess=() if guess is None else guess)
            return outside_surface(self, state)
        if prescribed != ():
            raise StartError("a start is given by contact=(X, Y), … or by {expression: value}, not by both")
        guess = 0.0 if guess is None else guess
        state = rolling_start(self, super().start, contact=contact, t=t, parameters=parameters, guess=guess, **words)
        return outside_surface(self, state)

    def surface_at(self, point: np.ndarray, others: Sequence[float]) -> SurfaceAt:
        """The surface at a point, at values of time and of the parameters."""
        numbers = self._surface_at([*point, *others])
        return SurfaceAt(float(numbers[0]), numbers[1:4], numbers[4:7], numbers[7:].reshape(3, 3))

    @cached_property
    def _surface_at(self) -> Evaluator:
        P, on = self.contact, self.surface
        outputs = [as_expression(on(P)), *(on.side * on.gradient(P)), *self.normal, *on.curvature(P).ravel()]
        return Evaluator(outputs, [*P, time, *self.parameters])

    def _own_record(self, w: Writer) -> dict[str, Any]:
        from zeromass.contact.record import rolling_record

        return rolling_record(self, w)

    def _take_record(self, own: dict[str, Any], r: Reader) -> None:
        from zeromass.contact.record import take_rolling_record

        take_rolling_record(self, own, r)
        details = {event.name: event.detail for event in rolling_events(self)}
        self.events = tuple(replace(event, detail=details.get(event.name)) for event in self.events)

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

    # forces ---------------------------------------------------------------------------------------------------
    @cached_property
    def reaction_force(self) -> Array:
        """Force of the surface on the body, inertial components, N [UM2022, eq. 51]."""
        return self.reaction.on(self.body.position)

    @cached_property
    def normal_force(self) -> Expression:
        """Normal part of the force of the surface, N; negative where the surface pulls."""
        return as_expression(self.normal @ self.reaction_force)

    @cached_property
    def friction_force(self) -> Array:
        """Tangential part of the force of the surface, N."""
        return self.reaction_force - self.normal_force * self.normal

    @cached_property
    def friction_magnitude(self) -> Expression:
        """Magnitude of the friction force, N."""
        return length(self.friction_force)

    @cached_property
    def friction_ratio(self) -> Expression:
        """|F_t|/F_n: the coefficient of friction that rolling needs."""
        return self.friction_magnitude / self.normal_force

    @cached_property
    def lack_of_friction(self) -> Expression:
        """|F_t| − μ F_n, N, |F_n| of a contact that can pull: positive where rolling needs more friction than there is."""
        if self.friction_coefficient is None:
            raise ModelError("without a coefficient of friction there is never too little: Rolling(…, friction=μ)")
        most = abs(self.normal_force) if self.two_sided else self.normal_force
        return self.friction_magnitude - self.friction_coefficient * most

    @cached_property
    def negligible_force(self) -> Expression:
        """Force of the contact, N, that is rounding without gravity, 1e-12 m (v² + r²ω²)/r; zero with gravity.

        A ball without weight on a plane is neither pressed nor pulled, and its friction is zero of zero.
        """
        if self.gravity is not None and not all(e is ZERO for e in expressions(self.gravity).ravel()):
            return ZERO
        r, v, ω = self.solid.size, self.body.velocity, self.body.angular_velocity_body
        return as_expression(NEGLIGIBLE * self.solid.mass / r * (v @ v + r**2 * (ω @ ω)))

    @property
    def friction(self) -> Expression:
        """The old name of `friction_magnitude`."""
        renamed("friction", "friction_magnitude")
        return self.friction_magnitude

    @property
    def friction_limit(self) -> Number | None:
        """The old name of `friction_coefficient`."""
        renamed("friction_limit", "friction_coefficient")
        return self.friction_coefficient

    @property
    def sphere(self) -> SphericalBody:
        """What rolls, of a body that is spherical outside."""
        if not isinstance(self.solid, SphericalBody):
            raise ModelError(f"'{self.solid.name}' is no sphere; what rolls is rolling.solid")
        return self.solid

    @property
    def room(self) -> Expression:
        """The old name of `clearance`."""
        renamed("room", "clearance")
        return self.clearance

    @cached_property
    def torque_at_mass_center_body(self) -> Array:
        """Torque of the surface at C, body components, N m: ½ E Q_u [UM2022, eq. 52]."""
        return body_rates(self.body.quaternion) @ self.reaction.on(self.body.quaternion) / 2

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


def _energy_row(system: System) -> list[Row]:
    return rows_of({"energy": rate(system.energy)})
