"""A particle and a surface that it can not pass: how far it is away, how it comes nearer, and what touching it is."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from zeromass.contact.bouncing import rounding_of
from zeromass.contact.friction import against
from zeromass.contact.limits import impossible_friction
from zeromass.contact.pressing import friction_ratio
from zeromass.contact.slow import SLOWEST, STOPPED
from zeromass.contact.surface import Surface
from zeromass.contact.watched import BORDER, LOST, SLIPS, STOPS
from zeromass.expression import Array, Evaluator, Expression, Symbol, as_expression, rate, substitute
from zeromass.expression.build import ZERO
from zeromass.model import ContactPoint, Event, Force, Onward, Part, Quantity, State, System
from zeromass.model.given import length
from zeromass.model.record import read, recorded, written
from zeromass.model.requirement import Requirement

if TYPE_CHECKING:
    from zeromass.contact.sliding import Sliding
    from zeromass.expression.record import Reader, Writer
    from zeromass.model import Drawing
    from zeromass.model.changing import Changing


class Near(NamedTuple):
    """A particle near a surface in numbers.

    distance  from it, m, of a particle that nearly touches
    rate      of the distance, m/s, and
    bend      rate of that in free flight, m/s²
    normal    towards the particle
    slip      velocity against the material of the surface, m/s
    """

    distance: float
    rate: float
    bend: float
    normal: np.ndarray
    slip: np.ndarray

    @property
    def slides(self) -> float:
        """Speed along the surface, m/s."""
        return float(np.linalg.norm(self.slip - (self.normal @ self.slip) * self.normal))


class Wall:
    """One of the surfaces of a particle, as formulas of its position."""

    def __init__(self, surface: Surface, sliding: Sliding) -> None:
        P = sliding.particle.position
        self.surface: Surface = surface
        self._sliding = sliding
        self.gap: Expression = as_expression(surface.side * as_expression(surface(P)))
        """Positive where the particle may be, and 0 on the surface; m, of a surface that is a height."""
        self.steepness: Expression = length(surface.gradient(P))
        self.normal: Array = surface.normal(P)
        self.slip: Array = sliding.particle.velocity - surface.velocity(P)
        self.normal_force: Expression = as_expression(self.normal @ sliding.reaction_force)
        self.friction_force: Array = sliding.reaction_force - self.normal_force * self.normal

    @property
    def strikes(self) -> str:
        """Name of the event at which the particle strikes it."""
        return f"strikes {self.surface.name}"

    @property
    def events(self) -> list[Event]:
        """Where the particle strikes it, and where nothing is known of it any longer."""
        found = [Event(self.strikes, self.gap, direction=-1, message="the particle strikes a surface")]
        inside = self.surface.inside(self._sliding.particle.position)
        if inside is not None:
            words = f"nothing is known of '{self.surface.name}' beyond the data it is made from"
            found.append(Event(f"{BORDER}: {self.surface.name}", inside, direction=-1, guard=True, message=words))
        return found

    @cached_property
    def off(self) -> tuple[Expression, Expression]:
        """How far the particle is off it, m, and by how much two ways to compute that may differ."""
        return as_expression(self.gap / self.steepness), as_expression(rounding_of(self.gap) / self.steepness)

    @property
    def numbers(self) -> list[Any]:
        """What `near` is made of: gap, its rate and that in free flight of it, steepness, normal and slip."""
        sliding, rates = self._sliding, rate(self.gap)
        free = dict(zip(sliding.accelerations, sliding.Q / sliding.particle.mass, strict=True))
        bend = substitute(as_expression(rate(rates)), free)
        return [self.gap, rates, bend, self.steepness, *self.normal, *self.slip]

    @cached_property
    def _numbers(self) -> Evaluator:
        return Evaluator(self.numbers, self._sliding.inputs)

    def near(self, state: State) -> Near:
        """Distance and rates at a state of the particle, whatever it does."""
        values = np.concatenate([[state.t], state.q, state.v, [state.parameters[p] for p in self._sliding.parameters]])
        gap, rates, bend, steep, *rest = self._numbers(values).tolist()
        n, slip = np.array(rest[:3]), np.array(rest[3:])
        return Near(gap / steep, rates / steep, bend / steep, n, slip - (n @ slip - rates / steep) * n)


@recorded("sliding on a surface")
class OnWall(System):
    """The particle of a `Sliding` where it touches a surface: it slides, or friction holds it, the kind "resting".

    >>> bead = zm.Particle("bead", mass=0.1)
    >>> sliding = zm.Sliding(bead, on=zm.surfaces.plane(0.1), gravity=9.81, friction=0.2)
    >>> sliding.touching(0).kind, sliding.touching(0, holds=True).kind
    ('sliding', 'resting')
    """

    written_out: bool = True

    kind: str = "sliding"

    sliding: Sliding
    """The particle in flight, with all its surfaces."""

    def __init__(self, sliding: Sliding, which: int, *, holds: bool = False) -> None:
        self.sliding = sliding
        self.which: int = which
        self.holds: bool = holds
        self.kind = "resting" if holds else "sliding"
        wall, P = sliding.walls[which], sliding.particle.position
        constraints: dict[str, Any] = {wall.surface.name: as_expression(wall.surface(P))}
        nonideal = []
        if holds:
            constraints["no slip"] = [e for e in wall.slip if e is not ZERO]
        elif sliding.kinetic_coefficient is not None:
            law = against(wall.slip, sliding.creep, sliding.kinetic_coefficient)
            nonideal.append(Force(wall.normal_force * law, at=P))
        super().__init__(
            [sliding.particle],
            gravity=sliding.gravity,
            forces=sliding.applied,
            constraints=constraints,
            nonideal=nonideal,
        )
        self._know(*sliding.parameters)
        self.events: tuple[Event, ...] = (*self._ends(wall), *self._others())

    def _ends(self, wall: Wall) -> list[Event]:
        """Where it leaves, slips, or slips no longer."""
        sliding, words = self.sliding, "the surface would have to pull the particle"
        found = [Event(LOST, wall.normal_force, direction=-1, guard=True, message=words)]
        speed = 0.0 if self.holds else length(wall.slip)
        found += impossible_friction("friction", sliding.friction_coefficient, sliding.kinetic_coefficient, speed)
        if self.holds:
            words = "friction does not hold the particle any longer"
            found.append(Event(SLIPS, sliding.lack_of_friction(wall), direction=1, guard=True, message=words))
        elif sliding.friction_coefficient is not None:
            zero = as_expression(wall.slip @ wall.slip - (STOPPED * sliding.creep) ** 2)
            found.append(Event(STOPS, zero, direction=-1, message="friction holds the particle from here on"))
        return found

    def _others(self) -> list[Event]:
        own = self.sliding.walls[self.which]
        return [e for wall in self.sliding.walls for e in wall.events if wall is not own or e.name != wall.strikes]

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """As of the particle in flight."""
        return self.sliding.requirements

    @property
    def stiff(self) -> Expression | None:
        """s² − u², negative below a speed u of a million creeps, where a slip that begins is stiff."""
        if self.sliding.kinetic_coefficient is None or self.holds:
            return None
        slip, u = self.sliding.walls[self.which].slip, SLOWEST * self.sliding.creep
        return as_expression(slip @ slip - u**2)

    @property
    def mode_of(self) -> System:
        """The particle in flight."""
        return self.sliding

    def begins_as(self, state: State) -> System:
        """Itself, or what friction makes of it."""
        return self.sliding.kind_at(self.which, state)

    @property
    def begins_one_way(self) -> bool:
        """On a smooth surface."""
        return self.sliding.friction_coefficient is None

    def goes_on_as(self, event: str, state: State) -> System | Onward | None:
        """In flight where it leaves, by a stroke where it meets another surface, slipping or held by friction."""
        sliding = self.sliding
        if event == LOST:
            return sliding.left(state)
        if event in (SLIPS, STOPS):
            return sliding.kind_at(self.which, state, slips=event == SLIPS)
        return sliding.goes_on_as(event, state)

    def changing(self) -> Changing | None:
        """As of the particle in flight."""
        return self.sliding.changing()

    def struck(self, state: State, impulse: np.ndarray) -> System | None:
        """Itself where nothing strikes it."""
        return self if not np.any(impulse) else None

    @property
    def contacts(self) -> tuple[ContactPoint, ...]:
        """The contact with its surface."""
        wall, particle = self.sliding.walls[self.which], self.sliding.particle
        return (
            ContactPoint(
                name=f"{particle.name} on {wall.surface.name}",
                point=particle.position,
                normal=wall.normal,
                normal_force=wall.normal_force,
                friction_force=wall.friction_force,
                friction_ratio=friction_ratio(length(wall.friction_force), wall.normal_force),
                lost=LOST,
            ),
        )

    @property
    def drawing(self) -> Drawing:  # type: ignore[override]
        """As of the particle in flight."""
        return self.sliding.drawing

    def drawing_at(self, parameters: Mapping[Symbol, float]) -> Drawing:
        """As of the particle in flight."""
        return self.sliding.drawing

    def _own_quantities(self) -> dict[str, Quantity]:
        return self.sliding.quantities

    def _own_record(self, w: Writer) -> dict[str, Any]:
        return {"sliding": written(self.sliding, w), "which": self.which, "holds": self.holds}

    def _take_record(self, own: dict[str, Any], r: Reader) -> None:
        sliding: Any = read(own["sliding"], r)
        self.sliding, self.which, self.holds = sliding, own["which"], own["holds"]
        self.kind = "resting" if self.holds else "sliding"
        self._know(*sliding.parameters)
        self._free = self._free._replace(parts=sliding.parts)
        self.parts: tuple[Part, ...] = sliding.parts
        sliding.touched[self.which, self.holds] = self
