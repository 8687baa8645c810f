"""Contacts where a motion begins or a piece of it has ended, in kernels: impacts, modes, and the state beyond."""

from __future__ import annotations

from zeromass.integrate.hybrid.contact_modes import select_contact_modes
from zeromass.integrate.hybrid.contact_problem import BITS, INFINITE, OPEN, SLIP, STICK, ContactStatus
from zeromass.integrate.hybrid.contact_redundancy import enforced, independent_rows
from zeromass.integrate.hybrid.contact_sharing import note_shared, share_forces
from zeromass.integrate.hybrid.contact_table import (
    BOUNCE,
    BOUND,
    CLOSES,
    HOLD,
    KINETIC,
    LAW,
    OPENS,
    RESTITUTION,
    RETURNS,
    ROUNDED,
    SIZE,
    SLIPS,
    SLOW,
    SPEED,
    STEEP,
    STIFF,
    STOPS,
    STRAYS,
    Contacts,
)
from zeromass.integrate.hybrid.impact_problem import ImpactStatus
from zeromass.integrate.hybrid.impacts import impacts
from zeromass.integrate.hybrid.memory import Motion, T
from zeromass.integrate.hybrid.messages import ContactEnd
from zeromass.integrate.hybrid.piece_end import cut
from zeromass.integrate.hybrid.reset import strike
from zeromass.integrate.hybrid.switches import Switches, accelerate
from zeromass.integrate.stepping.step_functions import StepFunctions
from zeromass.kernel.language import Ints, Reals, Reals2, kernel, sqrt
from zeromass.model.state import ROUNDING

TOUCHES = 1e-12
"""Part of places and sizes below which a gap counts as closed, and of speeds below which one neither closes nor opens."""

LATE = 1e-12
"""Part of 1 and of the time by which a motion that has been located at an impact may be behind it."""

RESTS = 1e-11
"""Height of the next bounce, as a part of places and sizes, below which bounces end."""

NEGLIGIBLE = 1e-12
"""Part of the largest force below which a force is rounding."""

AT_ONCE = 16
"""Impacts at one moment after which a motion is given up."""

LEFT = 1e-9
"""Part of the speeds before an impact with which contacts may seem to approach after it: what its solution leaves."""

CLOSED = 6
"""Bits of the modes of a contact that is closed."""


@kernel
def choose_axes(x: Contacts, w: Switches, y: Reals, values: Reals) -> None:
    """values ← axes of tangents as a motion begins: of each normal that of the coordinate which it has least of."""
    some = False
    for k in range(x.count):
        if x.axis[k] >= 0:
            some, values[x.axis[k]] = True, 1.0
    if some:
        x.evaluate(w.clock, y, values, x.gap, x.velocity, x.free, x.force, x.normal, x.law, x.J, x.W)
    for k in range(x.count):
        if x.axis[k] >= 0:
            set_axis(x, k, values)


@kernel
def set_axis(x: Contacts, k: int, values: Reals) -> None:
    """values ← the axis of the tangents of a contact: of the coordinate that its normal has least of."""
    n, least, at = x.normal[3 * k : 3 * k + 3], 0, x.axis[k]
    for i in range(1, 3):
        least = i if abs(n[i]) < abs(n[least]) else least
    for i in range(3):
        values[at + i] = 1.0 if i == least else 0.0


@kernel
def look_at_contacts(x: Contacts, w: Switches, y: Reals, values: Reals) -> None:
    """Kinematics and dynamics of all contacts at a state, with tangents that are far from their normals."""
    x.evaluate(w.clock, y, values, x.gap, x.velocity, x.free, x.force, x.normal, x.law, x.J, x.W)
    changed = False
    for k in range(x.count):
        if x.axis[k] >= 0:
            n, at = x.normal[3 * k : 3 * k + 3], x.axis[k]
            along = n[0] * values[at] + n[1] * values[at + 1] + n[2] * values[at + 2]
            if 1.0 - along * along < 2.0 * STEEP:
                set_axis(x, k, values)
                changed = True
    if changed:
        x.evaluate(w.clock, y, values, x.gap, x.velocity, x.free, x.force, x.normal, x.law, x.J, x.W)


