"""The driver of a motion over switches: steps, location of switches, selection of modes, and again, in one kernel.

A piece in which a length may pass through zero, pivots fade, or steps find no way is taken back to its beginning: LEFT says
that the loop of smooth motion is to make it, see `piece_runner`. Where a piece has ended and masses or constraints switch,
or no modes are selected, the status is DECIDE. Nothing is kept on the stack: Python works between two calls.
"""

from __future__ import annotations

from zeromass.integrate.hybrid.chattering import strays
from zeromass.integrate.hybrid.contact_table import MEETS, may_end
from zeromass.integrate.hybrid.crossing import cross, has_events
from zeromass.integrate.hybrid.meeting import polyhedra_meet
from zeromass.integrate.hybrid.memory import (
    AHEAD,
    BUDGET,
    CONTACT,
    COUNTS,
    EVENT,
    FADING,
    FINISHED,
    GROWTH,
    GROWTH_LIMIT,
    MAY_PASS,
    NOT_A_NUMBER,
    PAUSED,
    PIVOTS,
    QUIET,
    RECORD_FULL,
    RECORDED,
    REJECTED,
    SLIDING,
    STARTED,
    STEPS,
    TOO_SMALL,
    TRIES,
    UNTIL,
    Crossing,
    Drive,
    H,
    Motion,
    Search,
    T,
    watch,
)
from zeromass.integrate.hybrid.messages import ContactEnd
from zeromass.integrate.hybrid.piece_begin import begin_piece, enter_piece, jumped, stride_of
from zeromass.integrate.hybrid.piece_end import PieceEnd, ends_piece, open_step, stops_at_switch
from zeromass.integrate.hybrid.switches import Switches
from zeromass.integrate.hybrid.vanishing import may_vanish
from zeromass.integrate.stepping.layout import Int64, Real64
from zeromass.integrate.stepping.loop import HOPELESS
from zeromass.integrate.stepping.narrow import PART
from zeromass.integrate.stepping.step_functions import StepFunctions, functions_at
from zeromass.kernel.language import Reals, kernel, sqrt
from zeromass.kernel.negative_values import begin_search, first_negative
from zeromass.kernel.roots import RootSearch

LESS = 1e2
"""How many times further below zero a function must be seen once it was not there in a step of its own."""

SHORTEST = 1e-6
"""Part of a piece below which no closer look is taken at what does not tell itself from places inside a step."""

FEW = 64
"""Steps after which one looks whether lengths may have passed zero in them."""

SOME = 8
"""Steps after which one looks whether polyhedra have met in them."""


@kernel(lazy=True)
def step_to_bump(m: Motion, w: Switches) -> None:
    """Takes back the last step; the next one ends where the bump begins, or a part into it."""
    t, count = m.span[0], len(m.first)
    m.ints[RECORDED] -= 1
    m.ints[STEPS] -= 1
    m.ints[REJECTED] += 1
    m.reals[T] = t
    m.y[:count] = m.first
    gap = m.bump[0] - t
    m.reals[H] = gap if abs(gap) > abs(m.bump[1]) else gap + PART * m.bump[1]
    m.reals[int(Real64.fall)], m.reals[int(Real64.distance)] = 0.0, m.fresh[int(Real64.distance)]
    m.reals[QUIET], m.reals[int(Real64.careful)], m.reals[int(Real64.dipped)] = t, 0.0, 0.0
    m.reals[int(Real64.room)] = 1.0 / sqrt(m.reals[int(Real64.growth)])
    m.ints[int(Int64.repeated)], m.ints[STARTED] = 0, 0
    watch(m, w, t, m.y[:count], w.guards)
    for c in range(len(m.cause)):
        m.signs[c, 0] = w.guards[c]


@kernel
def take_back(m: Motion) -> int:
    """The state and the record as the piece began: LEFT."""
    place, count = COUNTS * (m.pieces - 1), len(m.first)
    m.tries = 0
    m.reals[T] = m.piece_start[0]
    m.y[:count] = m.piece_start[1:]
    m.values[:] = m.piece_values
    if m.contacts.finds:
        m.contacts.keep(m.contacts.table, m, 0)
    m.ints[RECORDED], m.ints[STEPS] = m.counts[place], m.counts[place + 1]
    m.occurrences = m.counts[place + 4]
    return int(Drive.LEFT)


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
    search.searched = 0
    for j in range(len(m.unseen)):
        c = m.unseen[j]
        if m.cause[c] != CONTACT or may_end(m.contacts, m.values, m.guard_switch[c], m.guard_side[c]):
            search.columns[search.searched] = c
            search.searched += 1
        if m.cause[c] == CONTACT:
            some = some or may_end(m.contacts, m.values, m.guard_switch[c], m.guard_side[c])
        else:
            k = m.guard_switch[c]
            held = w.flag[k] >= 0 and m.values[w.flag[k]] != 0.0
            some = some or held == (m.cause[c] == SLIDING)
    if not some or steps == 0:
        return False
    if steps >= len(search.t):
        m.step.unsure = 1
        return True
    search.t[0] = m.piece_start[0]
    for i in range(steps):
        search.t[i + 1] = m.record[first + i, 0]
    search.count, search.first, search.last, m.step.unsure = steps, 0, steps, 0
    search.shortest = SHORTEST * abs(m.reals[UNTIL] - m.piece_start[0])
    begin_search(search)
    first_negative(search)
    return search.place != search.t[steps] or m.step.unsure > 0


