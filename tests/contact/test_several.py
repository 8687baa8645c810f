"""Several contacts: rails, corners and walls against closed forms and equations by hand; strokes never give energy."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from contact.reference_impacts.complementarity import Meeting, decided
from contact.reference_impacts.one_point import stroke
from contact.reference_impacts.strokes import strokes
from contact.reference_impacts.together import together
from contact.rooms import depth, room, thrown
from contact.two_rails import Rails

g, r, m = 10.0, 0.1, 0.5
FLOOR, WALL, SIDE = zm.surfaces.plane(), zm.Surface(lambda X, Y, Z: 1.0 - X), zm.Surface(lambda X, Y, Z: 1.0 - Y)


@pytest.fixture(scope="module")
def walled() -> tuple[zm.Contacts, dict[str, zm.expression.Expression]]:
    """A ball on a floor before a wall, with friction of each and restitution as parameters."""
    p = {name: zm.parameter(name, 0.3) for name in ("on floor", "on wall", "e")}
    friction = {"floor": p["on floor"], "wall": p["on wall"]}
    ball = zm.Contacts(
        zm.bodies.ball(r, m),
        on={"floor": FLOOR, "wall": WALL},
        gravity=g,
        friction=friction,
        restitution=p["e"],
        creep=1e-12,
    )
    return ball, p


# rails -------------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def rails() -> tuple[zm.Contacts, zm.expression.Expression, dict[str, float]]:
    numbers = {"m": 1.0, "J": 0.0035, "r": 0.1, "ρ": 0.05, "β": 0.6, "μ": 0.35, "g": 9.81}
    body = zm.bodies.SphericalBody(0.1, 1.0, (0.004, 0.0035, 0.003), (0, 0, -0.05), name="ball")
    slope, e = float(np.tan(0.6)), zm.parameter("e", 0.0)
    on = {"left": zm.Surface(lambda X, Y: -slope * Y), "right": zm.Surface(lambda X, Y: slope * Y)}
    ball = zm.Contacts(body, on=on, gravity=9.81, friction=0.35, restitution=e, creep=1e-12)
    return ball, e, numbers


@pytest.mark.parametrize(("e", "changes"), [(0.0, 5), (0.4, 8)])
def test_an_inhomogeneous_ball_on_two_rails_slips_leaves_and_lands(rails, e, changes):
    """It begins to slip, leaves both rails, lands on both, and slips or bounces on: times by planar equations by hand."""
    ball, restitution, numbers = rails
    by_hand = Rails(e=e, **numbers)
    expected = by_hand.motion(np.array([0, 0, 0.3, 2.6, 0, 2.6 / by_hand.R]), "rolling", 0.4, changes)
    center = (0.0, 0.0, 0.1 / np.cos(0.6))
    start = ball.start(center=center, velocity=(2.6, 0, 0), orientation=(0, 0.3, 0), parameters={restitution: e})
    run = zm.simulate(ball, start, until=expected[-1][0] + 1e-3, rtol=1e-12, atol=1e-14)
    assert np.array(run.changes[:changes]) == pytest.approx([t for t, _, _ in expected], abs=1e-9)
    words = {"flying": "open", "slipping": "slipping", "rolling": "rolling"}
    kinds = [f"left {words[kind]}, right {words[kind]}" for _, kind, _ in expected]
    assert list(run.modes[1 : changes + 1]) == kinds
    assert all(impulse.energy < 0.0 for impulse in run.impulses)
    times = np.linspace(0.0, run.t[-1], 500)
    assert min(run.at(times)[pair.gap].min() for pair in ball.pairs) >= -1e-12


def test_a_ball_rolls_down_a_groove():
    """ẍ = g sin γ/(1 + K/cos²β) in a groove that falls by γ, and each side carries m g cos γ/(2 cos β)."""
    β, γ = 0.7, 0.2
    slope = float(np.tan(β))
    on = {"left": zm.Surface(lambda X, Y: -slope * Y), "right": zm.Surface(lambda X, Y: slope * Y)}
    field = (g * np.sin(γ), 0.0, -g * np.cos(γ))
    ball = zm.Contacts(zm.bodies.ball(r, m), on=on, gravity=field, friction=0.5)
    run = zm.simulate(ball, ball.start(center=(0, 0, r / np.cos(β)), velocity=(0, 0, 0)), until=0.5)
    assert run.modes == ("left rolling, right rolling",)
    a = g * np.sin(γ) / (1 + 0.4 / np.cos(β) ** 2)
    assert run.state(0.5)[ball.center[0]] == pytest.approx(a / 8, rel=1e-10)
    for name in ("left", "right"):
        assert run[ball[name].normal_force] == pytest.approx(m * g * np.cos(γ) / (2 * np.cos(β)), rel=1e-10)
        along = m * (g * np.sin(γ) - a) / 2
        assert run[ball[name].friction_magnitude] == pytest.approx(along, rel=1e-9)
    needed = along / (m * g * np.cos(γ) / (2 * np.cos(β)))
    assert run.required_friction().value == pytest.approx(needed, rel=1e-9)


# corners -------------------------------------------------------------------------------------------------------------
def test_a_ball_lies_in_a_corner_and_rolls_along_its_edge():
    """Pressed into a corner it stays, and each wall carries its part; along the edge it rolls about the 45° axis."""
    ball = zm.Contacts(
        zm.bodies.ball(r, m), on={"floor": FLOOR, "wall": WALL, "side": SIDE}, gravity=(1.0, 2.0, -g), friction=0.6
    )
    rest = zm.simulate(ball, ball.start(center=(0.9, 0.9, 0.1)), until=1.0)
    assert rest.modes == ("floor rolling, wall rolling, side rolling",)
    assert np.abs(rest[ball.center] - [0.9, 0.9, 0.1]).max() <= 1e-13
    for name, force in (("floor", (0, 0, m * g)), ("wall", (-m, 0, 0)), ("side", (0, -2 * m, 0))):
        assert rest[ball[name].force] == pytest.approx(np.tile(force, (len(rest), 1)), abs=1e-12)
    start = ball.start(center=(0.9, 0.0, 0.1), velocity=(0, -0.5, 0))
    assert start[ball.body.angular_velocity] == pytest.approx([5.0, 0.0, 5.0], abs=1e-12)
    along = zm.simulate(ball, start, until=0.3)
    assert along.modes == ("floor rolling, wall rolling, side open",)
    a = 2.0 / (1 + 0.4 * 2)  # the axis is r/√2 from the centre
    assert along.state(0.3)[ball.center[1]] == pytest.approx(-0.15 + a * 0.045, rel=1e-10)


# walls -----------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("e", [0.0, 0.6])
def test_a_ball_that_rolls_into_a_smooth_wall(walled, e):
    """Its speed turns round, e v, its spin does not: it slips until it rolls on with (2 − 5 e)/7 of the speed it had."""
    ball, p = walled
    v, μ = 1.8, 0.2
    values = {p["on floor"]: μ, p["on wall"]: 0.0, p["e"]: e}
    start = ball.start(center=(0, 0, r), velocity=(v, 0, 0), parameters=values)
    run = zm.simulate(ball, start, until=0.95, rtol=1e-12)
    assert run.changes[0] == pytest.approx(0.9 / v, abs=1e-11)
    after = run.segments[1].state(run.changes[0])
    assert after[ball.body.velocity] == pytest.approx([-e * v, 0, 0], abs=1e-11)
    assert after[ball.body.angular_velocity[1]] == pytest.approx(v / r, rel=1e-11)
    assert run.impulses[0].energy == pytest.approx(-m * v**2 * (1 - e**2) / 2, rel=1e-10)
    if e > 0.0:
        stops = run.changes[0] + (1 + e) * v / (3.5 * μ * g)
        assert run.changes[1] == pytest.approx(stops, abs=1e-9)
        assert run.state(0.95)[ball.body.velocity[0]] == pytest.approx((2 - 5 * e) / 7 * v, rel=1e-9)
        assert run.modes[-1] == "floor rolling, wall open"
    else:
        assert run.modes[1] == "floor slipping, wall slipping"  # the floor drives it against the wall, turning
        assert run.at(0.6)[ball["wall"].normal_force] == pytest.approx(μ * m * g, rel=1e-9)
        assert run.changes[1] == pytest.approx(run.changes[0] + v / (2.5 * μ * g), abs=1e-9)


def test_a_ball_that_rolls_into_a_rough_wall_hops(walled):
    """Friction μ (1 + e) m v lifts it: the wall's point moves down with v."""
    ball, p = walled
    v, μ, e = 1.8, 0.15, 0.5
    values = {p["on floor"]: 0.3, p["on wall"]: μ, p["e"]: e}
    start = ball.start(center=(0, 0, r), velocity=(v, 0, 0), parameters=values)
    run = zm.simulate(ball, start, until=0.6, rtol=1e-12)
    assert run.modes[:2] == ("floor rolling, wall open", "floor open, wall open")
    after = run.segments[1].state(run.changes[0])
    assert after[ball.body.velocity] == pytest.approx([-e * v, 0, μ * (1 + e) * v], abs=1e-11)
    assert after[ball.body.angular_velocity[1]] == pytest.approx(v / r - 2.5 * μ * (1 + e) * v / r, rel=1e-11)
    hop = 2 * μ * (1 + e) * v / g
    assert run.changes[1] == pytest.approx(0.5 + hop, abs=1e-11)


