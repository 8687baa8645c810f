"""The selection of contact modes: several starts for each island of contacts, and all cases where there are few.

A motion that satisfies the law need not be the only one. Guessed forces are tried first, then those of the convex problem,
which rest wherever contacts can rest, then none at all. `exhaustive` looks for other motions, from all starts.
"""

from __future__ import annotations

from zeromass.equation.rank import RANK_TOLERANCE
from zeromass.integrate.hybrid.contact_law import TARGET, contact_force, law_violation, pressing, set_states, violation
from zeromass.integrate.hybrid.contact_newton import LEAST, iterate_proximal_points, newton, sweep
from zeromass.integrate.hybrid.contact_problem import (
    BITS,
    INFINITE,
    LOOSEST,
    OPEN,
    SLIP,
    STICK,
    ContactProblem,
    ContactStatus,
    barred_modes,
    begin_island,
    find_couplings,
    has_normal,
    set_bars,
)
from zeromass.kernel.functions import cos, sin
from zeromass.kernel.language import kernel, sqrt

GUESS, CONVEX, ZERO, SWEPT, CASES = range(5)
"""Starts, in the order in which they are tried: with all modes, then without those that are excluded."""

NEAR, FAR = 1e-3, 0.1
"""Weights ε from forces of the convex problem and for it, and from forces that may be far from the solution."""

FEW, FEW_LINEAR = 3, 8
"""Contacts of an island all of whose cases are tried; and where modes leave linear equations alone."""

MANY_SWEEPS, DIRECTIONS = 200, 4
"""Sweeps of Gauss-Seidel for a start, and directions of slip that a case is begun with."""

APART = 1e-6
"""Part of the size of accelerations by which two motions differ: more than equations of bad condition do."""


@kernel
def select_contact_modes(p: ContactProblem) -> int:
    """p.mode, p.F, p.a, p.way ← modes, forces and accelerations of all contacts: a `ContactStatus`.

    Where it is not DECIDED, these are what violates the law least, and p.worst is the contact that does.
    """
    status = int(ContactStatus.DECIDED)
    p.miss, p.worst, p.several = 0.0, -1, False
    find_couplings(p)
    for root in range(p.k):
        if p.number[root] < 0:
            begin_island(p, root, False)
            found = solve_island(p)
            status = found if status == int(ContactStatus.DECIDED) or found == int(ContactStatus.NONE) else status
            store_island(p)
    return status


@kernel
def solve_island(p: ContactProblem) -> int:
    """p.f, p.state ← forces and modes of the island."""
    n, proved = 3 * p.count, False
    if p.level == 0.0:
        for k in range(n):
            p.f[k], p.acc[k] = 0.0, 0.0
        return int(ContactStatus.DECIDED) if set_states(p) else int(ContactStatus.NONE)
    single = p.count == 1 and has_normal(p, 0)
    if single:
        proved = solve_one(p)
    excludes = False
    for i in range(p.count):
        excludes = excludes or barred_modes(p, i, True) != p.barred[i]
    for start in range(GUESS, CASES * (2 if excludes else 1)):
        if (not single or p.exhaustive) and (p.exhaustive or not p.solved):
            set_bars(p, start >= CASES)
            solve_from(p, start % CASES)
    if not p.solved and not proved and p.count > 1:  # from the nearest to a solution
        p.f[:n] = p.solution[:n]
        iterate_proximal_points(p, LEAST, 0.0)
        note_motion(p)
        if not p.solved and p.solution_miss <= LOOSEST:
            p.small = LOOSEST
            p.f[:n] = p.solution[:n]
            note_motion(p)
    if (p.exhaustive or not p.solved) and not proved:
        proved = try_cases(p)
    p.f[:n] = p.solution[:n]
    law_violation(p)
    if p.solved:
        for i in range(p.count):
            p.state[i] = p.solution_mode[i]
        return int(ContactStatus.DECIDED)
    for i in range(p.count):
        p.state[i] = OPEN if pressing(p, i) <= 0.0 else SLIP if p.normal_only[i] != 0 else STICK
    return int(ContactStatus.NONE) if proved else int(ContactStatus.UNDECIDED)


