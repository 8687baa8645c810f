"""How redundant contacts share their forces: of all that move the bodies alike, those with the least friction.

    min Σ |Tᵢ|²,   then min Σ Nᵢ²,   D F = D F₀

so that a grip is lost where no distribution is left that holds. Where that is outside the friction cones though forces
inside do the same, `shared_forces` is taken.
"""

from __future__ import annotations

from zeromass.integrate.hybrid.contact_problem import OPEN, SLIP, STICK, ContactProblem, clear_uncoupled, coupling
from zeromass.integrate.hybrid.contact_redundancy import enforced, independent_rows, shared_forces
from zeromass.integrate.hybrid.contact_table import Contacts
from zeromass.integrate.hybrid.tolerances import SMALL
from zeromass.kernel.language import Reals, Reals2, kernel, sqrt


@kernel
def set_idle_forces(x: Contacts, rows: int, normal: bool) -> int:
    """Z = x.problem.S ← forces that move nothing, a row for each that is not solved for: how many.

    rows    how many are solved for, those in x.on
    normal  whether of normal forces alone
    """
    p, Z, n, found, a = x.problem, x.problem.S, 3 * x.problem.k, 0, 0
    for i in range(n):
        if x.on[i] != 0:
            x.order[a] = i
            a += 1
    for a in range(rows):
        for b in range(rows):
            p.A[a, b] = coupling(p, x.order[a], x.order[b])
    for c in range(n):
        if is_idle(x, c, normal):
            for a in range(rows):
                Z[found, a] = -coupling(p, x.order[a], c)
            found += 1
    solve_together(p.A, Z, rows, found)
    found = 0
    for c in range(n):
        if is_idle(x, c, normal):
            x.z[:rows] = Z[found, :rows]
            for i in range(n):
                Z[found, i] = 1.0 if i == c else 0.0
            for a in range(rows):
                Z[found, x.order[a]] = x.z[a]
            found += 1
    return found


@kernel
def is_idle(x: Contacts, c: int, normal: bool) -> bool:
    """Whether a force is not solved for; perhaps of normal forces alone."""
    return x.on[c] == 0 and enforced(x.problem, c) and not (normal and c % 3 != 0)


@kernel
def solve_together(A: Reals2, Z: Reals2, n: int, count: int) -> None:
    """Z ← the solutions of A z = b of several right-hand sides, each a row of Z; A is overwritten."""
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(A[i, k]) > abs(A[best, k]):
                best = i
        if best != k:
            for j in range(k, n):
                A[k, j], A[best, j] = A[best, j], A[k, j]
            for r in range(count):
                Z[r, k], Z[r, best] = Z[r, best], Z[r, k]
        for i in range(k + 1, n):
            if A[i, k] != 0.0:
                part = A[i, k] / A[k, k]
                for j in range(k + 1, n):
                    A[i, j] -= part * A[k, j]
                for r in range(count):
                    Z[r, i] -= part * Z[r, k]
    for r in range(count):
        for i in range(n - 1, -1, -1):
            total = Z[r, i]
            for j in range(i + 1, n):
                total -= A[i, j] * Z[r, j]
            Z[r, i] = total / A[i, i]


@kernel(lazy=True)
def note_shared(x: Contacts) -> None:
    """x.shared ← 1 for contacts whose normal forces do not follow from the motion, though there were no friction."""
    p, Z = x.problem, x.problem.S
    clear_uncoupled(p)
    for c in range(set_idle_forces(x, independent_rows(p, x.on, True), True)):
        for k in range(p.k):
            if abs(Z[c, 3 * k]) > SMALL:
                x.shared[x.listed[k]] = 1


@kernel
def counts(p: ContactProblem, i: int, normal: bool) -> bool:
    """Whether a force is one of friction that holds, or a normal force."""
    return i % 3 == 0 if normal else i % 3 != 0 and p.mode[i // 3] == STICK


@kernel
def product(x: Contacts, a: Reals, b: Reals, normal: bool) -> float:
    """Σ aᵢ bᵢ over friction that holds, or over normal forces."""
    total, p = 0.0, x.problem
    for i in range(3 * p.k):
        if counts(p, i, normal):
            total += a[i] * b[i]
    return total


@kernel
def project_out(x: Contacts, k: int, normal: bool) -> bool:
    """x.problem.F ← without its part along a row of Z, made orthonormal to those before: whether it is any force."""
    p, Z = x.problem, x.problem.S
    own, size = Z[k], 0.0
    for i in range(3 * p.k):
        size = max(size, abs(own[i]))
    for _ in range(2):
        for l in range(k):
            if x.order[l] == (2 if normal else 1):
                part = product(x, Z[l], own, normal)
                for i in range(3 * p.k):
                    own[i] -= part * Z[l, i]
    length = sqrt(product(x, own, own, normal))
    if length <= SMALL * size:
        return False
    for i in range(3 * p.k):
        own[i] = own[i] / length
    part = product(x, own, p.F, normal)
    for i in range(3 * p.k):
        p.F[i] -= part * own[i]
    return True


@kernel(lazy=True)
def share_forces(x: Contacts, rows: int) -> None:
    """x.problem.F ← the forces with the least friction of all that do the same; see `set_idle_forces`."""
    p = x.problem
    count = set_idle_forces(x, rows, False)
    x.z[:] = p.F
    for k in range(count):
        x.order[k] = 1 if project_out(x, k, False) else 0
    for k in range(count):
        if x.order[k] == 0:  # it has no friction
            project_out(x, k, True)
            x.order[k] = 2
    for g in range(p.k):
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
    for i in range(3 * p.k):
        largest = max(largest, abs(p.F[i]))
    for g in range(p.k):
        N, T = p.F[3 * g], sqrt(p.F[3 * g + 1] * p.F[3 * g + 1] + p.F[3 * g + 2] * p.F[3 * g + 2])
        if p.mode[g] != OPEN:
            inside = inside and -SMALL * largest <= N and p.mu[g] * N + SMALL * largest >= T
    return inside
