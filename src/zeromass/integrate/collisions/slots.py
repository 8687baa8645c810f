"""Contacts at which shapes touch, in memory: their features, modes and laws, and the equations of their forces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from zeromass.integrate.collisions.bodies import TWIST, Bodies
from zeromass.integrate.collisions.kinematics import Frame, gap_at, set_frame, wrench_row
from zeromass.integrate.collisions.mobility import Mobility, activate
from zeromass.integrate.collisions.shapes import Shapes
from zeromass.kernel.language import Ints, Ints2, Reals, Reals2, Struct, function, kernel, reals

CLOSED, STICKS, SLIPS, WAY, GAP_MARGIN, FORCE_MARGIN, ROWS, PULLS, FORCES, AXIS, SLOT = (
    0,
    1,
    2,
    3,
    5,
    6,
    7,
    10,
    11,
    14,
    17,
)
"""Places of the values of a contact, as those of a `Unilateral`, and how many there are."""

WIDTH = 7 + SLOT
"""Numbers of a contact in the record of a piece: both shapes, its feature and side, its law, and its values."""

FLAGS = 10
"""How many of them its equations depend on."""

ROW = 2 * TWIST
"""Numbers of a row of a contact: wrenches on both bodies by a unit force."""


class CollisionTable(Struct):
    """Contacts of shapes, and memory for their equations; `slots` of them, of which those that are closed have forces.

    shapes, bodies, mobility, frame   geometry, kinematics and dynamics
    base        place of the values of the first contact among parameters
    room        for how many contacts there is memory
    one, two, feature, side   shapes and features of each, and the side of the normal of two edges
    law         which law each has; laws: their numbers, by `evaluate_laws`; rough: which laws hold by any friction
    gap, velocity, bias, free, force, normal   of each, three numbers each but of gaps
    rows        three rows of each
    flags       values that the equations were posed for, (slots, FLAGS)
    count, closed   how many contacts are closed, and which, in the order of elimination
    equations, slot, direction   rows that hold: how many, and of which contact and direction
    pattern, data, solution, matrix, order   of `zeromass.kernel.linear.solve_rows`
    posed       for how many contacts equations were posed, −1 for none yet
    mark        memory of a search
    kept, kept_slots   shapes, law, feature and side of the contacts as the piece began, (room, 7), and how many they were
    before, behind   velocities of bodies at both ends of a step, m/s
    skin        distance up to which shapes are near one another, m
    record, recorded, begun   of the pieces of a motion their closed contacts, (rows, WIDTH): how many, and where each begins
    struck, strokes, hit      impulses with which they begin, (rows, 5): how many, and where those of each piece begin
    gained      what these add to the kinetic energy, of each piece, J
    plain       dy/dt without contact forces; corrects: whether the system has corrections of its own
    positions, velocities   these; event: what else is watched, `events` functions
    """

    shapes: Shapes
    bodies: Bodies
    mobility: Mobility
    frame: Frame
    base: int
    slots: int
    room: int
    one: Ints
    two: Ints
    feature: Ints2
    side: Reals
    law: Ints
    laws: Reals
    evaluate_laws: Annotated[Callable[..., None], function(Reals, Reals, Reals, Reals)]
    rough: Ints
    gap: Reals
    velocity: Reals
    bias: Reals
    free: Reals
    force: Reals
    normal: Reals
    rows: Reals
    flags: Reals
    count: int
    closed: Ints
    equations: int
    slot: Ints
    direction: Ints
    pattern: Ints
    data: Reals
    solution: Reals
    matrix: Reals
    order: Ints
    posed: int
    mark: Ints
    kept: Ints2
    kept_slots: int
    skin: float
    before: Reals2
    behind: Reals2
    record: Reals2
    recorded: int
    begun: Ints
    struck: Reals2
    strokes: int
    hit: Ints
    gained: Reals
    plain: Annotated[Callable[..., None], function(Reals, Reals, Reals, Reals, Reals, Reals)]
    corrects: bool
    positions: Annotated[Callable[..., None], function(Reals, Reals, Reals, Reals)]
    velocities: Annotated[Callable[..., None], function(Reals, Reals, Reals, Reals)]
    events: int
    event: Annotated[Callable[..., None], function(Reals, Reals, Reals, Reals)]


@kernel
def value_at(c: CollisionTable, values: Reals, k: int, which: int) -> float:
    """A value of a contact."""
    return values[c.base + SLOT * k + which]


@kernel
def body_of(c: CollisionTable, k: int, side: int) -> int:
    """The first or second body of a contact, −1 where it is fixed."""
    return int(c.shapes.body[c.one[k] if side == 0 else c.two[k]])


@kernel
def component_of(c: CollisionTable, k: int, side: int) -> int:
    """The component of a body of a contact, −1 where it is fixed."""
    b = body_of(c, k, side)
    return -1 if b < 0 else int(c.mobility.component[b])


@kernel
def coupled(c: CollisionTable, i: int, j: int) -> bool:
    """Whether a force of one contact moves another one."""
    a, b, p, q = component_of(c, i, 0), component_of(c, i, 1), component_of(c, j, 0), component_of(c, j, 1)
    if a >= 0 and (a == p or a == q):
        return True
    return b >= 0 and (b == p or b == q)


@kernel
def activate_bodies(c: CollisionTable) -> None:
    """Takes the bodies that have contacts for active."""
    m = c.mobility
    for b in range(len(m.active)):
        m.active[b] = 0
    for k in range(c.slots):
        for side in range(2):
            b = body_of(c, k, side)
            if b >= 0:
                m.active[b] = 1
    activate(m)
    c.posed = -1


@kernel
def has_changed(c: CollisionTable, values: Reals) -> bool:
    """Whether equations are to be posed anew for the modes in `values`."""
    if c.posed != c.slots:
        return True
    for k in range(c.slots):
        for i in range(FLAGS):
            if c.flags[FLAGS * k + i] != value_at(c, values, k, i):
                return True
    return False


@kernel
def sync(c: CollisionTable, values: Reals) -> None:
    """Poses the equations for the modes in `values`, where they are posed for others."""
    if not has_changed(c, values):
        return
    c.posed, c.count = c.slots, 0
    for k in range(c.slots):
        for i in range(FLAGS):
            c.flags[FLAGS * k + i] = value_at(c, values, k, i)
    order_contacts(c, values)
    c.equations = 0
    for i in range(c.count):
        k = c.closed[i]
        for r in range(3):
            if value_at(c, values, k, ROWS + r) != 0.0:
                c.slot[c.equations], c.direction[c.equations] = k, r
                c.equations += 1
    write_pattern(c)


@kernel
def order_contacts(c: CollisionTable, values: Reals) -> None:
    """c.closed ← the closed contacts, island by island outward from its end: entries are then near the diagonal [CM1969]."""
    for k in range(c.slots):
        c.mark[k] = 0 if value_at(c, values, k, CLOSED) != 0.0 else 3
    for root in range(c.slots):
        if c.mark[root] == 0:
            begin = c.count
            last = walk(c, begin, root, 1)
            c.count = walk(c, begin, c.closed[last - 1], 2)


@kernel
def walk(c: CollisionTable, begin: int, root: int, mark: int) -> int:
    """c.closed ← the island of a contact from a place on, breadth first: where it ends."""
    c.closed[begin], end, done = root, begin + 1, begin
    c.mark[root] = mark
    while done < end:
        for k in range(c.slots):
            if c.mark[k] < mark and coupled(c, c.closed[done], k):
                c.closed[end], c.mark[k] = k, mark
                end += 1
        done += 1
    return end


@kernel
def write_row(c: CollisionTable, at: int, k: int, whole: bool) -> int:
    """c.pattern ← from a place on, columns of a row: of both bodies of a contact, or of all that move with them: the end."""
    m = c.mobility
    for side in range(2):
        b = body_of(c, k, side)
        if b < 0:
            continue
        part = m.component[b]
        if not whole:
            for r in range(TWIST):
                c.pattern[at + r] = TWIST * m.order[b] + r
            at += TWIST
        elif side == 0 or part != component_of(c, k, 0):
            for r in range(TWIST * m.members[part]):
                c.pattern[at + r] = TWIST * m.starts[part] + r
            at += int(TWIST * m.members[part])
    return at


@kernel
def write_pattern(c: CollisionTable) -> None:
    """c.pattern ← where the matrices of the equations have entries; see `solve_rows`."""
    n, at = c.equations, 0
    c.pattern[0], c.pattern[1] = n, TWIST * c.mobility.m
    ends = 2
    for matrix in range(3):
        columns = ends + n + 1
        at, c.pattern[ends] = columns, 0
        for i in range(n):
            if matrix < 2:
                at = write_row(c, at, c.slot[i], matrix == 1)
            else:
                for j in range(n):
                    if coupled(c, c.slot[i], c.slot[j]):
                        c.pattern[at] = j
                        at += 1
            c.pattern[ends + i + 1] = at - columns
        ends = at


@kernel
def look_at(c: CollisionTable, values: Reals, k: int) -> None:
    """Gap, velocities, biases and rows of a contact, for bodies that have moved."""
    f, x = c.frame, c.shapes
    j = c.feature[k]
    gap_at(x, c.bodies, f, c.one[k], c.two[k], j[0], j[1], j[2], c.side[k])
    set_frame(x, c.bodies, f, c.one[k], c.two[k], values[c.base + SLOT * k + AXIS : c.base + SLOT * k + SLOT])
    c.gap[k] = f.gap
    z = reals(6)
    for r in range(3):
        c.velocity[3 * k + r], c.bias[3 * k + r], c.normal[3 * k + r] = f.velocity[r], f.bias[r], f.e[0, r]
        for side in range(2):
            wrench_row(f, r, side, z)
            for i in range(TWIST):
                c.rows[ROW * (3 * k + r) + TWIST * side + i] = z[i] if body_of(c, k, side) >= 0 else 0.0


@kernel
def along_row(c: CollisionTable, k: int, r: int, A: Reals2) -> float:
    """Σ J A of a direction of a contact, for twists of active bodies."""
    total, m = 0.0, c.mobility
    for side in range(2):
        b = body_of(c, k, side)
        if b >= 0:
            row = c.rows[ROW * (3 * k + r) + TWIST * side : ROW * (3 * k + r) + TWIST * (side + 1)]
            for i in range(TWIST):
                total += row[i] * A[m.order[b], i]
    return total


@kernel
def add_wrench(c: CollisionTable, k: int, r: int, force: float, W: Reals2) -> None:
    """W ← W + Jᵀ f of a force of a contact along a direction."""
    for side in range(2):
        b = body_of(c, k, side)
        if b >= 0:
            for i in range(TWIST):
                W[c.mobility.order[b], i] += force * c.rows[ROW * (3 * k + r) + TWIST * side + i]
