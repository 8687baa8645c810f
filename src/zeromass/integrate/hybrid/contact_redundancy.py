"""Redundant contacts: rows that are independent, and forces shared among contacts that do the same.

Rows of contacts that touch are n, t₁ and t₂ where they stick, and n where they slip along w with friction −μ N w, so that
entries of their matrix are

    rᵢ D cⱼ,   c = r where a contact sticks,   c = n − μ w where it slips
"""

from __future__ import annotations

from zeromass.equation.rank import RANK_TOLERANCE
from zeromass.integrate.hybrid.contact_law import TARGET
from zeromass.integrate.hybrid.contact_newton import newton
from zeromass.integrate.hybrid.contact_problem import (
    BITS,
    OPEN,
    SLIP,
    STICK,
    ContactProblem,
    begin_island,
    coupling,
    find_couplings,
    has_normal,
    set_accelerations,
)
from zeromass.kernel.language import Ints, Reals2, kernel

PIVOT = 0.1
"""Part of the largest pivot above which one is taken because its contact is pressed harder: threshold pivoting."""

STIFF, ROUNDS = 1e-3, 100
"""Weight of the forces beside that of accelerations in one round of the method of multipliers, and rounds at most."""


@kernel
def independent_rows(p: ContactProblem, on: Ints, normal: bool) -> int:
    """on ← 1 for a largest set of independent rows of the contacts in p.mode, preferably of large forces: how many, (3k,).

    normal  whether of normal rows alone

    Rows and columns are scaled to entries of 1 at most, as in `sliding.solve`; pivots are on the diagonal.
    """
    A, n, count = p.A, 3 * p.k, 0
    find_couplings(p)
    for i in range(n):
        on[i] = -1 if enforced(p, i) and (i % 3 == 0 or not normal) else 0
    set_scaled_rows(p, on)
    while True:
        row = next_row(p, A, on)
        if row < 0:
            break
        on[row], count = 1, count + 1
        filled = 0
        for j in range(n):
            if on[j] < 0 and A[row, j] != 0.0:
                p.columns[filled] = j
                filled += 1
        for i in range(n):
            if on[i] < 0 and A[i, row] != 0.0:
                part = A[i, row] / A[row, row]
                for m in range(filled):
                    A[i, p.columns[m]] -= part * A[row, p.columns[m]]
    for i in range(n):
        on[i] = max(on[i], 0)
    return count


