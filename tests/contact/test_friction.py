"""Static and kinetic coefficients of friction, and friction that depends on the speed of slip."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

import zeromass as zm
from contact.reference_impacts.one_point import stroke
from contact.test_flying import some_stroke
from contact.test_resistance import ball_on_plane, thrown

g, r, m = 9.81, 0.1, 0.5


def stribeck(v):
    return 0.2 + 0.1 * np.exp(-v / 0.2)


def test_it_holds_up_to_one_and_slips_with_the_other():
    """Rolling down needs 2/7 tan α. Where that is the static coefficient it slips, g (sin α − μ cos α) with the kinetic
    one, and does not roll again."""
    static, kinetic, turning = 0.3, 0.2, 0.8
    α = turning * zm.t
    ball = zm.Rolling(
        zm.bodies.ball(r, m),
        on=zm.surfaces.plane(),
        gravity=(g * np.sin(α), 0.0, -g * np.cos(α)),
        friction=zm.Friction(static=static, kinetic=kinetic),
    )
    run = zm.simulate(ball, ball.start(contact=(0.0, 0.0)), until=1.3, rtol=1e-11)
    assert run.modes == ("rolling", "slipping")
    (slips,) = run.changes
    assert slips == pytest.approx(np.arctan(3.5 * static) / turning, abs=1e-11)
    ends, begins = turning * 1.3, turning * slips
    v = 5 / 7 * g / turning * (1 - np.cos(begins))
    v += g / turning * (np.cos(begins) - np.cos(ends) - kinetic * (np.sin(ends) - np.sin(begins)))
    assert run.state(1.3)[ball.center_particle.velocity[0]] == pytest.approx(v, rel=1e-8)
    assert run.at(1.2)[ball.friction_ratio] == pytest.approx(kinetic, rel=1e-9)


def test_one_coefficient_is_both():
    one, two = ball_on_plane(friction=0.2), ball_on_plane(friction=zm.Friction(static=0.2, kinetic=0.2))
    runs = [zm.simulate(ball, thrown(ball, (1.0, 0.0, 0.0)), until=0.5) for ball in (one, two)]
    assert runs[0].changes == runs[1].changes
    assert np.array_equal(runs[0].y[-1], runs[1].y[-1])


def test_friction_of_the_speed_of_slip():
    """ṡ = −7/2 μ(s) g, so that it rolls after ∫ ds/(7/2 μ(s) g)."""
    ball = ball_on_plane(friction=zm.Friction(static=0.4, kinetic=stribeck))
    run = zm.simulate(ball, thrown(ball, (1.0, 0.0, 0.0)), until=0.5, rtol=1e-11)
    assert run.modes == ("slipping", "rolling")
    assert run.changes[0] == pytest.approx(quad(lambda s: 1 / (3.5 * stribeck(s) * g), 0.0, 1.0)[0], abs=1e-8)
    assert run.state(0.5)[ball.center_particle.velocity[0]] == pytest.approx(5 / 7, abs=1e-8)
    assert run.work().imbalance < 1e-8


def test_coefficients_may_change_in_time():
    """A body that lands at t = 1 s with the speed g loses (1 + e) μ g along the floor, with μ and e of that moment; one that
    slips rolls where 7/2 g ∫ μ dt is the speed of slip."""
    given = {"gravity": g, "friction": 0.1 + 0.1 * zm.t, "restitution": 0.5 * zm.t}
    ball, several = (make(zm.bodies.ball(r, m), on=zm.surfaces.plane(), **given) for make in (zm.Rolling, zm.Contacts))
    bead = zm.Sliding(zm.Particle("bead", m), on=zm.surfaces.plane(), **given)
    above, velocity = (0.0, 0.0, g / 2), (20.0, 0.0, 0.0)
    starts = {
        ball: (ball.flying.start(center=(0.0, 0.0, r + g / 2), velocity=velocity), ball.center_particle.velocity),
        several: (several.start(center=(0.0, 0.0, r + g / 2), velocity=velocity), several.centers[0].velocity),
        bead: (
            bead.start([(bead.particle.position, above), (bead.particle.velocity, velocity)]),
            bead.particle.velocity,
        ),
    }
    for system, (start, v) in starts.items():
        run = zm.simulate(system, start, until=1.2)
        assert run.impulses[0].t == pytest.approx(1.0, abs=1e-12)
        assert run.state(1.1)[v] == pytest.approx([20 - 1.5 * 0.2 * g, 0.0, 0.5 * g - 0.1 * g], abs=1e-11)
    run = zm.simulate(ball, thrown(ball, (1.0, 0.0, 0.0)), until=0.5, rtol=1e-11)
    assert run.changes[0] == pytest.approx(np.sqrt(1 + 20 / (3.5 * g)) - 1, abs=1e-8)
    late = ball.flying.start(center=(0.0, 0.0, r + g / 2), t=2.0)
    with pytest.raises(
        zm.errors.ModelError, match=r"restitution of 'ball on plane' is 1.5 at t = 3 s, where it is struck"
    ):
        zm.simulate(ball, late, until=3.2)


def test_strokes_give_no_energy_with_any_friction():
    random = np.random.default_rng(6)
    for _ in range(20):
        D, n, w, μ, e = some_stroke(random)
        for law in (0.6 * μ, lambda v, μ=μ: μ * (0.6 + 0.4 * np.exp(-v))):
            done = stroke(D, n, w, law, e, static=μ)
            assert done.impulse @ (w + done.velocity) / 2 <= 1e-9 * (w @ np.linalg.solve(D, w))
            assert 0.0 <= done.friction <= μ * done.normal * (1 + 1e-8)
            assert n @ done.velocity >= -1e-9 * np.linalg.norm(w)


def test_a_stroke_sticks_with_the_static_coefficient():
    """A rod that is struck at an angle of 30° and does not slip stays without slip if μ_static allows it."""
    ρ, J = np.array([-0.5, 0.0, -np.sqrt(0.75)]), 1 / 3
    across = np.array([[0.0, -ρ[2], ρ[1]], [ρ[2], 0.0, -ρ[0]], [-ρ[1], ρ[0], 0.0]])
    D, n, w = np.eye(3) - across @ across / J, np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.0, -1.0])
    needs = abs(D[0, 2] / D[0, 0])
    holds = stroke(D, n, w, 0.5 * needs, 0.3, static=1.01 * needs)
    assert holds.velocity == pytest.approx([0.0, 0.0, 0.3], abs=1e-12)
    assert holds.friction == pytest.approx(needs * holds.normal, rel=1e-12)
    slips = stroke(D, n, w, 0.5 * needs, 0.3, static=0.99 * needs)
    assert slips.friction == pytest.approx(0.5 * needs * slips.normal, rel=1e-9)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"static": 0.2, "kinetic": 0.3}, "kinetic friction, 0.3, is more than the static one, 0.2"),
        ({"static": 0.2, "kinetic": lambda v: 0.1 + 0.2 * np.exp(-v)}, "more than the static"),
        ({"static": -0.2, "kinetic": 0.3}, "friction is -0.2"),
        ({"static": 0.2, "kinetic": 0.0}, "kinetic friction is 0"),
    ],
)
def test_what_can_not_be_is_refused(given, said):
    with pytest.raises(zm.errors.ModelError, match=said):
        zm.Friction(**given)


def test_a_ball_that_is_thrown_down_slips_with_what_is_left(tmp_path):
    """Its stroke has the friction of its speed, and so has what follows; kept and read again."""
    ball = ball_on_plane(friction=zm.Friction(static=0.4, kinetic=stribeck), restitution=0.0)
    run = zm.simulate(ball, ball.flying.start(center=(0, 0, r + 0.01), velocity=(1.0, 0, 0)), until=0.5)
    assert run.modes == ("flying", "slipping", "rolling")
    p, (impulse,) = m * np.sqrt(2 * g * 0.01), run.impulses
    assert stribeck(1.0) * p < impulse.impulses[1] < stribeck(0.0) * p
    assert run.state(0.5)[ball.center_particle.velocity[0]] == pytest.approx(5 / 7, abs=1e-7)
    run.save(tmp_path / "thrown.nc")
    loaded = zm.load(tmp_path / "thrown.nc")
    state = loaded.state(0.06)
    again = zm.simulate(state.system, state, until=0.5)
    assert again.changes[-1] == pytest.approx(run.changes[-1], abs=1e-8)


TOUCHES = {
    "sine": np.sin(zm.t),
    "from below": 1 - np.exp(-zm.t),
    "stays": np.minimum(zm.t, 1.0),
    "quartic": 1 - (zm.t / 5 - 1) ** 4,
}


@pytest.mark.parametrize("pull", TOUCHES.values(), ids=TOUCHES)
def test_a_pull_of_exactly_what_friction_gives_is_held(pull):
    """A bead on a floor, and a ball that rolling resistance holds: the friction that is asked for touches what there is."""
    μ, l = 0.3, 0.01
    bead = zm.Sliding(
        zm.Particle("bead", m), on=zm.surfaces.plane(), gravity=(μ * g * pull, 0.0, -g), friction=μ, restitution=0.0
    )
    ball = zm.Rolling(
        zm.bodies.ball(r, m),
        on=zm.surfaces.plane(),
        gravity=(l / r * g * pull, 0.0, -g),
        friction=μ,
        rolling_resistance=l,
    )
    for system in (bead, ball):
        run = zm.simulate(system, system.start(contact=(0.0, 0.0)), until=10.0)
        assert run.outcome.complete
        assert run.modes == ("resting",)
        assert len(run.t) < 100
        assert np.abs(run.y[:, 0]).max() <= 1e-14  # rounding of accelerations


@pytest.mark.parametrize("make", [zm.Rolling, zm.Contacts])
@pytest.mark.parametrize("pull", [TOUCHES["sine"], TOUCHES["quartic"]], ids=["sine", "quartic"])
def test_a_ball_that_needs_exactly_the_friction_that_there_is_rolls(pull, make):
    """Rolling takes 2/7 of the pull; the acceleration is 5/7 of it."""
    μ = 0.3
    ball = make(zm.bodies.ball(r, m), on=zm.surfaces.plane(), gravity=(3.5 * μ * g * pull, 0.0, -g), friction=μ)
    start = ball.start(contact=(0.0, 0.0)) if make is zm.Rolling else ball.start(center=(0.0, 0.0, r))
    run = zm.simulate(ball, start, until=10.0, rtol=1e-12, atol=1e-14)
    assert run.outcome.complete
    assert len(run.modes) == 1
    speeds = {TOUCHES["sine"]: 1 - np.cos(10.0), TOUCHES["quartic"]: 10.0 - 2.0}
    x = ball.center_particle.position[0] if make is zm.Rolling else ball.centers[0].position[0]
    assert run.state(10.0)[zm.rate(x)] == pytest.approx(2.5 * μ * g * speeds[pull], rel=1e-9)


@pytest.mark.parametrize("over", [1e-3, 1e-5, 1e-11])
def test_a_slip_that_begins_anew_near_the_origin(over):
    """To and fro: the third time it begins at x of 1e-17 m, which tells nothing of how long a first step may be."""
    gravity = (0.3 * g * (1 + over) * np.sin(zm.t), 0.0, -g)
    bead = zm.Sliding(zm.Particle("bead", m), on=zm.surfaces.plane(), gravity=gravity, friction=0.3)
    run = zm.simulate(bead, bead.start(contact=(0.0, 0.0)), until=10.0)
    assert run.outcome.complete
    assert run.modes == ("resting", *("sliding", "resting") * 3)
    begins = np.arcsin(1 / (1 + over)) + np.pi * np.arange(3)
    assert run.changes[::2] == pytest.approx(begins, abs=1e-12 / np.sqrt(over))
