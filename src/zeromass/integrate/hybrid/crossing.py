"""What jumps where a motion crosses a switch: nothing, rates, or what can not jump. A kernel; see `integrate.shocks`.

It goes on where the driver says DECIDE: constraints, masses or energies switch, or there are switches without end.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Annotated

from zeromass.integrate.hybrid.driver import chatters, defined_at
from zeromass.integrate.hybrid.memory import ENDS, NONE, Motion, T
from zeromass.integrate.hybrid.messages import Selection
from zeromass.integrate.hybrid.selection import select_modes
from zeromass.integrate.hybrid.switches import Switches
from zeromass.integrate.shocks import LOCATED, SMALL
from zeromass.integrate.stepping.step_functions import StepFunctions
from zeromass.kernel.language import Ints, Reals, Struct, function, kernel

AT_ONCE = 8
"""Switches at one moment after which a motion is given up: one leads back to the other."""

LEAST_RATE = 1e-3
"""Sum of the terms of a constraint's rate, below which its jump is compared with this."""


class Crossing(IntEnum):
    """What a motion meets at a switch."""

    NOTHING = 0  # it goes on
    UNDECIDED = 1  # no modes are selected: `why` is the reason
    CONSTRAINT = 2  # the constraint number `row` jumps, by `size`
    MASS = 3
    ENERGY = 4  # by `size`
    IMPULSE = 5  # there are no impulses without projection, or at a contact
    RETURNS = 6
    CHATTERS = 7
    UNDEFINED = 8  # formulas have no value there
    EVENT = 9  # one that ends the motion has jumped through zero


class Jumps(Struct):
    """Functions of a state and modes that may jump at switches, and memory for them.

    evaluate            values ← constraints, their rates, sums of |A| |q̇|, M q̇, energies and forces
    places, rates, masses, energies   how many of each; energies begin with the one that must not jump
    rate                of each constraint of positions its rate among the rates
    of_constraints, of_masses, of_energies, of_place   of each switch what depends on it, and whether it does on the place
    contact             whether constraints are contacts, whose impulses are limited
    before, after, modes   values on both sides, and parameters with some modes
    changed             whether a switch has another mode
    why, row, size      see `Crossing`
    """

    evaluate: Annotated[Callable[..., None], function(Reals, Reals, Reals, Reals)]
    places: int
    rates: int
    masses: int
    energies: int
    rate: Ints
    of_constraints: Ints
    of_masses: Ints
    of_energies: Ints
    of_place: Ints
    contact: bool
    before: Reals
    after: Reals
    modes: Reals
    changed: Ints
    why: int
    row: int
    size: float


@kernel
def largest(x: Reals) -> float:
    """The largest size of some numbers."""
    found = 0.0
    for i in range(len(x)):
        found = max(found, abs(x[i]))
    return found


@kernel
def concerned(j: Jumps, which: Ints) -> bool:
    """Whether one of the switches that have changed is among some."""
    found = False
    for k in range(len(j.changed)):
        found = found or (j.changed[k] != 0 and which[k] != 0)
    return found


@kernel
def constraint_jump(j: Jumps, y: Reals, late: float) -> int:
    """What becomes of the constraints: NOTHING, IMPULSE, or CONSTRAINT."""
    n, first = len(y) // 2, j.places
    within = SMALL * max(1.0, largest(y[:n]))
    for i in range(j.places):
        at = first + j.rate[i]
        jump = j.after[i] - j.before[i]
        if abs(jump) > within + abs(j.after[at] - j.before[at]) * late:
            j.row, j.size = i, jump
            return int(Crossing.CONSTRAINT)
    for i in range(j.rates):
        terms = j.after[first + j.rates + i]
        if not abs(j.after[first + i] - j.before[first + i]) <= SMALL * max(LEAST_RATE, terms):
            return int(Crossing.IMPULSE)
    return int(Crossing.NOTHING)


@kernel
def mass_jumps(j: Jumps) -> bool:
    """Whether the momentum of the same rates is another one."""
    first = j.places + 2 * j.rates
    change = 0.0
    for i in range(first, first + j.masses):
        change = max(change, abs(j.after[i] - j.before[i]))
    return change > SMALL * largest(j.before[first : first + j.masses])


