"""Where everything stands in the memory of an evaluation: numbers, entries of elements, unknowns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from zeromass.compile.rolled.elements import Elements
from zeromass.compile.rolled.equations import ROWS, Unknown, unknowns
from zeromass.compile.rolled.kinds import Kind
from zeromass.compile.rolled.seen import ALL, Seen, Sight, There
from zeromass.expression import Expression, Symbol


class Blocks:
    """Blocks of unknowns: coordinates of parts, those of joints, and multipliers of constraints between the same parts.

    sizes        unknowns of each
    coordinates  how many of them are no multipliers
    held         parts and joint coordinates of each block of multipliers
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
                bodies = tuple(b for b in blocks if elements.blocks[b].part is not None)
                b = known.setdefault(bodies or tuple(blocks), self.parts + len(known))
                if b == len(self.sizes):
                    self.held.append(())
                    self.sizes.append(0)
                    self.coordinates.append(0)
                self.held[b - self.parts] = tuple(dict.fromkeys((*self.held[b - self.parts], *blocks)))
                for i in rows:
                    self.multiplier[i] = b, self.sizes[b]
                    self.sizes[b] += 1


@dataclass(eq=False)
class Place:
    """Of a kind: where its results begin, how many each instance has, and which formulas they are, by task.

    matrix, right  formulas of its own, one after the other
    seen           of parts: (place inside, formula) of what other kinds see of them
    reads          of others: {block: {symbol: number among what is seen of its part}}
    """

    first: int
    stride: int
    matrix: list[Expression]
    right: dict[str, list[Expression]]
    seen: dict[str, list[tuple[int, Expression]]]
    reads: dict[str, dict[int, dict[Symbol, int]]]

    def results(self, task: str) -> list[tuple[int, Expression]]:
        """(place inside, formula) of all that its kernel computes."""
        return [*enumerate([*self.matrix, *self.right[task]]), *self.seen.get(task, [])]


class Layout:
    """Places of values, those of entries of the matrix and of the right side among them.

    constants  numbers that stand at the beginning, from place 0 on, which is zero
    places     of each kind; sights: which of its formulas stand with parts
    size       values before those of unknowns
    """

    def __init__(self, kinds: Sequence[Kind], tasks: Sequence[str]) -> None:
        self.kinds: Sequence[Kind] = kinds
        self.tasks: Sequence[str] = tasks
        self.constants: dict[float, int] = {0.0: 0}
        made = [{task: kind.equations(task) for task in tasks} for kind in kinds]
        self._seen = Seen(kinds, made, tasks)
        self.sights: list[Sight] = self._seen.sights
        self.places: list[Place] = []
        self._begin: dict[int, int] = {}
        """Of kinds of parts, where what is seen of them begins in the results."""
        for k, sight in enumerate(self.sights):
            for e in (term for some in sight.terms.values() for terms in some.values() for term in terms):
                if not isinstance(e, There) and e.value is not None:
                    self.constants.setdefault(e.value, len(self.constants))
            matrix, right = sight.own(ALL), {task: sight.own(task) for task in tasks}
            stride = len(matrix) + max(len(some) for some in right.values())
            seen, reads = {}, {}
            if kinds[k].name == "part":
                self._begin[k] = stride
                seen = {task: [(stride + i, e) for i, e in self._seen.of(k, task)] for task in tasks}
                stride += self._seen.count(k)
            for task in tasks:
                mine = reads[task] = {}
                for x, there in sight.read(ALL, task).items():
                    mine.setdefault(there.block, {})[x] = self._seen.number(k, there, task)
            self.places.append(Place(0, stride, matrix, right, seen, reads))
        self.size: int = len(self.constants)
        for kind, place in zip(kinds, self.places, strict=True):
            place.first = self.size
            self.size += place.stride * len(kind)

    @property
    def regions(self) -> list[tuple[int, int]]:
        """Of each kind, where its results begin, and how many an instance has."""
        return [(place.first, place.stride) for place in self.places]

    def entry(self, k: int, e: Expression) -> np.ndarray:
        """Where the value of an entry of the matrix stands, of each instance of kind k."""
        return self._places(k, e, ALL)[0]

    def _places(self, k: int, e: Expression, task: str) -> list[np.ndarray]:
        """Where the terms of a formula stand."""
        place, count, found = self.places[k], len(self.kinds[k]), []
        for term in self.sights[k].terms[task][e]:
            if isinstance(term, There):
                found.append(self.standing(k, term.block) + self._seen.number(k, term, task))
            elif term.value is not None:
                found.append(np.full(count, self.constants[term.value]))
            else:
                inside = place.right[task].index(term) + len(place.matrix) if task else place.matrix.index(term)
                found.append(place.first + inside + place.stride * np.arange(count))
        return found

    def owned(self, k: int, block: int) -> tuple[np.ndarray, np.ndarray]:
        """Of the parts in a block of kind k: the kind of each, and which instance of it."""
        owners = self._seen.owners
        inside = np.empty(len(owners), dtype=np.int64)
        for p in self._begin:
            inside[self.kinds[p].blocks[:, 0]] = np.arange(len(self.kinds[p]))
        b = self.kinds[k].blocks[:, block]
        return owners[b], inside[b]

    def standing(self, k: int, block: int) -> np.ndarray:
        """Where what is seen of the parts in a block of kind k begins, of each instance."""
        owner, instance = self.owned(k, block)
        begin, stride = np.zeros((2, len(self.kinds)), dtype=np.int64)
        for p, inside in self._begin.items():
            begin[p], stride[p] = self.places[p].first + inside, self.places[p].stride
        return begin[owner] + stride[owner] * instance

    def matrix(self, blocks: Blocks, at: np.ndarray) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Entries as (unknown, unknown, place), `at` telling the first unknown of each block."""
        found = []
        for k, kind in enumerate(self.kinds):
            for u, v, e in kind.equations(self.tasks[0]).matrix:
                i, j = (self.unknown(kind, x, blocks, at) for x in (u, v))
                found.append((i, j, self.entry(k, e)))
        return found

    def right(self, task: str, blocks: Blocks, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Entries of the right side as (unknown, place)."""
        found = [(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))]
        for k, kind in enumerate(self.kinds):
            for u, e in kind.equations(task).right:
                found += [(self.unknown(kind, u, blocks, at), place) for place in self._places(k, e, task)]
        i, place = (np.concatenate(some) for some in zip(*found, strict=True))
        return i, place

    def entries(self, task: str) -> list[np.ndarray]:
        """Of each kind, the places of all its formulas, shape (formulas, instances)."""
        found = []
        for k, (kind, sight) in enumerate(zip(self.kinds, self.sights, strict=True)):
            told = [place for name in (ALL, task) for e in sight.terms[name] for place in self._places(k, e, name)]
            found.append(np.array(told, dtype=np.int64).reshape(-1, len(kind)))
        return found

    def unknown(self, kind: Kind, u: Unknown, blocks: Blocks, at: np.ndarray) -> np.ndarray:
        """The number of an unknown in each instance."""
        block, place = u
        if block == ROWS:
            b, inside = blocks.multiplier[kind.rows[:, place]].T
            return at[b] + inside
        return at[kind.blocks[:, block]] + place
