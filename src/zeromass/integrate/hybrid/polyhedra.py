"""Convex polyhedra that touch one another, in kernels: how far they are apart, and at which features they touch.

Two convex bodies are apart where a plane separates them. For polyhedra the planes along a face of one, and along an edge of
each, are enough [GLM1996]. Positions are in the axes of the second polyhedron, B.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from zeromass.integrate.collisions.vectors import cross, difference, dot, rotate
from zeromass.kernel.language import Ints, Ints2, Reals, Reals2, Struct, function, kernel, reals, sqrt

NONE, CORNER_OF_FIRST, CORNER_OF_SECOND, CROSSING = range(4)
"""What touches: nothing, a vertex of A on a face of B, a face of A and a vertex of B, or an edge of each."""

KIND, FIRST, SECOND, A, B, NORMAL_A, NORMAL_B, EDGE_A, EDGE_B = 0, 1, 2, 3, 6, 9, 12, 15, 18
"""Places of the parameters of a feature."""

NEAR = 1e-9
"""Part of a size within which features touch, and by which a point may be beside a face or beyond an edge."""

DEPTH = 1e-11
"""Part of a size by which polyhedra overlap, where they are seen to meet."""

PARALLEL = 1e-8
"""Sine of the angle of two edges below which they do not cross."""

ROOM = 24
"""Features at which two polyhedra may touch."""

LARGE = 1e300


class Polyhedra(Struct):
    """Pairs of polyhedra, and memory to look at one of them.

    evaluate    pose ← of (t, y, parameters): of each pair the rotation matrix of A row by row, and the origin of A
    points, planes, edges   of all polyhedra: vertices; n and d of faces; both vertices and both faces of edges
    loops, loop_edges, loop_ends   vertices of each face, counterclockwise, and the edge from each of them to the next
    corners, faces, borders   where vertices, faces and edges of each polyhedron begin
    first, second   polyhedra A and B of each pair; slots: the first contact of each pair, and how many it has, (pairs, 2)
    feature     of each contact the place of the parameters of its feature, −1 of others
    size, reach m, of each pair: of the larger one, and of both, from origin to origin
    moved, turned   vertices and normals of A
    kind, one, two, place   features that have been found, `number` of them
    best, way, at_best      the feature along which polyhedra are farthest apart, the direction from B to A, and how far they
                are along it; apart: how far at most, where edges tell so a little better than faces
    ring, base  vertices of two faces
    trial       parameters of a feature
    met, when   the first contact of the pair that has met, and the time
    looked      steps that have been looked at, of the piece of a motion
    """

    count: int
    evaluate: Annotated[Callable[..., None], function(Reals, Reals, Reals, Reals)]
    pose: Reals
    points: Reals2
    planes: Reals2
    edges: Ints2
    loops: Ints
    loop_edges: Ints
    loop_ends: Ints
    corners: Ints
    faces: Ints
    borders: Ints
    first: Ints
    second: Ints
    slots: Ints2
    feature: Ints
    size: Reals
    reach: Reals
    moved: Reals2
    turned: Reals2
    number: int
    kind: Ints
    one: Ints
    two: Ints
    place: Reals2
    best: Ints
    way: Reals
    at_best: float
    apart: float
    ring: Reals2
    base: Reals2
    trial: Reals
    met: int
    when: float
    looked: int


@kernel
def distant(p: Polyhedra, k: int) -> bool:
    """Whether the polyhedra of a pair are too far from one another to touch."""
    origin = p.pose[12 * k + 9 : 12 * k + 12]
    return dot(origin, origin) > p.reach[k] * p.reach[k]


@kernel
def move(p: Polyhedra, k: int) -> None:
    """p.moved, p.turned ← vertices and normals of A."""
    pose, body = p.pose[12 * k : 12 * k + 12], p.first[k]
    for v in range(p.corners[body], p.corners[body + 1]):
        at = p.moved[v - p.corners[body]]
        rotate(pose, p.points[v], at)
        for i in range(3):
            at[i] += pose[9 + i]
    for f in range(p.faces[body], p.faces[body + 1]):
        rotate(pose, p.planes[f], p.turned[f - p.faces[body]])


@kernel
def corner(p: Polyhedra, k: int, second: bool, v: int, x: Reals) -> None:
    """x ← a vertex of A or B."""
    for i in range(3):
        x[i] = p.points[v, i] if second else p.moved[v - p.corners[p.first[k]], i]


@kernel
def normal(p: Polyhedra, k: int, second: bool, f: int, x: Reals) -> None:
    """x ← the outward normal of a face of A or B."""
    for i in range(3):
        x[i] = p.planes[f, i] if second else p.turned[f - p.faces[p.first[k]], i]


@kernel
def along_faces(p: Polyhedra, k: int, second: bool) -> None:
    """p.best, p.at_best ← the face of A or B from which the other one is farthest, if it is farther than what is known."""
    body, other = p.second[k] if second else p.first[k], p.first[k] if second else p.second[k]
    n, x, on = reals(3), reals(3), reals(3)
    for f in range(p.faces[body], p.faces[body + 1]):
        normal(p, k, second, f, n)
        corner(p, k, second, p.loops[p.loop_ends[f]], on)
        d, lowest, which = dot(n, on), LARGE, 0
        for v in range(p.corners[other], p.corners[other + 1]):
            corner(p, k, not second, v, x)
            height = dot(n, x) - d
            if height < lowest:
                lowest, which = height, v
        if lowest > p.at_best:
            p.at_best = lowest
            p.best[0] = CORNER_OF_FIRST if second else CORNER_OF_SECOND
            p.best[1], p.best[2] = which if second else f, f if second else which
            for i in range(3):
                p.way[i] = n[i] if second else -n[i]


@kernel
def along_edges(p: Polyhedra, k: int) -> None:
    """p.best, p.at_best ← the edges of A and B along which these are farthest apart, if clearly more than along faces.

    Edges meet where the arcs between the normals of their faces cross, those of B taken the other way round.
    """
    A, B, nearly = p.first[k], p.second[k], p.at_best + NEAR * p.size[k]
    p.apart = p.at_best
    a, b, c, d, n = reals(3), reals(3), reals(3), reals(3), reals(3)
    u, w, x, y = reals(3), reals(3), reals(3), reals(3)
    for i in range(p.borders[A], p.borders[A + 1]):
        normal(p, k, False, p.edges[i, 2], a)
        normal(p, k, False, p.edges[i, 3], b)
        corner(p, k, False, p.edges[i, 0], x)
        corner(p, k, False, p.edges[i, 1], u)
        difference(u, x, u)
        cross(b, a, n)
        for j in range(p.borders[B], p.borders[B + 1]):
            normal(p, k, True, p.edges[j, 2], c)
            normal(p, k, True, p.edges[j, 3], d)
            one, two = -dot(c, n), -dot(d, n)
            if not one * two < 0.0:
                continue
            corner(p, k, True, p.edges[j, 0], y)
            corner(p, k, True, p.edges[j, 1], w)
            difference(w, y, w)
            cross(d, c, d)
            first, second = dot(a, d), dot(b, d)
            if not (first * second < 0.0 and one * second > 0.0):
                continue
            cross(u, w, d)
            length = sqrt(dot(d, d))
            if not length > PARALLEL * sqrt(dot(u, u) * dot(w, w)):
                continue
            out = length if dot(a, d) + dot(b, d) > 0.0 else -length
            difference(y, x, c)
            apart = dot(c, d) / out
            p.apart = max(p.apart, apart)
            if apart > nearly:
                nearly = p.at_best = apart
                p.best[0], p.best[1], p.best[2] = CROSSING, i, j
                for e in range(3):
                    p.way[e] = -d[e] / out


@kernel
def separation(p: Polyhedra, k: int) -> float:
    """How far the polyhedra of a pair are apart, m, negative where they overlap; p.best and p.way tell where."""
    move(p, k)
    p.at_best = -LARGE
    along_faces(p, k, True)
    along_faces(p, k, False)
    along_edges(p, k)
    return p.apart


@kernel
def face_loop(p: Polyhedra, k: int, second: bool, f: int, x: Reals2) -> int:
    """x ← the vertices of a face: how many."""
    first = p.loop_ends[f]
    for i in range(first, p.loop_ends[f + 1]):
        corner(p, k, second, p.loops[i], x[i - first])
    return p.loop_ends[f + 1] - first


@kernel
def inside_loop(x: Reals2, count: int, n: Reals, place: Reals) -> float:
    """How far a point is inside a face with some vertices and an outward normal, m, negative outside."""
    along, inward, arm, least = reals(3), reals(3), reals(3), LARGE
    for i in range(count):
        difference(x[(i + 1) % count], x[i], along)
        cross(n, along, inward)
        difference(place, x[i], arm)
        least = min(least, dot(inward, arm) / sqrt(dot(along, along)))
    return least


@kernel
def edges_cross(x: Reals, u: Reals, y: Reals, w: Reals, n: Reals, place: Reals) -> float:
    """place ← the point of an edge, from x along u, that is nearest to another one, from y along w, seen along n.

    How far it is inside both, m, negative where it is beyond an end.
    """
    arm, turned, inside = reals(3), reals(3), -LARGE
    cross(u, w, turned)
    size, long, other = dot(n, turned), sqrt(dot(u, u)), sqrt(dot(w, w))
    for i in range(3):
        place[i] = x[i]
    if abs(size) > PARALLEL * long * other * sqrt(dot(n, n)):
        difference(y, x, arm)
        cross(arm, w, turned)
        one = dot(n, turned) / size
        cross(arm, u, turned)
        two = dot(n, turned) / size
        for i in range(3):
            place[i] = x[i] + one * u[i]
        inside = min(min(one, 1.0 - one) * long, min(two, 1.0 - two) * other)
    return inside


@kernel
def edge(p: Polyhedra, k: int, second: bool, e: int, x: Reals, u: Reals) -> None:
    """x, u ← the first vertex of an edge of A or B, and the way to the second one."""
    corner(p, k, second, p.edges[e, 0], x)
    corner(p, k, second, p.edges[e, 1], u)
    difference(u, x, u)


@kernel
def region(p: Polyhedra, k: int, kind: int, one: int, two: int, place: Reals) -> float:
    """place ← where a feature touches: how far that is inside of its face or its edges, m, negative outside."""
    n, x, u, y, w = reals(3), reals(3), reals(3), reals(3), reals(3)
    if kind == CROSSING:
        edge(p, k, False, one, x, u)
        edge(p, k, True, two, y, w)
        cross(u, w, n)
        return edges_cross(x, u, y, w, n, place)
    second = kind == CORNER_OF_FIRST
    face, vertex = two if second else one, one if second else two
    normal(p, k, second, face, n)
    corner(p, k, not second, vertex, place)
    count = face_loop(p, k, second, face, p.base)
    return inside_loop(p.base, count, n, place)


@kernel
def add_feature(p: Polyhedra, k: int, kind: int, one: int, two: int, place: Reals) -> None:
    """Notes a feature that touches, unless another one touches at the same place."""
    apart, near = reals(3), 4.0 * NEAR * p.size[k]
    for j in range(p.number):
        difference(p.place[j], place, apart)
        if dot(apart, apart) <= near * near:
            return
    if p.number < ROOM:
        j = p.number
        p.kind[j], p.one[j], p.two[j] = kind, one, two
        for i in range(3):
            p.place[j, i] = place[i]
        p.number = j + 1


@kernel
def find_features(p: Polyhedra, k: int) -> None:
    """p.kind, p.one, p.two, p.place ← the features at which the polyhedra of a pair touch along p.best: `number` of them."""
    p.number = 0
    x, n = reals(3), reals(3)
    if p.best[0] == CROSSING:
        region(p, k, CROSSING, p.best[1], p.best[2], x)
        add_feature(p, k, CROSSING, p.best[1], p.best[2], x)
        return
    second = p.best[0] == CORNER_OF_FIRST  # whether the face is one of B
    face = p.best[2] if second else p.best[1]
    other, near = p.first[k] if second else p.second[k], NEAR * p.size[k]
    normal(p, k, second, face, n)
    sides = face_loop(p, k, second, face, p.base)
    d, beside = dot(n, p.base[0]), max(p.at_best, 0.0) + near
    facing, count = -1, 0
    for f in range(p.faces[other], p.faces[other + 1]):
        lies = facing < 0
        for i in range(p.loop_ends[f], p.loop_ends[f + 1]):
            corner(p, k, not second, p.loops[i], x)
            lies = lies and dot(n, x) - d <= beside
        if lies:
            facing = f
    kind, back = CORNER_OF_FIRST if second else CORNER_OF_SECOND, CORNER_OF_SECOND if second else CORNER_OF_FIRST
    for v in range(p.corners[other], p.corners[other + 1]):
        corner(p, k, not second, v, x)
        if dot(n, x) - d <= beside and inside_loop(p.base, sides, n, x) >= -near:
            add_feature(p, k, kind, v if second else face, face if second else v, x)
    if facing >= 0:
        normal(p, k, not second, facing, n)
        count = face_loop(p, k, not second, facing, p.ring)
        for i in range(p.loop_ends[face], p.loop_ends[face + 1]):
            corner(p, k, second, p.loops[i], x)
            if inside_loop(p.ring, count, n, x) >= -near:
                v = p.loops[i]
                add_feature(p, k, back, facing if second else v, v if second else facing, x)
    add_crossings(p, k, second, face, d, beside)
    if p.number == 0:
        region(p, k, p.best[0], p.best[1], p.best[2], x)
        add_feature(p, k, p.best[0], p.best[1], p.best[2], x)


@kernel
def add_crossings(p: Polyhedra, k: int, second: bool, face: int, d: float, beside: float) -> None:
    """Notes where edges of one polyhedron cross those of a face of the other, n · x = d, near to it."""
    other, n, near = p.first[k] if second else p.second[k], reals(3), NEAR * p.size[k]
    x, u, y, w, place = reals(3), reals(3), reals(3), reals(3), reals(3)
    normal(p, k, second, face, n)
    for e in range(p.borders[other], p.borders[other + 1]):
        edge(p, k, not second, e, y, w)
        if min(dot(n, y), dot(n, y) + dot(n, w)) - d > beside:
            continue
        for i in range(p.loop_ends[face], p.loop_ends[face + 1]):
            own = p.loop_edges[i]
            edge(p, k, second, own, x, u)
            if edges_cross(y, w, x, u, n, place) > near and dot(n, place) - d <= beside:
                add_feature(p, k, CROSSING, e if second else own, own if second else e, place)


@kernel
def write_feature(p: Polyhedra, k: int, values: Reals, kind: int, one: int, two: int) -> None:
    """values ← the parameters of a feature, with the normal on the side of p.way; of none the way from origin to origin."""
    for i in range(3, len(values)):
        values[i] = 0.0
    values[KIND], values[FIRST], values[SECOND] = float(kind), float(one), float(two)
    x, u, w, n = reals(3), reals(3), reals(3), reals(3)
    if kind == NONE:
        origin = p.pose[12 * k + 9 : 12 * k + 12]
        length = sqrt(dot(origin, origin))
        for i in range(3):
            values[NORMAL_B + i] = origin[i] / length if length > 0.0 else 1.0 if i == 2 else 0.0
    elif kind == CROSSING:
        edge(p, k, False, one, x, u)
        edge(p, k, True, two, x, w)
        cross(u, w, n)
        long, other = sqrt(dot(u, u)), sqrt(dot(w, w))
        side = 1.0 if dot(n, p.way) > 0.0 else -1.0
        for i in range(3):
            values[A + i], values[B + i] = p.points[p.edges[one, 0], i], p.points[p.edges[two, 0], i]
            values[EDGE_A + i] = side * (p.points[p.edges[one, 1], i] - p.points[p.edges[one, 0], i]) / long
            values[EDGE_B + i] = (p.points[p.edges[two, 1], i] - p.points[p.edges[two, 0], i]) / other
    elif kind == CORNER_OF_FIRST:
        for i in range(3):
            values[A + i] = p.points[one, i]
            values[B + i] = p.points[p.loops[p.loop_ends[two]], i]
            values[NORMAL_B + i] = p.planes[two, i]
    else:
        for i in range(3):
            values[A + i] = p.points[p.loops[p.loop_ends[one]], i]
            values[B + i] = p.points[two, i]
            values[NORMAL_A + i] = -p.planes[one, i]


@kernel
def gap_of(p: Polyhedra, k: int, values: Reals) -> float:
    """The gap of a feature, m."""
    pose, n, x, u = p.pose[12 * k : 12 * k + 12], reals(3), reals(3), reals(3)
    rotate(pose, values[EDGE_A : EDGE_A + 3], u)
    cross(u, values[EDGE_B : EDGE_B + 3], n)
    rotate(pose, values[NORMAL_A : NORMAL_A + 3], u)
    rotate(pose, values[A : A + 3], x)
    for i in range(3):
        n[i] += u[i] + values[NORMAL_B + i]
        x[i] += pose[9 + i] - values[B + i]
    return dot(n, x) / sqrt(dot(n, n))


@kernel
def feature_of(p: Polyhedra, values: Reals, c: int) -> int:
    """What a contact touches with."""
    return int(values[p.feature[c] + KIND])


@kernel
def overlaps(p: Polyhedra, k: int, values: Reals, closed: Ints) -> bool:
    """Whether the polyhedra of a pair have met at a feature at which they did not touch, or leave one at which they do."""
    x, size = reals(3), p.size[k]
    if distant(p, k):
        return False
    if separation(p, k) < -DEPTH * size:
        return True
    for c in range(p.slots[k, 0], p.slots[k, 0] + p.slots[k, 1]):
        if values[closed[c]] != 0.0 and feature_of(p, values, c) != NONE:
            at = p.feature[c]
            if region(p, k, int(values[at]), int(values[at + 1]), int(values[at + 2]), x) < -3.0 * NEAR * size:
                return True
    return False


@kernel
def already(p: Polyhedra, k: int, values: Reals, j: int) -> bool:
    """Whether a contact of a pair is where a feature has been found."""
    x = reals(3)
    for c in range(p.slots[k, 0], p.slots[k, 0] + p.slots[k, 1]):
        if feature_of(p, values, c) != NONE:
            at = p.feature[c]
            region(p, k, int(values[at]), int(values[at + 1]), int(values[at + 2]), x)
            difference(x, p.place[j], x)
            if dot(x, x) <= (4.0 * NEAR * p.size[k]) * (4.0 * NEAR * p.size[k]):
                return True
    return False


@kernel(lazy=True)
def choose_features(
    p: Polyhedra, clock: Reals, y: Reals, values: Reals, closed: Ints, reached: Ints, bit: int, fresh: bool
) -> int:
    """values ← the features of all contacts of polyhedra at a state: −1, or the first contact of a pair that overlaps.

    Contacts that touch keep theirs, as long as these are inside of their faces and edges.

    closed       place of the flag of each contact that says so
    reached, bit what says that a contact touches now
    fresh        whether no contact has a feature yet
    """
    p.evaluate(clock, y, values, p.pose)
    x = reals(3)
    for k in range(p.count):
        first, last, size = p.slots[k, 0], p.slots[k, 0] + p.slots[k, 1], p.size[k]
        apart = separation(p, k)
        if apart < -NEAR * size:
            return first
        for c in range(first, last):
            at = p.feature[c]
            own = values[at : at + 21]
            leaves = fresh or values[closed[c]] == 0.0 or feature_of(p, values, c) == NONE
            if not leaves:
                leaves = region(p, k, int(own[KIND]), int(own[FIRST]), int(own[SECOND]), x) < -2.0 * NEAR * size
            if leaves:
                values[closed[c]] = 0.0
                write_feature(p, k, own, NONE, 0, 0)
        p.number = 0
        if apart <= NEAR * size:
            find_features(p, k)
        else:
            p.number, p.kind[0], p.one[0], p.two[0] = 1, p.best[0], p.best[1], p.best[2]
            for i in range(3):
                p.place[0, i] = LARGE
        free = first
        for j in range(p.number):
            if already(p, k, values, j):
                continue
            while free < last and feature_of(p, values, free) != NONE:
                free += 1
            if free == last:
                break
            own = values[p.feature[free] : p.feature[free] + 21]
            write_feature(p, k, own, p.kind[j], p.one[j], p.two[j])
            if gap_of(p, k, own) <= 10.0 * DEPTH * size:
                reached[free] = reached[free] | bit
    return -1
