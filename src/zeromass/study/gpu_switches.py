"""Members over switches on a graphics card: in each thread the driver, with its memory on the thread's stack.

    template ─► a copy in each thread ─► members, one after another, from a queue

Kernels, stepping method and memory are those of the host, so that a member ends with the same bits. Members that the driver
does not bring to their end, or for which a thread has too little room, are left to the host.
"""

from __future__ import annotations

import threading
from functools import cached_property

import numpy as np

from zeromass.codegen import ir
from zeromass.codegen.cuda import cuda, is_cuda
from zeromass.codegen.passes import optimised
from zeromass.codegen.target import Target
from zeromass.compile.module import Groups, text_of
from zeromass.expression import Expression, Grid
from zeromass.expression.build import ZERO
from zeromass.integrate.hybrid.crossing import has_events
from zeromass.integrate.hybrid.derivatives import (
    Slopes,
    derivative_functions,
    derivative_slopes,
    derivative_text,
    known_orders,
)
from zeromass.integrate.hybrid.driver import functions_in_piece, select_in_piece
from zeromass.integrate.hybrid.export import FUNCTIONS, image_of
from zeromass.integrate.hybrid.jumps import jump_formulas
from zeromass.integrate.hybrid.members import Members, move_member
from zeromass.integrate.hybrid.memory import CAPACITY, COUNTS
from zeromass.integrate.hybrid.methods import Dop853Memory
from zeromass.integrate.hybrid.motion import Driver
from zeromass.integrate.hybrid.tables import switch_formulas
from zeromass.integrate.hybrid.vanishing import length_formulas
from zeromass.integrate.methods.dop853.inside import Dop853Inside
from zeromass.integrate.methods.dop853.kernel import Dop853Advance
from zeromass.integrate.stepping.kernel import Project
from zeromass.integrate.stepping.step_functions import functions_at
from zeromass.kernel.image import Block
from zeromass.kernel.language import Ints, kernel
from zeromass.kernel.language import text_of as kernels_of
from zeromass.kernel.structs import fields
from zeromass.study.gpu_driver import Card, Stream, packed

STEPS, TURNS, CHANGES = 256, 8, 2048
"""Steps of a piece, places in a step where functions turn, and switches of a motion, for which a thread has room."""

THREADS = 128
"""Of a block."""

STACK = 1 << 14
"""Bytes of a thread's stack beside its memory."""

ENTRY = "move_members"

PARTS = ("motion", "switches", "inside_steps", "roots_of_functions", "roots_of_rates", "fractions")
"""Names of the arguments of `move_member` in the memory of a thread."""


@kernel
def copy_block(template: Ints, addresses: Ints, base: int, block: Ints) -> None:
    """A block of memory as in a template, with its addresses, which count from its beginning there."""
    block[:] = template
    for k in range(len(addresses)):
        block[addresses[k]] += base


class SwitchedThreads:
    """Motions of one program over switches on a card.

    like  a driver that has taken up one of these motions on the host
    """

    def __init__(self, like: Driver) -> None:
        self._driver = driver = like.copy()
        self._lock = threading.Lock()
        self._slopes: Slopes = derivative_slopes(driver.pieces, driver.program)
        driver.w.orders[:] = known_orders(driver.pieces, self._slopes)
        _limit_memory(driver)
        self.block: Block = _block(driver)

    @cached_property
    def serves(self) -> bool:
        """Whether threads can drive these motions: by the method of Dormand and Prince, of formulas without tables."""
        return isinstance(self._driver.memory, Dop853Memory) and not self._system(cuda())[1]

    @property
    def stack(self) -> int:
        """Bytes that a thread needs."""
        return self.block.words.nbytes + STACK

    def move(self, members: Members) -> None:
        """Moves members as far as it can: `counts` says which have come to their end."""
        card = Card.first()
        card.reserve_stack(self.stack)
        with self._lock:  # LLVM writes it once
            kernel = card.kernel(self.text, ENTRY, THREADS, 0)
        stream = Stream(card)
        names = ("t", "y", "values", "ends", "growth", "counts")
        columns = {name: stream.memory(getattr(members, name)) for name in names}
        table = members.image.copy()
        for name, memory in columns.items():
            table[fields(Members)[name][1]] = memory.address.value
        given = [stream.memory(x) for x in (self.block.words, self.block.addresses, table, np.zeros(1, dtype=np.int64))]
        template, addresses, all, queue = (memory.address for memory in given)
        kernel(stream, *packed([template, addresses, len(self.block.addresses), all, queue, len(members.t)]))
        for name in ("ends", "growth", "counts"):
            stream.read(columns[name], getattr(members, name))
        members.next = len(members.t)

    @cached_property
    def text(self) -> str:
        """In PTX; with more effort it takes three times as long to write, and longer to assemble."""
        module, machine = optimised(self.parts(cuda()), cuda(), (), 1)
        return machine.emit_assembly(module)

    def parts(self, target: Target) -> list[str]:
        """LLVM IR for a target; where that is no card, one thread moves all members."""
        module = ir.Module("steps")
        for routine in (Dop853Advance, Dop853Inside, Project):
            routine.emit(module, target)
        called = (move_member, copy_block, functions_at, functions_in_piece, select_in_piece)
        entry = _entry(self.block, len(self._driver.method.places), card=is_cuda(target))
        system, _ = self._system(target)
        derivative = derivative_text(self._slopes, 1 + self._driver.order)
        return [kernels_of(*called, target=target), str(module), system, derivative, entry]

    def _system(self, target: Target) -> tuple[str, tuple[Grid, ...]]:
        """The functions of the system as LLVM IR, and the tables that they read."""
        driver, program = self._driver, self._driver.program
        groups: Groups = program.inputs
        slopes, n = [*program.system.rates, *program.acceleration], len(program.system.coordinates)
        functions: dict[str, tuple[Groups, Groups]] = {
            "rhs": (groups, [slopes, [program.growth], list(program.native.telling)]),
            "event": (groups, [program.zeros(driver.events)]),
        }
        for name in ("positions", "velocities"):
            functions[name] = groups, [list(program.corrections.get(name, [ZERO] * n))]
        functions |= {FUNCTIONS[k]: (groups, some) for k, some in switch_formulas(driver.pieces, program).items()}
        functions |= {name: (groups, [some]) for name, some in _jumps_and_lengths(driver)}
        functions |= {name: (groups, [some]) for name, some in derivative_functions(self._slopes).items()}
        return text_of(functions, target)


