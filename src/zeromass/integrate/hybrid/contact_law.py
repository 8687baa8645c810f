"""Coulomb's law at one contact: its exact solution, violation, and the modes that a motion shows."""

from __future__ import annotations

from zeromass.equation.rank import RANK_TOLERANCE
from zeromass.integrate.hybrid.contact_problem import (
    BITS,
    INFINITE,
    OPEN,
    SLIP,
    STICK,
    ContactProblem,
    barred_modes,
    has_normal,
    set_accelerations,
)
from zeromass.kernel.language import Reals, Reals2, kernel, reals, sqrt
from zeromass.kernel.roots import PLACE, begin_bracket, narrow_bracket

TARGET = 1e-12
"""Violation of the law at which iterations end."""

ROUNDING = 2.0**-50
"""Part of its terms to which an acceleration is known."""

WIDENINGS = 200
"""Times at most that an upper bound of the slip multiplier is made four times as large."""


@kernel
def contact_force(
    S: Reals2, k: int, shift: float, q0: float, q1: float, q2: float, mu: float, hold: float, given: float
) -> tuple[float, float, float]:
    """Force of one contact with free accelerations q, by its block of S from row k on, plus a shift of the diagonal.

    Where the contact slips, its tangential acceleration is −λ T, λ > 0, so that

        N = −(q₀ + s·T)/S₀₀,   (C + λ) T = −p,   C = Sₜₜ − s sᵀ/S₀₀,   p = qₜ − s q₀/S₀₀

    λ = 0 where it sticks, up to `hold`; else |T| = μ N, a root in one dimension, as C is diagonal in its principal axes.
    Where a normal force is given, not negative, s counts as zero.
    """
    nn, s1, s2 = S[k, k] + shift, S[k, k + 1], S[k, k + 2]
    if given >= 0.0:
        nn, s1, s2, q0 = 1.0, 0.0, 0.0, -given
    if q0 >= 0.0 or not nn > 0.0:
        return 0.0, 0.0, 0.0
    c11, c22 = S[k + 1, k + 1] + shift - s1 * s1 / nn, S[k + 2, k + 2] + shift - s2 * s2 / nn
    c12, p1, p2 = S[k + 1, k + 2] - s1 * s2 / nn, q1 - s1 * q0 / nn, q2 - s2 * q0 / nn
    half = 0.5 * (c11 - c22)
    h = sqrt(half * half + c12 * c12)
    e1, e2 = (half + h, c12) if half >= 0.0 else (c12, h - half)
    length = sqrt(e1 * e1 + e2 * e2)
    e1, e2 = (e1 / length, e2 / length) if length > 0.0 else (1.0, 0.0)
    axes = reals(9)  # C, p and s in principal axes, then N = (axes[6] − s·T)/nn, and μ
    axes[0] = 0.5 * (c11 + c22) + h
    axes[1] = (c11 * c22 - c12 * c12) / axes[0] if axes[0] > 0.0 else 0.0
    axes[2], axes[3] = e1 * p1 + e2 * p2, e1 * p2 - e2 * p1
    axes[4], axes[5] = e1 * s1 + e2 * s2, e1 * s2 - e2 * s1
    axes[6], axes[7], axes[8] = -q0, nn, hold
    negligible, still = RANK_TOLERANCE * (S[k + 1, k + 1] + S[k + 2, k + 2] + shift), True
    for i in range(2):
        if axes[i] <= negligible:  # no force accelerates the contact this way
            axes[i] = 0.0
            if abs(axes[2 + i]) <= RANK_TOLERANCE * (abs(q0) + abs(q1) + abs(q2)):
                axes[2 + i] = 0.0
            still = still and axes[2 + i] == 0.0
    multiplier = 0.0
    if not (still and friction_excess(axes, 0.0) <= 0.0):
        if mu == INFINITE:
            return 0.0, 0.0, 0.0
        axes[8] = mu
        low, high = 0.0, max(axes[0], nn)
        for _ in range(WIDENINGS):
            if friction_excess(axes, high) <= 0.0:
                break
            low, high = high, 4.0 * high
        bracket = reals(7)
        begin_bracket(bracket, low, high, friction_excess(axes, low), friction_excess(axes, high), 0.0)
        while not narrow_bracket(bracket, friction_excess(axes, bracket[PLACE])):
            pass
        multiplier = bracket[PLACE]
    t1, t2 = tangential(axes, 0, multiplier), tangential(axes, 1, multiplier)
    return (axes[6] - axes[4] * t1 - axes[5] * t2) / nn, e1 * t1 - e2 * t2, e2 * t1 + e1 * t2


@kernel
def tangential(axes: Reals, i: int, multiplier: float) -> float:
    """A tangential force in principal axes; 0 where none is needed."""
    return -axes[2 + i] / (axes[i] + multiplier) if axes[2 + i] != 0.0 else 0.0


