"""Selection of modes where a motion has come to switches: a kernel.

A switch whose function g is zero, to rounding, is decided by what follows: g must go to the side that is taken, by its first
derivative along the motion that does not vanish. Where both sides lead back, the switch holds the motion, see
`zeromass.model.sliding`.
"""

from __future__ import annotations

from zeromass.integrate.hybrid.messages import Selection
from zeromass.integrate.hybrid.pivoting import pivot_in_blocks
from zeromass.integrate.hybrid.sliding import FAILED, NO, UNKNOWN, YES, set_lower, slides, turn
from zeromass.integrate.hybrid.switches import (
    SIDE,
    TURN,
    WHOLE,
    Switches,
    accelerate,
    first_sign,
    free_of,
    is_constant,
    look,
    lower_of,
    nest,
    rate_of,
    refuse,
    side_of,
    sign_forces,
    sign_of,
    take,
    try_choice,
    upper_of,
)
from zeromass.integrate.hybrid.tolerances import LEFT, LOCATED, MOST, NEAR, NEAR_ENOUGH, NESTED, SMALL
from zeromass.kernel.functions import atan2, copysign, floor
from zeromass.kernel.language import Reals, kernel
from zeromass.model.state import ROUNDING

QUARTER = 1.5707963267948966
"""A right angle, by which the direction turns that an angle is measured from."""


@kernel
def find_turns(w: Switches, y: Reals, values: Reals) -> None:
    """Directions from which angles are measured as a motion begins, of those that are marked in w.reached."""
    for k in range(len(w.kind)):
        if w.kind[k] == TURN and w.reached[k] != 0:
            values[w.mode[k]] = 0.0
    for k in range(len(w.kind)):
        if w.kind[k] == TURN and w.reached[k] != 0:
            look(w, y, values)
            w.across(w.clock, y, values, w.terms)
            turns = atan2(w.terms[k], w.g[k]) / QUARTER
            near = floor(turns + 0.5)
            if near - turns == 0.5 and near - 2.0 * floor(near / 2.0) != 0.0:  # half way: to the even one
                near -= 1.0
            values[w.mode[k]] = near * QUARTER
        w.reached[k] = 0


@kernel
def flip(w: Switches, y: Reals, values: Reals) -> None:
    """Sets the modes of switches that were reached, w.reached, to the sides that they go to, w.way.

    One that holds the motion and is not left is on either side, and will be held again.
    """
    for k in range(len(w.kind)):
        held = w.flag[k] >= 0 and values[w.flag[k]] != 0.0
        if held:
            wide = 2.0 if w.kind[k] == SIDE else 1.0
            values[w.mode[k]] += wide if w.reached[k] == 0 or w.way[k] > 0.0 else 0.0
        elif w.reached[k] != 0 and w.kind[k] == TURN:
            w.across(w.clock, y, values, w.terms)
            values[w.mode[k]] += copysign(QUARTER, w.terms[k])
        elif w.reached[k] != 0:
            values[w.mode[k]] = -values[w.mode[k]] if w.kind[k] == SIDE else values[w.mode[k]] + w.way[k]


@kernel
def measure_drifts(w: Switches, y: Reals, values: Reals) -> None:
    """w.drift ← the largest |ġ| of each switch, with those that are reached or held on either of their sides.

    Where a motion lets go of what holds it, accelerations are those of balance, and tell of no size.
    """
    n = len(y) // 2
    for k in range(len(w.kind)):
        w.drift[k] = 0.0
    for j in range(len(w.kind)):
        if w.large or w.known[j] == 0 or w.rates[j] == 0 or not free_of(w, j):
            continue
        for high in range(2):
            w.values[:] = values
            if w.nested or high == 0:
                look(w, y, w.values)
            w.values[w.mode[j]] = upper_of(w, j, w.g[j]) if high == 1 else lower_of(w, j, w.g[j])
            if w.nested:
                look(w, y, w.values)
            accelerate(w, y, w.values)
            for k in range(len(w.kind)):
                w.drift[k] = max(w.drift[k], abs(rate_of(w, y, w.slope[n:], k)))


