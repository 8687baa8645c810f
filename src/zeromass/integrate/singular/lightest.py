"""How light the lightest motion is that the constraints allow: of a coordinate without mass it may vanish on the way."""

from __future__ import annotations

import numpy as np

from zeromass.equation import numerical_rank
from zeromass.equation.rank import RANK_TOLERANCE
from zeromass.equation.solution import Freedom, freedom
from zeromass.equation.units import mass_units, power_of_two_near
from zeromass.expression.build import ZERO
from zeromass.model import State, System
from zeromass.model.state import Matrices

GONE = 0.05**2
"""Part of its mass at the start with which a motion is as good as without one, where states are returned to constraints."""

GROWN = 1e12
"""Times its mass at the start, at which a coordinate had next to none there."""


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
        self._system, self._start = start.system, start
        M, _, A, _, _ = start.matrices
        self._massive = np.diagonal(M) > 0.0
        self._measure(mass_units(M, A)[1])

    def _measure(self, units: np.ndarray) -> None:
        """Takes units of the coordinates for all states."""
        start = self._start
        self._units = units
        self._rows = numerical_rank(start.matrices.A, units=units)
        self._freedoms = len(start.q) - int(self._rows.rank)
        self._first = 1.0
        if self._freedoms:
            at = self._system.matrices(start.inputs[None])
            self._first = float(self._free(at).modes.singular_values[0, self._freedoms - 1])

    def _look(self, M: np.ndarray) -> None:
        """Measures anew where a coordinate has become heavy that was next to nothing, as u₀ of a quaternion (1, ε, ε, ε)."""
        mass = np.diagonal(M, axis1=-2, axis2=-1).max(axis=0, initial=0.0)
        grown = self._massive & (mass * self._units**2 > GROWN)
        if grown.any():
            self._measure(np.where(grown, power_of_two_near(1.0 / np.sqrt(np.where(grown, mass, 1.0))), self._units))

    def __call__(self, inputs: np.ndarray) -> np.ndarray:
        """That at states in the order of `system.inputs`, (k, inputs): shape (k,)."""
        return self.of(self._system.matrices(inputs))

    def of(self, at: Matrices) -> np.ndarray:
        """That of states with these matrices."""
        self._look(at.M)
        if not self._freedoms:
            return np.full(len(at.M), np.inf)
        return self._free(at).modes.singular_values[:, self._freedoms - 1] / self._first

    def moves(self, state: State) -> str:
        """The coordinate that moves most in it."""
        free = self._free(self._system.matrices(state.inputs[None]))
        way = free.N[0] @ free.modes.right[0, :, self._freedoms - 1]
        return state.system.names[int(np.abs(way).argmax())]

    def _free(self, at: Matrices) -> Freedom:
        rows = numerical_rank(at.A, rank=self._rows.locked(0)).locked(self._rows.rank)
        return freedom(at.M, rows, np.broadcast_to(self._units, at.M.shape[:-1]), RANK_TOLERANCE)