def test_what_one_contact_took_for_a_doubt_is_a_second_contact():
    """A ball of 0.4 m rolls 0.6 m to the wall, and not into it."""
    ball = zm.Contacts(zm.bodies.ball(0.4, 1.0), on={"floor": FLOOR, "wall": WALL}, friction=0.3)
    run = zm.simulate(ball, ball.start(center=(0, 0, 0.4), velocity=(0.9, 0, 0)), until=1.0)
    assert run.remarks == ()
    assert run.changes[0] == pytest.approx(0.6 / 0.9, abs=1e-9)
    assert run.at(np.linspace(0, 1, 300))[ball["wall"].gap].min() >= -1e-12


def test_a_disc_rolls_into_a_wall():
    disc = zm.Contacts(
        zm.bodies.disc(0.2, 1.0), on={"floor": FLOOR, "wall": WALL}, gravity=g, friction=0.0, restitution=0.5
    )
    start = disc.start(
        center=(0, 0, 0.2), velocity=(1.6, 0, 0), orientation=(np.pi / 2, 0, 0), angular_velocity=(0, 3, 0)
    )
    run = zm.simulate(disc, start, until=0.8)
    assert run.changes[0] == pytest.approx(0.5, abs=1e-9)
    assert run.state(0.8)[disc.body.velocity] == pytest.approx([-0.8, 0, 0], abs=1e-9)


