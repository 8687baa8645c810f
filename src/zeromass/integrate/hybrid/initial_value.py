"""Values of expressions as a motion begins at a state of a system with switches; see `zeromass.model.at_once`."""

from __future__ import annotations

from dataclasses import replace

from zeromass.expression import Expression
from zeromass.integrate.hybrid.mode_selector import ModeSelector
from zeromass.integrate.outcome import Ending, Outcome
from zeromass.integrate.segment import Segment
from zeromass.integrate.settings import Settings
from zeromass.model import State
from zeromass.model.pieces import Undecided


def initial_value(state: State, e: Expression) -> float:
    """The value on the pieces that a motion forward in time begins on; where these are not decided, as the state has it."""
    pieces, state = state.system.pieces, replace(state, sliding="")
    assert pieces is not None
    selector, here = ModeSelector(pieces, 1.0, 1), pieces.here(state)
    timed = {mode: here.parameters[mode] for mode in (pieces.switches[k].mode for k in pieces.of_time)}
    try:
        piece = selector.begin(state, timed)
    except Undecided:
        return state[e]
    program = selector.guards.program(selector.guards.state(state, piece.modes))
    alone = Segment.standing(state, Outcome(Ending.FINISHED, state.t, ""), Settings())
    return float(replace(alone, program=program, piece=piece).steps[e][0])
