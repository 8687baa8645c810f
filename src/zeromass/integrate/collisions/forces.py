"""Forces of closed contacts in their modes, and motion with them, in kernels; see `zeromass.compile.unilateral`.

J q̈ + J̇ q̇ = 0 in each row that holds,   T = −μ N s where a contact slips along s
"""

from __future__ import annotations

from zeromass.integrate.collisions.bodies import TWIST, twist_of
from zeromass.integrate.collisions.law import KINETIC, LAW, SLOW, SPEED
from zeromass.integrate.collisions.mobility import add_accelerations, add_twists, clear_wrenches, respond
from zeromass.integrate.collisions.slots import (
    FORCES,
    ROW,
    SLIPS,
    WAY,
    CollisionTable,
    add_wrench,
    along_row,
    body_of,
    component_of,
    look_at,
    sync,
    value_at,
)
from zeromass.kernel.language import Ints, Reals, kernel, reals, sqrt
from zeromass.kernel.linear import solve_rows

READ = 9
"""Numbers that are read of a contact: its point, its normal and the force on its first body."""


@kernel
def slip_direction(c: CollisionTable, values: Reals, k: int) -> tuple[float, float]:
    """Unit vector of the slip of a contact along both tangents, also where it is about to begin.

    Where a slip returns beyond zero it keeps its direction: it ends there, and a step that goes on is smooth.
    """
    w1, w2, s1, s2 = (
        c.velocity[3 * k + 1],
        c.velocity[3 * k + 2],
        value_at(c, values, k, WAY),
        value_at(c, values, k, WAY + 1),
    )
    if w1 * s1 + w2 * s2 < 0.0:
        w1, w2 = -w1, -w2
    slow = SLOW * c.laws[LAW * c.law[k] + SPEED]
    square = (w1 * w1 + w2 * w2) / (slow * slow)
    begins = slow / (1.0 + square * square)
    w1, w2 = w1 + begins * s1, w2 + begins * s2
    size = sqrt(w1 * w1 + w2 * w2)
    return (w1 / size, w2 / size) if size > 0.0 else (0.0, 0.0)


@kernel
def add_friction(c: CollisionTable, values: Reals, k: int, force: float) -> None:
    """Wrenches ← with the friction that goes with a normal force where a contact slips."""
    if value_at(c, values, k, SLIPS) != 0.0:
        s1, s2 = slip_direction(c, values, k)
        μN = c.laws[LAW * c.law[k] + KINETIC] * force
        add_wrench(c, k, 1, -μN * s1, c.mobility.W)
        add_wrench(c, k, 2, -μN * s2, c.mobility.W)


@kernel
def move(c: CollisionTable, clock: Reals, y: Reals, values: Reals, every: bool) -> None:
    """Responses of bodies and kinematics of the closed contacts at a state, or of all."""
    sync(c, values)
    c.evaluate_laws(clock, y, values, c.laws)
    if c.count > 0 or every:
        respond(c.mobility, c.bodies, clock, y, values)
    if every:
        for k in range(c.slots):
            look_at(c, values, k)
    else:
        for i in range(c.count):
            look_at(c, values, c.closed[i])


@kernel
def solve(c: CollisionTable, values: Reals, friction: bool, normals: bool) -> float:
    """c.solution ← forces along the rows that hold, of the right-hand side in `c.data`: the growth of pivots.

    friction  whether normal forces have the friction of contacts that slip with them
    normals   whether normal rows alone hold
    """
    n, m, x = c.equations, c.mobility, c.data
    ends_j, count_j = 2, c.pattern[2 + n]
    ends_w = 2 + n + 1 + count_j
    count = count_j + c.pattern[ends_w + n]
    for q in range(n):
        k, r, at = c.slot[q], c.direction[q], c.pattern[ends_j + q]
        for side in range(2):
            if body_of(c, k, side) >= 0:
                for i in range(TWIST):
                    x[at + i] = c.rows[ROW * (3 * k + r) + TWIST * side + i]
                at += TWIST
        clear_pair(c, k)
        add_wrench(c, k, r, 1.0, m.W)
        if friction and r == 0:
            add_friction(c, values, k, 1.0)
        at = count_j + c.pattern[ends_w + q]
        for side in range(2):
            part = component_of(c, k, side)
            if part >= 0 and (side == 0 or part != component_of(c, k, 0)):
                at = write_response(c, part, k, at)
        x[count + q] = 0.0 if normals and r != 0 else 1.0
    clear_wrenches(m)
    if n == 0:
        return 1.0
    solve_rows(x, c.pattern, 1, 0, c.solution, c.matrix, c.order, False)
    return float(c.solution[n])


@kernel
def clear_pair(c: CollisionTable, k: int) -> None:
    """No wrenches on the bodies of a contact."""
    for side in range(2):
        b = body_of(c, k, side)
        if b >= 0:
            for i in range(TWIST):
                c.mobility.W[c.mobility.order[b], i] = 0.0