@kernel
def friction_excess(axes: Reals, multiplier: float) -> float:
    """|T| − μ N for a multiplier, below zero inside the cone; of a rough contact −N."""
    t1, t2 = tangential(axes, 0, multiplier), tangential(axes, 1, multiplier)
    N = (axes[6] - axes[4] * t1 - axes[5] * t2) / axes[7]
    return -N if axes[8] == INFINITE else sqrt(t1 * t1 + t2 * t2) - axes[8] * N


@kernel
def pressing(p: ContactProblem, i: int) -> float:
    """The normal force that bounds the friction of a contact of the island."""
    b = p.base[i]
    return float(p.normal_force[b] if p.normal_force[b] >= 0.0 else p.f[3 * b])


@kernel
def tangential_size(x: Reals, i: int) -> float:
    """Length of the tangential part of a contact's forces or accelerations."""
    return sqrt(x[3 * i + 1] * x[3 * i + 1] + x[3 * i + 2] * x[3 * i + 2])


@kernel
def violation(p: ContactProblem, i: int) -> float:
    """By how much a contact of the island violates the law: parts of the size of accelerations, and of forces by ρ."""
    by, mu, hold = 1.0 / p.level, p.friction[i], p.static[i]
    force = by / p.rho[i]
    N, a, worst = pressing(p, i) * force, p.acc[3 * i] * by, 0.0
    if has_normal(p, i):
        worst = max(max(-N, -a), min(N, a))
    if not abs(p.acc[3 * i] + p.f[3 * i]) < INFINITE:
        return INFINITE
    if p.normal_only[i] != 0:
        return worst
    t1, t2, a1, a2 = p.f[3 * i + 1] * force, p.f[3 * i + 2] * force, p.acc[3 * i + 1] * by, p.acc[3 * i + 2] * by
    T, slips = sqrt(t1 * t1 + t2 * t2), sqrt(a1 * a1 + a2 * a2)
    if not T + slips < INFINITE:
        return INFINITE
    if mu == INFINITE:
        return max(worst, min(slips, max(N, T)))
    if slips > 0.0:
        t1, t2 = t1 + mu * N * a1 / slips, t2 + mu * N * a2 / slips
        off = sqrt(t1 * t1 + t2 * t2)
        if min(slips, off) > TARGET:
            off = max(off - mu * abs(N) * slip_rounding(p, i) * by / slips, 0.0)
        worst = max(worst, min(slips, off))
    return max(worst, T - hold * N)


@kernel
def slip_rounding(p: ContactProblem, i: int) -> float:
    """Rounding of the tangential accelerations of a contact: of a slow slip the direction is known to no more."""
    u, v, total = p.S[3 * i + 1], p.S[3 * i + 2], abs(p.c[3 * i + 1]) + abs(p.c[3 * i + 2])
    for n in range(p.start[i], p.start[i + 1]):
        for j in range(3 * p.near[n], 3 * p.near[n] + 3):
            total += (abs(u[j]) + abs(v[j])) * abs(p.f[j])
    return ROUNDING * total


@kernel
def law_violation(p: ContactProblem) -> float:
    """p.acc ← accelerations with forces p.f; the worst violation of the law in the island."""
    set_accelerations(p, p.f, 0.0, p.acc)
    worst = 0.0
    for i in range(p.count):
        worst = max(worst, violation(p, i))
    return worst


@kernel
def takes(p: ContactProblem, i: int, mode: int) -> bool:
    """Whether the forces and accelerations of a contact that satisfies the law are those of a mode, to rounding."""
    force, N, T, a = p.small * p.level * p.rho[i], pressing(p, i), tangential_size(p.f, i), tangential_size(p.acc, i)
    if barred_modes(p, i, True) & BITS[mode] != 0:
        return False
    if mode == OPEN:
        return max(N, T) <= force
    if has_normal(p, p.base[i]) and p.acc[3 * p.base[i]] > p.small * p.level:
        return False
    if mode == STICK:
        return a <= p.small * p.level
    return p.normal_only[i] != 0 or p.friction[i] * N <= T + force


@kernel
def set_states(p: ContactProblem) -> bool:
    """p.state ← modes by the motion: whether each contact takes one that is not excluded."""
    for i in range(p.count):
        b = p.base[i]
        opens = has_normal(p, b) and p.acc[3 * b] > p.small * p.level
        slips = p.normal_only[i] != 0 or tangential_size(p.acc, i) > p.small * p.level
        shown = OPEN if opens else SLIP if slips else STICK
        if not takes(p, i, shown):
            shown = -1
            for n in range(3):
                mode = STICK if n == 0 else SLIP if n == 1 else OPEN
                if shown < 0 and takes(p, i, mode):
                    shown = mode
            if shown < 0:
                return False
        p.state[i] = shown
    return True
