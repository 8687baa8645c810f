"""A task of a large system as machine code: kernels of its kinds, the loops, and what they are told."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from zeromass.compile import cache as kept
from zeromass.compile import ir
from zeromass.compile.module import library, with_reciprocals
from zeromass.compile.rolled.fronts import Tables
from zeromass.compile.rolled.kernel import Kernel
from zeromass.compile.rolled.layout import Blocks, Layout
from zeromass.compile.rolled.loops import Loops
from zeromass.compile.rolled.plan import ROUTINES, Plan, Tile
from zeromass.compile.rolled.shapes import Shape
from zeromass.compile.rolled.tiles import Tiles, tiles_of
from zeromass.compile.rolled.unrolled import Unrolled
from zeromass.compile.straight import Flavour
from zeromass.compile.target import BEST, Code, Target
from zeromass.expression import Symbol

CACHE = 1 << 24
"""Bytes that the values of an evaluation may take, 16 MiB: part of the last cache of a processor."""

FEWEST = 4
"""Lanes that are used in any case: half as many take as long, however much memory there is."""

LINE = 64
"""Bytes of a line of the cache."""

GUARD = 1e-9
"""Part of what its pivot is made of below which a row of constraints follows from those before it."""


@cache
def loops(target: Target) -> Code:
    """The loops as machine code, the same for all systems."""

    def text() -> str:
        module = ir.Module("rolled")
        Loops(module, target)
        if target.width == 1:
            Loops(module, target, GUARD)
        return str(module) + _ENTER

    origin = kept.digest(__name__, repr(GUARD), kept.sources("compile") or "")
    return Code(text, target, origin=origin, effort=BEST)


@cache
def unrolled(shape: Shape, target: Target) -> Code:
    """The functions of a shape as machine code, the same for all systems."""

    def text() -> str:
        module = ir.Module("front")
        Unrolled(module, target, shape)
        return str(module)

    return Code(text, target, origin=kept.digest(shape.name, kept.sources("compile") or ""), effort=BEST)


_ENTER = """
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @enter(ptr %plan, ptr %t, ptr %y, ptr %p, ptr %slopes, ptr %growth) {
  %m = load i64, ptr %plan
  %memory = inttoptr i64 %m to ptr
  %b0 = getelementptr i64, ptr %plan, i64 1
  %b1 = load i64, ptr %b0
  %busy = inttoptr i64 %b1 to ptr
  %old = cmpxchg ptr %busy, i64 0, i64 1 acquire monotonic
  %free = extractvalue {i64, i1} %old, 1
  br i1 %free, label %own, label %other
own:
  call void @evaluate(ptr %plan, ptr %memory, ptr %t, ptr %y, ptr %p, ptr %slopes, ptr %growth)
  store atomic i64 0, ptr %busy release, align 8
  ret void
other:
  %s0 = getelementptr i64, ptr %plan, i64 2
  %size = load i64, ptr %s0
  %f0 = getelementptr i64, ptr %plan, i64 3
  %fixed = load i64, ptr %f0
  %new = call ptr @malloc(i64 %size)
  call void @llvm.memcpy.p0.p0.i64(ptr %new, ptr %memory, i64 %fixed, i1 false)
  call void @evaluate(ptr %plan, ptr %new, ptr %t, ptr %y, ptr %p, ptr %slopes, ptr %growth)
  call void @free(ptr %new)
  ret void
}
"""
"""Two threads may evaluate one program at a time: the second takes memory of its own."""


class Machine:
    """One task, "motion", "positions" or "velocities", in lanes.

    code  machine code of `rhs`, or of a correction by the name of the task
    """

    def __init__(
        self,
        layout: Layout,
        blocks: Blocks,
        task: str,
        target: Target,
        others: Sequence[Symbol],
        firsts: np.ndarray,
        *,
        at: np.ndarray | None = None,
        tables: Tables | None = None,
        masks: np.ndarray | None = None,
        spread: bool = True,
    ) -> None:
        count = int(sum(blocks.sizes)) if tables is not None else 0
        self.size: int = layout.size + 3 * count + (0 if tables is None else tables.size)
        self.states: int = target.width
        target = _narrowed(target, self.size)
        self.layout: Layout = layout
        self.task: str = task
        self.lanes: int = target.width
        self._keep: list[Any] = []
        self._loops = loops(target)
        self.unknowns: int = layout.size
        """Place of the first unknown among the values."""
        decides = target.width == 1 and tables is not None and tables.plain is not None
        more = tables.plain.size - tables.size if decides else 0  # type: ignore[union-attr]
        self.values: np.ndarray = _aligned(self.size + 1 + more, target.width)
        for number, place in layout.constants.items():
            self.values[place] = number
        self._busy = np.zeros(1, dtype=np.int64)
        self.plan: np.ndarray = np.zeros(len(Plan), dtype=np.int64)
        kernels = _kernels(layout, task, target, others, spread, self.states)
        n = int(firsts[-1])
        plan = {
            Plan.memory: self.values.ctypes.data,
            Plan.busy: self._busy.ctypes.data,
            Plan.bytes: self.values.nbytes,
            Plan.fixed: len(layout.constants) * target.width * 8,
            Plan.count: count,
            Plan.coordinates: n,
        }
        if tables is None:
            ends = [np.array([0, len(kind)]) for kind in layout.kinds]
            plan[Plan.stages], shares = self._stages(layout, kernels, firsts, ends)
            self._tiles({Tile.stages: shares})
        else:
            assert at is not None
            assert masks is not None
            tiles = tiles_of(layout.kinds, blocks, at, tables, self.size * target.width * 8)
            plan[Plan.stages], shares = self._stages(layout, kernels, firsts, tiles.instances)
            plan |= self._eliminations(layout, tables, masks, count)
            plan[Plan.spreads], spreads = self._spreads(layout, kernels, firsts, at, tiles.instances)
            plan[Plan.spread_count] = int(spreads[-1])
            own = {Tile.stages: shares, Tile.spreads: spreads}
            plan |= self._sides(*_two(*layout.right(task, blocks, at), count), tiles, own)
            first = n if task == "motion" and target.width == 1 else 0
            plan |= {Plan.out: first, Plan.copies: first}
        self._stage_count = int(shares[-1])
        for place, value in plan.items():
            self.plan[place] = value
        self._kernels = kernels

    def _held(self, table: np.ndarray, dtype: Any) -> int:
        array = np.ascontiguousarray(table, dtype=dtype)
        array = array if array.size else np.zeros(1, dtype=dtype)
        self._keep.append(array)
        return array.ctypes.data

    def _tiles(self, ends: dict[Tile, np.ndarray]) -> None:
        """The table of tiles, from where the share of each ends."""
        count = len(next(iter(ends.values())))
        table = np.zeros((count, len(Tile)))
        for column, numbers in ends.items():
            table[:, column] = numbers
        self.plan[Plan.tiles], self.plan[Plan.tile_count] = self._held(table, np.int32), count - 1

    def _stages(
        self, layout: Layout, kernels: Code, firsts: np.ndarray, instances: Sequence[np.ndarray]
    ) -> tuple[int, np.ndarray]:
        """Kernels of elements, tile by tile, and where the share of each tile ends."""
        made = []
        for k, (kind, place) in enumerate(zip(layout.kinds, layout.places, strict=True)):
            if place.matrix or place.right[self.task]:
                whole = kernels.address(f"kind{k}"), *self._given(firsts[kind.blocks], kind.values), place.first
                made.append((whole, place.stride, instances[k]))
        return self._shared(made)

    def _spreads(
        self, layout: Layout, kernels: Code, firsts: np.ndarray, at: np.ndarray, instances: Sequence[np.ndarray]
    ) -> tuple[int, np.ndarray]:
        made = []
        for k, kind in enumerate(layout.kinds):
            if kind.name == "part":
                b = kind.blocks[:, 0]
                places = np.stack([firsts[b], self.unknowns + at[b]], axis=1)
                made.append(((kernels.address(f"spread{k}"), *self._given(places, kind.values), 0), 0, instances[k]))
        return self._shared(made)

    def _given(self, places: np.ndarray, values: np.ndarray) -> tuple[tuple[int, int], tuple[int, int]]:
        """Address of each table of a kernel, with the bytes of an instance."""
        return (self._held(places, np.int32), 4 * places.shape[1]), (self._held(values, float), 8 * values.shape[1])

    def _shared(self, made: Sequence[tuple[Any, int, np.ndarray]]) -> tuple[int, np.ndarray]:
        """Rows for the instances of each tile: the function, its tables from there on, how many, where entries begin."""
        count = len(made[0][2]) if made else 1
        width = len(made[0][0]) + 1 if made else 1
        rows, ends = [], [0]
        for t in range(1, count):
            for (function, *tables, first), stride, instances in made:
                a, b = instances[t - 1 : t + 1].tolist()
                if b > a:
                    rows.append((function, *[place + a * bytes for place, bytes in tables], b - a, first + a * stride))
            ends.append(len(rows))
        return self._held(np.array(rows, dtype=np.int64).reshape(-1, width), np.int64), np.array(ends)

    def _eliminations(self, layout: Layout, tables: Tables, masks: np.ndarray, count: int) -> dict[Plan, int]:
        self.kept: np.ndarray = np.zeros(count)
        self.masks: np.ndarray = np.ascontiguousarray(masks, dtype=float)
        first, self._tables = self.unknowns, tables
        return {
            Plan.fronts: self._held(tables.fronts, np.int32),
            Plan.front_count: len(tables.fronts),
            Plan.shapes: self._shapes(tables.shapes),
            Plan.unknowns: self._held(tables.unknowns, np.int32),
            Plan.slots: self._held(tables.slots, np.int32),
            Plan.beside: self._held(tables.beside, np.int32),
            Plan.entries: self._held(tables.others, np.int32),
            Plan.entry_count: len(tables.others),
            Plan.masks: self.masks.ctypes.data,
            Plan.kept: self.kept.ctypes.data,
            Plan.solution: first,
            Plan.residual: first + count,
            Plan.sizes: first + 2 * count,
            Plan.change: first + 2 * count,  # sizes are computed anew after it
        }

    def _sides(
        self, right: np.ndarray, beside: np.ndarray, tiles: Tiles, ends: dict[Tile, np.ndarray]
    ) -> dict[Plan, int]:
        """Tables of the right side, and that of tiles."""
        (touched, touched_ends), (done, done_ends) = tiles.touched, tiles.done
        place = np.empty(len(touched), dtype=np.int64)
        place[touched] = np.arange(len(touched))
        again = beside[np.argsort(place[beside[:, 0]], kind="stable")]
        self._tiles(
            ends
            | {
                Tile.touched: touched_ends,
                Tile.touched_beside: np.searchsorted(place[again[:, 0]], touched_ends),
                Tile.fronts: tiles.fronts,
                Tile.unknowns: tiles.unknowns,
                Tile.beside: np.searchsorted(beside[:, 0], tiles.unknowns),
                Tile.entries: np.searchsorted(self._tables.others[:, 0], tiles.unknowns),
                Tile.done: done_ends,
            }
        )
        return {
            Plan.right: self._held(right, np.int32),
            Plan.right_beside: self._held(beside, np.int32),
            Plan.right_beside_count: len(beside),
            Plan.touched: self._held(touched, np.int32),
            Plan.touched_beside: self._held(again, np.int32),
            Plan.done: self._held(done, np.int32),
        }

    def _shapes(self, shapes: Sequence[Shape]) -> int:
        codes = [unrolled(shape, _host(self.lanes)) for shape in shapes]
        self._keep.append(codes)
        rows = [
            [made.address(f"{name}_{shape.name}") for name in ROUTINES]
            for made, shape in zip(codes, shapes, strict=True)
        ]
        return self._held(np.array(rows, dtype=np.int64).reshape(-1, len(ROUTINES)), np.int64)

    # calls -----------------------------------------------------------------------------------------------------------
    def code(self, name: str) -> Code:
        """`name(t, y, parameters, result)`, with the growth and the pivots behind it for "rhs"."""
        return Code(self._entrance(name), _host(self.states), keep=self)

    @staticmethod
    def together(machines: Sequence[Machine]) -> Code:
        """One piece of code with functions by the names of their tasks."""
        return Code("".join(one._entrance(one.task) for one in machines), _host(1), keep=list(machines))

    def _entrance(self, name: str) -> str:
        T = "double" if self.lanes == 1 else f"<{self.lanes} x double>"
        rhs = name == "rhs"
        given = "ptr %t, ptr %y, ptr %p, ptr %s" + (", ptr %g, ptr %v" if rhs else "")
        growth = "" if rhs else f"  %g = alloca {T}\n"
        enter, plan = self._loops.address("enter"), self.plan.ctypes.data
        calls = []
        for k in range(0, self.states, self.lanes):  # some of the states at a time, where all would not fit the cache
            moved = [f"  %{x}{k} = getelementptr double, ptr %{x}, i64 {k}\n" for x in "typsg"]
            arguments = ", ".join(f"ptr %{x}{k}" for x in "typsg")
            calls.append("".join(moved) + f"  call void %f(ptr %plan, {arguments})\n")
        return (
            f"define void @{name}({given}) {{\n{growth}  %f = inttoptr i64 {enter} to ptr\n"
            f"  %plan = inttoptr i64 {plan} to ptr\n{''.join(calls)}  ret void\n}}\n"
        )

    def __call__(self, t: float, y: np.ndarray, parameters: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
        """Results at one state, the same in every lane, and the growth."""
        return self._called("enter", t, y, parameters, size)

    def only_elements(self, t: float, y: np.ndarray, parameters: np.ndarray) -> None:
        """Entries of the elements at one state, and nothing more."""
        saved = self.plan.copy()
        alone = np.zeros((2, len(Tile)), dtype=np.int32)
        alone[1, Tile.stages] = self._stage_count
        self.plan[[Plan.tiles, Plan.tile_count]] = alone.ctypes.data, 1
        self.plan[Plan.copies] = 0
        self._called("enter", t, y, parameters, 1)
        self.plan[:] = saved

    def decide(self, t: float, y: np.ndarray, parameters: np.ndarray) -> np.ndarray:
        """Which unknowns are kept: 0 for multipliers whose rows follow from others."""
        plain = self._tables.plain
        saved = self.plan.copy()
        if plain is not None:
            for place, table in ((Plan.fronts, plain.fronts), (Plan.slots, plain.slots), (Plan.beside, plain.beside)):
                self.plan[place] = table.ctypes.data
        self._called("decide", t, y, parameters, len(y))
        self.plan[:] = saved
        return self.kept.copy()

    def _called(
        self, name: str, t: float, y: np.ndarray, parameters: np.ndarray, size: int
    ) -> tuple[np.ndarray, np.ndarray]:
        inputs = [np.repeat(x, self.states) for x in (np.array([t]), y, np.append(parameters, 0.0))]
        slopes, growth = np.zeros((size, self.states)), np.zeros(self.states)
        first = [self.plan.ctypes.data] + ([self.values.ctypes.data] if name == "decide" else [])
        call = self._loops.function(name, None, *[ctypes.c_void_p] * (5 + len(first)))
        call(*first, *[x.ctypes.data for x in (*inputs, slopes, growth)])
        return slopes, growth


def _narrowed(target: Target, size: int) -> Target:
    """Fewer lanes where the values of all would not fit into the cache: then memory would set the pace."""
    lanes = target.width
    while lanes > FEWEST and size * lanes * 8 > CACHE:
        lanes //= 2
    return target.lanes(lanes)


def _aligned(size: int, lanes: int) -> np.ndarray:
    """Zeros, shape (size, lanes), that begin where lines of the cache do: lanes that cross them cost twice."""
    whole = np.zeros(size * lanes + LINE // 8)
    first = -whole.ctypes.data % LINE // 8
    return whole[first : first + size * lanes].reshape(size, lanes)


def _host(lanes: int) -> Target:
    from zeromass.compile.target import host

    return host().lanes(lanes)


def _two(unknown: np.ndarray, place: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Two places for each unknown, and (unknown, place) of those that have more."""
    sort = np.argsort(unknown, kind="stable")
    unknown, place = unknown[sort], place[sort]
    rank = np.arange(len(unknown)) - np.searchsorted(unknown, unknown)
    table = np.zeros((count, 2), dtype=np.int64)
    for k in range(2):
        table[unknown[rank == k], k] = place[rank == k]
    return table, np.stack([unknown[rank >= 2], place[rank >= 2]], axis=1)


