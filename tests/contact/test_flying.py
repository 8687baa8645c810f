"""Contact that comes and goes: flight, strokes and bounces against exact solutions and independent integrations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import zeromass as zm
from cases import few
from contact.reference_impacts.one_point import stroke

g, r, m = 10.0, 0.1, 0.5
K = 0.4  # J/(m r²) of a ball


def thrown(e: float, μ: float | None, on: zm.Surface | None = None) -> zm.Rolling:
    surface = zm.surfaces.plane() if on is None else on
    return zm.Rolling(zm.bodies.ball(r, m), on=surface, gravity=g, friction=μ, restitution=e)


# bounces -----------------------------------------------------------------------------------------------------------
def test_a_ball_bounces_at_its_times_and_comes_to_rest():
    """Dropped from 5 m: it lands after 1 s, and each flight is e times as long; all of them take 2 e/(1 − e) s more."""
    e = 0.5
    ball = thrown(e, 0.3)
    run = zm.simulate(ball, ball.flying.start(center=(0.0, 0.0, 5.0 + r)), until=4.0, rtol=1e-12)
    expected = 1.0 + np.concatenate([[0.0], np.cumsum(2 * e ** np.arange(1, 10))])
    late = 1e-12  # of impacts; their speeds are off by g late
    assert np.abs(np.array(run.changes[:10]) - expected).max() <= late
    (end,) = [event.t for event in run.events if event.name == "bounces end"]
    left_out = 2 * np.sqrt(2 * 1e-11 * (5.0 + r) / g) / (1 - e)  # by bounces that are lower than 1e-11 of its place
    assert 0.0 < 1.0 + 2 * e / (1 - e) - end <= left_out
    assert run.outcome.ending == "finished"
    assert run.modes[-1] == "rolling"
    speeds = np.array([impulse.change[2] for impulse in run.impulses[:8]])
    fall = 10.0 * e ** np.arange(8)
    assert speeds == pytest.approx((1 + e) * fall, rel=0, abs=(1 + e) * g * late)
    energies = np.array([impulse.energy for impulse in run.impulses[:8]])
    assert np.all(np.abs(energies + (1 - e**2) * m * fall**2 / 2) <= (1 - e**2) * m * fall * g * late)
    assert run.certificate().digits > 9


def test_a_ball_that_loses_nothing_bounces_on():
    ball = thrown(1.0, None)
    run = zm.simulate(ball, ball.flying.start(center=(0.0, 0.0, 0.2 + r)), until=2.0, rtol=1e-12)
    flight = 2 * np.sqrt(2 * 0.2 / g)
    assert np.array(run.changes) == pytest.approx(flight * (np.arange(len(run.changes)) + 0.5), abs=1e-11)
    assert run[ball.energy].max() - run[ball.energy].min() <= 1e-11


@pytest.mark.parametrize("μ", [0.05, 0.4, None])
@pytest.mark.parametrize("e", [0.0, 0.7])
def test_a_spinning_ball_rebounds(μ, e):
    """p_t = −μ (1 + e) m v_n s, or what stops the slip u, −m u K/(1 + K), if that is less."""
    v, ω = np.array([1.0, -0.5, -2.0]), np.array([3.0, 8.0, -4.0])
    ball = thrown(e, μ)
    fall = 0.1
    state = ball.flying.start(
        center=(*-fall * v[:2], r + fall * (-v[2]) - g * fall**2 / 2),
        velocity=(*v[:2], v[2] + g * fall),
        angular_velocity=ω,
    )
    run = zm.simulate(ball, state, until=0.15, rtol=1e-12)
    assert run.impulses[0].t == pytest.approx(fall, abs=1e-12)
    after = run.state(run.changes[0]).after_event
    u = v[:2] + r * np.array([-ω[1], ω[0]])
    sticks = m * u * K / (1 + K)
    p = sticks if μ is None else sticks * min(1.0, μ * (1 + e) * m * 2.0 / np.linalg.norm(sticks))
    assert after[ball.center_particle.velocity] == pytest.approx([*(v[:2] - p / m), 2.0 * e], abs=1e-12)
    turned = ω + np.array([-p[1], p[0], 0.0]) * r / (K * m * r**2)
    assert after[ball.body.angular_velocity] == pytest.approx(turned, abs=1e-11)


def test_after_landing_it_slips_and_then_rolls():
    """Thrown flat without turning, e = 0: the stroke takes μ m v_n, then friction μ m g, until v = 5/7 of what was left."""
    μ, v, fall = 0.1, 3.0, 0.2
    ball = thrown(0.0, μ)
    run = zm.simulate(ball, ball.flying.start(center=(0.0, 0.0, fall + r), velocity=(v, 0.0, 0.0)), until=3.0)
    assert run.modes == ("flying", "slipping", "rolling")
    lands = np.sqrt(2 * fall / g)
    after, spin = v - μ * g * lands, 5 / 2 * μ * g * lands / r  # speed and turning after the stroke
    slip = after - r * spin
    rolls = lands + slip / (7 / 2 * μ * g)
    assert np.array(run.changes) == pytest.approx([lands, rolls], abs=1e-7)  # the creep is not zero
    assert run.state(3.0)[ball.center_particle.velocity[0]] == pytest.approx(5 / 7 * v, rel=1e-8)


def test_a_ball_leaves_a_hill_and_comes_down_again():
    """Over the edge of a hump it flies along a parabola."""
    hill = zm.Surface(lambda X, Y: 0.3 * np.exp(-((X / 0.4) ** 2)), name="hill")
    ball = zm.Rolling(zm.bodies.ball(0.02, 0.1), on=hill, gravity=9.81, restitution=0.3)
    run = zm.simulate(ball, ball.start(contact=(0.0, 0.0), velocity=(2.0, 0.0)), until=1.0, rtol=1e-11)
    assert run.modes[:2] == ("flying", "flying")  # too fast for the hump: it leaves at once, and lands
    flight = run.segments[0]
    t = np.linspace(flight.t[0], flight.t[-1], 50)
    at = flight.at(t)
    z = at[ball.center[2]]
    τ = t - t[0]
    rate = at[ball.center_particle.velocity[2]][0]
    assert z == pytest.approx(z[0] + rate * τ - 9.81 * τ**2 / 2, abs=1e-10)
    assert at[ball.gap].min() >= -1e-12
    energy = run[ball.energy]
    assert np.diff(energy).max() <= 1e-9 * energy[0]


def test_an_egg_that_is_dropped_ends_in_contact():
    egg = zm.Rolling(
        zm.bodies.ellipsoid((0.03, 0.03, 0.04), 0.06),
        on=zm.surfaces.plane(0.05),
        gravity=9.81,
        friction=0.5,
        restitution=0.3,
    )
    start = egg.flying.start(center=(0.0, 0.0, 0.2), orientation=(0.5, 0.2, 0.0), velocity=(0.3, 0.1, 0.0))
    run = zm.simulate(egg, start, until=1.0)
    assert run.outcome.ending == "finished"
    assert run.modes[0] == "flying"
    at = run.at(np.linspace(0.0, 1.0, 400))
    assert at[egg.gap].min() >= -1e-9
    assert all(impulse.energy <= 0.0 for impulse in run.impulses)


def test_on_a_plate_that_is_shaken():
    """A ball that loses nothing of its relative speed, on a plate z = a sin ωt: each flight by hand."""
    a, ω, e = 0.01, 30.0, 0.8
    plate = zm.Surface(lambda X, Y: 0.0 * X, shift=(0.0, 0.0, a * np.sin(ω * zm.t)))
    ball = thrown(e, 0.2, plate)
    run = zm.simulate(ball, ball.flying.start(center=(0.0, 0.0, 0.1 + r)), until=1.0, rtol=1e-12)
    t, z, v, times = 0.0, 0.1, 0.0, []
    while len(times) < 4:
        after = np.linspace(1e-4, 1.0, 20_001)
        height = z + v * after - g * after**2 / 2 - a * np.sin(ω * (t + after))
        k = int(np.argmax(height < 0.0))
        low, high = after[k - 1], after[k]
        for _ in range(60):
            middle = (low + high) / 2
            above = z + v * middle - g * middle**2 / 2 - a * np.sin(ω * (t + middle)) > 0.0
            low, high = (middle, high) if above else (low, middle)
        t, z, v = t + low, z + v * low - g * low**2 / 2, v - g * low
        w = v - a * ω * np.cos(ω * t)
        v = v - (1 + e) * w
        times.append(t)
    assert np.array(run.changes[:4]) == pytest.approx(times, abs=1e-11)


@pytest.mark.slow
def test_kept_loaded_and_continued(tmp_path):
    ball = thrown(0.5, 0.3, zm.surfaces.paraboloid(0.2))
    run = zm.simulate(ball, ball.flying.start(center=(0.3, 0.0, 1.0), velocity=(0.5, 0.2, 0.0)), until=1.5)
    run.save(tmp_path / "ball.nc")
    loaded = zm.load(tmp_path / "ball.nc")
    assert loaded.modes == run.modes
    assert [impulse.energy for impulse in loaded.impulses] == [impulse.energy for impulse in run.impulses]
    assert loaded.required_friction() == run.required_friction()
    assert run.required_friction().time > run.changes[-1]
    again = zm.simulate(ball, run.state(0.6), until=1.5)
    assert again.state(1.5)[ball.center] == pytest.approx(run.state(1.5)[ball.center], abs=1e-6)


def test_a_stroke_is_not_undone():
    """Back in time a run ends where it would have to leave an impact behind, by name."""
    ball = thrown(0.5, 0.3)
    run = zm.simulate(ball, ball.flying.start(center=(0.0, 0.0, 1.0 + r)), until=0.6)
    back = zm.simulate(ball, run.state(0.6), until=0.0)
    assert back.outcome.ending == "ambiguous"
    assert "many motions lead to what an impact leaves" in back.outcome.message
    assert back.t[-1] == pytest.approx(run.changes[0], abs=1e-9)


# strokes -----------------------------------------------------------------------------------------------------------
def some_stroke(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray, float, float]:
    """D of a random body struck anywhere, a normal, a velocity towards the surface, and coefficients."""
    A = random.normal(size=(3, 3))
    J, ρ, mass = A @ A.T + 0.05 * np.eye(3), random.normal(size=3), random.uniform(0.2, 3.0)
    R = np.array([[0, -ρ[2], ρ[1]], [ρ[2], 0, -ρ[0]], [-ρ[1], ρ[0], 0]])
    n, w = random.normal(size=3), random.normal(size=3)
    n = n / np.linalg.norm(n)
    w = w - (n @ w + random.uniform(0.01, 2.0)) * n
    return np.eye(3) / mass - R @ np.linalg.inv(J) @ R, n, w, random.uniform(0.0, 1.5), random.uniform(0.0, 1.0)


def lawful(random: np.random.Generator) -> None:
    D, n, w, μ, e = some_stroke(random)
    done = stroke(D, n, w, μ, e)
    assert np.allclose(done.velocity, w + D @ done.impulse, atol=1e-9)
    gained = done.impulse @ (w + done.velocity) / 2
    assert gained <= 1e-9 * (w @ np.linalg.solve(D, w))
    assert done.normal >= 0.0
    assert done.friction <= μ * done.normal * (1 + 1e-8)
    assert n @ done.velocity >= -1e-9 * np.linalg.norm(w)


@pytest.mark.slow
def test_strokes_give_no_energy():
    random = np.random.default_rng(4)
    for _ in range(300):
        lawful(random)


@pytest.mark.slow
def test_ten_thousand_strokes_give_no_energy():
    random = np.random.default_rng(5)
    for _ in range(10_000):
        lawful(random)


@pytest.mark.parametrize("seed", few(range(12)))
def test_strokes_are_those_of_a_short_force(seed):
    """A stiff layer that pushes with a force of any course gives Routh's velocities: integrated in the normal impulse, with
    friction that is smooth near rest."""
    D, n, w, μ, e = some_stroke(np.random.default_rng(seed))
    tiny = 1e-7 * np.linalg.norm(w)

    def slope(_, w):
        along = w - (n @ w) * n
        return D @ (n - μ * along / np.sqrt(along @ along + tiny**2))

    def stopped(_, w):
        return n @ w

    stopped.terminal = True
    settings = {"method": "Radau", "rtol": 1e-10, "atol": 1e-12}
    first = solve_ivp(slope, (0.0, 1e3), w, events=stopped, **settings)
    p = first.t[-1]
    second = solve_ivp(slope, (p, (1 + e) * p), first.y[:, -1], **settings) if e else first
    assert stroke(D, n, w, μ, e).velocity == pytest.approx(second.y[:, -1], abs=1e-5 * np.linalg.norm(w))


# bad input ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("words", "make"),
    [
        ("between 0 and 1", lambda: thrown(1.2, 0.3)),
        ("between 0 and 1", lambda: thrown(-0.1, 0.3)),
        ("restitution=e", lambda: zm.Rolling(zm.bodies.ball(r, m), on=zm.surfaces.plane()).flying),
        (
            "two_sided",
            lambda: zm.Rolling(zm.bodies.ball(r, m), on=zm.surfaces.plane(), restitution=0.5, two_sided=True),
        ),
        ("not by both", lambda: thrown(0.5, 0.3).flying.start({zm.t: 0.0}, center=(0.0, 0.0, 1.0))),
    ],
)
def test_mistake(words, make):
    with pytest.raises(zm.errors.ZeromassError, match=words):
        make()


# where it touches -------------------------------------------------------------------------------------------------
def low_plate() -> zm.Surface:
    """A plate on which the centre of the ball has no height at all: no rounding of its place tells how large its gap is."""
    return zm.Surface(lambda X, Y: 0.0 * X, shift=(0.0, 0.0, -r), name="plate")


def test_a_ball_whose_centre_is_at_height_zero_leaves():
    ball = thrown(0.5, 0.3, low_plate())
    touching = ball.flying.start(center=(0.0, 0.0, 0.0), velocity=(0.0, 0.0, 1.0))
    assert touching[ball.gap] == 0.0
    run = zm.simulate(ball, touching, until=0.3, rtol=1e-12)
    assert run.changes == pytest.approx([0.2], abs=1e-12)
    assert run.at(0.1)[ball.gap] == pytest.approx(0.05, abs=1e-12)


@pytest.mark.parametrize("rising", [0.0, 1e-300])
def test_a_graze_is_no_stroke(rising):
    """A ball that touches without coming nearer slips on."""
    ball = thrown(0.5, 0.3, low_plate())
    grazing = ball.flying.start(center=(0.0, 0.0, -1e-17), velocity=(1.0, 0.0, rising))
    run = zm.simulate(ball, grazing, until=0.05)
    assert (run.modes, run.impulses) == (("slipping",), ())


def test_a_thrown_body_is_turned_as_a_rolling_one_is():
    """Quaternions of another length are refused, those that are nearly of length 1 are made so."""
    radius = zm.parameter("radius", r)
    ball = zm.Rolling(zm.bodies.ball(radius, m), on=zm.surfaces.plane(), gravity=g, friction=0.3, restitution=0.5)
    with pytest.raises(zm.errors.StartError, match="length 2"):
        ball.flying.start(center=(0.0, 0.0, 1.0), orientation=(2.0, 0.0, 0.0, 0.0))
    with pytest.raises(zm.errors.StartError, match="3 or 4"):
        ball.flying.start(center=(0.0, 0.0, 1.0), orientation=(1.0, 0.0))
    start = ball.flying.start(center=(0.0, 0.0, 1.0), orientation=(0.0, 0.0, np.pi / 2), parameters={radius: 0.3})
    assert start[ball.body.quaternion] == pytest.approx([np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)], abs=1e-15)
    assert start[ball.gap] == pytest.approx(0.7, abs=1e-15)


# where flights begin ------------------------------------------------------------------------------------------------
def on_slope(**given):
    ball = zm.Rolling(zm.bodies.ball(0.1, 0.5), on=zm.surfaces.plane(0.2), gravity=9.81, restitution=0.5, **given)
    return ball, 0.1 * np.array([np.sin(0.2), 0.0, np.cos(0.2)]), np.array([np.cos(0.2), 0.0, -np.sin(0.2)])


def test_a_body_that_is_thrown_from_inside_its_surface_is_refused():
    ball, place, _ = on_slope(friction=0.3)
    with pytest.raises(zm.errors.StartError, match=r"'ball' begins 0\.05 m inside 'plane'"):
        zm.simulate(ball, ball.flying.start(center=place / 2), until=0.5)


def test_a_flight_that_begins_with_an_impact():
    ball, place, _ = on_slope(friction=0.3)
    run = zm.simulate(ball, ball.flying.start(center=place, velocity=(0.0, 0.0, -1.0)), until=0.05)
    (stroke,) = run.impulses
    assert stroke.t == 0.0
    assert stroke.impulses[0] == pytest.approx(1.5 * 0.5 * np.cos(0.2), rel=1e-9)


def test_a_body_that_is_let_go_on_its_surface_does_not_fall_through():
    ball, place, along = on_slope(friction=0.3)
    let_go = zm.simulate(ball, ball.flying.start(center=place), until=0.5)
    assert let_go.modes == ("rolling",)
    exact = place + along * 5 / 7 * 9.81 * np.sin(0.2) * 0.5**2 / 2
    assert let_go.state(0.5)[ball.center] == pytest.approx(exact, abs=1e-9)
    pushed = zm.simulate(ball, ball.flying.start(center=place, velocity=along), until=0.05)
    assert pushed.modes == ("slipping",)
    exact = place + along * (0.05 + 9.81 * (np.sin(0.2) - 0.3 * np.cos(0.2)) * 0.05**2 / 2)
    assert pushed.state(0.05)[ball.center] == pytest.approx(exact, abs=1e-9)
    sticky, place, along = on_slope()
    with pytest.raises(zm.errors.StartError, match="with a slip of 1 m/s, and has always friction enough"):
        zm.simulate(sticky, sticky.flying.start(center=place, velocity=along), until=0.5)


def test_a_cone_spins_upright_on_its_tip():
    """It does not lie on a face: only its base does."""
    cone = zm.Rolling(zm.bodies.cone(0.05, 0.1, 0.3), on=zm.surfaces.plane())
    upright = [(cone.contact[:2], 0.0), (cone.body.quaternion, (0.0, 1.0, 0.0, 0.0))]
    run = zm.simulate(cone, cone.start([*upright, (cone.body.angular_velocity, (0.0, 0.0, 300.0))]), until=0.1)
    assert run.outcome.complete
    assert run.t[-1] == 0.1
    assert run.state(0.1)[cone.body.rotation[:, 2]] == pytest.approx([0.0, 0.0, -1.0], abs=1e-12)
