"""An expression used as a number is refused, in words that name the formula and what to write instead."""

import math

import numpy as np
import pytest

from zeromass.errors import ExpressionError
from zeromass.expression import as_expression, coordinate, coordinates, evaluate, expressions, parameter

x, y = coordinates("x y")
BRANCHING = r"write zm\.where\(condition, value_if_true, value_if_false\)"
EVALUATE = r"Evaluate it with zm\.expression\.evaluate\(expression, values\)"


def branch():
    if x > 0:
        pass


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda: bool(x > 0), rf"truth of '\(0 < x\)' is not known.*{BRANCHING}"),
        (lambda: bool(x), rf"truth of 'x' is not known.*{BRANCHING}"),
        (branch, rf"truth of '\(0 < x\)'.*{BRANCHING}"),
        (lambda: x == 0.0, rf"'x' has no value.*'==' can not be decided.*{BRANCHING}.*such as x > 0"),
        (lambda: x == 0, BRANCHING),
        (lambda: x == True, BRANCHING),  # noqa: E712
        (lambda: x != 0.0, BRANCHING),
        (lambda: 0.0 == x, BRANCHING),  # noqa: SIM300
        (lambda: x == np.float64(0), BRANCHING),
        (lambda: x == np.int64(0), "can not be compared for equality"),
        (lambda: np.float64(0) == x, "can not be compared for equality"),
        (lambda: np.array([x, y]) == 0.0, BRANCHING),
        (lambda: 0.0 in [x], BRANCHING),
        (lambda: float(x), rf"'x' is a formula, not a number\. {EVALUATE}"),
        (lambda: float(x + y), rf"'x \+ y' is a formula, not a number\. {EVALUATE}"),
        (lambda: math.sin(x), EVALUATE),
        (lambda: np.array([x], dtype=float), EVALUATE),
        (lambda: np.zeros(2).__setitem__(0, x), EVALUATE),
        (lambda: np.array([x, y]).astype(float), EVALUATE),
        (lambda: np.interp(x, [0, 1], [0, 1]), EVALUATE),
        (lambda: as_expression(float("nan")), r"not a number \(NaN\) can not be part of a formula"),
        (lambda: x * float("nan"), r"NaN"),
        (lambda: x * np.array([1.0, np.nan]), r"NaN"),
        (lambda: as_expression("x"), "can not contain str 'x'; use numbers and expressions"),
        (lambda: as_expression(None), "can not contain NoneType None; use numbers and expressions"),
        (lambda: as_expression(1j), "can not contain complex 1j; use numbers and expressions"),
        (lambda: as_expression([x]), "can not contain list"),
        (lambda: expressions([x, "y"]), "can not contain str 'y'"),
        (lambda: expressions([x, None]), "can not contain NoneType None"),
        (lambda: np.add(x, None), "can not contain NoneType None"),
        (lambda: x * np.complex128(1j), "can not contain complex128"),
        (lambda: evaluate(x * y, {x: 1.0}), "no value is given for 'y'"),
        (lambda: coordinate("2x"), "'2x' is not a name: begin with a letter"),
        (lambda: coordinate(""), "is not a name"),
        (lambda: coordinate(3), "3 is not a name"),
        (lambda: coordinates(""), r"needs at least one name, such as zm\.coordinates\('x y'\)"),
        (lambda: coordinates("a b a"), "repeats the name a"),
        (lambda: parameter("m", np.inf), "parameter 'm' must have a finite value, not inf"),
        (lambda: parameter("m", np.nan), "parameter 'm' must have a finite value, not nan"),
    ],
)
def test_refused_with_a_message(use, message):
    with pytest.raises(ExpressionError, match=message):
        use()


@pytest.mark.parametrize("other", ["a", None, 1j, [1.0], {}])
def test_python_refuses_operands_of_other_types(other):
    for use in (lambda: x + other, lambda: other * x, lambda: x**other, lambda: x < other, lambda: other / x):
        with pytest.raises(TypeError):
            use()


def test_an_expression_error_is_a_type_error():
    assert issubclass(ExpressionError, TypeError)


def test_a_constant_is_a_number():
    assert float(as_expression(2.5)) == 2.5
    assert np.array([x - x, x / x]).astype(float).tolist() == [0, 1]


def test_a_long_formula_is_shortened_in_the_message():
    f = sum(coordinate(f"a_long_name_{j}") * x for j in range(20))
    for use in (bool, float):
        with pytest.raises(ExpressionError) as error:
            use(f)
        assert "…" in str(error.value)
        assert len(str(error.value)) < 250
