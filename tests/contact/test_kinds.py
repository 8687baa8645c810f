"""Rolling and slipping as kinds of one motion: where each begins, what follows, and scales that decide."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm

G = 9.81


def on_slope(friction: float | None, tilt: float = 0.0, **options) -> zm.Rolling:
    gravity = (G * np.sin(tilt), 0.0, -G * np.cos(tilt))
    return zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.plane(), gravity=gravity, friction=friction, **options)


def thrown(rolling: zm.Rolling, speed: float) -> zm.State:
    return rolling.slipping.start(
        [
            (rolling.contact, 0.0),
            (rolling.center_particle.velocity, (speed, 0, 0)),
            (rolling.body.angular_velocity, 0.0),
        ]
    )


def test_a_plain_system_is_itself():
    bob = zm.Particle("bob", mass=1.0)
    system = zm.System([bob], gravity=G)
    assert (system.mode, system.contacts) == ("motion", ())
    assert zm.simulate(system, system.start(), until=0.1).modes == ("motion",)


@pytest.mark.parametrize(("tilt", "kind"), [(0.3, "rolling"), (0.9, "slipping")])
def test_rolling_begins_as_what_its_friction_allows(tilt, kind):
    """A ball needs (2/7) tan α."""
    rolling = on_slope(0.2, tilt)
    assert (2 / 7 * np.tan(tilt) > 0.2) == (kind == "slipping")
    assert zm.simulate(rolling, rolling.start(contact=(0, 0)), until=0.1).modes == (kind,)
    without = on_slope(None, tilt)
    assert zm.simulate(without, without.start(contact=(0, 0)), until=0.1).modes == ("rolling",)


@pytest.mark.parametrize(("tilt", "kind"), [(0.3, "rolling"), (0.9, "slipping")])
def test_what_follows_a_slip_that_dies_out(tilt, kind):
    """It rolls where friction allows it, and slips anew where not."""
    rolling = on_slope(0.2, tilt)
    run = zm.simulate(rolling, thrown(rolling, -1e-4), until=0.1)
    assert (run.modes[0], run.modes[-1]) == ("slipping", kind)
    assert [event.name for event in run.events] == ["slip dies out"]
    assert np.abs(run.state(0.1)[rolling.slip_velocity]).max() == pytest.approx(
        0.0, abs=1e-14 if kind == "rolling" else 1.0
    )


def test_a_ball_that_is_brought_to_roll_at_once():
    """The impulse of rough friction: 5/7 of the speed of a ball that was thrown without spin."""
    rolling = on_slope(None, restitution=0.0)
    run = zm.simulate(rolling, rolling.flying.start(center=(0, 0, 0.2), velocity=(1.4, 0, 0)), until=0.2)
    assert run.modes == ("flying", "rolling")
    state = run.state(0.2)
    assert state[rolling.center_particle.velocity] == pytest.approx([1.0, 0.0, 0.0], abs=1e-12)
    assert state[rolling.body.angular_velocity] == pytest.approx([0.0, 10.0, 0.0], abs=1e-11)


@pytest.mark.parametrize("radius", [1e-9, 1e-7, 1e-3, 1.0, 1e3])
def test_the_time_of_a_slip_has_the_same_digits_at_every_size(radius):
    """2 v₀/(7 μ g) for v₀ = √(g r), whatever r is."""
    rolling = zm.Rolling(zm.bodies.ball(radius, 1e3 * radius**3), on=zm.surfaces.plane(), friction=0.2, gravity=G)
    speed = np.sqrt(G * radius)
    run = zm.simulate(
        rolling.slipping,
        thrown(rolling, speed),
        until=speed / G * 2,
        rtol=1e-13,
        atol=1e-14 * radius,
        transitions=False,
    )
    assert "slip dies out" in run.outcome.message
    assert 1 - run.t[-1] / (2 * speed / (7 * 0.2 * G)) == pytest.approx(0.0, abs=2e-11)


@pytest.mark.parametrize("creep", [1e-13, 1e-5])
def test_creep_is_an_argument(creep):
    """Which slips count as slow changes nothing of the time at which one has died out."""
    rolling = on_slope(0.2, creep=creep)
    run = zm.simulate(rolling, thrown(rolling, 1.0), until=1.0, rtol=1e-11, transitions=False)
    assert 1 - run.t[-1] / (2 / (7 * 0.2 * G)) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(
    "surface", [zm.surfaces.plane(), zm.surfaces.sphere(1.0, inside=True)], ids=["plane", "sphere"]
)
def test_friction_without_gravity(surface):
    """No division by a normal force that is zero."""
    rolling = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=surface, gravity=0, friction=0.3)
    start = rolling.start(contact=(0, 0), velocity=(1.0, 0.5), guess=-1.0)
    run = zm.simulate(rolling, start, until=1.0)
    assert (run.outcome.ending.value, run.modes) == ("finished", ("rolling",))


@pytest.mark.parametrize("tilt", [0.0, 0.3, 0.7, 1.1, -0.4])
def test_a_ball_without_weight_rolls_on_a_plane_however_it_is_tilted(tilt):
    """Neither pressed nor pulled, no friction needed: forces that are rounding decide nothing."""
    rolling = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.plane(tilt), gravity=0, friction=0.3, creep=1e-9)
    start = rolling.start(contact=(0, 0), velocity=(1.0, 0.5), spin=3.0)
    run = zm.simulate(rolling, start, until=1.0)
    assert run.modes == ("rolling",)
    assert run.outcome.ending == "finished"
    ways = run[rolling.center][-1] - run[rolling.center][0]
    assert ways == pytest.approx(start[rolling.center_particle.velocity], abs=1e-9)


@pytest.mark.parametrize("curvature", [0.5, -0.5])
def test_without_weight_a_hollow_presses_and_a_hill_loses(curvature):
    rolling = zm.Rolling(
        zm.bodies.ball(0.1, 0.5), on=zm.surfaces.paraboloid(curvature), gravity=0, friction=0.3, creep=1e-9
    )
    run = zm.simulate(rolling, rolling.start(contact=(0, 0), velocity=(1.0, 0.0)), until=0.1)
    assert ("contact lost" in run.outcome.message) == (curvature < 0)


def test_a_ball_that_comes_onto_a_belt_slips_until_it_has_its_speed():
    """From rest onto a belt of speed u: μ g until 2 u/(7 μ g), then 2/7 u; not at once, by an impulse without limit."""
    u, μ = zm.parameter("u", 0.0), 0.1
    rolling = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.plane(velocity=(u, 0, 0)), friction=μ)
    rest = zm.simulate(rolling, rolling.start(contact=(0, 0)), until=0.5).state(0.5)
    run = zm.simulate(rolling, rest, until=2.0, parameters={u: 1.0})
    assert run.modes == ("slipping", "rolling")
    assert run.changes[0] - 0.5 == pytest.approx(2 / (7 * μ * G), abs=1e-7)
    assert run.at(0.6)[rolling.center_particle.velocity[0]] == pytest.approx(0.1 * μ * G, abs=1e-9)
    assert run.state(2.0)[rolling.center_particle.velocity] == pytest.approx((2 / 7, 0, 0), abs=1e-7)


def test_least_clearance_is_an_argument():
    surface = zm.Surface(lambda X, Y: 4 * X**2 * np.exp(Y) - 0.2 * Y)
    rolling = zm.Rolling(zm.bodies.ball(0.1, 0.4), on=surface, two_sided=True, least_clearance=0.05)
    run = zm.simulate(rolling, rolling.start(contact=(0.01, 0.0), velocity=(0.0, 0.5)), until=10.0)
    assert "hollow too tight" in run.outcome.message
    assert run[rolling.clearance][-1] == pytest.approx(0.05, abs=1e-12)
    with pytest.raises(zm.errors.ModelError, match="least_clearance"):
        zm.Rolling(zm.bodies.ball(0.1, 0.4), on=surface, least_clearance=1.0)
