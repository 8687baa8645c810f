"""The order in which blocks are eliminated: coordinates of parts, and multipliers of constraints between the same parts.

Coordinates may go at any time, as their mass is positive. A multiplier may go once all the parts that it holds are gone:
its pivot, −A M⁻¹Aᵀ, is then that of the constraints, definite where they are independent. From the free ends of trees it
goes as soon as the part outside it: what is left there is the inertia of the parts beyond the joint, as in articulated
bodies [F2008, ch. 7], and no digits are lost along however long a chain. What remains, loops and nets, is eliminated by
least fill.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np


def elimination_order(
    sizes: Sequence[int],
    parts: int,
    held: Sequence[Sequence[int]],
    coupled: Sequence[Sequence[int]],
    strong: set[tuple[int, int]],
    light: set[int],
) -> list[int]:
    """The blocks in the order of their elimination.

    sizes    unknowns of each block, those of parts first and then those of multipliers
    parts    how many blocks are of parts
    held     the parts of each block of multipliers
    coupled  parts that have entries with one another beside those
    strong   pairs (multipliers, part) where the part alone makes the pivots definite
    light    parts that have no mass of their own in some direction
    """
    near: list[set[int]] = [set() for _ in sizes]
    for k, some in enumerate(held):
        for b in some:
            near[b].add(parts + k)
            near[parts + k].add(b)
    for some in coupled:
        for b in some:
            near[b].update(x for x in some if x != b)
    order: list[int] = []
    gone = np.zeros(len(sizes), dtype=bool)

    def eliminate(b: int) -> set[int]:
        order.append(b)
        gone[b] = True
        around = near[b]
        for c in around:
            near[c] |= around
            near[c] -= {b, c}
        near[b] = set()
        return around

    ends = [b for b in range(parts) if len(near[b]) <= 1 and b not in light]
    while ends:
        b = ends.pop()
        if gone[b] or len(near[b]) > 1:
            continue
        outer = next(iter(near[b]), None)
        if outer is not None and (outer < parts or (outer - parts, b) not in strong):
            continue
        eliminate(b)
        if outer is not None:
            inner = eliminate(outer)
            ends += [c for c in inner if c < parts and len(near[c]) <= 1 and c not in light]
    _least_fill(sizes, parts, held, near, gone, eliminate)
    return order


def _least_fill(sizes, parts, held, near, gone, eliminate) -> None:  # type: ignore[no-untyped-def]
    """What is left, each time the block whose neighbours have the fewest unknowns."""
    waiting = [0] * parts + [sum(not gone[b] for b in some) for some in held]

    def cost(b: int) -> int:
        return sum(sizes[c] for c in near[b])

    costs = {b: cost(b) for b in range(len(sizes)) if not gone[b]}
    heap = [(c, b) for b, c in costs.items() if not waiting[b]]
    heapq.heapify(heap)
    while heap:
        c, b = heapq.heappop(heap)
        if gone[b] or c != costs[b]:
            continue
        around = eliminate(b)
        for x in around:
            if b < parts and x >= parts and b in held[x - parts]:
                waiting[x] -= 1
        for x in around:
            costs[x] = cost(x)
            if not waiting[x]:
                heapq.heappush(heap, (costs[x], x))
