"""Simplification while building: it never changes a value, and equal formulas come out as the same object."""

import math
from functools import partial

import numpy as np
import pytest

from expression.formulas import VARIABLES, random_trees, value
from zeromass.errors import ExpressionError
from zeromass.expression import as_expression, coordinates, derivative, evaluate, parameter, where
from zeromass.expression.node import ordered
from zeromass.expression.operation import functions
from zeromass.expression.substitute import rebuilt

FUNCTIONS = functions()
x, y, z = coordinates("x y z")
one, zero = as_expression(1), as_expression(0)


@pytest.mark.parametrize("seed", range(10))
def test_value_is_that_of_the_formula_on_plain_numbers(seed):
    numbers = np.random.default_rng([seed, 2]).uniform(-2, 2, (VARIABLES, 20))
    for tree in random_trees(seed, 50):
        plain = np.broadcast_to(value(tree, numbers), numbers.shape[1:])
        built = evaluate(value(tree, (x, y, z)), dict(zip((x, y, z), numbers, strict=True)))
        # up to some hundred roundings of 1e-16 on each side, in another order: where terms cancel both lose
        # digits, which is why the error is relative to the largest value among the points
        assert np.abs(built - plain).max() <= 1e-13 * max(np.abs(plain).max(), 1), tree


SAME = {
    # neutral elements
    "x + 0": (x + 0, x),
    "0 + x": (0 + x, x),
    "x - 0": (x - 0, x),
    "0 - x": (0 - x, -x),
    "x * 1": (x * 1, x),
    "1 * x": (1 * x, x),
    "x * -1": (x * -1, -x),
    "x / 1": (x / 1, x),
    "x * 0": (x * 0, zero),
    "0 * x": (0 * x, zero),
    "0 / x": (0 / x, zero),
    "x ** 1": (x**1, x),
    "x ** 0": (x**0, one),
    "1 ** x": (1**x, one),
    "x * -0.0": (x * -0.0, zero),
    # inverses
    "x - x": (x - x, zero),
    "x + -x": (x + -x, zero),
    "x / x": (x / x, one),
    "x * (1/x)": (x * (1 / x), one),
    "x * (y/x)": (x * (y / x), y),
    "(x*y) / y": ((x * y) / y, x),
    "(x + y) - y": ((x + y) - y, x),
    "(x + y) - x": ((x + y) - x, y),
    "(x - y) + y": ((x - y) + y, x),
    "x - (x - y)": (x - (x - y), y),
    # signs
    "-(0 - x)": (-(0 - x), x),
    "negative twice": (np.negative(np.negative(x)), x),
    "-(x - y)": (-(x - y), y - x),
    "x + -y": (x + -y, x - y),
    "x - -y": (x - -y, x + y),
    "-x - y": (-x - y, -(x + y)),
    "-x * y": (-x * y, -(x * y)),
    "-x * -y": (-x * -y, x * y),
    "-x / y": (-x / y, -(x / y)),
    "x / -y": (x / -y, -(x / y)),
    "(-x) ** 2": ((-x) ** 2, x**2),
    "(-x) ** 3": ((-x) ** 3, -(x**3)),
    "(-x) ** -2": ((-x) ** -2, x**-2),
    # like terms and like factors
    "x + x": (x + x, 2 * x),
    "2x + 3x": (2 * x + 3 * x, 5 * x),
    "3x - x": (3 * x - x, 2 * x),
    "2x - 3x": (2 * x - 3 * x, -x),
    "x + -2y": (x + -2 * y, x - 2 * y),
    "x - -2y": (x - -2 * y, x + 2 * y),
    "x * x": (x * x, x**2),
    "x * x**2": (x * x**2, x**3),
    "x**3 / x": (x**3 / x, x**2),
    "x / x**2": (x / x**2, 1 / x),
    "x**-1": (x**-1, 1 / x),
    # constants gather
    "x + 1 + 2": (x + 1 + 2, x + 3),
    "1 + x + 2": (1 + x + 2, x + 3),
    "x + 1 - 1": (x + 1 - 1, x),
    "2 * (3 * x)": (2 * (3 * x), 6 * x),
    "(2 x) (3 y)": ((2 * x) * (3 * y), 6 * (x * y)),
    "x / 2": (x / 2, 0.5 * x),
    # powers of powers, of integers only
    "(x**2)**3": ((x**2) ** 3, x**6),
    "(x**2)**-1": ((x**2) ** -1, 1 / x**2),
    "(x**-2)**3": ((x**-2) ** 3, x**-6),
    "x**0.5": (x**0.5, np.sqrt(x)),
    "sqrt(x)**2": (np.sqrt(x) ** 2, x),
    "sqrt(x)**4": (np.sqrt(x) ** 4, x**2),
    "sqrt(x)**-2": (np.sqrt(x) ** -2, 1 / x),
    "sqrt(x) sqrt(x)": (np.sqrt(x) * np.sqrt(x), x),
    "x / sqrt(x)": (x / np.sqrt(x), np.sqrt(x)),
    "|x|**2": (abs(x) ** 2, x**2),
    # functions
    "||x||": (abs(abs(x)), abs(x)),
    "|-x|": (abs(-x), abs(x)),
    "|exp x|": (abs(np.exp(x)), np.exp(x)),
    "where(c, x, x)": (where(y > 0, x, x), x),
    "where(1 > 0, x, y)": (where(one > 0, x, y), x),
    "where(0 > 1, x, y)": (where(zero > 1, x, y), y),
}


