"""A body that rolls, slips and flies, for a driver outside Python: its kinds, and what decides between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from zeromass.contact.friction import SPEED
from zeromass.contact.watched import FLAT, RESTED
from zeromass.expression import Expression, as_expression, expressions, symbols
from zeromass.model import State, System
from zeromass.model.changing import Changing
from zeromass.model.quaternion import inertial_rates

if TYPE_CHECKING:
    from zeromass.contact.rolling import Rolling


def changing(rolling: Rolling) -> Changing | None:
    """The kinds of a rolling body that a driver outside Python goes through; None where it does not know how.

    It knows neither rolling resistance that holds a body, nor contacts that pull, nor surfaces with edges.
    """
    rubs, returns = rolling.friction_coefficient is not None, rolling.restitution is not None
    if rolling.sticks or rolling.two_sided or not (rubs or returns):
        return None
    kinds: dict[str, System] = {"rolling": rolling}
    if rubs:
        kinds["slipping"] = rolling.slipping
    if returns:
        kinds["flying"] = rolling.flying
    if any(system.pieces is not None for system in kinds.values()):
        return None
    kinetic = rolling.kinetic_coefficient
    if returns and isinstance(kinetic, Expression) and SPEED in symbols(kinetic):
        return None  # the friction of a stroke would depend on its speed
    judged: dict[str, dict[str, list[Expression]]] = {kind: {} for kind in kinds}
    if rubs:
        judged["rolling"] = {"lack": [rolling.lack_of_friction - rolling.negligible_force]}
        slip = rolling.slip_velocity
        judged["slipping"] = {"slip": list(slip), "stiff": [as_expression(rolling.slipping.stiff)]}
    if returns:
        judged["flying"] = _flight(rolling)
    body, center = rolling.body, rolling.center_particle
    moved = tuple(rolling.index(x) for part in (body, center) for x in part.position)
    return Changing(
        kinds, judged, _carried, moved, tuple(rolling.index(x) for x in body.quaternion), (RESTED,), (FLAT,)
    )


def _flight(rolling: Rolling) -> dict[str, list[Expression]]:
    """What decides in flight: how far up the body is, and what its stroke is made of."""
    flying, body = rolling.flying, rolling.body
    ρ = rolling.contact - body.position
    w = body.velocity + np.cross(body.angular_velocity, ρ) - rolling.surface.velocity(rolling.contact)
    static, kinetic = rolling.friction_coefficient, rolling.kinetic_coefficient
    limits = [] if static is None or kinetic is None else [static, kinetic, rolling.slipping.creep]
    found = {
        "up": flying.up,
        "gap": flying.gap,
        "rounding": flying.rounding,
        "rising": flying.rising,
        "falling": flying.falling,
        "n": rolling.normal,
        "rho": ρ,
        "S": body.rotation,
        "J": body.inertia,
        "w": w,
        "G": inertial_rates(body.quaternion),
        "place": body.position,
        "solid": [rolling.solid.mass, rolling.solid.size, rolling.restitution],
        "limits": limits,
    }
    return {name: list(expressions(e).ravel()) for name, e in found.items()}


def _carried(state: State, system: System) -> State:
    """A state as one of another kind."""
    if state.system is system:
        return state
    from zeromass.contact.flying import Flying  # most bodies stay on their surfaces

    return system.lifted(state) if isinstance(system, Flying) else state.carried_to(system)
