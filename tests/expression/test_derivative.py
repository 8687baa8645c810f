"""Every way to differentiate gives the same derivative, and derivatives obey the rules of calculus."""

import numpy as np
import pytest

from expression.formulas import VARIABLES, random_trees, value
from zeromass.errors import ExpressionError
from zeromass.expression import (
    acceleration,
    as_expression,
    coordinate,
    coordinates,
    derivative,
    directional,
    evaluate,
    expressions,
    gradient,
    jacobian,
    multiplier,
    parameter,
    rate,
    symbols,
    t,
    where,
)

# Two derivatives of one formula differ in the order of their operations: up to some hundred roundings of
# 1e-16, times what cancels between terms. Relative to the largest derivative of the function at the point.
SAME = 1e-12


def close(a, b, tolerance=SAME):
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    assert a.shape == b.shape
    assert np.all(np.isfinite(a))
    scale = np.maximum(np.abs(a).max(initial=0), np.abs(b).max(initial=0))
    assert np.abs(a - b).max(initial=0) <= tolerance * scale


@pytest.fixture
def x():
    return coordinates("x y z")


def points(x, count=8, seed=0):
    return dict(zip(x, np.random.default_rng(seed).uniform(-2, 2, (len(x), count)), strict=True))


@pytest.mark.parametrize("seed", range(20))
def test_gradient_jacobian_derivative_and_directional_agree(x, seed):
    f = expressions([value(tree, x) for tree in random_trees(seed, 6)]).reshape(2, 3)
    J = jacobian(f, x)
    assert J.shape == (2, 3, VARIABLES)
    at = points(x, count=1, seed=seed)
    at = {name: float(number[0]) for name, number in at.items()}
    reference = evaluate(J, at)
    d = np.random.default_rng(seed).normal(size=VARIABLES)
    along = directional(f, dict(zip(x, d, strict=True)))
    for i in np.ndindex(f.shape):
        close(evaluate(gradient(f[i], x), at), reference[i])
        close(evaluate([derivative(f[i], name) for name in x], at), reference[i])
        scale = np.abs(reference[i]).max()
        assert abs(evaluate(along[i], at) - reference[i] @ d) <= SAME * scale * np.abs(d).sum()
    close(evaluate(derivative(f, x[1]), at), reference[:, :, 1])


@pytest.mark.parametrize("seed", range(10))
def test_second_derivatives_are_symmetric(x, seed):
    for tree in random_trees(seed, 5, depths=range(2, 5)):
        f = value(tree, x)
        H = evaluate(jacobian(gradient(f, x), x), points(x, seed=seed))
        for matrix in H:
            close(matrix, matrix.T)
        swept = evaluate([gradient(slope, x) for slope in gradient(f, x)], points(x, seed=seed))
        for one, other in zip(swept, H, strict=True):
            close(one, other)


@pytest.mark.parametrize("seed", range(10))
def test_sum_product_and_quotient_rule(x, seed):
    u, v = (value(tree, x) for tree in random_trees(seed, 2))
    du, dv = gradient(u, x), gradient(v, x)
    at = points(x, count=1, seed=seed)
    w = v * v + 1.5
    for left, right in (
        (gradient(2.5 * u - v, x), 2.5 * du - dv),
        (gradient(u * v, x), du * v + u * dv),
        (gradient(u / w, x), (du * w - u * 2 * v * dv) / w**2),
    ):
        terms = np.abs(evaluate([*du, *dv], at)).max() * (1 + np.abs(evaluate([u, v, w], at)).max()) ** 2
        # the two sides cancel differently: relative to the largest of the terms that the rule sums
        assert np.abs(evaluate(left, at) - evaluate(right, at)).max() <= SAME * terms


def test_a_linear_function_has_constant_derivatives(x):
    A = np.random.default_rng(0).normal(size=(4, 3))
    J = jacobian(A @ x, x)
    assert all(entry.value is not None for entry in J.ravel())
    assert np.array_equal(J.astype(float), A)


def test_what_does_not_depend_on_a_variable_has_derivative_zero(x):
    p = parameter("p", 2.0)
    assert float(derivative(np.sin(x[0]) * p, x[1])) == 0
    assert float(derivative(x[0], t)) == 0
    assert derivative(x[0] * p, p) is x[0]
    assert derivative(rate(x[0]) * x[0], x[0]) is rate(x[0])  # a coordinate and its rate are independent
    assert jacobian([3.0], x).astype(float).tolist() == [[0, 0, 0]]
    assert gradient(3.0, x).astype(float).tolist() == [0, 0, 0]


def test_shapes_follow_functions_and_variables(x):
    f = np.outer(x, x)
    assert derivative(f, x[0]).shape == (3, 3)
    assert jacobian(f, x.reshape(3, 1)).shape == (3, 3, 3, 1)
    assert jacobian(x[0], x).shape == (3,)
    assert jacobian(f, x[2]).shape == (3, 3)
    assert gradient(x @ x, f[:0]).shape == (0, 3)
    assert np.shape(directional(x @ x, {x[0]: x[1]})) == ()


