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

from zeromass.compile.rolled.plan import HEADER
from zeromass.compile.rolled.room import Room
from zeromass.compile.rolled.shapes import OFTEN, SHAPES, Shape, rows_of

ALIKE = 20
"""Unknowns of a front up to which their order is one that other fronts have too."""


class Tables(NamedTuple):
    """Numbers for the loops, all of int32.

    fronts    shape (fronts, HEADER)
    unknowns  of each front, one after another, by their places among all
    slots     the place of the value of each entry; of frequent shapes, where elements and fronts begin
    sums      (place, place) whose values are added up before, for entries that several values are added to, shape (k, 2)
    summed    the place of the first sum of every front
    size      values in the memory for fronts
    shapes    those that are frequent
    others    (unknown, unknown, place) of entries in fronts of other shapes, shape (k, 3)
    plain     the same without any, where there are some
    """

    fronts: np.ndarray
    unknowns: np.ndarray
    slots: np.ndarray
    sums: np.ndarray
    summed: int
    size: int
    shapes: tuple[Shape, ...]
    others: np.ndarray
    plain: Tables | None = None

    @property
    def products(self) -> int:
        """Products of the elimination."""
        frequent = self.fronts[:, 10]
        p, _, s = self.fronts[frequent < 0, :3].T.astype(np.int64)
        k = np.arange(int(p.max(initial=0)))
        found = np.where(k < p[:, None], (s[:, None] - k) * (s[:, None] - k - 1) // 2, 0).sum()
        return int(found + sum(rows_of(shape).products * (frequent == k).sum() for k, shape in enumerate(self.shapes)))


def triangle(s: int, first: int, last: int) -> int:
    """Values in rows first … last − 1 of a front of s unknowns."""
    return sum(range(s + 1 - last + 1, s + 1 - first + 1))


def tables(
    order: Sequence[Sequence[int]],
    sizes: Sequence[int],
    coordinates: Sequence[int],
    entries: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]],
    zero: int,
    first: int,
    regions: Sequence[tuple[int, int]],
    *,
    net: bool = False,
    seldom: bool = False,
) -> Tables:
    """The tables of an elimination.

    order        blocks as they are eliminated, those of each front
    sizes        unknowns of each block; coordinates: how many of them are no multipliers
    entries      (row, column, place of the value) of the matrix: unknowns numbered in the order of elimination
    zero         place of a value that is zero
    first        place of the first value of the fronts
    regions      of each kind of elements: the place of its first value, and how many an instance has
    net          whether like parts are come by in many orders, so that unknowns of fronts are put into one
    seldom       whether they serve few evaluations: then frequent shapes get no code of their own
    """
    start = np.zeros(len(order) + 1, dtype=np.int64)
    np.cumsum([sum(sizes[b] for b in some) for some in order], out=start[1:])
    each = np.array([sum(coordinates[b] for b in some) for some in order], dtype=np.int64)
    i = np.concatenate([a for a, _, _ in entries])
    j = np.concatenate([b for _, b, _ in entries])
    value = np.concatenate([c for _, _, c in entries])
    low, high = np.minimum(i, j), np.maximum(i, j)
    sort = np.lexsort((high, low))
    low, high, value = low[sort], high[sort], value[sort]
    base = _bases(value, regions)
    blocks = [b for some in order for b in some]
    definite = np.concatenate([np.arange(sizes[b]) < coordinates[b] for b in blocks])
    start, each, positions = _joined(start, each, _positions(start, low, high))
    by_front = np.searchsorted(low, start)
    front_of = np.repeat(np.arange(len(positions)), np.diff(start))
    children: list[list[int]] = [[] for _ in positions]
    left: list[tuple[np.ndarray, int]] = [None] * len(positions)  # type: ignore[list-item]
    room = Room(first)
    found: list[_Front] = []
    known: dict[bytes, _Pattern] = {}
    for f, unknown in enumerate(positions):
        p, s = int(start[f + 1] - start[f]), len(unknown)
        if s > p:
            children[front_of[unknown[p]]].append(f)
        mine = slice(int(by_front[f]), int(by_front[f + 1]))
        before = [left[c] for c in children[f]]
        place = None
        if net and p + 1 < s <= ALIKE:
            alike = _alike(unknown, p, low[mine], high[mine], value[mine] - base[mine], before)
            place = np.empty(s, dtype=np.int64)
            place[alike] = np.arange(s)
            positions[f] = unknown[alike]
        row, column, source, begin, elements = _sources(
            unknown, place, low[mine], high[mine], value[mine], base[mine], definite, before
        )
        unknown = positions[f]
        numbers: dict[int, int] = {}
        groups = np.array([numbers.setdefault(x, len(numbers)) for x in begin.tolist()])
        told = row, column, source - begin, groups, np.array([p, s, elements])
        key = b"".join(x.tobytes() for x in told)
        pattern = known.get(key)
        if pattern is None:
            pattern = known[key] = _pattern(*told)
        place_left = room.take(triangle(s, p, s))
        found.append(_Front(p, s, place_left, pattern, source[pattern.order]))
        left[f] = unknown[p:], place_left
        for c in children[f]:
            theirs, was = left[c]
            room.give(was, triangle(len(theirs), 0, len(theirs)))
    names = np.concatenate(positions).astype(np.int32)
    shapes = {} if seldom else _frequent(found, each.tolist())
    most = max((front.pattern.sums for front in found), default=0)
    places = first, room.end, room.end + most
    plain = _tabled(found, each, start, {}, zero, names, places)
    tabled = _tabled(found, each, start, shapes, zero, names, places)
    rest = np.repeat(tabled.fronts[:, 10] < 0, np.diff(start))[low]
    others = np.stack([low, high, value], axis=1)[rest].astype(np.int32)
    return tabled._replace(plain=plain if shapes else None, others=others)


