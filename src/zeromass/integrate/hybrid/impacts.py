"""Impacts at several contacts, simultaneous or sequential: kernels that end every impact without a gain of energy.

Simultaneous   each island of contacts takes the first of these that is lawful:
               one contact             Routh's method, `integrate.hybrid.impact`
               up to TOGETHER          impulses grow together, `integrate.hybrid.impulse_growth`
               else                    a plastic impact, restitution with an energy cap, a plastic impact
Sequential     while any contact approaches, that which does so fastest is struck by Routh's method; also where no
               simultaneous impact is lawful

Lawful is what does not gain energy, after which no contact approaches, with impulses in their friction cones.

Plastic impact   F with u = w + D F at which nothing approaches, friction opposite to the slip after it. It takes energy:
                 ΔE = F·u − ½ FᵀD F ≤ 0, as F·u = −Σ μ Fₙ|uₜ|.
Energy cap       F + s e Fₙ n, with the largest s ≤ 1 at which ΔE ≤ 0: a quadratic in s. Friction is not renewed.
Sequence         each impact at one contact takes (1 − e²) v²/(2 R) at least, v its speed of approach, R the largest change
                 of it by a unit impulse in the friction cone. If e < 1 a finite number of them is faster than any v. What
                 approaches after STROKES of them is stopped by the least normal impulses, which take energy.
"""

from __future__ import annotations

import math

from zeromass.integrate.hybrid.contact_problem import ContactProblem, clear_uncoupled, search_breadth_first
from zeromass.integrate.hybrid.coulomb import factor, set_weights, solve_contacts, substitute
from zeromass.integrate.hybrid.impact import impact, stick_impulse
from zeromass.integrate.hybrid.impact_problem import ImpactProblem, ImpactStatus
from zeromass.integrate.hybrid.impulse_growth import energy_gained, grow_together, slip_speed
from zeromass.kernel.language import Reals, Reals2, kernel, reals, sqrt

TOGETHER = 8
"""Contacts of an island at most whose impulses grow together."""

NEAR, ALIKE = 1e-12, 1e-9
"""Part of the speed below which a contact neither approaches nor slips, and by which equally fast ones may differ."""

STROKES = 200
"""Impacts at one contact each, at most."""

GIVES, APPROACHES, BEYOND = 1e-12, 1e-10, 1e-9
"""Part of the energy that a lawful impact may seem to gain, of the speed by which contacts may seem to approach after it,
and of the impulses by which they may seem to be outside their friction cones: rounding, and what integrations leave."""

INF = math.inf


@kernel
def set_labels(p: ImpactProblem, c: ContactProblem) -> int:
    """p.label ← the island of each contact, in the order of their first contacts: how many islands there are."""
    count = 0
    for i in range(c.k):
        c.carrier[i] = i
    clear_uncoupled(c)
    for first in range(c.k):
        if c.number[first] < 0:
            search_breadth_first(c, first, count)
            count += 1
    p.label[: c.k] = c.number[: c.k]
    return count


@kernel
def gather(p: ImpactProblem, D: Reals2, contacts: int, island: int) -> None:
    """G, before, friction and restitution ← those of the contacts of an island."""
    p.count, p.speed, p.largest = 0, 0.0, 0.0
    for c in range(contacts):
        if p.label[c] == island:
            p.island[p.count] = c
            p.friction[p.count], p.static[p.count], p.restitution[p.count] = p.mu[c], max(p.mu[c], p.hold[c]), p.e[c]
            p.count += 1
    for i in range(p.count):
        for r in range(3):
            p.before[3 * i + r], p.Q[3 * i + r] = p.w[3 * p.island[i] + r], 0.0
            p.v[3 * i + r] = p.before[3 * i + r]
            p.speed = max(p.speed, abs(p.before[3 * i + r]))
            for j in range(p.count):
                for s in range(3):
                    value = float(D[3 * p.island[i] + r, 3 * p.island[j] + s])
                    p.G[3 * i + r, 3 * j + s] = value
                    p.largest = max(p.largest, abs(value))


@kernel
def set_velocities(p: ImpactProblem) -> None:
    """p.v ← velocities after impulses p.Q."""
    n = 3 * p.count
    for i in range(n):
        total = 0.0
        for j in range(n):
            total += p.G[i, j] * p.Q[j]
        p.v[i] = p.before[i] + total


