"""Shapes of fronts: how many pivots and unknowns there are, how entries are filled, and what of the rows must be kept.

Code without loops skips what is zero by its structure, and keeps no entry that still stands where an element put it.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from zeromass.codegen.cache import digest

OFTEN = 24
"""Fronts of one shape from which on it is worth code of its own."""

LARGEST = 1500
"""Products in a front up to which it is."""

SOURCES = 16
"""Values that are added to one entry of it at most."""

SHAPES = 12
"""Shapes of a system that get code of their own at most."""

Entry = tuple[int, int]
"""Row and column of a front."""


class Shape(NamedTuple):
    """Pivots, coordinates among them, unknowns, and what is added to each entry.

    counts   how many values; own: how many of them are of elements
    places   of these values, as int32: the number of the element or front, and the place in it
    """

    pivots: int
    coordinates: int
    unknowns: int
    counts: bytes
    own: bytes
    places: bytes

    @property
    def sources(self) -> list[tuple[int, int]]:
        """Numbers of elements or fronts, and places in them."""
        return _pairs(self.places)

    @property
    def name(self) -> str:
        return "_".join(map(str, self[:3])) + f"_{digest(self.counts, self.own, self.places)}"

    @property
    def frequent(self) -> bool:
        """Whether code of its own is worth while, where there are enough fronts like it."""
        p, s = self.pivots, self.unknowns
        dense = sum((s - k) * (s - k - 1) // 2 for k in range(p))
        return dense <= 4 * LARGEST and max(self.counts) <= SOURCES and rows_of(self).products <= LARGEST


class Rows(NamedTuple):
    """Rows of the pivots of a shape.

    sources   numbers of what is added to each entry
    own       the same of elements alone, where there are some
    places    of entries that are kept, the inverse of pivot k as (k, k)
    told      of entries that nothing was taken from: the number of where they stand
    columns   of each row, those behind the pivot that are not zero
    products  in the elimination
    """

    sources: dict[Entry, list[int]]
    own: dict[Entry, list[int]]
    places: dict[Entry, int]
    told: dict[Entry, int]
    columns: list[list[int]]
    products: int


@cache
def rows_of(shape: Shape) -> Rows:
    """What is kept of the rows of a shape."""
    p, _, s, counts, own, _ = shape
    sources: dict[Entry, list[int]] = {}
    entries = [(i, j) for i in range(s) for j in range(i, s + 1)]
    given = 0
    for entry, count in zip(entries, counts, strict=True):
        if count:
            sources[entry] = list(range(given, given + count))
            given += count
    untouched = {entry for entry, count, mine in zip(entries, counts, own, strict=True) if count == mine == 1}
    present = set(sources)
    places: dict[Entry, int] = {}
    told: dict[Entry, int] = {}
    columns: list[list[int]] = []
    products = 0
    for k in range(p):
        places[k, k] = len(places)
        row = [j for j in range(k + 1, s) if (k, j) in present]
        columns.append(row)
        for j in row:
            if (k, j) in untouched:
                told[k, j] = sources[k, j][0]
            else:
                places[k, j] = len(places)
        reached = {(i, j) for a, i in enumerate(row) for j in row[a:]}
        products += len(reached)
        present |= reached
        untouched -= reached
    mine = {e: sources[e][:count] for e, count in zip(entries, own, strict=True) if count and e[1] < s}
    return Rows(sources, mine, places, told, columns, products)


@cache
def _pairs(places: bytes) -> list[tuple[int, int]]:
    return [(int(group), int(offset)) for group, offset in np.frombuffer(places, dtype=np.int32).reshape(-1, 2)]
