"""Which contacts there are where modes are selected, in kernels: features that touch, and those that have ceased to."""

from __future__ import annotations

from zeromass.integrate.collisions.bodies import place_bodies
from zeromass.integrate.collisions.broad_phase import exact_gap, find_near, link_slots
from zeromass.integrate.collisions.distance import find_features
from zeromass.integrate.collisions.elements import edge, region
from zeromass.integrate.collisions.kinematics import gap_at
from zeromass.integrate.collisions.shapes import EDGE_EDGE, NEAR, Shapes, move_first
from zeromass.integrate.collisions.slots import AXIS, CLOSED, SLOT, CollisionTable, activate_bodies, value_at
from zeromass.integrate.collisions.vectors import cross, difference, dot, length
from zeromass.kernel.language import Ints, Reals, Reals2, kernel, reals

DEPTH = 1e-11
"""Part of a size by which solids may overlap where they are seen to meet."""

CHOSEN, NO_ROOM = -1, -2
"""Contacts are chosen, or there is no room for them."""


@kernel
def feature_inside(c: CollisionTable, k: int, place: Reals) -> float:
    """place ← where a contact is, in the axes of its second body: how far that is inside of what touches there, m."""
    j = c.feature[k]
    move_first(c.shapes, c.one[k], c.two[k])
    return region(c.shapes, c.one[k], c.two[k], j[0], j[1], j[2], place)


@kernel
def keep_contacts(c: CollisionTable, values: Reals, reached: Ints) -> None:
    """Drops the contacts that are open, or whose features no longer touch; `reached` goes with those that are kept."""
    place, kept = reals(3), 0
    for k in range(c.slots):
        if value_at(c, values, k, CLOSED) == 0.0:
            continue
        if feature_inside(c, k, place) < -2.0 * NEAR * c.shapes.size[c.one[k]]:
            continue
        reached[kept] = reached[k]
        if kept < k:
            c.one[kept], c.two[kept], c.law[kept], c.side[kept] = c.one[k], c.two[k], c.law[k], c.side[k]
            for i in range(3):
                c.feature[kept, i] = c.feature[k, i]
            for i in range(SLOT):
                values[c.base + SLOT * kept + i] = values[c.base + SLOT * k + i]
        kept += 1
    for k in range(kept, c.slots):
        reached[k] = 0
    c.slots = kept


@kernel
def is_known(c: CollisionTable, p: int, feature: int) -> bool:
    """Whether a contact of a near pair is where a feature of it has been found."""
    x, place = c.shapes, reals(3)
    for k in range(c.slots):
        if c.one[k] == x.first[p] and c.two[k] == x.second[p]:
            j = c.feature[k]
            region(x, c.one[k], c.two[k], j[0], j[1], j[2], place)
            difference(place, x.place[feature], place)
            if length(place) <= 4.0 * NEAR * x.size[x.first[p]]:
                return True
    return False


@kernel
def side_of_edges(x: Shapes, one: int, two: int, i: int, j: int) -> float:
    """1 or −1: on which side of u × w of two edges the first shape is."""
    a, u, w, n = reals(3), reals(3), reals(3), reals(3)
    edge(x, one, False, i, a, u)
    edge(x, one, True, j, a, w)
    cross(u, w, n)
    return 1.0 if dot(n, x.way) >= 0.0 else -1.0


@kernel
def add_contact(c: CollisionTable, values: Reals, p: int, feature: int) -> None:
    """Takes a feature of a near pair for a contact, which is open."""
    x, k, f = c.shapes, c.slots, c.frame
    one, two = x.first[p], x.second[p]
    kind, i, j = x.feature[feature, 0], x.feature[feature, 1], x.feature[feature, 2]
    c.one[k], c.two[k], c.law[k], c.side[k] = one, two, x.law[p], 1.0
    c.feature[k, 0], c.feature[k, 1], c.feature[k, 2] = kind, i, j
    if kind == EDGE_EDGE:
        c.side[k] = side_of_edges(x, one, two, i, j)
    at = c.base + SLOT * k
    for s in range(SLOT):
        values[at + s] = 0.0
    gap_at(x, c.bodies, f, one, two, kind, i, j, c.side[k])
    n, least = f.e[0], 0
    for s in range(1, 3):
        least = s if abs(n[s]) < abs(n[least]) else least
    values[at + AXIS + least] = 1.0
    c.slots = k + 1


