"""Impact at one contact with Coulomb friction: Routh's method with Poisson's restitution, as a kernel.

The normal impulse p of the contact grows from zero. Its relative velocity u and its impulse P follow

    du = D dP,   dP = (1, −μ s) dp     D = J M⁻¹ Jᵀ, s the direction of slip

in the contact frame: normal, first tangent, second tangent. Compression ends where the normal velocity is zero, at p_c. The
impact ends at (1 + e) p_c: Poisson's law of restitution. Slip that dies out sticks where static friction can hold it:

    Dₜₜ h = −Dₜₙ,   dP = (1, h) dp,   |h| ≤ μ_s

Else it goes on in the one direction in which it grows. Of slip with speed r and angle θ, and with dp = r dτ,

    d(log r)/dτ = s·a,   dθ/dτ = t·a,   a = Dₜₙ − μ Dₜₜ s,   t across s

which is regular however small r is [Routh 1905, §§ 315-325]. Where t·a = 0 slip is straight, and u is linear in p.

Energy is never gained. u·(1, −μ s) = min over the friction cone of u·f, a concave function of u, whose gradient flow in the
metric D the equation is. It therefore grows with p, ever more slowly, and is not positive at p_c.
"""

from __future__ import annotations

import math
from enum import IntEnum

import numpy as np

from zeromass.integrate.hybrid.impact_steps import EXACT, MOST_STEPS, error_norm, next_estimate, set_stage, step_ratio
from zeromass.integrate.methods.dop853.coefficients import STAGES
from zeromass.kernel.functions import atan2, cos, exp, log, sin
from zeromass.kernel.language import Reals, Reals2, kernel, reals, sqrt

STOPPED = 1e-14
"""Part of the speed before an impact below which slip has died out, and of slopes below which slip does not turn."""

BEGINS = 10.0
"""Speed with which slip begins again, as a multiple of that at which it has died out."""

SINGULAR = 1e-12
"""Part of the trace of a 2 × 2 matrix below which its smaller eigenvalue is zero: as where a body moves in a plane."""

QUARTER = 90
"""Directions in a quarter of a turn among which the one is looked for in which slip begins."""

HALVINGS, ROOTS, PHASES = 60, 60, 100
"""Bisections of a direction, iterations for the end of a slip, and phases of an impact, at most."""

INF = math.inf


def _circle() -> np.ndarray:
    """Unit vectors in order around the circle, (4 QUARTER + 1, 2), by rational operations: the same bits everywhere."""
    t = np.arange(QUARTER) / QUARTER
    part = np.stack([(1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)], axis=1)
    across = np.stack([-part[:, 1], part[:, 0]], axis=1)
    return np.concatenate([part, across, -part, -across, part[:1]])


CIRCLE = _circle()


class Slip(IntEnum):
    """What ends a slip: it dies out, compression ends, the impact ends; or none of these was found."""

    DIES = 0
    COMPRESSED = 1
    ENDS = 2
    UNRESOLVED = 3


@kernel
def stick_impulse(D: Reals2, x: float, y: float) -> tuple[float, float]:
    """The tangential impulse h with Dₜₜ h = −(x, y): the least of them where Dₜₜ is singular, and then by projection."""
    a, b, c = D[1, 1], D[1, 2], D[2, 2]
    trace, det = a + c, a * c - b * b
    if det > SINGULAR * trace * trace:
        return (b * y - c * x) / det, (b * x - a * y) / det
    if not trace > 0.0:
        return 0.0, 0.0
    c1, c2 = (a, b) if a > c else (b, c)  # the direction in which an impulse changes the slip
    part = -(c1 * x + c2 * y) / ((c1 * c1 + c2 * c2) * trace)
    return part * c1, part * c2


@kernel
def turning(D: Reals2, mu: float, c: float, s: float) -> tuple[float, float]:
    """t·a and s·a of slip in the direction (c, s): how it turns and how it grows."""
    a1 = D[1, 0] - mu * (D[1, 1] * c + D[1, 2] * s)
    a2 = D[2, 0] - mu * (D[2, 1] * c + D[2, 2] * s)
    return c * a2 - s * a1, c * a1 + s * a2


@kernel
def slip_direction(D: Reals2, mu: float) -> tuple[float, float]:
    """The direction in which slip begins that friction can not hold: that in which it grows without turning."""
    best, most = 0, -INF
    turn, grow = turning(D, mu, CIRCLE[0, 0], CIRCLE[0, 1])
    for k in range(4 * QUARTER):
        next_turn, next_grow = turning(D, mu, CIRCLE[k + 1, 0], CIRCLE[k + 1, 1])
        if grow > most:
            best, most = k, grow
        if turn * next_turn <= 0.0 and (grow > 0.0 or next_grow > 0.0):
            c1, s1, c2, s2 = CIRCLE[k, 0], CIRCLE[k, 1], CIRCLE[k + 1, 0], CIRCLE[k + 1, 1]
            for _ in range(HALVINGS):
                c, s = c1 + c2, s1 + s2
                size = sqrt(c * c + s * s)
                c, s = c / size, s / size
                middle, growth = turning(D, mu, c, s)
                if middle * turn > 0.0:
                    c1, s1 = c, s
                else:
                    c2, s2 = c, s
            middle, growth = turning(D, mu, c2, s2)
            if growth > 0.0:
                return c2, s2
        turn, grow = next_turn, next_grow
    return CIRCLE[best, 0], CIRCLE[best, 1]


