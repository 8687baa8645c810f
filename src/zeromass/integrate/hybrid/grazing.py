"""Touches, in kernels: a motion comes to a switch and turns there, as far as its tolerances tell.

On its own side it turns back. Where the other side would take it away, or hold it there, a motion that comes nearer by less
than it is off goes another way: both are motions, and rounding would choose. Where both sides lead back there is one.
"""

from __future__ import annotations

from enum import IntEnum

from zeromass.integrate.hybrid.memory import ATOL, RTOL, Crossing, Motion
from zeromass.integrate.hybrid.reset import reset
from zeromass.integrate.hybrid.switches import (
    TURN,
    WHOLE,
    Switches,
    look,
    rate_of,
    rate_there,
    sign_of,
    slopes_at,
    try_choice,
)
from zeromass.integrate.hybrid.tolerances import NEAR, ORDERS, SOON
from zeromass.kernel.functions import floor
from zeromass.kernel.language import Reals, kernel

REACH = 10.0
"""Errors that the tolerances allow in a step, by which a motion may be off where it touches a switch."""


class Touch(IntEnum):
    """What it means that a motion comes near a switch and turns."""

    NONE = 0
    AMBIGUOUS = 1


@kernel
def allowed(m: Motion, w: Switches, t: float, y: Reals, k: int) -> float:
    """By how much a switching function may be off at a state, from the tolerances of a step."""
    w.clock[0], w.asked = t, k
    look(w, y, m.values)
    total, row = 0.0, slopes_at(w, w.clock, y, m.values, k, w.slopes)
    for i in range(len(y)):
        total += abs(w.slopes[row, 1 + i]) * (m.reals[ATOL] + m.reals[RTOL] * abs(y[i]))
    return total


@kernel
def second_derivative(w: Switches, y: Reals, k: int) -> float:
    """g̈ of a switch along the motion, with the modes in w.values, from ġ a moment before and after."""
    late, a = SOON * max(1.0, abs(w.clock[0])), w.slope[len(y) // 2 :]
    return (rate_there(w, y, a, k, late) - rate_there(w, y, a, k, -late)) / (2.0 * late)


@kernel(lazy=True)
def touch(m: Motion, w: Switches, t: float, y: Reals, k: int, own: float, far: float) -> int:
    """Whether a motion that is at a switch, or nearly, and would turn there on its piece, may as well go on beyond.

    own  the side of the switch on which the piece is
    far  the largest value of the switching function at the ends of the step: one that rests on a switch, as far as its
         tolerances tell, does not turn there
    """
    if w.kind[k] == TURN or w.force[k] != 0:
        return int(Touch.NONE)
    off = REACH * allowed(m, w, t, y, k)
    if far <= off:
        return int(Touch.NONE)
    g, size = w.g[k], w.sizes[k]
    border = floor(g + 0.5) if w.kind[k] == WHOLE else 0.0
    for i in range(len(w.kind)):
        w.tied[i] = 1 if i == k else 0
    w.count, w.open[0], w.zeros[k], w.choice[0] = 1, k, g, own
    if not try_choice(w, y, m.values, w.choice):
        return int(Touch.AMBIGUOUS)
    rate, turns = rate_of(w, y, w.slope[len(y) // 2 :], k), second_derivative(w, y, k)
    if not own * turns > 0.0:
        return int(Touch.NONE)
    reach = off + NEAR * size
    if not abs(own * (g - border) - rate * rate / (2.0 * own * turns)) <= reach:
        return int(Touch.NONE)
    j = m.jumps
    j.modes[:] = w.values
    w.choice[0] = -own
    if not try_choice(w, y, m.values, w.choice):
        return int(Touch.AMBIGUOUS)
    for i in range(len(w.kind)):
        j.changed[i] = 1 if i == k else 0
    found = reset(w, j, y, w.values)
    if found != int(Crossing.NOTHING) and found != int(Crossing.IMPULSE):
        return int(Touch.AMBIGUOUS)
    left = abs(m.until - t)
    if w.rates[k] != 0:
        differs = abs(rate_of(w, y, w.slope[len(y) // 2 :], k) - rate) * left
    else:
        differs = abs(second_derivative(w, y, k) - turns) * left * left / 2.0
    back = leads_to(w, y, k) == own
    return int(Touch.AMBIGUOUS) if differs > reach and not back else int(Touch.NONE)


@kernel
def leads_to(w: Switches, y: Reals, k: int) -> float:
    """The side to which a motion that touches a switch goes from its own side of it, by derivatives; 0 where none tells."""
    side = 0.0
    for order in range(1 if w.rates[k] != 0 else 2, ORDERS + 1):
        if side == 0.0:
            side = sign_of(w, y, w.slope[len(y) // 2 :], k, order, 0.0)
    return side