@pytest.mark.parametrize("law", SAME)
def test_same_object(law):
    left, right = SAME[law]
    assert left is right


def test_powers_whose_exponents_may_not_be_multiplied():
    """(x²)^½ = |x|, not x; (x^1.5)² has no value at x < 0, x³ has."""
    at = {x: np.array([-2.0, 3.0])}
    assert evaluate((x**2) ** 0.5, at).tolist() == [2, 3]
    assert np.isnan(evaluate((x**1.5) ** 2, at)[0])
    assert evaluate(x**2.5 / x**1.5, {x: 3.0}) == pytest.approx(3.0, rel=1e-15)  # three roundings
    assert (x**2) ** 0.5 is not x


@pytest.mark.parametrize("name", FUNCTIONS)
def test_constants_are_folded(name):
    numbers = (0.3, -0.7) if FUNCTIONS[name].arity == 2 else (1.25,) if name == "arccosh" else (0.3,)
    f = getattr(np, name)
    folded = f(*map(as_expression, numbers))
    assert folded.value is not None
    # NumPy's own implementation may differ from the C library's in the last digit
    assert folded.value == pytest.approx(float(f(*numbers)), rel=4e-16)


def test_arithmetic_of_constants_is_that_of_floats():
    a, b = as_expression(0.1), as_expression(-0.7)
    assert float(a + b) == 0.1 + -0.7
    assert float(a - b) == 0.1 - -0.7
    assert float(a * b) == 0.1 * -0.7
    assert float(a / b) == 0.1 / -0.7
    assert float(a**b) == 0.1**-0.7
    assert float(-a) == -0.1
    assert float(np.arctan2(b, a)) == math.atan2(-0.7, 0.1)
    assert float(a < b) == 0
    assert float(b <= a) == 1


@pytest.mark.parametrize("name", [name for name, rule in FUNCTIONS.items() if rule.parity])
def test_parity(name):
    f = partial(getattr(np, name), *[z] * (FUNCTIONS[name].arity - 1))
    assert f(-x) is (f(x) if FUNCTIONS[name].parity == "even" else -f(x))
    assert f(y - x) is not f(x - y)  # a difference has no sign of its own


def test_functions_without_parity_keep_their_sign():
    assert np.exp(-x) is not np.exp(x)
    assert np.arccos(-x).args[0] is -x
    assert np.arctan2(-y, x).args[0] is -y


@pytest.mark.parametrize("seed", range(5))
def test_order_of_operands_does_not_matter(seed):
    trees = random_trees(seed, 40, depths=range(4))
    p, q = np.random.default_rng(seed).choice([-3, -2, -1, 1, 2, 0.5, 2.5], (2, 20))
    for u, v, a, b in zip(*[iter(value(tree, (x, y, z)) for tree in trees)] * 2, p, q, strict=True):
        for left, right in ((u, v), (a * u, b * v), (u - v, v), (u, -v), (a * u - b, b * v)):
            assert left + right is right + left
            assert left * right is right * left


@pytest.mark.parametrize("seed", range(5))
def test_what_is_built_is_simplified_already(seed):
    """Building each node again from its operands gives the node: simplification is done once and for all."""
    for tree in random_trees(seed, 60):
        for node in ordered([value(tree, (x, y, z))]):
            if node.args:
                assert rebuilt(node.op, *node.args) is node


def test_dividing_by_a_power_of_two_is_exact():
    for b in (2.0**-1074, 2.0**-1023, 2.0**-3, 8.0, 2.0**1023, 3.0, 0.1):
        for a in (0.1, 3e-300, 1e300, 1e-320):
            assert evaluate(x / b, {x: a}) == a / b


