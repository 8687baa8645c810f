"""What the contact of a body does: whether it slips, whether it turns, and as what a motion goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from zeromass.contact.on_surface import NEGLIGIBLE
from zeromass.contact.slow import STOPPED, creep_of
from zeromass.expression import as_expression
from zeromass.model import State, System
from zeromass.model.given import given_flag, given_numbers
from zeromass.model.requirement import number_at
from zeromass.model.state import belonging

if TYPE_CHECKING:
    from zeromass.contact.rolling import Rolling

ROLLS = 1e-9
"""Part of the speeds of centre and rim that a slip is at most where the body rolls: well above their rounding."""


def kind_at(rolling: Rolling, state: State, *, slips: bool, turns: bool | None) -> System:
    """See `Rolling.kind_at`."""
    belonging(state, rolling)
    given_flag(slips, "slips")
    if turns is not None:
        given_flag(turns, "turns")
    holds = rolling.sticks and not (rolling.turns(state) if turns is None else turns)
    if not slips and holds and rolling.rests(state.carried_to(rolling.resting)):
        return rolling.resting
    own = state if slips or state.system is rolling else state.carried_to(rolling)
    if rolling.friction_coefficient is None or (not slips and rolling.grips(own)):
        return rolling
    if holds and state.carried_to(rolling.sliding)[rolling.lack_of_resistance] <= 0.0:
        return rolling.sliding
    return rolling.slipping if rolling.sticks else rolling.slipping.begins_as(state.carried_to(rolling.slipping))


def turns(rolling: Rolling, state: State) -> bool:
    """See `Rolling.turns`."""
    ω, u = state[rolling.rolling_velocity], state.v[[rolling.index(x) for x in rolling.body.quaternion]]
    least = STOPPED * number_at(as_expression(creep_of(rolling) / rolling.solid.size), state.known)
    return float(np.linalg.norm(ω)) > max(least, ROLLS * 2 * float(np.linalg.norm(u)))


def slips(rolling: Rolling, state: State) -> bool:
    """See `Rolling.slips`."""
    slip = np.array([state.residuals[row.name] for row in rolling.rows if row.group == "no slip"])
    v, u = (state.v[[rolling.index(x) for x in part]] for part in (rolling.center, rolling.body.quaternion))
    radius = number_at(rolling.solid.size, state.parameters)
    speeds = float(np.linalg.norm(v) + radius * 2 * np.linalg.norm(u))  # |ω̄| = 2 |u̇|
    speed = float(np.linalg.norm(slip))
    return speed > ROLLS * speeds and speed > STOPPED * number_at(rolling.slipping.creep, state.known)


def struck(rolling: Rolling, state: State, impulse: np.ndarray) -> System | None:
    """See `Rolling.struck`."""
    belonging(state, rolling)
    impulse = given_numbers(impulse, "the impulse", (len(rolling.coordinates),), finite=False)
    n, body = state[rolling.normal], [rolling.index(x) for x in rolling.body.position]
    normal = float(n @ impulse[body])
    along = float(np.linalg.norm(impulse[body] - normal * n))
    size = NEGLIGIBLE**0.5 * float(np.linalg.norm(impulse[body]))
    if not rolling.two_sided and normal < -size:
        return None
    μ = rolling.friction_coefficient
    if μ is None or along <= number_at(μ, state.known) * abs(normal) + size:
        return rolling
    return rolling.slipping if abs(normal) <= size else None
