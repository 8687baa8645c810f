"""The broad phase, in kernels: which shapes are near one another, by their bounds along an axis (sweep and prune)."""

from __future__ import annotations

from zeromass.integrate.collisions.distance import gap_between
from zeromass.integrate.collisions.shapes import LARGE, Shapes, kind_of, to_world
from zeromass.integrate.collisions.slots import CollisionTable
from zeromass.kernel.language import kernel, reals

NO_LAW = -1


@kernel
def law_between(x: Shapes, one: int, two: int) -> int:
    """The law of two shapes of a group; NO_LAW of others, of shapes of one body, and of bodies that a joint connects."""
    a, b = x.body[one], x.body[two]
    if a == b or x.group[one] != x.group[two]:
        return NO_LAW
    key, low, high = min(a, b) * len(x.fast) + max(a, b), 0, len(x.joined)
    while low < high:
        middle = (low + high) // 2
        if x.joined[middle] < key:
            low = middle + 1
        else:
            high = middle
    return NO_LAW if low < len(x.joined) and x.joined[low] == key else x.group[one]


@kernel
def set_bounds(x: Shapes, shape: int) -> None:
    """x.lower, x.upper ← bounds of a finite shape along the axes, with half of what counts as near."""
    P, place, beside = x.polytope[shape], reals(3), x.radius[shape] + 0.5 * x.skin
    for i in range(3):
        x.lower[shape, i], x.upper[shape, i] = LARGE, -LARGE
    for v in range(x.corners[P], x.corners[P + 1]):
        to_world(x, shape, x.points[v], place)
        for i in range(3):
            x.lower[shape, i] = min(x.lower[shape, i], place[i] - beside)
            x.upper[shape, i] = max(x.upper[shape, i], place[i] + beside)


@kernel
def height_above(x: Shapes, shape: int, plane: int) -> float:
    """Least height of a shape above a half-space, m."""
    P, f, place, least = x.polytope[shape], x.faces[x.polytope[plane]], reals(3), LARGE
    for v in range(x.corners[P], x.corners[P + 1]):
        to_world(x, shape, x.points[v], place)
        height = x.planes[f, 0] * place[0] + x.planes[f, 1] * place[1] + x.planes[f, 2] * place[2] - x.planes[f, 3]
        least = min(least, height)
    return least - x.radius[shape]


@kernel
def add_pair(x: Shapes, one: int, two: int, low: float) -> bool:
    """Notes two shapes that are near one another, whose gap has a lower bound, if they may touch: whether there is room."""
    law = law_between(x, one, two)
    if law == NO_LAW:
        return True
    if x.near == x.room:
        return False
    p, kind, other = x.near, kind_of(x, one), kind_of(x, two)
    turned = kind > other or (kind == other and one > two)
    x.first[p], x.second[p], x.law[p] = two if turned else one, one if turned else two, law
    x.touches[p], x.gap[p], x.low[p] = 0, low, low
    x.near = p + 1
    return True


@kernel
def sort_shapes(x: Shapes) -> None:
    """Sorts finite shapes by their first bounds; they are nearly in order."""
    for i in range(1, len(x.sorted)):
        shape, k = x.sorted[i], i
        while k > 0 and x.lower[x.sorted[k - 1], 0] > x.lower[shape, 0]:
            x.sorted[k] = x.sorted[k - 1]
            k -= 1
        x.sorted[k] = shape


@kernel
def find_near(c: CollisionTable, skin: float) -> bool:
    """Finds all pairs of shapes whose gaps may be less than a distance, of bodies that have their places.

    Whether there is room for them.
    """
    x = c.shapes
    x.near, x.skin, x.moved_by = 0, skin, 0.0
    count = len(x.sorted)
    for i in range(count):
        set_bounds(x, x.sorted[i])
    sort_shapes(x)
    for i in range(count):
        one = x.sorted[i]
        for j in range(i + 1, count):
            two = x.sorted[j]
            if x.lower[two, 0] > x.upper[one, 0]:
                break
            apart = max(x.lower[two, 1] - x.upper[one, 1], x.lower[one, 1] - x.upper[two, 1])
            apart = max(apart, max(x.lower[two, 2] - x.upper[one, 2], x.lower[one, 2] - x.upper[two, 2]))
            if apart <= 0.0:
                low = max(apart, max(x.lower[two, 0] - x.upper[one, 0], x.lower[one, 0] - x.upper[two, 0])) + skin
                if not add_pair(x, one, two, low):
                    return False
    for i in range(len(x.half_spaces)):
        for j in range(count):
            low = height_above(x, x.sorted[j], x.half_spaces[i])
            if low <= skin and not add_pair(x, x.sorted[j], x.half_spaces[i], low):
                return False
    link_slots(c)
    return True


@kernel
def link_slots(c: CollisionTable) -> None:
    """x.touches ← how many contacts each near pair has."""
    x = c.shapes
    for p in range(x.near):
        x.touches[p] = 0
    for k in range(c.slots):
        for p in range(x.near):
            if x.first[p] == c.one[k] and x.second[p] == c.two[k]:
                x.touches[p] += 1


@kernel
def exact_gap(c: CollisionTable, p: int) -> float:
    """The gap of a near pair, m, for bodies that have their places."""
    x = c.shapes
    x.skipped = 0
    return gap_between(x, x.first[p], x.second[p])
