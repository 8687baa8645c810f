"""The kernel of a program as text: PTX for a card, and the same code for this machine, to look at it without one."""

from __future__ import annotations

import ctypes
from functools import cached_property
from typing import Any, NamedTuple

import llvmlite.binding as llvm
import numpy as np

from zeromass.codegen import ir
from zeromass.codegen.cuda import is_cuda
from zeromass.codegen.passes import optimised
from zeromass.codegen.target import Target, host
from zeromass.compile.module import text_of
from zeromass.compile.quotients import without_branches
from zeromass.expression import symbols
from zeromass.model import ModelError
from zeromass.study.gpu_kernel import Dop853Threads
from zeromass.study.gpu_layout import SETTINGS, Block, Cell, Motion, Row
from zeromass.study.lanes import Lanes


def motion_of(lanes: Lanes, recording: bool) -> Motion:
    """What the members of lanes do."""
    p = lanes.program
    corrections = tuple(p.corrections) if lanes.settings.project else ()
    seen = set(symbols([*p.acceleration, p.growth, *p.native.telling]))
    felt = frozenset(i for i, x in enumerate([*p.system.coordinates, *p.system.rates]) if x in seen)
    return Motion(Row(lanes.places), tuple(event.direction for event in lanes.events), corrections, recording, felt)


class Written(NamedTuple):
    """The kernel in LLVM's language, and what it was written for.

    parts    itself, and the functions of the program, by their names `inlined`
    """

    parts: tuple[str, str]
    inlined: tuple[str, ...]
    motion: Motion
    block: Block
    target: Target


def written(lanes: Lanes, motion: Motion, block: Block, target: Target) -> Written:
    """The kernel of a program for a target."""
    p = lanes.program
    functions = {"rhs": (p.inputs, [list(p.acceleration), [p.growth], list(p.native.telling)])}
    functions |= {name: (p.inputs, [list(p.corrections[name])]) for name in motion.corrections}
    if lanes.events:
        functions["event"] = (p.inputs, [p.zeros(lanes.events)])
    text, grids = text_of(functions, target)
    if grids:
        raise ModelError(
            "on='gpu': the system has a function that is given by numbers on a grid, which stand in the memory of this "
            "computer; use on='cores'"
        )
    module = ir.Module(Dop853Threads.name)
    Dop853Threads(module, target, motion, block)
    main = str(module)
    if is_cuda(target):  # functions are copied, constants read and not copied, but for what is needed seldom
        text = "\n".join(line if " cold" in line else line.replace(" noinline", "") for line in text.split("\n"))
        main = main.replace("addrspace(4) global", "addrspace(4) externally_initialized global")
        main, text = without_branches(main), without_branches(text)
    return Written((main, text), tuple(functions), motion, block, target)


def ptx(text: Written) -> str:
    """The kernel as the text that the driver of a card assembles."""
    module, machine = optimised(list(text.parts), text.target, text.inlined)
    return machine.emit_assembly(module)


class HostKernel:
    """The kernel as machine code of this computer: one thread, which takes all members one after the other."""

    def __init__(self, lanes: Lanes, motion: Motion, block: Block | None = None) -> None:
        self._block = block or Block.of(lanes.places, 10**6, 1)
        self._text = written(lanes, motion, self._block, host().scalar)

    @cached_property
    def _engine(self) -> Any:
        text = self._text
        module, machine = optimised(list(text.parts), text.target, text.inlined)
        engine = llvm.create_mcjit_compiler(module, machine)
        engine.finalize_object()
        return engine

    def __call__(self, table: np.ndarray, settings: np.ndarray, record: np.ndarray) -> int:
        """Moves the members of a table, in place; how many steps there were to record."""
        queue = np.zeros(2, dtype=np.int64)
        slots = np.zeros(Cell.COUNT * max(self._block.shared, 1))
        pointer, number = ctypes.c_void_p, ctypes.c_int64
        kinds = [pointer, number, pointer, pointer, pointer, number, *[ctypes.c_double] * len(SETTINGS), pointer]
        call = ctypes.CFUNCTYPE(None, *kinds)(self._engine.get_function_address(Dop853Threads.name))
        at = queue.ctypes.data
        call(
            table.ctypes.data,
            len(table),
            at,
            record.ctypes.data,
            at + 8,
            len(record),
            *settings.tolist(),
            slots.ctypes.data,
        )
        return int(queue[1])
