"""Slipping with Coulomb friction, a non-ideal constraint that grows with the normal force, and the change to rolling."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm

G = 9.81


def ball_on_plane(friction: float, tilt: float = 0.0, body: zm.SphericalBody | None = None) -> zm.Rolling:
    """A tilted plane is a tilted gravity."""
    gravity = (G * np.sin(tilt), 0.0, -G * np.cos(tilt))
    return zm.Rolling(body or zm.ball(0.1, 0.5), on=zm.surfaces.plane(), gravity=gravity, friction=friction)


def sliding_start(rolling: zm.Rolling, velocity=(0.0, 0.0, 0.0), omega=(0.0, 0.0, 0.0)) -> zm.State:
    return rolling.slipping.start(
        [
            (rolling.contact, (0.0, 0.0, 0.0)),
            (rolling.body.quaternion, (1.0, 0.0, 0.0, 0.0)),
            (rolling.center_particle.velocity, velocity),
            (rolling.body.angular_velocity, omega),
        ]
    )


@pytest.mark.parametrize(("friction", "speed"), [(0.1, 1.0), (0.3, 2.5), (0.8, 0.4)])
def test_a_thrown_ball_begins_to_roll(friction, speed):
    """Rolls after t = 2 v₀/(7 μ g) with 5/7 v₀ (solid ball); the creep speed 1e-9 m/s is what the time is known to."""
    rolling = ball_on_plane(friction)
    motion = zm.simulate(rolling.slipping, sliding_start(rolling, (speed, 0.0, 0.0)), until=3.0, rtol=1e-11)
    assert motion.kinds == ("slipping", "rolling")
    assert motion.changes[0] == pytest.approx(2 * speed / (7 * friction * G), abs=3e-9 / (friction * G) + 1e-9)
    assert motion.at([3.0])[rolling.center_particle.velocity][0] == pytest.approx([5 / 7 * speed, 0, 0], abs=1e-8)


def test_back_spin_returns_the_ball():
    """v = (5 v₀ + 2 r ω₀)/7 for a solid ball: angular momentum about a point of the plane is kept."""
    rolling = ball_on_plane(0.2)
    motion = zm.simulate(
        rolling.slipping, sliding_start(rolling, (1.0, 0.0, 0.0), (0.0, -60.0, 0.0)), until=4.0, rtol=1e-11
    )
    final = motion.at([4.0])[rolling.center_particle.velocity][0]
    assert final == pytest.approx([(5 * 1.0 - 2 * 0.1 * 60.0) / 7, 0, 0], abs=1e-8)
    assert final[0] < 0


def test_friction_is_mu_times_the_normal_force_against_the_slip():
    rolling = ball_on_plane(0.3, body=zm.SphericalBody(0.1, 0.5, (0.002, 0.0025, 0.003), (0.01, -0.02, 0.005)))
    state = sliding_start(rolling, (0.7, -0.4, 0.0), (3.0, 2.0, -5.0))
    run = zm.simulate(rolling.slipping, state, until=0.05)
    ratio, force, slip = run[rolling.friction_ratio], run[rolling.friction_force], run[rolling.slip_velocity]
    assert np.allclose(ratio, 0.3, rtol=1e-9)
    cosine = np.einsum("ti,ti->t", force, slip) / np.linalg.norm(force, axis=1) / np.linalg.norm(slip, axis=1)
    assert np.allclose(cosine, -1.0, atol=1e-12)
    assert np.abs(run[rolling.torque_at_contact]).max() < 1e-12


def test_energy_falls_by_the_work_of_friction():
    rolling = ball_on_plane(0.25)
    run = zm.simulate(rolling.slipping, sliding_start(rolling, (1.0, 0.3, 0.0)), until=0.1, rtol=1e-12, atol=1e-14)
    work = run.work()
    assert work.change[-1] < 0
    assert work.imbalance < 1e-11


@pytest.mark.parametrize(("tilt", "slips"), [(0.3, False), (0.9, True)])
def test_a_steep_incline_needs_more_friction_than_there_is(tilt, slips):
    """Rolling down needs (2/7) tan α; with less, the ball slips from the start and a = g (sin α − μ cos α)."""
    rolling = ball_on_plane(0.2, tilt)
    motion = zm.simulate(rolling, rolling.start(contact=(0.0, 0.0)), until=1.0, rtol=1e-11)
    assert (2 / 7 * np.tan(tilt) > 0.2) == slips
    assert motion.kinds == (("slipping",) if slips else ("rolling",))
    speed = motion.at([1.0])[rolling.center_particle.velocity][0][0]
    expected = G * (np.sin(tilt) - 0.2 * np.cos(tilt)) if slips else 5 / 7 * G * np.sin(tilt)
    assert speed == pytest.approx(expected, rel=1e-7)


def test_rolling_alone_stops_where_it_would_slip():
    rolling = ball_on_plane(0.2, 0.9)
    run = zm.simulate(rolling, rolling.start(contact=(0.0, 0.0)), until=1.0, transitions=False)
    assert run.outcome.ending == "event"
    assert "would slip" in run.outcome.message


def test_compiled_slipping_equals_the_oracle():
    rolling = ball_on_plane(0.35, body=zm.SphericalBody(0.1, 0.5, (0.002, 0.0025, 0.003), (0.01, -0.02, 0.005)))
    from zeromass.compile.program import program_at

    random = np.random.default_rng(1)
    state = sliding_start(rolling, (0.7, -0.4, 0.0), (3.0, 2.0, -5.0))
    compiled = program_at(rolling.slipping, state)
    for _ in range(20):
        state = sliding_start(rolling, (*random.normal(size=2), 0.0), random.normal(scale=5.0, size=3))
        a = compiled.native.accelerations(state.inputs)
        assert np.abs(a - state.motion.acceleration).max() <= 1e-11 * np.abs(a).max()


def test_slipping_needs_a_coefficient():
    rolling = zm.Rolling(zm.ball(0.1, 1.0), on=zm.surfaces.plane())
    with pytest.raises(zm.ModelError, match="friction"):
        _ = rolling.slipping


def test_a_run_is_continued_from_every_segment():
    """From states while it slips and while it rolls, with the system it began with: the same end."""
    rolling = ball_on_plane(0.3)
    start = sliding_start(rolling, (2.5, 0.0, 0.0))
    run = zm.simulate(rolling, start, until=3.0, rtol=1e-11)
    assert run.kinds == ("slipping", "rolling")
    for t in (0.1, 0.9 * run.changes[0], 1.5 * run.changes[0]):
        further = zm.simulate(rolling, run.state(t), until=3.0, rtol=1e-11)
        assert further.kinds == run.kinds[-len(further.kinds) :]
        assert np.abs(further.y[-1] - run.y[-1]).max() <= 1e-8
    with pytest.raises(zm.ModelError, match="another system"):
        zm.simulate(rolling, run.state(0.1), until=3.0, transitions=False)
