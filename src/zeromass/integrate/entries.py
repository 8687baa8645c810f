"""Matrices of formulas as numbers at many states: most entries of rows are constant, and only the others are computed."""

from __future__ import annotations

import numpy as np

from zeromass.expression import Evaluator
from zeromass.model import System


class Entries:
    """A matrix of formulas as a function of inputs, (k, inputs), with numbers that are not finite as 0: (k, m, n)."""

    def __init__(self, matrix: np.ndarray, inputs: np.ndarray) -> None:
        self._varied = np.array([[e.value is None for e in row] for row in matrix], dtype=bool).reshape(matrix.shape)
        self._constant = np.array([[e.value or 0.0 for e in row] for row in matrix], dtype=float).reshape(matrix.shape)
        self._evaluated = Evaluator(matrix[self._varied], inputs)

    def __call__(self, inputs: np.ndarray) -> np.ndarray:
        result = np.repeat(self._constant[None], len(inputs), axis=0)
        values = self._evaluated(inputs)
        result[:, self._varied] = np.where(np.isfinite(values), values, 0.0)
        return result


def all_rows(system: System) -> Entries:
    """The rows of A of a system, made once."""
    if "rows" not in system.memory:
        system.memory["rows"] = Entries(system.A, system.inputs)
    return system.memory["rows"]
