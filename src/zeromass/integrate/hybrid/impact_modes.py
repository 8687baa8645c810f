"""Contact modes of an impact: impulses F that change velocities to u, or rates of both, by the solver of contact modes.

    u = b + D F        0 ≤ N ⊥ uₙ ≥ 0,   |T| ≤ μ N,   T = −μ N s where a contact slips along s

Of contacts that are struck N is given instead of uₙ = 0. Contacts that are not active take no impulse and move as they like:
with a given N = 0 and no friction.
"""

from __future__ import annotations

from zeromass.integrate.hybrid.contact_modes import solve_island
from zeromass.integrate.hybrid.contact_newton import solve_modes
from zeromass.integrate.hybrid.contact_problem import OPEN, SLIP, STICK, ContactProblem, ContactStatus, pose_island
from zeromass.integrate.hybrid.impact_problem import ImpactProblem
from zeromass.kernel.language import Reals, kernel


@kernel
def pose_impact(p: ImpactProblem, c: ContactProblem, b: Reals) -> None:
    """The contact problem of an island, from velocities or rates b without impulses."""
    c.size = 0.0
    for i in range(p.count):
        g, active = c.order[i], p.active[i] != 0
        c.mu[g] = p.friction[i] if active else 0.0
        c.hold[g], c.given[g] = c.mu[g], p.N[i] if active else 0.0
        for r in range(2):
            c.slip[g, r] = p.s[i, r] if active and p.known[i] != 0 else 0.0
        for r in range(3):
            c.b[3 * g + r] = b[3 * i + r]
            for n in range(c.start[i], c.start[i + 1]):
                j = c.near[n]
                if p.active[j] != 0 and p.N[j] > 0.0:
                    c.size = max(c.size, abs(float(c.D[3 * g + r, 3 * c.order[j]] * p.N[j])))
    pose_island(c, False)


@kernel
def set_sticking(p: ImpactProblem, c: ContactProblem) -> None:
    """c.state, c.f ← modes of contacts that stick where they are active and do not slip yet, and no impulses."""
    for i in range(p.count):
        c.state[i] = OPEN if p.active[i] == 0 else SLIP if c.normal_only[i] != 0 else STICK
        for r in range(3):
            c.f[3 * i + r], c.anchor[3 * i + r] = 0.0, 0.0


@kernel
def store_impulses(p: ImpactProblem, c: ContactProblem) -> None:
    """p.F, p.a ← impulses and velocities of the contact problem, or rates of them, with friction of known direction."""
    for i in range(p.count):
        g = c.order[i]
        for r in range(3):
            p.F[3 * i + r], p.a[3 * i + r] = c.f[3 * i + r], c.acc[3 * i + r]
        if c.normal_only[i] != 0:
            for r in range(2):
                p.F[3 * i + 1 + r] = -c.mu[g] * c.f[3 * i] * c.way[g, r]


@kernel
def solve_contacts(p: ImpactProblem, c: ContactProblem, b: Reals) -> bool:
    """p.F, p.a, p.mode ← a solution from velocities or rates b without impulses: whether one is found.

    First from the impulses with which all contacts stick, so that of several solutions one that sticks is found.
    """
    pose_impact(p, c, b)
    set_sticking(p, c)
    solve_modes(c, 1)
    for i in range(p.count):
        for r in range(3):
            c.F[3 * c.order[i] + r] = c.f[3 * i + r]
    c.warm = True
    found = solve_island(c) == int(ContactStatus.DECIDED)
    store_impulses(p, c)
    for i in range(p.count):
        p.mode[i] = OPEN if p.active[i] == 0 else c.state[i]
    return found