EXTREME = [1e-200, -1e-200, 1e200, -3e200, 3e-308, 1.5e308, -1.5e308, 2.0**-1022, 2.0**1023, 0.1, -2.0, 3.0]
CHAINS = {
    "a*(b*x)": lambda a, b: a * (b * x),
    "(a*x)*(b*y)": lambda a, b: (a * x) * (b * y),
    "(a*x)*(b*x)": lambda a, b: (a * x) * (b * x),
    "a*x + b*x": lambda a, b: a * x + b * x,
    "a*x - b*x": lambda a, b: a * x - b * x,
    "x + a + b": lambda a, b: x + a + b,
    "(x - a) - b": lambda a, b: (x - a) - b,
    "x/a/b": lambda a, b: x / a / b,
    "a*x/b": lambda a, b: a * x / b,
    "a/(b*x)": lambda a, b: a / (b * x),
    "a + b": lambda a, b: as_expression(a) + b,
    "a - b": lambda a, b: as_expression(a) - b,
    "a*b": lambda a, b: as_expression(a) * b,
    "a/b": lambda a, b: as_expression(a) / b,
    "(a*b)*x": lambda a, b: as_expression(a) * b * x,
    "x*(a*b)/b": lambda a, b: x * (as_expression(a) * b) / b,
    "atan2(a, b)": lambda a, b: np.arctan2(as_expression(a), b),
    "hypot(a, b)": lambda a, b: np.hypot(as_expression(a), b),
    "negative": lambda a, b: -(a * (b * x)) * -1.0,
    "derivative": lambda a, b: derivative(a * (b * x**2), x),
}


@pytest.mark.parametrize("chain", CHAINS)
def test_folding_makes_no_constant_that_has_lost_digits(chain):
    """Of normal numbers there come no zeros, infinities and numbers below the normal ones; zero only where terms cancel."""
    for a in EXTREME:
        for b in EXTREME:
            e = CHAINS[chain](a, b)
            for node in ordered([e]):
                if node.value is not None and not 2.0**-1022 <= abs(node.value) <= 1.7976931348623157e308:
                    assert "+" in chain or "-" in chain, (a, b, e)
                    assert abs(node.value) in (abs(a + b), abs(a - b)), (a, b, e)
                    assert math.isfinite(node.value)
            assert as_expression(e).args == () or rebuilt(e.op, *e.args) is e


def test_constants_that_stay_apart_have_their_value():
    assert evaluate(1e-200 * (1e-200 * x), {x: 1e300}) == pytest.approx(1e-100, rel=1e-15)
    assert evaluate((1e200 * x) * (1e200 * y), {x: 1e-200, y: 1e-200}) == 1
    assert evaluate(x + 1e308 + 1e308, {x: -1e308}) == 1e308
    assert evaluate(1.5e308 * x + 1.5e308 * x, {x: 0.25}) == 0.75e308
    assert evaluate(x / 1e-200 / 1e200, {x: 3.0}) == pytest.approx(3.0, rel=1e-15)
    assert float(as_expression(1e-200) * 1e-200) == 0
    assert float(as_expression(1e200) * 1e200) == np.inf
    assert float(np.exp(as_expression(-1000))) == 0
    assert float(as_expression(1e-200) ** 2) == 0
    assert 1e200 * (1e-200 * (1e-200 * x)) is 1e-200 * x
    assert (1e-310 * x) * y is y * (1e-310 * x)
    assert (x**2.0**52) ** 4 is not x**2.0**54


@pytest.mark.parametrize("build", [lambda: zero * np.inf, lambda: as_expression(np.inf) - np.inf])
def test_constants_without_a_value_are_refused(build):
    with pytest.raises(ExpressionError, match="NaN"):
        build()


def test_zero_times_a_formula_is_zero():
    """A symbol stands for a finite number: 0·x is 0 also where x overflows."""
    assert 0 * np.exp(x) is zero
    assert np.inf * x is not zero
    assert evaluate(0 * np.exp(x) + y, {x: 1000.0, y: 2.0}) == 2


def test_a_parameter_is_not_folded_into_the_formula():
    p = parameter("p", 1.0)
    assert x * p is not x
    assert evaluate(x * p, {x: 2.0, p: 3.0}) == 6


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: x / 0, "division of 'x' by zero"),
        (lambda: x / (y - y), "division of 'x' by zero"),
        (lambda: 1 / zero, "division of '1' by zero"),
        (lambda: zero**-1, r"0 \*\* -1 has no value"),
        (lambda: np.sqrt(as_expression(-1)), r"sqrt\(-1\) has no real value"),
        (lambda: np.log(zero), r"log\(0\) has no real value"),
        (lambda: np.arccos(as_expression(2)), r"arccos\(2\) has no real value"),
        (lambda: np.exp(as_expression(1000)), r"exp\(1000\) has no real value"),
        (lambda: as_expression(-2) ** 0.5, r"-2 \*\* 0.5 is not a real number"),
        (lambda: (-2.0) ** x, r"log\(-2\) has no real value"),
    ],
)
def test_formulas_without_a_value_are_refused(build, message):
    with pytest.raises(ExpressionError, match=message):
        build()
