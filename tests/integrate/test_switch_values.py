"""Values of formulas on and beside their borders: touched for no time, equal to a bound for a while, defined on one side."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from integrate.references.one_mass import METHODS, TIGHT, mass
from integrate.references.pieces import Pieces, Switch
from integrate.references.piecewise import motion


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("force", "speed"),
    [
        (lambda: np.floor(np.sin(zm.t)), -2 * np.pi),  # 0 and −1 in turns, and 1 for no time at π/2 and 5π/2
        (lambda: np.floor(np.cos(zm.t)), -2 * np.pi),  # begins at 1, for no time
        (lambda: np.floor(2 * np.sin(zm.t)), 2 * (4 * np.pi / 6 - np.pi / 3 - 2 * 4 * np.pi / 6)),
        (lambda: zm.where(np.sin(zm.t) >= 1, 7.0, 1.0), 4 * np.pi),
    ],
)
def test_a_value_that_is_touched_for_no_time_does_nothing(force, speed, method):
    """Two periods of forces that would be others where a sine is 1."""
    system, x, v = mass(lambda x, v: force())
    run = zm.simulate(system, system.start({x: 0.0, v: 0.0}), until=4 * np.pi, method=method, **TIGHT)
    np.testing.assert_allclose(run.at(4 * np.pi)[v], speed, rtol=0, atol=1e-11)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("force", "value"),
    [
        (lambda n, x: np.sign(n), lambda n: np.sign(n)),
        (lambda n, x: zm.where(n > 0, 2.0, 0.0), lambda n: 2.0 * (n > 0)),
        (lambda n, x: zm.where(n >= 0, 2.0, 0.0), lambda n: 2.0 * (n >= 0)),
        (lambda n, x: zm.where(n < 1, 2.0, 0.0), lambda n: 2.0 * (n < 1)),
        (lambda n, x: np.abs(n), lambda n: abs(n)),
        (lambda n, x: np.maximum(n, 0.0), lambda n: max(n, 0.0)),
        (lambda n, x: n % 2, lambda n: n % 2),
        (lambda n, x: n // 2, lambda n: n // 2),
        (lambda n, x: zm.where(n % 2 < 1, 1.0, -1.0), lambda n: 1.0 if n % 2 < 1 else -1.0),
        (lambda n, x: np.sign(np.sign(x) - 1), lambda n: 0.0 if n >= 0 else -1.0),
        (lambda n, x: zm.where(np.sign(x) >= 1, 2.0, 0.0), lambda n: 2.0 * (n >= 0)),
        (lambda n, x: zm.where(np.sign(x) > -1, 2.0, 0.0), lambda n: 2.0 * (n >= 0)),
    ],
)
def test_a_condition_on_whole_numbers_has_their_value(force, value, method):
    """ẍ = −4 x + f(⌊x⌋): between two steps of the stairs the number is what it is, also where it equals its bound."""
    pieces = Pieces(
        lambda t, y, p: np.array([y[1], -4 * y[0] + value(p[0])]), [Switch("stairs", lambda t, y: y[0], stairs=True)]
    )
    times = np.linspace(0.0, 5.0, 11)
    expected = motion(pieces, [2.6, 0.3], times).y
    system, x, v = mass(lambda x, v: -4 * x + force(np.floor(x), x))
    run = zm.simulate(system, system.start({x: 2.6, v: 0.3}), until=5.0, method=method, **TIGHT)
    np.testing.assert_allclose(run.at(times)[np.array([x, v])], expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_a_root_that_is_only_defined_on_one_side(method):
    """(x − 1)^1.5 beyond 1 and nothing before: it comes back as fast as it went, and no step may see the other side."""
    system, x, v = mass(lambda x, v: zm.where(x > 1.0, -7.0 * (x - 1.0) ** 1.5, 0.0))
    run = zm.simulate(system, system.start({x: 0.0, v: 1.3}), until=4.0, method=method, **TIGHT)
    assert run.outcome.ending == "finished"
    np.testing.assert_allclose(run.at(4.0)[v], -1.3, rtol=0, atol=1e-10)
