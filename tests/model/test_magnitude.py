"""The magnitude of an expression bounds the round-off of its value."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import zeromass as zm
from model.mechanisms import EPS
from zeromass.model.state import Magnitude

FORMULAS = {
    "cancelling squares": lambda m, x, y: (x + y) ** 2 - x**2 - 2 * x * y - y**2,
    "a far origin": lambda m, x, y: ((x + 1e6) - 1e6 - x) * y,
    "a small angle": lambda m, x, y: (1 - m.cos(x * 1e-4)) / (1e-8 * (1 + y**2)),
    "a length": lambda m, x, y: m.sqrt(x**2 + y**2) - m.sqrt(x**2 + y**2 + 1e-12),
    "quotients": lambda m, x, y: x / (3 + y**2) - (x - 1) / (3 + y**2) - 1 / (3 + y**2),
    "waves": lambda m, x, y: m.sin(1e5 * x) * m.cos(y) - m.sin(1e5 * x + y),
    "exponentials": lambda m, x, y: m.exp(x + y) - m.exp(x) * m.exp(y),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_bounds_round_off(name):
    """|computed − exact| ≤ ½ ε magnitude, with another ½ for functions that are not correctly rounded."""
    formula = FORMULAS[name]
    x, y = zm.coordinates("x y")
    e = formula(np, x, y)
    magnitude, random = Magnitude(e, [x, y]), np.random.default_rng(1)
    with mpmath.workdps(60):
        for _ in range(200):
            point = random.normal(size=2)
            exact = formula(mpmath, *(mpmath.mpf(value) for value in point))
            error = abs(zm.expression.evaluate(e, dict(zip((x, y), point, strict=True))) - exact)
            (size,) = magnitude(point)
            assert error <= EPS * size


def test_does_not_vanish_with_the_value():
    x = zm.coordinate("x")
    # leaf 1, power |1| + |2x|·1 = 3, difference |0| + 3 + |−1| = 4
    assert Magnitude(x**2 - 1, [x])(np.array([1.0])) == 4.0


def test_choice():
    x = zm.coordinate("x")
    e = zm.where(x > 0, 100 * x, x)
    # multiply |100| + 100·1 + 1·|100| = 300, and |value| once more for the choice
    assert Magnitude(e, [x])(np.array([1.0])) == 400.0
    assert Magnitude(e, [x])(np.array([-1.0])) == 2.0


def test_inputs_may_be_less_exact_than_their_value():
    x, y = zm.coordinates("x y")
    assert Magnitude(x + y, [x, y])(np.array([0.0, 0.0]), np.array([2.0, 3.0])) == 5.0


def test_what_is_exactly_zero_has_no_effect():
    """√0 of an exact 0 is exact, though the slope is infinite; √(1 − 1) is not."""
    x = zm.coordinate("x")
    assert Magnitude(np.sqrt(x), [x])(np.array([0.0])) == 0.0
    assert Magnitude(np.sqrt(x - 1), [x])(np.array([1.0])) == np.inf
    pushed = zm.System(kinetic=zm.rate(x) ** 2 / 2, forces={x: np.sqrt(zm.t)})
    run = zm.simulate(pushed, pushed.start({x: 0.0, zm.rate(x): 0.0}), until=1.0)
    np.testing.assert_allclose(run.at(1.0)[x], 4 / 15, rtol=1e-10)
