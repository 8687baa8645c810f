"""Machine code from LLVM IR: at once with little effort, and better code in the background where that is repaid."""

from __future__ import annotations

import ctypes
from typing import Any

import llvmlite.binding as llvm

from zeromass.compile.background import later
from zeromass.compile.target import Target

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
            later(self._improved)

    def _improved(self) -> None:
        engine = self._engine(BEST)
        self._engines.append(engine)
        self._addresses = {name: engine.get_function_address(name) for name in list(self._addresses)}
