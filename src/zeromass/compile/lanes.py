"""Functions of many states at once, in SIMD lanes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from zeromass.codegen.target import BEST, Target, host
from zeromass.compile.module import code
from zeromass.compile.repeated import repeated
from zeromass.expression import Expression, expressions

AT_ONCE = 2**14
"""States that are laid out in lanes at once."""


class LaneFunction:
    """Machine code of expressions, called on arrays whose last axis runs over the inputs.

    target  whose lanes the states go through; by default as many as a register of this machine holds
    effort  of LLVM, 0 to 3
    """

    def __init__(
        self, outputs: Any, inputs: Sequence[Expression], target: Target | None = None, *, effort: int = BEST
    ) -> None:
        outputs = expressions(outputs)
        self.shape: tuple[int, ...] = outputs.shape
        target = target or host()
        self.lanes: int = target.width
        self._sizes = len(inputs), outputs.size
        functions = {"values": ([list(inputs)], [list(outputs.ravel())])}
        self._code = code(functions, target, effort=effort)

    def __call__(self, values: Any) -> np.ndarray:
        values = np.asarray(values, dtype=float)
        lead = values.shape[:-1]
        count = int(np.prod(lead))
        inputs, outputs = self._sizes
        if values.shape[-1:] != (inputs,):
            raise ValueError(f"the last axis of the values has length {values.shape[-1:]}, not {inputs}")
        places, results = values.reshape(count, inputs), np.empty((count, outputs))
        for k in range(0, count, AT_ONCE):
            results[k : k + AT_ONCE] = self._block(places[k : k + AT_ONCE])
        return results.reshape(lead + self.shape)

    def _block(self, values: np.ndarray) -> np.ndarray:
        """Of states (k, inputs), results (k, outputs): k is at least 1."""
        count, (inputs, outputs) = len(values), self._sizes
        groups = -(-count // self.lanes)
        packed = np.empty((groups * self.lanes, inputs))
        packed[:count], packed[count:] = values, values[-1]
        columns = np.ascontiguousarray(packed.reshape(groups, self.lanes, inputs).swapaxes(1, 2))
        return self.packed(columns).swapaxes(1, 2).reshape(groups * self.lanes, outputs)[:count]

    def packed(self, columns: np.ndarray) -> np.ndarray:
        """Results (groups, outputs, lanes) of states that are laid out in lanes, (groups, inputs, lanes)."""
        results = np.empty((len(columns), self._sizes[1], self.lanes))
        repeated(self._code.address("values"), [columns, results])
        return results
