"""Semismooth Newton steps inside proximal points, for the contacts of an island.

    F − P(F − ρ a) = 0,   a = S F + c + ε (F − F₀)/ρ

P projects a normal force to N ≥ 0, and then a tangential one to the disk |T| ≤ μ N [AC1991]. With ε > 0 the matrix is
regular where contacts are redundant too; repeated with F₀ ← F, what ε adds vanishes. With `cone` 1 instead of 0, P projects
to the friction cone: the convex problem min ½ Fᵀ S F + cᵀ F, without the normal acceleration μ |aₜ| that the law has beside
it [ACL2011]. Where contacts can rest its solutions have a = 0.
"""

from __future__ import annotations

from zeromass.integrate.hybrid.contact_law import TARGET, contact_force, law_violation, pressing
from zeromass.integrate.hybrid.contact_problem import (
    BITS,
    INFINITE,
    OPEN,
    SLIP,
    STICK,
    ContactProblem,
    has_normal,
    set_accelerations,
)
from zeromass.kernel.language import Ints, Reals, Reals2, kernel, reals, sqrt

STEPS, INNER = 600, 15
"""Newton steps at most of one start, and of one proximal point."""

HALVINGS, MEMORY = 12, 4
"""Halvings of a Newton step, and steps the worst of which a new residual may not exceed: it need not fall in each."""

LEAST, MOST = 1e-6, 1e3
"""Bounds of ε."""

EPSILON = 2.0**-52
"""Part of the largest force by which the next proximal point of linear equations may change one."""

SWEEPS, IDLE = 10, 40
"""Sweeps of Gauss-Seidel after Newton's method fails, and proximal points without progress after which it ends."""


@kernel
def factor_banded(A: Reals2, pivots: Ints, n: int, width: int) -> bool:
    """A ← factors of its first n rows, by elimination with row pivots: whether no pivot is zero.

    width  of the band: entries farther from the diagonal are zero
    """
    for k in range(n):
        rows, columns, p, top = min(n, k + width + 1), min(n, k + 2 * width + 1), k, abs(A[k, k])
        for i in range(k + 1, rows):
            if abs(A[i, k]) > top:
                p, top = i, abs(A[i, k])
        if not top > 0.0:
            return False
        u, pivots[k] = A[k], p
        if p != k:
            v = A[p]
            for j in range(k, columns):
                u[j], v[j] = v[j], u[j]
        inverse = 1.0 / u[k]
        for i in range(k + 1, rows):
            w = A[i]
            if w[k] != 0.0:
                part = w[k] * inverse
                w[k] = part
                for j in range(k + 1, columns):
                    w[j] -= part * u[j]
    return True


@kernel
def substitute_banded(A: Reals2, pivots: Ints, x: Reals, n: int, width: int) -> None:
    """x ← A⁻¹ x, by the factors of A."""
    for k in range(n):
        p = pivots[k]
        if p != k:
            x[k], x[p] = x[p], x[k]
        for i in range(k + 1, min(n, k + width + 1)):
            x[i] -= A[i, k] * x[k]
    for i in range(n - 1, -1, -1):
        u = A[i]
        total = x[i]
        for j in range(i + 1, min(n, i + 2 * width + 1)):
            total -= u[j] * x[j]
        x[i] = total / u[i]


@kernel
def projected_normal(p: ContactProblem, F: Reals, a: Reals, i: int) -> float:
    """N − ρ aₙ of what bounds the friction of a contact, or N where it is given."""
    b = p.base[i]
    return float(p.normal_force[b] if p.normal_force[b] >= 0.0 else F[3 * b] - p.rho[b] * a[3 * b])


