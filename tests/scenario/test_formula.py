"""Formulas: what they mean, what is wrong with them and where, and that nothing is ever executed."""

from __future__ import annotations

import math
import random
import sys
import time

import numpy as np
import pytest

import zeromass as zm
from faults.campaign import SLICE, campaign
from zeromass.expression import Evaluator, symbols
from zeromass.scenario import FormulaError, formula
from zeromass.scenario.formula import DEEPEST, FUNCTION_NAMES, LARGEST_EXPONENT
from zeromass.scenario.tokens import LONGEST

x, y = zm.coordinates("x y")
m = zm.parameter("m", 2.0)
NAMES = {"x": x, "y": y, "m": m, "t": zm.t, "body.x": zm.coordinate("body.x")}


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("1 + 2*3", 7.0),
        ("-2**2", -4.0),
        ("2**-1", 0.5),
        ("2^3^2", 512.0),
        ("8/4/2", 1.0),
        ("1 - 2 - 3", -4.0),
        ("-(-3)", 3.0),
        ("3*pi", 3 * math.pi),
        ("sqrt(2 + sqrt(2))/2", math.sqrt(2 + math.sqrt(2)) / 2),
        ("min(1, 2) + max(3, 4)", 5.0),
        ("where(1 < 2, 10, 20)", 10.0),
        ("where(1 >= 2, 10, 20)", 20.0),
        ("where(1 < 2 and 3 < 2, 10, 20)", 20.0),
        ("where(1 < 2 or 3 < 2, 10, 20)", 10.0),
        ("where(not 1 < 2, 10, 20)", 20.0),
        (".5e1 + 5.", 10.0),
        ("arctan2(1, 1) - atan2(1, 1)", 0.0),
        ("ln(e)", 1.0),
        ("abs(-3)*sign(-2)", -3.0),
        ("+4", 4.0),
    ],
)
def test_numbers(source, value):
    assert formula(source, {}).value == value


@pytest.mark.parametrize(
    ("source", "meant"),
    [
        ("m*x'**2/2", m * zm.rate(x) ** 2 / 2),
        ("x''", zm.acceleration(x)),
        ("rate(x*y)", zm.rate(x * y)),
        ("rate(rate(x))", zm.acceleration(x)),
        ("0.04*sin(1.2*sqrt(2)*pi*x)/(1+x**2)", 0.04 * np.sin(1.2 * 2**0.5 * np.pi * x) / (1 + x**2)),
        ("where(x > 0, x, -x)", zm.where(x > 0, x, -x)),
        ("where((x > 0), x, -x)", zm.where(x > 0, x, -x)),
        ("where(x > 0 and y > 1, x, y)", zm.where((x > 0) & (y > 1), x, y)),
        ("where(x > 0 or y > 1 and m > t, x, y)", zm.where((x > 0) | ((y > 1) & (m > zm.t)), x, y)),
        ("where((x > 0 or y > 1) and m > t, x, y)", zm.where(((x > 0) | (y > 1)) & (m > zm.t), x, y)),
        ("where(not x > 0 and y > 1, x, y)", zm.where(~(x > 0) & (y > 1), x, y)),
        ("where(not (x > 0 and y > 1), x, y)", zm.where(~((x > 0) & (y > 1)), x, y)),
        ("where(not not x + 1 > 2*y, x, y)", zm.where(~~(x + 1 > 2 * y), x, y)),
        ("cos(m*t)", np.cos(m * zm.t)),
        ("body.x", NAMES["body.x"]),
        (" x \n + y\t", x + y),
    ],
)
def test_expressions_are_those_of_python(source, meant):
    assert formula(source, NAMES) is meant