def test_two_balls_each_on_its_way(tmp_path):
    """One rolls into the wall, one is dropped: each as if it were alone; kept in a file, and continued."""
    balls = [zm.bodies.ball(r, m, name="red"), zm.bodies.ball(0.05, 0.2, name="white")]
    both = zm.Contacts(balls, on={"floor": FLOOR, "wall": WALL}, gravity=g, friction=0.0, restitution=0.5)
    start = both.start(
        center={"red": (0.18, 0, r), "white": (0, 0.5, 0.05 + 0.162)},
        velocity={"red": (1.8, 0, 0)},
        angular_velocity=(0, 0, 0),
    )
    run = zm.simulate(both, start, until=0.42, rtol=1e-12)
    lands = {
        name: [event.t for event in run.events if event.name == f"{name}: lands"]
        for name in ("white on floor", "red on wall")
    }
    assert lands["red on wall"] == pytest.approx([0.4], abs=1e-11)
    assert lands["white on floor"] == pytest.approx([0.18, 0.36], abs=1e-10)
    assert run.impulses[0].constraints == ("white on floor normal", "white on floor friction")
    loaded = zm.load(run.save(tmp_path / "both.nc"))
    assert loaded.modes == run.modes
    assert np.array_equal(loaded.y, run.y)
    onwards = zm.simulate(loaded.system, loaded.state(0.3), until=0.42, rtol=1e-12)
    assert onwards.state(0.42)[loaded.system.bodies[0].position] == pytest.approx(
        run.state(0.42)[both.bodies[0].position], abs=1e-9
    )


