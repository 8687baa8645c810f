"""Impacts at several contacts whose impulses grow together: Coulomb friction, and Poisson's restitution at each of them.

As in Routh's method for one contact, `integrate.hybrid.impact`, velocities v change with the impulses Q by

    dv = D dQ,   dQ = (1, −μ s) dp where a contact slips along s, or with the friction that keeps it from slipping

Compression   contacts that approach take the same dp, those at rest along the normal as much as keeps them so, until none
              approaches: Q_c is what each has taken
Restitution   each takes e Q_c more, all in the same time; it ends early where the energy would be what it was before
Again         if any approaches now, as in a wedge that throws a ball from side to side

Slip that begins is in the direction in which it grows, until its speed is BEGUN: smaller slips turn into that direction much
faster than they grow. Between changes of modes slips are straight, and v is linear in Q, or slips turn: there the equations
are integrated, with steps in proportion to the least slip, which makes them regular. Friction can press contacts against one
another so that they approach however large impulses are, or gain energy. Then there is no such impact.
"""

from __future__ import annotations

import math

from zeromass.integrate.hybrid.contact_law import TARGET
from zeromass.integrate.hybrid.contact_newton import LEAST, iterate_proximal_points, newton, solve_modes
from zeromass.integrate.hybrid.contact_problem import (
    OPEN,
    SLIP,
    STICK,
    ContactProblem,
    copy_block,
    set_accelerations,
    set_bars,
)
from zeromass.integrate.hybrid.impact_modes import pose_impact, set_sticking, solve_contacts, store_impulses
from zeromass.integrate.hybrid.impact_problem import ImpactProblem
from zeromass.integrate.hybrid.impact_steps import EXACT, MOST_STEPS, error_norm, set_stage, step_ratio
from zeromass.integrate.methods.dop853.coefficients import STAGES
from zeromass.kernel.functions import log
from zeromass.kernel.language import Reals, kernel, reals, sqrt
from zeromass.kernel.roots import PLACE, begin_bracket, narrow_bracket

STOPPED, NEAR = 1e-12, 1e-12
"""Part of the speed below which a slip has died out, and below which a contact neither approaches nor separates."""

LONGEST, HELD = 200.0, 1e-6
"""Length of an integration, in the variable in which slips die out exponentially, and the part of the speed below which a
slip that is there after it counts as none."""

BEGUN = 1e-5
"""Part of the speed up to which a slip that has begun is in the direction in which it grows. What it turns by less is in
proportion to its square."""

ROUNDED, BEYOND = 1e-12, 1e-9
"""Part of the energy by which a compression may seem to gain some, and of the forces by which a mode that ends is wrong."""

REFINEMENTS = 4
"""Proximal points of the equations of a stage, at most."""

ROUNDS, LAST, PIECES = 60, 10, 400
"""Compressions, how many of the last ones are without restitution, and parts of each, at most."""

TINY = 2.2250738585072014e-308
INF = math.inf


@kernel
def energy_gained(p: ImpactProblem, v: Reals, Q: Reals) -> float:
    """Energy that impulses Q add: Q·(v₀ + v)/2."""
    total = 0.0
    for i in range(3 * p.count):
        total += Q[i] * (p.before[i] + v[i])
    return total / 2.0


@kernel
def slip_speed(v: Reals, c: int) -> float:
    """Speed of the slip of a contact."""
    return sqrt(v[3 * c + 1] * v[3 * c + 1] + v[3 * c + 2] * v[3 * c + 2])


@kernel
def clear_rounding(p: ImpactProblem) -> None:
    """Velocities that rounding leaves ← 0."""
    for c in range(p.count):
        if abs(p.v[3 * c]) <= NEAR * p.speed:
            p.v[3 * c] = 0.0
        if slip_speed(p.v, c) <= STOPPED * p.speed:
            p.v[3 * c + 1], p.v[3 * c + 2] = 0.0, 0.0