@pytest.mark.parametrize(
    ("source", "column", "words"),
    [
        ("", 1, "the formula ends"),
        ("x +", 4, "the formula ends"),
        ("2*mm", 3, "did you mean 'm'"),
        ("1 + X", 5, "did you mean 'x'"),
        ("sn(x)", 1, "did you mean 'sin'"),
        ("sin x", 1, "write sin(…)"),
        ("sin(x", 6, "')' is expected"),
        ("sin(x, y)", 1, "takes 1 argument"),
        ("min(x)", 1, "takes 2 arguments"),
        ("where(x, 1, 2)", 8, "a comparison"),
        ("where(0 < x < 1, 1, 2)", 13, "write 0 < x and x < 1"),
        ("where(x > (y > 0), 1, 2)", 14, "stands only in where"),
        ("where(x and y > 0, 1, 2)", 9, "'and' takes conditions"),
        ("where(y > 0 or x, 1, 2)", 13, "'or' takes conditions"),
        ("where(not x, 1, 2)", 7, "'not' takes conditions"),
        ("where(x > 0 and, 1, 2)", 16, "',' stands where"),
        ("where(x > 0 And y > 0, 1, 2)", 13, "did you mean 'and'"),
        ("where(x > 0 && y > 0, 1, 2)", 13, "joined by and, or, not"),
        ("1 + (x > 0)", 8, "stands only in where"),
        ("-(x > 0)", 5, "stands only in where"),
        ("sin(not x > 0)", 5, "stands only in where"),
        ("rate(x > 0 or y > 0)", 12, "stands only in where"),
        ("(x > 0)**2", 4, "stands only in where"),
        ("and", 1, "'and' stands where"),
        ("where(" + "not " * 4000 + "x > 0, 1, 2)", None, "characters"),
        ("where(" + "not " * 2000 + "x > 0, 1, 2)", 3 + 4 * DEEPEST, "nested"),
        ("where(" + "(" * DEEPEST + "x > 0", 6 + DEEPEST, "nested"),
        ("where(x > 0, 1)", 1, "three arguments"),
        ("x > 1", 3, "stands only in where"),
        ("1 2", 3, "an operator is missing"),
        ("x)", 2, "closing bracket"),
        ("m(x)", 1, "a product is written m*(…)"),
        ("x'''", 1, "nothing beyond"),
        ("x''*rate(x'')", 5, "nothing beyond"),
        ("1/0", 2, "by zero"),
        ("log(0)", 1, "no real value"),
        ("(-1)**0.5", 5, "not a real number"),
        ("1e308*10", 6, "too large"),
        ("1e999", 1, "too large"),
        ("x**1e6", 2, f"at most {LARGEST_EXPONENT}"),
        ("x @ y", 3, "no meaning"),
        ("x[0]", 2, "no meaning"),
        ("__import__('os')", 1, "no function"),
        ("x.__class__", 1, "not declared"),
        ("lambda: 0", 7, "no meaning"),
        ("(" * (DEEPEST + 1) + "x", DEEPEST + 1, "nested"),
        ("-" * 4000 + "x", DEEPEST + 1, "nested"),
        ("x" + "**x" * 5000, None, "characters"),
        ("1" * (LONGEST + 1), 1, "characters"),
    ],
)
def test_errors_have_their_place(source, column, words):
    with pytest.raises(FormulaError) as caught:
        formula(source, NAMES)
    assert words in str(caught.value)
    assert column is None or caught.value.column == column


def test_long_sums_are_read():
    names = {f"x{i}": zm.coordinate(f"x{i}") for i in range(1300)}
    assert len(symbols(formula(" + ".join(names), names))) == 1300


def test_long_conditions_are_read():
    e = formula(f"where({' or '.join(f'x > {k} and x < {k}.5' for k in range(400))}, 1, 2)", NAMES)
    assert Evaluator(e, [x])(np.array([[0.2], [0.7], [399.4], [399.6], [-1.0]])).tolist() == [1.0, 2.0, 1.0, 2.0, 2.0]


def stated(random_: random.Random, depth: int) -> str:
    """A condition by the rules, of a given depth."""
    if depth == 0:
        return f"{random_.choice('xyt')} {random_.choice(('<', '<=', '>', '>='))} {random_.choice(('x', 't - 1', '0'))}"
    a, b = (stated(random_, depth - 1 - random_.randrange(depth)) for _ in range(2))
    return random_.choice([f"{a} and {b}", f"{a} or {b}", f"not {a}", f"({a})", f"not ({a} or {b})"])


def test_conditions_mean_what_they_mean_in_python():
    """The same words, read by Python, on random and on equal numbers."""
    random_ = random.Random(3)
    places = np.array([[random_.choice((-1.0, 0.0, 1.0, random_.random())) for _ in range(3)] for _ in range(24)])
    for _ in range(300):
        words = stated(random_, random_.randrange(1, 6))
        ours = Evaluator(formula(f"where({words}, 1, 0)", NAMES), [x, y, zm.t])(places)
        theirs = [float(eval(words, {}, dict(zip("xyt", place, strict=True)))) for place in places.tolist()]
        assert ours.tolist() == theirs, words


