"""Modes of the contacts of a system at a state: the contact problem of those that touch, and flags and margins by it."""

from __future__ import annotations

from zeromass.integrate.collisions.law import BOUNCE, BOUND, HOLD, KINETIC, LAW, ROUNDED, SIZE, SLOW, SPEED
from zeromass.integrate.hybrid.contact_impacts import LEFT
from zeromass.integrate.hybrid.contact_kinematics import (
    TOUCHES,
    extent,
    list_contacts,
    slip_force,
    slip_speed,
    slope_along,
    slow_speed,
    sum_forces,
)
from zeromass.integrate.hybrid.contact_modes import select_contact_modes
from zeromass.integrate.hybrid.contact_problem import BITS, INFINITE, OPEN, SLIP, STICK, ContactStatus
from zeromass.integrate.hybrid.contact_redundancy import enforced, independent_rows
from zeromass.integrate.hybrid.contact_sharing import note_shared, share_forces
from zeromass.integrate.hybrid.contact_table import CLOSES, OPENS, RETURNS, SLIPS, STOPS, STRAYS, Contacts
from zeromass.kernel.language import Reals, kernel, sqrt
from zeromass.model.state import ROUNDING

RESTS = 1e-11
"""Height of the next bounce, as a part of places and sizes, below which bounces end."""

NEGLIGIBLE = 1e-12
"""Part of the largest force below which a force is rounding."""

TURN = 0.3
"""Angle by which a slip may turn in the first step of a piece, rad."""

CLOSED = 6
"""Bits of the modes of a contact that is closed."""


@kernel
def find_candidates(x: Contacts, y: Reals) -> bool:
    """x.candidate ← the contacts that touch and do not leave: whether the next bounce of any is too low to be seen.

    And friction pairs that are bounded by one of them, or by a given force.
    """
    low = False
    for k in range(x.count):
        v, slow, falls = x.velocity[3 * k], slow_speed(x, y, k), x.free[3 * k]
        if x.touching[k] != 0:  # others may press it, as a floor that rubs presses a ball on a wall
            sum_forces(x, k)
            falls += slope_along(x, 3 * k)
        least = max(RESTS * extent(x, y, k), x.law[LAW * k + BOUNCE])
        rests = falls < 0.0 and v * v <= -2.0 * falls * least
        x.candidate[k] = 1 if x.touching[k] != 0 and (v <= slow or rests or x.opens[k] == 0) else 0
        low = low or (x.candidate[k] != 0 and v > slow)
    for k in range(x.count):
        if x.normal_force[k] == 0:
            x.candidate[k] = 1 if x.law[LAW * k + BOUND] >= 0.0 else x.candidate[x.carrier[k]]
    return low


@kernel
def hold_approached(x: Contacts, y: Reals, values: Reals, holds: float) -> None:
    """values ← whether contacts that would open are closed for now, as bounces of others end and let them approach."""
    for k in range(x.count):
        if holds == 0.0 and x.touching[k] == 2:
            values[x.closed[k]] = values[x.rows[3 * k]] = 0.0
        opens = x.touching[k] != 0 and values[x.closed[k]] == 0.0
        if holds != 0.0 and opens and x.velocity[3 * k] < -slow_speed(x, y, k):
            values[x.closed[k]] = values[x.rows[3 * k]] = 1.0
            x.touching[k] = 2


@kernel
def shares_forces(x: Contacts, values: Reals) -> bool:
    """Whether forces of contacts have not followed from the motion so far."""
    some = False
    for k in range(x.count):
        closed, sticks = values[x.closed[k]] != 0.0, values[x.sticks[k]] != 0.0
        some = some or (closed and x.normal_force[k] != 0 and values[x.rows[3 * k]] == 0.0)
        some = some or (sticks and values[x.rows[3 * k + 1]] * values[x.rows[3 * k + 2]] == 0.0)
    return some


