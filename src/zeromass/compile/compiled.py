"""A system as machine code: its right-hand side, its projections onto the constraints, and any expression of its state."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from zeromass.compile.elimination import Elimination, eliminated
from zeromass.compile.lanes import LaneFunction
from zeromass.compile.machine import Code
from zeromass.compile.module import Groups, code
from zeromass.compile.nonideal import solved_motion
from zeromass.compile.samples import Samples
from zeromass.compile.straight import operations
from zeromass.equation import numerical_rank
from zeromass.expression import Evaluator, Expression, expressions, jacobian, substitute, t
from zeromass.expression.build import ONE, ZERO, compare, where
from zeromass.model import State, System

BUSY = 400_000
"""Evaluations after which machine code is made again with more of LLVM's effort."""

LARGE = 8_000
"""Operations from which LLVM spends more effort at once: without it, each of them takes room on the stack."""

FITTING = 1e2
"""Growth of the pivots up to which machine code made at one state is used from another."""


class Compiled:
    """Machine code of a system with the pivots and the rank that hold at one state.

    acceleration, multipliers  solved expressions; the rows in `elimination.dropped` carry no force
    growth                     largest cancellation in a pivot: its logarithm is the number of digits lost
    operations                 arithmetic operations of one right-hand side
    """

    def __init__(self, system: System, state: State, rank: int | None = None) -> None:
        self.system = system
        self._made_at = state.inputs
        samples = Samples(list(system.inputs), state.inputs[None, :])
        self.elimination: Elimination = solved_motion(system, samples, rank)
        self.acceleration = self.elimination.acceleration
        self.multipliers = self.elimination.multipliers
        self.growth = largest(self.elimination.growth)
        self.state_symbols = [*system.coordinates, *system.rates]
        self.inputs: Groups = [[t], self.state_symbols, list(system.parameters)]
        self.operations = operations([*system.rates, *self.acceleration, self.growth])
        self._samples = samples
        self._codes: dict[tuple[str, int, int], Code] = {}
        self._evaluations = 0
        levels = [row.level for row in system.rows]
        self.projections = tuple(
            name for name, level in (("positions", 0), ("velocities", 1)) if any(found <= level for found in levels)
        )

    def rhs(self, lanes: int = 1) -> Code:
        """Machine code of `rhs(t, y, parameters, slopes, growth)`: (q̇, q̈) of one state, only q̈ of several in lanes.

        Little of LLVM's time is spent on it until it has been called so often that more is repaid; the arithmetic is the
        same, to the last bit.
        """
        slopes = [*self.system.rates, *self.acceleration] if lanes == 1 else list(self.acceleration)
        return self._code("rhs", lanes, self.effort, lambda: {"rhs": (self.inputs, [slopes, [self.growth]])})

    @property
    def corrections(self) -> Code:
        """Machine code of the `projections`, each as `name(t, y, parameters, correction)`."""
        effort = 0 if self.operations >= LARGE else self.effort  # called once a step, one state at a time
        return self._code("corrections", 1, effort, lambda: self._corrections)

    def _code(
        self, name: str, lanes: int, effort: int, functions: Callable[[], Mapping[str, tuple[Groups, Groups]]]
    ) -> Code:
        key = name, lanes, effort
        if key not in self._codes:
            self._codes[key] = code(functions(), lanes, optimisation=effort)
        return self._codes[key]

    @property
    def effort(self) -> int:
        """LLVM's effort, 0 to 3, that code for this system is worth now; more takes it long where there is much code."""
        return 1 if self.operations >= LARGE else 2 if self._evaluations >= BUSY else 0

    def called(self, evaluations: int) -> None:
        """Counts evaluations, for the effort that machine code is worth."""
        self._evaluations += evaluations

    @cached_property
    def _corrections(self) -> dict[str, tuple[Groups, Groups]]:
        system = self.system
        position = [i for i, row in enumerate(system.rows) if row.level == 0]
        velocity = [i for i, row in enumerate(system.rows) if row.level < 2]
        residuals = {
            "positions": (position, [system.rows[i].zero for i in position]),
            "velocities": (velocity, list(system.velocity_constraints)),
        }
        wanted = {name: residuals[name] for name in self.projections}
        return {name: (self.inputs, [self._correction(rows, zeros)]) for name, (rows, zeros) in wanted.items()}

    def _correction(self, rows: list[int], residuals: Sequence[Expression]) -> list[Expression]:
        """δ that satisfies Aδ = −residual and is shortest in the metric of the kinetic energy, δᵀMδ.

        Where mass and these rows leave a direction free, the other rows of A take part in the metric.
        """
        system, samples = self.system, self._samples
        A, M = system.A[rows], system.M
        n = len(M)
        stacked = samples.matrix([*M, *A])[0]
        if numerical_rank(stacked).rank < n:
            rest = [i for i in range(len(system.rows)) if i not in rows]
            M = M + system.A[rest].T @ system.A[rest]
        if numerical_rank(samples.matrix([*M, *A])[0]).rank < n:
            M = M + expressions(np.eye(n))
        zero = expressions(np.zeros(n))
        return eliminated(M, zero, A, -expressions(list(residuals)), samples).acceleration

    def fits(self, state: State) -> bool:
        """Whether the pivots are good at a state, and as many rows of A are independent there."""
        if np.array_equal(state.inputs, self._made_at):
            return True
        growth = float(self._growth(state.inputs))
        return growth < FITTING and int(numerical_rank(state.matrices.A).rank) == len(self.elimination.kept)

    def solved(self, e: Any) -> np.ndarray:
        """Expressions with accelerations and multipliers replaced by their solution."""
        solution: dict[Expression, Expression] = dict(zip(self.system.accelerations, self.acceleration, strict=True))
        solution.update(zip(self.system.multipliers, self.multipliers, strict=True))
        return expressions(substitute(expressions(e), solution))

    def function(self, e: Any) -> LaneFunction:
        """Any expressions as a function of arrays of states, in SIMD lanes."""
        inputs = [symbol for group in self.inputs for symbol in group]
        return LaneFunction(self.solved(e), inputs, effort=min(1, self.effort))

    @cached_property
    def _growth(self) -> Evaluator:
        return Evaluator(self.growth, self.system.inputs)

    @cached_property
    def accelerations(self) -> LaneFunction:
        """Accelerations of arrays of states, in SIMD lanes."""
        return self.function(self.system.accelerations)

    def jacobian(self, inputs: np.ndarray) -> np.ndarray:
        """∂q̈/∂(q, q̇) at one state, shape (n, 2n), from numbers in the order of `system.inputs`.

            0 = r = (Q + C + Aᵀλ − M q̈, b − A q̈):   ∂r/∂(q̈, λ) ∂(q̈, λ)/∂(q, q̇) = −∂r/∂(q, q̇)

        Exact, as the derivative of the solved acceleration is, but sparse until it is solved: that derivative would be
        dense, and so would its machine code.
        """
        constants, places, _ = self.tangent_entries
        slopes = constants.copy()
        call = self.tangent.function("tangent", None, *[ctypes.c_void_p] * 4)
        values, entries = np.ascontiguousarray(inputs, dtype=float), np.empty(np.count_nonzero(places))
        m, first = len(self.state_symbols), values.ctypes.data
        call(first, first + values.itemsize, first + values.itemsize * (m + 1), entries.ctypes.data)
        slopes[places] = entries
        size = len(slopes)
        return -np.linalg.solve(slopes[:, :size], slopes[:, size:])[: len(self.system.coordinates)]

    @property
    def tangent(self) -> Code:
        """Machine code of `tangent(t, y, parameters, entries)`: those of `tangent_entries` that are not constant."""
        return self._code("tangent", 1, self.effort, lambda: {"tangent": (self.inputs, [self.tangent_entries[2]])})

    @cached_property
    def tangent_entries(self) -> tuple[np.ndarray, np.ndarray, list[Expression]]:
        """∂r/∂(q̈, λ, q, q̇) of `jacobian`: its constant entries, where the others are, and these, row by row."""
        system, kept = self.system, list(self.elimination.kept)
        q̈, λ, A = system.accelerations, system.multipliers[kept], system.A[kept]
        r = np.concatenate([system.Q + system.C + A.T @ λ - system.M @ q̈, system.b[kept] - A @ q̈])
        slopes = self.solved(jacobian(r, [*q̈, *λ, *self.state_symbols]))
        places = np.array([[e.value is None for e in row] for row in slopes])
        constants = np.array([[0.0 if e.value is None else e.value for e in row] for row in slopes])
        return constants, places, list(slopes[places])


_recent: dict[System, Compiled] = {}
REMEMBERED = 16
"""Systems whose machine code is kept for their next run."""


def compiled_at(system: System, state: State) -> Compiled:
    """Machine code whose pivots are good at a state: that of an earlier run of the same system, if they are."""
    known = _recent.pop(system, None)
    if known is None or not known.fits(state):
        known = Compiled(system, state)
    _recent[system] = known  # the last one used stands last
    while len(_recent) > REMEMBERED:
        del _recent[next(iter(_recent))]
    return known


def largest(values: Sequence[Expression]) -> Expression:
    """The largest of some expressions, by pairs; 1 if there are none."""
    values = list(values) or [ONE]
    while len(values) > 1:
        pairs = [values[i : i + 2] for i in range(0, len(values), 2)]
        values = [pair[0] if len(pair) == 1 else where(compare("less", *pair), pair[1], pair[0]) for pair in pairs]
    return values[0] if values[0] is not ZERO else ONE
