"""Impacts at several contacts, simultaneous or sequential: kernels that end every impact without a gain of energy.

Simultaneous   each island of contacts takes the first of these that is lawful:
               one contact             Routh's method, `integrate.hybrid.impact`
               up to SIMULTANEOUS      impulses grow together, `integrate.hybrid.impulse_growth`
               else                    a plastic impact, restitution with an energy cap, a plastic impact
Sequential     while any contact approaches, that which does so fastest is struck by Routh's method; also where no
               simultaneous impact is lawful

Lawful is what does not gain energy, after which no contact approaches, with impulses in their friction cones.

Plastic impact   F with u = w + D F at which nothing approaches, friction opposite to the slip after it. It takes energy:
                 ΔE = F·u − ½ FᵀD F ≤ 0, as F·u = −Σ μ Fₙ|uₜ|.
Energy cap       F + s e Fₙ n, with the largest s ≤ 1 at which ΔE ≤ 0: a quadratic in s. Friction is not renewed.
Sequence         each impact at one contact takes (1 − e²) v²/(2 R) at least, v its speed of approach, R the largest change
                 of it by a unit impulse in the friction cone. If e < 1 a finite number of them is faster than any v. What
                 approaches after IMPACTS of them is stopped by the least normal impulses, which take energy.
"""

from __future__ import annotations

import math

from zeromass.integrate.hybrid.contact_newton import factor_banded, substitute_banded
from zeromass.integrate.hybrid.contact_problem import ContactProblem, find_couplings, find_island
from zeromass.integrate.hybrid.impact import impact, stick_impulse
from zeromass.integrate.hybrid.impact_modes import solve_contacts
from zeromass.integrate.hybrid.impact_problem import ImpactProblem, ImpactStatus
from zeromass.integrate.hybrid.impulse_growth import energy_gained, simultaneous_impact, slip_speed
from zeromass.kernel.language import Reals, Reals2, kernel, reals, sqrt

SIMULTANEOUS = 8
"""Contacts of an island at most whose impulses grow together."""

UNDERFLOW = 2.0**-300
"""Speed of an approach, m/s, that is none: its square is no number that one can divide by."""

NEAR, ALIKE = 1e-12, 1e-9
"""Part of the speed below which a contact neither approaches nor slips, and by which equally fast ones may differ."""

IMPACTS = 200
"""Impacts at one contact each, at most."""

GIVES, APPROACHES, BEYOND = 1e-12, 1e-10, 1e-9
"""Part of the energy that a lawful impact may seem to gain, of the speed by which contacts may seem to approach after it,
and of the impulses by which they may seem to be outside their friction cones: rounding, and what integrations leave."""

INF = math.inf


@kernel
def gather(p: ImpactProblem, c: ContactProblem) -> None:
    """Velocities before, friction and restitution ← those of the contacts of the island."""
    p.count, p.speed, p.largest = c.count, 0.0, 0.0
    for i in range(p.count):
        g = c.order[i]
        p.friction[i], p.static[i], p.restitution[i] = p.mu[g], max(p.mu[g], p.hold[g]), p.e[g]
        for r in range(3):
            row, k = c.D[3 * g + r], 3 * i + r
            p.before[k], p.v[k], p.Q[k] = p.w[3 * g + r], p.w[3 * g + r], 0.0
            p.speed = max(p.speed, abs(p.before[k]))
            for n in range(c.start[i], c.start[i + 1]):
                for s in range(3):
                    p.largest = max(p.largest, abs(float(row[3 * c.order[c.near[n]] + s])))


@kernel
def set_velocity(p: ImpactProblem, c: ContactProblem, i: int) -> None:
    """p.v ← the velocity of a contact after impulses p.Q."""
    for r in range(3):
        row, total = c.D[3 * c.order[i] + r], 0.0
        for n in range(c.start[i], c.start[i + 1]):
            j, q = 3 * c.order[c.near[n]], 3 * c.near[n]
            total += row[j] * p.Q[q] + row[j + 1] * p.Q[q + 1] + row[j + 2] * p.Q[q + 2]
        p.v[3 * i + r] = p.before[3 * i + r] + total


