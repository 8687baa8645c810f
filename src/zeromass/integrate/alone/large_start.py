"""The start of a large motion without Python: Gauss–Newton steps with the fronts of `compile.rolled.start`, as code.

Positions and then rates take the shortest steps onto the constraints, halved until they help, as in Python; which rows
follow from others is decided at each of them, and at the start of the motion once more.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

import numpy as np

from zeromass.codegen import ir
from zeromass.codegen.elementary.arithmetic import where
from zeromass.codegen.target import Target
from zeromass.compile.rolled.elsewhere import Elsewhere
from zeromass.compile.rolled.loops import FLOOR
from zeromass.compile.rolled.machine import Machine
from zeromass.compile.rolled.plan import Plan
from zeromass.compile.rolled.start import ALLOWED, HALVINGS, ITERATIONS, ROUNDING, LevelEquations
from zeromass.integrate.stepping.writer import DOUBLE, INT, POINTER, Writer

INT32: ir.Type = ir.IntType(32)

STATE = {"t": POINTER, "y": POINTER, "parameters": POINTER}

TINY = float(np.finfo(float).tiny)


Masks = tuple[Machine, np.ndarray]
"""A machine, and 1 for each unknown that its task asks for, 0 for others."""


class Level:
    """The equations of a start at positions or at rates, in tables."""

    off: np.ndarray
    sizes: np.ndarray
    size: np.ndarray
    change: np.ndarray
    before: np.ndarray

    def __init__(self, equations: LevelEquations, target: Target, within: Elsewhere) -> None:
        structure = equations.structure
        self.level: int = equations.level
        self.coordinates: int = len(equations.fixed)
        self.machine: Machine = structure.machine(equations.task, 1, target=target.scalar, within=within)
        self.right: list[np.ndarray] = [a.astype(np.int32) for a in equations.places]
        self.entries: list[np.ndarray] = [a.astype(np.int32) for a in structure.entries]
        self.unknowns: np.ndarray = structure.coordinate_unknowns.astype(np.int32)
        self.asked_for: np.ndarray = equations.told.astype(np.int32)
        self.asked: np.ndarray = equations.asked
        self.free: np.ndarray = (~equations.fixed).astype(float)
        self.off, self.sizes, self.size = np.zeros((3, structure.count)).copy()
        self.change, self.before = np.zeros((2, self.coordinates)).copy()
        self.told: np.ndarray = np.zeros(3)


class Tabled(Writer, ABC):
    """A function of a state that works with tables and machines that stand in another text."""

    def __init__(
        self, module: ir.Module, target: Target, within: Elsewhere, name: str, more: Mapping[str, ir.Type] | None = None
    ) -> None:
        """more: what it takes beside a state, where it only writes."""
        super().__init__(module, target, name, STATE | dict(more or {}), INT32 if more is None else ir.VoidType())
        self._module, self._within = module, within
        self.y: ir.Value = self.arguments["y"]
        self.written()
        self.finish()

    @abstractmethod
    def written(self) -> None:
        """What it does."""

    def answer(self, value: int) -> None:
        self.b.ret(ir.Constant(INT32, value))

    def table(self, array: np.ndarray) -> ir.Value:
        name = self._within.name(array)
        if name not in self._module.globals:
            made: Any = ir.GlobalVariable(self._module, ir.IntType(8), name)
            made.type = POINTER
        return self._module.globals[name]

    def index(self, table: ir.Value, k: ir.Value) -> ir.Value:
        """An int32 of a table."""
        at = self.b.gep(table, [k], source_etype=INT32)
        return self.b.sext(self.b.load(at, typ=INT32, align=4), INT)

    def called(self, name: str, machine: Machine, plan: np.ndarray, result: np.ndarray, first: int = 0) -> None:
        """Calls `evaluate` or `decide`; results begin at a place of an array."""
        if name not in self._module.globals:
            ir.Function(self._module, ir.FunctionType(ir.VoidType(), [POINTER] * 7), name)
        a, growth = self.arguments, self.variable(DOUBLE, "growth")
        given = [self.table(plan), self.table(machine.values), a["t"], a["y"], a["parameters"]]
        self.b.call(self._module.globals[name], [*given, self.at(self.table(result), first), growth])


class Decided(Tabled):
    """`decided(t, y, parameters)`: which rows follow from others there, for the motion and its corrections.

    1 where something else than a row is not determined.
    """

    def __init__(
        self, module: ir.Module, target: Target, within: Elsewhere, motion: Machine, masks: Sequence[Masks], levels: Any
    ) -> None:
        self._motion, self._masks, self._levels = motion, masks, levels
        super().__init__(module, target, within, "decided")

    def written(self) -> None:
        motion, own = self._motion, self.table(self._motion.masks)
        count, kept = self.int(len(motion.masks)), self.table(motion.kept)
        masks = [(self.table(machine.masks), self.table(asked)) for machine, asked in self._masks]
        known = self.table((self._levels < 0).astype(float))
        with self.loop(count) as i:
            self.store(1.0, own, i)
        self.called("decide", motion, motion.of_decisions, np.zeros(2 * int(motion.plan[Plan.coordinates])))
        with self.summing(count, self.real(0.0)) as (i, lost):
            keep = self.load(kept, i)
            self.store(keep, own, i)
            for mask, asked in masks:
                self.store(keep * self.load(asked, i), mask, i)
            lost.value = lost.value + self.load(known, i) * (1.0 - keep)
        with self.if_((lost.value > 0.0).value):
            self.answer(1)
        self.answer(0)


class DroppedRows(Tabled):
    """`dropped_rows(t, y, parameters, values)`: what each row of A q̈ = b is off by, then the sizes of its terms."""

    def __init__(
        self, module: ir.Module, target: Target, within: Elsewhere, motion: Machine, unknowns: np.ndarray, result: Any
    ) -> None:
        self._motion, self._unknowns, self._result = motion, unknowns.astype(np.int32), result
        super().__init__(module, target, within, "dropped_rows", {"values": POINTER})

    def written(self) -> None:
        b, motion, values = self.b, self._motion, self.table(self._motion.values)
        self.called("evaluate", motion, motion.plan, self._result)
        left, sizes = (self.at(values, int(motion.plan[place])) for place in (Plan.left, Plan.sizes))
        with self.summing(self.int(len(motion.masks)), self.real(0.0)) as (i, most):
            size = self.load(sizes, i)
            most.value = where(size > most.value, size, most.value)
        count, unknowns, rows = len(self._unknowns), self.table(self._unknowns), self.arguments["values"]
        with self.loop(self.int(count)) as i:
            u = self.index(unknowns, i)
            self.store(self.load(left, u), rows, i)
            self.store(self.load(sizes, u) + most.value * FLOOR, rows, b.add(i, self.int(count)))
        b.ret_void()


class Off(Tabled):
    """`off0` or `off1(t, y, parameters)`: told ← the largest that an equation is off by; then whether that is nothing but
    rounding in all of them, and whether it may be left where no step makes it less."""

    def __init__(self, module: ir.Module, target: Target, within: Elsewhere, level: Level) -> None:
        self._level = level
        super().__init__(module, target, within, f"off{level.level}")

    def written(self) -> None:
        b, level, machine = self.b, self._level, self._level.machine
        self.called("evaluate", machine, machine.of_elements, level.change)
        off, sizes, x, told = (self.table(a) for a in (level.off, level.sizes, level.size, level.told))
        values = self.table(machine.values)
        with self.loop(self.int(len(level.off))) as i:
            self.store(0.0, off, i)
            self.store(0.0, sizes, i)
        unknown, place = (self.table(a) for a in level.right)
        with self.loop(self.int(len(level.right[0]))) as k:
            i = self.index(unknown, k)
            self.store(self.load(off, i) + self.load(values, self.index(place, k)), off, i)
        rows, columns, places = (self.table(a) for a in level.entries)
        with self.loop(self.int(len(level.entries[0]))) as k:
            i, j = self.index(rows, k), self.index(columns, k)
            value = abs(self.load(values, self.index(places, k)))
            for to, by in ((i, j), (j, i)):
                self.store(self.load(sizes, to) + value * self.load(x, by), sizes, to)
        asked, zero = self.table(level.asked_for), self.real(0.0)
        with self.sums(self.int(len(level.asked_for)), [zero, zero, zero, zero]) as (k, (most, all_, large, beyond)):
            i = self.index(asked, k)
            error, size = abs(self.load(off, i)), self.load(sizes, i)
            rounding = where(size > TINY, size, TINY) * ROUNDING
            most.value = where(error > most.value, error, most.value)
            all_.value = all_.value + error
            large.value = large.value + where(error <= rounding, 0.0, 1.0)
            beyond.value = beyond.value + where(error <= rounding * ALLOWED, 0.0, 1.0)
        self.store(where(all_.value < inf, most.value, inf), told, 0)
        for k, count in ((1, large), (2, beyond)):
            self.store(where(count.value > 0.0, 0.0, 1.0), told, k)
        b.ret(ir.Constant(INT32, 0))


class Solve(Tabled):
    """`solve0` or `solve1(t, y, parameters)`: y ← the state whose positions, or rates, are on the constraints; 1 if none."""

    def __init__(self, module: ir.Module, target: Target, within: Elsewhere, level: Level) -> None:
        self._level = level
        super().__init__(module, target, within, f"solve{level.level}")

    def written(self) -> None:
        b, level, n = self.b, self._level, self._level.coordinates
        part, told = self.at(self.y, level.level * n), self.table(level.told)
        change, before = self.table(level.change), self.table(level.before)
        size, unknowns = self.table(level.size), self.table(level.unknowns)
        with self.loop(self.int(n)) as i:
            x = abs(self.load(part, i))
            self.store(where(x > 1.0, x, 1.0), size, self.index(unknowns, i))
        off = self._module.globals[f"off{level.level}"]
        state = [self.arguments[name] for name in STATE]
        error, allowed, length = (self.variable(DOUBLE, name) for name in ("error", "allowed", "length"))
        passes, halvings = (self.variable(INT, name) for name in ("passes", "halvings"))
        again, step, shorter, on, good, vain, done = (
            self.block(name) for name in ("again", "step", "shorter", "on", "good", "vain", "done")
        )
        b.store(self.int(0), passes)
        b.call(off, state)
        b.branch(again)
        b.position_at_end(again)
        self.store(self.load(told, 0), error)
        self.store(self.load(told, 2), allowed)
        count = b.load(passes, typ=INT)
        b.store(b.add(count, self.int(1)), passes)
        enough = b.icmp_signed(">=", count, self.int(ITERATIONS))
        b.cbranch(b.or_((self.load(told, 1) > 0.0).value, enough), done, step)
        b.position_at_end(step)
        self._step(level)
        fixed = self.table(level.free)
        with self.summing(self.int(n), self.real(0.0)) as (i, total):
            δ = where(self.load(fixed, i) > 0.0, self.load(change, i), 0.0)
            self.store(δ, change, i)
            self.store(self.load(part, i), before, i)
            total.value = total.value + abs(δ)
        self.store(1.0, length)
        b.store(self.int(0), halvings)
        b.cbranch((total.value < inf).value, shorter, done)
        b.position_at_end(shorter)
        with self.loop(self.int(n)) as i:
            self.store(self.load(before, i) + self.load(length) * self.load(change, i), part, i)
        b.call(off, state)
        b.cbranch((self.load(told, 0) < self.load(error)).value, again, on)
        b.position_at_end(on)
        self.store(self.load(length) * 0.5, length)
        count = b.add(b.load(halvings, typ=INT), self.int(1))
        b.store(count, halvings)
        b.cbranch(b.icmp_signed("<", count, self.int(HALVINGS)), shorter, vain)
        b.position_at_end(vain)
        with self.loop(self.int(n)) as i:
            self.store(self.load(before, i), part, i)
        b.branch(done)
        b.position_at_end(done)
        b.cbranch((self.load(allowed) > 0.0).value, good, self._refusing())
        b.position_at_end(good)
        self.answer(0)

    def _refusing(self) -> ir.Block:
        here, found = self.b.block, self.block("refused")
        self.b.position_at_end(found)
        self.answer(1)
        self.b.position_at_end(here)
        return found

    def _step(self, level: Level) -> None:
        """The shortest step onto the constraints that are independent."""
        machine = level.machine
        masks, asked, kept = (self.table(a) for a in (machine.masks, level.asked, machine.kept))
        for name, source in (("decide", asked), ("evaluate", kept)):
            with self.loop(self.int(len(level.asked))) as i:
                self.store(self.load(source, i), masks, i)
            self.called(name, machine, machine.of_decisions if name == "decide" else machine.plan, level.change)
