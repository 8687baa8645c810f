"""Substitution is composition of functions."""

import numpy as np
import pytest

from expression.formulas import VARIABLES, random_trees, value
from zeromass.expression import (
    as_expression,
    coordinates,
    derivative,
    evaluate,
    gradient,
    parameter,
    rate,
    substitute,
)

x, y, z = q = coordinates("x y z")

# Both sides do the same operations but for what simplifies with the new operands: some hundred roundings of
# 1e-16, relative to the largest value among the points.
SAME = 1e-13


def close(a, b, scale=0.0):
    assert np.all(np.isfinite(a))
    assert np.abs(np.subtract(a, b)).max() <= SAME * max(np.abs(b).max(), scale)


@pytest.mark.parametrize("seed", range(10))
def test_value_of_a_substituted_formula_is_that_at_the_substituted_value(seed):
    points = dict(zip(q, np.random.default_rng(seed).uniform(-2, 2, (VARIABLES, 10)), strict=True))
    f, *g = (value(tree, q) for tree in random_trees(seed, 4, depths=range(1, 4)))
    inner = {name: evaluate(h, points) for name, h in zip(q, g, strict=True)}
    close(evaluate(substitute(f, dict(zip(q, g, strict=True))), points), evaluate(f, inner), scale=1.0)


@pytest.mark.parametrize("seed", range(10))
def test_numbers_leave_a_constant(seed):
    (tree,) = random_trees(seed, 1)
    numbers = np.random.default_rng(seed).uniform(-2, 2, VARIABLES)
    at = dict(zip(q, numbers, strict=True))
    f = value(tree, q)
    folded = substitute(f, at)
    assert folded.value is not None
    close(float(folded), evaluate(f, at), scale=1.0)


def test_nothing_replaced_is_the_same_object():
    for tree in random_trees(0, 30):
        f = value(tree, q)
        assert substitute(f, {}) is f
        assert substitute(f, {x: x}) is f
        assert substitute(f, {parameter("p", 1.0): 3.0}) is f


def test_symbols_are_replaced_all_at_once():
    assert substitute(x - 2 * y, {x: y, y: x}) is y - 2 * x
    for tree in random_trees(1, 30):
        f = value(tree, q)
        assert substitute(substitute(f, {x: y, y: x}), {x: y, y: x}) is f


def test_a_renamed_formula_is_the_formula_of_the_new_names():
    new = coordinates("a b c")
    for tree in random_trees(2, 30):
        assert substitute(value(tree, q), dict(zip(q, new, strict=True))) is value(tree, new)


def test_the_result_is_simplified():
    assert substitute(x * y + z, {y: 0}) is z
    assert substitute(x**y, {y: 2}) is x**2
    assert substitute(np.sin(x - y), {y: x}) is as_expression(0)


@pytest.mark.parametrize("seed", range(10))
def test_chain_rule(seed):
    """d/dx f(g(x)) = f'(g(x)) g'(x)"""
    f, g = (value(tree, q) for tree in random_trees(seed, 2, depths=range(2, 4)))
    points = dict(zip(q, np.random.default_rng(seed).uniform(-2, 2, (VARIABLES, 10)), strict=True))
    left = gradient(substitute(f, {x: g}), q)
    outer = substitute(gradient(f, q), {x: g})
    terms = np.abs(evaluate([outer[0] * slope for slope in gradient(g, q)] + list(outer[1:]), points)).max()
    right = outer[0] * gradient(g, q) + [0, outer[1], outer[2]]
    close(evaluate(left, points), evaluate(right, points), scale=terms)


def test_a_rate_is_a_symbol_of_its_own():
    f = x * rate(x)
    assert substitute(f, {x: y}) is y * rate(x)
    assert substitute(f, {rate(x): 1.0}) is x
    assert derivative(substitute(f, {rate(x): y}), y) is x


def test_arrays_keep_their_shape():
    result = substitute(np.outer(q, q), {x: 2.0})
    assert result.shape == (3, 3)
    assert result[0, 1] is 2 * y
    assert substitute([x, 1.0], {x: y}).tolist() == [y, as_expression(1)]