@kernel
def set_velocities(p: ImpactProblem, c: ContactProblem) -> None:
    """p.v ← velocities after impulses p.Q."""
    for i in range(p.count):
        set_velocity(p, c, i)


@kernel
def rounding(p: ImpactProblem, c: ContactProblem) -> float:
    """Of the velocities after impulses p.Q."""
    largest = 0.0
    for i in range(p.count):
        for r in range(3):
            row, total = c.D[3 * c.order[i] + r], 0.0
            for n in range(c.start[i], c.start[i + 1]):
                for s in range(3):
                    total += abs(float(row[3 * c.order[c.near[n]] + s] * p.Q[3 * c.near[n] + s]))
            largest = max(largest, 2.220446049250313e-16 * total)
    return largest


@kernel
def check(p: ImpactProblem, c: ContactProblem) -> int:
    """What is not lawful of impulses p.Q with velocities p.v, an `ImpactStatus`; APART where they are.

    Impulses so large that rounding of them would decide what approaches are none.
    """
    unit, found = p.speed / p.largest, int(ImpactStatus.APART)
    for i in range(3 * p.count):
        if not abs(p.v[i]) < INF or not abs(p.Q[i]) < INF:
            return int(ImpactStatus.UNRESOLVED)
    for i in range(p.count):
        if not p.v[3 * i] >= -APPROACHES * p.speed:
            found = max(found, int(ImpactStatus.APPROACHES))
        N = p.Q[3 * i]
        if not -BEYOND * unit <= N or (
            p.friction[i] < INF and not slip_speed(p.Q, i) <= p.friction[i] * N + BEYOND * unit
        ):
            found = max(found, int(ImpactStatus.OUTSIDE_CONE))
    if not energy_gained(p, p.v, p.Q) <= GIVES * p.speed * unit:
        found = max(found, int(ImpactStatus.GAINS_ENERGY))
    return found if rounding(p, c) <= APPROACHES * p.speed else int(ImpactStatus.UNRESOLVED)


@kernel
def plastic_impact(p: ImpactProblem, c: ContactProblem) -> bool:
    """p.v, p.Q ← those after a plastic impact from p.v: whether one is found."""
    for i in range(p.count):
        p.active[i], p.known[i], p.N[i] = 1, 0, -1.0
    if not solve_contacts(p, c, p.v):
        return False
    for i in range(3 * p.count):
        p.Q[i] += p.F[i]
    set_velocities(p, c)
    return True


@kernel(lazy=True)
def capped_impact(p: ImpactProblem, c: ContactProblem) -> bool:
    """p.Q ← impulses of a plastic impact, restitution with an energy cap, and a plastic impact: whether they are found."""
    for i in range(3 * p.count):
        p.v[i], p.Q[i] = p.before[i], 0.0
    if not plastic_impact(p, c):
        return False
    gained, a, b = energy_gained(p, p.v, p.Q), 0.0, 0.0
    for i in range(p.count):
        p.back[i] = p.restitution[i] * max(p.Q[3 * i], 0.0)
    for i in range(p.count):
        b += p.back[i] * p.v[3 * i]
        for n in range(c.start[i], c.start[i + 1]):
            j = c.near[n]
            a += 0.5 * p.back[i] * c.D[3 * c.order[i], 3 * c.order[j]] * p.back[j]
    part = 1.0
    if gained + b + a > 0.0:
        part = min(1.0, -2.0 * gained / (b + sqrt(max(b * b - 4.0 * a * gained, 0.0)))) if gained < 0.0 else 0.0
    for i in range(p.count):
        p.Q[3 * i] += part * p.back[i]
    set_velocities(p, c)
    for i in range(p.count):
        if p.v[3 * i] < -NEAR * p.speed:
            return plastic_impact(p, c)
    return True


