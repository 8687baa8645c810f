"""Straight-line code: every operation against NumPy, in lanes as in scalars, from formulas built in any order."""

from __future__ import annotations

import ctypes
import itertools

import numpy as np
import pytest

import zeromass as zm
from cases import few
from expression.formulas import random_trees, value
from zeromass.codegen.elementary import FUNCTIONS as ACCURACY
from zeromass.codegen.target import host
from zeromass.compile import straight
from zeromass.compile.lanes import LaneFunction
from zeromass.compile.module import code
from zeromass.compile.straight import Flavour, StraightLine, canonical, operations
from zeromass.expression import Evaluator
from zeromass.expression.node import operation, ordered
from zeromass.expression.operation import OF_NUMBERS, OPERATIONS
from zeromass.expression.operation.algebra import LARGEST_POWER
from zeromass.model.state import Magnitude

EPS = np.finfo(float).eps
EXACT = {
    "add",
    "subtract",
    "multiply",
    "divide",
    "negative",
    "sqrt",
    "abs",
    "floor",
    "sign",
    "less",
    "less_equal",
    "where",
    "maximum",
    "minimum",
    "remainder",
    "floor_divide",
}
"""Operations that IEEE 754, or NumPy's definition by its operations, defines to the last bit."""

NUMPY_ULP = 2.0
"""NumPy's own elementary functions are not exact either; 1 unit is what they promise, 2 what is allowed them here."""

SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e-310, -3e-308, 1e300, -1e300, np.inf, -np.inf, np.nan])


def ulps(a: np.ndarray, b: np.ndarray) -> float:
    """Largest difference in units in the last place; infinite where only one is finite."""
    both = np.isnan(a) & np.isnan(b) | (a == b)
    with np.errstate(invalid="ignore"):
        difference = np.where(both, 0.0, np.abs(a - b) / np.spacing(np.maximum(np.abs(a), np.abs(b))))
    return float(np.max(np.where(np.isnan(difference), np.inf, difference)))


def same(a: np.ndarray, b: np.ndarray) -> bool:
    """Equal bits; any not-a-number is like any other."""
    return bool(np.all((a.view(np.int64) == b.view(np.int64)) | (np.isnan(a) & np.isnan(b))))


def arguments(op: str, count: int, random: np.random.Generator) -> np.ndarray:
    """Inputs within the domain of an operation, shape (points, arguments)."""
    x = random.normal(size=(2000, count)) * 10.0 ** random.uniform(-3, 3, size=(2000, count))
    if op in ("arcsin", "arccos", "arctanh"):
        x = random.uniform(-1, 1, size=x.shape)
    elif op == "arccosh":
        x = 1 + np.abs(x)
    elif op in ("sqrt", "log", "log1p") or (op == "power" and count == 2):
        x[:, 0] = np.abs(x[:, 0])
    if op in ("exp", "expm1", "sinh", "cosh"):
        x = random.uniform(-700, 700, size=x.shape)
    if op == "power" and count == 2:
        x[:, 1] = random.uniform(-20, 20, size=len(x))
    if op in ("where", "less", "less_equal"):
        x[::5, 0] = x[::5, min(1, count - 1)] if op != "where" else 0.0
        x[::7, 0] = 0.0
    return x


@pytest.mark.parametrize("op", sorted(OF_NUMBERS))
def test_every_operation(op):
    """Exact where IEEE 754 says so; elsewhere within the bound of `elementary` and NumPy's own."""
    count = OPERATIONS[op].arity
    x = zm.coordinates(" ".join("abc"[:count]))
    formula = operation(op, *x)
    points = arguments(op, count, np.random.default_rng(7))
    if op == "where":
        points[:, 0] = points[:, 0] != 0  # a condition is 1 or 0
    computed = LaneFunction(formula, list(x), host().scalar)(points)
    expected = Evaluator(formula, list(x))(points)
    assert np.all(np.isfinite(expected))
    name = "pow" if op == "power" else getattr(OPERATIONS[op].llvm, "name", "")
    allowed = 0.0 if op in EXACT else ACCURACY[name].ulp + NUMPY_ULP
    assert ulps(computed, expected) <= allowed


