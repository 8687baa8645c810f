"""The driver of a motion over switches: steps, location of switches, selection of modes, and again, in one kernel.

It does what is ordinary and leaves the rest. A piece that ends in another way, by a step too small or a switch that is
touched, is taken back to its beginning, and the status LEFT says that `switched` is to make it; where one has ended and
rates jump, or higher derivatives decide, the status is DECIDE. Nothing is kept on the stack: what has to be done by Python
is done between two calls.
"""

from __future__ import annotations

from zeromass.integrate.hybrid.grazing import allowed
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
    MAY_PASS,
    NONE,
    NOT_A_NUMBER,
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
    TOO_SMALL,
    TRIES,
    UNTIL,
    Drive,
    H,
    Motion,
    T,
    watch,
)
from zeromass.integrate.hybrid.messages import Selection
from zeromass.integrate.hybrid.piece_end import CLOSE, PieceEnd, ends_piece, open_step, stops_at_switch
from zeromass.integrate.hybrid.selection import select_modes
from zeromass.integrate.hybrid.switches import SIDE, Switches, accelerate, look
from zeromass.integrate.methods.radau.memory import Slot
from zeromass.integrate.shocks import SMALL
from zeromass.integrate.stepping.functions import FIRST
from zeromass.integrate.stepping.layout import HEAD, Int64, Real64
from zeromass.integrate.stepping.step_functions import StepFunctions, functions_at, project
from zeromass.integrate.switching import RECENT, SHRINKS, STILL
from zeromass.integrate.timetable import TOGETHER
from zeromass.kernel.language import Reals, copysign, kernel, sqrt
from zeromass.kernel.negative_values import begin_search, first_negative
from zeromass.kernel.roots import RootSearch

LEAST = 2.0**-1022
"""What a function that rises from zero is taken for there."""

SHORTEST = 1e-6
"""Part of a piece below which no closer look is taken at what does not tell itself from places inside a step."""

BEYOND, LOOKS = 1e-6, 9
"""Part of the terms of a switching function by which it is on the other side of its switch, beyond any rounding, and states
of a piece by which these terms are known."""

ORDER = int(Slot.place) - int(Slot.t)
"""Place of the order in what an implicit method keeps."""

LAST = 3
"""Steps before a switch, of which the longest is tried first behind it."""

NEAR_BY = 4.0
"""Times the accuracy of located switches, by which rates may be beside a switch that holds a motion from there on."""

LEAST_PART = 2.0**-6
"""Of the time between switches that count as one, by which one of them may be earlier or later."""


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
        order = m.stepper[ORDER]
        m.stepper[:] = m.stepper_begin
        m.stepper[ORDER] = order if m.stride > 0.0 else m.stepper[ORDER]
        if m.ints[RECORDED] == 0:
            m.increments.used[0] = 0
    if m.reals[FIXED] != 0.0:
        m.reals[H] = copysign(m.fresh[H], w.ahead)
    else:
        step = max(abs(first_step(m, w, target)), min(m.stride, abs(target - t)))
        m.reals[H] = min(step, m.reals[LONGEST]) * w.ahead
    for p in range(m.in_lanes.shape[0]):
        for lane in range(m.in_lanes.shape[1]):
            m.in_lanes[p, lane] = m.values[p]
            m.dense_in_lanes[p, lane] = m.values[p]
    watch(m, w, t, m.y[:count], w.guards)
    for c in range(len(m.cause)):
        m.signs[c, 0] = w.guards[c]
    leave_switches(m, w)
    m.begun[0] = t
    m.begun[1:] = m.y[:count]
    m.was[:] = m.values


@kernel
def leave_switches(m: Motion, w: Switches) -> None:
    """Says on which side of its switches a piece begins.

    A function that rises from zero itself, which has no side, is above it: a step over all of the piece would not be seen.
    And where rounding says that one which rises from nearly zero falls first, it errs.
    """
    for c in range(len(m.cause)):
        at = m.slopes[c]
        if at >= 0:
            rises = m.signs[at, 0] * w.ahead
            if m.signs[c, 0] == 0.0 and rises * abs(m.reals[H]) > m.reals[ATOL]:
                m.signs[c, 0] = LEAST
            if rises < 0.0 and m.signs[c, 0] <= 2.0 * abs(m.values[w.margin[m.of[c]]]):
                m.signs[at, 0] = LEAST * w.ahead


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
    m.counts[place + 4] = m.occurrences
    m.pieces += 1


