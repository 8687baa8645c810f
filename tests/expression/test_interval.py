"""Bounds over intervals: no value is outside of them, and they are no wider than the operation and rounding make them."""

import math
from fractions import Fraction

import numpy as np
import pytest

import zeromass as zm
from expression.formulas import VARIABLES, random_tree
from expression.formulas import value as read
from zeromass.expression.interval import Intervals, bounds
from zeromass.expression.node import operation
from zeromass.expression.operation import OF_NUMBERS, OPERATIONS
from zeromass.expression.operation.enclosure import undecided

x, y, z = q = zm.coordinates("x y z")
CONDITIONS = ("less", "less_equal", "where")


def boxes(rng, arity, count):
    """Intervals of all kinds: wide, narrow, of one number, ending at zero or at whole numbers, far away."""
    middle = rng.normal(size=(arity, count)) * 10.0 ** rng.integers(-2, 3, (arity, count))
    width = np.abs(rng.normal(size=(arity, count))) * 10.0 ** rng.integers(-9, 2, (arity, count))
    width[:, ::7] = 0.0
    low, high = middle - width, middle + width
    whole = rng.random((arity, count)) < 0.1
    low, high = np.where(whole, np.floor(low), low), np.where(whole, np.ceil(high), high)
    return np.where(rng.random((arity, count)) < 0.05, np.minimum(0.0, high), low), high


@pytest.mark.parametrize("name", OF_NUMBERS)
def test_no_value_is_outside(name):
    """Of every row of the table, at random points, at the ends and at what lies between them and is special."""
    rng = np.random.default_rng(sum(map(ord, name)))
    row = OPERATIONS[name]
    e, symbols = operation(name, *q[: row.arity]), list(q[: row.arity])
    low, high = boxes(rng, row.arity, 400)
    if name == "where":
        low[0], high[0] = np.sign(low[0]), np.sign(high[0])
    found = Intervals([e], symbols)([(low[k], high[k]) for k in range(row.arity)])[0]
    found = [np.broadcast_to(side, (400,)) for side in found]
    assert not np.any(np.isnan(found))
    assert np.all(found[0] <= found[1])
    parts = [np.zeros(row.arity), np.ones(row.arity), *rng.random((60, row.arity)), *rng.integers(0, 2, (8, row.arity))]
    specials = [np.clip(s, low, high) for s in (0.0, -1.0, 1.0, np.pi / 2, np.round(low), np.round(high))]
    for points in [*[low + part[:, None] * (high - low) for part in parts], *specials]:
        points = np.clip(points, low, high)
        value = zm.expression.evaluate(e, dict(zip(symbols, points, strict=True)))
        known = np.isfinite(value)
        assert np.all((found[0] <= value)[known] & (value <= found[1])[known])


@pytest.mark.parametrize("name", [n for n in OF_NUMBERS if n not in CONDITIONS])
def test_the_bounds_of_a_number_are_that_number_to_rounding(name):
    row, rng = OPERATIONS[name], np.random.default_rng(3)
    e = operation(name, *q[: row.arity])
    at = rng.uniform(1.1, 3.0, (row.arity, 100)) if name == "arccosh" else rng.uniform(0.1, 0.9, (row.arity, 100))
    low, high = bounds(e, dict(zip(q[: row.arity], at, strict=True)))
    value = zm.expression.evaluate(e, dict(zip(q[: row.arity], at, strict=True)))
    assert np.all(low <= value)
    assert np.all(value <= high)
    assert np.all(high - low <= 32 * np.spacing(np.maximum(np.abs(value), 1.0)))


@pytest.mark.parametrize("name", OF_NUMBERS)
def test_an_operation_jumps_where_its_table_says_so_alone(name):
    """Between two points of an interval in which nothing is said to jump, values differ as little as slopes allow."""
    row, rng = OPERATIONS[name], np.random.default_rng(5)
    symbols = list(q[: row.arity])
    e = operation(name, *symbols)
    low = rng.uniform(-3, 3, (row.arity, 2000))
    if name == "where":
        low[0] = np.round(low[0])
    high = low + 1e-6
    (_, jump), (slopes) = (
        Intervals([e], symbols).with_jumps(list(zip(low, high, strict=True))),
        Intervals(list(zm.expression.gradient(e, symbols)), symbols)(list(zip(low, high, strict=True))),
    )
    steepest = sum(np.maximum(np.abs(a), np.abs(b)) for a, b in slopes)
    change = np.abs(
        zm.expression.evaluate(e, dict(zip(symbols, high, strict=True)))
        - zm.expression.evaluate(e, dict(zip(symbols, low, strict=True)))
    )
    quiet = ~np.broadcast_to(jump, (2000,)) & np.isfinite(change)
    with np.errstate(invalid="ignore"):
        assert np.all(change[quiet] <= np.broadcast_to(steepest, (2000,))[quiet] * 1.001e-6 + 1e-13)
    jumping = {"sign", "floor", "remainder", "floor_divide", "less", "less_equal", "where", "arctan2"}
    assert (row.jumps is not None) == (name in jumping)


