"""How light the lightest motion is that the constraints allow: of a coordinate without mass it may vanish on the way."""

from __future__ import annotations

import numpy as np

from zeromass.equation import numerical_rank
from zeromass.equation.rank import RANK_TOLERANCE
from zeromass.equation.solution import freedom
from zeromass.equation.units import mass_units
from zeromass.expression.build import ZERO
from zeromass.model import State, System

GONE = 0.05**2
"""Part of its mass at the start with which a motion is as good as without one, where states are returned to constraints."""


def weightless(system: System) -> bool:
    """Whether there are coordinates without mass that constraints are to move."""
    if "weightless" not in system.memory:
        without = any(all(m is ZERO for m in row) for row in system.M)
        system.memory["weightless"] = without and bool(system.rows)
    return system.memory["weightless"]


def gone(start: State, t: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Where a motion is as good as without mass, of states (k, 2n) at times (k,), as truths."""
    if not weightless(start.system):
        return np.zeros(len(t), dtype=bool)
    lightest, n = Lightest(start), len(start.q)
    states = [
        State(start.system, time, at[:n], at[n:], start.parameters) for time, at in zip(t.tolist(), y, strict=True)
    ]
    return np.array([lightest(state)[0] <= GONE for state in states])


class Lightest:
    """The mass of the lightest motion that the constraints allow, as a part of what it is at a start."""

    def __init__(self, start: State) -> None:
        M, _, A, _, _ = start.matrices
        _, self._units = mass_units(M, A)
        self._rows = numerical_rank(A, units=self._units)
        self._freedoms = len(start.q) - int(self._rows.rank)
        self._first = 1.0
        self._first, _ = self(start)

    def __call__(self, state: State) -> tuple[float, str]:
        """That at a state, and the coordinate that moves most in it."""
        if not self._freedoms:
            return np.inf, ""
        rows = numerical_rank(state.matrices.A, rank=self._rows.locked(0)).locked(self._rows.rank)
        free = freedom(state.matrices.M, rows, self._units, RANK_TOLERANCE)
        way = free.N @ free.modes.right[:, self._freedoms - 1]
        mass = float(free.modes.singular_values[self._freedoms - 1])
        return mass / self._first, state.system.coordinates[int(np.abs(way).argmax())].name
