"""Selection of modes where a motion has come to switches: by the derivatives that are known without further formulas.

A switch whose function g is zero, to rounding, is decided by what follows: ġ must lead to the side that is taken. Where both
sides lead back, the switch holds the motion, see `zeromass.model.sliding`. The kernel decides what first derivatives decide,
and says UNDECIDED otherwise: then `zeromass.integrate.deciding` looks at higher ones.
"""

from __future__ import annotations

from enum import IntEnum

from zeromass.integrate.deciding import LEFT, LOCATED, LOST, MOST, NEAR, SMALL
from zeromass.integrate.hybrid.pivoting import pivot_in_blocks
from zeromass.integrate.hybrid.switches import (
    NESTED,
    WHOLE,
    Switches,
    accelerate,
    bend,
    free_of,
    is_constant,
    look,
    lower_of,
    nest,
    rate_across,
    rate_of,
    side_of,
    take,
    try_choice,
    upper_of,
    vanishes,
)
from zeromass.kernel.functions import copysign, floor
from zeromass.kernel.language import Reals, kernel
from zeromass.model.state import ROUNDING

YES, NO, UNKNOWN = 1, 0, -1
"""Whether a choice of sides is a motion, as far as it is known."""


class Selection(IntEnum):
    """Whether the modes are selected."""

    DECIDED = 0
    UNDECIDED = 1


@kernel
def measure_drifts(w: Switches, y: Reals, values: Reals) -> None:
    """w.drift ← the largest |ġ| of each switch, with those that are reached or held on either of their sides.

    Where a motion lets go of what holds it, accelerations are those of balance, and tell of no size.
    """
    n = len(y) // 2
    for k in range(len(w.kind)):
        w.drift[k] = 0.0
    for j in range(len(w.kind)):
        if w.known[j] == 0 or w.rates[j] == 0 or not free_of(w, j):
            continue
        for high in range(2):
            w.values[:] = values
            look(w, y, w.values)
            w.values[w.mode[j]] = upper_of(w, j, w.g[j]) if high == 1 else lower_of(w, j, w.g[j])
            look(w, y, w.values)
            accelerate(w, y, w.values)
            for k in range(len(w.kind)):
                w.drift[k] = max(w.drift[k], abs(rate_of(w, y, w.slope[n:], k)))


@kernel
def settle(w: Switches, y: Reals, values: Reals) -> bool:
    """Sets the modes of all switches that the state decides, and says which it does not: whether that came to an end."""
    n = len(y) // 2
    a = w.slope[n:]
    slack = LOCATED * max(1.0, abs(w.clock[0]))
    measure_drifts(w, y, values)
    for _ in range(NESTED):
        look(w, y, values)
        felt, some = False, False
        for k in range(len(w.kind)):
            some = some or w.known[k] != 0
            for i in range(n):
                felt = felt or w.slopes[k, 1 + n + i] != 0.0
        if felt and some:
            accelerate(w, y, values)
        else:
            for i in range(2 * n):
                w.slope[i] = 0.0
        changed = False
        for k in range(len(w.kind)):
            w.tied[k] = 0
            if not free_of(w, k):
                continue
            off = w.g[k] - floor(w.g[k] + 0.5) if w.kind[k] == WHOLE else w.g[k]
            drift = max(abs(rate_of(w, y, a, k)), w.drift[k])
            if w.known[k] != 0 or abs(off) <= NEAR * w.sizes[k] + slack * drift:
                w.tied[k] = 1
            elif values[w.mode[k]] != side_of(w, k, w.g[k]):
                values[w.mode[k]] = side_of(w, k, w.g[k])
                changed = True
        if not changed:
            return True
    return False


