"""Expressions at many states of members of one program, accelerations and constraint forces among them."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from zeromass.analysis.steep import Steep, steep
from zeromass.compile.lanes import LaneFunction
from zeromass.compile.program import Program
from zeromass.equation import numerical_rank
from zeromass.equation.inverse import least_norm_multipliers
from zeromass.equation.rank import negligible
from zeromass.expression import Evaluator, expressions, substitute, symbols
from zeromass.expression.leaves import namesake
from zeromass.model import ModelError
from zeromass.study.starts import Starts

SHARED = 1e-9
"""Part of a value by which it may change with how redundant rows share their force, where that does not matter to it."""


class Pointwise:
    """Values of expressions from numbers in the order of `system.inputs`, shape (k, inputs).

    Where redundant rows share a force, λ is the shortest, as in a `Run`. Most expressions do not depend on that, which is
    seen at the start of the study's first member.
    """

    program: Program
    expression: np.ndarray

    def __init__(self, program: Program, e: np.ndarray, first: Starts) -> None:
        self.program = program
        self.expression = self._with_defaults(e)
        self.functions: int = self.expression.size
        forces = any(leaf.kind == "multiplier" for leaf in symbols(self.expression))
        self._plain = True
        if forces and program.elimination.dropped:
            inputs = np.concatenate([first.t[:, None], first.y, first.parameters], axis=1)
            fast, exact = self._function(inputs), self._shortest(self.expression, inputs)
            self._plain = bool(np.all(negligible(fast - exact, np.abs(exact) + np.abs(fast), SHARED)))

    def __call__(self, inputs: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            return self._function(inputs) if self._plain else self._shortest(self.expression, inputs)

    def with_arguments(self, inputs: np.ndarray) -> np.ndarray:
        """Values of the expressions, and after them of the steep arguments of their operations: shape (k, numbers)."""
        with np.errstate(all="ignore"):
            return self._all(inputs) if self._plain else self._shortest(self._everything, inputs)

    def in_lanes(self, inputs: np.ndarray) -> np.ndarray:
        """The same of numbers that are laid out in lanes, (k, inputs, lanes): shape (k, numbers, lanes)."""
        if self._plain:
            return self._all.packed(inputs)
        values = self.with_arguments(inputs.swapaxes(1, 2).reshape(-1, inputs.shape[1]))
        return values.reshape(len(inputs), self.lanes, -1).swapaxes(1, 2)

    @property
    def lanes(self) -> int:
        return self._all.lanes

    @cached_property
    def _all(self) -> LaneFunction:
        return self._compiled(self._everything)

    @cached_property
    def _steep(self) -> Steep:
        return steep(self.expression.ravel().tolist())

    @property
    def kinds(self) -> np.ndarray:
        """Those of the arguments."""
        return self._steep.kinds

    @cached_property
    def coordinates(self) -> np.ndarray:
        """Numbers of the coordinates that values depend on, or on their rates; all, where on accelerations or forces."""
        system, leaves = self.program.system, {*symbols(self._everything)}
        whole, pairs = leaves - {*system.inputs}, zip(system.coordinates, system.rates, strict=True)
        return np.array([k for k, pair in enumerate(pairs) if whole or leaves.intersection(pair)], dtype=int)

    @cached_property
    def _everything(self) -> np.ndarray:
        return expressions([*self.expression.ravel().tolist(), *self._steep.arguments])

    def _with_defaults(self, e: np.ndarray) -> np.ndarray:
        """Parameters that the system does not have keep their default."""
        system = self.program.system
        known = {*system.inputs, *system.accelerations, *system.multipliers}
        others = [leaf for leaf in symbols(e) if leaf not in known]
        for leaf in others:
            if leaf.default is None:
                words = f"'{leaf!r}' is nothing of this system, so a study has no values of it"
                raise ModelError(words + namesake(leaf, system.inputs))
        return expressions(substitute(e, {leaf: leaf.default for leaf in others})) if others else e

    @cached_property
    def _function(self) -> LaneFunction:
        return self._compiled(self.expression)

    def _compiled(self, e: np.ndarray) -> LaneFunction:
        """Machine code of expressions; the system keeps it for the next study."""
        known: dict[Any, LaneFunction] = self.program.system.memory.setdefault("pointwise", {})
        key = self.program, e.shape, tuple(e.ravel().tolist())
        if key not in known:
            known[key] = LaneFunction(self.program.solved(e), list(self.program.system.inputs))
        return known[key]

    def _shortest(self, e: np.ndarray, inputs: np.ndarray) -> np.ndarray:
        program, system = self.program, self.program.system
        λ = program.native.function(system.multipliers)(inputs)
        A = system.matrices(inputs).A
        λ = least_norm_multipliers(numerical_rank(A, rank=program.rank), A, np.einsum("tij,ti->tj", A, λ))
        names = [*system.inputs, *system.accelerations, *system.multipliers]
        values = np.concatenate([inputs, program.native.accelerations(inputs), λ], axis=1)
        return Evaluator(e, names)(values)
