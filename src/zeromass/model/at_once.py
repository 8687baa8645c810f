"""What forces are as a motion begins at a state: dry friction at rest holds with what it takes, which no formula tells."""

from __future__ import annotations

from zeromass.expression import Expression
from zeromass.lazy import later
from zeromass.model.state import State


def at_once(state: State, e: Expression) -> float:
    """The value of an expression as a motion of the state's system begins there, on the pieces that it begins on.

    `state[e]` has −F sgn(v) at v = 0, or the sign of what rounding has left of v.
    """
    if state.system.pieces is None:
        return state[e]
    return later("zeromass.integrate.hybrid.initial_value", "initial_value")(state, e)
