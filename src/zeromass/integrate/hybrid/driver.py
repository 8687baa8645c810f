"""The driver of a motion over switches: steps, location of switches, selection of modes, and again, in one kernel.

It does what is ordinary and leaves the rest: a piece that ends in another way, by a step too small, a switch that is touched
or a decision by higher derivatives, is taken back to its beginning, and the status LEFT says that `switched` is to make it.
Nothing is kept on the stack: what has to be done by Python is done between two calls.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Annotated

from zeromass.integrate.grazing import REACH
from zeromass.integrate.hybrid.selection import SIDE, TURN, Selection, Switches, accelerate, look, select_modes
from zeromass.integrate.piecewise import LEAST, NEARLY
from zeromass.integrate.reaching import BENT, CLOSE, FLAT, SHORTEST
from zeromass.integrate.shocks import SMALL
from zeromass.integrate.stepping.functions import FIRST
from zeromass.integrate.stepping.layout import HEAD, Int64, Real64
from zeromass.integrate.stepping.status import Status
from zeromass.integrate.stepping.step_functions import StepFunctions, functions_at, state_at
from zeromass.integrate.switching import RECENT, SHRINKS, STILL
from zeromass.kernel.language import Address, Ints, Reals, Reals2, Struct, function, kernel, sqrt
from zeromass.kernel.negative_values import NegativeSearch, begin_search, first_negative
from zeromass.kernel.roots import RootSearch, locate_roots
from zeromass.model.state import ROUNDING

T, H, UNTIL, RTOL, ATOL, LONGEST = (
    int(place) for place in (Real64.t, Real64.h, Real64.until, Real64.rtol, Real64.atol, Real64.longest)
)
RECORDED, STARTED, STEPS, REJECTED, EVALUATIONS, BUDGET, STRETCH, CAPACITY = (
    int(place)
    for place in (
        Int64.recorded,
        Int64.started,
        Int64.steps,
        Int64.rejected,
        Int64.evaluations,
        Int64.budget,
        Int64.stretch,
        Int64.capacity,
    )
)
BEHIND, BEHIND_AT, QUIET = int(Real64.behind), int(Real64.behind_at), int(Real64.quiet)
EVENT, FINISHED, PAUSED, RECORD_FULL, AHEAD = (
    int(status) for status in (Status.EVENT, Status.FINISHED, Status.PAUSED, Status.RECORD_FULL, Status.AHEAD)
)

NONE, SWITCH, SLIDING, LOWEST = range(4)
"""What a watched function is: an event that was asked for, of a switch, of one that holds the motion, or a rate of these."""

TRIES = 8
"""How often a piece is made again up to an earlier place."""

COUNTS = 4
"""Of a piece: rows of the record, steps, rejected ones and evaluations before it."""


class Drive(IntEnum):
    """Why the driver returns."""

    FINISHED = 0
    PAUSED = 1
    RECORD_FULL = 2
    LOG_FULL = 3
    AHEAD = 4
    LEFT = 5  # the piece that has begun is to be made otherwise


class Motion(Struct):
    """A motion on its way, the memory of its method, and the pieces that it has gone through.

    reals, ints, y, values, record, signs   of the workspace; fresh: `reals` as a piece begins
    in_lanes, dense_in_lanes   parameters of a method whose states are in lanes, (p, lanes), or (0, 1)
    advance           steps of the method, called with `arguments`
    dense, dense_of_15   polynomial of a step, called with its arguments: one of them, by `fifteen`
    span, first, last, row   of the step that it is asked for: t and h, the states at its ends, and all of these
    again             memory of steps from an earlier state, which `retakes` tells whether they are taken
    cause, of, below  of each watched function what it is, the switch, and which of its functions
    slopes            of each watched function where its rate is among them, or −1
    continuous        of each switch whether nothing but forces jumps at it; 2 if the energy is to be compared
    energy            potential and total energy; `energies` room for them before and after
    step, dips        for looks inside steps, and for functions that may dip below zero unseen
    times, timed      of switches of time alone: when, and their modes in between, (times + 1, timed switches)
    which, place      these switches, and which time is next
    until, start      of the run
    stalled, changes  limits of the run
    begun, was        the start of the piece: t and y, and its parameters
    log, counts       pieces: t, y, and all parameters of modes, (pieces, 1 + 2n + hidden); and `COUNTS` of each
    hidden            where these parameters begin
    pieces            how many have begun
    sooner, tries     where a piece ends that is made again, and how often it was
    flips, flipped    times of switches that time does not tell, and how many
    ends, work, moved   room for values of watched functions, for a state and for its slope
    """

    reals: Reals
    fresh: Reals
    ints: Ints
    y: Reals
    values: Reals
    record: Reals2
    signs: Reals2
    in_lanes: Reals2
    dense_in_lanes: Reals2
    advance: Annotated[Callable[..., int], function(*[Address] * 14, result=int)]
    arguments: Ints
    dense: Annotated[Callable[..., int], function(*[Address] * 14, result=int)]
    dense_of_15: Annotated[Callable[..., int], function(*[Address] * 15, result=int)]
    fifteen: bool
    dense_arguments: Ints
    span: Reals
    first: Reals
    last: Reals
    row: Reals
    again_arguments: Ints
    retakes: bool
    again_reals: Reals
    again_ints: Ints
    again_y: Reals
    cause: Ints
    of: Ints
    below: Ints
    slopes: Ints
    continuous: Ints
    energy: Annotated[Callable[..., None], function(Reals, Reals, Reals, Reals)]
    energies: Reals2
    times: Reals
    timed: Reals2
    which: Ints
    place: int
    until: float
    start: float
    stalled: float
    changes: int
    begun: Reals
    was: Reals
    log: Reals2
    counts: Ints
    hidden: int
    pieces: int
    sooner: float
    tries: int
    flips: Reals
    flipped: int
    ends: Reals
    work: Reals
    moved: Reals
    step: StepFunctions
    dips: NegativeSearch


@kernel
def watch(m: Motion, w: Switches, t: float, y: Reals, values: Reals) -> None:
    """values ← the watched functions at a state."""
    w.clock[0] = t
    if len(values) > 0:
        w.guard(w.clock, y, m.values, values)


@kernel
def first_step(m: Motion, w: Switches, target: float) -> float:
    """A first step from the size of the state, its slope and the slope's change [HNW1993, §II.4]."""
    t, count = m.reals[T], len(m.first)
    y, f = m.y[:count], m.moved
    w.clock[0] = t
    accelerate(w, y, m.values)
    f[:] = w.slope
    rtol, atol = m.reals[RTOL], m.reals[ATOL]
    d0, d1, d2, width = 0.0, 0.0, 0.0, sqrt(float(count))
    for i in range(count):
        scale = (atol + rtol * abs(y[i])) * width
        d0 += y[i] / scale * (y[i] / scale)
        d1 += f[i] / scale * (f[i] / scale)
    d0, d1 = sqrt(d0), sqrt(d1)
    guess = 1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1
    guess = min(guess, abs(target - t))
    if guess == 0.0:
        guess = 1e-6
    guess = max(guess, FIRST * abs(t))
    ahead = guess if target >= t else -guess
    for i in range(count):
        m.work[i] = y[i] + ahead * f[i]
    w.clock[0] = t + ahead
    accelerate(w, m.work, m.values)
    for i in range(count):
        x = (w.slope[i] - f[i]) / ((atol + rtol * abs(y[i])) * width)
        d2 += x * x
    d2 = sqrt(d2) / guess
    largest = max(d1, d2)
    second = max(1e-6, guess * 1e-3)
    if largest > 1e-15:
        second = sqrt(sqrt(sqrt(0.01 / largest)))
    step = min(min(100.0 * guess, second), m.reals[LONGEST])
    w.clock[0] = t
    return step if target >= t else -step


