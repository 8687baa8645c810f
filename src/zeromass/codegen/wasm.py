"""WebAssembly as a target: a module that runs in every browser, and wherever else there is an engine for it.

It has no instruction for a·b + c, so its bits are those of this machine's code without it. Its products and sums are
those of IEEE 754, and what LLVM does with them is the same everywhere: a module computes the same bits in every browser.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import llvmlite
import llvmlite.binding as llvm

from zeromass.codegen import cache
from zeromass.codegen.linking import linked
from zeromass.codegen.passes import optimised
from zeromass.codegen.target import Target

TRIPLE = "wasm32-unknown-unknown"

FEATURES = "+simd128,+bulk-memory,+sign-ext,+nontrapping-fptoint"
"""What browsers have since 2021 to 2023."""

MULTI3 = """
define void @__multi3(ptr %r, i64 %al, i64 %ah, i64 %bl, i64 %bh) noinline optnone {
  %a0 = and i64 %al, 4294967295
  %a1 = lshr i64 %al, 32
  %b0 = and i64 %bl, 4294967295
  %b1 = lshr i64 %bl, 32
  %p00 = mul i64 %a0, %b0
  %p10 = mul i64 %a1, %b0
  %p01 = mul i64 %a0, %b1
  %p11 = mul i64 %a1, %b1
  %c0 = lshr i64 %p00, 32
  %m0 = add i64 %p10, %c0
  %m0l = and i64 %m0, 4294967295
  %m1 = add i64 %p01, %m0l
  %u = lshr i64 %m0, 32
  %v = lshr i64 %m1, 32
  %h0 = add i64 %p11, %u
  %h1 = add i64 %h0, %v
  %x = mul i64 %ah, %bl
  %y = mul i64 %al, %bh
  %h2 = add i64 %h1, %x
  %high = add i64 %h2, %y
  %low = mul i64 %al, %bl
  store i64 %low, ptr %r, align 8
  %r1 = getelementptr i64, ptr %r, i32 1
  store i64 %high, ptr %r1, align 8
  ret void
}
"""
"""The product of two numbers of 128 bits, which LLVM takes for granted: large angles are reduced with it."""


def wasm32() -> Target:
    """WebAssembly of 32-bit addresses: one value at a time, and no a·b + c."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    return Target(TRIPLE, "generic", FEATURES, width=1, fused=False, outside=True)


def module_of(
    parts: Sequence[str],
    *,
    inlined: Sequence[str],
    functions: Sequence[str],
    data: Sequence[str],
    tables: Mapping[str, bytes] | None = None,
    notes: Mapping[str, bytes] | None = None,
    objects: Sequence[bytes] = (),
) -> bytes:
    """A module of WebAssembly from texts of LLVM IR, and from objects that were made before.

    See `linked` for what it shows, `optimised` for what is copied.
    """
    made = _object([*parts, MULTI3], inlined)
    return linked([made, *objects], functions=functions, data=data, tables=tables, notes=notes)


def kept_object(texts: Callable[[], Sequence[str]], origin: str) -> bytes:
    """An object of WebAssembly; by its origin it is kept for later modules, and for later processes, see `cache`."""
    if origin not in _objects:
        name = cache.digest(origin, *map(str, (llvmlite.__version__, llvm.llvm_version_info, FEATURES)))
        found = cache.read(name)
        if found is None:
            found = _object(texts(), (), small=True)
            cache.write(name, found)
        _objects[origin] = found
    return _objects[origin]


_objects: dict[str, bytes] = {}


def _object(parts: Sequence[str], inlined: Sequence[str], *, small: bool = False) -> bytes:
    module, machine = optimised([*parts], wasm32(), tuple(inlined), 2 if small else 3, small=small)
    return machine.emit_object(module)