@kernel
def solve_one(p: ContactProblem) -> bool:
    """p.f ← the force of one contact in closed form: whether it is proved that there is none.

    Where slip is known, N pushes the contact apart only if nᵀ D (n − μ s) > 0 [P1895].
    """
    f, c, S = p.f, p.c, p.S
    f[0], f[1], f[2] = 0.0, 0.0, 0.0
    if p.normal_only[0] == 0:
        f[0], f[1], f[2] = contact_force(S, 0, 0.0, c[0], c[1], c[2], p.friction[0], p.static[0], -1.0)
        note_motion(p)
        return False
    pushes = S[0, 0] > RANK_TOLERANCE * p.D[3 * p.order[0], 3 * p.order[0]]
    if c[0] < 0.0 and pushes:
        f[0] = -c[0] / S[0, 0]
    note_motion(p)
    p.several = p.several or (c[0] >= 0.0 and S[0, 0] < 0.0 and barred_modes(p, 0, True) & BITS[SLIP] == 0)
    return not p.solved and not pushes


@kernel
def note_motion(p: ContactProblem) -> bool:
    """Whether forces p.f satisfy the law in modes that are not excluded; p.solution ← the first such, or the nearest."""
    n, violated = 3 * p.count, law_violation(p)
    right = violated <= p.small and set_states(p)
    if right and p.solved:
        for k in range(n):
            p.several = p.several or abs(p.acc[k] - p.solution_acc[k]) > APART * p.level
    elif right or (not p.solved and (violated < p.solution_miss or p.solution_miss == INFINITE)):
        p.solved, p.solution_miss = right, violated
        p.solution[:n] = p.f[:n]
        p.solution_acc[:n] = p.acc[:n]
        for i in range(p.count):
            p.solution_mode[i] = p.state[i]
    return right


@kernel
def solve_from(p: ContactProblem, start: int) -> None:
    """Looks for a motion from one of the starts."""
    slips, frictionless = False, True
    for i in range(p.count):
        g = p.order[i]
        smooth = p.normal_only[i] != 0 and p.mu[g] == 0.0
        slips = slips or not has_normal(p, i)
        slips, frictionless = slips or (p.normal_only[i] != 0 and not smooth), frictionless and smooth
        for r in range(3):
            p.f[3 * i + r] = 0.0
            if start == GUESS and (r == 0 or p.normal_only[i] == 0):
                p.f[3 * i + r] = p.F[3 * g + r]
        p.f[3 * i] = max(p.normal_force[i], 0.0) if not has_normal(p, i) else p.f[3 * i]
    if (start == GUESS and not p.warm) or (start == CONVEX and (slips or frictionless)):
        return
    if start == GUESS:
        iterate_proximal_points(p, LEAST, 0.0)
    elif start == CONVEX:
        if not iterate_proximal_points(p, NEAR, 1.0):
            iterate_proximal_points(p, NEAR, 0.0)
    else:
        if start == SWEPT:
            sweep(p, 0.0, MANY_SWEEPS)
        iterate_proximal_points(p, FAR, 0.0)
    note_motion(p)


@kernel
def try_cases(p: ContactProblem) -> bool:
    """Looks for a motion in all combinations of modes: whether it is proved that there is none.

    Where N is the only unknown of each contact, or it is rough, equations are linear: if all are regular, that is a proof.
    """
    linear, cases, m = True, 1, p.count
    for i in range(m):
        linear = linear and (p.normal_only[i] != 0 or p.friction[i] == INFINITE)
        cases *= 3
    if m > FEW and not (linear and m <= FEW_LINEAR):
        return False
    proved = linear
    for number in range(cases):
        rest, possible = number, p.exhaustive or not p.solved
        for i in range(m):
            p.case[i] = rest % 3
            rest = rest // 3
            possible = possible and barred_modes(p, i, True) & BITS[p.case[i]] == 0
        for i in range(m):
            carried = p.case[p.base[i]] != OPEN
            possible = possible and (has_normal(p, i) or (p.case[i] != OPEN) == (carried or p.base[i] == i))
        if possible:
            proved = try_case(p, linear) and proved
    return proved and not p.solved