def test_bounces_end_in_contact():
    """Dropped from 0.2 m: flights e times as long each, over at 0.2 (1 + e)/(1 − e) s; those of 1e-11 are left out."""
    ball = zm.Contacts(
        zm.bodies.ball(r, m), on={"floor": FLOOR, "wall": WALL}, gravity=g, friction=0.3, restitution=0.5
    )
    run = zm.simulate(ball, ball.start(center=(0, 0, r + 0.2)), until=0.7, rtol=1e-12)
    (end,) = [event.t for event in run.events if event.name == "floor: bounces end"]
    left_out = 2 * np.sqrt(2 * 1e-11 * 1.0 / g) / (1 - 0.5)  # flights of speed v last 2 v/(g (1 − e)) in all
    assert -1e-9 <= 0.6 - end <= left_out
    assert run.modes[-1] == "floor rolling, wall open"


# what can not be -------------------------------------------------------------------------------------------------------
def test_bad_input():
    with pytest.raises(zm.errors.ModelError, match="two surfaces have the name 'plane'"):
        zm.Contacts(zm.bodies.ball(r, m), on=[FLOOR, zm.surfaces.plane(0.1)])
    with pytest.raises(zm.errors.ModelError, match="no such surface"):
        zm.Contacts(zm.bodies.ball(r, m), on={"floor": FLOOR}, friction={"flor": 0.1})
    with pytest.raises(zm.errors.ModelError, match=r"restitution of 'floor' is 1\.5"):
        zm.Contacts(zm.bodies.ball(r, m), on={"floor": FLOOR}, restitution=1.5)
    ball = zm.Contacts(zm.bodies.ball(r, m), on={"floor": FLOOR, "wall": WALL})
    with pytest.raises(zm.errors.StartError, match=r"lies 0\.05 m inside"):
        ball.start(center=(0, 0, 0.05))
    with pytest.raises(zm.errors.StartError, match=r"no state satisfies|moves into it"):
        ball.start(center=(0, 0, 0.1), velocity=(0, 0, -1.0), angular_velocity=(0, 0, 0))
    with pytest.raises(zm.errors.ModelError, match="no contact is named 'roof'"):
        ball["roof"]
    with pytest.raises(zm.errors.ModelError, match="two bodies have the name 'ball'"):
        zm.Contacts([zm.bodies.ball(r, m), zm.bodies.ball(r, m)], on=FLOOR)
    with pytest.raises(zm.errors.ModelError, match="several surfaces"):
        zm.Rolling(zm.bodies.ball(r, m), on=[FLOOR, WALL])  # type: ignore[arg-type]


# strokes ---------------------------------------------------------------------------------------------------------------
def struck(rng: np.random.Generator, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """D, normals and velocities of k points of a random body, most of which approach."""
    mass = rng.uniform(0.2, 3.0)
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    inverse = Q @ np.diag(1 / (mass * 0.01 * rng.uniform(0.3, 0.6, 3))) @ Q.T
    n = rng.normal(size=(k, 3))
    n /= np.linalg.norm(n, axis=1)[:, None]
    ρ = -0.1 * n + 0.02 * rng.normal(size=3)
    X = [np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]]) for a in ρ]
    D = np.block([[np.eye(3) / mass - X[i] @ inverse @ X[j] for j in range(k)] for i in range(k)])
    v, ω = rng.normal(size=3) - 0.5 * n.sum(axis=0), 10 * rng.normal(size=3)
    return D, n, v + np.cross(ω, ρ)