@kernel
def settle(w: Switches, y: Reals, values: Reals, fresh: bool) -> bool:
    """Sets the modes of all switches that the state decides, and says which it does not: whether they are found."""
    n = len(y) // 2
    a = w.slope[n:]
    slack = LOCATED * max(1.0, abs(w.clock[0]))
    measure_drifts(w, y, values)
    for _ in range(NESTED + len(w.kind)):
        look(w, y, values)
        w.values[:] = values
        felt, some = w.large, w.large
        for k in range(len(w.kind)):
            some = some or w.known[k] != 0
            for i in range(0 if w.large else n):
                felt = felt or w.slopes[k, 1 + n + i] != 0.0
        if felt and some:
            accelerate(w, y, values)
        else:
            for i in range(2 * n):
                w.slope[i] = 0.0
        changed, most = False, 1.0
        for i in range(2 * n if w.large else 0):
            most = max(most, abs(y[i]))
        for k in range(len(w.kind)):
            w.tied[k] = 0
            if not free_of(w, k):
                continue
            off = w.g[k] - floor(w.g[k] + 0.5) if w.kind[k] == WHOLE else w.g[k]
            far = w.large and abs(off) > NEAR_ENOUGH * most
            drift = 0.0 if far else max(abs(rate_of(w, y, a, k)), w.drift[k])
            if w.known[k] != 0 or abs(off) <= NEAR * w.sizes[k] + slack * drift:
                w.tied[k] = 1
            elif w.force[k] == 0 and values[w.mode[k]] != side_of(w, k, w.g[k]):
                values[w.mode[k]] = side_of(w, k, w.g[k])
                changed = True
        if not changed:
            found = sign_forces(w, y, values, w.known, not fresh)
            if found <= 0:
                return found == 0
    return refuse(w, int(Selection.ENDLESS))


