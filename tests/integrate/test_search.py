"""Tops of functions of one variable: where they are known."""

from __future__ import annotations

import numpy as np
import pytest

from zeromass.integrate.search import maxima, tops

SMOOTH = {
    "parabola": (lambda t: 3.0 - (t - 0.4) ** 2, 0.4, 3.0),
    "sine": (lambda t: np.sin(3 * t), np.pi / 6, 1.0),
    "bell": (lambda t: np.exp(-10 * (t - 0.3) ** 2), 0.3, 1.0),
    "at the end": (lambda t: t**2, 1.0, 1.0),
    "at the beginning": (lambda t: -np.exp(t), 0.0, -1.0),
    "flat": (lambda t: 0 * t + 2.0, None, 2.0),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_a_smooth_top_is_found_from_34_values(name):
    """Its value to rounding, its place to the root of that."""
    f, place, value = SMOOTH[name]
    asked = []
    (t,), (found,) = tops(lambda t: (asked.append(len(t)), f(t))[1], np.array([0.0]), np.array([1.0]))
    assert sum(asked) == 34
    assert found == pytest.approx(value, rel=4e-16)
    assert place is None or abs(t - place) < 3e-8


def test_a_kink_is_narrowed():
    """Where the polynomial fails, the search goes on as `maxima` does."""
    for c in (0.2, 0.4 * np.sqrt(2), 0.97):

        def f(t, c=c):
            return 1.0 - np.abs(t - c)

        (t,), (found,) = tops(f, np.array([0.0]), np.array([1.0]))
        assert (t, found) == tuple(x[0] for x in maxima(f, np.array([0.0]), np.array([1.0])))
        assert abs(found - 1.0) < 1e-3


def test_many_at_once_are_those_alone():
    low = np.linspace(0.0, 3.0, 7)
    places, values = tops(np.sin, low, low + 1.0)
    for k, a in enumerate(low):
        alone = tops(np.sin, np.array([a]), np.array([a + 1.0]))
        assert np.allclose([places[k], values[k]], np.ravel(alone), rtol=1e-15, atol=1e-15)
