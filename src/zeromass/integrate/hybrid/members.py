"""Many motions over switches, one after another in machine code: of each the state at its end, and what it cost."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from zeromass.integrate.hybrid.crossing import begin_modes
from zeromass.integrate.hybrid.driver import drive
from zeromass.integrate.hybrid.memory import BUDGET, EVALUATIONS, RECORDED, REJECTED, STEPS, Drive, Motion, T
from zeromass.integrate.hybrid.messages import Selection
from zeromass.integrate.hybrid.piece_begin import forget_pieces
from zeromass.integrate.hybrid.switches import TURN, Switches
from zeromass.integrate.stepping.step_functions import StepFunctions
from zeromass.kernel.language import Ints2, Reals, Reals2, Struct, kernel
from zeromass.kernel.roots import RootSearch

PATIENCE = 2**40
"""Steps after which a motion is asked whether it is to go on: nobody is there to ask."""


class Ending(IntEnum):
    """How a member ended."""

    OPEN = 0
    FINISHED = 1
    LEFT = 2  # it is to be moved otherwise


class Members(Struct):
    """Members: where they begin, and where they have come to.

    t, y, values  times (k,), states (k, 2n) and values of the system's parameters (k, p) at their starts
    ends          states at their ends, (k, 2n)
    growth        largest growth of the pivots, (k,)
    counts        ending, steps, rejected steps and evaluations, (k, 4)
    next          the member that is next
    """

    t: Reals
    y: Reals2
    values: Reals2
    ends: Reals2
    growth: Reals
    counts: Ints2
    next: int

    @staticmethod
    def begin(t: np.ndarray, y: np.ndarray, values: np.ndarray) -> Members:
        """Members at their starts: times, states and values of parameters."""
        t, y, values = (np.ascontiguousarray(x) for x in (t, y, values))
        counts = np.zeros((len(t), 4), dtype=np.int64)
        return Members(t=t, y=y, values=values, ends=np.zeros(y.shape), growth=np.zeros(len(t)), counts=counts)

    def some(self, which: np.ndarray) -> Members:
        """A subset, at its starts."""
        return Members.begin(self.t[which], self.y[which], self.values[which])

    def take(self, which: np.ndarray, moved: Members) -> None:
        """Copies the ends of a subset."""
        self.ends[which], self.growth[which], self.counts[which] = moved.ends, moved.growth, moved.counts


@kernel
def drive_member(
    all: Members, k: int, m: Motion, w: Switches, s: StepFunctions, r: RootSearch, low: RootSearch, fractions: Reals
) -> int:
    """Moves a member: FINISHED, whether or not it has come to its end, or why Python is needed before."""
    count = len(m.first)
    for i in range(m.hidden):
        m.values[i] = all.values[k, i]
    for i in range(m.hidden, len(m.values)):
        m.values[i] = 0.0
    for i in range(m.contacts.count):
        if m.contacts.axis[i] >= 0:
            m.values[m.contacts.axis[i]] = 1.0
    for i in range(len(w.kind)):
        m.values[w.mode[i]] = 1.0
        w.reached[i] = 1 if w.kind[i] == TURN else 0
    m.reals[:] = m.fresh
    m.reals[T], m.start = all.t[k], all.t[k]
    m.y[:count] = all.y[k]
    m.pieces, m.flipped, m.tries, m.place, m.occurrences = 0, 0, 0, 0, 0
    m.forgets, m.largest = True, 1.0
    for c in range(len(m.ends)):
        m.ends[c] = 0.0
    m.ints[RECORDED], m.ints[STEPS], m.ints[REJECTED], m.ints[EVALUATIONS] = 0, 0, 0, 0
    m.ints[BUDGET] = PATIENCE
    w.clock[0] = all.t[k]
    status = int(Drive.LEFT)
    if begin_modes(m, w, s) == int(Selection.DECIDED):
        status = drive(m, w, s, r, low, fractions, True)
    if status != int(Drive.FINISHED) and status < int(Drive.LEFT):
        return status
    forget_pieces(m)
    all.counts[k, 0] = int(Ending.FINISHED) if status == int(Drive.FINISHED) else int(Ending.LEFT)
    all.counts[k, 1], all.counts[k, 2], all.counts[k, 3] = m.ints[STEPS], m.ints[REJECTED], m.ints[EVALUATIONS]
    all.ends[k][:] = m.y[:count]
    all.growth[k] = m.largest
    return int(Drive.FINISHED)


@kernel
def drive_members(
    all: Members, m: Motion, w: Switches, s: StepFunctions, r: RootSearch, low: RootSearch, fractions: Reals, most: int
) -> int:
    """Moves some members, at most so many: FINISHED after the last of them, or why Python is needed."""
    while all.next < len(all.t) and most > 0:
        status = drive_member(all, all.next, m, w, s, r, low, fractions)
        if status != int(Drive.FINISHED):
            return status
        all.next += 1
        most -= 1
    return int(Drive.FINISHED)


@kernel
def move_member(
    all: Members, k: int, m: Motion, w: Switches, s: StepFunctions, r: RootSearch, low: RootSearch, fractions: Reals
) -> None:
    """Moves a member without Python; one that needs Python on its way is marked LEFT."""
    w.failed[0] = 0
    if drive_member(all, k, m, w, s, r, low, fractions) != int(Drive.FINISHED):
        all.counts[k, 0] = int(Ending.LEFT)
