"""What is watched of closed contacts, in kernels: functions that fall through zero where their modes end."""

from __future__ import annotations

from zeromass.integrate.collisions.elements import region
from zeromass.integrate.collisions.forces import evaluate_forces
from zeromass.integrate.collisions.law import HELD, HOLD, LAW, LEAST, SLOW, SPEED, STEEP
from zeromass.integrate.collisions.shapes import NEAR, move_first
from zeromass.integrate.collisions.slots import (
    AXIS,
    FORCE_MARGIN,
    GAP_MARGIN,
    ROWS,
    SLIPS,
    STICKS,
    WAY,
    CollisionTable,
    value_at,
)
from zeromass.kernel.language import Reals, kernel, reals, sqrt

OPENS, SLIP_BEGINS, SLIP_ENDS, SLIP_TURNS, STRAYS, TURNS, LEAVES = range(7)
GUARDS = 7
"""Functions that are watched of a contact."""

ASKEW = 0.5
"""Cosine of the angle between a slip and the direction that was noted for it, below which that is noted anew."""

ROUNDED = 1e-3
"""Part of what other contacts allow, by which a slip may return beyond zero by errors of steps."""

OUTSIDE = 2.5
"""Times what counts as near, by which a feature touches outside of its face or edges where it is given up."""


@kernel
def watch_contacts(c: CollisionTable, clock: Reals, y: Reals, values: Reals, found: Reals) -> None:
    """found ← what else is watched, and functions of all contacts: 1 of those that are not closed, and in other modes."""
    if c.events > 0:
        c.event(clock, y, values, found)
    first, n = c.events, GUARDS
    for i in range(first, len(found)):
        found[i] = 1.0
    evaluate_forces(c, clock, y, values)
    for i in range(c.count):
        k = c.closed[i]
        watch_contact(c, values, k, found[first + n * k : first + n * (k + 1)])


@kernel
def watch_contact(c: CollisionTable, values: Reals, k: int, found: Reals) -> None:
    """found ← the functions of a closed contact at its state."""
    law, place, x = LAW * c.law[k], reals(3), c.shapes
    w1, w2, N, T1, T2 = (
        c.velocity[3 * k + 1],
        c.velocity[3 * k + 2],
        c.force[3 * k],
        c.force[3 * k + 1],
        c.force[3 * k + 2],
    )
    margin, near, speed = value_at(c, values, k, FORCE_MARGIN), value_at(c, values, k, GAP_MARGIN), c.laws[law + SPEED]
    found[OPENS] = N + margin
    if value_at(c, values, k, STICKS) != 0.0 and c.rough[c.law[k]] == 0:
        limit = (1.0 + HELD) * c.laws[law + HOLD] * N
        found[SLIP_BEGINS] = limit * limit + margin * margin - T1 * T1 - T2 * T2
    if value_at(c, values, k, SLIPS) != 0.0:
        along = w1 * value_at(c, values, k, WAY) + w2 * value_at(c, values, k, WAY + 1)
        found[SLIP_ENDS] = along + ROUNDED * LEAST * speed
        found[SLIP_TURNS] = along - ASKEW * sqrt(w1 * w1 + w2 * w2) + SLOW * speed
    if value_at(c, values, k, ROWS) == 0.0:
        found[STRAYS] = near * near - c.gap[k] * c.gap[k]
    n, along = c.normal[3 * k : 3 * k + 3], 0.0
    for i in range(3):
        along += n[i] * value_at(c, values, k, AXIS + i)
    found[TURNS] = 1.0 - along * along - STEEP
    j = c.feature[k]
    move_first(x, c.one[k], c.two[k])
    found[LEAVES] = region(x, c.one[k], c.two[k], j[0], j[1], j[2], place) + OUTSIDE * NEAR * x.size[c.one[k]]
