"""Motions that do not leave their switches, in kernels: they chatter, or have come beyond a switch unseen."""

from __future__ import annotations

from zeromass.integrate.hybrid.grazing import allowed
from zeromass.integrate.hybrid.memory import COUNTS, RECORDED, Motion, T
from zeromass.integrate.hybrid.switches import SIDE, Switches, look
from zeromass.integrate.stepping.layout import HEAD
from zeromass.kernel.language import Reals, kernel

RECENT = 64
"""Switches by whose rate chattering is recognised."""

PILED, CROWDED = 2, 1e-6
"""Switches, and the part of a run that they take, just before a motion that finds no further step: it chatters."""

SHRINKS, STILL = 0.6, 5
"""What is left of the time of so many switches when there have been twice as many, and how many times more would follow."""

BEYOND, LOOKS = 1e-6, 9
"""Part of the terms of a switching function by which it is on the other side of its switch, beyond any rounding, and states
of a piece by which these terms are known."""


@kernel
def chatters(times: Reals, count: int, until: float, least: float, changes: int) -> bool:
    """Whether switches follow one another faster and faster, so that there would be no end of them.

    times    of the switches, the first `count`; until: when the run ends
    least    time of `RECENT` switches that is too short in any case
    changes  how many there may be in any case
    """
    if count < RECENT:
        return False
    now = times[count - 1]
    span = abs(now - times[count - RECENT])
    if span < least:
        return True
    half = count // 2
    if count < max(changes, 2 * RECENT):
        return False
    before = abs(times[half] - times[half - RECENT])
    return span < SHRINKS * before and abs(until - now) * float(RECENT) > float(STILL * count) * span


@kernel
def strays(m: Motion, w: Switches) -> bool:
    """Whether the motion has come beyond switches at which its piece was to end: it began on them, and returned unseen.

    They are w.reached. By more than its tolerances allow, and than a part of the terms of g along the piece.
    """
    y, t, found = m.y[: len(m.first)], m.reals[T], False
    first = m.counts[COUNTS * (m.pieces - 1)]
    steps = m.ints[RECORDED] - first
    w.clock[0] = t
    look(w, y, m.values)
    for k in range(len(w.kind)):
        w.reached[k] = 0
        held = w.flag[k] >= 0 and m.values[w.flag[k]] != 0.0
        mode, margin = m.values[w.mode[k]], abs(m.values[w.margin[k]])
        own = w.kind[k] == SIDE and w.timed[k] == 0 and w.force[k] == 0 and not held and mode != 0.0
        if steps > 0 and own and not w.g[k] * mode >= -margin:
            w.reached[k] = 1 if not w.g[k] * mode >= -margin - allowed(m, w, t, y, k) else 0
            found = found or w.reached[k] != 0
    if not found:
        return False
    w.zeros[:] = w.g
    w.terms[:] = w.sizes
    for i in range(LOOKS):
        at = i * steps // (LOOKS - 1)
        if at == 0:
            w.clock[0] = m.piece_start[0]
            look(w, m.piece_start[1:], m.values)
        else:
            w.clock[0] = m.record[first + at - 1, 0]
            look(w, m.record[first + at - 1][HEAD:], m.values)
        for k in range(len(w.kind)):
            w.terms[k] = max(w.terms[k], w.sizes[k])
    found = False
    for k in range(len(w.kind)):
        if w.reached[k] != 0 and w.zeros[k] * m.values[w.mode[k]] >= -BEYOND * w.terms[k]:
            w.reached[k] = 0
        found = found or w.reached[k] != 0
    return found
