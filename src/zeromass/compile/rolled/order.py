"""The order in which blocks are eliminated: coordinates of parts, and multipliers of constraints between the same parts.

Coordinates may go at any time, as their mass is positive. A multiplier may go once all the parts that it holds are gone:
its pivot, −A M⁻¹Aᵀ, is then that of the constraints, definite where they are independent. Trees are eliminated in two
directions.

    branches  inwards from their free ends: a multiplier goes as soon as the part outside it. What is left is the inertia of
              the parts beyond the joint, as in articulated bodies [F2008, ch. 7]
    trunk     the longest path, outwards from the ground: what is left of the parts before a joint is their compliance

The articulated inertia of a long chain grows with its length in the directions that its joints hold, and does not in those
that they leave free: the difference of the two costs digits. The compliance of the parts before a joint is no larger than
that of the joint's own part. A massless coordinate of a joint gets inertia from the multipliers of the joint, and follows
them. What remains, loops and nets, is eliminated by least fill, nets after they have been dissected.

The same elimination in another order: each block stands behind those that lead to it, and blocks that reach the same others
are eliminated in one front. What a front leaves over is then taken up soon, and little of it is moved about.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence, Set

import numpy as np

from zeromass.compile.rolled.dissection import rounds

LONG = 20
"""Parts from which on the longest path of a tree is a trunk: shorter ones lose no digits."""

ZEROS = 0.1
"""Part of the unknowns of a front that a block eliminated with it need not reach."""


def elimination_order(
    sizes: Sequence[int],
    parts: int,
    held: Sequence[Sequence[int]],
    coupled: Sequence[Sequence[int]],
    strong: set[tuple[int, int]],
    light: set[int],
    mixed: Set[int] = frozenset(),
    moved: Set[tuple[int, int]] = frozenset(),
) -> list[list[int]]:
    """The blocks in the order of their elimination, those of one front together.

    sizes    unknowns of each block, those of parts first and then those of multipliers
    parts    how many blocks are of parts
    held     the parts of each block of multipliers
    coupled  parts that have entries with one another beside those
    strong   pairs (multipliers, part) where the part alone makes the pivots definite
    light    parts that have no mass of their own in some direction
    mixed    parts that have multipliers of their own behind their coordinates
    moved    pairs (multipliers, coordinate without a part) where the coordinate gets inertia from the multipliers
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
    reached: list[set[int]] = [set() for _ in sizes]
    gone = np.zeros(len(sizes), dtype=bool)

    def eliminate(b: int) -> set[int]:
        order.append(b)
        gone[b] = True
        around = near[b]
        for c in around:
            near[c] |= around
            near[c] -= {b, c}
        near[b] = set()
        reached[b] = around
        return around

    def eliminate_joint(m: int) -> set[int]:
        around = eliminate(m)
        for c in [c for c in around if (m - parts, c) in moved]:
            around |= eliminate(c)
        return around

    loose = {c for _, c in moved}
    trunks = _trunks(parts, [[b for b in some if b not in loose] for some in held])
    kept = {b for trunk in trunks for b in trunk}
    ends = [b for b in range(parts) if len(near[b]) <= 1 and b not in light and b not in kept]
    while ends:
        b = ends.pop()
        if gone[b] or len(near[b]) > 1 or b in kept:
            continue
        outer = next(iter(near[b]), None)
        if outer is not None and (outer < parts or (outer - parts, b) not in strong):
            continue
        eliminate(b)
        if outer is not None:
            inner = eliminate_joint(outer)
            ends += [c for c in inner if c < parts and not gone[c] and len(near[c]) <= 1 and c not in light]
    for trunk in trunks:
        for b in trunk:
            joints = [m for m in near[b] if m >= parts]
            if len(joints) > 2:
                break
            eliminate(b)
            for m in joints:
                if all(gone[c] or (m - parts, c) in moved for c in held[m - parts]):
                    eliminate_joint(m)
    _least_fill(sizes, parts, held, near, gone, eliminate)
    return _fronts(order, sizes, parts, reached, mixed)