@kernel
def consistent(w: Switches, y: Reals, values: Reals, choice: Reals) -> int:
    """Whether the motion on chosen sides goes to these sides; UNKNOWN if it stays on a switch as far as one can see."""
    sure = YES
    for j in range(w.count):
        w.scale[j] = turn(w, y, values, choice, j) if w.rates[w.open[j]] != 0 else 0.0
        if w.why != 0:
            return FAILED
    if not try_choice(w, y, values, choice):
        return FAILED
    a = w.slope[len(y) // 2 :]
    for j in range(w.count):
        k = w.open[j]
        if is_constant(w, y, w.values, k):
            if (choice[j] > 0.0) != (side_of(w, k, w.g[k]) >= upper_of(w, k, w.zeros[k])):
                return NO
            continue
        sign = first_sign(w, y, a, k, w.scale[j])
        if sign == 0.0:
            sure = UNKNOWN
        elif sign != choice[j]:
            return NO
    return sure


@kernel
def is_motion(w: Switches, y: Reals, values: Reals, choice: Reals) -> int:
    """Whether a choice is a motion: YES, NO, or UNKNOWN where none is seen that it would contradict."""
    slide = False
    for j in range(w.count):
        slide = slide or choice[j] == 0.0
    return slides(w, y, values, choice) if slide else consistent(w, y, values, choice)


@kernel(lazy=True)
def choose(w: Switches, y: Reals, values: Reals, fresh: bool) -> bool:
    """w.choice ← the sides of what is open: whether they are found."""
    w.choice[:] = w.natural
    if w.large:
        return pivot_in_blocks(w, y, values, fresh)
    w.remembers = w.count <= MOST
    for number in range(len(w.seen)):
        w.seen[number] = 0
    if not fresh:
        found = is_motion(w, y, values, w.choice)
        if found != NO:
            return found != FAILED
    if w.count > MOST:
        if not pivot_in_blocks(w, y, values, fresh):
            return False
        found = is_motion(w, y, values, w.choice)
        return refuse(w, int(Selection.TOO_MANY)) if found == NO else found != FAILED
    pure, every = 1, 1
    for _ in range(w.count):
        pure, every = 2 * pure, 3 * every
    right, at, weak = 0, 0, -1
    for number in range(pure):
        unfold(w, number, 2)
        found = consistent(w, y, values, w.choice)
        if found == FAILED:
            return False
        if found == YES:
            right, at = right + 1, number
        if found == UNKNOWN and (weak < 0 or is_natural(w)):
            weak = number
    if right > 0:
        unfold(w, at, 2)
        return right == 1 or refuse(w, int(Selection.SEVERAL))
    spare = 0.0
    for number in range(every):
        if unfold(w, number, 3):
            found = slides(w, y, values, w.choice)
            if found == FAILED:
                return False
            if found == YES:
                bound(w, right == 0)
                if right == 0 or w.spare > spare:
                    spare, at = w.spare, number
                right += 1
    if right > 0:
        unfold(w, at, 3)
        return is_one_motion(w) or refuse(w, int(Selection.SEVERAL_SLIDE))
    if weak < 0:
        return refuse(w, int(Selection.NO_MOTION))
    unfold(w, weak, 2)
    return True


@kernel
def bound(w: Switches, first: bool) -> None:
    """Bounds of the accelerations of motions that are held."""
    for i in range(len(w.mean)):
        w.least[i] = w.mean[i] if first else min(w.least[i], w.mean[i])
        w.most[i] = w.mean[i] if first else max(w.most[i], w.mean[i])


@kernel
def is_one_motion(w: Switches) -> bool:
    """Whether the motion is the same however it is held, as where friction acts in all hinges of a loop."""
    apart = 0.0
    for i in range(len(w.mean)):
        apart = max(apart, w.most[i] - w.least[i])
    return apart <= SMALL * w.largest


@kernel
def is_natural(w: Switches) -> bool:
    """Whether a choice is how the motion was."""
    same = True
    for j in range(w.count):
        same = same and w.choice[j] == w.natural[j]
    return same


@kernel
def unfold(w: Switches, number: int, sides: int) -> bool:
    """w.choice ← one of all choices of 1, −1, and 0 as a third, by its number: whether a switch holds the motion in it."""
    slide = False
    for i in range(w.count):
        digit = number % sides
        number = number // sides
        w.choice[w.count - 1 - i] = 1.0 if digit == 0 else -1.0 if digit == 1 else 0.0
        slide = slide or digit == 2
    return slide


@kernel(lazy=True)
def select_modes(w: Switches, y: Reals, values: Reals, fresh: bool) -> int:
    """values ← modes, margins and flags with which a motion goes on from a state: DECIDED, or why they are not.

    fresh  whether the motion begins; else it has come to the switches in w.reached
    """
    w.why, w.count, w.largest = int(Selection.DECIDED), 0, 0.0
    for k in range(len(w.kind)):
        w.held[k] = 1 if w.flag[k] >= 0 and values[w.flag[k]] != 0.0 else 0
    if fresh:
        find_turns(w, y, values)
    else:
        flip(w, y, values)
    for k in range(len(w.kind)):
        if w.flag[k] >= 0:
            values[w.flag[k]] = 0.0
        w.known[k] = 1 if w.reached[k] != 0 or w.held[k] != 0 else 0
    if settle(w, y, values, fresh):
        w.zeros[:] = w.g
        w.terms[:] = w.sizes
        decide_by_rates(w, y, values)
        if nest(w, y, values):
            for j in range(w.count):
                k = w.open[j]
                above = values[w.mode[k]] >= upper_of(w, k, w.zeros[k])
                w.natural[j] = 0.0 if w.held[k] != 0 and w.reached[k] == 0 else 1.0 if above else -1.0
            if w.count == 0 or choose(w, y, values, fresh):
                for j in range(w.count):
                    take(w, values, w.open[j], w.choice[j])
                if nest(w, y, values):
                    set_margins(w, y, values)
    if w.why == int(Selection.ENDLESS):
        name_all(w)
    w.remembers = False
    return int(Selection.ERROR) if w.failed[0] != 0 else w.why


@kernel
def name_all(w: Switches) -> None:
    """Says of all switches that the state decides, or should."""
    w.count = 0
    for k in range(len(w.kind)):
        if free_of(w, k):
            w.open[w.count] = k
            w.count += 1


@kernel
def decide_by_rates(w: Switches, y: Reals, values: Reals) -> None:
    """Sets the modes of switches of positions that ġ decides, or that are constant; others are open."""
    zero = w.mean
    for i in range(len(zero)):
        zero[i] = 0.0
    for k in range(len(w.kind)):
        if w.tied[k] == 0:
            continue
        if w.inner[k] != 0:
            look(w, y, values)
            w.values[:] = values
        sign = sign_of(w, y, zero, k, 1, 0.0) if w.rates[k] == 0 else 0.0
        if w.rates[k] == 0 and is_constant(w, y, values, k):
            values[w.mode[k]] = side_of(w, k, w.g[k])
        elif sign != 0.0:
            values[w.mode[k]] = upper_of(w, k, w.zeros[k]) if sign > 0.0 else lower_of(w, k, w.zeros[k])
        else:
            w.open[w.count] = k
            w.count += 1


@kernel
def set_margins(w: Switches, y: Reals, values: Reals) -> None:
    """How far g may be beyond the switches that a piece begins at."""
    slide = False
    for j in range(w.count):
        slide = slide or w.choice[j] == 0.0
    for k in range(len(w.kind)):
        values[w.margin[k]] = 0.0
        if w.tied[k] != 0:
            whole, high = w.kind[k] == WHOLE, upper_of(w, k, w.zeros[k])
            side = 1.0 if values[w.mode[k]] == high else -1.0
            beyond = -side * (w.zeros[k] - (high if whole else 0.0))
            margin = max(beyond, 0.0) + ROUNDING * w.terms[k]
            values[w.margin[k]] = side * margin if whole else margin
    for j in range(w.count):
        place = w.margin[w.open[j]]
        if w.choice[j] == 0.0:
            values[place] = LEFT
        elif slide and w.rates[w.open[j]] != 0 and not w.large:  # others may hold it as well
            set_lower(w, w.choice)
            drift = LOCATED * max(1.0, abs(w.clock[0])) * turn(w, y, values, w.lower, j)
            values[place] = copysign(abs(values[place]) + drift, values[place])
