"""The adjoint of a large system: its machine code, and the derivatives that a run backward begins with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

import numpy as np

from zeromass.codegen.target import Code
from zeromass.compile.program import Program
from zeromass.compile.rolled.backward import Backward
from zeromass.compile.rolled.native import RolledNative
from zeromass.expression import Evaluator, Expression, symbols
from zeromass.expression.derivative import sparse_jacobian
from zeromass.model import Event, ModelError


class LargeAdjointCode:
    """Machine code of a motion with its adjoint, of a program whose code is rolled: unknowns (y, μ, γ)."""

    corrections = None
    busy = False
    pivots = 0

    def __init__(self, program: Program) -> None:
        self._program = program
        self._native = cast(RolledNative, program.native)
        self._backward = Backward(self._native.structure)

    def rhs(self, lanes: int = 1, *, projected: bool = False) -> Code:
        """Machine code of the right-hand side of one state."""
        assert lanes == 1
        return self._backward.code

    def events(self, events: Sequence[Event], lanes: int) -> None:
        """None: nothing is watched on the way back."""

    def called(self, evaluations: int) -> None:
        """Its machine code is as good as it gets."""

    def slopes(self, e: Expression) -> Callable[[np.ndarray], tuple[float, np.ndarray, np.ndarray]]:
        """The value of an expression and its derivatives by state and parameters, from numbers of `system.inputs`.

        de/dx = ∂e/∂x + ∂e/∂q̈ ∂q̈/∂x
        """
        system = self._program.system
        forces = [leaf for leaf in symbols(e) if leaf.kind == "multiplier"]
        if forces:
            raise ModelError(
                f"the derivative of '{forces[0]!r}' is not computed of a large system: ask for that of accelerations"
            )
        n, accelerations = len(system.coordinates), [*system.accelerations]
        x, inputs = [*system.coordinates, *system.rates, *system.parameters], [*system.inputs, *accelerations]
        (row,) = sparse_jacobian([e], [*x, *accelerations]).rows
        value, entries, places = Evaluator([e], inputs), Evaluator(list(row.values()), inputs), list(row)
        moves = any(j >= len(x) for j in row)

        def at(numbers: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
            q̈ = self._native.accelerations(numbers[None])[0] if moves else np.zeros(n)
            known, by = np.concatenate([numbers, q̈]), np.zeros(len(inputs) - 1)
            by[places] = entries(known)
            found = by[: len(x)]
            if moves:
                found = found + self._backward.product(numbers, by[len(x) :])
            return float(value(known)[0]), found[: 2 * n], found[2 * n :]

        return at
