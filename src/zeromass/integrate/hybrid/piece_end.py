"""Where a piece of a motion ends: the first switch or event in a step, located to rounding, in kernels."""

from __future__ import annotations

from enum import IntEnum

from zeromass.integrate.hybrid.contact_table import CLOSES
from zeromass.integrate.hybrid.grazing import Touch, touch
from zeromass.integrate.hybrid.memory import (
    BUDGET,
    CAPACITY,
    CONTACT,
    COUNTS,
    ENDS,
    IGNORED,
    MAY_PASS,
    NONE,
    PASSES,
    QUIET,
    RECORDED,
    STARTED,
    SWITCH,
    UNTIL,
    H,
    Motion,
    T,
    watch,
)
from zeromass.integrate.hybrid.switches import SIDE, TURN, Switches, accelerate, look, rate_of
from zeromass.integrate.methods.radau.increments import step_polynomial
from zeromass.integrate.stepping.kernel import NEAR
from zeromass.integrate.stepping.kinks import add_kinks
from zeromass.integrate.stepping.layout import HEAD, Int64
from zeromass.integrate.stepping.narrow import bump_in_step
from zeromass.integrate.stepping.step_functions import StepFunctions, state_at
from zeromass.kernel.language import Reals, kernel
from zeromass.kernel.roots import RootSearch, add_look, find_roots, look_at_places, search_seen
from zeromass.model.state import ROUNDING

NEARLY = 1e-2
"""Part of what a switching function is in a step, by which it misses its switch or passes it, where that is looked at."""

CLOSE = 1e-12
"""Time, relative to 1 and to the time itself, before a switch in which a motion that finds no further step is at it."""

FLAT = 1e-2
"""Change of a switching function in a step, as a part of its terms, below which its zero is found from a step of its own."""

WEAK = NEAR**-2
"""Growth of the pivots below which constraints are independent all over a step, so that they lead no state away."""

INFINITY = float("inf")

BENT = 0.5
"""Part of its rate by which that of a switching function may change in a step of Newton's method."""


class PieceEnd(IntEnum):
    """What a step leads to."""

    NONE = 0
    SWITCH = 1
    EVENT = 2  # that ends the motion
    FINISHED = 3
    TOUCHED = 4  # a switch that is only touched, where both its sides lead to motions
    UNSURE = 5  # a state inside the step may be too far from the constraints
    NO_ROOM = 6  # for all places where functions turn
    UNKNOWN = 7  # the steps have ended for another reason
    BUMP = 8  # the step goes over a bump as a whole, and is to be taken again


@kernel
def open_step(m: Motion, last: int) -> None:
    """A step of the piece, by its row in the record, and its polynomial, for looks inside it."""
    s, count = m.step, len(m.first)
    t1 = m.record[last, 0]
    before = last > m.counts[COUNTS * (m.pieces - 1)]
    t0 = m.record[last - 1, 0] if before else m.piece_start[0]
    for i in range(count):
        m.first[i] = m.record[last - 1, HEAD + i] if before else m.piece_start[1 + i]
        m.last[i] = m.record[last, HEAD + i]
    growth = max(m.record[last, 2], m.record[last - 1, 2]) if before else m.record[last, 2]
    s.limit = INFINITY if m.massive and growth < WEAK else m.limit
    s.step, s.t0[0], s.t1[0] = 0, t0, t1
    m.span[0], m.span[1] = t0, t1 - t0
    for i in range(count):
        s.y0[0, i], s.y1[0, i] = m.first[i], m.last[i]
    a = m.dense_arguments
    if m.implicit:
        step_polynomial(m.increments, last, m.record[last, 1], m.first, s.polynomial)
    elif m.fifteen:
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
    r.places[n - 1], r.looks = t1, n


@kernel
def near_touch(m: Motion, r: RootSearch, s: StepFunctions, c: int, time: float) -> float:
    """How far from its switch a function is in the step that nearly touches it, or passes it, at a time; 0 of others."""
    t0, t1, at = s.t0[0], s.t1[0], m.slopes[c]
    r.evaluate(r.context, t0)
    g0, r0 = r.values[c], r.values[at]
    r.evaluate(r.context, t1)
    g1, r1 = r.values[c], r.values[at]
    r.evaluate(r.context, time)
    g, rate = r.values[c], r.values[at]
    bends, far = max(abs(rate - r0), abs(r1 - rate)) / abs(t1 - t0), max(abs(g0), abs(g1))
    return far if 2.0 * bends * (NEARLY * far - abs(g)) >= rate * rate and time != m.until else 0.0


