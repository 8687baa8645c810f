"""Fronts: what the elimination of each block works on, and tables that tell what is added where.

The front of a block is a symmetric matrix of its own unknowns, the pivots, and of those that they are coupled with. It is
filled with entries of elements that no earlier front has taken, and with what fronts before it have left over. Rows of
pivots are kept for the way back; what is left over waits for a later front, in memory that is used again.

    row k of a front:  its entries from the diagonal on, and last the sum of the sizes that its pivot is made of
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from zeromass.compile.rolled.unrolled import LARGEST, OFTEN, SHAPES, SOURCES, Shape

HEADER = 11
"""Numbers of a front: pivots, coordinates among them, unknowns, places of its rows, of what is left over, of its unknowns,
of its table, of what is added beside, how much that is, of its first pivot, and its number among frequent shapes or −1."""


class Tables(NamedTuple):
    """Numbers for the loops, all of int32.

    fronts    shape (fronts, HEADER)
    unknowns  of each front, one after another, by their places among all
    slots     places whose values are added: two for each entry of a front, or of frequent shapes as many as it has
    beside    further (place in a front, place whose value is added), shape (k, 2)
    size      values in the memory for fronts
    shapes    those that are frequent
    plain     the same without any, where there are some
    """

    fronts: np.ndarray
    unknowns: np.ndarray
    slots: np.ndarray
    beside: np.ndarray
    size: int
    shapes: tuple[Shape, ...]
    plain: Tables | None = None


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
    front_of = np.repeat(np.arange(len(order)), np.diff(start))
    i = np.concatenate([a for a, _, _ in entries])
    j = np.concatenate([b for _, b, _ in entries])
    value = np.concatenate([c for _, _, c in entries])
    low, high = np.minimum(i, j), np.maximum(i, j)
    sort = np.lexsort((high, low))
    low, high, value = low[sort], high[sort], value[sort]
    by_front = np.searchsorted(low, start)
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
    found: list[_Front] = []
    known: dict[bytes, _Pattern] = {}
    for f in range(len(order)):
        p, unknown = int(start[f + 1] - start[f]), positions[f]
        s = len(unknown)
        rest = triangle(s, p, s)
        mine = slice(int(by_front[f]), int(by_front[f + 1]))
        row, column, source = _sources(unknown, low[mine], high[mine], value[mine], [left[c] for c in children[f]])
        key = row.tobytes() + column.tobytes() + bytes((p % 256, s % 256, p // 256, s // 256))
        pattern = known.get(key)
        if pattern is None:
            pattern = known[key] = _pattern(row, column, p, s)
        place_left = room.take(rest)
        found.append(_Front(p, s, pivots_rows[f], place_left, pattern, source[pattern.order]))
        left[f] = unknown[p:], place_left
        for c in children[f]:
            theirs, place = left[c]
            room.give(place, triangle(len(theirs), 0, len(theirs)))
    each = [coordinates[b] for b in order]
    names, size = np.concatenate(positions).astype(np.int32), room.end - first
    shapes = _frequent(found, each)
    plain = _tabled(found, each, start, {}, zero, names, size)
    return _tabled(found, each, start, shapes, zero, names, size)._replace(plain=plain if shapes else None)


def _tabled(
    fronts: Sequence[_Front],
    coordinates: Sequence[int],
    start: np.ndarray,
    shapes: dict[Shape, int],
    zero: int,
    names: np.ndarray,
    size: int,
) -> Tables:
    """Tables of fronts, those that are filled alike at once."""
    heads = np.empty((len(fronts), HEADER), dtype=np.int64)
    heads[:, 0], heads[:, 2], heads[:, 3], heads[:, 4] = np.array([front[:4] for front in fronts]).reshape(-1, 4).T
    heads[:, 1], heads[:, 9] = coordinates, start[:-1]
    heads[:, 5] = np.cumsum([0, *heads[:-1, 2]])[: len(fronts)]
    groups: dict[tuple[int, int], list[int]] = defaultdict(list)
    for f, (front, own) in enumerate(zip(fronts, coordinates, strict=True)):
        groups[id(front.pattern), own].append(f)
    lengths = np.empty((len(fronts), 2), dtype=np.int64)
    parts: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    for some in groups.values():
        one = fronts[some[0]]
        shape = shapes.get(one.shape(coordinates[some[0]]), -1) if shapes else -1
        members = np.array(some)
        table, more = np.stack([fronts[f].sources for f in some]), np.empty((len(some), 0, 2), dtype=np.int64)
        if shape < 0:
            table, more = _slotted(one, table, heads[members, 3:5], zero)
        heads[members, 8], heads[members, 10] = more.shape[1], shape
        lengths[members] = table.shape[1], more.shape[1]
        parts.append((members, table, more))
    ends = np.cumsum(lengths, axis=0)
    heads[:, 6:8] = ends - lengths
    slots = np.empty(ends[-1, 0] if len(ends) else 0, dtype=np.int32)
    beside = np.empty((ends[-1, 1] if len(ends) else 0, 2), dtype=np.int32)
    for members, table, more in parts:
        slots[heads[members, 6][:, None] + np.arange(table.shape[1])] = table
        beside[heads[members, 7][:, None] + np.arange(more.shape[1])] = more
    return Tables(heads.astype(np.int32), names, slots, beside, size, tuple(shapes))


def _slotted(one: _Front, sources: np.ndarray, places: np.ndarray, zero: int) -> tuple[np.ndarray, np.ndarray]:
    """Two sources for every entry of fronts that are filled alike, and pairs (entry, source) of those that have more."""
    inside, size = one.pattern.inside, triangle(one.unknowns, 0, one.pivots)
    rank = np.arange(len(inside)) - np.searchsorted(inside, inside)
    table = np.full((len(sources), 2 * len(one.pattern.counts)), zero, dtype=np.int64)
    for k in range(2):
        table[:, 2 * inside[rank == k] + k] = sources[:, rank == k]
    more = rank >= 2
    rows, left = places[:, :1], places[:, 1:]
    target = np.where(inside < size, rows + inside, left + inside - size)
    return table, np.stack([target[:, more], sources[:, more]], axis=2)


class _Pattern(NamedTuple):
    """What fronts have in common that are filled alike: where each source goes, sorted by that.

    order   of the sources
    inside  entries that they are added to, counted through rows of pivots and what is left over
    counts  sources of each entry
    """

    order: np.ndarray
    inside: np.ndarray
    counts: bytes


class _Front(NamedTuple):
    pivots: int
    unknowns: int
    rows: int
    left: int
    pattern: _Pattern
    sources: np.ndarray

    def shape(self, coordinates: int) -> Shape:
        return Shape(self.pivots, coordinates, self.unknowns, self.pattern.counts)


def _sources(
    unknown: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    value: np.ndarray,
    children: Sequence[tuple[np.ndarray, int]],
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Row, column and place of all that is added to a front: entries, and what its children have left over."""
    s = len(unknown)
    row, column = np.searchsorted(unknown, low), np.searchsorted(unknown, high)
    diagonal = row == column
    rows, columns, sources = (
        [row, row[diagonal]],
        [column, np.full(int(diagonal.sum()), s)],  # what a pivot is made of
        [value, value[diagonal]],
    )
    for theirs, place in children:
        r, c = _upper(len(theirs))
        spot = np.searchsorted(unknown, theirs)
        rows.append(spot[r])
        columns.append(np.append(spot, s)[c])
        sources.append(place + np.arange(len(r)))
    return np.concatenate(rows), np.concatenate(columns), np.concatenate(sources)


@cache
def _upper(k: int) -> tuple[np.ndarray, np.ndarray]:
    row, column = np.triu_indices(k, m=k + 1)
    return row, column


def _pattern(row: np.ndarray, column: np.ndarray, p: int, s: int) -> _Pattern:
    begin = np.array([k * (s + 1) - k * (k - 1) // 2 - k for k in range(s)], dtype=np.int64)
    inside = begin[row] + column
    order = np.argsort(inside, kind="stable")
    counts = np.bincount(inside, minlength=triangle(s, 0, s))
    return _Pattern(order, inside[order], np.minimum(counts, 255).astype(np.uint8).tobytes())


def _frequent(fronts: Sequence[_Front], coordinates: Sequence[int]) -> dict[Shape, int]:
    """Shapes of many fronts, numbered."""
    found = Counter(front.shape(c) for front, c in zip(fronts, coordinates, strict=True))
    often = [
        shape
        for shape, count in found.most_common(SHAPES)
        if count >= OFTEN and shape.products <= LARGEST and max(shape.counts) <= SOURCES
    ]
    return {shape: k for k, shape in enumerate(often)}