@kernel
def pose_problem(x: Contacts, values: Reals, again: bool) -> bool:
    """The problem of contact modes, what is known of slips, and what contacts can not be: whether there is any to solve.

    again  whether contacts may go on as before, with other forces: where these did not follow from the motion
    """
    p, some = x.problem, False
    p.size, p.warm, p.exhaustive, p.carries = 0.0, False, False, False
    for i in range(3 * x.count):
        p.size = max(p.size, abs(x.free[i]))
    list_contacts(x, x.candidate)
    for i in range(p.k):
        k = x.listed[i]
        reached, speed, bound = x.reached[k], slip_speed(x, k), x.law[LAW * k + BOUND]
        if again:
            reached = 0
        closed = values[x.closed[k]] != 0.0
        for r in range(3):
            a = x.free[3 * k + r]
            p.b[3 * i + r] = 0.0 if abs(a) <= x.law[LAW * k + ROUNDED] * p.D[3 * i + r, 3 * i + r] else a
            p.F[3 * i + r] = 0.0
            if closed and abs(x.force[3 * k + r]) < INFINITE:
                p.F[3 * i + r], p.warm = x.force[3 * k + r], True
        p.mu[i], p.hold[i] = x.law[LAW * k + KINETIC], x.law[LAW * k + HOLD]
        if x.rough[k] != 0:
            p.mu[i], p.hold[i] = INFINITE, INFINITE
        p.carrier[i] = x.place[x.carrier[k]]
        p.carries = p.carries or p.carrier[i] != i
        p.given[i] = -1.0
        if x.normal_force[k] == 0:
            p.b[3 * i], p.D[3 * i, 3 * i] = 0.0, 0.0
            if bound >= 0.0:
                p.mu[i], p.hold[i], p.given[i] = bound, bound, 1.0
        known = speed > SLOW * x.law[LAW * k + SPEED] and reached & (STOPS | RETURNS) == 0
        leaves = reached & OPENS != 0 or (reached & STRAYS != 0 and x.gap[k] > 0.0)
        opens = leaves and x.opens[k] != 0
        p.excluded[i], p.mode[i], p.lasts[i] = CLOSED if opens else 0, OPEN, 1 - x.opens[k]
        some = some or not opens
        for r in range(2):
            p.slip[i, r] = x.velocity[3 * k + 1 + r] / speed if known else 0.0
        held = slip_force(x, k)
        if reached & SLIPS != 0 and held > 0.0:
            if p.mu[i] < p.hold[i]:
                p.excluded[i] = p.excluded[i] | BITS[STICK]
            else:  # it begins to slip against the friction that held it
                for r in range(2):
                    p.slip[i, r] = -x.force[3 * k + 1 + r] / held
    return some


@kernel
def turn_normal(x: Contacts, i: int) -> None:
    """The problem of contact modes with the normal of one of them reversed: a contact of two sides that pulls."""
    p = x.problem
    p.b[3 * i] = -p.b[3 * i]
    for n in range(p.first_pair[i], p.first_pair[i + 1]):
        for r in range(3 * p.pairs[n], 3 * p.pairs[n] + 3):
            p.D[3 * i, r] = -p.D[3 * i, r]
            if r != 3 * i:
                p.D[r, 3 * i] = -p.D[r, 3 * i]
    p.D[3 * i, 3 * i] = -p.D[3 * i, 3 * i]


@kernel(lazy=True)
def select_with_sides(x: Contacts, values: Reals) -> int:
    """x.problem ← modes of all contacts, those of two sides pushing or pulling: a `ContactStatus`.

    Such a contact goes over to its other side where its force has vanished, and else if there is no motion on this one.
    """
    p, status, choices, number = x.problem, int(ContactStatus.UNDECIDED), 1, 0
    for i in range(p.k):
        choices *= 1 + x.two_sided[x.listed[i]]
    while number < choices and (number == 0 or status != int(ContactStatus.DECIDED)):
        rest = number
        for i in range(p.k):
            k = x.listed[i]
            if x.two_sided[k] != 0:
                over = (x.reached[k] & OPENS != 0) != (rest % 2 == 1)
                x.turned[k] = 1 if (values[x.pulls[k]] != 0.0) != over else 0
                rest = rest // 2
                if x.turned[k] != 0:
                    turn_normal(x, i)
        status, number = select_contact_modes(p), number + 1
        for i in range(p.k):
            k = x.listed[i]
            if x.two_sided[k] != 0 and x.turned[k] != 0:
                turn_normal(x, i)
                p.F[3 * i], p.a[3 * i] = -p.F[3 * i], -p.a[3 * i]
    for i in range(p.k):
        k = x.listed[i]
        if x.two_sided[k] != 0:
            values[x.pulls[k]] = float(x.turned[k])
    return status


@kernel
def set_pace(x: Contacts) -> None:
    """x.pace ← how long slips take to turn by a part of a right angle, at least."""
    p, x.pace = x.problem, INFINITE
    for i in range(p.k):
        k = x.listed[i]
        if p.mode[i] == SLIP and slip_speed(x, k) > SLOW * x.law[LAW * k + SPEED]:
            w1, w2 = x.velocity[3 * k + 1], x.velocity[3 * k + 2]
            turns = abs(w1 * p.a[3 * i + 2] - w2 * p.a[3 * i + 1])
            if turns > 0.0:
                x.pace = min(x.pace, TURN * (w1 * w1 + w2 * w2) / turns)


