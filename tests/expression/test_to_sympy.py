"""Conversion to SymPy: the same numbers, and SymPy's derivatives of what was converted are the library's."""

import mpmath
import numpy as np
import pytest
import sympy

import zeromass as zm
from cases import few
from expression.formulas import VARIABLES, random_trees, value
from expression.languages import DIGITS
from zeromass.errors import ExpressionError
from zeromass.expression import (
    acceleration,
    coordinate,
    coordinates,
    derivative,
    evaluate,
    parameter,
    rate,
    t,
    where,
)
from zeromass.expression import (
    sympy as to_sympy,
)

x, y, z = q = coordinates("x y z")
time = sympy.Symbol("t", real=True)


def number(formula, values):
    """A SymPy formula at the values of coordinates, rates and time, to 40 digits."""
    names = list(values)
    with mpmath.workdps(DIGITS):
        f = sympy.lambdify([to_sympy(name) for name in names], formula, modules="mpmath")
        return float(f(*[mpmath.mpf(float(values[name])) for name in names]))


@pytest.mark.parametrize("seed", range(5))
def test_value(seed):
    rng = np.random.default_rng(seed)
    for tree in random_trees(seed, 30, depths=range(2, 5), smooth=True):
        f = value(tree, q)
        at = dict(zip(q, rng.uniform(-2, 2, VARIABLES), strict=True))
        # some hundred roundings of 1e-16; absolute where terms cancel
        assert evaluate(f, at) == pytest.approx(number(to_sympy(f), at), rel=1e-13, abs=1e-14), tree


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_rate_is_the_total_derivative_of_sympy(seed):
    rng = np.random.default_rng(seed)
    for tree in random_trees(seed, 6, depths=range(1, 4), smooth=True):
        f = value(tree, [x, y, t])
        symbols = [x, y, t, rate(x), rate(y), acceleration(x), acceleration(y)]
        at = dict(zip(symbols, rng.uniform(-2, 2, 7), strict=True))
        for order, ours in ((1, rate(f)), (2, acceleration(f))):
            theirs = number(sympy.diff(to_sympy(f), time, order), at)
            # some hundred roundings of 1e-16, times what cancels between the terms of the second derivative
            assert evaluate(ours, at) == pytest.approx(theirs, rel=1e-12, abs=1e-12), tree


def test_leaves():
    X = sympy.Function("x", real=True)(time)
    assert to_sympy(x) == X
    assert to_sympy(rate(x)) == X.diff(time)
    assert to_sympy(acceleration(x)) == X.diff(time, 2)
    assert to_sympy(t) == time
    assert to_sympy(parameter("m", 2.0)) == sympy.Symbol("m", real=True)


def test_numbers():
    assert to_sympy(3.0) == sympy.Integer(3)
    assert to_sympy(x**2) == to_sympy(x) ** 2
    assert to_sympy(x**2).exp.is_Integer
    assert float(to_sympy(0.1)) == 0.1


def test_sympy_simplifies_what_is_equal():
    f = np.sin(x) ** 2 + np.cos(x) ** 2
    assert sympy.simplify(to_sympy(f)) == 1
    assert sympy.simplify(to_sympy(derivative(np.tan(x), x) - 1 / np.cos(x) ** 2)) == 0


PIECEWISE = {
    "where": where(x > y, x**2, -y),
    "where_equal": where(x <= y, x**2, -y),
    "and": where((x > 0) & (y > 0), x, y),
    "or": where((x > 0) | (y > 0), x, y),
    "not": where(~(x > 0), x, y),
    "nested": where(x > 0, where(y > 0, 1.0, 2.0), where(y > 0, 3.0, 4.0)),
    "condition as a number": (x > 0) * x - 2 * (y <= 0),
    "number as a condition": where(np.floor(x), 1.0, 2.0),
    "maximum": np.maximum(x, y),
    "minimum": np.minimum(x, y),
    "abs": abs(x) * y,
    "sign": np.sign(x) + 2 * np.sign(y),
    "floor": np.floor(x / 0.3),
    "remainder": x % 0.7,
}


