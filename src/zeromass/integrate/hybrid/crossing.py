"""Crossing of switches, a kernel: the modes beyond them, and what jumps there."""

from __future__ import annotations

from zeromass.integrate.hybrid.chattering import chatters
from zeromass.integrate.hybrid.contact_kinematics import choose_axes
from zeromass.integrate.hybrid.contact_transitions import settle_contacts
from zeromass.integrate.hybrid.memory import IGNORED, NONE, Crossing, Jumps, Motion, T, watch
from zeromass.integrate.hybrid.messages import ContactEnd, Selection
from zeromass.integrate.hybrid.reset import concerned, largest, reset, strike
from zeromass.integrate.hybrid.selection import select_modes
from zeromass.integrate.hybrid.switches import TURN, Switches, accelerate
from zeromass.integrate.hybrid.tolerances import SMALL
from zeromass.integrate.stepping.step_functions import StepFunctions
from zeromass.kernel.language import Reals, kernel

LEAPS = 20
"""Newton's steps in which parts without mass leap."""

UNDERFLOW = 2.0**-900
"""Rates below which one is none: what is held at rest keeps such rates from projections that have underflowed."""

AT_ONCE = 8
"""Switches at one moment after which a motion is given up: one leads back to the other."""


@kernel
def has_events(m: Motion) -> bool:
    """Whether there are events that were asked for."""
    some = False
    for c in range(len(m.cause)):
        some = some or (m.cause[c] == NONE and m.terminal[c] != IGNORED)
    return some


@kernel
def defined_at(m: Motion, w: Switches, t: float, values: Reals) -> bool:
    """Whether the slope of the state is a number at a time, for some modes."""
    w.clock[0] = t
    accelerate(w, m.y[: len(m.first)], values)
    total = 0.0
    for i in range(len(m.first)):
        total += w.slope[i] - w.slope[i]
    return total == 0.0


@kernel(lazy=True)
def leap(m: Motion, s: StepFunctions, j: Jumps, t: float, y: Reals) -> bool:
    """Brings parts without mass to where their constraints are beyond a switch: whether they may leap, and only they do.

    As the point of a floor that is below a body, where another end of the body comes nearest.
    """
    n, a, x = len(y) // 2, s.arguments, m.contacts
    for i in range(j.places):
        if j.jumped[i] != 0 and (j.leaps[i] < 0 or m.values[x.closed[j.leaps[i]]] != 0.0):
            return False
    if not j.strikes:
        return False
    s.row[0], s.row[1:] = t, y
    for _ in range(LEAPS):
        s.project(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13])
    for i in range(2 * n):
        most = SMALL * max(1.0, largest(y[:n] if i < n else y[n:]))
        if j.heavy[i % n] != 0 and not abs(s.row[1 + i] - y[i]) <= most:
            return False
    y[:] = s.row[1:]
    return True


@kernel(lazy=True)
def swing(m: Motion, s: StepFunctions, j: Jumps, t: float, y: Reals) -> bool:
    """Brings rates of parts without mass onto the constraints beyond a switch: whether only they change.

    As of the point of a floor that is below a body, where the floor is moved at once. Contacts are struck by themselves.
    """
    n, a, x = len(y) // 2, s.arguments, m.contacts
    if x.count == 0 or not j.strikes or len(j.heavy) == 0:
        return False
    for i in range(3 * x.count):
        m.values[x.rows[i]] = 0.0
    s.row[1:] = y
    for _ in range(2):
        s.row[0] = t
        s.project(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13])
    most = SMALL * max(1.0, largest(y[n:]))
    for i in range(n):
        if j.heavy[i] != 0 and not abs(s.row[1 + n + i] - y[n + i]) <= most:
            return False
    y[n:] = s.row[1 + n :]
    return True


@kernel
def cross_switch(m: Motion, w: Switches, s: StepFunctions, j: Jumps) -> int:
    """Takes a motion over the switches that ended its piece: m.values, m.y ← modes and state beyond; see `Crossing`."""
    return cross(m, w, s, j, True)


@kernel
def cross(m: Motion, w: Switches, s: StepFunctions, j: Jumps, structure: bool) -> int:
    """The same, also where masses or constraints switch, or not: STRUCTURE there, and the modes are those before."""
    t, y, some = m.reals[T], m.y[: len(m.first)], False
    w.clock[0] = t
    if has_events(m):
        watch(m, w, t, y, m.ends)
    for k in range(len(w.kind)):
        some = some or w.reached[k] != 0
    for k in range(m.contacts.count):
        some = some or m.contacts.reached[k] != 0
    m.flips[m.flipped] = t
    m.flipped += 1 if some else 0
    if some and chatters(m.flips, m.flipped, m.until, m.stalled * abs(m.until - m.start), m.changes):
        return int(Crossing.CHATTERS)
    m.contacts.struck, m.contacts.gained = False, 0.0
    for i in range(3 * m.contacts.count):
        m.contacts.impulse[i] = 0.0
    for again in range(AT_ONCE):
        if again > 0:
            for k in range(len(w.kind)):
                w.reached[k] = 0
        if (m.contacts.count > 0 or m.contacts.finds) and settle_contacts(m, w, s, False) != int(ContactEnd.DECIDED):
            return int(Crossing.CONTACT)
        t = m.reals[T]
        j.modes[:] = m.values
        for i in range(len(m.which)):
            m.values[w.mode[m.which[i]]] = m.timed[m.place, i]
        j.why = select_modes(w, y, m.values, False)
        if j.why != int(Selection.DECIDED):
            return int(Crossing.UNDECIDED)
        for k in range(len(w.kind)):
            j.changed[k] = 1 if m.values[w.mode[k]] != j.modes[w.mode[k]] else 0
        if not structure and (concerned(j, j.of_constraints) or concerned(j, j.of_masses)):
            m.values[:] = j.modes
            return int(Crossing.STRUCTURE)
        found, switched = reset(w, j, y, m.values), False
        if found == int(Crossing.CONSTRAINT) and leap(m, s, j, t, y):
            continue
        if found == int(Crossing.IMPULSE) and swing(m, s, j, t, y):
            continue
        for k in range(len(w.kind)):
            switched = switched or j.changed[k] != 0
        if found == int(Crossing.NOTHING) and m.contacts.count > 0 and switched:
            continue
        if found == int(Crossing.NOTHING):
            return found if defined_at(m, w, t, m.values) else int(Crossing.UNDEFINED)
        if found != int(Crossing.IMPULSE) or j.contact or not strike(s, j, t, y):
            return found
    return int(Crossing.RETURNS)


@kernel
def begin_modes(m: Motion, w: Switches, s: StepFunctions) -> int:
    """m.values ← the modes with which a motion begins at its state: DECIDED, or why they are not known."""
    y = m.y[: len(m.first)]
    for i in range(len(y) // 2, len(y)):
        y[i] = 0.0 if abs(y[i]) < UNDERFLOW else y[i]
    w.clock[0] = m.reals[T]
    choose_axes(m.contacts, w, y, m.values)
    why = select_modes(w, y, m.values, True)
    if why != int(Selection.DECIDED) or (m.contacts.count == 0 and not m.contacts.finds):
        return why
    for k in range(m.contacts.count):
        m.contacts.reached[k] = 0
    if settle_contacts(m, w, s, True) != int(ContactEnd.DECIDED):
        return int(Selection.CONTACT)
    for k in range(len(w.kind)):
        w.reached[k] = 1 if w.kind[k] == TURN else 0
    return select_modes(w, y, m.values, True)
