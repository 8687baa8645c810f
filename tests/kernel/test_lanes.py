"""Kernels of straight-line code in lanes: every lane has the bits of the kernel."""

from __future__ import annotations

import ctypes
import itertools

import numpy as np
import pytest

from zeromass.codegen import ir
from zeromass.codegen.elementary.arithmetic import Arithmetic, where
from zeromass.codegen.target import Code, host
from zeromass.kernel.lanes import lanes
from zeromass.kernel.language import Kernel, KernelError, compiled, kernel, sqrt
from zeromass.kernel.roots import may_cross_twice, may_hide_roots

VALUES = [0.0, -0.0, 0.3, -0.2, 1.0, 1e-9, 2.0, np.inf, -np.inf, np.nan]


@kernel
def formula(x: float, y: float, z: float) -> bool:
    return (min(x, y) / z + max(x, z) * sqrt(y) < -z) | (x - y > 0.0)


def in_lanes(k: Kernel, rows: np.ndarray) -> np.ndarray:
    """A kernel on rows of arguments, shape (k, width), of which the columns are lanes."""
    width, module = rows.shape[1], ir.Module()
    kind, pointer = ir.VectorType(ir.DoubleType(), width), ir.PointerType()
    f = ir.Function(module, ir.FunctionType(ir.VoidType(), [pointer] * 2), "f")
    b = ir.IRBuilder(f.append_basic_block())
    places = [b.gep(f.args[0], [ir.Constant(ir.IntType(64), i)], source_etype=kind) for i in range(len(rows))]
    on = Arithmetic(b, kind, fused=host().fused)
    found = lanes(k, *[on.real(b.load(place, typ=kind, align=8)) for place in places])
    b.store(where(found, 1.0, 0.0).value, f.args[1], align=8)
    b.ret_void()
    given, result = np.ascontiguousarray(rows), np.empty(width)
    call = Code(str(module), host().scalar).function("f", None, *[ctypes.c_void_p] * 2)
    call(given.ctypes.data, result.ctypes.data)
    return result != 0.0


@pytest.mark.parametrize("k", [formula, may_cross_twice], ids=lambda k: k.name)
def test_a_lane_has_the_bits_of_the_kernel(k: Kernel):
    count = len(k.signature[0])
    rng = np.random.default_rng(5)
    special = np.array(list(itertools.islice(itertools.product(VALUES, repeat=count), 0, None, 97 if count > 3 else 3)))
    random = np.abs(rng.normal(size=(400, count))) * 10.0 ** rng.integers(-3, 2, size=(400, count))
    rows = np.concatenate([special, random])
    rows = rows[: len(rows) // 8 * 8].reshape(-1, 8, count)
    seen = 0
    for some in rows:
        expected = [compiled(k)(*args) for args in some.tolist()]
        assert in_lanes(k, some.T).tolist() == expected
        seen += sum(expected)
    assert 0 < seen < rows.size // count


def test_a_kernel_that_branches_is_none_for_lanes():
    """It is refused with its line, and not compiled to something else."""
    with pytest.raises(KernelError, match="lanes go the same way") as caught:
        in_lanes(may_hide_roots, np.ones((6, 4)))
    assert caught.value.filename.endswith("roots.py")
