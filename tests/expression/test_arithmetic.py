"""NumPy on expressions: what it gives, evaluated, is what it gives on numbers."""

import operator

import numpy as np
import pytest

from zeromass.errors import ExpressionError
from zeromass.expression import Expression, as_expression, coordinates, evaluate, expressions, where

x, y, z = v = coordinates("x y z")
A = np.array([[0.5, -1.0, 2.0], [3.0, 0.25, -0.75]])
NUMBERS = np.array([0.37, 0.83, -0.61])  # no quotient below is an integer, where // and % jump
AT = dict(zip(v, NUMBERS, strict=True))


def agrees(f, *, rel=1e-15):
    """f on expressions, evaluated, equals f on numbers, but for a rounding or two in another order."""
    built = f(v)
    number = f(NUMBERS)
    assert np.shape(built) == np.shape(number)
    np.testing.assert_allclose(evaluate(built, AT), number, rtol=rel, atol=1e-16)
    return built


UNARY = {
    "absolute arccos arcsin arcsinh arctan arctanh cbrt ceil conjugate cos cosh deg2rad degrees exp exp2 "
    "expm1 fabs floor negative positive rad2deg radians reciprocal sin sinh square tan tanh": lambda q: q,
    "log log10 log1p log2 sqrt": lambda q: q**2 + 0.1,
    "arccosh": lambda q: q**2 + 1.1,
}
NAMED = [(name, domain) for names, domain in UNARY.items() for name in names.split()]


@pytest.mark.parametrize(("name", "domain"), NAMED)
def test_functions_of_scalars_and_arrays(name, domain):
    f = getattr(np, name)
    # base 2, base 10 and cube roots go through natural logarithms and powers: four more roundings
    agrees(lambda q: f(domain(q[0])), rel=1e-15)
    assert f(domain(x)) is f(domain(v))[0]
    assert agrees(lambda q: f(domain(q))).dtype == object
    assert agrees(lambda q: f(np.outer(domain(q), np.ones(2)))).shape == (3, 2)


def test_sign_of_a_scalar():
    for number in (-0.5, 0.0, 2.0):
        assert evaluate(np.sign(x), {x: number}) == np.sign(number)


BINARY = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod]
SCALARS = [2, 0.7, True, np.float64(0.7), np.float32(0.5), np.int64(3), np.uint8(3), np.array(0.7)]


@pytest.mark.parametrize("op", BINARY)
@pytest.mark.parametrize("c", SCALARS, ids=lambda c: type(c).__name__)
def test_numbers_left_and_right(op, c):
    for f in (lambda q: op(q[0], c), lambda q: op(c, q[0]), lambda q: op(q, c), lambda q: op(c, q)):
        agrees(f)
    assert isinstance(op(x, c), Expression)
    assert isinstance(op(c, x), Expression)


@pytest.mark.parametrize("op", BINARY)
def test_arrays_left_and_right(op):
    w = np.array([0.5, -1.5, 2.0])
    for f in (
        lambda q: op(q[0], w),
        lambda q: op(w, q[0]),
        lambda q: op(q, w),
        lambda q: op(w, q),
        lambda q: op(A, q),
        lambda q: op(A, q[1]),
        lambda q: op(q[:, None], q),
        lambda q: op(q, q[0]),
    ):
        assert agrees(f).dtype == object


@pytest.mark.parametrize("n", [0, 1, 2, 3, -1, -2, 2.0, np.int64(3)])
def test_integer_powers(n):
    agrees(lambda q: q[2] ** n)
    agrees(lambda q: q ** float(n))
    agrees(lambda q: np.power(q, float(n)))


@pytest.mark.parametrize("p", [0.5, 1.5, -0.25, np.float64(2.5)])
def test_real_powers(p):
    agrees(lambda q: q[0] ** p)
    agrees(lambda q: (q**2) ** p)
    agrees(lambda q: np.float_power(q[0], p))


