"""What the page is told of numbers and bodies: packed arrays, turns, shapes."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm
from report.viewer.shown import SINGLE, unpacked
from zeromass.model import Rod
from zeromass.model.picture.inertia import Placed
from zeromass.model.quaternion import rotation
from zeromass.report.viewer import pack
from zeromass.report.viewer.pack import LEVELS, exact, indices, quantised, unit
from zeromass.report.viewer.scene import _size
from zeromass.report.viewer.shapes import placed, quaternions, usual


def test_packed_arrays_lose_no_more_than_they_say():
    x = np.random.default_rng(0).normal(size=(50, 3)) * 7
    assert np.abs(unpacked(exact(x)) / x - 1).max() <= SINGLE
    u = x / np.linalg.norm(x, axis=1, keepdims=True)
    assert np.abs(unpacked(unit(u)) - u).max() <= 0.51 / 32767
    x[3, 1] = np.nan
    back = unpacked(quantised(x))
    assert np.array_equal(np.isnan(back), np.isnan(x))
    assert np.nanmax(np.abs(back - x)) <= 0.51 * (np.nanmax(x) - np.nanmin(x)) / LEVELS
    for k in (np.array([0, 65535]), np.array([0, 65536, 100_000]), np.zeros((0, 3))):
        assert np.array_equal(unpacked(indices(k)), k)
    assert np.array_equal(unpacked(quantised(np.full(4, 2.5))), np.full(4, 2.5))
    assert np.isnan(unpacked(exact([np.inf, 1.0]))[0])


def test_quaternions_turn_like_their_matrices():
    angle = np.linspace(0.0, 20.0, 400)
    axis = np.array([1.0, -2.0, 0.5]) / np.linalg.norm([1.0, -2.0, 0.5])
    K = np.cross(np.eye(3), axis)
    R = np.eye(3) + np.sin(angle)[:, None, None] * K + (1 - np.cos(angle))[:, None, None] * (K @ K)
    u = quaternions(R)
    expected = np.concatenate([np.cos(angle / 2)[:, None], np.sin(angle / 2)[:, None] * axis], axis=1)
    assert np.abs(u - expected).max() <= 1e-13  # an eigenvector of a 4 × 4 matrix, well separated


def test_a_box_has_the_inertia_it_was_made_from():
    sides, mass = np.array([0.3, 0.2, 0.1]), 2.0
    moments = mass / 12 * (sides @ sides - sides**2)
    R = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])
    for inertia in (moments, R @ np.diag(moments) @ R.T):
        shape = usual(zm.RigidBody("box", mass=mass, inertia=inertia), {}, 1.0)
        assert sorted(shape["sides"]) == pytest.approx(sorted(sides))
        u0, u = shape["turn"][0], np.array(shape["turn"][1:])
        K = np.cross(np.eye(3), u)
        turn = np.eye(3) + 2 * u0 * K + 2 * K @ K
        a = np.array(shape["sides"])
        J = turn @ np.diag(mass / 12 * (a @ a - a**2)) @ turn.T
        expected = np.diag(inertia) if inertia.ndim == 1 else inertia
        assert pytest.approx(expected, abs=1e-12) == J


@pytest.mark.parametrize("axis", [(1.0, 2.0, -0.5), (0.0, 0.0, 1.0), (0.0, 0.0, -1.0), (1.0, 0.0, 0.0)])
def test_a_solid_is_drawn_along_its_axis(axis):
    """Whether the axis is in the shape or in how it is placed, or in both."""
    length = np.linalg.norm(axis)
    [look] = zm.bodies.Solid.cylinder(0.1, 2.0, axis=axis, density=1.0).looks
    turned = Placed(Rod(2.0, 0.1, (0.0, 1.0, 0.0)), tuple(np.array([1.0, 1.0, 0.0, 0.0]) / np.sqrt(2)))
    for made, expected in ((Placed(look.shape, look.turn), np.array(axis) / length), (turned, [0.0, 0.0, 1.0])):
        shown = placed(made)
        assert rotation(shown["turn"]) @ [0.0, 0.0, 1.0] == pytest.approx(expected, abs=1e-12)


def test_what_travels_far_has_no_larger_marks():
    """Two points 1 m apart that go 100 m, one that rises 3 m alone, and one that rests."""
    way = np.outer(np.linspace(0.0, 100.0, 50), [1.0, 0.0, 0.0])
    assert _size([way, way + np.array([0.0, 1.0, 0.0])]) == pytest.approx(2.0)
    assert _size([way]) == pytest.approx(100.0)
    assert _size([way, way[:1]]) == pytest.approx(100.0)
    assert _size([np.zeros((5, 3))]) == _size([]) == 1.0


def test_films_know_numbers_next_to_zero():
    """A component of a quaternion that is −1/32767 is no missing value, in films as on pages."""
    u = np.array([[-1.0, -1 / 32767, 0.0, 1 / 32767], [1.0, 0.5, -0.5, -2 / 32767]])
    for read in (unpacked, pack.unpacked):
        assert np.abs(read(unit(u)) - u).max() <= 0.51 / 32767
