"""Corners: where a run has turned at a singular position within rounding of it, and nothing tells the branches apart."""

from __future__ import annotations

import numpy as np

from zeromass.integrate.passages import faded
from zeromass.integrate.singular.judge import heavy
from zeromass.integrate.singular.under_way import UnderWay
from zeromass.integrate.stepping.loop import SHORT
from zeromass.model import State

LOOKS = 64
"""How many of the shortest steps are looked at after a run."""

WITHIN = 1e-6
"""What is left of constraints, as a part of that at the start, where a position is so near a singular one that rounding
decides on what side of it: at the root of rounding the constraints hold on all branches alike."""

FAINT = 1e-2
"""Root of a pivot of a multiplier, as a part of that at the start, from which that is not so."""


def corner_of(loop: UnderWay) -> int | None:
    """The step with which a run has turned, by its place in its record. Such a turn takes steps of next to no length."""
    h = loop.lengths()
    short = h < SHORT * h.max(initial=0.0)
    short[:1] = False  # the first step may be as short as it likes
    if loop.settings.step is not None or not short.any():
        return None
    steps = np.sort(np.argsort(h + np.where(short, 0.0, np.inf))[: min(LOOKS, int(short.sum()))])
    steps = steps[_faint(loop, steps)]
    if not len(steps):
        return None
    inputs = np.array([step_end(loop, k).inputs for k in steps.tolist()])
    gone = np.flatnonzero(faded(loop.start, loop.start.system.matrices(inputs).A, WITHIN))
    return int(steps[gone[0]]) if len(gone) else None


def _faint(loop: UnderWay, steps: np.ndarray) -> np.ndarray:
    """Where rows may have lost independence, as pivots tell, as truths: only there singular values are asked.

    Where masses are missing, pivots of coordinates may vanish instead.
    """
    start, work = loop.start, loop.work
    if not heavy(start):
        return np.ones(len(steps), dtype=bool)
    t, y = (
        np.append(start.t, work.times[steps]),
        np.concatenate([[np.concatenate([start.q, start.v])], work.states[steps]]),
    )
    first, *others = loop.functions().pivots(t, y)
    if not len(first):
        return np.zeros(len(steps), dtype=bool)
    with np.errstate(all="ignore"):
        return ~(np.sqrt(np.array(others) / first).min(axis=1) > FAINT)


def step_end(loop: UnderWay, k: int) -> State:
    """The state at the end of a step."""
    n, y = len(loop.start.q), loop.work.states[k]
    return State(loop.program.system, float(loop.work.times[k]), y[:n], y[n:], loop.start.parameters)


def steps_before(loop: UnderWay, corner: int) -> int:
    """How many steps there are before the short ones of a corner."""
    h = loop.lengths()
    return int(np.flatnonzero(h[:corner] >= SHORT * h.max())[-1]) + 1
