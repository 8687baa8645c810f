"""Several switches at once, or without end: contacts that stick together, let go one by one, and come to rest."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from integrate.references.one_mass import METHODS, TIGHT, mass, stopped_or_complete


@pytest.mark.parametrize("method", METHODS)
def test_two_switches_at_the_same_time(method):
    """Two like masses that do not know of one another: both turn, and both stick, at the same times."""
    x, y = zm.coordinates("x y")
    dx, dy = zm.rate(x), zm.rate(y)
    system = zm.System(
        kinetic=(dx**2 + dy**2) / 2,
        potential=(x**2 + y**2) / 2,
        forces={x: -0.5 * np.sign(dx), y: -0.5 * np.sign(dy)},
    )
    run = zm.simulate(system, system.start({x: 2.3, y: 2.3}), until=10.0, method=method, **TIGHT)
    np.testing.assert_allclose(
        run.at(10.0)[np.array([x, y])], [[0.3, 0.3]], rtol=0, atol=1e-10
    )  # 2.3, −1.3, 0.3: sticks


@pytest.mark.parametrize("method", METHODS)
def test_three_contacts_of_two_masses(method):
    """Friction on the ground of both and between them: who holds whom is not determined, that nothing moves is.

    Pushed by t from rest, ground 1 each, between 5: at t = 2 both go as one, 2 ẍ = t − 2.
    """
    x, y = zm.coordinates("x y")
    dx, dy = zm.rate(x), zm.rate(y)
    between = 5.0 * np.sign(dx - dy)
    system = zm.System(
        kinetic=(dx**2 + dy**2) / 2,
        coordinates=[x, y],
        forces={x: zm.t - np.sign(dx) - between, y: between - np.sign(dy)},
    )
    run = stopped_or_complete(system, system.start({x: 0.0, y: 0.0}), until=4.0, method=method)
    times = np.linspace(0.0, float(run.t[-1]), 9)
    np.testing.assert_allclose(run.at(times)[x], np.maximum(times - 2, 0) ** 3 / 12, rtol=0, atol=1e-10)
    np.testing.assert_allclose(run.at(times)[y], np.maximum(times - 2, 0) ** 3 / 12, rtol=0, atol=1e-10)


@pytest.mark.parametrize("method", METHODS)
def test_one_contact_lets_go_while_another_holds(method):
    """Blocks on the ground with frictions 1 and 3, a weak spring between, the first pulled by 0.5 t: it goes at t = 2."""
    x, y = zm.coordinates("x y")
    dx, dy = zm.rate(x), zm.rate(y)
    system = zm.System(
        kinetic=(dx**2 + dy**2) / 2,
        potential=0.05 * (x - y) ** 2,
        forces={x: 0.5 * zm.t - np.sign(dx), y: -3.0 * np.sign(dy)},
    )
    run = zm.simulate(system, system.start({x: 0.0, y: 0.0}), until=4.0, method=method, **TIGHT)
    # ẍ = −0.1 x + 0.5 (t − 2) from rest: x = 5 (τ − sin(ωτ)/ω), ω² = 0.1
    τ, ω = 2.0, np.sqrt(0.1)
    np.testing.assert_allclose(run.at(4.0)[x], 5 * (τ - np.sin(ω * τ) / ω), rtol=0, atol=1e-10)
    np.testing.assert_allclose(run.at(4.0)[y], 0.0, rtol=0, atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_one_surface_written_twice_while_another_slides(method):
    """Friction as two wheres, and as where and sign, of the same speed, beside another contact: both come to rest."""
    x, y = zm.coordinates("x y")
    dx, dy = zm.rate(x), zm.rate(y)
    twice = zm.where(dx < 0, 1.0, 0.0) + zm.where(dx > 0, -1.0, 0.0) - 0.5 * np.sign(2 * dx)
    system = zm.System(kinetic=(dx**2 + dy**2) / 2, coordinates=[x, y], forces={x: twice, y: -np.sign(dy)})
    run = zm.simulate(system, system.start({x: 0.0, y: 0.0, dx: 3.0, dy: 1.5}), until=4.0, method=method, **TIGHT)
    np.testing.assert_allclose(run.at(4.0)[np.array([x, y])], [[3.0**2 / 3, 1.5**2 / 2]], rtol=0, atol=1e-11)


@pytest.mark.parametrize("method", METHODS)
def test_infinitely_many_switches_end_at_rest_or_by_name(method):
    """ẍ = −sign x − 0.3 sign ẋ: half-swings shrink by 0.7/1.3 each, and end at rest at 0 in a finite time."""
    system, x, v = mass(lambda x, v: -np.sign(x) - 0.3 * np.sign(v))
    run = stopped_or_complete(system, system.start({x: 1.0, v: 0.0}), until=20.0, method=method)
    if run.outcome.complete:
        assert abs(run.at(20.0)[x][0]) <= 1e-9
    else:
        ratio, total, height = 0.7 / 1.3, 0.0, 1.0
        for _ in range(200):
            total += np.sqrt(2 * height / 0.7)
            height *= ratio
            total += np.sqrt(2 * height / 1.3)
        assert run.t[-1] == pytest.approx(total, abs=1e-3)


@pytest.mark.parametrize("method", METHODS)
def test_a_valley_with_a_corner(method):
    """On y = 0.3 |x| each blow leaves r = 0.91/1.09 of ẋ, between them ẍ = ∓0.3 g/1.09: at rest, or stopped, at the end."""
    x, y = zm.coordinates("x y")
    system = zm.System(
        kinetic=(zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2, potential=9.81 * y, constraints={"valley": y - 0.3 * np.abs(x)}
    )
    run = stopped_or_complete(system, system.start({x: 0.5}), until=12.0, method=method)
    a, r = 0.3 * 9.81 / 1.09, 0.91 / 1.09
    quarter = np.sqrt(2 * 0.5 / a)
    end = quarter * (1 + 2 * r / (1 - r))
    blows = quarter * (1 + 2 * np.cumsum(r ** np.arange(1, 20)))
    np.testing.assert_allclose([blow.t for blow in run.impulses][:20], [quarter, *blows], rtol=0, atol=1e-10)
    if run.outcome.complete:
        assert abs(run.at(12.0)[x][0]) <= 1e-9
    else:
        assert run.t[-1] == pytest.approx(end, abs=1e-2)


@pytest.mark.parametrize("method", METHODS)
def test_friction_on_an_incline_from_its_normal_force(method):
    """Nonideal, μ N against the motion: up the slope to rest, and it stays there, since tan α < μ."""
    α, μ, g = 0.4, 0.6, 9.81
    c, s = np.cos(α), np.sin(α)
    x, y = q = zm.coordinates("x y")
    speed = zm.rate(x) * c + zm.rate(y) * s
    rub = -μ * g * c * np.sign(speed)
    system = zm.System(
        kinetic=(zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2,
        potential=g * y,
        constraints={"incline": y * c - x * s},
        nonideal={x: rub * c, y: rub * s},
        coordinates=[*q],
    )
    run = zm.simulate(
        system, system.start({x: 0.0, zm.rate(x): 2.0 * c, zm.rate(y): 2.0 * s}), until=2.0, method=method, **TIGHT
    )
    way = 2.0**2 / (2 * (g * s + μ * g * c))
    np.testing.assert_allclose(run.at([1.0, 2.0])[x], way * c, rtol=0, atol=1e-11)
    np.testing.assert_allclose(run.at([1.0, 2.0])[speed], 0.0, rtol=0, atol=1e-12)