def check_a_stroke(rng: np.random.Generator, k: int) -> None:
    D, n, w = struck(rng, k)
    μ, e = rng.uniform(0.0, 1.2, k), rng.uniform(0.0, 1.0, k)
    if rng.random() < 0.3:
        e[:] = 1.0
    if rng.random() < 0.2:
        μ[:] = np.inf
    found = strokes(D, n, w, μ, e)
    size = float(np.abs(w).max())
    assert found.energy(w) <= 1e-12 * size**2 / np.abs(D).max()
    normal = np.einsum("ki,ki->k", n, found.velocities)
    assert normal.min() >= -1e-10 * size  # none approaches any more
    N = np.einsum("ki,ki->k", n, found.impulses)
    assert N.min() >= -1e-10 * size / np.abs(D).max()  # none pulls
    T = np.linalg.norm(found.impulses - N[:, None] * n, axis=1)
    limited = μ < np.inf
    assert np.all(T[limited] <= μ[limited] * N[limited] + 1e-9 * size / np.abs(D).max())
    assert found.velocities.ravel() == pytest.approx(w.ravel() + D @ found.impulses.ravel(), abs=1e-9 * size)


def test_strokes_never_give_energy():
    rng = np.random.default_rng(3)
    for k, count in ((1, 60), (2, 30), (3, 10)):
        for _ in range(count):
            check_a_stroke(rng, k)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_ten_thousand_strokes_never_give_energy(seed):
    """Those too that would not be lawful if all contacts were struck at once."""
    rng = np.random.default_rng(1000 + seed)
    for k, count in ((1, 400), (2, 400), (3, 200)):
        for _ in range(count):
            check_a_stroke(rng, k)


def test_of_one_contact_it_is_routh_s_stroke():
    rng = np.random.default_rng(5)
    for _ in range(15):
        D, n, w = struck(rng, 1)
        μ, e = rng.uniform(0.05, 1.0), rng.uniform()
        one, several = stroke(D, n[0], w[0], μ, e), together(D, n, w, np.array([μ]), np.array([e]))
        assert several.velocities[0] == pytest.approx(one.velocity, abs=1e-10)


def test_a_smooth_ball_leaves_a_right_corner_as_it_came():
    """Without friction and loss each wall turns its part of the velocity round."""
    n, w = np.eye(3), np.tile([-1.0, -2.0, -0.5], (3, 1))
    D = np.tile(np.eye(3), (3, 3))
    found = strokes(D, n, w, np.zeros(3), np.ones(3))
    assert found.velocities == pytest.approx(-w, abs=1e-14)
    assert found.energy(w) == pytest.approx(0.0, abs=1e-14)


def test_forces_that_change_nothing_are_the_least():
    """A ball at rest in a groove needs no friction, however steep the sides."""
    n = np.array([[0, -np.sin(1.2), np.cos(1.2)], [0, np.sin(1.2), np.cos(1.2)]])
    X = [0.1 * np.array([[0, a[2], -a[1]], [-a[2], 0, a[0]], [a[1], -a[0], 0]]) for a in n]
    D = np.block([[np.eye(3) - X[i] @ X[j] / 0.004 for j in range(2)] for i in range(2)])
    found = decided(Meeting(D, n, np.zeros((2, 3)), np.full(2, 0.1)), np.tile([0.0, 0.0, -10.0], (2, 1)))
    assert found.modes == ("rolling", "rolling")
    forces = found.F
    assert forces == pytest.approx(n * 10.0 / (2 * np.cos(1.2)), abs=1e-12)


# rooms -------------------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def rooms() -> dict[str, tuple[zm.Contacts, dict[str, zm.expression.Expression]]]:
    return {kind: room(kind) for kind in ("corner", "groove", "bumps")}


def check_a_throw(rooms, kind: str, seed: int, until: float) -> None:
    ball, parameters = rooms[kind]
    run = zm.simulate(ball, thrown(ball, parameters, np.random.default_rng(seed)), until=until, rtol=1e-12, atol=1e-14)
    assert run.outcome.ending == "finished"
    assert run.remarks == ()
    times = np.unique(np.concatenate([run.t, np.linspace(0.0, until, 400)]))
    assert depth(ball, run, times) <= 1e-12
    assert all(impulse.energy <= 0.0 for impulse in run.impulses)
    energy = run[ball.energy]
    assert np.diff(energy).max() <= 1e-9 * np.abs(energy).max()