@kernel(lazy=True)
def drive(
    m: Motion, w: Switches, s: StepFunctions, r: RootSearch, low: RootSearch, fractions: Reals, begins: bool
) -> int:
    """Steps over switches until the end of the run, or until Python is needed; see `Drive`."""
    a, entered = m.arguments, int(Drive.PAUSED)
    if begins:
        m.stride = 0.0
        entered = enter_piece(m, w, s)
    while True:
        if entered == int(Drive.LEFT):
            return take_back(m)
        if entered == int(Drive.STIFF):
            take_back(m)
            return entered
        if entered == int(Drive.EVENT):
            return entered
        if m.pieces >= m.log.shape[0] or m.flipped >= len(m.flips):
            return int(Drive.LOG_FULL)
        if m.contacts.finds and m.contacts.left < len(m.contacts.closed):
            return int(Drive.LOG_FULL)
        if has_events(m) and m.occurrences + len(r.times) + len(m.cause) > m.occurred.shape[0]:
            return int(Drive.LOG_FULL)
        m.reals[UNTIL] = m.sooner if m.tries > 0 else m.target
        rest, few = m.ints[BUDGET], m.ints[BUDGET]
        if len(m.lengths.offsets) > 1:
            few = min(rest, FEW)
        if m.contacts.polyhedra.count > 0:
            few = min(rest, SOME)
        if m.contacts.finds:
            few = min(rest, 1)  # what is made beyond a collision is lost
        m.ints[BUDGET] = few
        status = m.advance(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13])
        m.status = status
        m.ints[BUDGET] = rest - few if status == PAUSED else m.ints[BUDGET] + rest - few
        seen = m.contacts.search(m.contacts.table, m, w, s) if m.contacts.finds else int(Search.NONE)
        if seen == int(Search.NO_ROOM):
            take_back(m)
            return int(Drive.NO_ROOM)
        meets = seen == int(Search.COLLIDES) or (m.contacts.polyhedra.count > 0 and polyhedra_meet(m, w, s))
        if status == PAUSED and not meets:
            if may_vanish(m, False):
                return take_back(m)
            if rest > few:
                continue
            return int(Drive.PAUSED)
        if status == RECORD_FULL:
            return int(Drive.RECORD_FULL)
        if status == AHEAD:
            return int(Drive.AHEAD)
        if status == PIVOTS and loses_few_digits(m, w):
            continue
        if status == PIVOTS and m.others:
            return int(Drive.PIVOTS)
        if status == FADING and m.others:
            return int(Drive.PIVOTS)
        timed, found = status == FINISHED and not meets, int(PieceEnd.FINISHED)
        if status == EVENT or meets:
            found = ends_piece(m, w, s, r, low, fractions)
            if found == int(PieceEnd.BUMP):
                step_to_bump(m, w)
            if meets and found == int(PieceEnd.NONE):
                found = int(PieceEnd.SWITCH)
                if m.contacts.polyhedra.count > 0:
                    m.contacts.reached[m.contacts.polyhedra.met] = MEETS
            if found == int(PieceEnd.BUMP) or found == int(PieceEnd.NONE):
                continue
        elif timed and m.tries > 0 and m.sooner != m.target:
            tries = m.tries  # what was below zero there is the error of states inside a step
            take_back(m)
            m.sooner, m.tries = m.target, tries
            m.dips.rounding *= LESS
            begin_piece(m, w, m.target)
            entered = jumped(m)
            continue
        elif not timed:
            found = int(PieceEnd.UNKNOWN)
            if stuck(status) and stops_at_switch(m, w):
                found = int(PieceEnd.SWITCH)
        if m.stride > 0.0 and status == EVENT and m.ints[RECORDED] == m.counts[COUNTS * (m.pieces - 1)] + 1:
            take_back(m)  # a motion as short as a step may be smaller than its tolerances: it is begun with care
            m.stride = 0.0
            begin_piece(m, w, m.target)
            entered = jumped(m)
            continue
        if found > int(PieceEnd.TOUCHED) or (passes_beyond(m, found) and not m.others):
            return take_back(m)
        if may_vanish(m, True):
            return take_back(m)
        if dips_unseen(m, w):  # the piece is made again up to where that is
            tries, place = m.tries + 1, m.dips.place
            take_back(m)
            if m.step.unsure > 0 or tries > TRIES:
                return int(Drive.LEFT)
            m.sooner, m.tries = place, tries
            begin_piece(m, w, place)
            entered = jumped(m)
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
        if not goes_on(m, w, s):
            if m.contacts.finds and m.contacts.why == int(ContactEnd.NO_ROOM):
                take_back(m)
                return int(Drive.NO_ROOM)
            return int(Drive.DECIDE)
        m.stride, m.lasted = stride_of(m), abs(m.reals[T] - m.piece_start[0])
        entered = enter_piece(m, w, s)


@kernel
def loses_few_digits(m: Motion, w: Switches) -> bool:
    """Whether steps go on where pivots grow: solutions of a large system are refined, up to a bound. Moves the limit."""
    if not w.large or not m.reals[GROWTH] < HOPELESS:
        return False
    m.reals[GROWTH_LIMIT] = 10.0 * m.reals[GROWTH]
    return True


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
def goes_on(m: Motion, w: Switches, s: StepFunctions) -> bool:
    """Takes the motion over the switches that ended its piece; where it does not simply go on, nothing is changed."""
    m.place += 1 if m.reals[T] == m.target else 0
    flipped = m.flipped
    m.crossing = cross(m, w, s, m.jumps, False)
    if m.crossing == int(Crossing.NOTHING):
        return True
    m.flipped = flipped
    m.values[:] = m.piece_values
    return False
