"""States inside steps, many at once: the sums that NumPy makes, and steps taken again side by side, to the bit."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from zeromass.integrate.legendre import legendre
from zeromass.integrate.methods.dop853.inside import MANY
from zeromass.integrate.stepping.between import states_between
from zeromass.integrate.stepping.dense import DEGREE, DenseOutput


@pytest.mark.parametrize("order", [2, 6, 8, 10, 26])
def test_states_are_sums_of_polynomials(order: int) -> None:
    random = np.random.default_rng(order)
    c = random.normal(size=(5, DEGREE + 1, order))
    for count in (1, 7, 8, 19):
        θ, rows = random.uniform(size=count), random.integers(0, 5, count)
        expected = np.zeros((count, order))
        for P, term in zip(legendre(θ, DEGREE + 1), c[rows].swapaxes(0, 1), strict=True):
            expected = expected + np.broadcast_to(P, count)[:, None] * term
        assert np.array_equal(states_between(θ, rows, c), expected)


def test_steps_side_by_side_are_steps_alone() -> None:
    """Those of order 8 are taken again in lanes where there are many."""
    a, b = zm.coordinates("a b")
    k = zm.parameter("k", 2.0)
    kinetic = zm.rate(a) ** 2 + zm.rate(b) ** 2 / 2 + zm.rate(a) * zm.rate(b) * np.cos(a - b)
    system = zm.System(kinetic=kinetic, potential=-9.81 * (k * np.cos(a) + np.cos(b)))
    run = zm.simulate(system, system.start({a: 2.0, b: 1.0}), until=5.0, method="dop853")
    (segment,) = run.segments
    assert len(run) > MANY + 3
    together, alone = (DenseOutput(segment.t, segment.y, segment.inside) for _ in range(2))
    every = together.polynomials()
    for step in (0, 1, MANY, len(run) - 2):
        assert np.array_equal(alone.polynomials(np.array([step]))[0], every[step])