@kernel
def begin_piece(m: Motion, w: Switches, target: float) -> None:
    """Steps begin anew at the state, on the pieces that the parameters say; what is watched has the sides of its start."""
    count, t = len(m.first), m.reals[T]
    growth = m.reals[int(Real64.growth_limit)]
    m.reals[:] = m.fresh
    m.reals[T], m.reals[QUIET], m.reals[BEHIND_AT] = t, t, t
    m.reals[int(Real64.growth_limit)] = growth
    m.ints[STARTED], m.ints[int(Int64.repeated)], m.ints[STRETCH] = 0, 0, 0
    m.reals[H] = first_step(m, w, target)
    for p in range(m.in_lanes.shape[0]):
        for lane in range(m.in_lanes.shape[1]):
            m.in_lanes[p, lane] = m.values[p]
            m.dense_in_lanes[p, lane] = m.values[p]
    watch(m, w, t, m.y[:count], w.guards)
    for c in range(len(m.cause)):
        m.signs[c, 0] = w.guards[c]
    for c in range(len(m.cause)):
        at = m.slopes[c]
        if at >= 0:
            rises = m.signs[at, 0] * w.ahead
            if m.signs[c, 0] == 0.0 and rises * abs(m.reals[H]) > m.reals[ATOL]:
                m.signs[c, 0] = LEAST
            if rises < 0.0 and w.guards[c] <= 2.0 * abs(m.values[w.margin[m.of[c]]]):
                m.signs[at, 0] = LEAST * w.ahead
    m.begun[0] = t
    m.begun[1:] = m.y[:count]
    m.was[:] = m.values


