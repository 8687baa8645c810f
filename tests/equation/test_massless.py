"""Coordinates without mass that constraints hardly hold: their accelerations are large, and all the others as ever."""

import numpy as np
import pytest

import zeromass as zm
from zeromass.equation.massless import in_massless_units


@pytest.mark.parametrize("σ", [1e-4, 1e-6, 1e-8, 1e-10])
def test_accelerations_of_massless_coordinates_that_rows_hardly_tell_apart(σ):
    """y₁ − y₂ = b₁ and y₁ − (1 − σ) y₂ + x = b₂, with mass of x alone: ẍ = Q/m, ÿ₂ = (b₂ − b₁ − ẍ)/σ, and no reaction."""
    M, Q, b = np.diag([0.0, 0.0, 2.0]), np.array([0.0, 0.0, 3.0]), np.array([0.25, 0.5])
    A = np.array([[1.0, -1.0, 0.0], [1.0, -(1.0 - σ), 1.0]])
    motion = zm.solve(M, Q, A, b)
    found = in_massless_units(motion, np.zeros(3), np.zeros(2))
    assert motion.unique == (σ > 1e-5)
    assert found.unique
    σ = 1.0 + A[1, 1]  # as it is rounded
    y = (0.25 - 1.5) / σ
    assert found.acceleration == pytest.approx([0.25 + y, y, 1.5], rel=1e-15 / σ)
    assert found.acceleration[2] == pytest.approx(1.5, rel=1e-14)
    assert np.abs(found.multipliers).max() <= 1e-14
    assert found.undetermined.shape == (3, 0)


def test_what_is_not_held_at_all_stays_undetermined():
    M, A = np.diag([0.0, 0.0, 2.0]), np.array([[1.0, -1.0, 0.0], [1.0, -1.0, 1.0]])
    motion = zm.solve(M, np.zeros(3), A, np.zeros(2))
    assert in_massless_units(motion, np.zeros(3), np.zeros(2)) is motion
    assert not motion.unique
