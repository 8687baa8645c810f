"""Contacts as elements of any system: exact impacts, rest, curved surfaces, bodies on bodies; files and studies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import zeromass as zm

g = 9.81
TIGHT: dict[str, Any] = {"rtol": 1e-11, "atol": 1e-13}


def thrown(
    system: zm.System, body: Any, place: Any, velocity: Any = (0, 0, 0), ω: Any = (0, 0, 0), **given: Any
) -> zm.State:
    """A start of one body."""
    turned = [(body.angular_velocity, ω)] if isinstance(body, zm.RigidBody) else []
    return system.start([(body.position, place), (body.velocity, velocity), *turned], **given)


# joints ----------------------------------------------------------------------------------------------------------------
def pendulum(e: Any) -> tuple[zm.System, zm.joints.Revolute]:
    """A rod of 1 m with a ball of 0.05 m on its end, that hangs beside a wall, which it strikes where it hangs down."""
    rod = zm.RigidBody("rod", mass=1.0, inertia=(0.1, 0.1, 0.001), at=(0, 0, -0.5))
    pin = zm.joints.Revolute(zm.Ground(), rod, at=(0, 0, 0), axis=(0, 1, 0), name="pin")
    wall = zm.Surface(lambda X, Y, Z: X + 0.05, name="wall")
    touch = zm.Contact(rod, zm.shapes.sphere(0.05), wall, at=(0, 0, -0.5), friction=0.0, restitution=e)
    return zm.System([rod], gravity=g, joints=[pin], contacts=[touch]), pin


def test_a_pendulum_strikes_a_wall():
    """From small φ₀ it comes after a quarter of its period with ω = √(2 m g l (1 − cos φ₀)/J), and goes back with e ω."""
    e, φ, J = 0.6, -0.02, 0.1 + 0.25
    system, pin = pendulum(e)
    run = zm.simulate(system, system.start({pin.angle: φ, pin.rate: 0.0}), until=1.0, **TIGHT)
    struck = run.impulses[0]
    ω = np.sqrt(2 * g * 0.5 * (1 - np.cos(φ)) / J)
    from scipy.special import ellipk

    assert struck.t == pytest.approx(ellipk(np.sin(φ / 2) ** 2) * np.sqrt(J / (g * 0.5)), abs=1e-10)
    after = run.segments[1].state(struck.t)[pin.rate]
    before = run.segments[0].state(struck.t)[pin.rate]
    assert abs(before) == pytest.approx(ω, rel=1e-9)
    assert after == pytest.approx(-e * before, rel=1e-9)
    assert struck.energy == pytest.approx(-(1 - e**2) * J * ω**2 / 2, rel=1e-8)


def test_a_leg_of_two_links_stands_on_its_foot():
    """A foot of 0.02 m on a chain of two links that is let fall: it lands, and the floor carries what is not held."""
    hip = zm.RigidBody("hip", mass=2.0, inertia=(0.02, 0.02, 0.02), at=(0, 0, 0.9))
    thigh = zm.RigidBody("thigh", mass=0.5, inertia=(0.01, 0.01, 0.001), at=(0, 0, 0.7))
    shin = zm.RigidBody("shin", mass=0.3, inertia=(0.006, 0.006, 0.001), at=(0, 0, 0.3))
    slide = zm.joints.Prismatic(zm.Ground(), hip, at=(0, 0, 0.9), axis=(0, 0, 1), name="slide")
    hinge = zm.joints.Revolute(hip, thigh, at=(0, 0, 0.9), axis=(0, 1, 0), name="hinge")
    knee = zm.joints.Revolute(thigh, shin, at=(0, 0, 0.5), axis=(0, 1, 0), name="knee")
    foot = zm.Contact(shin, zm.shapes.sphere(0.02), zm.surfaces.plane(), at=(0, 0, -0.2), friction=0.8, name="foot")
    servo = []
    for pin, below, above in ((hinge, thigh, hip), (knee, shin, thigh)):
        τ = np.array([0, -40 * pin.angle - 4 * pin.rate, 0])
        servo += [zm.Torque(τ, below), zm.Torque(-τ, above)]
    robot = zm.System([hip, thigh, shin], gravity=g, joints=[slide, hinge, knee], forces=servo, contacts=[foot])
    start = robot.start({slide.displacement: 0.0, hinge.angle: 0.1, knee.angle: -0.2}, guess={})
    run = zm.simulate(robot, start, until=1.5)
    assert run.outcome.ending == "finished"
    times = np.linspace(0, 1.5, 200)
    seen = run.at(times)
    assert seen[foot.gap].min() >= -1e-9
    assert seen[foot.normal_force].min() >= -1e-9
    assert run.modes[-1] == "foot sticks"
    assert run.at(1.5)[foot.normal_force] == pytest.approx(2.8 * g, rel=2e-2)  # it still sways a little


# vertices --------------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def brick() -> tuple[zm.System, zm.RigidBody, zm.Contact]:
    a, b, c = size = (0.2, 0.1, 0.06)
    body = zm.RigidBody("brick", mass=1.0, inertia=np.array([b**2 + c**2, a**2 + c**2, a**2 + b**2]) / 12)
    touch = zm.Contact(body, zm.shapes.box(size), zm.surfaces.plane(), friction=0.5, restitution=0.1)
    return zm.System([body], gravity=g, contacts=[touch]), body, touch


@pytest.mark.parametrize(
    "turned", [(1, 0, 0, 0), (np.cos(0.3), np.sin(0.3), 0, 0), (0.9, 0.3, 0.2, 0.1)], ids=["face", "edge", "corner"]
)
def test_a_brick_falls_and_comes_to_rest(brick, turned):
    """On a face, an edge or a corner: it ends on a face, energy is never gained, and no corner goes below the floor."""
    system, body, touch = brick
    u = np.array(turned) / np.linalg.norm(turned)
    places = [(body.position, (0, 0, 0.2)), (body.quaternion, u)]
    start = system.start([*places, (body.velocity, 0.0), (body.angular_velocity, 0.0)])
    run = zm.simulate(system, start, until=1.5)
    assert run.outcome.ending == "finished", run.outcome
    seen = run.at(np.linspace(0, 1.5, 400))
    assert np.diff(seen[system.energy]).max() <= 1e-9
    assert min(impulse.energy for impulse in run.impulses) < 0.0
    assert max(impulse.energy for impulse in run.impulses) <= 1e-12
    assert seen[touch.gap].min() >= -1e-9 * 0.2
    end = run.at(1.5)
    assert np.abs(end[body.velocity]).max() <= 1e-9
    assert np.abs(end[body.angular_velocity]).max() <= 1e-8
    assert end[touch.normal_force] == pytest.approx(g, rel=1e-6)


# one point -------------------------------------------------------------------------------------------------------------
def test_a_sphere_on_a_moving_curved_surface_is_that_of_rolling():
    """As `zm.Rolling` and `zm.Contacts` have it, on a bowl that is shaken."""
    bowl = zm.Surface(lambda X, Y: 0.5 * (X**2 + Y**2), shift=(0.02 * np.sin(3 * zm.t), 0, 0), name="bowl")
    solid = zm.bodies.ball(0.1, 1.0)
    rolling = zm.Rolling(solid, on=bowl, gravity=g)
    first = rolling.start(contact=(0.3, 0.1), velocity=(0.1, 0.4), spin=2.0)
    one = zm.simulate(rolling, first, until=0.8, **TIGHT)
    body = zm.RigidBody("ball", mass=1.0, inertia=solid.inertia)
    touch = zm.Contact(body, zm.shapes.sphere(0.1), bowl)
    system = zm.System([body], gravity=g, contacts=[touch])
    own = rolling.body
    start = system.start(
        [
            (new, first[old])
            for new, old in zip(
                (body.position, body.quaternion, body.velocity, body.angular_velocity),
                (own.position, own.quaternion, own.velocity, own.angular_velocity),
                strict=True,
            )
        ],
        guess=[(touch.pairs[0].point, first[rolling.contact])],
    )
    run = zm.simulate(system, start, until=0.8, **TIGHT)
    assert run.modes == ("ball on bowl sticks",)
    assert run.state(0.8)[body.position] == pytest.approx(one.state(0.8)[own.position], abs=1e-9)
    assert run.state(0.8)[body.angular_velocity] == pytest.approx(one.state(0.8)[own.angular_velocity], abs=1e-8)
    assert run.at(0.8)[touch.normal_force] == pytest.approx(one.at(0.8)[rolling.normal_force], rel=1e-8)


def test_an_ellipsoid_rolls_on_a_plane_as_contacts_have_it():
    axes, mass = (0.1, 0.15, 0.2), 0.7
    solid = zm.bodies.ellipsoid(axes, mass, name="egg")
    both = zm.Contacts(solid, on={"floor": zm.surfaces.plane()}, gravity=g)
    floor, own = both["floor"], both.body
    rest = [(floor.gap, 0.0), (floor.slip_velocity, 0.0), (own.angular_velocity, (1.0, 2.0, 0.5))]
    turned = (np.cos(0.2), 0.6 * np.sin(0.2), 0.8 * np.sin(0.2), 0.0)
    first = both.start([(own.quaternion, turned), (own.position[:2], 0.0), *rest])
    one = zm.simulate(both, first, until=0.5, **TIGHT)
    body = zm.RigidBody("egg", mass=mass, inertia=solid.inertia)
    system = zm.System([body], gravity=g, contacts=[zm.Contact(body, zm.shapes.ellipsoid(axes), zm.surfaces.plane())])
    start = system.start(
        [(getattr(body, x), first[getattr(own, x)]) for x in ("position", "quaternion", "velocity", "angular_velocity")]
    )
    run = zm.simulate(system, start, until=0.5, **TIGHT)
    assert run.state(0.5)[body.rotation] == pytest.approx(one.state(0.5)[own.rotation], abs=1e-8)
    assert np.ptp(run[system.energy]) <= 1e-9


def test_a_ball_strikes_an_ellipsoid():
    """Along the third axis, which is 0.3 m: at a distance of 0.4 m; momentum is kept, and velocities go as of points."""
    ball = zm.RigidBody("ball", mass=0.5, inertia=(0.002,) * 3)
    egg = zm.RigidBody("egg", mass=1.5, inertia=(0.03, 0.03, 0.02))
    touch = zm.Contact(
        ball, zm.shapes.sphere(0.1), egg, zm.shapes.ellipsoid((0.1, 0.2, 0.3)), friction=0.3, restitution=0.5
    )
    system = zm.System([ball, egg], gravity=0, contacts=[touch])
    given = [(b.angular_velocity, 0.0) for b in (ball, egg)]
    start = system.start(
        [(ball.position, (0, 0, 1.0)), (egg.position, 0.0), (ball.velocity, (0, 0, -1.2)), (egg.velocity, 0.0), *given],
        guess=[(touch.pairs[0].point, (0, 0, 0.3))],
    )
    run = zm.simulate(system, start, until=1.0, **TIGHT)
    assert [impulse.t for impulse in run.impulses] == pytest.approx([0.5], abs=1e-11)
    after = run.state(1.0)
    common = 0.5 * -1.2 / 2.0
    assert after[ball.velocity[2]] == pytest.approx(common + 0.5 * 1.5 / 2.0 * 1.2, abs=1e-11)
    assert after[egg.velocity[2]] == pytest.approx(common - 0.5 * 0.5 / 2.0 * 1.2, abs=1e-11)


def test_a_particle_slides_down_a_slope_with_friction_that_depends_on_its_speed():
    """v̇ = g sin α − g cos α (0.1 + 0.05 v): v = (a/b)(1 − exp(−b t)) with b = 0.05 g cos α."""
    α = 0.4
    bead = zm.Particle("bead", 1.0)
    slope = zm.Surface(lambda X, Y, Z: np.cos(α) * Z + np.sin(α) * X, name="slope")
    friction = zm.Friction(static=0.3, kinetic=lambda v: 0.1 + 0.05 * v)
    system = zm.System([bead], gravity=g, contacts=[zm.Contact(bead, zm.shapes.point(), slope, friction=friction)])
    down = np.array([np.cos(α), 0.0, -np.sin(α)])
    run = zm.simulate(system, thrown(system, bead, (0, 0, 0), 1e-3 * down), until=1.0, **TIGHT)
    a, b = g * (np.sin(α) - 0.1 * np.cos(α)), 0.05 * g * np.cos(α)
    v = a / b + (1e-3 - a / b) * np.exp(-b)
    assert run.modes == ("bead on slope slips",)
    assert run.state(1.0)[bead.velocity] == pytest.approx(v * down, abs=1e-9)


def test_friction_of_a_contact():
    """None is rough, 0 smooth; between them a ball rolls where |T| ≤ μ N, and μ(t) holds until that moment."""
    plane = zm.Surface(lambda X, Y, Z: Z + np.tan(0.3) * X, name="slope")
    n = np.array([np.sin(0.3), 0, np.cos(0.3)])
    for friction, ends in (
        (None, "sticks"),
        (0.0, "closed"),
        (0.05, "slips"),
        (0.2, "sticks"),
        (0.2 - 0.2 * zm.t, "slips"),
    ):
        ball = zm.RigidBody("ball", mass=1.0, inertia=(0.004,) * 3)
        system = zm.System(
            [ball], gravity=g, contacts=[zm.Contact(ball, zm.shapes.sphere(0.1), plane, friction=friction)]
        )
        run = zm.simulate(system, thrown(system, ball, 0.1 * n), until=0.9)
        assert run.modes[-1] == f"ball on slope {ends}"
    needed = 2 / 7 * np.tan(0.3)
    assert run.changes == pytest.approx([(0.2 - needed) / 0.2], abs=1e-7)


# files and studies -----------------------------------------------------------------------------------------------------
def test_it_is_kept_in_files(tmp_path):
    system, pin = pendulum(0.5)
    run = zm.simulate(system, system.start({pin.angle: -0.3}), until=2.0)
    loaded = zm.load(run.save(tmp_path / "run.nc"))
    assert loaded.modes == run.modes
    assert np.array_equal(loaded.y, run.y)
    on = zm.simulate(loaded.system, loaded.state(1.0), until=2.0)
    assert on.y[-1] == pytest.approx(run.y[-1], abs=1e-6)


def test_a_study_gives_the_bits_of_simulate():
    e = zm.parameter("e", 0.5)
    ball = zm.RigidBody("ball", mass=1.0, inertia=(0.004,) * 3)
    touch = zm.Contact(ball, zm.shapes.sphere(0.1), zm.surfaces.plane(), friction=0.3, restitution=e)
    system = zm.System([ball], gravity=10.0, contacts=[touch])
    start = thrown(system, ball, (0, 0, 1.1), (0.3, 0.1, 0), (1.0, 2.0, 3.0))
    values, spin = [0.2, 0.5, 0.9], ball.quaternion[1]
    study = zm.sweep(system, start, until=1.5, over={e: values}, keep={"end": spin}, method="dop853")
    runs = [zm.simulate(system, start.again({e: x}), until=1.5, method="dop853") for x in values]
    assert study.end.values.tolist() == [float(run.state(1.5)[spin]) for run in runs]


def test_an_approach_that_is_rounding_beside_other_velocities_is_no_impact():
    """A bar spins about one of its ends, which comes down at 10⁻¹³ of the speed of the other."""
    bar, sphere, floor = zm.RigidBody("bar", 1.0, (0.01, 0.1, 0.1)), zm.shapes.sphere(0.02), zm.surfaces.plane()
    ends = [
        zm.Contact(bar, sphere, floor, at=(x, 0, 0), friction=0.2, restitution=0.1, name=f"end {x}")
        for x in (-0.5, 0.5)
    ]
    system = zm.System([bar], gravity=9.81, contacts=ends)
    given = [(bar.position, (0, 0, 0.02)), (bar.velocity, (0, 1.0, -2e-13)), (bar.angular_velocity, (0, 0, 2.0))]
    run = zm.simulate(system, system.start(given), until=0.01)
    assert run.outcome.complete
