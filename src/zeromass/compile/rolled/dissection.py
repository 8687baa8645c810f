"""Nested dissection of nets: parts are halved where few constraints hold the halves together, and those go last.

    fill O(n log n), products O(n^1.5)      of a plane net of n parts: no order has less, but for the factor [G1973]

A half is what is nearer to one of two ends of the net than to the other, counted in constraints.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations

import numpy as np

SMALL = 24
"""Parts that are not halved again: least fill finds a good order of so few."""

WIDE = 16
"""Multipliers of the first cut up to which nothing is halved: chains, rings and ladders have no better order than theirs."""

EVEN = 0.4
"""Share of the parts that the smaller half has at least."""


def rounds(sizes: Sequence[int], parts: int, held: Sequence[Sequence[int]], gone: np.ndarray) -> np.ndarray:
    """In which round each block may be eliminated: 0, or later for multipliers between halves."""
    pairs = [
        (*pair, k)
        for k, some in enumerate(held)
        if not gone[parts + k]
        for pair in combinations([b for b in some if not gone[b]], 2)
    ]
    found = np.zeros(len(sizes), dtype=np.int64)
    if len(pairs) > SMALL:
        weights = np.asarray(sizes[parts:], dtype=np.int64)
        found[parts:] = _rounds(np.array(pairs, dtype=np.int64).tobytes(), parts, weights.tobytes())
    return found


@lru_cache(maxsize=2)
def _rounds(pairs: bytes, parts: int, sizes: bytes) -> np.ndarray:
    """Of blocks of multipliers; starts and motions ask for the same."""
    weights = np.frombuffer(sizes, dtype=np.int64)
    net, found = _Net(np.frombuffer(pairs, dtype=np.int64).reshape(-1, 3), parts, weights), np.zeros(len(weights), int)
    waiting = [(np.flatnonzero(np.bincount(net.pairs[:, :2].ravel(), minlength=parts)), 0)]
    while waiting:
        nodes, depth = waiting.pop()
        cut = net.halved(nodes) if len(nodes) > SMALL else None
        if cut is None or (depth == 0 and len(cut[2]) and weights[cut[2]].sum() < WIDE):
            continue
        first, second, between = cut
        found[between] = depth + 1
        deeper = depth + (len(between) > 0)
        waiting += [(first, deeper), (second, deeper)]
    return np.where(found > 0, found.max() + 1 - found, 0)


class _Net:
    """Parts and the constraints between them.

    pairs  (part, part, block of multipliers)
    """

    def __init__(self, pairs: np.ndarray, parts: int, sizes: np.ndarray) -> None:
        self.pairs = pairs
        self._sizes = sizes
        ends = np.concatenate([pairs[:, :2], pairs[:, 1::-1]])
        ends = ends[np.argsort(ends[:, 0], kind="stable")]
        self._others = ends[:, 1]
        self._first = np.searchsorted(ends[:, 0], np.arange(parts + 1))
        self._inside = np.zeros(parts, dtype=bool)
        self._side = np.zeros(parts)

    def _distances(self, nodes: np.ndarray, start: int) -> np.ndarray:
        """Of some parts from one of them, −1 where there is no way."""
        distance = np.full(len(self._inside), -1)
        distance[start] = 0
        edge, step = np.array([start]), 0
        while len(edge):
            step += 1
            counts = self._first[edge + 1] - self._first[edge]
            places = np.repeat(self._first[edge + 1] - np.cumsum(counts), counts) + np.arange(counts.sum())
            near = self._others[places]
            edge = np.unique(near[self._inside[near] & (distance[near] < 0)])
            distance[edge] = step
        return distance[nodes]

    def halved(self, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
        """Two halves, and the blocks of multipliers between them; None where no half is large enough."""
        self._inside[:] = False
        self._inside[nodes] = True
        away = self._distances(nodes, int(nodes[0]))
        if (away < 0).any():
            return nodes[away < 0], nodes[away >= 0], np.empty(0, dtype=np.int64)
        far = [self._distances(nodes, int(nodes[np.argmax(away)]))]
        for _ in range(3):  # corners, each as far from those before as can be
            far.append(self._distances(nodes, int(nodes[np.argmax(np.min(far, axis=0))])))
        mine = self.pairs[self._inside[self.pairs[:, :2]].all(axis=1)]
        best: tuple[float, np.ndarray] | None = None
        for a, b in combinations(far, 2):
            cut = self._cut(nodes, a - b, mine)
            if cut is not None and (best is None or cut[0] < best[0]):
                best = cut
        if best is None:
            return None
        first = best[1]
        self._side[nodes] = first
        across = mine[self._side[mine[:, 0]] != self._side[mine[:, 1]], 2]
        return nodes[first], nodes[~first], np.unique(across)

    def _cut(self, nodes: np.ndarray, place: np.ndarray, pairs: np.ndarray) -> tuple[float, np.ndarray] | None:
        """The smallest cut between places that leaves two halves: its width, and what is on one side."""
        self._side[nodes] = place
        ends = np.sort(self._side[pairs[:, :2]], axis=1)
        weight = self._sizes[pairs[:, 2]].astype(float)
        values, counts = np.unique(place, return_counts=True)
        share = np.cumsum(counts) / len(nodes)
        begun, over = (
            np.bincount(np.searchsorted(values, ends[:, k]), weight, minlength=len(values)).cumsum() for k in range(2)
        )
        fits = np.flatnonzero((share >= EVEN) & (share <= 1 - EVEN))
        if not len(fits):
            return None
        widths = (begun - over)[fits]
        k = fits[np.argmin(widths)]
        return float(widths.min()), place <= values[k]
