"""Bumps in space that a step goes over as a whole, in kernels; see `zeromass.integrate.stepping.narrow`."""

from __future__ import annotations

from zeromass.integrate.hybrid.memory import (
    QUIET,
    RECORDED,
    REJECTED,
    STARTED,
    STEPS,
    H,
    Motion,
    T,
    watch,
)
from zeromass.integrate.hybrid.switches import Switches
from zeromass.integrate.stepping.layout import Int64, Real64
from zeromass.integrate.stepping.narrow import FELT, PART, SEEN
from zeromass.kernel.language import kernel, sqrt
from zeromass.kernel.roots import RootSearch, add_place, locate_roots, search_again


@kernel
def steps_over_bump(m: Motion, r: RootSearch, ahead: float) -> bool:
    """Whether the open step goes over a bump as a whole: m.bump, m.bump_time ← when the first begins, how long it takes."""
    b, found, count = m.bends, False, r.looks
    for k in range(0, len(m.bumps), 2):
        c = m.bumps[k]
        b.columns[0] = m.bumps[k + 1]
        search_again(b, r)
        first, last = b.seen[0, c], b.seen[count - 1, c]
        if not (first < FELT - SEEN and last < 0.0):
            continue
        for i in range(b.count):
            add_place(b, b.times[i], ahead)
        b.columns[0] = c
        locate_roots(b)
        top = first
        for i in range(b.looks):
            top = max(top, b.seen[i, c])
        inside = first >= 0.0 and top > FELT - SEEN
        if b.count < 1 or not (inside or b.count > 1):
            continue
        begin, end = r.places[0] if inside else b.times[0], b.times[0] if inside else b.times[1]
        if not found or ahead * begin < ahead * m.bump:
            m.bump, m.bump_time, found = begin, end - begin, True
    return found


@kernel
def step_to_bump(m: Motion, w: Switches) -> None:
    """Takes back the last step; the next one ends where the bump begins, or a part into it."""
    t, count = m.span[0], len(m.first)
    m.ints[RECORDED] -= 1
    m.ints[STEPS] -= 1
    m.ints[REJECTED] += 1
    m.reals[T] = t
    m.y[:count] = m.first
    gap = m.bump - t
    m.reals[H] = gap if abs(gap) > abs(m.bump_time) else gap + PART * m.bump_time
    m.reals[int(Real64.fall)], m.reals[int(Real64.distance)] = 0.0, m.fresh[int(Real64.distance)]
    m.reals[QUIET], m.reals[int(Real64.careful)], m.reals[int(Real64.dipped)] = t, 0.0, 0.0
    m.reals[int(Real64.room)] = 1.0 / sqrt(m.reals[int(Real64.growth)])
    m.ints[int(Int64.repeated)], m.ints[STARTED] = 0, 0
    watch(m, w, t, m.y[:count], w.guards)
    for c in range(len(m.cause)):
        m.signs[c, 0] = w.guards[c]
