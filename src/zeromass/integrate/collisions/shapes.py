"""Collision shapes in memory: convex polytopes with a radius, and the pairs of them that are near one another.

A sphere is a point with a radius, a capsule a segment with one; boxes and hulls are solids without, half-spaces solids of
one face. Two shapes touch at features of their polytopes, and the gap g is the distance of these less both radii:

    n                                 g + r
    (a − b)/|a − b|                   |a − b|                two vertices
    perpendicular from edge to vertex |a − b − (a − b)·u u|   a vertex and an edge along u
    normal of the face                n · (a − b)             a vertex and a face
    ± u × w/|u × w|                   n · (a − b)             two edges along u and w
"""

from __future__ import annotations

from zeromass.integrate.collisions.vectors import add, copy, difference, rotate, rotate_back
from zeromass.kernel.language import Ints, Ints2, Reals, Reals2, Struct, kernel, reals

VERTEX_VERTEX, VERTEX_EDGE, EDGE_VERTEX, VERTEX_FACE, FACE_VERTEX, EDGE_EDGE = FEATURES = range(6)
"""Features of the first and of the second shape at which these touch."""

POINT, SEGMENT, SOLID, HALF_SPACE = range(4)
"""Kinds of polytopes."""

FIXED = -1
"""Number of the body of shapes that do not move."""

NEAR = 1e-9
"""Part of a size within which features touch, and by which a point may be beside a face or beyond an edge."""

PARALLEL = 1e-8
"""Sine of the angle of two edges below which they do not cross."""

LARGE = 1e300

ROOM = 32
"""Features at which two shapes may touch at a time."""


class Shapes(Struct):
    """Collision shapes on bodies, pairs of them, and memory to look at one pair.

    body, polytope, radius   of each shape: its body or FIXED, its polytope, and the radius, m
    size                     of each shape: largest distance of its points from its centre, m; infinite of half-spaces
    kind                     of each polytope
    points, planes, edges    of all polytopes, in body axes: vertices; n and d of faces, n · x ≤ d inside; both vertices and
                             both faces of edges, −1 for none
    loops, loop_edges, loop_ends   vertices of each face, counterclockwise, and the edge from each of them to the next
    corners, faces, borders  where vertices, faces and edges of each polytope begin
    position, rotation       of each body: m, and its rotation matrix row by row

    near                     how many pairs are near one another; first, second: their shapes, the second one being of the
                             larger kind; law: which law each has; touches: how many contacts each has that are closed
    gap, low                 of each near pair lower bounds of its gap: where the motion was looked at last, and in the step
                             in which it is looked at, m
    seen, before, after      near pairs that are looked at closely, and their last two gaps; early: rounding of each gap, m
    group                    of each shape its group, whose shapes may all touch one another, and their law
    joined                   pairs of bodies that joints connect, in order, as first · bodies + second
    lower, upper             bounds of shapes along the axes, m, (shapes, 3)
    sorted, half_spaces      finite shapes in order of their first bounds, and half-spaces
    room                     for how many near pairs there is memory
    skin, moved_by           distance up to which pairs are near, and how far shapes may have come nearer since, m
    fast                     bounds on the speeds by which bodies turn in a step, m/s
    skipped, skip            features that are not compared, as they touch already

    moved, turned            vertices and normals of the first shape of a pair, in the axes of the second body
    best, way, apart         the feature at which the two are nearest, the direction there from the second to the first, in
                             the axes of the second body, and the gap, m
    number, feature, place   features that have been found, and where each touches, in these axes
    collects, limit          whether all features up to a distance are noted, or the nearest one
    ring, base               vertices of two faces
    """

    body: Ints
    polytope: Ints
    radius: Reals
    size: Reals
    kind: Ints
    points: Reals2
    planes: Reals2
    edges: Ints2
    loops: Ints
    loop_edges: Ints
    loop_ends: Ints
    corners: Ints
    faces: Ints
    borders: Ints
    position: Reals2
    rotation: Reals2
    near: int
    first: Ints
    second: Ints
    law: Ints
    touches: Ints
    gap: Reals
    low: Reals
    seen: Ints
    before: Reals
    after: Reals
    early: Reals
    group: Ints
    joined: Ints
    lower: Reals2
    upper: Reals2
    sorted: Ints
    half_spaces: Ints
    room: int
    skin: float
    moved_by: float
    fast: Reals
    skipped: int
    skip: Ints2
    moved: Reals2
    turned: Reals2
    best: Ints
    way: Reals
    apart: float
    number: int
    feature: Ints2
    place: Reals2
    collects: bool
    limit: float
    ring: Reals2
    base: Reals2


@kernel
def kind_of(x: Shapes, shape: int) -> int:
    """Kind of the polytope of a shape."""
    return int(x.kind[x.polytope[shape]])


@kernel
def to_world(x: Shapes, shape: int, place: Reals, z: Reals) -> None:
    """z ← the inertial position of a place in the axes of the body of a shape."""
    direction_to_world(x, shape, place, z)
    if x.body[shape] >= 0:
        add(1.0, x.position[x.body[shape]], z)


@kernel
def direction_to_world(x: Shapes, shape: int, way: Reals, z: Reals) -> None:
    """z ← the inertial components of a direction in the axes of the body of a shape."""
    b = x.body[shape]
    if b < 0:
        copy(way, z)
    else:
        rotate(x.rotation[b], way, z)


@kernel
def to_body(x: Shapes, shape: int, place: Reals, z: Reals) -> None:
    """z ← a place in the axes of the body of a shape, of its inertial position."""
    arm = reals(3)
    copy(place, arm)
    if x.body[shape] >= 0:
        difference(place, x.position[x.body[shape]], arm)
    direction_to_body(x, shape, arm, z)


@kernel
def direction_to_body(x: Shapes, shape: int, way: Reals, z: Reals) -> None:
    """z ← a direction in the axes of the body of a shape, of its inertial components."""
    b = x.body[shape]
    if b < 0:
        copy(way, z)
    else:
        rotate_back(x.rotation[b], way, z)


@kernel
def move_first(x: Shapes, one: int, two: int) -> None:
    """x.moved, x.turned ← vertices and normals of a shape in the axes of the body of another."""
    place, P = reals(3), x.polytope[one]
    for v in range(x.corners[P], x.corners[P + 1]):
        to_world(x, one, x.points[v], place)
        to_body(x, two, place, x.moved[v - x.corners[P]])
    for f in range(x.faces[P], x.faces[P + 1]):
        direction_to_world(x, one, x.planes[f], place)
        direction_to_body(x, two, place, x.turned[f - x.faces[P]])
