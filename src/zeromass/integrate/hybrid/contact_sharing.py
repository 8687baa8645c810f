"""How redundant contacts share their forces: of all that move the bodies alike, those with the least friction.

    min Σ |Tᵢ|²,   then min Σ Nᵢ²,   D F = D F₀

so that a grip is lost where no distribution is left that holds. Where that is outside the friction cones though forces
inside do the same, `shared_forces` is taken.
"""

from __future__ import annotations

from zeromass.integrate.hybrid.contact_problem import OPEN, SLIP, STICK, ContactProblem, coupling
from zeromass.integrate.hybrid.contact_redundancy import enforced, independent_rows, shared_forces
from zeromass.integrate.hybrid.contact_table import Contacts
from zeromass.integrate.hybrid.sliding import solve
from zeromass.integrate.hybrid.tolerances import SMALL
from zeromass.kernel.language import kernel, sqrt

BESIDE = 1e-7
"""Weight of a normal force beside that of friction: friction comes first."""


@kernel
def weight(p: ContactProblem, i: int) -> float:
    """Root of the weight of a force."""
    if i % 3 == 0:
        return BESIDE
    return 1.0 if p.mode[i // 3] == STICK else 0.0


@kernel
def set_idle_forces(x: Contacts, rows: int, normal: bool) -> int:
    """x.Z ← forces that move nothing, a row for each that is not solved for: how many.

    rows    how many are solved for, those in x.on
    normal  whether of normal forces alone
    """
    p, n, found = x.problem, 3 * x.count, 0
    for c in range(n):
        if x.on[c] != 0 or not enforced(p, c) or (normal and c % 3 != 0):
            continue
        a = 0
        for i in range(n):
            if x.on[i] != 0:
                b = 0
                for j in range(n):
                    if x.on[j] != 0:
                        x.A[a, b] = coupling(p, i, j)
                        b += 1
                x.z[a] = -coupling(p, i, c)
                a += 1
        solve(x.A, x.z, x.scale, x.order, rows)
        a = 0
        for i in range(n):
            x.Z[found, i] = 1.0 if i == c else 0.0
            if x.on[i] != 0:
                x.Z[found, i] = x.z[a]
                a += 1
        found += 1
    return found


@kernel
def note_shared(x: Contacts) -> None:
    """x.shared ← 1 for contacts whose normal forces do not follow from the motion, though there were no friction."""
    p = x.problem
    for c in range(set_idle_forces(x, independent_rows(p, x.on, True), True)):
        for k in range(x.count):
            if abs(x.Z[c, 3 * k]) > SMALL:
                x.shared[k] = 1


@kernel
def share_forces(x: Contacts, rows: int) -> None:
    """x.problem.F ← the forces with the least friction of all that do the same; see `set_idle_forces`."""
    p, n = x.problem, 3 * x.count
    count = set_idle_forces(x, rows, False)
    x.z[:] = p.F
    for k in range(count):  # the weighted rows of Z become orthonormal, one after another
        for again in range(2):
            for l in range(k):
                product = 0.0
                for i in range(n):
                    product += weight(p, i) * x.Z[l, i] * weight(p, i) * x.Z[k, i]
                for i in range(n):
                    x.Z[k, i] -= product * x.Z[l, i]
        size = 0.0
        for i in range(n):
            size += weight(p, i) * x.Z[k, i] * weight(p, i) * x.Z[k, i]
        if size == 0.0:
            continue
        size = sqrt(size)
        product = 0.0
        for i in range(n):
            x.Z[k, i] = x.Z[k, i] / size
            product += weight(p, i) * x.Z[k, i] * weight(p, i) * p.F[i]
        for i in range(n):
            p.F[i] -= product * x.Z[k, i]
    for g in range(x.count):
        if p.mode[g] == SLIP:
            for i in range(2):
                p.F[3 * g + 1 + i] = -p.mu[g] * p.F[3 * g] * p.way[g, i]
    if not in_cones(p):
        p.F[:] = x.z
        shared_forces(p)


@kernel
def in_cones(p: ContactProblem) -> bool:
    """Whether all forces push, and none needs more friction than there is."""
    inside, largest = True, 0.0
    for i in range(len(p.F)):
        largest = max(largest, abs(p.F[i]))
    for g in range(len(p.mu)):
        N, T = p.F[3 * g], sqrt(p.F[3 * g + 1] * p.F[3 * g + 1] + p.F[3 * g + 2] * p.F[3 * g + 2])
        if p.mode[g] != OPEN:
            inside = inside and N >= -SMALL * largest and T <= p.mu[g] * N + SMALL * largest
    return inside
