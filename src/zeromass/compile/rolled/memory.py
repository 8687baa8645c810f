"""Where the values of an evaluation stand, tile by tile.

`whole` keeps everything until the next evaluation: what a tile has made on the way through L waits for the way back. It is
written and read again, and where it does not fit into the cache that sets the pace.

`sparing` lets tiles use the same memory. Those that hang together are brought through L once more just before their way
back; only the right side and what one tile leaves for another stay. So the traffic is that of states, slopes and one number
for each unknown, for more arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from zeromass.compile.rolled.fronts import Tables
from zeromass.compile.rolled.layout import Blocks, Layout
from zeromass.compile.rolled.plan import Pass, Tile
from zeromass.compile.rolled.tiles import Tiles


class Share(NamedTuple):
    """Numbers of instances, one tile after another, and where the shares of tiles end."""

    which: np.ndarray
    ends: np.ndarray


Local = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""Where values stand in tiles, from their places and these."""


def everywhere(place: np.ndarray, tile: np.ndarray) -> np.ndarray:
    """Values that stand in the same place in every tile."""
    return place


@dataclass(eq=False)
class Memory:
    """Tables of places, for the loops.

    size       values
    firsts     where the results of each kind begin in each tile
    instances  of each kind, those that tiles evaluate; parts: those whose unknowns are known in a tile
    at         slot of the first unknown of each block
    residual   place of the right side as it is brought through L; nowhere: of what is made of it and not needed
    left       place of the residual r − K x
    tables     of the fronts, with slots in place of unknowns; names: unknowns themselves
    right      two places for each unknown, and (slot, place) of those that have more
    touched    (unknown, row of `right`) of those that tiles are the first to reach, and (unknown, place)
    done       (slot, unknown) of those whose residual is known with a tile
    ends       where the shares of tiles end
    walk       (tile, pass)
    local      where values of elements stand in tiles
    """

    size: int
    firsts: list[np.ndarray]
    instances: list[Share]
    parts: list[Share]
    at: np.ndarray
    solution: int
    residual: int
    nowhere: int
    left: int
    sizes: int
    tables: Tables
    names: np.ndarray
    right: tuple[np.ndarray, np.ndarray]
    touched: tuple[np.ndarray, np.ndarray]
    done: np.ndarray
    ends: dict[Tile, np.ndarray]
    walk: np.ndarray
    local: Local


def whole(layout: Layout, task: str, blocks: Blocks, at: np.ndarray, tables: Tables, tiles: Tiles) -> Memory:
    """A place for every value."""
    count, first = int(sum(blocks.sizes)), layout.size
    right, beside = two_places(*layout.right(task, blocks, at), count)
    (touched, touched_ends), (done, done_ends) = tiles.touched, tiles.done
    place = inverse(touched)
    again = beside[np.argsort(place[beside[:, 0]], kind="stable")]
    each = [Share(np.arange(len(kind)), ends) for kind, ends in zip(layout.kinds, tiles.instances, strict=True)]
    last = len(tiles.fronts) - 1
    return Memory(
        first + 3 * count + tables.size,
        [place.first + place.stride * share.ends[:-1] for place, share in zip(layout.places, each, strict=True)],
        each,
        each,
        at,
        first,
        first + count,
        first + count,
        first + count,
        first + 2 * count,
        tables,
        tables.unknowns,
        (right, beside),
        (np.stack([touched, touched], axis=1), again),
        np.stack([done, done], axis=1),
        {
            Tile.touched: touched_ends,
            Tile.touched_beside: np.searchsorted(place[again[:, 0]], touched_ends),
            Tile.fronts: tiles.fronts,
            Tile.beside: np.searchsorted(beside[:, 0], tiles.unknowns),
            Tile.entries: np.searchsorted(tables.others[:, 0], tiles.unknowns),
            Tile.done: done_ends,
        },
        np.array([*[(k, Pass.through) for k in range(last)], *[(k, Pass.back) for k in reversed(range(last))]]),
        everywhere,
    )