@kernel
def fastest(p: ImpactProblem, c: ContactProblem) -> int:
    """A jammed contact, each once; then that which approaches fastest in the metric of the energy, −vₙ/√Dₙₙ; or −1."""
    most, which = 0.0, -1
    for i in range(p.count):
        if p.forced[i] != 0:
            p.forced[i] = 0
            return i
        p.x[i] = 0.0
        if p.v[3 * i] < -NEAR * p.speed:
            p.x[i] = -p.v[3 * i] / sqrt(c.D[3 * c.order[i], 3 * c.order[i]])
            most = max(most, p.x[i])
    for i in range(p.count):
        equal = p.x[i] > 0.0 and p.x[i] >= (1.0 - ALIKE) * most
        if equal and (which < 0 or c.order[i] < c.order[which]):
            which = i
    return which


@kernel
def rough_slip(p: ImpactProblem) -> int:
    """The rough contact that touches and slips fastest; −1 if none does."""
    most, which = NEAR * p.speed, -1
    for c in range(p.count):
        slip = slip_speed(p.v, c)
        if p.friction[c] == INF and abs(p.v[3 * c]) <= NEAR * p.speed and slip > most:
            most, which = slip, c
    return which


@kernel
def set_block(p: ImpactProblem, c: ContactProblem, i: int, D: Reals2, w: Reals) -> None:
    """D, w ← those of one contact."""
    g = 3 * c.order[i]
    for r in range(3):
        w[r] = p.v[3 * i + r]
        for s in range(3):
            D[r, s] = c.D[g + r, g + s]


@kernel(lazy=True)
def sequential_impacts(p: ImpactProblem, c: ContactProblem) -> bool:
    """p.Q ← impulses of impacts at one contact after another: whether each of them ended."""
    D, w, P, u = reals(3, 3), reals(3), reals(3), reals(3)
    for i in range(3 * p.count):
        p.v[i], p.Q[i] = p.before[i], 0.0
    for _ in range(IMPACTS):
        i = fastest(p, c)
        if i >= 0:
            set_block(p, c, i, D, w)
            if not impact(D, w, p.friction[i], p.static[i], p.restitution[i], P, u):
                return False
            for r in range(3):
                p.Q[3 * i + r] += P[r]
        else:
            i = rough_slip(p)
            if i < 0:
                return True
            set_block(p, c, i, D, w)
            x, y = stick_impulse(D, w[1], w[2])
            p.Q[3 * i + 1], p.Q[3 * i + 2] = p.Q[3 * i + 1] + x, p.Q[3 * i + 2] + y
        for n in range(c.start[i], c.start[i + 1]):
            set_velocity(p, c, c.near[n])
    stop_approach(p, c)
    set_velocities(p, c)
    return True


@kernel
def stop_approach(p: ImpactProblem, c: ContactProblem) -> None:
    """p.Q ← with normal impulses N ≥ 0 added that stop all approach: those of the least ½ N·H N + v·N, H = Dₙₙ.

    The method of active sets of Lawson and Hanson; p.active has the contacts with N > 0.
    """
    for i in range(p.count):
        p.N[i], p.active[i] = 0.0, 0
    for _ in range(8 * p.count):
        worst, which = -NEAR * p.speed, -1
        for i in range(p.count):
            v = p.v[3 * i]
            for n in range(c.start[i], c.start[i + 1]):
                v += c.D[3 * c.order[i], 3 * c.order[c.near[n]]] * p.N[c.near[n]]
            if p.active[i] == 0 and v < worst:
                worst, which = v, i
        if which < 0:
            break
        p.active[which] = 1
        while which >= 0:
            which = improve(p, c)
    for i in range(p.count):
        p.Q[3 * i] += p.N[i]