def _kernels(layout: Layout, task: str, target: Target, others: Sequence[Symbol], spread: bool, apart: int) -> Code:
    """Machine code of the kernels of all kinds."""
    flavour = Flavour(target.width, target.fused)
    made: list[Kernel] = []
    for k, (kind, place) in enumerate(zip(layout.kinds, layout.places, strict=True)):
        outputs = with_reciprocals([*place.matrix, *place.right[task]])
        if outputs:
            made.append(
                Kernel(
                    f"kind{k}", kind.groups, kind.constants, others, outputs, flavour, stride=place.stride, apart=apart
                )
            )
        if spread and kind.name == "part":
            equations = kind.equations(task)
            outputs = with_reciprocals(list(equations.spread))
            made.append(
                Kernel(
                    f"spread{k}",
                    kind.groups,
                    kind.constants,
                    others,
                    outputs,
                    flavour,
                    unknown=equations.unknown,
                    apart=apart,
                )
            )
    calls = tuple(sorted(set().union(*[kernel.calls for kernel in made]))) if made else ()
    grids = {name: entry for kernel in made for name, entry in kernel.grids.items()}
    body = "\n".join(kernel.text for kernel in made)
    text, keep, cached = library(body, calls, grids, flavour, target)
    origin = kept.digest(body, *calls, kept.sources("compile") or "") if cached else None
    return Code(text, target, origin=origin, effort=1, keep=keep)
