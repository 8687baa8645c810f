"""Kernels as machine code of this computer, found again by later processes; and as LLVM IR for any target."""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from zeromass.codegen import cache as code_cache
from zeromass.codegen.target import BEST, Code, Target, address, host, once
from zeromass.kernel.lazy import LOOKUP, Lookup, raise_interrupt
from zeromass.kernel.source import Kernel
from zeromass.kernel.structs import c_type, words_of
from zeromass.kernel.types import BOOL, Array

if TYPE_CHECKING:
    from zeromass.kernel.unit import Unit

OFTEN = 100
"""Calls after which better code is worth its while: it takes ten times as long to make."""


def text_of(*kernels: Kernel, target: Target, debug: bool = False, lazy: Kernel | None = None) -> str:
    """LLVM IR of kernels and of all that they call, each under its own name, see `Unit` and `Unit.export`."""
    from zeromass.kernel.unit import Unit  # not needed where machine code is in the cache

    unit = Unit(target, debug=debug, lazy=lazy)
    for kernel in kernels:
        unit.export(kernel)
    return str(unit)


class Compiled:
    """A kernel as machine code of this computer, called with the arguments that it has in Python.

    debug  whether an index that is not in its array raises an IndexError with file and line, after the call
    """

    def __init__(self, kernel: Kernel, target: Target, *, debug: bool = False) -> None:
        self.kernel = kernel
        self.cell: np.ndarray = np.zeros(1, dtype=np.int64)  # of a lazy kernel: the address that other units call
        self._unit: Unit | None = None
        if debug:
            from zeromass.kernel.unit import Unit

            self._unit = Unit(target, debug=True)
            self._unit.export(kernel)
            self.code: Code = Code(str(self._unit), target, passes=True)
            self._fault: Any = self.code.function("fault", ctypes.c_int64)
        else:
            self.code = Code(
                cache(lambda: text_of(kernel, target=target, lazy=kernel)),  # for better code too
                target,
                origin=_origin(kernel),
                passes=True,
                bind=self._bind,
            )
        self._kinds, result = kernel.signature[0].values(), kernel.signature[1]
        types: list[Any] = []
        for kind in self._kinds:
            first = ctypes.c_int64 if kind == BOOL else c_type(kind)
            types += [first, *[ctypes.c_int64] * (kind.ndim if isinstance(kind, Array) else 0)]
        returned = ctypes.c_int64 if result == BOOL else c_type(result)
        self._truth: bool = result == BOOL
        self._type: Any = ctypes.CFUNCTYPE(returned, *types)
        self._bound: tuple[int, Any] = 0, None
        self._calls = 0

    @property
    def address(self) -> int:
        """Of the machine code that there is now; one that is asked for often is made better in the background."""
        self._calls += 1
        if self._calls == OFTEN:
            self.code.improve()
        return self.code.address(self.kernel.name)

    def __call__(self, *args: Any) -> Any:
        address = self.address
        if address != self._bound[0]:
            self._bound = address, self._type(address)
        given = zip(self._kinds, args, strict=True)
        value = self._bound[1](*[word for kind, arg in given for word in words_of(kind, arg)])
        if self._unit is not None and (fault := self._fault()):
            file, line = self._unit.place_of(fault)
            raise IndexError(f"{file}:{line}: an index is not inside its array, or an assertion fails")
        raise_interrupt()
        return bool(value) if self._truth else value

    def _bind(self, engine: Any, effort: int) -> None:
        """Lets new code find lazy kernels, and other units the new code of this one if it is lazy."""
        place = engine.get_global_value_address(LOOKUP)
        if place:
            ctypes.c_int64.from_address(place).value = (_best if effort >= BEST else _first).address
        if self.kernel.lazy:
            self.cell[0] = engine.get_function_address(f"kernel.{self.kernel.name}")


def _origin(kernel: Kernel) -> str | None:
    """The sources that its machine code follows from, under which it is kept: they need not be read to find it."""
    house, *rooms = kernel.__module__.split(".")
    written = code_cache.sources(*dict.fromkeys(["codegen", "kernel", rooms[0]])) if house == "zeromass" else None
    return None if written is None else code_cache.digest("kernel", kernel.__module__, kernel.name, written)


@once
def compiled(kernel: Kernel) -> Compiled:
    """The machine code of a kernel for this computer, of which there is one in a process."""
    return Compiled(kernel, host().scalar)


def _named(name: str) -> Compiled:
    """The machine code of a lazy kernel that is called."""
    module, _, name = name.rpartition(".")
    return compiled(getattr(sys.modules[module], name))


def _better(name: str) -> Compiled:
    """The same, for better code, whose callees are to be better too."""
    found = _named(name)
    found.code.improve()
    return found


_first, _best = (Lookup(lambda name, find=find: address(find(name).cell)) for find in (_named, _better))
