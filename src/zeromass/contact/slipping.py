"""A body that slips on its surface with Coulomb friction: a non-ideal constraint whose work grows with the normal force."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.contact.watched import LOST, SLIPS, STOPS
from zeromass.expression import Expression, ExpressionError, Symbol, as_expression, evaluate, expressions
from zeromass.expression import t as time
from zeromass.model import Contact, Event, Force, ModelError, Onward, Part, Quantity, State, System, Torque
from zeromass.model.given import Number
from zeromass.model.moved import Moved
from zeromass.model.record import read, read_number, recorded, written, written_number
from zeromass.model.requirement import Requirement

if TYPE_CHECKING:
    from zeromass.contact.rolling import Rolling
    from zeromass.expression.record import Reader, Writer
    from zeromass.model import Drawing

CREEP = 1e-9
"""Creep as a part of √(g r), unless it is given: far above the rounding of a slip, far below what one can see of it."""

SLOW = 1e-3
"""Part of √(g r) below which a slip that begins is stiff."""

STOPPED = 10.0
"""Creeps below which a slip has died out: friction is 0.995 μ N there."""


@recorded("slipping")
class Slipping(System):
    """The body of a rolling system, slipping: the contact stays, the friction is μ |N| against the slip.

        C = friction force at the contact point, −μ |N| s/√(s² + c²),   N the normal force, c the creep  [UP2006, eq. 2.6]

    It shares all coordinates and expressions with the rolling system it is made from. Its run ends where the slip dies out
    and the body rolls, or where contact is lost. A contact that can pull goes on there as `opposite`, where |N| is −N.

    With no_spin=True the body does not turn about the normal where it slips either: the torque that hinders it has no
    limit, as where it rolls. Friction limits forces along the surface only.

    >>> ball = zm.Rolling(zm.ball(0.1, 0.5), on=zm.surfaces.plane(), friction=0.2)
    >>> thrown = ball.slipping.start([(ball.contact, 0.0), (ball.center_particle.velocity, (1.0, 0.0, 0.0)),
    ...                               (ball.body.angular_velocity, 0.0)])
    >>> thrown[zm.rate(ball.center_particle.velocity)].round(9) + 0.0
    array([-1.962,  0.   ,  0.   ])
    """

    kind: str = "slipping"

    rolling: Rolling
    """The system of the same body where it rolls."""

    creep: Number
    """Speed of slip, m/s, below which friction falls off."""

    pulls: bool
    """Whether it is the motion while the surface pulls, of a contact that can."""

    def __init__(self, rolling: Rolling, *, pulls: bool = False) -> None:
        μ = rolling.friction_coefficient
        if μ is None:
            raise ModelError("a body slips only with a coefficient of friction: Rolling(…, friction=μ)")
        self.rolling = rolling
        self.creep, self.pulls = creep_of(rolling), pulls
        body, n = rolling.body, rolling.normal
        parts = {name for part in rolling.parts for name in part.constraints}
        own = [row for row in rolling.rows if row.group not in ("no slip", "energy", *parts)]
        constraints: dict[str, Any] = {}
        for row in own:
            constraints.setdefault(row.group, []).append(row.zero)
        slip = rolling.slip_velocity
        speed = np.sqrt(slip @ slip + self.creep**2)
        normal_force = n @ rolling.reaction_force
        force = (μ if pulls else -μ) * normal_force / speed * slip
        arm = rolling.contact - body.position
        super().__init__(
            rolling.parts,
            gravity=rolling.gravity,
            forces=rolling.applied,
            constraints={name: zeros if len(zeros) > 1 else zeros[0] for name, zeros in constraints.items()},
            nonideal=[Force(force, at=body.position), Torque(np.cross(arm, force), on=body)],
        )
        self._know(*rolling.parameters)
        stops = Event(
            STOPS,
            as_expression(slip @ slip - (STOPPED * self.creep) ** 2),
            direction=-1,
            message="the body rolls from here on",
        )
        others = [event for event in rolling.events if event.name != SLIPS]
        if rolling.two_sided:
            words = f"the surface {'pushes' if pulls else 'pulls'} from here on"
            turns = Event(LOST, rolling.normal_force, direction=1 if pulls else -1, message=words)
            others = [turns if event.name == LOST else event for event in others]
        self.events: tuple[Event, ...] = (stops, *others)

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """As of the rolling body."""
        return self.rolling.requirements

    def _own_record(self, w: Writer) -> dict[str, Any]:
        return {"rolling": written(self.rolling, w), "creep": written_number(self.creep, w), "pulls": self.pulls}

    def _take_record(self, own: dict[str, Any], r: Reader) -> None:
        rolling: Any = read(own["rolling"], r)
        self.rolling, self.creep, self.pulls = rolling, read_number(own["creep"], r), own.get("pulls", False)
        self._know(*rolling.parameters)
        if not self.pulls:
            rolling.__dict__["slipping"] = self
        self._free = self._free._replace(parts=rolling.parts)
        self.parts: tuple[Part, ...] = rolling.parts
        details = {event.name: event.detail for event in rolling.events}
        self.events = tuple(replace(event, detail=details.get(event.name)) for event in self.events)

    @cached_property
    def opposite(self) -> Slipping:
        """The same body while the surface pulls, or pushes again: |N| is smooth on either side of N = 0 only."""
        other = Slipping(self.rolling, pulls=True) if not self.pulls else self.rolling.slipping
        other.__dict__["opposite"] = self
        return other

    def begins_as(self, state: State) -> System:
        """Itself, or its `opposite` where a contact that can pull does so."""
        if not self.rolling.two_sided:
            return self
        return self if (state[self.rolling.normal_force] < 0.0) == self.pulls else self.opposite

    @property
    def stiff(self) -> Expression | None:
        """s² − u², negative below a speed u = 1e-3 √(g r): the direction of slip follows friction's at a rate of μ g/|s|."""
        slip, u = self.rolling.slip_velocity, SLOW * speed_of(self.rolling)
        return as_expression(slip @ slip - u**2)

    @property
    def begins_one_way(self) -> bool:
        """Where it can not pull."""
        return not self.rolling.two_sided

    def goes_on_as(self, event: str, state: State) -> System | Onward | None:
        """Where the slip dies out, rolling if that needs no more friction than there is, else slipping anew.

        A contact that can pull goes on where it begins to, and where it ceases to.
        """
        if event == LOST and self.rolling.two_sided:
            return self.opposite
        if event == LOST and self.rolling.restitution is not None:
            return self.rolling.flying.left(state)
        if event != STOPS:
            return None
        return self.rolling if self.rolling.grips(state.carried_to(self.rolling)) else self

    def struck(self, state: State, impulse: np.ndarray) -> System | None:
        """Itself, as long as the surface does not strike the body: the friction of a stroke is not decided."""
        body = [self.index(x) for x in self.rolling.body.position]
        size = float(np.linalg.norm(impulse[body]))
        return self if size <= 1e-6 * float(np.linalg.norm(impulse)) or size == 0.0 else None

    def jumped(self, names: Sequence[str], before: State, after: State) -> str:
        """As of the rolling body."""
        if self.pieces is None or any(name.startswith("surface") for name in names):
            return ""
        from zeromass.contact.edges import edge_words  # few surfaces have edges

        return edge_words(self.rolling, self.pieces, before, after)

    def examined(self, motion: Moved) -> tuple[str, ...]:
        """As of the rolling body."""
        return self.rolling.examined(motion)

    @property
    def contacts(self) -> tuple[Contact, ...]:
        """The contact with the surface, as of the rolling body."""
        return self.rolling.contacts

    @cached_property
    def drawing(self) -> Drawing:
        """As of the rolling body."""
        from zeromass.contact.looks import drawing_on_surface  # what is not drawn need not be imported

        return drawing_on_surface(self.rolling, {})

    def drawing_at(self, parameters: Mapping[Symbol, float]) -> Drawing:
        """As of the rolling body."""
        return self.rolling.drawing_at(parameters)

    def _own_quantities(self) -> dict[str, Quantity]:
        """What plots and files show of the body: the same as where it rolls."""
        return self.rolling.quantities


