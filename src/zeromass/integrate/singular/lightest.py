"""How light the lightest motion is that the constraints allow: of a coordinate without mass it may vanish on the way."""

from __future__ import annotations

import numpy as np

from zeromass.equation import numerical_rank
from zeromass.equation.rank import RANK_TOLERANCE
from zeromass.equation.solution import Freedom, freedom
from zeromass.equation.units import mass_units
from zeromass.expression.build import ZERO
from zeromass.model import State, System
from zeromass.model.state import Matrices

GONE = 0.05**2
"""Part of its mass at the start with which a motion is as good as without one, where states are returned to constraints."""


def weightless(system: System) -> bool:
    """Whether there are coordinates without mass that constraints are to move."""
    if "weightless" not in system.memory:
        without = any(all(m is ZERO for m in row) for row in system.M)
        system.memory["weightless"] = without and bool(system.rows)
    return system.memory["weightless"]


def gone(start: State, at: Matrices) -> np.ndarray:
    """Where a motion is as good as without mass, as truths, (k,); of states with these matrices."""
    if not weightless(start.system):
        return np.zeros(len(at.M), dtype=bool)
    if "lightest" not in start.memory:
        start.memory["lightest"] = Lightest(start)
    return start.memory["lightest"].of(at) <= GONE


class Lightest:
    """The mass of the lightest motion that the constraints allow, as a part of what it is at a start."""

    def __init__(self, start: State) -> None:
        self._system = start.system
        M, _, A, _, _ = start.matrices
        _, self._units = mass_units(M, A)
        self._rows = numerical_rank(A, units=self._units)
        self._freedoms = len(start.q) - int(self._rows.rank)
        self._first = 1.0
        self._first = float(self(start.inputs[None])[0])

    def __call__(self, inputs: np.ndarray) -> np.ndarray:
        """That at states in the order of `system.inputs`, (k, inputs): shape (k,)."""
        return self.of(self._system.matrices(inputs))

    def of(self, at: Matrices) -> np.ndarray:
        """That of states with these matrices."""
        if not self._freedoms:
            return np.full(len(at.M), np.inf)
        return self._free(at).modes.singular_values[:, self._freedoms - 1] / self._first

    def moves(self, state: State) -> str:
        """The coordinate that moves most in it."""
        free = self._free(self._system.matrices(state.inputs[None]))
        way = free.N[0] @ free.modes.right[0, :, self._freedoms - 1]
        return str(state.system.coordinates[int(np.abs(way).argmax())].name)

    def _free(self, at: Matrices) -> Freedom:
        rows = numerical_rank(at.A, rank=self._rows.locked(0)).locked(self._rows.rank)
        return freedom(at.M, rows, np.broadcast_to(self._units, at.M.shape[:-1]), RANK_TOLERANCE)