@pytest.mark.parametrize("name", PIECEWISE)
def test_piecewise_formulas(name):
    f = PIECEWISE[name]
    formula = to_sympy(f)
    for a, b in ((0.4, 1.3), (-0.4, 1.3), (1.3, -0.4), (-1.3, -0.4), (0.5, 0.5)):
        at = {x: a, y: b}
        assert evaluate(f, at) == pytest.approx(number(formula, at), rel=1e-15)  # a rounding or two


def test_arrays_become_matrices():
    M = to_sympy(np.outer(q[:2], q))
    assert M.shape == (2, 3)
    assert M[1, 2] == to_sympy(y * z)
    assert to_sympy(q).shape == (3, 1)


def test_coordinates_of_one_name_are_one_symbol_for_sympy():
    assert to_sympy(coordinate("x")) == to_sympy(x)


def test_common_subexpressions_stay_shared():
    """60 doublings of a formula have 2^60 terms written out; a name x0 of one's own is left to it."""
    x, own = zm.coordinate("x"), zm.parameter("x0", 0.7)
    e = x * own
    for _ in range(60):
        e = np.sin(e * e + e)
    replacements, result = zm.export.sympy(e, cse=True)
    assert sum(formula.count_ops() for _, formula in replacements) + result.count_ops() < 500
    names = [str(symbol) for symbol, _ in replacements]
    assert len({*names}) == len(names)
    assert "x0" not in names
    known = {sympy.Function("x", real=True)(sympy.Symbol("t", real=True)): 0.3, sympy.Symbol("x0", real=True): 0.7}
    for symbol, formula in replacements:  # each of those before it
        known[symbol] = float(formula.subs(known))
    assert float(result.subs(known)) == pytest.approx(
        zm.expression.evaluate(e, {x: 0.3, own: 0.7}), rel=1e-12
    )  # rounding


def test_the_acceleration_of_a_mechanism_keeps_its_size():
    ground, arm = zm.Ground(), zm.RigidBody("arm", 1.0, (0.1, 0.2, 0.15), at=(0, 0, -0.5))
    system = zm.System([arm], gravity=9.81, joints=[zm.joints.Revolute(ground, arm, at=(0, 0, 0), axis=(0, 1, 0))])
    start = system.start([(arm.angular_velocity[1], 0.4)])
    program = zm.compile(system, start)
    replacements, result = zm.export.sympy(np.array(program.acceleration, dtype=object), cse=True)
    size = sum(formula.count_ops() for formula in (*(formula for _, formula in replacements), *result))
    assert size < 3 * program.operations  # it counts a − b as two, a² as one, and x/2 as two
    time = sympy.Symbol("t", real=True)
    known = {}
    for q, v, x, u in zip(system.coordinates, system.rates, start.q, start.v, strict=True):
        known[zm.export.sympy(q)], known[zm.export.sympy(v)] = float(x), float(u)
    known[time] = 0.0
    rates = {old: new for old, new in known.items() if old.is_Derivative}
    for symbol, formula in replacements:
        known[symbol] = float(formula.subs(rates).subs(known))
    values = [float(e.subs(rates).subs(known)) for e in result]
    np.testing.assert_allclose(values, start.motion.acceleration, atol=1e-10)  # two ways to solve, conditioned by 10


@pytest.mark.parametrize("name", few(["sin", "tanh", "arctan"]))
def test_what_is_nested_deep_is_cut_into_pieces_or_refused(name):
    x = e = zm.coordinate("x")
    for _ in range(3_000):  # SymPy's own recursion ends at some hundred
        e = getattr(np, name)(e)
    with pytest.raises(ExpressionError, match="cse=True"):
        zm.export.sympy(e)
    replacements, last = zm.export.sympy(e, cse=True)
    value = {zm.export.sympy(x): 0.3}
    for part, formula in replacements:
        value[part] = float(formula.subs(value))
        value = {part: value[part]}  # each is of the one before
    # the same functions, with 15 digits, each of which shrinks what was wrong before it
    assert float(last.subs(value)) == pytest.approx(zm.expression.evaluate(e, {x: 0.3}), rel=1e-10)


def test_a_sum_of_too_many_terms_is_refused():
    x = e = zm.coordinate("x")
    for k in range(3_000):
        e = e + np.sin((k + 1) * x)
    with pytest.raises(ExpressionError, match="cse=True"):
        zm.export.sympy(e)
