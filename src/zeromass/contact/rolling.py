"""A convex body rolling on a surface, with two particles of mass zero: the contact point and the centre [UM2022].

The model is written down as in the paper, from constraints between parts, and goes through the general machinery; the
surface may move as it likes [UD2011, eq. 17, for surfaces that turn and change their shape].
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, overload

import numpy as np
from numpy.typing import ArrayLike

from zeromass.contact.friction import Coefficient, Friction
from zeromass.contact.limits import possible_limits
from zeromass.contact.on_surface import NEGLIGIBLE, OnSurface
from zeromass.contact.penetration import Outside, inside_words, penetration
from zeromass.contact.roller import Roller
from zeromass.contact.start import Orientation, SurfaceAt, outside_surface, placement, rolling_start
from zeromass.contact.surface import Surface
from zeromass.contact.thrown import Thrown, not_begun
from zeromass.contact.touching import contact_of, holds, resistance_of, viscous_torques
from zeromass.contact.traced import PLACE
from zeromass.contact.watched import LOST, rolling_events
from zeromass.expression import Evaluator, Symbol, as_expression, expressions, rate, symbols
from zeromass.expression import t as time
from zeromass.expression.build import ZERO
from zeromass.expression.pieces import switches
from zeromass.model import ContactPoint, Event, ModelError, StartError, State, System
from zeromass.model.beginning import Beginning
from zeromass.model.constraint import Row, rows_of
from zeromass.model.forces import Forces, Load, loads
from zeromass.model.given import (
    Number,
    Parameters,
    Vector,
    given_choice,
    given_flag,
    given_numbers,
    value_of,
)
from zeromass.model.moved import Moved
from zeromass.model.record import recorded
from zeromass.model.requirement import Requirement
from zeromass.model.start import Prescribed
from zeromass.model.state import belonging

if TYPE_CHECKING:
    from zeromass.expression.record import Reader, Writer
    from zeromass.model import Drawing

LEAST_CLEARANCE = 1e-4
"""Clearance at which a hollow counts as too tight: the contact point would run ever faster, and never reach zero."""


@recorded("rolling")
class Rolling(OnSurface):
    """Convex body that rolls on a surface, with one contact.

    body             the rolling body: zm.bodies.ball(…), zm.bodies.ellipsoid(…), zm.bodies.disc(…) and others
    on               the surface
    gravity          m/s², g for (0, 0, −g) or a vector
    no_spin          no relative rotation about the contact normal [UM2022, eq. 39], also while the body slips
    two_sided        the contact can pull, as in the papers; without it the run ends where it would have to
    conserve_energy  adds the redundant constraint dE/dt = 0 [UM2022, eq. 34]; for surfaces at rest only
    friction         coefficient μ above which the body slips: a number, 0 for a frictionless surface, or
                     zm.Friction(static=…, kinetic=…); None, it never slips
    rolling_resistance  lever arm l of the normal force N, m: the torque l N opposes rolling. A number, or a function of the
                     angular speed, rad/s, such as lambda w: 1e-3 + 1e-4 * w
    torsional_friction   lever arm d, m, likewise: the torque d N opposes rotation about the normal
    restitution      coefficient of restitution e, 0 to 1: the body may leave the surface, and rebounds where it lands;
                     without it the run ends where contact is lost
    creep            speed of slip, m/s, that counts as slow; by default 1e-9 √(g r), a part of the speed that gravity gives
                     on the way of a radius
    least_clearance  `clearance` at which a hollow is too tight for the body, and the run ends; a ratio, 1 on a plane
    forces           as of a System, or a function that gives them: lambda rolling: zm.Force(…, at=rolling.body.point(…))

    >>> ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.plane(slope=0.3), gravity=9.81)
    >>> start = ball.start(contact=(0, 0), velocity=(0, 0))
    >>> acceleration = start[zm.rate(ball.center_particle.velocity)]
    >>> bool(np.isclose(np.linalg.norm(acceleration), 5 / 7 * 9.81 * np.sin(0.3)))
    True
    """

    mode: str = "rolling"

    conserve_energy: bool
    restitution: Number | None
    least_clearance: Number
    applied: list[Load]
    """Forces beside gravity."""

    def __init__(
        self,
        body: Roller,
        *,
        on: Surface,
        gravity: Number | Vector | None = 9.81,
        no_spin: bool = False,
        two_sided: bool = False,
        conserve_energy: bool = False,
        friction: Number | Friction | None = None,
        rolling_resistance: Coefficient | None = None,
        torsional_friction: Coefficient | None = None,
        restitution: Number | None = None,
        creep: Number | None = None,
        least_clearance: Number = LEAST_CLEARANCE,
        forces: Forces | Callable[[Rolling], Forces] = None,
    ) -> None:
        for what, said in (("no_spin", no_spin), ("two_sided", two_sided), ("conserve_energy", conserve_energy)):
            given_flag(said, what)
        if not isinstance(body, Roller):
            raise ModelError(
                f"what rolls is a body of zm.bodies, such as zm.bodies.ball(…) or zm.bodies.ellipsoid(…), not {body!r}"
            )
        if not isinstance(on, Surface):
            many = ", and of several surfaces zm.Contacts(body, on=[…])" if isinstance(on, list | tuple | dict) else ""
            raise ModelError(f"on is {on!r}; give a zm.Surface, such as zm.Surface(lambda X, Y: …){many}")
        if conserve_energy and on.moves:
            raise ModelError(f"'{on.name}' moves and does work: the energy is not conserved, leave conserve_energy out")
        hindered = rolling_resistance is not None or torsional_friction is not None
        if hindered and (two_sided or conserve_energy):
            raise ModelError(
                "rolling_resistance and torsional_friction take energy, and come from a surface that pushes; leave "
                "two_sided and conserve_energy out"
            )
        if torsional_friction is not None and no_spin:
            raise ModelError("a body with no_spin=True does not turn about the normal; leave torsional_friction out")
        if restitution is not None and (two_sided or no_spin):
            raise ModelError(
                "a body that may leave its surface has neither two_sided=True nor no_spin=True; leave restitution out"
            )
        if conserve_energy and (restitution is not None):
            raise ModelError("conserve_energy=True is for a body that rolls; leave restitution out")
        self.restitution, self.conserve_energy, self.least_clearance = restitution, conserve_energy, least_clearance
        self._hinder(friction, rolling_resistance, torsional_friction, creep)
        changes = self.changes
        parts, constraints = self._meet(body, on, gravity, two_sided=two_sided, no_spin=no_spin, changes=changes)
        for requirement in possible_limits(self):
            requirement.checked("friction, creep and least_clearance")
        if changes:
            self.unilateral = contact_of(self)
        self.applied = loads(value_of(forces, (self,), "forces") if callable(forces) else forces)
        added = [self.gap] if changes else []
        super().__init__(parts, coordinates=added, gravity=gravity, forces=self.applied, constraints=constraints)
        P, O = self.contact_particle, self.center_particle
        if any(self.Q[self.index(x)] is not ZERO for x in (*P.position, *O.position)):
            raise ModelError(
                "a force acts on the contact or the centre, which have no mass; give at=rolling.body.point(…)"
            )
        if conserve_energy:
            if any(load.potential is ZERO for load in self.applied) or time in symbols(self.energy):
                raise ModelError("a force changes the energy: it is not conserved, leave conserve_energy out")
            self._complete(self._free, [*self.rows, *_energy_row(self)], self.C)
        self._resist()
        if self.unilateral is not None:
            self.unilaterals = (self.unilateral, *resistance_of(self, self.unilateral))
        self._know(*self.limits, *(e for one in self.unilaterals for e in one.numbers))
        self.events: tuple[Event, ...] = rolling_events(self)

    def _resist(self) -> None:
        """Takes the torques of resistances that grow with the speed alone, in proportion to the force of the surface."""
        if self.rolling_resistance is None and self.torsional_friction is None:
            return
        viscous = viscous_torques(self, as_expression(self.normal @ self._pressing()))
        if viscous:
            q = self.coordinates
            torques = [torque.generalized(q) for torque in viscous]
            self._complete(self._free, list(self.rows), sum(torques, expressions(np.zeros(len(q)))), self.multipliers)

    def _constrained(self, added: Sequence[Row]) -> Self:
        found = super()._constrained(added)
        found.further = (*self.further, *dict.fromkeys(row.group for row in added))
        found._kept_quantities = None
        found._resist()
        found._know(*self.parameters)
        found.events = rolling_events(found)
        return found

    @property
    def changes(self) -> bool:
        """Whether its kind of motion may change: it may slip, rest, or leave its surface."""
        given = (self.friction_coefficient, self.rolling_resistance, self.torsional_friction, self.restitution)
        return any(one is not None for one in given) and not self.conserve_energy

    @property
    def limits(self) -> list[Number]:
        """Friction, creep and clearance, as far as they are given: the events know them, not the equations."""
        given = (self.friction_coefficient, self.kinetic_coefficient, self.rolling_resistance, self.torsional_friction)
        given = (*given, self.restitution, self.creep, self.least_clearance)
        return [e for e in given if e is not None]

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """Those of the body that rolls, and of friction, creep and clearance."""
        return (*self.solid.requirements, *super().requirements, *possible_limits(self))

    # kinds of motion ------------------------------------------------------------------------------------------
    @property
    def slipping(self) -> Beginning:
        """The same system, for starts that slip: rolling.slipping.start(…).

        >>> ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.plane(), friction=0.2)
        >>> thrown = ball.slipping.start([(ball.contact, 0.0), (ball.center_particle.velocity, (1.0, 0.0, 0.0)),
        ...                               (ball.body.angular_velocity, 0.0)])
        >>> thrown[zm.rate(ball.center_particle.velocity)].round(9) + 0.0
        array([-1.962,  0.   ,  0.   ])
        """
        if self.unilateral is None or self.friction_coefficient is None:
            raise ModelError("a body slips only with a coefficient of friction: Rolling(…, friction=μ)")
        return Beginning(self, {self.contact_name: "slips"})

    @property
    def flying(self) -> Thrown:
        """The same system, for starts in flight: rolling.flying.start(…).

        >>> ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.plane(), gravity=10.0, friction=0.3, restitution=0.5)
        >>> dropped = ball.flying.start(center=(0.0, 0.0, 5.1))
        >>> run = zm.simulate(ball, dropped, until=2.25)
        >>> run.modes[:3], [round(t, 9) for t in run.changes[:2]]
        (('flying', 'flying', 'flying'), [1.0, 2.0])
        """
        if self.restitution is None:
            raise ModelError("a body comes back only with a coefficient of restitution: Rolling(…, restitution=e)")
        return Thrown(self, {self.contact_name: "open"})

    @property
    def sticks(self) -> bool:
        """Whether rolling resistance can hold the body: that which grows with the speed alone does not."""
        return self.rolling_resistance is not None and holds(self.rolling_resistance)

    @property
    def mode_words(self) -> Sequence[tuple[Mapping[int, str], str]]:  # type: ignore[override]
        """It rests, or slides without rolling, where its resistance holds it."""
        held = 1 if self.sticks else 0
        words = [({0: "open"}, "flying"), ({0: "sticks", held: "sticks"}, "resting"), ({0: "sticks"}, "rolling")]
        words += [
            ({0: "slips", held: "sticks"}, "sliding"),
            ({0: "closed", held: "sticks"}, "sliding"),
            ({}, "slipping"),
        ]
        return (
            words if self.sticks else [(wanted, word) for wanted, word in words if word not in ("resting", "sliding")]
        )

    def refused(self, t: np.ndarray, y: np.ndarray, parameters: np.ndarray) -> dict[int, str]:
        """Starts whose parameters are not possible, and where the body lies inside its surface, away from the contact."""
        n, found = len(self.coordinates), {**not_begun(self, t, y, parameters), **super().refused(t, y, parameters)}
        places = y[:, [self.index(x) for x in self.contact]]
        closed = y[:, self.index(self.gap)] <= 0.0 if self.restitution is not None else True
        suspected = np.flatnonzero(~self.outside.alone(t, places, parameters) & closed)
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

    def check_joined(self, *, coupled: bool) -> None:
        """A rolling body takes part in joined systems as long as it rolls: events end their runs where it does not."""
        name = self.solid.name
        if coupled and self.conserve_energy:
            raise ModelError(
                f"'{name}' has conserve_energy=True, and further forces or constraints may change its energy; leave "
                "conserve_energy out"
            )

    @property
    def leaping(self) -> Mapping[str, str]:
        """The contact is elsewhere where another end of the body is the lowest, as long as the surface is smooth."""
        if self.unilateral is None or switches([self.surface(PLACE), *self.surface.normal(PLACE)]):
            return {}
        return dict.fromkeys(("tangency", "outside"), self.contact_name)

    @property
    def lying(self) -> Mapping[str, str]:
        """That the body comes to lie on a side or a face."""
        from zeromass.contact.edges import lies_words  # few bodies have ends

        return dict.fromkeys(self.leaping, lies_words(self.solid.name))

    def takes(self, state: State, impulse: np.ndarray) -> bool:
        """Whether a contact that never slips or leaves can give an impulse, and would not have to pull."""
        if self.unilateral is not None or self.two_sided:
            return True
        on_body = given_numbers(impulse, "the impulse", (len(self.coordinates),), finite=False)
        on_body = on_body[[self.index(x) for x in self.body.position]]
        return float(belonging(state, self)[self.normal] @ on_body) >= -(NEGLIGIBLE**0.5) * float(
            np.linalg.norm(on_body)
        )

    def jumped(self, names: Sequence[str], before: State, after: State) -> str:
        """That the surface has an edge, where, and of which kind, if the tangency jumps but the surface does not."""
        if self.pieces is None or any(name.startswith("surface") for name in names):
            return ""
        from zeromass.contact.edges import edge_words  # few surfaces have edges

        return edge_words(self, self.pieces, before, after)

    def examined(self, motion: Moved) -> tuple[str, ...]:
        """That the body was found inside its surface, away from the contact, if it was."""
        found = penetration(self, motion)
        return () if found is None else (inside_words(self, found),)

    @cached_property
    def outside(self) -> Outside:
        """The outside of the body, which may touch the surface elsewhere too."""
        return Outside(self)

    @property
    def contacts(self) -> tuple[ContactPoint, ...]:
        """The contact with the surface."""
        contact = ContactPoint(
            name=self.contact_name,
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

    @overload
    def start(
        self,
        prescribed: Prescribed = ...,
        *,
        t: float = ...,
        parameters: Parameters | None = ...,
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
        parameters: Parameters | None = ...,
        guess: Number = ...,
    ) -> State: ...

    def start(
        self,
        prescribed: Prescribed = (),
        *,
        contact: ArrayLike | Sequence[Number] | None = None,
        t: float = 0.0,
        parameters: Parameters | None = None,
        guess: Any = None,
        **words: Any,
    ) -> State:
        """Consistent start of a rolling body.

        contact      contact point, (X, Y) or (X, Y, Z); with two, Z is found on the surface near `guess`
        velocity     of the centre, (X, Y) or (X, Y, Z); with `relative`, against the surface's material at the contact
        spin         n·ω̄, rad/s, with `relative` n·(ω̄ − Ω), Ω that of the surface; zero by default; not with no_spin=True
        orientation  quaternion, rotation vector (three components, rad), or "x-axis along the normal"
        touching     instead of it: the point of the body that touches, from the centre of its outside in its axes, m; it is
                     laid on the surface by the shortest turn

        Numbers may be formulas of zm.parameters, which a study varies. With a mapping of expressions as the only argument it
        is `System.start`.

        >>> ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.paraboloid(0.5))
        >>> start = ball.start(contact=(0.6, 0.0), velocity=(0.0, 0.3), spin=1.0)
        >>> start[ball.contact], round(start[ball.spin], 12)
        (array([0.6 , 0.  , 0.18]), 1.0)
        """
        if contact is None:
            if words:
                raise StartError(f"a start with {', '.join(words)} needs contact=(X, Y) too")
            return super().start(prescribed, t=t, parameters=parameters, guess=() if guess is None else guess)
        if not (isinstance(prescribed, tuple | list | dict) and not prescribed):
            raise StartError("a start is given by contact=(X, Y), … or by {expression: value}, not by both")
        guess = 0.0 if guess is None else guess
        for word in words:
            given_choice(word, "an argument of start", ("velocity", "spin", "orientation", "touching", "relative"))
        return rolling_start(self, super().start, contact=contact, t=t, parameters=parameters, guess=guess, **words)

    def placement(
        self, near: Mapping[Any, float], t: float, parameters: Mapping[Symbol, float]
    ) -> Mapping[Symbol, float]:
        """The body laid on the surface near a contact, a centre or a mass centre, in a given orientation."""
        return placement(self, near, t, parameters)

    def surface_at(self, point: np.ndarray, others: Sequence[float]) -> SurfaceAt:
        """The surface at a point, at values of time and of the parameters."""
        point = given_numbers(point, "the point", (3,), finite=False)
        numbers = self._surface_at([*point, *given_numbers(others, "others", (1 + len(self.parameters),))])
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


def _energy_row(system: System) -> list[Row]:
    return rows_of({"energy": rate(system.energy)})
