"""A body that slips on its surface with Coulomb friction: a non-ideal constraint whose work grows with the normal force."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.contact.another import AnotherMotion
from zeromass.contact.watched import LOST, SLIPS, STOPS
from zeromass.expression import Expression, ExpressionError, as_expression, evaluate, expressions
from zeromass.expression import t as time
from zeromass.model import Event, Force, ModelError, Onward, State, System, Torque
from zeromass.model.given import Number
from zeromass.model.record import read_number, recorded, written_number

if TYPE_CHECKING:
    from zeromass.contact.rolling import Rolling
    from zeromass.expression.record import Reader, Writer

CREEP = 1e-9
"""Creep as a part of √(g r), unless it is given: far above the rounding of a slip, far below what one can see of it."""

SLOW = 1e-3
"""Part of √(g r) below which a slip that begins is stiff."""

STOPPED = 10.0
"""Creeps below which a slip has died out: friction is 0.995 μ N there."""


@recorded("slipping")
class Slipping(AnotherMotion):
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

    creep: Number
    """Speed of slip, m/s, below which friction falls off."""

    pulls: bool
    """Whether it is the motion while the surface pulls, of a contact that can."""

    def __init__(self, rolling: Rolling, *, pulls: bool = False) -> None:
        μ = rolling.friction_coefficient
        if μ is None:
            raise ModelError("a body slips only with a coefficient of friction: Rolling(…, friction=μ)")
        self.creep, self.pulls = creep_of(rolling), pulls
        body, n = rolling.body, rolling.normal
        slip = rolling.slip_velocity
        speed = np.sqrt(slip @ slip + self.creep**2)
        normal_force = n @ rolling.reaction_force
        force = (μ if pulls else -μ) * normal_force / speed * slip
        arm = rolling.contact - body.position
        loads = [Force(force, at=body.position), Torque(np.cross(arm, force), on=body)]
        super().__init__(rolling, rolling.holding("no slip", "energy"), loads)
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

    def _own_record(self, w: Writer) -> dict[str, Any]:
        return {**super()._own_record(w), "creep": written_number(self.creep, w), "pulls": self.pulls}

    def _take_record(self, own: dict[str, Any], r: Reader) -> None:
        super()._take_record(own, r)
        self.creep, self.pulls = read_number(own["creep"], r), own.get("pulls", False)
        if not self.pulls:
            self.rolling.__dict__["slipping"] = self
        details = {event.name: event.detail for event in self.rolling.events}
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
