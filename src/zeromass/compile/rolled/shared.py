"""Places in memory that tiles share: entries of elements, unknowns, what is left over, rows of pivots.

An unknown has a slot; one that several tiles work on keeps it as long as they do, all others share slots with those of other
tiles. So does what fronts leave over. An element is evaluated in every tile that needs it.
"""

from __future__ import annotations

from collections import defaultdict
from heapq import heappop, heappush

import numpy as np

from zeromass.compile.rolled.fronts import Tables, triangle
from zeromass.compile.rolled.layout import Blocks, Layout
from zeromass.compile.rolled.tiles import Tiles, first_beyond


class Shared:
    """Where everything stands.

    own        tile of each unknown; reached: the first that works on it; slot: of each
    crossed    whether tiles up to each leave anything for those behind it
    unknowns   place of the first slot; end: of what is behind everything
    """

    slots: int
    end: int

    def __init__(self, layout: Layout, task: str, blocks: Blocks, at: np.ndarray, tables: Tables, tiles: Tiles) -> None:
        fronts, count = tables.fronts.astype(np.int64), len(tiles.fronts) - 1
        pivots, unknowns = fronts[:, 0], fronts[:, 2]
        self._layout, self._old, self._before, self._tiles = layout, fronts, tables, tiles
        self._tile = np.repeat(np.arange(count), np.diff(tiles.fronts))
        self.own: np.ndarray = np.repeat(self._tile, pivots)
        self.reached: np.ndarray = np.empty(len(self.own), dtype=np.int64)
        self.reached[tiles.touched[0]] = np.repeat(np.arange(count), np.diff(tiles.touched[1]))
        of = np.repeat(np.arange(len(fronts)), pivots)
        beyond = np.where(unknowns > pivots, first_beyond(tables), 0)
        self._parent = np.where(unknowns > pivots, of[beyond], -1)
        later = (self._parent >= 0) & (np.append(self._tile, 0)[self._parent] > self._tile)
        spans = np.zeros(count + 1, dtype=np.int64)
        np.add.at(spans, self._tile[later], 1)
        np.add.at(spans, self._tile[self._parent[later]], -1)
        self.crossed: np.ndarray = np.cumsum(spans)[:count] > 0
        self._lengths = np.diff(np.append(fronts[:, 6], len(tables.slots)))
        self.unknowns: int = self._elements(task, layout.right(task, blocks, at))
        last = np.full(len(fronts), count)
        np.minimum.at(last, of, self.reached)
        heads, self.slots = self._slots(pivots, last)
        self.slot: np.ndarray = np.repeat(heads, pivots) + np.arange(len(of)) - np.repeat(fronts[:, 9], pivots)
        self._first = layout.size + 3 * len(of)
        self._left, self._summed = self._left_over(later, self.unknowns + 3 * self.slots)
        end = self._summed + int(fronts[:, 8].max(initial=0))
        size = np.diff(np.append(fronts[:, 3], self._first + tables.size))
        self._rows, self.end = self._stacked(size, end)
        self.tables: Tables = self._moved(heads)

    def _stacked(self, sizes: np.ndarray, first: int) -> tuple[np.ndarray, int]:
        """Places of fronts in each tile, and the end."""
        each = np.zeros(len(self._tiles.fronts) - 1, dtype=np.int64)
        np.add.at(each, self._tile, sizes)
        inside = np.cumsum(sizes) - sizes - (np.cumsum(each) - each)[self._tile]
        return first + inside, first + int(max(each, default=0))

    def _slots(self, pivots: np.ndarray, last: np.ndarray) -> tuple[np.ndarray, int]:
        """The first slot of each front, and how many there are.

        Those of fronts whose unknowns other tiles work on are free once the last of these is on its way back.
        """
        lasting = last < self._tile
        heads, end = np.zeros(len(pivots), dtype=np.int64), 0
        free: dict[int, list[int]] = defaultdict(list)
        busy: list[tuple[int, int]] = []
        some = np.flatnonzero(lasting)[::-1]
        told = zip(*(x[some].tolist() for x in (np.arange(len(pivots)), self._tile, pivots, last)), strict=True)
        for f, tile, size, until in told:
            while busy and -busy[0][0] > tile:
                known = heappop(busy)[1]
                free[int(pivots[known])].append(int(heads[known]))
            if free[size]:
                heads[f] = free[size].pop()
            else:
                heads[f], end = end, end + size
            heappush(busy, (-until, f))
        inside, all_ = self._stacked(np.where(lasting, 0, pivots), end)
        return np.where(lasting, heads, inside), all_

    def _elements(self, task: str, right: tuple[np.ndarray, np.ndarray]) -> int:
        """Which instances each tile evaluates, those with entries in its fronts or terms of its r; where results end."""
        from zeromass.compile.rolled.memory import Share

        layout, tables, count = self._layout, self._before, len(self._tiles.fronts) - 1
        i, place = right
        by_front, of_sums = np.repeat(self._tile, self._lengths), np.repeat(self._tile, 2 * self._old[:, 8])
        places = np.concatenate([place, place, tables.slots, tables.sums.ravel()]).astype(np.int64)
        tile = np.concatenate([self.reached[i], self.own[i], by_front, of_sums])
        self.firsts: list[np.ndarray] = []
        self.instances: list[Share] = []
        self._keys: list[np.ndarray] = []
        for kind, at in zip(layout.kinds, layout.places, strict=True):
            mine = (places >= at.first) & (places < at.first + at.stride * len(kind))
            self._keys.append(np.unique(tile[mine] * len(kind) + (places[mine] - at.first) // max(at.stride, 1)))
        self._with_parts(task)
        end = len(layout.constants)
        for kind, at, keys in zip(layout.kinds, layout.places, self._keys, strict=True):
            shares = np.searchsorted(keys, len(kind) * np.arange(count + 1))
            self.instances.append(Share(keys % len(kind), shares))
            self.firsts.append(np.full(count, end))
            end += at.stride * int(max(np.diff(shares), default=0))
        return end

    def _with_parts(self, task: str) -> None:
        """Parts of which elements read something are evaluated with them."""
        layout, more = self._layout, dict[int, list[np.ndarray]]()
        for k, (kind, at) in enumerate(zip(layout.kinds, layout.places, strict=True)):
            tile, instance = np.divmod(self._keys[k], max(len(kind), 1))
            for block in at.reads[task]:
                owner, inside = layout.owned(k, block)
                for p in np.unique(owner).tolist():
                    mine = owner[instance] == p
                    more.setdefault(p, []).append(tile[mine] * len(layout.kinds[p]) + inside[instance[mine]])
        for p, keys in more.items():
            self._keys[p] = np.unique(np.concatenate([self._keys[p], *keys]))

    def local(self, place: np.ndarray, tile: np.ndarray) -> np.ndarray:
        """Where values of elements stand in a tile."""
        found = np.asarray(place, dtype=np.int64).copy()
        for k, (kind, at) in enumerate(zip(self._layout.kinds, self._layout.places, strict=True)):
            mine = np.flatnonzero((place >= at.first) & (place < at.first + at.stride * len(kind)))
            instance, offset = np.divmod(place[mine] - at.first, max(at.stride, 1))
            rank = np.searchsorted(self._keys[k], tile[mine] * len(kind) + instance)
            inside = rank - self.instances[k].ends[tile[mine]]
            found[mine] = self.firsts[k][tile[mine]] + at.stride * inside + offset
        return found

    def _left_over(self, later: np.ndarray, first: int) -> tuple[np.ndarray, int]:
        """Where what each front leaves over waits, and the end: what is left for another tile in a place of its own."""
        sizes = [triangle(k, 0, k) for k in (self._old[:, 2] - self._old[:, 0]).tolist()]
        inside, most = np.zeros(len(sizes), dtype=np.int64), 0
        children: dict[int, list[int]] = defaultdict(list)
        end, tile, free = 0, -1, dict[int, list[int]]()
        told = zip(self._tile.tolist(), self._parent.tolist(), later.tolist(), strict=True)
        for f, (mine, parent, lasts) in enumerate(told):
            if mine != tile:
                end, free, tile = 0, {}, mine
            if not lasts:
                known = free.get(sizes[f])
                inside[f] = known.pop() if known else end
                end = max(end, int(inside[f]) + sizes[f])
                children[parent].append(f)
            for c in children.pop(f, ()):
                free.setdefault(sizes[c], []).append(int(inside[c]))
            most = max(most, end)
        kept = np.where(later, sizes, 0)
        begin = first + int(kept.sum())
        return np.where(later, first + np.cumsum(kept) - kept, begin + inside), begin + most

    def _moved(self, heads: np.ndarray) -> Tables:
        """The tables with places and slots in shared memory."""
        tables, fronts, each = self._before, self._old.copy(), np.arange(len(self._old))
        fronts[:, 3], fronts[:, 4], fronts[:, 11] = self._rows, self._left, heads
        by_front, of_sums = np.repeat(each, self._lengths), np.repeat(each, 2 * self._old[:, 8])
        low, high, value = tables.others.astype(np.int64).T
        return tables._replace(
            fronts=fronts,
            unknowns=self.slot[tables.unknowns],
            slots=self._source(tables.slots.astype(np.int64), by_front),
            sums=self._source(tables.sums.ravel().astype(np.int64), of_sums).reshape(-1, 2),
            summed=self._summed,
            others=np.stack([self.slot[low], self.slot[high], self.local(value, self.own[low])], axis=1),
            plain=None,
        )

    def _source(self, place: np.ndarray, front: np.ndarray) -> np.ndarray:
        """Where values stand that fronts take: of elements, left over by fronts before, or sums of those."""
        found = self.local(place, self._tile[front])
        apart = self._first + self._before.size + 1
        child = np.flatnonzero(self._parent >= 0)
        keys = self._parent[child] * apart + self._old[child, 4]
        sort = np.argsort(keys)
        sums = place >= self._before.summed
        mine = np.flatnonzero((place >= self._first) & ~sums)
        rank = np.searchsorted(keys[sort], front[mine] * apart + place[mine], side="right") - 1
        c = child[sort[rank]]
        found[mine] = self._left[c] + place[mine] - self._old[c, 4]
        found[sums] += self._summed - self._before.summed
        return found
