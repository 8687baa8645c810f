"""Formulas of a pattern are those that are written out, node by node."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from zeromass.expression.pattern import Pattern
from zeromass.model.quaternion import body_rates, rotation

PATTERNS = {
    "rotation": (rotation, 4),
    "rates": (lambda u: 2 * body_rates(u[:4]) @ u[4:], 8),
    "unit": (lambda u: (u @ u - 1) / 2, 4),
    "signs": (lambda u: [-u[0], u[1] - u[0], -u[0] * u[1] + 3.0, 0.0, u[1]], 2),
}


@pytest.mark.parametrize("name", PATTERNS)
@pytest.mark.parametrize("seed", range(3))
def test_the_formulas_are_the_same_objects_whatever_the_age_of_their_symbols(name: str, seed: int):
    written, count = PATTERNS[name]
    pattern = Pattern(written, count)
    q = zm.coordinates(" ".join(f"x{k}" for k in range(count)))
    q = q[np.random.default_rng(seed).permutation(count)]  # the first need not be the oldest
    copied = pattern(q)
    direct = np.asarray(written(q), dtype=object)
    assert copied.shape == direct.shape
    for a, b in zip(copied.ravel(), direct.ravel(), strict=True):
        assert a is b or a.value == float(b)


def test_formulas_in_place_of_symbols_are_simplified_anew():
    x, y = zm.coordinates("x y")
    pattern = Pattern(lambda q: q[0] ** 2 - q[1] ** 2, 2)
    assert pattern(np.array([x, x])).item().value == 0.0
    assert pattern(np.array([np.sqrt(x), y])).item() is x - y**2
