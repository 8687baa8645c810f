"""When shapes collide in the steps of a piece, in kernels: near pairs are looked at as closely as their speeds ask for.

The gap of two shapes falls no faster than the points of both move. Where gaps g₀ and g₁ at both ends of a time h satisfy
g₀ + g₁ > V h, V the sum of the largest speeds, they do not meet in it. Other pairs are looked at inside the step.
"""

from __future__ import annotations

from zeromass.integrate.collisions.bodies import RIGID, move_bodies, place_bodies, place_body
from zeromass.integrate.collisions.broad_phase import find_near
from zeromass.integrate.collisions.choice import DEPTH, side_of_edges
from zeromass.integrate.collisions.distance import gap_between
from zeromass.integrate.collisions.kinematics import gap_at, set_frame
from zeromass.integrate.collisions.shapes import EDGE_EDGE, HALF_SPACE, LARGE, ROOM, SOLID, kind_of
from zeromass.integrate.collisions.slots import CLOSED, GAP_MARGIN, CollisionTable, value_at
from zeromass.integrate.collisions.vectors import copy, difference, length
from zeromass.integrate.hybrid.memory import COUNTS, RECORDED, STEPS, Motion, Search
from zeromass.integrate.hybrid.piece_end import cut, open_step
from zeromass.integrate.hybrid.switches import Switches
from zeromass.integrate.stepping.layout import HEAD
from zeromass.integrate.stepping.step_functions import StepFunctions, interpolate, state_at
from zeromass.kernel.language import Reals, kernel, reals
from zeromass.kernel.roots import PLACE, begin_bracket, may_hide_roots, narrow_bracket

PARTS = 8
"""Parts of a step in which pairs are looked at that may meet in it."""

NARROWINGS = 40
"""Places at which a gap is looked at that may fall to zero and rise again between two others."""

NARROWEST = 1e-9
"""Part of the time between two places, from either of them, within which a gap is not looked at."""

NEARLY = 1e-3
"""Part of a step by which a collision of states on the constraints may be earlier or later than of those beside them."""

TOUCHING = 1e-12
"""Part of sizes and places below which shapes touch; those that do may come that much nearer before they collide."""

INSIDE = 1000.0
"""Times what counts as rounding, by which shapes that a contact has left may still be inside one another as they part."""


@kernel
def free_gap(c: CollisionTable, values: Reals, p: int) -> float:
    """The gap of a near pair beside its contacts, m: of features that do not touch, or of solids that may overlap."""
    x = c.shapes
    one, two = x.first[p], x.second[p]
    x.skipped = 0
    if x.touches[p] == 0:
        return gap_between(x, one, two)
    if kind_of(x, one) == SOLID and kind_of(x, two) == SOLID:
        depth = DEPTH * x.size[one]
        for k in range(c.slots):
            if c.one[k] == one and c.two[k] == two:
                depth = max(depth, 2.0 * abs(value_at(c, values, k, GAP_MARGIN)))
        return gap_between(x, one, two) + depth
    for k in range(c.slots):
        if c.one[k] == one and c.two[k] == two and value_at(c, values, k, CLOSED) != 0.0 and x.skipped < ROOM:
            for i in range(3):
                x.skip[x.skipped, i] = c.feature[k, i]
            x.skipped += 1
    if x.skipped == 0:
        return gap_between(x, one, two)
    single = kind_of(x, one) == 0 or (kind_of(x, two) < SOLID and x.skipped > 1)
    found = LARGE if single and kind_of(x, two) != HALF_SPACE else gap_between(x, one, two)
    x.skipped = 0
    return found


@kernel
def set_weights(s: StepFunctions, t: float) -> None:
    """s.weights ← those of Legendre's coefficients at a time in the step that is open."""
    terms, x = len(s.weights), 2.0 * ((t - s.t0[0]) / (s.t1[0] - s.t0[0])) - 1.0
    s.weights[0], s.weights[1] = 1.0, x
    for k in range(1, terms - 1):
        s.weights[k + 1] = (float(2 * k + 1) * x * s.weights[k] - float(k) * s.weights[k - 1]) / float(k + 1)


