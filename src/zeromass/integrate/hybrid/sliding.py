"""Motions that switches hold: Filippov's mean of their two sides [F1988, §4], in kernels.

    q̈ = q̈₀ + Σ βᵢ (q̈ᵢ − q̈₀),   ġ = r + G β = 0 of those that hold,   0 ≤ β ≤ 1

q̈₀ is the acceleration with what holds on its lower sides, and q̈ᵢ that with one of them on its upper side.
"""

from __future__ import annotations

from zeromass.integrate.hybrid.messages import Selection
from zeromass.integrate.hybrid.switches import Switches, rate_across, rate_of, sign_of, try_choice
from zeromass.integrate.hybrid.tolerances import SMALL
from zeromass.kernel.language import Ints, Reals, Reals2, kernel

YES, NO, UNKNOWN, FAILED = 1, 0, -1, -2
"""Whether a choice of sides is a motion, as far as it is known; FAILED where no modes are selected: w.why."""


@kernel
def solve(A: Reals2, x: Reals, scale: Reals, order: Ints, m: int) -> tuple[float, float]:
    """x ← A⁻¹ x of the first m rows and columns, by elimination with complete pivoting: det A, and the least pivot.

    Rows and columns are scaled to entries of 1 at most, of which the least pivot tells a rank: 0 where it is not full.
    """
    det, least = 1.0, 1.0
    for i in range(m):
        big = 0.0
        for j in range(m):
            big = max(big, abs(A[i, j]))
        if not big > 0.0:
            return 0.0, 0.0
        x[i], det = x[i] / big, det * big
        for j in range(m):
            A[i, j] = A[i, j] / big
    for j in range(m):
        scale[j], order[j] = 0.0, j
        for i in range(m):
            scale[j] = max(scale[j], abs(A[i, j]))
        if not scale[j] > 0.0:
            return 0.0, 0.0
        det *= scale[j]
        for i in range(m):
            A[i, j] = A[i, j] / scale[j]
    for p in range(m):
        row, column = p, p
        for i in range(p, m):
            for j in range(p, m):
                if abs(A[i, j]) > abs(A[row, column]):
                    row, column = i, j
        if A[row, column] == 0.0:
            return 0.0, 0.0
        least = min(least, abs(A[row, column]))
        det *= A[row, column]
        if row != p:
            x[row], x[p], det = x[p], x[row], -det
            for j in range(m):
                A[row, j], A[p, j] = A[p, j], A[row, j]
        if column != p:
            order[column], order[p], det = order[p], order[column], -det
            for i in range(m):
                A[i, column], A[i, p] = A[i, p], A[i, column]
        for i in range(p + 1, m):
            part = A[i, p] / A[p, p]
            x[i] -= part * x[p]
            for j in range(p, m):
                A[i, j] -= part * A[p, j]
    for q in range(m):
        p = m - 1 - q
        for j in range(p + 1, m):
            x[p] -= A[p, j] * x[j]
        x[p] = x[p] / A[p, p]
    for j in range(m):  # back to the order of the columns
        A[0, order[j]] = x[j] / scale[order[j]]
    x[:m] = A[0, :m]
    return det, least


@kernel
def can_hold(w: Switches, choice: Reals, j: int) -> bool:
    """Whether a switch may hold the motion, with all others that are 0 in a choice: its function has none of their modes."""
    if w.flag[w.open[j]] < 0:
        return False
    free = True
    for i in range(w.count):
        free = free and (choice[i] != 0.0 or w.within[w.open[j], w.open[i]] == 0)
    return free


@kernel
def set_lower(w: Switches, choice: Reals) -> int:
    """w.lower ← a choice with what holds the motion on its lower side: how many do."""
    held = 0
    for j in range(w.count):
        w.lower[j] = -1.0 if choice[j] == 0.0 else choice[j]
        held += 1 if choice[j] == 0.0 else 0
    return held


@kernel(lazy=True)
def turn(w: Switches, y: Reals, values: Reals, choice: Reals, j: int) -> float:
    """Of what size ġ of a switch is on its two sides, others as in a choice."""
    here = abs(rate_across(w, y, values, choice, j, choice[j]))
    return 0.0 if w.why != 0 else here + abs(rate_across(w, y, values, choice, j, -choice[j]))


@kernel
def set_ends(w: Switches, y: Reals, values: Reals, choice: Reals) -> bool:
    """w.base, w.ends, w.r, w.G ← accelerations and rates on the two sides of what is 0 in a choice: whether all are found.

    All others are as in w.lower, and there the state is left.
    """
    n, first = len(y) // 2, True
    w.turned = False
    for j in range(w.count + 1):
        if j < w.count and choice[j] != 0.0:
            continue
        w.tried[:] = w.lower
        if j < w.count:
            w.tried[j] = 1.0
        if not try_choice(w, y, values, w.tried):
            return False
        if j < w.count:
            w.ends[j][:] = w.slope[n:]
        for k in range(len(w.kind)):
            w.turned = w.turned or (w.force[k] != 0 and not first and w.signs[k] != w.values[w.mode[k]])
            w.signs[k] = w.values[w.mode[k]]
        first = False
    w.base[:] = w.slope[n:]
    for i in range(w.count):
        w.r[i] = rate_of(w, y, w.base, w.open[i])
        for j in range(w.count):
            if choice[j] == 0.0:
                w.G[i, j] = rate_of(w, y, w.ends[j], w.open[i]) - w.r[i]
    return True


