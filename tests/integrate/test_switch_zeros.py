"""Zeros of functions of time alone against a fine grid: none is missed, whatever jumps and however round the numbers are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import zeromass as zm

Function = Callable[[Any], Any]


def drawn(rng: np.random.Generator, depth: int = 0) -> Function:
    """A random function of time, of an expression as of numbers."""
    c = float(np.round(rng.uniform(0.2, 5), int(rng.integers(0, 3)))) or 1.0
    d = float(np.round(rng.uniform(-1, 1), int(rng.integers(0, 3))))
    kind = rng.integers(9 if depth < 2 else 4)
    if kind < 4:
        plain: tuple[Function, ...] = (
            lambda t: c * t + d,
            lambda t: np.sin(c * t + d),
            lambda t: t % c - d,
            lambda t: np.cos(c * t),
        )
        return plain[kind]
    f = drawn(rng, depth + 1)
    if kind == 4:
        return lambda t: np.abs(f(t)) - abs(d)
    if kind == 5:
        return lambda t: np.floor(c * f(t)) - d - 0.25
    if kind == 6:
        return lambda t: f(t) % c - 0.37 * c
    g = drawn(rng, depth + 1)
    return (lambda t: np.maximum(f(t), g(t)) - d) if kind == 7 else (lambda t: f(t) * g(t) - d)


@pytest.mark.parametrize("seed", range(60))
def test_no_zero_is_missed(seed):
    from zeromass.integrate.ahead import zeros_of_time

    rng = np.random.default_rng([3, seed])
    for _ in range(3):
        f, begin = drawn(rng), float(rng.integers(3))
        end = begin + float(rng.choice([1, 2, 4, 5, 8, 10, 16, 3.7]))
        zeros = zeros_of_time(f(zm.t), begin, end)
        grid = np.linspace(begin, end, 50_021)[1:-1]
        sign = np.sign(f(grid))
        for i in np.flatnonzero(sign[:-1] * sign[1:] < 0):
            assert np.any((zeros >= grid[i] - 1e-9) & (zeros <= grid[i + 1] + 1e-9)), (
                f"between {grid[i]} and {grid[i + 1]} s"
            )


@pytest.mark.parametrize(
    ("u", "last"),
    [
        (zm.where(np.maximum(np.sin(zm.t), 0) >= np.sin(zm.t), 1.0, 2.0), 7.0),
        (zm.where(np.maximum(np.sin(zm.t), 0) <= np.sin(zm.t), 1.0, 2.0), 7.0 + np.pi),
        (np.sign(np.abs(zm.t - 1) - zm.t + 1), 1.0),
        (zm.where(np.minimum(np.sin(3 * zm.t), 0.5) < np.sin(3 * zm.t), 1.0, 0.0), 7 - 25 * np.pi / 18),
        (np.sign(np.sin(zm.t) ** 2 + np.cos(zm.t) ** 2 - 1), 0.0),
    ],
)
def test_an_interval_of_zeros_is_no_switch(u, last):
    """A function that is zero for a while, exactly or to rounding, switches where that begins and ends; ẋ at 7 s is ∫ u."""
    x = zm.coordinate("x")
    system = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: u})
    run = zm.simulate(system, system.start({x: 0.0}), until=7.0, rtol=1e-12, atol=1e-14)
    assert run.outcome.complete
    assert len(run.switches) <= 7
    assert run[zm.rate(x)][-1] == pytest.approx(last, abs=1e-12)
