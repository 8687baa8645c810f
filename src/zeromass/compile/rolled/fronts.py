"""Fronts: what the elimination of each block works on, and tables that tell what is added where.

The front of a block is a symmetric matrix of its own unknowns, the pivots, and of those that they are coupled with. It is
filled with entries of elements that no earlier front has taken, and with what fronts before it have left over. Rows of
pivots are kept for the way back; what is left over waits for a later front, in memory that is used again.

    row k of a front:  its entries from the diagonal on, and last the sum of the sizes that its pivot is made of
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from zeromass.compile.rolled.unrolled import LARGEST, OFTEN, SHAPES, Shape

HEADER = 11
"""Numbers of a front: pivots, coordinates among them, unknowns, places of its rows, of what is left over, of its unknowns,
of its table, of what is added beside, how much that is, of its first pivot, and which of the frequent shapes it has or −1."""


class Tables(NamedTuple):
    """Numbers for the loops, all of int32.

    fronts    shape (fronts, HEADER)
    unknowns  of each front, one after another, by their places among all
    slots     two places whose values are added, for each entry of each front
    beside    further (place in a front, place whose value is added), shape (k, 2)
    size      values in the memory for fronts
    shapes    those that are frequent
    """

    fronts: np.ndarray
    unknowns: np.ndarray
    slots: np.ndarray
    beside: np.ndarray
    size: int
    shapes: tuple[Shape, ...]


class _Room:
    """Memory for what is left over: places are used again."""

    def __init__(self, first: int) -> None:
        self.end = first
        self._free: dict[int, list[int]] = defaultdict(list)

    def take(self, size: int) -> int:
        if self._free[size]:
            return self._free[size].pop()
        self.end += size
        return self.end - size

    def give(self, place: int, size: int) -> None:
        self._free[size].append(place)


def row_length(s: int, k: int) -> int:
    return s + 1 - k


def triangle(s: int, first: int, last: int) -> int:
    """Values in rows first … last − 1 of a front of s unknowns."""
    return sum(range(s + 1 - last + 1, s + 1 - first + 1))


def tables(
    order: Sequence[int],
    sizes: Sequence[int],
    coordinates: Sequence[int],
    entries: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]],
    zero: int,
    first: int,
) -> Tables:
    """The tables of an elimination.

    order        blocks as they are eliminated
    sizes        unknowns of each block; coordinates: how many of them are no multipliers
    entries      (row, column, place of the value) of the matrix: unknowns numbered in the order of elimination
    zero         place of a value that is zero
    first        place of the first value of the fronts
    """
    start = np.zeros(len(order) + 1, dtype=np.int64)
    np.cumsum([sizes[b] for b in order], out=start[1:])
    total = int(start[-1])
    front_of = np.repeat(np.arange(len(order)), np.diff(start))
    i = np.concatenate([a for a, _, _ in entries])
    j = np.concatenate([b for _, b, _ in entries])
    value = np.concatenate([c for _, _, c in entries])
    low, high = np.minimum(i, j), np.maximum(i, j)
    sort = np.lexsort((high, low))
    low, high, value = low[sort], high[sort], value[sort]
    by_front = np.searchsorted(low, start)
    heads = np.empty((len(order), HEADER), dtype=np.int64)
    all_unknowns, slots, beside = [], [], []
    children: list[list[int]] = [[] for _ in order]
    kept = first
    pivots_rows = np.empty(len(order), dtype=np.int64)
    left: list[tuple[np.ndarray, int]] = [None] * len(order)  # type: ignore[list-item]
    positions: list[np.ndarray] = [None] * len(order)  # type: ignore[list-item]
    # first the unknowns of all fronts, so that rows of pivots can stand together
    for f in range(len(order)):
        own = np.arange(start[f], start[f + 1])
        other = high[by_front[f] : by_front[f + 1]]
        parts = [other[other >= start[f + 1]]]
        parts += [positions[c][positions[c] >= start[f + 1]] for c in children[f]]
        beyond = np.unique(np.concatenate(parts)) if parts else np.empty(0, dtype=np.int64)
        positions[f] = np.concatenate([own, beyond])
        if len(beyond):
            children[front_of[beyond[0]]].append(f)
    for f in range(len(order)):
        pivots_rows[f] = kept
        kept += triangle(len(positions[f]), 0, int(start[f + 1] - start[f]))
    room = _Room(kept)
    at, at_slots, at_beside = 0, 0, 0
    for f, b in enumerate(order):
        p, unknown = int(start[f + 1] - start[f]), positions[f]
        s = len(unknown)
        rest = triangle(s, p, s)
        place_left = room.take(rest)
        base_rows = np.array([k * (s + 1) - k * (k - 1) // 2 - k for k in range(s)], dtype=np.int64)
        in_rows = base_rows + pivots_rows[f]
        cut = base_rows[p] + p if p < s else 0
        in_left = base_rows - cut + place_left
        base = np.where(np.arange(s) < p, in_rows, in_left)
        sources_row, sources_column, sources = [], [], []
        mine = slice(int(by_front[f]), int(by_front[f + 1]))
        sources_row.append(np.searchsorted(unknown, low[mine]))
        sources_column.append(np.searchsorted(unknown, high[mine]))
        sources.append(value[mine])
        diagonal = low[mine] == high[mine]
        sources_row.append(np.searchsorted(unknown, low[mine][diagonal]))  # what a pivot is made of
        sources_column.append(np.full(int(diagonal.sum()), s))
        sources.append(value[mine][diagonal])
        for c in children[f]:
            theirs, size = left[c]
            k = len(theirs)
            row, column = np.triu_indices(k, m=k + 1)
            spot = np.searchsorted(unknown, theirs)
            spots = np.append(spot, s)
            sources_row.append(spot[row])
            sources_column.append(spots[column])
            sources.append(size + np.arange(len(row)))
        row, column, source = (np.concatenate(x) for x in (sources_row, sources_column, sources))
        target = base[row] + column
        table, more = _slotted(target, source, pivots_rows[f], triangle(s, 0, p), place_left, rest, zero)
        heads[f] = (p, coordinates[b], s, pivots_rows[f], place_left, at, at_slots, at_beside, len(more), start[f], -1)
        all_unknowns.append(unknown)
        slots.append(table)
        beside.append(more)
        at, at_slots, at_beside = at + s, at_slots + len(table), at_beside + len(more)
        left[f] = unknown[p:], place_left
        for c in children[f]:
            theirs, size = left[c]
            room.give(size, triangle(len(theirs), 0, len(theirs)))
    assert total == (heads[-1, 9] + heads[-1, 0] if len(heads) else 0)
    shapes = _frequent(heads)
    return Tables(
        heads.astype(np.int32),
        np.concatenate(all_unknowns).astype(np.int32),
        np.concatenate(slots).astype(np.int32),
        np.concatenate([np.empty((0, 2), dtype=np.int64), *beside]).astype(np.int32),
        room.end - first,
        shapes,
    )


def _frequent(heads: np.ndarray) -> tuple[Shape, ...]:
    """Shapes of many fronts; each front is told which one it has."""
    plain = heads[:, 8] == 0
    found = Counter(Shape(*row) for row in heads[plain, :3].tolist())
    often = [shape for shape, count in found.most_common(SHAPES) if count >= OFTEN and shape.products <= LARGEST]
    for k, shape in enumerate(often):
        heads[plain & (heads[:, :3] == shape).all(axis=1), 10] = k
    return tuple(often)


def _slotted(
    target: np.ndarray, source: np.ndarray, rows: int, size: int, left: int, rest: int, zero: int
) -> tuple[np.ndarray, np.ndarray]:
    """Two sources for every entry of a front, and pairs (entry, source) of those that have more."""
    inside = np.where((target >= rows) & (target < rows + size), target - rows, target - left + size)
    sort = np.argsort(inside, kind="stable")
    inside, target, source = inside[sort], target[sort], source[sort]
    new = np.ones(len(inside), dtype=bool)
    new[1:] = inside[1:] != inside[:-1]
    begin = np.flatnonzero(new)
    rank = np.arange(len(inside)) - np.repeat(begin, np.diff(np.append(begin, len(inside))))
    table = np.full((size + rest, 2), zero, dtype=np.int64)
    for k in range(2):
        picked = rank == k
        table[inside[picked], k] = source[picked]
    more = rank >= 2
    return table, np.stack([target[more], source[more]], axis=1)