def _bases(place: np.ndarray, regions: Sequence[tuple[int, int]]) -> np.ndarray:
    """Where the instance begins whose value stands at a place; 0 of constants."""
    firsts = np.array([0, *[first for first, _ in regions]])
    strides = np.array([1 << 40, *[max(stride, 1) for _, stride in regions]])
    k = np.searchsorted(firsts, place, side="right") - 1
    return place - (place - firsts[k]) % strides[k]


def _positions(start: np.ndarray, low: np.ndarray, high: np.ndarray) -> list[np.ndarray]:
    """The unknowns of the front of each block: its own, and those that they are coupled with when it is eliminated."""
    by_front = np.searchsorted(low, start)
    front_of = np.repeat(np.arange(len(start) - 1), np.diff(start))
    found: list[np.ndarray] = []
    children: list[list[int]] = [[] for _ in start]
    for f in range(len(start) - 1):
        other = high[by_front[f] : by_front[f + 1]]
        parts = [other[other >= start[f + 1]]]
        parts += [found[c][found[c] >= start[f + 1]] for c in children[f]]
        beyond = np.unique(np.concatenate(parts))
        found.append(np.concatenate([np.arange(start[f], start[f + 1]), beyond]))
        if len(beyond):
            children[front_of[beyond[0]]].append(f)
    return found


def _joined(
    start: np.ndarray, coordinates: np.ndarray, positions: list[np.ndarray]
) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
    """Fronts of parts and of the multipliers eliminated next as one, where that is frequent: nothing is left in between."""
    pairs: dict[tuple[int, ...], list[int]] = defaultdict(list)
    pivots = np.diff(start)
    for f in range(len(positions) - 1):
        mine = positions[f]
        follows = len(mine) > pivots[f] and mine[pivots[f]] < start[f + 2]
        if follows and coordinates[f] and not coordinates[f + 1]:
            key = int(pivots[f]), len(mine), int(pivots[f + 1]), len(positions[f + 1])
            pairs[key].append(f)
    some = [f for members in pairs.values() if len(members) >= OFTEN for f in members]
    first = np.zeros(len(positions), dtype=bool)
    first[some] = True
    for f in some:
        positions[f + 1] = np.concatenate([positions[f][: pivots[f]], positions[f + 1]])
    second = np.roll(first, 1)
    coordinates = coordinates + np.where(second, np.roll(coordinates, 1), 0)
    starts = np.append(start[:-1][~second], start[-1])
    return starts, coordinates[~first], [one for one, skip in zip(positions, first, strict=True) if not skip]


