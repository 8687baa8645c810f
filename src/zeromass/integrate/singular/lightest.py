"""How light the lightest motion is that the constraints allow: of a coordinate without mass it may vanish on the way."""

from __future__ import annotations

import numpy as np

from zeromass.equation import numerical_rank
from zeromass.equation.rank import RANK_TOLERANCE
from zeromass.equation.solution import Freedom, freedom
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


def gone(start: State, inputs: np.ndarray) -> np.ndarray:
    """Where a motion is as good as without mass, as truths, (k,); of states in the order of `system.inputs`, (k, inputs)."""
    return Lightest(start)(inputs) <= GONE if weightless(start.system) else np.zeros(len(inputs), dtype=bool)


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
        if not self._freedoms:
            return np.full(len(inputs), np.inf)
        return self._free(inputs).modes.singular_values[:, self._freedoms - 1] / self._first

    def moves(self, state: State) -> str:
        """The coordinate that moves most in it."""
        free = self._free(state.inputs[None])
        way = free.N[0] @ free.modes.right[0, :, self._freedoms - 1]
        return str(state.system.coordinates[int(np.abs(way).argmax())].name)

    def _free(self, inputs: np.ndarray) -> Freedom:
        M, _, A, _, _ = self._system.matrices(inputs)
        rows = numerical_rank(A, rank=self._rows.locked(0)).locked(self._rows.rank)
        return freedom(M, rows, np.broadcast_to(self._units, (len(inputs), M.shape[-1])), RANK_TOLERANCE)
