"""How strong the rows of the constraints are: in units that depend neither on coordinates nor on pivots."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from zeromass.compile.program import Program
from zeromass.equation import numerical_rank
from zeromass.expression import Evaluator
from zeromass.integrate.stepping.leap import Leap
from zeromass.model import State

LOOKS: np.ndarray = np.linspace(0.0, 1.0, 9)
"""Places in a leap at which the strength of rows is looked at first."""

NARROWING = 0.03, 1e-3
"""Parts of a leap to both sides of a place between which the strength of rows, of either sign, is taken for linear then."""

RECENT = 20_000
"""Steps that count as the last ones."""

BESIDE = 1e-2
"""Displacement of the coordinates that tells how large rows are beside a start."""

DIP = 0.6
"""Part of the strength at the ends of a step that rows have left inside where they may have lost independence there."""


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
        """Of the weakest combination of rows at times (k,) and states (k, 2n)."""
        return np.linalg.svd(self.rows(self.inputs(t, y)), compute_uv=False)[:, -1]

    @cached_property
    def kept(self) -> list[int]:
        return list(self.program.elimination.kept)

    @cached_property
    def _evaluated(self) -> Evaluator:
        system = self.program.system
        return self._remembered("kept rows", lambda: Evaluator(system.A[self.kept], system.inputs))

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
        largest = np.abs(np.nan_to_num(self._evaluated(inputs))).max(axis=0)
        units, masses = numerical_rank(largest).column_scale, np.diagonal(start.matrices.M)
        heavy = masses > 0
        if heavy.any():
            by_mass = 1 / np.sqrt(np.where(heavy, masses, 1.0))
            units = np.where(heavy, by_mass, units * np.sort(by_mass[heavy] / units[heavy])[heavy.sum() // 2])
        sizes = (largest * units).max(axis=1)
        return 1 / np.where(sizes > 0, sizes, 1.0), units

    def rows(self, inputs: np.ndarray) -> np.ndarray:
        """The rows at some states, in these units."""
        r, c = self.scales
        return np.nan_to_num(r[:, None] * self._evaluated(inputs) * c)

    def inputs(self, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        values = np.broadcast_to(self.parameters, (len(t), len(self.parameters)))
        return np.concatenate([t[:, None], y, values], axis=1)

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

    def weakest_of(self, found: Leap) -> tuple[float, bool]:
        """The time at which the strength of the rows, of either sign, vanishes, and whether that is inside a leap."""
        times = found.t + found.h * LOOKS
        σ = self(times, found.states(times))
        k = int(np.argmin(σ))
        if not 0 < k < len(LOOKS) - 1 or not σ[k] < DIP * min(σ[0], σ[-1]):  # beside it, as far as the fall tells
            k, other = (0, 1) if σ[0] < σ[-1] else (len(LOOKS) - 1, len(LOOKS) - 2)
            fall = max(float(σ[other] - σ[k]), np.finfo(float).tiny)
            beside = min(float(σ[k]) / fall * abs(times[k] - times[other]), abs(found.h) / 2)
            return float(times[k] + np.copysign(beside, times[k] - times[other])), False
        middle = _vanishing(times, σ, k)
        for part in NARROWING:
            times = middle + part * found.h * np.array([-1.0, 1.0])
            σ = self(times, found.states(times))
            middle = float(times[0] + (times[1] - times[0]) * σ[0] / (σ[0] + σ[1]))
        return middle, True


def _vanishing(t: np.ndarray, σ: np.ndarray, k: int) -> float:
    """The time at which a strength that is least at t_k, and falls and rises linearly, vanishes."""
    other = k - 1 if σ[k - 1] < σ[k + 1] else k + 1  # it does between the two lowest
    return float(t[k] + (t[other] - t[k]) * σ[k] / (σ[k] + σ[other]))
