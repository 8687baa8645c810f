"""Contacts whose slip dies out while dry friction holds a part of the motion, as a brake that is locked does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zeromass.expression import as_expression
from zeromass.model import State
from zeromass.model.at_once import at_once
from zeromass.model.carrying import carried_over

if TYPE_CHECKING:
    from zeromass.contact.contacts import Contacts


def at_rest(state: State, rolling: Contacts) -> State | None:
    """The state in the case in which such contacts roll; None where that takes more friction than there is, or a pull.

    What a brake holds with is not in the accelerations that contacts are decided by; so what would come next is looked at.
    """
    from zeromass.contact.cases import negligible

    there = carried_over(state, rolling, held=True)
    for pair, mode in zip(rolling.pairs, rolling.modes, strict=True):
        if mode == "open":
            continue
        small = negligible(rolling, pair)
        if at_once(there, as_expression(pair.normal_force + small)) < 0.0:
            return None
        limited = mode == "rolling" and pair.friction is not None
        if limited and at_once(there, as_expression(pair.lack_of_friction - small)) > 0.0:
            return None
    return there
