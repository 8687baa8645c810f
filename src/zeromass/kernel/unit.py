"""Kernels of one module of LLVM IR: each is written once, when it is first called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from zeromass.codegen import ir
from zeromass.codegen.target import Target
from zeromass.kernel.frame import Typed
from zeromass.kernel.lazy import write_call_through
from zeromass.kernel.source import Kernel
from zeromass.kernel.statements import Emitter
from zeromass.kernel.types import BOOL, DOUBLE, I64, INT, POINTER, REAL, Array, Tuple, machine_types, result_type


class Unit:
    """A module of kernels for a target.

    module  where they are written, in which there may be other functions
    debug   whether indices are checked: the first that is not in its array is noted, reads and writes go to a spare word
    lazy    the kernel whose unit this is, if those that are lazy are found when they are first called; see `lazy`
    """

    FAULT = "kernel.fault"
    SPARE = "kernel.spare"
    LINES = 1 << 20
    """Lines of a file at most."""

    def __init__(
        self, target: Target, module: ir.Module | None = None, *, debug: bool = False, lazy: Kernel | None = None
    ) -> None:
        self.module: ir.Module = ir.Module("kernels") if module is None else module
        self.target, self.debug, self._root = target, debug, lazy
        self._functions: dict[Kernel, ir.Function] = {}
        self._writing: list[Kernel] = []
        self._tables: dict[int, tuple[Typed, Any]] = {}
        if debug:
            for name in (self.FAULT, self.SPARE):
                word = ir.GlobalVariable(self.module, I64, name)
                word.initializer, word.linkage = ir.Constant(I64, 0), "internal"
            self._write_fault()

    def __str__(self) -> str:
        return str(self.module)

    @property
    def kernels(self) -> list[Kernel]:
        """All that were written, in order."""
        return list(self._functions)

    def function(self, kernel: Kernel, caller: Kernel | None = None, node: Any = None) -> ir.Function:
        """The function of a kernel, inside the module: arguments and result are machine values."""
        if kernel in self._writing:
            raise (caller or kernel).error(node, f"'{kernel.name}' calls itself: there is no recursion")
        if kernel not in self._functions:
            kinds, result = kernel.signature
            machine = [t for kind in kinds.values() for t in machine_types(kind)]
            f = ir.Function(self.module, ir.FunctionType(result_type(result), machine), self._symbol(kernel.name))
            f.linkage, f.calling_convention = "internal", self.target.convention
            f.attributes.add("nounwind")
            self._functions[kernel] = f
            if self._root is not None and kernel.lazy and kernel is not self._root:
                write_call_through(f, kernel)
                return f
            self._writing.append(kernel)
            Emitter(self, kernel, f).emit()
            self._writing.pop()
            if kernel.lazy and kernel is self._root:
                f.linkage = ""  # other units call it
        return self._functions[kernel]

    def _symbol(self, name: str) -> str:
        k, full = 0, f"kernel.{name}"
        while full in self.module.globals:
            k, full = k + 1, f"kernel.{name}.{k}"
        return full

    def export(self, kernel: Kernel, name: str | None = None) -> ir.Function:
        """A function that C could call: floats, ints for ints and bools, pointers with the sizes of arrays behind them."""
        inner = self.function(kernel)
        kinds, result = kernel.signature
        if isinstance(result, (Tuple, Array)):
            raise kernel.error(kernel.node, "it returns several machine values, and so only kernels can call it")
        machine = [t for kind in kinds.values() for t in ([I64] if kind == BOOL else machine_types(kind))]
        returned = I64 if result == BOOL else result_type(result)
        f = ir.Function(self.module, ir.FunctionType(returned, machine), name or kernel.name)
        b = ir.IRBuilder(f.append_basic_block())
        given: list[ir.Value] = list(f.args)
        for k, wanted in enumerate(inner.type.pointee.args):
            if wanted != given[k].type:
                given[k] = b.icmp_signed("!=", given[k], ir.Constant(I64, 0))
        value = b.call(inner, given)
        if result is None:
            b.ret_void()
        else:
            b.ret(b.zext(value, I64) if result == BOOL else value)
        return f

    def table(self, numbers: Any) -> Typed:
        """Constant numbers in memory."""
        if id(numbers) not in self._tables:
            x = np.asarray(numbers)
            element, machine = (REAL, DOUBLE) if x.dtype.kind == "f" else (INT, I64)
            made = ir.GlobalVariable(self.module, ir.ArrayType(machine, x.size), self._symbol("table"))
            made.initializer = ir.Constant(made.value_type, x.ravel().tolist())
            made.global_constant, made.linkage, made.align = True, "internal", 8
            sizes = [ir.Constant(I64, n) for n in x.shape]
            self._tables[id(numbers)] = Typed(Array(element, x.ndim), [ir.Value(POINTER, made.text), *sizes]), numbers
        return self._tables[id(numbers)][0]

    def declared(self, name: str, result: ir.Type, args: Sequence[ir.Type]) -> ir.Function:
        """A function that LLVM knows by its name."""
        found = self.module.globals.get(name)
        return ir.Function(self.module, ir.FunctionType(result, args), name) if found is None else found

    # what debug mode notes -------------------------------------------------------------------------------------------
    def fault_of(self, kernel: Kernel, line: int) -> int:
        """A number for a line of a kernel, not zero."""
        return (1 + list(self._functions).index(kernel)) * self.LINES + line

    def place_of(self, fault: int) -> tuple[str, int]:
        """File and line that a number stands for."""
        which, line = divmod(fault, self.LINES)
        return self.kernels[which - 1].file, line

    def _write_fault(self) -> None:
        """`i64 fault()`: what was noted, which is forgotten then."""
        f = ir.Function(self.module, ir.FunctionType(I64, []), "fault")
        b, place = ir.IRBuilder(f.append_basic_block()), ir.Value(POINTER, f'@"{self.FAULT}"')
        noted = b.load(place, typ=I64)
        b.store(ir.Constant(I64, 0), place)
        b.ret(noted)
