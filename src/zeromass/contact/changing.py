"""A body that rolls, slips, is held and flies, for a driver outside Python: its kinds, and what decides between them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np

from zeromass.contact.adrift import Adrift, distance_of, nearest
from zeromass.contact.edges import lies_words, only_own_edges
from zeromass.contact.flying import Flying, side_words
from zeromass.contact.friction import SPEED, at_speed
from zeromass.contact.slow import STOPPED, creep_of
from zeromass.contact.traced import PLACE
from zeromass.contact.watched import RESTED
from zeromass.expression import Expression, as_expression, expressions, symbols
from zeromass.model import State, System
from zeromass.model.changing import Changing
from zeromass.model.quaternion import inertial_rates, product

if TYPE_CHECKING:
    from zeromass.contact.rolling import Rolling


PULLED = "slipping while it is pulled"
"""What the slip of a contact is called here while the surface pulls; it is shown as slipping."""

ADRIFT = "flying with a face along the surface"
"""What flight is called here while no point of the body is the lowest; it is shown as flying."""

TILT = 0.3
"""Angle, rad, by which a body with a face along its surface is turned, to look at its other kinds of motion."""


def changing(rolling: Rolling) -> Changing | None:
    """The kinds of a rolling body that a driver outside Python goes through; None where it has one, or formulas
    switch that are not those of its own ends."""
    kinds = _kinds(rolling)
    if len(kinds) == 1 or not only_own_edges(kinds.values(), [rolling.surface]):
        return None
    body, center = rolling.body, rolling.center_particle
    moved = tuple(rolling.index(x) for part in (body, center) for x in part.position)
    kinetic = rolling.kinetic_coefficient
    varies = rolling.restitution is not None and isinstance(kinetic, Expression) and SPEED in symbols(kinetic)
    return Changing(
        kinds,
        {name: _judged(rolling, name, kinds) for name in kinds},
        _carried,
        moved,
        tuple(rolling.index(x) for x in body.quaternion),
        (RESTED,),
        named=lambda system: next((name for name, kind in kinds.items() if kind is system), system.kind),
        more={
            "shown": {name: system.kind for name, system in kinds.items()},
            "varies": varies,
            "side": side_words(rolling.solid.name),
        },
        place=(SPEED, *PLACE[1:]) if varies else (),
        fields=(as_expression(kinetic),) if varies else (),
        ends=lambda system, _: (system.kind == "flying", lies_words(rolling.solid.name)),
    )


def _kinds(rolling: Rolling) -> dict[str, System]:
    """Rolling, slipping, held by its resistance, in flight, and adrift, as far as there is what they take."""
    rubs = rolling.friction_coefficient is not None
    kinds: dict[str, System] = {"rolling": rolling}
    if rubs:
        kinds["slipping"] = rolling.slipping
    if rubs and rolling.two_sided:
        kinds[PULLED] = rolling.slipping.opposite
    if rolling.sticks:
        kinds["resting"] = rolling.resting
    if rolling.sticks and rubs:
        kinds["sliding"] = rolling.sliding
    if rolling.restitution is not None:
        kinds["flying"] = rolling.flying
        if rolling.flying.upright is not None:
            kinds[ADRIFT] = rolling.flying.adrift
    return kinds


def _judged(rolling: Rolling, name: str, kinds: dict[str, System]) -> dict[str, list[Expression]]:
    """What decides in one kind of motion: forces that it lacks, and how fast it slips and turns."""
    found: dict[str, list[Expression]] = {}
    if name == "flying":
        return _flight(rolling)
    if name == ADRIFT:
        return {"upright": [as_expression(rolling.flying.upright)]}
    if rolling.friction_coefficient is not None and name in ("rolling", "resting"):
        found["lack"] = [as_expression(rolling.lack_of_friction - rolling.negligible_force)]
    if rolling.two_sided:
        found["N"] = [rolling.normal_force]
    if rolling.sticks:
        found["omega"] = list(rolling.rolling_velocity)
        found["least"] = [as_expression(STOPPED * creep_of(rolling) / rolling.solid.size)]
    if name in ("resting", "sliding"):
        found["unheld"] = [rolling.lack_of_resistance]
    stiff = kinds[name].stiff
    return found if stiff is None else {**found, "stiff": [stiff]}


def _flight(rolling: Rolling) -> dict[str, list[Expression]]:
    """What decides in flight: how far up the body is, and what its stroke is made of."""
    flying, body = rolling.flying, rolling.body
    ρ = rolling.contact - body.position
    w = body.velocity + np.cross(body.angular_velocity, ρ) - rolling.surface.velocity(rolling.contact)
    static, kinetic = rolling.friction_coefficient, rolling.kinetic_coefficient
    limits = []
    if static is not None and kinetic is not None:
        limits = [static, at_speed(kinetic, 0.0), rolling.slipping.creep]
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
        "tilted": [] if (tilted := rolling.solid.tilted(body, rolling.normal)) is None else [tilted],
        "far": [] if flying.upright is None else [distance_of(flying) - nearest(flying)],
    }
    return {name: list(expressions(e).ravel()) for name, e in found.items()}


def _carried(state: State, system: System) -> State:
    """A state as one of another kind."""
    if state.system is system:
        return state
    if isinstance(state.system, Adrift):
        state = _tilted(state)
    return system.lifted(state) if isinstance(system, Flying) else state.carried_to(system)


def _tilted(state: State) -> State:
    """A state of a body whose face is along its surface with the body turned, so that it has a lowest point."""
    rolling, q = cast("Adrift", state.system).rolling, state.q.copy()
    turned = [state.system.index(x) for x in rolling.body.quaternion]
    q[turned] = product(q[turned], [np.cos(TILT / 2), np.sin(TILT / 2), 0.0, 0.0])
    return replace(state, q=q)
