"""Machines of large systems for another memory than that of this process: their tables and their code as LLVM IR.

An address is known only where the text is linked. Until then it is a number that tells which table or function it is of,
and how many bytes behind its beginning; numbers that count something are far smaller.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from zeromass.codegen import ir
from zeromass.codegen.target import Target
from zeromass.compile.module import assembled
from zeromass.compile.rolled.kernel import Kernel
from zeromass.compile.rolled.loops import Loops
from zeromass.compile.rolled.machine import GUARD
from zeromass.compile.rolled.shapes import Shape
from zeromass.compile.rolled.unrolled import Unrolled
from zeromass.compile.straight import Flavour
from zeromass.expression import Grid

BEHIND = 40
"""Bits of an address that tell how far behind its beginning it is."""


class Elsewhere:
    """Where the tables and the code of machines stand that are written as text; see `Within`.

    prefix  of all names
    """

    def __init__(self, target: Target, prefix: str = "rolled") -> None:
        self._target, self._prefix = target, prefix
        self._names: list[str] = []
        self._places: dict[str, int] = {}
        self._arrays: dict[str, np.ndarray] = {}
        self._known: dict[object, str] = {}
        self._kernels: list[Kernel] = []
        self._shapes: dict[tuple[str, bool], Shape] = {}

    # what a machine asks for -----------------------------------------------------------------------------------------
    def held(self, array: np.ndarray) -> int:
        """Address of an array, whose numbers are those that it has when the text is written."""
        return self._place(self.name(array))

    def name(self, array: np.ndarray) -> str:
        """Of an array in the text."""
        fixed = array.dtype == np.int32  # never written to: one serves all that are the same
        key = (array.shape, array.tobytes()) if fixed else id(array)
        if key not in self._known:
            self._known[key] = f"{self._prefix}.table{len(self._arrays)}"
            self._arrays[self._known[key]] = array
        return self._known[key]

    def loops(self, target: Target) -> _Names:
        return _Names(self, "")

    def unrolled(self, shape: Shape, target: Target, *, again: bool = False, whole: bool = False) -> _Names:
        assert not whole, "masks may change there"
        self._shapes[shape.name, again] = shape
        return _Names(self, "")

    def kernels(self, kernels: Sequence[Kernel], target: Target) -> _Names:
        prefix = f"{self._prefix}.{len(self._kernels)}."
        for kernel in kernels:
            kernel.text = kernel.text.replace("define void @", f"define internal void @{prefix}")
            self._kernels.append(kernel)
        return _Names(self, prefix)

    def _place(self, name: str) -> int:
        if name not in self._places:
            self._names.append(name)
            self._places[name] = len(self._names) << BEHIND
        return self._places[name]

    # the text --------------------------------------------------------------------------------------------------------
    def text(self) -> tuple[str, tuple[Grid, ...]]:
        """All of it, with the functions `evaluate` and `decide`, and the grids whose arrays it reads."""
        module = ir.Module("rolled")
        Loops(module, self._target)
        Loops(module, self._target, GUARD)
        for (_, again), shape in self._shapes.items():
            Unrolled(module, self._target, shape, again=again)
        found = assembled(self._kernels, self._target)
        formulas = found.text(Flavour(self._target.width, self._target.fused))
        tables = [self._table(name, array) for name, array in self._arrays.items()]
        return "\n".join([formulas, *_once(str(module).split("\n"), formulas), *tables]), found.grids

    def _table(self, name: str, array: np.ndarray) -> str:
        """An array as a variable."""
        if array.dtype == np.int64:
            return f"@{name} = global {self._words(array.ravel().tolist())}, align 16"
        data = array.astype(array.dtype.newbyteorder("<")).tobytes()
        front = data.rstrip(b"\0")
        rest = len(data) - len(front)
        first = "".join(chr(x) if 32 <= x < 127 and x not in (34, 92) else f"\\{x:02X}" for x in front)
        kind = f"<{{ [{len(front)} x i8], [{rest} x i8] }}>"
        return (
            f'@{name} = global {kind} <{{ [{len(front)} x i8] c"{first}", [{rest} x i8] zeroinitializer }}>, align 16'
        )

    def _words(self, numbers: list[int]) -> str:
        """Numbers of 64 bits, of which addresses take 32 where there are no larger ones."""
        short = self._target.triple.startswith("wasm32")
        T = "i32" if short else "i64"
        words: list[str] = []
        for number in numbers:
            if number >> BEHIND:
                name, bytes = self._names[(number >> BEHIND) - 1], number & ((1 << BEHIND) - 1)
                place = f"getelementptr (i8, ptr @{name}, {T} {bytes})" if bytes else f"@{name}"
                words += [f"ptrtoint (ptr {place} to {T})", *(["0"] if short else [])]
            else:
                words += [str(number & 0xFFFFFFFF), str(number >> 32)] if short else [str(number)]
        return f"[{len(words)} x {T}] [{', '.join(f'{T} {word}' for word in words)}]"


class _Names:
    """Functions of a text, by their addresses there."""

    def __init__(self, elsewhere: Elsewhere, prefix: str) -> None:
        self._elsewhere, self._prefix = elsewhere, prefix

    def address(self, name: str) -> int:
        return self._elsewhere._place(self._prefix + name)


def _once(lines: Sequence[str], text: str) -> list[str]:
    """Lines without declarations of what another text declares or defines."""

    def known(line: str) -> bool:
        return line.startswith("declare") and line.split("@")[1].split("(")[0].strip('"') in declared

    declared = {
        line.split("@")[1].split("(")[0].strip('"')
        for line in text.split("\n")
        if line.startswith(("declare", "define"))
    }
    return [line for line in lines if not known(line)]
