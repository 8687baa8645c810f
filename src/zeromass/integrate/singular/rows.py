"""The rows of the constraints that a program keeps, as numbers: at some states, and what vanishes of them."""

from __future__ import annotations

import ctypes
from math import isfinite

import numpy as np

from zeromass.compile.program import Program


class Rows:
    """Rows of positions and rates, of which all but a few entries are constant.

    A row of accelerations, such as dE/dt = 0, is none of them: it may be empty at rest, wherever that is.

    kept      which rows of A they are
    of_rates  which of them are of rates, as truths
    """

    kept: list[int]
    of_rates: np.ndarray
    any_of_rates: bool

    def __init__(self, program: Program) -> None:
        system = program.system
        self.kept = [i for i in program.elimination.kept if system.rows[i].level < 2]
        self.of_rates = np.array([system.rows[i].level > 0 for i in self.kept], dtype=bool)
        self.any_of_rates = bool(self.of_rates.any())
        numbers = [[e.value for e in row] for row in system.A[self.kept]]
        shape = len(self.kept), len(system.coordinates)
        self._constant = np.array([[number or 0.0 for number in row] for row in numbers]).reshape(shape)
        self._varying = np.flatnonzero([number is None for row in numbers for number in row])
        self._state = 1 + 2 * len(system.coordinates)
        self._call = program.native.rows(self.kept).function("rows", None, *[ctypes.c_void_p] * 5)

    def __call__(self, inputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The rows at states given by numbers in the order of `system.inputs`, (k, inputs): finite, (k, m, n); and what
        vanishes of them, (k, m)."""
        count, size = len(inputs), inputs.itemsize
        entries, zeros = np.empty((count, len(self._varying))), np.empty((count, len(self.kept)))
        given, found, vanishing = (x.ctypes.data for x in (inputs, entries, zeros))
        for k in range(count):
            t = given + k * inputs.strides[0]
            to = found + k * entries.strides[0], vanishing + k * zeros.strides[0]
            self._call(t, t + size, t + size * self._state, *to)
        rows = np.repeat(self._constant[None], count, axis=0)
        rows.reshape(count, -1)[:, self._varying] = entries
        return rows if isfinite(rows.sum()) else np.nan_to_num(rows), zeros


def rows_of(program: Program) -> Rows:
    """The rows of a program, made once."""
    known: dict[tuple[int, ...], Rows] = program.system.memory.setdefault("kept rows", {})
    key = program.elimination.kept
    if key not in known:
        known[key] = Rows(program)
    return known[key]
