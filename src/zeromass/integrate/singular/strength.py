"""How strong the rows of the constraints are: in units that depend neither on coordinates nor on pivots."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from math import isfinite

import numpy as np

from zeromass.compile.program import Program
from zeromass.equation import numerical_rank
from zeromass.expression import Evaluator
from zeromass.integrate.singular.fading import DIP
from zeromass.model import State

RECENT = 2048
"""Steps that count as the last ones."""

BESIDE = 1e-2
"""Displacement of the coordinates that tells how large rows are beside a start."""


class Strength:
    """The smallest singular value of the rows that a program keeps, at any states: it falls linearly to a singular position.

    seen        some of the times and states of a run, which tell how large rows are
    parameters  their values
    """

    def __init__(
        self, program: Program, start: State, seen: tuple[np.ndarray, np.ndarray], parameters: np.ndarray
    ) -> None:
        self.program, self.start, self.seen, self.parameters = program, start, seen, parameters

    def __call__(self, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Of the rows at times (k,) and states (k, 2n): (Σ σ⁻⁴)^(−1/4), about that of their weakest combination."""
        J = self.rows(self.inputs(t, y))
        try:
            inverse = np.linalg.inv(J @ J.swapaxes(1, 2))
        except np.linalg.LinAlgError:  # none at all
            return np.linalg.svd(J, compute_uv=False)[:, -1]
        return np.einsum("kij,kij->k", inverse, inverse) ** -0.25

    @cached_property
    def kept(self) -> list[int]:
        """Rows of positions and rates: one of accelerations, such as dE/dt = 0, may be empty at rest, wherever that is."""
        return [i for i in self.program.elimination.kept if self.program.system.rows[i].level < 2]

    @cached_property
    def _evaluated(self) -> Evaluator:
        system = self.program.system
        return self._remembered("kept rows", lambda: Evaluator(system.A[self.kept][self._varying[1]], system.inputs))

    @cached_property
    def _varying(self) -> tuple[np.ndarray, np.ndarray]:
        """The constant entries of the kept rows, zero elsewhere; and where the others are, as truths."""
        entries = self.program.system.A[self.kept]
        numbers = [e.value for row in entries for e in row]
        constants = np.array([0.0 if number is None else number for number in numbers]).reshape(entries.shape)
        return constants, np.array([number is None for number in numbers], dtype=bool).reshape(entries.shape)

    def _entries(self, inputs: np.ndarray) -> np.ndarray:
        """The kept rows at some states, finite."""
        constants, varying = self._varying
        rows = np.repeat(constants[None], len(inputs), axis=0)
        rows[:, varying] = self._evaluated(inputs)
        return rows if isfinite(rows.sum()) else np.nan_to_num(rows)

    @cached_property
    def zeros(self) -> Evaluator:
        """What vanishes of the rows: positions, and rates where a row has no position."""
        system = self.program.system
        return self._remembered(
            "kept zeros", lambda: Evaluator([system.rows[i].zero for i in self.kept], system.inputs)
        )

    def _remembered(self, name: str, make: Callable[[], Evaluator]) -> Evaluator:
        """Of these rows of the system, made once."""
        known: dict[tuple[int, ...], Evaluator] = self.program.system.memory.setdefault(name, {})
        key = tuple(self.kept)
        if key not in known:
            known[key] = make()
        return known[key]

    @cached_property
    def scales(self) -> tuple[np.ndarray, np.ndarray]:
        """Units of rows and of coordinates: as large as they are at the start, beside it or later, and by the masses.

        Coordinates without mass are measured as they stand beside others in the rows.
        """
        start, n = self.start, len(self.start.q)
        inputs = np.repeat(start.inputs[None], 3, axis=0)
        inputs[1:, 1 : n + 1] += BESIDE * np.outer([1.0, -1.0], np.cos(np.arange(1, n + 1) ** 2))
        inputs = np.concatenate([inputs, self.inputs(*self.seen)])
        largest = np.abs(self._entries(inputs)).max(axis=0)
        units, masses = numerical_rank(largest).column_scale, np.diagonal(start.matrices.M)
        heavy = masses > 0
        if heavy.any():
            by_mass = 1 / np.sqrt(np.where(heavy, masses, 1.0))
            units = np.where(heavy, by_mass, units * np.sort(by_mass[heavy] / units[heavy])[heavy.sum() // 2])
        sizes = (largest * units).max(axis=1)
        return 1 / np.where(sizes > 0, sizes, 1.0), units

    @cached_property
    def _unit(self) -> np.ndarray:
        r, c = self.scales
        return np.outer(r, c)

    def rows(self, inputs: np.ndarray) -> np.ndarray:
        """The rows at some states, in these units."""
        return self._entries(inputs) * self._unit

    def inputs(self, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        result, m = np.empty((len(t), 1 + y.shape[1] + len(self.parameters))), 1 + y.shape[1]
        result[:, 0], result[:, 1:m], result[:, m:] = t, y, self.parameters
        return result

    def ahead(self, t: np.ndarray, y: np.ndarray) -> float | None:
        """The time of the singular position near the last state, where the strength of the rows would vanish."""
        lengths = np.abs(np.diff(t))
        if not len(lengths) or not self.kept:
            return None
        back = np.flatnonzero(np.abs(t - t[-1]) >= lengths[-RECENT:].max() / 8)
        k = int(back[-1]) if len(back) else 0
        σ = self(t[[k, -1]], y[[k, -1]])
        if not σ[1] < σ[0]:
            return None
        return float(t[-1] + (t[-1] - t[k]) * σ[1] / (σ[0] - σ[1]))

    def inside(self, t: np.ndarray, y: np.ndarray) -> float | None:
        """The time of a singular position inside a step, from states in it and at its ends."""
        σ = self(t, y)
        k = int(np.argmin(σ))
        return _vanishing(t, σ, k) if 0 < k < len(t) - 1 and σ[k] < DIP * min(σ[0], σ[-1]) else None


def _vanishing(t: np.ndarray, σ: np.ndarray, k: int) -> float:
    """The time at which a strength that is least at t_k, and falls and rises linearly, vanishes."""
    other = k - 1 if σ[k - 1] < σ[k + 1] else k + 1  # it does between the two lowest
    return float(t[k] + (t[other] - t[k]) * σ[k] / (σ[k] + σ[other]))
