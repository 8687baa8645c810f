"""A particle before surfaces that it can not pass: it slides, leaves, flies, strikes, rebounds, and comes to rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.contact.friction import Friction, friction_of, lacking, possible_friction
from zeromass.contact.landing import landed, lifted, size_of
from zeromass.contact.limits import possible_creep, possible_restitution
from zeromass.contact.slow import STOPPED
from zeromass.contact.start import GIVEN
from zeromass.contact.surface import Surface
from zeromass.contact.walls import OnWall, Wall
from zeromass.errors import shown
from zeromass.expression import Array, Evaluator, Expression, Symbol
from zeromass.expression.build import ZERO
from zeromass.model import Event, ModelError, Onward, Particle, Quantity, StartError, State, System
from zeromass.model.at_once import at_once
from zeromass.model.forces import Forces, GeneralizedForce, Load, loads
from zeromass.model.given import (
    Number,
    Vector,
    given_all,
    given_count,
    given_flag,
    given_kind,
    given_numbers,
    length,
    shape_of,
)
from zeromass.model.record import read_number, recorded, written_number
from zeromass.model.requirement import Ordered, Requirement, number_at
from zeromass.model.start import Prescribed
from zeromass.model.state import belonging

if TYPE_CHECKING:
    from zeromass.expression.record import Reader, Writer
    from zeromass.model import Drawing
    from zeromass.model.changing import Changing

LEAST_BOUNCE = 1e-12
"""Height of a bounce, m, below which bounces end."""

CREEP = 1e-9
"""Speed of slip, m/s, below which friction falls off."""

OPTIONS = ("friction_coefficient", "kinetic_coefficient", "restitution", "creep", "least_bounce")


@recorded("sliding")
class Sliding(System):
    """A particle on one side of surfaces: a bead on a wire that it may leave, a bouncing ball, a billiard.

    particle      what moves, a zm.Particle with a mass
    on            a surface, or several that the particle meets one at a time
    gravity       m/s², g for (0, 0, −g) or a vector
    friction      coefficient μ, or zm.Friction(static=…, kinetic=…); surfaces are smooth without it
    restitution   coefficient e of impulses, 0 to 1, of strokes
    creep         speed of slip, m/s, below which friction falls off; at ten times that friction holds the particle
    least_bounce  height of a bounce, m, below which bounces end, or 1e-11 of its place, if that is more; it slides then
    forces        as of a System

    The system is that of the flight. Its motion goes on as `touching(k)` where it touches a surface, and back; every stroke
    is in `run.impulses`. In a corner surfaces strike one after the other, until it leaves them all.

    A bead leaves a smooth sphere where it has come down by a third of the radius:

    >>> bead = zm.Particle("bead", mass=0.1)
    >>> sliding = zm.Sliding(bead, on=zm.surfaces.sphere(1.0), gravity=9.81)
    >>> start = sliding.start(contact=(0.1, 0.0, np.sqrt(0.99)))
    >>> run = zm.simulate(sliding, start, until=1.5)
    >>> run.kinds, round(float(run.state(run.changes[0])[bead.position[2]] / np.sqrt(0.99)), 9)
    (('sliding', 'flying'), 0.666666667)
    """

    written_out: bool = True

    kind: str = "flying"

    friction_coefficient: Number | None
    kinetic_coefficient: Number | None
    restitution: Number
    creep: Number
    least_bounce: Number

    def __init__(
        self,
        particle: Particle,
        *,
        on: Surface | Sequence[Surface],
        gravity: Number | Vector | None = 9.81,
        friction: Number | Friction | None = None,
        restitution: Number = 0.0,
        creep: Number = CREEP,
        least_bounce: Number = LEAST_BOUNCE,
        forces: Forces = None,
    ) -> None:
        several = [on] if isinstance(on, Surface) or not isinstance(on, Iterable) else on
        surfaces = given_all(several, Surface, "on", "a zm.Surface, such as zm.Surface(lambda X, Y: …)")
        names = [surface.name for surface in surfaces]
        if not names or len(set(names)) < len(names):
            raise ModelError("a particle slides on one surface, or on several of different names: Surface(…, name=…)")
        if not isinstance(particle, Particle) or particle.mass is ZERO:
            raise ModelError(f"what slides is a zm.Particle with a mass, not {particle!r}")
        self.particle: Particle = particle
        self.gravity: Number | Vector | None = gravity
        smooth = friction is None or (isinstance(friction, int | float) and friction == 0.0)
        self.friction_coefficient, self.kinetic_coefficient = friction_of(None if smooth else friction)
        self.restitution, self.creep, self.least_bounce = restitution, creep, least_bounce
        for requirement in self._possible():
            requirement.checked("friction, restitution, creep and least_bounce")
        self.applied: list[Load] = loads(forces)
        super().__init__([particle], gravity=gravity, forces=self.applied)
        given = (self.friction_coefficient, self.kinetic_coefficient, restitution, creep, least_bounce)
        self._know(*[e for e in given if e is not None], *[s(particle.position) for s in surfaces])
        self._stands_before(surfaces)

    def _stands_before(self, surfaces: Sequence[Surface]) -> None:
        self.walls: tuple[Wall, ...] = tuple(Wall(surface, self) for surface in surfaces)
        self.touched: dict[tuple[int, bool], OnWall] = {}
        """What `touching` has given."""
        self.events: tuple[Event, ...] = tuple(event for wall in self.walls for event in wall.events)

    def _possible(self) -> list[Requirement]:
        return [
            *possible_friction(self.friction_coefficient, self.kinetic_coefficient),
            *possible_restitution(self.restitution),
            possible_creep(self.creep),
            Ordered(0.0, self.least_bounce, "least_bounce is {1:g}; a height is positive"),
        ]

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """Those of the particle, and of friction, restitution and creep."""
        return (*super().requirements, *self._possible())

    def touching(self, which: int = 0, *, holds: bool = False) -> OnWall:
        """The particle where it touches one of its surfaces; with `holds`, where friction holds it there.

        >>> bead = zm.Particle("bead", mass=0.1)
        >>> floor = zm.Sliding(bead, on=zm.surfaces.plane(), gravity=10.0).touching()
        >>> floor.start()[floor.contacts[0].normal_force]
        1.0
        """
        which = given_count(which, "which", below=len(self.walls))
        if given_flag(holds, "holds") and self.friction_coefficient is None:
            raise ModelError("nothing holds a particle without friction: Sliding(…, friction=μ)")
        if (which, holds) not in self.touched:
            self.touched[which, holds] = OnWall(self, which, holds=holds)
        return self.touched[which, holds]

    # starts ----------------------------------------------------------------------------------------------------------
    def start(  # type: ignore[override]
        self,
        prescribed: Prescribed = (),
        *,
        position: Vector | None = None,
        contact: Sequence[Number] | np.ndarray | None = None,
        velocity: Sequence[Number] | np.ndarray = (0.0, 0.0, 0.0),
        t: float = 0.0,
        parameters: Mapping[Expression, float] | None = None,
        guess: Any = None,
    ) -> State:
        """A particle that flies, from a `position`, or one that touches its first surface, at a `contact`.

        position  m, three coordinates
        contact   m, (X, Y) or (X, Y, Z); with two, Z is found on the surface near `guess`
        velocity  m/s, (X, Y) or (X, Y, Z); at a contact its part along the surface counts
        guess     Z of a contact, m, near which it is looked for

        With a mapping of expressions as the only argument it is `System.start`.

        >>> ball = zm.Particle("ball", mass=0.1)
        >>> table = zm.Sliding(ball, on=zm.surfaces.plane(0.5))
        >>> table.start(contact=(1.0, 0.0), velocity=(2.0, 0.0))[ball.velocity].round(9)
        array([ 2.        ,  0.        , -1.09260498])
        """
        P, v = self.particle.position, self.particle.velocity
        if contact is not None:
            for value, what in ((contact, "contact"), (velocity, "velocity")):
                if shape_of(value) not in ((2,), (3,)):
                    raise StartError(f"{what} is {shown(value)}; it has two components, or three")
            place = list(zip(P, contact, strict=False))
            near: Any = [(P[2], guess)] if isinstance(guess, float | int) else () if guess is None else guess
            on = self.touching()
            if len(contact) == 3:
                near, place = list(zip(P, contact, strict=True)), []
            lies = on.start(place, t=t, parameters=parameters, guess=near)
            given = given_numbers(velocity, "velocity", (None,))
            fixed = list(zip(v, given, strict=False)) if len(given) == 2 else []
            wanted = [] if fixed else list(zip(v, given, strict=True))
            return on.start([(P, lies.q), *fixed], t=t, parameters=parameters, guess=wanted)
        if position is not None:
            prescribed = [(P, position), (v, velocity)]
        return super().start(prescribed, t=t, parameters=parameters, guess=() if guess is None else guess)

    def begins_as(self, state: State) -> System:
        """In flight, or `touching` a surface that it lies on and is pressed to."""
        given_kind(state, State, "the state", "one that sliding.start(…) makes")
        if isinstance(state.system, OnWall) and state.system.sliding is self:
            return state.system.begins_as(state)
        if state.system is not self:
            return self
        for k, wall in enumerate(self.walls):
            near = wall.near(state)
            name, reach = wall.surface.name, GIVEN * max(size_of(state), abs(near.distance))
            if near.distance < -reach:
                raise StartError(f"'{self.particle.name}' begins {-near.distance:.3g} m inside '{name}'")
            if abs(near.distance) > reach:
                continue
            slow = GIVEN * float(np.linalg.norm(state.v) + np.linalg.norm(near.slip))
            if near.rate < -slow:
                raise StartError(f"'{self.particle.name}' begins with a stroke on '{name}'; begin before it, or after")
            if abs(near.rate) <= slow and near.bend < 0.0:
                return self.kind_at(k, state)
        return self

    @property
    def begins_one_way(self) -> bool:
        """Never: it may fly, slide or rest."""
        return False

    # what comes after ------------------------------------------------------------------------------------------------
    def goes_on_as(self, event: str, state: State) -> System | Onward | None:
        """What a stroke makes of it: flight, or contact; None at other events, or where two surfaces hold it."""
        given_kind(event, str, "event", "the name of an event")
        belonging(state, self)
        for k, wall in enumerate(self.walls):
            if event == wall.strikes:
                return landed(self, state, k)
        return None

    def changing(self) -> Changing | None:
        """Flight, and each surface, on which it slides or rests."""
        from zeromass.contact.sliding_changing import changing  # few runs are driven outside Python

        return changing(self)

    def kind_at(self, which: int, state: State, *, slips: bool = False) -> OnWall:
        """What it does from a state on, on a surface: it slides, or friction holds it."""
        belonging(state, self)
        given_flag(slips, "slips")
        on, wall = self.touching(which), self.walls[which]
        if self.friction_coefficient is None or slips:
            return on
        if wall.near(state).slides > 1.001 * STOPPED * number_at(self.creep, state.known):
            return on  # the event at which slip dies out is located to rounding
        held = self.touching(which, holds=True)
        return held if at_once(state.carried_to(held), self.lack_of_friction(wall)) <= 0.0 else on

    def left(self, state: State) -> Onward:
        """How a particle goes on that leaves a surface."""
        given_kind(state, State, "the state", "one that sliding.start(…) makes")
        if not isinstance(state.system, OnWall):
            raise ModelError("the particle leaves a surface only from a state in which it touches one")
        free = lifted(self, state.carried_to(self), [state.system.which])
        return Onward(free, (), np.empty(0), np.zeros(3), 0.0)

    # quantities ------------------------------------------------------------------------------------------------------
    @cached_property
    def free_acceleration(self) -> Evaluator:
        """Acceleration in flight, m/s², from numbers in the order of `inputs`."""
        return Evaluator(self.Q / self.particle.mass, self.inputs)

    @cached_property
    def reaction_force(self) -> Array:
        """Force of the surfaces on the particle, N."""
        return self.reaction.on(self.particle.position)

    def lack_of_friction(self, wall: Wall) -> Expression:
        """|F_t| − μ F_n, N: positive where it takes more than friction to hold the particle."""
        given_kind(wall, Wall, "wall", "one of sliding.walls")
        if self.friction_coefficient is None:
            raise ModelError("nothing holds a particle without friction: Sliding(…, friction=μ)")
        return lacking(length(wall.friction_force), self.friction_coefficient * wall.normal_force)

    @cached_property
    def drawing(self) -> Drawing:
        """The particle, its path, the force on it, and its surfaces."""
        from zeromass.contact.looks import drawing_of_particle  # what is not drawn need not be imported

        return drawing_of_particle(self)

    def drawing_at(self, parameters: Mapping[Symbol, float]) -> Drawing:
        """The same: a dot has no size that parameters could change."""
        return self.drawing

    def _own_quantities(self) -> dict[str, Quantity]:
        """What plots and files show."""
        P, v = self.particle.position, self.particle.velocity
        return {
            **super()._own_quantities(),
            "position": Quantity(P, "m", "position"),
            "velocity": Quantity(v, "m/s", "velocity"),
            "force": Quantity(self.reaction_force, "N", "force of the surface"),
        }

    def _own_record(self, w: Writer) -> dict[str, Any]:
        from zeromass.contact.record import surface_record

        return {
            "walls": [surface_record(wall.surface, w) for wall in self.walls],
            "gravity": None if self.gravity is None else w.array(self.gravity),
            "applied": [
                [w.array(load.generalized(self.coordinates)), w.array(load.potential)] for load in self.applied
            ],
            "options": {name: written_number(getattr(self, name), w) for name in OPTIONS},
        }

    def _take_record(self, own: dict[str, Any], r: Reader) -> None:
        from zeromass.contact.record import read_surface

        (self.particle,) = self.parts  # type: ignore[assignment]
        self.gravity = None if own["gravity"] is None else r.array(own["gravity"])
        self.applied = [
            GeneralizedForce(dict(zip(self.coordinates, r.array(Q), strict=True)), potential=r.array(V).item())
            for Q, V in own["applied"]
        ]
        for name in OPTIONS:
            setattr(self, name, read_number(own["options"].get(name), r))
        self._know(*[e for e in (getattr(self, name) for name in OPTIONS) if e is not None])
        self._stands_before([read_surface(data, r) for data in own["walls"]])
