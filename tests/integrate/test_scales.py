"""Equations multiplied by numbers of any size: the same motion, or one clear word about what is too large or too small."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from integrate.references.one_mass import stopped_or_complete

SIZES = [10.0**k for k in (-300, -200, -160, -150, -120, -60, -20, 20, 60, 120, 150, 160, 200, 300)]


def pendulum(rod: float = 1.0, energy: float = 1.0) -> tuple[zm.System, np.ndarray]:
    x, y = zm.coordinates("x y")
    system = zm.System(
        kinetic=energy * (zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2,
        potential=energy * 9.81 * y,
        constraints={"rod": rod * (x**2 + y**2 - 1)},
    )
    return system, np.array([x, y])


def swung(**factors: float) -> tuple[zm.Run, np.ndarray]:
    system, (x, y) = pendulum(**factors)
    start = system.start({x: 1.0, y: 0.0, zm.rate(y): 0.0})
    return stopped_or_complete(system, start, until=1.0), np.array([x, y])


def edge(factor: float) -> tuple[zm.Run, np.ndarray]:
    x, y, a = zm.coordinates("x y a")
    X, Y, ω = zm.rate(x), zm.rate(y), zm.rate(a)
    system = zm.System(
        kinetic=(X**2 + Y**2 + ω**2) / 2,
        potential=x / 2,
        constraints={"edge": factor * (X * np.sin(a) - Y * np.cos(a))},
    )
    start = system.start({x: 0.0, y: 0.0, a: 0.3, ω: 1.0, X: 1.0})
    return stopped_or_complete(system, start, until=1.0), np.array([x, y, a])


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("motion", [lambda s: swung(rod=s), lambda s: swung(energy=s), edge])
def test_a_factor_changes_nothing_or_is_named(motion, size):
    expected, q = motion(1.0)
    run, r = motion(size)
    if run.outcome.complete:
        np.testing.assert_allclose(run.at(1.0)[r], expected.at(1.0)[q], rtol=0, atol=1e-9)  # at the tolerance of 1e-10
    else:
        assert "multiply it by 1e" in run.outcome.message
        assert f"{size:.0e}" in run.outcome.message or abs(np.log10(size)) > 140
        assert len(run.t) == 1


@pytest.mark.parametrize("size", [s for s in SIZES if 1e-130 < s < 1e130])
def test_factors_of_common_sizes_change_nothing(size):
    assert swung(rod=size)[0].outcome.complete
    assert edge(size)[0].outcome.complete


@pytest.mark.parametrize("size", [1e-200, 1e-160, 1e160, 1e200])
def test_lengths_whose_squares_are_no_numbers_are_named(size):
    """x² + y² = s² with s² = 0, or infinite, in float64: the rod would be ignored."""
    x, y = zm.coordinates("x y")
    system = zm.System(
        kinetic=(zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2,
        potential=9.81 * size * y,
        constraints={"rod": (x / size) ** 2 + (y / size) ** 2 - 1},
    )
    start = system.start({x: size, y: 0.0, zm.rate(y): 0.0})
    run = stopped_or_complete(system, start, until=1.0, atol=1e-12 * size, rtol=1e-10)
    assert not run.outcome.complete
    assert "rod" in run.outcome.message
