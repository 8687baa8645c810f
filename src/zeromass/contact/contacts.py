"""Bodies that touch several surfaces: contacts that come and go, each open, rolling or slipping, in one run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from zeromass.contact.contact_events import events_of
from zeromass.contact.friction import Friction, bounded
from zeromass.contact.limits import possible_clearance, possible_creep
from zeromass.contact.pair import Pair
from zeromass.contact.penetration import Outside, inside_words, penetration
from zeromass.contact.pose import Pose
from zeromass.contact.roller import Roller
from zeromass.contact.several_given import of_each, solids_given, surfaces_given
from zeromass.contact.skin import between_of, skin_of
from zeromass.contact.slow import creep_of, speed_of
from zeromass.contact.surface import Surface
from zeromass.errors import quoted
from zeromass.expression import Array, Expression, Symbol, as_expression, expressions
from zeromass.model import ContactPoint, Event, ModelError, Part, Particle, Quantity, RigidBody, State, System
from zeromass.model.by_expression import ByExpression
from zeromass.model.forces import Forces, Load, loads
from zeromass.model.given import Number, Parameters, Vector, given_choice, given_parameters, value_of
from zeromass.model.moved import Moved
from zeromass.model.record import recorded
from zeromass.model.requirement import Requirement
from zeromass.model.unilateral import told_apart

if TYPE_CHECKING:
    from zeromass.expression.record import Reader, Writer
    from zeromass.model import Drawing

SIMULTANEOUS, SEQUENTIAL = "simultaneous", "sequential"
"""Whether contacts that touch are struck at once, or one after another."""

LEAST_CLEARANCE = 1e-4
"""Clearance at which a hollow counts as too tight, as of a rolling body."""


@recorded("contacts")
class Contacts(ByExpression, System):
    """Bodies that may touch surfaces and one another: several unilateral contacts in one system.

    bodies       zm.bodies.ball(…), zm.bodies.disc(…) and others, one or a list
    on           the surfaces, [floor, wall] or {"floor": floor, "wall": wall}; any body may touch any of them
    between      whether bodies touch one another: True, or [("red", "white"), …] by their names; balls, ellipsoids,
                 superquadrics and zm.bodies.convex(…) can
    gravity      m/s², g for (0, 0, −g) or a vector
    friction     coefficient μ of all contacts, or {name of the surface: μ, "between": μ}, where "between" are those of
                 bodies with one another; None, or what is not named, where there is always enough
    restitution  coefficient e of impulses, 0 to 1, of all contacts, or {name of the surface: e, "between": e}
    impacts      at several contacts at once: "simultaneous", their impulses grow together, or "sequential", one impact after
                 the other, that of the fastest approach first
    creep        speed of slip, m/s, below which friction falls off; by default 1e-9 √(g r)
    forces       as of a System, or a function that gives them: lambda contacts: zm.Force(…, at=contacts.body.point(…))

    Each contact is open, rolling or slipping; a run goes over from one to the other, and `run.modes` tells them, as "floor
    rolling, wall open". Contacts are called by their surface, with several bodies by both, "red
    on floor" and "red and white"; contacts["floor"] has gap, slip and forces of one, see `zeromass.contact.Pair`.

    Of several contacts of one body not all forces follow from the motion: those of least weight are taken.

    >>> room = {"floor": zm.surfaces.plane(), "wall": zm.Surface(lambda X, Y, Z: 1.0 - X)}
    >>> friction = {"floor": 0.2, "wall": 0.0}
    >>> ball = zm.Contacts(zm.bodies.ball(0.1, 0.5), on=room, gravity=10.0, friction=friction, restitution=0.5)
    >>> start = ball.start(center=(0.0, 0.0, 0.1), velocity=(1.8, 0.0, 0.0))  # it rolls
    >>> run = zm.simulate(ball, start, until=0.6)
    >>> run.modes, round(run.changes[0], 9)
    (('floor rolling, wall open', 'floor slipping, wall open'), 0.5)
    >>> run.impulses[0].constraints[:2], round(float(run.impulses[0].energy), 9)  # 1.8 m/s becomes 0.9 m/s
    (('wall normal', 'wall friction'), -0.6075)
    """

    _interface = ("bodies", "pairs", "centers", "body", "center", "solids", "gravity")

    _how = "contacts[name] is a contact, contacts.pairs are all of them"
    written_out: bool = True

    pairs: tuple[Pair, ...]
    """Bodies and surfaces that may touch."""

    solids: tuple[Roller, ...]
    """The bodies, as they were given."""

    bodies: tuple[RigidBody, ...]
    centers: tuple[Part, ...]
    """Centres of their outsides: the bodies themselves, where these are their mass centres, or particles."""

    gravity: Number | Vector | None
    creep: Number
    """Speed of slip, m/s, below which friction falls off."""

    impacts: str
    """Whether contacts that touch are struck at once or in turn."""

    applied: list[Load]
    least_clearance: Number

    def __init__(
        self,
        bodies: Roller | Sequence[Roller],
        *,
        on: Surface | Sequence[Surface] | Mapping[str, Surface] = (),
        between: bool | Iterable[tuple[str, str]] = False,
        gravity: Number | Vector | None = 9.81,
        friction: Number | Friction | Mapping[str, Number | Friction | None] | None = None,
        restitution: Number | Mapping[str, Number] = 0.0,
        impacts: Literal["simultaneous", "sequential"] = SIMULTANEOUS,
        creep: Number | None = None,
        least_clearance: Number = LEAST_CLEARANCE,
        forces: Forces | Callable[[Contacts], Forces] = None,
    ) -> None:
        self.solids = solids_given(bodies)
        couples = between_of(self.solids, between)
        surfaces = surfaces_given(on, bool(couples))
        names = [*surfaces, *couples]
        μ, e = (
            of_each(given, names, [*couples], what, none)
            for given, what, none in ((friction, "friction", None), (restitution, "restitution", 0.0))
        )
        self.gravity, self.least_clearance = gravity, least_clearance
        self.impacts = given_choice(impacts, "impacts", (SIMULTANEOUS, SEQUENTIAL))
        self.bodies = tuple(RigidBody(s.name, mass=s.mass, inertia=s.inertia) for s in self.solids)
        one = len(self.solids) == 1
        self.centers = tuple(self._center(*both) for both in zip(self.solids, self.bodies, strict=True))
        given_μ = [given for given in μ.values() if bounded(given) is not None]
        smooth = all(isinstance(given, int | float) and given == 0 for given in given_μ)
        slips = bool(given_μ) and not (smooth and gravity is None and creep is None)  # no speed is needed
        self.creep: Number = self._creep(creep) if slips else 0.0
        speed: Any = self._speed() if slips else 1.0
        poses = {s: Pose.about(body, O) for s, body, O in zip(self.solids, self.bodies, self.centers, strict=True)}
        given = [
            (where, where if one else f"{solid.name} on {where}", solid, surface)
            for solid in self.solids
            for where, surface in surfaces.items()
        ]
        given += [(name, name, solid, skin_of(other, poses[other])) for name, (other, solid) in couples.items()]
        self.pairs = tuple(
            Pair(name, solid, poses[solid], surface, μ[where], e[where], speed=speed)
            for where, name, solid, surface in given
        )
        for requirement in self._possible_limits():
            requirement.checked("friction, restitution and least_clearance")
        self.applied = loads(value_of(forces, (self,), "forces") if callable(forces) else forces)
        centers = [O for O in self.centers if O not in self.bodies]
        parts = [*self.bodies, *centers, *[part for pair in self.pairs for part in pair.parts]]
        super().__init__(
            parts,
            coordinates=[x for pair in self.pairs for x in pair.coordinates],
            gravity=gravity,
            forces=self.applied,
            constraints=self._constraints(),
        )
        self.unilaterals = told_apart(pair.unilateral for pair in self.pairs)
        self.simultaneous_impacts = self.impacts == SIMULTANEOUS
        self._know(*self.limits)
        self.events: tuple[Event, ...] = tuple(event for pair in self.pairs for event in events_of(self, pair))

    # what it is made of ------------------------------------------------------------------------------------------------
    def _center(self, solid: Roller, body: RigidBody) -> Part:
        """The centre of the outside of a body: its mass centre, or a particle."""
        if all(as_expression(x).value == 0.0 for x in expressions(solid.center_of_mass)):
            return body
        return Particle("center" if len(self.solids) == 1 else f"{solid.name} center", mass=0)

    def __getitem__(self, name: str) -> Pair:
        """The contact of a name."""
        for pair in self.pairs if isinstance(name, str) else ():
            if pair.name == name:
                return pair
        raise ModelError(
            f"no contact is named {quoted(name)}; there are: {', '.join(pair.name for pair in self.pairs)}"
        )

    @property
    def body(self) -> RigidBody:
        """The body, of a system that has one."""
        first, *rest = self.bodies
        if rest:
            raise ModelError("there are several bodies; take one of contacts.bodies")
        return first

    @property
    def center(self) -> Array:
        """Centre of the outside of the body, m, of a system that has one."""
        return self.centers[self.bodies.index(self.body)].position

    def _constraints(self) -> dict[str, Any]:
        """Centres in their bodies, contacts on their surfaces, and gaps."""
        found: dict[str, Any] = {}
        for solid, body, O in zip(self.solids, self.bodies, self.centers, strict=True):
            words = "mass center" if len(self.solids) == 1 else f"{solid.name} mass center"
            if O is not body:
                found[words] = O.position + body.rotate(solid.center_of_mass) - body.position
        for pair in self.pairs:
            found |= pair.constraints
        return found

    def _creep(self, given: Number | None) -> Number:
        """Speed of slip below which the direction of friction is that in which the slip began, m/s, of the smallest body."""
        if given is not None:
            possible_creep(given).checked("creep")
        found = [SimpleNamespace(gravity=self.gravity, creep=given, solid=solid) for solid in self.solids]
        slowest: Any = creep_of(cast(Any, found[0]))
        for one in found[1:]:
            slowest = np.minimum(slowest, cast(Any, creep_of(cast(Any, one))))
        return slowest if isinstance(slowest, Expression) else float(slowest)

    def _speed(self) -> Number:
        """√(g r) of the smallest body, m/s, that slow slips are compared with."""
        found: Any = None
        for solid in self.solids:
            own: Any = speed_of(cast(Any, SimpleNamespace(gravity=self.gravity, creep=self.creep, solid=solid)))
            found = own if found is None else np.minimum(found, own)
        return found if isinstance(found, Expression) else float(found)

    @property
    def limits(self) -> list[Number]:
        """Numbers that events and decisions know beside the equations."""
        given = [x for pair in self.pairs for x in pair.unilateral.numbers]
        return [x for x in (*given, self.creep, self.least_clearance) if x is not None]

    def _possible_limits(self) -> tuple[Requirement, ...]:
        found = [requirement for pair in self.pairs for requirement in pair.requirements]
        return (*found, *possible_clearance(self.least_clearance))

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """Those of the bodies, and of friction and restitution."""
        own = [requirement for solid in self.solids for requirement in solid.requirements]
        return (*own, *super().requirements, *self._possible_limits())

    @property
    def leaping(self) -> Mapping[str, str]:
        """Points of surfaces that are below an end of a body, where another end comes nearest."""
        return {name: own for pair in self.pairs for name, own in pair.leaping.items()}

    @property
    def lying(self) -> Mapping[str, str]:
        """That a body comes to lie on a side or a face."""
        from zeromass.contact.edges import lies_words  # few bodies have ends

        own = {pair.name: lies_words(pair.solid.name) for pair in self.pairs}
        return {name: own[pair] for name, pair in self.leaping.items()}

    def jumped(self, names: Sequence[str], before: State, after: State) -> str:
        """That a body comes to lie on a side or a face, if another end of it reaches a surface that it touches."""
        if self.pieces is None:
            return ""
        from zeromass.contact.edges import lies_words, own_edge  # few bodies have ends

        groups = {row.group for row in self.rows if row.name in names}
        for pair in self.pairs:
            if groups & {*pair.constraints} and own_edge(pair.normal, self.pieces, before, after):
                return lies_words(pair.solid.name)
        return ""

    def examined(self, motion: Moved) -> tuple[str, ...]:
        """That a body was found inside one of its surfaces, away from the contact with it, if it was."""
        found: list[tuple[Any, Any]] = [(seen, penetration(cast(Any, seen), motion)) for seen in self.outsides]
        return tuple(inside_words(seen, depth) for seen, depth in found if depth is not None)

    @cached_property
    def outsides(self) -> tuple[Seen, ...]:
        """Each body beside each surface, to be examined."""
        return tuple(Seen(self, pair) for pair in self.pairs if pair.other is None)

    def outside_of(self, pair: Pair) -> Outside:
        """The outside of the body of a contact with a surface."""
        return self.outsides[[p for p in self.pairs if p.other is None].index(pair)].outside

    # starts ------------------------------------------------------------------------------------------------------------
    def start(  # type: ignore[override]
        self,
        prescribed: Any = (),
        *,
        center: Any = None,
        velocity: Any = (0.0, 0.0, 0.0),
        angular_velocity: Any = None,
        orientation: Any = (1.0, 0.0, 0.0, 0.0),
        touching: Iterable[str] | None = None,
        t: float = 0.0,
        parameters: Parameters | None = None,
        guess: Any = (),
    ) -> State:
        """A consistent start.

        center            of the outside, m
        velocity          of the centre, m/s
        angular_velocity  in the inertial frame, rad/s; by default that with which the body rolls on all that it touches, and
                          none in the air
        orientation       quaternion, or rotation vector (three components, rad)
        touching          names of contacts that touch: the body is put where they do, as near to `center` as can be. By
                          default those whose gap is 1e-9 of sizes and places at most

        With several bodies each of these is {name of the body: value}. With a mapping of expressions as the only argument it
        is `System.start`.

        >>> rails = {"left": zm.Surface(lambda X, Y: Y), "right": zm.Surface(lambda X, Y: -Y)}
        >>> ball = zm.Contacts(zm.bodies.ball(0.1, 0.5), on=rails, gravity=10.0)
        >>> start = ball.start(center=(0.0, 0.0, 0.1), velocity=(1.0, 0.0, 0.0), touching=["left", "right"])
        >>> round(start[ball.center[2]], 9), round(start[ball.body.angular_velocity[1]], 9)
        (0.141421356, 14.142135624)
        """
        if center is None:
            return super().start(prescribed, t=t, parameters=parameters, guess=guess)
        if not (isinstance(prescribed, tuple | list | dict) and not prescribed):
            raise ModelError("a start is given by center=(X, Y, Z), … or by {expression: value}, not by both")
        from zeromass.contact.placing import placed  # few starts are made in words

        words = {
            "center": center,
            "velocity": velocity,
            "angular_velocity": angular_velocity,
            "orientation": orientation,
        }
        return placed(self, words, touching, t, parameters)

    @cached_property
    def facing(self) -> tuple[Expression, ...]:
        """Positive where the outward normals of a body and of what it would touch are opposite."""
        found = [
            pair.solid.facing(pair.body, pair.parts[1:], pair.normal, pair.pose.position - pair.point)
            for pair in self.pairs
            if pair.unknowns  # of other bodies the gap tells the side
        ]
        return tuple(e for e in found if e is not None)

    @property
    def ambiguous(self) -> bool:
        """Always: a surface has several points whose normal goes through a body."""
        return True

    @property
    def wrong_side(self) -> str:
        """What is said of a start in which a contact is on the wrong side of a body."""
        names = ", ".join(f"'{pair.name}'" for pair in self.pairs if pair.unknowns)
        return (
            f"a body would touch with its far side ({names}); give guess= for centre and orientation nearer to a start"
        )

    def placement(
        self, near: Mapping[Any, float], t: float, parameters: Mapping[Symbol, float]
    ) -> Mapping[Symbol, float]:
        """Where each body would touch each of its surfaces, from centres and orientations."""
        from zeromass.contact.placing import placement  # few starts are given by expressions

        return placement(self, near, t, parameters)

    def refused(self, t: np.ndarray, y: np.ndarray, parameters: np.ndarray) -> dict[int, str]:
        """Starts whose parameters are not possible, and where a body lies inside what it may touch."""
        from zeromass.contact.placing import inside

        return inside(self, t, y, parameters) | super().refused(t, y, parameters)

    # what it tells -----------------------------------------------------------------------------------------------------
    @property
    def contacts(self) -> tuple[ContactPoint, ...]:
        """The forces at all contacts."""
        return tuple(pair.contact for pair in self.pairs)

    @cached_property
    def drawing(self) -> Drawing:
        """The bodies on their surfaces, with the forces at all contacts."""
        from zeromass.contact.scene import drawing_of

        return drawing_of(self, {})

    def drawing_at(self, parameters: Mapping[Symbol, float]) -> Drawing:
        """With the sizes that values of the parameters give."""
        from zeromass.contact.scene import drawing_of

        given_parameters(parameters, "parameters")
        return drawing_of(self, parameters) if parameters else self.drawing

    def _own_quantities(self) -> dict[str, Quantity]:
        """What plots and files show: gaps and forces of each contact by its name."""
        found = super()._own_quantities()
        for pair in self.pairs:
            found[f"{pair.name} gap"] = Quantity(pair.gap, "m", f"gap, {pair.name}")
            found[f"{pair.name} normal force"] = Quantity(pair.normal_force, "N", f"normal force, {pair.name}")
            found[f"{pair.name} friction force"] = Quantity(pair.friction_magnitude, "N", f"friction, {pair.name}")
            found[f"{pair.name} slip velocity"] = Quantity(pair.slip_velocity, "m/s", f"slip velocity, {pair.name}")
        return found

    def _own_record(self, w: Writer) -> dict[str, Any]:
        from zeromass.contact.several_record import contacts_record

        return contacts_record(self, w)

    def _take_record(self, own: dict[str, Any], r: Reader) -> None:
        from zeromass.contact.several_record import take_contacts_record

        take_contacts_record(self, own, r)


class Seen:
    """One body beside one of its surfaces, as what examines a motion asks for."""

    solid: Roller
    surface: Surface
    body: RigidBody
    parameters: tuple[Symbol, ...]
    index: Callable[[Expression], int]
    coordinates: Array

    def __init__(self, contacts: Contacts, pair: Pair) -> None:
        self.solid, self.surface, self.body = pair.solid, pair.surface, pair.body
        self.center_particle: Any = pair.pose
        self.contact: Array = pair.point
        self.parameters, self.index, self.coordinates = contacts.parameters, contacts.index, contacts.coordinates

    @cached_property
    def outside(self) -> Outside:
        """The outside of the body, tried against the whole of the surface."""
        return Outside(cast(Any, self))