@kernel
def note_piece(m: Motion) -> None:
    """Writes the piece that begins into the log."""
    count, row = len(m.first), m.log[m.pieces]
    row[0] = m.reals[T]
    row[1 : 1 + count] = m.y[:count]
    for i in range(len(m.values) - m.hidden):
        row[1 + count + i] = m.values[m.hidden + i]
    place = COUNTS * m.pieces
    m.counts[place], m.counts[place + 1] = m.ints[RECORDED], m.ints[STEPS]
    m.counts[place + 2], m.counts[place + 3] = m.ints[REJECTED], m.ints[EVALUATIONS]
    m.pieces += 1


@kernel
def take_back(m: Motion) -> int:
    """The state and the record as the piece began: LEFT."""
    place, count = COUNTS * (m.pieces - 1), len(m.first)
    m.tries = 0
    m.reals[T] = m.begun[0]
    m.y[:count] = m.begun[1:]
    m.values[:] = m.was
    m.ints[RECORDED], m.ints[STEPS] = m.counts[place], m.counts[place + 1]
    return int(Drive.LEFT)


@kernel
def open_step(m: Motion, last: int) -> None:
    """A step of the piece, by its row in the record, and its polynomial, for looks inside it."""
    s, count = m.step, len(m.first)
    t1 = m.record[last, 0]
    before = last > m.counts[COUNTS * (m.pieces - 1)]
    t0 = m.record[last - 1, 0] if before else m.begun[0]
    for i in range(count):
        m.first[i] = m.record[last - 1, HEAD + i] if before else m.begun[1 + i]
        m.last[i] = m.record[last, HEAD + i]
    s.step, s.t0[0], s.t1[0] = 0, t0, t1
    m.span[0], m.span[1] = t0, t1 - t0
    for i in range(count):
        s.y0[0, i], s.y1[0, i] = m.first[i], m.last[i]
    a = m.dense_arguments
    if m.fifteen:
        m.dense_of_15(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13], a[14])
    else:
        m.row[0], m.row[1] = t0, t1 - t0
        for i in range(count):
            m.row[2 + i], m.row[2 + count + i] = m.first[i], m.last[i]
        m.dense(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13])


@kernel
def place_looks(s: StepFunctions, r: RootSearch, fractions: Reals) -> None:
    """Where functions are looked at first in a step."""
    n, t0, t1 = len(fractions), s.t0[0], s.t1[0]
    for k in range(n - 1):
        r.places[k] = t0 + (t1 - t0) * fractions[k]
    for k in range(n - 1, len(r.places)):
        r.places[k] = t1


@kernel
def add_places(r: RootSearch, low: RootSearch, looks: int, ahead: float) -> bool:
    """Adds the places where functions turn, in order: whether there is room for them."""
    if looks + low.count > len(r.places):
        return False
    count = looks
    for k in range(low.count):
        x, j = low.times[k], count
        while j > 0 and ahead * r.places[j - 1] > ahead * x:
            j -= 1
        if j == 0 or r.places[j - 1] != x:
            for i in range(count, j, -1):
                r.places[i] = r.places[i - 1]
            r.places[j] = x
            count += 1
    return True


@kernel
def allowed(m: Motion, w: Switches, t: float, y: Reals, k: int) -> float:
    """By how much a switching function may be off at a state, from the tolerances of a step."""
    w.clock[0] = t
    look(w, y, m.values)
    total = 0.0
    for i in range(len(y)):
        total += abs(w.slopes[k, 1 + i]) * (m.reals[ATOL] + m.reals[RTOL] * abs(y[i]))
    return total


