"""Switches at one state, in kernels: their functions and rates, for the modes as they are and for others that are tried."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from zeromass.integrate.deciding import NEAR, SMALL, SOON
from zeromass.kernel.functions import floor
from zeromass.kernel.language import Ints, Reals, Reals2, Struct, function, kernel

SIDE, WHOLE, TURN = range(3)
"""Kinds of switches: by the sign of g, by ⌊g⌋, and by the direction from which an angle is measured."""

NESTED = 64
"""Rounds after which modes that depend on one another are not found."""

CURVED = 0.1
"""Part of its change within a moment by which ġ may differ from a line where that tells of g̈."""


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
