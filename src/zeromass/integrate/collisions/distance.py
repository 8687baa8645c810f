"""The gap of two collision shapes, and the features at which they are nearest, in kernels.

Solids are apart where a plane separates them, and planes along a face of one, and along an edge of each, are enough
[GLM1996]: they are separated by the one along which they are farthest apart, or overlap least. Of the other shapes all
features are compared. Places are in the axes of the body of the second shape.
"""

from __future__ import annotations

from zeromass.integrate.collisions.elements import (
    edge,
    edges_cross,
    face_loop,
    inside_loop,
    nearest_on_lines,
    normal,
    region,
    vertex,
)
from zeromass.integrate.collisions.shapes import (
    EDGE_EDGE,
    EDGE_VERTEX,
    FACE_VERTEX,
    HALF_SPACE,
    LARGE,
    NEAR,
    PARALLEL,
    POINT,
    ROOM,
    SEGMENT,
    SOLID,
    VERTEX_EDGE,
    VERTEX_FACE,
    VERTEX_VERTEX,
    Shapes,
    kind_of,
    move_first,
)
from zeromass.integrate.collisions.vectors import add, copy, cross, difference, dot, length
from zeromass.kernel.language import Reals, kernel, reals


@kernel
def add_feature(x: Shapes, one: int, two: int, kind: int, i: int, j: int) -> None:
    """Notes a feature that touches, unless another one touches at the same place."""
    place, apart, near = reals(3), reals(3), 4.0 * NEAR * x.size[one]
    region(x, one, two, kind, i, j, place)
    for k in range(x.number):
        difference(x.place[k], place, apart)
        if length(apart) <= near:
            return
    if x.number < ROOM:
        k = x.number
        x.feature[k, 0], x.feature[k, 1], x.feature[k, 2] = kind, i, j
        copy(place, x.place[k])
        x.number = k + 1


@kernel
def compare(x: Shapes, one: int, two: int, kind: int, i: int, j: int, apart: float, way: Reals) -> None:
    """Takes a feature for the nearest one if it is, at some distance, m, along a way from the second shape to the first."""
    for k in range(x.skipped):
        if x.skip[k, 0] == kind and x.skip[k, 1] == i and x.skip[k, 2] == j:
            return
    if x.collects:
        if apart <= x.limit:
            add_feature(x, one, two, kind, i, j)
    elif apart < x.apart:
        x.apart, x.best[0], x.best[1], x.best[2] = apart, kind, i, j
        size = length(way)
        for k in range(3):
            x.way[k] = way[k] / size if size > 0.0 else 1.0 if k == 2 else 0.0


@kernel
def compare_vertices(x: Shapes, one: int, two: int, i: int, j: int) -> None:
    """Compares two vertices."""
    a, b = reals(3), reals(3)
    vertex(x, one, False, i, a)
    vertex(x, one, True, j, b)
    difference(a, b, a)
    compare(x, one, two, VERTEX_VERTEX, i, j, length(a), a)


@kernel
def compare_with_edge(x: Shapes, one: int, two: int, second: bool, v: int, e: int) -> None:
    """Compares a vertex of one shape with the inside of an edge of the other, the second one or the first."""
    a, u, d = reals(3), reals(3), reals(3)
    edge(x, one, second, e, a, u)
    vertex(x, one, not second, v, d)
    difference(d, a, d)
    part = dot(d, u) / dot(u, u)
    if part > 0.0 and part < 1.0:
        add(-part, u, d)
        if not second:
            for k in range(3):
                d[k] = -d[k]
        kind = VERTEX_EDGE if second else EDGE_VERTEX
        compare(x, one, two, kind, v if second else e, e if second else v, length(d), d)


@kernel
def compare_edges(x: Shapes, one: int, two: int, i: int, j: int) -> None:
    """Compares the insides of two edges."""
    a, u, b, w = reals(3), reals(3), reals(3), reals(3)
    edge(x, one, False, i, a, u)
    edge(x, one, True, j, b, w)
    s, t = nearest_on_lines(a, u, b, w)
    if s > 0.0 and s < 1.0 and t > 0.0 and t < 1.0:
        difference(a, b, a)
        add(s, u, a)
        add(-t, w, a)
        compare(x, one, two, EDGE_EDGE, i, j, length(a), a)