@kernel
def pose_rates(p: ImpactProblem) -> bool:
    """The contact problem of the rates of impulses: whether any contact is struck."""
    struck = False
    for c in range(p.count):
        v = p.v[3 * c]
        p.forced[c] = 0 if abs(v) > NEAR * p.speed else p.forced[c]
        strikes = p.back[c] > 0.0 if p.restores else v < -NEAR * p.speed or p.forced[c] != 0
        p.strikes[c], p.known[c] = 1 if strikes else 0, 0
        p.active[c] = 1 if strikes or abs(v) <= NEAR * p.speed else 0
        p.N[c] = (p.back[c] if p.restores else 1.0) if strikes else -1.0
        struck = struck or strikes
        speed = slip_speed(p.v, c)
        p.s[c, 0], p.s[c, 1] = 0.0, 0.0
        if p.active[c] == 0 or speed > BEGUN * p.speed:
            p.begins[c] = 0
        if speed > STOPPED * p.speed and p.friction[c] < INF and p.begins[c] == 0:
            p.known[c] = 1
            p.s[c, 0], p.s[c, 1] = p.v[3 * c + 1] / speed, p.v[3 * c + 2] / speed
        for i in range(3):
            p.first[3 * c + i] = 0.0
    return struck


@kernel
def stop_rough(p: ImpactProblem, c: ContactProblem) -> None:
    """Takes at once the slip of rough contacts that are pressed."""
    for i in range(p.count):
        p.active[i] = 1 if is_rough(p, i) else 0
        p.N[i], p.known[i] = 0.0, 0
    pose_impact(p, c, p.v)
    set_sticking(p, c)
    solve_modes(c, REFINEMENTS)
    store_impulses(p, c)
    for i in range(3 * p.count):
        p.v[i], p.Q[i] = p.a[i], p.Q[i] + p.F[i]
    for i in range(p.count):
        if p.active[i] != 0:
            p.v[3 * i + 1], p.v[3 * i + 2] = 0.0, 0.0
    clear_rounding(p)


@kernel
def is_rough(p: ImpactProblem, i: int) -> bool:
    """Whether a contact that is pressed never slips."""
    return p.active[i] != 0 and p.mode[i] == STICK and p.friction[i] == INF


@kernel
def has_rough_slip(p: ImpactProblem) -> bool:
    """Whether a rough contact that is pressed slips."""
    found = False
    for c in range(p.count):
        found = found or (is_rough(p, c) and slip_speed(p.v, c) > STOPPED * p.speed)
    return found


@kernel
def has_ended_slip(p: ImpactProblem) -> bool:
    """Whether a slip that had begun grows no more, and is followed until it dies out; p.begins ← those that grow."""
    found = False
    for c in range(p.count):
        grows = p.active[c] != 0 and p.mode[c] == SLIP and p.known[c] == 0 and p.friction[c] > 0.0
        found = found or (p.begins[c] != 0 and not grows and slip_speed(p.v, c) > STOPPED * p.speed)
        p.begins[c] = 1 if grows else 0
    return found


@kernel
def set_slips(p: ImpactProblem) -> bool:
    """Contacts that slip, in known directions or in that in which a slip begins: whether the slip of any turns."""
    turns = False
    for c in range(p.count):
        x, y = p.a[3 * c + 1], p.a[3 * c + 2]
        p.slow[c] = 1 if p.active[c] != 0 and p.mode[c] == SLIP and p.friction[c] > 0.0 else 0
        p.moving[c] = p.slow[c] * p.known[c]
        if p.moving[c] != 0:
            size = sqrt(p.a[3 * c] * p.a[3 * c] + (x * x + y * y))
            turns = turns or abs(p.s[c, 0] * y - p.s[c, 1] * x) > STOPPED * size
    return turns


@kernel
def energy_limit(p: ImpactProblem, by: float) -> float:
    """How far rates p.F may go on, `by` at most, until the energy has come back to what it was.

    E(x) = (Q + x F)·(v₀ + v + x a)/2 = E + b x + a x²
    """
    gained, b, a = energy_gained(p, p.v, p.Q), 0.0, 0.0
    for i in range(3 * p.count):
        a += p.F[i] * p.a[i]
        b += p.F[i] * (p.before[i] + p.v[i]) + p.Q[i] * p.a[i]
    a, b = 0.5 * a, 0.5 * b
    if gained + by * (b + by * a) <= 0.0:
        return by
    if gained >= 0.0:
        return 0.0
    return min(by, -2.0 * gained / (b + sqrt(max(b * b - 4.0 * a * gained, 0.0))))