@kernel
def check(p: ImpactProblem) -> int:
    """What is not lawful of impulses p.Q with velocities p.v, an `ImpactStatus`; APART where they are.

    Impulses so large that rounding of them would decide what approaches are none.
    """
    n, unit, rounding = 3 * p.count, p.speed / p.largest, 0.0
    found = int(ImpactStatus.APART)
    for i in range(n):
        total = 0.0
        for j in range(n):
            total += abs(p.G[i, j]) * abs(p.Q[j])
        rounding = max(rounding, 2.220446049250313e-16 * total)
        if not abs(p.v[i]) < INF or not abs(p.Q[i]) < INF:
            return int(ImpactStatus.UNRESOLVED)
    for c in range(p.count):
        if not p.v[3 * c] >= -APPROACHES * p.speed:
            found = max(found, int(ImpactStatus.APPROACHES))
        N = p.Q[3 * c]
        if not -BEYOND * unit <= N or (
            p.friction[c] < INF and not slip_speed(p.Q, c) <= p.friction[c] * N + BEYOND * unit
        ):
            found = max(found, int(ImpactStatus.OUTSIDE_CONE))
    if not energy_gained(p, p.v, p.Q) <= GIVES * p.speed * unit:
        found = max(found, int(ImpactStatus.GAINS_ENERGY))
    return found if rounding <= APPROACHES * p.speed else int(ImpactStatus.UNRESOLVED)


@kernel
def strike_plastic(p: ImpactProblem) -> bool:
    """p.v, p.Q ← those after a plastic impact from p.v: whether one is found."""
    for c in range(p.count):
        p.active[c], p.known[c], p.N[c] = 1, 0, -1.0
    p.b[:] = p.v
    if not solve_contacts(p):
        return False
    for i in range(3 * p.count):
        p.Q[i] += p.F[i]
    set_velocities(p)
    return True


@kernel
def strike_capped(p: ImpactProblem) -> bool:
    """p.Q ← impulses of a plastic impact, restitution with an energy cap, and a plastic impact: whether they are found."""
    n = 3 * p.count
    set_weights(p)
    for i in range(n):
        p.v[i], p.Q[i] = p.before[i], 0.0
    if not strike_plastic(p):
        return False
    gained, a, b = energy_gained(p, p.v, p.Q), 0.0, 0.0
    for c in range(p.count):
        p.back[c] = p.restitution[c] * max(p.Q[3 * c], 0.0)
    for c in range(p.count):
        b += p.back[c] * p.v[3 * c]
        for j in range(p.count):
            a += 0.5 * p.back[c] * p.G[3 * c, 3 * j] * p.back[j]
    part = 1.0
    if gained + b + a > 0.0:
        part = min(1.0, -2.0 * gained / (b + sqrt(max(b * b - 4.0 * a * gained, 0.0)))) if gained < 0.0 else 0.0
    for c in range(p.count):
        p.Q[3 * c] += part * p.back[c]
    set_velocities(p)
    for c in range(p.count):
        if p.v[3 * c] < -NEAR * p.speed:
            return strike_plastic(p)
    return True


@kernel
def fastest(p: ImpactProblem) -> int:
    """The contact that approaches fastest, in the metric of the kinetic energy, −vₙ/√Gₙₙ; −1 if none does."""
    most, which = 0.0, -1
    for c in range(p.count):
        if p.v[3 * c] < -NEAR * p.speed:
            most = max(most, -p.v[3 * c] / sqrt(p.G[3 * c, 3 * c]))
    for c in range(p.count):
        approaches = p.v[3 * c] < -NEAR * p.speed
        if which < 0 and approaches and -p.v[3 * c] / sqrt(p.G[3 * c, 3 * c]) >= (1.0 - ALIKE) * most:
            which = c
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
def set_block(p: ImpactProblem, c: int, D: Reals2, w: Reals) -> None:
    """D, w ← those of one contact."""
    for i in range(3):
        w[i] = p.v[3 * c + i]
        for j in range(3):
            D[i, j] = p.G[3 * c + i, 3 * c + j]


@kernel
def strike_in_sequence(p: ImpactProblem) -> bool:
    """p.Q ← impulses of impacts at one contact after another: whether each of them ended."""
    D, w, P, u = reals(3, 3), reals(3), reals(3), reals(3)
    for i in range(3 * p.count):
        p.v[i], p.Q[i] = p.before[i], 0.0
    for _ in range(STROKES):
        c = fastest(p)
        if c >= 0:
            set_block(p, c, D, w)
            if not impact(D, w, p.friction[c], p.static[c], p.restitution[c], P, u):
                return False
            for i in range(3):
                p.Q[3 * c + i] += P[i]
        else:
            c = rough_slip(p)
            if c < 0:
                return True
            set_block(p, c, D, w)
            x, y = stick_impulse(D, w[1], w[2])
            p.Q[3 * c + 1], p.Q[3 * c + 2] = p.Q[3 * c + 1] + x, p.Q[3 * c + 2] + y
        set_velocities(p)
    stop_approach(p)
    set_velocities(p)
    return True