@kernel
def set_modes(x: Contacts, y: Reals, values: Reals) -> bool:
    """values ← modes and margins as they were found: whether any contact is closed."""
    p, largest, some = x.problem, 0.0, False
    set_pace(x)
    rows, every = independent_rows(p, x.on, False), 0
    for i in range(3 * p.k):
        every += 1 if enforced(p, i) else 0
    if rows < every:
        note_shared(x)
        share_forces(x, independent_rows(p, x.on, False))
    for i in range(3 * p.k):
        largest = max(largest, abs(p.F[i]))
        if p.D[i, i] > 0.0:
            largest = max(largest, abs(x.free[3 * x.listed[i // 3] + i % 3]) / p.D[i, i])
    for k in range(x.count):
        i = x.place[k]
        base = p.carrier[i] if i >= 0 else i
        mode = OPEN if i < 0 or p.mode[base] == OPEN else p.mode[i]
        rubs = i >= 0 and p.mu[i] != 0.0
        values[x.closed[k]] = 0.0 if mode == OPEN else 1.0
        values[x.sticks[k]] = 1.0 if mode == STICK and rubs else 0.0
        values[x.slips[k]] = 1.0 if mode == SLIP and rubs else 0.0
        for r in range(2):
            values[x.way[2 * k + r]] = p.way[i, r] if mode == SLIP else 0.0
        opens = mode == OPEN and x.normal_force[k] != 0
        margin = max(-x.gap[k], 0.0) + (ROUNDING * extent(x, y, k) if x.reached[k] & CLOSES == 0 else 0.0)
        values[x.gap_margin[k]] = margin if opens else abs(x.gap[k]) + TOUCHES * extent(x, y, k)
        values[x.force_margin[k]] = force_margin(x, k, largest)
        for r in range(3):
            values[x.rows[3 * k + r]] = float(x.on[3 * i + r]) if i >= 0 else 0.0
            values[x.forces[3 * k + r]] = p.F[3 * i + r] if i >= 0 else 0.0
        some = some or mode != OPEN
    return some


@kernel
def write_rows(x: Contacts, values: Reals) -> None:
    """values ← whether contacts stick or slip, and a largest set of independent rows of these modes."""
    p = x.problem
    independent_rows(p, x.on, False)
    for i in range(p.k):
        k, rubs = x.listed[i], p.mu[i] != 0.0
        values[x.sticks[k]] = 1.0 if p.mode[i] == STICK and rubs else 0.0
        values[x.slips[k]] = 1.0 if p.mode[i] == SLIP and rubs else 0.0
        for r in range(3):
            values[x.rows[3 * k + r]] = float(x.on[3 * i + r])


@kernel
def hold_new_slips(x: Contacts, values: Reals) -> bool:
    """values ← rows that hold slips which are about to begin, for now: whether there are such slips.

    What slips had left where they died out is no part of the slips that begin.
    """
    p, some = x.problem, False
    for i in range(p.k):
        k = x.listed[i]
        begins = p.mode[i] == SLIP and p.mu[i] != 0.0 and slip_speed(x, k) <= SLOW * x.law[LAW * k + SPEED]
        p.lasts[i], some = 1 if begins else 0, some or begins
        p.mode[i] = STICK if begins else p.mode[i]
    if some:
        write_rows(x, values)
    return some


@kernel
def release_new_slips(x: Contacts, values: Reals) -> None:
    """values ← rows as they were before."""
    p = x.problem
    for i in range(p.k):
        p.mode[i] = SLIP if p.lasts[i] != 0 else p.mode[i]
    write_rows(x, values)


@kernel
def force_margin(x: Contacts, k: int, largest: float) -> float:
    """How far a force of a contact may be beyond its bound: rounding of itself, and of the velocities that it follows from.

    largest  of all forces of contacts
    """
    p, i, limit = x.problem, x.place[k], largest
    speed, size = x.law[LAW * k + SPEED], x.law[LAW * k + SIZE]
    D = p.D[3 * i, 3 * i] if i >= 0 else 1.0
    rounding = ROUNDING * speed * speed / (size * D) if D > 0.0 else 0.0
    if i >= 0 and x.normal_force[k] == 0:
        limit = p.hold[i] * (p.F[3 * p.carrier[i]] if p.carrier[i] != i else 1.0)
    least = ROUNDING if x.two_sided[k] != 0 else NEGLIGIBLE  # a contact of two sides goes from one to the other
    margin = max(least * limit, rounding, x.law[LAW * k + ROUNDED])
    if i >= 0 and p.mode[i] == STICK and p.mode[p.carrier[i]] != OPEN and p.mu[i] < INFINITE:
        # it may hold by what rounding has left over its limit, and not by more
        held = p.hold[i] * (p.given[i] if p.given[i] >= 0.0 else p.F[3 * p.carrier[i]])
        beyond = p.F[3 * i + 1] * p.F[3 * i + 1] + p.F[3 * i + 2] * p.F[3 * i + 2] - held * held
        margin = max(margin, (1.0 + LEFT) * sqrt(max(beyond, 0.0)))
    return float(margin)
