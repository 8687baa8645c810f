"""Kinematics and dynamics of the contacts of a system at a state, and the matrix J M⁻¹ Jᵀ of some of them."""

from __future__ import annotations

from zeromass.integrate.collisions.law import LAW, SIZE, SPEED, STEEP
from zeromass.integrate.hybrid.contact_table import CLOSES, Contacts
from zeromass.integrate.hybrid.polyhedra import choose_features
from zeromass.integrate.hybrid.switches import Switches
from zeromass.kernel.language import Ints, Reals, kernel, sqrt
from zeromass.model.state import ROUNDING

TOUCHES = 1e-12
"""Part of places and sizes below which a gap counts as closed, and of speeds below which one neither closes nor opens."""


@kernel
def choose_axes(x: Contacts, w: Switches, y: Reals, values: Reals) -> None:
    """values ← features of polyhedra and axes of tangents as a motion begins.

    The axis of a normal is that of the coordinate which it has least of.
    """
    some = False
    if x.polyhedra.count > 0:
        choose_features(x.polyhedra, w.clock, y, values, x.closed, x.reached, CLOSES, True)
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
def evaluate_contacts(x: Contacts, w: Switches, y: Reals, values: Reals) -> None:
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
def slip_speed(x: Contacts, k: int) -> float:
    """|w| of a contact."""
    return sqrt(x.velocity[3 * k + 1] * x.velocity[3 * k + 1] + x.velocity[3 * k + 2] * x.velocity[3 * k + 2])


@kernel
def slip_force(x: Contacts, k: int) -> float:
    """|T| of a contact."""
    return sqrt(x.force[3 * k + 1] * x.force[3 * k + 1] + x.force[3 * k + 2] * x.force[3 * k + 2])


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
def slope_along(x: Contacts, i: int) -> float:
    """Σ Jᵢ x.along: a row of accelerations by the accelerations of coordinates."""
    total = 0.0
    for e in range(x.J_ends[i], x.J_ends[i + 1]):
        total += x.J[e] * x.along[x.J_columns[e]]
    return total


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
def list_contacts(x: Contacts, which: Ints) -> None:
    """x.listed, x.place, D of x.problem ← some contacts, and J M⁻¹ Jᵀ of those that share coordinates."""
    p, along, filled = x.problem, x.along, 0
    p.k = 0
    for k in range(x.count):
        x.place[k] = -1
        if which[k] != 0:
            x.place[k], x.listed[p.k] = p.k, k
            p.k += 1
    for j in range(p.k):
        p.first_pair[j] = filled
        for n in range(x.first_pair[x.listed[j]], x.first_pair[x.listed[j] + 1]):
            if x.place[x.pairs[n]] >= 0:
                p.pairs[filled] = x.place[x.pairs[n]]
                filled += 1
    p.first_pair[p.k] = filled
    for i in range(len(along)):
        along[i] = 0.0
    for j in range(p.k):
        for s in range(3):
            row = 3 * x.listed[j] + s
            for e in range(x.W_ends[row], x.W_ends[row + 1]):
                along[x.W_columns[e]] = x.W[e]
            for n in range(p.first_pair[j], p.first_pair[j + 1]):
                i = p.pairs[n]
                for r in range(3):
                    p.D[3 * i + r, 3 * j + s] = slope_along(x, 3 * x.listed[i] + r)
            for e in range(x.W_ends[row], x.W_ends[row + 1]):
                along[x.W_columns[e]] = 0.0


@kernel
def fail(x: Contacts, why: int, which: int) -> int:
    """Notes why contacts do not tell what follows, and of which one: why."""
    x.why, x.which = why, which
    return why