def test_random_formulas():
    """Values of formulas, and of their derivatives, at points of boxes."""
    rng = np.random.default_rng(11)
    for _ in range(150):
        e = read(random_tree(rng, 4), list(q))
        e = zm.expression.as_expression(e)
        formulas = [e, *zm.expression.gradient(e, q)]
        middle = rng.uniform(-2, 2, (VARIABLES, 40))
        width = 10.0 ** rng.uniform(-8, 0, 40)
        low, high = middle - width, middle + width
        found = Intervals(formulas, q)(list(zip(low, high, strict=True)))
        for _ in range(10):
            inside = np.clip(low + rng.random((VARIABLES, 40)) * (high - low), low, high)
            at = dict(zip(q, inside, strict=True))
            for formula, (a, b) in zip(formulas, found, strict=True):
                value = zm.expression.evaluate(formula, at)
                known = np.isfinite(value)
                assert np.all(((a <= value) & (value <= b))[known])


def test_rounding_is_outwards():
    """0.1 + 0.2 and 0.1·0.2 lie strictly between their bounds; what is exact stays exact."""
    exact = Fraction(0.1) + Fraction(0.2), Fraction(0.1) * Fraction(0.2)
    for e, value in zip((x + y, x * y), exact, strict=True):
        low, high = bounds(e, {x: 0.1, y: 0.2})
        assert Fraction(low) < value < Fraction(high)
    assert bounds(1 - x**2, {x: (0.0, 1.0)})[0] <= 0.0
    assert bounds(x + y, {x: 1.0, y: 2.0}) == (3.0, 3.0)


def test_what_has_no_value_is_unbounded():
    inf = math.inf
    for e in (1 / x, np.sqrt(x), np.log(x), np.arcsin(3 * x), x**-2 - x**-2 * y, x**0.5, np.tan(4 * x), x % y):
        assert bounds(e, {x: (-0.5, 0.5), y: (-1.0, 1.0)}) == (-inf, inf)
    assert bounds(1 / x, {x: (0.0, 0.5)}) == (pytest.approx(2.0), inf)
    assert bounds(np.exp(-1 / x**2), {x: (-0.5, 0.5)})[0] == 0.0
    assert bounds(np.exp(-1 / x**2), {x: (-0.5, 0.5)})[1] == pytest.approx(math.exp(-4))


def test_overflow_keeps_bounds_in_order():
    low, high = bounds(np.exp(x) - np.exp(y), {x: (800.0, 900.0), y: (0.0, 1.0)})
    assert low > 1e308
    assert high == math.inf


def test_parameters_keep_their_default():
    k = zm.parameter("k", 3.0)
    assert bounds(k * x, {x: (1.0, 2.0)}) == (pytest.approx(3.0), pytest.approx(6.0))
    assert bounds(k * x, {x: (1.0, 2.0), k: 1.0}) == (pytest.approx(1.0), pytest.approx(2.0))


def test_a_function_on_a_grid():
    """x + 3 y² on cells of its own, and its derivatives; outside the grid it has no value."""
    lines = np.linspace(0.0, 2.0, 5)
    c = np.zeros((4, 4, 2, 3))
    c[..., 0, 0] = lines[:-1, None] + 3 * lines[None, :-1] ** 2
    c[..., 1, 0], c[..., 0, 1], c[..., 0, 2] = 1.0, 6 * lines[None, :-1], 3.0
    grid = zm.expression.Grid(lines, lines, c)
    inside = {x: (0.3, 1.2), y: (0.1, 0.9)}
    assert bounds(grid(x, y), inside) == (pytest.approx(0.33), pytest.approx(1.2 + 3 * 0.81))
    assert bounds(zm.expression.derivative(grid(x, y), y), inside) == (pytest.approx(0.6), pytest.approx(5.4))
    assert bounds(grid(x, y), {x: (0.3, 2.2), y: 0.5}) == (-math.inf, math.inf)


def test_undecided_tells_where_a_constant_piece_ends():
    jumps = undecided(OPERATIONS["floor"].interval)
    np.testing.assert_array_equal(jumps((np.array([0.1, 0.9]), np.array([0.2, 1.1]))), [False, True])