@kernel
def set_slope(D: Reals2, mu: float, y: Reals, f: Reals) -> None:
    """f ← d/dτ of y = (log r, θ, p, P₁, P₂), of a slip of speed r in the direction θ."""
    r, c, s = exp(y[0]), cos(y[1]), sin(y[1])
    f[1], f[0] = turning(D, mu, c, s)
    f[2], f[3], f[4] = r, -mu * r * c, -mu * r * s


@kernel
def try_step(D: Reals2, mu: float, y: Reals, h: float, K: Reals2, new: Reals) -> None:
    """new ← the state after a step h from y, whose slope is K[0]."""
    for s in range(1, STAGES):
        set_stage(y, h, K, s, new, 5)
        set_slope(D, mu, new, K[s])
    set_stage(y, h, K, STAGES, new, 5)


@kernel
def slip_event(D: Reals2, y: Reals, which: int, level: float, start: float) -> float:
    """The function whose zero ends a slip.

    level  log r at which it dies out; start: the normal velocity at its beginning, or p at its end
    """
    if which == int(Slip.DIES):
        return y[0] - level
    if which == int(Slip.ENDS):
        return y[2] - start
    return start + (D[0, 0] * y[2] + (D[0, 1] * y[3] + D[0, 2] * y[4]))


@kernel
def locate_event(
    D: Reals2, mu: float, y: Reals, h: float, K: Reals2, new: Reals, which: int, level: float, start: float
) -> None:
    """y ← the state where an event function is zero that has another sign at `new`, a step h after y; K[0] as before.

    Newton's method in τ: each iteration is a step from the last estimate, whose slope gives the rate of the function.
    """
    K[STAGES][:] = K[0]
    f0 = slip_event(D, y, which, level, start)
    low, high, at = 0.0, h, 0.0
    by = h * (f0 / (f0 - slip_event(D, new, which, level, start)))
    for _ in range(ROOTS):
        try_step(D, mu, y, by, K, new)
        y[:] = new
        at += by
        set_slope(D, mu, y, K[0])
        f, rate = slip_event(D, y, which, level, start), 0.0
        if which == int(Slip.DIES):
            rate = K[0, 0]
        elif which == int(Slip.ENDS):
            rate = K[0, 2]
        else:
            rate = D[0, 0] * K[0, 2] + (D[0, 1] * K[0, 3] + D[0, 2] * K[0, 4])
        if f == 0.0:
            break
        if (f > 0.0) == (f0 > 0.0):
            low = at
        else:
            high = at
        by = next_estimate(at, f, rate, low, high) - at
        if abs(by) <= 1e-15 * h:
            break
    K[0][:] = K[STAGES]


@kernel(lazy=True)
def integrate_slip(D: Reals2, mu: float, y: Reals, atol: Reals, h: float, end: int, level: float, start: float) -> int:
    """y ← the state where slip dies out or, by `end`, compression or the impact ends: which of them, a `Slip`."""
    K, new, before = reals(STAGES + 1, 5), reals(5), reals(5)
    set_slope(D, mu, y, K[0])
    for _ in range(MOST_STEPS):
        try_step(D, mu, y, h, K, new)
        error = error_norm(y, new, h, K, atol, 5)
        if not error < 1.0:
            h *= step_ratio(error)
            if not h > 0.0:
                return int(Slip.UNRESOLVED)
            continue
        f, g = slip_event(D, y, end, level, start), slip_event(D, new, end, level, start)
        ends = f * g < 0.0 or g == 0.0
        dies = new[0] <= level
        if ends or dies:
            before[:] = y
            which = end if ends else int(Slip.DIES)
            locate_event(D, mu, y, h, K, new, which, level, start)
            if ends and y[0] <= level:
                y[:] = before
                try_step(D, mu, y, h, K, new)
                if new[0] <= level:
                    locate_event(D, mu, y, h, K, new, int(Slip.DIES), level, start)
                which = int(Slip.DIES)
            return which
        y[:] = new
        set_slope(D, mu, y, K[0])
        h *= step_ratio(error)
    return int(Slip.UNRESOLVED)


