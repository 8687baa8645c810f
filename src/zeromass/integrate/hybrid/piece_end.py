"""Where a piece of a motion ends: the first switch in a step, located to rounding, in kernels."""

from __future__ import annotations

from zeromass.integrate.grazing import REACH
from zeromass.integrate.hybrid.memory import (
    ATOL,
    BUDGET,
    CAPACITY,
    COUNTS,
    NONE,
    QUIET,
    RECORDED,
    RTOL,
    STARTED,
    SWITCH,
    UNTIL,
    H,
    Motion,
    T,
    watch,
)
from zeromass.integrate.hybrid.switches import SIDE, TURN, Switches, accelerate, look
from zeromass.integrate.methods.radau.increments import step_polynomial
from zeromass.integrate.piecewise import NEARLY
from zeromass.integrate.reaching import BENT, CLOSE, FLAT
from zeromass.integrate.stepping.layout import HEAD, Int64
from zeromass.integrate.stepping.step_functions import StepFunctions, state_at
from zeromass.kernel.language import Reals, kernel
from zeromass.kernel.roots import RootSearch, locate_roots
from zeromass.model.state import ROUNDING


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
    r.looks = count
    return True


@kernel
def allowed(m: Motion, w: Switches, t: float, y: Reals, k: int) -> float:
    """By how much a switching function may be off at a state, from the tolerances of a step."""
    w.clock[0] = t
    if m.large:
        return m.slack(w.clock, y, m.values, k)
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
