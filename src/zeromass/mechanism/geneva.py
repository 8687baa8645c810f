"""A Geneva drive: a pin on a crank that turns a slotted wheel a step a turn, and a disc that holds it between."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from zeromass.errors import ModelError
from zeromass.expression import Expression, as_expression, rate, substitute, where
from zeromass.mechanism.freedom import Turning
from zeromass.mechanism.geared import Coupling, turn_of
from zeromass.mechanism.joint import Law
from zeromass.model.event import Event
from zeromass.model.given import LARGEST, Number, given_positive, shown


class Geneva(Coupling):
    """Geneva wheel: while the pin of the crank is in a slot, the slot points to the pin; otherwise the wheel rests.

        φ = −arctan2(a sin θ, c − a cos θ)   for |θ| ≤ π/2 − π/n,    a = c sin π/n

    crank, wheel  turning joints about parallel axes; the pin points to the wheel's axle where the crank's angle is zero
    slots         n, at least 3; the wheel goes on by 2π/n a turn, against the crank
    distance      c of the two axes, m
    torque        on the wheel, of pin or holding disc, N m
    pin           force of the pin on the wheel across its slot, N; zero while the disc holds it
    events        where the pin enters a slot and leaves it, watched in every run

    The pin enters and leaves along the slot, so that rates do not jump; accelerations do.

    >>> ground = zm.Ground()
    >>> arm, star = (zm.RigidBody(name, mass=1.0, inertia=(1, 1, 1)) for name in ("arm", "star"))
    >>> crank, wheel = (zm.joints.Revolute(ground, body, axis=(0, 0, 1)) for body in (arm, star))
    >>> geneva = zm.joints.Geneva(crank, wheel, slots=4, distance=0.1, name="works")
    >>> system = zm.System([arm, star], gravity=0, joints=[crank, wheel, geneva, crank.drive(np.pi * (2 * zm.t - 1))])
    >>> run = zm.simulate(system, system.start(), until=3.0)
    >>> bool(abs(run[wheel.angle][-1] - run[wheel.angle][0] + 3 * np.pi / 2) < 1e-9)
    True
    >>> [(event.name, round(event.t, 9)) for event in run.events[:2]]
    [('the pin of works enters a slot', 0.375), ('the pin of works leaves a slot', 0.625)]
    """

    def __init__(
        self, crank: Turning, wheel: Turning, *, slots: int, distance: Number, name: str | None = None
    ) -> None:
        super().__init__("geneva", turn_of(crank, "a Geneva drive"), turn_of(wheel, "a Geneva drive"), name)
        if not (isinstance(slots, int | np.integer) and 3 <= slots <= LARGEST):
            raise ModelError(f"'{self.name}' has {shown(slots)} slots; a Geneva wheel has three or more")
        self.slots: int = int(slots)
        self.distance: Expression = given_positive(distance, f"the distance of the axes of '{self.name}'")
        step, reach = np.pi / slots, np.sin(np.pi / slots)
        turns = np.floor((self.first.place + np.pi) / (2 * np.pi))
        θ = self.first.place - 2 * np.pi * turns
        φ = np.arctan2(reach * np.sin(θ), 1 - reach * np.cos(θ))
        held = where(θ > 0.0, step, -step)
        self._inside: Expression = as_expression(np.cos(self.first.place) - reach)
        self._place: Expression = as_expression(-(where(self._inside > 0.0, φ, held) + 2 * step * turns))

    @property
    def events(self) -> tuple[Event, Event]:
        """Where the pin enters a slot, and where it leaves it; the run goes on."""
        return (
            Event(f"the pin of {self.name} enters a slot", self._inside, 1, terminal=False),
            Event(f"the pin of {self.name} leaves a slot", self._inside, -1, terminal=False),
        )

    def _laws(self) -> Sequence[Law]:
        φ, ω = self._place, self.first.speed
        step = substitute(rate(φ), {rate(self.first.place): ω}) if self.first.counted else rate(φ)
        return self._law("slot", self.second.speed - step, self.second.place - φ)

    @property
    def torque(self) -> Expression:
        """On the wheel, N m."""
        return self.multipliers[0]

    @property
    def pin(self) -> Expression:
        """Force of the pin on the wheel across the slot, in the direction in which it turns the wheel forwards, N."""
        s, θ = np.sin(np.pi / self.slots), self.first.place
        arm = self.distance * np.sqrt(1 + s**2 - 2 * s * np.cos(θ))
        return as_expression(where(self._inside > 0.0, self.multipliers[0] / arm, 0.0))
