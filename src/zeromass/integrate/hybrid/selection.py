"""Selection of modes where a motion has come to switches: by the derivatives that are known without further formulas.

A switch whose function g is zero, to rounding, is decided by what follows: ġ must lead to the side that is taken. Where both
sides lead back, the switch holds the motion, see `zeromass.model.sliding`. The kernel decides what first derivatives decide,
and says UNDECIDED otherwise: then `zeromass.integrate.deciding` looks at higher ones.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Annotated

from zeromass.integrate.deciding import LEFT, LOCATED, LOST, MOST, NEAR, SMALL, SOON
from zeromass.kernel.functions import copysign, floor
from zeromass.kernel.language import Ints, Reals, Reals2, Struct, function, kernel
from zeromass.model.state import ROUNDING

SIDE, WHOLE, TURN = range(3)
"""Kinds of switches: by the sign of g, by ⌊g⌋, and by the direction from which an angle is measured."""

NESTED = 64
"""Rounds after which modes that depend on one another are not found."""

PATIENCE, ROUNDS = 3, 4
"""Changes of all that contradicts a guess that need not make it less; and guesses for each switch at most."""

CURVED = 0.1
"""Part of its change within a moment by which ġ may differ from a line where that tells of g̈."""

YES, NO, UNKNOWN = 1, 0, -1


class Selection(IntEnum):
    """Whether the modes are selected."""

    DECIDED = 0
    UNDECIDED = 1


class Switches(Struct):
    """The switches of a system, and memory for decisions at one state.

    kind, timed, rates, inner   of each: its kind, and whether g depends on time alone, on rates, on modes of others
    mode, margin, flag          places of its parameters; −1 for the flag of one that can not hold the motion
    holds                       place of β + margin among the guards; −1 of one that can not hold the motion
    nested, additive            whether any depends on modes of others, and whether what they do is the sum of its parts
    ahead                       1 for motions forward in time, −1 backward
    known, reached              whether a switch is reached or held, so that rounding does not decide of it; and reached
    tied, held, open, natural   those that the state does not decide; that held the motion; what is open, and how it was
    choice, tried, best         sides of what is open: 1, −1, or 0 where a switch holds the motion
    can, wrong, right           whether what is open can hold the motion, whether its side is wrong, and what is right
    values                      parameters with other modes
    g, sizes, slopes            of the switching functions, their rounding, and by time, positions and rates, (k, 1 + 2n)
    drift, zeros, terms         by how much g may change, and g and sizes where the decision began
    slope, growth, pivots       dy/dt, and what tells of its accuracy; low, there: room for q̈ and for a state
    """

    kind: Ints
    timed: Ints
    rates: Ints
    inner: Ints
    mode: Ints
    margin: Ints
    flag: Ints
    holds: Ints
    nested: bool
    additive: bool
    ahead: float
    rhs: Annotated[Callable[..., None], function(Reals, Reals, Reals, Reals, Reals, Reals)]
    judge: Annotated[Callable[..., None], function(Reals, Reals, Reals, Reals, Reals, Reals2)]
    guard: Annotated[Callable[..., None], function(Reals, Reals, Reals, Reals)]
    clock: Reals
    known: Ints
    reached: Ints
    tied: Ints
    held: Ints
    open: Ints
    count: int
    natural: Reals
    choice: Reals
    tried: Reals
    best: Reals
    can: Ints
    wrong: Ints
    right: Reals
    values: Reals
    g: Reals
    sizes: Reals
    slopes: Reals2
    drift: Reals
    zeros: Reals
    terms: Reals
    slope: Reals
    growth: Reals
    pivots: Reals
    low: Reals
    there: Reals
    guards: Reals


@kernel
def look(w: Switches, y: Reals, values: Reals) -> None:
    """g, their rounding and slopes at a state, for some modes."""
    w.judge(w.clock, y, values, w.g, w.sizes, w.slopes)


@kernel
def accelerate(w: Switches, y: Reals, values: Reals) -> None:
    """dy/dt at a state, for some modes."""
    w.rhs(w.clock, y, values, w.slope, w.growth, w.pivots)


@kernel
def rate_of(w: Switches, y: Reals, a: Reals, k: int) -> float:
    """ġ of a switch, ahead, with accelerations a."""
    n = len(a)
    total = w.slopes[k, 0]
    for i in range(n):
        total += w.slopes[k, 1 + i] * y[n + i] + w.slopes[k, 1 + n + i] * a[i]
    return total * w.ahead


@kernel
def size_of(w: Switches, y: Reals, a: Reals, k: int) -> float:
    """The sum of the sizes of its terms."""
    n = len(a)
    total = abs(w.slopes[k, 0])
    for i in range(n):
        total += abs(w.slopes[k, 1 + i] * y[n + i]) + abs(w.slopes[k, 1 + n + i] * a[i])
    return total


@kernel
def vanishes(w: Switches, y: Reals, a: Reals, k: int, rate: float, scale: float) -> bool:
    """Whether ġ of a switch is rounding: of its terms and of a scale, or of the largest rate and acceleration."""
    n, largest, fastest = len(a), 0.0, 0.0
    for i in range(n):
        fastest, largest = max(fastest, abs(y[n + i])), max(largest, abs(a[i]))
    total = abs(w.slopes[k, 0])
    for i in range(n):
        total += abs(w.slopes[k, 1 + i]) * fastest + abs(w.slopes[k, 1 + n + i]) * largest
    return abs(rate) <= max(SMALL * max(size_of(w, y, a, k), scale), NEAR * total)


@kernel
def is_constant(w: Switches, k: int) -> bool:
    """Whether a switching function with modes of others in it is a number on this piece, as max(x, 0) is where x < 0."""
    found = w.inner[k] != 0
    for i in range(w.slopes.shape[1]):
        found = found and w.slopes[k, i] == 0.0
    return found


@kernel
def side_of(w: Switches, k: int, g: float) -> float:
    """The mode that a value of g tells."""
    if w.kind[k] == WHOLE:
        return floor(g)
    return 1.0 if g > 0.0 else -1.0 if g < 0.0 else 0.0


@kernel
def upper_of(w: Switches, k: int, g: float) -> float:
    """The mode on the upper side of a switch."""
    return floor(g + 0.5) if w.kind[k] == WHOLE else 1.0


@kernel
def lower_of(w: Switches, k: int, g: float) -> float:
    """The mode on the lower side of a switch."""
    return floor(g + 0.5) - 1.0 if w.kind[k] == WHOLE else -1.0


@kernel
def free_of(w: Switches, k: int) -> bool:
    """Whether a switch is decided by the state, or by what follows."""
    return w.kind[k] != TURN and w.timed[k] == 0


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
def nest(w: Switches, y: Reals, values: Reals) -> bool:
    """Sets the modes of switches whose functions depend on modes that were decided now: whether that came to an end."""
    if not w.nested:
        return True
    for _ in range(NESTED):
        look(w, y, values)
        changed = False
        for k in range(len(w.kind)):
            if free_of(w, k) and (is_constant(w, k) or (w.tied[k] == 0 and w.g[k] != 0.0)):
                side = side_of(w, k, w.g[k])
                changed = changed or values[w.mode[k]] != side
                values[w.mode[k]] = side
        if not changed:
            return True
    return False


@kernel
def take(w: Switches, values: Reals, k: int, side: float) -> None:
    """Sets the mode of a switch on a side, and its flag where it holds the motion."""
    values[w.mode[k]] = upper_of(w, k, w.zeros[k]) if side > 0.0 else lower_of(w, k, w.zeros[k])
    if w.flag[k] >= 0:
        values[w.flag[k]] = 1.0 if side == 0.0 else 0.0


@kernel
def try_choice(w: Switches, y: Reals, values: Reals, choice: Reals) -> bool:
    """w.values, w.slope ← modes and motion on chosen sides of what is open."""
    w.values[:] = values
    for j in range(w.count):
        take(w, w.values, w.open[j], choice[j])
    found = nest(w, y, w.values)
    look(w, y, w.values)
    accelerate(w, y, w.values)
    return found


@kernel
def rate_across(w: Switches, y: Reals, values: Reals, choice: Reals, j: int, side: float) -> float:
    """ġ of what is open, the j-th, if it is on another side."""
    w.tried[:] = choice
    w.tried[j] = side
    try_choice(w, y, values, w.tried)
    return rate_of(w, y, w.slope[len(y) // 2 :], w.open[j])


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
def rate_there(w: Switches, y: Reals, k: int, late: float) -> float:
    """ġ of a switch a moment before or after a state, along its motion with w.low as accelerations."""
    n, t = len(w.low), w.clock[0]
    for i in range(n):
        w.there[i] = y[i] + late * y[n + i] + 0.5 * late * late * w.low[i]
        w.there[n + i] = y[n + i] + late * w.low[i]
    w.clock[0] = t + late
    look(w, w.there, w.values)
    accelerate(w, w.there, w.values)
    found = rate_of(w, w.there, w.slope[n:], k)
    w.clock[0] = t
    return found


@kernel
def bend(w: Switches, y: Reals, k: int) -> float:
    """The side to which g̈ leads where ġ vanishes, from ġ a moment before and after; 0 where that does not tell."""
    n = len(w.low)
    w.low[:] = w.slope[n:]
    late = SOON * max(1.0, abs(w.clock[0]))
    now, size = rate_of(w, y, w.low, k), size_of(w, y, w.low, k)
    after, before = rate_there(w, y, k, late), rate_there(w, y, k, -late)
    change = after - before
    clear = abs(change) > SMALL * size and abs(after + before - 2.0 * now) < CURVED * abs(change)
    if not clear:
        return 0.0
    return 1.0 if change * w.ahead > 0.0 else -1.0


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
def pivot_in_blocks(w: Switches, y: Reals, values: Reals) -> bool:
    """w.choice ← the sides of many open switches by block pivoting [JP1994]: whether they are found.

    Everything that contradicts a guess changes at once; where that goes round in a circle, one thing at a time. Rows that
    depend on one another never hold the motion together.
    """
    for j in range(w.count):
        w.best[j] = -1.0
    for j in range(w.count):
        k = w.open[j]
        w.can[j] = 0
        if w.flag[k] >= 0 and w.inner[k] == 0:
            up = rate_across(w, y, values, w.best, j, 1.0)
            w.can[j] = 1 if up < rate_across(w, y, values, w.best, j, -1.0) else 0
        w.choice[j] = w.natural[j]
    least, patience = w.count + 1, PATIENCE
    for _ in range(ROUNDS * (w.count + PATIENCE)):
        wrong = contradictions(w, y, values)
        if wrong == 0:
            return True
        if wrong < 0:  # too many hold at once: from none of them on, what holds another motion comes one by one
            if patience < 0:
                return False
            for j in range(w.count):
                w.choice[j] = w.natural[j] if w.natural[j] != 0.0 else 1.0
            patience = -1
            continue
        if patience >= 0 and wrong < least:
            least, patience = wrong, PATIENCE
        elif patience > 0:
            patience -= 1
        for i in range(w.count):
            j = w.count - 1 - i
            if w.wrong[j] != 0:
                w.choice[j] = w.right[j]
                if patience <= 0:
                    break
    return False


@kernel
def contradictions(w: Switches, y: Reals, values: Reals) -> int:
    """w.wrong, w.right ← which of the sides in w.choice the motion contradicts, and what would be right: how many there are.

    −1 where rows that hold the motion depend on one another.
    """
    n, count, slide = len(w.low), 0, False
    try_choice(w, y, values, w.choice)
    for j in range(w.count):
        w.wrong[j] = 0
        slide = slide or w.choice[j] == 0.0
        w.values[w.margin[w.open[j]]] = 0.0
    if slide and not w.growth[0] < LOST:
        return -1
    if slide:
        w.guard(w.clock, y, w.values, w.guards)
    for j in range(w.count):
        if w.choice[j] == 0.0:
            beta = w.guards[w.holds[w.open[j]]]
            if not (beta >= -SMALL and beta <= 1.0 + SMALL):
                w.wrong[j], w.right[j], count = 1, 1.0 if beta > 0.5 else -1.0, count + 1
    for j in range(w.count):
        if w.choice[j] != 0.0:
            try_choice(w, y, values, w.choice)
            k = w.open[j]
            rate, scale = rate_of(w, y, w.slope[n:], k), 0.0
            side = 1.0 if rate > 0.0 else -1.0
            if w.rates[k] != 0:
                scale = abs(rate_across(w, y, values, w.choice, j, -w.choice[j]))
                scale += abs(rate_across(w, y, values, w.best, j, -1.0))
                try_choice(w, y, values, w.choice)
            if vanishes(w, y, w.slope[n:], k, rate, scale):  # on its way from one that holds it to the next
                side = w.choice[j] if slide and w.rates[k] != 0 else bend(w, y, k)
            if side != 0.0 and side != w.choice[j]:
                w.wrong[j], w.right[j], count = 1, 0.0 if w.can[j] != 0 else side, count + 1
    return count


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
