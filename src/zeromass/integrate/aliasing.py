"""Events whose functions swing faster than a run steps, as sin(1000 x) does: their zeros would be missed.

Zeros are looked for between the stages of steps, which follow the motion and not the events. What of an event depends on
time alone is known before the run (`pace`). Phases u of sines and of whole numbers that depend on the state are looked at
afterwards: a step in which one of them changes by more than `SWING` is too long, and the run is made again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from zeromass.expression import Expression, as_expression, expressions
from zeromass.expression.node import depending, ordered
from zeromass.expression.pieces import Pieces, switches
from zeromass.model import Event

if TYPE_CHECKING:
    from zeromass.integrate.course import Course

SWING, SHORTER = 1.8, 1.5
"""Change of a phase in a step, rad, up to which every method looks at its swing often enough; that of the run made again."""

MOST = 2_000_000
"""Steps that a run may take for the sake of its events."""


def phases(events: Sequence[Event]) -> list[Expression]:
    """Arguments, rad, of the periodic functions of the state in functions of events."""
    zeros = [event.zero for event in events]
    found = {node.args[0]: None for node in ordered(zeros) if node.op in ("sin", "cos", "tan")}
    if switches(zeros):
        pieces = Pieces()
        pieces.found(zeros)
        found |= {as_expression(np.pi * s.plain): None for s in pieces.switches if s.kind == "whole"}
    moving = depending(found, lambda leaf: leaf.kind == "coordinate")
    return [u for u in found if u in moving]


def longest_for(run: Course, events: Sequence[Event]) -> float | None:
    """The longest step, s, in which no phase of the events changes by too much; None if all steps are short enough."""
    u = phases(events)
    if not u or len(run) < 2:
        return None
    with np.errstate(all="ignore"):
        change = np.concatenate([np.abs(np.diff(segment.steps[expressions(u)], axis=0)) for segment in run.segments])
    h = np.concatenate([np.abs(np.diff(segment.t)) for segment in run.segments])
    swing = np.max(change, axis=1, where=np.isfinite(change), initial=0.0)
    if not np.any(swing > SWING):
        return None
    longest = float(np.min(h[swing > SWING] * SHORTER / swing[swing > SWING]))
    return longest if abs(run.t[-1] - run.t[0]) < MOST * longest else None