@kernel
def touches(m: Motion, w: Switches, s: StepFunctions, r: RootSearch, low: RootSearch, end: float) -> bool:
    """Whether a switch is nearly touched before the end of a piece, where both its sides may lead to other motions."""
    t0, t1 = s.t0[0], s.t1[0]
    for k in range(low.count + 1):
        time = low.times[k] if k < low.count else end
        if abs(time - t0) > abs(end - t0) or (k == low.count and r.count == 0):
            continue
        for c in range(len(m.cause)):
            at = m.slopes[c]
            turns = k < low.count and at == low.columns[low.which[k]]
            if at < 0 or not (turns or (k == low.count and c == r.columns[r.which[0]])):
                continue
            r.evaluate(r.context, t0)
            g0, r0 = r.values[c], r.values[at]
            r.evaluate(r.context, t1)
            g1, r1 = r.values[c], r.values[at]
            r.evaluate(r.context, time)
            g, rate = r.values[c], r.values[at]
            bend = max(abs(rate - r0), abs(r1 - rate)) / abs(t1 - t0)
            near = 2.0 * bend * (NEARLY * max(abs(g0), abs(g1)) - abs(g)) >= rate * rate and time != m.until
            if near and max(abs(g0), abs(g1)) > REACH * allowed(m, w, time, s.row[1:], m.of[c]):
                return True
    return False


@kernel
def cut(m: Motion, t: float, y: Reals) -> None:
    """Ends the last step earlier."""
    last = m.ints[RECORDED] - 1
    m.record[last, 1] = m.record[last, 1] - (m.record[last, 0] - t)
    m.record[last, 0], m.reals[T] = t, t
    for i in range(len(y)):
        m.record[last, HEAD + i], m.y[i] = y[i], y[i]


@kernel
def retake(m: Motion, t: float, y: Reals) -> None:
    """y ← the state at a time by one step from the beginning of the last step, as far as its control allows that."""
    a, count = m.again_arguments, len(y)
    m.again_reals[:] = m.fresh
    m.again_reals[T], m.again_reals[H], m.again_reals[UNTIL] = m.span[0], t - m.span[0], t
    m.again_reals[QUIET] = m.span[0]
    m.again_y[:count] = m.first
    m.again_ints[RECORDED], m.again_ints[STARTED], m.again_ints[int(Int64.repeated)] = 0, 0, 0
    m.again_ints[BUDGET] = m.again_ints[CAPACITY]
    m.advance(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13])
    if m.again_reals[T] == t:
        y[:] = m.again_y[:count]


@kernel
def sharpen(m: Motion, w: Switches, c: int) -> None:
    """Moves the end of a piece to g = 0 to rounding, by Newton's method, where g is nearly linear."""
    count, k, at = len(m.first), m.of[c], m.slopes[c]
    t, y = m.reals[T], m.work
    y[:] = m.y[:count]
    margin = m.values[w.margin[k]]
    border = margin if w.kind[k] == SIDE else max(margin if m.below[c] == 0 else -margin, 0.0)
    length = abs(t - m.span[0])
    w.clock[0] = t
    accelerate(w, y, m.values)
    m.moved[:] = w.slope
    look(w, y, m.values)
    size, near = w.sizes[k], 4.0 * abs(margin)
    watch(m, w, t, y, w.guards)
    off, falls = w.guards[c], w.guards[at]
    for again in range(3):
        off -= border
        if not abs(off) <= abs(falls) * CLOSE * max(1.0, abs(t)) + near or abs(off) > abs(falls) * length / 2.0:
            return
        late = -off / falls
        t += late
        for i in range(count):
            y[i] += late * m.moved[i]
        if again < 2 and m.retakes and abs(falls) * length < FLAT * size:
            retake(m, t, y)
            near = 1e300
        before = falls
        watch(m, w, t, y, w.guards)
        off, falls = w.guards[c], w.guards[at]
        if abs(falls - before) > BENT * abs(before):
            return
        if off == border:
            break
    if off > border:  # it ends where the next piece begins
        late = 2.0 * abs((off - border + ROUNDING * size) / falls) * w.ahead
        t += late
        for i in range(count):
            y[i] += late * m.moved[i]
        watch(m, w, t, y, w.guards)
        if abs(w.guards[at] - falls) > BENT * abs(falls):
            return
    cut(m, t, y)