@kernel
def place_in_step(c: CollisionTable, s: StepFunctions, body: int) -> None:
    """Position and rotation of a body in the step that is open, by its polynomial alone."""
    b = c.bodies
    if body < 0:
        return
    for j in range(7 if b.kind[body] == RIGID else 3):
        i, total = b.place[body, j], 0.0
        for k in range(len(s.weights)):
            total += s.weights[k] * s.polynomial[k, i]
        s.row[1 + i] = total
    place_body(b, s.row[1:], body)


@kernel
def look_at_time(c: CollisionTable, m: Motion, w: Switches, s: StepFunctions, t: float, exact: bool) -> None:
    """Places of all bodies at a time in the step that is open, on the constraints if they are to be exact."""
    if exact:
        state_at(s, t)
    else:
        interpolate(s, t)
    w.clock[0] = t
    place_bodies(c.bodies, w.clock, s.row[1:], m.values)


@kernel
def gap_in_step(c: CollisionTable, m: Motion, w: Switches, s: StepFunctions, p: int, t: float) -> float:
    """The gap of a near pair at a time in the step that is open, with what counts as rounding."""
    x = c.shapes
    if x.touches[p] > 0 or c.bodies.formulas:
        look_at_time(c, m, w, s, t, x.touches[p] > 0)
    else:
        set_weights(s, t)
        place_in_step(c, s, x.body[x.first[p]])
        place_in_step(c, s, x.body[x.second[p]])
    return free_gap(c, m.values, p) + x.early[p]


@kernel
def closing_speed(c: CollisionTable, p: int) -> float:
    """A bound on the speed at which the gap of a near pair falls in a step, m/s."""
    x, v, d = c.shapes, reals(3), reals(3)
    spins = 0.0
    for i in range(3):
        v[i], d[i] = 0.0, 0.0
    for k in range(2):
        body = x.body[x.first[p] if k == 0 else x.second[p]]
        if body >= 0:
            sign = 1.0 if k == 0 else -1.0
            for i in range(3):
                v[i] += sign * c.before[body, i]
                d[i] += sign * c.behind[body, i]
            spins += x.fast[body]
    first, last = length(v), length(d)
    difference(d, v, d)
    return max(first, last) + 0.5 * length(d) + spins


@kernel
def zero_between(
    c: CollisionTable, m: Motion, w: Switches, s: StepFunctions, p: int, a: float, b: float, ga: float, gb: float
) -> float:
    """The time between two at which the gap of a near pair falls to zero."""
    bracket = reals(7)
    begin_bracket(bracket, a, b, ga, gb, 4e-16 * max(1.0, abs(b)))
    while True:
        if narrow_bracket(bracket, gap_in_step(c, m, w, s, p, bracket[PLACE])):
            return bracket[PLACE]


@kernel
def sharpen_time(c: CollisionTable, m: Motion, w: Switches, s: StepFunctions, p: int, t: float) -> float:
    """The time at which a gap is zero of states on the constraints, from where it is so of states beside them."""
    x, f, axis, found = c.shapes, c.frame, reals(3), t
    for _ in range(2):
        look_at_time(c, m, w, s, found, True)
        gap = free_gap(c, m.values, p) + x.early[p]
        move_bodies(c.bodies, w.clock, s.row[1:], m.values)
        one, two = x.first[p], x.second[p]
        kind, i, j = x.best[0], x.best[1], x.best[2]
        gap_at(x, c.bodies, f, one, two, kind, i, j, side_of_edges(x, one, two, i, j) if kind == EDGE_EDGE else 1.0)
        for k in range(3):
            axis[k] = 1.0 if abs(f.e[0, k]) < 0.6 and axis[0] + axis[1] + axis[2] == 0.0 else 0.0
        set_frame(x, c.bodies, f, one, two, axis)
        late = -gap / f.velocity[0]
        if not abs(late) <= NEARLY * abs(s.t1[0] - s.t0[0]) or gap == 0.0:
            break
        found += late
        for k in range(3):
            axis[k] = 0.0
    return found if abs(found - s.t0[0]) <= abs(s.t1[0] - s.t0[0]) and (found - s.t0[0]) * w.ahead > 0.0 else t