@kernel
def compare_with_solid(x: Shapes, one: int, two: int, v: int) -> None:
    """Compares a vertex of the first shape with faces, edges and vertices of a solid."""
    P, a, n, b = x.polytope[two], reals(3), reals(3), reals(3)
    vertex(x, one, False, v, a)
    highest, face, over = -LARGE, -1, False
    for f in range(x.faces[P], x.faces[P + 1]):
        copy(x.planes[f], n)
        height = dot(n, a) - x.planes[f, 3]
        if height > highest:
            highest, face = height, f
        if height > 0.0 and inside_loop(x.base, face_loop(x, one, True, f, x.base), n, a) >= 0.0:
            over = True
            compare(x, one, two, VERTEX_FACE, v, f, height, n)
    if highest <= 0.0:  # inside
        copy(x.planes[face], b)
        compare(x, one, two, VERTEX_FACE, v, face, highest, b)
    elif not over:
        for e in range(x.borders[P], x.borders[P + 1]):
            compare_with_edge(x, one, two, True, v, e)
        for w in range(x.corners[P], x.corners[P + 1]):
            compare_vertices(x, one, two, v, w)


@kernel
def compare_segments(x: Shapes, one: int, two: int) -> None:
    """Compares a point or segment with another one."""
    P, Q = x.polytope[one], x.polytope[two]
    for i in range(x.borders[P], x.borders[P + 1]):
        for j in range(x.borders[Q], x.borders[Q + 1]):
            compare_edges(x, one, two, i, j)
        for w in range(x.corners[Q], x.corners[Q + 1]):
            compare_with_edge(x, one, two, False, w, i)
    for v in range(x.corners[P], x.corners[P + 1]):
        for j in range(x.borders[Q], x.borders[Q + 1]):
            compare_with_edge(x, one, two, True, v, j)
        for w in range(x.corners[Q], x.corners[Q + 1]):
            compare_vertices(x, one, two, v, w)


@kernel
def compare_all(x: Shapes, one: int, two: int) -> None:
    """Compares all features of two shapes that are not both solid."""
    P, Q, n = x.polytope[one], x.polytope[two], reals(3)
    if x.kind[Q] == HALF_SPACE:
        f = x.faces[Q]
        copy(x.planes[f], n)
        for v in range(x.corners[P], x.corners[P + 1]):
            height = dot(n, x.moved[v - x.corners[P]]) - x.planes[f, 3]
            compare(x, one, two, VERTEX_FACE, v, f, height, n)
    elif x.kind[Q] == SOLID:
        for v in range(x.corners[P], x.corners[P + 1]):
            compare_with_solid(x, one, two, v)
        for i in range(x.borders[P], x.borders[P + 1]):
            for j in range(x.borders[Q], x.borders[Q + 1]):
                compare_edges(x, one, two, i, j)
            for w in range(x.corners[Q], x.corners[Q + 1]):
                compare_with_edge(x, one, two, False, w, i)
    else:
        compare_segments(x, one, two)


@kernel
def along_faces(x: Shapes, one: int, two: int, second: bool) -> None:
    """x.best, x.apart ← the face of a solid from which the other one is farthest, if it is farther than what is known."""
    P, Q = (x.polytope[two], x.polytope[one]) if second else (x.polytope[one], x.polytope[two])
    n, v, on = reals(3), reals(3), reals(3)
    for f in range(x.faces[P], x.faces[P + 1]):
        normal(x, one, second, f, n)
        vertex(x, one, second, x.loops[x.loop_ends[f]], on)
        d, lowest, which = dot(n, on), LARGE, 0
        for k in range(x.corners[Q], x.corners[Q + 1]):
            vertex(x, one, not second, k, v)
            height = dot(n, v) - d
            if height < lowest:
                lowest, which = height, k
        if lowest > x.apart:
            x.apart = lowest
            x.best[0] = VERTEX_FACE if second else FACE_VERTEX
            x.best[1], x.best[2] = which if second else f, f if second else which
            for i in range(3):
                x.way[i] = n[i] if second else -n[i]


@kernel
def along_edges(x: Shapes, one: int, two: int) -> None:
    """x.best, x.apart ← the edges along which two solids are farthest apart, if clearly farther than along faces.

    Edges meet where the arcs between the normals of their faces cross, those of the second solid taken the other way round.
    """
    P, Q, nearly = x.polytope[one], x.polytope[two], x.apart + NEAR * x.size[one]
    a, b, c, d, n = reals(3), reals(3), reals(3), reals(3), reals(3)
    u, w, p, q, most = reals(3), reals(3), reals(3), reals(3), x.apart
    for i in range(x.borders[P], x.borders[P + 1]):
        normal(x, one, False, x.edges[i, 2], a)
        normal(x, one, False, x.edges[i, 3], b)
        edge(x, one, False, i, p, u)
        cross(b, a, n)
        for j in range(x.borders[Q], x.borders[Q + 1]):
            normal(x, one, True, x.edges[j, 2], c)
            normal(x, one, True, x.edges[j, 3], d)
            first, second = -dot(c, n), -dot(d, n)
            if not first * second < 0.0:
                continue
            cross(d, c, d)
            before, behind = dot(a, d), dot(b, d)
            if not (before * behind < 0.0 and first * behind > 0.0):
                continue
            edge(x, one, True, j, q, w)
            cross(u, w, d)
            long = length(d)
            if not long > PARALLEL * length(u) * length(w):
                continue
            out = long if dot(a, d) + dot(b, d) > 0.0 else -long
            difference(q, p, c)
            apart = dot(c, d) / out
            most = max(most, apart)
            if apart > nearly:
                nearly = apart
                x.best[0], x.best[1], x.best[2] = EDGE_EDGE, i, j
                for k in range(3):
                    x.way[k] = -d[k] / out
    x.apart = most


