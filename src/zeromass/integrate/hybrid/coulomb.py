"""Contact problems with Coulomb friction: a semismooth Newton method at proximal points, for impulses and for their rates.

    a = b + G F        F impulses and a velocities, or rates of both

    open   F = 0, aₙ ≥ 0
    stick  a = 0, |Fₜ| ≤ μ Fₙ           rough: without this bound
    slip   aₙ = 0, Fₙ ≥ 0, Fₜ = −μ Fₙ s, s = aₜ/|aₜ| where slip begins, else the known direction

Of contacts that are struck Fₙ is given instead of aₙ = 0, and they do not open. Equations are those of Alart and Curnier,
in F − ρ a. G may be singular: each F solves the problem with G + ε W, b − ε W F₀ instead, F₀ that before it, and F converges
to a solution near the first guess. No rank is decided. ε falls where Newton's method is quick, and grows where it fails.

A solver for accelerations of contacts solves the same problem with b the accelerations without forces.
"""

from __future__ import annotations

import math

import numpy as np

from zeromass.integrate.hybrid.impact_problem import ImpactProblem, Mode
from zeromass.kernel.language import Ints, Reals, Reals2, kernel, reals, sqrt

OPEN, STICK, SLIP = int(Mode.OPEN), int(Mode.STICK), int(Mode.SLIP)

SOLVED, AGREES = 1e-14, 1e-10
"""Residual at which a problem is solved, and with which it counts as solved, as a part of its terms."""

WARM, COLD, LEAST, LARGEST = 1e-6, 1e-1, 1e-6, 1e3
"""ε of a first attempt and of a second, and its bounds."""

ATTEMPTS, NEWTON, HALVINGS = 60, 20, 12
"""Proximal points, iterations of Newton's method at each of them, and halvings of a step, at most."""

REFINEMENTS = 4
"""Proximal points of linear equations: what is left is (ε/λ)⁴, λ the least eigenvalue that is not zero, in units of W."""

INF = math.inf

UNIT = np.eye(3)


@kernel
def factor(A: Reals2, order: Ints, n: int) -> bool:
    """A ← its factors L U, rows exchanged as `order` says: whether no pivot is zero."""
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(A[i, k]) > abs(A[p, k]):
                p = i
        order[k] = p
        if not abs(A[p, k]) > 0.0:
            return False
        if p != k:
            for j in range(n):
                A[k, j], A[p, j] = A[p, j], A[k, j]
        for i in range(k + 1, n):
            if A[i, k] != 0.0:
                part = A[i, k] / A[k, k]
                A[i, k] = part
                for j in range(k + 1, n):
                    A[i, j] -= part * A[k, j]
    return True


@kernel
def substitute(A: Reals2, order: Ints, x: Reals, n: int) -> None:
    """x ← A⁻¹ x, by the factors of A."""
    for k in range(n):
        p = order[k]
        if p != k:
            x[k], x[p] = x[p], x[k]
    for i in range(n):
        for j in range(i):
            x[i] -= A[i, j] * x[j]
    for q in range(n):
        i = n - 1 - q
        for j in range(i + 1, n):
            x[i] -= A[i, j] * x[j]
        x[i] = x[i] / A[i, i]


@kernel
def set_weights(p: ImpactProblem) -> None:
    """p.rho ← 1/W of each contact of an island."""
    for c in range(p.count):
        mean = (p.G[3 * c, 3 * c] + p.G[3 * c + 1, 3 * c + 1] + p.G[3 * c + 2, 3 * c + 2]) / 3.0
        p.rho[c] = 1.0 / mean if mean > 0.0 else 1.0


