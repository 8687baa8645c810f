"""Linear equations inside formulas: their numbers, slopes, and code for one value and for lanes."""

import ctypes

import numpy as np
import pytest

import zeromass as zm
from zeromass.codegen.target import host
from zeromass.compile.module import code
from zeromass.errors import ExpressionError
from zeromass.expression import Evaluator, as_expression, expressions
from zeromass.expression.c import c_code
from zeromass.expression.operation.equations import Equations
from zeromass.expression.record import Reader, Writer
from zeromass.kernel.language import compiled
from zeromass.kernel.linear import solve_rows

STEP = 1e-6
"""Of central differences, whose error is some STEP² and some eps/STEP: 1e-9 beside numbers of the size of one."""


@pytest.fixture(scope="module")
def example():
    """Three equations, of which the first holds where w > 1/2."""
    x, y, z, w = q = zm.coordinates("x y z w")
    J = expressions([[x, 1.0, 0], [0, np.sin(y), 2.0], [z, 0, x]])
    W = expressions([[1.0, y, 0], [0.2, 1.0, z], [1, 0, 2.0]])
    holds = [as_expression(w > 0.5), as_expression(x > 0.1), as_expression(w > -5.0)]
    return list(q), Equations.of(J, W, holds, [as_expression(e) for e in (x**2, y * z, 3 * y)])


def places(count=2):
    given = np.random.default_rng(3).uniform(0.2, 1.2, (count, 4))
    given[:, 3] = np.arange(count) % 2
    return given


def test_they_are_solved_in_the_rows_that_hold(example):
    q, equations = example
    parts = Evaluator([*equations.J.ravel(), *equations.W.ravel(), *equations.b], q)
    for place in places():
        values = parts(place)
        on = [0, 1, 2] if place[3] > 0.5 else [1, 2]
        K = (values[:9].reshape(3, 3) @ values[9:18].reshape(3, 3).T)[np.ix_(on, on)]
        x = np.zeros(3)
        x[on] = np.linalg.solve(K, values[18:][on])
        assert Evaluator(equations.x, q)(place) == pytest.approx(x, rel=1e-13)  # K has a condition of some ten
        inverse = np.zeros((3, 3))
        inverse[np.ix_(on, on)] = np.linalg.inv(K)
        assert Evaluator(equations.inverse, q)(place) == pytest.approx(inverse, abs=1e-13)


def differences(f, place):
    return np.array([(f(place + STEP * e) - f(place - STEP * e)) / (2 * STEP) for e in np.eye(len(place))])


def test_slopes_are_those_of_differences(example):
    q, equations = example
    first = zm.expression.jacobian(equations.x, q)
    for place in places():
        slopes = Evaluator(first, q)(place)
        assert slopes == pytest.approx(differences(Evaluator(equations.x, q), place).T, abs=1e-8)
        along = {e: float(d) for e, d in zip(q, (0.3, -1.0, 0.7, 0.0), strict=True)}
        assert Evaluator(zm.expression.directional(equations.x, along), q)(place) == pytest.approx(
            slopes @ list(along.values()), rel=1e-12
        )
        x = Evaluator(equations.x, q)(place)
        product = Evaluator(zm.expression.gradient(equations.x[0] * equations.x[1], q), q)(place)
        assert product == pytest.approx(x[0] * slopes[1] + x[1] * slopes[0], rel=1e-12)
        second = Evaluator(zm.expression.jacobian(first, q), q)(place)
        assert second == pytest.approx(np.moveaxis(differences(Evaluator(first, q), place), 0, -1), abs=1e-8)


def test_code_in_lanes_has_the_bits_of_code_for_one_value(example):
    q, equations = example
    outputs = [*equations.x, equations.growth, *zm.expression.jacobian(equations.x, q).ravel()]
    wide = host()
    given = places(wide.width)
    columns, found = np.ascontiguousarray(given.T), np.empty((len(outputs), wide.width))
    call = code({"f": ([q], [outputs])}, wide).function("f", None, ctypes.c_void_p, ctypes.c_void_p)
    call(columns.ctypes.data, found.ctypes.data)
    single = code({"f": ([q], [outputs])}, wide.scalar).function("f", None, ctypes.c_void_p, ctypes.c_void_p)
    for place, lane in zip(given, found.T, strict=True):
        one = np.empty(len(outputs))
        single(np.ascontiguousarray(place).ctypes.data, one.ctypes.data)
        assert one.tobytes() == np.ascontiguousarray(lane).tobytes()
        # code fuses products and sums where the machine can, numbers do not
        assert one == pytest.approx(Evaluator(outputs, q)(place), rel=1e-12, abs=1e-13)


def packed(rows):
    """Where each row begins and ends, and then all rows."""
    return [*np.cumsum([0, *map(len, rows)]), *[c for row in rows for c in row]]


def test_the_kernel_has_the_bits_of_python():
    rng, m, n = np.random.default_rng(5), 4, 5
    data = np.concatenate([rng.normal(size=2 * m * n), [1.0, 0.0, 1.0, 1.0], rng.normal(size=m)])
    whole, square = [range(n)] * m, [range(m)] * m
    pattern, found = np.array([m, n, *packed(whole), *packed(whole), *packed(square)]), []
    for solve in (solve_rows, compiled(solve_rows)):
        out = np.zeros(m + 1 + m * m)
        solve(data, pattern, 1, 0, out, np.zeros(m * m + n), np.zeros(4 * m, dtype=np.int64), True)
        found.append(out)
    assert found[0].tobytes() == found[1].tobytes()


def test_they_are_kept_in_files(example):
    _, equations = example
    writer = Writer()
    data = writer.array(expressions(equations.x))
    assert Reader(writer.nodes).array(data)[1] is equations.x[1]


def test_other_languages_refuse_them_by_name(example):
    _, equations = example
    for printed in (lambda: c_code(equations.x[0]), lambda: zm.export.sympy(equations.x[0])):
        with pytest.raises(ExpressionError, match="solved for by numbers"):
            printed()
    assert "solution" in repr(equations.x[0])
