"""The functions of the switches of a large system as code that needs no Python: kernels of their kinds, and who calls them.

What the kernels of the driver call by address, see `zeromass.integrate.hybrid.switches`, and the watched functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import numpy as np

from zeromass.codegen import ir
from zeromass.codegen.elementary.arithmetic import where
from zeromass.codegen.target import Target
from zeromass.compile.rolled.elsewhere import Elsewhere
from zeromass.compile.rolled.machine import Machine
from zeromass.compile.rolled.structure import Structure
from zeromass.compile.rolled.watching import Watching
from zeromass.expression import Expression
from zeromass.expression.magnitude import magnitudes
from zeromass.expression.node import symbol
from zeromass.integrate.alone.large_start import Tabled
from zeromass.integrate.hybrid.derivatives import Slopes
from zeromass.integrate.hybrid.export import FUNCTIONS
from zeromass.integrate.stepping.writer import INT, POINTER
from zeromass.model.pieces import SystemPieces

if TYPE_CHECKING:
    from zeromass.compile.rolled.native import RolledNative
    from zeromass.integrate.hybrid.export import DriverModule

CALL = ir.FunctionType(ir.VoidType(), [POINTER] * 7 + [INT] * 3)
"""A kernel: values, t, memory, parameters, none, places, constants, instances, where values begin, coordinates."""

FIELDS = 5
"""Numbers of a row of a table of kernels: function, places, constants, instances and where values begin."""


class Kernels:
    """Functions by kinds, written for a module.

    rows    a table of the kernels; values: room for what they compute, and a zero
    """

    def __init__(self, watching: Watching, target: Target, within: Elsewhere) -> None:
        self.watching = watching
        self._named = within.kernels(watching.kernels(target), target)
        self._held = [(within.held(_some(places)), within.held(_some(values))) for places, values, _ in watching.tables]
        rows = [self.row(k, 0, len(places), out) for k, (places, _, out) in enumerate(watching.tables)]
        self.rows: np.ndarray = np.array(rows, dtype=np.int64).reshape(-1, FIELDS)
        self.values: np.ndarray = np.zeros(watching.count + 1)

    def row(self, k: int, first: int, count: int, out: int) -> list[int]:
        """Of the table: some instances of a kernel."""
        (places, values, _), (begin, constants) = self.watching.tables[k], self._held[k]
        at = begin + 4 * first * places.shape[1], constants + 8 * first * values.shape[1]
        return [self._named.address(f"watch{k}"), *at, count, out]

    def places(self, functions: Sequence[Expression | None]) -> np.ndarray:
        """Where the values of functions stand; of others that of zero."""
        known = self.watching.places
        return np.array([self.watching.count if e is None else known.get(e, self.watching.count) for e in functions])


class LargeSwitchCode:
    """What is written of the switches of a large system.

    motion, telling  the machine of the motion, and the plan with which multipliers follow the accelerations
    others           events that are no functions of switches, among those that are watched
    """

    def __init__(
        self,
        switching: DriverModule,
        structure: Structure,
        target: Target,
        within: Elsewhere,
        motion: Machine,
        telling: np.ndarray,
    ) -> None:
        self._switching, self._target, self._within = switching, target, within
        self._motion, self._telling, self._structure = motion, telling, structure
        self.pieces: SystemPieces = switching.driver.pieces
        watching = cast("RolledNative", switching.driver.program.native).watching
        assert watching is not None
        self._watched = Kernels(watching, target, within)
        self.others: list[int] = [k for k, e in enumerate(switching.driver.events) if e.zero not in watching.places]

    def write(self, module: ir.Module) -> None:
        """The functions."""
        given = module, self._target, self._within
        system, structure = self._structure.system, self._structure
        n, known = len(system.coordinates), len(system.multipliers)
        memory = np.zeros(3 * n + known + 2)
        size_q, size_v = (symbol(name, "parameter", token=f"zeromass {name}") for name in ("size q", "size v"))
        sizes = dict.fromkeys(system.coordinates, size_q) | dict.fromkeys(system.rates, size_v)
        g = [None if k in self.pieces.of_time else switch.g for k, switch in enumerate(self.pieces.switches)]
        pairs = [None if e is None else [e, *magnitudes([e], sizes)] for e in g]
        judged = Kernels(Watching(structure, [x for x in pairs if x is not None], (size_q, size_v)), *given[1:])
        slopes = {key: some for key, some in self._switching.slopes.items() if some}
        sloped = Kernels(Watching(structure, [[*some.values()] for some in slopes.values()]), *given[1:])
        CallKernels(*given)
        JudgeSwitches(*given, judged, memory, n, [(x[0], x[1]) if x else (None, None) for x in pairs])
        motion = Evaluation(self._motion, self._telling, memory, n)
        WatchedFunctions(*given, self._watched, motion, self._zeros(), len(self.others))
        ActingSwitches(*given, self._watched, motion, self.pieces)
        Derivative(*given, sloped, slopes, n, len(g))

    def _zeros(self) -> np.ndarray:
        """Where the watched functions stand among the values; the others stand behind them."""
        found = self._watched.places([event.zero for event in self._switching.driver.events])
        found[self.others] = self._watched.watching.count + 1 + np.arange(len(self.others))
        self._watched.values = np.zeros(self._watched.watching.count + len(self.others) + 1)
        return found


class Evaluation:
    """How the motion is evaluated for functions of it: results follow positions in a memory, (q, q̇, q̈, λ)."""

    def __init__(self, machine: Machine, plan: np.ndarray, memory: np.ndarray, coordinates: int) -> None:
        self.machine, self.plan, self.memory, self.coordinates = machine, plan, memory, coordinates


class CallKernels(Tabled):
    """`call_kernels(t, memory, parameters, rows, count, values, coordinates)`: values ← what kernels compute, row by row."""

    def __init__(self, module: ir.Module, target: Target, within: Elsewhere) -> None:
        more = {"rows": POINTER, "count": INT, "values": POINTER, "coordinates": INT}
        super().__init__(module, target, within, "call_kernels", more)

    def written(self) -> None:
        a, b = self.arguments, self.b
        with self.loop(a["count"]) as k:
            row = self.at(a["rows"], b.mul(k, self.int(FIELDS)))
            f, places, constants, count, out = (self.load_int(row, j) for j in range(FIELDS))
            tables = [b.inttoptr(x, POINTER) for x in (self.int(0), places, constants)]
            kernel = ir.Value(ir.PointerType(CALL), b.inttoptr(f, POINTER).text)
            b.call(kernel, [a["values"], a["t"], a["y"], a["parameters"], *tables, count, out, a["coordinates"]])
        b.ret_void()


class KernelCaller(Tabled):
    """A function that calls kernels."""

    kernels: Kernels

    def call_kernels(self, memory: ir.Value, coordinates: int, rows: ir.Value | None = None) -> ir.Value:
        """All of them, or those of one row; the values."""
        a, values = self.arguments, self.table(self.kernels.values)
        count = len(self.kernels.rows) if rows is None else 1
        if count:
            rows = self.table(self.kernels.rows) if rows is None else rows
            given = [a["t"], memory, a["parameters"], rows, self.int(count), values, self.int(coordinates)]
            self.b.call(self._module.globals["call_kernels"], given)
        return values

    def copy(self, source: ir.Value, count: int, to: ir.Value) -> None:
        with self.loop(self.int(count)) as i:
            self.store(self.load(source, i), to, i)

    def pick(self, values: ir.Value, places: np.ndarray, to: ir.Value) -> None:
        """Some of the values, by their places."""
        if not len(places):
            return  # a loop has one turn at least
        table = self.table(places.astype(np.int32))
        with self.loop(self.int(len(places))) as k:
            self.store(self.load(values, self.index(table, k)), to, k)

    def follow(self, motion: Evaluation) -> ir.Value:
        """Evaluates the motion, and then the kernels; the values."""
        n, memory = motion.coordinates, self.table(motion.memory)
        self.called("evaluate", motion.machine, motion.plan, motion.memory, n)
        self.copy(self.y, n, memory)
        return self.call_kernels(memory, n)


class JudgeSwitches(KernelCaller):
    """`judge_switches(t, y, parameters, g, sizes, slopes)`: the switching functions, and of what size their rounding is."""

    def __init__(
        self,
        module: ir.Module,
        target: Target,
        within: Elsewhere,
        kernels: Kernels,
        memory: np.ndarray,
        coordinates: int,
        functions: Sequence[tuple[Expression | None, Expression | None]],
    ) -> None:
        self.kernels, self._memory, self._n, self._functions = kernels, memory, coordinates, functions
        more: dict[str, ir.Type] = {"g": POINTER, "sizes": POINTER, "slopes": POINTER}
        super().__init__(module, target, within, FUNCTIONS["judge"], more)

    def written(self) -> None:
        n, memory = self._n, self.table(self._memory)
        self.copy(self.y, 2 * n, memory)
        for k in range(2):
            with self.summing(self.int(n), self.real(0.0)) as (i, most):
                x = abs(self.load(self.at(self.y, k * n), i))
                most.value = where(x > most.value, x, most.value)
            self.store(most.value, memory, len(self._memory) - 2 + k)
        values = self.call_kernels(memory, n)
        for name, some in zip(("g", "sizes"), zip(*self._functions, strict=True), strict=True):
            self.pick(values, self.kernels.places(some), self.arguments[name])
        self.b.ret_void()


class WatchedFunctions(KernelCaller):
    """`event(t, y, parameters, values)`: the watched functions."""

    def __init__(
        self,
        module: ir.Module,
        target: Target,
        within: Elsewhere,
        kernels: Kernels,
        motion: Evaluation,
        zeros: np.ndarray,
        others: int,
    ) -> None:
        self.kernels, self._motion, self._zeros, self._others = kernels, motion, zeros, others
        super().__init__(module, target, within, "event", {"values": POINTER})

    def written(self) -> None:
        a, values, n = self.arguments, self.follow(self._motion), self._motion.coordinates
        if self._others:
            inside = ir.Function(self._module, ir.FunctionType(ir.VoidType(), [POINTER] * 6), "event_inside")
            memory = self.table(self._motion.memory)
            given = [a["t"], self.y, a["parameters"], self.at(memory, 2 * n), self.at(memory, 3 * n)]
            self.b.call(inside, [*given, self.at(values, self.kernels.watching.count + 1)])
        self.pick(values, self._zeros, a["values"])
        self.b.ret_void()


class ActingSwitches(KernelCaller):
    """`acting_switches(t, y, parameters, betas, c)`: β of switches that hold the motion, and c of those that may."""

    def __init__(
        self,
        module: ir.Module,
        target: Target,
        within: Elsewhere,
        kernels: Kernels,
        motion: Evaluation,
        pieces: SystemPieces,
    ) -> None:
        self.kernels, self._motion, self._pieces = kernels, motion, pieces
        super().__init__(module, target, within, FUNCTIONS["acting"], {"betas": POINTER, "c": POINTER})

    def written(self) -> None:
        pieces, a = self._pieces, self.arguments
        held = [pieces.held.get(switch.mode) for switch in pieces.switches]
        values, names = self.follow(self._motion), {p: k for k, p in enumerate(pieces.system.parameters)}
        which = np.array([k for k, one in enumerate(held) if one is not None], dtype=np.int32)
        margins = np.array([names[pieces.switches[k].margin] for k in which], dtype=np.int32)
        known = np.array([0.0 if one is None or one.c.value is None else one.c.value for one in held])
        self.pick(values, self.kernels.places([one and one.leaving[0] for one in held]), a["betas"])
        self.pick(values, self.kernels.places([one and one.c for one in held]), a["c"])
        if len(which):
            some, margin, strengths = self.table(which), self.table(margins), self.table(known)
            with self.loop(self.int(len(which))) as i:
                k, beta = self.index(some, i), a["betas"]
                self.store(self.load(beta, k) - self.load(a["parameters"], self.index(margin, i)), beta, k)
                self.store(self.load(a["c"], k) + self.load(strengths, k), a["c"], k)
        self.b.ret_void()


class Derivative(KernelCaller):
    """`derivative(t, y, parameters, k, order, row)`: slopes of g, and of ġ of a function of the place; others are zero.

    There are no formulas of how accelerations change.
    """

    def __init__(
        self,
        module: ir.Module,
        target: Target,
        within: Elsewhere,
        kernels: Kernels,
        slopes: Slopes,
        coordinates: int,
        switches: int,
    ) -> None:
        self.kernels, self._n = kernels, coordinates
        rows = np.zeros((max(2 * switches, 1), FIELDS + 2), dtype=np.int64)
        for ((k, order), some), (kind, instance) in zip(slopes.items(), kernels.watching.instances, strict=True):
            columns = within.held(np.array([*some], dtype=np.int32))
            rows[2 * k + order - 1] = [*kernels.row(kind, instance, 1, 0), len(some), columns]
        self._rows = rows
        super().__init__(module, target, within, "derivative", {"k": INT, "order": INT, "row": POINTER})

    def written(self) -> None:
        a, b = self.arguments, self.b
        with self.loop(self.int(1 + 2 * self._n)) as i:
            self.store(0.0, a["row"], i)
        with self.if_(b.icmp_signed(">", a["order"], self.int(2))):
            b.ret_void()
        which = b.add(b.mul(a["k"], self.int(2)), b.sub(a["order"], self.int(1)))
        row = self.at(self.table(self._rows), b.mul(which, self.int(FIELDS + 2)))
        count = self.load_int(row, FIELDS)
        with self.if_(b.icmp_signed("==", count, self.int(0))):
            b.ret_void()
        values, columns = self.call_kernels(self.y, self._n, row), b.inttoptr(self.load_int(row, FIELDS + 1), POINTER)
        with self.loop(count) as i:
            self.store(self.load(values, i), a["row"], self.index(columns, i))
        b.ret_void()


def _some(table: np.ndarray) -> np.ndarray:
    """A table that is not empty."""
    return table if table.size else np.zeros(1, dtype=table.dtype)
