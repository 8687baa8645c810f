"""Starts of many members by compiled Newton steps, side by side in lanes, from the start of the first one.

The equations are those of `zeromass.compile.newton`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from zeromass.codegen.target import BEST, Code, host
from zeromass.compile.decisions import Decisions, Samples, Tree
from zeromass.compile.module import code
from zeromass.compile.newton import PASSES, ROUNDING, SETTLED, NewtonSteps
from zeromass.compile.repeated import repeated
from zeromass.expression import Evaluator, Symbol, expressions
from zeromass.model import State
from zeromass.study.lanes import in_lanes
from zeromass.study.starts import Starts


class NewtonStarts:
    """The starts of members with values of some parameters, from the start of the first one and what it was made of.

    parameters  whose values members have: those of the system first, then those of the start alone
    """

    first: State
    parameters: tuple[Symbol, ...]

    def __init__(self, first: State, parameters: Sequence[Symbol], values: Sequence[float]) -> None:
        steps = NewtonSteps(first, parameters)
        self.first, self.parameters = first, steps.parameters
        system = first.system
        self._direct = [k for k, _ in steps.direct]
        self._set = Evaluator(expressions([value for _, value in steps.direct]), list(self.parameters))
        self._begin = steps.begin
        self._target = host()
        numbers = np.concatenate([[first.t], first.q, first.v, values])
        known: dict[Any, Tree[Code]] = system.memory.setdefault("newton", {})
        tree = known.setdefault((steps.pairs, self.parameters, bool(first.free), self._target), Tree())
        samples = Samples([s for group in steps.inputs for s in group], numbers)
        self._code = tree.at(samples, lambda decide: self._made(steps, decide))

    def _made(self, steps: NewtonSteps, decide: Decisions) -> Code:
        """The Newton steps of positions and of rates; the system keeps them for the next study."""
        return code(steps.functions(decide), self._target, effort=BEST)

    def __call__(self, values: np.ndarray) -> tuple[Starts, np.ndarray]:
        """Starts of members with values of the parameters, shape (k, p), and whether they were found."""
        first, count = self.first, len(values)
        n = len(first.q)
        y = np.repeat(self._begin[None], count, axis=0)
        if self._direct:
            y[:, self._direct] = self._set(values)
        found = np.ones(count, dtype=bool)
        t = np.full(count, first.t)
        for level, part in enumerate((slice(0, n), slice(n, None))):
            found &= self._solved(f"level{level}", t, y, part, values)
        return Starts(t, y, np.ascontiguousarray(values[:, : len(first.system.parameters)])), found

    @staticmethod
    def possible(first: State) -> bool:
        """Whether the positions of a start are determined, and mass and equations determine rates that are nearest."""
        return NewtonSteps.possible(first)

    def _solved(self, name: str, t: np.ndarray, y: np.ndarray, part: slice, values: np.ndarray) -> np.ndarray:
        """Newton steps on a part of the states, in place; each member ends by itself, whatever the others do."""
        left, last = np.arange(len(y)), np.full(len(y), np.inf)
        found = np.zeros(len(y), dtype=bool)
        for _ in range(PASSES):
            some = slice(None) if len(left) == len(y) else left  # no copy of all
            change = self._change(name, t[some], y[some], values[some])
            y[some, part] += change
            with np.errstate(invalid="ignore"):  # infinite where there is no start
                size = np.max(np.abs(change) / np.maximum(1.0, np.abs(y[some, part])), axis=1, initial=0.0)
            done = (size <= ROUNDING) | ((size <= SETTLED) & (size >= last[some] / 2))
            found[left[done]] = True
            last[some] = size
            left = left[~done & np.isfinite(size)]
            if not len(left):
                break
        return found

    def _change(self, name: str, t: np.ndarray, y: np.ndarray, values: np.ndarray) -> np.ndarray:
        inputs = [in_lanes(x, self._target.width) for x in (t[:, None], y, values)]
        groups, n = len(inputs[0]), y.shape[1] // 2
        found = np.empty((groups, n, self._target.width))
        repeated(self._code.address(name), [*inputs, found])
        return found.swapaxes(1, 2).reshape(-1, n)[: len(y)]