@kernel
def energy_jumps(m: Motion, w: Switches, j: Jumps, y: Reals, late: float) -> bool:
    """Whether the energy is higher on one side of switches that depend on the place, by j.size."""
    n, first = len(y) // 2, j.places + 2 * j.rates + j.masses
    for k in range(len(w.kind)):
        if j.changed[k] != 0 and j.of_place[k] != 0:
            j.modes[w.mode[k]] = m.values[w.mode[k]]
    j.evaluate(w.clock, y, j.modes, j.after)
    slack, most = 0.0, 0.0
    for i in range(n):
        force = abs(j.before[first + j.energies + i]) + abs(j.after[first + j.energies + i])
        slack, most = slack + force * abs(y[n + i]), max(most, force)
    j.size = j.after[first] - j.before[first]
    total = largest(j.before[first : first + j.energies]) + largest(j.after[first : first + j.energies])
    return abs(j.size) > max(SMALL * total, late * (slack + most * largest(y[:n])))


@kernel
def struck(m: Motion, s: StepFunctions, t: float, y: Reals) -> bool:
    """y ← the same positions with the rates nearest to it that the constraints ask for: whether there are any."""
    n, a = len(y) // 2, s.arguments
    if not s.projects:
        return False
    s.row[1:] = y
    for _ in range(2):
        s.row[0] = t
        s.project(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13])
    for i in range(n):
        y[n + i] = s.row[1 + n + i]
    return True


@kernel
def shock(m: Motion, w: Switches, s: StepFunctions, j: Jumps, t: float, y: Reals) -> int:
    """What a change from the modes j.modes to those of m.values does to a state; IMPULSE where it has changed its rates."""
    late, found = LOCATED * max(1.0, abs(t)), int(Crossing.NOTHING)
    j.evaluate(w.clock, y, j.modes, j.before)
    j.evaluate(w.clock, y, m.values, j.after)
    if concerned(j, j.of_constraints):
        found = constraint_jump(j, y, late)
        if found == int(Crossing.CONSTRAINT):
            return found
    if concerned(j, j.of_masses) and mass_jumps(j):
        return int(Crossing.MASS)
    if concerned(j, j.of_energies) and energy_jumps(m, w, j, y, late):
        return int(Crossing.ENERGY)
    return found


@kernel
def note_jumped(m: Motion, w: Switches, y: Reals, t: float) -> bool:
    """Writes which events have jumped through zero where a piece ends: whether one ends the motion."""
    w.guard(w.clock, y, m.was, m.ends)
    w.guard(w.clock, y, m.values, w.guards)
    ends = False
    for c in range(len(m.cause)):
        old, now, way = m.ends[c], w.guards[c], m.signs[c, 1]
        rises, falls = old < 0.0 and now > 0.0 and way >= 0.0, old > 0.0 and now < 0.0 and way <= 0.0
        if m.cause[c] == NONE and (rises or falls):
            row = m.occurred[m.occurrences]
            row[0], row[1] = float(c), t
            row[2:] = y
            m.occurrences += 1
            ends = ends or m.terminal[c] == ENDS
    return ends


@kernel
def cross_switch(m: Motion, w: Switches, s: StepFunctions, j: Jumps) -> int:
    """Takes a motion over the switches that ended its piece: m.values, m.y ← modes and state beyond; see `Crossing`."""
    t, y = m.reals[T], m.y[: len(m.first)]
    w.clock[0] = t
    some = False
    for k in range(len(w.kind)):
        some = some or w.reached[k] != 0
    m.flips[m.flipped] = t
    m.flipped += 1 if some else 0
    if some and chatters(m.flips, m.flipped, m.until, m.stalled * abs(m.until - m.start), m.changes):
        return int(Crossing.CHATTERS)
    for _ in range(AT_ONCE):
        j.modes[:] = m.values
        for i in range(len(m.which)):
            m.values[w.mode[m.which[i]]] = m.timed[m.place, i]
        j.why = select_modes(w, y, m.values, False)
        if j.why != int(Selection.DECIDED):
            return int(Crossing.UNDECIDED)
        for k in range(len(w.kind)):
            j.changed[k] = 1 if m.values[w.mode[k]] != j.modes[w.mode[k]] else 0
            w.reached[k] = 0
        found = shock(m, w, s, j, t, y)
        if found == int(Crossing.NOTHING):
            if not defined_at(m, w, t, m.values):
                return int(Crossing.UNDEFINED)
            return int(Crossing.EVENT) if len(m.cause) > 0 and note_jumped(m, w, y, t) else found
        if found != int(Crossing.IMPULSE) or j.contact or not struck(m, s, t, y):
            return found
    return int(Crossing.RETURNS)