def creep_of(rolling: Rolling) -> Number:
    """The speed of slip, m/s, below which friction falls off: as given, or 1e-9 √(g r)."""
    if rolling.creep is not None:
        return rolling.creep if isinstance(rolling.creep, Expression) else float(rolling.creep)
    speed = _speed_of_gravity(rolling)
    if speed is None:
        raise ModelError(
            "no gravity gives a speed to compare the slip with; say below which speed, m/s, the body counts as rolling: "
            "Rolling(…, creep=1e-9)"
        )
    return CREEP * speed


def speed_of(rolling: Rolling) -> Number:
    """The speed that slips are compared with, m/s: √(g r), or without gravity what the creep is said to be a part of."""
    speed = _speed_of_gravity(rolling)
    return creep_of(rolling) / CREEP if speed is None else speed


def _speed_of_gravity(rolling: Rolling) -> Number | None:
    """√(g r), m/s; None where no gravity is known."""
    try:
        field = np.asarray(evaluate(expressions(0.0 if rolling.gravity is None else rolling.gravity), {time: 0.0}))
        g = float(np.linalg.norm(field))
    except ExpressionError:  # a parameter without a default
        g = 0.0
    if not (np.isfinite(g) and g > 0):
        return None
    speed = np.sqrt(g * rolling.solid.size)
    return speed if isinstance(speed, Expression) else float(speed)