@kernel
def touched(m: Motion, w: Switches, s: StepFunctions, r: RootSearch, low: RootSearch, last: int) -> int:
    """The first switch in a step that is only touched before the end of a piece, by its function, if that is ambiguous.

    The time is s.row[0]; −1 where there is none. It may be found as one that is crossed, and would be left again soon.

    last  root at which the piece ends, or −1
    """
    t0 = s.t0[0]
    end = r.times[last] if last >= 0 else s.t1[0]
    for k in range(low.count + 1):
        time = low.times[k] if k < low.count else end
        if abs(time - t0) > abs(end - t0) or (k == low.count and last < 0):
            continue
        for c in range(len(m.cause)):
            turns = k < low.count and m.slopes[c] == low.columns[low.which[k]]
            if (
                m.slopes[c] < 0
                or m.cause[c] == CONTACT
                or not (turns or (k == low.count and c == r.columns[r.which[last]]))
            ):
                continue
            far = near_touch(m, r, s, c, time)
            if far > 0.0:
                at = m.guard_switch[c]
                own = m.values[w.mode[at]] if w.kind[at] == SIDE else 1.0 if m.guard_side[c] == 0 else -1.0
                s.row[0] = time
                if touch(m, w, time, s.row[1:], at, own, far) == int(Touch.AMBIGUOUS):
                    return c
    return -1


@kernel
def cut(m: Motion, t: float, y: Reals) -> None:
    """Ends the last step at another time, if there is one in the record."""
    last = m.ints[RECORDED] - 1
    m.reals[T] = t
    m.y[: len(y)] = y
    if last >= 0:
        m.record[last, 1] = m.record[last, 1] - (m.record[last, 0] - t)
        m.record[last, 0] = t
        m.record[last, HEAD : HEAD + len(y)] = y


