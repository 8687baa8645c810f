"""Lazy kernels: machine code that is made when it is first called.

A kernel that few motions need is marked, `@kernel(lazy=True)`, and is then a unit of machine code of its own. Units that
call it have a function in its place, which looks up the kernel's cell, the word with the address of its code, at the first
call, and calls through it from then on. Better code of the kernel takes the place of the first in the cell.

On other targets than this computer, and in debug mode, lazy kernels are like all others.
"""

from __future__ import annotations

import ctypes
import os
import sys
import traceback
from _thread import LockType, allocate_lock, get_ident, start_new_thread
from collections.abc import Callable
from typing import Any

from zeromass.codegen import ir
from zeromass.kernel.source import Kernel
from zeromass.kernel.types import POINTER, VOID, Array, Tuple

LOOKUP = "kernel.lookup"
"""The word of a unit with the address of `lookup(name, place)`, which writes the address of a kernel's cell there."""

_BYTE: ir.Type = ir.IntType(8)
_LOOKUP = ir.FunctionType(VOID, [POINTER, POINTER])


def qualified(kernel: Kernel) -> str:
    """The name of a kernel, that of its module before it."""
    return f"{kernel.__module__}.{kernel.name}"


def write_call_through(f: ir.Function, kernel: Kernel) -> None:
    """The function that stands for a lazy kernel in the units of its callers."""
    if isinstance(kernel.signature[1], (Tuple, Array)):
        raise kernel.error(kernel.node, "a lazy kernel returns one machine value, or none")
    module, name, null = f.module, qualified(kernel).encode() + b"\0", ir.Constant(POINTER, None)
    lookup = module.globals.get(LOOKUP) or ir.GlobalVariable(module, POINTER, LOOKUP)
    lookup.initializer = null
    words = ir.GlobalVariable(module, ir.ArrayType(_BYTE, len(name)), f"{f.name}.name")
    words.initializer, words.global_constant, words.linkage = (
        ir.Constant(words.value_type, list(name)),
        True,
        "internal",
    )
    place = ir.GlobalVariable(module, POINTER, f"{f.name}.cell")
    place.initializer, place.linkage = null, "internal"
    entry, look, find, found = (f.append_basic_block(block) for block in ("entry", "look", "find", "found"))
    b = ir.IRBuilder(entry)
    b.branch(look)
    b.position_at_end(look)
    cell = b.load(place)
    b.cbranch(b.icmp_signed("==", cell, null), find, found)
    b.position_at_end(find)
    find_cell = ir.Value(ir.PointerType(_LOOKUP), b.load(lookup).text)
    b.call(find_cell, [ir.Value(POINTER, words.text), ir.Value(POINTER, place.text)])
    b.branch(look)  # again where Ctrl-C came between
    b.position_at_end(found)
    code = ir.Value(f.type, b.load(cell, typ=POINTER, align=8).text)
    value = b.call(code, f.args, f.calling_convention)
    if f.type.pointee.return_type.text == "void":
        b.ret_void()
    else:
        b.ret(value)


class Lookup:
    """The function `lookup(name, place)` that units call, given how the address of a kernel's cell is found.

    The code of a kernel is made in a thread of its own, which Ctrl-C does not interrupt and whose stack is empty: the caller
    can not go on without that code.
    """

    def __init__(self, cell: Callable[[str], int]) -> None:
        self._cell = cell
        self._function: Any = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_void_p)(self._look_up)
        self.address: int = ctypes.cast(self._function, ctypes.c_void_p).value or 0

    def _look_up(self, name: bytes, place: int) -> None:
        """Calls nothing in Python, as there may be no room for frames."""
        found, written = allocate_lock(), list[bool]()
        found.acquire()
        start_new_thread(self._write, (name, place, found, written))
        while not written:  # Ctrl-C may be heard before the lock is released, or once it has been acquired
            try:
                found.acquire()
            except KeyboardInterrupt:
                _interrupted.append(get_ident())

    def _write(self, name: bytes, place: int, found: LockType, written: list[bool]) -> None:
        try:
            ctypes.c_void_p.from_address(place).value = self._cell(name.decode())
        except BaseException:
            traceback.print_exc()
            print(f"zeromass: there is no machine code of the kernel '{name.decode()}'", file=sys.stderr, flush=True)
            os.abort()
        written.append(True)
        found.release()


_interrupted: list[int] = []
"""Threads in which Ctrl-C was heard while code was looked up."""


def raise_interrupt() -> None:
    """Raises the KeyboardInterrupt of a Ctrl-C that was heard while code was looked up, once machine code has returned."""
    if get_ident() in _interrupted:
        _interrupted.clear()
        raise KeyboardInterrupt