@kernel
def dip_between(
    c: CollisionTable, m: Motion, w: Switches, s: StepFunctions, p: int, a: float, b: float, ga: float, gb: float
) -> tuple[float, float]:
    """A time between two at which the gap of a near pair is less than zero though it is not at these, and the gap there.

    An infinite gap where there is none: the time is narrowed to where parabolas through three values are lowest.
    """
    speed = closing_speed(c, p)
    if ga + gb > speed * abs(b - a):
        return b, LARGE
    middle = a + 0.5 * (b - a)
    g = gap_in_step(c, m, w, s, p, middle)
    for _ in range(NARROWINGS):
        if g < 0.0:
            return middle, g
        apart = ga + g > speed * abs(middle - a) and g + gb > speed * abs(b - middle)
        if apart or not may_hide_roots(a, ga, middle, g, b, gb):
            break
        left, right = (g - ga) / (middle - a), (gb - g) / (b - middle)
        lowest = 0.5 * (a + middle) - 0.5 * left * (b - a) / (right - left)
        part = (lowest - a) / (b - a)
        if not (part > NARROWEST and part < 1.0 - NARROWEST) or lowest == middle:
            break
        other = gap_in_step(c, m, w, s, p, lowest)
        if abs(lowest - a) < abs(middle - a):
            if other <= g:
                b, gb, middle, g = middle, g, lowest, other
            else:
                a, ga = lowest, other
        elif other <= g:
            a, ga, middle, g = middle, g, lowest, other
        else:
            b, gb = lowest, other
    return b, LARGE


@kernel
def look_inside(c: CollisionTable, m: Motion, w: Switches, s: StepFunctions, count: int) -> bool:
    """Whether one of the pairs that are looked at closely meets in the step that is open: w.clock tells when."""
    t0, h, before, exact, x = s.t0[0], s.t1[0] - s.t0[0], s.t0[0], False, c.shapes
    for i in range(count):
        exact = exact or x.touches[x.seen[i]] > 0
    for part in range(1, PARTS + 1):
        time = s.t1[0] if part == PARTS else t0 + h * (float(part) / float(PARTS))
        look_at_time(c, m, w, s, time, exact)
        for i in range(count):
            x.after[i] = free_gap(c, m.values, x.seen[i]) + x.early[x.seen[i]]
        first, pair = time, -1
        for i in range(count):
            p, gap, start = x.seen[i], x.after[i], x.before[i]
            if part == 1 and start <= 0.0:
                start = x.early[p]
            end, low = time, gap
            if gap >= 0.0:
                end, low = dip_between(c, m, w, s, p, before, time, start, gap)
            if low < 0.0:
                end = zero_between(c, m, w, s, p, before, end, start, low)
                if abs(end - t0) <= abs(first - t0):
                    first, pair = end, p
            x.before[i] = gap
        if pair >= 0:
            w.clock[0] = sharpen_time(c, m, w, s, pair, first)
            state_at(s, w.clock[0])
            return True
        before = time
    return False