@kernel
def advance_straight(p: ImpactProblem) -> int:
    """v, Q ← those at the next change, along constant rates: 1 at the end of a restitution, 0 before, −1 where none is."""
    by = p.left if p.restores else INF
    for c in range(p.count):
        v, a = p.v[3 * c], p.a[3 * c]
        if p.moving[c] != 0:
            brakes = p.s[c, 0] * p.a[3 * c + 1] + p.s[c, 1] * p.a[3 * c + 2]
            if brakes < 0.0:
                by = min(by, -slip_speed(p.v, c) / brakes)
        if not p.restores and p.strikes[c] != 0 and a > 0.0:
            by = min(by, -v / a)
        if p.strikes[c] == 0 and v > NEAR * p.speed and a < 0.0:
            by = min(by, -v / a)
    if not by < INF:
        return -1
    whole = by
    if p.restores:
        by = energy_limit(p, by)
    for c in range(p.count):
        stops = False
        if p.moving[c] != 0:
            brakes = p.s[c, 0] * p.a[3 * c + 1] + p.s[c, 1] * p.a[3 * c + 2]
            stops = brakes < 0.0 and -slip_speed(p.v, c) / brakes <= by
        for i in range(3):
            p.v[3 * c + i] += by * p.a[3 * c + i]
            p.Q[3 * c + i] += by * p.F[3 * c + i]
        if stops:
            p.v[3 * c + 1], p.v[3 * c + 2] = 0.0, 0.0
    clear_rounding(p)
    ends = p.restores and (by < whole or by >= p.left)
    p.left -= by if p.restores else 0.0
    return 1 if ends else 0


@kernel
def set_slope(p: ImpactProblem, c: ContactProblem, y: Reals, f: Reals) -> None:
    """f ← d/dτ of velocities, impulses and their growth, dp = min |slip| dτ; p.F, p.a are the rates by p."""
    n, least, begins = 3 * p.count, INF, False
    for i in range(p.count):
        if p.moving[i] != 0:
            g, speed = c.order[i], max(slip_speed(y, i), TINY)
            least = min(least, speed)
            c.way[g, 0], c.way[g, 1] = y[3 * i + 1] / speed, y[3 * i + 2] / speed
            for m in range(c.start[i], c.start[i + 1]):
                copy_block(c, c.near[m], i)
        begins = begins or p.begins[i] != 0
    c.f[:n] = p.first[:n]
    if begins:
        solve_beginning(p, c)
    else:
        solve_modes(c, REFINEMENTS)
    store_impulses(p, c)
    for i in range(n):
        f[i], f[n + i] = least * p.a[i], least * p.F[i]
    f[2 * n] = least


@kernel
def solve_beginning(p: ImpactProblem, c: ContactProblem) -> None:
    """c.f, c.acc ← rates near those of p.first where slips begin, whose directions are unknown."""
    n, steps, fine = 3 * p.count, 1, 0.01 * TARGET
    for _ in range(REFINEMENTS):
        if steps > 0:
            c.anchor[:n] = c.f[:n]
            steps = newton(c, LEAST, 0.0, fine)
    if steps < 0:
        c.f[:n] = p.first[:n]
        iterate_proximal_points(c, LEAST, 0.0)
    set_accelerations(c, c.f, 0.0, c.acc)


