"""Masses of parts and slopes of constraints at one state, from which the order of elimination follows.

A block of multipliers may be eliminated next to one of its parts if that part alone makes the pivots definite: the part has
mass in all directions, and the rows are independent in its coordinates.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from zeromass.compile.rolled.elements import Elements
from zeromass.compile.rolled.equations import ROWS
from zeromass.compile.rolled.layout import Blocks, Layout
from zeromass.compile.rolled.machine import Machine
from zeromass.equation.rank import negligible

LIGHT = 1e-9
"""Fraction of the masses of a part, each in its own unit, below which the part has no mass in some direction."""

STRONG = 1e-3
"""Fraction of the pivots of a joint that one of its parts makes alone, above which the joint may be eliminated with it."""


class ElementMatrices:
    """M of each part and A of each constraint, from an evaluation of a machine.

    masses  of each kind of parts: their blocks, and M of each, shape (instances, coordinates, coordinates)
    slopes  of each kind: {place of a block: A in its coordinates, shape (instances, rows, coordinates)}
    """

    def __init__(self, elements: Elements, layout: Layout, blocks: Blocks, machine: Machine) -> None:
        values, task = machine.values[:, 0], machine.task
        self._elements, self._blocks = elements, blocks
        self._levels = np.array([row.level for row in elements.system.rows])
        self._instances: list[tuple[np.ndarray, np.ndarray]] = [(kind.blocks, kind.rows) for kind in layout.kinds]
        """Blocks and rows of each kind, in the order of this evaluation: kinds are put into another order later."""
        self.masses: list[tuple[np.ndarray, np.ndarray]] = []
        self.slopes: list[dict[int, np.ndarray]] = []
        for k, kind in enumerate(layout.kinds):
            equations, count = kind.equations(task), len(kind)
            slopes: dict[int, np.ndarray] = {}
            if kind.name == "part":
                n = blocks.coordinates[kind.blocks[0, 0]]
                M = np.zeros((count, n, n))
                for (_, i), (_, j), e in equations.matrix:
                    if i < n:
                        M[:, i, j] += values[layout.entry(k, e)]
                        M[:, j, i] = M[:, i, j]
                self.masses.append((kind.blocks[:, 0], M))
            elif kind.name == "rows":
                for local in range(kind.blocks.shape[1]):
                    n = blocks.coordinates[kind.blocks[0, local]]
                    slopes[local] = np.zeros((count, kind.rows.shape[1], n))
                for (_, r), (local, i), e in (entry for entry in equations.matrix if entry[1][0] != ROWS):
                    slopes[local][:, r, i] = values[layout.entry(k, e)]
            self.slopes.append(slopes)

    @property
    def light(self) -> set[int]:
        """Parts that have no mass in some direction."""
        found: set[int] = set()
        for blocks, M in self.masses:
            size = np.sqrt(np.abs(np.diagonal(M, axis1=1, axis2=2)))
            known = np.asarray(size.all(axis=1))
            size = np.where(known[:, None], size, 1.0)
            least = np.asarray(np.linalg.eigvalsh(M / (size[:, :, None] * size[:, None, :]))[:, 0], dtype=np.float64)
            without = ~known | (least < 0) | negligible(least, 1.0, LIGHT)
            found |= set(blocks[without].tolist())
        return found

    def weights(self, k: int) -> np.ndarray:
        """Of the rows of a kind: about the masses beside them, in units of their slopes."""
        _, rows = self._instances[k]
        size = np.zeros(rows.shape)
        for A in self.slopes[k].values():
            size += (A**2).sum(axis=2)
        return self._typical / np.where(size > 0, size, 1.0)

    @property
    def _typical(self) -> float:
        """A mass of the system: the mean of those there are."""
        masses = np.concatenate([M[:, 0, 0] for _, M in self.masses])
        return float(masses[masses > 0].mean()) if np.any(masses > 0) else 1.0

    @property
    def levels(self) -> np.ndarray:
        """Of each block of coordinates, the lowest level of a row that they change."""
        found = np.full(self._blocks.parts, 2)
        for (blocks, rows), slopes in zip(self._instances, self.slopes, strict=True):
            for local, A in slopes.items():
                levels = np.where(A.any(axis=2), self._levels[rows], 2)
                np.minimum.at(found, blocks[:, local], levels.min(axis=1))
        return found

    def pivots(self, without: set[int]) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
        """Pairs of a block of multipliers and of a block that it holds.

        strong  the part alone makes the pivots definite; parts in `without` never do
        moved   coordinates without a part that change the rows independently of one another: they get inertia from them
        """
        known = np.zeros(self._blocks.parts, dtype=bool)
        for some, _ in self.masses:
            known[some] = True
        known[list(without)] = False
        strong, moved = set[tuple[int, int]](), set[tuple[int, int]]()
        for multipliers, held, slopes in self._constraints():
            definite = np.zeros(len(multipliers), dtype=bool)
            for b, good in zip(held.T, _independent(slopes), strict=True):
                good &= known[b]
                definite |= good
                strong |= set(zip(multipliers[good].tolist(), b[good].tolist(), strict=True))
            loose = [h for h, b in enumerate(held[0].tolist()) if self._elements.blocks[b].part is None]
            if loose:
                (good,) = _independent([np.concatenate([slopes[h] for h in loose], axis=2).swapaxes(1, 2)])
                good &= definite
                for h in loose:
                    moved |= set(zip(multipliers[good].tolist(), held[good, h].tolist(), strict=True))
        return strong, moved

    def _constraints(self) -> list[tuple[np.ndarray, np.ndarray, list[np.ndarray]]]:
        """Blocks of multipliers of equal structure: their numbers (n,), the blocks held (n, held), and A in each of these.

        Constraints between the same parts are one: A has the rows of all.
        """
        blocks, members = self._blocks, defaultdict[int, list[tuple[int, int]]](list)
        for k, (_, rows) in enumerate(self._instances):
            if self.slopes[k]:
                for i, m in enumerate(blocks.multiplier[rows[:, 0], 0].tolist()):
                    members[m - blocks.parts].append((k, i))
        equal: dict[Any, list[int]] = defaultdict(list)
        for m, some in members.items():
            held = blocks.held[m]
            kinds = tuple((k, tuple(held.index(b) for b in self._instances[k][0][i].tolist())) for k, i in some)
            equal[kinds, tuple(blocks.coordinates[b] for b in held)].append(m)
        found = []
        for (kinds, sizes), each in equal.items():
            rows = [[members[m][r][1] for m in each] for r in range(len(kinds))]
            slopes = []
            for h, n in enumerate(sizes):
                A = [
                    self.slopes[k][places.index(h)][some]
                    if h in places
                    else np.zeros((len(each), self._instances[k][1].shape[1], n))
                    for (k, places), some in zip(kinds, rows, strict=True)
                ]
                slopes.append(np.concatenate(A, axis=1))
            found.append((np.array(each), np.array([blocks.held[m] for m in each]), slopes))
        return found


def _independent(slopes: list[np.ndarray]) -> list[np.ndarray]:
    """Of rows in the coordinates of several parts, (instances, rows, coordinates) each: in which they are independent.

    As independent in those of one part as in those of all.
    """
    products = [A @ A.swapaxes(1, 2) for A in slopes]
    size = np.sqrt(np.diagonal(sum(products), axis1=1, axis2=2))  # type: ignore[arg-type]
    good = np.asarray((size > 0).all(axis=1) & np.isfinite(size).all(axis=1))
    size = np.where(good[:, None], size, 1.0)
    found = []
    for A, product in zip(slopes, products, strict=True):
        if A.shape[1] > A.shape[2] or not len(A):
            found.append(np.zeros(len(A), dtype=bool))
            continue
        scaled = np.where(good[:, None, None], product, 0.0) / (size[:, :, None] * size[:, None, :])
        least = np.asarray(np.linalg.eigvalsh(scaled)[:, 0], dtype=np.float64)
        found.append(good & (least > 0) & ~negligible(least, 1.0, STRONG))
    return found
