"""Values of expressions as a motion begins at a state of a system with switches or contacts; see `model.at_once`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from zeromass.expression import expressions
from zeromass.integrate.hybrid.integrator import CanNotBegin, HybridIntegrator
from zeromass.integrate.outcome import Ending, Outcome
from zeromass.integrate.segment import Segment
from zeromass.integrate.settings import Settings
from zeromass.model import ModelError, State
from zeromass.model.pieces import Undecided

MOMENT = 1.0
"""How far the motion is thought to go on, s: what it begins as does not depend on that."""


def initial_value(state: State, e: Any) -> Any:
    """The value on the pieces, and in the contact modes, that a motion forward in time begins with.

    Where these are not decided it is that of the state, but for a system with contacts, whose forces no state tells.
    """
    pieces, state = state.system.pieces, replace(state, sliding="")
    assert pieces is not None
    settings = Settings()
    motion = HybridIntegrator(pieces, state, state.t + MOMENT, settings, (), lambda t: None)
    try:
        piece, begun = motion.begin()
    except (CanNotBegin, Undecided) as why:
        if pieces.unilaterals:
            raise ModelError(f"no motion tells the forces at t = {state.t:g} s: {why}") from why
        return state[e]
    program = motion.program(begun, piece)
    alone = Segment.standing(begun, Outcome(Ending.FINISHED, state.t, ""), settings)
    found = replace(alone, program=program, piece=piece).steps[expressions(e)][0]
    motion.release()
    return found if found.ndim else float(found)