def test_powers_with_a_formula_as_exponent():
    # through exp(b ln a): the rounding of b ln a, below 2 here, and those of two functions
    agrees(lambda q: 2.5 ** q[1], rel=1e-15)
    agrees(lambda q: np.float64(2.5) ** q[1])
    agrees(lambda q: q[0] ** q[2])
    agrees(lambda q: np.power(2.0, q[2]))
    agrees(lambda q: np.array([2.0, 3.0, 0.5]) ** q)
    agrees(lambda q: q[0] ** np.array([1.0, 2.0, 0.5]))


@pytest.mark.parametrize("f", [np.arctan2, np.hypot, np.maximum, np.minimum, np.remainder, np.floor_divide])
def test_functions_of_two_scalars(f):
    agrees(lambda q: f(q[0], q[1]))
    agrees(lambda q: f(q[2], q[1]))
    agrees(lambda q: f(0.5, q[2]))
    agrees(lambda q: f(q[2], 0.5))
    agrees(lambda q: f(np.float64(0.5), q[0]))


@pytest.mark.parametrize("f", [np.arctan2, np.hypot])
def test_functions_of_two_arrays(f):
    agrees(lambda q: f(q, q[::-1]))
    agrees(lambda q: f(q, 0.5))
    agrees(lambda q: f(q, q[0]))
    agrees(lambda q: f(A, q[0]))
    agrees(lambda q: f(q[0], A))


LINEAR_ALGEBRA = {
    "A @ v": lambda q: A @ q,
    "v @ A.T": lambda q: q @ A.T,
    "v @ v": lambda q: q @ q,
    "outer @ outer": lambda q: np.outer(q, q) @ np.outer(q, [1, 2, 3]),
    "matmul": lambda q: np.matmul(A, q),
    "dot": lambda q: np.dot(q, q),
    "dot scalars": lambda q: np.dot(q[0], q[1]),
    "dot A": lambda q: np.dot(A, q),
    "inner": lambda q: np.inner(q, q),
    "vdot": lambda q: np.vdot(q, q),
    "outer": lambda q: np.outer(q, NUMBERS),
    "cross": lambda q: np.cross(q, [1.0, 2.0, 3.0]),
    "cross left": lambda q: np.cross([1.0, 2.0, 3.0], q),
    "cross self": lambda q: np.cross(q, q[::-1]),
    "cross rows": lambda q: np.cross(A * q, q),
    "sum": lambda q: np.sum(q),
    "sum axis": lambda q: np.sum(np.outer(q, q), axis=1),
    "sum of a scalar": lambda q: np.sum(q[0]),
    "builtin sum": lambda q: sum(q),
    "mean": lambda q: np.mean(q),
    "prod": lambda q: np.prod(q),
    "cumsum": lambda q: np.cumsum(q),
    "diff": lambda q: np.diff(q),
    "trace": lambda q: np.trace(np.outer(q, [1.0, 2.0, 3.0])),
    "norm": lambda q: np.linalg.norm(q),
    "norm by rows": lambda q: np.linalg.norm(np.outer(q, [1.0, 2.0]), axis=1),
    "norm 1": lambda q: np.linalg.norm(q, ord=1),
    "einsum": lambda q: np.einsum("ij,j->i", A, q),
    "tensordot": lambda q: np.tensordot(A, q, 1),
    "kron": lambda q: np.kron(q, q),
    "diag": lambda q: np.diag(q),
    "concatenate": lambda q: np.concatenate([q, [1.0]]),
    "stack": lambda q: np.stack([q, q**2]),
    "reduce": lambda q: np.add.reduce(q),
    "ufunc outer": lambda q: np.multiply.outer(q, q),
    "take": lambda q: q[[2, 0]].T,
    "abs": lambda q: abs(q[2]),
    "+v": lambda q: +q,
    "-v": lambda q: -q,
}


@pytest.mark.parametrize("name", LINEAR_ALGEBRA)
def test_linear_algebra(name):
    agrees(LINEAR_ALGEBRA[name], rel=4e-15)  # sums of up to nine terms, in another order


def test_in_place_operations_on_object_arrays():
    w = v.copy()
    same = w
    w += 1
    w *= y
    w -= A[0]
    w /= 2
    w **= 2
    assert same is w
    assert all(w == (((v + 1) * y - A[0]) / 2) ** 2)
    w[1:] -= w[1:]
    assert w[1:].astype(float).tolist() == [0, 0]


