"""Exact derivatives at a state of a large system: of accelerations by the tangents of its kinds, of outputs by formulas.

df/dx = ∂f/∂x + ∂f/∂q̈ ∂q̈/∂x      x = (q, q̇, p)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from zeromass.analysis.slopes import Slope
from zeromass.compile.program import Program
from zeromass.compile.rolled.native import RolledNative
from zeromass.expression import Evaluator, Expression, Symbol, expressions, symbols
from zeromass.expression import t as time
from zeromass.expression.derivative import sparse_jacobian
from zeromass.model import ModelError, State


class LargeSlopes:
    """Derivatives at any state where a program holds whose code is rolled; see `Slopes`."""

    def __init__(self, program: Program, outputs: Sequence[Expression], parameters: Sequence[Symbol]) -> None:
        system = program.system
        self.program = program
        self._native = cast(RolledNative, program.native)
        forces = [leaf for leaf in symbols(list(outputs)) if leaf.kind == "multiplier"]
        if forces:
            raise ModelError(
                f"the derivative of '{forces[0]!r}' is not computed of a large system: ask for that of accelerations"
            )
        own = {time, *system.parameters}
        strange = [p.name for p in parameters if p not in own]
        if strange:
            raise ModelError(f"'{strange[0]}' is no parameter of this large system, whose derivatives are by its own")
        places = {p: k for k, p in enumerate(system.parameters)}
        self._chosen = [places.get(p, len(places)) for p in parameters]  # time stands behind them
        x = [*system.coordinates, *system.rates, *parameters]
        self._size = len(system.coordinates)
        self._values = Evaluator(expressions(list(outputs)), [*system.inputs, *system.accelerations])
        self._outputs = _Sparse(list(outputs), [*x, *system.accelerations], [*system.inputs, *system.accelerations])
        zeros = [zero for level in (0, 1) for _, zero in system.zeros(level)]
        self._constraints = _Sparse(zeros, x, list(system.inputs))

    def at(self, state: State) -> Slope:
        """The derivatives at a state of the program's system."""
        return self.at_inputs(state.inputs)

    def at_inputs(self, inputs: np.ndarray) -> Slope:
        """The derivatives at numbers in the order of `system.inputs`."""
        m = 2 * self._size
        q̈ = self._native.accelerations(inputs[None])[0]
        all_ = np.concatenate([inputs, q̈])
        by_all = np.column_stack([self._native.by_parameters(inputs), self._native.by_time(inputs)])
        J, J_p = self._native.jacobian(inputs), by_all[:, self._chosen]
        f = self._outputs(all_)
        k = f.shape[1] - self._size
        by_x = f[:, :k] + f[:, k:] @ np.concatenate([J, J_p], axis=1)
        constraints = self._constraints(inputs)
        return Slope(
            (J, J_p),
            (constraints[:, :m], constraints[:, m:]),
            (by_x[:, :m], by_x[:, m:]),
            np.abs(f[:, :m]) + np.abs(f[:, k:]) @ np.abs(J),
            self._values(all_),
            q̈,
        )


class _Sparse:
    """∂f/∂x with all its entries, of which those that are not zero are formulas."""

    def __init__(self, f: Sequence[Expression], x: Sequence[Expression], inputs: Sequence[Expression]) -> None:
        rows = sparse_jacobian(f, x).rows if f else []
        self._shape = len(f), len(x)
        self._places = [(i, j) for i, row in enumerate(rows) for j in row]
        self._entries = Evaluator([e for row in rows for e in row.values()], inputs) if self._places else None

    def __call__(self, values: np.ndarray) -> np.ndarray:
        found = np.zeros(self._shape)
        if self._entries is not None:
            found[tuple(np.array(self._places).T)] = self._entries(values)
        return found
