"""Tiles of an evaluation: some fronts, the elements that must be known before them, and the unknowns that they reach.

On the way through L an element is evaluated once a front reaches one of its unknowns. On the way back all its unknowns are
known in the same tile, where it takes its part from the residual; an unknown is done with the last of its elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from zeromass.compile.rolled.fronts import Tables
from zeromass.compile.rolled.layout import Blocks, Layout

TILE = 1 << 21
"""Bytes that a tile works on, about: by measurement, as much as stays in the caches before the last."""

SHARED = 1 << 19
"""The same where tiles share their memory: the states and the right side of the next one wait beside it."""


@dataclass(eq=False)
class Tiles:
    """What belongs to each tile, by numbers of where its share ends; the first of each is 0.

    fronts     of the elimination; unknowns: their pivots
    instances  of each kind
    touched    unknowns in the order in which fronts reach them first, and where the shares of tiles end
    done       unknowns as they are done on the way back, tiles in the order of elimination, and where shares end
    """

    fronts: np.ndarray
    unknowns: np.ndarray
    instances: list[np.ndarray]
    touched: tuple[np.ndarray, np.ndarray]
    done: tuple[np.ndarray, np.ndarray]


def tiles_of(layout: Layout, blocks: Blocks, at: np.ndarray, tables: Tables, count: int) -> Tiles:
    """The tiles of a task, about so many."""
    first, pivots = tables.fronts[:, 9].astype(np.int64), tables.fronts[:, 0].astype(np.int64)
    fronts = _ends(tables, count)
    count = len(fronts) - 1
    tile = np.repeat(np.arange(count), np.diff(fronts))
    """Of each front."""
    reached = np.empty(int(pivots.sum()), dtype=np.int64)
    each = np.repeat(tile, tables.fronts[:, 2])
    reached[tables.unknowns[::-1]] = each[::-1]  # the first front comes last
    own = np.repeat(tile, pivots)
    real = len(blocks.sizes)  # what a tangent adds to them has no unknowns
    sort = np.argsort(at[:real], kind="stable")
    of = np.repeat(sort, np.asarray(blocks.sizes)[sort])
    earliest, done = np.full((2, real), count)
    np.minimum.at(earliest, of, reached)
    np.minimum.at(done, of, own)
    needed = np.full(real, count)
    """Of each part, by elements that see it."""
    instances = [np.empty(0, dtype=np.int64)] * len(layout.kinds)
    for k, kind in sorted(enumerate(layout.kinds), key=lambda one: one[1].name == "part"):
        held = kind.blocks[:, kind.blocks[0] < real]
        if kind.rows.shape[1]:
            held = np.column_stack([held, blocks.multiplier[kind.rows, 0]])
        when = earliest[held].min(axis=1) if held.shape[1] else np.zeros(len(kind), dtype=np.int64)
        if kind.name == "part":
            when = np.minimum(when, needed[kind.blocks[:, 0]])
        last = np.zeros(count, dtype=np.int64)
        np.maximum.at(last, when, np.arange(1, len(kind) + 1))
        ends = np.append(0, np.maximum.accumulate(last))
        instances[k] = ends
        mine = np.repeat(np.arange(count), np.diff(ends))
        for column in held.T:
            np.minimum.at(done, column, mine)
        for b in layout.sights[k].blocks:
            np.minimum.at(needed, kind.blocks[:, b], mine)
    unknowns = np.append(first, pivots.sum())[fronts]
    return Tiles(fronts, unknowns, instances, _sorted(reached, count), _sorted(done[of], count))


def arranged(layout: Layout, blocks: Blocks, order: Sequence[int]) -> None:
    """Puts the instances of all kinds into the order of elimination, and parts before what sees them."""
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    seen = place.copy()
    for k, kind in sorted(enumerate(layout.kinds), key=lambda one: one[1].name == "part"):
        held = seen[kind.blocks] if kind.name == "part" else place[kind.blocks]
        if kind.rows.shape[1]:
            held = np.column_stack([held, place[blocks.multiplier[kind.rows, 0]]])
        if held.shape[1]:
            first = held.min(axis=1)
            for b in layout.sights[k].blocks:
                np.minimum.at(seen, kind.blocks[:, b], first)
            kind.arrange(np.argsort(first, kind="stable"))


def _ends(tables: Tables, wanted: int) -> np.ndarray:
    """Fronts that tiles end with: about as many bytes in each."""
    count = len(tables.fronts)
    rows = np.diff(np.append(tables.fronts[:, 3], tables.fronts[:1, 3].sum() + tables.size))
    share = np.cumsum(np.maximum(rows, 0) + 8 * tables.fronts[:, 0])
    ends = np.searchsorted(share, share[-1] * np.arange(1, wanted) / wanted) + 1 if count else np.empty(0, dtype=int)
    waiting, near = _waiting(tables), count // (8 * wanted)
    found = [max(1, e - near) + int(np.argmin(waiting[max(1, e - near) : e + near + 1])) for e in ends.tolist()]
    return np.unique(np.concatenate([[0], np.minimum(found, count), [count]])).astype(np.int64)


def _waiting(tables: Tables) -> np.ndarray:
    """Values that fronts before each have left over for those from there on."""
    fronts = tables.fronts.astype(np.int64)
    pivots, beyond = fronts[:, 0], fronts[:, 2] - fronts[:, 0]
    of = np.repeat(np.arange(len(fronts)), pivots)
    some = np.flatnonzero(beyond)
    change = np.zeros(len(fronts) + 1, dtype=np.int64)
    size = beyond[some] * (beyond[some] + 3) // 2
    np.add.at(change, some + 1, size)
    np.add.at(change, of[first_beyond(tables)[some]] + 1, -size)
    return np.cumsum(change)


def first_beyond(tables: Tables) -> np.ndarray:
    """Of each front, the first of its unknowns to be eliminated behind it; meaningless where there are none."""
    fronts = tables.fronts.astype(np.int64)
    inside = np.arange(len(tables.unknowns)) - np.repeat(fronts[:, 5], fronts[:, 2])
    beyond = np.where(inside < np.repeat(fronts[:, 0], fronts[:, 2]), np.iinfo(np.int32).max, tables.unknowns)
    return np.minimum.reduceat(beyond, fronts[:, 5])


def _sorted(tile: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    sort = np.argsort(tile, kind="stable")
    return sort, np.searchsorted(tile[sort], np.arange(-1, count), side="right")