@kernel
def set_scaled_rows(p: ContactProblem, on: Ints) -> None:
    """p.A ← the matrix of the rows in `on`, scaled to entries of 1 at most: first rows, then columns."""
    A, n, top = p.A, 3 * p.k, p.x
    for i in range(n):
        top[i] = 0.0
        for j in range(n):
            A[i, j] = 0.0
    for i in range(n):
        if on[i] != 0:
            big, first, last = 0.0, p.first_coupled[i // 3], p.first_coupled[i // 3 + 1]
            for m in range(first, last):
                for j in range(3 * p.coupled[m], 3 * p.coupled[m] + 3):
                    if on[j] != 0:
                        A[i, j] = coupling(p, i, j)
                        big = max(big, abs(A[i, j]))
            for m in range(first, last):
                for j in range(3 * p.coupled[m], 3 * p.coupled[m] + 3):
                    A[i, j] = A[i, j] / big if big > 0.0 else 0.0
                    top[j] = max(top[j], abs(A[i, j]))
    for i in range(n):
        for m in range(p.first_coupled[i // 3], p.first_coupled[i // 3 + 1]):
            for j in range(3 * p.coupled[m], 3 * p.coupled[m] + 3):
                A[i, j] = A[i, j] / top[j] if top[j] > 0.0 else 0.0


@kernel
def enforced(p: ContactProblem, row: int) -> bool:
    """Whether the mode of its contact keeps the acceleration of a row at zero."""
    i, mode = row // 3, p.mode[row // 3]
    if row % 3 == 0:
        return mode != OPEN and p.carrier[i] == i and p.given[i] < 0.0
    return mode == STICK


@kernel
def next_row(p: ContactProblem, A: Reals2, on: Ints) -> int:
    """The row of the largest normal force among those that have a large pivot; −1 where all others depend on chosen ones."""
    top, found = 0.0, -1
    for i in range(3 * p.k):
        if on[i] < 0:
            top = max(top, abs(A[i, i]))
    for i in range(3 * p.k):
        large = on[i] < 0 and abs(A[i, i]) >= PIVOT * top and top > RANK_TOLERANCE
        if large and (found < 0 or p.F[3 * (i // 3)] > p.F[3 * (found // 3)]):
            found = i
    return found


@kernel
def shared_forces(p: ContactProblem) -> bool:
    """p.F ← of all forces in the friction cones that do the same as p.F, those of least weight: whether all are found.

        min Σ wᵢ |Fᵢ|²,   D F = D F₀,   |T| ≤ μ N,   T = −μ N w where a contact slips

    wᵢ is a third of the trace of Dᵢᵢ where a contact sticks; where it slips wᵢ |Fᵢ|² is Fᵢᵀ Dᵢᵢ Fᵢ. By the method of
    multipliers, c ← c + D (F − F₀), each round of which is a convex problem of contact. Islands with friction pairs keep
    theirs.
    """
    every = True
    find_couplings(p)
    for root in range(p.k):
        if p.number[root] < 0:
            begin_island(p, root, True)
            own = True
            for i in range(p.count):
                own = own and has_normal(p, i)
            if own:
                make_symmetric(p)
            every = own and share_in_island(p) and every
    return every


@kernel
def make_symmetric(p: ContactProblem) -> None:
    """p.S, p.c ← rows by the forces that go with them, and −S F₀: S F + c is what is missing of D (F − F₀)."""
    for i in range(p.count):
        h, bars = p.order[i], p.barred[i]
        for r in range(3):
            p.c[3 * i + r] = p.b[3 * h + r] - p.a[3 * h + r]
        if p.normal_only[i] != 0:
            x, y = p.mu[h] * p.way[h, 0], p.mu[h] * p.way[h, 1]
            for m in range(p.start[i], p.start[i + 1]):
                for j in range(3 * p.near[m], 3 * p.near[m] + 3):
                    p.S[3 * i, j] -= x * p.S[3 * i + 1, j] + y * p.S[3 * i + 2, j]
            p.c[3 * i] -= x * p.c[3 * i + 1] + y * p.c[3 * i + 2]
            p.rho[i] = 1.0 / p.S[3 * i, 3 * i] if p.S[3 * i, 3 * i] > 0.0 else 1.0
            bars = BITS[STICK]
        else:
            bars = 0
        p.barred[i] = BITS[STICK] + BITS[SLIP] if p.mode[h] == OPEN else bars


@kernel
def share_in_island(p: ContactProblem) -> bool:
    """p.F ← shared forces of an island: whether they are found; else they stay as they are."""
    f, given, n, size = p.f, p.least, 3 * p.count, p.level
    for k in range(n):
        f[k], p.anchor[k], given[k] = 0.0, 0.0, p.c[k]
        size = max(size, abs(p.c[k]))
    for _ in range(ROUNDS):
        if newton(p, STIFF, 1.0, 0.01 * TARGET) < 0:
            return False
        set_accelerations(p, f, 0.0, p.acc)
        worst = 0.0
        for k in range(n):
            missing = p.acc[k] - p.c[k] + given[k]
            p.c[k] += missing
            if p.mode[p.order[k // 3]] == STICK or (k % 3 == 0 and p.mode[p.order[k // 3]] == SLIP):
                worst = max(worst, abs(missing))
        if worst <= TARGET * size:
            store_forces(p)
            return True
    return False


@kernel
def store_forces(p: ContactProblem) -> None:
    """p.F ← forces of the island, with the friction of what slips."""
    for i in range(p.count):
        g = p.order[i]
        for r in range(3):
            p.F[3 * g + r] = p.f[3 * i + r]
        if p.normal_only[i] != 0:
            for r in range(2):
                p.F[3 * g + 1 + r] = -p.mu[g] * p.f[3 * i] * p.way[g, r]
