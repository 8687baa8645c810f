"""Bodies that touch one another: billiards, cradles, balls on balls and stacks, against closed forms and SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import zeromass as zm
from cases import few
from zeromass.expression import expressions

g, r, m = 9.81, 0.1, 0.5
FLOOR = {"floor": zm.surfaces.plane()}
TIGHT: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-14}


def ball(name: str, radius: float = r, mass: float = m) -> zm.bodies.SphericalBody:
    return zm.bodies.ball(radius, mass, name=name)


def momenta(contacts: zm.Contacts) -> np.ndarray:
    """Momentum and angular momentum about the origin of all bodies, (6,)."""
    P, L = expressions(np.zeros(3)), expressions(np.zeros(3))
    for body in contacts.bodies:
        S = body.rotation
        P = P + body.mass * body.velocity
        L = L + body.mass * np.cross(body.position, body.velocity) + S @ body.inertia @ S.T @ body.angular_velocity
    return expressions([*P, *L])


# strokes of two balls in the air -------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def pool() -> tuple[zm.Contacts, dict[str, zm.expression.Expression]]:
    """Two balls in the air, of different size and mass."""
    p = {"mu": zm.parameter("mu", 0.0), "e": zm.parameter("e", 1.0)}
    both = zm.Contacts(
        [ball("red"), ball("white", 0.07, 0.2)],
        between=True,
        gravity=None,
        creep=1e-9,
        friction=p["mu"],
        restitution=p["e"],
    )
    return both, p


def by_hand(c, v, ω, R, M, μ, e) -> tuple[float, np.ndarray, np.ndarray]:
    """When two balls meet, and their velocities and angular velocities after it; a Coulomb stroke in closed form.

    Impulses along and across the normal do not disturb one another, and the slip does not turn:
    u_n changes by p (1/m₁ + 1/m₂), u_t by 7/2 of that.
    """
    d, u = c[1] - c[0], v[1] - v[0]
    a, b, k = u @ u, d @ u, d @ d - sum(R) ** 2
    t = float((-b - np.sqrt(b**2 - a * k)) / a)
    n = (d + t * u) / sum(R)
    w = u + np.cross(ω[1], -R[1] * n) - np.cross(ω[0], R[0] * n)
    along = w - (w @ n) * n
    light = 1 / M[0] + 1 / M[1]
    p = (1 + e) * -(w @ n) / light
    f = min(μ * p, float(np.linalg.norm(along)) / (3.5 * light))
    J = p * n - (f * along / np.linalg.norm(along) if f else 0.0)
    v = np.array([v[0] - J / M[0], v[1] + J / M[1]])
    turns = [np.cross(R[0] * n, -J) / (0.4 * M[0] * R[0] ** 2), np.cross(-R[1] * n, J) / (0.4 * M[1] * R[1] ** 2)]
    return t, v, ω + np.array(turns)


def kinetic(v, ω) -> float:
    return sum(M * u @ u / 2 + 0.2 * M * R**2 * x @ x for M, R, u, x in zip((m, 0.2), (r, 0.07), v, ω, strict=True))


@pytest.mark.parametrize(
    ("μ", "e", "offset", "spins"),
    [
        (0.0, 1.0, 0.0, False),
        (0.0, 0.6, 0.1, False),
        (0.1, 0.9, 0.05, False),  # it slips throughout
        (0.1, 0.9, 0.08, True),
        (2.0, 0.5, 0.05, True),  # it sticks
    ],
)
def test_balls_strike_one_another(pool, μ, e, offset, spins):
    """Head-on and oblique, smooth and with friction: times, velocities and spins; momentum and energy to 1e-12."""
    both, p = pool
    c, v = np.array([[0, 0, 0], [1.0, offset, 0.02]]), np.array([[2.0, 0.1, 0.0], [-0.5, 0.0, 0.1]])
    ω = np.array([[3.0, -20.0, 8.0], [1.0, 2.0, -15.0]]) if spins else np.zeros((2, 3))
    names = ("red", "white")
    start = both.start(
        center=dict(zip(names, c, strict=True)),
        velocity=dict(zip(names, v, strict=True)),
        angular_velocity=dict(zip(names, ω, strict=True)),
        parameters={p["mu"]: μ, p["e"]: e},
    )
    run = zm.simulate(both, start, until=1.0, **TIGHT)
    before = kinetic(v, ω)
    t, v, ω = by_hand(c, v, ω, (r, 0.07), (m, 0.2), μ, e)
    assert run.modes == ("red and white open",) * 2
    assert run.changes == pytest.approx([t], abs=1e-12)
    for k, body in enumerate(both.bodies):
        assert run.state(1.0)[body.velocity] == pytest.approx(v[k], abs=1e-12)
        assert run.state(1.0)[body.angular_velocity] == pytest.approx(ω[k], abs=1e-9 if spins else 1e-11)  # turns
    kept = run[momenta(both)]
    assert np.ptp(kept, axis=0).max() <= 1e-12
    assert run.impulses[0].energy == pytest.approx(kinetic(v, ω) - before, abs=1e-11 if spins else 1e-12)
    if e == 1.0 and not μ:
        assert run.impulses[0].energy == pytest.approx(0.0, abs=1e-12)


def test_balls_that_miss_one_another_go_on(pool):
    both, _ = pool
    start = both.start(center={"red": (0, 0, 0), "white": (1, 0.1701, 0)}, velocity={"red": (2, 0, 0)})
    run = zm.simulate(both, start, until=1.0)
    assert run.changes == ()
    assert run.minimum(both.pairs[0].gap).value == pytest.approx(1e-4, abs=1e-9)


SHAPES = {
    "egg": zm.bodies.ellipsoid((0.1, 0.15, 0.2), 0.5, name="egg"),
    "bean": zm.bodies.ellipsoid((0.2, 0.1, 0.1), 0.7, name="bean"),
    "stone": zm.bodies.superquadric((0.1, 0.1, 0.15), 4, 0.5, name="stone"),
    "pear": zm.bodies.convex(support=lambda x, y, z: 0.13 + 0.004 * z**2 + 0.002 * z, mass=0.1, name="pear"),
    "top": zm.bodies.SphericalBody(0.1, 0.5, (2e-3, 1.5e-3, 1e-3), (0.02, 0.01, 0.03), name="top"),
}


def apart(contacts: zm.Contacts, run: zm.Run, t: float) -> float:
    """Distance of two bodies, m, from points of their outsides in many directions: the largest gap between two planes."""
    from zeromass.contact.directions import scattered
    from zeromass.model.quaternion import rotation

    state, d = run.state(t), scattered(20000)
    reaches = []
    for solid, body, O, sign in zip(contacts.solids, contacts.bodies, contacts.centers, (1, -1), strict=True):
        S = rotation(state[body.quaternion])
        far = solid.farthest(sign * d @ S, {}) @ S.T + state[O.position]
        reaches.append(np.einsum("ki,ki->k", far, d))
    return float((reaches[1] - reaches[0]).max())


@pytest.mark.parametrize(
    "names",
    [
        ("egg", "bean"),
        pytest.param(("top", "stone"), marks=pytest.mark.slow),
        pytest.param(("pear", "egg"), marks=pytest.mark.slow),
    ],
)
def test_bodies_of_any_smooth_shape_strike_one_another(names):
    """They touch when planes no longer part them; momenta are kept, and the stroke takes energy."""
    one, two = (SHAPES[name] for name in names)
    both = zm.Contacts([one, two], between=True, gravity=None, creep=1e-9, friction=0.3, restitution=0.6)
    start = both.start(
        center={one.name: (0, 0, 0), two.name: (1, 0.05, 0.02)},
        velocity={one.name: (2, 0, 0)},
        orientation={one.name: (0.3, 0.2, 0.5), two.name: (1, 0.4, 0.2)},
        angular_velocity={one.name: (1, 2, 3), two.name: (0, 1, 2)},
    )
    run = zm.simulate(both, start, until=0.5, **TIGHT)
    assert len(run.impulses) == 1
    assert run.impulses[0].energy < 0.0
    assert np.ptp(run[momenta(both)], axis=0).max() <= 1e-12
    gap = both.pairs[0].gap
    for t in (0.1, run.changes[0], 0.5):
        assert apart(both, run, t) == pytest.approx(float(run.state(t)[gap]), abs=2e-4)  # of 20,000 directions


# on a table ----------------------------------------------------------------------------------------------------------
def test_a_rolling_ball_strikes_one_at_rest():
    """It stops, keeps its spin, and rolls again with 2/7 of its speed; the other slides, and rolls with 5/7 of it."""
    μ, v = 0.2, 1.4
    table = zm.Contacts(
        [ball("cue"), ball("red")],
        on=FLOOR,
        between=True,
        gravity=g,
        friction={"floor": μ, "between": 0.0},
        restitution={"between": 1.0},
    )
    start = table.start(center={"cue": (0, 0, r), "red": (0.9, 0, r)}, velocity={"cue": (v, 0, 0)})
    run = zm.simulate(table, start, until=1.5, **TIGHT)
    strikes = (0.9 - 2 * r) / v
    rolls = strikes + 2 * v / (7 * μ * g)
    assert run.changes[0] == pytest.approx(strikes, abs=1e-12)
    assert run.changes[-1] == pytest.approx(rolls, abs=1e-7)  # creep
    assert run.modes[1].startswith("cue on floor slipping, red on floor slipping")
    assert run.modes[-1] == "cue on floor rolling, red on floor rolling, cue and red open"
    end = run.state(1.5)
    assert end[table.bodies[0].velocity[0]] == pytest.approx(2 / 7 * v, abs=1e-8)
    assert end[table.bodies[1].velocity[0]] == pytest.approx(5 / 7 * v, abs=1e-8)


@pytest.mark.parametrize("μ", [0.0, 0.3])
def test_a_stack_is_at_rest(μ):
    """Whatever friction there is: the lower ball carries both."""
    stack = zm.Contacts([ball("low"), ball("high", 0.05, 0.2)], on=FLOOR, between=True, gravity=g, friction=μ)
    run = zm.simulate(stack, stack.start(center={"low": (0, 0, r), "high": (0, 0, 0.25)}), until=1.0)
    assert len(run.modes) == 1
    assert np.ptp(run.y, axis=0).max() <= 1e-15
    assert run[stack["low and high"].normal_force] == pytest.approx(0.2 * g, rel=1e-12)
    assert run[stack["low on floor"].normal_force] == pytest.approx((m + 0.2) * g, rel=1e-12)


W, DX = 0.34, 0.14
BOX = {**FLOOR, "left": zm.Surface(lambda X, Y, Z: X), "right": zm.Surface(lambda X, Y, Z: W - X)}
HIGH = {"low": (W - r, 0, r), "high": (r, 0, r + np.sqrt(4 * r**2 - DX**2))}


@pytest.mark.parametrize("μ", few([0.0, None, 0.1], 2))
def test_two_balls_in_a_box_need_no_friction(μ):
    """What friction does is not determined, and the least is none: each wall is pressed by m g tan φ, φ of the centres."""
    box = zm.Contacts([ball("low"), ball("high")], on=BOX, between=True, gravity=g, friction=μ)
    run = zm.simulate(box, box.start(center=HIGH), until=0.5)
    assert np.ptp(run.y, axis=0).max() <= 1e-14
    tilted = DX / np.sqrt(4 * r**2 - DX**2)
    for name in ("low on right", "high on left"):
        assert run[box[name].normal_force] == pytest.approx(m * g * tilted, rel=1e-9)
    assert run[box["low on floor"].normal_force] == pytest.approx(2 * m * g, rel=1e-9)
    assert run[box["low and high"].normal_force] == pytest.approx(m * g * np.hypot(1, tilted), rel=1e-9)
    assert max(np.abs(run[pair.friction_magnitude]).max() for pair in box.pairs) <= 1e-12


@pytest.mark.slow
def test_two_balls_roll_along_a_box(tmp_path):
    """No contact slips, though more rows would hold them than there are motions; energy is kept, and so in a file."""
    α = 0.3
    box = zm.Contacts([ball("low"), ball("high")], on=BOX, between=True, gravity=(0, g * np.sin(α), -g * np.cos(α)))
    run = zm.simulate(box, box.start(center=HIGH), until=0.4, **TIGHT)
    assert len(run.modes) == 1
    held = [pair for pair in box.pairs if f"{pair.name} rolling" in run.modes[0]]
    assert len(held) == 4
    seen = run.at(np.linspace(0, 0.4, 50))
    assert max(np.abs(seen[pair.slip_velocity]).max() for pair in held) <= 1e-13
    assert np.ptp(run[box.energy]) <= 1e-11
    assert seen[box.bodies[1].velocity[1]][-1] > seen[box.bodies[0].velocity[1]][-1] > 0.3
    run.save(tmp_path / "run.nc")
    assert zm.load(tmp_path / "run.nc").segments[0].start.system.grips == run.segments[0].start.system.grips


@pytest.mark.parametrize("φ", few([0.0, 0.3, 1.1, 2.0, 2.9], 3))
def test_balls_beside_one_another_stay_so(φ):
    """They roll down a plane, touching without a force: rounding of it, pull or push, parts nothing.

    φ  angle about the vertical by which the scene is turned: every number is rounded otherwise
    """
    α = 0.2
    down, beside = np.array([np.cos(φ), np.sin(φ), 0.0]), np.array([-np.sin(φ), np.cos(φ), 0.0])
    n = np.sin(α) * down + [0, 0, np.cos(α)]
    plane = zm.Surface(lambda X, Y, Z: n[0] * X + n[1] * Y + n[2] * Z)
    balls = zm.Contacts([ball("a"), ball("b")], on=plane, between=True, gravity=g, friction=0.3)
    run = zm.simulate(balls, balls.start(center={"a": r * n, "b": r * n + 2 * r * beside}), until=1.0)
    assert len(run.modes) == 1
    assert np.abs(run[balls["a and b"].normal_force]).max() <= 1e-12 * m * g
    speed = run.state(1.0)[down @ balls.bodies[1].velocity]
    assert speed == pytest.approx(5 / 7 * g * np.sin(α) * np.cos(α), rel=1e-9)


@pytest.mark.parametrize("speed", [0.0, 1.0])
@pytest.mark.parametrize("φ", few([0.3, 0.0, 1.1, 2.0]))
def test_a_ball_rolls_on_along_a_wall_that_it_touches(φ, speed):
    """Nothing presses it to the wall, and so the wall neither loses it nor takes of its speed; turned by φ, as above."""
    along, away = np.array([np.cos(φ), np.sin(φ), 0.0]), np.array([-np.sin(φ), np.cos(φ), 0.0])
    wall = zm.Surface(lambda X, Y, Z: away[0] * X + away[1] * Y + 0 * Z)
    room = zm.Contacts([ball("ball")], on=FLOOR | {"wall": wall}, gravity=g, friction=0.3)
    ω = np.cross([0, 0, 1], speed * along) / r
    start = room.start(center=r * away + [0, 0, r], velocity=speed * along, angular_velocity=ω)
    run = zm.simulate(room, start, until=0.5, **TIGHT)
    assert len(run.modes) == 1
    assert run.state(0.5)[room.bodies[0].velocity] == pytest.approx(speed * along, abs=1e-12)


# rows of balls -------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def row() -> tuple[zm.Contacts, zm.expression.Expression]:
    e = zm.parameter("e", 1.0)
    names = ("a", "b", "c")
    between = [("a", "b"), ("b", "c")]
    balls = [ball(name) for name in names]
    return zm.Contacts(balls, between=between, gravity=None, creep=1e-9, friction=0.0, restitution=e), e


@pytest.mark.parametrize("e", [1.0, 0.5, 0.0])
def test_a_ball_strikes_two_that_touch(row, e):
    """Impulses grow together until all move alike, with 2/3 and 1/3 of the momentum, and come back by e times that."""
    balls, restitution = row
    centers = {"a": (-1, 0, 0), "b": (0, 0, 0), "c": (2 * r, 0, 0)}
    start = balls.start(center=centers, velocity={"a": (1, 0, 0)}, parameters={restitution: e})
    run = zm.simulate(balls, start, until=1.5)
    taken = np.array([2, 1]) / 3 * (1 + e)
    after = [1 - taken[0], taken[0] - taken[1], taken[1]]
    assert [run.state(1.5)[body.velocity[0]] for body in balls.bodies] == pytest.approx(after, abs=1e-12)
    assert np.ptp(run[momenta(balls)], axis=0).max() <= 1e-12


@pytest.mark.parametrize("e", few([1.0, 0.5]))
def test_they_are_struck_one_after_the_other(e):
    """With impacts="sequential" each stroke is of two balls, (1 + e)/2 of their speeds given on, until none approaches."""
    between = [("a", "b"), ("b", "c")]
    balls = zm.Contacts(
        [ball(name) for name in "abc"],
        between=between,
        gravity=None,
        restitution=e,
        friction=0.0,
        creep=1e-9,
        impacts="sequential",
    )
    start = balls.start(center={"a": (-1, 0, 0), "b": (0, 0, 0), "c": (2 * r, 0, 0)}, velocity={"a": (1, 0, 0)})
    run = zm.simulate(balls, start, until=1.0)
    v = np.array([1.0, 0.0, 0.0])
    while np.diff(v).min() < -1e-12:
        k = int(np.argmin(np.diff(v)))
        p = (1 + e) / 2 * (v[k] - v[k + 1])
        v[k], v[k + 1] = v[k] - p, v[k + 1] + p
    assert [run.state(1.0)[body.velocity[0]] for body in balls.bodies] == pytest.approx(v, abs=1e-11)
    if e == 1.0:
        assert v == pytest.approx([0, 0, 1], abs=1e-15)


def test_with_gaps_they_are_newton_s_cradle(row):
    """Each gives on what it has: with a millimetre between them, and e = 1, the last one leaves alone."""
    balls, restitution = row
    centers = {"a": (-1, 0, 0), "b": (0, 0, 0), "c": (2 * r + 1e-3, 0, 0)}
    start = balls.start(center=centers, velocity={"a": (1, 0, 0)}, parameters={restitution: 1.0})
    run = zm.simulate(balls, start, until=1.5)
    assert [run.state(1.5)[body.velocity[0]] for body in balls.bodies] == pytest.approx([0, 0, 1], abs=1e-12)
    assert run.changes == pytest.approx([0.8, 0.801], abs=1e-12)


# a ball on a ball ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("friction", "k"), [(0.0, 0.0), (None, 0.4)])
def test_a_ball_leaves_a_ball_that_hardly_moves(friction, k):
    """At cos θ = 2/3 where it slides, 10/17 where it rolls: u² = g L cos θ, (1 + k)(u² − v²)/2 = g L (1 − cos θ)."""
    R, v, L = 1.0, 1e-2, 1.2
    heavy = zm.bodies.SphericalBody(R, 1e10, (1e10,) * 3, name="heavy")
    pair = zm.Contacts(
        [heavy, ball("light", 0.2)],
        between=True,
        gravity=None,
        creep=1e-9,
        friction=friction,
        forces=lambda contacts: zm.Force((0, 0, -m * g), at=contacts.bodies[1].position),
    )
    start = pair.start(center={"heavy": (0, 0, 0), "light": (0, 0, L)}, velocity={"light": (v, 0, 0)})
    run = zm.simulate(pair, start, until=5.0, **TIGHT)
    assert run.modes[-1] == "heavy and light open"
    cosine = (1 + (1 + k) * v**2 / (2 * g * L)) / (1 + (1 + k) / 2)
    assert run.state(run.changes[-1])[pair.centers[1].position[2]] / L == pytest.approx(cosine, abs=5e-9)  # it moves
    assert cosine == pytest.approx(10 / 17 if k else 2 / 3, abs=1e-5)


def leaving(M: float, R: float, ρ: float, θ0: float) -> tuple[float, float]:
    """When and at which angle a ball leaves another on a smooth floor, both from rest, rolling on one another.

    u = L θ̇, L = R + ρ. Spins share u as M : m, horizontal momentum is zero, and energy is kept:
    u² (m/2 − m² cos²θ/2(M + m) + m M/5(M + m)) = m g L (cos θ₀ − cos θ).
    """
    L, both = R + ρ, M + m

    def squared(θ: float) -> float:
        inertia = m / 2 - m**2 * np.cos(θ) ** 2 / (2 * both) + m * M / (5 * both)
        return m * g * L * (np.cos(θ0) - np.cos(θ)) / inertia

    def half_slope(θ: float) -> float:  # L u̇
        inertia = m / 2 - m**2 * np.cos(θ) ** 2 / (2 * both) + m * M / (5 * both)
        turned = m**2 * np.cos(θ) * np.sin(θ) / both
        return (m * g * L * np.sin(θ) - squared(θ) * turned) / inertia / 2

    def pressed(θ: float) -> float:
        pushed = -m / both * (half_slope(θ) / L * np.cos(θ) - squared(θ) / L * np.sin(θ))
        return m * g * np.cos(θ) + m * pushed * np.sin(θ) - m * squared(θ) / L

    θ = float(brentq(pressed, θ0, 1.5, xtol=1e-15))
    reached = lambda t, y: y[0] - θ  # noqa: E731
    reached.terminal = True  # type: ignore[attr-defined]
    done = solve_ivp(
        lambda t, y: [y[1], half_slope(y[0]) / L**2], (0, 9), [θ0, 0.0], rtol=1e-12, atol=1e-14, events=reached
    )
    return float(done.t_events[0][0]), θ


def test_a_ball_rolls_down_one_that_gives_way():
    """On a smooth floor, until it leaves: time and angle by energy and momentum."""
    M, R, ρ, θ0 = 1.3, 0.4, 0.15, 0.3
    t, θ = leaving(M, R, ρ, θ0)
    pair = zm.Contacts(
        [ball("big", R, M), ball("small", ρ)],
        on=FLOOR,
        between=True,
        gravity=g,
        friction={"floor": 0.0},
        restitution={"between": 0.5},
    )
    start = pair.start(
        center={"big": (0, 0, R), "small": ((R + ρ) * np.sin(θ0), 0, R + (R + ρ) * np.cos(θ0))},
        angular_velocity={"big": (0, 0, 0)},
    )
    run = zm.simulate(pair, start, until=t + 1e-3, **TIGHT)
    kinds = ("big on floor slipping, small on floor open, big and small " + mode for mode in ("rolling", "open"))
    assert [kind.replace("big on floor rolling", "big on floor slipping") for kind in run.modes[-2:]] == list(kinds)
    assert run.changes[-1] == pytest.approx(t, abs=1e-9)
    line = run.state(t)[pair.centers[1].position - pair.centers[0].position]
    assert np.arctan2(line[0], line[2]) == pytest.approx(θ, abs=1e-9)
    assert np.ptp(run[pair.energy]) <= 1e-10
    assert np.ptp(run[momenta(pair)[0]]) <= 1e-13


def test_bodies_that_roll_on_one_another_keep_what_they_have():
    """Two eggs drawn together by a spring between their middles: momentum, angular momentum and energy stay."""
    k = 40.0

    def drawn(contacts: zm.Contacts) -> list[zm.Force]:
        one, two = (O.position for O in contacts.centers)
        return [zm.Force(k * (two - one), at=one), zm.Force(k * (one - two), at=two)]

    pair = zm.Contacts([SHAPES["egg"], SHAPES["bean"]], between=True, gravity=None, forces=drawn)
    d = pair.centers[1].position - pair.centers[0].position
    start = pair.start(
        center={"egg": (0, 0, 0), "bean": (0.3, 0.02, 0.05)},
        orientation={"egg": (0.3, 0.2, 0.5), "bean": (1, 0.4, 0.2)},
        touching=["egg and bean"],
    )
    run = zm.simulate(pair, start, until=1.0, **TIGHT)
    assert run.modes == ("egg and bean rolling",)
    assert run.minimum(pair.pairs[0].normal_force).value > 0.0
    assert np.ptp(run[momenta(pair)], axis=0).max() <= 1e-11
    assert np.ptp(run[pair.kinetic + k * (d @ d) / 2]) <= 1e-11


# in a bowl -----------------------------------------------------------------------------------------------------------
@pytest.mark.slow
def test_two_balls_meet_and_part_in_a_bowl():
    """Smooth ones of equal mass go to and fro as pendulums that exchange their speeds, e = 1, wherever they meet."""
    ϱ = 1.0
    L = ϱ - r
    bowl = zm.surfaces.sphere(ϱ, inside=True)
    balls = zm.Contacts(
        [ball("a"), ball("b")],
        on={"bowl": bowl},
        between=True,
        gravity=g,
        friction=0.0,
        restitution={"between": 1.0},
    )
    φ = np.array([-0.7, 0.4])
    place = {name: (L * np.sin(x), 0, -L * np.cos(x)) for name, x in zip("ab", φ, strict=True)}
    start = balls.start(center=place, angular_velocity=(0, 0, 0))
    run = zm.simulate(balls, start, until=2.0, **TIGHT)
    reach, y, t, expected = 2 * np.arcsin(r / L), np.array([*φ, 0.0, 0.0]), 0.0, []
    meets = lambda t, y: y[1] - y[0] - reach  # noqa: E731
    meets.terminal, meets.direction = True, -1.0  # type: ignore[attr-defined]
    while t < 2.0:
        done = solve_ivp(
            lambda t, y: [*y[2:], *(-g / L * np.sin(y[:2]))], (t, 2.0), y, rtol=1e-12, atol=1e-14, events=meets
        )
        t, y = float(done.t[-1]), done.y[[0, 1, 3, 2], -1]
        expected += [t] if t < 2.0 else []
    found = [impulse.t for impulse in run.impulses if impulse.impulses[0] > 1e-9]
    assert len(expected) >= 2
    assert found == pytest.approx(expected, abs=1e-9)
    end = run.state(2.0)
    for O, x in zip(balls.centers, y[:2], strict=True):
        assert end[O.position] == pytest.approx([L * np.sin(x), 0, -L * np.cos(x)], abs=1e-8)
    assert np.ptp(run[balls.energy]) <= 1e-10


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 5])
def test_balls_that_are_thrown_into_a_bowl(seed):
    """Neither is ever inside the other, and no energy comes from nowhere, with friction, restitution and spins at random."""
    rng = np.random.default_rng(seed)
    top = zm.bodies.SphericalBody(0.08, 0.3, (8e-4, 7e-4, 6e-4), (0.01, 0.0, 0.02), name="b")
    bowl = zm.Surface(lambda X, Y: 0.8 * (X**2 + Y**2))
    μ, e = rng.uniform(0, 0.7, 2)
    both = zm.Contacts([ball("a"), top], on=bowl, between=True, gravity=g, friction=μ, restitution=e)
    start = both.start(
        center={"a": (-0.2, *rng.uniform(-0.1, 0.1, 1), 0.5), "b": (0.15, *rng.uniform(-0.1, 0.1, 1), 0.6)},
        velocity={name: rng.normal(size=3) * 0.7 for name in "ab"},
        angular_velocity={name: rng.normal(size=3) * 5 for name in "ab"},
    )
    run = zm.simulate(both, start, until=1.2)
    assert run.outcome.ending == "finished"
    seen = run.at(np.linspace(0, 1.2, 2000))
    apart = np.linalg.norm(seen[both.centers[0].position] - seen[both.centers[1].position], axis=1)
    assert apart.min() >= r + 0.08 - 1e-12
    assert np.diff(seen[both.energy]).max() <= 1e-10
    assert all(impulse.energy <= 1e-12 for impulse in run.impulses)


# words ---------------------------------------------------------------------------------------------------------------
def test_what_can_not_touch_is_refused():
    coin, pear = zm.bodies.disc(0.1, 0.2, name="coin"), SHAPES["pear"]
    other = zm.bodies.convex(support=lambda x, y, z: 0.13 + 0.004 * x**2, mass=0.1, name="plum")
    with pytest.raises(
        zm.errors.ModelError, match="'coin' and 'red' can not touch one another: 'coin' has edges or flat sides"
    ):
        zm.Contacts([ball("red"), coin], on=FLOOR, between=True)
    with pytest.raises(zm.errors.ModelError, match="'pear' and 'plum' are both given by support="):
        zm.Contacts([pear, other], between=True)
    with pytest.raises(zm.errors.ModelError, match="between names 'blue', and there is no such body: red, white"):
        zm.Contacts([ball("red"), ball("white")], between=[("red", "blue")])
    with pytest.raises(zm.errors.ModelError, match="between holds 'red'; give two names of bodies each"):
        zm.Contacts([ball("red"), ball("white")], between=["red"])
    for wrong in (None, 3, "red"):
        with pytest.raises(zm.errors.ModelError, match=r"between is .*; give True, or pairs of names"):
            zm.Contacts([ball("red"), ball("white")], between=wrong)
    for wrong in (3, ("red", "red"), ("red", "white", "red")):
        with pytest.raises(zm.errors.ModelError, match=r"between holds .*; give two names of bodies each"):
            zm.Contacts([ball("red"), ball("white")], between=[wrong])
    with pytest.raises(
        zm.errors.ModelError, match="a surface is named 'between', which stands for contacts between bodies"
    ):
        zm.Contacts([ball("red"), ball("white")], on={"between": zm.surfaces.plane()}, between=True)
    with pytest.raises(zm.errors.ModelError, match="impacts is 'never'; it is 'simultaneous' or 'sequential'"):
        zm.Contacts([ball("red"), ball("white")], between=True, impacts="never")
    with pytest.raises(zm.errors.ModelError, match=r"impacts is .*; it is 'simultaneous' or 'sequential'"):
        zm.Contacts([ball("red"), ball("white")], between=True, impacts=np.array([1j, 2j]))
    with pytest.raises(zm.errors.ModelError, match="between=True, and there is one body only"):
        zm.Contacts(ball("red"), on=FLOOR, between=True)
    with pytest.raises(zm.errors.ModelError, match="there is no surface; give on="):
        zm.Contacts([ball("red"), ball("white")])
    with pytest.raises(
        zm.errors.ModelError, match="friction is given for 'between', and there is no such surface: floor"
    ):
        zm.Contacts([ball("red"), ball("white")], on=FLOOR, friction={"between": 0.1})
    some = zm.Contacts([ball("red"), coin, ball("white")], on=FLOOR, between=[("white", "red")])
    assert [pair.name for pair in some.pairs if pair.other is not None] == ["red and white"]


def test_starts_inside_one_another_are_refused(pool):
    both, _ = pool
    with pytest.raises(zm.errors.StartError, match=r"'white' lies 0\.07 m inside 'red'"):
        both.start(center={"red": (0, 0, 0), "white": (0.1, 0, 0)})
    with pytest.raises(zm.errors.StartError, match=r"'white' touches 'red' and moves into it with 1 m/s"):
        both.start(center={"red": (0, 0, 0), "white": (0.17, 0, 0)}, velocity={"red": (1, 0, 0)})


def test_friction_and_restitution_by_name():
    balls = [ball("a"), ball("b"), ball("c")]
    found = zm.Contacts(
        balls,
        on=FLOOR,
        between=True,
        friction={"floor": 0.2, "between": 0.05, "a and c": 0.1},
        restitution={"between": 0.9},
    )
    assert {pair.name: (pair.friction, pair.restitution) for pair in found.pairs} == {
        **{f"{name} on floor": (0.2, 0.0) for name in "abc"},
        "a and b": (0.05, 0.9),
        "a and c": (0.1, 0.9),
        "b and c": (0.05, 0.9),
    }


def test_a_run_is_kept_and_goes_on(pool, tmp_path):
    """In a file; the system that is read knows its bodies."""
    both, _ = pool
    start = both.start(center={"red": (0, 0, 0), "white": (1, 0.05, 0)}, velocity={"red": (2, 0, 0)})
    run = zm.simulate(both, start, until=0.2)
    run.save(tmp_path / "run.nc")
    again = zm.load(tmp_path / "run.nc")
    assert again.system.pairs[0].other.name == "red"
    further = zm.simulate(again.system, again.state(0.2), until=1.0)
    whole = zm.simulate(both, start, until=1.0)
    assert further.changes == pytest.approx(whole.changes, abs=1e-12)
    assert further.y[-1] == pytest.approx(whole.y[-1], abs=1e-11)


def test_what_it_looks_like(pool):
    drawing = pool[0].drawing
    assert drawing.title == "Red and white"
    assert drawing.ground is None
    assert [body.name for body in drawing.bodies] == ["red", "white"]


def _row(count: int) -> zm.Contacts:
    return zm.Contacts(
        [ball(f"ball {k}") for k in range(count)],
        on={"cloth": zm.surfaces.plane()},
        between=True,
        gravity=g,
        friction={"cloth": 0.2, "between": 0.0},
        restitution={"cloth": 0.5, "between": 1.0},
    )


def test_contacts_of_balls_add_no_coordinates():
    """Their gaps follow from the places of the balls: 7 coordinates each, whatever may touch."""
    table = _row(5)
    assert len(table.coordinates) == 35
    assert len(table.pairs) == 15
    start = table.start(center={f"ball {k}": (4 * r * k, 0, r) for k in range(5)}, velocity={"ball 0": (1.4, 0, 0)})
    seen = zm.simulate(table, start, until=1e-3).at(0.0)
    assert np.allclose([seen[table[f"ball {k} on cloth"].normal_force] for k in range(5)], g * m)


@pytest.mark.slow
def test_five_balls_in_a_row():
    """The first rolls into the second, and what it leaves goes on through the third."""
    table = _row(5)
    start = table.start(center={f"ball {k}": (4 * r * k, 0, r) for k in range(5)}, velocity={"ball 0": (1.4, 0, 0)})
    run = zm.simulate(table, start, until=0.3)
    assert run.outcome.complete, run.outcome
    momentum = sum(run[body.velocity[0]][-1] for body in table.bodies)
    assert all(abs(run[body.velocity[1]][-1]) < 1e-12 for body in table.bodies)
    assert 0 < momentum < 5 / 7 * 1.4 + 2 / 7 * 1.4 + 1e-9
