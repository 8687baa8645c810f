"""How a piece of a motion begins, in kernels: its state and modes, its first step, and what is watched on it."""

from __future__ import annotations

from zeromass.integrate.collisions.law import LAW, SIZE, SPEED
from zeromass.integrate.hybrid.contact_kinematics import evaluate_contacts
from zeromass.integrate.hybrid.contact_problem import INFINITE
from zeromass.integrate.hybrid.contact_table import OPENS, SLIPS, STOPS, STRAYS, TURNS, Contacts
from zeromass.integrate.hybrid.contact_transitions import slips_stiffly
from zeromass.integrate.hybrid.crossing import defined_at
from zeromass.integrate.hybrid.memory import (
    ATOL,
    BEHIND_AT,
    CONTACT,
    COUNTS,
    ENDS,
    EVALUATIONS,
    EXPLICIT,
    FIXED,
    IGNORED,
    LONGEST,
    MAY_PASS,
    NONE,
    QUIET,
    RECORDED,
    REJECTED,
    RTOL,
    STANDS_IN,
    STARTED,
    STEPS,
    STRETCH,
    Drive,
    H,
    Motion,
    T,
    watch,
)
from zeromass.integrate.hybrid.piece_end import CLOSE
from zeromass.integrate.hybrid.switches import Switches, accelerate
from zeromass.integrate.hybrid.time_events import TOGETHER
from zeromass.integrate.methods.radau.memory import Slot
from zeromass.integrate.stepping.functions import FIRST
from zeromass.integrate.stepping.layout import Int64, Real64
from zeromass.integrate.stepping.step_functions import StepFunctions, project
from zeromass.kernel.language import Reals, copysign, kernel, sqrt
from zeromass.kernel.negative_values import ROUNDING as NEGATIVE
from zeromass.model.unilateral import STEADY

LEAST = 2.0**-1022
"""What a function that rises from zero is taken for there."""

ORDER = int(Slot.place) - int(Slot.t)
"""Place of the order in what an implicit method keeps."""

KEPT = 0.25
"""Part of the steps before that steps behind a collision may be as long as."""

LAST = 3
"""Steps before a switch, of which the longest is tried first behind it."""

NEAR_BY = 4.0
"""Times the accuracy of located switches, by which rates may be beside a switch that holds a motion from there on."""

AFTER, LEAST_STEP = 16.0, 1e-3
"""Times the last piece that the first step behind it may last, where shapes collide, as one collision follows another; and
part of the steps before that it lasts at least."""

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
    accelerate(w, y, m.piece_values)
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
    """Length of the longest of the last steps; the very last one ends at a switch and may be short."""
    first, found = m.counts[COUNTS * (m.pieces - 1)], KEPT * m.stride if m.contacts.finds else 0.0
    for row in range(max(first, m.ints[RECORDED] - LAST), m.ints[RECORDED]):
        found = max(found, abs(m.record[row, 1]))
    return found if found > 0.0 else m.stride


@kernel
def leave_switches(m: Motion, w: Switches) -> None:
    """Says on which side of its switches a piece begins.

    A function that rises from zero itself, which has no side, is above it: a step over all of the piece would not be seen.
    And where rounding says that one which rises from nearly zero falls first, it errs.
    """
    for c in range(len(m.cause)):
        at = m.slopes[c]
        if m.cause[c] == CONTACT and m.guard_side[c] == STOPS:
            m.contacts.begins[m.guard_switch[c]] = 1 if m.signs[c, 0] < 0.0 else 0
        if m.cause[c] == CONTACT and m.guard_side[c] & (OPENS + SLIPS + TURNS + STRAYS) != 0:
            m.signs[c, 0] = max(m.signs[c, 0], LEAST)  # as its mode was found, to rounding
        elif at >= 0 and m.cause[c] == CONTACT:
            if m.signs[c, 0] <= 2.0 * abs(m.values[m.contacts.gap_margin[m.guard_switch[c]]]):
                m.signs[c, 0] = LEAST
                m.signs[at, 0] = LEAST * w.ahead
        elif at >= 0:
            rises = m.signs[at, 0] * w.ahead
            if m.signs[c, 0] == 0.0 and rises * abs(m.reals[H]) > m.reals[ATOL]:
                m.signs[c, 0] = LEAST
            if rises < 0.0 and m.signs[c, 0] <= 2.0 * abs(m.values[w.margin[m.guard_switch[c]]]):
                m.signs[at, 0] = LEAST * w.ahead


@kernel
def tell_modes(m: Motion, s: StepFunctions) -> None:
    """The parameters of a piece, for looks inside its steps."""
    first = 1 + len(m.first)
    for p in range(len(m.values)):
        for lane in range(s.inputs.shape[1]):
            s.inputs[first + p, lane] = m.values[p]


