"""The table of operations: every row is complete, and a row is all that a new operation needs."""

import ctypes
import math
import shutil
import subprocess

import numpy as np
import pytest

import zeromass as zm
from zeromass.codegen.elementary import FUNCTIONS as LIBRARY
from zeromass.codegen.target import host
from zeromass.compile.lanes import LaneFunction
from zeromass.expression import build
from zeromass.expression.derivative import partials
from zeromass.expression.interval import bounds
from zeromass.expression.node import operation
from zeromass.expression.operation import OF_NUMBERS, OPERATIONS, Library, Operation
from zeromass.expression.operation.enclosure import rising
from zeromass.expression.record import Reader, Writer
from zeromass.expression.substitute import rebuilt
from zeromass.model.state import Magnitude

x, y, z = q = zm.coordinates("x y z")
AT = {x: 0.3, y: 0.7, z: -0.2}


def node_of(name: str) -> zm.expression.Expression:
    return operation(name, *q[: OPERATIONS[name].arity])


def test_codes_are_given_once_and_for_all():
    """Machine code orders operands by them: another code would change bits."""
    codes = {name: row.code for name, row in OPERATIONS.items()}
    assert len(set(codes.values())) == len(codes)
    first = (
        "abs add arccos arccosh arcsin arcsinh arctan arctan2 arctanh cos cosh divide exp expm1 floor less less_equal log "
        "log1p multiply negative power sign sin sinh sqrt subtract tan tanh where hypot remainder floor_divide maximum "
        "minimum"
    )
    assert [codes[name] for name in first.split()] == list(range(1000, 1000 + len(first.split())))


@pytest.mark.parametrize("name", OF_NUMBERS)
def test_every_row_is_complete(name):
    """In each language the operation can be said, and derivatives, numbers and machine code follow."""
    row, e = OPERATIONS[name], node_of(name)
    operands = q[: row.arity]
    points = np.array([[1.25, 1.5, 1.75], [1.5, 1.25, 2.5]])
    at = dict(zip(q, points.T, strict=True))
    assert rebuilt(name, *operands) is e
    slopes = partials(e)
    assert len(slopes) == row.arity
    assert all(isinstance(slope, zm.expression.Expression) for slope in slopes)
    words = {repr(e), zm.export.latex(e), zm.export.c_code(e, q), str(zm.export.sympy(e))}
    assert all(words)
    assert all("None" not in word for word in words)
    with np.errstate(invalid="ignore"):
        expected = row.number(*points.T[: row.arity])
    np.testing.assert_array_equal(zm.expression.evaluate(e, at), expected)
    np.testing.assert_allclose(LaneFunction(e, list(q), host().lanes(2))(points), expected, rtol=1e-15)
    if isinstance(row.llvm, Library):
        assert LIBRARY[row.llvm.name].arity == row.arity
    if row.choice is not None:
        condition, a, b = row.choice(*operands)
        np.testing.assert_array_equal(zm.expression.evaluate(zm.where(condition, a, b), at), expected)
    constants = [build.constant(number) for number in points[1, : row.arity]]
    if name != "arctanh" and name not in ("arcsin", "arccos"):
        assert build.rebuilt(name, *constants).value == pytest.approx(expected[1], rel=4e-16)
    w = Writer()
    data = w.array(e)
    assert Reader(w.nodes).scalar(data) is e
    inside = np.array([1.25 if name == "arccosh" else 0.25, 0.5, 0.75])
    assert np.all(Magnitude(e, q)(inside) >= 0)


LOGADDEXP = Operation(
    code=1999,
    arity=2,
    number=np.logaddexp,
    slope=lambda f, a, b: ((a - f).exp(), (b - f).exp()),
    latex=r"\operatorname{logaddexp}",
    c="fmax({0}, {1}) + log1p(exp(-fabs({0} - {1})))",
    sympy=lambda sympy, a, b: sympy.log(sympy.exp(a) + sympy.exp(b)),
    llvm=lambda e, node, a, b: e.instruction(
        "fadd",
        e.select(e.compare("olt", a, b), b, a),
        e.library(
            "log1p",
            e.library("exp", e.instruction("fneg", e.intrinsic("fabs", e.instruction("fsub", a, b)))),
        ),
    ),
    interval=rising(np.logaddexp),
)
"""ln(eᵃ + eᵇ), which NumPy knows and the library does not."""


