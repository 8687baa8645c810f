"""Where polyhedra meet in the steps of a piece, or where they touch otherwise than before: looked for in kernels."""

from __future__ import annotations

from zeromass.integrate.hybrid.memory import RECORDED, STEPS, Motion
from zeromass.integrate.hybrid.piece_end import cut, open_step
from zeromass.integrate.hybrid.polyhedra import (
    NONE,
    distant,
    find_features,
    gap_of,
    overlaps,
    separation,
    write_feature,
)
from zeromass.integrate.hybrid.switches import Switches
from zeromass.integrate.stepping.step_functions import StepFunctions, state_at
from zeromass.kernel.language import kernel

LOOKS = 4
"""Places in a step at which polyhedra are looked at."""

HALVINGS = 60
"""Bisections of a time: to rounding."""


@kernel
def pose_at(m: Motion, w: Switches, s: StepFunctions, t: float) -> None:
    """The poses of polyhedra ← those at a time in the step that is open."""
    p = m.contacts.polyhedra
    state_at(s, t)
    w.clock[0] = t
    p.evaluate(w.clock, s.row[1:], m.values, p.pose)


@kernel
def meets_at(m: Motion, w: Switches, s: StepFunctions, t: float) -> int:
    """The first pair of polyhedra that has met, or touches otherwise, at a time in the step that is open; −1 for none."""
    p = m.contacts.polyhedra
    pose_at(m, w, s, t)
    for k in range(p.count):
        if overlaps(p, k, m.values, m.contacts.closed):
            return k
    return -1


@kernel
def sharpened(m: Motion, w: Switches, s: StepFunctions, k: int, before: float, after: float) -> float:
    """The time between two at which a gap of a pair closes that is negative at the second one."""
    p = m.contacts.polyhedra
    pose_at(m, w, s, after)
    if distant(p, k) or separation(p, k) >= 0.0:
        return after
    find_features(p, k)
    lowest, which = 0.0, NONE
    for j in range(p.number):
        write_feature(p, k, p.trial, p.kind[j], p.one[j], p.two[j])
        gap = gap_of(p, k, p.trial)
        if gap < lowest:
            lowest, which = gap, j + 1
    if which == NONE:
        return after
    write_feature(p, k, p.trial, p.kind[which - 1], p.one[which - 1], p.two[which - 1])
    pose_at(m, w, s, before)
    if not gap_of(p, k, p.trial) > 0.0:
        return after
    low, high = before, after
    for _again in range(HALVINGS):
        time = (low + high) / 2.0
        if not low < time < high:
            break
        pose_at(m, w, s, time)
        if gap_of(p, k, p.trial) > 0.0:
            low = time
        else:
            high = time
    return high


@kernel
def meets_in_step(m: Motion, w: Switches, s: StepFunctions) -> bool:
    """Whether polyhedra meet in the step that is open: p.when and p.met tell when and which, and s.row the state."""
    p = m.contacts.polyhedra
    before, t0, length = s.t0[0], s.t0[0], s.t1[0] - s.t0[0]
    for look in range(1, LOOKS + 1):
        time = s.t1[0] if look == LOOKS else t0 + length * (float(look) / float(LOOKS))
        pair = meets_at(m, w, s, time)
        if pair >= 0:
            low, high = before, time
            for _again in range(HALVINGS):
                middle = (low + high) / 2.0
                if not low < middle < high:
                    break
                found = meets_at(m, w, s, middle)
                if found >= 0:
                    high, pair = middle, found
                else:
                    low = middle
            p.when, p.met = sharpened(m, w, s, pair, before, high), p.slots[pair, 0]
            state_at(s, p.when)
            return True
        before = time
    return False


@kernel(lazy=True)
def polyhedra_meet(m: Motion, w: Switches, s: StepFunctions) -> bool:
    """Whether polyhedra meet in steps that have not been looked at; the piece then ends there, and later steps are gone."""
    p = m.contacts.polyhedra
    for row in range(p.looked, m.ints[RECORDED]):
        open_step(m, row)
        if meets_in_step(m, w, s):
            m.ints[STEPS] -= m.ints[RECORDED] - row - 1
            m.ints[RECORDED] = p.looked = row + 1
            cut(m, p.when, s.row[1:])
            return True
    p.looked = m.ints[RECORDED]
    return False