@kernel
def ends_piece(m: Motion, w: Switches, s: StepFunctions, r: RootSearch, low: RootSearch, fractions: Reals) -> int:
    """Locates the first switch in the last step and ends the piece there: 1, 0 if there is none, or −1 to leave it."""
    open_step(m, m.ints[RECORDED] - 1)
    s.unsure = 0
    place_looks(s, low, fractions)
    place_looks(s, r, fractions)
    if len(low.columns) > 0:
        locate_roots(low)
        if not add_places(r, low, len(fractions), w.ahead):
            return -1
    else:
        low.count = 0
    locate_roots(r)
    if s.unsure > 0 or touches(m, w, s, r, low, r.times[0] if r.count > 0 else s.t1[0]):
        return -1
    if r.count == 0:
        return 0
    end = r.times[0]
    for k in range(len(w.kind)):
        w.reached[k] = 0
    switches = 0
    for i in range(r.count):
        if abs(r.times[i] - s.t0[0]) > abs(end - s.t0[0]) + 2.0 * r.tolerance:
            break
        c = r.columns[r.which[i]]
        k = m.of[c]
        if m.cause[c] == NONE or w.kind[k] == TURN:
            return -1
        if w.reached[k] != 0:
            return -1
        w.reached[k] = c + 1
        switches += 1
    state_at(s, end)
    if s.unsure > 0 or end == m.reals[UNTIL]:
        return -1
    cut(m, end, s.row[1:])
    c = r.columns[r.which[0]]
    slide = False
    for k in range(len(w.kind)):
        slide = slide or (w.flag[k] >= 0 and m.values[w.flag[k]] != 0.0)
    if switches == 1 and m.cause[c] == SWITCH and m.slopes[c] >= 0 and not slide:
        sharpen(m, w, c)
    return 1


@kernel
def flip(m: Motion, w: Switches) -> None:
    """Sets the modes of switches that were reached to the sides that they go to."""
    for k in range(len(w.kind)):
        c = w.reached[k] - 1
        place = w.mode[k]
        held = w.flag[k] >= 0 and m.values[w.flag[k]] != 0.0
        way = -1.0 if c >= 0 and m.below[c] == 0 else 1.0
        if held:
            wide = 2.0 if w.kind[k] == SIDE else 1.0
            m.values[place] += wide if way > 0.0 else 0.0
        elif c >= 0:
            m.values[place] = -m.values[place] if w.kind[k] == SIDE else m.values[place] + way


@kernel
def jumps(m: Motion, w: Switches) -> bool:
    """Whether something may jump where modes have changed from those of the piece: constraints, masses, energies, events."""
    count = len(m.first)
    y = m.y[:count]
    compare = False
    for k in range(len(w.kind)):
        if m.values[w.mode[k]] != m.was[w.mode[k]]:
            if m.continuous[k] == 0:
                return True
            compare = compare or m.continuous[k] == 2
    if compare:
        m.energy(w.clock, y, m.was, m.energies[0])
        m.energy(w.clock, y, m.values, m.energies[1])
        size = 0.0
        for i in range(m.energies.shape[1]):
            size = max(size, abs(m.energies[0, i]) + abs(m.energies[1, i]))
        if not abs(m.energies[1, 0] - m.energies[0, 0]) <= SMALL * size:
            return True
    some = False
    for c in range(len(m.cause)):
        some = some or m.cause[c] == NONE
    if some:
        w.guard(w.clock, y, m.was, m.ends)
        w.guard(w.clock, y, m.values, w.guards)
        for c in range(len(m.cause)):
            if m.cause[c] == NONE and m.ends[c] * w.guards[c] <= 0.0:
                return True
    return False


@kernel
def chatters(m: Motion) -> bool:
    """Whether switches follow one another faster and faster, so that there would be no end of them."""
    count = m.flipped
    if count < RECENT:
        return False
    now = m.flips[count - 1]
    span = abs(now - m.flips[count - RECENT])
    if span < m.stalled * abs(m.until - m.start):
        return True
    half = count // 2
    if count < max(m.changes, 2 * RECENT):
        return False
    before = abs(m.flips[half] - m.flips[half - RECENT])
    return span < SHRINKS * before and abs(m.until - now) * float(RECENT) > float(STILL * count) * span


@kernel
def strays(m: Motion, w: Switches) -> bool:
    """Whether the motion has come beyond a switch at which its piece was to end, by more than its tolerances allow."""
    y, found = m.y[: len(m.first)], False
    for k in range(len(w.kind)):
        held = w.flag[k] >= 0 and m.values[w.flag[k]] != 0.0
        mode, margin = m.values[w.mode[k]], abs(m.values[w.margin[k]])
        if w.kind[k] == SIDE and w.timed[k] == 0 and not held and mode != 0.0:
            margin += allowed(m, w, m.reals[T], y, k)
            found = found or not w.g[k] * mode >= -margin
    return found


@kernel
def functions_in_piece(m: Motion, t: float) -> None:
    """m.step.values ← the watched functions at a time in the step that is open."""
    functions_at(m.step, t)


