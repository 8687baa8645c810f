"""Evaluation is NumPy's on arrays: shapes, broadcasting, defaults."""

import numpy as np
import pytest

from expression.formulas import VARIABLES, random_trees, value
from zeromass.errors import ExpressionError
from zeromass.expression import Evaluator, coordinates, evaluate, gradient, parameter, rate, t, where
from zeromass.expression.node import symbol
from zeromass.expression.operation import functions

x, y, z = q = coordinates("x y z")


@pytest.mark.parametrize("name", functions())
def test_each_function_is_that_of_numpy(name):
    f, other = getattr(np, name), [0.5] * (functions()[name].arity - 1)
    numbers = np.linspace(1.1, 3, 50) if name == "arccosh" else np.linspace(-0.9, 0.9, 50)
    with np.errstate(invalid="ignore"):  # square roots and logarithms of negative numbers are NaN on both sides
        expected = f(numbers, *other)
    built = f(x, *other)
    np.testing.assert_array_equal(evaluate(built, {x: numbers}), expected)


def test_values_broadcast():
    a, b = np.linspace(0, 1, 4)[:, None], np.linspace(1, 2, 5)
    f = np.sin(x) * y + z
    np.testing.assert_array_equal(evaluate(f, {x: a, y: b, z: 3.0}), np.sin(a) * b + 3.0)
    assert evaluate(f, {x: a, y: b, z: 3.0}).shape == (4, 5)


def test_shape_is_that_of_the_values_then_that_of_the_outputs():
    M = np.outer(q, [1.0, x])
    numbers = np.linspace(0, 1, 12).reshape(3, 4)
    result = evaluate(M, {x: numbers, y: 2 * numbers, z: 1.0})
    assert result.shape == (3, 4, 3, 2)
    np.testing.assert_array_equal(result[..., 1, 1], 2 * numbers * numbers)
    np.testing.assert_array_equal(result[..., 2, 0], np.ones((3, 4)))  # a constant is spread over the points


def test_a_scalar_of_numbers_is_a_float():
    assert type(evaluate(x * 2, {x: 1.5})) is float
    assert type(evaluate(3.0, {})) is float
    assert evaluate([x, 1], {x: 2}).tolist() == [2, 1]
    assert evaluate(x + 1, {x: [1, 2]}).tolist() == [2, 3]  # integers and lists are numbers too


def test_no_outputs():
    assert evaluate(np.empty((0, 3), dtype=object), {x: np.ones(4)}).shape == (4, 0, 3)


def test_values_that_are_not_needed_do_no_harm():
    assert evaluate(x, {x: 1.0, y: 2.0, rate(z): 5.0}) == 1


@pytest.mark.parametrize(("f", "name"), [(x * y, "y"), (x + rate(x), r"rate\(x\)"), (x * t, "t")])
def test_a_missing_value_is_named(f, name):
    with pytest.raises(ExpressionError, match=f"no value is given for '{name}'"):
        evaluate(f, {x: 1.0})
    with pytest.raises(ExpressionError, match=f"no value is given for '{name}'"):
        Evaluator([f], [x])


def test_parameters_have_a_default_and_can_be_overridden():
    m = parameter("m", 2.5)
    assert evaluate(m * x, {x: 2.0}) == 5
    assert evaluate(m * x, {x: 2.0, m: 1.0}) == 2
    assert evaluate(m * x, {x: 2.0, m: np.array([1.0, 3.0])}).tolist() == [2, 6]
    assert evaluate(m, {}) == 2.5


def test_evaluator_takes_the_inputs_in_their_order():
    function = Evaluator([[x - y, 1.0], [z, x]], [y, x, z])
    assert function.shape == (2, 2)
    assert function([1.0, 5.0, 7.0]).tolist() == [[4, 1], [7, 5]]
    assert function(np.ones((6, 2, 3))).shape == (6, 2, 2, 2)


@pytest.mark.parametrize("seed", range(5))
def test_many_points_at_once_are_each_point_alone(seed):
    outputs = [f for tree in random_trees(seed, 20) for f in gradient(value(tree, q), q)]
    function = Evaluator(outputs, q)
    points = np.random.default_rng(seed).uniform(-2, 2, (9, VARIABLES))
    alone = np.array([function(point) for point in points])
    # NumPy's loops over arrays round differently from those over one number, by an ulp each
    np.testing.assert_allclose(function(points), alone, rtol=1e-11, atol=1e-13 * np.abs(alone).max(axis=0).max())


def test_values_outside_the_domain_are_nan_without_warning():
    with np.errstate(all="raise"):
        assert np.isnan(evaluate(np.sqrt(x), {x: -1.0}))
        assert evaluate(1 / x, {x: 0.0}) == np.inf
        assert evaluate(where(x > 0, np.log(x), 0), {x: -1.0}) == 0


def test_places_of_inputs_may_be_given():
    """Of many inputs only those that a formula has in it are looked up."""

    class Places(dict):
        def __iter__(self):
            raise AssertionError("all inputs are looked at")

    x, y = symbol("x", "coordinate"), symbol("y", "coordinate")
    assert Evaluator([x - y], Places({y: 0, x: 1}))([2.0, 5.0]) == 3.0