def test_second_line_of_a_formula():
    with pytest.raises(FormulaError) as caught:
        formula("x +\n  yy", NAMES)
    assert (caught.value.line, caught.value.column) == (2, 3)


PIECES = [
    *FUNCTION_NAMES, *NAMES, "pi", "e", "X", "unknown", "+", "-", "*", "/", "**", "^", "(", ")", ",", "<", ">=", "'", "''",
    "1", "0", "2.5", "1e300", "1e-300", ".5", " ", "\n", "((((", "))))", "x'", "rate(", "where(x>0,", "__import__('os')",
    "and", "or", "not", " and ", " or ", " not ", "x>0 and y<1", "where(not(", "not " * 120, "&", "|", "!", "<=", ">",
    "eval('1')", "exec", "open('/etc/passwd')", "().__class__.__bases__", "lambda", "import os", "os.system('true')",
    "f'{x}'", "\\", "\x00", "é", "𝒙", "∞", "[", "]", "{", "}", "=", ":=", ";", "#", "@", "%", "~", "9" * 400, "x" * 150,
    "**99999", "1/0", "-" * 120, "(" * 120,
]  # fmt: skip


def written(random_: random.Random, depth: int) -> str:
    """A formula by the rules, of a given depth."""
    if depth == 0:
        return random_.choice(["x", "y'", "m", "t", "body.x", "pi", "2", "0.5", "1e3", "x''"])
    a, b, c = (written(random_, depth - 1 - random_.randrange(depth)) for _ in range(3))
    name = random_.choice(FUNCTION_NAMES[:21])
    forms = [f"{a} {random_.choice('+-*/')} {b}", f"({a})**{random_.randrange(-4, 5)}", f"{name}({a})", f"-({a})"]
    condition = f"{a} < {b}" if random_.random() < 0.5 else stated(random_, random_.randrange(1, 4))
    return random_.choice([*forms, f"where({condition}, {b}, {c})", f"max({a}, {b})", f"rate({a})", f"({a})^({b})"])


def hostile(random_: random.Random) -> str:
    """A formula by the rules, damaged or not, or of random pieces or characters, sometimes long."""
    if random_.random() < 0.4:
        source = written(random_, random_.randrange(1, 7))
        if random_.random() < 0.5:  # damaged in one place
            i = random_.randrange(len(source))
            source = source[:i] + random_.choice(PIECES) + source[i + random_.randrange(3) :]
        return source
    if random_.random() < 0.15:
        return "".join(chr(random_.choice((random_.randrange(32, 127), random_.randrange(0x2FFF)))) for _ in range(40))
    length = random_.choice((3, 6, 12, 25, 25, 60)) if random_.random() < 0.995 else 1500
    return random_.choice(("", " ")).join(random_.choice(PIECES) for _ in range(length))


_seen: list[str] = []
_watching = False


def _hook(event: str, _arguments: tuple) -> None:
    if _watching and event.split(".")[0] in {
        "exec",
        "compile",
        "open",
        "import",
        "os",
        "subprocess",
        "socket",
        "ctypes",
    }:
        _seen.append(event)


def attack(count: int, random_: random.Random) -> tuple[int, float]:
    """Reads many hostile formulas under an audit hook; how many were valid, and the longest time for one."""
    global _watching
    sys.addaudithook(_hook)
    assert repr(x) == "x"  # errors print expressions: what prints them is read from its file at first use
    valid, longest, wrong = 0, 0.0, 0
    _seen.clear()
    sources = (hostile(random_) for _ in range(count))
    for source in sources:
        _watching = True
        begin = time.process_time()
        try:
            assert isinstance(formula(source, NAMES), zm.expression.Expression)
            valid += 1
        except FormulaError as error:
            wrong += not (0 <= error.position <= len(source) and str(error))
        finally:
            _watching = False
        longest = max(longest, time.process_time() - begin)
    assert wrong == 0
    return valid, longest


@pytest.mark.parametrize(("count", "seed"), [(5000, SLICE), pytest.param(100_000, None, marks=pytest.mark.slow)])
def test_hostile_formulas_do_nothing(count, seed):
    with campaign("hostile formulas", count, 30 + count / 200, seed=seed) as random_:
        valid, longest = attack(count, random_)
    assert _seen == []
    assert valid > count / 10  # the fuzz reaches real formulas too
    assert longest < 1.0
