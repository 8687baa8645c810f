"""Structs as data of a module of WebAssembly, read by kernels in Node: they have what they have in Python."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import Annotated

import numpy as np
import pytest

from kernel.node import MISSING, node
from zeromass.codegen.target import address
from zeromass.codegen.wasm import module_of, wasm32
from zeromass.kernel.image import Image
from zeromass.kernel.language import Ints, Reals, Reals2, Struct, function, kernel, text_of

pytestmark = pytest.mark.skipif(node() is None, reason=MISSING)


class Inner(Struct):
    weight: float
    numbers: Reals


class Outer(Struct):
    """A struct with all kinds of fields: `rows` are whoever runs the module's, `places` have addresses in them."""

    count: int
    yes: bool
    table: Reals2
    part: Reals
    same: Reals
    inner: Inner
    square: Annotated[Callable[[float], float], function(float, result=float)]
    rows: Reals2
    places: Ints


@kernel
def squared(x: float) -> float:
    return x * x


@kernel
def summed(s: Outer) -> float:
    """Everything that the struct leads to, each number with a weight of its own."""
    s.same[0] = s.same[0] + 100.0  # the same memory as s.part[1]
    total = s.square(3.0) + float(s.count) + (0.5 if s.yes else 0.0) + s.inner.weight * s.inner.numbers[2]
    for i in range(s.table.shape[0]):
        for j in range(s.table.shape[1]):
            total += float(10 * i + j) * s.table[i, j]
    return total + s.part[1] + float(s.rows.shape[0]) + 7.0 * float(s.rows.shape[1]) + float(s.places[1])


def test_a_kernel_reads_what_python_has_laid_out(tmp_path):
    whole, numbers = np.arange(4.0) + 0.25, np.array([1.0, 2.0, 1e-300])
    absent = np.zeros((5, 3))
    places = np.array([address(whole), 42])
    outer = Outer(
        count=-3,
        yes=True,
        table=np.array([[1.0, -0.0], [np.inf, 2.0**-1074]])[:, :1].copy(),
        part=whole[1:],
        same=whole[2:3],
        inner=Inner(weight=2.0, numbers=numbers),
        square=squared,
        rows=absent,
        places=places,
    )
    outer.table[1, 0] = 3.0
    image = Image({(Outer, "square"): "squared"}, [whole], {(Outer, "places"): {0: None}}, [absent])
    image.add("outer", outer)
    parts = [text_of(summed, squared, target=wasm32()), str(image)]
    module = tmp_path / "module.wasm"
    module.write_bytes(module_of(parts, inlined=(), functions=("summed",), data=("outer",)))
    script = tmp_path / "run.cjs"
    script.write_text(
        """
        const made = new WebAssembly.Module(require("fs").readFileSync(process.argv[2]));
        const code = new WebAssembly.Instance(made, {}).exports;
        console.log(code.summed(code.outer.value));
        """
    )
    done = subprocess.run(
        [str(node()), str(script), str(module)], capture_output=True, text=True, check=True, timeout=60
    )
    expected = 9.0 - 3.0 + 0.5 + 2.0 * 1e-300 + 30.0 + (2.25 + 100.0) + 0.0 + 21.0 + 42.0
    assert float(done.stdout) == expected


def test_an_address_of_nothing_that_is_known_is_an_error():
    outer = Outer(places=np.array([12345, 1]))
    image = Image({}, [], {(Outer, "places"): {0: None}}, [])
    image.add("outer", outer)
    with pytest.raises(KeyError, match="12345"):
        str(image)
