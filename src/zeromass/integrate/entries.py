"""Matrices of formulas as numbers at many states: most entries of rows are constant, and only the others are computed."""

from __future__ import annotations

import numpy as np

from zeromass.equation.units import equilibration
from zeromass.expression import Evaluator
from zeromass.expression.evaluate import Sparse
from zeromass.model import State, System

BESIDE, SCALINGS = 1e-2, 3
"""Turn of rows by a displacement beside a state, in radians, and how often its size is brought nearer to that."""

REMEMBERED = 1024
"""States of a system of which that is known."""

HELD = 1e-3
"""Part of a row, in units in which it turns by about a radian, by which its constraint may be off."""


class Entries:
    """A matrix of formulas as a function of inputs, (k, inputs), with numbers that are not finite as 0: (k, m, n)."""

    def __init__(self, matrix: Sparse, inputs: np.ndarray) -> None:
        self._constant = matrix.filled(np.array([e.value or 0.0 for e in matrix.entries]))
        varied = np.array([e.value is None for e in matrix.entries], dtype=bool)
        self._varied = np.zeros(matrix.shape, dtype=bool)
        self._varied.ravel()[matrix.places[varied]] = True
        self._evaluated = Evaluator([e for e in matrix.entries if e.value is None], inputs)

    def __call__(self, inputs: np.ndarray) -> np.ndarray:
        result = np.repeat(self._constant[None], len(inputs), axis=0)
        values = self._evaluated(inputs)
        result[:, self._varied] = np.where(np.isfinite(values), values, 0.0)
        return result


def all_rows(system: System) -> Entries:
    """The rows of A of a system, made once."""
    if "rows" not in system.memory:
        system.memory["rows"] = Entries(system.sparse_A, system.inputs)
    return system.memory["rows"]


def masses(system: System) -> Entries:
    """The diagonal of M of a system as one row, made once."""
    if "masses" not in system.memory:
        M = system.sparse_M
        system.memory["masses"] = Entries(Sparse([{j: M.get(j, j) for j in range(len(M))}], len(M)), system.inputs)
    return system.memory["masses"]


def generic(n: int) -> np.ndarray:
    """A direction that no mechanism is made along."""
    return np.cos(np.arange(1, n + 1) ** 2)


def turning(state: State) -> np.ndarray:
    """Displacements of the coordinates of a state by which its constraint rows turn about a radian, whatever the units.

    Rows of lengths and angles tell in which proportion, and how much they turn tells how far. But rows that turn at once are
    small because their gradient vanishes, and not because of units, if their constraints do not hold that closely.
    """
    known: dict[bytes, np.ndarray] = state.system.memory.setdefault("turning of rows", {})
    key = state.inputs.tobytes()
    if key not in known:
        if len(known) >= REMEMBERED:
            known.clear()
        known[key] = _turning(state, all_rows(state.system))
    return known[key]


def _turning(state: State, entries: Entries) -> np.ndarray:
    n = len(state.q)
    here = entries(state.inputs[None])[0]
    _, columns = equilibration(np.abs(here))
    units = columns / columns.max(initial=0.0)
    inputs = np.repeat(state.inputs[None], 2, axis=0)
    largest, size = np.abs(here * units).max(axis=1, initial=0.0), 1.0
    for _ in range(SCALINGS):
        inputs[:, 1 : n + 1] = state.q + BESIDE * size * np.outer([1.0, -1.0], units * generic(n))
        turns = np.abs((entries(inputs) - here) * units).max(axis=(0, 2), initial=0.0)
        turn, before = float(turns.max(initial=0.0)), float(largest[turns > 0.0].max(initial=0.0))
        if not 0.0 < turn < np.inf or not before:  # rows that never turn tell no units of those that do
            break
        size *= BESIDE * before / turn
    places = [i for i, row in enumerate(state.system.rows) if row.level == 0]
    off = np.abs(list(state.residuals.values())[: len(places)])
    return units * (max(size, 1.0) if np.any(off > HELD * size * largest[places]) else size)


def beside(state: State) -> np.ndarray:
    """A displacement by which rows turn a little."""
    return BESIDE * turning(state) * generic(len(state.q))
