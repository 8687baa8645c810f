"""A rope that goes slack and taut: the ball on a string, exactly."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm

g, L = 9.81, 1.3


def ball(speed: float):
    bob = zm.Particle("bob", mass=0.7, at=(0, 0, -L))
    rope = zm.joints.Rope(zm.Ground(), bob, length=L, name="rope")
    system = zm.System([bob], gravity=g, joints=[rope])
    start = system.start([(bob.position, (0, 0, -L)), (bob.velocity, (speed, 0, 0))])
    return system, bob, rope, start


def test_it_leaves_its_circle_where_the_tension_ends_and_flies_a_parabola():
    """v₀² between 2gL and 5gL: slack at the height h with v² = g h, h = (v₀² − 2gL)/(3g) above the middle."""
    v0 = np.sqrt(3.5 * g * L)
    system, bob, rope, start = ball(v0)
    run = zm.simulate(system, start, until=2.5, rtol=1e-12, atol=1e-14)
    assert run.modes[:2] == ("rope taut", "rope slack")
    slack = run.events[0]
    h = (v0**2 - 2 * g * L) / (3 * g)
    x, v = run.at(slack.t)[bob.position][0], run.at(slack.t)[bob.velocity][0]
    assert abs(x[2] - h) < 1e-9
    assert abs(v @ v - g * h) < 1e-8
    times = np.linspace(slack.t, run.events[1].t, 20)[:-1]
    s = (times - slack.t)[:, None]
    flight = x + v * s + np.array([0, 0, -g / 2]) * s**2
    np.testing.assert_allclose(run.at(times)[bob.position], flight, atol=1e-9)
    np.testing.assert_allclose(run.at(times[1:])[rope.tension], 0.0, atol=1e-9)
    assert np.all(run[rope.tension] > -1e-8)
    assert np.all(run[rope.slack] > -1e-9)


def test_where_it_becomes_taut_the_velocity_along_it_is_lost_and_no_other():
    v0 = np.sqrt(3.0 * g * L)
    system, bob, _, start = ball(v0)
    run = zm.simulate(system, start, until=2.0)
    taut = run.events[1]
    assert taut.name == "rope taut"
    before, after = run.segments[1].state(taut.t), run.segments[2].state(taut.t)
    n = before[bob.position] / L
    assert abs(np.linalg.norm(before[bob.position]) - L) < 1e-9
    vb, va = before[bob.velocity], after[bob.velocity]
    assert vb @ n > 0.1
    np.testing.assert_allclose(va, vb - (vb @ n) * n, atol=1e-9)
    (impulse,) = run.impulses
    lost = 0.7 * (vb @ n) ** 2 / 2
    assert impulse.t == taut.t
    assert set(impulse.constraints) == {"rope"}
    assert abs(impulse.energy + lost) < 1e-9
    assert run.work().imbalance < 1e-9  # of the energy of swing and flight; rtol is 1e-10
    assert run.remarks == ()
    assert run.certificate().digits > 8


@pytest.mark.parametrize("speed", [0.0, 1.0])
def test_slow_ones_never_go_slack(speed):
    system, _, rope, start = ball(speed)
    run = zm.simulate(system, start, until=3.0)
    assert run.modes == ("rope taut",)
    assert np.all(run[rope.tension] > 0)


def test_a_start_with_a_stretched_rope_is_refused():
    system, bob, _, _ = ball(0.0)
    start = system.start([(bob.position, (0, 0, -2 * L))])
    with pytest.raises(zm.errors.StartError, match=r"'rope' is stretched by 1\.3"):
        zm.simulate(system, start, until=1.0)


def falling(z: float, along=(0.0, 0.0, 1.0)):
    """A bob above the anchor of its slack rope, at rest: it falls straight through the anchor."""
    u = np.array(along) / np.linalg.norm(along)
    bob = zm.Particle("bob", mass=0.7)
    rope = zm.joints.Rope(zm.Ground(), bob, length=L, name="rope")
    system = zm.System([bob], gravity=0, joints=[rope], forces=zm.Force(-0.7 * g * u, at=bob.position))
    return system, bob, rope, system.start([(bob.position, z * u), (bob.velocity, (0, 0, 0))])


@pytest.mark.parametrize(("z", "along"), [(0.5, (0, 0, 1)), (0.0, (0, 0, 1)), (1.2, (0.3, -0.7, 0.1))])
def test_a_slack_rope_whose_end_passes_through_its_anchor_becomes_taut_below_it(z, along):
    """It falls z + L; the fall is a parabola in the coordinates, so events are exact to the tolerance of their location."""
    system, bob, rope, start = falling(z, along)
    run = zm.simulate(system, start, until=2.0)
    u = np.array(along) / np.linalg.norm(along)
    assert run.modes == ("rope slack", "rope taut")
    assert abs(run.events[0].t - np.sqrt(2 * (z + L) / g)) < 1e-9
    np.testing.assert_allclose(run.state(2.0)[bob.position], -L * u, atol=1e-9)
    np.testing.assert_allclose(run.state(2.0)[bob.velocity], 0.0, atol=1e-9)
    t = run.events[0].t * np.linspace(0.05, 0.95, 7)
    np.testing.assert_allclose(run.at(t)[rope.slack], L - np.abs(z - g * t**2 / 2), atol=1e-9)


def test_two_particles_on_a_rope_pass_through_one_another():
    """Without forces they part with their relative velocity until the rope is taut, and then move as one: m v₁ + m v₂."""
    u = np.array([2.0, -1.0, 2.0]) / 3.0
    a, b = zm.Particle("a", mass=1.0), zm.Particle("b", mass=3.0)
    rope = zm.joints.Rope(a, b, length=0.5, name="rope")
    system = zm.System([a, b], gravity=0, joints=[rope])
    start = system.start([(a.position, 0.2 * u), (b.position, -0.1 * u), (a.velocity, -1.0 * u), (b.velocity, 1.0 * u)])
    run = zm.simulate(system, start, until=1.0)
    assert [event.name for event in run.events][:1] == ["rope taut"]
    assert abs(run.events[0].t - (0.3 + 0.5) / 2.0) < 1e-9  # 0.3 m together, 0.5 m apart, at 2 m/s
    for part in (a, b):
        np.testing.assert_allclose(run.state(1.0)[part.velocity], 0.5 * u, atol=1e-8)


def test_members_of_a_study_pass_through_the_anchor_as_runs_do():
    system, bob, _, _ = falling(0.5)
    z = zm.parameter("z0", 0.5)
    start = system.start([(bob.position, (0, 0, z)), (bob.velocity, (0, 0, 0))])
    study = zm.sweep(system, start, over={z: [0.5, 0.25, 0.0]}, until=1.0, keep={"z": bob.position[2]})
    np.testing.assert_allclose(study["z"], -L, atol=1e-9)


def test_ropes_that_share_a_load_hold_it_together():
    """Two ropes side by side, and a third that is a little longer: two tensions carry, of which the motion tells the sum."""
    bob = zm.Particle("bob", mass=0.7, at=(0, 0, -L))
    ropes = [zm.joints.Rope(zm.Ground(), bob, length=L, name=name) for name in ("one", "other")]
    longer = zm.joints.Rope(zm.Ground(), bob, length=L + 0.1, name="longer")
    system = zm.System([bob], gravity=g, joints=[*ropes, longer])
    start = system.start([(bob.position, (0, 0, -L)), (bob.velocity, (0, 0, 0))])
    with pytest.warns(zm.errors.RedundantContacts, match=r"of one, other are not determined .* are taken$"):
        run = zm.simulate(system, start, until=1.0)
    assert run.modes == ("one taut, other taut, longer slack",)
    np.testing.assert_allclose(run[ropes[0].tension] + run[ropes[1].tension], 0.7 * g, rtol=1e-9)
    assert run[ropes[0].tension].min() > 0.0
    assert np.abs(run[longer.tension]).max() == 0.0


def test_ropes_of_a_swing_become_taut_at_one_moment():
    """A bob that falls into two ropes from two hooks stops there; each then carries m g/(2 cos α)."""
    α = 0.5
    hooks = [(x * np.sin(α) * L, 0.0, 0.0) for x in (-1, 1)]
    bob = zm.Particle("bob", mass=0.7)
    ropes = [
        zm.joints.Rope(zm.Ground(), bob, at=(hook, (0, 0, 0)), length=L, name=name)
        for name, hook in zip(("left", "right"), hooks, strict=True)
    ]
    system = zm.System([bob], gravity=g, joints=ropes)
    h = 0.4
    start = system.start([(bob.position, (0, 0, h - L * np.cos(α))), (bob.velocity, (0, 0, 0))])
    run = zm.simulate(system, start, until=1.0)
    assert run.modes == ("left slack, right slack", "left taut, right taut")
    assert run.changes[0] == pytest.approx(np.sqrt(2 * h / g), rel=1e-9)
    impulse = run.impulses[0]
    np.testing.assert_allclose(impulse.impulses, 0.7 * np.sqrt(2 * g * h) / (2 * np.cos(α)), rtol=1e-8)
    for rope in ropes:
        assert run[rope.tension][-1] == pytest.approx(0.7 * g / (2 * np.cos(α)), rel=1e-8)


def test_a_rope_and_a_stop_act_together():
    """A slider hangs on a rope and rises to its stop, driven by a force that grows: k t = m g leaves the rope slack."""
    k, m, gap = 10.0, 0.7, 0.3
    sledge = zm.RigidBody("sledge", m, (1, 1, 1), at=(0, 0, -L))
    rail = zm.joints.Prismatic(zm.Ground(), sledge, axis=(0, 0, 1), name="rail", limits=(None, gap), restitution=0.0)
    rope = zm.joints.Rope(zm.Ground(), sledge, length=L, name="rope")
    system = zm.System([sledge], gravity=g, joints=[rail, rope], forces=[rail.motor(k * zm.t)])
    run = zm.simulate(system, system.start({rail.displacement: 0.0, rail.rate: 0.0}), until=2.5, rtol=1e-11)
    left = m * g / k
    reached = left + (6 * m * gap / k) ** (1 / 3)  # x = k τ³/6 m
    assert [kind.split(", ") for kind in run.modes] == [
        ["rail upper limit free", "rope taut"],
        ["rail upper limit free", "rope slack"],
        ["rail upper limit at its stop", "rope slack"],
    ]
    np.testing.assert_allclose(run.changes, [left, reached], rtol=1e-9)
    assert run[rail.stop_force][-1] == pytest.approx(-(k * 2.5 - m * g), rel=1e-9)
