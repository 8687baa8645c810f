"""The contact problem: which contacts open, stick and slip, and with what forces, in the frames of the contacts.

    a = D F + b,   0 ≤ N ⊥ aₙ ≥ 0,   |T| ≤ μ N,   T = −μ N w where the contact slips along w       [B2016, ch. 5]

Each contact has three rows: normal, first and second tangent. D = J M⁻¹ Jᵀ is the Delassus matrix. Contacts that D does not
couple, directly or through others, form islands, and each island is solved by itself.

A friction pair has two rows of its own and no normal force: its friction is bounded by μ N of a contact that carries it, as
rolling resistance is, or by a given force, as that of a brake. Its normal row is idle.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from zeromass.integrate.hybrid.tolerances import SMALL
from zeromass.kernel.language import Ints, Reals, Reals2, Struct, kernel

OPEN, STICK, SLIP = range(3)
"""Modes of a contact."""

BITS = np.array([1, 2, 4])
"""Bits of the modes in a mask."""

FEW, LOOSE, LOOSEST = 8, 1e-7, 1e-6
"""Contacts of an island up to which its law is satisfied to rounding, violation that is let be in larger ones, and where
nothing nearer is found: redundant forces are found slowly, and motions are solved for anew in the modes that they tell."""

INFINITE = float("inf")
"""Coefficient of friction of a rough contact, which never slips."""


class ContactStatus(IntEnum):
    """Whether contact modes are found: NONE where it is proved that no motion satisfies the law."""

    DECIDED = 0
    NONE = 1
    UNDECIDED = 2


class ContactProblem(Struct):
    """k contacts of one state, their modes and forces, and memory for the solver; arrays may have room for more.

    k            how many contacts
    D, b         Delassus matrix, (3k, 3k), and accelerations without contact forces, (3k,)
    pairs        of each contact those whose blocks of D may not be zero, in order, itself among them:
                 pairs[first_pair[i] : first_pair[i + 1]]; D is read nowhere else
    mu, hold     coefficients of friction where a contact slips, (k,): 0 smooth, infinite rough; and up to which it sticks
    carrier      the contact whose normal force bounds the friction, (k,): of most contacts their own; carries: whether there
                 are others
    given        normal forces that are given, (k,); negative where they are not
    slip         unit direction of the slip velocity in the tangent plane, (k, 2); zero where the contact does not slip yet
    excluded     masks of the modes that a contact is known not to take, (k,)
    lasts        whether a contact can not open, (k,)
    size         of the terms that b is a sum of: accelerations that are rounding beside it count as zero
    warm         whether F is a guess; exhaustive: whether other motions are looked for

    mode, F, a   of the contacts: modes, (k,), forces and accelerations, (3k,)
    way          unit direction in which a contact slips or begins to, (k, 2); zero where there is none
    miss, worst  worst relative violation of the law, and its contact
    several      whether another motion satisfies the law too, as far as was looked

    coupled      of each contact those that D couples with it: coupled[first_coupled[i] : first_coupled[i + 1]]
    order, count contacts of the current island in order of a breadth-first search, and how many; `number` of their islands,
                 `local` their places in the island
    start, near  of each contact of the island those that it is coupled with: near[start[i] : start[i + 1]]
    S, c, f      D, b and F of the island; where a contact has one unknown, N, the column of N has the friction of N too
    normal_only, friction, static, barred, rho   of its contacts: whether friction follows from N, μ, that up to which it
                 sticks, masks, and 3/tr Dᵢᵢ
    base         where the contact stands whose normal force bounds the friction
    normal_force normal forces that are given, negative where they are not
    level, steps size of its accelerations, and Newton steps made
    geometric    whether rows are independent as velocities of contacts are, whatever friction goes with their forces
    small        violation up to which the law is satisfied: more where many forces share a load in many ways
    acc, state   accelerations, and modes by the last residual
    anchor, previous, least        forces F₀ of a proximal point, those before a step, and those of the least violation
    newton_point, trial, trial_acc forces after a whole Newton step, and forces and accelerations of the line search
    A, x, place  linear equations, and the first unknown of each contact; columns: those of a row that are not zero
    solved       whether a motion is found; solution, solution_acc, solution_mode, solution_miss: what is known of it, or
                 of the nearest to one
    case         modes of a case
    """

    k: int
    D: Reals2
    b: Reals
    first_pair: Ints
    pairs: Ints
    mu: Reals
    hold: Reals
    carrier: Ints
    carries: bool
    given: Reals
    slip: Reals2
    excluded: Ints
    lasts: Ints
    size: float
    warm: bool
    exhaustive: bool
    mode: Ints
    F: Reals
    a: Reals
    way: Reals2
    miss: float
    worst: int
    several: bool
    first_coupled: Ints
    coupled: Ints
    order: Ints
    number: Ints
    local: Ints
    count: int
    start: Ints
    near: Ints
    S: Reals2
    c: Reals
    f: Reals
    normal_only: Ints
    friction: Reals
    static: Reals
    barred: Ints
    base: Ints
    normal_force: Reals
    rho: Reals
    level: float
    steps: int
    geometric: bool
    small: float
    acc: Reals
    state: Ints
    anchor: Reals
    previous: Reals
    least: Reals
    trial: Reals
    newton_point: Reals
    trial_acc: Reals
    A: Reals2
    x: Reals
    columns: Ints
    place: Ints
    solved: bool
    solution: Reals
    solution_acc: Reals
    solution_miss: float
    case: Ints
    solution_mode: Ints


def contact_problem(k: int, pairs: int | None = None) -> ContactProblem:
    """A problem of k contacts, each with a normal force of its own; the caller fills in D, b, mu, hold and the like.

    pairs  how many pairs of contacts may be coupled, of the k² that are assumed else
    """
    n, p = 3 * k, ContactProblem(k=k)
    usual = {"Reals": (n,), "Reals2": (n, n), "Ints": (k,)}
    room = k * k if pairs is None else pairs
    other = {
        **dict.fromkeys(("mu", "hold", "given", "friction", "static", "normal_force", "rho"), (k,)),
        **dict.fromkeys(("slip", "way"), (k, 2)),
        **dict.fromkeys(("first_pair", "first_coupled", "start"), (k + 1,)),
        **dict.fromkeys(("pairs", "coupled", "near"), (room,)),
        "columns": (n,),
    }
    for name, kind in ContactProblem.__annotations__.items():
        if kind in usual:
            dtype = float if kind.startswith("Reals") else np.int64
            setattr(p, name, np.zeros(other.get(name, usual[kind]), dtype=dtype))
    p.carrier[:], p.given[:], p.carries = np.arange(k), -1.0, True
    if pairs is None:
        p.first_pair[:], p.pairs[:] = k * np.arange(k + 1), np.tile(np.arange(k), k)
    return p


@kernel
def find_couplings(p: ContactProblem) -> None:
    """p.coupled ← the pairs whose blocks of D are not zero, and all of contacts that carry or are carried.

    p.number ← −1, no island.
    """
    filled, carries = 0, p.place
    for i in range(p.k):
        p.number[i], carries[i] = -1, 0
    for i in range(p.k):
        if p.carrier[i] != i:
            carries[i], carries[p.carrier[i]] = 1, 1
    for i in range(p.k):
        p.first_coupled[i] = filled
        for n in range(p.first_pair[i], p.first_pair[i + 1]):
            j = p.pairs[n]
            if i == j or carries[i] != 0 or carries[j] != 0 or is_block(p, i, j) or is_block(p, j, i):
                p.coupled[filled] = j
                filled += 1
    p.first_coupled[p.k] = filled


@kernel
def is_block(p: ContactProblem, i: int, j: int) -> bool:
    """Whether a block of D is not zero."""
    some = False
    for r in range(3):
        row = p.D[3 * i + r]
        some = some or row[3 * j] != 0.0 or row[3 * j + 1] != 0.0 or row[3 * j + 2] != 0.0
    return some


@kernel
def clear_uncoupled(p: ContactProblem) -> None:
    """p.D ← with zeros where no contacts are coupled, so that all of it may be read."""
    find_couplings(p)
    for i in range(p.k):
        n, last = p.first_coupled[i], p.first_coupled[i + 1]
        for j in range(p.k):
            if n < last and p.coupled[n] == j:
                n += 1
                continue
            for r in range(3):
                for s in range(3):
                    p.D[3 * i + r, 3 * j + s] = 0.0


@kernel
def search_breadth_first(p: ContactProblem, root: int, number: int) -> None:
    """p.order, p.count ← the island of a contact, outward from it: entries of D are then near the diagonal [CM1969]."""
    order, mark = p.order, p.number
    order[0], mark[root], p.count = root, number, 1
    done = 0
    while done < p.count:
        for n in range(p.first_coupled[order[done]], p.first_coupled[order[done] + 1]):
            j = p.coupled[n]
            if mark[j] != number:
                order[p.count], mark[j] = j, number
                p.count += 1
        done += 1


@kernel
def find_island(p: ContactProblem, root: int) -> None:
    """p.order, p.start, p.near ← the island of a contact, and its pattern."""
    search_breadth_first(p, root, p.k + root)
    if p.count > 2:
        search_breadth_first(p, p.order[p.count - 1], root)
    filled, fill = 0, p.place
    for i in range(p.count):
        g = p.order[i]
        p.number[g], p.local[g], p.start[i], fill[i] = root, i, filled, filled
        filled += p.first_coupled[g + 1] - p.first_coupled[g]
    p.start[p.count] = filled
    for j in range(p.count):
        g = p.order[j]
        for n in range(p.first_coupled[g], p.first_coupled[g + 1]):
            i = p.local[p.coupled[n]]
            p.near[fill[i]] = j
            fill[i] += 1


@kernel
def begin_island(p: ContactProblem, root: int, known: bool) -> None:
    """Copies the island of a contact: its order, pattern, matrix and accelerations.

    known  whether modes and directions of slip are those in p.mode and p.way; else they are to be found
    """
    find_island(p, root)
    pose_island(p, known)


@kernel
def pose_island(p: ContactProblem, known: bool) -> None:
    """p.S, p.c and what belongs to them ← those of the island that p.order has, see `begin_island`."""
    p.steps, p.solved, p.solution_miss = 0, False, INFINITE
    p.small = SMALL if p.count <= FEW else LOOSE
    level = p.size
    for i in range(p.count):
        g = p.order[i]
        slides = p.mode[g] == SLIP
        if not known:
            slides = (p.slip[g, 0] != 0.0 or p.slip[g, 1] != 0.0) and p.mu[g] < INFINITE
            p.way[g, 0], p.way[g, 1] = p.slip[g, 0], p.slip[g, 1]
        p.friction[i], p.static[i], p.normal_force[i], p.base[i] = p.mu[g], p.hold[g], p.given[g], i
        p.normal_only[i] = 1 if p.hold[g] == 0.0 or slides else 0
        p.barred[i] = barred_modes(p, i, False)
        trace = p.D[3 * g, 3 * g] + p.D[3 * g + 1, 3 * g + 1] + p.D[3 * g + 2, 3 * g + 2]
        p.rho[i] = 3.0 / trace if trace > 0.0 else 1.0
        for r in range(3):
            p.c[3 * i + r] = p.b[3 * g + r]
            level = max(level, abs(float(p.b[3 * g + r])))
        if p.carrier[g] != g:
            p.base[i] = p.local[p.carrier[g]]
    p.level = level
    for i in range(p.count):
        for n in range(p.start[i], p.start[i + 1]):
            copy_block(p, i, p.near[n])
    for j in range(p.count):
        if p.base[j] != j and p.normal_only[j] != 0:
            for n in range(p.start[j], p.start[j + 1]):
                add_carried_friction(p, p.near[n], j)


@kernel
def set_bars(p: ContactProblem, excluding: bool) -> None:
    """p.barred ← modes that contacts can not take, and perhaps those that they are known not to."""
    for i in range(p.count):
        p.barred[i] = barred_modes(p, i, excluding)


@kernel
def barred_modes(p: ContactProblem, i: int, excluding: bool) -> int:
    """Mask of the modes that a contact of the island can not take, and perhaps of those that it is known not to."""
    impossible = BITS[STICK] if p.normal_only[i] != 0 else BITS[SLIP] if p.friction[i] == INFINITE else 0
    if p.normal_force[p.base[i]] >= 0.0 or p.lasts[p.order[i]] != 0:
        impossible |= BITS[OPEN]
    return int(p.excluded[p.order[i]] if excluding else 0) | int(impossible)


@kernel
def copy_block(p: ContactProblem, i: int, j: int) -> None:
    """p.S ← three rows and columns of D; the column of a normal force has the friction that goes with it."""
    g, h = p.order[i], p.order[j]
    for r in range(3):
        row, to = p.D[3 * g + r], p.S[3 * i + r]
        n, t1, t2 = row[3 * h], row[3 * h + 1], row[3 * h + 2]
        if p.normal_only[j] == 0:
            to[3 * j], to[3 * j + 1], to[3 * j + 2] = n, t1, t2
        else:
            along = p.way[h, 0] * t1 + p.way[h, 1] * t2
            to[3 * j], to[3 * j + 1], to[3 * j + 2] = n - p.mu[h] * along, 0.0, 0.0


@kernel
def add_carried_friction(p: ContactProblem, i: int, j: int) -> None:
    """p.S ← with the friction of a pair that slips, j, in the column of the normal force that bounds it."""
    g, h, c = p.order[i], p.order[j], 3 * p.base[j]
    for r in range(3):
        row = p.D[3 * g + r]
        p.S[3 * i + r, c] -= p.mu[h] * (p.way[h, 0] * row[3 * h + 1] + p.way[h, 1] * row[3 * h + 2])


@kernel
def has_normal(p: ContactProblem, i: int) -> bool:
    """Whether the normal force of a contact of the island is unknown; not so of friction pairs, or where it is given."""
    return p.base[i] == i and p.normal_force[i] < 0.0


@kernel
def coupling(p: ContactProblem, i: int, j: int) -> float:
    """Acceleration of a row by the force of another, with the friction that goes with a normal force where it slips."""
    found, g = float(p.D[i, j]), j // 3
    if j % 3 == 0 and not p.geometric:
        first, last = (0, p.k) if p.carries else (g, g + 1)
        for h in range(first, last):
            if p.carrier[h] == g and p.mode[h] == SLIP:
                found -= p.mu[h] * (p.way[h, 0] * p.D[i, 3 * h + 1] + p.way[h, 1] * p.D[i, 3 * h + 2])
    return found


@kernel
def set_accelerations(p: ContactProblem, F: Reals, eps: float, a: Reals) -> None:
    """a ← S F + c + ε (F − anchor)/ρ of the island."""
    S, near, start, c, anchor = p.S, p.near, p.start, p.c, p.anchor
    for i in range(p.count):
        u, v, w = S[3 * i], S[3 * i + 1], S[3 * i + 2]
        x, y, z = c[3 * i], c[3 * i + 1], c[3 * i + 2]
        for n in range(start[i], start[i + 1]):
            j = 3 * near[n]
            x += u[j] * F[j] + u[j + 1] * F[j + 1] + u[j + 2] * F[j + 2]
            y += v[j] * F[j] + v[j + 1] * F[j + 1] + v[j + 2] * F[j + 2]
            z += w[j] * F[j] + w[j + 1] * F[j + 1] + w[j + 2] * F[j + 2]
        if eps != 0.0:
            by = eps / p.rho[i]
            x += by * (F[3 * i] - anchor[3 * i])
            y += by * (F[3 * i + 1] - anchor[3 * i + 1])
            z += by * (F[3 * i + 2] - anchor[3 * i + 2])
        a[3 * i], a[3 * i + 1], a[3 * i + 2] = x, y, z