@kernel
def projected_mode(p: ContactProblem, i: int, normal: float, z: float, cone: float) -> int:
    """Mode of a contact by F − ρ a, its normal part and the length of its tangential part; another where it is barred."""
    mode, barred = OPEN, p.barred[i]
    if p.normal_only[i] != 0:
        mode = SLIP if normal > 0.0 else OPEN
    elif normal > 0.0 and z <= p.static[i] * normal:
        mode = STICK
    elif p.friction[i] < INFINITE and normal + cone * p.friction[i] * z > 0.0:
        mode = SLIP
    if barred & BITS[mode] != 0:
        if mode == OPEN:
            inside = z <= p.static[i] * abs(normal) or barred & BITS[SLIP] != 0
            mode = STICK if barred & BITS[STICK] == 0 and inside else SLIP if barred & BITS[SLIP] == 0 else OPEN
        elif mode == STICK:
            mode = SLIP if barred & BITS[SLIP] == 0 else OPEN
        else:
            mode = STICK if barred & BITS[STICK] == 0 else OPEN
    return mode


@kernel
def residual(p: ContactProblem, F: Reals, a: Reals, cone: float) -> float:
    """p.state ← modes by F − ρ a; the sum of squares of F − P(F − ρ a)."""
    total = 0.0
    for i in range(p.count):
        j, rho, mu, own, given = 3 * i, p.rho[i], p.friction[i], p.base[i] == i, max(p.normal_force[i], 0.0)
        normal = projected_normal(p, F, a, i)
        z1, z2 = F[j + 1] - rho * a[j + 1], F[j + 2] - rho * a[j + 2]
        z, only = sqrt(z1 * z1 + z2 * z2), p.normal_only[i] != 0
        mode = projected_mode(p, i, normal, z, cone)
        p.state[i] = mode
        free = own and p.normal_force[i] < 0.0
        r0, r1, r2 = F[j] - given, 0.0, 0.0
        if mode == OPEN:
            r1, r2 = F[j + 1], F[j + 2]
        elif mode == STICK or only:
            r0 = rho * a[j] if free else r0
            r1, r2 = (0.0, 0.0) if only else (rho * a[j + 1], rho * a[j + 2])
        else:
            N = (normal + cone * mu * z) / (1.0 + cone * mu * mu)
            by = mu * N / z if z > 0.0 else 0.0
            r0 = F[j] - N if free else r0
            r1, r2 = F[j + 1] - by * z1, F[j + 2] - by * z2
        total += r0 * r0 + r1 * r1 + r2 * r2
    return total


@kernel
def rounding_scale(p: ContactProblem, F: Reals) -> float:
    """The largest |F| + ρ (|S| |F| + |c|): a residual of a few roundings of it is zero."""
    S, near, start, top = p.S, p.near, p.start, 0.0
    for i in range(p.count):
        for r in range(3):
            row, total = S[3 * i + r], abs(p.c[3 * i + r])
            for n in range(start[i], start[i + 1]):
                j = 3 * near[n]
                total += abs(row[j] * F[j]) + abs(row[j + 1] * F[j + 1]) + abs(row[j + 2] * F[j + 2])
            top = max(top, abs(F[3 * i + r]) + p.rho[i] * total)
    return top


@kernel
def first_unknown(p: ContactProblem, i: int) -> int:
    """The first force of a contact that is unknown: 0, or 1 where its normal force is not."""
    return 0 if has_normal(p, i) else 1


@kernel
def unknowns(p: ContactProblem, i: int) -> int:
    """How many a contact has in a Newton step."""
    return 0 if p.state[i] == OPEN else (1 if p.normal_only[i] != 0 else 3) - first_unknown(p, i)


@kernel
def number_unknowns(p: ContactProblem) -> tuple[int, int]:
    """p.place ← the first unknown of each contact: how many there are, and the width of the band."""
    count, width = 0, 0
    for i in range(p.count):
        p.place[i] = count
        count += unknowns(p, i)
    for i in range(p.count):
        if unknowns(p, i) > 0:
            for n in range(p.start[i], p.start[i + 1]):
                if unknowns(p, p.near[n]) > 0:
                    width = max(width, abs(p.place[p.near[n]] - p.place[i]) + 2)
    return count, width


