"""The host machine: its target, its lanes, and machine code from LLVM IR."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import llvmlite.binding as llvm


class Machine:
    """What LLVM says of the processor that this process runs on.

    lanes  float64 values that one register holds: 8 with AVX-512, 4 with AVX, else 2
    fused  whether a·b + c is one instruction
    """

    def __init__(self) -> None:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        features = llvm.get_host_cpu_features()
        self.triple = llvm.get_process_triple()
        arm = self.triple.startswith(("aarch64", "arm64"))
        self.fused = bool(features.get("fma", False)) or arm
        wide = features.get("avx512f", False), features.get("avx", False)
        self.lanes = 8 if wide[0] else 4 if wide[1] else 2
        self._options: dict[str, Any] = {
            "cpu": llvm.get_host_cpu_name(),
            "features": self._flattened(features),
            "jit": True,
        }

    @staticmethod
    def _flattened(features: Any) -> str:
        wanted = features.flatten()
        # 512-bit registers are used only on request: the code says how wide its vectors are
        return wanted + ",-prefer-256-bit" if features.get("avx512f", False) else wanted

    def target(self, optimisation: int) -> Any:
        return llvm.Target.from_triple(self.triple).create_target_machine(opt=optimisation, **self._options)


@cache
def machine() -> Machine:
    """The host, asked once."""
    return Machine()


class Code:
    """Machine code of LLVM IR text; `address(name)` of a function stays valid as long as this object lives.

    passes  0 leaves the IR as it is (straight-line code has nothing left to gain), 1–3 run LLVM's optimiser
    keep    what must live as long as the code, because it reads their memory
    """

    def __init__(self, text: str, *, passes: int = 0, optimisation: int = 2, keep: Any = None) -> None:
        self._kept = keep
        self._addresses: dict[str, int] = {}
        target = machine().target(optimisation)
        module = llvm.parse_assembly(text)
        module.triple = machine().triple
        module.data_layout = str(target.target_data)
        if passes:
            builder = llvm.create_pass_builder(target, llvm.create_pipeline_tuning_options(speed_level=passes))
            builder.getModulePassManager().run(module, builder)
        self._engine = llvm.create_mcjit_compiler(module, target)
        self._engine.finalize_object()

    def address(self, name: str) -> int:
        """Of a function; zero if there is none of that name."""
        if name not in self._addresses:
            self._addresses[name] = self._engine.get_function_address(name)
        return self._addresses[name]

    def function(self, name: str, result: Any, *arguments: Any) -> Any:
        """The function as a ctypes callable; the code is kept alive with it."""
        call = ctypes.CFUNCTYPE(result, *arguments)(self.address(name))
        call.code = self  # type: ignore[attr-defined]
        return call
