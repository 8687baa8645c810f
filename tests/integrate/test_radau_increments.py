"""Polynomials inside steps of Radau's methods from their increments: a kernel beside NumPy, and cut steps."""

from __future__ import annotations

import numpy as np
import pytest

from zeromass.integrate.methods.radau.coefficients import coefficients
from zeromass.integrate.methods.radau.increments import KEPT, StepIncrements, increments_in_memory, step_polynomial
from zeromass.integrate.stepping.dense import DEGREE
from zeromass.kernel.language import compiled

METHODS = [coefficients(order) for order in (5, 9, 13)]


@pytest.mark.parametrize("part", [1.0, 0.3])
def test_a_kernel_finds_the_polynomials_that_numpy_finds(part):
    """Of steps of each order, whole ones and ones that were cut, to rounding; as Python with the same bits."""
    rng, order, t, h = np.random.default_rng(3), 4, 0.0, 0.5
    values, offsets, rows = [], [], []
    for place, method in enumerate(METHODS):
        offsets.append(sum(map(len, values)))
        values.append(np.concatenate([[h, place], rng.normal(size=method.stages * order)]))
        t += h * part
        rows.append(np.concatenate([[t, h * part, 1.0], rng.normal(size=order)]))
    record = np.concatenate(values), np.array(offsets)
    steps = StepIncrements(METHODS, np.array(rows), *record)
    t1, y0 = np.array(rows)[:, 0], rng.normal(size=(3, order))
    t0 = np.append(0.0, t1[:-1])
    wanted = steps.polynomials(t0, y0, t1, y0)
    kept = increments_in_memory(METHODS, *record, np.array([len(record[0])]))
    assert len(values[0]) == KEPT + METHODS[0].stages * order
    for k in range(len(METHODS)):
        found, plain = np.empty((2, DEGREE + 1, order))
        compiled(step_polynomial)(kept, k, h * part, y0[k], found)
        step_polynomial(kept, k, h * part, y0[k], plain)
        np.testing.assert_array_equal(found, plain)
        np.testing.assert_allclose(found, wanted[k], rtol=0, atol=1e-13)
    part_of_them = steps.copy(1, np.array(rows)[1:])
    np.testing.assert_array_equal(part_of_them.polynomials(t0[1:], y0[1:], t1[1:], y0[1:]), wanted[1:])
