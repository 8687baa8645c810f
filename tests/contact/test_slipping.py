"""Slipping with Coulomb friction, a non-ideal constraint that grows with the normal force, and the change to rolling."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import zeromass as zm

G = 9.81


def ball_on_plane(friction: float, tilt: float = 0.0, body: zm.bodies.SphericalBody | None = None) -> zm.Rolling:
    """A tilted plane is a tilted gravity."""
    gravity = (G * np.sin(tilt), 0.0, -G * np.cos(tilt))
    return zm.Rolling(body or zm.bodies.ball(0.1, 0.5), on=zm.surfaces.plane(), gravity=gravity, friction=friction)


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
    motion = zm.simulate(rolling, sliding_start(rolling, (speed, 0.0, 0.0)), until=3.0, rtol=1e-11)
    assert motion.modes == ("slipping", "rolling")
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
    rolling = ball_on_plane(0.3, body=zm.bodies.SphericalBody(0.1, 0.5, (0.002, 0.0025, 0.003), (0.01, -0.02, 0.005)))
    state = sliding_start(rolling, (0.7, -0.4, 0.0), (3.0, 2.0, -5.0))
    run = zm.simulate(rolling, state, until=0.05)
    ratio, force, slip = run[rolling.friction_ratio], run[rolling.friction_force], run[rolling.slip_velocity]
    assert np.allclose(ratio, 0.3, rtol=1e-9)
    cosine = np.einsum("ti,ti->t", force, slip) / np.linalg.norm(force, axis=1) / np.linalg.norm(slip, axis=1)
    assert np.allclose(cosine, -1.0, atol=1e-12)
    assert np.abs(run[rolling.torque_at_contact]).max() < 1e-12


def test_energy_falls_by_the_work_of_friction():
    rolling = ball_on_plane(0.25)
    run = zm.simulate(rolling, sliding_start(rolling, (1.0, 0.3, 0.0)), until=0.1, rtol=1e-12, atol=1e-14)
    work = run.work()
    assert work.change[-1] < 0
    assert work.imbalance < 1e-11


@pytest.mark.parametrize(("tilt", "slips"), [(0.3, False), (0.9, True)])
def test_a_steep_incline_needs_more_friction_than_there_is(tilt, slips):
    """Rolling down needs (2/7) tan α; with less, the ball slips from the start and a = g (sin α − μ cos α)."""
    rolling = ball_on_plane(0.2, tilt)
    motion = zm.simulate(rolling, rolling.start(contact=(0.0, 0.0)), until=1.0, rtol=1e-11)
    assert (2 / 7 * np.tan(tilt) > 0.2) == slips
    assert motion.modes == (("slipping",) if slips else ("rolling",))
    speed = motion.at([1.0])[rolling.center_particle.velocity][0][0]
    expected = G * (np.sin(tilt) - 0.2 * np.cos(tilt)) if slips else 5 / 7 * G * np.sin(tilt)
    assert speed == pytest.approx(expected, rel=1e-7)


def test_a_motion_of_one_kind_ends_where_it_would_slip():
    """A ball on a plane that is tilted more and more, tan α = 7/2 μ."""
    α = 0.5 * zm.t
    gravity = (G * np.sin(α), 0.0, -G * np.cos(α))
    rolling = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.plane(), gravity=gravity, friction=0.2)
    run = zm.simulate(rolling, rolling.start(contact=(0.0, 0.0)), until=3.0, transitions=False)
    assert run.outcome.ending == "event"
    assert "'would slip'" in run.outcome.message
    assert run.t[-1] == pytest.approx(2 * np.arctan(0.7), abs=1e-9)


def test_compiled_slipping_equals_the_oracle():
    rolling = ball_on_plane(0.35, body=zm.bodies.SphericalBody(0.1, 0.5, (0.002, 0.0025, 0.003), (0.01, -0.02, 0.005)))
    random = np.random.default_rng(1)
    for _ in range(20):
        state = sliding_start(rolling, (*random.normal(size=2), 0.0), random.normal(scale=5.0, size=3))
        run = zm.simulate(rolling, state, until=1e-3)
        oracle = run.system.pieces.state(state, run.segments[0].piece.modes)
        F = [oracle.parameters[f] for f in rolling.unilateral.forces]
        N, T = F[0], np.array(F[1:])
        w = np.array([state[v] for v in rolling.unilateral.slip])
        assert pytest.approx(-0.35 * N * w / np.linalg.norm(w), abs=1e-12) == T
        a = run.segments[0].steps[rolling.accelerations][0]
        assert np.abs(a - oracle.motion.acceleration).max() <= 1e-11 * np.abs(a).max()


def test_slipping_needs_a_coefficient():
    rolling = zm.Rolling(zm.bodies.ball(0.1, 1.0), on=zm.surfaces.plane())
    with pytest.raises(zm.errors.ModelError, match="friction"):
        _ = rolling.slipping


def test_a_run_is_continued_from_every_segment():
    """From states while it slips and while it rolls, with the system it began with: the same end."""
    rolling = ball_on_plane(0.3)
    start = sliding_start(rolling, (2.5, 0.0, 0.0))
    run = zm.simulate(rolling, start, until=3.0, rtol=1e-11)
    assert run.modes == ("slipping", "rolling")
    for t in (0.1, 0.9 * run.changes[0], 1.5 * run.changes[0]):
        further = zm.simulate(rolling, run.state(t), until=3.0, rtol=1e-11)
        assert further.modes == run.modes[-len(further.modes) :]
        assert np.abs(further.y[-1] - run.y[-1]).max() <= 1e-8


@pytest.mark.parametrize("no_spin", [False, True])
def test_no_energy_vanishes_where_the_kind_changes(no_spin):
    """A ball in a bowl slips, rolls and slips; what friction takes is all that is lost, to the tolerance of the run.

    No spin is no spin in every kind of motion: the torque about the normal is not what friction limits.
    """
    bowl = zm.Surface(lambda X, Y: 0.3 * (X**2 + Y**2), name="bowl")
    rolling = zm.Rolling(zm.bodies.ball(0.05, 0.3), on=bowl, friction=0.1, no_spin=no_spin)
    run = zm.simulate(rolling, rolling.start(contact=(1.2, 0.0), velocity=(0.0, 0.5)), until=2.0)
    assert run.modes[:3] == ("slipping", "rolling", "slipping")
    assert run.work().change[-1] < -0.01
    assert run.work().imbalance < 1e-8  # ten creeps of 1e-9 √(g r) are taken at each change
    assert np.abs(run[rolling.slip_velocity]).max() > 0.1
    if no_spin:
        assert np.abs(run[rolling.spin]).max() < 1e-12
        assert np.abs(run[rolling.torque_at_contact]).max() > 1e-6


def test_a_run_goes_on_from_a_state_in_which_the_body_has_hardly_turned():
    """Entries of the constraints that are nearly zero there are no units for the rest: no place on the way is singular."""
    bowl = zm.Surface(lambda X, Y: 0.3 * (X**2 + Y**2), name="bowl")
    rolling = zm.Rolling(zm.bodies.ball(0.05, 0.3), on=bowl, friction=0.1)
    run = zm.simulate(rolling, rolling.start(contact=(1.2, 0.0), velocity=(0.0, 0.5)), until=2.0)
    further = zm.simulate(rolling, run.state(2.5e-4), until=2.0)
    assert further.modes == run.modes == ("slipping", "rolling", "slipping")
    assert further.changes == pytest.approx(run.changes, abs=1e-8)


def slipping_over_a_sphere(speed: float, until: float, μ: float, *, R=1.0, r=0.1, m=0.5) -> np.ndarray:
    """Angle, its rate and the ball's turning after some time, by Newton and Euler in the plane of the motion.

    (R + r) θ¨ = g sin θ − F/m,  2/5 m r² ω˙ = F r,  F = μ |m g cos θ − m (R + r) θ˙²| sign(slip)
    """

    def slope(t, y):
        θ, u, ω = y
        F = μ * abs(m * G * np.cos(θ) - m * (R + r) * u**2) * np.sign((R + r) * u - r * ω)
        return [u, (G * np.sin(θ) - F / m) / (R + r), F / (0.4 * m * r)]

    return solve_ivp(slope, (0, until), [0.0, speed / (R + r), 0.0], method="DOP853", rtol=1e-11, atol=1e-13).y[:, -1]


@pytest.mark.parametrize(("speed", "until"), [(5.0, 0.05), (2.0, 0.4)], ids=["pulls from the start", "begins to pull"])
def test_friction_opposes_the_slip_where_the_surface_pulls(speed, until):
    """μ |N| against the slip whatever the sign of N."""
    μ = 0.2
    rolling = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.sphere(1.0), friction=μ, two_sided=True)
    start = rolling.slipping.start(
        [
            (rolling.contact, (0.0, 0.0, 1.0)),
            (rolling.body.quaternion, (1.0, 0.0, 0.0, 0.0)),
            (rolling.center_particle.velocity, (speed, 0.0, 0.0)),
            (rolling.body.angular_velocity, 0.0),
        ],
        guess=[(rolling.center, (0.0, 0.0, 1.1)), (rolling.body.position, (0.0, 0.0, 1.1))],
    )
    run = zm.simulate(rolling, start, until=until, rtol=1e-11)
    assert set(run.modes) == {"slipping"}
    N, friction, slip = (run[e] for e in (rolling.normal_force, rolling.friction_force, rolling.slip_velocity))
    assert N.min() < -0.1
    assert (N[0] > 0) == (speed < 3)
    assert np.einsum("ti,ti->t", friction, slip).max() <= 1e-12  # W, the rounding of N = 0 at the change
    assert np.linalg.norm(friction, axis=1) == pytest.approx(μ * np.abs(N), rel=1e-9, abs=1e-9)
    θ, _, ω = slipping_over_a_sphere(speed, until, μ)
    end = run.state(until)
    assert end[rolling.center] == pytest.approx((1.1 * np.sin(θ), 0, 1.1 * np.cos(θ)), abs=1e-8)
    assert end[rolling.body.angular_velocity] == pytest.approx((0, ω, 0), abs=1e-7)
    assert run.work().imbalance < 1e-9


def test_a_run_that_begins_to_pull_is_kept(tmp_path):
    rolling = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.sphere(1.0), friction=0.3, two_sided=True)
    run = zm.simulate(rolling, rolling.start(contact=(0.3, 0), guess=1.0), until=1.0)
    assert run.modes == ("rolling", "slipping")
    again = zm.load(run.save(tmp_path / "run.nc", certificate=False))
    N = again[rolling.normal_force]
    assert N.min() < 0.0 < N.max()
    assert np.array_equal(N, run[rolling.normal_force])
    assert [event.name for event in again.events] == ["would slip", "contact lost"]