@kernel
def set_events(p: ImpactProblem, y: Reals, g: Reals, forces: float) -> None:
    """g ← functions that become negative where a piece ends, after `set_slope` at y.

    Of each contact: log of its slip, its approach or its gap, what friction can hold beyond what it does, and its normal
    force; then what is left of the restitution, and the energy that is lost. `forces` is the size of rates of impulses.
    """
    n = 3 * p.count
    for c in range(p.count):
        free = p.active[c] != 0 and p.strikes[c] == 0 and p.mode[c] != OPEN
        for i in range(4):
            g[4 * c + i] = 1.0
        if p.moving[c] != 0:
            g[4 * c] = log(max(slip_speed(y, c), TINY) / (STOPPED * p.speed))
        elif p.begins[c] != 0:
            g[4 * c] = BEGUN * p.speed - slip_speed(y, c)
        if p.strikes[c] != 0 and not p.restores:
            g[4 * c + 1] = -y[3 * c]
        elif p.strikes[c] == 0 and p.v[3 * c] > NEAR * p.speed:
            g[4 * c + 1] = y[3 * c]
        if p.active[c] != 0 and p.mode[c] == STICK and p.friction[c] < INF:
            g[4 * c + 2] = p.friction[c] * p.F[3 * c] - slip_speed(p.F, c) + BEYOND * forces
        if free:
            g[4 * c + 3] = p.F[3 * c] + BEYOND * forces
    g[4 * p.count], g[4 * p.count + 1] = 1.0, 1.0
    if p.restores:
        g[4 * p.count] = p.left - y[2 * n]
        g[4 * p.count + 1] = -energy_gained(p, y, y[n:])


@kernel
def try_step(p: ImpactProblem, c: ContactProblem, h: float) -> None:
    """p.y_new ← the state after a step h from p.y, whose slope is p.K[0]; the slope there is p.K[STAGES]."""
    n = 6 * p.count + 1
    for s in range(1, STAGES):
        set_stage(p.y, h, p.K, s, p.y_new, n)
        set_slope(p, c, p.y_new, p.K[s])
    set_stage(p.y, h, p.K, STAGES, p.y_new, n)


@kernel
def accept_step(p: ImpactProblem) -> None:
    """Goes on from p.y_new."""
    p.y[:] = p.y_new
    p.K[0][:] = p.K[STAGES]
    p.g[:] = p.g_new


@kernel
def has_event(p: ImpactProblem, g: Reals) -> bool:
    """Whether a function that is positive at p.y is not in g."""
    found = False
    for j in range(4 * p.count + 2):
        found = found or (p.g[j] > 0.0 and not g[j] > 0.0)
    return found


