"""Functions on grids: polynomials cell by cell, exact derivatives, one node for equal data."""

from __future__ import annotations

import copy
import itertools
import pickle

import numpy as np
import pytest

from zeromass.errors import ExpressionError
from zeromass.expression import (
    Evaluator,
    Grid,
    c_code,
    coordinates,
    derivative,
    evaluate,
    gradient,
    jacobian,
    latex,
    rate,
    substitute,
    symbols,
)
from zeromass.expression import (
    sympy as to_sympy,
)
from zeromass.expression.build import ZERO
from zeromass.model.state import Magnitude

EPS = np.finfo(float).eps
EVEN = np.linspace(-1.0, 2.0, 7)
UNEVEN = np.array([-1.0, -0.8, 0.1, 0.3, 1.1, 1.25, 2.0])
X, Y = coordinates("X Y")


def grid(x: np.ndarray = EVEN, y: np.ndarray = UNEVEN, powers: tuple[int, int] = (6, 6), seed: int = 0) -> Grid:
    """Polynomials that have nothing to do with their neighbours."""
    shape = (len(x) - 1, len(y) - 1, *powers)
    return Grid(x, y, np.random.default_rng(seed).normal(size=shape), name="hills")


def points(count: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-1.0, 2.0, size=(count, 2))


@pytest.mark.parametrize("orders", list(itertools.product(range(7), range(7))))
def test_derivatives_are_those_of_the_polynomial_of_the_cell(orders):
    """Against NumPy's own polynomials; both round a few times, by parts of the size of all terms together."""
    g = grid()
    for x, y in points(50):
        i, j = np.searchsorted(g.x, x, side="right") - 1, np.searchsorted(g.y, y, side="right") - 1
        c = g.coefficients[i, j]
        for axis, order in enumerate(orders):
            c = np.polynomial.polynomial.polyder(c, order, axis=axis)
        s, t = x - g.x[i], y - g.y[j]
        expected = np.polynomial.polynomial.polyval2d(s, t, c)
        size = np.polynomial.polynomial.polyval2d(s, t, np.abs(c))
        assert abs(g.derivative(x, y, orders) - expected) <= 20 * EPS * size


def test_an_expression_has_the_values_of_the_function():
    g, at = grid(), points(100)
    assert np.array_equal(evaluate(g(X, Y), {X: at[:, 0], Y: at[:, 1]}), g(at[:, 0], at[:, 1]))
    assert isinstance(g(0.5, 0.5), float)
    assert g(X, 0.5) is substitute(g(X, Y), {Y: 0.5})
    assert float(substitute(g(X, Y), {X: 0.3, Y: 0.5})) == g(0.3, 0.5)


def test_arrays_are_broadcast():
    g = grid()
    x, y = np.linspace(-1, 2, 4)[:, None], np.linspace(-1, 2, 5)
    assert g(x, y).shape == (4, 5)
    assert g(x, y)[1, 2] == g(x[1, 0], y[2])
    mixed = g(np.array([X, Y]), 0.5)
    assert mixed[0] is g(X, 0.5)
    assert mixed[1] is g(Y, 0.5)


def test_derivatives_of_expressions_are_derivatives_of_the_function():
    g, at = grid(), points(20)
    h, lead = g(X, Y), {(0, 0): g(X, Y)}
    for m, n in itertools.product(range(6), range(6)):
        e = h
        for variable in [X] * m + [Y] * n:
            e = derivative(e, variable)
        lead[m, n] = e
        assert np.array_equal(Evaluator(e, [X, Y])(at), g.derivative(at[:, 0], at[:, 1], (m, n)))
    assert derivative(derivative(h, Y), X) is lead[1, 1]
    assert derivative(lead[5, 0], X) is ZERO
    assert derivative(lead[0, 5], Y) is ZERO
    assert gradient(h, [X, Y])[0] is lead[1, 0]
    assert jacobian([h], [X, Y])[0, 1] is lead[0, 1]