@kernel
def write_response(c: CollisionTable, part: int, k: int, at: int) -> int:
    """c.data ← from a place on, twist accelerations of a component by the wrenches on the bodies of a contact: the end."""
    m = c.mobility
    width = TWIST * m.members[part]
    for row in range(width):
        total, first = 0.0, m.blocks[part] + row * width
        for side in range(2):
            b = body_of(c, k, side)
            if b >= 0 and m.component[b] == part and (side == 0 or b != body_of(c, k, 0)):
                column = first + TWIST * m.member[b]
                for s in range(TWIST):
                    total += m.X[column + s] * m.W[m.order[b], s]
        c.data[at + row] = total
    return at + width


@kernel
def right_hand_side(c: CollisionTable) -> int:
    """Place of the right-hand side in `c.data`."""
    n = c.equations
    count_j = c.pattern[2 + n]
    return int(count_j + c.pattern[2 + n + 1 + count_j + n] + n)


@kernel
def solve_forces(c: CollisionTable, values: Reals) -> float:
    """c.force, wrenches ← forces of all closed contacts, of contacts that have moved: the growth of pivots."""
    m, z, given = c.mobility, reals(6), False
    clear_wrenches(m)
    for k in range(3 * c.slots):
        c.force[k] = 0.0
    for i in range(c.count):
        k = c.closed[i]
        for r in range(3):
            c.force[3 * k + r] = value_at(c, values, k, FORCES + r)
            given = given or c.force[3 * k + r] != 0.0
    if given:
        for i in range(c.count):
            k = c.closed[i]
            spread_force(c, values, k)
        for i in range(m.m):
            for r in range(TWIST):
                z[r] = 0.0
            add_twists(m, m.W, i, z)
            for r in range(TWIST):
                m.loaded[i, r] = m.A[i, r] + z[r]
    b = right_hand_side(c)
    for q in range(c.equations):
        k, r = c.slot[q], c.direction[q]
        c.data[b + q] = -c.bias[3 * k + r] - along_row(c, k, r, m.loaded if given else m.A)
    growth = solve(c, values, True, False)
    for q in range(c.equations):
        c.force[3 * c.slot[q] + c.direction[q]] += c.solution[q]
    for i in range(c.count):
        spread_force(c, values, c.closed[i])
    return growth


@kernel
def spread_force(c: CollisionTable, values: Reals, k: int) -> None:
    """Wrenches ← with those of the forces of a contact, whose friction follows from its normal force where it slips."""
    if value_at(c, values, k, SLIPS) != 0.0:
        s1, s2 = slip_direction(c, values, k)
        μN = c.laws[LAW * c.law[k] + KINETIC] * c.force[3 * k]
        c.force[3 * k + 1], c.force[3 * k + 2] = -μN * s1, -μN * s2
    for r in range(3):
        if c.force[3 * k + r] != 0.0:
            add_wrench(c, k, r, c.force[3 * k + r], c.mobility.W)


@kernel
def accelerate_bodies(
    c: CollisionTable, clock: Reals, y: Reals, values: Reals, slopes: Reals, growth: Reals, pivots: Reals
) -> None:
    """slopes, growth ← dy/dt with contact forces, and the growth of pivots."""
    n, m = len(y) // 2, c.mobility
    sync(c, values)
    if c.count == 0:
        c.plain(clock, y, values, slopes, growth, pivots)
        return
    move(c, clock, y, values, False)
    found = solve_forces(c, values)
    for i in range(n):
        slopes[i], slopes[n + i] = y[n + i], m.free[i]
    add_accelerations(m, m.W, slopes[n:])
    growth[0] = max(m.growth[0, 0], found)
    for i in range(m.pivots.shape[0]):
        pivots[i] = m.pivots[i, 0]


@kernel
def evaluate_forces(c: CollisionTable, clock: Reals, y: Reals, values: Reals) -> None:
    """Kinematics of closed contacts, and c.force, at a state."""
    move(c, clock, y, values, False)
    if c.count > 0:
        solve_forces(c, values)


@kernel
def read_contacts(c: CollisionTable, clock: Reals, y: Reals, values: Reals, wrenches: Reals, touching: Reals) -> None:
    """wrenches ← of contacts on each body; touching ← point and normal of each, and the force on its first body."""
    evaluate_forces(c, clock, y, values)
    for i in range(len(wrenches)):
        wrenches[i] = 0.0
    if c.count == 0:
        return
    for i in range(c.mobility.m):
        for r in range(TWIST):
            wrenches[TWIST * c.mobility.listed[i] + r] = c.mobility.W[i, r]
    for k in range(c.slots):
        look_at(c, values, k)
        for i in range(3):
            total = 0.0
            for r in range(3):
                total += c.force[3 * k + r] * c.frame.e[r, i]
            touching[READ * k + i], touching[READ * k + 3 + i], touching[READ * k + 6 + i] = (
                c.frame.point[i],
                c.frame.e[0, i],
                total,
            )