@kernel
def is_additive(w: Switches, y: Reals, values: Reals, choice: Reals) -> bool:
    """Whether what switches do that are 0 in a choice is the sum of what each of them does."""
    n, off, high, low, some = len(y) // 2, 0.0, 0.0, 0.0, 0.0
    for j in range(w.count):
        w.tried[j] = 1.0 if choice[j] == 0.0 else choice[j]
    if not try_choice(w, y, values, w.tried):
        return False
    for i in range(n):
        rest = w.slope[n + i] - w.base[i]
        high, low = max(high, abs(w.slope[n + i])), max(low, abs(w.base[i]))
        for j in range(w.count):
            if choice[j] == 0.0:
                rest -= w.ends[j, i] - w.base[i]
                some = max(some, abs(w.ends[j, i]))
        off = max(off, abs(rest))
    return off <= SMALL * (high + low + some)


@kernel
def set_mean(w: Switches, choice: Reals) -> tuple[float, float]:
    """w.beta, w.mean ← what acts on chosen sides, with ġ = 0 of what is 0 in a choice: det G, and its least pivot."""
    m = 0
    for i in range(w.count):
        w.beta[i] = 1.0 if choice[i] > 0.0 else 0.0
        if choice[i] == 0.0:
            w.x[m] = -w.r[i]
            columns = 0
            for j in range(w.count):
                if choice[j] == 0.0:
                    w.A[m, columns] = w.G[i, j]
                    columns += 1
                elif choice[j] > 0.0 and w.lower[j] < 0.0:
                    w.x[m] -= w.G[i, j]
            m += 1
    det, least = solve(w.A, w.x, w.scale, w.order, m)
    m = 0
    for j in range(w.count):
        if choice[j] == 0.0:
            w.beta[j] = w.x[m]
            m += 1
    w.mean[:] = w.base
    for j in range(w.count):
        if w.beta[j] != 0.0 and w.lower[j] < 0.0:
            for i in range(len(w.mean)):
                w.mean[i] += w.beta[j] * (w.ends[j, i] - w.base[i])
    return det, least


@kernel
def name_held(w: Switches, choice: Reals, why: int) -> int:
    """Says of the switches that are 0 in a choice why they do not hold the motion: FAILED."""
    held = 0
    for j in range(w.count):
        if choice[j] == 0.0:
            w.open[held] = w.open[j]
            held += 1
    w.why, w.count = why, held
    return FAILED


@kernel
def slides(w: Switches, y: Reals, values: Reals, choice: Reals) -> int:
    """Whether the switches that are 0 in a choice hold the motion, and it goes to the chosen sides of others."""
    held, largest = set_lower(w, choice), 0.0
    for j in range(w.count):
        if choice[j] == 0.0 and not can_hold(w, choice, j):
            return NO
    if not set_ends(w, y, values, choice):
        return FAILED
    if w.turned:
        return name_held(w, choice, int(Selection.PULLS_AND_PUSHES))
    for i in range(w.count):
        if choice[i] == 0.0:
            if not w.G[i, i] < 0.0:
                return NO
            for j in range(w.count):
                if choice[j] == 0.0:
                    largest = max(largest, abs(w.G[i, j]))
    det, least = set_mean(w, choice)
    for _ in range(held):
        det = det / largest
    if not (abs(det) > SMALL and least > 0.0):
        return NO
    w.spare = 1.0
    for j in range(w.count):
        if choice[j] == 0.0:
            beta = w.beta[j]
            if not (beta >= -SMALL and beta <= 1.0 + SMALL):
                return NO
            w.spare = min(w.spare, min(beta, 1.0 - beta))
    if held > 1 and not is_additive(w, y, values, choice):
        return FAILED if w.why != 0 else name_held(w, choice, int(Selection.NOT_ADDITIVE))
    for j in range(w.count):
        w.scale[j] = turn(w, y, values, w.lower, j) if choice[j] != 0.0 and w.rates[w.open[j]] != 0 else 0.0
        if w.why != 0:
            return FAILED
    if not try_choice(w, y, values, w.lower):
        return FAILED
    for j in range(w.count):
        if choice[j] != 0.0:
            sign = sign_of(w, y, w.mean, w.open[j], 1, w.scale[j])
            if sign != 0.0 and sign != choice[j]:
                return NO
    return YES