@pytest.mark.parametrize("op", sorted(EXACT - {"where"}))
def test_special_values(op):
    """Signed zeros, numbers below the normal ones, infinities and not-a-numbers go through as IEEE 754 has them."""
    count = OPERATIONS[op].arity
    x = zm.coordinates("a b")[:count]
    formula = operation(op, *x)
    points = np.array(list(itertools.product(SPECIAL, repeat=count)))
    computed = LaneFunction(formula, list(x), host().scalar)(points)
    assert same(computed, Evaluator(formula, list(x))(points))


@pytest.mark.parametrize("n", [*range(-6, 12), 31, -40, LARGEST_POWER, LARGEST_POWER + 1, 100, -100])
def test_whole_powers(n):
    """Products up to x⁶⁴, whose roundings, each of half of ε, add up to (n − 1) ε/2: up to n units in the last place."""
    x = zm.coordinate("x")
    random = np.random.default_rng(abs(n))
    points = (random.choice([-1, 1], 3000) * random.uniform(0.01, 30, 3000))[:, None]
    computed = LaneFunction(x**n, [x], host().scalar)(points)
    assert ulps(computed, np.float_power(points[:, 0], n)) <= abs(n) + NUMPY_ULP


@pytest.mark.parametrize("exponent", [0.5, -0.5, 1.5, 2.25, -3.7, 1 / 3])
def test_other_powers(exponent):
    x = zm.coordinate("x")
    points = np.random.default_rng(1).uniform(1e-3, 1e3, size=(2000, 1))
    computed = LaneFunction(x**exponent, [x], host().scalar)(points)
    assert ulps(computed, points[:, 0] ** exponent) <= ACCURACY["pow"].ulp + NUMPY_ULP


def test_sine_and_cosine_together():
    """One reduction for both gives the bits that each has alone."""
    x = zm.coordinate("x")
    points = np.random.default_rng(2).uniform(-1e4, 1e4, size=(3000, 1))
    both = LaneFunction([np.sin(x), np.cos(x)], [x], host().scalar)(points)
    for k, f in enumerate((np.sin, np.cos)):
        assert same(both[:, k].copy(), LaneFunction(f(x), [x], host().scalar)(points))


def formulas(seed: int, count: int = 12) -> tuple[np.ndarray, list[zm.expression.Expression], np.ndarray]:
    """Some random formulas of three variables as one function, and points."""
    x = zm.coordinates("a b c")
    found = [value(tree, x) for tree in random_trees(seed, count)]
    return x, found, np.random.default_rng(seed).uniform(-3, 3, size=(211, 3))


@pytest.mark.parametrize("seed", few(range(25), 8))
def test_random_formulas(seed):
    """As NumPy, up to the rounding of both: each of ½ ε of the magnitude, of functions that are off by 2 ulp at most.

    Fused products round less than NumPy's, shared denominators once more. Where a comparison, a sign or a floor is decided
    by rounding, both are right, and the point is left out.
    """
    x, found, points = formulas(seed)
    computed = LaneFunction(found, list(x), host().scalar)(points)
    expected = Evaluator(found, list(x))(points)
    magnitude = Magnitude(found, list(x))
    bound = 4 * EPS * np.array([magnitude(point) for point in points])
    wrong = np.abs(computed - expected) > bound
    kinks = [e for e in found if {"floor", "sign", "less", "less_equal"} & {node.op for node in ordered([e])}]
    for k, e in enumerate(found):
        assert np.mean(wrong[:, k]) <= (0.02 if e in kinks else 0.0), repr(e)


