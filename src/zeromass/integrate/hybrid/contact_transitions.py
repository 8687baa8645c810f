"""Contacts where a motion begins or a piece of it has ended: impacts first, then modes, and the state beyond."""

from __future__ import annotations

from zeromass.integrate.collisions.law import HOLD, KINETIC, LAW, SLOW, SPEED, STIFF
from zeromass.integrate.hybrid.contact_impacts import (
    AT_ONCE,
    apply_impacts,
    find_jammed,
    find_touching,
    has_impulse,
    resolve_impacts,
)
from zeromass.integrate.hybrid.contact_kinematics import (
    TOUCHES,
    evaluate_contacts,
    extent,
    fail,
    slip_speed,
    slope_along,
    sum_forces,
)
from zeromass.integrate.hybrid.contact_problem import INFINITE, ContactStatus
from zeromass.integrate.hybrid.contact_selection import (
    find_candidates,
    hold_approached,
    hold_new_slips,
    pose_problem,
    release_new_slips,
    select_with_sides,
    set_modes,
    shares_forces,
)
from zeromass.integrate.hybrid.contact_table import CLOSES, STOPS, Contacts
from zeromass.integrate.hybrid.memory import Motion, T
from zeromass.integrate.hybrid.messages import ContactEnd
from zeromass.integrate.hybrid.piece_end import cut
from zeromass.integrate.hybrid.polyhedra import choose_features
from zeromass.integrate.hybrid.reset import strike
from zeromass.integrate.hybrid.switches import Switches, accelerate
from zeromass.integrate.stepping.step_functions import StepFunctions
from zeromass.kernel.language import Reals, kernel

LATE = 1e-12
"""Part of 1 and of the time by which a motion that has been located at an impact may be behind it."""


@kernel
def slips_stiffly(x: Contacts, w: Switches, y: Reals, values: Reals) -> bool:
    """Whether a contact slips so slowly that the direction of its slip is stiff, and its slip does not die out."""
    some = False
    for k in range(x.count):
        some = some or (x.spatial[k] != 0 and values[x.slips[k]] != 0.0)
    if not some:
        return False
    evaluate_contacts(x, w, y, values)
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
        evaluate_contacts(x, w, y, m.values)
    return moves


@kernel
def resolve_contacts(x: Contacts, w: Switches, y: Reals, values: Reals) -> tuple[int, bool]:
    """Impacts at a state, and the contact problem behind them: why there is no solution, and whether bounces end.

    Where friction jams contacts, impacts without collision follow, and the problem is posed again.
    """
    status, low = int(ContactStatus.UNDECIDED), False
    for _ in range(AT_ONCE):
        why = resolve_impacts(x, w, y, values)
        if why != int(ContactEnd.DECIDED):
            return why, low
        low = find_candidates(x, y)
        for k in range(x.count):
            if x.candidate[k] != 0 and not (x.law[LAW * k + HOLD] >= 0.0 and x.law[LAW * k + KINETIC] >= 0.0):
                return fail(x, int(ContactEnd.NEGATIVE), k), low
        status = int(ContactStatus.DECIDED)
        if pose_problem(x, values, False):
            status = select_with_sides(x, values)
        retries = x.finds or shares_forces(x, values)  # slow slips that end here may change other forces too
        if status != int(ContactStatus.DECIDED) and retries and pose_problem(x, values, True):
            status = select_with_sides(x, values)
        jams = status != int(ContactStatus.DECIDED) and find_jammed(x)
        if not jams or apply_impacts(x, w, y, values, True) != int(ContactEnd.DECIDED) or not has_impulse(x):
            break
        evaluate_contacts(x, w, y, values)
    if status == int(ContactStatus.DECIDED):
        return int(ContactEnd.DECIDED), low
    worst, why = x.listed[max(x.problem.worst, 0)], int(ContactEnd.UNDECIDED)
    if status == int(ContactStatus.NONE):
        why = int(ContactEnd.ROUGH) if x.rough[worst] != 0 else int(ContactEnd.NO_MOTION)
    return fail(x, why, worst), low


@kernel(lazy=True)
def settle_contacts(m: Motion, w: Switches, s: StepFunctions, fresh: bool) -> int:
    """m.values, m.y ← modes of contacts and the state, beyond what has ended a piece, or as a motion begins."""
    x, y, values, moved = m.contacts, m.y[: len(m.first)], m.values, False
    w.clock[0] = m.reals[T]
    if x.finds:
        why = x.choose(x.table, m, w, 1 if fresh else 0)
        if why != int(ContactEnd.DECIDED):
            return why
    inside = -1
    if x.polyhedra.count > 0:
        inside = choose_features(x.polyhedra, w.clock, y, values, x.closed, x.reached, CLOSES, False)
    if inside >= 0:
        return fail(x, int(ContactEnd.INSIDE), inside)
    evaluate_contacts(x, w, y, values)
    if fresh:
        x.gained = 0.0
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
    for _ in range(AT_ONCE):
        why, low = resolve_contacts(x, w, y, values)
        if why != int(ContactEnd.DECIDED):
            return why
        if not set_modes(x, y, values):
            break
        if x.finds and hold_new_slips(x, values):
            strike(s, m.jumps, m.reals[T], y)
            release_new_slips(x, values)
        if strike(s, m.jumps, m.reals[T], y) and moved:
            y[:] = s.row[1:]  # positions too, along a straight line so far
        if not low:
            break
        evaluate_contacts(x, w, y, values)
        if not find_touching(x, y, values, 0.0):
            break
        if not x.finds:
            hold_approached(x, y, values, 1.0)
            strike(s, m.jumps, m.reals[T], y)
            hold_approached(x, y, values, 0.0)
            break
    for k in range(x.count):
        x.reached[k] = 0
    return int(ContactEnd.DECIDED)
