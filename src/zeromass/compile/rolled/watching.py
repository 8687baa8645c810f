"""Machine code of the functions that tell where a large system goes over from one piece to the next: by kinds, in lanes.

    void name(t, y, parameters, values)

The motion is evaluated first, in memory of the call; then kernels of functions of equal structure, with q̈ and the
multipliers of what holds as further inputs. Which of them are told is a table: the code is the same whatever holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from zeromass.codegen.target import FIRST, Code, Target, host
from zeromass.compile.module import assembled, code, compiled, with_reciprocals
from zeromass.compile.repeated import repeated
from zeromass.compile.rolled.elements import OWN
from zeromass.compile.rolled.kernel import Kernel
from zeromass.compile.rolled.kernel_groups import kernel_groups
from zeromass.compile.rolled.structure import Structure
from zeromass.compile.rolled.template import fresh
from zeromass.compile.straight import Flavour
from zeromass.expression import Expression, Symbol, rate, symbols, t
from zeromass.model import ModelError

if TYPE_CHECKING:
    from zeromass.compile.program import Program
    from zeromass.compile.rolled.native import RolledNative


class Group(NamedTuple):
    """Functions that belong together, as those of one switch: on which blocks, multipliers and parameters they depend."""

    functions: tuple[Expression, ...]
    blocks: tuple[int, ...]
    own: tuple[int, ...]


class Watching:
    """Functions of a large system, which may depend on accelerations and on the multipliers of all its rows.

    functions  those that belong together; each is the same expression where it is asked for
    more       numbers that they depend on besides, which stand behind the multipliers
    """

    def __init__(
        self, structure: Structure, functions: Sequence[Sequence[Expression]], more: Sequence[Symbol] = ()
    ) -> None:
        self._structure = structure
        system, elements = structure.system, structure.elements
        parts = len(elements.blocks)
        self._others: list[Symbol] = [*system.multipliers, *more]
        self._where = dict(elements.where)
        self._where |= {λ.token: (parts + i, 0) for i, λ in enumerate(self._others)}
        self._groups = [self._group(some) for some in functions]
        self.places: dict[Expression, int] = {}
        """Of each function among all values."""
        self._kinds: list[tuple[list[list[Symbol]], list[Symbol], list[Symbol], list[Expression], np.ndarray]] = []
        self.tables: list[tuple[np.ndarray, np.ndarray, int]] = []
        """Of each kernel: where blocks stand, constants, and where its values begin."""
        self.instances: list[tuple[int, int]] = [(-1, -1)] * len(self._groups)
        """Of each of those that belong together the kernel, and which of its instances they are."""
        self.count: int = 0
        numbers = {id(group): i for i, group in enumerate(self._groups)}
        bodies = [block.part for block in elements.blocks]
        shared = kernel_groups(self._where, self._groups, lambda g: [*g.functions], self._types, bodies)[False]
        for members, formulas, columns, values, _ in shared:
            one = members[0]
            places = np.array([self._firsts(group) for group in members], dtype=np.int32).reshape(len(members), -1)
            own = [system.parameters[OWN - b] for b in one.own]
            self._kinds.append((self._symbols(one), columns, own, with_reciprocals(formulas), places))
            self.tables.append((places, np.ascontiguousarray(values, dtype=float), self.count))
            for k, group in enumerate(members):
                self.instances[numbers[id(group)]] = len(self._kinds) - 1, k
                first = self.count + k * len(formulas)
                self.places |= {e: first + i for i, e in enumerate(group.functions)}
            self.count += len(formulas) * len(members)
        self._codes: dict[int, tuple[Code, Code, list[object]]] = {}
        self._all: dict[int, Code] = {}

    def _group(self, functions: Sequence[Expression]) -> Group:
        found = {self._where[leaf.token][0] for leaf in symbols(list(functions))}
        own = tuple(sorted((b for b in found if b <= OWN), reverse=True))
        return Group(tuple(functions), tuple(sorted(b for b in found if b >= 0)), own)

    def _types(self, group: Group) -> tuple[object, ...]:
        blocks = self._structure.elements.blocks
        return tuple(type(blocks[b].part).__name__ if b < len(blocks) else "multiplier" for b in group.blocks)

    def _firsts(self, group: Group) -> list[int]:
        """Where blocks and multipliers stand among (q, q̇, q̈, λ), and the places of own parameters."""
        blocks, n = self._structure.elements.blocks, len(self._structure.system.coordinates)
        found = [blocks[b].first if b < len(blocks) else 3 * n + b - len(blocks) for b in group.blocks]
        return [*found, *[OWN - b for b in group.own]]

    def _symbols(self, group: Group) -> list[list[Symbol]]:
        blocks, found = self._structure.elements.blocks, []
        for b in group.blocks:
            if b < len(blocks):
                q = np.array(blocks[b].coordinates, dtype=object)
                found.append([*q, *rate(q), *rate(rate(q))])
            else:
                found.append([self._others[b - len(blocks)], fresh("o", 0.0), fresh("o", 0.0)])
        return found

    def code(self, name: str, asked: Sequence[Expression], lanes: int) -> Code:
        """Machine code of some of the functions, and of others that depend on no multipliers of what holds."""
        others = [e for e in asked if e not in self.places]
        table = [self.places[e] if e in self.places else self.count + others.index(e) for e in asked]
        return self._code(name, table, others, lanes)

    def _code(self, name: str, table: Sequence[int], others: list[Expression], lanes: int) -> Code:
        motion, kernels, keep = self._made(lanes)
        n, rows = len(self._structure.system.coordinates), len(self._structure.system.rows)
        calls, first = [], n if lanes == 1 else 2 * n
        for k, (places, values, out) in enumerate(self.tables):
            calls.append(
                f"  %f{k} = inttoptr i64 {kernels.address(f'watch{k}')} to ptr\n"
                f"  call void %f{k}(ptr %w, ptr %t, ptr %memory, ptr %p, ptr null, {_pointer(places)}, "
                f"{_pointer(values)}, i64 {len(places)}, i64 {out}, i64 {n})\n"
            )
        if others:
            inside = code({"inside": (self._inputs, [others])}, host().lanes(lanes), effort=FIRST)
            keep = [*keep, inside]
            calls.append(
                f"  %inside = inttoptr i64 {inside.address('inside')} to ptr\n"
                f"  %to = getelementptr double, ptr %w, i64 {self.count * lanes}\n"
                f"  %a = getelementptr double, ptr %memory, i64 {2 * n * lanes}\n"
                f"  %l = getelementptr double, ptr %memory, i64 {3 * n * lanes}\n"
                "  call void %inside(ptr %t, ptr %y, ptr %p, ptr %a, ptr %l, ptr %to)\n"
            )
        told = np.array(table, dtype=np.int64)
        text = _TEXT.format(
            T="double" if lanes == 1 else f"<{lanes} x double>",
            name=name,
            bytes=8 * lanes * (3 * n + rows + 1 + self.count + len(others) + 1),
            state=8 * lanes * 2 * n,
            motion=motion.address("rhs"),
            slopes=first * lanes,
            growth=(3 * n + rows) * lanes,
            values=(3 * n + rows + 1) * lanes,
            calls="".join(calls),
            table=_pointer(told),
            count=len(told),
        )
        return Code(text, host().lanes(lanes), keep=[keep, told])

    @property
    def _inputs(self) -> list[list[Symbol]]:
        system = self._structure.system
        known = [[t], [*system.coordinates, *system.rates], list(system.parameters)]
        return [*known, [*system.accelerations], [*system.multipliers]]

    def _made(self, lanes: int) -> tuple[Code, Code, list[object]]:
        """The motion with its multipliers, and the kernels, made once."""
        if lanes not in self._codes:
            machine = self._structure.machine("motion", lanes, told=True)
            motion, target = machine.code("rhs"), host().lanes(lanes)
            kernels = compiled(assembled(self.kernels(target), target), target, 1)
            self._codes[lanes] = motion, kernels, [machine, motion, kernels, self]
        return self._codes[lanes]

    def kernels(self, target: Target) -> list[Kernel]:
        """The kernels for a target, which is to have some lanes."""
        flavour = Flavour(target.width, target.fused)
        return [
            Kernel(
                f"watch{k}",
                groups,
                columns,
                formulas,
                flavour,
                stride=len(formulas),
                own=own,
                orders=3,
            )
            for k, (groups, columns, own, formulas, _) in enumerate(self._kinds)
        ]

    def __call__(self, inputs: np.ndarray) -> np.ndarray:
        """All functions at arrays of states, from numbers in the order of `system.inputs`: shape (k, functions)."""
        lanes, n = host().width, len(self._structure.system.coordinates)
        if lanes not in self._all:
            self._all[lanes] = self._code("all", range(self.count), [], lanes)
        address = self._all[lanes].address("all")
        found = np.empty((len(inputs), self.count))
        for first in range(0, len(inputs), lanes):
            block = inputs[first : first + lanes]
            rows = np.concatenate([block, np.repeat(block[-1:], lanes - len(block), axis=0)])
            columns, values = np.ascontiguousarray(rows.T)[None], np.empty((1, self.count, lanes))
            repeated(address, [columns, columns[:, 1:], columns[:, 1 + 2 * n :], values])
            found[first : first + lanes] = values[0].T[: len(block)]
        return found


def check_following(formulas: np.ndarray, program: Program) -> None:
    """Raises where formulas depend on forces that constraints share, which the machine code does not compute."""
    from zeromass.compile.rolled.program import RolledProgram, check_told, sharing

    assert isinstance(program, RolledProgram)
    check_told(program, symbols(formulas))
    shared = sharing(program, formulas, program.made_at.inputs)
    if shared:
        raise ModelError(
            f"the forces of {', '.join(map(repr, shared))} are shared by constraints that repeat one another, and no "
            "formula of this large system tells how, so that they can not be watched; leave one of them out, or ask a run "
            "for them"
        )


def held_modes(program: Program, modes: Sequence[Symbol], inputs: np.ndarray) -> np.ndarray:
    """Modes of switches that hold a motion, −1 + 2β, at arrays of states: shape (k, modes)."""
    system, watching = program.system, cast("RolledNative", program.native).watching
    assert watching is not None
    values, names = watching(inputs), {leaf: k for k, leaf in enumerate(system.inputs)}
    found = np.empty((len(inputs), len(modes)))
    for i, mode in enumerate(modes):
        above, margin = system.memory["held functions"][mode]
        found[:, i] = 2 * (values[:, watching.places[above]] - inputs[:, names[margin]]) - 1
    return found


def _pointer(array: np.ndarray) -> str:
    return f"ptr inttoptr (i64 {array.ctypes.data} to ptr)"


_TEXT = """
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @{name}(ptr %t, ptr %y, ptr %p, ptr %values) {{
entry:
  %memory = call ptr @malloc(i64 {bytes})
  call void @llvm.memcpy.p0.p0.i64(ptr %memory, ptr %y, i64 {state}, i1 false)
  %slopes = getelementptr double, ptr %memory, i64 {slopes}
  %g = getelementptr double, ptr %memory, i64 {growth}
  %w = getelementptr double, ptr %memory, i64 {values}
  %motion = inttoptr i64 {motion} to ptr
  call void %motion(ptr %t, ptr %y, ptr %p, ptr %slopes, ptr %g, ptr %g)
{calls}
  %some = icmp sgt i64 {count}, 0
  br i1 %some, label %loop, label %end
loop:
  %k = phi i64 [0, %entry], [%k1, %loop]
  %ip = getelementptr i64, {table}, i64 %k
  %i = load i64, ptr %ip
  %from = getelementptr {T}, ptr %w, i64 %i
  %to_ = getelementptr {T}, ptr %values, i64 %k
  %x = load {T}, ptr %from, align 8
  store {T} %x, ptr %to_, align 8
  %k1 = add i64 %k, 1
  %more = icmp slt i64 %k1, {count}
  br i1 %more, label %loop, label %end
end:
  call void @free(ptr %memory)
  ret void
}}
"""