def test_the_chain_rule_holds_through_a_grid():
    """∂/∂X of h(X², X Y) and its rate in time, against the derivatives of h written out."""
    g = grid()
    h = g(X**2 / 4, X * Y)
    x, y = 0.7, -0.4
    h_x, h_y = (float(g.derivative(x**2 / 4, x * y, orders)) for orders in ((1, 0), (0, 1)))
    known = {X: x, Y: y, rate(X): 2.0, rate(Y): 3.0}
    assert evaluate(derivative(h, X), known) == pytest.approx(h_x * x / 2 + h_y * y, rel=10 * EPS)
    expected = h_x * x / 2 * 2.0 + h_y * (y * 2.0 + x * 3.0)
    assert evaluate(rate(h), known) == pytest.approx(expected, rel=10 * EPS)


def test_outside_there_is_no_number():
    g = grid()
    for x, y in ((-1.1, 0.0), (2.1, 0.0), (0.0, -1.1), (0.0, 2.1), (np.nan, 0.0), (0.0, np.nan), (np.inf, 0.0)):
        for orders in ((0, 0), (1, 0), (5, 5), (6, 0)):
            assert np.isnan(g.derivative(x, y, orders))
    assert np.all(np.isfinite(g(np.array([-1.0, 2.0]), np.array([2.0, -1.0]))))
    with pytest.raises(ExpressionError, match="'hills' has no value at"):
        substitute(g(X, Y), {X: 3.0, Y: 0.0})


def test_equal_data_are_one_function():
    a, b, c = grid(), grid(), grid(seed=1)
    assert a == b
    assert hash(a) == hash(b)
    assert a(X, Y) is b(X, Y)
    assert a != c
    assert a(X, Y) is not c(X, Y)
    assert a(X, Y) is not Grid(a.x, a.y, a.coefficients, name="dales")(X, Y)


def test_the_data_can_not_change():
    x = EVEN.copy()
    g = grid(x)
    x[0] = 17.0
    assert g.x[0] == -1.0
    with pytest.raises(ValueError, match="read-only"):
        g.coefficients[0, 0, 0, 0] = 1.0


def test_pickled_and_copied_it_is_the_same():
    g = grid()
    h = derivative(g(X + 1, Y) * X, X)
    assert pickle.loads(pickle.dumps(g)) == g
    assert pickle.loads(pickle.dumps(h)) is h
    assert copy.deepcopy(h) is h
    assert symbols(h) == [X, Y]


def test_it_is_printed_by_its_name():
    h = grid()(X, Y)
    assert repr(h) == "hills(X, Y)"
    assert repr(derivative(derivative(derivative(h, Y), X), X)) == "hills_xxy(X, Y)"
    assert latex(h) == r"\operatorname{hills}\left(X, Y\right)"
    assert latex(derivative(h, Y)) == r"\operatorname{hills}_{y}\left(X, Y\right)"
    assert repr(grid()) == "Grid('hills', 6 × 6 cells, x from -1 to 2, y from -1 to 2)"


def test_other_languages_have_no_form_for_it():
    h = grid()(X, Y)
    with pytest.raises(ExpressionError, match="'hills' is given by numbers on a grid, which have no C form"):
        c_code(h)
    with pytest.raises(ExpressionError, match="'hills' is given by numbers on a grid, which have no SymPy form"):
        to_sympy(h)


def test_its_rounding_has_a_scale():
    size = Magnitude([grid()(X, Y)], [X, Y])(np.array([0.3, 0.4]))
    assert np.all(np.isfinite(size))
    assert size[0] >= abs(grid()(0.3, 0.4))


@pytest.mark.parametrize(
    ("x", "shape", "message"),
    [
        (EVEN[::-1], (6, 6, 6, 6), "the lines x of 'hills' must be"),
        (np.array([0.0]), (0, 6, 6, 6), "the lines x of 'hills' must be"),
        (np.array([0.0, np.inf]), (1, 6, 6, 6), "the lines x of 'hills' must be"),
        (EVEN, (5, 6, 6, 6), "the coefficients of 'hills' have shape"),
        (EVEN, (6, 6), "the coefficients of 'hills' have shape"),
    ],
)
def test_wrong_data_are_named(x, shape, message):
    with pytest.raises(ExpressionError, match=message):
        Grid(x, UNEVEN, np.zeros(shape), name="hills")


def test_coefficients_must_be_finite():
    with pytest.raises(ExpressionError, match="the coefficients of 'hills' must be finite"):
        Grid(EVEN, UNEVEN, np.full((6, 6, 2, 2), np.nan), name="hills")
