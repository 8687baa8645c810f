"""Runs that go on from a state of another run, at a change of the kind of motion: an impact, a landing, a slip."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import zeromass as zm

FLOOR = zm.surfaces.plane()


def bouncing_ball() -> tuple[zm.System, zm.State, float]:
    ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=FLOOR, gravity=10.0, friction=0.3, restitution=0.5)
    return ball, ball.flying.start(center=(0, 0, 1.1), velocity=(1, 0, 0), angular_velocity=(0, 3, 0)), 1.2


def particle_at_the_origin() -> tuple[zm.System, zm.State, float]:
    """Where places are rounding, and the gap is no part of them."""
    ball = zm.Particle("ball", mass=1.0)
    floor = zm.Sliding(ball, on=FLOOR, restitution=0.5)
    return floor, floor.start(position=(0.0, 0.0, 1.0)), 1.2


def bead_that_leaves() -> tuple[zm.System, zm.State, float]:
    bead = zm.Particle("bead", mass=0.1)
    sphere = zm.Sliding(bead, on=zm.surfaces.sphere(1.0))
    return sphere, sphere.start(contact=(0.1, 0.0, np.sqrt(0.99))), 1.5


def ball_in_a_room() -> tuple[zm.System, zm.State, float]:
    room = {"floor": FLOOR, "wall": zm.Surface(lambda X, Y, Z: 1.0 - X)}
    ball = zm.Contacts(
        zm.bodies.ball(0.1, 0.5), on=room, gravity=10.0, friction={"floor": 0.2, "wall": 0.1}, restitution=0.5
    )
    return ball, ball.start(center=(0.3, 0.0, 0.3), velocity=(1.8, 0.0, 0.0)), 0.6


def slip_that_ends() -> tuple[zm.System, zm.State, float]:
    ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.plane(0.2), gravity=10.0, friction=0.3)
    given = [
        (ball.contact[:2], 0.0),
        (ball.center_particle.velocity[:2], (2.0, 0.5)),
        (ball.body.angular_velocity, 0.0),
    ]
    return ball, ball.slipping.start([*given, (ball.body.quaternion, (1, 0, 0, 0))]), 0.5


def ball_that_comes_to_rest() -> tuple[zm.System, zm.State, float]:
    ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=FLOOR, gravity=10.0, rolling_resistance=0.01)
    return ball, ball.start(contact=(0, 0), velocity=(0.3, 0.0)), 1.0


def wheel_that_bounces() -> tuple[zm.System, zm.State, float]:
    hoop = zm.RigidBody("hoop", mass=1.0, inertia=(0.02, 0.04, 0.02), at=(0, 0, 0.7))
    given = {"radius": 0.2, "axis": (0, 1, 0), "friction": 0.3, "restitution": 0.5, "name": "tyre"}
    tyre = zm.joints.WheelOnSurface(zm.Ground(), hoop, FLOOR, **given)
    system = zm.System([hoop], gravity=10.0, joints=[tyre])
    thrown = [(hoop.position, (0, 0, 0.7)), (hoop.velocity, (1.0, 0, 0)), (hoop.angular_velocity, 0)]
    return system, tyre.lifted(system).start(thrown), 0.8


def bob_on_a_rope() -> tuple[zm.System, zm.State, float]:
    bob = zm.Particle("bob", mass=1.0, at=(0.5, 0, 0))
    hung = zm.System([bob], gravity=10.0, joints=[zm.joints.Rope(zm.Ground(), bob, length=1.0)])
    return hung, hung.start([(bob.position, (0.5, 0, 0)), (bob.velocity, 0)]), 1.0


def block_that_sticks() -> tuple[zm.System, zm.State, float]:
    x = zm.coordinate("x")
    v = zm.rate(x)
    block = zm.System(kinetic=v**2 / 2, forces={x: 4 * np.cos(2 * zm.t) - 3 * np.sign(v)})
    return block, block.start({x: 0.0, v: 1.0}), 3.0


CASES: dict[str, Callable[[], tuple[zm.System, zm.State, float]]] = {
    f.__name__.replace("_", " "): f
    for f in (
        bouncing_ball,
        particle_at_the_origin,
        bead_that_leaves,
        ball_in_a_room,
        slip_that_ends,
        ball_that_comes_to_rest,
        wheel_that_bounces,
        bob_on_a_rope,
        block_that_sticks,
    )
}
QUICK = ("particle at the origin", "ball in a room", "bob on a rope")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in CASES]
)
def test_a_run_goes_on_at_every_change(name):
    """From before it and from after it, by the system of the run and by that of the state: to where the whole run came."""
    system, start, until = CASES[name]()
    run = zm.simulate(system, start, until=until)
    end = run.state(until)
    changes = list(dict.fromkeys(float(segment.t[-1]) for segment in run.segments[:-1]))
    assert changes
    for t in changes[:4]:
        for own, after in ((False, False), (False, True), (True, False)):
            state = run.state(t, after=after)
            again = zm.simulate(state.system if own else system, state, until=until)
            assert again.outcome == run.outcome
            # two runs at rtol 1e-8 that step differently, and impacts that multiply what they differ by
            np.testing.assert_allclose(again.state(until).q, end.q, atol=1e-6)
            assert again.modes[-1] == run.modes[-1]


def test_before_and_after_an_impact():
    system, start, until = particle_at_the_origin()
    run = zm.simulate(system, start, until=until)
    t, v = run.changes[0], system.particle.velocity[2]
    before, after = run.state(t), run.state(t, after=True)
    assert after[v] == pytest.approx(-0.5 * before[v], rel=1e-12)
    assert before.after_event.v == pytest.approx(after.v, rel=1e-15)
    assert run.state(0.1, after=True).v == pytest.approx(run.state(0.1).v, abs=0)
