"""Switches at one state, in kernels: their functions and rates, for the modes as they are and for others that are tried."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from zeromass.integrate.hybrid.messages import Selection
from zeromass.integrate.hybrid.tolerances import CURVED, NEAR, NESTED, ORDERS, SMALL, SOON
from zeromass.kernel.functions import floor
from zeromass.kernel.language import Ints, Ints2, Reals, Reals2, Struct, function, kernel

SIDE, WHOLE, TURN = range(3)
"""Kinds of switches: by the sign of g, by ⌊g⌋, and by the direction from which an angle is measured."""

GOLDEN = 0.6180339887498949
"""Multiples of it, without their whole part, spread over 0 … 1: a state made of them is nothing special."""

FORCES, SIGNS = 16, 64
"""Unknown forces at most all of whose signs are tried, and right combinations of them that are told apart."""


class Switches(Struct):
    """The switches of a system, and memory for decisions at one state.

    kind, timed, rates, force   of each: its kind, and whether g depends on time alone, on rates, on unknown forces
    inner, within               whether g depends on modes of others, and on that of which, (k, k)
    mode, margin, flag          places of its parameters; −1 for the flag of one that can not hold the motion
    nested, large               whether any depends on modes of others; whether the system is large
    ahead                       1 for motions forward in time, −1 backward
    rhs, judge, across          dy/dt; g, their rounding and slopes; and what lies across the direction of each turn
    derivative                  slopes of a higher derivative of one g along the motion, of g itself in a large system
    orders                      highest order of derivatives that `derivative` has of each g; what needs more has failed
    acting                      of a large system: β and c of each switch, see `zeromass.model.large_pieces`
    failed                      whether there was an error in one of these functions, or one has not what is asked of it
    reached, way                whether a switch is reached, and to which side it goes; as a motion begins: turns to be found
    known                       whether a switch is reached or held, so that rounding does not decide of it
    tied, held, open, natural   those that the state does not decide; that held the motion; what is open, and how it was;
                                where nothing is selected, `open` has the switches that this is said of, and `why` the reason
    choice, tried, lower        sides of what is open: 1, −1, or 0 where a switch holds the motion
    can, wrong, right           whether what is open can hold the motion, whether its side is wrong, and what is right
    values, trial               parameters with other modes
    g, sizes, slopes            of the switching functions, their rounding, and by time, positions and rates, (k, 1 + 2n);
                                of a large system there is one row, and sizes are of what is near zero, or `asked`
    drift, zeros, terms         by how much g may change, and g and sizes where the decision began
    slope, growth, pivots       dy/dt, and what tells of its accuracy; `largest` q̈ of all that was tried
    remembers                   whether choices of few switches are tried at one state, one after another
    seen, accelerations         which of them were tried, and q̈ with them, (3^k, n)
    base, ends, r, G            q̈ and ġ on lower sides, and with one switch on its upper side, (k, n); what it adds to ġ
    beta, mean, spare           what acts of the upper sides, q̈ with it, and how far it is from its limits
    betas, c                    room for what `acting` finds
    signs, turned               modes on lower sides, and whether a force has another sign on an upper one
    least, most                 bounds of q̈ in motions that are held
    A, x, scale, order          room for linear equations
    *_there                     values at another state
    """

    kind: Ints
    timed: Ints
    rates: Ints
    force: Ints
    inner: Ints
    within: Ints2
    mode: Ints
    margin: Ints
    flag: Ints
    orders: Ints
    nested: bool
    large: bool
    ahead: float
    rhs: Annotated[Callable[..., None], function(Reals, Reals, Reals, Reals, Reals, Reals)]
    judge: Annotated[Callable[..., None], function(Reals, Reals, Reals, Reals, Reals, Reals2)]
    across: Annotated[Callable[..., None], function(Reals, Reals, Reals, Reals)]
    derivative: Annotated[Callable[..., None], function(Reals, Reals, Reals, int, int, Reals)]
    acting: Annotated[Callable[..., None], function(Reals, Reals, Reals, Reals, Reals)]
    guard: Annotated[Callable[..., None], function(Reals, Reals, Reals, Reals)]
    failed: Ints
    clock: Reals
    known: Ints
    reached: Ints
    way: Reals
    tied: Ints
    held: Ints
    open: Ints
    count: int
    why: int
    number: int
    natural: Reals
    choice: Reals
    tried: Reals
    lower: Reals
    can: Ints
    wrong: Ints
    right: Reals
    values: Reals
    trial: Reals
    asked: int
    g: Reals
    sizes: Reals
    slopes: Reals2
    row: Reals
    drift: Reals
    zeros: Reals
    terms: Reals
    slope: Reals
    growth: Reals
    pivots: Reals
    largest: float
    remembers: bool
    seen: Ints
    accelerations: Reals2
    there: Reals
    clock_there: Reals
    g_there: Reals
    sizes_there: Reals
    slopes_there: Reals2
    slope_there: Reals
    alike: Ints
    base: Reals
    ends: Reals2
    r: Reals
    G: Reals2
    beta: Reals
    betas: Reals
    c: Reals
    mean: Reals
    spare: float
    signs: Reals
    turned: bool
    least: Reals
    most: Reals
    A: Reals2
    x: Reals
    scale: Reals
    order: Ints
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
def refuse(w: Switches, why: int) -> bool:
    """Says why no modes are selected: False."""
    w.why = why
    return False


# derivatives of switching functions ---------------------------------------------------------------------------------
@kernel
def along(row: Reals, y: Reals, a: Reals) -> float:
    """A derivative by time, from slopes by time, positions and rates, with accelerations a."""
    n = len(a)
    total = row[0]
    for i in range(n):
        total += row[1 + i] * y[n + i] + row[1 + n + i] * a[i]
    return total


@kernel
def size_along(row: Reals, y: Reals, a: Reals) -> float:
    """The sum of the sizes of its terms."""
    n = len(a)
    total = abs(row[0])
    for i in range(n):
        total += abs(row[1 + i] * y[n + i]) + abs(row[1 + n + i] * a[i])
    return total


@kernel
def vanishes(row: Reals, y: Reals, a: Reals, total: float, scale: float) -> bool:
    """Whether a derivative is rounding: of its terms and of a scale, or of the largest rate and acceleration."""
    n, largest, fastest = len(a), 0.0, 0.0
    for i in range(n):
        fastest, largest = max(fastest, abs(y[n + i])), max(largest, abs(a[i]))
    size = abs(row[0])
    for i in range(n):
        size += abs(row[1 + i]) * fastest + abs(row[1 + n + i]) * largest
    return abs(total) <= max(SMALL * max(size_along(row, y, a), scale), NEAR * size)


@kernel
def slopes_at(w: Switches, clock: Reals, y: Reals, values: Reals, k: int, slopes: Reals2) -> int:
    """The row of one switching function among slopes; those of a large system are asked for one by one, and have one row."""
    if w.large:
        w.derivative(clock, y, values, k, 1, slopes[0])
    return 0 if w.large else k


@kernel
def rate_of(w: Switches, y: Reals, a: Reals, k: int) -> float:
    """ġ of a switch, ahead, with accelerations a; in a large system with the modes in w.values."""
    row = slopes_at(w, w.clock, y, w.values, k, w.slopes)
    return along(w.slopes[row], y, a) * w.ahead


@kernel(lazy=True)
def sign_of(w: Switches, y: Reals, a: Reals, k: int, order: int, scale: float) -> float:
    """The sign of a derivative of g, ahead, with accelerations a and the modes in w.values; 0 where it vanishes.

    scale  below a part of which it counts as zero, beside its own terms
    """
    if order == 1:
        w.row[:] = w.slopes[slopes_at(w, w.clock, y, w.values, k, w.slopes)]
    elif w.force[k] != 0:
        return 0.0
    else:
        side = bend(w, y, a, k) if order == 2 else 0.0
        if side != 0.0:
            return side
        if order > w.orders[k]:
            w.failed[0] = 1
            return 0.0
        w.derivative(w.clock, y, w.values, k, order, w.row)
    total = along(w.row, y, a)
    if vanishes(w.row, y, a, total, scale):
        return 0.0
    if order % 2 == 1:
        total *= w.ahead
    return 1.0 if total > 0.0 else -1.0 if total < 0.0 else total


@kernel
def first_sign(w: Switches, y: Reals, a: Reals, k: int, scale: float) -> float:
    """The sign of the first derivative of g that does not vanish, ahead; 0 where none is seen."""
    sign = sign_of(w, y, a, k, 1, scale)
    for order in range(2, ORDERS + 1):
        if sign == 0.0:
            sign = sign_of(w, y, a, k, order, 0.0)
    return sign


@kernel
def rate_there(w: Switches, y: Reals, a: Reals, k: int, late: float) -> float:
    """ġ of a switch a moment before or after a state, along its motion with accelerations a."""
    n = len(a)
    for i in range(n):
        w.there[i] = y[i] + late * y[n + i] + 0.5 * late * late * a[i]
        w.there[n + i] = y[n + i] + late * a[i]
    w.clock_there[0] = w.clock[0] + late
    if not w.large:
        w.judge(w.clock_there, w.there, w.values, w.g_there, w.sizes_there, w.slopes_there)
    row = slopes_at(w, w.clock_there, w.there, w.values, k, w.slopes_there)
    if w.rates[k] != 0:
        w.rhs(w.clock_there, w.there, w.values, w.slope_there, w.growth, w.pivots)
    else:
        w.slope_there[n:] = a
    return along(w.slopes_there[row], w.there, w.slope_there[n:])


@kernel
def bend(w: Switches, y: Reals, a: Reals, k: int) -> float:
    """The side to which g̈ leads where ġ vanishes, from ġ a moment before and after; 0 where that does not tell."""
    late = SOON * max(1.0, abs(w.clock[0]))
    row = slopes_at(w, w.clock, y, w.values, k, w.slopes)
    now, size = along(w.slopes[row], y, a), size_along(w.slopes[row], y, a)
    after, before = rate_there(w, y, a, k, late), rate_there(w, y, a, k, -late)
    change = after - before
    clear = abs(change) > SMALL * size and abs(after + before - 2.0 * now) < CURVED * abs(change)
    if not clear:
        return 0.0
    return 1.0 if change > 0.0 else -1.0


@kernel(lazy=True)
def is_constant(w: Switches, y: Reals, values: Reals, k: int) -> bool:
    """Whether a switching function with modes of others in it is a number on this piece, as max(x, 0) is where x < 0.

    Its slopes are zero at the state, w.slopes, and at another one that is nothing special.
    """
    if w.inner[k] == 0 or w.force[k] != 0:
        return False
    constant, row = True, slopes_at(w, w.clock, y, values, k, w.slopes)
    for i in range(w.slopes.shape[1]):
        constant = constant and w.slopes[row, i] == 0.0
    if not constant:
        return False
    for i in range(len(y)):
        part = float(i + 2) * GOLDEN
        w.there[i] = y[i] + (1.0 + abs(y[i])) * (0.1 + 0.3 * (part - floor(part)))
    w.clock_there[0] = w.clock[0] + GOLDEN * (1.0 + abs(w.clock[0]))
    if not w.large:
        w.judge(w.clock_there, w.there, values, w.g_there, w.sizes_there, w.slopes_there)
    row = slopes_at(w, w.clock_there, w.there, values, k, w.slopes_there)
    for i in range(w.slopes.shape[1]):
        constant = constant and w.slopes_there[row, i] == 0.0
    return constant


# modes --------------------------------------------------------------------------------------------------------------
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
def sign_forces(w: Switches, y: Reals, values: Reals, fixed: Ints, natural: bool) -> int:
    """Sets the modes of switches of unknown forces, each on the side that g has with all of them: 1 if one has changed.

    0 if none has, −1 where no sign is right, or several.

    fixed    switches whose modes are given
    natural  whether those that are given stay, where they are right
    """
    loose, all_ = 0, 1
    for k in range(len(w.kind)):
        if w.force[k] != 0 and fixed[k] == 0:
            loose, all_ = loose + 1, 2 * all_
    if loose == 0:
        return 0
    right, first, same = 0, 0, False
    for number in range(all_ if loose <= FORCES else 0):
        w.trial[:] = values
        set_signs(w, w.trial, fixed, number)
        look(w, y, w.trial)
        agrees, own, alike = True, True, 0
        for k in range(len(w.kind)):
            if w.force[k] != 0 and fixed[k] == 0:
                side, zero = w.trial[w.mode[k]], abs(w.g[k]) <= NEAR * w.sizes[k]
                agrees = agrees and (zero or w.g[k] * side > 0.0)
                own = own and side == values[w.mode[k]]
                alike = 3 * alike + (0 if zero else 1 if side > 0.0 else 2)
        for i in range(right):  # where it is zero, both sides are one
            agrees = agrees and w.alike[i] != alike
        if agrees and right < SIGNS:
            first = number if right == 0 else first
            same = same or own
            w.alike[right], right = alike, right + 1
    w.trial[:] = values
    if right == 1:
        set_signs(w, values, fixed, first)
    look(w, y, values)
    if right != 1 and not (natural and same):
        w.why = int(Selection.TOO_MANY) if loose > FORCES else int(Selection.SEVERAL_SIGNS)
        if right == 0 and loose <= FORCES:
            w.why = int(Selection.NO_SIGN)
        w.count, w.number = 0, right
        for k in range(len(w.kind)):
            if w.force[k] != 0 and fixed[k] == 0:
                w.open[w.count] = k
                w.count += 1
        return -1
    changed = 0
    for k in range(len(w.kind)):
        if w.trial[w.mode[k]] != values[w.mode[k]]:
            changed = 1
    return changed


@kernel
def set_signs(w: Switches, values: Reals, fixed: Ints, number: int) -> None:
    """One of all combinations of signs of unknown forces, by its number: all up first, the last one changes first."""
    for i in range(len(w.kind)):
        k = len(w.kind) - 1 - i
        if w.force[k] != 0 and fixed[k] == 0:
            values[w.mode[k]] = 1.0 if number % 2 == 0 else -1.0
            number = number // 2


@kernel
def nest(w: Switches, y: Reals, values: Reals) -> bool:
    """Sets the modes of switches whose functions depend on modes that were decided now: whether they are found."""
    if not w.nested:
        return True
    for _ in range(NESTED + len(w.kind)):
        look(w, y, values)
        changed = False
        for k in range(len(w.kind)):
            told = w.tied[k] == 0 and w.g[k] != 0.0
            if free_of(w, k) and w.force[k] == 0 and (told or is_constant(w, y, values, k)):
                side = side_of(w, k, w.g[k])
                changed = changed or values[w.mode[k]] != side
                values[w.mode[k]] = side
        if not changed:
            found = sign_forces(w, y, values, w.tied, True)
            if found <= 0:
                return found == 0
    return refuse(w, int(Selection.ENDLESS))


@kernel
def take(w: Switches, values: Reals, k: int, side: float) -> None:
    """Sets the mode of a switch on a side, and its flag where it holds the motion."""
    values[w.mode[k]] = upper_of(w, k, w.zeros[k]) if side > 0.0 else lower_of(w, k, w.zeros[k])
    if w.flag[k] >= 0:
        values[w.flag[k]] = 1.0 if side == 0.0 else 0.0


@kernel
def try_choice(w: Switches, y: Reals, values: Reals, choice: Reals) -> bool:
    """w.values, w.slope ← modes and motion on chosen sides of what is open: whether they are found."""
    n, number = len(y) // 2, 0
    w.values[:] = values
    for j in range(w.count):
        take(w, w.values, w.open[j], choice[j])
        number = 3 * number + (0 if choice[j] > 0.0 else 1 if choice[j] < 0.0 else 2) if w.remembers else 0
    if w.nested:  # slopes of others are the same on all sides
        if not nest(w, y, w.values):
            return False
        look(w, y, w.values)
    if w.remembers and w.seen[number] != 0:
        w.slope[n:] = w.accelerations[number]
        return True
    accelerate(w, y, w.values)
    for i in range(n):
        w.largest = max(w.largest, abs(w.slope[n + i]))
    if w.remembers:
        w.seen[number], w.accelerations[number][:] = 1, w.slope[n:]
    return True


@kernel
def rate_across(w: Switches, y: Reals, values: Reals, choice: Reals, j: int, side: float) -> float:
    """ġ of what is open, the j-th, if it is on another side."""
    w.tried[:] = choice
    w.tried[j] = side
    k = w.open[j]
    if not try_choice(w, y, values, w.tried):
        return 0.0
    return rate_of(w, y, w.slope[len(y) // 2 :], k)
