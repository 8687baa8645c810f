"""How rows that repeat others share a force, in large systems.

A row that was left out is a combination of those that are kept, a_j = Σ c_jk a_k, so that λ = e_j − Σ c_jk e_k does
nothing. The c_jk are the multipliers that hold a system at rest on which the force a_j acts,

    M z + Aᵀc = a_j,   A z = 0,

one more task of its kinds. Of all λ that give the same motion the shortest has no part along these.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from zeromass.compile.rolled.elements import numbers
from zeromass.compile.rolled.equations import Equations, Unknown
from zeromass.compile.rolled.machine import Machine
from zeromass.compile.rolled.structure import Structure
from zeromass.compile.rolled.tangent import Extended
from zeromass.expression import Expression, Symbol, symbols
from zeromass.model.shared import VISIBLE, changing

MOST = 1000
"""Rows that repeat others up to which their forces are told: the equations for these are written with all their entries."""


class Sharing:
    """What is shared in a structure; it evaluates one state at a time."""

    def __init__(self, structure: Structure) -> None:
        self.structure: Structure = structure
        self._forced = Extended(structure, "forced", _forced)
        self._machine: Machine = self._forced.machine(1)
        self._motion: Machine = structure.machine("motion", 1)

    def nothing(self, inputs: np.ndarray) -> np.ndarray:
        """Multipliers that do nothing, of length 1, shape (structure.rows, rows left out), from `system.inputs`."""
        s, n, task = self.structure, len(self.structure.system.coordinates), self._forced
        t, y, p = float(inputs[0]), inputs[1 : 1 + 2 * n], inputs[1 + 2 * n :]
        self._motion(t, y, p, 2 * n)
        dropped = s.row_unknowns[np.isin(s.rows, s.dropped)]
        row, column, place = s.entries
        blocks = np.zeros(2 * task.size)
        blocks[task.coordinates], blocks[task.size + task.coordinates] = y[:n], y[n:]
        found = np.zeros((len(s.rows), len(dropped)))
        for j, unknown in enumerate(dropped.tolist()):
            own, force = row == unknown, np.zeros(s.count)
            np.add.at(force, column[own], self._motion.values[place[own], 0])
            blocks[task.solved.place] = force[task.solved.source]
            self._machine(t, blocks, np.concatenate([p, 0 * p]), 2 * task.size)
            found[:, j] = -self._machine.values[self._machine.unknowns + s.row_unknowns, 0]
            found[s.row_unknowns == unknown, j] = 1.0
        return found / np.linalg.norm(found, axis=0)

    def shortest(self, inputs: np.ndarray, λ: np.ndarray) -> np.ndarray:
        """The shortest λ, (rows), that gives the motion of one of them."""
        u = self.nothing(inputs)
        return λ - u @ np.linalg.lstsq(u, λ, rcond=None)[0]

    def groups(self, e: np.ndarray, inputs: np.ndarray, q̈: np.ndarray, λ: np.ndarray) -> list[str]:
        """Names of the constraints that share a quantity of the multipliers, as `undetermined_groups` has them."""
        s, system = self.structure, self.structure.system
        place: dict[Any, int] = {system.multipliers[i]: k for k, i in enumerate(s.rows.tolist())}
        asked = [leaf for leaf in symbols(e) if leaf in place]
        u = self.nothing(inputs)
        holding = np.zeros(len(system.rows) - len(λ))  # what holds the motion to a switch is nobody's force
        known = np.concatenate([inputs, q̈, λ, holding])
        open_ = changing(system, e, known, numbers(asked), u[[place[leaf] for leaf in asked]])
        taking = s.rows[(np.abs(u[:, open_]) > VISIBLE).any(axis=1)]
        return list(dict.fromkeys(system.rows[i].group for i in taking.tolist()))


def _forced(motion: Equations, vary: dict[Symbol, Symbol], z: dict[Unknown, Symbol]) -> Equations:
    """Of a part on which a force acts, and of anything else without one; z are the forces on its unknowns."""
    right: list[tuple[Unknown, Expression]] = [((0, i), z[0, i]) for i in range(len(motion.unknown))]
    return Equations(motion.matrix, right, motion.levels, motion.unknown, motion.unknown)