@kernel(lazy=True)
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
def falling(m: Motion, w: Switches, t: float, y: Reals, c: int) -> float:
    """w.guards ← the watched functions; and the rate of one of them, which of an unknown force is not among them."""
    watch(m, w, t, y, w.guards)
    at = m.slopes[c]
    if at >= 0:
        return float(w.guards[at])
    look(w, y, m.values)
    accelerate(w, y, m.values)
    return m.values[w.mode[m.guard_switch[c]]] * rate_of(w, y, w.slope[len(y) // 2 :], m.guard_switch[c]) * w.ahead


@kernel(lazy=True)
def sharpen(m: Motion, w: Switches, c: int) -> None:
    """Moves the end of a piece to g = 0 to rounding, by Newton's method, where g is nearly linear."""
    count, k = len(m.first), m.guard_switch[c]
    t, y = m.reals[T], m.work
    y[:] = m.y[:count]
    margin = m.values[w.margin[k]]
    border = margin if w.kind[k] == SIDE else max(margin if m.guard_side[c] == 0 else -margin, 0.0)
    length = abs(t - m.span[0])
    w.clock[0] = t
    accelerate(w, y, m.values)
    m.moved[:] = w.slope
    look(w, y, m.values)
    size, near = w.sizes[k], 4.0 * abs(margin)
    falls = falling(m, w, t, y, c)
    off = w.guards[c]
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
        falls = falling(m, w, t, y, c)
        off = w.guards[c]
        if abs(falls - before) > BENT * abs(before):
            return
        if off == border:
            break
    if off > border:  # it ends where the next piece begins
        late = 2.0 * abs((off - border + ROUNDING * size) / falls) * w.ahead
        t += late
        for i in range(count):
            y[i] += late * m.moved[i]
        if abs(falling(m, w, t, y, c) - falls) > BENT * abs(falls):
            return
    cut(m, t, y)


@kernel
def sharpen_gap(m: Motion, w: Switches, c: int) -> None:
    """Moves the end of a piece to where a gap is closed to rounding, by Newton's method."""
    count = len(m.first)
    t, y = m.reals[T], m.work
    y[:] = m.y[:count]
    w.clock[0] = t
    accelerate(w, y, m.values)
    m.moved[:] = w.slope
    watch(m, w, t, y, w.guards)
    for again in range(3):
        gap, rate = w.guards[c], w.guards[m.slopes[c]]
        late = -gap / rate
        if not abs(late) <= abs(m.span[1]) / 2.0:
            return
        if gap == 0.0:
            break
        t += late
        for i in range(count):
            y[i] += late * m.moved[i]
        if again == 0 and m.retakes:
            retake(m, t, y)
        watch(m, w, t, y, w.guards)
    cut(m, t, y)


@kernel
def note_event(m: Motion, s: StepFunctions, c: int, t: float) -> None:
    """Writes that an event has happened in the step that is open."""
    state_at(s, t)
    row = m.occurred[m.occurrences]
    row[0], row[1] = float(c), t
    row[2:] = s.row[1:]
    m.occurrences += 1


@kernel
def ends_piece(m: Motion, w: Switches, s: StepFunctions, r: RootSearch, low: RootSearch, fractions: Reals) -> int:
    """Locates switches and events in the last step, and ends the piece at the first that ends it; see `PieceEnd`."""
    open_step(m, m.ints[RECORDED] - 1)
    place_looks(s, r, fractions)
    return locate_end(m, w, s, r, low)


@kernel
def locate_end(m: Motion, w: Switches, s: StepFunctions, r: RootSearch, low: RootSearch) -> int:
    """The same in a step that is open, where it is looked at first."""
    s.unsure, low.count = 0, 0
    if not add_kinks(m.kinks, m.bends, r):
        return int(PieceEnd.NO_ROOM)
    bump = bump_in_step(m.bumps, m.bends, r, m.bump)
    look_at_places(r)
    if len(low.columns) > 0:
        search_seen(low, r)
        for k in range(low.count):
            if not add_look(r, low.times[k], w.ahead):
                return int(PieceEnd.NO_ROOM)
    find_roots(r)
    last = 0
    while last < r.count and not ends_at(m, r.columns[r.which[last]]):
        last += 1
    if last == r.count:
        last = -1
    at = touched(m, w, s, r, low, last)
    if s.unsure > 0:
        return int(PieceEnd.UNSURE)
    end, within = s.t1[0], 0.0
    if last >= 0 or at >= 0:
        end, within = s.row[0] if at >= 0 else r.times[last], 2.0 * r.tolerance
    if bump and ((last < 0 and at < 0) or abs(m.bump[0] - s.t0[0]) < abs(end - s.t0[0])):
        return int(PieceEnd.BUMP)
    for k in range(len(w.kind)):
        w.reached[k] = 0
    for k in range(m.contacts.count):
        m.contacts.reached[k] = 0
    switches, terminal, meets = 0, False, False
    for i in range(r.count):
        if abs(r.times[i] - s.t0[0]) > abs(end - s.t0[0]) + within:
            break
        c = r.columns[r.which[i]]
        if m.cause[c] == CONTACT:
            m.contacts.reached[m.guard_switch[c]] = m.contacts.reached[m.guard_switch[c]] | m.guard_side[c]
            switches += 1
        elif m.cause[c] != NONE:
            w.reached[m.guard_switch[c]], w.way[m.guard_switch[c]] = 1, -1.0 if m.guard_side[c] == 0 else 1.0
            switches += 1
        elif m.terminal[c] != IGNORED:
            note_event(m, s, c, r.times[i])
            terminal, meets = terminal or m.terminal[c] != PASSES, meets or r.times[i] == end
    if last < 0 and at < 0:
        return int(PieceEnd.NONE) if s.unsure == 0 else int(PieceEnd.UNSURE)
    state_at(s, end)
    if s.unsure > 0:
        return int(PieceEnd.UNSURE)
    cut(m, end, s.row[1:])
    if terminal:
        return int(PieceEnd.EVENT)
    if at >= 0:
        for k in range(len(w.kind)):
            w.reached[k] = 1 if k == m.guard_switch[at] else 0
        return int(PieceEnd.TOUCHED)
    if end == m.until:
        return int(PieceEnd.FINISHED)
    c, alone = r.columns[r.which[last]], switches == 1 and not meets
    for k in range(len(w.kind)):
        alone = alone and not (w.flag[k] >= 0 and m.values[w.flag[k]] != 0.0)
    if alone and m.cause[c] == CONTACT and m.guard_side[c] == CLOSES and end != m.reals[UNTIL]:
        sharpen_gap(m, w, c)
    if alone and m.cause[c] == SWITCH and w.kind[m.guard_switch[c]] != TURN and end != m.reals[UNTIL]:
        sharpen(m, w, c)
    return int(PieceEnd.SWITCH)


@kernel
def ends_at(m: Motion, c: int) -> bool:
    """Whether a piece ends where a watched function is zero."""
    return m.cause[c] != NONE or m.terminal[c] == ENDS or m.terminal[c] == MAY_PASS


@kernel(lazy=True)
def stops_at_switch(m: Motion, w: Switches) -> bool:
    """Whether a motion that finds no further step is at switches, w.reached, beyond which its formulas have no values."""
    y, t, some, slide = m.y[: len(m.first)], m.reals[T], False, False
    n, late = len(y) // 2, CLOSE * max(1.0, abs(t))
    for k in range(len(w.kind)):
        w.reached[k] = 0
        slide = slide or (w.flag[k] >= 0 and m.values[w.flag[k]] != 0.0)
    w.clock[0] = t
    accelerate(w, y, m.values)
    look(w, y, m.values)
    for i in range(n):
        w.slope[n + i] = 0.0 if slide else w.slope[n + i]
    for c in range(len(m.cause)):
        if m.cause[c] != SWITCH:
            continue
        k = m.guard_switch[c]
        held = w.flag[k] >= 0 and m.values[w.flag[k]] != 0.0
        if w.kind[k] != TURN and not held:
            g, mode, rate = w.g[k], m.values[w.mode[k]], rate_of(w, y, w.slope[n:], k)
            left, falls = mode * g, mode * rate
            if w.kind[k] != SIDE:
                left, falls = g - mode, rate
                if m.guard_side[c] != 0:
                    left, falls = mode + 1.0 - g, -rate
            if falls < 0.0 and left <= -falls * late:
                w.reached[k], w.way[k] = 1, -1.0 if m.guard_side[c] == 0 else 1.0
                some = True
    return some
