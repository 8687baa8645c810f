"""Formulas as text that Python reads back, and as LaTeX."""

import re

import numpy as np
import pytest

from expression.formulas import random_trees, value
from zeromass.expression import (
    ExpressionError,
    acceleration,
    as_expression,
    coordinate,
    coordinates,
    evaluate,
    latex,
    matrix_text,
    parameter,
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


NAMES = {
    "x": "x",
    "theta": r"\theta",
    "Omega": r"\Omega",
    "theta1": r"\theta_{1}",
    "theta_1": r"\theta_{1}",
    "m12": "m_{12}",
    "m_left": r"m_{\mathrm{left}}",
    "x_1_2": "x_{1,2}",
    "omega_max": r"\omega_{\mathrm{max}}",
    "x_phi": r"x_{\phi}",
    "mass": r"\mathrm{mass}",
    "contact.x": r"x_{\mathrm{contact}}",
    "contact.x1": r"x_{1,\mathrm{contact}}",
    "left_front_wheel.phi": r"\phi_{\mathrm{left\_front\_wheel}}",
    "car.wheel.x": r"x_{\mathrm{car.wheel}}",
}


@pytest.mark.parametrize("name", NAMES)
def test_latex_of_names(name):
    assert latex(coordinate(name)) == NAMES[name]


theta, phi_1 = coordinates("theta phi_1")
own = coordinate("s", latex=r"\sigma^*")
LATEX = {
    # rates
    r"\dot{\theta}": rate(theta),
    r"\ddot{\theta}": acceleration(theta),
    r"\dot{\phi}_{1}": rate(phi_1),
    r"\ddot{\phi}_{1}^{2}": acceleration(phi_1) ** 2,
    r"{\theta}^{(3)}": rate(acceleration(theta)),
    r"\left({\theta}^{(3)}\right)^{2}": rate(acceleration(theta)) ** 2,
    r"\dot{\sigma^*}": rate(own),
    r"\left(\sigma^*\right)^{2}": own**2,
    # operations
    r"x + y": x + y,
    r"x - 1": x - 1,
    r"x + 1": x + 1,
    r"x - \left(y - z\right)": x - (y - z),
    r"-x": -x,
    r"-\left(x \, y\right)": -x * y,
    r"2 \, x": 2 * x,
    r"-2 \, x": -2 * x,
    r"0.5 \, \left(x + y\right)": (x + y) / 2,
    r"\left(x + y\right) \, \left(x - z\right)": (x + y) * (x - z),
    r"\frac{x + 1}{y - 2}": (x + 1) / (y - 2),
    r"\left(\frac{x}{y}\right)^{3}": (x / y) ** 3,
    r"x^{2}": x**2,
    r"x^{-2}": x**-2,
    r"\left(x + y\right)^{1.5}": (x + y) ** 1.5,
    r"\left(x^{y}\right)^{z}": (x**y) ** z,
    r"x^{y + z}": x ** (y + z),
    r"\sqrt{x^{2} + 1}": np.sqrt(x**2 + 1),
    r"\sin\left(\theta\right)": np.sin(theta),
    r"\cos\left(\theta\right)^{2}": np.cos(theta) ** 2,
    r"\operatorname{atan2}\left(y, x\right)": np.arctan2(y, x),
    r"\ln\left(x\right)": np.log(x),
    r"\left|x\right|": abs(x),
    r"\left\lfloor x \right\rfloor": np.floor(x),
    r"\begin{cases} x & 0 < x \\ -x & \text{otherwise} \end{cases}": where(x > 0, x, -x),
    r"\begin{cases} x & x \le y \\ y & \text{otherwise} \end{cases}": where(x <= y, x, y),
    # numbers
    r"9.81 \, t": 9.81 * t,
    r"1 \cdot 10^{-9} \, x": 1e-9 * x,
    r"6.67 \cdot 10^{-11} \, x": 6.67e-11 * x,
    r"x - 6.67 \cdot 10^{-11}": x - 6.67e-11,
}


@pytest.mark.parametrize("words", LATEX)
def test_latex(words):
    assert latex(LATEX[words]) == words


def test_lagrangian_of_a_pendulum():
    m, g, l = (parameter(*pair) for pair in (("m", 1.0), ("g", 9.81), ("l", 2.0)))
    L = 0.5 * m * l**2 * rate(theta) ** 2 + m * g * l * np.cos(theta)
    words = latex(L)
    for part in ("0.5", "m", "l^{2}", r"\dot{\theta}^{2}", r"\cos\left(\theta\right)", " + "):
        assert part in words


def test_latex_of_arrays():
    assert latex(np.array([[x, 1], [0, y**2]])) == "\\begin{bmatrix}\nx & 1 \\\\\n0 & y^{2}\n\\end{bmatrix}"
    assert latex(q[:2]) == "\\begin{bmatrix}\nx \\\\\ny\n\\end{bmatrix}"
    with pytest.raises(ExpressionError, match="no form for an array of 3 dimensions"):
        latex(np.full((2, 2, 2), x))


@pytest.mark.parametrize("seed", range(5))
def test_latex_is_well_formed(seed):
    for tree in random_trees(seed, 50):
        words = latex(value(tree, (theta, rate(phi_1), rate(acceleration(x)))))
        assert words.count(r"\left") == words.count(r"\right")
        assert words.count(r"\begin{cases}") == words.count(r"\end{cases}")
        depth = 0
        for brace in re.findall(r"[{}]", words):
            depth += 1 if brace == "{" else -1
            assert depth >= 0
        assert depth == 0
        flat = words
        while re.search(r"\{[^{}]*\}", flat):  # what a group holds does not matter for the superscript behind it
            flat = re.sub(r"\{[^{}]*\}", "", flat)
            assert "^^" not in flat
        assert "+ -" not in words
        assert "- -" not in words


def test_too_long_to_read():
    f = x
    for j in range(LONGEST // 4):  # four more operations each
        f = f * x + (j + 0.5)
    with pytest.raises(ExpressionError, match=r"2e\+04 operations, too many to read; print parts of it, or zm\."):
        latex(f)
    with pytest.raises(ExpressionError, match="too many to read"):
        latex([f, x])
    assert repr(f).startswith("<expression of ")
