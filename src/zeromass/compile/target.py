"""Targets, and machine code that is made for them from LLVM IR.

Code is there at once, made with little effort, and better code follows from the background where that is repaid.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import llvmlite.binding as llvm


@dataclass(frozen=True)
class Target:
    """A kind of machine, as code is written for it.

    triple      LLVM's name of processor, maker and system
    cpu         LLVM's name of the processor; features: what it has beyond the least of its kind
    width       values that one operation of the code works on: 1, or so many lanes
    fused       whether a·b + c is one instruction
    convention  how functions inside a piece of code call one another

    >>> zm.host().width in (2, 4, 8)
    True
    >>> zm.host().scalar.width
    1
    """

    triple: str
    cpu: str
    features: str
    width: int
    fused: bool
    convention: str = "fastcc"

    @property
    def scalar(self) -> Target:
        """The same machine, one value at a time."""
        return self.lanes(1)

    def lanes(self, width: int) -> Target:
        """The same machine, a number of values at a time."""
        return replace(self, width=width)

    def machine(self, effort: int) -> Any:
        """LLVM's compiler for it, with some effort, 0 to 3."""
        options: dict[str, Any] = {"cpu": self.cpu, "features": self.features, "jit": True, "opt": effort}
        return llvm.Target.from_triple(self.triple).create_target_machine(**options)


@cache
def host() -> Target:
    """The machine that this process runs on, with as many lanes as one of its registers holds float64 values."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features, triple = llvm.get_host_cpu_features(), llvm.get_process_triple()
    wide = bool(features.get("avx512f", False))
    return Target(
        triple,
        llvm.get_host_cpu_name(),
        # 512-bit registers are used only on request: the code says how wide its vectors are
        features.flatten() + (",-prefer-256-bit" if wide else ""),
        width=8 if wide else 4 if features.get("avx", False) else 2,
        fused=bool(features.get("fma", False)) or triple.startswith(("aarch64", "arm64")),
    )


FIRST, BEST = 0, 2
"""LLVM's effort for code that is needed now, and for code that is run often; the arithmetic is the same, to the bit."""


class Code:
    """Machine code of LLVM IR text; the address of a function stays valid as long as this object lives.

    effort  LLVM's effort that it is first made with, 0 to 3
    keep    what must live as long as the code, because it reads their memory
    """

    def __init__(self, text: str, target: Target, *, effort: int = FIRST, keep: Any = None) -> None:
        self._text, self._target, self._kept = text, target, keep
        self._engines = [self._engine(effort)]
        self._addresses: dict[str, int] = {}
        self._asked = effort >= BEST

    def _engine(self, effort: int) -> Any:
        machine = self._target.machine(effort)
        module = llvm.parse_assembly(self._text)
        module.triple = self._target.triple
        module.data_layout = str(machine.target_data)
        engine = llvm.create_mcjit_compiler(module, machine)
        engine.finalize_object()
        return engine

    def address(self, name: str) -> int:
        """Of a function, in the best code there is; zero if there is none of that name."""
        known = self._addresses
        if name not in known:
            known[name] = self._engines[-1].get_function_address(name)
        return known[name]

    def function(self, name: str, result: Any, *arguments: Any) -> Any:
        """The function as a ctypes callable; the code is kept alive with it."""
        call = ctypes.CFUNCTYPE(result, *arguments)(self.address(name))
        call.code = self  # type: ignore[attr-defined]
        return call

    def improve(self) -> None:
        """Makes better code in the background, once; nobody waits for it."""
        if not self._asked:
            self._asked = True
            from zeromass.compile.background import later  # short runs are over before

            later(self._improved)

    def _improved(self) -> None:
        engine = self._engine(BEST)
        self._text = ""  # it is not needed again
        self._engines.append(engine)
        self._addresses = {name: engine.get_function_address(name) for name in list(self._addresses)}