@kernel
def slip_on(D: Reals2, mu: float, u: Reals, P: Reals, p: float, end: float, small: float) -> tuple[float, int]:
    """u, P ← velocity and impulse at the end of a slip: p there, and which end it is, a `Slip`.

    end  p at the end of the impact, infinite during compression; small: speed below which slip has died out
    """
    size = sqrt(u[1] * u[1] + u[2] * u[2])
    s1, s2 = u[1] / size, u[2] / size
    turn, grow = turning(D, mu, s1, s2)
    normal = D[0, 0] - mu * (D[0, 1] * s1 + D[0, 2] * s2)
    ends = int(Slip.ENDS) if end < INF else int(Slip.COMPRESSED)
    if abs(turn) <= STOPPED * sqrt(turn * turn + grow * grow + normal * normal):
        stop = -size / grow if grow < 0.0 else INF
        last = end - p if end < INF else (-u[0] / normal if normal > 0.0 else INF)
        by = min(stop, last)
        if not by < INF:
            return p, int(Slip.UNRESOLVED)
        a1 = D[1, 0] - mu * (D[1, 1] * s1 + D[1, 2] * s2)
        a2 = D[2, 0] - mu * (D[2, 1] * s1 + D[2, 2] * s2)
        u[0], u[1], u[2] = u[0] + by * normal, u[1] + by * a1, u[2] + by * a2
        P[0], P[1], P[2] = P[0] + by, P[1] - by * mu * s1, P[2] - by * mu * s2
        if by == stop:
            u[1], u[2] = 0.0, 0.0
        if by == last:
            return (end if end < INF else p + by), ends
        return p + by, int(Slip.DIES)
    y, atol = reals(5), reals(5)
    y[0], y[1] = log(size), atan2(u[2], u[1])
    total = 0.0
    for i in range(3):
        for j in range(3):
            total += D[i, j] * D[i, j]
    largest, speed = sqrt(total), small / STOPPED
    atol[0], atol[1] = EXACT, EXACT
    for i in range(2, 5):
        atol[i] = EXACT * (speed / largest)
    start = end - p if end < INF else u[0]
    which = integrate_slip(D, mu, y, atol, 0.1 / ((1.0 + mu) * largest), ends, log(small), start)
    for i in range(3):
        P[i] += y[2 + i]
    u[0] += D[0, 0] * y[2] + (D[0, 1] * y[3] + D[0, 2] * y[4])
    r = 0.0 if which == int(Slip.DIES) else exp(y[0])
    u[1], u[2] = r * cos(y[1]), r * sin(y[1])
    return (end if which == int(Slip.ENDS) else p + y[2]), which


@kernel
def jams(D: Reals2, w: Reals, mu: float) -> bool:
    """Whether friction of a slip w presses a contact together more than its normal force parts it, nᵀ D (n − μ s) < 0."""
    speed = sqrt(w[1] * w[1] + w[2] * w[2])
    return speed > 0.0 and mu < INF and D[0, 0] * speed < mu * (D[0, 1] * w[1] + D[0, 2] * w[2])


@kernel
def impact(D: Reals2, w: Reals, mu: float, static: float, e: float, P: Reals, u: Reals) -> bool:
    """P, u ← impulse and relative velocity after the impact of one contact: whether it ended.

    D       change of the relative velocity by an impulse, J M⁻¹ Jᵀ, (3, 3), 1/kg; it may be singular along the surface
    w       relative velocity before: normal, first and second tangent, m/s; nothing happens where it does not approach,
            unless the normal velocity is zero and friction jams the slip
    mu      coefficient of kinetic friction: 0 of a smooth contact, infinite of a rough one, which never slips
    static  coefficient of static friction, of slip that has died out
    e       coefficient of restitution, of impulses [Poisson]

    It does not end where D is not positive along the normal, or is not finite; P and u are then of no use.
    """
    u[:] = w
    for i in range(3):
        P[i] = 0.0
    speed = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
    if w[0] > 0.0 or (w[0] == 0.0 and not jams(D, w, mu)):
        return True
    p, end, small = 0.0, INF, STOPPED * speed
    if mu == INF:  # what friction takes at once, before there is a normal impulse
        P[1], P[2] = stick_impulse(D, u[1], u[2])
        u[0] += D[0, 1] * P[1] + D[0, 2] * P[2]
        u[1], u[2] = 0.0, 0.0
        if u[0] >= 0.0:
            return True
    for _ in range(PHASES):
        if sqrt(u[1] * u[1] + u[2] * u[2]) <= small:
            u[1], u[2] = 0.0, 0.0
            h1, h2 = stick_impulse(D, D[1, 0], D[2, 0])
            if mu == INF or sqrt(h1 * h1 + h2 * h2) <= static:
                rate, before = D[0, 0] + D[0, 1] * h1 + D[0, 2] * h2, p
                if not rate > 0.0:
                    return False
                if end == INF:
                    p, u[0] = p - u[0] / rate, 0.0
                    end = (1.0 + e) * p
                u[0] += rate * (end - p)
                by = end - before
                P[0], P[1], P[2] = P[0] + by, P[1] + by * h1, P[2] + by * h2
                return True
            c, s = slip_direction(D, mu)
            u[1], u[2] = BEGINS * small * c, BEGINS * small * s
        p, which = slip_on(D, mu, u, P, p, end, small)
        if which == int(Slip.UNRESOLVED):
            return False
        if which == int(Slip.COMPRESSED):
            u[0], end = 0.0, (1.0 + e) * p
        if end < INF and p >= end:
            return True
    return False