def test_in_place_operations_by_an_expression():
    w = expressions(np.ones(3))
    w *= x
    assert all(entry is x for entry in w)
    with pytest.raises(TypeError):  # numbers can not hold a formula
        np.ones(3).__imul__(x)


def test_out_and_where_of_ufuncs():
    out = np.empty(3, dtype=object)
    assert np.multiply(v, x, out=out) is out
    assert out[1] is x * y
    assert np.multiply(x, y, where=True) is x * y


class TestConditions:
    def test_are_one_and_zero(self):
        # a condition is a number that formulas may go on with
        step = (x > 0) - (x < 0)
        assert evaluate(step, {x: np.array([-2.0, 0.0, 2.0])}).tolist() == [-1, 0, 1]
        assert evaluate((x > 0) + (y > 0), {x: 1.0, y: 1.0}) == 2
        assert evaluate(-(x <= y) * 3.0, {x: 1.0, y: 1.0}) == -3

    @pytest.mark.parametrize("op", [operator.lt, operator.le, operator.gt, operator.ge])
    def test_comparisons(self, op):
        numbers = np.array([-1.0, 0.5, 2.0])
        assert evaluate(op(x, y), {x: numbers, y: 0.5}).tolist() == op(numbers, 0.5).tolist()
        assert evaluate(op(x, 0.5), {x: numbers}).tolist() == op(numbers, 0.5).tolist()
        assert evaluate(op(0.5, x), {x: numbers}).tolist() == op(0.5, numbers).tolist()
        assert evaluate(op(np.float64(0.5), x), {x: numbers}).tolist() == op(0.5, numbers).tolist()

    def test_and_or_not(self):
        p, q = x > 0, y > 0
        for a, b in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            at = {x: float(a), y: float(b)}
            assert evaluate(p & q, at) == (a > 0 and b > 0)
            assert evaluate(p | q, at) == (a > 0 or b > 0)
            assert evaluate(~p, at) == (not a > 0)
            assert evaluate(np.logical_and(p, q), at) == (a > 0 and b > 0)
            assert evaluate(np.logical_or(p, q), at) == (a > 0 or b > 0)
            assert evaluate(np.logical_not(p), at) == (not a > 0)

    def test_where_of_scalars(self):
        numbers = np.array([-1.0, 0.0, 2.0])
        f = where(x > 0, x**2, -x)
        assert evaluate(f, {x: numbers}).tolist() == np.where(numbers > 0, numbers**2, -numbers).tolist()

    def test_where_of_arrays_broadcasts(self):
        result = where(x > 0, v, [[1.0], [2.0]])
        assert result.shape == (2, 3)
        assert result[1, 2] is where(x > 0, z, 2.0)
        assert where(np.array([True, False, True]), v, 0.0).tolist() == [x, as_expression(0), z]

    def test_where_of_numbers_is_that_of_numpy(self):
        assert where([True, False], 1.0, 2.0).tolist() == [1, 2]
        assert where(3 > 2, 1.0, 2.0) == 1

    @pytest.mark.parametrize(
        "branch",
        [
            lambda: np.where(x > 0, x, y),
            lambda: np.where(x, 1.0, 0.0),
            lambda: np.sign(v),
            lambda: np.maximum(v, 0.0),
            lambda: np.clip(x, 0, 1),
            lambda: v > 0,
            lambda: max(x, y),
            lambda: sorted(v),
            lambda: (x > 0) and (y > 0),
            lambda: not x > 0,
            lambda: 0 < x < 1,
        ],
    )
    def test_branching_is_refused_and_says_what_to_write(self, branch):
        with pytest.raises(ExpressionError, match=r"write zm\.where\(condition, value_if_true, value_if_false\)"):
            branch()


def test_unknown_functions_are_named_with_the_known():
    with pytest.raises(ExpressionError, match=r"np\.isnan of an expression is not known; known are: .*arctan2, "):
        np.isnan(x)
