"""A body that slips on its surface with Coulomb friction: a non-ideal constraint whose work grows with the normal force."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.contact.another import AnotherMotion, unstruck
from zeromass.contact.friction import at_speed
from zeromass.contact.limits import impossible_friction
from zeromass.contact.slow import CREEP, SLOW, creep_of, speed_of
from zeromass.contact.watched import HALTS, LOST, RESUMED, SLIPS, STOPS, slip_ends, with_details
from zeromass.expression import Expression, as_expression
from zeromass.model import Event, Force, ModelError, Onward, State, System, Torque
from zeromass.model.carrying import carried_over, carried_there
from zeromass.model.given import Number, given_flag, given_kind, length
from zeromass.model.record import read_number, recorded, written_number

if TYPE_CHECKING:
    from zeromass.contact.rolling import Rolling
    from zeromass.expression.record import Reader, Writer


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

    friction: tuple[Force, Torque]
    """The friction at the contact, as it acts on the body."""

    pulls: bool
    """Whether it is the motion while the surface pulls, of a contact that can."""

    def __init__(self, rolling: Rolling, *, pulls: bool = False) -> None:
        from zeromass.contact.rolling import Rolling

        μ = given_kind(rolling, Rolling, "what slips", "a zm.Rolling").kinetic_coefficient
        if μ is None:
            raise ModelError("a body slips only with a coefficient of friction: Rolling(…, friction=μ)")
        self.creep, self.pulls = creep_of(rolling), given_flag(pulls, "pulls")
        self.friction = self._friction(rolling, μ)
        loads = [*self.friction, *rolling.hindered()]
        super().__init__(rolling, rolling.holding_slip(), loads)
        slip = rolling.slip_velocity
        coefficients = impossible_friction("friction", rolling.friction_coefficient, μ, length(slip))
        own = {SLIPS, *[event.name for event in coefficients]}
        others = [*coefficients, *[event for event in rolling.events if event.name not in own]]
        if rolling.two_sided:
            words = f"the surface {'pushes' if pulls else 'pulls'} from here on"
            name, direction = (RESUMED, 1) if pulls else (LOST, -1)
            turns = Event(name, rolling.normal_force, direction=direction, message=words)
            others = [turns, *[event for event in others if event.name not in (LOST, RESUMED)]]
        self.events: tuple[Event, ...] = (*slip_ends(rolling), *others)

    def _friction(self, rolling: Rolling, law: Number) -> tuple[Force, Torque]:
        """The friction at the contact, on the body."""
        body, n, slip = rolling.body, rolling.normal, rolling.slip_velocity
        speed = np.sqrt(slip @ slip + self.creep**2)
        μ = at_speed(law, speed)
        force = (μ if self.pulls else -μ) * (n @ rolling.reaction_force) / speed * slip
        return Force(force, at=body.position), Torque(np.cross(rolling.contact - body.position, force), on=body)

    def _own_record(self, w: Writer) -> dict[str, Any]:
        return {**super()._own_record(w), "creep": written_number(self.creep, w), "pulls": self.pulls}

    def _take_record(self, own: dict[str, Any], r: Reader) -> None:
        super()._take_record(own, r)
        self.creep, self.pulls = read_number(own["creep"], r), own.get("pulls", False)
        if not self.pulls:
            self.rolling.__dict__["slipping"] = self
        self.events = with_details(self.events, self.rolling)

    @cached_property
    def opposite(self) -> Slipping:
        """The same body while the surface pulls, or pushes again: |N| is smooth on either side of N = 0 only."""
        other = Slipping(self.rolling, pulls=True) if not self.pulls else self.rolling.slipping
        other.__dict__["opposite"] = self
        return other

    def begins_as(self, state: State) -> System:
        """Itself, `sliding` where rolling resistance holds it, or its `opposite` where a contact that can pull does so."""
        rolling = self.rolling
        if rolling.sticks:
            return rolling.kind_at(state, slips=True)
        if not rolling.two_sided:
            return self
        return self if (state[rolling.normal_force] < 0.0) == self.pulls else self.opposite

    @property
    def stiff(self) -> Expression | None:
        """s² − u², negative below a speed u = 1e-3 √(g r): the direction of slip follows friction's at a rate of μ g/|s|."""
        rolling, slip = self.rolling, self.rolling.slip_velocity
        u = SLOW * speed_of(rolling)
        if rolling.stiff is None:
            return as_expression(slip @ slip - u**2)
        ω, u_ω = rolling.rolling_velocity, u / rolling.solid.size
        c = CREEP**2
        return as_expression(1.0 - 1.0 / (slip @ slip / u**2 + c) - 1.0 / (ω @ ω / u_ω**2 + c))

    @property
    def begins_one_way(self) -> bool:
        """Where it can not pull, and nothing holds it."""
        return not self.rolling.two_sided and not self.rolling.sticks

    def goes_on_as(self, event: str, state: State) -> System | Onward | None:
        """Where the slip dies out, rolling if that needs no more friction than there is, else slipping anew.

        A contact that can pull goes on where it begins to, and where it ceases to.
        """
        rolling = self.rolling
        if event in (LOST, RESUMED) and rolling.two_sided:
            return self.opposite
        if event == LOST and rolling.restitution is not None:
            return rolling.flying.left(state)
        if event == HALTS:
            return rolling.kind_at(state, slips=True, turns=False)
        if event != STOPS:
            return None
        if rolling.sticks:
            return rolling.kind_at(state, slips=False)
        there = carried_over(state, rolling, held=True)
        return carried_there(state, there) if rolling.grips(there) else self

    def struck(self, state: State, impulse: np.ndarray) -> System | None:
        """Itself, as long as the surface does not strike the body: the friction of a stroke is not decided."""
        return unstruck(self, self.rolling, impulse)
