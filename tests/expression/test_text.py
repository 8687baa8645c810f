"""Formulas as text that Python reads back."""

import numpy as np
import pytest

from expression.formulas import random_trees, value
from zeromass.errors import ExpressionError
from zeromass.expression import (
    acceleration,
    as_expression,
    caption,
    coordinates,
    evaluate,
    heading,
    latex,
    matrix_text,
    rate,
    t,
    where,
)
from zeromass.expression.operation import functions
from zeromass.expression.text import LONGEST

x, y, z = q = coordinates("x y z")
READ = {
    **{name: getattr(np, name) for name in functions()},
    "x": x,
    "y": y,
    "z": z,
    "t": t,
    "where": where,
    "rate": rate,
    "acceleration": acceleration,
}


@pytest.mark.parametrize("seed", range(10))
def test_python_reads_back_the_same_formula(seed):
    variables = (x, rate(y), acceleration(z)) if seed % 2 else q
    points = dict(zip(variables, np.random.default_rng(seed).uniform(-2, 2, (3, 10)), strict=True))
    read = 0
    for tree in random_trees(seed, 50):
        e = as_expression(value(tree, variables))
        if not repr(e).startswith("<"):
            expected = evaluate(e, points)
            # a sum is written without the brackets that say where it began: a rounding for every term
            back = evaluate(eval(repr(e), READ), points)
            assert np.abs(back - expected).max() <= 1e-14 * np.abs(expected).max(), e
            read += 1
    assert read > 40


TEXT = {
    "x - 1": x - 1,
    "x + 1": 1 + x,
    "x - y": x - y,
    "x - (y - z)": x - (y - z),
    "x - (y + z)": x - (y + z),
    "x*(y + z)": x * (y + z),
    "x/(y*z)": x / (y * z),
    "x/y/z": x / y / z,
    "x/(y/z)": x / (y / z),
    "-x**2": -(x**2),
    "-(x*y)": -x * y,
    "x**(-2)": x**-2,
    "(x + y)**2": (x + y) ** 2,
    "(x**y)**z": (x**y) ** z,
    "x**(y**z)": x ** (y**z),
    "rate(x)**2": rate(x) ** 2,
    "acceleration(x)": acceleration(x),
    "rate^3(x)": rate(acceleration(x)),
    "where((0 < x), x, 0)": where(x > 0, x, 0),
    "0.1*x": 0.1 * x,
    "1e-09*x": 1e-9 * x,
    "1e+20*x": 1e20 * x,
    "arctan2(y, x)": np.arctan2(y, x),
    "hypot(x, y)": np.hypot(x, y),
    "maximum(x, 0)": np.maximum(x, 0),
    "x % (y*z)": x % (y * z),
    "(x + y) // z": (x + y) // z,
    "x*(y % z)": x * (y % z),
    "x % y/z": (x % y) / z,
}


@pytest.mark.parametrize("words", TEXT)
def test_text(words):
    assert repr(TEXT[words]) == words


def test_a_matrix_is_aligned():
    assert matrix_text([[x, x * y], [10, 0]]) == " x  x*y\n10    0"
    assert matrix_text(q) == "x  y  z"
    assert matrix_text(x) == "x"


def test_too_long_to_read():
    f = x
    for j in range(LONGEST // 4):  # four more operations each
        f = f * x + (j + 0.5)
    with pytest.raises(ExpressionError, match=r"2e\+04 operations, too many to read; print parts of it, or zm\."):
        latex(f)
    with pytest.raises(ExpressionError, match="too many to read"):
        latex([f, x])
    assert repr(f).startswith("<expression of ")


def test_a_heading_is_a_line_whatever_the_formula():
    long = np.sign(sum(np.sin(k * x) * np.cos(k * y) for k in range(1, 40)))
    deep = x
    for _ in range(200):  # written out in full it has 2²⁰⁰ operations
        deep = deep * deep + 1 / deep
    for e in (long, np.sign(deep), where(deep > y, x, y), sum(coordinates(" ".join(f"z{k}" for k in range(50))))):
        assert len(heading(e)) <= 100, heading(e)
    assert heading(long) == "sign(…) of x, y"
    assert heading(np.sign(rate(x))) == caption(np.sign(rate(x)))
    assert heading(np.sign(deep) * x, {deep: "drift"}) == "x*sign(drift)"
