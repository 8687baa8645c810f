"""Functions of many states at once, in SIMD lanes."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from zeromass.compile.module import code
from zeromass.compile.target import BEST, Target, host
from zeromass.expression import Expression, expressions


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
        machine_code = code(functions, target, effort=effort)
        self._call = machine_code.function("values", None, ctypes.c_void_p, ctypes.c_void_p)

    def __call__(self, values: Any) -> np.ndarray:
        values = np.asarray(values, dtype=float)
        lead = values.shape[:-1]
        count = int(np.prod(lead))
        inputs, outputs = self._sizes
        if values.shape[-1:] != (inputs,):
            raise ValueError(f"the last axis of the values has length {values.shape[-1:]}, not {inputs}")
        groups = -(-count // self.lanes)
        packed = np.empty((groups * self.lanes, inputs))
        packed[:count] = values.reshape(count, inputs)
        packed[count:] = packed[count - 1] if count else 0.0
        columns = np.ascontiguousarray(packed.reshape(groups, self.lanes, inputs).swapaxes(1, 2))
        results = np.empty((groups, outputs, self.lanes))
        given, found = columns.ctypes.data, results.ctypes.data
        for g in range(groups):
            self._call(given + g * columns.strides[0], found + g * results.strides[0])
        return results.swapaxes(1, 2).reshape(groups * self.lanes, outputs)[:count].reshape(lead + self.shape)
