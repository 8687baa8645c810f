"""Functions of time alone: their zeros are known ahead, none is missed."""

from itertools import pairwise

import numpy as np
import pytest

import zeromass as zm
from zeromass.integrate.ahead import TooManyZeros, zeros_of_time

t = zm.t


def close(found, expected):
    """Each to rounding of the time and of what the function is made of."""
    assert len(found) == len(expected)
    np.testing.assert_allclose(found, expected, rtol=4e-16, atol=4e-16)


@pytest.mark.parametrize("width", [1.0, 1e-3, 1e-6, 1e-9])
def test_a_bump_however_narrow(width):
    """exp(−s²) = ½ at s = ±√ln 2."""
    c = 5.12345
    s = width * np.sqrt(np.log(2))
    found = zeros_of_time(np.exp(-(((t - c) / width) ** 2)) - 0.5, 0.0, 10.0)
    assert len(found) == 2
    np.testing.assert_allclose(found, [c - s, c + s], rtol=0, atol=2e-15)


def test_a_sine_in_either_direction():
    expected = np.arange(1, 32) * np.pi
    close(zeros_of_time(np.sin(t), 1.0, 100.0), expected)
    close(zeros_of_time(np.sin(t), 100.0, 1.0), expected[::-1])


def test_what_is_written_with_parameters():
    w = zm.parameter("w", 1.0)
    close(zeros_of_time(np.cos(w * t), 0.0, 2.0, {w: 2.0}), [np.pi / 4])
    close(zeros_of_time(np.cos(w * t), 0.0, 2.0), [np.pi / 2])
    with pytest.raises(zm.errors.ModelError, match=r"depends on 'x'"):
        zeros_of_time(zm.coordinate("x") - t, 0.0, 1.0)


def test_jumps_through_zero():
    close(zeros_of_time(np.floor(t) - 2.5, 0.0, 10.0), [3.0])
    close(zeros_of_time(t % 1.0 - 0.5, 0.1, 2.9), [0.5, 1.0, 1.5, 2.0, 2.5])
    close(zeros_of_time(zm.where((t > 1) & (t < 1.25), 1.0, -1.0), 0.0, 10.0), [1.0, 1.25])
    close(zeros_of_time(np.sign(t - 0.3) + 0.5, 0.0, 1.0), [0.3])
    close(zeros_of_time(np.arctan2(t - 2, -1.0), 0.0, 10.0), [2.0])


def test_a_pulse_of_a_few_units_in_the_last_place():
    a, b = 5.0, 5.0 + 2e-15
    found = zeros_of_time(zm.where((t >= a) & (t < b), 1.0, -1.0), 0.0, 10.0)
    assert len(found) == 2
    assert found[0] == a
    assert found[1] == b


def test_kinks_poles_ends_and_zero_for_a_while():
    close(zeros_of_time(abs(t - 1) - 0.5, 0.0, 10.0), [0.5, 1.5])
    close(zeros_of_time(np.tan(t), 1.0, 5.0), np.array([1, 2, 3]) * np.pi / 2)
    close(zeros_of_time(np.maximum(t - 1, 0), 0.0, 10.0), [1.0])
    close(zeros_of_time(t, 0.0, 10.0), [0.0])
    close(zeros_of_time(t - 10, 0.0, 10.0), [10.0])
    close(zeros_of_time(t**3, -1.0, 2.0), [0.0])


def test_nothing_to_find():
    for g in (1 + t**2, np.exp(t), zm.expression.as_expression(1.0), 0.1 + (t - 1) ** 2):
        assert len(zeros_of_time(g, 0.0, 10.0)) == 0
    assert len(zeros_of_time(t - 1, 1.0, 1.0)) == 0


@pytest.mark.parametrize(
    "g", [1 - np.cos(t), t**2 - 2 * t + 1, (t - np.sqrt(2)) ** 4, np.sin(t) ** 2, np.cosh(t - 1) - 1]
)
def test_a_zero_that_is_touched_takes_no_time(g):
    """It is where it is, if it is listed; rounding makes it as wide as a root of it: 1e-16^(1/4)."""
    found = zeros_of_time(g, 0.1, 7.0)
    assert np.all(np.abs(zm.expression.evaluate(g, {t: found}) if len(found) else found) < 1e-14)


def test_infinitely_many_are_an_error_with_a_name():
    with pytest.raises(TooManyZeros, match=r"may change its sign more than 100000 times between t = 0 s and 1 s"):
        zeros_of_time(np.sin(1 / t), 0.0, 1.0)
    with pytest.raises(TooManyZeros):
        zeros_of_time(t * np.sin(1 / t), -1.0, 1.5, most=1000)
    close(zeros_of_time(np.sin(1 / t), 0.02, 1.0), 1 / (np.pi * np.arange(15, 0, -1)))


def test_random_polynomials():
    """Products of factors, some zeros within 1e-7 of one another: all of them, and no other."""
    rng = np.random.default_rng(2)
    for _ in range(40):
        zeros = np.sort(rng.uniform(0, 10, rng.integers(1, 7)))
        zeros = np.unique(np.concatenate([zeros, zeros[:1] + 10.0 ** rng.uniform(-7, 0)]))
        g = np.prod([t - c for c in zeros])
        close(zeros_of_time(g, -1.0, 12.0), zeros)
        scattered = sorted(rng.uniform(-1.0, 12.0, 3))
        for a, b in pairwise(scattered):
            close(zeros_of_time(g, a, b), zeros[(zeros >= a) & (zeros <= b)])


def test_random_trains_of_pulses():
    """Bumps of widths from 1e-8 to 0.1, each with two crossings of half its height, at random times."""
    rng = np.random.default_rng(4)
    for _ in range(20):
        centres = np.sort(rng.uniform(0, 10, 5))
        widths = 10.0 ** rng.uniform(-8, -2, 5)
        if np.any(np.diff(centres) < 0.3):
            continue
        g = sum(np.exp(-(((t - c) / w) ** 2)) for c, w in zip(centres, widths, strict=True)) - 0.5
        found = zeros_of_time(g, 0.0 - 1, 11.0)
        s = widths * np.sqrt(np.log(2))
        np.testing.assert_allclose(found, np.column_stack([centres - s, centres + s]).ravel(), rtol=0, atol=1e-14)