@kernel
def correct(c: CollisionTable, clock: Reals, y: Reals, values: Reals, change: Reals, level: int) -> None:
    """change ← what returns positions, or rates where level is 1, to the constraints, and to what holds at contacts."""
    n, m, z, rates = len(y) // 2, c.mobility, reals(6), level != 0
    for i in range(n):
        change[i] = 0.0
    if c.corrects:
        if rates:
            c.velocities(clock, y, values, change)
        else:
            c.positions(clock, y, values, change)
    sync(c, values)
    if c.count == 0:
        return
    move(c, clock, y, values, False)
    for i in range(m.m):
        twist_of(c.bodies, change, m.listed[i], z)
        for r in range(TWIST):
            m.loaded[i, r] = z[r]
    b = right_hand_side(c)
    for q in range(c.equations):
        k, r = c.slot[q], c.direction[q]
        off = c.velocity[3 * k + r] if rates else c.gap[k]
        c.data[b + q] = -off - along_row(c, k, r, m.loaded)
    solve(c, values, False, not rates)  # the nearest in the metric of the masses, which gains no energy
    for q in range(c.equations):
        add_wrench(c, c.slot[q], c.direction[q], c.solution[q], m.W)
    add_accelerations(m, m.W, change)


@kernel
def evaluate_contacts(
    c: CollisionTable,
    clock: Reals,
    y: Reals,
    values: Reals,
    gap: Reals,
    velocity: Reals,
    free: Reals,
    force: Reals,
    normal: Reals,
    law: Reals,
    J: Reals,
    W: Reals,
) -> None:
    """Kinematics and dynamics of all contacts at a state, as `hybrid.contact_table.Contacts.evaluate` gives them."""
    m = c.mobility
    move(c, clock, y, values, True)
    solve_forces(c, values)
    for k in range(c.slots):
        gap[k] = c.gap[k]
        for i in range(LAW):
            law[LAW * k + i] = c.laws[LAW * c.law[k] + i]
        for r in range(3):
            i = 3 * k + r
            velocity[i], force[i], normal[i] = c.velocity[i], c.force[i], c.normal[i]
            free[i] = c.bias[i] + along_row(c, k, r, m.A)
    at, to = 0, 0
    for k in range(c.slots):
        for r in range(3):
            at = write_slopes(c, k, r, J, at)
            to = write_accelerations(c, k, r, W, to)


@kernel
def write_slopes(c: CollisionTable, k: int, r: int, J: Reals, at: int) -> int:
    """J ← from a place on, slopes of a velocity of a contact by the rates that move its bodies: the end."""
    b = c.bodies
    for side in range(2):
        body = body_of(c, k, side)
        if body < 0:
            continue
        count = int(b.begins[body + 1] - b.begins[body])
        for i in range(count):
            J[at + i] = 0.0
        for i in range(TWIST):
            by = c.rows[ROW * (3 * k + r) + TWIST * side + i]
            for e in range(b.ends[TWIST * body + i], b.ends[TWIST * body + i + 1]):
                J[at + b.local[e]] += by * b.T[e]
        at += count
    return at


@kernel
def write_accelerations(c: CollisionTable, k: int, r: int, W: Reals, at: int) -> int:
    """W ← from a place on, accelerations of the coordinates of both components by a unit force of a contact: the end."""
    m = c.mobility
    for side in range(2):
        part = component_of(c, k, side)
        if part < 0 or (side == 1 and part == component_of(c, k, 0)):
            continue
        count = int(m.begins[part + 1] - m.begins[part])
        for i in range(count):
            W[at + i] = 0.0
        for other in range(2):
            body = body_of(c, k, other)
            if body >= 0 and m.component[body] == part:
                for s in range(TWIST):
                    by = c.rows[ROW * (3 * k + r) + TWIST * other + s]
                    first = m.first[m.order[body]] + s * count
                    for i in range(count):
                        W[at + i] += by * m.C[first + i]
        at += count
    return at


@kernel
def write_columns(c: CollisionTable, J_ends: Ints, J_columns: Ints, W_ends: Ints, W_columns: Ints) -> None:
    """Where the rows of `write_slopes` and `write_accelerations` of all contacts begin and end, and their columns."""
    b, m, at, to = c.bodies, c.mobility, 0, 0
    for k in range(c.slots):
        for r in range(3):
            for side in range(2):
                body, part = body_of(c, k, side), component_of(c, k, side)
                if body < 0:
                    continue
                for i in range(b.begins[body], b.begins[body + 1]):
                    J_columns[at] = b.own[i]
                    at += 1
                if side == 0 or part != component_of(c, k, 0):
                    for i in range(m.begins[part], m.begins[part + 1]):
                        W_columns[to] = m.columns[i]
                        to += 1
            J_ends[3 * k + r + 1], W_ends[3 * k + r + 1] = at, to