def _trunks(parts: int, held: Sequence[Sequence[int]]) -> list[list[int]]:
    """The longest path of each tree from the ground, or from a free end: parts, each joined to the one before.

    held  the parts of each block of multipliers
    """
    links: list[set[int]] = [set() for _ in range(parts)]
    grounded = {some[0] for some in held if len(some) == 1}
    for some in held:
        for b in some:
            links[b].update(c for c in some if c != b)
    found, known = list[list[int]](), np.zeros(parts, dtype=bool)
    for b in range(parts):
        if known[b] or not links[b]:
            continue
        some = _paths(links, [b])
        known[list(some)] = True
        if sum(len(links[c]) for c in some) > 2 * (len(some) - 1):  # it has loops
            continue
        first = [c for c in some if c in grounded] or [next(reversed(some))]
        before = _paths(links, first)
        trunk = [next(reversed(before))]
        while before[trunk[-1]] >= 0:
            trunk.append(before[trunk[-1]])
        if len(trunk) >= LONG:
            found.append(trunk[::-1])
    return found


def _paths(links: Sequence[set[int]], first: Sequence[int]) -> dict[int, int]:
    """{part: the one before it on the shortest path from the first}, by distance."""
    before, waiting = dict.fromkeys(first, -1), list(first)
    for b in waiting:
        for c in links[b]:
            if c not in before:
                before[c] = b
                waiting.append(c)
    return before


def _least_fill(sizes, parts, held, near, gone, eliminate) -> None:  # type: ignore[no-untyped-def]
    """What is left, each time the block whose neighbours have the fewest unknowns; what holds halves together last."""
    late = rounds(sizes, parts, held, gone).tolist()
    waiting = [0] * parts + [sum(not gone[b] for b in some) for some in held]

    def cost(b: int) -> int:
        return 0 if late[b] else sum(sizes[c] for c in near[b])  # what holds halves together reaches the same blocks

    costs = {b: cost(b) for b in range(len(sizes)) if not gone[b]}
    heap = [(late[b], c, b) for b, c in costs.items() if not waiting[b]]
    heapq.heapify(heap)
    while heap:
        _, c, b = heapq.heappop(heap)
        if gone[b] or c != costs[b]:
            continue
        around = eliminate(b)
        for x in around:
            if b < parts and x >= parts and b in held[x - parts]:
                waiting[x] -= 1
        for x in around:
            costs[x] = cost(x)
            if not waiting[x]:
                heapq.heappush(heap, (late[x], costs[x], x))


def _fronts(
    order: Sequence[int], sizes: Sequence[int], parts: int, reached: Sequence[set[int]], mixed: Set[int]
) -> list[list[int]]:
    """Blocks in an order in which each stands behind those that lead to it, some of them together.

    reached  of each block, the blocks that it is coupled with when it is eliminated
    """
    place = [0] * len(order)
    for k, b in enumerate(order):
        place[b] = k
    beyond = [sum(sizes[c] for c in some) for some in reached]
    parent = [min(some, key=place.__getitem__) if some else -1 for some in reached]
    children: list[list[int]] = [[] for _ in order]
    for b in order:
        if parent[b] >= 0:
            children[parent[b]].append(b)

    def zeros(c: int, q: int) -> int:
        return sizes[q] + beyond[q] - beyond[c]

    def joins(c: int, q: int) -> bool:
        """Coordinates come before multipliers in a front, and few of its entries are zero."""
        return (q >= parts or (c < parts and c not in mixed)) and zeros(c, q) <= ZEROS * (sizes[q] + beyond[q])

    found: list[list[int]] = []
    waiting = [b for b in reversed(order) if parent[b] < 0]
    open_ = set[int]()
    while waiting:
        b = waiting[-1]
        if b in open_ or not children[b]:
            waiting.pop()
            last = children[b][-1] if children[b] else -1
            if last >= 0 and joins(last, b):
                found[-1].append(b)
            else:
                found.append([b])
            continue
        open_.add(b)
        children[b].sort(key=lambda c: (joins(c, b), -zeros(c, b)))  # the one that may go with it last
        waiting += reversed(children[b])
    return found
