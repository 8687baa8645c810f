"""A particle before surfaces that it can not pass: it slides, leaves, flies, strikes, rebounds, and comes to rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.contact.friction import Friction, bounded, friction_of, possible_friction
from zeromass.contact.limits import possible_creep, possible_restitution
from zeromass.contact.surface import Surface
from zeromass.contact.walls import Wall
from zeromass.errors import shown
from zeromass.expression import Array, Symbol, expressions
from zeromass.expression.build import ZERO
from zeromass.model import Event, ModelError, Particle, Quantity, StartError, State, System
from zeromass.model.forces import Forces, GeneralizedForce, Load, loads
from zeromass.model.given import Number, Parameters, Vector, given_all, given_numbers, shape_of
from zeromass.model.record import read_number, recorded, written_number
from zeromass.model.requirement import Ordered, Requirement
from zeromass.model.start import Prescribed
from zeromass.model.unilateral import told_apart

if TYPE_CHECKING:
    from zeromass.expression.record import Reader, Writer
    from zeromass.model import Drawing

LEAST_BOUNCE = 1e-12
"""Height of a bounce, m, below which bounces end."""

CREEP = 1e-9
"""Speed of slip, m/s, below which a slip counts as none."""

OPTIONS = ("friction_coefficient", "kinetic_coefficient", "restitution", "creep", "least_bounce")


@recorded("sliding")
class Sliding(System):
    """Particle with unilateral contacts on surfaces: a bead that may leave its wire, a bouncing ball, a billiard.

    particle      a zm.Particle with a mass
    on            a surface, or several
    gravity       m/s², g for (0, 0, −g) or a vector
    friction      coefficient μ, or zm.Friction(static=…, kinetic=…); 0 is frictionless, None never slips
    restitution   coefficient of restitution e, 0 to 1
    creep         speed of slip, m/s, below which the particle counts as sticking
    least_bounce  height of a bounce, m, below which bounces end and the particle slides; at least 1e-11 of its position
    forces        as of a System

    Each of `sliding.walls` is a contact of the system. The particle flies, slides or rests; every impact is in
    `run.impulses`. In a corner surfaces are struck one after the other, until it leaves them all, or lies on them.

    A bead leaves a smooth sphere where it has come down by a third of the radius:

    >>> bead = zm.Particle("bead", mass=0.1)
    >>> sliding = zm.Sliding(bead, on=zm.surfaces.sphere(1.0), gravity=9.81)
    >>> start = sliding.start(contact=(0.1, 0.0, np.sqrt(0.99)))
    >>> run = zm.simulate(sliding, start, until=1.5)
    >>> run.modes, round(float(run.state(run.changes[0])[bead.position[2]] / np.sqrt(0.99)), 9)
    (('sliding', 'flying'), 0.666666667)
    """

    _interface = (
        "particle", "walls", "reaction_force", "gravity", "friction_coefficient", "kinetic_coefficient",
    )  # fmt: skip

    written_out: bool = True

    mode: str = "flying"

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
        friction: Number | Friction | None = 0.0,
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
        self.friction_coefficient, self.kinetic_coefficient = friction_of(bounded(friction))
        self.restitution, self.creep, self.least_bounce = restitution, creep, least_bounce
        for requirement in self._possible():
            requirement.checked("friction, restitution, creep and least_bounce")
        self.applied: list[Load] = loads(forces)
        self.walls: tuple[Wall, ...] = self._walls(surfaces)
        super().__init__([particle], gravity=gravity, forces=self.applied, contacts=self.walls)
        self._watch_walls()

    def _walls(self, surfaces: Sequence[Surface]) -> tuple[Wall, ...]:
        """The contacts with its surfaces."""
        return tuple(
            Wall(
                surface,
                self.particle,
                friction=self.friction_coefficient,
                kinetic=self.kinetic_coefficient,
                restitution=self.restitution,
                creep=self.creep,
                least_bounce=self.least_bounce,
                sole=len(surfaces) == 1,
            )
            for surface in surfaces
        )

    def _watch_walls(self) -> None:
        """Watches its surfaces, and knows the parameters of its numbers."""
        self.simultaneous_impacts = False
        self._know(*[e for name in OPTIONS if (e := getattr(self, name)) is not None])
        self.events: tuple[Event, ...] = tuple(
            event for wall in self.walls for event in (*wall.events, *wall.friction_events(self.kinetic_coefficient))
        )

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

    mode_words = tuple(
        ({-1: mode}, word)
        for mode, word in (("sticks", "resting"), ("slips", "sliding"), ("closed", "sliding"), ("open", "flying"))
    )
    """It rests where friction holds it on one of its surfaces."""

    # starts ----------------------------------------------------------------------------------------------------------
    def start(  # type: ignore[override]
        self,
        prescribed: Prescribed = (),
        *,
        position: Vector | None = None,
        contact: Sequence[Number] | np.ndarray | None = None,
        velocity: Sequence[Number] | np.ndarray = (0.0, 0.0, 0.0),
        t: float = 0.0,
        parameters: Parameters | None = None,
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
        P, v, wall = self.particle.position, self.particle.velocity, self.walls[0].unilateral
        if contact is not None:
            for value, what in ((contact, "contact"), (velocity, "velocity")):
                if shape_of(value) not in ((2,), (3,)):
                    raise StartError(f"{what} is {shown(value)}; it has two components, or three")
            place = list(zip(P, contact, strict=False))
            near: Any = [(P[2], guess)] if isinstance(guess, float | int) else () if guess is None else guess
            if len(contact) == 3:
                near, place = list(zip(P, contact, strict=True)), []
            lies = super().start([*place, (wall.gap, 0.0)], t=t, parameters=parameters, guess=near)
            given = given_numbers(velocity, "velocity", (None,))
            fixed = list(zip(v, given, strict=False)) if len(given) == 2 else []
            wanted = [] if fixed else list(zip(v, given, strict=True))
            fixed.append((wall.approach, 0.0))
            return super().start([(P, lies.q), *fixed], t=t, parameters=parameters, guess=wanted)
        if position is not None:
            prescribed = [(P, position), (v, velocity)]
        return super().start(prescribed, t=t, parameters=parameters, guess=() if guess is None else guess)

    # quantities ------------------------------------------------------------------------------------------------------
    @cached_property
    def reaction_force(self) -> Array:
        """Force of the surfaces on the particle, N."""
        return expressions(sum((wall.force for wall in self.walls), expressions(np.zeros(3))))

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
        self.walls = self._walls([read_surface(data, r) for data in own["walls"]])
        self.contact_elements = self.walls
        self.unilaterals = told_apart(wall.unilateral for wall in self.walls)
        self._watch_walls()