@kernel
def fail(x: Contacts, why: int, which: int) -> int:
    """Notes why contacts do not tell what follows, and of which one: why."""
    x.why, x.which = why, which
    return why


@kernel
def slip_speed(x: Contacts, k: int) -> float:
    """|w| of a contact."""
    return sqrt(x.velocity[3 * k + 1] * x.velocity[3 * k + 1] + x.velocity[3 * k + 2] * x.velocity[3 * k + 2])


@kernel
def fastest_rate(y: Reals) -> float:
    """The largest rate of a state."""
    n, found = len(y) // 2, 0.0
    for i in range(n):
        found = max(found, abs(y[n + i]))
    return found


@kernel
def extent(x: Contacts, y: Reals, k: int) -> float:
    """Of places and of a contact, m: rounding of its gap is a part of it."""
    found = x.law[LAW * k + SIZE]
    for i in range(len(y) // 2):
        found = max(found, abs(y[i]))
    return found


@kernel
def slow_speed(x: Contacts, y: Reals, k: int) -> float:
    """Normal velocity of a contact that counts as none, m/s: it is a sum of the rates of all bodies that carry it."""
    n, terms = len(y) // 2, 0.0
    for e in range(x.J_ends[3 * k], x.J_ends[3 * k + 1]):
        terms += abs(x.J[e] * y[n + x.J_columns[e]])
    fastest = max(max(fastest_rate(y) * x.law[LAW * k + SIZE], slip_speed(x, k)), terms)
    return TOUCHES * fastest + ROUNDING * x.law[LAW * k + SPEED]


@kernel
def find_touching(x: Contacts, y: Reals, values: Reals, left: float) -> bool:
    """x.touching ← which contacts touch: whether one of them is approached, faster than what impacts may leave, m/s."""
    approached = False
    for k in range(x.count):
        closes = x.reached[k] & CLOSES != 0
        near = x.gap[k] <= TOUCHES * extent(x, y, k) or x.opens[k] == 0
        x.touching[k] = 1 if x.normal_force[k] != 0 and (values[x.closed[k]] != 0.0 or closes or near) else 0
        approached = approached or (x.touching[k] != 0 and x.velocity[3 * k] < -max(slow_speed(x, y, k), left))
    return approached


@kernel
def apply_impacts(x: Contacts, w: Switches, y: Reals, values: Reals) -> int:
    """Adds the impulses of contacts that are approached to the rates: why there are none, or DECIDED."""
    p, n = x.impacts, len(y) // 2
    x.values[:] = values
    for k in range(len(w.kind)):
        if w.flag[k] >= 0:
            x.values[w.flag[k]] = 0.0  # dry friction takes no impulse
    x.evaluate(w.clock, y, x.values, x.gap, x.velocity, x.free, x.force, x.normal, x.law, x.J, x.W)
    set_coupling(x, x.touching, p.D)
    for k in range(x.count):
        p.mu[k] = INFINITE if x.rough[k] != 0 else x.law[LAW * k + KINETIC]
        p.hold[k] = INFINITE if x.rough[k] != 0 else x.law[LAW * k + HOLD]
        p.e[k] = x.law[LAW * k + RESTITUTION]
        if x.touching[k] != 0 and not (p.e[k] >= 0.0 and p.e[k] <= 1.0):
            return fail(x, int(ContactEnd.RESTITUTION), k)
        if x.touching[k] != 0 and not p.mu[k] >= 0.0:
            return fail(x, int(ContactEnd.FRICTION), k)
        for i in range(3):
            p.w[3 * k + i] = x.velocity[3 * k + i] if x.touching[k] != 0 else 1.0 if i == 0 else 0.0
    if impacts(p, x.simultaneous) > int(ImpactStatus.SEQUENTIAL):
        return fail(x, int(ContactEnd.NO_IMPULSE), 0)
    for j in range(3 * x.count):
        x.impulse[j] += p.P[j]
        if p.P[j] != 0.0:
            x.struck = True
            for e in range(x.W_ends[j], x.W_ends[j + 1]):
                y[n + x.W_columns[e]] += p.P[j] * x.W[e]
    return int(ContactEnd.DECIDED)


@kernel
def set_coupling(x: Contacts, which: Ints, D: Reals2) -> None:
    """D ← J M⁻¹ Jᵀ of some contacts; others are coupled with none."""
    along = x.along
    for i in range(len(along)):
        along[i] = 0.0
    for j in range(3 * x.count):
        for i in range(3 * x.count):
            D[i, j] = 1.0 if i == j and which[j // 3] == 0 else 0.0
        if which[j // 3] != 0:
            for e in range(x.W_ends[j], x.W_ends[j + 1]):
                along[x.W_columns[e]] = x.W[e]
            for i in range(3 * x.count):
                if which[i // 3] != 0:
                    D[i, j] = slope_along(x, i)
            for e in range(x.W_ends[j], x.W_ends[j + 1]):
                along[x.W_columns[e]] = 0.0


@kernel
def slope_along(x: Contacts, i: int) -> float:
    """Σ Jᵢ x.along: a row of accelerations by the accelerations of coordinates."""
    total = 0.0
    for e in range(x.J_ends[i], x.J_ends[i + 1]):
        total += x.J[e] * x.along[x.J_columns[e]]
    return total


@kernel
def find_candidates(x: Contacts, y: Reals) -> None:
    """x.candidate ← the contacts that touch and do not leave, those among them whose next bounce is too low to be seen.

    And friction pairs that are bounded by one of them, or by a given force.
    """
    for k in range(x.count):
        v, slow, falls = x.velocity[3 * k], slow_speed(x, y, k), x.free[3 * k]
        if x.touching[k] != 0:  # others may press it, as a floor that rubs presses a ball on a wall
            sum_forces(x, k)
            falls += slope_along(x, 3 * k)
        least = max(RESTS * extent(x, y, k), x.law[LAW * k + BOUNCE])
        rests = falls < 0.0 and v * v <= -2.0 * falls * least
        x.candidate[k] = 1 if x.touching[k] != 0 and (v <= slow or rests or x.opens[k] == 0) else 0
    for k in range(x.count):
        if x.normal_force[k] == 0:
            x.candidate[k] = 1 if x.law[LAW * k + BOUND] >= 0.0 else x.candidate[x.carrier[k]]


@kernel
def pose_problem(x: Contacts, values: Reals) -> bool:
    """The problem of contact modes, what is known of slips, and what contacts can not be: whether there is any to solve."""
    p, some = x.problem, False
    p.size, p.warm, p.exhaustive, p.carries = 0.0, False, False, False
    for i in range(3 * x.count):
        p.size = max(p.size, abs(x.free[i]))
    set_coupling(x, x.candidate, p.D)
    for i in range(3 * x.count):
        k = i // 3
        free = 0.0 if abs(x.free[i]) <= x.law[LAW * k + ROUNDED] * p.D[i, i] else x.free[i]
        p.b[i], p.F[i] = free if x.candidate[k] != 0 else 1.0, 0.0
        if x.candidate[k] != 0 and values[x.closed[k]] != 0.0 and abs(x.force[i]) < INFINITE:
            p.F[i], p.warm = x.force[i], True
    for k in range(x.count):
        reached, speed, static, bound = x.reached[k], slip_speed(x, k), x.law[LAW * k + HOLD], x.law[LAW * k + BOUND]
        p.mu[k], p.hold[k] = x.law[LAW * k + KINETIC], static
        if x.rough[k] != 0:
            p.mu[k], p.hold[k] = INFINITE, INFINITE
        p.carrier[k] = x.carrier[k] if x.candidate[k] != 0 else k
        p.carries = p.carries or p.carrier[k] != k
        p.given[k] = -1.0
        if x.normal_force[k] == 0 and x.candidate[k] != 0:
            p.b[3 * k], p.D[3 * k, 3 * k] = 0.0, 0.0
            if bound >= 0.0:
                p.mu[k], p.hold[k], p.given[k] = bound, bound, 1.0
        known = speed > SLOW * x.law[LAW * k + SPEED] and reached & (STOPS | RETURNS) == 0
        leaves = reached & OPENS != 0 or (reached & STRAYS != 0 and x.gap[k] > 0.0)
        opens = x.candidate[k] == 0 or (leaves and x.opens[k] != 0)
        p.excluded[k], p.mode[k], p.lasts[k] = CLOSED if opens else 0, OPEN, 1 - x.opens[k]
        some = some or not opens
        for i in range(2):
            p.slip[k, i] = x.velocity[3 * k + 1 + i] / speed if known else 0.0
        held = slip_force(x, k)
        if reached & SLIPS != 0 and held > 0.0:
            if p.mu[k] < p.hold[k]:
                p.excluded[k] = p.excluded[k] | BITS[STICK]
            else:  # it begins to slip against the friction that held it
                for i in range(2):
                    p.slip[k, i] = -x.force[3 * k + 1 + i] / held
    return some


@kernel
def slip_force(x: Contacts, k: int) -> float:
    """|T| of a contact."""
    return sqrt(x.force[3 * k + 1] * x.force[3 * k + 1] + x.force[3 * k + 2] * x.force[3 * k + 2])


@kernel
def turn_normal(x: Contacts, k: int) -> None:
    """The problem of contact modes with the normal of one of them reversed: a contact of two sides that pulls."""
    p = x.problem
    p.b[3 * k] = -p.b[3 * k]
    for i in range(3 * x.count):
        p.D[3 * k, i] = -p.D[3 * k, i]
    for i in range(3 * x.count):
        p.D[i, 3 * k] = -p.D[i, 3 * k]


@kernel
def select_with_sides(x: Contacts, values: Reals) -> int:
    """x.problem ← modes of all contacts, those of two sides pushing or pulling: a `ContactStatus`.

    Such a contact goes over to its other side where its force has vanished, and else if there is no motion on this one.
    """
    p, status, choices, number = x.problem, int(ContactStatus.UNDECIDED), 1, 0
    for k in range(x.count):
        choices *= 1 + x.two_sided[k]
    while number < choices and (number == 0 or status != int(ContactStatus.DECIDED)):
        rest = number
        for k in range(x.count):
            if x.two_sided[k] != 0:
                over = (x.reached[k] & OPENS != 0) != (rest % 2 == 1)
                x.on[k] = 1 if (values[x.pulls[k]] != 0.0) != over else 0
                rest = rest // 2
                if x.on[k] != 0:
                    turn_normal(x, k)
        status, number = select_contact_modes(p), number + 1
        for k in range(x.count):
            if x.two_sided[k] != 0 and x.on[k] != 0:
                turn_normal(x, k)
                p.F[3 * k], p.a[3 * k] = -p.F[3 * k], -p.a[3 * k]
    for k in range(x.count):
        if x.two_sided[k] != 0:
            values[x.pulls[k]] = float(x.on[k])
    return status


@kernel
def set_modes(x: Contacts, y: Reals, values: Reals) -> bool:
    """values ← modes and margins as they were found: whether any contact is closed."""
    p, largest, some = x.problem, 0.0, False
    rows, every = independent_rows(p, x.on, False), 0
    for i in range(3 * x.count):
        every += 1 if enforced(p, i) else 0
    if rows < every:
        note_shared(x)
        share_forces(x, independent_rows(p, x.on, False))
    for i in range(3 * x.count):
        largest = max(largest, abs(p.F[i]))
        if x.candidate[i // 3] != 0 and p.D[i, i] > 0.0:
            largest = max(largest, abs(x.free[i]) / p.D[i, i])
    for k in range(x.count):
        speed, size, D = x.law[LAW * k + SPEED], x.law[LAW * k + SIZE], p.D[3 * k, 3 * k]
        rounding = ROUNDING * speed * speed / (size * D) if D > 0.0 else 0.0
        base = x.carrier[k]
        mode = OPEN if p.mode[base] == OPEN else p.mode[k]
        values[x.closed[k]] = 0.0 if mode == OPEN else 1.0
        values[x.sticks[k]] = 1.0 if mode == STICK and p.mu[k] != 0.0 else 0.0
        values[x.slips[k]] = 1.0 if mode == SLIP and p.mu[k] != 0.0 else 0.0
        for i in range(2):
            values[x.way[2 * k + i]] = p.way[k, i] if mode == SLIP else 0.0
        opens = mode == OPEN and x.normal_force[k] != 0
        margin = max(-x.gap[k], 0.0) + (ROUNDING * extent(x, y, k) if x.reached[k] & CLOSES == 0 else 0.0)
        values[x.gap_margin[k]] = margin if opens else abs(x.gap[k]) + TOUCHES * extent(x, y, k)
        limit = largest if x.normal_force[k] != 0 else p.hold[k] * (p.F[3 * base] if base != k else 1.0)
        least = ROUNDING if x.two_sided[k] != 0 else NEGLIGIBLE  # a contact of two sides goes from one to the other
        margin = max(least * limit, max(rounding, x.law[LAW * k + ROUNDED]))
        if (
            mode == STICK and p.mu[k] < INFINITE
        ):  # it may hold by what rounding has left over its limit, and not by more
            held = p.hold[k] * (p.given[k] if p.given[k] >= 0.0 else p.F[3 * base])
            beyond = p.F[3 * k + 1] * p.F[3 * k + 1] + p.F[3 * k + 2] * p.F[3 * k + 2] - held * held
            margin = max(margin, (1.0 + LEFT) * sqrt(max(beyond, 0.0)))
        values[x.force_margin[k]] = margin
        for i in range(3):
            values[x.rows[3 * k + i]] = float(x.on[3 * k + i])
            values[x.forces[3 * k + i]] = p.F[3 * k + i]
        some = some or mode != OPEN
    return some


@kernel
def slips_stiffly(x: Contacts, w: Switches, y: Reals, values: Reals) -> bool:
    """Whether a contact slips so slowly that the direction of its slip is stiff, and its slip does not die out."""
    some = False
    for k in range(x.count):
        some = some or (x.spatial[k] != 0 and values[x.slips[k]] != 0.0)
    if not some:
        return False
    look_at_contacts(x, w, y, values)
    sum_forces(x, -1)
    some = False
    for k in range(x.count):
        if x.spatial[k] != 0 and values[x.slips[k]] != 0.0:
            speed, grows = slip_speed(x, k), 0.0
            for i in range(1, 3):
                grows += x.velocity[3 * k + i] * (x.free[3 * k + i] + slope_along(x, 3 * k + i)) * w.ahead
            slow = 0.5 * STIFF * x.law[LAW * k + SPEED]
            some = some or (speed < slow and (grows >= 0.0 or speed < SLOW * x.law[LAW * k + SPEED]))
    return some


@kernel
def sum_forces(x: Contacts, without: int) -> None:
    """x.along ← Wᵀ F, accelerations of coordinates by contact forces, without those of one contact, −1 for none."""
    for i in range(len(x.along)):
        x.along[i] = 0.0
    for j in range(3 * x.count):
        if j // 3 != without:
            for e in range(x.W_ends[j], x.W_ends[j + 1]):
                x.along[x.W_columns[e]] += x.W[e] * x.force[j]


@kernel
def finish_slips(m: Motion, x: Contacts, w: Switches, y: Reals) -> bool:
    """Moves on to where the first of the slips that end here has died out, at its deceleration: whether it does."""
    t, late, some = m.reals[T], INFINITE, False
    for k in range(x.count):
        some = some or x.reached[k] & STOPS != 0
    if not some:
        return False
    sum_forces(x, -1)
    for k in range(x.count):
        if x.reached[k] & STOPS != 0:
            rate, speed = 0.0, slip_speed(x, k)
            for i in range(1, 3):
                a = x.free[3 * k + i] + slope_along(x, 3 * k + i)
                rate += x.velocity[3 * k + i] * a * w.ahead
            if rate < 0.0:
                late = min(late, speed * speed / -rate)
    moves = late < INFINITE and late < abs(m.target - t)
    if moves:
        x.before[:] = y
        for half in range(2):  # by the slope in the middle
            accelerate(w, y, m.values)
            for i in range(len(y)):
                y[i] = x.before[i] + (0.5 + 0.5 * float(half)) * late * w.ahead * w.slope[i]
        cut(m, t + late * w.ahead, y)
        w.clock[0] = t + late * w.ahead
        look_at_contacts(x, w, y, m.values)
    return moves


@kernel
def settle_contacts(m: Motion, w: Switches, s: StepFunctions, fresh: bool) -> int:
    """m.values, m.y ← modes of contacts and the state, beyond what has ended a piece, or as a motion begins."""
    x, y, values, moved = m.contacts, m.y[: len(m.first)], m.values, False
    w.clock[0] = m.reals[T]
    look_at_contacts(x, w, y, values)
    if fresh:
        for i in range(3 * x.count):
            x.impulse[i] = 0.0
        for k in range(x.count):
            late = LATE * max(1.0, abs(m.reals[T])) * abs(x.velocity[3 * k])
            if x.gap[k] < -TOUCHES * extent(x, y, k) - late:
                return fail(x, int(ContactEnd.INSIDE), k)
    else:
        for k in range(x.count):
            if x.reached[k] & CLOSES != 0 and w.ahead < 0.0:
                return fail(x, int(ContactEnd.BACKWARD), k)
        moved = finish_slips(m, x, w, y)
    left = 0.0
    for again in range(AT_ONCE):
        if not find_touching(x, y, values, left):
            break
        if again == 0:
            for k in range(x.count):
                left = max(left, LEFT * abs(x.velocity[3 * k])) if x.touching[k] != 0 else left
        if again == AT_ONCE - 1:
            return fail(x, int(ContactEnd.REPEATS), 0)
        why = apply_impacts(x, w, y, values)
        if why != int(ContactEnd.DECIDED):
            return why
        look_at_contacts(x, w, y, values)
    find_candidates(x, y)
    for k in range(x.count):
        if x.candidate[k] != 0 and not (x.law[LAW * k + HOLD] >= 0.0 and x.law[LAW * k + KINETIC] >= 0.0):
            return fail(x, int(ContactEnd.NEGATIVE), k)
    status = int(ContactStatus.DECIDED)
    if pose_problem(x, values):
        status = select_with_sides(x, values)
    if status == int(ContactStatus.NONE):
        rough = x.rough[max(x.problem.worst, 0)] != 0
        return fail(x, int(ContactEnd.ROUGH) if rough else int(ContactEnd.NO_MOTION), x.problem.worst)
    if status != int(ContactStatus.DECIDED):
        return fail(x, int(ContactEnd.UNDECIDED), x.problem.worst)
    if set_modes(x, y, values) and strike(s, m.jumps, m.reals[T], y) and moved:
        y[:] = s.row[1:]  # positions too, along a straight line so far
    for k in range(x.count):
        x.reached[k] = 0
    return int(ContactEnd.DECIDED)
