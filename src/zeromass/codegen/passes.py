"""LLVM's passes over a module: functions are copied to where they are called, variables come into registers."""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm

from zeromass.codegen.cuda import is_cuda
from zeromass.codegen.target import Target

SMALL = 5
"""LLVM's bound on what a copy of a function may cost: about what a call does."""


def optimised(
    parts: list[str], target: Target, inlined: tuple[str, ...], effort: int = 3, *, small: bool = False
) -> tuple[Any, Any]:
    """One module of LLVM's from texts of IR, and its compiler; the functions named are copied to where they are called.

    Loops stay loops: what is to be unrolled is written out. small: others are copied only where that makes less code.
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
    if small:
        tuning.inlining_threshold = SMALL
    builder = llvm.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(module, builder)
    return module, machine


def _parsed(text: str, target: Target, machine: Any) -> Any:
    module = llvm.parse_assembly(text)
    module.triple, module.data_layout = target.triple, str(machine.target_data)
    return module