@kernel
def set_equations(p: ContactProblem, F: Reals, a: Reals, eps: float, cone: float, width: int, count: int) -> None:
    """p.A, p.x ← Newton's equations of all contacts that are not open, at forces F with accelerations a."""
    A, x = p.A, p.x
    for i in range(p.count):
        size, row, first, j, rho = unknowns(p, i), p.place[i], first_unknown(p, i), 3 * i, p.rho[i]
        for r in range(size):
            to = A[row + r]
            for n in range(max(0, row + r - width), min(count, row + r + 2 * width + 1)):
                to[n] = 0.0
            x[row + r] = -rho * a[j + first + r]
        if size == 0:
            continue
        if p.state[i] == SLIP and p.normal_only[i] == 0:
            set_slip_equations(p, F, a, eps, cone, i)
            continue
        for n in range(p.start[i], p.start[i + 1]):
            h = p.near[n]
            there, at, skipped = unknowns(p, h), p.place[h], first_unknown(p, h)
            for q in range(there):
                c = 3 * h + skipped + q
                for r in range(size):
                    A[row + r, at + q] = rho * shifted(p, j + first + r, c, eps)


@kernel
def shifted(p: ContactProblem, i: int, c: int, eps: float) -> float:
    """An entry of S + ε/ρ."""
    return p.S[i, c] + (eps / p.rho[i // 3] if c == i else 0.0)


@kernel
def set_slip_equations(p: ContactProblem, F: Reals, a: Reals, eps: float, cone: float, i: int) -> None:
    """Those of a contact that begins to slip: F − P(F − ρ a) and its slopes."""
    A, x, row, j, rho, mu = p.A, p.x, p.place[i], 3 * i, p.rho[i], p.friction[i]
    free, b = has_normal(p, i), p.base[i]
    share, carried, t = 1.0 / (1.0 + cone * mu * mu), p.normal_force[b] < 0.0, row + (1 if free else 0)
    z1, z2 = F[j + 1] - rho * a[j + 1], F[j + 2] - rho * a[j + 2]
    z = sqrt(z1 * z1 + z2 * z2)
    e1, e2 = (z1 / z, z2 / z) if z > 0.0 else (1.0, 0.0)
    N = (projected_normal(p, F, a, i) + cone * mu * z) * share
    g = min(max(mu * N, 0.0) / z, 1.0) if z > 0.0 else 1.0
    if free:
        x[row] = N - F[j]
    x[t], x[t + 1] = mu * N * e1 - F[j + 1], mu * N * e2 - F[j + 2]
    for n in range(p.start[i], p.start[i + 1]):
        h = p.near[n]
        there, at, skipped = unknowns(p, h), p.place[h], first_unknown(p, h)
        for q in range(there):
            c = 3 * h + skipped + q
            y1 = (1.0 if c == j + 1 else 0.0) - rho * shifted(p, j + 1, c, eps)
            y2 = (1.0 if c == j + 2 else 0.0) - rho * shifted(p, j + 2, c, eps)
            along, dN = y1 * e1 + y2 * e2, 0.0
            if carried:
                dN = (1.0 if c == 3 * b else 0.0) - p.rho[b] * shifted(p, 3 * b, c, eps)
            dN = (dN + cone * mu * along) * share
            if free:
                A[row, at + q] = (1.0 if c == j else 0.0) - dN
            A[t, at + q] = (1.0 if c == j + 1 else 0.0) - mu * dN * e1 - g * (y1 - along * e1)
            A[t + 1, at + q] = (1.0 if c == j + 2 else 0.0) - mu * dN * e2 - g * (y2 - along * e2)


@kernel
def newton(p: ContactProblem, eps: float, cone: float, tolerance: float) -> int:
    """p.f ← forces of the proximal point: Newton steps made, or −1 where the method fails."""
    f, point, trial, acc, trial_acc = p.f, p.newton_point, p.trial, p.acc, p.trial_acc
    n = 3 * p.count
    set_accelerations(p, f, eps, acc)
    merit = residual(p, f, acc, cone)
    history = reals(MEMORY)
    for k in range(MEMORY):
        history[k] = merit
    for step in range(INNER):
        scale = rounding_scale(p, f)
        if sqrt(merit) <= tolerance * scale:
            return step
        p.steps += 1
        for i in range(p.count):
            for r in range(3):
                point[3 * i + r] = 0.0 if p.state[i] == OPEN else f[3 * i + r]
            if p.normal_force[i] >= 0.0:
                point[3 * i] = p.normal_force[i]
        set_accelerations(p, point, eps, acc)
        count, width = number_unknowns(p)
        set_equations(p, point, acc, eps, cone, width, count)
        if not factor_banded(p.A, p.columns, count, width):
            return -1
        substitute_banded(p.A, p.columns, p.x, count, width)
        for i in range(p.count):
            for r in range(unknowns(p, i)):
                point[3 * i + first_unknown(p, i) + r] += p.x[p.place[i] + r]
        part, worst, new = 1.0, history[0], merit
        for k in range(1, MEMORY):
            worst = max(worst, history[k])
        for _ in range(HALVINGS):
            for k in range(n):
                trial[k] = f[k] + part * (point[k] - f[k])
            set_accelerations(p, trial, eps, trial_acc)
            new = residual(p, trial, trial_acc, cone)
            if new <= (1.0 - 1e-4 * part) * worst:
                break
            part *= 0.5
        if not new <= (1.0 - 1e-4 * part) * worst:
            return step if sqrt(merit) <= 0.1 * TARGET * scale else -1
        f[:n] = trial[:n]
        acc[:n] = trial_acc[:n]
        merit = new
        history[step % MEMORY] = new
    return INNER if sqrt(merit) <= 0.1 * TARGET * rounding_scale(p, f) else -1


@kernel
def solve_modes(p: ContactProblem, refinements: int) -> bool:
    """p.f, p.acc ← forces near p.f of the modes p.state, in which no slip begins: whether their equations are regular.

    By as many proximal points at most: what is left is (ε/λ)ⁿ, λ the least eigenvalue that is not zero, in units of 1/ρ.
    """
    f, x, n = p.f, p.x, 3 * p.count
    for i in range(p.count):
        if p.state[i] == OPEN:
            f[3 * i], f[3 * i + 1], f[3 * i + 2] = 0.0, 0.0, 0.0
        if p.normal_force[i] >= 0.0:
            f[3 * i] = p.normal_force[i]
    set_accelerations(p, f, 0.0, p.acc)
    count, width = number_unknowns(p)
    set_equations(p, f, p.acc, LEAST, 0.0, width, count)
    if not factor_banded(p.A, p.columns, count, width):
        return False
    change = INFINITE
    for _ in range(refinements):
        substitute_banded(p.A, p.columns, x, count, width)
        last, change, size = change, 0.0, 0.0
        for i in range(p.count):
            for r in range(unknowns(p, i)):
                k, by = 3 * i + first_unknown(p, i) + r, x[p.place[i] + r]
                f[k] += by
                change, size = max(change, abs(by)), max(size, abs(f[k]))
        set_accelerations(p, f, 0.0, p.acc)
        if (change * min(change / last, 1.0) if last < INFINITE else change) <= EPSILON * size:
            break
        for i in range(p.count):
            for r in range(unknowns(p, i)):
                x[p.place[i] + r] = -p.rho[i] * p.acc[3 * i + first_unknown(p, i) + r]
    p.anchor[:n] = f[:n]
    return True


@kernel
def sweep(p: ContactProblem, eps: float, sweeps: int) -> None:
    """p.f ← forces after sweeps of Gauss-Seidel, contact by contact with the exact law of each."""
    S, f, c, near = p.S, p.f, p.c, p.near
    for s in range(sweeps):
        for m in range(p.count):
            i = m if s % 2 == 0 else p.count - 1 - m
            own = 3 * i
            shift = eps / p.rho[i]
            q0, q1, q2 = c[own], c[own + 1], c[own + 2]
            q0, q1, q2 = q0 - shift * p.anchor[own], q1 - shift * p.anchor[own + 1], q2 - shift * p.anchor[own + 2]
            for n in range(p.start[i], p.start[i + 1]):
                j = 3 * near[n]
                if j != own:
                    q0 += S[own, j] * f[j] + S[own, j + 1] * f[j + 1] + S[own, j + 2] * f[j + 2]
                    q1 += S[own + 1, j] * f[j] + S[own + 1, j + 1] * f[j + 1] + S[own + 1, j + 2] * f[j + 2]
                    q2 += S[own + 2, j] * f[j] + S[own + 2, j + 1] * f[j + 1] + S[own + 2, j + 2] * f[j + 2]
            given = p.normal_force[i] if p.base[i] == i else max(pressing(p, i), 0.0)
            if p.normal_only[i] == 0:
                N, T1, T2 = contact_force(S, own, shift, q0, q1, q2, p.friction[i], p.static[i], given)
                f[own], f[own + 1], f[own + 2] = N if given < 0.0 or p.base[i] == i else 0.0, T1, T2
            elif given < 0.0 and S[own, own] + shift > 0.0:
                f[own] = max(-q0, 0.0) / (S[own, own] + shift)


@kernel
def iterate_proximal_points(p: ContactProblem, eps: float, cone: float) -> bool:
    """p.f ← forces of the island: whether they satisfy the law; else those that violate it least, or of the convex problem.

    ε falls where Newton's method is quick, and grows where it fails.
    """
    f, anchor, previous, least = p.f, p.anchor, p.previous, p.least
    n, last = 3 * p.count, p.steps + STEPS
    best, idle, hold, pause, rounding = law_violation(p), 0, 0, 2, 1e-15 * sqrt(float(p.count))
    least[:n] = f[:n]
    while best > TARGET and p.steps < last and eps <= MOST and idle <= IDLE:
        anchor[:n] = f[:n]
        previous[:n] = f[:n]
        fine = rounding if eps < 1e-3 else max(rounding, min(1e-5 * eps, 1e-3 * best))
        steps = newton(p, eps, cone, fine)
        if steps < 0:
            f[:n] = previous[:n]
            if cone == 0.0:
                sweep(p, eps, SWEEPS)
                previous[:n] = f[:n]
                steps = newton(p, eps, cone, fine)
        if steps < 0:
            f[:n] = previous[:n]
            eps, hold, pause, p.steps = 10.0 * eps, pause, min(2 * pause, 6), p.steps + 1
            continue
        violated = law_violation(p)
        idle = 0 if violated < 0.9 * best else idle + 1
        if violated < best:
            best = violated
            least[:n] = f[:n]
        if cone != 0.0 and idle > 0 and best > TARGET and is_stationary(p):
            return False
        if steps == 0 and eps == LEAST:
            if rounding == 0.0:
                break
            rounding = (
                0.0  # where a contact slips slowly, the direction of its friction is more than its residual tells
            )
        if hold > 0:
            hold -= 1
        elif steps <= 8:
            eps = max(eps * (0.1 if steps <= 4 else 0.3), LEAST)
    if cone == 0.0 or best <= p.small:
        f[:n] = least[:n]
    return law_violation(p) <= p.small


@kernel
def is_stationary(p: ContactProblem) -> bool:
    """Whether forces solve the convex problem well enough for a start."""
    return sqrt(residual(p, p.f, p.acc, 1.0)) <= p.small * rounding_scale(p, p.f)
