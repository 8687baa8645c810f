"""A function called again and again, with addresses that move on: a loop in machine code, during which other threads run."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from zeromass.codegen import ir
from zeromass.codegen.once import once
from zeromass.codegen.target import BEST, Code, host

_INT: ir.Type = ir.IntType(64)
_POINTER: ir.Type = ir.PointerType()


def repeated(address: int, arrays: Sequence[np.ndarray]) -> None:
    """Calls `void f(ptr, …)` at an address for each place along the first axis of some arrays."""
    places = np.array([x.ctypes.data for x in arrays], dtype=np.int64)
    strides = np.array([x.strides[0] for x in arrays], dtype=np.int64)
    _loop(len(arrays))(address, len(arrays[0]), places.ctypes.data, strides.ctypes.data)


@once
def _loop(count: int) -> Any:
    """for (g = 0; g < times; g++) f(place₀, …), with each place moved on by its stride."""
    module = ir.Module("repeated")
    callee = ir.FunctionType(ir.VoidType(), [_POINTER] * count).as_pointer()
    loop = ir.Function(module, ir.FunctionType(ir.VoidType(), [callee, _INT, _POINTER, _POINTER]), "repeated")
    f, times, places, strides = loop.args
    b = ir.IRBuilder(loop.append_basic_block())
    first, steps = (
        [b.load(b.gep(array, [ir.Constant(_INT, k)], source_etype=_INT), typ=_INT) for k in range(count)]
        for array in (places, strides)
    )
    entry, inside, after = b.block, loop.append_basic_block(), loop.append_basic_block()
    b.cbranch(b.icmp_signed(">", times, ir.Constant(_INT, 0)), inside, after)
    b.position_at_end(inside)
    g, *at = [b.phi(_INT) for _ in range(count + 1)]
    b.call(f, [b.inttoptr(place, _POINTER) for place in at])
    following = [b.add(g, ir.Constant(_INT, 1)), *[b.add(place, step) for place, step in zip(at, steps, strict=True)]]
    for phi, begin, next_ in zip((g, *at), (ir.Constant(_INT, 0), *first), following, strict=True):
        phi.add_incoming(begin, entry)
        phi.add_incoming(next_, inside)
    b.cbranch(b.icmp_signed("<", following[0], times), inside, after)
    b.position_at_end(after)
    b.ret_void()
    code = Code(str(module), host().scalar, effort=BEST)
    pointer = ctypes.c_void_p
    return code.function("repeated", None, pointer, ctypes.c_int64, pointer, pointer)
