"""What machine code is made for: a processor, its lanes, and how it multiplies and calls."""

from __future__ import annotations

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
