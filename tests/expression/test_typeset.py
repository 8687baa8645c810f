"""Formulas as LaTeX: names, operations, numbers; and that tidying changes no value."""

import re

import numpy as np
import pytest

from expression.formulas import random_trees, value
from zeromass.errors import ExpressionError
from zeromass.expression import (
    acceleration,
    as_expression,
    coordinate,
    coordinates,
    evaluate,
    latex,
    multiplier,
    parameter,
    rate,
    t,
    where,
)
from zeromass.expression.node import ordered
from zeromass.expression.text import written
from zeromass.expression.tidy import Tidy

x, y, z = q = coordinates("x y z")

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
    r"x - y + z": x - (y - z),
    r"-x": -x,
    r"-x \, y": -x * y,
    r"2 \, x": 2 * x,
    r"-2 \, x": -2 * x,
    r"\frac{x + y}{2}": (x + y) / 2,
    r"\left(x + y\right) \, \left(x - z\right)": (x + y) * (x - z),
    r"\frac{x + 1}{y - 2}": (x + 1) / (y - 2),
    r"\frac{x^{3}}{y^{3}}": (x / y) ** 3,
    r"x^{2}": x**2,
    r"\frac{1}{x^{2}}": x**-2,
    r"\left(x + y\right)^{3/2}": (x + y) ** 1.5,
    r"\left(x^{y}\right)^{z}": (x**y) ** z,
    r"x^{y + z}": x ** (y + z),
    r"\sqrt{x^{2} + 1}": np.sqrt(x**2 + 1),
    r"\sin\theta": np.sin(theta),
    r"\sin\left(2 \, \theta\right)": np.sin(2 * theta),
    r"\cos^{2}\theta": np.cos(theta) ** 2,
    r"\cos^{3}\left(x + 1\right)": np.cos(x + 1) ** 3,
    r"\frac{1}{\tan^{2} x}": np.tan(x) ** -2,
    r"\sqrt{x}^{3}": np.sqrt(x) ** 3,
    r"\operatorname{\text{atan2}}\left(y, x\right)": np.arctan2(y, x),
    r"e^{-2 \, x}": np.exp(-2 * x),
    r"\left(e^{x}\right)^{2}": np.exp(x) ** 2,
    r"\exp\left(\frac{x}{2}\right)": np.exp(x / 2),
    r"\ln x": np.log(x),
    r"\left|x\right|": abs(x),
    r"\left\lfloor x \right\rfloor": np.floor(x),
    r"\begin{cases} x & 0 < x \\ -x & \text{otherwise} \end{cases}": where(x > 0, x, -x),
    r"\begin{cases} x & x \le y \\ y & \text{otherwise} \end{cases}": where(x <= y, x, y),
    # numbers
    r"9.81 \, t": 9.81 * t,
    r"10^{-9} \, x": 1e-9 * x,
    r"6.67 \cdot 10^{-11} \, x": 6.67e-11 * x,
    r"x - 6.67 \cdot 10^{-11}": x - 6.67e-11,
}


@pytest.mark.parametrize("words", LATEX)
def test_latex(words):
    assert latex(LATEX[words]) == words


def test_lagrangian_of_a_pendulum():
    m, g, l = (parameter(*pair) for pair in (("m", 1.0), ("g", 9.81), ("l", 2.0)))
    L = 0.5 * m * l**2 * rate(theta) ** 2 + m * g * l * np.cos(theta)
    assert latex(L) == r"\frac{1}{2} \, m \, l^{2} \, \dot{\theta}^{2} + m \, g \, l \, \cos\theta"


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


