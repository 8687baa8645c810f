"""Boxes and hulls that touch one another at vertices, faces and edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.spatial.transform import Rotation

import zeromass as zm
from zeromass.contact.hulls import polyhedron
from zeromass.integrate.hybrid import polyhedra as kernels
from zeromass.integrate.hybrid.polyhedra_table import polyhedra_table
from zeromass.kernel.language import compiled
from zeromass.model.polyhedra import PolyhedraPair

FLOOR = zm.surfaces.plane()
G = 10.0


def brick(name: str, size: tuple[float, float, float], mass: float = 1.0) -> zm.RigidBody:
    """A homogeneous box."""
    a, b, c = (mass * x * x / 12 for x in size)
    return zm.RigidBody(name, mass=mass, inertia=(b + c, a + c, a + b))


def scene(
    boxes: list[tuple[str, tuple[float, float, float]]],
    places: list[Any],
    *,
    floors: tuple[int, ...] = (0,),
    **law: Any,
) -> tuple[zm.System, list[zm.RigidBody], zm.State]:
    """Boxes on a floor and on one another, each on the one before, at places with rotation vectors and velocities."""
    bodies = [brick(name, size) for name, size in boxes]
    shapes = [zm.shapes.box(size) for _, size in boxes]
    contacts = [zm.Contact(bodies[i], shapes[i], FLOOR, **law) for i in floors]
    contacts += [
        zm.Contact(bodies[i + 1], shapes[i + 1], bodies[i], shapes[i], name=f"pair {i}", **law)
        for i in range(len(bodies) - 1)
    ]
    system = zm.System(bodies, gravity=G, contacts=contacts)
    given: list[Any] = []
    for body, (place, turned, velocity) in zip(bodies, places, strict=True):
        x, y, z, w = Rotation.from_rotvec(turned).as_quat()
        given += [(body.position, place), (body.quaternion, (w, x, y, z)), (body.velocity, velocity)]
        given += [(body.angular_velocity, 0.0)]
    return system, bodies, system.start(given)


def overlap(run: zm.Run, bodies: list[zm.RigidBody], sizes: list[Any], times: np.ndarray) -> float:
    """The least distance along any of the 15 axes that can separate two boxes, over the pairs of neighbours."""
    found, seen = np.inf, run.at(times)
    poses = []
    for body in bodies:
        w, x, y, z = np.moveaxis(np.asarray(seen[body.quaternion]), -1, 0)
        poses.append((Rotation.from_quat(np.stack([x, y, z, w], -1)).as_matrix(), np.asarray(seen[body.position])))
    for (R, x), (S, y), a, b in zip(poses, poses[1:], sizes, sizes[1:], strict=False):
        for k in range(len(times)):
            cross = np.cross(R[k].T[:, None], S[k].T[None]).reshape(9, 3)
            long = np.linalg.norm(cross, axis=1)
            axes = np.concatenate([R[k].T, S[k].T, cross[long > 1e-6] / long[long > 1e-6, None]])
            reach = np.abs(axes @ R[k]) @ np.array(a) / 2 + np.abs(axes @ S[k]) @ np.array(b) / 2
            found = min(found, float((np.abs(axes @ (x[k] - y[k])) - reach).max()))
    return found


def test_faces_and_edges_of_hulls():
    box = zm.shapes.box((1.0, 2.0, 3.0)).polyhedron
    assert (len(box.points), len(box.planes), len(box.edges), box.sides) == (8, 6, 12, 4)
    for polytope in (box, polyhedron(np.random.default_rng(1).normal(size=(30, 3)))):
        assert len(polytope.points) - len(polytope.edges) + len(polytope.planes) == 2  # Euler
        n, d = polytope.planes[:, :3], polytope.planes[:, 3]
        assert (polytope.points @ n.T <= d + 1e-12).all()
        for loop, normal, offset in zip(polytope.loops, n, d, strict=True):
            corners = polytope.points[list(loop)]
            assert np.allclose(corners @ normal, offset)
            turn = np.cross(np.roll(corners, -1, 0) - corners, np.roll(corners, -2, 0) - np.roll(corners, -1, 0))
            assert (turn @ normal > 0).all()  # counterclockwise, and convex


def test_the_separation_of_hulls_is_that_of_linear_programming():
    """Hulls overlap exactly where no plane separates them; where they do not, no plane leaves more room between them."""
    rng = np.random.default_rng(5)
    shapes = [polyhedron(rng.normal(size=(8, 3))), zm.shapes.box((1.0, 0.6, 1.4)).polyhedron]
    body = zm.RigidBody("a", 1.0, (1, 1, 1))
    pair = PolyhedraPair(*shapes, pose=(zm.t,) * 12)
    ball = zm.System([body], gravity=0, contacts=[zm.Contact(body, zm.shapes.sphere(1.0), FLOOR)])
    pieces = ball.pieces
    table = polyhedra_table(pieces, None)
    assert table.count == 0
    from types import SimpleNamespace

    one = SimpleNamespace(pair=pair, feature=())
    table = polyhedra_table(SimpleNamespace(unilaterals=[one], system=ball), None)
    seen = set()
    for _ in range(200):
        R, x = Rotation.random(random_state=rng).as_matrix(), rng.normal(size=3) * 1.3
        table.pose[:9], table.pose[9:] = R.ravel(), x
        apart = compiled(kernels.separation)(table, 0)
        assert apart == kernels.separation(table, 0)  # Python has the same bits
        a, b = shapes[0].points @ R.T + x, shapes[1].points
        rows = np.concatenate([np.c_[-a, np.ones(len(a))], np.c_[b, -np.ones(len(b))]])
        bounds = [(-1, 1)] * 3 + [(None, None), (0, None)]
        found = linprog([0, 0, 0, 0, -1], np.c_[rows, np.ones(len(rows))], np.zeros(len(rows)), bounds=bounds)
        assert (found.x[4] > 1e-9) == (apart > 0.0)
        if apart > 0:
            axis = table.way.copy()
            assert (a @ axis).min() - (b @ axis).max() == pytest.approx(apart, abs=1e-12)
        seen.add((bool(apart > 0), int(table.best[0])))
    assert seen >= {(True, 1), (True, 2), (True, 3), (False, 1)}


def test_a_box_falls_flat_on_a_box():
    sizes = (0.4, 0.4, 0.2), (0.2, 0.2, 0.2)
    system, (_, top), start = scene(
        list(zip("ab", sizes, strict=True)), [((0, 0, 0.1), (0, 0, 0), 0.0), ((0.03, 0.02, 0.35), (0, 0, 0.3), 0.0)]
    )
    run = zm.simulate(system, start, until=0.3)
    assert run.impulses[0].t == pytest.approx(0.1, abs=1e-12)  # √(2 h/g), h = 0.05 m
    after = run.at(np.linspace(0.1, 0.3, 9))
    assert np.allclose(after[top.position][:, 2], 0.3, atol=1e-12)
    assert run[system.contact_elements[-1].normal_force][-1] == pytest.approx(G, rel=1e-9)


@pytest.mark.parametrize(("beyond", "tips"), [(-1e-3, False), (1e-3, True)])
def test_a_box_on_the_edge_of_a_box(beyond, tips):
    size = (0.4, 0.2, 0.1)
    places = [((0, 0, 0.05), (0, 0, 0), 0.0), ((0.2 + beyond, 0.03, 0.15), (0, 0, 0), 0.0)]
    system, bodies, start = scene([("a", size), ("b", size)], places, friction=0.6)
    run = zm.simulate(system, start, until=0.25)
    assert (abs(run[bodies[1].angular_velocity[1]][-1]) > 1e-3) == tips
    assert overlap(run, bodies, [size, size], np.linspace(0, 0.25, 30)) > -1e-11
    assert np.diff(run.at(np.linspace(0, 0.25, 40))[system.energy]).max() < 1e-11


def test_a_box_slides_over_the_edge_of_a_box():
    """Vertices leave the face below, and edges cross instead: the deceleration is μ g as long as the box is flat."""
    size, v, μ = (0.2, 0.2, 0.2), (0.9, 0.2, 0.0), 0.2
    places = [((0, 0, 0.1), (0, 0, 0), 0.0), ((0, 0, 0.3), (0, 0, 0), v)]
    system, (_, top), start = scene([("a", size), ("b", size)], places, friction=μ)
    t = 0.1
    run = zm.simulate(system, start, until=t)
    speed = np.hypot(*v[:2])
    way = speed * t - μ * G * t * t / 2
    assert np.allclose(run.at(t)[top.position], [way * v[0] / speed, way * v[1] / speed, 0.3], atol=1e-10)


def test_a_plank_strikes_across_a_plank():
    """Edges of equal planks cross in their middles, and these are struck centrally: they exchange their velocities."""
    size, h, v, e = (1.0, 0.1, 0.1), 0.05, 1.0, 0.6
    bodies = [brick(name, size) for name in "ab"]
    shape = zm.shapes.box(size)
    contact = zm.Contact(bodies[1], shape, bodies[0], shape, restitution=e, friction=0.0)
    system = zm.System(bodies, gravity=0, contacts=[contact])
    on_edge = Rotation.from_rotvec((np.pi / 4, 0, 0))
    given: list[Any] = []
    for body, turned, z, speed in zip(
        bodies,
        (on_edge, Rotation.from_rotvec((0, 0, 1.2)) * on_edge),
        (0.0, 0.1 * np.sqrt(2) + h),
        (0, -v),
        strict=True,
    ):
        a, b, c, d = turned.as_quat()
        given += [(body.position, (0, 0, z)), (body.quaternion, (d, a, b, c))]
        given += [(body.velocity, (0, 0, speed)), (body.angular_velocity, 0.0)]
    run = zm.simulate(system, system.start(given), until=0.1)
    (struck,) = run.impulses
    assert struck.t == pytest.approx(h / v, abs=1e-12)
    after = [run[body.velocity][-1] for body in bodies]
    assert np.allclose(after, [[0, 0, -v * (1 + e) / 2], [0, 0, -v * (1 - e) / 2]], atol=1e-11)
    assert np.allclose([run[body.angular_velocity][-1] for body in bodies], 0.0, atol=1e-11)


def test_boxes_tumble_over_one_another():
    """Energy is never gained and nothing overlaps, whatever they touch with."""
    size = (0.2, 0.2, 0.2)
    places = [((0, 0, 0.1), (0, 0, 0), 0.0), ((0.1, 0.08, 0.5), (0.5, 0.6, 0.1), 0.0)]
    system, bodies, start = scene([("a", size), ("b", size)], places, floors=(0, 1), friction=0.4, restitution=0.2)
    run = zm.simulate(system, start, until=0.45)
    assert run.outcome.complete
    times = np.linspace(0, 0.45, 200)
    assert overlap(run, bodies, [size, size], times) > -1e-11
    assert np.diff(run.at(times)[system.energy]).max() < 1e-10


def test_a_stack_stands():
    size = (0.2, 0.2, 0.2)
    places = [((0, 0, 0.1 + 0.2 * i), (0, 0, 0), 0.0) for i in range(3)]
    system, bodies, start = scene([(name, size) for name in "abc"], places, friction=0.5)
    run = zm.simulate(system, start, until=0.5)
    assert not run.changes
    assert np.allclose([run[body.position[2]][-1] for body in bodies], [0.1, 0.3, 0.5], atol=1e-12)
    forces = [run[contact.normal_force][-1] for contact in system.contact_elements[1:]]
    assert np.allclose(forces, [2 * G, G], rtol=1e-9)


def test_a_start_with_boxes_inside_one_another_is_refused():
    size = (0.2, 0.2, 0.2)
    places = [((0, 0, 0.1), (0, 0, 0), 0.0), ((0.05, 0.03, 0.29), (0, 0, 0), 0.0)]
    system, _, start = scene([("a", size), ("b", size)], places)
    with pytest.raises(zm.errors.StartError, match="'b' lies inside 'a'"):
        zm.simulate(system, start, until=0.1)