@kernel
def event_slack(p: ImpactProblem, j: int, forces: float) -> float:
    """How far beyond its zero an event function may be where a piece ends: what is neglected there in any case."""
    if j == 4 * p.count:
        return ROUNDED * p.left
    if j > 4 * p.count:
        return 0.1 * ROUNDED * p.speed * p.speed / p.largest
    kind = j % 4
    if kind == 0:
        return 1.0 if p.moving[j // 4] != 0 else 0.1 * HELD * BEGUN * p.speed
    return 0.5 * NEAR * p.speed if kind == 1 else BEYOND * forces


@kernel
def first_event(p: ImpactProblem, g: Reals, forces: float) -> float:
    """The least event function in g, as a part of what it is at p.y: zero where the first event is half its slack behind."""
    least = INF
    for j in range(4 * p.count + 2):
        if p.g[j] > 0.0:
            least = min(least, (g[j] + 0.5 * event_slack(p, j, forces)) / p.g[j])
    return least


@kernel
def is_behind(p: ImpactProblem, g: Reals, forces: float) -> bool:
    """Whether g is behind an event by no more than its slack."""
    near = has_event(p, g)
    for j in range(4 * p.count + 2):
        near = near and not (p.g[j] > 0.0 and g[j] < -event_slack(p, j, forces))
    return near


@kernel
def locate_event(p: ImpactProblem, c: ContactProblem, h: float, forces: float) -> None:
    """p.y_new, p.g_new ← behind the first event in a step h from p.y to p.y_new, by steps from p.y."""
    bracket, start, end = reals(7), first_event(p, p.g, forces), first_event(p, p.g_new, forces)
    begin_bracket(bracket, 0.0, h, start, end, 0.0)
    bracket[PLACE] = h * (start / (start - end))
    last = is_behind(p, p.g_new, forces)
    while not last:
        try_step(p, c, bracket[PLACE])
        set_slope(p, c, p.y_new, p.K[STAGES])
        set_events(p, p.y_new, p.g_new, forces)
        if is_behind(p, p.g_new, forces):
            break
        if narrow_bracket(bracket, first_event(p, p.g_new, forces)):
            last = True
            try_step(p, c, bracket[PLACE])
            set_slope(p, c, p.y_new, p.K[STAGES])
            set_events(p, p.y_new, p.g_new, forces)


@kernel
def advance_turning(p: ImpactProblem, c: ContactProblem) -> int:
    """v, Q ← those at the next change, where slips turn: 1 at the end of a restitution, 0 before it, −1 if none is found."""
    n, pace, forces, mu = 3 * p.count, 0.0, 0.0, 0.0
    p.first[:n] = c.f[:n]
    set_bars(c, False)
    for i in range(p.count):
        pace = max(pace, p.N[i])
        mu = max(mu, p.friction[i] if p.slow[i] != 0 else 0.0)
    for i in range(n):
        forces = max(forces, abs(p.F[i]))
        p.y[i], p.y[n + i] = p.v[i], p.Q[i]
        p.atol[i], p.atol[n + i] = EXACT * p.speed, EXACT * p.speed / p.largest
    p.y[2 * n], p.atol[2 * n] = 0.0, EXACT * p.speed / (p.largest * pace)
    h, left = 0.1 / (p.largest * pace * (1.0 + mu)), LONGEST / (p.largest * pace)
    set_slope(p, c, p.y, p.K[0])
    set_events(p, p.y, p.g, forces)
    found = False
    for _ in range(MOST_STEPS):
        h = min(h, left)
        try_step(p, c, h)
        error = error_norm(p.y, p.y_new, h, p.K, p.atol, 2 * n + 1)
        if not error < 1.0:
            h *= step_ratio(error)
            if not h > 1e-12 * left:
                return -1
            continue
        set_slope(p, c, p.y_new, p.K[STAGES])
        set_events(p, p.y_new, p.g_new, forces)
        found = has_event(p, p.g_new)
        if found:
            locate_event(p, c, h, forces)
            break
        accept_step(p)
        left -= h
        if not left > 0.0:
            break
        h *= step_ratio(error)
    if not found and left > 0.0:
        return -1
    for i in range(n):
        p.v[i], p.Q[i] = p.y_new[i], p.y_new[n + i]
    for i in range(p.count):
        if p.moving[i] != 0 and (p.g_new[4 * i] <= 0.0 or (not found and slip_speed(p.v, i) <= HELD * p.speed)):
            p.v[3 * i + 1], p.v[3 * i + 2] = 0.0, 0.0
    clear_rounding(p)
    p.left -= p.y_new[2 * n] if p.restores else 0.0
    return 1 if p.restores and min(p.g_new[4 * p.count], p.g_new[4 * p.count + 1]) <= 0.0 else 0


@kernel
def grow(p: ImpactProblem, c: ContactProblem) -> bool:
    """Compression or, where p.restores, restitution by impulses p.back: whether it ends."""
    p.left = 1.0
    for _ in range(PIECES):
        if not pose_rates(p) or not p.left > 0.0:
            return True
        if not solve_contacts(p, c, p.first):
            return False
        if has_rough_slip(p):
            stop_rough(p, c)
            continue
        if has_ended_slip(p):
            continue
        found = advance_turning(p, c) if set_slips(p) else advance_straight(p)
        gained = energy_gained(p, p.v, p.Q)
        if found < 0 or (not p.restores and gained > ROUNDED * p.speed * p.speed / p.largest):
            return False
        if found > 0:
            return True
    return False


@kernel(lazy=True)
def simultaneous_impact(p: ImpactProblem, c: ContactProblem) -> bool:
    """p.Q ← impulses of an island that grow together, from velocities p.before: whether there is such an impact."""
    for i in range(3 * p.count):
        p.v[i], p.Q[i] = p.before[i], 0.0
    for i in range(p.count):
        p.begins[i] = 0
    for number in range(ROUNDS):
        approaches, restores = False, False
        for i in range(p.count):
            approaches = approaches or p.v[3 * i] < -NEAR * p.speed or p.forced[i] != 0
            p.begun[i] = p.Q[3 * i]
        if not approaches:
            return True
        p.restores = False
        if not grow(p, c):
            return False
        for i in range(p.count):
            p.back[i] = p.restitution[i] * (p.Q[3 * i] - p.begun[i])
            restores = restores or p.back[i] > 0.0
        if restores and number < ROUNDS - LAST:
            p.restores = True
            if not grow(p, c):
                return False
    return True
