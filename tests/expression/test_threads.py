"""Threads that build the same formulas at once get the same objects."""

import gc
import pickle
import random
import sys
import threading

import numpy as np
import pytest

from expression.formulas import random_trees, value
from faults.campaign import SLICE, campaign
from zeromass.expression import coordinate, coordinates, gradient, rate
from zeromass.expression import node as graph
from zeromass.expression.node import ordered

THREADS = 8


@pytest.fixture
def hurried():
    """Threads take turns a thousand times as often."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(5e-6)
    yield
    sys.setswitchinterval(before)


def together(work) -> list:
    """What work(i) gives in each of the threads, all started at once."""
    gate, results, errors = threading.Barrier(THREADS), [None] * THREADS, []

    def run(i):
        try:
            gate.wait()
            results[i] = work(i)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors
    return results


@pytest.mark.parametrize(("rounds", "seed"), [(1, SLICE), pytest.param(25, None, marks=pytest.mark.slow)])
def test_formulas_are_one_object_whoever_builds_them(hurried, rounds, seed):
    with campaign("threads that build formulas", rounds, 30 + 20 * rounds, seed=seed) as random_:
        for _ in range(rounds):
            built_by_all(random_.getrandbits(32))


def built_by_all(seed: int) -> None:
    """Each thread builds the same formulas in an order of its own."""
    trees = random_trees(seed, 6_000, depths=range(1, 4))
    x = coordinates("x y z")

    def build(i):
        order = list(range(len(trees)))
        random.Random(i).shuffle(order)
        made = {k: value(trees[k], x) for k in order}
        return [made[k] for k in range(len(trees))]

    first, *others = together(build)
    assert all(a is b for other in others for a, b in zip(first, other, strict=True))
    nodes = ordered(first)
    assert len({(n.op, n.args, n.value, getattr(n, "token", None)) for n in nodes}) == len(nodes)
    place = {node: i for i, node in enumerate(nodes)}
    assert all(place[a] < place[node] for node in nodes for a in node.args)


def test_a_symbol_that_is_seen_is_complete(hurried):
    """Each thread asks for the rate of a new coordinate and reads its name."""
    leaves = [coordinate(f"q{k}") for k in range(3000)]
    results = together(lambda i: [(v, v.name, v.order, v.token) for v in map(rate, leaves)])
    assert all(result == results[0] for result in results)
    assert [name for _, name, *_ in results[0]] == [leaf.name for leaf in leaves]


def test_sweeping_while_others_build(hurried):
    """Formulas that are dropped at once, so that the table is swept again and again."""
    x, y = coordinates("x y")

    def churn(i):
        for k in range(4 * graph._Table.FEWEST // THREADS):
            np.sin(x * (k + 0.25) + y)
            if k % 1000 == i:
                gc.collect(0)
        return pickle.loads(pickle.dumps(gradient(np.sin(x * y), [x, y])[0]))

    first, *others = together(churn)
    assert all(first is other for other in others)