@pytest.mark.parametrize(
    ("kind", "seed"), [*((kind, s) for kind in ("corner", "bumps", "groove") for s in range(3)), ("corner", 3)]
)
def test_a_thrown_ball_stays_outside_of_everything(rooms, kind, seed):
    check_a_throw(rooms, kind, seed, 0.5)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["corner", "groove", "bumps"])
def test_two_hundred_throws(rooms, kind):
    for seed in range(100, 167):
        check_a_throw(rooms, kind, seed, 1.5)


def test_a_smooth_stroke_comes_back_however_small_its_slip_is():
    """Without friction −w_n becomes e w_n, also where the slip is hardly more than rounding, and D is not quite round."""
    D = 2.0 * np.eye(3)
    D[0, 2] = D[2, 0] = 1e-17
    n = np.array([0.0, 0.0, 1.0])
    for slip in (1e-5, 1e-9, 3e-12, 3e-14):
        found = stroke(D, n, np.array([0.6 * slip, 0.8 * slip, -1.0]), 0.0, 0.5)
        assert found.velocity == pytest.approx([0.6 * slip, 0.8 * slip, 0.5], abs=1e-15)


def test_of_many_contacts_one_case_leads_to_the_next():
    """To one that agrees with itself, of six contacts of a ball, as often as one is found among all of them."""
    rng = np.random.default_rng(4)
    found = []
    for _ in range(8):
        n = rng.normal(size=(6, 3))
        n /= np.linalg.norm(n, axis=1)[:, None]
        A = np.concatenate([np.hstack([np.eye(3), -np.cross(np.eye(3), -x)]) for x in n])
        D = A @ np.diag([1.0, 1.0, 1.0, 2.5, 2.5, 2.5]) @ A.T
        at = Meeting(D, n, np.zeros((6, 3)), rng.uniform(0.1, 1.0, 6))
        found.append((at, np.tile(rng.normal(size=3), (6, 1))))
    led = [decided(at, a0) for at, a0 in found]
    assert sum(case.misses <= 1e-9 for case in led) >= 7


def test_parameters_in_a_start_that_touches():
    """A study of shots at billiards; what touches is decided for each value."""
    speed, height = zm.parameter("speed", 1.0), zm.parameter("height", 0.1)
    balls = [zm.bodies.ball(0.1, 0.5, name="red"), zm.bodies.ball(0.1, 0.5, name="white")]
    table = zm.Contacts(balls, on={"floor": zm.surfaces.plane()}, between=True, friction=0.2, restitution=0.8)

    def shot(v, h):
        return table.start(center={"red": (0, 0.05, h), "white": (0.5, 0, 0.1)}, velocity={"red": (v, 0, 0)})

    start = shot(speed, height)
    for v, h in ((1.0, 0.1), (2.5, 0.1), (1.0, 0.3)):
        again, made = start.again({speed: v, height: h}), shot(v, h)
        np.testing.assert_array_equal(again.q, made.q)
        np.testing.assert_array_equal(again.v, made.v)
    with pytest.raises(zm.errors.StartError, match=r"0\.05 m inside"):
        start.again({height: 0.05})


@pytest.mark.slow
def test_a_study_of_shots():
    speed = zm.parameter("speed", 1.0)
    balls = [zm.bodies.ball(0.1, 0.5, name="red"), zm.bodies.ball(0.1, 0.5, name="white")]
    table = zm.Contacts(balls, on={"floor": zm.surfaces.plane()}, between=True, friction=0.2, restitution=0.8)
    center, x = {"red": (0, 0.05, 0.1), "white": (0.5, 0, 0.1)}, table.centers[1].position[0]
    start = table.start(center=center, velocity={"red": (speed, 0, 0)})
    study = zm.sweep(table, start, until=0.6, over={speed: [0.5, 1.0, 2.0]}, keep={"x": x})
    for v in (0.5, 1.0, 2.0):
        run = zm.simulate(table, table.start(center=center, velocity={"red": (v, 0, 0)}), until=0.6, method="dop853")
        assert float(study.x.sel(speed=v)) == pytest.approx(run.state(0.6)[x], abs=1e-9)  # same method and tolerances
