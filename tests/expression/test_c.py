"""The C function computes what `evaluate` does."""

import ctypes
import itertools
import shutil
import subprocess

import numpy as np
import pytest

from expression.formulas import VARIABLES, random_trees, value
from zeromass.errors import ExpressionError
from zeromass.expression import c_code, coordinates, evaluate, gradient, parameter, rate, t, where
from zeromass.expression.operation import functions

COMPILER = shutil.which("cc")
x, y, z = q = coordinates("x y z")

needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no C compiler 'cc' on this machine")


@pytest.fixture
def compiled(tmp_path):
    count = itertools.count()

    def load(source, inputs, outputs, name="evaluate"):
        library = f"f{next(count)}.so"  # a library is loaded once under each name
        (tmp_path / "f.c").write_text(source)
        flags = [
            "-std=c99",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-Wno-unused-parameter",
            "-pedantic",
            "-ffp-contract=off",
        ]
        command = [COMPILER, *flags, "-shared", "-fPIC", "f.c", "-o", library, "-lm"]
        subprocess.run(command, cwd=tmp_path, check=True)
        function = getattr(ctypes.CDLL(str(tmp_path / library)), name)
        pointer = ctypes.POINTER(ctypes.c_double)
        function.argtypes, function.restype = [pointer, pointer], None

        def call(numbers):
            given, result = np.ascontiguousarray(numbers, dtype=float), np.empty(outputs)
            assert given.shape == (inputs,)
            function(given.ctypes.data_as(pointer), result.ctypes.data_as(pointer))
            return result

        return call

    return load


@needs_compiler
def test_each_operation(compiled):
    pairs = {
        **{name: getattr(np, name)(*(x, y)[: row.arity]) for name, row in functions().items()},
        "x+y": x + y,
        "x-y": x - y,
        "x*y": x * y,
        "x/y": x / y,
        "-x": -x,
        "x%y": x % y,
        "x//y": x // y,
        "x**y": x**y,
        "x**2.5": x**2.5,
        **{f"x**{n}": x**n for n in (2, 3, 4, 5, -2)},
        "x<y": x < y,
        "x<=y": x <= y,
        "where": where(x < y, x, y),
        "number": x * -0.1 - 1e-30,
        "big": x * 1e300,
    }
    call = compiled(c_code(list(pairs.values()), [x, y]), 2, len(pairs))
    for a, b in [*np.random.default_rng(0).uniform(-1, 1, (50, 2)), (2.0, 2.0), (0.0, -1.0)]:
        # the C library and NumPy round an elementary function to within two units of the last place each
        expected = evaluate(list(pairs.values()), {x: a, y: b})
        np.testing.assert_allclose(call([a, b]), expected, rtol=4 * 2.3e-16, equal_nan=True)


@needs_compiler
def test_random_formulas_and_their_derivatives(compiled):
    formulas = [value(tree, q) for tree in random_trees(0, 150)]
    formulas += [slope for f in formulas[:50] for slope in gradient(f, q)]
    call = compiled(c_code(formulas, q), VARIABLES, len(formulas))
    for point in np.random.default_rng(1).uniform(-2, 2, (30, VARIABLES)):
        # those two units, through up to some hundred operations; absolute where terms cancel
        expected = evaluate(formulas, dict(zip(q, point, strict=True)))
        np.testing.assert_allclose(call(point), expected, rtol=1e-12, atol=1e-13)


@needs_compiler
def test_named_outputs_in_row_order(compiled):
    M = np.array([[x, x * y], [1.0, y]])
    source = c_code({"M": M, "f": x - y, "b": [2.0, x]}, [y, x], name="system_1")
    assert "M (2, 2)" in source
    assert "[0..3] M" in source
    assert "[4..4] f" in source
    assert "[5..6] b" in source
    assert "in: [0] y, [1] x" in source
    assert compiled(source, 2, 7, name="system_1")([3.0, 5.0]).tolist() == [5, 15, 1, 3, 2, 2, 5]


@needs_compiler
def test_parameters_are_numbers_unless_they_are_inputs(compiled):
    m, c = parameter("m", 2.5), parameter("c", -1.5)
    outputs = [m * x, -c, x - c, c**2, c * x]
    assert compiled(c_code(outputs), 1, 5)([2.0]).tolist() == [5, 1.5, 3.5, 2.25, -3]
    assert compiled(c_code(outputs, [c, x, m]), 3, 5)([-1.0, 2.0, 3.0]).tolist() == [6, 1, 3, 1, -2]


@needs_compiler
def test_infinity_is_written_for_c(compiled):
    f = [where(x > 0, x, np.inf), where(x > 0, x, -np.inf)]
    assert compiled(c_code(f), 1, 2)([-1.0]).tolist() == [np.inf, -np.inf]


def test_inputs_are_in_order_of_creation_by_default():
    source = c_code(z * x + rate(x) * t)
    assert "in: [0] t, [1] x, [2] z, [3] rate(x)" in source


def test_a_shared_subexpression_is_computed_once():
    root = np.sqrt(x**2 + y**2)
    assert c_code([root * x, root * y, np.sin(root)]).count("sqrt(") == 1


@pytest.mark.parametrize("name", ["2f", "a b", "", "naïve", "f()"])
def test_the_name_must_be_one_in_c(name):
    with pytest.raises(ExpressionError, match="is not a C identifier"):
        c_code(x, name=name)


def test_a_missing_input_is_named():
    with pytest.raises(ExpressionError, match=r"c_code: no input is named for y, rate\(z\)"):
        c_code(x * y + rate(z), [x])
