"""The graph: equal formulas are one object, which lives as long as it is used and survives pickling."""

import copy
import gc
import pickle
import subprocess
import sys
import weakref

import numpy as np
import pytest

from expression.formulas import random_trees, value
from zeromass.expression import (
    as_expression,
    coordinate,
    coordinates,
    evaluate,
    expressions,
    gradient,
    multiplier,
    parameter,
    rate,
    symbols,
    t,
)
from zeromass.expression import node as graph
from zeromass.expression.node import ordered


@pytest.fixture
def x():
    return coordinates("x y z")


def test_equal_formulas_are_the_same_object(x):
    for tree in random_trees(1, 100):
        assert value(tree, x) is value(tree, x)
    assert np.sin(x[0] * x[1] + 1) is np.sin(1 + x[1] * x[0])
    assert as_expression(2) is as_expression(2.0) is as_expression(np.int8(2)) is as_expression(np.array(2.0))
    assert as_expression(-0.0) is as_expression(0)
    assert as_expression(True) is as_expression(1)


def test_symbols_are_the_same_only_if_they_are_the_same(x):
    assert coordinate("x") is not x[0]
    assert coordinate("x") + 0 is not x[0]
    assert parameter("m", 1.0) is not parameter("m", 1.0)


def test_equality_is_identity(x):
    a, b, _ = x
    assert a == a
    assert a != b
    assert a + b == b + a
    assert a in [b, a]
    assert [b, a].index(a) == 1
    assert a != "x"
    assert a != None  # noqa: E711


def test_dictionary_keys(x):
    a, b, _ = x
    names = {a: "a", a * b: "product", as_expression(2.0): "two"}
    assert names[b * a] == "product"
    assert names[as_expression(2)] == "two"
    assert a + b not in names
    assert len({a + b, b + a, a - b}) == 2


def test_children_are_older_than_parents(x):
    for tree in random_trees(2, 50):
        nodes = ordered([value(tree, x)])
        place = {node: i for i, node in enumerate(nodes)}
        assert all(place[arg] < place[node] for node in nodes for arg in node.args)


def test_symbols_of_formulas_oldest_first(x):
    a, b, c = x
    p = parameter("p", 1.0)
    assert symbols(p * c + a) == [a, c, p]
    assert symbols([b, a], c * t) == [t, a, b, c]
    assert symbols(3.0) == []


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickling_gives_the_identical_object(x, protocol):
    formulas = [value(tree, x) for tree in random_trees(3, 50)]
    leaves = [
        t,
        *x,
        *rate(x),
        rate(rate(x[0])),
        parameter("m", 2.0),
        multiplier("tension"),
        as_expression(0.1),
    ]
    for e in [*formulas, *leaves]:
        assert pickle.loads(pickle.dumps(e, protocol)) is e
    array = expressions(formulas).reshape(5, 10)
    assert np.all(pickle.loads(pickle.dumps(array, protocol)) == array)


def test_pickling_gives_the_identical_object_whatever_was_built_in_between(x):
    """Operands are ordered by age, and what is unpickled may be older or younger than when it was built."""
    a, b, _ = x
    sum_, product = (pickle.dumps(f(np.sin(a), np.cos(b))) for f in (np.add, np.multiply))
    gc.collect()
    younger, older = np.cos(b), np.sin(a)
    assert pickle.loads(sum_) is older + younger
    assert pickle.loads(product) is older * younger


def test_pickles_are_read_by_another_process(x, tmp_path):
    m = parameter("m", 2.5)
    f = m * np.sin(x[0]) + rate(x[1]) ** 2 / (1 + x[2] ** 2)
    at = {x[0]: 0.3, rate(x[1]): 1.7, x[2]: -0.4}
    (tmp_path / "in").write_bytes(pickle.dumps((f, gradient(f, x), at)))
    program = (
        "import pickle, sys, numpy as np\n"
        "from zeromass.expression import evaluate, gradient\n"
        "f, g, at = pickle.load(open(sys.argv[1], 'rb'))\n"
        "x = [next(s for s in at if s.name == name) for name in ('x', 'z')]\n"
        "assert all(a is b for a, b in zip(gradient(f, x), g[[0, 2]]))\n"
        "pickle.dump((f, evaluate(f, at)), open(sys.argv[2], 'wb'))\n"
    )
    subprocess.run([sys.executable, "-c", program, tmp_path / "in", tmp_path / "out"], check=True)
    back, number = pickle.loads((tmp_path / "out").read_bytes())
    assert back is f
    assert number == evaluate(f, at)


def test_copies_are_the_object(x):
    f = np.sin(x[0]) + 1
    assert copy.copy(f) is f
    assert copy.deepcopy(f) is f
    assert copy.deepcopy({"f": [f]})["f"][0] is f


def test_nodes_are_freed_when_nobody_holds_them(x):
    gc.collect()
    before = graph._nodes.swept()
    f = np.exp(np.sin(x[0]) * 123.456)
    inner = weakref.ref(f.args[0])
    derived = gradient(f, x)
    assert graph._nodes.swept() > before
    del f
    gc.collect()
    assert inner() is not None  # the derivative still holds it
    del derived
    gc.collect()
    assert inner() is None
    assert graph._nodes.swept() == before


def test_the_table_of_nodes_is_swept(x):
    """A program that builds and drops formulas for ever does not fill the memory with what they were called."""
    for i in range(3 * graph._Table.FEWEST):
        x[0] + (i + 0.5)
    gc.collect()
    assert len(graph._nodes) <= graph._Table.FEWEST + 2 * graph._nodes.swept()


def test_symbols_are_freed_too():
    q = coordinate("q")
    gone, v = weakref.ref(q), rate(q)
    del q
    gc.collect()
    assert gone() is None
    assert v.order == 1


def test_freed_and_built_again_is_equal_in_value(x):
    def f():
        return np.cos(x[0] ** 3) * 7.25

    first = evaluate(f(), {x[0]: 0.5})
    gc.collect()
    assert evaluate(f(), {x[0]: 0.5}) == first


def test_expressions_of_nested_sequences(x):
    a, b, _ = x
    array = expressions([[a, 1], [2.5, b * a]])
    assert array.shape == (2, 2)
    assert array.dtype == object
    assert array[0, 1] is as_expression(1)
    assert expressions(a).shape == ()
    assert expressions(np.eye(2))[0, 0] is as_expression(1)


def test_the_garbage_collector_is_off_only_where_formulas_are_built():
    undisturbed = graph.undisturbed
    assert gc.isenabled()
    with undisturbed:
        with undisturbed:
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()
    gc.disable()
    try:
        with undisturbed:
            pass
        assert not gc.isenabled()  # as it was
    finally:
        gc.enable()
    with undisturbed:
        undisturbed.ended()  # as in a child process
        assert gc.isenabled()
    assert gc.isenabled()