@kernel
def stop_approach(p: ImpactProblem) -> None:
    """p.Q ← with normal impulses N ≥ 0 added that stop all approach: those of the least ½ N·H N + v·N, H = Gₙₙ.

    The method of active sets of Lawson and Hanson; p.active has the contacts with N > 0.
    """
    for c in range(p.count):
        p.N[c], p.active[c] = 0.0, 0
    for _ in range(8 * p.count):
        worst, which = -NEAR * p.speed, -1
        for c in range(p.count):
            v = p.v[3 * c]
            for j in range(p.count):
                v += p.G[3 * c, 3 * j] * p.N[j]
            if p.active[c] == 0 and v < worst:
                worst, which = v, c
        if which < 0:
            break
        p.active[which] = 1
        while which >= 0:
            which = improve(p)
    for c in range(p.count):
        p.Q[3 * c] += p.N[c]


@kernel
def improve(p: ImpactProblem) -> int:
    """p.N ← nearer to where all contacts of p.active rest: the contact that it was stopped by and that leaves, or −1."""
    n = 0
    for c in range(p.count):
        if p.active[c] != 0:
            p.contact[n], p.x[n] = c, -p.v[3 * c]
            n += 1
    for i in range(n):
        for j in range(n):
            p.A[i, j] = p.G[3 * p.contact[i], 3 * p.contact[j]]
    if not factor(p.A, p.order, n):
        return -1
    substitute(p.A, p.order, p.x, n)
    part, which = 1.0, -1
    for i in range(n):
        N = p.N[p.contact[i]]
        if p.x[i] < 0.0 and N / (N - p.x[i]) < part:
            part, which = N / (N - p.x[i]), p.contact[i]
    for i in range(n):
        c = p.contact[i]
        p.N[c] = max(p.N[c] + part * (p.x[i] - p.N[c]), 0.0)
    if which >= 0:
        p.N[which], p.active[which] = 0.0, 0
    return which


@kernel
def strike_one(p: ImpactProblem) -> int:
    """p.Q, p.v ← those after the impact of an island of one contact: an `ImpactStatus`."""
    D, w, P, u = reals(3, 3), reals(3), reals(3), reals(3)
    set_block(p, 0, D, w)
    if not impact(D, w, p.friction[0], p.static[0], p.restitution[0], P, u):
        return int(ImpactStatus.UNRESOLVED)
    for i in range(3):
        p.Q[i], p.v[i] = P[i], u[i]
    return max(check(p), int(ImpactStatus.SINGLE))


@kernel
def strike_island(p: ImpactProblem, simultaneous: bool) -> int:
    """p.Q, p.v ← those after the impact of an island: an `ImpactStatus`."""
    approaches = False
    for c in range(p.count):
        approaches = approaches or p.before[3 * c] < 0.0
    if not approaches:
        return int(ImpactStatus.APART)
    if p.count == 1:
        return strike_one(p)
    if simultaneous and p.count <= TOGETHER and grow_together(p):
        set_velocities(p)
        if check(p) == int(ImpactStatus.APART):
            return int(ImpactStatus.SIMULTANEOUS)
    if simultaneous and strike_capped(p) and check(p) == int(ImpactStatus.APART):
        return int(ImpactStatus.CAPPED)
    if not strike_in_sequence(p):
        return int(ImpactStatus.UNRESOLVED)
    return max(check(p), int(ImpactStatus.SEQUENTIAL))


@kernel
def impacts(p: ImpactProblem, c: ContactProblem, simultaneous: bool) -> int:
    """p.P, p.u, p.energy ← impulses, velocities after, and energy that an impact adds: an `ImpactStatus`.

    simultaneous  whether impulses of an island act together where that is lawful, or one contact is struck after another

    Above SEQUENTIAL the impact is not lawful, or was not found.
    """
    status = int(ImpactStatus.APART)
    for island in range(set_labels(p, c)):
        gather(p, c.D, c.k, island)
        status = max(status, strike_island(p, simultaneous))
        for i in range(p.count):
            for r in range(3):
                p.P[3 * p.island[i] + r], p.u[3 * p.island[i] + r] = p.Q[3 * i + r], p.v[3 * i + r]
    p.energy = 0.0
    for i in range(3 * c.k):
        p.energy += 0.5 * p.P[i] * (p.w[i] + p.u[i])
    return status
