"""Largest values of polynomials: against dense sampling, and with the same bits on every target."""

import numpy as np
from numpy.polynomial import Legendre

from kernel.same_bits import assert_same_bits
from zeromass.analysis.panels import GRID, tops_of
from zeromass.analysis.polynomial_tops import polynomial_tops


def random_polynomials(count: int) -> np.ndarray:
    return np.random.default_rng(3).normal(size=(9, count)) * 0.5 ** np.arange(9)[:, None]


def test_tops_are_those_of_dense_samples():
    """Newton's three steps find the top where no other local maximum may be higher; else a bound says by how much."""
    c = random_polynomials(200)
    tops, rivals = tops_of(c)
    θ = np.linspace(0.0, 1.0, 20001)
    for j in range(c.shape[1]):
        dense = Legendre(c[:, j], domain=[0, 1])(θ).max()
        assert tops[j] <= dense + 1e-7 * np.abs(c[:, j]).sum()
        assert tops[j] + rivals[j] >= dense - 1e-9 * np.abs(c[:, j]).sum()
    assert np.count_nonzero(rivals) < 20


def test_what_is_not_a_number_has_no_top():
    c = random_polynomials(4)
    c[3, 1], c[0, 2] = np.nan, np.inf
    tops, rivals = tops_of(c)
    assert np.isnan(tops).tolist() == [False, True, False, False]
    assert np.isnan(rivals[1])


def test_bits_are_the_same_on_every_target(tmp_path):
    c = random_polynomials(20)
    c[2, 5] = np.nan
    assert_same_bits(polynomial_tops, [[c, GRID @ c, np.zeros(20), np.zeros(20)]], tmp_path)