@kernel
def has_events(m: Motion) -> bool:
    """Whether there are events that were asked for."""
    some = False
    for c in range(len(m.cause)):
        some = some or m.cause[c] == NONE
    return some


@kernel
def forget_pieces(m: Motion) -> None:
    """Makes the room of all pieces free, but for what is asked of the whole motion."""
    for i in range(m.ints[RECORDED]):
        m.largest = max(m.largest, m.record[i, 2])
    m.ints[RECORDED], m.pieces, m.occurrences = 0, 0, 0


@kernel
def take_back(m: Motion) -> int:
    """The state and the record as the piece began: LEFT."""
    place, count = COUNTS * (m.pieces - 1), len(m.first)
    m.tries = 0
    m.reals[T] = m.begun[0]
    m.y[:count] = m.begun[1:]
    m.values[:] = m.was
    m.ints[RECORDED], m.ints[STEPS] = m.counts[place], m.counts[place + 1]
    m.occurrences = m.counts[place + 4]
    return int(Drive.LEFT)


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
    if has_events(m):
        w.guard(w.clock, y, m.was, m.ends)
        w.guard(w.clock, y, m.values, w.guards)
        for c in range(len(m.cause)):
            if m.cause[c] == NONE and m.ends[c] * w.guards[c] <= 0.0:
                return True
    return False


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
            w.clock[0] = m.begun[0]
            look(w, m.begun[1:], m.values)
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
def tell_modes(m: Motion, s: StepFunctions) -> None:
    """The parameters of a piece, for looks inside its steps."""
    first = 1 + len(m.first)
    for p in range(len(m.values)):
        for lane in range(s.inputs.shape[1]):
            s.inputs[first + p, lane] = m.values[p]


@kernel
def defined_at(m: Motion, w: Switches, t: float, values: Reals) -> bool:
    """Whether the slope of the state is a number at a time, for some modes."""
    w.clock[0] = t
    accelerate(w, m.y[: len(m.first)], values)
    total = 0.0
    for i in range(len(m.first)):
        total += w.slope[i] - w.slope[i]
    return total == 0.0


@kernel
def next_target(m: Motion, w: Switches) -> float:
    """The next time at which a switch of time alone happens, or the end of the run.

    To rounding, and where the formulas before and after it have values: as exp(−1/(1 − s²)) between s = −1 and 1, which
    rounding makes infinite at the ends.
    """
    if m.place >= len(m.times):
        return m.until
    t = m.times[m.place]
    if m.timeless:
        return t
    w.values[:] = m.values
    for i in range(len(m.which)):
        w.values[w.mode[m.which[i]]] = m.timed[m.place + 1, i]
    part, late = 0.0, TOGETHER * max(1.0, abs(t))
    while part <= 1.0:
        for side in range(2):
            time = t + (1.0 if side == 0 else -1.0) * part * late
            if defined_at(m, w, time, m.values) and defined_at(m, w, time, w.values):
                return time
        part = 2.0 * part if part > 0.0 else LEAST_PART
    return t


@kernel
def drive(
    m: Motion, w: Switches, s: StepFunctions, r: RootSearch, low: RootSearch, fractions: Reals, begins: bool
) -> int:
    """Steps over switches until the end of the run, or until Python is needed; see `Drive`."""
    if begins:
        m.stride = 0.0
        enter_piece(m, w, s)
    a = m.arguments
    while True:
        if m.pieces >= m.log.shape[0] or m.flipped >= len(m.flips):
            return int(Drive.LOG_FULL)
        if has_events(m) and m.occurrences + len(r.times) > m.occurred.shape[0]:
            return int(Drive.LOG_FULL)
        m.reals[UNTIL] = m.sooner if m.tries > 0 else m.target
        status = m.advance(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13])
        m.status = status
        if status == PAUSED:
            return int(Drive.PAUSED)
        if status == RECORD_FULL:
            return int(Drive.RECORD_FULL)
        if status == AHEAD:
            return int(Drive.AHEAD)
        timed, found = status == FINISHED, int(PieceEnd.FINISHED)
        if status == EVENT:
            found = ends_piece(m, w, s, r, low, fractions)
            if found == int(PieceEnd.NONE):
                continue
        elif not timed or m.tries > 0:
            found = int(PieceEnd.UNKNOWN)
            if not timed and stuck(status) and stops_at_switch(m, w):
                found = int(PieceEnd.SWITCH)
        if m.stride > 0.0 and status == EVENT and m.ints[RECORDED] == m.counts[COUNTS * (m.pieces - 1)] + 1:
            take_back(m)  # a motion as short as a step may be smaller than its tolerances: it is begun with care
            m.stride = 0.0
            begin_piece(m, w, m.target)
            continue
        if found > int(PieceEnd.TOUCHED) or passes_beyond(m, found):
            return take_back(m)
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
            return int(Drive.STRAYED)
        if found == int(PieceEnd.EVENT):
            return int(Drive.EVENT)
        if found == int(PieceEnd.TOUCHED):
            return int(Drive.TOUCHED)
        if found == int(PieceEnd.FINISHED) and m.reals[T] == m.until:
            return int(Drive.FINISHED)
        if timed:
            for k in range(len(w.kind)):
                w.reached[k] = 0
        if not goes_on(m, w, timed):
            return int(Drive.DECIDE)
        m.stride = stride_of(m)
        enter_piece(m, w, s)


