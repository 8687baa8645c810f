"""Graphs of 100,000 nodes in one chain: nothing recurses, nothing is left behind."""

import gc
import pickle
import weakref

import numpy as np
import pytest

from zeromass.errors import ExpressionError
from zeromass.expression import c_code, coordinate, derivative, evaluate, gradient, latex, substitute, symbols, where
from zeromass.expression import node as graph
from zeromass.expression.node import ordered

NODES = 100_000

CHAINS = {  # one link, and how many nodes it adds
    "sum": (lambda f, x, j: f + np.sin(j * x), 4),
    "functions": (lambda f, x, j: np.sin(f) + x, 2),
    "branches": (lambda f, x, j: where(f > j, x, f + x), 4),
}


def chain(name, x):
    link, nodes = CHAINS[name]
    f = x
    for j in range(NODES // nodes):
        f = link(f, x, j + 0.5)
    return f


@pytest.mark.slow
@pytest.mark.parametrize("name", CHAINS)
def test_a_long_chain(name):
    gc.collect()
    before = graph._nodes.swept()
    x = coordinate("x")
    f = chain(name, x)
    size = len(ordered([f]))
    assert size >= NODES
    assert symbols(f) == [x]

    at = {x: 0.3}
    slopes = [derivative(f, x), gradient(f, [x])[0]]
    forward, backward = evaluate(slopes, at)
    # 100,000 roundings of 1e-16, none of which grows
    assert forward == pytest.approx(backward, rel=1e-11)
    assert float(substitute(f, at)) == pytest.approx(evaluate(f, at), rel=1e-11)
    assert pickle.loads(pickle.dumps(f)) is f
    assert c_code(f).count("\n") > NODES // 2

    assert repr(f) == f"<expression of {size} operations>"
    with pytest.raises(ExpressionError, match="too many to read"):
        latex(f)
    with pytest.raises(ExpressionError, match="truth of '<expression of"):
        bool(f > 0)

    last = weakref.ref(f)
    del f, slopes, x, at
    gc.collect()
    assert last() is None
    assert graph._nodes.swept() == before


def test_a_formula_that_doubles_with_every_node():
    """Written out it has 2^5000 operations; the graph has 10,000."""
    x = coordinate("x")
    f = x
    for _ in range(5000):
        f = np.sin(f) + f
    assert len(ordered([f])) == 10_001
    assert repr(f) == "<expression of 10001 operations>"
    with pytest.raises(
        ExpressionError, match=r"operations, too many to read; print parts of it, or zm\.export\.c_code"
    ):
        latex(f)
    assert np.isfinite(evaluate(gradient(f, [x])[0], {x: 1e-3}))


def test_the_longest_latex_is_written():
    x = coordinate("x")
    f = x
    for _ in range(6000):
        f = np.sin(f) + x
    words = latex(f)
    assert words.count(r"\sin\left(") == words.count(r"\right)") == 5999
    assert words.count(r"\sin x") == 1
