"""Dead centres: where those with a mass no longer move a coordinate that has none.

A crank without inertia that a slider moves is carried through its dead centre by nothing: x = cos θ has no slope there, and
the mass of the motion that the constraints allow, (dx/dθ)² beside θ̇², vanishes without that anything cancels. Both the
motion that goes on and the one that turns back are solutions, and rounding would choose.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from zeromass.integrate.outcome import Ending, Outcome
from zeromass.integrate.singular.corner import step_end
from zeromass.integrate.singular.lightest import GONE, Lightest, weightless
from zeromass.integrate.singular.under_way import UnderWay

LOOKS = 8
"""How many of the shortest steps are looked at after a run."""


def dead_centre(loop: UnderWay) -> Outcome | None:
    """The end of a run where nothing tells how it goes on, as far as its tolerances tell; it is taken back to there.

    To be so near a dead centre takes steps that are much shorter than others.
    """
    if not len(loop.work.rows) or not weightless(loop.program.system):
        return None
    work, lightest, least = loop.work, Lightest(loop.start), loop.settings.rtol + loop.settings.atol

    def masses(steps: Iterable[int]) -> np.ndarray:
        return lightest(np.array([step_end(loop, k).inputs for k in steps]))

    steps = np.sort(np.argsort(loop.lengths())[:LOOKS]).tolist()
    light = [k for k, mass in zip(steps, masses(steps), strict=True) if mass <= least]
    if light:  # the start itself may be where the coordinate hardly moves, as the gap of a rope whose ends meet
        usual = Lightest(step_end(loop, int(np.abs(work.rows[:, 1]).argmax())))
        light = [k for k in light if usual(step_end(loop, k).inputs[None])[0] <= GONE]
    if not light:
        return None
    k = light[0]
    while k and masses([k - 1])[0] <= least:
        k -= 1
    state, mass = step_end(loop, k), float(masses([k])[0])
    name = lightest.moves(state)
    loop.back_to(k + 1, state.t, work.states[k].copy())
    words = (
        f"{name} has no mass, and those that have one hardly move it here: the mass of its motion has fallen to {mass:.0e} "
        f"of that at the start, and rounding would choose whether it goes on or turns back; give {name} a mass, or add a "
        "constraint that contains it"
    )
    return Outcome(Ending.NON_UNIQUE, state.t, words)
