"""How strong the rows of the constraints are: in units that depend neither on coordinates nor on pivots."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from zeromass.compile.program import Program
from zeromass.equation.units import equilibration
from zeromass.integrate.entries import beside
from zeromass.integrate.singular.fading import DIP
from zeromass.integrate.singular.rows import Rows, rows_of
from zeromass.model import State

RECENT = 2048
"""Steps that count as the last ones."""


class Strength:
    """The smallest singular value of the rows that a program keeps, at any states: it falls linearly to a singular position.

    seen        some of the times and states of a run, which tell how large rows are
    parameters  their values
    """

    start: State
    seen: tuple[np.ndarray, np.ndarray]
    parameters: np.ndarray

    def __init__(
        self, program: Program, start: State, seen: tuple[np.ndarray, np.ndarray], parameters: np.ndarray
    ) -> None:
        self.start, self.seen, self.parameters = start, seen, parameters
        self.of: Rows = rows_of(program)

    def __call__(self, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Of the rows at times (k,) and states (k, 2n): (Σ σ⁻⁴)^(−1/4), about that of their weakest combination."""
        J, _ = self.rows(t, y)
        try:
            inverse = np.linalg.inv(J @ J.swapaxes(1, 2)).reshape(len(J), -1)
        except np.linalg.LinAlgError:  # none at all
            return np.linalg.svd(J, compute_uv=False)[:, -1]
        return np.array([float(x @ x) for x in inverse]) ** -0.25

    @cached_property
    def scales(self) -> tuple[np.ndarray, np.ndarray]:
        """Units of rows and of coordinates: as large as they are at the start, beside it or later, and by the masses.

        Coordinates without mass are measured as they stand beside others in the rows.
        """
        start, n = self.start, len(self.start.q)
        inputs = np.repeat(start.inputs[None], 3, axis=0)
        inputs[1:, 1 : n + 1] += np.outer([1.0, -1.0], beside(start))
        inputs = np.concatenate([inputs, self._inputs(*self.seen)])
        largest = np.abs(self.of(inputs)[0]).max(axis=0)
        (_, units), masses = equilibration(largest), np.diagonal(start.matrices.M)
        heavy = masses > 0
        if heavy.any():
            by_mass = 1 / np.sqrt(np.where(heavy, masses, 1.0))
            units = np.where(heavy, by_mass, units * np.sort(by_mass[heavy] / units[heavy])[heavy.sum() // 2])
        sizes = (largest * units).max(axis=1)
        return 1 / np.where(sizes > 0, sizes, 1.0), units

    @cached_property
    def least_unit(self) -> float:
        """Of a coordinate."""
        return float(self.scales[1].min())

    @cached_property
    def _unit(self) -> np.ndarray:
        r, c = self.scales
        return np.outer(r, c)

    def rows(self, t: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The rows at some states in these units, and what vanishes of them."""
        J, zeros = self.of(self._inputs(t, y))
        J *= self._unit
        return J, zeros

    def _inputs(self, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        result, m = np.empty((len(t), 1 + y.shape[1] + len(self.parameters))), 1 + y.shape[1]
        result[:, 0], result[:, 1:m], result[:, m:] = t, y, self.parameters
        return result

    def ahead(self, t: np.ndarray, y: np.ndarray) -> float | None:
        """The time of the singular position near the last state, where the strength of the rows would vanish."""
        lengths = np.abs(np.diff(t))
        if not len(lengths) or not self.of.kept:
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