@kernel
def stuck(status: int) -> bool:
    """Whether steps find no further one."""
    if status == NOT_A_NUMBER:
        return True
    return status == TOO_SMALL


@kernel
def passes_beyond(m: Motion, found: int) -> bool:
    """Whether a motion may pass through beyond the event that ends it."""
    some = False
    for i in range(m.counts[COUNTS * (m.pieces - 1) + 4], m.occurrences):
        some = some or m.terminal[int(m.occurred[i, 0])] == MAY_PASS
    return found == int(PieceEnd.EVENT) and some


@kernel
def goes_on(m: Motion, w: Switches, timed: bool) -> bool:
    """Selects the modes of the next piece where one has ended; where the kernel does not decide that, nothing is changed."""
    y = m.y[: len(m.first)]
    w.clock[0] = m.reals[T]
    m.place += 1 if m.reals[T] == m.target else 0
    for i in range(len(m.which)):
        m.values[w.mode[m.which[i]]] = m.timed[m.place, i]
    m.flips[m.flipped] = m.reals[T]
    m.flipped += 0 if timed else 1
    decided = select_modes(w, y, m.values, False) == int(Selection.DECIDED)
    least = m.stalled * abs(m.until - m.start)
    ends = chatters(m.flips, m.flipped, m.until, least, m.changes)
    if decided and not ends and not jumps(m, w) and defined_at(m, w, m.reals[T], m.values):
        return True
    m.flipped -= 0 if timed else 1
    m.values[:] = m.was
    return False


@kernel
def settle_on_switches(m: Motion, w: Switches, s: StepFunctions) -> None:
    """Brings the state onto the switches that hold the motion from here on, as far as their location may be off.

    A step that begins beside them would have to return further than its own error explains.
    """
    y, t, held = m.y[: len(m.first)], m.reals[T], False
    for k in range(len(w.kind)):
        held = held or (w.flag[k] >= 0 and m.values[w.flag[k]] != 0.0)
    if not held or not s.projects:
        return
    n, late = len(y) // 2, NEAR_BY * CLOSE * max(1.0, abs(t))
    fastest, largest = 0.0, 0.0
    w.clock[0] = t
    accelerate(w, y, m.was)
    for i in range(n):
        fastest, largest = max(fastest, abs(w.slope[i])), max(largest, abs(w.slope[n + i]))
    s.row[1:] = y
    project(s, t)
    for i in range(2 * n):
        if not abs(s.row[1 + i] - y[i]) <= late * (fastest if i < n else largest):
            return
    y[:] = s.row[1:]


@kernel
def stride_of(m: Motion) -> float:
    """The longest of the last steps; the very last one was cut where it met a switch."""
    first, found = m.counts[COUNTS * (m.pieces - 1)], 0.0
    for row in range(max(first, m.ints[RECORDED] - LAST), m.ints[RECORDED]):
        found = max(found, abs(m.record[row, 1]))
    return found if found > 0.0 else m.stride


@kernel
def enter_piece(m: Motion, w: Switches, s: StepFunctions) -> None:
    """Begins the next piece at the state, with the modes that were selected."""
    if m.forgets:
        forget_pieces(m)
    tell_modes(m, s)
    settle_on_switches(m, w, s)
    note_piece(m)
    m.target = next_target(m, w)
    begin_piece(m, w, m.target)
