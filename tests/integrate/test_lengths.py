"""Lengths that pass through zero: springs shot straight through their anchors, against the motion of a signed length."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import zeromass as zm
from zeromass.integrate.hybrid.motion import Driver
from zeromass.integrate.hybrid.piece_loop import PieceLoop

ORIGIN = (0.0, 0.0, 0.0)


def signed(k: float, l: float, z: float, T: float) -> float:
    """s(T) of s̈ = −k (s − l sgn s) from rest at z > l: half waves about ±l, joined where s is 0."""
    ω, s, v, t, side = np.sqrt(k), z, 0.0, 0.0, 1.0
    while True:
        a, b = s - side * l, v / ω
        r, φ = np.hypot(a, b), np.arctan2(b, a)  # s = ±l + r cos(ω τ − φ)
        zero = np.arccos(-side * l / r) if r > l else np.inf
        later = [τ for n in range(-1, 3) for sign in (1, -1) if (τ := (φ + sign * zero + 2 * np.pi * n) / ω) > 1e-9]
        τ = min(later, default=np.inf)
        if not t + τ < T:
            return float(side * l + r * np.cos(ω * (T - t) - φ))
        s, v, t, side = 0.0, -ω * r * np.sin(ω * τ - φ), t + τ, -side


def spring(k: float, l: float, anchor=ORIGIN):
    p = zm.Particle("p", mass=1.0)
    return p, zm.System([p], forces=zm.Spring(k, p.position, anchor, length=l))


def lines(count: int, seed: int):
    random = np.random.default_rng(seed)
    for i in range(count):
        u = np.eye(3)[i % 3] if i % 2 else random.standard_normal(3)
        k, l, z = random.uniform(1, 40), random.uniform(0.05, 0.6), random.uniform(0.8, 2.0)
        yield k, l, z, u / np.linalg.norm(u), ORIGIN if i % 4 < 2 else random.standard_normal(3)


@pytest.mark.parametrize("count", [6, pytest.param(60, marks=pytest.mark.slow)])
def test_a_spring_straight_through_its_anchor(count):
    """Errors were up to 2e-2 at rtol = 1e-10, where a step had crossed the jump of the force unseen."""
    for k, l, z, u, anchor in lines(count, seed=0):
        p, system = spring(k, l, anchor)
        T = 2.5 * np.pi / np.sqrt(k)
        run = zm.simulate(system, system.start([(p.position, anchor + z * u), (p.velocity, ORIGIN)]), until=T)
        expected = anchor + signed(k, l, z, T) * u
        assert run.modes == ("motion",)
        np.testing.assert_allclose(
            run.state(T)[p.position], expected, rtol=0.0, atol=2e-9
        )  # 20 rtol: five passages at most


@pytest.mark.parametrize("method", ["collocation", "dop853", pytest.param("radau", marks=pytest.mark.slow)])
def test_every_method_and_the_certificate_knows(method):
    p, system = spring(10.0, 0.3)
    start = system.start([(p.position, (0, 0, 1.0)), (p.velocity, ORIGIN)])
    run = zm.simulate(system, start, until=2.0, method=method)
    error = abs(run.state(2.0)[p.position[2]] - signed(10.0, 0.3, 1.0, 2.0))
    assert error < 2e-9
    assert 8.0 < run.certificate().digits <= -np.log10(error) + 1.0


def test_from_the_anchor_and_back():
    """Begun at the anchor with a velocity it moves as one that comes through it; backwards it returns."""
    p, system = spring(10.0, 0.3)
    start = system.start([(p.position, ORIGIN), (p.velocity, (0.6, 0.0, 0.8))])
    run = zm.simulate(system, start, until=0.7)
    r, φ = np.hypot(0.3, 1 / np.sqrt(10.0)), np.arctan2(1 / np.sqrt(10.0), -0.3)
    s = 0.3 + r * np.cos(np.sqrt(10.0) * 0.7 - φ)  # s̈ = −k (s − l), s(0) = 0, ṡ(0) = 1
    np.testing.assert_allclose(run.state(0.7)[p.position], s * np.array([0.6, 0.0, 0.8]), rtol=0.0, atol=1e-9)
    come = zm.simulate(system, system.start([(p.position, (0, 0, 1.0)), (p.velocity, ORIGIN)]), until=1.5)
    back = zm.simulate(system, come.state(1.5), until=0.0)
    np.testing.assert_allclose(back.state(0.0)[p.position], (0, 0, 1.0), rtol=0.0, atol=1e-9)


def test_at_rest_on_the_anchor_there_is_no_direction():
    p, system = spring(10.0, 0.3)
    with pytest.warns(
        zm.errors.RunStopped, match=r"vanishes there and has no direction: begin beside it, or with a velocity"
    ):
        zm.simulate(system, system.start([(p.position, ORIGIN), (p.velocity, ORIGIN)]), until=1.0)


def test_roots_of_squares_are_absolute_values():
    """√(x²), hypot(x, y) on a line, and a vector of several points, against |x|, which is known to switch."""
    x, y = zm.coordinates("x y")
    v = zm.rate(np.array([x, y]))
    plain = zm.System(kinetic=v[0] ** 2 / 2, potential=abs(x))
    expected = zm.simulate(plain, plain.start({x: 1.0}), until=5.0, rtol=1e-12).state(5.0)[x]
    root = zm.System(kinetic=v[0] ** 2 / 2, potential=np.sqrt(x**2))
    assert zm.simulate(root, root.start({x: 1.0}), until=5.0).state(5.0)[x] == pytest.approx(expected, abs=1e-9)
    length = zm.System(kinetic=v @ v / 2, potential=np.hypot(x, y))
    end = zm.simulate(length, length.start({x: 0.6, y: 0.8}), until=5.0).state(5.0)
    assert (end[x], end[y]) == pytest.approx((0.6 * expected, 0.8 * expected), abs=1e-9)


def test_two_bodies_pass_through_one_another():
    """The distance moves as a spring with the reduced mass 2/3."""
    a, b, u = zm.Particle("a", mass=1.0), zm.Particle("b", mass=2.0), np.array([2.0, -1.0, 2.0]) / 3
    system = zm.System([a, b], forces=zm.Spring(10.0, a.position, b.position, length=0.3))
    rest = [(a.velocity, ORIGIN), (b.velocity, ORIGIN)]
    run = zm.simulate(system, system.start([(a.position, u), (b.position, -0.2 * u), *rest]), until=2.0)
    distance = run.state(2.0)[a.position - b.position]
    np.testing.assert_allclose(distance, signed(15.0, 0.3, 1.2, 2.0) * u, rtol=0.0, atol=2e-9)


def test_derivatives_end_at_a_passage_and_files_know_it(tmp_path):
    p, system = spring(10.0, 0.3)
    run = zm.simulate(system, system.start([(p.position, (0, 0, 1.0)), (p.velocity, ORIGIN)]), until=1.0)
    with pytest.raises(zm.errors.ModelError, match=r"passes through zero, at t = 0\.636"):
        run.sensitivity()
    again = zm.load(run.save(tmp_path / "run.nc", certificate=False))
    assert np.array_equal(again.y, run.y)
    assert again.segments[0].crossed == run.segments[0].crossed
    times = np.linspace(0.0, 1.0, 33)
    assert np.array_equal(again.at(times).y, run.at(times).y)


def test_what_passes_beside_the_anchor_is_left_alone():
    p, system = spring(10.0, 0.3)
    start = system.start([(p.position, (0, 0, 1.0)), (p.velocity, (0.02, 0, 0))])
    (segment,) = zm.simulate(system, start, until=1.0).segments
    assert not segment.crossed
    assert np.diff(segment.t).min() > 1e-6


@pytest.mark.parametrize("rtol", [1e-6, 1e-8, 1e-10])
def test_two_bodies_from_rest_pass_one_another_again_and_again(rtol):
    """Errors of the steps make them pass at a distance: of less than rounding, or of more."""
    p, q = zm.Particle("p", mass=1.0), zm.Particle("q", mass=3.0)
    system = zm.System([p, q], forces=zm.Spring(40.0, p.position - q.position, length=0.3))
    for u in [(3, 4, 0), (3, 4, 12), (2, 3, 6), (1, 2, 2)]:
        n = np.array(u) / np.linalg.norm(u)
        start = system.start(
            [(p.position, tuple(1.3 * n)), (p.velocity, ORIGIN), (q.position, ORIGIN), (q.velocity, ORIGIN)]
        )
        run = zm.simulate(system, start, until=5.0, rtol=rtol)
        apart = (run[p.position][-1] - run[q.position][-1]) @ n
        assert abs(apart - signed(40.0 / 0.75, 0.3, 1.3, 5.0)) <= 100 * rtol  # steps of rtol each, some hundred


def test_what_passes_beside_the_anchor_is_not_stepped_over():
    """The force turns between the start of a step and its first stage: no stage of collocation sees that; energy does."""
    random = np.random.default_rng(1)
    p, k, l = zm.Particle("p", mass=1.0), zm.parameter("k", 1.0), zm.parameter("l", 1.0)
    system = zm.System([p], forces=zm.Spring(k, p.position, ORIGIN, length=l))
    energy = p.velocity @ p.velocity / 2 + k / 2 * (np.sqrt(p.position @ p.position) - l) ** 2
    for _ in range(60):
        (x, y), rtol = np.linalg.qr(random.normal(size=(2, 2)))[0], 10.0 ** random.integers(-9, -5)
        z, off, speed = random.uniform(0.5, 1.5), 10.0 ** random.uniform(-10, -5), random.uniform(-2, 2)
        given = [(p.position, (*(z * x + off * y), 0.0)), (p.velocity, (*(speed * x), 0.0))]
        values = {k: 10 ** random.uniform(1.0, 2.0), l: 10 ** random.uniform(-1.5, -0.5)}
        run = zm.simulate(system, system.start(given, parameters=values), until=6.0, rtol=rtol)
        E = run[energy]
        assert np.abs(E - E[0]).max() <= 1e3 * rtol * E[0], (off, rtol)


@pytest.mark.slow
def test_of_a_large_system():
    parts = [zm.Particle(f"p{i}", 1.0) for i in range(45)]
    springs = [zm.Spring(10.0, part.position, (0, 0, float(i)), length=0.3) for i, part in enumerate(parts)]
    system = zm.System(parts, forces=springs)
    places = [(part.position, (0, 0, i + 1.0)) for i, part in enumerate(parts)]
    run = zm.simulate(system, system.start([*places, *((part.velocity, ORIGIN) for part in parts)]), until=0.9)
    assert run.program.code == "rolled"
    heights = run.state(0.9)[np.array([part.position[2] for part in parts])]
    np.testing.assert_allclose(heights - np.arange(45), signed(10.0, 0.3, 1.0, 0.9), rtol=0.0, atol=2e-9)


def beside(kind: str, p: zm.Particle, k: float, l: float, u: np.ndarray, anchor) -> tuple[zm.System, list]:
    """A spring on a particle in a system that has a switch as well, one that the particle does not feel."""
    force = zm.Spring(k, p.position, anchor, length=l)
    if kind == "friction":
        q = zm.coordinate("q")
        rubbed = {q: -0.5 * np.sign(zm.rate(q))}
        return zm.System([p], kinetic=zm.rate(q) ** 2 / 2, forces=[force, rubbed]), [(q, 0.0), (zm.rate(q), 0.3)]
    if kind == "maximum":
        late = zm.Force(np.maximum(zm.t - 100, 0) * u, at=p.position)
        return zm.System([p], forces=[force, late]), []
    return zm.System(
        [p], gravity=0, joints=[zm.joints.Rope(zm.Ground(), p, length=50.0, name="rope")], forces=[force]
    ), []


@pytest.mark.parametrize("count", [4, pytest.param(24, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", ["friction", "maximum", "rope"])
def test_a_spring_through_its_anchor_beside_a_switch(kind, count):
    """Errors were up to 5e-4; with a slack rope at the same anchor the run ended as if the rope were at a dead centre."""
    p = zm.Particle("p", mass=1.0)
    for k, l, z, u, anchor in lines(count, seed=0):
        system, more = beside(kind, p, k, l, u, anchor)
        T = 2.5 * np.pi / np.sqrt(k)
        run = zm.simulate(system, system.start([(p.position, anchor + z * u), (p.velocity, ORIGIN), *more]), until=T)
        np.testing.assert_allclose(run.state(T)[p.position], anchor + signed(k, l, z, T) * u, rtol=0.0, atol=2e-9)
        times = np.linspace(0.0, T, 7)
        expected = anchor + np.array([signed(k, l, z, t) for t in times])[:, None] * u
        np.testing.assert_allclose(run.at(times)[p.position], expected, rtol=0.0, atol=2e-9)


def test_from_the_anchor_beside_a_switch_and_files_know_it(tmp_path):
    p, u = zm.Particle("p", mass=1.0), np.array([0.6, 0.0, 0.8])
    system, more = beside("friction", p, 10.0, 0.3, u, ORIGIN)
    run = zm.simulate(system, system.start([(p.position, ORIGIN), (p.velocity, u), *more]), until=2.0)
    r, φ = np.hypot(0.3, 1 / np.sqrt(10.0)), np.arctan2(1 / np.sqrt(10.0), -0.3)
    back = (2 * φ) / np.sqrt(10.0)  # s = 0.3 + r cos(√10 t − φ) is 0 again
    assert back < 2.0
    s = -(0.3 + r * np.cos(np.sqrt(10.0) * (2.0 - back) - φ))
    np.testing.assert_allclose(run.state(2.0)[p.position], s * u, rtol=0.0, atol=1e-9)
    again = zm.load(run.save(tmp_path / "run.nc", certificate=False))
    times = np.linspace(0.0, 2.0, 33)
    assert np.array_equal(again.at(times).y, run.at(times).y)


def test_a_spring_that_only_pulls():
    """Half a wave, a flight through the anchor, half a wave beyond."""
    x, y = zm.coordinates("x y")
    d, v, e = np.array([x, y]), zm.rate(np.array([x, y])), np.array([0.6, 0.8])
    r = np.sqrt(d @ d)
    F = -10 * np.maximum(r - 0.3, 0) * d / r
    system = zm.System(kinetic=v @ v / 2, forces={x: F[0], y: F[1]})
    run = zm.simulate(system, system.start({x: 0.6, y: 0.8}), until=1.2)
    ω = np.sqrt(10.0)
    there = np.pi / 2 / ω + 0.6 / (0.7 * ω)
    np.testing.assert_allclose(run.state(1.2)[d], -(0.3 + 0.7 * np.sin(ω * (1.2 - there))) * e, rtol=0.0, atol=1e-9)


def driven(force, path: dict, T: float) -> float:
    """z(T) of z̈ = f along a motion at constant velocity."""
    z = zm.coordinate("z")
    places = [e for e in path if e.order == 0]
    kinetic = sum(zm.rate(q) ** 2 for q in [*places, z]) / 2
    system = zm.System(kinetic=kinetic, forces={z: force})
    run = zm.simulate(system, system.start({**path, z: 0.0, zm.rate(z): 0.0}), until=T)
    assert run.outcome.ending.value == "finished"
    return run.state(T)[z]


@pytest.mark.parametrize("angle", [0.1, 0.927, 1.63, 2.39, 3.91, 4.67, 5.44, 6.2])
def test_an_angle_jumps_by_half_a_turn_where_its_point_passes_the_origin(angle):
    """The angle is φ ∓ π before and φ after; errors were up to 1.5e-7."""
    x, y = zm.coordinates("x y")
    e = np.cos(angle), np.sin(angle)
    path = {x: 0.1 * np.pi - e[0], y: -0.3 - e[1], zm.rate(x): e[0], zm.rate(y): e[1]}
    before, after = np.arctan2(-e[1], -e[0]), np.arctan2(e[1], e[0])
    z = driven(np.arctan2(y + 0.3, x - 0.1 * np.pi), path, 3.0)
    assert z == pytest.approx(2.5 * before + 2.0 * after, abs=1e-9)


def test_an_angle_that_goes_on_smoothly_passes_its_origin():
    """Where both ways round give one motion; where they do not, the run ends there."""
    x, y = zm.coordinates("x y")
    v, φ, r2 = zm.rate(np.array([x, y])), np.arctan2(y, x), x**2 + y**2
    periodic = zm.System(kinetic=v @ v / 2, potential=r2 * (1 + 0.1 * np.cos(φ) ** 2))
    begin = {x: -1.0, y: 0.0, zm.rate(x): 1.0, zm.rate(y): 0.0}
    ω = np.sqrt(2.2)
    end = zm.simulate(periodic, periodic.start(begin), until=3.0).state(3.0)
    assert (end[x], end[y]) == pytest.approx((np.sin(3 * ω) / ω - np.cos(3 * ω), 0.0), abs=1e-9)
    wound = zm.System(kinetic=v @ v / 2, potential=r2 * (1 + 0.1 * (φ - np.sin(2 * φ) / 2)))
    with pytest.warns(
        zm.errors.RunStopped, match=r"'arctan2\(y, x\)' passes its origin, where the angle jumps by π or by −π"
    ):
        run = zm.simulate(wound, wound.start(begin), until=3.0)
    ω = np.sqrt(2 * (1 + 0.1 * np.pi))
    assert run.outcome.t == pytest.approx(np.arctan(ω) / ω, abs=1e-9)


@pytest.mark.parametrize(("T", "rtol"), [(4.1, 1e-10), (7.7, 1e-8), (20.0, 1e-8), (20.0, 1e-10)])
def test_a_speed_that_vanishes_far_from_where_its_step_begins(T, rtol):
    """z̈ = |ω sin ωt| of a swing: where a long step begins, the acceleration does not tell of the next turning point."""
    x, y, z = zm.coordinates("x y z")
    v, ω = zm.rate(np.array([x, y, z])), 1.3
    system = zm.System(
        kinetic=v @ v / 2, potential=ω**2 * (x**2 + y**2) / 2, forces={z: np.sqrt(v[0] ** 2 + v[1] ** 2)}
    )
    run = zm.simulate(system, system.start({x: 0.6, y: 0.8, z: 0.0}), until=T, rtol=rtol)
    turns = [0.0, *np.arange(np.pi / ω, T, np.pi / ω), T]
    nodes, weights = np.polynomial.legendre.leggauss(30)
    exact = 0.0
    for a, b in pairwise(turns):
        t = (a + b) / 2 + (b - a) / 2 * nodes
        exact += (b - a) / 2 * weights @ ((T - t) * np.abs(ω * np.sin(ω * t)))
    assert len(run.passages) == len(turns) - 2
    assert run.state(T)[z] == pytest.approx(exact, rel=30 * rtol)


KINKS = {
    "arccos(cos x)": (lambda x: np.arccos(np.cos(x)), np.abs),
    "arcsin(cos x)": (lambda x: np.arcsin(np.cos(x)), lambda s: np.pi / 2 - np.abs(s)),
    "arccosh(cosh x)": (lambda x: np.arccosh(np.cosh(x)), np.abs),
    "angle of a vector": (lambda x: np.arccos(1 / np.sqrt(1 + x**2)), lambda s: np.abs(np.arctan(s))),
    "factors": (lambda x: np.sqrt(x**2 * (1 + x**2)), lambda s: np.abs(s) * np.sqrt(1 + s**2)),
    "power": (lambda x: (x**2) ** 0.75, lambda s: np.abs(s) ** 1.5),
    "form": (lambda x: np.sqrt(x**2 + 2 * x * np.sin(x) + np.sin(x) ** 2), lambda s: np.abs(s + np.sin(s))),
    "chosen": (lambda x: zm.where(np.hypot(x, x) > 0, x / np.hypot(x, x), 0.0), lambda s: np.sign(s) / np.sqrt(2)),
}


@pytest.mark.parametrize("name", KINKS)
def test_kinks_where_something_touches_zero(name):
    """Against quadrature of (T − t) f on both sides; errors were up to 4e-7, and 1e-4 where a jump was chosen."""
    x = zm.coordinate("x")
    formula, value = KINKS[name]
    for c in (0.63, 1.0, 1.21):
        nodes, weights = np.polynomial.legendre.leggauss(60)
        sides = [(a + b) / 2 + (b - a) / 2 * nodes for a, b in ((0, c), (c, 2.0))]
        halves = [c / 2, (2.0 - c) / 2]
        exact = sum(h * weights @ ((2.0 - t) * value(t - c)) for h, t in zip(halves, sides, strict=True))
        z = driven(formula(x), {x: -c, zm.rate(x): 1.0}, 2.0)
        assert z == pytest.approx(exact, abs=2e-8 if name == "power" else 1e-9)  # quadrature of |s|^1.5


def test_members_through_an_anchor_are_runs_and_have_their_extremes():
    """Steps of no length lie between the parts of such motions: values are asked for there too, and nothing is divided."""
    p, k = zm.Particle("p", mass=1.0), zm.parameter("k", 10.0)
    n, far = np.array([0.6, 0.0, 0.8]), np.sqrt(p.position @ p.position)
    system = zm.System([p], forces=zm.Spring(k, p.position, ORIGIN, length=0.3))
    start = system.start([(p.position, tuple(1.2 * n)), (p.velocity, ORIGIN)])
    keep = {"place": p.position, "least": zm.study.smallest(far), "mean": zm.study.mean(far)}
    study = zm.sweep(system, start, over={k: [1.0, 7.0, 31.0]}, keep=keep, until=5.0)
    assert (study["outcome"] == "finished").all()
    for i, stiffness in enumerate([1.0, 7.0, 31.0]):
        start = system.start([(p.position, tuple(1.2 * n)), (p.velocity, ORIGIN)], parameters={k: stiffness})
        run = zm.simulate(system, start, until=5.0, method="dop853")
        assert study["place"].values[i].tolist() == run[p.position][-1].tolist()
        assert study["least"][i] == pytest.approx(run.minimum(far).value, abs=1e-9) == pytest.approx(0.0, abs=1e-9)
        assert study["mean"][i] == pytest.approx(run.mean(far), rel=1e-9)
        assert abs(study["place"].values[i] @ n - signed(stiffness, 0.3, 1.2, 5.0)) <= 1e-8


def test_members_of_a_study_see_kinks_as_runs_do():
    """Errors were up to 6e-8."""
    x, z, c = zm.coordinate("x"), zm.coordinate("z"), zm.parameter("c", 1.0)
    system = zm.System(kinetic=(zm.rate(x) ** 2 + zm.rate(z) ** 2) / 2, forces={z: np.arcsin(np.cos(x))})
    start = system.start({x: -c, zm.rate(x): 1.0, z: 0.0, zm.rate(z): 0.0})
    at = np.array([0.228, 0.252, 0.388, 0.609, 0.697, 0.709, 0.93, 1.0, 1.415, 1.543])
    study = zm.sweep(system, start, over={c: at}, until=2.0, keep={"z": z}, rtol=1e-10)
    exact = np.pi - (at**3 / 3 + at**2 / 2 * (2 - at) + (2 - at) ** 3 / 6)
    np.testing.assert_allclose(study["z"], exact, rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("switch", [False, True])
def test_forces_without_bound_end_by_name_where_their_length_vanishes(switch):
    x, y = zm.coordinates("x y")
    v = zm.rate(np.array([x, y]))
    potential = -1 / np.hypot(x, y) + (np.maximum(zm.t - 100, 0) * x if switch else 0.0)
    system = zm.System(kinetic=v @ v / 2, potential=potential)
    with pytest.warns(zm.errors.RunStopped, match=r"'hypot\(x, y\)' comes to zero there"):
        run = zm.simulate(system, system.start({x: 0.6, y: 0.8}), until=4.0)
    assert run.outcome.t == pytest.approx(np.pi / np.sqrt(8.0), abs=1e-6)  # free fall onto the centre


def test_many_passages_take_time_in_proportion(monkeypatch):
    """A motion is not followed to its end anew from each passage."""
    taken: list[int] = []
    segment, run = PieceLoop.segment, Driver.run

    def counted(self, tell):
        found = segment(self, tell)
        taken.append(found.statistics.evaluations)
        return found

    def driven(self, *given):
        before = self.work.evaluations
        found = run(self, *given)
        taken.append(self.work.evaluations - before)
        return found

    monkeypatch.setattr(PieceLoop, "segment", counted)
    monkeypatch.setattr(Driver, "run", driven)
    p = zm.Particle("p", mass=1.0)
    system, _ = beside("maximum", p, 10.0, 0.3, np.array([0.0, 0.0, 1.0]), ORIGIN)
    start = system.start([(p.position, (0, 0, 1.0)), (p.velocity, ORIGIN)])
    totals = []
    for T in (20.0, 60.0):
        taken.clear()
        zm.simulate(system, start, until=T)
        totals.append(sum(taken))
    assert totals[1] < 4.5 * totals[0]  # 3 in proportion, 9 by the square


@pytest.mark.parametrize("rtol", [1e-2, 1e-3, 1e-4])
def test_two_passages_in_a_step(rtol):
    """Thrown up through its anchor it falls back through it, within one step of a loose tolerance; as with |x|, a switch."""
    x = zm.coordinate("x")

    def thrown(length, k, speed, **given):
        system = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=10 * x + k * (length - 0.5) ** 2 / 2)
        return zm.simulate(system, system.start({x: -0.2, zm.rate(x): speed}), until=0.7, **given)

    for k in (0.5, 2.0, 5.0, 10.0):
        for speed in (2.05, 2.2, 2.5):
            expected = thrown(abs(x), k, speed, rtol=1e-11)
            run = thrown(np.sqrt(x**2), k, speed, rtol=rtol, atol=rtol)
            assert run.state(0.7)[x] == pytest.approx(expected.state(0.7)[x], abs=10 * rtol)  # hardly through
            assert len(run.segments[0].crossed) >= len(expected.switches)


@pytest.mark.parametrize("p", [0.3, 0.5, 1.5, 2.5])
def test_powers_of_a_size_pass_zero(p):
    """−sgn(x)|x|^p is continuous at 0 with a slope that is none, or infinite: v²/2 + |x|^(p + 1)/(p + 1) stays."""
    x = zm.coordinate("x")
    v = zm.rate(x)
    for force in (-np.sign(x) * abs(x) ** p, -np.sign(x) * np.sqrt(abs(x)) ** (2 * p)):
        system = zm.System(kinetic=v**2 / 2, forces={x: force})
        run = zm.simulate(system, system.start({x: 0.5}), until=5.0)
        assert run.outcome.complete, run.outcome
        assert len(run.switches) >= 1
        energy = run[v] ** 2 / 2 + np.abs(run[x]) ** (p + 1) / (p + 1)
        assert np.ptp(energy) <= 1e-9


def test_a_cube_root_passes_zero():
    x = zm.coordinate("x")
    v = zm.rate(x)
    system = zm.System(kinetic=v**2 / 2, forces={x: -np.cbrt(x)})
    run = zm.simulate(system, system.start({x: 0.5}), until=5.0)
    assert run.outcome.complete
    assert np.ptp(run[v] ** 2 / 2 + 0.75 * np.abs(run[x]) ** (4 / 3)) <= 1e-9