@kernel
def gap_between(x: Shapes, one: int, two: int) -> float:
    """The gap of two shapes, m, negative where they overlap; x.best and x.way tell at which features they are nearest."""
    move_first(x, one, two)
    x.collects = False
    if kind_of(x, one) == SOLID and kind_of(x, two) == SOLID:
        x.apart = -LARGE
        along_faces(x, one, two, True)
        along_faces(x, one, two, False)
        along_edges(x, one, two)
    else:
        x.apart = LARGE
        compare_all(x, one, two)
    x.apart -= x.radius[one] + x.radius[two]
    return x.apart


@kernel
def find_features(x: Shapes, one: int, two: int) -> None:
    """x.feature, x.place ← the features at which two shapes touch, or are nearest: `number` of them."""
    x.number = 0
    near = NEAR * x.size[one]
    if kind_of(x, one) == POINT:
        add_feature(x, one, two, x.best[0], x.best[1], x.best[2])
    elif kind_of(x, one) == SEGMENT or kind_of(x, two) == HALF_SPACE:
        x.collects, x.limit = True, x.apart + x.radius[one] + x.radius[two] + near
        compare_all(x, one, two)
    elif x.best[0] == EDGE_EDGE:
        add_feature(x, one, two, EDGE_EDGE, x.best[1], x.best[2])
    else:
        find_face_features(x, one, two, near)
    if x.number == 0:
        add_feature(x, one, two, x.best[0], x.best[1], x.best[2])


@kernel
def find_face_features(x: Shapes, one: int, two: int, near: float) -> None:
    """Notes the vertices of a solid that touch a face of another, those of this face that touch the solid, and edges."""
    v, n, second = reals(3), reals(3), x.best[0] == VERTEX_FACE  # whether the face is one of the second solid
    face = x.best[2] if second else x.best[1]
    Q = x.polytope[one] if second else x.polytope[two]
    normal(x, one, second, face, n)
    vertex(x, one, second, x.loops[x.loop_ends[face]], v)
    d, beside, facing = dot(n, v), max(x.apart, 0.0) + near, -1
    for f in range(x.faces[Q], x.faces[Q + 1]):
        lies = facing < 0
        for i in range(x.loop_ends[f], x.loop_ends[f + 1]):
            vertex(x, one, not second, x.loops[i], v)
            lies = lies and dot(n, v) - d <= beside
        if lies:
            facing = f
    sides = face_loop(x, one, second, face, x.base)
    for k in range(x.corners[Q], x.corners[Q + 1]):
        vertex(x, one, not second, k, v)
        if dot(n, v) - d <= beside and inside_loop(x.base, sides, n, v) >= -near:
            if second:
                add_feature(x, one, two, VERTEX_FACE, k, face)
            else:
                add_feature(x, one, two, FACE_VERTEX, face, k)
            sides = face_loop(x, one, second, face, x.base)
    if facing >= 0:
        normal(x, one, not second, facing, n)
        count = face_loop(x, one, not second, facing, x.ring)
        for i in range(x.loop_ends[face], x.loop_ends[face + 1]):
            k = x.loops[i]
            vertex(x, one, second, k, v)
            if inside_loop(x.ring, count, n, v) >= -near:
                if second:
                    add_feature(x, one, two, FACE_VERTEX, facing, k)
                else:
                    add_feature(x, one, two, VERTEX_FACE, k, facing)
    add_crossings(x, one, two, second, face, d, beside)


@kernel
def add_crossings(x: Shapes, one: int, two: int, second: bool, face: int, d: float, beside: float) -> None:
    """Notes where edges of one solid cross those of a face of the other, n · x = d, near to it."""
    Q, n, near = x.polytope[one] if second else x.polytope[two], reals(3), NEAR * x.size[one]
    a, u, b, w, place = reals(3), reals(3), reals(3), reals(3), reals(3)
    normal(x, one, second, face, n)
    for e in range(x.borders[Q], x.borders[Q + 1]):
        edge(x, one, not second, e, b, w)
        if min(dot(n, b), dot(n, b) + dot(n, w)) - d > beside:
            continue
        for i in range(x.loop_ends[face], x.loop_ends[face + 1]):
            own = x.loop_edges[i]
            edge(x, one, second, own, a, u)
            if edges_cross(b, w, a, u, n, place) > near and dot(n, place) - d <= beside:
                add_feature(x, one, two, EDGE_EDGE, e if second else own, own if second else e)