def sparing(layout: Layout, task: str, blocks: Blocks, at: np.ndarray, tables: Tables, tiles: Tiles) -> Memory:
    """The same memory for all tiles."""
    from zeromass.compile.rolled.shared import Shared  # few systems are so large

    made = Shared(layout, task, blocks, at, tables, tiles)
    slot, count = made.slot, len(tiles.fronts) - 1
    touched, touched_ends = tiles.touched
    i, place = layout.right(task, blocks, at)
    (first, more), (right, beside) = (
        two_places(i, made.local(place, tile[i]), len(slot)) for tile in (made.reached, made.own)
    )
    order = inverse(touched)
    row, early = np.arange(len(slot)), np.flatnonzero(made.reached < made.own)  # places there are others
    row[early] = len(slot) + np.arange(len(early))
    more = more[np.argsort(order[more[:, 0]], kind="stable")]
    parts = []
    for kind in layout.kinds:
        tile = made.own[at[kind.blocks[:, 0]]] if kind.name == "part" else np.zeros(len(kind), dtype=np.int64)
        which = np.argsort(tile, kind="stable")
        parts.append(Share(which, np.searchsorted(tile[which], np.arange(-1, count), side="right")))
    return Memory(
        made.end + 2 * len(slot),
        made.firsts,
        made.instances,
        parts,
        np.append(slot, 0)[np.minimum(at, len(slot))],
        made.unknowns,
        made.end,
        made.end + len(slot),
        made.unknowns + made.slots,
        made.unknowns + 2 * made.slots,
        made.tables,
        tables.unknowns,
        (np.concatenate([right, first[early]]), _slotted(beside, slot)),
        (np.stack([touched, row[touched]], axis=1), more),
        np.stack([slot[touched], touched], axis=1),
        {
            Tile.unknowns: tiles.unknowns,
            Tile.touched: touched_ends,
            Tile.touched_beside: np.searchsorted(order[more[:, 0]], touched_ends),
            Tile.fronts: tiles.fronts,
            Tile.beside: np.searchsorted(beside[:, 0], tiles.unknowns),
            Tile.entries: np.searchsorted(tables.others[:, 0], tiles.unknowns),
            Tile.done: touched_ends,
        },
        _walk(made.crossed),
        made.local,
    )


def _walk(crossed: np.ndarray) -> np.ndarray:
    """Tiles that hang together go through L, and again before their way back, but for the last of them."""
    rows: list[tuple[int, int]] = []
    begin = 0
    for k, more in enumerate(crossed.tolist()):
        rows.append((k, Pass.ahead if more else Pass.through))
        if not more:
            rows.append((k, Pass.back))
            for before in reversed(range(begin, k)):
                rows += [(before, Pass.again), (before, Pass.back)]
            begin = k + 1
    return np.array(rows)


def inverse(order: np.ndarray) -> np.ndarray:
    """The place of each number in an order."""
    found = np.empty(len(order), dtype=np.int64)
    found[order] = np.arange(len(order))
    return found


def in_runs(numbers: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows that follow one another, each number by one, as (first row …, count); and where the shares of tiles end.

    numbers  shape (k, n); ends: where shares end
    """
    breaks = np.ones(len(numbers), dtype=bool)
    breaks[1:] = (np.diff(numbers, axis=0) != 1).any(axis=1)
    breaks[ends[ends < len(numbers)]] = True
    first = np.flatnonzero(breaks)
    return np.column_stack([numbers[first], np.diff(np.append(first, len(numbers)))]), np.searchsorted(first, ends)


def _slotted(pairs: np.ndarray, slot: np.ndarray) -> np.ndarray:
    """Slots in place of unknowns."""
    return np.stack([slot[pairs[:, 0]], pairs[:, 1]], axis=1)


def two_places(unknown: np.ndarray, place: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Two places for each unknown, and (unknown, place) of those that have more."""
    sort = np.argsort(unknown, kind="stable")
    unknown, place = unknown[sort], place[sort]
    rank = np.arange(len(unknown)) - np.searchsorted(unknown, unknown)
    table = np.zeros((count, 2), dtype=np.int64)
    for k in range(2):
        table[unknown[rank == k], k] = place[rank == k]
    return table, np.stack([unknown[rank >= 2], place[rank >= 2]], axis=1)