@pytest.mark.parametrize("lanes", [2, 4, 8])
@pytest.mark.parametrize("seed", few(range(6), 2))
def test_lanes_are_scalars(seed, lanes):
    """A lane goes through the operations of a scalar and ends with its bits, whatever the other lanes hold."""
    x, found, points = formulas(seed, count=30)
    rough = np.random.default_rng(seed).choice(SPECIAL, size=(97, 3))  # 97: not a whole number of registers
    points = np.concatenate([points, rough])
    scalar = LaneFunction(found, list(x), host().scalar)(points)
    assert same(LaneFunction(found, list(x), host().lanes(lanes))(points), scalar)


@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
def test_shapes_of_lane_functions(lanes):
    a, b = zm.coordinates("a b")
    f = LaneFunction([[a + b, a * b], [a - b, a]], [a, b], host().lanes(lanes))
    random = np.random.default_rng(0)
    for lead in ((), (1,), (7,), (3, 5), (0,)):
        points = random.normal(size=(*lead, 2))
        result = f(points)
        assert result.shape == (*lead, 2, 2)
        assert np.array_equal(result[..., 0, 0], points[..., 0] + points[..., 1])
    with pytest.raises(ValueError, match="last axis"):
        f(np.zeros((4, 3)))


def test_products_in_sums_are_fused():
    """Where the machine can: a b + c d with one rounding less; otherwise as NumPy does it, to the bit."""
    a, b, c, d = x = zm.coordinates("a b c d")
    random = np.random.default_rng(3)
    points = random.normal(size=(5000, 4))
    computed = LaneFunction(a * b - c * d, list(x), host().scalar)(points)
    expected = points[:, 0] * points[:, 1] - points[:, 2] * points[:, 3]
    size = np.abs(points[:, 0] * points[:, 1]) + np.abs(points[:, 2] * points[:, 3])
    assert np.all(np.abs(computed - expected) <= EPS * size)
    assert np.any(computed != expected) == host().fused


def text(outputs, inputs) -> str:
    return StraightLine("f", [list(inputs)], [list(outputs)], Flavour(1, host().fused)).text


ORDERS = {
    "sums": lambda a, b, c: [(lambda: a * b + b * c), (lambda: b * c + a * b), (lambda: c * b + b * a)],
    "products": lambda a, b, c: [
        (lambda: np.sin(a) * np.cos(b)),
        (lambda: np.cos(b) * np.sin(a)),
    ],
    "constants": lambda a, b, c: [
        (lambda: (a - 1) * b + (a - 2) * c),
        (lambda: (a - 2) * c + (a - 1) * b),
    ],
    "same shape": lambda a, b, c: [
        (lambda: np.exp(a - 1) * np.exp(a - 2) + np.exp(a - 2) * b),
        (lambda: b * np.exp(a - 2) + np.exp(a - 2) * np.exp(a - 1)),
    ],
    "negatives": lambda a, b, c: [
        (lambda: a**-1.5 * b + a**-2.5 * c),
        (lambda: c * a**-2.5 + b * a**-1.5),
    ],
    "minus one and minus two": lambda a, b, c: [
        (lambda: np.arctan2(a, b + -1.0) * a + np.arctan2(a, b + -2.0) * b),
        (lambda: np.arctan2(a, b + -2.0) * b + np.arctan2(a, b + -1.0) * a),
    ],
    "conditions": lambda a, b, c: [
        (lambda: zm.where(a < -1, a, b) * zm.where(a < -2, a, b)),
        (lambda: zm.where(a < -2, a, b) * zm.where(a < -1, a, b)),
    ],
}


@pytest.mark.parametrize("name", ORDERS)
def test_the_order_of_building_does_not_matter(name):
    """Formulas that are equal up to the order of sums and products give the same text, and so the same bits."""
    texts = set()
    for i in range(3):
        a, b, c = x = zm.coordinates("a b c")
        ways = ORDERS[name](a, b, c)
        for _ in range(i):
            zm.coordinate("other") + i  # other formulas in between
        if i < len(ways):
            texts.add(text([ways[i]()], x))
    assert len(texts) == 1