@kernel
def consistent(w: Switches, y: Reals, values: Reals, choice: Reals) -> int:
    """Whether the motion on chosen sides goes to these sides; UNKNOWN if first derivatives do not tell."""
    a = w.slope[len(y) // 2 :]
    sure = YES
    for j in range(w.count):
        k = w.open[j]
        scale = abs(rate_across(w, y, values, choice, j, -choice[j])) if w.rates[k] != 0 else 0.0
        if not try_choice(w, y, values, choice):
            return UNKNOWN
        rate = rate_of(w, y, a, k)
        scale = scale + abs(rate) if w.rates[k] != 0 else 0.0
        if is_constant(w, k):
            sure = UNKNOWN
        elif not vanishes(w, y, a, k, rate, scale):
            if (rate > 0.0) != (choice[j] > 0.0):
                return NO
        else:
            side = bend(w, y, k)
            if side == 0.0:
                sure = UNKNOWN
            elif side != choice[j]:
                return NO
    return sure


@kernel
def slides(w: Switches, y: Reals, values: Reals, choice: Reals) -> int:
    """Whether the switches that are 0 in a choice hold the motion, and it goes to the chosen sides of others."""
    n = len(y) // 2
    count = 0
    for j in range(w.count):
        if choice[j] == 0.0:
            count += 1
            if w.flag[w.open[j]] < 0:
                return NO
            if w.inner[w.open[j]] != 0:
                return UNKNOWN
    if count > 1 and not w.additive:
        return UNKNOWN
    low = w.best
    for j in range(w.count):
        low[j] = -1.0 if choice[j] == 0.0 else choice[j]
    for j in range(w.count):
        if choice[j] == 0.0 and not rate_across(w, y, values, low, j, 1.0) < rate_across(w, y, values, low, j, -1.0):
            return NO
    if not try_choice(w, y, values, choice):
        return UNKNOWN
    if not w.growth[0] < LOST:
        return NO
    for j in range(w.count):
        w.values[w.margin[w.open[j]]] = 0.0
    w.guard(w.clock, y, w.values, w.guards)
    for j in range(w.count):
        if choice[j] == 0.0:
            beta = w.guards[w.holds[w.open[j]]]
            if not (beta >= -SMALL and beta <= 1.0 + SMALL):
                return NO
    w.low[:] = w.slope[n:]
    for j in range(w.count):
        if choice[j] != 0.0:
            k = w.open[j]
            scale = turn(w, y, values, low, j) if w.rates[k] != 0 else 0.0
            try_choice(w, y, values, low)
            rate = rate_of(w, y, w.low, k)
            if not vanishes(w, y, w.low, k, rate, scale) and (rate > 0.0) != (choice[j] > 0.0):
                return NO
    return YES


@kernel
def turn(w: Switches, y: Reals, values: Reals, low: Reals, j: int) -> float:
    """Of what size ġ of a switch is on its two sides, with all that holds on their lower ones."""
    here = abs(rate_across(w, y, values, low, j, low[j]))
    return here + abs(rate_across(w, y, values, low, j, -low[j]))


@kernel
def choose(w: Switches, y: Reals, values: Reals, fresh: bool) -> bool:
    """w.choice ← the sides of what is open: whether first derivatives decide them."""
    slide = False
    for j in range(w.count):
        w.choice[j] = w.natural[j]
        slide = slide or w.natural[j] == 0.0
    if not fresh:
        found = slides(w, y, values, w.choice) if slide else consistent(w, y, values, w.choice)
        if found != NO:
            return found == YES
    if w.count > MOST:
        return not fresh and pivot_in_blocks(w, y, values)
    pure, every = 1, 1
    for _ in range(w.count):
        pure, every = 2 * pure, 3 * every
    right, at = 0, 0
    for number in range(pure):
        unfold(w, number, 2)
        found = consistent(w, y, values, w.choice)
        if found == UNKNOWN:
            return False
        if found == YES:
            right, at = right + 1, number
    if right > 0:
        unfold(w, at, 2)
        return right == 1
    for number in range(every):
        if unfold(w, number, 3):
            found = slides(w, y, values, w.choice)
            if found == UNKNOWN:
                return False
            if found == YES:
                right, at = right + 1, number
    unfold(w, at, 3)
    return right == 1


@kernel
def unfold(w: Switches, number: int, sides: int) -> bool:
    """w.choice ← one of all choices of 1, −1, and 0 as a third, by its number: whether a switch holds the motion in it."""
    slide = False
    for j in range(w.count):
        digit = number % sides
        number = number // sides
        w.choice[j] = 1.0 if digit == 0 else -1.0 if digit == 1 else 0.0
        slide = slide or digit == 2
    return slide


@kernel
def select_modes(w: Switches, y: Reals, values: Reals, fresh: bool) -> int:
    """values ← modes, margins and flags with which a motion goes on from a state: DECIDED, or UNDECIDED.

    Those of switches that were reached, w.reached, are set to the sides that they go to.
    """
    n = len(y) // 2
    for k in range(len(w.kind)):
        w.held[k] = 0
        if w.flag[k] >= 0:
            w.held[k] = 1 if values[w.flag[k]] != 0.0 else 0
            values[w.flag[k]] = 0.0
        w.known[k] = 1 if w.reached[k] != 0 or w.held[k] != 0 else 0
    if not settle(w, y, values):
        return int(Selection.UNDECIDED)
    w.zeros[:] = w.g
    w.terms[:] = w.sizes
    w.count = 0
    zero = w.low
    for i in range(n):
        zero[i] = 0.0
    for k in range(len(w.kind)):
        if w.tied[k] == 0:
            continue
        if w.inner[k] != 0:
            look(w, y, values)
        rate = rate_of(w, y, zero, k)
        if w.rates[k] == 0 and is_constant(w, k):
            values[w.mode[k]] = side_of(w, k, w.g[k])
        elif w.rates[k] == 0 and not vanishes(w, y, zero, k, rate, 0.0):
            values[w.mode[k]] = upper_of(w, k, w.zeros[k]) if rate > 0.0 else lower_of(w, k, w.zeros[k])
        else:
            w.open[w.count] = k
            w.count += 1
    if not nest(w, y, values):
        return int(Selection.UNDECIDED)
    for j in range(w.count):
        k = w.open[j]
        above = values[w.mode[k]] >= upper_of(w, k, w.zeros[k])
        w.natural[j] = 0.0 if w.held[k] != 0 and w.reached[k] == 0 else 1.0 if above else -1.0
    if w.count > 0 and not choose(w, y, values, fresh):
        return int(Selection.UNDECIDED)
    for j in range(w.count):
        take(w, values, w.open[j], w.choice[j])
    if not nest(w, y, values):
        return int(Selection.UNDECIDED)
    set_margins(w, y, values)
    return int(Selection.DECIDED)


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
        elif slide and w.rates[w.open[j]] != 0:  # others may hold it as well
            for i in range(w.count):
                w.best[i] = -1.0 if w.choice[i] == 0.0 else w.choice[i]
            drift = LOCATED * max(1.0, abs(w.clock[0])) * turn(w, y, values, w.best, j)
            values[place] = copysign(abs(values[place]) + drift, values[place])
