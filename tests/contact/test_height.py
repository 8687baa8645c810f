"""The height of a surface over many places at once."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from zeromass.contact.height import heights


def test_heights_of_a_bowl_are_its_formula():
    x, y = np.meshgrid(np.linspace(-1, 1, 7), np.linspace(-0.5, 0.5, 4))
    bowl = zm.Surface(lambda X, Y: 0.3 * X**2 + 0.1 * np.sin(Y))
    assert np.array_equal(bowl.height(x, y), 0.3 * x**2 + 0.1 * np.sin(y))


def test_the_guess_picks_the_sheet():
    sphere = zm.surfaces.sphere(1.0)
    for guess in (2.0, -2.0):
        assert sphere.height(0.6, [0.0, 0.3], guess=guess) == pytest.approx(
            np.sign(guess) * np.sqrt([0.64, 0.55]), abs=1e-15
        )


def test_no_height_where_there_is_no_surface_or_it_stands_upright():
    assert np.isnan(zm.surfaces.sphere(1.0).height(1.5, 0.0, guess=1.0))
    assert np.isnan(zm.surfaces.cylinder(1.0).height(1.0, 0.0))
    assert np.isnan(zm.surfaces.cylinder(1.0).height(0.3, 0.0))
    assert np.isnan(zm.Surface(lambda X, Y: np.log(X)).height(-1.0, 0.0))


def test_time_and_parameters():
    a = zm.parameter("a", 1.0)
    rising = zm.Surface(lambda X, Y: a * X, shift=(0.0, 0.0, 0.1 * zm.t), rotation=((0, 0, 1), np.pi / 2))
    assert rising.height(0.0, 2.0, t=3.0, parameters={a: 0.5}) == pytest.approx(0.3 + 0.5 * 2.0, abs=1e-15)
    assert rising.height(0.0, 2.0) == pytest.approx(2.0, abs=1e-15)


@pytest.mark.parametrize("size", [1e-9, 1.0, 1e9])
def test_digits_do_not_depend_on_the_unit(size):
    """√3/2 of a sphere, to a few roundings, in nanometres and in millions of kilometres."""
    z = zm.surfaces.sphere(size).height(0.5 * size, 0.0, guess=size)
    assert z / size == pytest.approx(np.sqrt(0.75), rel=1e-15)


def test_noise_in_f_ends_the_search():
    """f known to 1e-13 only: Z wanders within that, and is found there."""
    random = np.random.default_rng(0)

    def values(points: np.ndarray) -> np.ndarray:
        f = points[:, 2] ** 3 - 8.0 + 1e-13 * random.normal(size=len(points))
        return np.stack([f, 0 * f, 0 * f, 3 * points[:, 2] ** 2], axis=1)

    found = heights(values, np.zeros(5), np.zeros(5), 3.0, size=1.0)
    assert found.z == pytest.approx(np.full(5, 2.0), abs=1e-13)