SIN, COS = np.sin, np.cos
theta_1, theta_2 = coordinates("theta_1 theta_2")
m, n, l, g = (parameter(name, 1.0) for name in ["m", "n", "l", "g"])
TIDY = {
    # identities
    "1": SIN(x) ** 2 + COS(x) ** 2,
    "m": m * SIN(x + y) ** 2 + m * COS(x + y) ** 2,
    r"\cos^{2} x": 1 - SIN(x) ** 2,
    r"-\sin^{2} x": COS(x) ** 2 - 1,
    r"m \, l^{2} \, \dot{\theta}^{2}": m * ((l * COS(theta) * rate(theta)) ** 2 + (l * SIN(theta) * rate(theta)) ** 2),
    r"\sin^{2} x": SIN(x) ** 4 + SIN(x) ** 2 * COS(x) ** 2,
    "2": 2 * np.cosh(x) ** 2 - 2 * np.sinh(x) ** 2,
    r"\cos\left(\theta_{1} - \theta_{2}\right)": COS(theta_1) * COS(theta_2) + SIN(theta_1) * SIN(theta_2),
    r"\cos\left(\theta_{1} + \theta_{2}\right)": COS(theta_1) * COS(theta_2) - SIN(theta_1) * SIN(theta_2),
    r"m \, \sin\left(\theta_{1} - \theta_{2}\right)": m * (SIN(theta_1) * COS(theta_2) - COS(theta_1) * SIN(theta_2)),
    r"-\sin\left(\theta_{1} - \theta_{2}\right)": SIN(theta_2) * COS(theta_1) - COS(theta_2) * SIN(theta_1),
    r"\sin\left(x + y\right)": SIN(x) * COS(y) + SIN(y) * COS(x),
    # common factors, like terms
    r"l^{2} \, \left(m + n\right)": m * l**2 + n * l**2,
    r"l^{2} \, \left(2 \, m + n\right)": 2 * m * l**2 + n * l**2,
    r"-l \, \left(m + n\right)": -m * l - n * l,
    r"\frac{1}{2} \, m \, \left(\dot{x}^{2} + \dot{y}^{2}\right)": m * rate(x) ** 2 / 2 + m * rate(y) ** 2 / 2,
    r"\frac{1}{2} \, m \, \dot{x}^{2} + \frac{1}{2} \, g \, x^{2}": m * rate(x) ** 2 / 2 + g * x**2 / 2,
    r"3 \, x + y": x + y + 2 * x,
    r"\frac{x \, y + z}{m}": x * y / m + z / m,
    r"\frac{x - \frac{y}{m}}{m}": x / m - y / m**2,
    r"\frac{x + y}{2 \, m}": x / (2 * m) + y / (2 * m),
    r"y - x": -x + y,
    r"2 \, m \, x": m * (x + y) + m * (x - y),
    # numbers
    "0.32 \\, x": (0.1 + 0.2) * 1.0666666666666667 * x,
    "0.3 \\, x": (0.1 + 0.2) * x,
    r"\frac{x}{3}": x / 3,
    r"\frac{2}{7} \, m \, x": m * x * 2 / 7,
    r"\frac{3}{2} \, x^{2}": 1.5 * x**2,
    r"2 \, \pi \, t": 2 * np.pi * t,
    r"\sin\left(t + \frac{\pi}{2}\right)": SIN(t + np.pi / 2),
    r"\frac{0.3 \, x}{y}": 0.3 * x / y,
    "120000 \\, x": 120000 * x,
    r"\infty": as_expression(np.inf),
    # names
    "I_{c}": parameter("I_c", 1.0),
    r"\lambda_{\mathrm{mass\ center[0]}}": multiplier("λ mass center[0]"),
    r"\dot{\theta}": rate(coordinate("θ")),
}


@pytest.mark.parametrize("words", TIDY)
def test_as_on_a_board(words):
    assert latex(TIDY[words]) == words


def test_digits_round_numbers_and_nothing_else():
    assert latex(x * 0.123456789, digits=4) == r"0.1235 \, x"
    assert latex(x * 0.123456789) == r"0.123456789 \, x"
    assert latex(x**12 / 3, digits=2) == r"\frac{1}{3} \, x^{12}"


@pytest.mark.parametrize("seed", range(20))
def test_tidying_changes_no_value(seed):
    """Of random formulas at random points: what differs is rounding, of sums that are added in another order.

    Such a sum is wrong by a few units of its largest term, and what is made of it by as much as it is sensitive: the
    distance to the value at a point that differs by rounding says how much that is.
    """
    variables = (x, rate(y), parameter("p", 0.5))
    points = np.random.default_rng(seed).uniform(-2, 2, (3, 20))
    at = dict(zip(variables, points, strict=True))
    near = [dict(zip(variables, points * (1 + s * 2.0**-50), strict=True)) for s in (-1, 1)]
    compared = 0
    for tree in random_trees(seed, 60):
        e = as_expression(value(tree, variables))
        board = Tidy()
        with np.errstate(all="ignore"):
            back, expected = evaluate(board.expression(board(e)), at), evaluate(e, at)
            around = [evaluate(e, place) for place in near]
        largest = max([1.0, *[abs(node.value) for node in ordered([e]) if node.value is not None]])
        room = 1e-11 * (np.abs(expected) + largest) + 100 * sum(np.abs(other - expected) for other in around)
        jumps = np.any([np.abs(other - expected) > 1e-6 for other in around], axis=0)  # a floor, at its step
        fine = np.isfinite(expected) & ~jumps
        assert np.all(np.abs(back - expected)[fine] <= room[fine]), e
        compared += int(np.sum(fine))
    assert compared > 60 * 20 * 0.9


@pytest.mark.parametrize("seed", range(5))
def test_tidying_of_sums_of_products_of_angles(seed):
    """Formulas that the identities were made for: products of sines and cosines, with coefficients that often agree."""
    rng = np.random.default_rng(seed)
    leaves = [f(angle) for f in (SIN, COS) for angle in (theta, theta_1, theta_1 + theta_2)] + [m, l, rate(theta)]
    at = {s: rng.uniform(-2, 2, 30) for s in (theta, theta_1, theta_2, rate(theta), m, l)}
    shorter = 0
    for _ in range(60):
        picked = [leaves[k] for k in rng.integers(len(leaves), size=4)]
        a, b, c, d = picked
        e = sum(
            (rng.integers(-2, 3) * p * q * r for p in (a, b) for q in (a, c) for r in (b, d)),
            a * (b + c) ** 2 + d * (a - b),
        )
        board = Tidy()
        found = board(e)
        assert np.allclose(evaluate(board.expression(found), at), evaluate(e, at), rtol=1e-12, atol=1e-12)
        shorter += board.size(found) < written(e)
    assert shorter > 20


def test_printing_leaves_no_trace():
    """The graph is as it was: no symbol, no node is left behind."""
    import gc

    from zeromass.expression import node as graph

    e = m * (l * COS(x)) ** 2 + m * (l * SIN(x)) ** 2
    gc.collect()
    before = graph._nodes.swept()
    latex(e)
    gc.collect()
    assert graph._nodes.swept() == before