def _jumps_and_lengths(driver: Driver) -> list[tuple[str, list[Expression]]]:
    """Functions of what jumps at switches, and of lengths that may vanish, where there are any."""
    jumps = [e for some in jump_formulas(driver.pieces) for e in some]
    found = [("jump_values", jumps), ("directions", length_formulas(driver.program))]
    return [(name, formulas) for name, formulas in found if formulas]


def _limit_memory(driver: Driver) -> None:
    """Limits the memory of a driver to what a thread has room for."""
    work, m = driver.work, driver.m
    driver.make_searches(TURNS)
    work.record = np.zeros((STEPS, work.record.shape[1]))
    work.ints[CAPACITY] = STEPS
    m.log, m.counts = np.zeros((2, m.log.shape[1])), np.zeros(2 * COUNTS, dtype=np.int64)
    m.flips, m.dips.t = np.zeros(CHANGES), np.zeros(STEPS + 1)
    rows = len(driver.roots.times) + len(m.cause) + 1 if has_events(m) else 1
    m.occurred = np.zeros((rows, m.occurred.shape[1]))
    driver.memory.tell(m)


def _block(driver: Driver) -> Block:
    """The memory of a driver, as a thread takes it."""
    image = image_of(driver)
    parts = (driver.m, driver.w, driver.step, driver.roots, driver.low, driver.method.places)
    image.add("inside_steps", driver.step)
    for name, part in zip(PARTS, parts, strict=True):
        if part is not driver.step:
            image.add(name, part)
    return image.block()


def _entry(block: Block, fractions: int, *, card: bool) -> str:
    """`move_members(template, addresses, how many, members, next, count)`: a thread, until no member is left."""
    size = len(block.words)
    lines = [f'declare void @"{name}"()' for name in dict.fromkeys(block.functions.values())]
    lines += [
        "declare void @copy_block(ptr, i64, ptr, i64, i64, ptr, i64)",
        f"declare void @move_member(ptr, i64, {'ptr, ' * len(PARTS)}i64)",
        f"define {'ptx_kernel ' if card else ''}void @{ENTRY}"
        "(ptr %template, ptr %addresses, i64 %many, ptr %all, ptr %next, i64 %count) {",
        f"  %block = alloca [{size} x i64], align 16",
        "  %base = ptrtoint ptr %block to i64",
        f"  call void @copy_block(ptr %template, i64 {size}, ptr %addresses, i64 %many, i64 %base, ptr %block, i64 {size})",
    ]
    for k, name in block.functions.items():
        lines += [f"  %to.{k} = getelementptr i64, ptr %block, i64 {k}", f'  store ptr @"{name}", ptr %to.{k}']
    lines += [f"  %{name} = getelementptr i64, ptr %block, i64 {block.places[name]}" for name in PARTS]
    return "\n".join(
        [
            *lines,
            "  br label %turn",
            "turn:",
            "  %k = atomicrmw add ptr %next, i64 1 monotonic",
            "  %left = icmp slt i64 %k, %count",
            "  br i1 %left, label %member, label %none",
            "member:",
            f"  call void @move_member(ptr %all, i64 %k, {', '.join(f'ptr %{name}' for name in PARTS)}, i64 {fractions})",
            "  br label %turn",
            "none:",
            "  ret void",
            "}",
        ]
    )