@pytest.fixture
def f(monkeypatch):
    """np.logaddexp(x, y), once its row is in the table."""
    with pytest.raises(zm.errors.ExpressionError, match=r"np\.logaddexp of an expression is not known"):
        np.logaddexp(x, y)
    monkeypatch.setitem(OPERATIONS, "logaddexp", LOGADDEXP)
    return np.logaddexp(x, y)


class TestARowIsAllThatANewOperationNeeds:
    VALUE = math.log(math.exp(0.3) + math.exp(0.7))

    def test_number(self, f):
        assert zm.expression.evaluate(f, AT) == pytest.approx(self.VALUE, rel=1e-15)
        assert np.logaddexp(build.constant(0.3), 0.7).value == pytest.approx(self.VALUE, rel=1e-15)
        assert zm.expression.substitute(f, AT).value == pytest.approx(self.VALUE, rel=1e-15)

    def test_derivative(self, f):
        """∂f/∂x = eˣ/(eˣ + eʸ)"""
        expected = [math.exp(a - self.VALUE) for a in (0.3, 0.7)]
        assert zm.expression.evaluate(zm.expression.gradient(f, [x, y]), AT) == pytest.approx(expected, rel=4e-16)
        assert zm.expression.evaluate(zm.expression.derivative(f**2, x), AT) == pytest.approx(
            2 * self.VALUE * expected[0], rel=1e-15
        )

    def test_words(self, f):
        assert repr(2 * f) == "2*logaddexp(x, y)"
        assert zm.export.latex(f) == r"\operatorname{logaddexp}\left(x, y\right)"

    def test_interval(self, f):
        low, high = bounds(f, {x: (0.3, 1.3), y: 0.7})
        assert low <= self.VALUE <= low + 1e-14
        assert high == pytest.approx(math.log(math.exp(1.3) + math.exp(0.7)), rel=4e-15)

    def test_sympy(self, f):
        sympy = pytest.importorskip("sympy")
        X, Y = map(zm.export.sympy, (x, y))
        assert sympy.simplify(sympy.exp(zm.export.sympy(f)) - sympy.exp(X) - sympy.exp(Y)) == 0

    @pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler 'cc' on this machine")
    def test_c(self, f, tmp_path):
        (tmp_path / "f.c").write_text(zm.export.c_code(f, [x, y], name="f"))
        subprocess.run(["cc", "-shared", "-fPIC", "f.c", "-o", "f.so", "-lm"], cwd=tmp_path, check=True)
        call = ctypes.CDLL(str(tmp_path / "f.so")).f
        given, result = (ctypes.c_double * 2)(0.3, 0.7), (ctypes.c_double * 1)()
        call(given, result)
        assert result[0] == pytest.approx(self.VALUE, rel=1e-15)

    @pytest.mark.parametrize("lanes", [1, 4])
    def test_machine_code(self, f, lanes):
        points = np.random.default_rng(0).uniform(-5, 5, (20, 2))
        found = LaneFunction([f, *zm.expression.gradient(f, [x, y])], [x, y], host().lanes(lanes))(points)
        np.testing.assert_allclose(found[:, 0], np.logaddexp(*points.T), rtol=1e-14, atol=1e-15)
        np.testing.assert_allclose(found[:, 1:].sum(axis=1), 1.0, rtol=1e-14)

    def test_data_and_magnitude(self, f):
        w = Writer()
        data = w.array(f)
        assert Reader(w.nodes).scalar(data) is f
        assert Magnitude(f, [x, y])(np.array([0.3, 0.7])) == pytest.approx(
            [self.VALUE + 0.3 * math.exp(0.3 - self.VALUE) + 0.7 * math.exp(0.7 - self.VALUE)]
        )
