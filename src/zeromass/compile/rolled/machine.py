"""A task of a large system as machine code: kernels of its kinds, the loops, and what they are told."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cached_property, partial
from typing import Any, Protocol

import numpy as np

from zeromass.codegen import cache as kept
from zeromass.codegen import ir
from zeromass.codegen.target import BEST, Code, Target, once
from zeromass.compile.module import assembled, compiled, with_reciprocals
from zeromass.compile.rolled.fronts import Tables
from zeromass.compile.rolled.kernel import Kernel
from zeromass.compile.rolled.layout import Blocks, Layout
from zeromass.compile.rolled.loops import Loops
from zeromass.compile.rolled.memory import Local, Memory, Share, everywhere, in_runs, sparing, whole
from zeromass.compile.rolled.plan import ROUTINES, Pass, Plan, Tile
from zeromass.compile.rolled.shapes import Shape
from zeromass.compile.rolled.tiles import SHARED, TILE, tiles_of
from zeromass.compile.rolled.unrolled import Unrolled
from zeromass.compile.straight import Flavour

CACHE = 1 << 24
"""Bytes that the values of an evaluation may take, 16 MiB: part of the last cache of a processor."""

FEWEST = 4
"""Lanes that are used in any case: half as many take as long, however much memory there is."""

SKIPPED = 64
"""Evaluations for which memory is not shared after one that had to be refined, as the next will; the bits are the same."""

KEPT = 6 << 20
"""Bytes of the fewest lanes, times products for each value, up to which all values are kept: by measurement, more than that
is computed again sooner than it comes from memory."""

LINE = 64
"""Bytes of a line of the cache."""

GUARD = 1e-9
"""Part of what its pivot is made of below which a row of constraints follows from those before it."""


@once
def loops(target: Target) -> Code:
    """The loops as machine code, the same for all systems."""

    def text() -> str:
        module = ir.Module("rolled")
        Loops(module, target)
        if target.width == 1:
            Loops(module, target, GUARD)
        return str(module) + _ENTER

    origin = kept.digest(__name__, repr(GUARD), kept.sources("codegen", "compile") or "")
    return Code(text, target, origin=origin, effort=BEST)


@once
def unrolled(shape: Shape, target: Target, *, again: bool = False, whole: bool = False) -> Code:
    """The functions of a shape as machine code, the same for all systems; or of one that goes through L twice."""

    def text() -> str:
        module = ir.Module("front")
        Unrolled(module, target, shape, again=again, whole=whole)
        return str(module)

    origin = kept.digest(shape.name, str(again), str(whole), kept.sources("codegen", "compile") or "")
    return Code(text, target, origin=origin, effort=BEST)


_ENTER = """
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @enter(ptr %plan, ptr %t, ptr %y, ptr %p, ptr %slopes, ptr %growth) {
  %o0 = getelementptr i64, ptr %plan, i64 4
  %o1 = load i64, ptr %o0
  %otherwise = inttoptr i64 %o1 to ptr
  %skipped = getelementptr i64, ptr %plan, i64 5
  %some = load i64, ptr %skipped
  %skip = icmp sgt i64 %some, 0
  br i1 %skip, label %less, label %begin
less:
  %fewer = sub i64 %some, 1
  store i64 %fewer, ptr %skipped
  call void @enter(ptr %otherwise, ptr %t, ptr %y, ptr %p, ptr %slopes, ptr %growth)
  ret void
begin:
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
  br label %done
other:
  %s0 = getelementptr i64, ptr %plan, i64 2
  %size = load i64, ptr %s0
  %f0 = getelementptr i64, ptr %plan, i64 3
  %fixed = load i64, ptr %f0
  %new = call ptr @malloc(i64 %size)
  call void @llvm.memcpy.p0.p0.i64(ptr %new, ptr %memory, i64 %fixed, i1 false)
  call void @evaluate(ptr %plan, ptr %new, ptr %t, ptr %y, ptr %p, ptr %slopes, ptr %growth)
  call void @free(ptr %new)
  br label %done
done:
  %g = load double, ptr %growth, align 8
  %unknown = fcmp uno double %g, %g
  %has = icmp ne i64 %o1, 0
  %again = and i1 %unknown, %has
  br i1 %again, label %ask, label %end
ask:
  store i64 SKIPPED, ptr %skipped
  call void @enter(ptr %otherwise, ptr %t, ptr %y, ptr %p, ptr %slopes, ptr %growth)
  ret void
end:
  ret void
}
""".replace("SKIPPED", str(SKIPPED))
"""Two threads may evaluate one program at a time: the second takes memory of its own.

