"""What tells a crossing of a singular position from a motion that passes one by."""

from __future__ import annotations

from enum import Enum
from math import sqrt

import numpy as np

from zeromass.compile.program import Program
from zeromass.equation import numerical_rank
from zeromass.integrate.entries import turning
from zeromass.integrate.singular.leap import Leap
from zeromass.integrate.singular.strength import Strength
from zeromass.model import State

FADED = 0.05
"""Part of its strength before a leap that a combination of rows has left at a singular position at most."""

LOST = 1e-6
"""Part of the strongest that the weakest combination of [M; A] has at a place where the motion is not determined."""

SHARE, IDLE = 1e-6, 1e-7
"""Part of a combination that a row has in it at least; force of a row that does nothing, as a part of the others."""

SHARP, NOISE = 4.0, 64 * float(np.finfo(float).eps)
"""Share of the error of a leap in what it violates in the middle, and the rounding of that, relative to its terms."""

TINY = float(np.finfo(float).tiny)


class Miss(Enum):
    """Why there is no leap."""

    WIDE = "the position is not singular, or far away"
    NARROW = "the motion passes a singular position by, or no crossing is within the tolerance"


class Judge:
    """Crossings of the rows of a program, by their strength."""

    strength: Strength

    def __init__(self, strength: Strength, program: Program) -> None:
        self.strength, self._system, self._start = strength, program.system, strength.start

    def __call__(self, found: Leap, place: float) -> np.ndarray | Miss:
        """The state at a time in a leap, if that is a crossing.

        With U the weak combinations of rows there, σ their strength and K its change per displacement, an error δ of the
        leap violates the constraints φ in these combinations by no more than |Uᵀφ| ≤ K δ² + σ δ, since UᵀA is as good as
        zero. A motion that passes by violates them by as much as it misses.
        """
        times = np.array([found.t, place, found.t + found.h])
        y = found.states(times)
        J, zeros = self.strength.rows(times, y)
        squares, left = np.linalg.eigh(J @ J.swapaxes(1, 2))  # the weakest first
        before, there, after = np.sqrt(np.maximum(squares, 0.0))
        weak = there < FADED * np.minimum(before, after)
        if not len(weak) or not weak[0]:
            return Miss.WIDE
        U, (q, v) = left[1][:, weak], y[1].reshape(2, -1)
        if not self._positions(U):  # what a rate misses by is not known
            return Miss.WIDE if self._idle(U, times[[0, 2]], y[[0, 2]]) else Miss.NARROW
        if not self._determined(place, y[1]):
            return Miss.NARROW  # masses do not determine the motion there: a taut elbow without any
        r, c = self.strength.scales
        speed = v / c
        K = float(before[0]) / (abs(place - found.t) * max(sqrt(float(speed @ speed)), TINY))
        δ = found.off / self.strength.least_unit
        rounded = np.abs(J).max(axis=0) @ (np.maximum(np.abs(q), turning(self._start)) / c)
        allowed = SHARP * (K * δ**2 + float(there[weak].max()) * δ) + NOISE * float(rounded.max())
        return Miss.NARROW if np.abs((r * zeros[1]) @ U).max() > allowed else y[1]

    def _positions(self, U: np.ndarray) -> bool:
        """Whether combinations of rows are of positions alone."""
        rows = self.strength.of
        return not rows.any_of_rates or not np.any(np.abs(U[rows.of_rates]) > SHARE)

    def _idle(self, U: np.ndarray, t: np.ndarray, y: np.ndarray) -> bool:
        """Whether combinations are of rows of rates that need no force: the motion keeps to these without them.

        So does that of a row E = E₀ for the energy, which has no gradient at rest.
        """
        if np.any(np.abs(U[~self.strength.of.of_rates]) > SHARE):
            return False
        rows = np.array(self.strength.of.kept)[np.abs(U).max(axis=1) > SHARE]
        for state in map(self._state, t.tolist(), y):
            forces = np.abs(state.motion.multipliers[rows, None] * state.matrices.A[rows])
            if not forces.max() < IDLE * np.abs(state.matrices.Q).max():
                return False
        return True

    def _state(self, t: float, y: np.ndarray) -> State:
        n = len(y) // 2
        return State(self._system, t, y[:n], y[n:], self._start.parameters)

    def _determined(self, t: float, y: np.ndarray) -> bool:
        """Whether masses and constraints determine the motion at a state."""
        if heavy(self._start):
            return True
        M, _, A, _, _ = self._state(t, y).matrices
        return int(numerical_rank(np.concatenate([M, A]), tolerance=LOST).rank) == len(M)


def heavy(start: State) -> bool:
    """Whether masses alone determine the motion of a system, anywhere: they are constant, and none is missing."""
    known, masses = start.system.memory, start.system.M
    if "heavy" not in known:
        constant = all(m.value is not None for row in masses for m in row)
        known["heavy"] = constant and int(numerical_rank(start.matrices.M, tolerance=LOST).rank) == len(masses)
    return known["heavy"]
