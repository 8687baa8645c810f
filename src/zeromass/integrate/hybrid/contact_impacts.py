"""Impacts of a system: which contacts touch and are approached or jammed, and their impulses on its rates."""

from __future__ import annotations

from zeromass.integrate.collisions.law import HOLD, KINETIC, LAW, RESTITUTION
from zeromass.integrate.hybrid.contact_kinematics import (
    TOUCHES,
    evaluate_contacts,
    extent,
    fail,
    list_contacts,
    slow_speed,
)
from zeromass.integrate.hybrid.contact_problem import INFINITE
from zeromass.integrate.hybrid.contact_table import CLOSES, Contacts
from zeromass.integrate.hybrid.impact_problem import ImpactStatus
from zeromass.integrate.hybrid.impacts import impacts
from zeromass.integrate.hybrid.messages import ContactEnd
from zeromass.integrate.hybrid.switches import Switches
from zeromass.kernel.language import Reals, kernel

AT_ONCE = 16
"""Impacts at one moment after which a motion is given up."""

LEFT = 1e-9
"""Part of the speeds before an impact with which contacts may seem to approach after it: what its solution leaves."""


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
def resolve_impacts(x: Contacts, w: Switches, y: Reals, values: Reals) -> int:
    """Impacts until no contact that touches is approached: why there are none, or DECIDED."""
    left = 0.0
    for again in range(AT_ONCE):
        if not find_touching(x, y, values, left):
            return int(ContactEnd.DECIDED)
        if again == 0:
            for k in range(x.count):
                left = max(left, LEFT * abs(x.velocity[3 * k])) if x.touching[k] != 0 else left
        if again < AT_ONCE - 1:
            why = apply_impacts(x, w, y, values, False)
            evaluate_contacts(x, w, y, values)
            if why != int(ContactEnd.DECIDED) or not has_impulse(x):  # the approach is rounding beside other velocities
                return why
    return fail(x, int(ContactEnd.REPEATS), 0)


@kernel(lazy=True)
def find_jammed(x: Contacts) -> bool:
    """x.jammed ← contacts that friction presses the more the harder they are pressed, where no mode is a motion.

    They slip along s with nᵀ D (n − μ s) < 0, in the island without a solution [P1895]. What goes on is an impact without
    collision: impulses grow until these slips have died out [B2016, ch. 5].
    """
    p, some = x.problem, False
    for k in range(x.count):
        x.jammed[k] = 0
    for i in range(p.k):
        k, n, s1, s2 = x.listed[i], p.D[3 * i], p.slip[i, 0], p.slip[i, 1]
        slips = (s1 != 0.0 or s2 != 0.0) and p.mu[i] < INFINITE and x.normal_force[k] != 0 and x.opens[k] != 0
        presses = n[3 * i] < p.mu[i] * (s1 * n[3 * i + 1] + s2 * n[3 * i + 2])
        if p.number[i] == p.number[max(p.worst, 0)] and slips and presses:
            x.jammed[k], some = 1, True
    return some


@kernel
def has_impulse(x: Contacts) -> bool:
    """Whether the last impacts had any impulse."""
    some = False
    for i in range(3 * x.problem.k):
        some = some or x.impacts.P[i] != 0.0
    return some


@kernel
def apply_impacts(x: Contacts, w: Switches, y: Reals, values: Reals, jams: bool) -> int:
    """Adds the impulses of contacts that are approached to the rates: why there are none, or DECIDED.

    jams  whether contacts in x.jammed are struck though they are not approached
    """
    p, c, n = x.impacts, x.problem, len(y) // 2
    x.values[:] = values
    for k in range(len(w.kind)):
        if w.flag[k] >= 0:
            x.values[w.flag[k]] = 0.0  # dry friction takes no impulse
    x.evaluate(w.clock, y, x.values, x.gap, x.velocity, x.free, x.force, x.normal, x.law, x.J, x.W)
    list_contacts(x, x.touching)
    for i in range(c.k):
        k = x.listed[i]
        p.mu[i] = INFINITE if x.rough[k] != 0 else x.law[LAW * k + KINETIC]
        p.hold[i] = INFINITE if x.rough[k] != 0 else x.law[LAW * k + HOLD]
        p.e[i] = x.law[LAW * k + RESTITUTION]
        if not (p.e[i] >= 0.0 and p.e[i] <= 1.0):
            return fail(x, int(ContactEnd.RESTITUTION), k)
        if not p.mu[i] >= 0.0:
            return fail(x, int(ContactEnd.FRICTION), k)
        for r in range(3):
            p.w[3 * i + r] = x.velocity[3 * k + r]
        p.jammed[i] = x.jammed[k] if jams else 0
        if p.jammed[i] != 0:
            p.w[3 * i] = min(p.w[3 * i], 0.0)
    if impacts(p, c, x.simultaneous) > int(ImpactStatus.SEQUENTIAL):
        return fail(x, int(ContactEnd.NO_IMPULSE), 0)
    x.gained += p.energy
    for i in range(3 * c.k):
        if p.P[i] != 0.0:
            j = 3 * x.listed[i // 3] + i % 3
            x.struck = True
            x.impulse[j] += p.P[i]
            for e in range(x.W_ends[j], x.W_ends[j + 1]):
                y[n + x.W_columns[e]] += p.P[i] * x.W[e]
    return int(ContactEnd.DECIDED)