@kernel
def multiply(p: ImpactProblem, F: Reals, eps: float, a: Reals) -> None:
    """a ← b + G F + ε W (F − F₀)"""
    n = 3 * p.count
    for i in range(n):
        total = p.b[i]
        for j in range(n):
            total += p.G[i, j] * F[j]
        a[i] = total
    if eps > 0.0:
        for i in range(n):
            a[i] += eps / p.rho[i // 3] * (F[i] - p.anchor[i])


@kernel
def slides(p: ImpactProblem, c: int) -> bool:
    """Whether the friction of a contact is known as a multiple of its normal force."""
    return p.known[c] != 0 or p.friction[c] == 0.0


@kernel
def residual(p: ImpactProblem, F: Reals, a: Reals, mode: Ints) -> float:
    """p.R ← what F − ρ a misses the law by, in units of F, and the modes: the sum of squares of R."""
    total = 0.0
    for c in range(p.count):
        n, x, y, rho = 3 * c, 3 * c + 1, 3 * c + 2, p.rho[c]
        given = p.N[c] >= 0.0
        N = p.N[c] if given else F[n] - rho * a[n]
        if p.active[c] == 0 or (not given and N <= 0.0):
            mode[c] = OPEN
            p.R[n], p.R[x], p.R[y] = F[n], F[x], F[y]
        else:
            p.R[n] = F[n] - N if given else rho * a[n]
            if slides(p, c):
                mode[c] = SLIP
                mu = p.friction[c] if p.known[c] != 0 else 0.0
                p.R[x], p.R[y] = F[x] + mu * F[n] * p.s[c, 0], F[y] + mu * F[n] * p.s[c, 1]
            else:
                zx, zy = F[x] - rho * a[x], F[y] - rho * a[y]
                z = sqrt(zx * zx + zy * zy)
                if p.friction[c] == INF or z <= p.friction[c] * N:
                    mode[c] = STICK
                    p.R[x], p.R[y] = rho * a[x], rho * a[y]
                else:
                    mode[c] = SLIP
                    part = p.friction[c] * N / z
                    p.R[x], p.R[y] = F[x] - part * zx, F[y] - part * zy
        total += p.R[n] * p.R[n] + (p.R[x] * p.R[x] + p.R[y] * p.R[y])
    return total


@kernel
def scale_of(p: ImpactProblem, F: Reals) -> float:
    """The largest of ρ (|G| |F| + |b|) + |F|: rounding of the residual is a few units of it."""
    n, largest = 3 * p.count, 1e-300
    for i in range(n):
        total = abs(p.b[i])
        for j in range(n):
            total += abs(p.G[i, j] * F[j])
        largest = max(largest, p.rho[i // 3] * total + abs(F[i]))
    return largest


@kernel
def set_unknowns(p: ImpactProblem) -> None:
    """p.contact, p.row ← the unknown forces in these modes; p.fixed ← p.F with those that are known."""
    count = 0
    for c in range(p.count):
        n, given = 3 * c, p.N[c] >= 0.0
        for i in range(3):
            p.fixed[n + i] = p.F[n + i] if p.mode[c] != OPEN else 0.0
        if p.mode[c] == OPEN:
            continue
        if given:
            p.fixed[n] = p.N[c]
        else:
            p.contact[count], p.row[count] = c, 0
            count += 1
        if slides(p, c):
            mu = p.friction[c] if p.known[c] != 0 else 0.0
            p.fixed[n + 1], p.fixed[n + 2] = -mu * p.fixed[n] * p.s[c, 0], -mu * p.fixed[n] * p.s[c, 1]
        else:
            for i in range(1, 3):
                p.contact[count], p.row[count] = c, i
                count += 1
    p.unknowns = count


@kernel
def entry(p: ImpactProblem, i: int, q: int, eps: float) -> float:
    """ρ times the change of a[i] by the unknown q, with that of the friction that it brings with it."""
    c, r = p.contact[q], p.row[q]
    j = 3 * c + r
    value = p.G[i, j]
    if i == j:
        value += eps / p.rho[c]
    if r == 0 and p.known[c] != 0 and p.friction[c] > 0.0:
        value -= p.friction[c] * (p.G[i, j + 1] * p.s[c, 0] + p.G[i, j + 2] * p.s[c, 1])
    return p.rho[i // 3] * value


@kernel
def set_equations(p: ImpactProblem, eps: float) -> None:
    """p.A, p.x ← Newton's equations for the unknowns, from p.fixed and p.a there."""
    for q in range(p.unknowns):
        c, r = p.contact[q], p.row[q]
        n = 3 * c
        if r == 0 or p.mode[c] == STICK:
            p.x[q] = -p.rho[c] * p.a[n + r]
            for k in range(p.unknowns):
                p.A[q, k] = entry(p, n + r, k, eps)
            continue
        given, mu, rho = p.N[c] >= 0.0, p.friction[c], p.rho[c]
        zx, zy = p.fixed[n + 1] - rho * p.a[n + 1], p.fixed[n + 2] - rho * p.a[n + 2]
        z = max(sqrt(zx * zx + zy * zy), 1e-300)
        ex, ey = zx / z, zy / z
        radius = mu * (p.N[c] if given else max(p.fixed[n] - rho * p.a[n], 0.0))
        part, e = min(radius / z, 1.0), ex if r == 1 else ey
        p.x[q] = radius * e - p.fixed[n + r]
        for k in range(p.unknowns):
            d0, d1, d2 = 0.0, 0.0, 0.0
            if p.contact[k] == c:
                d0, d1, d2 = UNIT[0, p.row[k]], UNIT[1, p.row[k]], UNIT[2, p.row[k]]
            yx, yy = d1 - entry(p, n + 1, k, eps), d2 - entry(p, n + 2, k, eps)
            along = yx * ex + yy * ey
            d, y = (d1, yx) if r == 1 else (d2, yy)
            value = d - part * (y - along * e)
            if not given:
                value -= mu * (d0 - entry(p, n, k, eps)) * e
            p.A[q, k] = value


@kernel
def set_trial(p: ImpactProblem, t: float) -> None:
    """p.trial ← F with the part t of Newton's step p.x from p.F"""
    p.trial[:] = p.fixed
    for q in range(p.unknowns):
        c, r = p.contact[q], p.row[q]
        p.trial[3 * c + r] += p.x[q]
        if r == 0 and p.known[c] != 0:
            N = p.trial[3 * c]
            p.trial[3 * c + 1] = -p.friction[c] * N * p.s[c, 0]
            p.trial[3 * c + 2] = -p.friction[c] * N * p.s[c, 1]
    for i in range(3 * p.count):
        p.trial[i] = p.F[i] + t * (p.trial[i] - p.F[i])


@kernel
def newton(p: ImpactProblem, eps: float, tolerance: float) -> int:
    """p.F ← the solution at one proximal point: iterations, negative where it was not found."""
    worst = reals(4)
    multiply(p, p.F, eps, p.a)
    merit = residual(p, p.F, p.a, p.mode)
    for i in range(4):
        worst[i] = merit
    for iteration in range(NEWTON):
        scale = scale_of(p, p.F)
        if sqrt(merit) <= tolerance * scale:
            return iteration
        set_unknowns(p)
        multiply(p, p.fixed, eps, p.a)
        set_equations(p, eps)
        if not factor(p.A, p.order, p.unknowns):
            return -iteration - 1
        substitute(p.A, p.order, p.x, p.unknowns)
        t, found, tried = 1.0, False, INF
        limit = max(max(worst[0], worst[1]), max(worst[2], worst[3]))
        for _ in range(HALVINGS):
            set_trial(p, t)
            multiply(p, p.trial, eps, p.a)
            tried = residual(p, p.trial, p.a, p.mode_trial)
            if tried <= (1.0 - 1e-4 * t) * limit:
                found = True
                break
            t *= 0.5
        if not found:
            return iteration if sqrt(merit) <= 1e-13 * scale else -iteration - 1
        merit = tried
        p.F[:] = p.trial
        p.mode[:] = p.mode_trial
        worst[iteration % 4] = merit
    return -NEWTON - 1


@kernel
def missed(p: ImpactProblem) -> float:
    """By how much p.F misses the law, as a part of its terms, and p.mode, p.a: infinite if p.F is not finite."""
    multiply(p, p.F, 0.0, p.a)
    residual(p, p.F, p.a, p.mode)
    largest, scale = 0.0, scale_of(p, p.F)
    for i in range(3 * p.count):
        if not (abs(p.F[i]) < INF and abs(p.a[i]) < INF):
            return INF
        largest = max(largest, abs(p.R[i]))
    return largest / scale


@kernel
def approach_solution(p: ImpactProblem, first: float) -> float:
    """p.F ← the limit of proximal points from p.F, with ε from `first` on: by how much it misses the law."""
    p.best[:] = p.F
    least, eps, idle, hold, pause, fails = missed(p), first, 0, 0, 2, 0
    for _ in range(ATTEMPTS):
        if least <= SOLVED:
            break
        p.anchor[:] = p.F
        count = newton(p, eps, 1e-15 * sqrt(float(p.count)) if eps < 1e-3 else 1e-5 * eps)
        if count < 0:
            p.F[:] = p.anchor
            fails += 1
            eps, hold, pause = 10.0 * eps, pause, min(2 * pause, 6)
            if eps > LARGEST or fails > 8:
                break
            continue
        miss = missed(p)
        idle = 0 if miss < 0.9 * least else idle + 1
        if miss < least:
            least = miss
            p.best[:] = p.F
        if idle > 6 and least < AGREES:
            break
        if hold > 0:
            hold -= 1
        elif count <= 8:
            eps = max(eps * (0.1 if count <= 4 else 0.3), LEAST)
    p.F[:] = p.best
    return missed(p)


@kernel
def solve_contacts(p: ImpactProblem) -> bool:
    """p.F, p.a, p.mode ← a solution of the contact problem: whether one is found.

    First from the forces with which all contacts stick, so that of several solutions one that sticks is found.
    """
    n = 3 * p.count
    for i in range(n):
        p.F[i], p.anchor[i] = 0.0, 0.0
    for c in range(p.count):
        p.mode[c] = OPEN if p.active[c] == 0 else SLIP if slides(p, c) else STICK
        if p.active[c] != 0 and p.N[c] > 0.0:
            p.F[3 * c] = p.N[c]
    solve_modes(p, 1)
    if approach_solution(p, WARM) <= AGREES:
        return True
    for i in range(n):
        p.F[i] = 0.0
    return approach_solution(p, COLD) <= AGREES


@kernel
def solve_modes(p: ImpactProblem, refinements: int) -> bool:
    """p.F, p.a ← forces of given modes, with slips of known direction, near p.F: whether equations have a solution."""
    p.anchor[:] = p.F
    set_unknowns(p)
    multiply(p, p.fixed, WARM, p.a)
    set_equations(p, WARM)
    regular = factor(p.A, p.order, p.unknowns)
    for _ in range(refinements if regular else 0):
        substitute(p.A, p.order, p.x, p.unknowns)
        set_trial(p, 1.0)
        p.F[:] = p.trial
        p.anchor[:] = p.F
        p.fixed[:] = p.F
        multiply(p, p.F, 0.0, p.a)
        for q in range(p.unknowns):
            p.x[q] = -p.rho[p.contact[q]] * p.a[3 * p.contact[q] + p.row[q]]
    return regular
