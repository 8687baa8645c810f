"""The contact of a body that rolls, and what hinders rolling and turning there, as unilateral constraints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.contact.directions import constant_vector, tangents
from zeromass.contact.friction import against, at_speed
from zeromass.contact.slow import CREEP, scale_of
from zeromass.expression import Expression, as_expression
from zeromass.expression.build import ZERO
from zeromass.model import Torque
from zeromass.model.given import Number
from zeromass.model.unilateral import Unilateral

if TYPE_CHECKING:
    from zeromass.contact.rolling import Rolling

TURNS, HALTS = "would roll", "rolling dies out"
SPINS, STILL = "would turn", "turning dies out"

ROLLS = {"open": "flying", "sticks": "rolling", "slips": "slipping", "closed": "slipping"}
"""What modes of the contact are called."""


def contact_of(rolling: Rolling) -> Unilateral:
    """The contact of a body with its surface."""
    solid, n = rolling.solid, rolling.normal
    first, second = (as_expression(along @ rolling.slip_velocity) for along in rolling.tangents)
    static, kinetic = rolling.friction_coefficient, rolling.kinetic_coefficient
    if kinetic is not None:
        kinetic = None if kinetic is static else at_speed(kinetic, _speed(first, second, CREEP * scale_of(rolling)))
    e = rolling.restitution
    return Unilateral(
        rolling.contact_name,
        as_expression(rolling.gap * (n @ rolling.up)),
        (first, second),
        friction=static,
        kinetic=kinetic,
        restitution=0.0 if e is None else e,
        opens=not rolling.two_sided,
        two_sided=rolling.two_sided,
        size=solid.size,
        speed=scale_of(rolling),
        normal=_turning(rolling),
        words=ROLLS,
        inside=f"'{solid.name}' begins {{depth:.3g}} m inside '{rolling.surface.name}'; give another center",
        depth=as_expression(-rolling.gap),
        approaching=as_expression(n @ rolling.slip_velocity),
        negligible=rolling.negligible_force,
        sole=True,
        begins="sticks",
        no_slip=rolling.slip_velocity,
    )


def resistance_of(rolling: Rolling, carrier: Unilateral) -> list[Unilateral]:
    """What hinders rolling, and turning about the normal, as far as it holds a body at rest.

    |τ_t| ≤ l N,   |τ_n| ≤ d N
    """
    found, name = [], rolling.contact_name
    common: dict[str, Any] = {"carrier": carrier, "speed": scale_of(rolling) / rolling.solid.size, "sole": True}
    common["size"] = rolling.solid.size
    c = CREEP * scale_of(rolling) / rolling.solid.size
    if (arm := rolling.rolling_resistance) is not None and holds(arm):
        own = tangents(rolling.normal, f"{name} rolling")
        first, second = (as_expression(along @ rolling.turning) for along in own)
        found.append(
            Unilateral(
                f"{name} rolling",
                None,
                (first, second),
                friction=at_speed(arm, 0.0),
                kinetic=_varying(arm, _speed(first, second, c)),
                normal=_turning(rolling),
                happenings={"slips": TURNS, "sticks": HALTS},
                **common,
            )
        )
    if (arm := rolling.torsional_friction) is not None and holds(arm):
        spin = as_expression(rolling.normal @ rolling.turning)
        found.append(
            Unilateral(
                f"{name} turning",
                None,
                (spin, ZERO),
                friction=at_speed(arm, 0.0),
                kinetic=_varying(arm, _speed(spin, ZERO, c)),
                happenings={"slips": SPINS, "sticks": STILL},
                **common,
            )
        )
    return found


def viscous_torques(rolling: Rolling, pressing: Expression) -> list[Torque]:
    """Torques of resistances that grow with the speed alone, and hold nothing.

    pressing  normal force, N
    """
    found, c = [], CREEP * scale_of(rolling) / rolling.solid.size
    if (arm := rolling.rolling_resistance) is not None and not holds(arm):
        found.append(Torque(pressing * against(rolling.rolling_velocity, c, arm), on=rolling.body))
    if (arm := rolling.torsional_friction) is not None and not holds(arm):
        about = (rolling.normal @ rolling.turning) * rolling.normal
        found.append(Torque(pressing * against(about, c, arm), on=rolling.body))
    return found


def holds(arm: Number) -> bool:
    """Whether a resistance with this arm holds a body at rest: that which grows with the speed alone does not."""
    return as_expression(at_speed(arm, 0.0)) is not ZERO


def _varying(arm: Number, speed: Expression) -> Number | None:
    """The arm at a speed, if it depends on it."""
    found = at_speed(arm, speed)
    return None if found is arm else found


def _speed(first: Expression, second: Expression, slow: Number) -> Expression:
    """√(v² + c²), which has a derivative everywhere."""
    return as_expression(np.sqrt(as_expression(first**2 + second**2 + slow**2)))


def _turning(rolling: Rolling) -> Any:
    """The normal, if it turns."""
    return None if constant_vector(rolling.normal) is not None else rolling.normal