def _tabled(
    fronts: Sequence[_Front],
    coordinates: np.ndarray,
    start: np.ndarray,
    shapes: dict[Shape, int],
    zero: int,
    names: np.ndarray,
    places: tuple[int, int, int],
) -> Tables:
    """Tables of fronts, those that are filled alike at once.

    places  of the first value of the fronts, which is left over, of the first sum, and of the first row
    """
    begin, summed, behind = places
    heads = np.empty((len(fronts), HEADER), dtype=np.int64)
    heads[:, 0], heads[:, 2], heads[:, 4] = np.array([front[:3] for front in fronts]).reshape(-1, 3).T
    heads[:, 1], heads[:, 9], heads[:, 11] = coordinates, start[:-1], start[:-1]
    heads[:, 5] = np.cumsum([0, *heads[:-1, 2]])[: len(fronts)]
    groups: dict[tuple[int, int], list[int]] = defaultdict(list)
    for f, (front, own) in enumerate(zip(fronts, coordinates.tolist(), strict=True)):
        groups[id(front.pattern), own].append(f)
    rows = np.empty(len(fronts), dtype=np.int64)
    for (_, own), some in groups.items():
        one = fronts[some[0]]
        shape = one.shape(own) if shapes else None
        heads[some, 10] = -1 if shape is None else shapes.get(shape, -1)
        rows[some] = triangle(one.unknowns, 0, one.pivots) if shape not in shapes else len(rows_of(shape).places)
    ends = behind + np.cumsum(rows)
    heads[:, 3] = ends - rows
    lengths = np.empty((len(fronts), 2), dtype=np.int64)
    parts: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    for some in groups.values():
        members = np.array(some)
        table, more = np.stack([fronts[f].sources for f in some]), np.empty((len(some), 0, 2), dtype=np.int64)
        one = fronts[some[0]]
        if heads[some[0], 10] < 0:
            table, more = _slotted(one, table, summed, zero)
        else:
            table = table[:, one.pattern.leads] - one.pattern.offsets
        heads[members, 8] = more.shape[1]
        lengths[members] = table.shape[1], more.shape[1]
        parts.append((members, table, more))
    after = np.cumsum(lengths, axis=0)
    heads[:, 6:8] = after - lengths
    slots = np.empty(after[-1, 0] if len(after) else 0, dtype=np.int32)
    sums = np.empty((after[-1, 1] if len(after) else 0, 2), dtype=np.int32)
    for members, table, more in parts:
        slots[heads[members, 6][:, None] + np.arange(table.shape[1])] = table
        sums[heads[members, 7][:, None] + np.arange(more.shape[1])] = more
    size, others = int(ends[-1] if len(ends) else behind) - begin, np.empty((0, 3), dtype=np.int32)
    return Tables(heads.astype(np.int32), names, slots, sums, summed, size, tuple(shapes), others)


def _slotted(one: _Front, sources: np.ndarray, summed: int, zero: int) -> tuple[np.ndarray, np.ndarray]:
    """The place of every entry of fronts that are filled alike, and pairs of places that are added up before."""
    inside = one.pattern.inside
    last = np.append(inside[1:] != inside[:-1], True)[: len(inside)]
    more = np.flatnonzero(~np.append(True, last[:-1])[: len(inside)])
    found, sums = sources.copy(), summed + np.arange(len(more))
    found[:, more] = sums
    table = np.full((len(sources), len(one.pattern.counts)), zero, dtype=np.int64)
    table[:, inside[last]] = found[:, last]
    return table, np.stack([found[:, more - 1], sources[:, more]], axis=2)


class _Pattern(NamedTuple):
    """What fronts have in common that are filled alike: where each source goes, sorted by that.

    order   of the sources
    inside  entries that they are added to, counted through rows of pivots and what is left over
    counts  sources of each entry; own: how many of them are of elements
    places  of each source, the number of the element or front and the place in it
    leads   the first source of each element or front, and its place in it
    """

    order: np.ndarray
    inside: np.ndarray
    counts: bytes
    own: bytes
    places: bytes
    leads: np.ndarray
    offsets: np.ndarray

    @property
    def sums(self) -> int:
        """How many values are added to others."""
        return len(self.inside) - int(np.count_nonzero(np.frombuffer(self.counts, dtype=np.uint8)))


class _Front(NamedTuple):
    pivots: int
    unknowns: int
    left: int
    pattern: _Pattern
    sources: np.ndarray

    def shape(self, coordinates: int) -> Shape:
        return Shape(self.pivots, coordinates, self.unknowns, *self.pattern[2:5])


