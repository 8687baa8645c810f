"""Motions that are stiff at first: an implicit method takes them to where the method in charge can go on.

A body that begins to slip does so in the direction that friction leaves it, and returns to it at a rate of μ g/|s|: without
bound where the slip s is small. An explicit method would follow that with thousands of steps though nothing happens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from zeromass.compile.program import Program
from zeromass.integrate.outcome import Ending, Outcome
from zeromass.integrate.segment import Segment
from zeromass.integrate.settings import Settings
from zeromass.integrate.stepping.dense import DEGREE
from zeromass.integrate.stepping.layout import Real64
from zeromass.integrate.stepping.loop import Loop
from zeromass.model import Event, State

FINE = 1e-10
"""Tolerance of the stiff part, at most: what makes it stiff may be a small difference of large numbers, as a slip is."""

OVER = "\0no longer stiff"
"""The event at which the method in charge takes over; no user's name begins so."""


def begun(
    program: Program,
    start: State,
    until: float,
    settings: Settings,
    events: Sequence[Event],
    tell: Callable[[float], None],
    held: int,
) -> Segment:
    """The motion of a system that is stiff at first, with steps that its method chooses: its beginning is that of another.

    The first step is as short as what makes it stiff, h = 1/‖∂q̈/∂(q, q̇)‖: a stiff force that saturates, as friction does,
    is far from linear in longer ones, and their errors would be taken for small.
    """
    stiff = start.system.stiff
    assert stiff is not None
    implicit = replace(settings, method="radau", **settings.tolerances(min(settings.rtol, FINE)))
    loop = Loop(program, start, until, implicit, [*events, Event(OVER, stiff, direction=1)], held=held)
    rate = float(np.linalg.norm(program.native.jacobian(start.inputs), np.inf))
    h = float(loop.work.reals[Real64.h])
    loop.work.reals[Real64.h] = h / max(1.0, rate * abs(h))
    first = loop.segment(tell)
    over = first.outcome.ending is Ending.EVENT and first.events[-1].name == OVER
    first = replace(first, settings=settings, happened=tuple(event for event in first.events if event.name != OVER))
    if not over:
        return first
    if first.t[-1] == until:
        return replace(first, outcome=Outcome(Ending.FINISHED, until, ""))
    here = first.state(float(first.t[-1]))
    return _one(first, Loop(first.solved, here, until, settings, events, held=held + first.held).segment(tell))


def _one(first: Segment, rest: Segment) -> Segment:
    """Two segments, the second of which begins where the first ends, as one."""
    if len(rest.t) == 1:
        return replace(first, outcome=rest.outcome, happened=(*first.events, *rest.events))
    border, ahead = rest.t[0], np.sign(rest.t[-1] - rest.t[0])

    def inside(t0: np.ndarray, y0: np.ndarray, t1: np.ndarray, y1: np.ndarray) -> np.ndarray:
        late = ahead * (t0 - border) >= 0.0
        found = np.empty((len(t0), DEGREE + 1, y0.shape[1]))
        for part, source in ((~late, first.inside), (late, rest.inside)):
            if part.any():
                assert not isinstance(source, np.ndarray)
                found[part] = source(t0[part], y0[part], t1[part], y1[part])
        return found

    return replace(
        rest,
        start=first.start,
        t=np.concatenate([first.t, rest.t[1:]]),
        y=np.concatenate([first.y, rest.y[1:]]),
        statistics=first.statistics + rest.statistics,
        happened=(*first.events, *rest.events),
        growth=np.concatenate([first.growth, rest.growth]),
        inside=inside,
        crossed=(*first.crossed, *rest.crossed),
    )