@kernel
def select_in_piece(m: Motion, step: int) -> None:
    """Opens a step of the piece, by its number in it."""
    open_step(m, m.counts[COUNTS * (m.pieces - 1)] + step)


@kernel
def dips_unseen(m: Motion, w: Switches) -> bool:
    """Whether a function of the piece has dipped below zero between two looks, or may have."""
    search, first = m.dips, m.counts[COUNTS * (m.pieces - 1)]
    steps, some = m.ints[RECORDED] - first, False
    for j in range(len(search.columns)):
        c = search.columns[j]
        k = m.of[c]
        held = w.flag[k] >= 0 and m.values[w.flag[k]] != 0.0
        some = some or held == (m.cause[c] == SLIDING)
    if not some or steps == 0:
        return False
    if steps >= len(search.t):
        m.step.unsure = 1
        return True
    search.t[0] = m.begun[0]
    for i in range(steps):
        search.t[i + 1] = m.record[first + i, 0]
    search.count, search.first, search.last, m.step.unsure = steps, 0, steps, 0
    search.shortest = SHORTEST * abs(m.reals[UNTIL] - m.begun[0])
    begin_search(search)
    first_negative(search)
    return search.place != search.t[steps] or m.step.unsure > 0


@kernel
def defined_here(m: Motion, w: Switches) -> bool:
    """Whether the slope is a number at the state."""
    w.clock[0] = m.reals[T]
    accelerate(w, m.y[: len(m.first)], m.values)
    total = 0.0
    for i in range(len(m.first)):
        total += w.slope[i] - w.slope[i]
    return total == 0.0


@kernel
def tell_modes(m: Motion, s: StepFunctions) -> None:
    """The parameters of a piece, for looks inside its steps."""
    first = 1 + len(m.first)
    for p in range(len(m.values)):
        s.inputs[first + p, 0] = m.values[p]


@kernel
def next_target(m: Motion) -> float:
    """The next time at which a switch of time alone happens, or the end of the run."""
    return m.times[m.place] if m.place < len(m.times) else m.until


@kernel
def drive(
    m: Motion, w: Switches, s: StepFunctions, r: RootSearch, low: RootSearch, fractions: Reals, begins: bool
) -> int:
    """Steps over switches until the end of the run, or until Python is needed; see `Drive`."""
    if begins:
        note_piece(m)
        begin_piece(m, w, next_target(m))
        tell_modes(m, s)
    a = m.arguments
    while True:
        if m.pieces >= m.log.shape[0] or m.flipped >= len(m.flips):
            return int(Drive.LOG_FULL)
        m.reals[UNTIL] = m.sooner if m.tries > 0 else next_target(m)
        status = m.advance(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13])
        if status == PAUSED:
            return int(Drive.PAUSED)
        if status == RECORD_FULL:
            return int(Drive.RECORD_FULL)
        if status == AHEAD:
            return int(Drive.AHEAD)
        timed = status == FINISHED
        if status != EVENT and not (timed and m.tries == 0):
            return take_back(m)
        if not timed:
            found = ends_piece(m, w, s, r, low, fractions)
            if found < 0:
                return take_back(m)
            if found == 0:
                continue
        if dips_unseen(m, w):  # the piece is made again up to where that is
            tries, place = m.tries + 1, m.dips.place
            take_back(m)
            if m.step.unsure > 0 or tries > TRIES:
                return int(Drive.LEFT)
            m.sooner, m.tries = place, tries
            begin_piece(m, w, place)
            continue
        m.tries = 0
        if timed and strays(m, w):
            return take_back(m)
        if timed and m.reals[T] == m.until:
            return int(Drive.FINISHED)
        w.clock[0] = m.reals[T]
        if timed:
            m.place += 1
            for k in range(len(w.kind)):
                w.reached[k] = 0
        flip(m, w)
        for i in range(len(m.which)):
            m.values[w.mode[m.which[i]]] = m.timed[m.place, i]
        decided = select_modes(w, m.y[: len(m.first)], m.values, False) == int(Selection.DECIDED)
        m.flips[m.flipped] = m.reals[T]
        m.flipped += 0 if timed else 1
        if not decided or jumps(m, w) or chatters(m) or not defined_here(m, w):
            m.flipped -= 0 if timed else 1
            m.place -= 1 if timed else 0
            return take_back(m)
        note_piece(m)
        begin_piece(m, w, next_target(m))
        tell_modes(m, s)
