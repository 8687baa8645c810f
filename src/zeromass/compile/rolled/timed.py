"""How the accelerations of a large system change with time alone, its state held fixed.

    K z = r,   K ∂z/∂t = ∂r/∂t − ∂K/∂t z

One more task of its kinds, as tangents are; see `zeromass.compile.rolled.tangent`.
"""

from __future__ import annotations

import numpy as np

from zeromass.compile.rolled.equations import Equations, Unknown
from zeromass.compile.rolled.machine import Machine
from zeromass.compile.rolled.structure import Structure
from zeromass.compile.rolled.tangent import Extended, varied
from zeromass.expression import Symbol
from zeromass.expression import t as time
from zeromass.expression.build import ONE


class Timed:
    """∂q̈/∂t of a structure; it evaluates one state at a time."""

    def __init__(self, structure: Structure) -> None:
        self._size = len(structure.system.coordinates)
        self._task = Extended(structure, "timed", _timed)
        self._machine: Machine = self._task.machine(1)
        self._motion: Machine = structure.machine("motion", 1)

    def __call__(self, inputs: np.ndarray) -> np.ndarray:
        """Shape (n,), from numbers in the order of `system.inputs`."""
        n, task, motion = self._size, self._task, self._motion
        t, y, p = float(inputs[0]), inputs[1 : 1 + 2 * n], inputs[1 + 2 * n :]
        motion(t, y, p, 2 * n)
        blocks = np.zeros(2 * task.size)
        blocks[task.coordinates], blocks[task.size + task.coordinates] = y[:n], y[n:]
        blocks[task.solved.place] = motion.values[motion.unknowns + task.solved.source, 0]
        changes, _ = self._machine(t, blocks, np.concatenate([p, 0 * p]), 2 * task.size)
        return changes[task.coordinates, 0]


def _timed(motion: Equations, vary: dict[Symbol, Symbol], z: dict[Unknown, Symbol]) -> Equations:
    return varied(motion, {time: ONE}, z)
