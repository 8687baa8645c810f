"""A body that rolling resistance holds: it turns about the normal at most, and stays where it is or slips."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.contact.another import AnotherMotion, unstruck
from zeromass.contact.watched import LOST, SLIPS, STOPS, TURNS, slip_ends, with_details
from zeromass.expression.build import ZERO
from zeromass.model import Event, ModelError, Onward, State, System
from zeromass.model.record import recorded

if TYPE_CHECKING:
    from zeromass.contact.rolling import Rolling
    from zeromass.expression.record import Reader, Writer


@recorded("resting")
class Resting(AnotherMotion):
    """The body of a rolling system where rolling resistance holds it: it has no angular velocity along the surface.

        (1 − n nᵀ)(ω̄ − Ω) = 0    as long as it takes a torque of at most l N,   Ω of the surface

    It stays where it is, or slips without rolling, which is the kind "sliding".

    >>> ball = zm.Rolling(zm.ball(0.1, 0.5), on=zm.surfaces.plane(0.01), gravity=9.81, rolling_resistance=0.002)
    >>> run = zm.simulate(ball, ball.start(contact=(0, 0)), until=1.0)
    >>> run.kinds, bool(0.1 * np.tan(0.01) < 0.002)
    (('resting',), True)
    """

    kind: str = "resting"

    slips: bool
    """Whether it slips."""

    def __init__(self, rolling: Rolling, *, slips: bool = False) -> None:
        if rolling.rolling_resistance is None:
            raise ModelError("a body is held only with rolling resistance: Rolling(…, rolling_resistance=l)")
        self.slips = slips
        constraints: dict[str, Any] = rolling.holding_slip() if slips else rolling.holding("energy")
        constraints["no rolling"] = [e for e in rolling.rolling_velocity if e is not ZERO]
        hinders = [*rolling.hindered(rolls=False), *(rolling.slipping.friction if slips else ())]
        super().__init__(rolling, constraints, hinders)
        self.kind = "sliding" if slips else "resting"
        words = "rolling resistance does not hold the body any longer"
        turns = Event(TURNS, rolling.lack_of_resistance, direction=1, guard=True, message=words)
        others = [e for e in rolling.events if e.name not in (STOPS, SLIPS)]
        ends = slip_ends(rolling) if slips else [e for e in rolling.events if e.name == SLIPS]
        self.events: tuple[Event, ...] = (turns, *ends, *others)

    def goes_on_as(self, event: str, state: State) -> System | Onward | None:
        """What else the contact does where resistance or friction do not hold it; in flight where it leaves."""
        rolling = self.rolling
        if event == LOST and rolling.restitution is not None:
            return rolling.flying.left(state)
        slips = (self.slips and event != STOPS) or event == SLIPS
        return rolling.kind_at(state, slips=slips, turns=event == TURNS) if event in (TURNS, STOPS, SLIPS) else None

    def struck(self, state: State, impulse: np.ndarray) -> System | None:
        """Itself, as long as the surface does not strike the body: the resistance to a stroke is not decided."""
        return unstruck(self, self.rolling, impulse)

    def _own_record(self, w: Writer) -> dict[str, Any]:
        return {**super()._own_record(w), "slips": self.slips}

    def _take_record(self, own: dict[str, Any], r: Reader) -> None:
        super()._take_record(own, r)
        self.slips = own["slips"]
        self.kind = "sliding" if self.slips else "resting"
        self.rolling.__dict__["sliding" if self.slips else "resting"] = self
        self.events = with_details(self.events, self.rolling)