@kernel
def note_piece(m: Motion) -> None:
    """Writes the piece that begins into the log."""
    count, row = len(m.first), m.log[m.pieces]
    row[0] = m.reals[T]
    row[1 : 1 + count] = m.y[:count]
    for i in range(m.known - m.hidden):
        row[1 + count + i] = m.values[m.hidden + i]
    first = 1 + count + m.known - m.hidden
    if m.contacts.finds:
        m.contacts.keep(m.contacts.table, m, 2)
    for i in range(3 * m.contacts.count):
        if not m.contacts.finds:
            row[first + i] = m.contacts.impulse[i]
        m.contacts.impulse[i] = 0.0
    place = COUNTS * m.pieces
    m.counts[place], m.counts[place + 1] = m.ints[RECORDED], m.ints[STEPS]
    m.counts[place + 2], m.counts[place + 3] = m.ints[REJECTED], m.ints[EVALUATIONS]
    m.counts[place + 4] = m.occurrences
    m.pieces += 1


@kernel
def forget_pieces(m: Motion) -> None:
    """Frees the memory of all pieces; keeps the largest growth of their pivots."""
    for i in range(m.ints[RECORDED]):
        m.largest = max(m.largest, m.record[i, 2])
    m.ints[RECORDED], m.pieces, m.occurrences = 0, 0, 0


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
        step = min(m.stride, abs(target - t))
        if m.contacts.finds and step > 0.0:
            step = min(step, min(m.contacts.pace, max(AFTER * m.lasted, LEAST_STEP * step)))
        else:
            step = max(abs(first_step(m, w, target)), step)
        w.clock[0] = t
        if m.stiffness == STANDS_IN:
            step = min(step, stiff_step(m.contacts, w, m.y[:count], m.values))
        m.reals[H] = min(step, m.reals[LONGEST]) * w.ahead
    for p in range(m.in_lanes.shape[0]):
        for lane in range(m.in_lanes.shape[1]):
            m.in_lanes[p, lane] = m.values[p]
            m.dense_in_lanes[p, lane] = m.values[p]
    watch(m, w, t, m.y[:count], w.guards)
    for c in range(len(m.cause)):
        m.signs[c, 0] = w.guards[c]
    leave_switches(m, w)
    m.lengths.looked = m.contacts.looked = m.contacts.polyhedra.looked = m.ints[RECORDED]
    if m.contacts.finds:
        m.contacts.keep(m.contacts.table, m, 1)
    m.piece_start[0] = t
    m.piece_start[1:] = m.y[:count]
    m.piece_values[:] = m.values


@kernel
def stiff_step(x: Contacts, w: Switches, y: Reals, values: Reals) -> float:
    """A first step in which the direction of a slip that begins hardly turns: errors of longer ones are taken for small."""
    evaluate_contacts(x, w, y, values)
    found = INFINITE
    for k in range(x.count):
        if x.spatial[k] != 0 and values[x.slips[k]] != 0.0:
            found = min(found, STEADY * x.law[LAW * k + SIZE] / x.law[LAW * k + SPEED])
    return found


@kernel
def jumped(m: Motion) -> int:
    """Notes the events whose functions have jumped through zero where the piece begins.

    PAUSED, EVENT where one ends the motion there, or LEFT where the loop of smooth motion is to say what becomes of it.
    """
    found = int(Drive.PAUSED)
    for c in range(len(m.cause)):
        old, now, way = m.ends[c], m.signs[c, 0], m.signs[c, 1]
        rises, falls = old < 0.0 and now > 0.0 and way >= 0.0, old > 0.0 and now < 0.0 and way <= 0.0
        if m.cause[c] == NONE and m.terminal[c] != IGNORED:
            if m.guard[c] != 0 and now * way > 0.0:
                return int(Drive.LEFT)
            if rises or falls:
                if m.terminal[c] == MAY_PASS:
                    return int(Drive.LEFT)
                row = m.occurred[m.occurrences]
                row[0], row[1] = float(c), m.reals[T]
                row[2:] = m.y[: len(m.first)]
                m.occurrences += 1
                found = int(Drive.EVENT) if m.terminal[c] == ENDS else found
    return found


@kernel
def enter_piece(m: Motion, w: Switches, s: StepFunctions) -> int:
    """Begins the next piece at the state, with the modes that were selected: PAUSED, or how the motion ends there."""
    if m.forgets:
        forget_pieces(m)
    m.dips.rounding = NEGATIVE
    tell_modes(m, s)
    settle_on_switches(m, w, s)
    note_piece(m)
    m.target = next_target(m, w)
    begin_piece(m, w, m.target)
    if m.stiffness != EXPLICIT and slips_stiffly(m.contacts, w, m.y[: len(m.first)], m.values) != (
        m.stiffness == STANDS_IN
    ):
        return int(Drive.STIFF)
    return jumped(m)
