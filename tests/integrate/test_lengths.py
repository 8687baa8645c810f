"""Lengths that pass through zero: springs shot straight through their anchors, against the motion of a signed length."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm

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
        assert run.kinds == ("motion",)
        np.testing.assert_allclose(run.state(T)[p.position], expected, atol=2e-9)  # 20 rtol: five passages at most


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
    np.testing.assert_allclose(run.state(0.7)[p.position], s * np.array([0.6, 0.0, 0.8]), atol=1e-9)
    come = zm.simulate(system, system.start([(p.position, (0, 0, 1.0)), (p.velocity, ORIGIN)]), until=1.5)
    back = zm.simulate(system, come.state(1.5), until=0.0)
    np.testing.assert_allclose(back.state(0.0)[p.position], (0, 0, 1.0), atol=1e-9)


def test_at_rest_on_the_anchor_there_is_no_direction():
    p, system = spring(10.0, 0.3)
    with pytest.warns(zm.RunStopped, match=r"vanishes there and has no direction: begin beside it, or with a velocity"):
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
    np.testing.assert_allclose(distance, signed(15.0, 0.3, 1.2, 2.0) * u, atol=2e-9)


def test_derivatives_end_at_a_passage_and_files_know_it(tmp_path):
    p, system = spring(10.0, 0.3)
    run = zm.simulate(system, system.start([(p.position, (0, 0, 1.0)), (p.velocity, ORIGIN)]), until=1.0)
    with pytest.raises(zm.ModelError, match=r"passes through zero, at t = 0\.636"):
        zm.sensitivity(run)
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


@pytest.mark.slow
def test_of_a_large_system():
    parts = [zm.Particle(f"p{i}", 1.0) for i in range(45)]
    springs = [zm.Spring(10.0, part.position, (0, 0, float(i)), length=0.3) for i, part in enumerate(parts)]
    system = zm.System(parts, forces=springs)
    places = [(part.position, (0, 0, i + 1.0)) for i, part in enumerate(parts)]
    run = zm.simulate(system, system.start([*places, *((part.velocity, ORIGIN) for part in parts)]), until=0.9)
    assert run.program.code == "rolled"
    heights = run.state(0.9)[np.array([part.position[2] for part in parts])]
    np.testing.assert_allclose(heights - np.arange(45), signed(10.0, 0.3, 1.0, 0.9), atol=2e-9)