@kernel
def improve(p: ImpactProblem, c: ContactProblem) -> int:
    """p.N ← nearer to where all contacts of p.active rest: the contact that it was stopped by and that leaves, or −1."""
    m = 0
    for i in range(p.count):
        if p.active[i] != 0:
            p.struck[m], p.x[m], c.place[i] = i, -p.v[3 * i], m
            m += 1
    for a in range(m):
        i = p.struck[a]
        for b in range(m):
            c.A[a, b] = 0.0
        for n in range(c.start[i], c.start[i + 1]):
            j = c.near[n]
            if p.active[j] != 0:
                c.A[a, c.place[j]] = c.D[3 * c.order[i], 3 * c.order[j]]
    if not factor_banded(c.A, c.columns, m, m):
        return -1
    substitute_banded(c.A, c.columns, p.x, m, m)
    part, which = 1.0, -1
    for a in range(m):
        N = p.N[p.struck[a]]
        if p.x[a] < 0.0 and N / (N - p.x[a]) < part:
            part, which = N / (N - p.x[a]), p.struck[a]
    for a in range(m):
        i = p.struck[a]
        p.N[i] = max(p.N[i] + part * (p.x[a] - p.N[i]), 0.0)
    if which >= 0:
        p.N[which], p.active[which] = 0.0, 0
    return which


@kernel
def single_impact(p: ImpactProblem, c: ContactProblem) -> int:
    """p.Q, p.v ← those after the impact of an island of one contact: an `ImpactStatus`."""
    D, w, P, u = reals(3, 3), reals(3), reals(3), reals(3)
    set_block(p, c, 0, D, w)
    if not impact(D, w, p.friction[0], p.static[0], p.restitution[0], P, u):
        return int(ImpactStatus.UNRESOLVED)
    for i in range(3):
        p.Q[i], p.v[i] = P[i], u[i]
    return max(check(p, c), int(ImpactStatus.SINGLE))


@kernel
def set_forced(p: ImpactProblem, c: ContactProblem) -> bool:
    """p.forced ← the jammed contacts of the island: whether there are any."""
    some = False
    for i in range(p.count):
        p.forced[i] = p.jammed[c.order[i]]
        some = some or p.forced[i] != 0
    return some


@kernel
def island_impact(p: ImpactProblem, c: ContactProblem, simultaneous: bool) -> int:
    """p.Q, p.v ← those after the impact of an island: an `ImpactStatus`."""
    jams = set_forced(p, c)
    approaches = jams
    for i in range(p.count):
        approaches = approaches or p.before[3 * i] < -UNDERFLOW
    if not approaches:
        return int(ImpactStatus.APART)
    if p.count == 1:
        return single_impact(p, c)
    if simultaneous and p.count <= SIMULTANEOUS and simultaneous_impact(p, c):
        set_velocities(p, c)
        if check(p, c) == int(ImpactStatus.APART):
            return int(ImpactStatus.SIMULTANEOUS)
    if simultaneous and not jams and capped_impact(p, c) and check(p, c) == int(ImpactStatus.APART):
        return int(ImpactStatus.CAPPED)
    set_forced(p, c)
    if not sequential_impacts(p, c):
        return int(ImpactStatus.UNRESOLVED)
    return max(check(p, c), int(ImpactStatus.SEQUENTIAL))


@kernel
def impacts(p: ImpactProblem, c: ContactProblem, simultaneous: bool) -> int:
    """p.P, p.u, p.energy ← impulses, velocities after, and energy that an impact adds: an `ImpactStatus`.

    c             D, its pairs, and memory of the solver of contact modes
    simultaneous  whether impulses of an island act together where that is lawful, or one contact is struck after another

    Above SEQUENTIAL the impact is not lawful, or was not found.
    """
    status = int(ImpactStatus.APART)
    c.exhaustive, c.carries = False, False
    for g in range(c.k):
        c.carrier[g], c.excluded[g], c.lasts[g] = g, 0, 0
    find_couplings(c)
    for root in range(c.k):
        if c.number[root] < 0:
            find_island(c, root)
            gather(p, c)
            status = max(status, island_impact(p, c, simultaneous))
            for i in range(p.count):
                for r in range(3):
                    p.P[3 * c.order[i] + r], p.u[3 * c.order[i] + r] = p.Q[3 * i + r], p.v[3 * i + r]
    p.energy = 0.0
    for i in range(3 * c.k):
        p.energy += 0.5 * p.P[i] * (p.w[i] + p.u[i])
    return status
