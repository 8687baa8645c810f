"""Starts made again with other values are those that would have been made with these at once."""

from __future__ import annotations

import numpy as np
import pytest

import zeromass as zm


def rod() -> tuple[zm.System, zm.expression.Expression, zm.expression.Expression]:
    x, y = zm.coordinates("x y")
    system = zm.System(
        kinetic=(zm.rate(x) ** 2 + zm.rate(y) ** 2) / 2, potential=9.81 * y, constraints={"rod": x**2 + y**2 - 1}
    )
    return system, x, y


def test_a_start_made_again_is_a_start_made_at_once():
    system, x, y = rod()
    place, speed = zm.parameter("place", 0.3), zm.parameter("speed", 1.0)
    start = system.start({x: place, zm.rate(x): 2 * speed}, guess={y: -1.0})
    for a, b in ((0.6, 1.0), (-0.8, -0.5)):
        again = start.again({place: a, "speed": b})
        at_once = system.start({x: a, zm.rate(x): 2 * b}, guess={y: -1.0})
        assert np.abs(again.inputs - at_once.inputs).max() < 1e-15
    assert np.array_equal(start.again({}).inputs, start.inputs)
    twice = start.again({place: 0.6}).again({speed: 3.0})
    assert (twice[x], twice[zm.rate(x)]) == pytest.approx((0.6, 6.0))
    given = system.start({x: place, zm.rate(x): speed}, guess={y: -1.0}, parameters={place: 0.5})
    assert given.again({speed: 2.0})[x] == 0.5


def test_a_study_keeps_the_values_that_its_start_was_made_with():
    """A parameter of the start alone that does not vary has the value it was given, not the one it has by itself."""
    system, x, y = rod()
    place, speed = zm.parameter("place", 0.3), zm.parameter("speed", 1.0)
    start = system.start({x: place, zm.rate(x): speed}, guess={y: -1.0}, parameters={place: 0.5})
    study = zm.sweep(system, start, until=0.0001, over={speed: [0.0, 0.1]}, keep={"x": x})
    assert study.x.values[0] == pytest.approx(0.5, abs=1e-6)


def test_numbers_that_were_prescribed_have_the_name_of_their_expression():
    system, x, y = rod()
    start = system.start({x: 0.6, zm.rate(x): 1.0}, guess={y: -1.0})
    assert start.again({x: 0.8})[y] == pytest.approx(-0.6)
    assert start.again({"rate(x)": 2.0})[zm.rate(x)] == 2.0


def test_a_parameter_of_the_model_changes_and_the_start_with_it():
    x, y, length = *zm.coordinates("x y"), zm.parameter("length", 1.0)
    system = zm.System(kinetic=zm.rate(x) ** 2 + zm.rate(y) ** 2, constraints={"rod": x**2 + y**2 - length**2})
    again = system.start({x: 0.6, zm.rate(x): 0.0}, guess={y: 1.0}).again({length: 2.0})
    assert again.parameters[length] == 2.0
    assert again[y] == pytest.approx(np.sqrt(4 - 0.36))


def test_what_is_not_there_is_said():
    system, x, y = rod()
    start = system.start({x: 0.6, zm.rate(x): 0.0}, guess={y: -1.0})
    with pytest.raises(zm.errors.StartError, match=r"neither prescribed.*there is: x, rate\(x\)"):
        start.again({y: 0.3})
    with pytest.raises(zm.errors.StartError, match="speed"):
        start.again({"speed": 0.3})
