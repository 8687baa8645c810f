"""Dead centres: where those with a mass no longer move a coordinate that has none.

A crank without inertia that a slider moves is carried through its dead centre by nothing: x = cos θ has no slope there, and
the mass of the motion that the constraints allow, (dx/dθ)² beside θ̇², vanishes without that anything cancels. Both the
motion that goes on and the one that turns back are solutions, and rounding would choose.
"""

from __future__ import annotations

import numpy as np

from zeromass.integrate.outcome import Ending, Outcome
from zeromass.integrate.singular.corner import step_end
from zeromass.integrate.singular.lightest import Lightest, weightless
from zeromass.integrate.singular.under_way import UnderWay

LOOKS = 8
"""How many of the shortest steps are looked at after a run."""


def dead_centre(loop: UnderWay) -> Outcome | None:
    """The end of a run where nothing tells how it goes on, as far as its tolerances tell; it is taken back to there.

    To be so near a dead centre takes steps that are much shorter than others.
    """
    if not weightless(loop.program.system):
        return None
    lightest, work = Lightest(loop.start), loop.work
    least = loop.settings.rtol + loop.settings.atol
    shortest = np.sort(np.argsort(np.abs(work.rows[:, 1]))[:LOOKS])
    for k in shortest.tolist():
        if lightest(step_end(loop, k))[0] <= least:
            while k and lightest(step_end(loop, k - 1))[0] <= least:
                k -= 1
            state = step_end(loop, k)
            mass, name = lightest(state)
            loop.back_to(k + 1, state.t, work.states[k].copy())
            words = (
                f"{name} has no mass, and those that have one hardly move it here: the mass of its motion has fallen to "
                f"{mass:.0e} of that at the start, and rounding would choose whether it goes on or turns back; give "
                f"{name} a mass, or add a constraint that contains it"
            )
            return Outcome(Ending.NON_UNIQUE, state.t, words)
    return None
