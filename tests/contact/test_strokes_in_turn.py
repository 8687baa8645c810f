"""Strokes of several contacts, one after the other: lawful whatever friction is, and as known where the result is known."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

import zeromass as zm
from contact.reference_impacts import strokes as rules
from contact.reference_impacts.balance import Meeting
from contact.reference_impacts.complementarity import AGREES, decided
from contact.reference_impacts.in_turn import in_turn
from contact.reference_impacts.one_point import Strokes, stroke
from contact.reference_impacts.strokes import strokes
from contact.reference_impacts.together import Unlawful, together
from contact.test_several import FLOOR, WALL, m, r, struck


def check_lawful(D, n, w, μ, e, found: Strokes) -> None:
    size = float(np.abs(w).max())
    impulse = size / float(np.abs(D).max())
    assert found.energy(w) <= 1e-13 * size * impulse
    assert np.einsum("ki,ki->k", n, found.velocities).min() >= -1e-11 * size
    N = np.einsum("ki,ki->k", n, found.impulses)
    assert N.min() >= -1e-12 * impulse
    T = np.linalg.norm(found.impulses - N[:, None] * n, axis=1)
    limited = μ < np.inf
    assert np.all(T[limited] <= μ[limited] * N[limited] + 1e-11 * impulse)
    assert found.velocities.ravel() == pytest.approx(w.ravel() + D @ found.impulses.ravel(), abs=1e-13 * size)


def particle(n: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """D, normals and velocities of a particle of mass 1 at several walls."""
    k = len(n)
    return np.tile(np.eye(3), (k, k)), n, np.tile(v, (k, 1))


# laws ------------------------------------------------------------------------------------------------------------------
def test_they_are_lawful():
    rng = np.random.default_rng(11)
    for k in (1, 2, 3, 4) * 5:
        D, n, w = struck(rng, k)
        μ, e = rng.uniform(0.0, 1.2, k), rng.uniform(0.0, 0.9, k)
        if rng.random() < 0.2:
            μ[0] = np.inf
        check_lawful(D, n, w, μ, e, in_turn(D, n, w, μ, e))


def unlawful(seed: int) -> tuple[np.ndarray, ...]:
    """A stroke of three contacts that friction presses against one another, however their impulses grow together."""
    rng = np.random.default_rng(seed)
    D, n, w = struck(rng, 3)
    return D, n, w, rng.uniform(0.6, 1.2, 3), rng.uniform(0.0, 1.0, 3)


@pytest.mark.slow
def test_where_a_stroke_at_once_is_not_lawful_it_is_one_after_the_other():
    """It gives energy, or approaches on, or takes more friction than there is."""
    for seed in (108, 118, 149):
        given = unlawful(seed)
        try:
            once = together(*given)
        except Unlawful:
            pass
        else:
            assert not rules.lawful(*given[:4], once)
        check_lawful(*given, strokes(*given))


def test_a_stroke_at_one_point_takes_energy():
    """(1 − e²) v²/(2 R) at least, with R = n·D n + μ |n·D along| the fastest that its approach can change."""
    rng = np.random.default_rng(2)
    for _ in range(40):
        D, n, w = struck(rng, 1)
        μ, e = rng.uniform(0.0, 1.5), rng.uniform(0.0, 1.0)
        v = max(0.0, -float(n[0] @ w[0]))
        one = stroke(D, n[0], w[0], μ, e)
        along = D @ n[0] - (n[0] @ D @ n[0]) * n[0]
        R = n[0] @ D @ n[0] + μ * np.linalg.norm(along)
        lost = -Strokes(one.impulse[None], one.velocity[None]).energy(w)
        assert lost >= (1 - e**2) * v**2 / (2 * R) - 1e-12 * lost


def test_what_still_approaches_at_last_is_stopped_without_friction(monkeypatch):
    """Between walls that are nearly parallel: after no stroke at all, the nearest velocity at which nothing approaches."""
    monkeypatch.setattr("contact.reference_impacts.in_turn.STROKES", 0)
    a = 0.05
    n = np.array([[np.cos(a), np.sin(a), 0.0], [-np.cos(a), np.sin(a), 0.0], [0.0, 0.0, 1.0]])
    D, n, w = particle(n, np.array([1.0, -2.0, 0.5]))
    found = in_turn(D, n, w, np.full(3, 0.3), np.ones(3))
    assert found.velocities == pytest.approx(np.tile([0.0, 0.0, 0.5], (3, 1)), abs=1e-12)
    check_lawful(D, n, w, np.full(3, 0.3), np.ones(3), found)


def test_between_walls_that_are_nearly_parallel_it_ends():
    a = 1e-3
    n = np.array([[np.cos(a), np.sin(a), 0.0], [-np.cos(a), np.sin(a), 0.0]])
    D, n, w = particle(n, np.array([1.0, -0.2, 0.3]))
    for μ, e in ((0.0, 0.9), (0.2, 0.9), (0.0, 0.0), (1.0, 1.0)):
        given = D, n, w, np.full(2, μ), np.full(2, e)
        check_lawful(*given, in_turn(*given))


def test_slips_that_begin_find_their_direction():
    """With normal impulses given there is always a case that agrees: −f of least length, Σ N w·f of all f least at rest."""
    rng = np.random.default_rng(4)
    for k in (1, 2, 3, 3, 3):
        D, n, _ = struck(rng, k)
        μ, N = rng.uniform(0.3, 1.2, k), rng.uniform(0.1, 1.0, k)
        case = decided(Meeting(D, n, np.zeros((k, 3)), μ), np.zeros((k, 3)), given=N.tolist())
        assert case.misses <= AGREES
        for _ in range(20):  # of all friction that there is, that which changes the velocities least
            t = rng.normal(size=(k, 3))
            t -= np.einsum("ki,ki->k", t, n)[:, None] * n
            other = (N[:, None] * (n + μ[:, None] * t / np.linalg.norm(t, axis=1)[:, None])).ravel()
            assert case.F.ravel() @ D @ case.F.ravel() <= other @ D @ other * (1 + 1e-12)


# known cases -----------------------------------------------------------------------------------------------------------
def test_of_one_contact_it_is_routh_s_stroke_to_the_bit():
    rng = np.random.default_rng(8)
    for _ in range(10):
        D, n, w = struck(rng, 1)
        μ, e = rng.uniform(0.05, 1.0, 1), rng.uniform(size=1)
        one, found = stroke(D, n[0], w[0], float(μ[0]), float(e[0])), strokes(D, n, w, μ, e)
        assert np.array_equal(found.impulses[0], one.impulse)
        assert np.array_equal(found.velocities[0], one.velocity)
        assert np.array_equal(in_turn(D, n, w, μ, e).impulses[0], one.impulse)


def test_bodies_are_struck_each_by_itself():
    """Two bodies that strike at one moment: as each alone, to the bit."""
    rng = np.random.default_rng(9)
    (D1, n1, w1), (D2, n2, w2) = struck(rng, 2), struck(rng, 1)
    D = np.block([[D1, np.zeros((6, 3))], [np.zeros((3, 6)), D2]])
    μ, e = np.array([0.3, 0.2, 0.4]), np.array([0.5, 0.1, 0.8])
    both = strokes(D, np.concatenate([n1, n2]), np.concatenate([w1, w2]), μ, e)
    for which, alone in (
        (slice(2), strokes(D1, n1, w1, μ[:2], e[:2])),
        (slice(2, 3), strokes(D2, n2, w2, μ[2:], e[2:])),
    ):
        assert np.array_equal(both.impulses[which], alone.impulses)
        assert np.array_equal(both.velocities[which], alone.velocities)


@pytest.mark.parametrize("parts", [2, 3, 4, 5, 6, 9])
def test_a_billiard_leaves_a_wedge_as_it_must(parts):
    """In a wedge of π/parts there are as many reflections, and n₁ goes over into −n₂: whichever wall is first."""
    a = np.pi / parts
    n = np.array([[0.0, 1.0, 0.0], [np.sin(a), -np.cos(a), 0.0]])
    rng = np.random.default_rng(parts)
    for _ in range(5):
        inside = rng.uniform(0.05, 0.95) * a
        D, n, w = particle(n, -np.array([np.cos(inside), np.sin(inside), 0.3]))
        before = n @ w[0]
        for order in permutations(range(2)):
            found = in_turn(D, n[list(order)], w, np.zeros(2), np.ones(2))
            last = 1 if parts % 2 else 0
            assert n @ found.velocities[0] == pytest.approx(-np.roll(before, last), abs=1e-13)
            assert found.velocities[0, 2] == pytest.approx(-0.3, abs=1e-14)
            assert found.energy(w) == pytest.approx(0.0, abs=1e-13)


def test_where_walls_are_across_one_another_the_order_does_not_matter():
    D, n, w = particle(np.eye(3), np.array([-1.0, -2.0, -0.5]))
    e = np.array([0.2, 0.7, 1.0])
    for order in map(list, permutations(range(3))):
        found = in_turn(D, n[order], w, np.zeros(3), e[order])
        assert found.velocities[0] == pytest.approx([0.2, 1.4, 0.5], abs=1e-15)
        assert found.impulses == pytest.approx((n * [[1.2], [3.4], [1.0]])[order], abs=1e-15)


@pytest.mark.parametrize("moving", [1, 2, 3])
def test_newton_s_cradle(moving):
    """As many balls leave as came: equal balls in a row give their velocities on, one contact after the other."""
    balls = 5
    n = np.tile([1.0, 0.0, 0.0], (balls - 1, 1))
    D = np.kron(2 * np.eye(4) - np.eye(4, k=1) - np.eye(4, k=-1), np.eye(3)) / 0.2
    v = np.zeros((balls, 3))
    v[:moving, 0] = 1.5
    found = in_turn(D, n, np.diff(v, axis=0), np.zeros(4), np.ones(4))
    given = np.diff(found.impulses, axis=0, prepend=np.zeros((1, 3)), append=np.zeros((1, 3)))
    assert v - given / 0.2 == pytest.approx(v[::-1], abs=1e-14)


def test_units_do_not_matter():
    """Speeds 1000 times as fast, and masses 1e6 times as heavy: the same stroke."""
    rng = np.random.default_rng(6)
    D, n, w = struck(rng, 3)
    μ, e = np.full(3, 0.4), np.full(3, 0.5)
    for rule in (in_turn, strokes):
        one, other = rule(D, n, w, μ, e), rule(D * 2.0**-20, n, w * 2.0**10, μ, e)
        assert other.velocities == pytest.approx(one.velocities * 2.0**10, rel=1e-9, abs=1e-9)
        assert other.impulses == pytest.approx(one.impulses * 2.0**30, rel=1e-9, abs=1.0)


# in a run ----------------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module", params=["simultaneous", "sequential"])
def before_wall(request) -> tuple[zm.Contacts, dict[str, zm.expression.Expression]]:
    p = {name: zm.parameter(name, 0.3) for name in ("on floor", "on wall")}
    friction = {"floor": p["on floor"], "wall": p["on wall"]}
    on = {"floor": FLOOR, "wall": WALL}
    given = {"friction": friction, "restitution": 0.5, "impacts": request.param}
    return zm.Contacts(zm.bodies.ball(r, m), on=on, gravity=10.0, **given), p


@pytest.mark.parametrize(("floor", "wall"), [(0.0, 0.0), (0.3, 0.2), (0.9, 0.9)])
def test_what_a_run_tells_of_a_stroke_is_what_happened(before_wall, floor, wall):
    """Momentum, angular momentum and energy that bodies gain are those of the impulses told; in the plane of the motion."""
    ball, p = before_wall
    start = ball.start(center=(0.6, 0, r), velocity=(1.8, 0, 0), parameters={p["on floor"]: floor, p["on wall"]: wall})
    run = zm.simulate(ball, start, until=0.2, rtol=1e-12)
    told, t = run.impulses[0], run.changes[0]
    given = dict(zip(told.constraints, told.impulses, strict=True))
    I = {
        f"{name} {what}": given.get(f"{name} {what}", 0.0)
        for name in ball_names(ball)
        for what in ("normal", "friction")
    }
    one, two = (segment.state(t) for segment in run.segments[:2])
    Δv = two[ball.body.velocity] - one[ball.body.velocity]
    Δω = two[ball.body.angular_velocity] - one[ball.body.angular_velocity]
    assert told.change[[ball.index(x) for x in ball.body.position]] == pytest.approx(Δv, abs=1e-14)
    assert I["wall normal"] == pytest.approx(1.5 * m * 1.8, rel=1e-9)
    assert m * Δv == pytest.approx(
        [I["floor friction"] - I["wall normal"], 0, I["floor normal"] + I["wall friction"]], abs=1e-9
    )
    assert 0.4 * m * r * Δω[1] == pytest.approx(-I["floor friction"] - I["wall friction"], abs=1e-9)
    assert told.energy == pytest.approx(two[ball.kinetic] - one[ball.kinetic], abs=1e-12)
    assert told.energy < 0.0
    assert min(run.at(np.linspace(0, 0.2, 50))[pair.gap].min() for pair in ball.pairs) >= -1e-12


def ball_names(ball: zm.Contacts) -> list[str]:
    """Of its contacts; one that takes no impulse is not told."""
    return [pair.name for pair in ball.pairs]