@kernel
def choose_contacts(
    c: CollisionTable, clock: Reals, y: Reals, values: Reals, reached: Ints, closes: int, fresh: bool
) -> int:
    """Chooses the contacts of all shapes that touch at a state: CHOSEN, NO_ROOM, or a near pair that overlaps.

    reached, closes  of each contact what has ended the piece, and what says that one touches from now on
    """
    x = c.shapes
    place_bodies(c.bodies, clock, y, values)
    if fresh:
        c.slots = 0
        if not find_near(c, c.skin):
            return NO_ROOM
    keep_contacts(c, values, reached)
    for p in range(x.near):
        if x.touches[p] > 0:  # its gap has been that of what did not touch
            x.gap[p], x.low[p] = 0.0, 0.0
        size = x.size[x.first[p]]
        if x.low[p] > NEAR * size:
            continue
        gap = exact_gap(c, p)
        if gap < -NEAR * size:
            return p
        if gap > NEAR * size:
            continue
        find_features(x, x.first[p], x.second[p])
        for feature in range(x.number):
            if is_known(c, p, feature):
                continue
            j = x.feature[feature]
            side = side_of_edges(x, x.first[p], x.second[p], j[1], j[2]) if j[0] == EDGE_EDGE else 1.0
            if gap_at(x, c.bodies, c.frame, x.first[p], x.second[p], j[0], j[1], j[2], side) <= 10.0 * DEPTH * size:
                if c.slots == c.room:
                    return NO_ROOM
                reached[c.slots] = closes
                add_contact(c, values, p, feature)
    link_slots(c)
    activate_bodies(c)
    return CHOSEN


@kernel
def record_contacts(c: CollisionTable, values: Reals, impulse: Reals, piece: int, energy: float) -> None:
    """c.record ← the closed contacts of the piece that begins, and the impulses with which it does."""
    if piece == 0:
        c.recorded, c.strokes = 0, 0
    c.begun[piece], c.hit[piece], c.gained[piece] = c.recorded, c.strokes, energy
    for k in range(c.slots):
        if value_at(c, values, k, CLOSED) != 0.0:
            row = c.record[c.recorded]
            row[0], row[1], row[5], row[6] = float(c.one[k]), float(c.two[k]), c.side[k], float(c.law[k])
            for i in range(3):
                row[2 + i] = float(c.feature[k, i])
            for i in range(SLOT):
                row[7 + i] = value_at(c, values, k, i)
            c.recorded += 1
        if impulse[3 * k] != 0.0 or impulse[3 * k + 1] != 0.0 or impulse[3 * k + 2] != 0.0:
            row = c.struck[c.strokes]
            row[0], row[1] = float(c.one[k]), float(c.two[k])
            for i in range(3):
                row[2 + i] = impulse[3 * k + i]
            c.strokes += 1
    c.begun[piece + 1], c.hit[piece + 1] = c.recorded, c.strokes


@kernel
def restore_contacts(c: CollisionTable, clock: Reals, y: Reals, values: Reals, rows: Reals2) -> int:
    """Takes the contacts of a record for those of a state: CHOSEN, or NO_ROOM."""
    if len(rows) > c.room:
        return NO_ROOM
    c.slots = len(rows)
    for k in range(c.slots):
        row = rows[k]
        c.one[k], c.two[k], c.side[k], c.law[k] = int(row[0]), int(row[1]), row[5], int(row[6])
        for i in range(3):
            c.feature[k, i] = int(row[2 + i])
        for i in range(SLOT):
            values[c.base + SLOT * k + i] = row[7 + i]
    place_bodies(c.bodies, clock, y, values)
    if not find_near(c, c.skin):
        return NO_ROOM
    activate_bodies(c)
    return CHOSEN


@kernel
def keep_choice(c: CollisionTable, takes: int) -> None:
    """Notes the contacts as they are, or takes back what has been chosen since."""
    if takes != 0:
        c.kept_slots = c.slots
    for k in range(c.kept_slots):
        own = c.kept[k]
        if takes != 0:
            own[0], own[1], own[2] = c.one[k], c.two[k], c.law[k]
            own[3], own[4], own[5], own[6] = c.feature[k, 0], c.feature[k, 1], c.feature[k, 2], int(c.side[k])
        else:
            c.one[k], c.two[k], c.law[k] = own[0], own[1], own[2]
            c.feature[k, 0], c.feature[k, 1], c.feature[k, 2], c.side[k] = own[3], own[4], own[5], float(own[6])
    if takes == 0:
        c.slots = c.kept_slots
        link_slots(c)
        activate_bodies(c)
