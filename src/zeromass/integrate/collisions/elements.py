"""Vertices, edges and faces of the shapes of a pair, and where they touch, in the axes of the second body."""

from __future__ import annotations

from zeromass.integrate.collisions.shapes import (
    EDGE_EDGE,
    EDGE_VERTEX,
    FACE_VERTEX,
    HALF_SPACE,
    LARGE,
    PARALLEL,
    VERTEX_EDGE,
    VERTEX_FACE,
    Shapes,
    kind_of,
)
from zeromass.integrate.collisions.vectors import add, copy, cross, difference, dot, length
from zeromass.kernel.language import Reals, Reals2, kernel, reals


@kernel
def vertex(x: Shapes, one: int, second: bool, v: int, z: Reals) -> None:
    """z ← a vertex of the first or the second shape."""
    if second:
        copy(x.points[v], z)
    else:
        copy(x.moved[v - x.corners[x.polytope[one]]], z)


@kernel
def normal(x: Shapes, one: int, second: bool, f: int, z: Reals) -> None:
    """z ← the outward normal of a face of the first or the second shape."""
    if second:
        copy(x.planes[f], z)
    else:
        copy(x.turned[f - x.faces[x.polytope[one]]], z)


@kernel
def edge(x: Shapes, one: int, second: bool, e: int, z: Reals, u: Reals) -> None:
    """z, u ← the first vertex of an edge, and the way to the second one."""
    vertex(x, one, second, x.edges[e, 0], z)
    vertex(x, one, second, x.edges[e, 1], u)
    difference(u, z, u)


@kernel
def face_loop(x: Shapes, one: int, second: bool, f: int, z: Reals2) -> int:
    """z ← the vertices of a face: how many."""
    first = x.loop_ends[f]
    for i in range(first, x.loop_ends[f + 1]):
        vertex(x, one, second, x.loops[i], z[i - first])
    return x.loop_ends[f + 1] - first


@kernel
def inside_loop(z: Reals2, count: int, n: Reals, place: Reals) -> float:
    """How far a point is inside a face with some vertices and an outward normal, m, negative outside."""
    along, inward, arm, least = reals(3), reals(3), reals(3), LARGE
    for i in range(count):
        difference(z[(i + 1) % count], z[i], along)
        cross(n, along, inward)
        difference(place, z[i], arm)
        least = min(least, dot(inward, arm) / length(along))
    return least


@kernel
def nearest_on_lines(a: Reals, u: Reals, b: Reals, w: Reals) -> tuple[float, float]:
    """s, t of the points a + s u and b + t w that are nearest to one another; −1 of lines that are parallel."""
    m, d, c = reals(3), reals(3), reals(3)
    cross(u, w, m)
    size = dot(m, m)
    if not size > PARALLEL * PARALLEL * dot(u, u) * dot(w, w):
        return -1.0, -1.0
    difference(b, a, d)
    cross(d, w, c)
    s = dot(c, m) / size
    cross(d, u, c)
    return s, dot(c, m) / size


@kernel
def edges_cross(a: Reals, u: Reals, b: Reals, w: Reals, n: Reals, place: Reals) -> float:
    """place ← the point of an edge, from a along u, that is nearest to another one, from b along w, seen along n.

    How far it is inside both, m, negative where it is beyond an end.
    """
    arm, turned, inside = reals(3), reals(3), -LARGE
    cross(u, w, turned)
    size, long, other = dot(n, turned), length(u), length(w)
    copy(a, place)
    if abs(size) > PARALLEL * long * other * length(n):
        difference(b, a, arm)
        cross(arm, w, turned)
        s = dot(n, turned) / size
        cross(arm, u, turned)
        t = dot(n, turned) / size
        add(s, u, place)
        inside = min(min(s, 1.0 - s) * long, min(t, 1.0 - t) * other)
    return inside


@kernel
def behind_edges(x: Shapes, one: int, second: bool, P: int, v: int, d: Reals) -> float:
    """How far a place at d from a vertex is behind the ends of its edges, m: it is nearest to the vertex if positive."""
    a, u, least = reals(3), reals(3), LARGE
    for e in range(x.borders[P], x.borders[P + 1]):
        if x.edges[e, 0] == v or x.edges[e, 1] == v:
            edge(x, one, second, e, a, u)
            out = 1.0 if x.edges[e, 0] == v else -1.0
            least = min(least, -out * dot(d, u) / length(u))
    return least


@kernel
def beside_edge(x: Shapes, one: int, second: bool, e: int, d: Reals) -> float:
    """How far a place at d from the first vertex of an edge is inside what is nearest to the edge, m."""
    a, u, c, n = reals(3), reals(3), reals(3), reals(3)
    edge(x, one, second, e, a, u)
    long = length(u)
    along = dot(d, u) / long
    least = min(along, long - along)
    for side in range(2):
        f = x.edges[e, 2 + side]
        if f >= 0:
            normal(x, one, second, f, n)
            cross(n, u, c)
            inward = dot(d, c) / long
            least = min(least, -inward if side == 0 else inward)
    return least


@kernel
def region(x: Shapes, one: int, two: int, kind: int, i: int, j: int, place: Reals) -> float:
    """place ← where a feature touches, on the second polytope: how far that is inside of what is nearest, m."""
    d, a, u, b, w, n = reals(3), reals(3), reals(3), reals(3), reals(3), reals(3)
    if kind == EDGE_EDGE:
        edge(x, one, False, i, a, u)
        edge(x, one, True, j, b, w)
        cross(u, w, n)
        return edges_cross(b, w, a, u, n, place)
    if kind == VERTEX_FACE:
        vertex(x, one, False, i, place)
        if kind_of(x, two) == HALF_SPACE:
            return LARGE
        normal(x, one, True, j, n)
        return inside_loop(x.base, face_loop(x, one, True, j, x.base), n, place)
    if kind == FACE_VERTEX:
        vertex(x, one, True, j, place)
        normal(x, one, False, i, n)
        return inside_loop(x.base, face_loop(x, one, False, i, x.base), n, place)
    if kind == VERTEX_EDGE:
        vertex(x, one, False, i, a)
        edge(x, one, True, j, b, w)
        difference(a, b, d)
        copy(b, place)
        add(dot(d, w) / dot(w, w), w, place)
        return beside_edge(x, one, True, j, d)
    if kind == EDGE_VERTEX:
        edge(x, one, False, i, a, u)
        vertex(x, one, True, j, place)
        difference(place, a, d)
        return beside_edge(x, one, False, i, d)
    vertex(x, one, False, i, a)
    vertex(x, one, True, j, place)
    difference(a, place, d)
    inside = behind_edges(x, one, True, x.polytope[two], j, d)
    for k in range(3):
        d[k] = -d[k]
    return min(inside, behind_edges(x, one, False, x.polytope[one], i, d))