def test_a_variable_named_twice_has_two_equal_columns(x):
    twice = [x[0], x[1], x[0]]
    f = x[0] * x[1] ** 2
    assert jacobian(f, twice).tolist() == gradient(f, twice).tolist() == [x[1] ** 2, 2 * (x[0] * x[1]), x[1] ** 2]


def test_direction_may_be_an_expression(x):
    assert directional(np.sin(x[0]) + x[1], {x[0]: x[2], x[1]: 3}) is np.cos(x[0]) * x[2] + 3


@pytest.mark.parametrize("differentiate", [lambda f, v: derivative(f, v), lambda f, v: gradient(f, [v])])
def test_derivatives_with_respect_to_a_formula_are_refused(x, differentiate):
    for no_symbol in (2 * x[0], 1.0):
        with pytest.raises(ExpressionError, match="with respect to coordinates, rates or parameters"):
            differentiate(x[0] ** 2, no_symbol)


class TestWhere:
    """The branch that is not taken may have no value, and must not be heard of."""

    def hertz(self, x):
        return where(x > 0, 2.0 * x**1.5, 0)

    def sweeps(self, f, x):
        return (derivative(f, x), gradient(f, [x])[0], jacobian([f], [x])[0, 0], directional(f, {x: 1}))

    def test_slope_out_of_contact_is_zero(self, x):
        for slope in self.sweeps(self.hertz(x[0]), x[0]):
            # 3 √x in contact: a square root and two products
            close(evaluate(slope, {x[0]: np.array([-1.0, 0.0, 4.0])}), [0, 0, 6], tolerance=1e-15)

    def test_second_slope(self, x):
        first = self.sweeps(self.hertz(x[0]), x[0])
        for slope in (second for f in first for second in self.sweeps(f, x[0])):
            close(evaluate(slope, {x[0]: np.array([-1.0, 4.0])}), [0, 0.75], tolerance=1e-15)

    def test_inside_a_formula_and_one_inside_another(self, x):
        a, b, _ = x
        f = np.sin(b) * self.hertz(a) ** 2 + where(a > 1, np.log(a - 1), where(b > 0, np.sqrt(b), b)) * a
        at = {a: -1.5, b: -0.5}
        for slopes in (gradient(f, x), jacobian(f, x), [derivative(f, v) for v in x]):
            assert evaluate(slopes, at).tolist() == [-0.5, -1.5, 0]

    def test_branches_that_share_a_root(self, x):
        root = np.sqrt(x[0])
        f = where(x[0] > 0, root, 0) + where(x[0] > 1, root**3, 0)
        for slope in self.sweeps(f, x[0]):
            assert evaluate(slope, {x[0]: -2.0}) == 0


def test_derivative_of_tanh_keeps_its_absolute_accuracy_where_it_saturates(x):
    v = np.linspace(-1000, 1000, 401)
    first = derivative(np.tanh(x[0]), x[0])
    second = derivative(first, x[0])
    with np.errstate(over="ignore"):
        exact = 1 / np.cosh(v) ** 2
    # 1 − tanh²: two roundings of numbers near 1
    assert np.abs(evaluate(first, {x[0]: v}) - exact).max() <= 4e-16
    assert np.abs(evaluate(second, {x[0]: v}) + 2 * np.tanh(v) * exact).max() <= 1e-15


def test_every_symbol_of_a_derivative_is_one_of_its_function(x):
    for tree in random_trees(5, 50):
        f = value(tree, x)
        assert set(symbols(gradient(f, x))) <= set(symbols(f))


def test_what_follows_from_the_motion_does_not_stay_fixed():
    """∂q̈/∂q is not 0: an acceleration or a constraint force is differentiated once it is solved for."""
    x = coordinate("x")
    a, λ, p = acceleration(x), multiplier("λ rod"), parameter("p", 1.0)
    for f, hidden in ((a, "acceleration(x)"), (x * a, "acceleration(x)"), (np.sin(λ) + x, "λ rod"), (rate(a), "x")):
        for by in (x, rate(x), t, p):
            for use in (derivative, gradient, jacobian, lambda f, by: directional(f, {by: 2.0})):
                with pytest.raises(ExpressionError, match="before the motion is solved") as raised:
                    use(f, by)
                assert hidden in str(raised.value)
                assert "solved(…)" in str(raised.value)
    # by themselves they are variables like others, and beside positions if all of them are
    assert derivative(x * a, a) is x
    assert jacobian(a * λ + x, [a]).item() is λ
    assert jacobian(x * a + λ, [a, λ, x]).tolist() == [x, as_expression(1), a]
    assert rate(x * a) is rate(x) * a + x * rate(a)
