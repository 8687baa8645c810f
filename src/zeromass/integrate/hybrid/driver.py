"""The driver of a motion over switches: steps, location of switches, selection of modes, and again, in one kernel.

It does what is ordinary and leaves the rest: a piece that ends in another way, by a step too small, a switch that is touched
or a decision by higher derivatives, is taken back to its beginning, and the status LEFT says that `switched` is to make it.
Nothing is kept on the stack: what has to be done by Python is done between two calls.
"""

from __future__ import annotations

from zeromass.integrate.hybrid.memory import (
    AHEAD,
    ATOL,
    BEHIND_AT,
    COUNTS,
    EVALUATIONS,
    EVENT,
    FINISHED,
    FIXED,
    LONGEST,
    NONE,
    PAUSED,
    QUIET,
    RECORD_FULL,
    RECORDED,
    REJECTED,
    RTOL,
    SLIDING,
    STARTED,
    STEPS,
    STRETCH,
    TRIES,
    UNTIL,
    Drive,
    H,
    Motion,
    T,
    watch,
)
from zeromass.integrate.hybrid.piece_end import allowed, ends_piece, open_step
from zeromass.integrate.hybrid.selection import Selection, select_modes
from zeromass.integrate.hybrid.switches import SIDE, Switches, accelerate, look
from zeromass.integrate.piecewise import LEAST
from zeromass.integrate.reaching import SHORTEST
from zeromass.integrate.shocks import SMALL
from zeromass.integrate.stepping.functions import FIRST
from zeromass.integrate.stepping.layout import Int64, Real64
from zeromass.integrate.stepping.step_functions import StepFunctions, functions_at
from zeromass.integrate.switching import RECENT, SHRINKS, STILL
from zeromass.kernel.language import Reals, copysign, kernel, sqrt
from zeromass.kernel.negative_values import begin_search, first_negative
from zeromass.kernel.roots import RootSearch


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
    if m.implicit:
        m.stepper[:] = m.stepper_begin
        if m.ints[RECORDED] == 0:
            m.increments.used[0] = 0
    m.reals[H] = first_step(m, w, target) if m.reals[FIXED] == 0.0 else copysign(m.fresh[H], w.ahead)
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
def selects(m: Motion, w: Switches) -> bool:
    """Selects the modes with which the motion goes on: whether they are decided."""
    if not m.large:
        flip(m, w)
    for i in range(len(m.which)):
        m.values[w.mode[m.which[i]]] = m.timed[m.place, i]
    y = m.y[: len(m.first)]
    if m.large:
        return m.select(w.clock, y, m.values)
    return select_modes(w, y, m.values, False) == int(Selection.DECIDED)


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
    w.clock[0] = m.reals[T]
    look(w, y, m.values)
    for k in range(len(w.kind)):
        held = w.flag[k] >= 0 and m.values[w.flag[k]] != 0.0
        mode, margin = m.values[w.mode[k]], abs(m.values[w.margin[k]])
        watched = w.kind[k] == SIDE and w.timed[k] == 0 and not held and mode != 0.0
        if watched and not w.g[k] * mode >= -margin:
            found = found or not w.g[k] * mode >= -margin - allowed(m, w, m.reals[T], y, k)
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
        for lane in range(s.inputs.shape[1]):
            s.inputs[first + p, lane] = m.values[p]


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
        decided = selects(m, w)
        m.flips[m.flipped] = m.reals[T]
        m.flipped += 0 if timed else 1
        if not decided or jumps(m, w) or chatters(m) or not defined_here(m, w):
            m.flipped -= 0 if timed else 1
            m.place -= 1 if timed else 0
            return take_back(m)
        note_piece(m)
        begin_piece(m, w, next_target(m))
        tell_modes(m, s)
