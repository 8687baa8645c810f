"""A motion that is smooth between its switches, by plain NumPy and SciPy: it begins anew at every switch.

Where both sides of a switch g = 0 point toward it the motion slides along it with the equivalent control, the k between the
pieces for which ġ = 0 (Filippov, Differential Equations with Discontinuous Righthand Sides, 1988, §4 and §14).

Nothing here is taken from zeromass: functions are given in Python, steps are SciPy's DOP853, and a switch is located by
steps that end there, not by the interpolation, which has a lower order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from integrate.references.pieces import Change, Pieces
from integrate.references.walk import Walk


@dataclass(frozen=True)
class Motion:
    """States at the times asked for, shape (times, 2n), what happened at switches of the state, and the closest miss.

    miss  smallest distance of a switching function from a border that it turned back from
    """

    t: np.ndarray
    y: np.ndarray
    changes: tuple[Change, ...]
    miss: float


def motion(
    pieces: Pieces, y: ArrayLike, times: ArrayLike, *, rtol: float = 1e-13, atol: float = 1e-15,
    most: int = 1000,
) -> Motion:  # fmt: skip
    """The motion from the first of some times, with its states at all of them.

    most  changes of piece, after which it is given up as Unclear: a motion may switch infinitely often in a finite time
    """
    t = np.array(times, dtype=float)
    walk = Walk(pieces, float(t[0]), np.array(y, dtype=float), rtol, atol, most)
    known = {float(t) for clock in pieces.clocks for t in clock.times} | {*pieces.jumps, *pieces.breaks}
    stops = sorted({s for s in known if t[0] < s < t[-1]} | {float(s) for s in t[1:]})
    found = {walk.t: walk.y}
    for stop in stops:
        walk.go(stop)
        found[stop] = walk.y
        if stop in pieces.jumps:
            walk.y = np.asarray(pieces.jumps[stop](walk.y), dtype=float)
            walk.sliding, walk.decided = (), None
    return Motion(t, np.array([found[float(s)] for s in t]), tuple(walk.changes), walk.miss)
