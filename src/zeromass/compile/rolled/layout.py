"""Where everything stands in the memory of an evaluation: numbers, entries of elements, unknowns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from zeromass.compile.rolled.elements import Elements
from zeromass.compile.rolled.equations import ROWS, Unknown, unknowns
from zeromass.compile.rolled.kinds import Kind
from zeromass.expression import Expression


class Blocks:
    """Blocks of unknowns: those of parts, and the multipliers of constraints between the same parts.

    sizes        unknowns of each
    coordinates  how many of them are no multipliers
    held         parts of each block of multipliers
    multiplier   (block, place) of the multiplier of each row; −1 of rows that have none
    """

    def __init__(self, elements: Elements, kinds: Sequence[Kind], plain: bool) -> None:
        each = [unknowns(block, plain) for block in elements.blocks]
        self.parts: int = len(each)
        self.sizes: list[int] = [n + own for n, own in each]
        self.coordinates: list[int] = [n for n, _ in each]
        self.held: list[tuple[int, ...]] = []
        known: dict[tuple[int, ...], int] = {}
        self.multiplier: np.ndarray = np.full((len(elements.system.rows), 2), -1)
        for kind in kinds:
            for blocks, rows in zip(kind.blocks.tolist(), kind.rows.tolist(), strict=True):
                if not rows:
                    break
                b = known.setdefault(tuple(blocks), self.parts + len(known))
                if b == len(self.sizes):
                    self.held.append(tuple(blocks))
                    self.sizes.append(0)
                    self.coordinates.append(0)
                for i in rows:
                    self.multiplier[i] = b, self.sizes[b]
                    self.sizes[b] += 1


@dataclass(eq=False)
class Place:
    """Of a kind: where its results begin, how many each instance has, and which formulas they are, by task."""

    first: int
    stride: int
    matrix: list[Expression]
    right: dict[str, list[Expression]]


class Layout:
    """Places of values, those of entries of the matrix and of the right side among them.

    constants  numbers that stand at the beginning, from place 0 on, which is zero
    places     of each kind
    size       values before those of unknowns
    """

    def __init__(self, kinds: Sequence[Kind], tasks: Sequence[str]) -> None:
        self.kinds: Sequence[Kind] = kinds
        self.tasks: Sequence[str] = tasks
        self.constants: dict[float, int] = {0.0: 0}
        self.places: list[Place] = []
        made = [{task: kind.equations(task) for task in tasks} for kind in kinds]
        for known in made:
            first = known[tasks[0]]
            matrix = _formulas([e for *_, e in first.matrix], self.constants)
            right = {task: _formulas([e for _, e in known[task].right], self.constants) for task in tasks}
            stride = len(matrix) + max(len(some) for some in right.values())
            self.places.append(Place(0, stride, matrix, right))
        self.size: int = len(self.constants)
        for kind, place in zip(kinds, self.places, strict=True):
            place.first = self.size
            self.size += place.stride * len(kind)

    @property
    def regions(self) -> list[tuple[int, int]]:
        """Of each kind, where its results begin, and how many an instance has."""
        return [(place.first, place.stride) for place in self.places]

    def entry(self, k: int, e: Expression, task: str) -> tuple[int, int]:
        """Where the value of a formula of kind k stands: place of the first instance, and from one to the next."""
        if e.value is not None:
            return self.constants[e.value], 0
        place = self.places[k]
        if e in place.matrix:
            return place.first + place.matrix.index(e), place.stride
        return place.first + len(place.matrix) + place.right[task].index(e), place.stride

    def matrix(self, blocks: Blocks, at: np.ndarray) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Entries as (unknown, unknown, place), `at` telling the first unknown of each block."""
        found = []
        for k, kind in enumerate(self.kinds):
            for u, v, e in kind.equations(self.tasks[0]).matrix:
                first, step = self.entry(k, e, self.tasks[0])
                i, j = (self.unknown(kind, x, blocks, at) for x in (u, v))
                found.append((i, j, first + step * np.arange(len(kind))))
        return found

    def right(self, task: str, blocks: Blocks, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Entries of the right side as (unknown, place)."""
        found = [(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))]
        for k, kind in enumerate(self.kinds):
            for u, e in kind.equations(task).right:
                first, step = self.entry(k, e, task)
                found.append((self.unknown(kind, u, blocks, at), first + step * np.arange(len(kind))))
        i, place = (np.concatenate(some) for some in zip(*found, strict=True))
        return i, place

    def unknown(self, kind: Kind, u: Unknown, blocks: Blocks, at: np.ndarray) -> np.ndarray:
        """The number of an unknown in each instance."""
        block, place = u
        if block == ROWS:
            b, inside = blocks.multiplier[kind.rows[:, place]].T
            return at[b] + inside
        return at[kind.blocks[:, block]] + place


def _formulas(found: list[Expression], constants: dict[float, int]) -> list[Expression]:
    """Formulas without constants, each once; these get places of their own."""
    for e in found:
        if e.value is not None:
            constants.setdefault(e.value, len(constants))
    return list(dict.fromkeys(e for e in found if e.value is None))
