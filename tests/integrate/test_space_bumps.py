"""Smooth bumps in space, narrow against a step: a mass that flies over one is delayed, whether or not a stage sees it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

import zeromass as zm

METHODS = "collocation", "dop853", "radau"

SHAPES = {
    "exp": lambda s: np.exp(-(s**2)),
    "sech²": lambda s: 1 / np.cosh(s) ** 2,
    "two": lambda s: np.exp(-(s**2)) + np.exp(-((s - 12) ** 2)) / 2,
}

CASES = [("exp", w) for w in (1e-1, 1e-2, 1e-3, 1e-4)] + [("two", w) for w in (1e-1, 1e-2, 1e-3, 1e-4)]
CASES += [("sech²", w) for w in (1e-1, 1e-2)]  # cosh of more is infinite, and the run says so


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("height", [0.3, -0.7])
@pytest.mark.parametrize(("shape", "width"), CASES)
def test_a_bump_in_space_delays_what_flies_over_it(shape, height, width, method):
    """With U = height·shape(x/width) and ½ J, v = √(1 − 2U): late by ∫ (1/v − 1) dx."""
    shape = SHAPES[shape]
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=height * shape((x - 2.0) / width))
    start = system.start({x: 0.0, zm.rate(x): 1.0})
    run = zm.simulate(system, start, until=7.0, rtol=1e-10, atol=1e-12, method=method)

    def late(s: float) -> float:
        return 1 / np.sqrt(1 - 2 * height * shape(s)) - 1

    delay = width * (quad(late, -20, 5, epsabs=1e-13)[0] + quad(late, 5, 32, epsabs=1e-13)[0])
    assert run.state(7.0)[x] == pytest.approx(7.0 - delay, abs=1e-8)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("width", [1e-2, 1e-4, 1e-6])
@pytest.mark.parametrize("height", [0.1, -0.4])
def test_a_potential_that_rises_within_a_short_way(height, width, method):
    """U = height·tanh(x/width): a force height/width (1 − tanh²), which takes the speed from 1 to √(1 − 4 height)."""
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=height * np.tanh((x - 2.0) / width))
    start = system.start({x: 0.0, zm.rate(x): 1.0})
    run = zm.simulate(system, start, until=7.0, rtol=1e-10, atol=1e-12, method=method)
    end = run.state(7.0)[x]

    def slowness(s: float) -> float:
        return 1 / np.sqrt(1 - 2 * height * (np.tanh(s) + 1))

    near = min(30.0, 1.9 / width)
    time = 2.0 - near * width + width * quad(slowness, -near, near, epsabs=1e-12, points=[0.0])[0]
    after = 1 / np.sqrt(1 - 4 * height)
    assert time + (end - 2.0 - near * width) * after == pytest.approx(7.0, abs=1e-8)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(8))
def test_a_swing_over_bumps_of_any_width(seed, method):
    """There and back over bumps at any place, in one coordinate or in two, and of a wire: as with steps that see them."""
    rng = np.random.default_rng(seed)
    width, place, height = 10.0 ** rng.uniform(-3, -1), rng.uniform(-0.7, 0.7), rng.uniform(-0.2, 0.2)
    x, y = zm.coordinates("x y")
    bump = np.exp(-(((x - place) / width) ** 2))
    systems = (
        zm.System(kinetic=zm.rate(x) ** 2 / 2, potential=x**2 / 2 + height * bump),
        zm.System(
            kinetic=(zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2,
            potential=y,
            constraints={"wire": y - abs(height) * width * bump - x**2 / 2},
        ),
    )
    for system in systems:
        start = system.start({x: 1.0, zm.rate(x): 0.0})
        run = zm.simulate(system, start, until=2.5, rtol=1e-9, atol=1e-11, method=method)
        close = zm.simulate(system, start, until=2.5, rtol=1e-12, atol=1e-14, longest_step=width / 3)
        np.testing.assert_allclose(run.y[-1], close.y[-1], rtol=0, atol=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_back_in_time_and_beside_switches(method):
    """The same bump twice, of which one is switched on by a condition that holds anyway; and back to the start."""
    x = zm.coordinate("x")
    force = 40 * (x - 2.0) * 1e3 * np.exp(-(((x - 2.0) * 1e3) ** 2))
    ends = []
    for switched in (force, zm.where(x > 1.0, force, 0.0)):
        system = zm.System(kinetic=zm.rate(x) ** 2 / 2, coordinates=[x], forces={x: switched})
        there = zm.simulate(
            system, system.start({x: 0.0, zm.rate(x): 1.0}), until=4.0, rtol=1e-11, atol=1e-13, method=method
        )
        back = zm.simulate(system, there.state(4.0), until=0.0, rtol=1e-11, atol=1e-13, method=method)
        assert np.abs(back.y[-1] - [0.0, 1.0]).max() < 1e-8
        ends.append(there.y[-1])
    np.testing.assert_allclose(*ends, rtol=0, atol=1e-9)
    assert abs(ends[0][0] - 4.0) > 1e-6
