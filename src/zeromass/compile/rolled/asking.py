"""What tiles that share memory need from afar: numbers of the states, and the places of slopes.

All else that a tile works on is in the cache. So the loops ask for what the next tile reads while they work on this one: for
what formulas have in them alone, since places of bodies, say, often are in none.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from zeromass.compile.rolled.layout import Layout
from zeromass.compile.rolled.memory import Memory
from zeromass.compile.rolled.plan import Tile
from zeromass.expression import expressions, symbols

TOGETHER = 8
"""Numbers that are asked for at a time, at most."""


def asked(layout: Layout, task: str, firsts: np.ndarray, memory: Memory) -> dict[Tile, tuple[np.ndarray, np.ndarray]]:
    """(first, count) of numbers of the states that tiles read and of slopes that they write, and where their shares end.

    firsts  the first coordinate of each block, and how many there are
    """
    n, known = int(firsts[-1]), used(layout, task, firsts)
    states: list[np.ndarray] = []
    slopes: list[np.ndarray] = []
    for t in range(len(memory.ends[Tile.fronts]) - 1):
        mine = [np.empty(0, dtype=np.int64)]
        for kind, (some, ends) in zip(layout.kinds, memory.parts, strict=True):
            if kind.name == "part":
                b = kind.blocks[some[ends[t] : ends[t + 1]], 0]
                mine.append((firsts[b][:, None] + np.arange(len(kind.groups[0]) // 2)).ravel())
        rows = np.sort(np.concatenate(mine))
        slopes.append(_runs(rows))
        states.append(_runs(np.concatenate([rows[known[rows]], n + rows[known[n + rows]]])))
    return {
        name: (np.concatenate(some), np.cumsum([0, *map(len, some)]))
        for name, some in ((Tile.states, states), (Tile.slopes, slopes))
    }


def used(layout: Layout, task: str, firsts: np.ndarray) -> np.ndarray:
    """Which coordinates, and which rates, formulas of a task have in them."""
    n = int(firsts[-1])
    found = np.zeros(2 * n, dtype=bool)
    for kind, place in zip(layout.kinds, layout.places, strict=True):
        formulas = [e for _, e in place.results(task)]
        formulas += kind.equations(task).spread if kind.name == "part" else []
        present = set(symbols(expressions(formulas)))
        for column, group in zip(kind.blocks.T, kind.groups, strict=True):
            half = len(group) // 2
            for i in [i for i, symbol in enumerate(group) if symbol in present]:
                found[firsts[column] + i % half + n * (i >= half)] = True
    return found


def _runs(rows: np.ndarray) -> np.ndarray:
    """(first, count) of rows one after another, a few at a time."""
    begin = np.append(np.flatnonzero(np.diff(rows, prepend=-2) != 1), len(rows))
    cuts = np.array([k for a, b in pairwise(begin.tolist()) for k in range(a, b, TOGETHER)], dtype=np.int64)
    return np.stack([rows[cuts], np.diff(np.append(cuts, len(rows)))], axis=1)
