"""How a system answers wrenches on its bodies, in kernels: accelerations without them, and by unit wrenches.

    q̈ = q̈₀ + Σ_b C_b w_b,   C_b = M⁻¹ T_bᵀ on what constraints leave free,   X_bc = T_b C_c

Wrenches are parameters of the system. Its accelerations are linear in them, so C_b are differences of accelerations, which
are evaluated side by side in lanes. Bodies of components that nothing connects are struck at the same time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from zeromass.integrate.collisions.bodies import TWIST, Bodies, move_bodies
from zeromass.kernel.language import Ints, Reals, Reals2, Struct, function, kernel


class Mobility(Struct):
    """Responses of a system at a state; m bodies are active, those with contacts.

    rhs          accelerations of states in lanes
    t, y, values, slopes, growth, pivots   its arguments, each with a row of lanes
    wrench       place of the first of six parameters of each body
    component    of each body
    begins, columns   coordinates of each component: columns[begins[c] : begins[c + 1]]
    inside       of each entry of T of bodies the place of its coordinate among those of its component
    active       which bodies are; order: their numbers among these; member: number of each within its component
    m, listed    how many are active, and which, those of one component after another
    starts, members   where those of each component begin, and how many they are
    free         accelerations without wrenches, (n,)
    first, C     where those of each active body begin, and C, six rows of the coordinates of its component each
    blocks, X    where those of each component begin, and X: rows and columns of its active members
    A            twist accelerations of active bodies without wrenches, (m, 6)
    W, loaded    wrenches on active bodies, (m, 6); twists of these, or their accelerations with wrenches
    """

    rhs: Annotated[Callable[..., None], function(Reals2, Reals2, Reals2, Reals2, Reals2, Reals2)]
    t: Reals2
    y: Reals2
    values: Reals2
    slopes: Reals2
    growth: Reals2
    pivots: Reals2
    wrench: Ints
    component: Ints
    begins: Ints
    columns: Ints
    inside: Ints
    active: Ints
    order: Ints
    member: Ints
    m: int
    listed: Ints
    starts: Ints
    members: Ints
    free: Reals
    first: Ints
    C: Reals
    blocks: Ints
    X: Reals
    A: Reals2
    W: Reals2
    loaded: Reals2


@kernel
def activate(x: Mobility) -> None:
    """Numbers the bodies that are active, those of one component after another."""
    x.m = 0
    filled, block = 0, 0
    for c in range(len(x.members)):
        x.members[c] = 0
    for b in range(len(x.active)):
        x.order[b] = -1
        if x.active[b] != 0:
            x.member[b] = x.members[x.component[b]]
            x.members[x.component[b]] += 1
    for c in range(len(x.members)):
        x.starts[c], x.blocks[c] = x.m, block
        x.m += x.members[c]
        block += TWIST * TWIST * x.members[c] * x.members[c]
    for b in range(len(x.active)):
        if x.active[b] != 0:
            x.order[b] = x.starts[x.component[b]] + x.member[b]
            x.listed[x.order[b]] = b
    for i in range(x.m):
        c = x.component[x.listed[i]]
        x.first[i] = filled
        filled += TWIST * (x.begins[c + 1] - x.begins[c])


@kernel
def respond(x: Mobility, b: Bodies, clock: Reals, y: Reals, values: Reals) -> None:
    """x.free, C, X, A ← accelerations at a state, and those by unit wrenches on all active bodies."""
    n, lanes, most = len(x.free), x.slopes.shape[1], 0
    move_bodies(b, clock, y, values)
    for lane in range(lanes):
        x.t[0, lane] = clock[0]
    for i in range(2 * n):
        row, value = x.y[i], y[i]
        for lane in range(lanes):
            row[lane] = value
    for p in range(x.values.shape[0]):
        row, value = x.values[p], values[p]
        for lane in range(lanes):
            row[lane] = value
    for c in range(len(x.members)):
        most = max(most, x.members[c])
    unit = -1  # a unit of −1 is none: the accelerations that others are compared with come first
    while unit < TWIST * most:
        begin = unit
        for lane in range(lanes):
            strike_unit(x, unit, lane, 1.0)
            unit += 1
        x.rhs(x.t, x.y, x.values, x.slopes, x.growth, x.pivots)
        for lane in range(lanes):
            strike_unit(x, begin + lane, lane, 0.0)
        if begin < 0:
            for i in range(n):
                x.free[i] = x.slopes[i, 0]
        for lane in range(lanes):
            take_response(x, begin + lane, lane)
    project_responses(x, b)


@kernel
def strike_unit(x: Mobility, unit: int, lane: int, size: float) -> None:
    """x.values ← the wrench of a unit, on the members of components that have it, in a lane."""
    for i in range(x.m):
        b = x.listed[i]
        if unit >= 0 and x.member[b] == unit // TWIST:
            x.values[x.wrench[b] + unit % TWIST, lane] = size


@kernel
def take_response(x: Mobility, unit: int, lane: int) -> None:
    """x.C ← what the wrenches of a unit have added to accelerations."""
    for i in range(x.m):
        b = x.listed[i]
        if unit >= 0 and x.member[b] == unit // TWIST:
            first, count = x.begins[x.component[b]], x.begins[x.component[b] + 1] - x.begins[x.component[b]]
            at = x.first[i] + (unit % TWIST) * count
            for k in range(count):
                column = x.columns[first + k]
                x.C[at + k] = x.slopes[column, lane] - x.free[column]


@kernel
def project_responses(x: Mobility, b: Bodies) -> None:
    """x.A, x.X ← twist accelerations of active bodies without wrenches, and by unit wrenches on their components."""
    for i in range(x.m):
        body = x.listed[i]
        for r in range(TWIST):
            total = b.bias[body, r]
            for e in range(b.ends[TWIST * body + r], b.ends[TWIST * body + r + 1]):
                total += b.T[e] * x.free[b.columns[e]]
            x.A[i, r] = total
    for j in range(x.m):
        other = x.listed[j]
        c = x.component[other]
        count, width = x.begins[c + 1] - x.begins[c], TWIST * x.members[c]
        for i in range(x.starts[c], x.starts[c] + x.members[c]):
            body = x.listed[i]
            for r in range(TWIST):
                first, last = b.ends[TWIST * body + r], b.ends[TWIST * body + r + 1]
                row = x.blocks[c] + (TWIST * x.member[body] + r) * width + TWIST * x.member[other]
                for s in range(TWIST):
                    total, at = 0.0, x.first[j] + s * count
                    for e in range(first, last):
                        total += b.T[e] * x.C[at + x.inside[e]]
                    x.X[row + s] = total


@kernel
def clear_wrenches(x: Mobility) -> None:
    """x.W ← 0."""
    for i in range(x.m):
        for r in range(TWIST):
            x.W[i, r] = 0.0


@kernel
def add_accelerations(x: Mobility, W: Reals2, a: Reals) -> None:
    """a ← a + Σ C w, accelerations of coordinates by wrenches."""
    for i in range(x.m):
        c = x.component[x.listed[i]]
        first, count = x.begins[c], x.begins[c + 1] - x.begins[c]
        for r in range(TWIST):
            w = W[i, r]
            if w != 0.0:
                at = x.first[i] + r * count
                for k in range(count):
                    a[x.columns[first + k]] += w * x.C[at + k]


@kernel
def add_twists(x: Mobility, W: Reals2, i: int, z: Reals) -> None:
    """z ← z + Σ X w: the twist acceleration of an active body by wrenches."""
    body = x.listed[i]
    c = x.component[body]
    width = TWIST * x.members[c]
    for j in range(x.starts[c], x.starts[c] + x.members[c]):
        for r in range(TWIST):
            row = x.blocks[c] + (TWIST * x.member[body] + r) * width + TWIST * x.member[x.listed[j]]
            for s in range(TWIST):
                z[r] += x.X[row + s] * W[j, s]
