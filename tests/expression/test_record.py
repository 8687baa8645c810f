"""Graphs as data: flat, shared, and the same objects when read back, here and in another process."""

import gc
import hashlib
import json
import pickle
import subprocess
import sys
from collections import namedtuple
from dataclasses import dataclass, field

import numpy as np
import pytest

from expression.formulas import random_trees, value
from zeromass.compile.straight import Flavour, StraightLine
from zeromass.errors import ExpressionError
from zeromass.expression import Grid, as_expression, coordinate, coordinates, gradient, parameter, t
from zeromass.expression.node import ordered
from zeromass.expression.packing import packed, unpacked
from zeromass.expression.record import Reader, Writer

x, y, z = q = coordinates("x y z")
hills = Grid([0.0, 1.0, 2.0], [0.0, 1.0], np.arange(32.0).reshape(2, 1, 4, 4), name="hills")


def test_written_and_read_is_the_identical_object():
    formulas = [value(tree, q) for tree in random_trees(1, 60)]
    formulas += [hills(x, y), gradient(hills(x * y, z), q)[0], x % y, x // y, np.hypot(x, y), np.maximum(x, t)]
    w = Writer()
    data = json.loads(json.dumps([w.array(formulas), w.nodes]))
    back = Reader(data[1], w.grids).array(data[0])
    assert all(a is b for a, b in zip(back, map(as_expression, formulas), strict=True))


def test_each_node_is_written_once():
    formulas = [value(tree, q) for tree in random_trees(2, 60)]
    w = Writer()
    w.array(formulas)
    w.array(formulas[::-1])
    assert len(w.nodes) == len(ordered(map(as_expression, formulas)))


@pytest.mark.parametrize("f", [np.add, np.multiply])
def test_operands_are_ordered_as_they_are_built(f):
    """Data written when sin x was older than cos y, read when it is younger: still the one sum, the one product."""
    w = Writer()
    at = w.array(f(np.sin(x), np.cos(y)))
    gc.collect()
    younger, older = np.cos(y), np.sin(x)
    built = f(older, younger)
    assert Reader(w.nodes).scalar(at) is built


def test_data_that_is_no_graph_is_refused():
    with pytest.raises(ExpressionError, match="names an operation 'system' that does not exist"):
        Reader([["constant", 1.0], ["system", 0]])
    with pytest.raises(ExpressionError, match="gives 1 operands to 'add', which takes 2"):
        Reader([["constant", 1.0], ["add", 0]])


@pytest.mark.slow
def test_a_deep_graph_pickles():
    f = x
    for j in range(50_000):
        f = np.sin(f) + (j + 0.5)
    assert len(ordered([f])) > 100_000
    assert pickle.loads(pickle.dumps(f)) is f
    assert unpacked(pickle.loads(pickle.dumps(packed([f, {f: f}])))) == [f, {f: f}]


Pair = namedtuple("Pair", "left right")


@dataclass(frozen=True)
class Row:
    name: str
    zero: object
    others: dict = field(default_factory=dict)


@dataclass(slots=True)
class Slotted:
    f: object


@dataclass
class Cached:
    """Pickled in a way of its own."""

    f: object

    def __getstate__(self):
        return {"f": self.f}


def everything():
    numbers = np.linspace(0, 1, 5)
    M = np.array([[x * y, np.sin(x)], [np.sin(x), z]])
    mixed = np.empty(3, dtype=object)
    mixed[:] = [x + y, None, 3.0]
    return {
        "M": M,
        "mixed": mixed,
        "scalar": np.array(x * y, dtype=object),
        "empty": np.empty((0, 3), dtype=object),
        "numbers": numbers,
        "list": [x, [y, (z, "word")], M],
        x * y: "a key",
        "set": {x, y},
        "frozen": frozenset([x + y]),
        "pair": Pair(x - y, 2.0),
        "row": Row("surface", hills(x, y), {"rate": x / y}),
        "slotted": Slotted([np.exp(x)]),
        "cached": Cached(np.exp(y)),
        "nothing": [1, "two", None],
    }


def check(back, given):
    assert back["M"].shape == (2, 2)
    assert all(a is b for a, b in zip(back["M"].ravel(), given["M"].ravel(), strict=True))
    assert back["mixed"].tolist() == given["mixed"].tolist()
    assert back["scalar"].shape == ()
    assert back["scalar"].item() is x * y
    assert back["empty"].shape == (0, 3)
    np.testing.assert_array_equal(back["numbers"], given["numbers"])
    assert back["list"][:2] == [x, [y, (z, "word")]]
    assert back["list"][2] is back["M"]  # one array stays one
    assert back[x * y] == "a key"
    assert back["set"] == {x, y}
    assert back["frozen"] == {x + y}
    assert isinstance(back["pair"], Pair)
    assert back["pair"].left is x - y
    assert back["row"] == given["row"]
    assert back["slotted"].f[0] is np.exp(x)
    assert back["cached"].f is np.exp(y)
    assert back["nothing"] == given["nothing"]


def test_packing_gives_everything_back():
    given = everything()
    check(unpacked(packed(given)), given)
    check(unpacked(pickle.loads(pickle.dumps(packed(given)))), given)
    assert given["list"][0] is x  # what was packed is left as it was
    assert given["nothing"] is packed(given).value["nothing"]


def test_shared_subgraphs_are_packed_once():
    """A hundred formulas on one of a thousand nodes, alone as long as the one of them."""
    f = x
    for j in range(500):
        f = np.sin(f) + (j + 0.5)
    one = len(pickle.dumps(packed(f)))
    many = len(pickle.dumps(packed([{"f": f + j, "g": (f * (j + 2.5),)} for j in range(100)])))
    assert many < 2 * one


def test_what_contains_itself_is_refused():
    endless = [x]
    endless.append(endless)
    with pytest.raises(ExpressionError, match="list that contains itself"):
        packed(endless)


def digest(outputs, inputs) -> str:
    lines = [StraightLine("f", [list(inputs)], [list(outputs)], Flavour(width, True)).text for width in (1, 4)]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def test_another_process_makes_the_same_machine_code(tmp_path):
    """Pickled or packed, and read after other formulas: the text of the code, and so its bits, are the same."""
    m = parameter("m", 2.0)
    formulas = [value(tree, q) for tree in random_trees(7, 40)]
    formulas = [as_expression(f) for f in (*formulas, *gradient(formulas[0] * m, q), hills(x, y) * z, np.hypot(x, m))]
    inputs = [*q, m]
    data = pickle.dumps((formulas, inputs)), pickle.dumps(packed((formulas, inputs)))
    for name, content in zip(("plain", "packed"), data, strict=True):
        (tmp_path / name).write_bytes(content)
    program = (
        "import pickle, sys\n"
        "sys.path[:0] = sys.argv[1:2]\n"
        "from expression.test_record import digest\n"
        "from zeromass.expression.packing import unpacked\n"
        "plain, packed = (pickle.load(open(name, 'rb')) for name in sys.argv[2:])\n"
        "back = unpacked(packed)\n"
        "assert all(a is b for a, b in zip(plain[0], back[0]))\n"
        "print(digest(*plain), digest(*back))\n"
    )
    folder = str(__import__("pathlib").Path(__file__).parents[1])
    command = [sys.executable, "-c", program, folder, tmp_path / "plain", tmp_path / "packed"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [digest(formulas, inputs)] * 2


def test_a_symbol_keeps_what_it_is():
    m = parameter("mass", 2.5, latex="m")
    name = coordinate("other")
    back = pickle.loads(pickle.dumps([m, name]))
    assert back[0] is m
    assert back[1] is name