def _alike(
    unknown: np.ndarray,
    pivots: int,
    low: np.ndarray,
    high: np.ndarray,
    offset: np.ndarray,
    children: Sequence[tuple[np.ndarray, int]],
) -> list[int]:
    """The order of the unknowns of a front, those behind the pivots by how they are reached: fronts like it have the same.

    offset  of each entry, its place in the element
    """
    first = int(unknown[0])
    ways: dict[int, list[tuple[int, ...]]] = {j: [] for j in unknown[pivots:].tolist()}
    for number, (theirs, _) in enumerate(children):
        for rank, j in enumerate(theirs.tolist()):
            if j in ways:
                ways[j].append((number, rank))
    for i, j, inside in zip(low.tolist(), high.tolist(), offset.tolist(), strict=True):
        if j in ways:
            ways[j].append((len(children), i - first, inside))
    told = list(ways.values())
    return [*range(pivots), *sorted(range(pivots, len(unknown)), key=lambda k: told[k - pivots])]


def _sources(
    unknown: np.ndarray,
    place: np.ndarray | None,
    low: np.ndarray,
    high: np.ndarray,
    value: np.ndarray,
    base: np.ndarray,
    definite: np.ndarray,
    children: Sequence[tuple[np.ndarray, int]],
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, int]:
    """Row, column and place of all that is added to a front, where the element or front begins, how many are of elements.

    unknown  in the order of elimination; place: of each in the front, where that is another
    """
    s = len(unknown)
    row, column = np.searchsorted(unknown, low), np.searchsorted(unknown, high)
    definite = definite[low]
    if place is not None:
        row, column = place[row], place[column]
        sort = np.argsort(row * s + column, kind="stable")
        row, column, value, base, definite = row[sort], column[sort], value[sort], base[sort], definite[sort]
    diagonal = (row == column) & definite  # that of multipliers stands alone, see `optional`
    rows, columns, sources, bases = (
        [row, row[diagonal]],
        [column, np.full(int(diagonal.sum()), s)],  # what a pivot is made of
        [value, value[diagonal]],
        [base, base[diagonal]],
    )
    for theirs, start in children:
        r, c = _upper(len(theirs))
        spot = np.append(
            np.searchsorted(unknown, theirs) if place is None else place[np.searchsorted(unknown, theirs)], s
        )
        rows.append(np.minimum(spot[r], spot[c]))
        columns.append(np.maximum(spot[r], spot[c]))
        sources.append(start + np.arange(len(r)))
        bases.append(np.full(len(r), start))
    elements = len(row) + int(diagonal.sum())
    row, column, source, begin = (np.concatenate(x) for x in (rows, columns, sources, bases))
    return row, column, source, begin, elements


@cache
def _upper(k: int) -> tuple[np.ndarray, np.ndarray]:
    row, column = np.triu_indices(k, m=k + 1)
    return row, column


def _pattern(row: np.ndarray, column: np.ndarray, offset: np.ndarray, group: np.ndarray, told: np.ndarray) -> _Pattern:
    _, s, elements = told.tolist()
    begin = np.array([k * (s + 1) - k * (k - 1) // 2 - k for k in range(s)], dtype=np.int64)
    inside = begin[row] + column
    order = np.argsort(inside, kind="stable")
    counts, own = (np.bincount(x, minlength=triangle(s, 0, s)) for x in (inside, inside[:elements]))
    counts, own = (np.minimum(x, 255).astype(np.uint8).tobytes() for x in (counts, own))
    group, offset = group[order], offset[order]
    leads = np.unique(group, return_index=True)[1]
    places = np.stack([group, offset], axis=1).astype(np.int32).tobytes()
    return _Pattern(order, inside[order], counts, own, places, leads, offset[leads])


def _frequent(fronts: Sequence[_Front], coordinates: Sequence[int]) -> dict[Shape, int]:
    """Shapes of many fronts, numbered."""
    found = Counter(front.shape(c) for front, c in zip(fronts, coordinates, strict=True))
    least = max(OFTEN, len(fronts) // 100)
    often = [shape for shape, count in found.most_common(SHAPES) if count >= least and shape.frequent]
    return {shape: k for k, shape in enumerate(often)}
