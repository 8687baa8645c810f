"""A body that slips on its surface with Coulomb friction: a non-ideal constraint whose work grows with the normal force."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.expression import as_expression
from zeromass.model import Event, Force, System, Torque

if TYPE_CHECKING:
    from zeromass.contact.rolling import Rolling

CREEP = 1e-9
"""Speed, m/s, below which friction falls off smoothly to zero: F = −μ N s/√(s² + CREEP²)."""


class Slipping(System):
    """The body of a rolling system, slipping: the contact stays, the friction is μ N against the slip.

        C = friction force at the contact point, −μ N s/√(s² + CREEP²),   N the normal force      [UP2006, eq. 2.6]

    It shares all coordinates and expressions with the rolling system it is made from. Its run ends where the slip dies out
    and the body rolls, or where contact is lost.
    """

    def __init__(self, rolling: Rolling, friction: float) -> None:
        body, n = rolling.body, rolling.normal
        own = [row for row in rolling.rows if row.group in ("surface", "tangency", "mass center")]
        constraints: dict[str, Any] = {}
        for row in own:
            constraints.setdefault(row.group, []).append(row.zero)
        slip = rolling.slip_velocity
        speed = np.sqrt(slip @ slip + CREEP**2)
        normal_force = n @ rolling.reaction_force
        force = -friction * normal_force / speed * slip
        arm = rolling.contact - body.position
        super().__init__(
            rolling.parts,
            gravity=rolling.gravity,
            forces=rolling.applied,
            constraints={name: zeros if len(zeros) > 1 else zeros[0] for name, zeros in constraints.items()},
            nonideal=[Force(force, at=body.position), Torque(np.cross(arm, force), on=body)],
        )
        self.rolling = rolling
        stops = Event(
            "slip dies out",
            as_expression(slip @ slip - (10 * CREEP) ** 2),
            direction=-1,
            message="the body rolls from here on",
        )
        self.events = (stops, *[event for event in rolling.events if event.name != "would slip"])