What a plan leaves to another one is told by a growth that is not a number; the next evaluations ask that one at once.
"""


class Named(Protocol):
    """Code whose functions have addresses."""

    def address(self, name: str) -> int: ...


class Within(Protocol):
    """Where the tables and the code of a machine stand: what has an address there."""

    def held(self, array: np.ndarray) -> int:
        """Address of an array, whose numbers may still change."""
        ...

    def loops(self, target: Target) -> Named: ...

    def unrolled(self, shape: Shape, target: Target, *, again: bool = False, whole: bool = False) -> Named: ...

    def kernels(self, kernels: Sequence[Kernel], target: Target) -> Named: ...


class Here:
    """The memory of this process; see `Within`."""

    def held(self, array: np.ndarray) -> int:
        return array.ctypes.data

    def loops(self, target: Target) -> Code:
        return loops(target)

    def unrolled(self, shape: Shape, target: Target, *, again: bool = False, whole: bool = False) -> Code:
        return unrolled(shape, target, again=again, whole=whole)

    def kernels(self, kernels: Sequence[Kernel], target: Target) -> Code:
        return compiled(assembled(kernels, target), target, 1)


class Machine:
    """One task, "motion", "positions" or "velocities", in lanes.

    shared  whether tiles may share their memory where that pays, see `Memory`: then solutions that must be refined are
            found by another plan
    narrow  whether there may be fewer lanes than states
    told    (unknown, place) of multipliers that are told among the slopes, accelerations being the first; not if narrow
    within  where tables and code stand: here, unless another memory is written for
    code  machine code of `rhs`, or of a correction by the name of the task
    """

    def __init__(
        self,
        layout: Layout,
        blocks: Blocks,
        task: str,
        target: Target,
        firsts: np.ndarray,
        *,
        at: np.ndarray | None = None,
        tables: Tables | None = None,
        masks: np.ndarray | None = None,
        shared: bool = False,
        narrow: bool = True,
        told: np.ndarray | None = None,
        within: Within | None = None,
    ) -> None:
        self._within: Within = within or Here()
        self.states: int = target.width
        memory = None
        if tables is not None:
            assert at is not None
            size = layout.size + 3 * int(sum(blocks.sizes)) + tables.size
            memory = self._spared(layout, task, blocks, at, tables, size) if shared else None
            shared = memory is not None
            if memory is None:
                target = _narrowed(target, size) if narrow else target
                tiles = tiles_of(layout, blocks, at, tables, -(-size * target.width * 8 // TILE))
                memory = whole(layout, task, blocks, at, tables, tiles)
        else:
            target = _narrowed(target, layout.size)
        self.size: int = layout.size if memory is None else memory.size
        self.layout: Layout = layout
        self.task: str = task
        self.lanes: int = target.width
        self._target = target
        self._keep: list[Any] = []
        self._loops: Any = self._within.loops(target)
        self.unknowns: int = layout.size if memory is None else memory.solution
        """Place of the first unknown among the values."""
        decides = target.width == 1 and tables is not None and tables.plain is not None
        more = tables.plain.size - tables.size if decides else 0  # type: ignore[union-attr]
        self.values: np.ndarray = _aligned(self.size + 1 + more, target.width)
        for number, place in layout.constants.items():
            self.values[place] = number
        self._busy = np.zeros(1, dtype=np.int64)
        self.plan: np.ndarray = np.zeros(len(Plan), dtype=np.int64)
        kernels = self._within.kernels(_kernels(layout, task, target, self.states), target)
        self._keep.append(kernels)
        n = int(firsts[-1])
        plan = {
            Plan.memory: self._held(self.values, float),
            Plan.busy: self._held(self._busy, np.int64),
            Plan.bytes: self.values.nbytes,
            Plan.fixed: len(layout.constants) * target.width * 8,
            Plan.coordinates: n,
        }
        if memory is None:
            alone = [Share(np.arange(len(kind)), np.array([0, len(kind)])) for kind in layout.kinds]
            starts = [np.array([place.first]) for place in layout.places]
            plan[Plan.stages], shares = self._stages(layout, kernels, firsts, starts, alone, everywhere)
            self._tiles({Tile.stages: shares}, np.array([(0, Pass.through)]))
        else:
            assert masks is not None
            plan[Plan.stages], shares = self._stages(
                layout, kernels, firsts, memory.firsts, memory.instances, memory.local
            )
            plan |= self._eliminations(memory, masks)
            ends = memory.ends | self._runs(memory, plan)
            spreading = self._within.kernels(_spreading(layout, task, target, self.states), target)
            plan[Plan.spreads], spreads = self._spreads(layout, spreading, firsts, memory)
            self._keep.append(spreading)
            plan[Plan.spread_count] = int(spreads[-1])
            ends |= {Tile.stages: shares, Tile.spreads: spreads}
            if shared:
                from zeromass.compile.rolled.asking import asked  # few systems are so large

                for column, (rows, last) in asked(layout, task, firsts, memory).items():
                    plan[Plan[column.name]], ends[column] = self._held(rows, np.int32), last
            self._tiles(ends, memory.walk)
            first = n if task == "motion" and target.width == 1 else 0
            plan |= {Plan.out: first, Plan.copies: first}
            if told is not None:
                plan |= {Plan.told: self._held(told + np.array([0, first]), np.int32), Plan.told_count: len(told)}
        if shared:  # what it takes to refine a solution is not kept
            more_ = {"at": at, "tables": tables, "masks": masks, "narrow": False}
            otherwise = Machine(layout, blocks, task, target, firsts, **more_)
            self._keep.append(otherwise)
            plan[Plan.otherwise] = otherwise.plan.ctypes.data
        self._stage_count = int(shares[-1])
        for place, value in plan.items():
            self.plan[place] = value

    def _spared(
        self, layout: Layout, task: str, blocks: Blocks, at: np.ndarray, tables: Tables, size: int
    ) -> Memory | None:
        """Memory that tiles share, where that pays; None where all values are better kept."""
        tiles = tiles_of(layout, blocks, at, tables, -(-size * self.states * 8 // SHARED))
        if len(tiles.fronts) < 4:
            return None
        memory = sparing(layout, task, blocks, at, tables, tiles)
        twice = bool((memory.walk[:, 1] == Pass.again).any())
        pays = size * FEWEST * 8 > KEPT * tables.products / size
        return memory if pays or not twice else None

    def _held(self, table: np.ndarray, dtype: Any) -> int:
        array = np.ascontiguousarray(table, dtype=dtype)
        array = array if array.size else np.zeros(1, dtype=dtype)
        self._keep.append(array)
        return self._within.held(array)

    def _tiles(self, ends: dict[Tile, np.ndarray], walk: np.ndarray) -> None:
        """The table of tiles, from where the share of each ends, and how they are walked through."""
        table = np.zeros((max(2, *[len(numbers) for numbers in ends.values()]), len(Tile)))  # one tile at least
        for column, numbers in ends.items():
            table[:, column] = numbers
        self.plan[Plan.tiles] = self._held(table, np.int32)
        closed = np.append(walk, walk[-1:], axis=0)  # each row tells of the next one
        self.plan[Plan.walk], self.plan[Plan.walk_count] = self._held(closed, np.int32), len(walk)

    def _stages(
        self,
        layout: Layout,
        kernels: Named,
        firsts: np.ndarray,
        starts: Sequence[np.ndarray],
        instances: Sequence[Share],
        local: Local,
    ) -> tuple[int, np.ndarray]:
        """Kernels of elements, tile by tile, and where the share of each tile ends."""
        made = []
        for k, (kind, place) in enumerate(zip(layout.kinds, layout.places, strict=True)):
            if place.results(self.task):
                some, ends = instances[k]
                tile = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
                read = [local(layout.standing(k, b)[some], tile) for b in place.reads[self.task]]
                places = np.column_stack([firsts[kind.blocks[some]], kind.picks[some], *read])
                given = self._given(places, kind.values[some])
                made.append(((kernels.address(f"kind{k}"), *given), starts[k], ends))
        return self._shared(made, len(instances[0].ends))

    def _spreads(self, layout: Layout, kernels: Named, firsts: np.ndarray, memory: Memory) -> tuple[int, np.ndarray]:
        made = []
        for k, kind in enumerate(layout.kinds):
            if kind.name == "part":
                some, ends = memory.parts[k]
                b = kind.blocks[some, 0]
                places = np.column_stack([firsts[b], kind.picks[some], memory.solution + memory.at[b]])
                given = self._given(places, kind.values[some])
                made.append(((kernels.address(f"spread{k}"), *given), np.zeros(len(ends) - 1, dtype=np.int64), ends))
        return self._shared(made, len(memory.parts[0].ends))

    def _given(self, places: np.ndarray, values: np.ndarray) -> tuple[tuple[int, int], tuple[int, int]]:
        """Address of each table of a kernel, with the bytes of an instance."""
        return (self._held(places, np.int32), 4 * places.shape[1]), (self._held(values, float), 8 * values.shape[1])

    def _shared(self, made: Sequence[tuple[Any, np.ndarray, np.ndarray]], count: int) -> tuple[int, np.ndarray]:
        """Rows for the instances of each tile: the function, its tables from there on, how many, where entries begin.

        count  ends of tiles
        """
        width = len(made[0][0]) + 2 if made else 1
        rows, ends = [], [0]
        for t in range(1, count):
            for (function, *tables), firsts, instances in made:
                a, b = instances[t - 1 : t + 1].tolist()
                if b > a:
                    begin = [place + a * bytes for place, bytes in tables]
                    rows.append((function, *begin, b - a, int(firsts[t - 1])))
            ends.append(len(rows))
        return self._held(np.array(rows, dtype=np.int64).reshape(-1, width), np.int64), np.array(ends)

    def _eliminations(self, memory: Memory, masks: np.ndarray) -> dict[Plan, int]:
        tables, count = memory.tables, len(masks)
        again = bool((memory.walk[:, 1] == Pass.again).any())
        self.kept: np.ndarray = np.zeros(count)
        self.masks: np.ndarray = np.array(masks, dtype=float)
        self._tables = tables
        (right, right_beside), (_, touched_beside) = memory.right, memory.touched
        fronts, shapes = self._variants(tables)
        unknowns, names = tables.unknowns, memory.names
        if self.lanes > 1:
            fronts[:, 5], (unknowns, names) = _behind_pivots(fronts, (unknowns, names))
        held = {
            Plan.fronts: fronts,
            Plan.unknowns: unknowns,
            Plan.names: names,
            Plan.slots: tables.slots,
            Plan.sums: tables.sums,
            Plan.entries: tables.others,
            Plan.right: right,
            Plan.right_beside: right_beside,
            Plan.touched_beside: touched_beside,
        }
        return {name: self._held(table, np.int32) for name, table in held.items()} | {
            Plan.front_count: len(tables.fronts),
            Plan.shapes: self._shapes(shapes, again),
            Plan.entry_count: len(tables.others),
            Plan.right_beside_count: len(right_beside),
            Plan.masks: self._held(self.masks, float),
            Plan.kept: self._held(self.kept, float),
            Plan.summed: tables.summed,
            Plan.count: count,
            Plan.solution: memory.solution,
            Plan.residual: memory.residual,
            Plan.nowhere: memory.nowhere,
            Plan.left: memory.left,
            Plan.sizes: memory.sizes,
            Plan.change: memory.sizes,  # sizes are computed anew after it
        }

    def _runs(self, memory: Memory, plan: dict[Plan, int]) -> dict[Tile, np.ndarray]:
        """Unknowns that tiles touch and those that are done with them, as many at a time as follow one another."""
        slot, unknown = memory.done.T
        listed = self.masks[unknown] != 0 if self.lanes > 1 else np.ones(len(slot), dtype=bool)
        before = np.append(0, np.cumsum(listed))
        touched, touched_ends = in_runs(memory.touched[0], memory.ends[Tile.touched])
        done, done_ends = in_runs(slot[listed, None], before[memory.ends[Tile.done]])
        plan |= {Plan.touched: self._held(touched, np.int32), Plan.done: self._held(done, np.int32)}
        return {Tile.touched: touched_ends, Tile.done: done_ends}

    def _variants(self, tables: Tables) -> tuple[np.ndarray, list[tuple[Shape, bool]]]:
        """Fronts with the numbers of their code, and what that is: shapes, and whether all their unknowns are solved for.

        In lanes, where masks stay as they are.
        """
        fronts = tables.fronts.copy()
        ends = np.append(0, np.cumsum(self.masks == 0))
        whole = ends[fronts[:, 9] + fronts[:, 0]] == ends[fronts[:, 9]]
        if self.lanes == 1:
            whole[:] = False
        frequent = fronts[:, 10] >= 0
        found, fronts[frequent, 10] = np.unique(2 * fronts[frequent, 10] + whole[frequent], return_inverse=True)
        return fronts, [(tables.shapes[k // 2], bool(k % 2)) for k in found.tolist()]

    def _shapes(self, shapes: Sequence[tuple[Shape, bool]], again: bool) -> int:
        rows = []
        for shape, whole_ in shapes:
            made = partial(self._within.unrolled, shape, self._target, whole=whole_)
            codes: dict[str, Named] = dict.fromkeys(ROUTINES[:-2], made())
            if again:
                codes |= dict.fromkeys(ROUTINES[-2:], made(again=True))
            self._keep.append(codes)
            rows.append([codes[x].address(f"{x}_{shape.name}") if x in codes else 0 for x in ROUTINES])
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
        self.plan[:] = self.of_elements
        self._called("enter", t, y, parameters, 1)
        self.plan[:] = saved

    @cached_property
    def of_elements(self) -> np.ndarray:
        """The plan of an evaluation of the elements, and of nothing more."""
        alone, plan = np.zeros((2, len(Tile))), self.plan.copy()
        alone[1, Tile.stages] = self._stage_count
        plan[Plan.tiles] = self._held(alone, np.int32)
        plan[Plan.walk], plan[Plan.walk_count] = self._held(np.array([(0, Pass.through)] * 2), np.int32), 1
        plan[Plan.copies] = 0
        return plan

    def decide(self, t: float, y: np.ndarray, parameters: np.ndarray) -> np.ndarray:
        """Which unknowns are kept: 0 for multipliers whose rows follow from others."""
        saved = self.plan.copy()
        self.plan[:] = self.of_decisions
        self._called("decide", t, y, parameters, len(y))
        self.plan[:] = saved
        return self.kept.copy()

    @cached_property
    def of_decisions(self) -> np.ndarray:
        """The plan of `decide`, with fronts of no shape in particular."""
        plain, plan = self._tables.plain, self.plan.copy()
        if plain is not None:
            for place, table in ((Plan.fronts, plain.fronts), (Plan.slots, plain.slots), (Plan.sums, plain.sums)):
                plan[place] = self._held(table, np.int32)
        return plan

    def _called(
        self, name: str, t: float, y: np.ndarray, parameters: np.ndarray, size: int
    ) -> tuple[np.ndarray, np.ndarray]:
        inputs = [np.repeat(x, self.states) for x in (np.array([t]), y, np.append(parameters, 0.0))]
        slopes, growth = np.zeros((size, self.states)), np.zeros(self.states)
        first = [self.plan.ctypes.data] + ([self.values.ctypes.data] if name == "decide" else [])
        call = self._loops.function(name, None, *[ctypes.c_void_p] * (5 + len(first)))
        call(*first, *[x.ctypes.data for x in (*inputs, slopes, growth)])
        return slopes, growth


def _behind_pivots(fronts: np.ndarray, tables: Sequence[np.ndarray]) -> tuple[np.ndarray, list[np.ndarray]]:
    """Tables of unknowns without those pivots that follow one another in code of their own, and where those of fronts begin.

    Such code counts from the first of the pivots on.
    """
    skipped = np.where(fronts[:, 10] >= 0, fronts[:, 0], 0)
    lengths = fronts[:, 2] - skipped
    begin = np.cumsum(lengths) - lengths
    picked = np.repeat(fronts[:, 5] + skipped - begin, lengths) + np.arange(lengths.sum())
    return begin - skipped, [table[picked] for table in tables]


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
    from zeromass.codegen.target import host

    return host().lanes(lanes)


def _kernels(layout: Layout, task: str, target: Target, apart: int) -> list[Kernel]:
    """The kernels of all kinds."""
    flavour = Flavour(target.width, target.fused)
    return [
        Kernel(
            f"kind{k}",
            kind.groups,
            kind.constants,
            with_reciprocals([e for _, e in results]),
            flavour,
            stride=place.stride,
            apart=apart,
            own=kind.own,
            at=[i for i, _ in results],
            seen=list(place.reads[task].values()),
        )
        for k, (kind, place) in enumerate(zip(layout.kinds, layout.places, strict=True))
        if (results := place.results(task))
    ]


def _spreading(layout: Layout, task: str, target: Target, apart: int) -> list[Kernel]:
    """The kernels that compute accelerations of coordinates from the unknowns."""
    flavour = Flavour(target.width, target.fused)
    made = [(k, kind, kind.equations(task)) for k, kind in enumerate(layout.kinds) if kind.name == "part"]
    return [
        Kernel(
            f"spread{k}",
            kind.groups,
            kind.constants,
            with_reciprocals(list(equations.spread)),
            flavour,
            apart=apart,
            own=kind.own,
            seen=[{x: i for i, x in enumerate(equations.unknown)}],
        )
        for k, kind, equations in made
    ]