@kernel
def first_suspects(c: CollisionTable, m: Motion, w: Switches, h: float) -> int:
    """x.low ← bounds of the gaps of near pairs in a step of bodies that are where it begins: how many may meet in it."""
    x, b, count, far = c.shapes, c.bodies, 0, 0.0
    for k in range(b.count):
        for i in range(3):
            far = max(far, abs(b.position[k, i]))
    for p in range(x.near):
        way = closing_speed(c, p) * abs(h)
        if x.gap[p] <= way:
            x.gap[p] = free_gap(c, m.values, p)
        rounding = 0.25 * TOUCHING * max(far, x.size[x.first[p]])
        x.early[p] = 0.0
        if x.gap[p] <= 4.0 * rounding:
            x.early[p] = min(max(rounding, -2.0 * x.gap[p]), INSIDE * rounding)
        x.low[p] = x.gap[p] - way
        if x.low[p] > 0.0:
            x.gap[p] = x.low[p]
        else:
            count += 1
    return count


@kernel
def last_suspects(c: CollisionTable, m: Motion, w: Switches, h: float) -> int:
    """x.seen ← of these near pairs those that may meet by their gaps at the end of the step too: how many."""
    x, count = c.shapes, 0
    for p in range(x.near):
        if x.low[p] <= 0.0:
            way, gap, start = closing_speed(c, p) * abs(h), free_gap(c, m.values, p), x.gap[p]
            x.gap[p] = gap
            if start + gap > way and start > 0.0:
                x.low[p] = 0.5 * (start + gap - way)
            else:
                x.seen[count], x.before[count] = p, start + x.early[p]
                count += 1
    return count


@kernel
def note_speeds(c: CollisionTable, last: bool) -> float:
    """c.before, c.behind, x.fast ← velocities of bodies, and speeds by which they turn: the largest speed."""
    b, x, most = c.bodies, c.shapes, 0.0
    for k in range(b.count):
        turns = b.reach[k] * length(b.spin[k])
        most = max(most, length(b.velocity[k]) + turns)
        if last:
            copy(b.velocity[k], c.behind[k])
            x.fast[k] = max(x.fast[k], turns) + 0.5 * abs(x.fast[k] - turns)
        else:
            copy(b.velocity[k], c.before[k])
            x.fast[k] = turns
    return most


@kernel
def find_collision(c: CollisionTable, m: Motion, w: Switches, s: StepFunctions) -> int:
    """Whether shapes collide in steps that have not been looked at; the piece then ends there, and later steps are gone."""
    x, b, n = c.shapes, c.bodies, len(m.first)
    for row in range(m.contacts.looked, m.ints[RECORDED]):
        t0 = m.piece_start[0]
        m.first[:] = m.piece_start[1:]
        if row > m.counts[COUNTS * (m.pieces - 1)]:
            t0 = m.record[row - 1, 0]
            m.first[:] = m.record[row - 1][HEAD : HEAD + n]
        m.last[:] = m.record[row][HEAD : HEAD + n]
        h = m.record[row, 0] - t0
        w.clock[0] = t0 + h
        move_bodies(b, w.clock, m.last, m.values)
        most = note_speeds(c, False)
        w.clock[0] = t0
        move_bodies(b, w.clock, m.first, m.values)
        way = 2.0 * max(most, note_speeds(c, True)) * abs(h)
        x.moved_by += way
        if x.moved_by > x.skin:
            if not find_near(c, max(c.skin, 1.5 * way)):
                return int(Search.NO_ROOM)
            x.moved_by = way
        if first_suspects(c, m, w, h) > 0:
            w.clock[0] = t0 + h
            place_bodies(b, w.clock, m.last, m.values)
            count = last_suspects(c, m, w, h)
            if count > 0:
                open_step(m, row)
                if look_inside(c, m, w, s, count):
                    for p in range(x.near):
                        x.gap[p] = min(x.gap[p], max(x.low[p], 0.0))
                    m.ints[STEPS] -= m.ints[RECORDED] - row - 1
                    m.ints[RECORDED] = m.contacts.looked = row + 1
                    cut(m, w.clock[0], s.row[1:])
                    return int(Search.COLLIDES)
    m.contacts.looked = m.ints[RECORDED]
    return int(Search.NONE)
