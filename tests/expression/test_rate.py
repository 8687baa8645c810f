"""Total time derivatives: the chain rule along a motion, to any order."""

import math

import mpmath
import numpy as np
import pytest

from expression.formulas import random_trees, value
from expression.languages import DIGITS, MPMATH
from zeromass.errors import ExpressionError
from zeromass.expression import (
    acceleration,
    coordinate,
    coordinates,
    derivative,
    evaluate,
    multiplier,
    parameter,
    rate,
    symbols,
    t,
)


def nth_rate(f, n):
    for _ in range(n):
        f = rate(f)
    return f


def motion(q, paths, time, orders):
    """Values of the coordinates and of their rates on polynomial paths q(t)."""
    values = {t: time}
    for name, path in zip(q, paths, strict=True):
        for n in range(orders + 1):
            values[nth_rate(name, n)] = path.deriv(n)(time) if n else path(time)
    return values


@pytest.mark.parametrize("seed", range(30))
def test_rate_along_a_polynomial_path(seed):
    """f(q(t), t) differentiated numerically by mpmath in 40 digits, against rate(f) at the path's rates."""
    rng = np.random.default_rng(seed)
    q = coordinates("x y")
    paths = [np.polynomial.Polynomial(rng.uniform(-1, 1, 4)) for _ in q]
    time = rng.uniform(-1, 1)
    (tree,) = random_trees(seed, 1, depths=range(2, 4), smooth=True)
    f = value(tree, [*q, t])
    values = motion(q, paths, time, orders=3)

    def along(s):
        q_of_s = [mpmath.polyval([mpmath.mpf(c) for c in path.coef[::-1]], s) for path in paths]
        return value(tree, [*q_of_s, s], MPMATH)

    with mpmath.workdps(DIGITS):
        exact = [float(mpmath.diff(along, mpmath.mpf(time), n)) for n in range(4)]
    ours = [evaluate(nth_rate(f, n), values) for n in range(4)]
    for n in range(4):
        # the path's own rates carry 1e-16; each order multiplies the number of terms that may cancel by ten
        assert abs(ours[n] - exact[n]) <= 1e-13 * 10**n * max(map(abs, exact[: n + 1])), (n, tree)


def test_symbols_follow_one_another():
    x = coordinate("x")
    assert [nth_rate(x, n).order for n in range(5)] == [0, 1, 2, 3, 4]
    assert acceleration(x) is rate(rate(x))
    assert rate(x) is rate(x)
    assert {nth_rate(x, n).name for n in range(5)} == {"x"}
    assert rate(coordinate("x")) is not rate(x)


def test_rate_of_rate_is_acceleration():
    q = coordinates("x y z")
    for tree in random_trees(3, 20, depths=range(2, 4)):
        f = value(tree, q)
        assert acceleration(f) is rate(rate(f))


@pytest.mark.parametrize("seed", range(10))
def test_chain_rule(seed):
    """df/dt = Σ_j ∂f/∂q_j q̇_j + ∂f/∂t"""
    q = coordinates("x y")
    (tree,) = random_trees(seed, 1)
    f = value(tree, [*q, t])
    terms = [derivative(f, name) * rate(name) for name in q] + [derivative(f, t)]
    values = dict(zip([*q, t, *rate(q)], np.random.default_rng(seed).uniform(-2, 2, 5), strict=True))
    numbers = evaluate(terms, values)
    # some hundred roundings of 1e-16, relative to the terms, which may cancel
    assert abs(evaluate(rate(f), values) - numbers.sum()) <= 1e-13 * np.abs(numbers).sum()


def test_velocity_terms_of_an_acceleration():
    """d²f/dt² = f_q q̈ + (f_qq q̇) q̇, of degree 1 in the accelerations and 2 in the rates."""
    x = coordinate("x")
    f = np.exp(np.sin(x))
    v, a = rate(x), acceleration(x)
    ddf = acceleration(f)
    assert derivative(ddf, a) is derivative(f, x)
    assert derivative(derivative(ddf, a), a) is derivative(x, t)
    at = {x: 0.7, v: 1.3, a: 0.0}
    f_xx = evaluate(derivative(derivative(f, x), x), at)
    assert evaluate(ddf, at) == pytest.approx(f_xx * 1.3**2, rel=1e-14)  # ten roundings


@pytest.mark.parametrize("n", range(1, 7))
def test_leibniz_rule_of_any_order(n):
    x, y = coordinates("x y")
    rng = np.random.default_rng(n)
    values = {nth_rate(q, k): rng.uniform(0.5, 2) for q in (x, y) for k in range(n + 1)}
    terms = (math.comb(n, k) * nth_rate(x, k) * nth_rate(y, n - k) for k in range(n + 1))
    # all terms are positive: nothing cancels, 2ⁿ roundings
    assert evaluate(nth_rate(x * y, n), values) == pytest.approx(evaluate(sum(terms), values), rel=1e-16 * 2 ** (n + 2))


def test_rate_of_constants_time_and_arrays():
    x, p = coordinate("x"), parameter("p", 3.0)
    assert float(rate(p)) == float(rate(2.0)) == 0
    assert float(rate(t)) == 1
    assert rate(p * x) is p * rate(x)
    both = rate(np.array([[x, p], [t, x**2]]))
    assert both.shape == (2, 2)
    assert both[1, 1] is 2 * x * rate(x)
    assert rate([x, 1.0]).shape == (2,)
    assert [s.order for s in symbols(rate(x**2))] == [0, 1]


def test_constraint_forces_have_no_rate():
    with pytest.raises(ExpressionError, match="rate of the constraint force 'tension' is not available"):
        rate(multiplier("tension") * 2)
