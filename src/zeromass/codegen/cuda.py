"""Graphics cards as a target: PTX, the text that the driver of every NVIDIA card assembles for itself."""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm

from zeromass.codegen.target import Target, host

TRIPLE = "nvptx64-nvidia-cuda"

GENERIC, GLOBAL, SHARED, CONSTANT = 0, 1, 3, 4
"""Address spaces: anywhere, the card's memory, the memory that the threads of a block share, and that of constants."""


def cuda() -> Target:
    """Cards since Turing: one value a thread, and a·b + c one instruction exactly where it is one on this machine.

    So a thread goes through the operations that a lane of this machine goes through, and ends with the same bits.
    """
    return Target(TRIPLE, "sm_75", "+ptx70", width=1, fused=host().fused, convention="")


def is_cuda(target: Target) -> bool:
    return target.triple == TRIPLE


def optimised(parts: list[str], target: Target, inlined: tuple[str, ...], effort: int = 3) -> tuple[Any, Any]:
    """One module of LLVM's from texts of IR, and its compiler; the functions named are copied to where they are called.

    Loops stay loops: what is to be unrolled is written out.
    """
    if is_cuda(target):
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
    machine = target.machine(effort)
    module, *others = [_parsed(text, target, machine) for text in parts]
    for other in others:
        module.link_in(other)
    for name in inlined:
        function = module.get_function(name)
        function.linkage = "internal"
        function.add_function_attribute("alwaysinline")
    tuning = llvm.create_pipeline_tuning_options(speed_level=effort)
    tuning.loop_unrolling = tuning.loop_vectorization = tuning.slp_vectorization = tuning.loop_interleaving = False
    builder = llvm.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(module, builder)
    return module, machine


def _parsed(text: str, target: Target, machine: Any) -> Any:
    module = llvm.parse_assembly(text)
    module.triple, module.data_layout = target.triple, str(machine.target_data)
    return module
