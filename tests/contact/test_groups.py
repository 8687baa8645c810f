"""Contacts that are found among the shapes of a group of bodies."""

from __future__ import annotations

import pickle
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import zeromass as zm

R, G = 0.05, 9.81


def ball(name: str, at: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> zm.RigidBody:
    return zm.RigidBody(name, mass=1.0, inertia=np.eye(3) * 0.4 * R * R, at=at)


def box(size: float) -> list[zm.Surface]:
    """A floor and four walls."""
    sides = {
        "west": lambda X, Y, Z: X + size,
        "east": lambda X, Y, Z: size - X,
        "south": lambda X, Y, Z: Y + size,
        "north": lambda X, Y, Z: size - Y,
    }
    return [zm.surfaces.plane(), *(zm.Surface(f, name=name) for name, f in sides.items())]


def poured(count: int, seed: int, **law: Any) -> tuple[zm.System, zm.State, list[zm.RigidBody]]:
    """Balls that fall into a box."""
    rng = np.random.default_rng(seed)
    balls = [ball(f"b{k}") for k in range(count)]
    group = zm.Collisions({b: zm.shapes.sphere(R) for b in balls}, box(0.3), **law)
    system = zm.System(balls, gravity=G, contacts=[group])
    given: list[Any] = []
    for k, b in enumerate(balls):
        x, y = (-0.2 + 0.13 * place + 0.01 * rng.normal() for place in (k % 4, k // 4 % 4))
        given += [(b.position, (x, y, 0.06 + 0.13 * (k // 16) + 0.3 * rng.random()))]
        given += [(b.velocity, rng.normal(size=3)), (b.angular_velocity, 0.0)]
    return system, system.start(given), balls


def test_a_ball_bounces_at_the_times_of_the_closed_form():
    b = ball("ball")
    group = zm.Collisions({b: zm.shapes.sphere(R)}, [zm.surfaces.plane()], friction=0.0, restitution=0.5)
    system = zm.System([b], gravity=10.0, contacts=[group])
    run = zm.simulate(system, system.start([(b.position, (0, 0, R + 5.0))]), until=2.7)
    assert [impact.t for impact in run.impacts] == pytest.approx([1.0, 2.0, 2.5], abs=1e-12)
    assert [impact.impulses[0] for impact in run.impacts] == pytest.approx([15.0, 7.5, 3.75], rel=1e-12)
    assert {impact.constraints for impact in run.impacts} == {("ball on plane",)}
    assert [event.name for event in run.events] == ["ball on plane: lands"] * 3


def test_a_ball_slips_then_rolls():
    """It rolls with 5/7 of its speed, from t = 2 v/(7 μ g) on."""
    μ, v = 0.3, 1.0
    b = ball("ball")
    group = zm.Collisions({b: zm.shapes.sphere(R)}, [zm.surfaces.plane()], friction=μ)
    system = zm.System([b], gravity=G, contacts=[group])
    start = system.start([(b.position, (0, 0, R)), (b.velocity, (v, 0, 0)), (b.angular_velocity, 0.0)])
    run = zm.simulate(system, start, until=0.5)
    assert run.changes == pytest.approx([2 * v / (7 * μ * G)], rel=1e-9)
    assert run.state(0.5)[b.velocity] == pytest.approx([5 / 7 * v, 0, 0], abs=1e-8)
    assert run.modes == ("ball on plane slips", "ball on plane sticks")
    foot = run.contacts["ball on plane"]
    assert foot.normal_force == pytest.approx(G, rel=1e-9)
    assert foot.friction_force[foot.mode == "slips"][:, 0] == pytest.approx(-μ * G, rel=1e-9)
    assert foot.friction_force[foot.mode == "sticks"] == pytest.approx(0.0, abs=1e-9)
    assert foot.point[-1] == pytest.approx([run[b.position[0]][-1], 0, 0], abs=1e-12)
    acceleration = run.at([0.01, 0.4])[zm.rate(b.velocity)]
    assert acceleration == pytest.approx(np.array([[-μ * G, 0, 0], [0, 0, 0]]), abs=1e-9)


def test_particles_slide_until_they_rest():
    """Points that fall from several heights; each slides v²/(2 μ g) as long as it does not bounce."""
    points = [zm.Particle(f"p{k}", 1.0) for k in range(3)]
    law: dict[str, Any] = {"friction": 0.2, "restitution": 0.5, "creep": 1e-6, "least_bounce": 1e-7}
    group = zm.Collisions(dict.fromkeys(points, zm.shapes.point()), [zm.surfaces.plane()], **law)
    system = zm.System(points, gravity=10.0, contacts=[group])
    given = [(p.position, (k, 0, 0.05 * k)) for k, p in enumerate(points)] + [(p.velocity, (1, 0, 0)) for p in points]
    run = zm.simulate(system, system.start(given), until=1.0)
    assert run.state(1.0)[points[0].position] == pytest.approx([0.25, 0, 0], abs=1e-8)
    assert run.modes[-1] == "p0 on plane sticks, p1 on plane sticks, p2 on plane sticks"


@pytest.mark.parametrize("restitution", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("friction", [0.0, 0.3, None])
def test_they_move_as_with_contacts_one_by_one(friction, restitution):
    """As with a `zm.Contact` for each pair, whose equations are formulas."""
    balls = [ball(f"b{k}") for k in range(3)]
    sphere, floor = zm.shapes.sphere(R), zm.surfaces.plane()
    law: dict[str, Any] = {"friction": friction, "restitution": restitution}
    pairs = [zm.Contact(a, sphere, b, sphere, **law) for a, b in combinations(balls, 2)]
    one_by_one = [*(zm.Contact(b, sphere, floor, **law) for b in balls), *pairs]
    found = []
    for contacts in ([zm.Collisions(dict.fromkeys(balls, sphere), [floor], **law)], one_by_one):
        system = zm.System(balls, gravity=G, contacts=contacts)
        given: list[Any] = [(b.angular_velocity, (0.0, 2.0 * k, 1.0)) for k, b in enumerate(balls)]
        given += [(b.position, (0.02 * k, 0.01 * k, 0.08 + 0.15 * k)) for k, b in enumerate(balls)]
        given += [(b.velocity, (0.3 - 0.1 * k, 0.05 * k, 0.0)) for k, b in enumerate(balls)]
        found.append(zm.simulate(system, system.start(given), until=0.22))
    for b in balls:
        assert found[0].at(0.22)[b.position] == pytest.approx(found[1].at(0.22)[b.position], abs=1e-8)
    assert len(found[0].impacts) == len(found[1].impacts)


def test_many_balls_in_a_box():
    system, start, balls = poured(12, 4, friction=0.3, restitution=0.4)
    run = zm.simulate(system, start, until=0.8)
    assert run.outcome.complete
    times = np.linspace(0.0, 0.8, 161)
    seen = run.at(times)
    places = np.stack([seen[b.position] for b in balls], axis=1)
    apart = min(np.linalg.norm(places[:, i] - places[:, j], axis=1).min() for i, j in combinations(range(12), 2))
    assert apart > 2 * R - 1e-9 * R
    assert places[..., 2].min() > R - 1e-9 * R
    assert np.abs(places[..., :2]).max() < 0.3 - R + 1e-9 * R
    energy = seen[system.energy]
    assert np.diff(energy).max() < 1e-9 * energy[0]
    assert run.work().imbalance < 1e-5
    assert all(impact.energy <= 1e-12 for impact in run.impacts)
    for name, contact in run.contacts.items():
        assert (contact.normal_force >= -1e-6).all(), name
        assert (np.linalg.norm(contact.friction_force, axis=1) <= 0.3 * contact.normal_force * (1 + 1e-6) + 1e-9).all()


def test_a_row_of_balls_on_hinges():
    """Newton's cradle: joints and contacts of a group in one system. In a simultaneous impact all others leave alike."""
    height, angle, count = 0.5, 0.5, 5
    balls = [ball(f"b{k}", at=(2 * R * k, 0, 0)) for k in range(count)]
    hinges = [
        zm.joints.Revolute(zm.Ground(), b, at=(2 * R * k, 0, height), axis=(0, 1, 0), name=f"hinge {k}")
        for k, b in enumerate(balls)
    ]
    group = zm.Collisions(dict.fromkeys(balls, zm.shapes.sphere(R)), friction=0.0, restitution=1.0)
    system = zm.System(balls, joints=hinges, gravity=G, contacts=[group])
    given = {hinge.angle: 0.0 for hinge in hinges[1:]} | {zm.rate(hinge.angle): 0.0 for hinge in hinges}
    run = zm.simulate(system, system.start({**given, hinges[0].angle: angle}), until=0.6)
    assert run.outcome.complete
    first = run.impacts[0].t
    before = run.at(first - 1e-9)[zm.rate(hinges[0].angle)]
    speeds = np.array([run.at(first + 1e-9)[zm.rate(hinge.angle)] for hinge in hinges])
    assert speeds / before == pytest.approx([-0.6, 0.4, 0.4, 0.4, 0.4], abs=1e-6)
    energy = run.at(np.linspace(0, 0.6, 50))[system.energy]
    assert energy == pytest.approx(energy[0], abs=1e-9)


def test_bodies_that_a_joint_connects_do_not_touch():
    a, b = zm.RigidBody("a", 1.0, (0.1, 0.1, 0.1)), zm.RigidBody("b", 1.0, (0.1, 0.1, 0.1), at=(0.05, 0, 0))
    hinge = zm.joints.Revolute(a, b, at=(0.0, 0, 0), axis=(0, 1, 0))
    group = zm.Collisions({a: zm.shapes.sphere(0.1), b: zm.shapes.sphere(0.1)}, [zm.surfaces.plane()])
    system = zm.System([a, b], joints=[hinge], gravity=G, contacts=[group])
    run = zm.simulate(system, system.start([(a.position, (0, 0, 0.5))]), until=0.2)
    assert run.outcome.complete
    assert not run.contacts


def test_further_constraints():
    """A ball that is guided along a groove bounces as before, and stays in it."""
    b = ball("ball")
    group = zm.Collisions({b: zm.shapes.sphere(R)}, [zm.surfaces.plane()], friction=0.0, restitution=0.5)
    guided = zm.System([b], gravity=10.0, contacts=[group]).with_constraints({"groove": b.position[1] - 0.2})
    start = guided.start([(b.position, (0, 0.2, R + 5.0)), (b.velocity, (1.0, 0, 0))])
    run = zm.simulate(guided, start, until=2.7)
    assert [impact.t for impact in run.impacts] == pytest.approx([1.0, 2.0, 2.5], abs=1e-12)
    assert run[b.position[1]] == pytest.approx(0.2, abs=1e-12)


def test_several_shapes_of_a_body():
    """A dumbbell lands on both of its balls, and neither touches the other."""
    dumbbell = zm.RigidBody("dumbbell", 2.0, (0.1, 0.1, 0.02))
    ends = [zm.shapes.sphere(0.1), zm.shapes.capsule(0.02, 0.4)]
    group = zm.Collisions({dumbbell: ends}, [zm.surfaces.plane()], friction=0.2)
    system = zm.System([dumbbell], gravity=G, contacts=[group])
    run = zm.simulate(
        system, system.start([(dumbbell.position, (0, 0, 0.3)), (dumbbell.angular_velocity, 0.0)]), until=0.4
    )
    assert run.outcome.complete
    assert {name.split(" on ")[0] for name in run.contacts} == {"dumbbell 1"}  # the capsule is longer than the ball


def test_runs_are_kept(tmp_path):
    system, start, balls = poured(4, 1, friction=0.3, restitution=0.2)
    run = zm.simulate(system, start, until=0.5)
    place = run.save(tmp_path / "run.nc")
    times = np.linspace(0.0, 0.5, 21)
    for again in (zm.load(place), pickle.loads(pickle.dumps(run))):
        own = next(part for part in again.system.parts if part.name == "b2")
        for of in (lambda b: b.position, lambda b: zm.rate(b.velocity)):
            assert (again.at(times)[of(own)] == run.at(times)[of(balls[2])]).all()
        assert again.contacts.keys() == run.contacts.keys()
        assert again.work().imbalance == run.work().imbalance
        further = zm.simulate(again.system, again.state(0.5), until=0.6)
        assert further.outcome.complete


def test_damaged_contacts_of_a_file_are_refused():
    from zeromass.integrate.hybrid.pieces import FoundContacts

    system, start, _ = poured(2, 1)
    run = zm.simulate(system, start, until=0.5)
    contacts = next(
        s.piece.contacts for s in run.segments if s.piece and s.piece.contacts and len(s.piece.contacts.closed)
    )
    assert system.colliders is not None
    for column in (0, 1, 2, 3, 4, 6):
        for wrong in (-1.0, 1e6):
            closed = contacts.closed.copy()
            closed[0, column] = wrong
            with pytest.raises(ValueError, match="shapes, vertices, edges or faces that are none"):
                FoundContacts.from_record(system.colliders, [closed.tolist(), [], 0.0])


def test_members_of_a_study():
    μ = zm.parameter("μ", 0.3)
    system, start, balls = poured(3, 2, friction=μ, restitution=0.2)
    study = zm.sweep(system, start, until=0.4, over={μ: [0.05, 0.3]}, keep={"x": balls[0].position[0]})
    for value, x in zip([0.05, 0.3], study["x"].values, strict=True):
        assert x == zm.simulate(system, start, until=0.4, parameters={μ: value}).at(0.4)[balls[0].position[0]]


def test_overlapping_shapes_are_refused():
    system, _, balls = poured(2, 2)
    start = system.start([(balls[0].position, (0, 0, 0.1)), (balls[1].position, (0, 0.06, 0.1))])
    with pytest.raises(zm.errors.StartError, match=r"'b0' lies 0\.04 m inside 'b1'|'b1' lies 0\.04 m inside 'b0'"):
        zm.simulate(system, start, until=0.1)


def test_what_does_not_know_these_contacts_says_so():
    system, start, balls = poured(2, 2)
    rest = system.start([(b.position, (0.2 * k, 0, R)) for k, b in enumerate(balls)])
    beside = zm.Contact(balls[0], zm.shapes.sphere(R), zm.surfaces.plane())
    group = zm.Collisions(dict.fromkeys(balls, zm.shapes.sphere(R)))
    moved = zm.simulate(system, start, until=0.5)
    attempts = {
        "accelerations": lambda: rest[zm.rate(balls[0].velocity)],
        "equilibrium": lambda: system.equilibrium(),
        "linearization": lambda: zm.analysis.linearize(system, rest),
        "WebAssembly": lambda: zm.export.wasm(zm.compile(system, rest), rest),
        "sliders": lambda: moved.view(sliders={balls[0].velocity[0]: (0.0, 1.0)}),
        "joined": lambda: zm.join(system, zm.System([zm.Particle("p", 1.0)], gravity=0)),
        "tangents": lambda: moved.sensitivity(),
        "radau": lambda: zm.simulate(system, start, until=0.1, method="radau"),
        "is one contact": lambda: zm.System(balls, contacts=[beside, group]),
        "can not be one of a group": lambda: zm.Collisions({balls[0]: zm.shapes.ellipsoid((0.1, 0.2, 0.3))}),
        "not a plane": lambda: zm.Collisions({balls[0]: zm.shapes.sphere(0.1)}, [zm.surfaces.sphere(1.0)]),
        "no shape": lambda: zm.Collisions({balls[0]: []}),
        "have no shapes": lambda: zm.Collisions({}),
        "creep and least_bounce": lambda: zm.Collisions({balls[0]: zm.shapes.sphere(0.1)}, creep=-1.0),
        "least_bounce of": lambda: zm.Collisions({balls[0]: zm.shapes.sphere(0.1)}, least_bounce=1e-12),
        "no part of the system": lambda: zm.System(balls[1:], contacts=[group]),
    }
    for words, attempt in attempts.items():
        with pytest.raises(zm.errors.ModelError, match=words):
            attempt()


def test_backward_in_time_ends_at_an_impact():
    system, start, _ = poured(2, 2, friction=0.0, restitution=0.5)
    run = zm.simulate(system, zm.simulate(system, start, until=0.5).state(0.5), until=0.0)
    assert not run.outcome.complete
    assert "back in time" in run.outcome.message


def test_dominoes_fall():
    """Boxes that lean on one another: each strikes the next, and none goes through another or gains energy."""
    a, b, h, m = 0.008, 0.024, 0.048, 0.01
    inertia = (m * (b * b + h * h) / 12, m * (a * a + h * h) / 12, m * (a * a + b * b) / 12)
    row = [zm.RigidBody(f"d{k}", m, inertia) for k in range(3)]
    group = zm.Collisions(dict.fromkeys(row, zm.shapes.box((a, b, h))), [zm.surfaces.plane()], friction=0.4)
    system = zm.System(row, gravity=G, contacts=[group])
    tilt = 0.25
    center = (a / 2 - a / 2 * np.cos(tilt) + h / 2 * np.sin(tilt), 0.0, a / 2 * np.sin(tilt) + h / 2 * np.cos(tilt))
    given: list[Any] = [(row[0].position, center), (row[0].quaternion, (np.cos(tilt / 2), 0, np.sin(tilt / 2), 0))]
    given += [(d.position, (0.024 * k, 0, h / 2)) for k, d in enumerate(row) if k]
    given += [(d.velocity, 0.0) for d in row] + [(d.angular_velocity, 0.0) for d in row]
    run = zm.simulate(system, system.start(given), until=0.6, rtol=1e-8)
    assert run.outcome.complete
    seen = run.at(np.linspace(0.0, 0.6, 241))
    assert np.diff(seen[system.energy]).max() < 1e-9 * seen[system.energy][0]
    assert {"d0 on d1", "d1 on d2"} <= run.contacts.keys()
    for d in row:
        places, (w, x, y, z) = seen[d.position], np.moveaxis(seen[d.quaternion], -1, 0)
        third = np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=1)
        low = places[:, 2] - np.abs(third) @ np.array([a, b, h]) / 2
        assert low.min() > -1e-9 * h  # no corner is below the floor
    assert abs(seen[row[2].quaternion][-1, 2]) > 0.05  # the last one falls


def test_bodies_look_like_their_shapes():
    bodies = [zm.RigidBody(name, 1.0, (0.1, 0.1, 0.1)) for name in ("box", "rod", "ball")]
    shapes = zm.shapes.box((0.2, 0.2, 0.4)), zm.shapes.capsule(0.1, 0.4), zm.shapes.sphere(0.3)
    system = zm.System(bodies, gravity=G, contacts=[zm.Collisions(dict(zip(bodies, shapes, strict=True)))])
    drawn = [(body.name, type(body.shape).__name__, body.middle) for body in system.drawing.bodies]
    assert [(name, kind) for name, kind, _ in drawn] == [
        ("box", "Hull"),
        *[("rod", kind) for kind in ("Rod", "Dot", "Dot")],
        ("ball", "Dot"),
    ]
    hull = system.drawing.bodies[0].shape
    assert np.ptp(hull.corners, axis=0) == pytest.approx([0.2, 0.2, 0.4])
    normals = np.cross(*(hull.corners[hull.triangles[:, k]] - hull.corners[hull.triangles[:, 0]] for k in (1, 2)))
    assert (
        np.einsum("ki,ki->k", normals, hull.corners[hull.triangles[:, 0]]) > 0
    ).all()  # outwards, and of the whole surface
    assert np.linalg.norm(normals, axis=1).sum() / 2 == pytest.approx(2 * 0.04 + 4 * 0.08)
