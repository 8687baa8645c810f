"""What is drawn follows from the model: rods, springs, joints, shapes, points and surfaces are found in its formulas."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import zeromass as zm
from zeromass.model import Box, Disc, Dot, Drawing, Ellipsoid, Floor, Hull, Joint, Link, Ring, Rod, Wheel
from zeromass.model.picture.inertia import of_inertia
from zeromass.model.picture.integral import whose_rate

RANDOM = np.random.default_rng(3)


def bob(name: str = "bob") -> zm.Particle:
    return zm.Particle(name, mass=1.0)


def kinds(system: zm.System) -> list[tuple[str, str]]:
    return [(link.kind, link.name) for link in system.drawing.links]


def ends_at(system: zm.System, link: Link, values: dict) -> tuple[np.ndarray, np.ndarray]:
    return tuple(np.array([zm.expression.evaluate(e, values) for e in end], dtype=float) for end in (link.a, link.b))  # type: ignore


# distances --------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "formula",
    [
        lambda d: d @ d - 4.0,
        lambda d: (d @ d - 4.0) / 2,
        lambda d: 3 * (4.0 - d @ d),
        lambda d: np.sqrt(d @ d) - 2.0,
        lambda d: 2.0 - np.sqrt(d @ d),
    ],
)
def test_a_distance_that_is_kept_is_a_rod(formula):
    a, b = bob("a"), bob("b")
    for d in (a.position - b.position, b.position - a.position):
        [link] = zm.System([a, b], constraints={"held": formula(d)}).drawing.links
        assert {tuple(link.a), tuple(link.b)} == {tuple(a.position), tuple(b.position)}
        assert link.kind == "rod"


def test_to_a_fixed_or_moving_place_and_to_points_of_bodies():
    a, arm = bob("a"), zm.RigidBody("arm", mass=1.0, inertia=(1.0, 2.0, 2.5))
    peg = np.array([1.0, 2.0 * zm.t, 3.0])
    d, e = a.position - peg, arm.point((0.1, 0.2, 0.3)) - a.position
    system = zm.System([a, arm], constraints={"peg": d @ d - 1.0, "coupler": e @ e - 1.0})
    first, second = system.drawing.links
    numbers = dict(zip((*a.coordinates, *arm.coordinates), RANDOM.normal(size=10), strict=True)) | {zm.t: 0.7}
    for link, expected in ((first, (peg, a.position)), (second, (a.position, arm.point((0.1, 0.2, 0.3))))):
        found = sorted(end.tolist() for end in ends_at(system, link, numbers))
        wanted = sorted(
            [float(zm.expression.evaluate(zm.expression.as_expression(x), numbers)) for x in end] for end in expected
        )
        assert np.allclose(found, wanted, rtol=0, atol=1e-14)


def test_ropes_are_told_by_their_names_or_by_a_length_that_changes():
    a = bob()
    r = np.sqrt(a.position @ a.position)
    assert kinds(zm.System([a], constraints={"rope": r - 1.0})) == [("rope", "rope")]
    assert kinds(zm.System([a], constraints={"pulled in": r - 2.0 + 0.1 * zm.t})) == [("rope", "pulled in")]


def test_what_is_no_distance_is_no_rod():
    a = bob()
    x, y, z = a.position
    for zero in (x**2 + 2 * y**2 + z**2 - 1, x * y - 1, x**2 - 1, x**2 + y**2 + z**2 + x * y - 1, np.sin(x) + z):
        assert zm.System([a], constraints={"c": zero}).drawing.links == ()
    top = zm.RigidBody("top", mass=1.0, inertia=(1.0, 2.0, 2.5))
    assert zm.System([top]).drawing.links == ()  # the norm of its quaternion is no distance


# springs and dampers ----------------------------------------------------------------------------------------------------
def test_springs_and_dampers_are_drawn_once_whether_given_or_written():
    a, b = bob("a"), bob("b")
    given = zm.System([a, b], forces=[zm.Spring(8.0, a.position, b.position, length=0.5), zm.Damper(1.0, a.position)])
    assert sorted(link.kind for link in given.drawing.links) == ["damper", "spring"]
    d = a.position - b.position
    written = zm.System([a, b], potential=4.0 * (np.sqrt(d @ d) - 0.5) ** 2)
    [link] = written.drawing.links
    assert link.kind == "spring"
    assert {tuple(link.a), tuple(link.b)} == {tuple(a.position), tuple(b.position)}


# joints -----------------------------------------------------------------------------------------------------------------
def test_points_that_coincide_are_joints_and_arms_reach_to_them():
    crank = zm.RigidBody("crank", mass=1.0, inertia=(0.1, 0.1, 0.001))
    block = zm.RigidBody("block", mass=1.0, inertia=(0.01, 0.01, 0.01))
    system = zm.System(
        [crank, block],
        constraints={"pin": crank.point((0, 0, 0.5)), "wrist": crank.point((0, 0, -0.5)) - block.point((0, 0, 2.0))},
    )
    drawing = system.drawing
    assert [(joint.kind, joint.name) for joint in drawing.joints] == [("support", "pin"), ("ball", "wrist")]
    arms = [link for link in drawing.links if link.name == "block"]  # the crank, a rod of 1.09 m, reaches to both
    assert [link.name for link in drawing.links] == ["block"]
    assert tuple(arms[0].a) == tuple(block.position)


def test_a_point_that_time_moves_in_a_body_needs_no_arm():
    ball, mass = zm.RigidBody("ball", mass=1.0, inertia=np.ones(3)), zm.Particle("mass", mass=1.0)
    place = ball.point((np.sin(zm.t), 0.0, np.cos(zm.t)))
    drawing = zm.System([ball, mass], constraints={"path": mass.position - place}).drawing
    assert {body.name for body in drawing.bodies} == {"ball", "mass"}
    assert not drawing.links


def test_a_joint_a_load_or_a_part_may_say_how_it_is_drawn():
    class Motor:
        potential = zm.expression.as_expression(0.0)

        def __init__(self, at):
            self.looks = Drawing(joints=(Joint("hinge", "motor", at, np.array([0, 1, 0])),))

        def generalized(self, q):
            return zm.expression.expressions(np.zeros(len(q)))

    a = bob()
    [joint] = zm.System([a], forces=[Motor(a.position)]).drawing.joints
    assert (joint.kind, joint.name) == ("hinge", "motor")


def test_a_body_may_have_several_shapes():
    Look = namedtuple("Look", "shape place turn")
    dumbbell = zm.RigidBody("dumbbell", mass=1.0, inertia=(1.0, 1.0, 0.1))
    turned = (np.cos(0.3), 0.0, np.sin(0.3), 0.0)
    dumbbell.looks = (Look(Dot(0.1), (0, 0, 1), (1, 0, 0, 0)), Look(Box((1, 2, 3)), (0, 0, -1), turned))  # type: ignore
    first, second = zm.System([dumbbell], constraints={"pin": dumbbell.point((0, 0, 9.0))}).drawing.bodies
    assert (first.shape, first.middle, second.turn) == (Dot(0.1), (0, 0, 1), turned)


# shapes -----------------------------------------------------------------------------------------------------------------
def test_shapes_have_the_inertia_they_were_made_from():
    m, r, h = 2.0, 0.3, 0.5
    R = np.linalg.qr(RANDOM.normal(size=(3, 3)))[0]
    ball = of_inertia(m, np.eye(3) * 0.4 * m * r**2)
    assert ball is not None
    assert isinstance(ball.shape, Dot)
    assert ball.shape.radius == pytest.approx(r)
    side = m * (3 * r**2 + h**2) / 12
    for axes in (np.eye(3), R):
        made = of_inertia(m, axes @ np.diag([side, side, m * r**2 / 2]) @ axes.T)
        assert made is not None
        assert isinstance(made.shape, Rod)
        assert (made.shape.length, made.shape.radius) == (pytest.approx(h), pytest.approx(r))
        assert abs(np.array(made.shape.axis) @ axes[:, 2]) == pytest.approx(1.0)
    coin = of_inertia(m, np.diag([1, 1, 2]) * m * r**2 / 4)
    assert coin is not None
    assert isinstance(coin.shape, Disc)
    assert coin.shape.radius == pytest.approx(r)
    thin = of_inertia(m, np.diag([m * h**2 / 12, 0.0, m * h**2 / 12]))
    assert thin is not None
    assert isinstance(thin.shape, Rod)
    assert (thin.shape.length, thin.shape.axis) == (pytest.approx(h), (0.0, 1.0, 0.0))
    assert of_inertia(0.0, np.zeros((3, 3))) is None


def touching(s):
    """A body whose contact is at s(down) in its own axes."""
    stone, contact = zm.RigidBody("stone", mass=1.0, inertia=(1.0, 1.5, 2.0)), zm.Particle("contact", mass=0)
    down = -stone.rotation[2]
    rows = {"support": contact.position - stone.point(s(down)), "table": contact.position[2] - 0.25}
    return zm.System([stone, contact], constraints=rows).drawing


def test_a_body_has_the_shape_over_which_its_contact_goes():
    axes, below = np.array([0.2, 0.03, 0.02]), np.array([0.01, 0.0, 0.04])
    drawing = touching(lambda down: below + axes**2 * down / np.sqrt(axes**2 @ down**2))
    stone = drawing.bodies[0]
    assert isinstance(stone.shape, Ellipsoid)
    assert stone.shape.axes == pytest.approx(tuple(axes), rel=1e-6)
    assert stone.middle == pytest.approx(tuple(below), abs=1e-8)
    assert drawing.floor == Floor("table", 0.25)
    R = 0.4
    coin = touching(lambda down: R * down * np.array([1, 1, 0]) / np.sqrt(down[0] ** 2 + down[1] ** 2)).bodies[0]
    assert isinstance(coin.shape, Disc)
    assert coin.shape.radius == pytest.approx(R, rel=1e-9)
    assert abs(coin.shape.axis[2]) == pytest.approx(1.0)
    pebble = touching(lambda down: down * (1 + 0.2 * down[0] ** 4)).bodies[0]
    assert isinstance(pebble.shape, Hull)
    a, b, c = (pebble.shape.corners[pebble.shape.triangles[:, k]] for k in range(3))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6  # outwards, so positive
    assert 4 / 3 * np.pi < volume < 4 / 3 * np.pi * 1.2**3


# points -----------------------------------------------------------------------------------------------------------------
def same(a: np.ndarray, b: np.ndarray, system: zm.System) -> bool:
    """Whether two points are the same wherever the coordinates are."""
    for _ in range(5):
        values = dict(zip(system.coordinates, RANDOM.normal(size=len(system.coordinates)), strict=True))
        values[zm.t] = RANDOM.normal()
        numbers = [
            [float(zm.expression.evaluate(zm.expression.as_expression(x), values)) for x in point] for point in (a, b)
        ]
        if not np.allclose(*numbers, rtol=0, atol=1e-12):
            return False
    return True


def test_a_double_pendulum_in_its_angles_has_its_points_and_rods():
    u, w = zm.coordinates("u w")
    a, b, m, g = 0.8, 1.3, 2.0, 9.81
    A = np.array([a * np.sin(u), -a * np.cos(u)])
    B = A + np.array([b * np.sin(w), -b * np.cos(w)])
    VA, VB = zm.rate(A), zm.rate(B)
    system = zm.System(kinetic=(VA @ VA + m * VB @ VB) / 2, potential=g * (A[1] + m * B[1]))
    drawing = system.drawing
    first, second = sorted(drawing.bodies, key=lambda body: len(body.name))
    assert same(first.position, np.array([A[0], 0, A[1]]), system)
    assert same(second.position, np.array([B[0], 0, B[1]]), system)
    assert [link.kind for link in drawing.links] == ["rod", "rod"]
    assert same(drawing.links[0].a, np.zeros(3), system)
    assert same(drawing.links[1].a, first.position, system)


def test_a_pendulum_on_a_cart_and_one_whose_pivot_moves():
    x, theta = zm.coordinates("x theta")
    P = np.array([x + 0.5 * np.sin(theta), -0.5 * np.cos(theta)])
    V = zm.rate(P)
    cart = zm.System(kinetic=3.0 * zm.rate(x) ** 2 / 2 + V @ V / 2, potential=9.81 * P[1])
    [rod] = cart.drawing.links
    assert same(rod.a, np.array([x, 0, 0]), cart)
    assert same(rod.b, np.array([P[0], 0, P[1]]), cart)
    shaken = np.array([0.1 * np.cos(3 * zm.t) + 0.5 * np.sin(theta), -0.5 * np.cos(theta)])
    V = zm.rate(shaken)
    system = zm.System(kinetic=V @ V / 2, potential=9.81 * shaken[1])
    [rod] = system.drawing.links
    assert same(rod.a, np.array([0.1 * np.cos(3 * zm.t), 0, 0]), system)


def test_a_rope_that_is_wound_up():
    """Its length is a coordinate: the load hangs on a trolley, though nothing says so but the energy."""
    x, length, angle = zm.coordinates("trolley rope angle")
    load = np.array([x + length * np.sin(angle), -length * np.cos(angle)])
    V = zm.rate(load)
    crane = zm.System(kinetic=(zm.rate(x) ** 2 + 9 * V @ V) / 2, potential=9 * 9.81 * load[1])
    assert [body.name for body in crane.drawing.bodies] == ["trolley, rope, angle", "trolley"]
    [rope] = crane.drawing.links
    assert (rope.kind, rope.name) == ("rope", "rope")
    assert same(rope.a, np.array([x, 0, 0]), crane)
    assert same(rope.b, np.array([load[0], 0, load[1]]), crane)


def test_what_turns_is_no_component_of_a_point():
    """A pendulum that has an inertia too: its point stays in a plane."""
    phi = zm.coordinate("phi")
    P = np.array([2 * np.sin(phi) + 0.1 * np.cos(phi), -2 * np.cos(phi) + 0.1 * np.sin(phi)])
    V = zm.rate(P)
    system = zm.System(kinetic=V @ V / 2 + 0.3 * zm.rate(phi) ** 2, potential=9.81 * P[1])
    [body] = system.drawing.bodies
    assert same(body.position, np.array([P[0], 0, P[1]]), system)


def tubes(system: zm.System, body: zm.RigidBody) -> list[tuple[np.ndarray, np.ndarray]]:
    """The ends of the tubes that a body is drawn as, in its axes, in some order."""
    drawn = [one for one in system.drawing.bodies if one.part is body and isinstance(one.shape, Rod)]
    return [
        tuple(np.array(one.middle) + sign * one.shape.length / 2 * np.array(one.shape.axis) for sign in (-1, 1))  # type: ignore
        for one in drawn
    ]


def joins(found: list[tuple[np.ndarray, np.ndarray]], p: Any, q: Any) -> bool:
    return any(np.allclose(one, (p, q)) or np.allclose(one, (q, p)) for one in found)


def held_at(places: list[Any], inertia: Any) -> tuple[zm.System, zm.RigidBody]:
    """A body with a ball joint at each of some places, to a body each."""
    body, pins = zm.RigidBody("body", mass=1.0, inertia=inertia), zm.joints.Spherical
    others = [zm.RigidBody(f"other {k}", mass=1.0, inertia=(0.01, 0.02, 0.025)) for k in range(len(places))]
    joints = [pins(body, other, at=(place, (0, 0, 0))) for place, other in zip(places, others, strict=True)]
    return zm.System([body, *others], gravity=0, joints=joints), body


def test_a_body_between_joints_is_drawn_as_tubes_to_them():
    """Of a body that is known by its inertia alone, joints say more; what reaches to all its joints stays as it is."""
    p, q, r = (0.3, 0, 0), (-0.2, 0.1, 0), (-0.2, -0.1, 0)
    box = (0.01, 0.02, 0.025)
    system, body = held_at([p, q], box)  # the mass centre lies 5 cm from the line
    found, mark = tubes(system, body), system.drawing.bodies[0]
    assert (type(mark.shape), mark.middle) == (Dot, (0.0, 0.0, 0.0))
    assert (len(found), joins(found, p, q), joins(found, p, (0, 0, 0)), joins(found, q, (0, 0, 0))) == (
        3,
        True,
        True,
        True,
    )
    assert not system.drawing.links
    system, body = held_at([p, (-0.3, 0.01, 0)], box)  # and here on it
    assert len(tubes(system, body)) == 1
    system, body = held_at([p, q, r], box)
    found = tubes(system, body)
    assert (len(found), joins(found, p, q), joins(found, q, r), joins(found, r, p)) == (3, True, True, True)
    system, body = held_at([(0, 0, 0.5), (0, 0, -0.5)], (1 / 12, 1 / 12, 1e-4))
    assert [type(one.shape) for one in system.drawing.bodies if one.part is body] == [Rod]
    system, _ = held_at([p], box)
    assert isinstance(system.drawing.bodies[0].shape, Box)
    assert [link.name for link in system.drawing.links] == ["body"]


def test_a_hinge_is_where_its_axis_passes_the_bodies():
    """The point that is given of a steering axis lies on the ground; frame and fork meet where the axis passes them."""
    axis, at = np.array([-0.6, 0.0, 0.8]), np.array([1.0, 0.0, 0.0])
    frame = zm.RigidBody("frame", 80.0, (4.0, 5.0, 1.5), at=(0.2, 0, 0.9))
    fork = zm.RigidBody("fork", 4.0, (0.06, 0.05, 0.01), at=(0.8, 0, 0.4))
    rear, front = (
        zm.RigidBody(name, 2.0, (0.06, 0.12, 0.06), at=(x, 0, 0.3)) for name, x in (("rear", 0), ("front", 1))
    )
    steer = zm.joints.Revolute(frame, fork, at=at, axis=axis, name="steer")
    axles = [zm.joints.Revolute(one, wheel, axis=(0, 1, 0)) for one, wheel in ((frame, rear), (fork, front))]
    rolls = [zm.joints.WheelOnGround(zm.Ground(), wheel, radius=0.3, axis=(0, 1, 0)) for wheel in (rear, front)]
    system = zm.System([frame, fork, rear, front], gravity=9.81, joints=[steer, *axles, *rolls])

    def nearest(body: zm.RigidBody) -> np.ndarray:
        center = np.array(body.at, dtype=float)
        return at + ((center - at) @ axis) * axis

    head, crown = nearest(frame), nearest(fork)
    place = {body: np.array(body.at, dtype=float) for body in (frame, fork, rear, front)}
    assert joins(tubes(system, frame), place[rear] - place[frame], head - place[frame])
    assert joins(tubes(system, fork), place[front] - place[fork], crown - place[fork])
    assert joins(tubes(system, fork), head - place[fork], crown - place[fork])
    assert {type(one.shape) for one in system.drawing.bodies if one.part in (rear, front)} == {Wheel}
    [mark] = [one for one in system.drawing.joints if one.name == "steer"]
    assert same(mark.at, frame.point(head - place[frame]), system)
    assert {one.name for one in system.drawing.joints} == {
        "steer",
        "frame to rear",
        "fork to front",
    }  # no mark below a wheel


def test_points_in_coordinates_of_their_own():
    a, b = zm.coordinates("x1 y1"), zm.coordinates("x2 y2")
    va, vb = zm.rate(a), zm.rate(b)
    rods = {"upper": (a @ a - 1) / 2, "lower": ((b - a) @ (b - a) - 1) / 2}
    down = zm.System(kinetic=(va @ va + vb @ vb) / 2, potential=-9.81 * (a[1] + b[1]), constraints=rods)
    assert down.drawing.bodies[0].position[2] is -a[1]  # y points down
    level = zm.System(kinetic=(va @ va + vb @ vb) / 2, constraints=rods)
    assert [link.name for link in level.drawing.links] == ["upper", "lower"]
    assert level.drawing.bodies[0].position.tolist() == [a[0], a[1], zm.expression.as_expression(0)]


def test_where_nothing_is_in_space_nothing_is_drawn():
    theta, y = zm.coordinates("theta y")
    wheel = zm.System(kinetic=zm.rate(theta) ** 2, potential=-y, constraints={"rolling": y - theta})
    assert wheel.drawing.empty
    assert zm.System(lagrangian=zm.rate(theta) ** 2 - np.cos(theta)).drawing.empty


@pytest.mark.parametrize(
    "f",
    [
        lambda u, w: np.sin(u) * 2 - np.cos(w),
        lambda u, w: np.cos(u + 2 * w) + u**3 - w * u,
        lambda u, w: np.sin(u) * np.cos(w) + np.cos(3 * zm.t) * u,
        lambda u, w: 0.5 * np.cos(u) * np.cos(w) + zm.t**2,
    ],
)
def test_a_rate_is_integrated_back(f):
    u, w = zm.coordinates("u w")
    quantity = zm.expression.as_expression(f(u, w))
    found = whose_rate(zm.rate(quantity))
    assert found is not None
    gap = zm.rate(found) - zm.rate(quantity)
    for _ in range(5):
        values = dict(zip((u, w, zm.rate(u), zm.rate(w), zm.t), RANDOM.normal(size=5), strict=True))
        assert abs(zm.expression.evaluate(gap, values)) < 1e-12
    assert whose_rate(zm.rate(u) * w) is None  # no rate of anything


# surfaces ---------------------------------------------------------------------------------------------------------------
def test_surfaces_rails_and_rings():
    p = bob()
    x, y, z = p.position
    dome = zm.System([p], constraints={"dome": p.position @ p.position - 4.0}).drawing
    assert dome.ground is not None
    assert dome.ground.name == "dome"
    saddle = zm.System([p], constraints={"saddle": z - x * y}).drawing
    assert saddle.ground is not None
    X, Y, Z = saddle.ground.place
    assert saddle.ground.f is Z - X * Y
    hoop = zm.System(
        [p], constraints={"hoop": p.position @ p.position - 4.0, "plane": y * np.cos(zm.t) - x * np.sin(zm.t)}
    )
    [ring] = [body for body in hoop.drawing.bodies if body.scenery]
    assert isinstance(ring.shape, Ring)
    assert ring.shape.radius == 2.0
    assert ring.quaternion is not None
    u = np.array([float(zm.expression.evaluate(e, {zm.t: 0.4})) for e in ring.quaternion])
    normal = 2 * np.array([u[1] * u[3] + u[0] * u[2], u[2] * u[3] - u[0] * u[1], 0]) + [
        0,
        0,
        1 - 2 * (u[1] ** 2 + u[2] ** 2),
    ]
    assert np.abs(normal) == pytest.approx(np.abs([-np.sin(0.4), np.cos(0.4), 0]), abs=1e-12)
    rail = zm.System([p], constraints={"rail": p.position[1:]}).drawing
    assert [link.kind for link in rail.links] == ["rail"]
    assert rail.floor is None


def test_what_three_planes_hold_is_a_support():
    """A corner of a net, whose coordinates are given one by one: no floor at its height, and no rail along it."""
    p, q = bob(), zm.Particle("q", mass=1.0)
    corner = {f"{name} of p": x - at for name, x, at in zip("xyz", p.position, (1.0, 2.0, 0.5), strict=True)}
    drawing = zm.System([p, q], gravity=9.81, constraints=corner, forces=zm.Spring(9.0, p.position, q.position)).drawing
    assert (drawing.floor, drawing.ground) == (None, None)
    assert [link.kind for link in drawing.links] == ["spring"]
    assert [(joint.kind, [*joint.at]) for joint in drawing.joints] == [("support", [*p.position])]
    slope = zm.System([p], constraints={"slope": p.position[2] - 0.3 * p.position[0], "plane": p.position[1]}).drawing
    assert slope.ground is not None
    assert [link.kind for link in slope.links] == ["rail"]
    assert slope.floor is None


def test_of_a_crowd_a_few_leave_trails():
    beads = [zm.Particle(f"bead {k}", mass=1.0) for k in range(20)]
    drawing = zm.System(beads, gravity=9.81).drawing
    assert drawing.title == "20 particles"
    assert [trail.name for trail in drawing.trails] == [*drawing.charts[1].series]
    assert len(drawing.trails) == 4


def test_forces_are_those_of_the_system():
    p = bob()
    system = zm.System([p], gravity=9.81, constraints={"table": p.position[2]})
    applied, constraint = system.drawing.arrows
    start = system.start()
    assert start[applied.vector] == pytest.approx([0, 0, -9.81])
    assert start[constraint.vector] == pytest.approx([0, 0, 9.81])


def test_sizes_follow_the_values_of_parameters():
    r = zm.parameter("r", 0.1)
    disc = zm.RigidBody("disc", mass=1.0, inertia=[r**2 / 4, r**2 / 4, r**2 / 2])
    system = zm.System([disc])
    for value in (0.1, 0.3):
        [body] = system.drawing_at({r: value}).bodies
        assert isinstance(body.shape, Disc)
        assert body.shape.radius == pytest.approx(value)
