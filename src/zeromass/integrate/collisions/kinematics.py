"""Kinematics of a contact at a feature of two shapes, in kernels: gap, frame, relative velocity and acceleration.

With p the point of contact, on the second shape, and e the normal or a tangent:

    w = e · (v_A + ω_A × (p − x_A) − v_B − ω_B × (p − x_B))           ġ is that along the normal
    ẇ = J a + bias,   J = (e, (p − x_A) × e, −e, −(p − x_B) × e),   a the twist accelerations of both bodies

The first tangent is perpendicular to an axis that is fixed as long as the contact lasts.
"""

from __future__ import annotations

from zeromass.integrate.collisions.bodies import Bodies
from zeromass.integrate.collisions.shapes import (
    EDGE_EDGE,
    EDGE_VERTEX,
    FACE_VERTEX,
    VERTEX_EDGE,
    VERTEX_FACE,
    Shapes,
    direction_to_world,
    to_world,
)
from zeromass.integrate.collisions.vectors import add, copy, cross, difference, dot, length, remove_along
from zeromass.kernel.language import Reals, Reals2, Struct, kernel, reals


class Frame(Struct):
    """A contact at a state.

    gap          m
    point        p, m; its rate
    e, rate      normal, first and second tangent, (3, 3), and their rates
    arms         p − x_A and p − x_B, (2, 3)
    velocity     ġ and both components of the slip velocity
    bias         accelerations of these without accelerations of bodies
    """

    gap: float
    point: Reals
    point_rate: Reals
    e: Reals2
    rate: Reals2
    arms: Reals2
    velocity: Reals
    bias: Reals


@kernel
def velocity_at(b: Bodies, body: int, place: Reals, z: Reals) -> None:
    """z ← the velocity of the point of a body that is at a place."""
    arm = reals(3)
    if body < 0:
        z[0], z[1], z[2] = 0.0, 0.0, 0.0
    else:
        difference(place, b.position[body], arm)
        cross(b.spin[body], arm, z)
        add(1.0, b.velocity[body], z)


@kernel
def turning(b: Bodies, body: int, way: Reals, z: Reals) -> None:
    """z ← the rate of a direction that is fixed in a body."""
    if body < 0:
        z[0], z[1], z[2] = 0.0, 0.0, 0.0
    else:
        cross(b.spin[body], way, z)


@kernel
def place_vertex(x: Shapes, b: Bodies, shape: int, v: int, place: Reals, rate: Reals) -> None:
    """place, rate ← the inertial position of a vertex, and its velocity."""
    to_world(x, shape, x.points[v], place)
    velocity_at(b, x.body[shape], place, rate)


@kernel
def place_edge(x: Shapes, b: Bodies, shape: int, e: int, place: Reals, rate: Reals, u: Reals, turns: Reals) -> None:
    """place, rate, u, turns ← the first vertex of an edge and its velocity, the unit vector along it and its rate."""
    end = reals(3)
    place_vertex(x, b, shape, x.edges[e, 0], place, rate)
    to_world(x, shape, x.points[x.edges[e, 1]], end)
    difference(end, place, u)
    size = length(u)
    for i in range(3):
        u[i] /= size
    turning(b, x.body[shape], u, turns)


@kernel
def along_direction(d: Reals, rate: Reals, n: Reals, turns: Reals) -> float:
    """n, turns ← d/|d| and its rate; |d|."""
    size = length(d)
    for i in range(3):
        n[i] = d[i] / size if size > 0.0 else 1.0 if i == 2 else 0.0
        turns[i] = rate[i] / size if size > 0.0 else 0.0
    remove_along(n, turns)
    return size


@kernel
def at_face(x: Shapes, b: Bodies, f: Frame, one: int, two: int, feature: int, i: int, j: int) -> float:
    """Normal and point of a vertex and a face; the distance from the face."""
    a, da, c, dc, n, dn = reals(3), reals(3), reals(3), reals(3), f.e[0], f.rate[0]
    if feature == VERTEX_FACE:
        direction_to_world(x, two, x.planes[j], n)
        turning(b, x.body[two], n, dn)
        place_vertex(x, b, one, i, a, da)
        place_vertex(x, b, two, x.loops[x.loop_ends[j]], c, dc)
    else:
        direction_to_world(x, one, x.planes[i], n)
        for k in range(3):
            n[k] = -n[k]
        turning(b, x.body[one], n, dn)
        place_vertex(x, b, one, x.loops[x.loop_ends[i]], a, da)
        place_vertex(x, b, two, j, c, dc)
    difference(a, c, f.point)
    difference(da, dc, f.point_rate)
    height, climbs = dot(n, f.point), dot(n, f.point_rate) + dot(dn, f.point)
    if feature == VERTEX_FACE:  # below the vertex, on the face
        copy(a, f.point)
        copy(da, f.point_rate)
        add(-height, n, f.point)
        add(-climbs, n, f.point_rate)
        add(-height, dn, f.point_rate)
    else:
        copy(c, f.point)
        copy(dc, f.point_rate)
    return height


@kernel
def at_vertices(x: Shapes, b: Bodies, f: Frame, one: int, two: int, i: int, j: int) -> float:
    """Normal and point of two vertices; their distance."""
    a, da = reals(3), reals(3)
    place_vertex(x, b, one, i, a, da)
    place_vertex(x, b, two, j, f.point, f.point_rate)
    difference(a, f.point, a)
    difference(da, f.point_rate, da)
    return along_direction(a, da, f.e[0], f.rate[0])