@kernel
def try_case(p: ContactProblem, linear: bool) -> bool:
    """Looks for a motion in the modes p.case, from several directions of slip: whether its equations are regular."""
    begins, regular = False, True
    for i in range(p.count):
        begins = begins or (p.case[i] == SLIP and p.normal_only[i] == 0)
    for direction in range(1 + DIRECTIONS if begins else 1):
        for i in range(p.count):
            load = p.level * p.rho[i] if direction > 0 and p.case[i] != OPEN else 0.0
            x, y = cos(2.0 * float(direction)), sin(2.0 * float(direction))
            p.f[3 * i], p.f[3 * i + 1], p.f[3 * i + 2] = load, 0.0, 0.0
            if not has_normal(p, i):
                load = max(p.normal_force[i], 0.0)
                p.f[3 * i] = load
            if p.case[i] == SLIP and p.normal_only[i] == 0:
                p.f[3 * i + 1], p.f[3 * i + 2] = p.friction[i] * load * x, p.friction[i] * load * y
        if linear:
            allow(p, SLIP)
            regular = newton(p, 0.0, 0.0, TARGET) >= 0
        else:
            if direction == 0 and begins:  # friction that would hold the contacts tells where they begin to slip
                allow(p, STICK)
                iterate_proximal_points(p, LEAST, 0.0)
            allow(p, SLIP)
            p.steps = 0
            iterate_proximal_points(p, LEAST, 0.0)
        note_motion(p)
    return regular


@kernel
def allow(p: ContactProblem, mode: int) -> None:
    """p.barred ← all modes but those of a case, or another mode instead of a slip that begins."""
    for i in range(p.count):
        begins = p.case[i] == SLIP and p.normal_only[i] == 0
        p.barred[i] = 7 - (BITS[mode] if begins else BITS[p.case[i]])


@kernel
def store_island(p: ContactProblem) -> None:
    """p.mode, p.F, p.a, p.way, p.miss, p.worst ← what is found for the island."""
    for i in range(p.count):
        g, j = p.order[i], 3 * i
        if p.level > 0.0:
            missed = violation(p, i)
            if missed > p.miss or p.worst < 0:
                p.miss, p.worst = max(p.miss, missed), g
        a1, a2, t1, t2 = p.acc[j + 1], p.acc[j + 2], p.f[j + 1], p.f[j + 2]
        p.mode[g] = p.state[i]
        for r in range(3):
            p.F[3 * g + r], p.a[3 * g + r] = p.f[j + r], p.acc[j + r]
        x, y = p.slip[g, 0], p.slip[g, 1]
        if p.normal_only[i] != 0:
            N = pressing(p, i)
            p.F[3 * g + 1], p.F[3 * g + 2] = -p.mu[g] * N * x, -p.mu[g] * N * y
        elif p.state[i] == SLIP:  # friction and acceleration are on one line: the larger of them tells it best
            force, a = sqrt(t1 * t1 + t2 * t2), sqrt(a1 * a1 + a2 * a2)
            x, y = (-t1 / force, -t2 / force) if force >= a * p.rho[i] else (a1 / a, a2 / a)
        if p.state[i] == SLIP and x == 0.0 and y == 0.0:
            a = sqrt(a1 * a1 + a2 * a2)
            x, y = (a1 / a, a2 / a) if a > p.small * p.level else (0.0, 0.0)
        p.way[g, 0], p.way[g, 1] = (x, y) if p.state[i] == SLIP else (0.0, 0.0)