@pytest.mark.parametrize("seed", range(10))
def test_history_does_not_matter(seed):
    """The same formulas on new symbols, after parts of them were built in another order."""
    trees = random_trees(seed, 8)
    x = zm.coordinates("a b c")
    first = text([value(tree, x) for tree in trees], x)
    y = zm.coordinates("p q r")
    kept = [value(tree, y) for tree in reversed(trees)]
    for tree in trees:
        kept += [value(part, y) for part in reversed(tree[1:]) if isinstance(part, tuple)]
    assert text([value(tree, y) for tree in trees], y) == first


def test_canonical_order():
    """Operands before what is computed from them, each once, and everything that is needed."""
    x = zm.coordinates("a b c")
    found = [value(tree, x) for tree in random_trees(5, 20)]
    nodes, operands = canonical([list(x)], found)
    assert len(set(nodes)) == len(nodes)
    place = {node: i for i, node in enumerate(nodes)}
    assert all(place[a] < place[node] for node in nodes for a in operands[node])
    assert {*found} <= {*nodes}
    for node in nodes:
        assert sorted(operands[node], key=id) == sorted(() if node in x else node.args, key=id)
    assert operations(found) == sum(bool(node.args) for node in nodes)


def test_repeated_outputs_and_inputs_as_outputs():
    a, b = zm.coordinates("a b")
    f = LaneFunction([a, a, b + 1, b + 1, 3.0], [a, b], host().scalar)
    assert np.array_equal(f([2.0, 5.0]), [2.0, 2.0, 6.0, 6.0, 3.0])


@pytest.mark.parametrize("c", [1e-310, 3e-308, 7.0, 1e308])
def test_division_by_a_constant(c):
    """A product with the reciprocal, within a unit, where that is a normal number, and a division where it is not."""
    x = zm.coordinate("x")
    points = np.random.default_rng(0).normal(size=(1000, 1)) * min(1.0, c * 1e10)
    points[0] = 0.0
    assert ulps(LaneFunction(x / c, [x], host().scalar)(points), points[:, 0] / c) <= 1.5


def test_one_denominator_for_many():
    """a/c and b/c share one division; each is then rounded once more."""
    a, b, c = x = zm.coordinates("a b c")
    points = np.random.default_rng(0).normal(size=(3000, 3))
    computed = LaneFunction([a / c, b / c], list(x), host().scalar)(points)
    assert ulps(computed, points[:, :2] / points[:, 2:]) <= 1.5


def test_an_unknown_symbol_is_named():
    a, stranger = zm.coordinates("a stranger")
    with pytest.raises(zm.errors.ExpressionError, match="'stranger' is in a formula"):
        LaneFunction(a + stranger, [a])


@pytest.mark.parametrize("lanes", [1, host().width])
def test_blocks_have_the_bits_of_one(lanes, monkeypatch):
    """A function that is cut into blocks goes through the same operations, whatever LLVM's effort."""
    x = zm.coordinates("x y z")
    functions = list(x)
    for k in range(12):  # each from those before, so that values are needed in many blocks
        functions += [functions[-1] * functions[k] + np.sin(functions[k + 1]) / (2.0 + functions[-2] ** 2)]
    inputs, outputs = [[*x]], [functions]
    values = np.random.default_rng(2).normal(size=(3, lanes))

    def computed(effort: int) -> np.ndarray:
        result = np.empty((len(functions), lanes))
        call = code({"f": (inputs, outputs)}, host().lanes(lanes), effort=effort).function(
            "f", None, ctypes.c_void_p, ctypes.c_void_p
        )
        call(values.ctypes.data, result.ctypes.data)
        return result

    plain = computed(0)
    assert "label" not in text(functions, x)
    monkeypatch.setattr(straight, "SHORT", 1)
    assert "label %last" in text(functions, x)
    assert all(same(computed(effort), plain) for effort in (0, 1, 2))
    monkeypatch.setattr(straight, "LONG", 1)
    monkeypatch.setattr(straight, "BLOCK", 7)
    assert "label %block7" in text(functions, x)
    assert all(same(computed(effort), plain) for effort in (0, 1, 2))