@kernel
def at_edge(x: Shapes, b: Bodies, f: Frame, one: int, two: int, feature: int, i: int, j: int) -> float:
    """Normal and point of a vertex and an edge; the distance from the edge."""
    a, da, c, dc, u, du = reals(3), reals(3), reals(3), reals(3), reals(3), reals(3)
    own = feature == VERTEX_EDGE  # whether the edge is one of the second shape
    if own:
        place_vertex(x, b, one, i, a, da)
        place_edge(x, b, two, j, c, dc, u, du)
    else:
        place_vertex(x, b, two, j, a, da)
        place_edge(x, b, one, i, c, dc, u, du)
    copy(c if own else a, f.point)
    copy(dc if own else da, f.point_rate)
    difference(a, c, a)
    difference(da, dc, da)
    along, glides = dot(a, u), dot(da, u) + dot(a, du)
    if own:
        add(along, u, f.point)
        add(glides, u, f.point_rate)
        add(along, du, f.point_rate)
    add(-along, u, a)
    add(-glides, u, da)
    add(-along, du, da)
    if not own:
        for k in range(3):
            a[k], da[k] = -a[k], -da[k]
    return along_direction(a, da, f.e[0], f.rate[0])


@kernel
def at_edges(x: Shapes, b: Bodies, f: Frame, one: int, two: int, i: int, j: int, side: float) -> float:
    """Normal, to one side, and point of two edges; the distance along it."""
    a, da, u, du, c, dc = reals(3), reals(3), reals(3), reals(3), reals(3), reals(3)
    w, dw, m, dm, d, dd = reals(3), reals(3), reals(3), reals(3), reals(3), reals(3)
    h, dh, other = reals(3), reals(3), reals(3)
    place_edge(x, b, one, i, a, da, u, du)
    place_edge(x, b, two, j, c, dc, w, dw)
    cross(u, w, m)
    cross(du, w, dm)
    cross(u, dw, other)
    add(1.0, other, dm)
    for k in range(3):
        m[k], dm[k] = side * m[k], side * dm[k]
    along_direction(m, dm, f.e[0], f.rate[0])
    difference(a, c, d)
    difference(da, dc, dd)
    cross(d, u, h)
    cross(dd, u, dh)
    cross(d, du, other)
    add(1.0, other, dh)
    size, top = dot(m, m), -side * dot(h, m)
    part = top / size
    glides = (-side * (dot(dh, m) + dot(h, dm)) - part * 2.0 * dot(m, dm)) / size
    copy(c, f.point)
    copy(dc, f.point_rate)
    add(part, w, f.point)
    add(glides, w, f.point_rate)
    add(part, dw, f.point_rate)
    return dot(f.e[0], d)


@kernel
def gap_at(x: Shapes, b: Bodies, f: Frame, one: int, two: int, feature: int, i: int, j: int, side: float) -> float:
    """The gap at a feature, m, with its normal and point and their rates."""
    if feature == VERTEX_FACE or feature == FACE_VERTEX:
        distance = at_face(x, b, f, one, two, feature, i, j)
    elif feature == VERTEX_EDGE or feature == EDGE_VERTEX:
        distance = at_edge(x, b, f, one, two, feature, i, j)
    elif feature == EDGE_EDGE:
        distance = at_edges(x, b, f, one, two, i, j, side)
    else:
        distance = at_vertices(x, b, f, one, two, i, j)
    f.gap = distance - x.radius[one] - x.radius[two]
    add(x.radius[two], f.e[0], f.point)
    add(x.radius[two], f.rate[0], f.point_rate)
    return f.gap


@kernel
def set_frame(x: Shapes, b: Bodies, f: Frame, one: int, two: int, axis: Reals) -> None:
    """Tangents, velocities and biases of a contact whose normal and point are known; axis: perpendicular to a tangent."""
    n, t, s, dn, dt, ds = f.e[0], f.e[1], f.e[2], f.rate[0], f.rate[1], f.rate[2]
    a, c, across, turns = reals(3), reals(3), reals(3), reals(3)
    cross(axis, n, across)
    cross(axis, dn, turns)
    along_direction(across, turns, t, dt)
    cross(n, t, s)
    cross(dn, t, ds)
    cross(n, dt, across)
    add(1.0, across, ds)
    for r in range(3):
        f.velocity[r], f.bias[r] = 0.0, 0.0
    for side in range(2):
        body = x.body[one] if side == 0 else x.body[two]
        if body < 0:
            continue
        sign = 1.0 if side == 0 else -1.0
        difference(f.point, b.position[body], f.arms[side])
        velocity_at(b, body, f.point, a)
        difference(f.point_rate, b.velocity[body], c)
        cross(b.spin[body], c, across)
        for r in range(3):
            f.velocity[r] += sign * dot(f.e[r], a)
            f.bias[r] += sign * (dot(f.rate[r], a) + dot(f.e[r], across))


@kernel
def wrench_row(f: Frame, r: int, side: int, z: Reals) -> None:
    """z ← the wrench on the first or second body, at its origin, of a unit force along a direction of the frame."""
    arm, e, m = f.arms[side], f.e[r], reals(3)
    cross(arm, e, m)
    sign = 1.0 if side == 0 else -1.0
    for i in range(3):
        z[i], z[3 + i] = sign * e[i], sign * m[i]
