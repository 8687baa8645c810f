"""The beginning of a motion without Python: a start that satisfies the constraints, and a first step."""

from __future__ import annotations

from math import inf, sqrt
from typing import ClassVar

from zeromass.codegen import ir
from zeromass.codegen.elementary.arithmetic import Real, where
from zeromass.codegen.elementary.arithmetic import sqrt as root
from zeromass.compile.newton import PASSES, ROUNDING, SETTLED
from zeromass.integrate.alone.memory import Count, Number, Ready
from zeromass.integrate.alone.plan import Planned
from zeromass.integrate.settings import SMALLEST_ATOL, SMALLEST_RTOL
from zeromass.integrate.stepping.functions import FIRST
from zeromass.integrate.stepping.layout import Int64, Real64
from zeromass.integrate.stepping.loop import HOPELESS
from zeromass.integrate.stepping.writer import DOUBLE, INT

FOLLOWS = 1e-9
"""Part of its terms by which a row of A q̈ = b that was left out may be missed where it follows from the others."""


class Start(Planned):
    """`start()`: y ← the state that satisfies the constraints and what was prescribed, at the values of the parameters.

    Newton's steps of positions, then of rates, from the start that the program was made at; 1 where they do not end.
    """

    name = "start"

    def written(self) -> None:
        plan, y = self.plan, self.memory["y"]
        self.copied(self.module.globals["beginning"], y)
        self.store(plan.t, self.reals, Real64.t)
        if plan.solved:
            given = self.memory["given"]
            self.result_of("given_values", self.memory["parameters"], given)
            for k, place in enumerate(plan.places):
                self.store(self.load(given, k), y, place)
            for level in range(2) if plan.levels is None else plan.levels:
                if plan.levels is None:
                    self.newton(level)
                else:
                    self.solved(level)
        self.answer(0)

    def solved(self, level: int) -> None:
        """The same for a large program, which has its own way."""
        state = [self.at(self.reals, Real64.t), self.memory["y"], self.memory["parameters"]]
        found = self.result_of(f"solve{level}", *state)
        with self.if_(self.b.icmp_signed("!=", found, ir.Constant(found.type, 0))):
            self.answer(1)

    def newton(self, level: int) -> None:
        b, memory, n = self.b, self.memory, self.sizes.coordinates
        part, change = self.at(memory["y"], level * n), memory["scratch"]
        last, passes = self.variable(DOUBLE, "last"), self.variable(INT, "passes")
        self.store(inf, last)
        b.store(self.int(0), passes)
        again, vain, on, done = (self.block(name) for name in ("again", "vain", "on", "done"))
        b.branch(again)
        b.position_at_end(again)
        clock = self.at(self.reals, Real64.t)
        self.result_of(f"level{level}", clock, memory["y"], memory["parameters"], change)
        with self.summing(self.int(n), self.real(0.0)) as (i, size):
            x = self.load(part, i) + self.load(change, i)
            self.store(x, part, i)
            ratio = abs(self.load(change, i)) / self.largest(abs(x), self.real(1.0))
            size.value = where(ratio < size.value, size.value, ratio)  # what is no number stays
        settled = (size.value <= SETTLED) & (size.value >= self.load(last) * 0.5)
        self.store(size.value, last)
        b.store(b.add(b.load(passes, typ=INT), self.int(1)), passes)
        b.cbranch(((size.value <= ROUNDING) | settled).value, done, on)
        b.position_at_end(on)
        more = b.icmp_signed("<", b.load(passes, typ=INT), self.int(PASSES))
        b.cbranch(b.and_(more, (size.value < inf).value), again, vain)
        b.position_at_end(vain)
        self.answer(1)
        b.position_at_end(done)


class SetOut(Planned):
    """`set_out()`: whether a motion may go on from the state, `Ready` says it, and with what step."""

    name = "set_out"

    def written(self) -> None:
        y, f = self.memory["y"], self.memory["slopes"]
        if self.plan.levels is not None:
            found = self.result_of("decided", self.at(self.reals, Real64.t), y, self.memory["parameters"])
            with self.if_(self.b.icmp_signed("!=", found, ir.Constant(found.type, 0))):
                self.answer(Ready.OTHER_KIND)
        self.slopes(self.at(self.reals, Real64.t), y, f)
        with self.summing(self.order, self.real(0.0)) as (i, total):
            total.value = total.value + abs(self.load(f, i)) + abs(self.load(y, i))
        growth = self.load(self.reals, Real64.growth)
        with self.if_((~((total.value + growth) < inf)).value):
            self.answer(Ready.NOT_FINITE)
        most = self.plan.limits.growth if self.plan.levels is None else HOPELESS
        with self.if_((growth > most).value):
            self.answer(Ready.OTHER_KIND)
        self.follows()
        self.first_step(y, f)
        self.watched()
        self.answer(Ready.READY)

    def follows(self) -> None:
        """Whether the rows of A q̈ = b that the program leaves out follow from the others here too."""
        if not self.sizes.dropped:
            return
        memory, count = self.memory, self.sizes.dropped
        clock, rows = self.at(self.reals, Real64.t), memory["dropped"]
        self.result_of("dropped_rows", clock, memory["y"], memory["parameters"], rows)
        with self.summing(self.int(count), self.real(0.0)) as (i, missed):
            left, terms = self.load(rows, i), self.load(self.at(rows, count), i)
            missed.value = missed.value + where(abs(left) <= terms * FOLLOWS, 0.0, 1.0)
        with self.if_((missed.value > 0.0).value):
            self.answer(Ready.OTHER_KIND)

    def first_step(self, y: ir.Value, f: ir.Value) -> None:
        """From the size of the state, its slope and the slope's change [HNW1993, §II.4]."""
        memory = self.memory
        t, until, rtol, atol, longest = (
            self.load(self.reals, place) for place in (Real64.t, Real64.until, Real64.rtol, Real64.atol, Real64.longest)
        )
        width = sqrt(self.sizes.state)

        def size(vector: ir.Value, less: ir.Value | None = None) -> Real:
            with self.summing(self.order, self.real(0.0)) as (i, total):
                x = self.load(vector, i) if less is None else self.load(vector, i) - self.load(less, i)
                x = x / ((atol + rtol * abs(self.load(y, i))) * width)
                total.value = total.value + x * x
            return root(total.value)

        d0, d1, rest = size(y), size(f), abs(until - t)
        guess = where((d0 < 1e-5) | (d1 < 1e-5), 1e-6, d0 * 0.01 / d1)
        guess = where(rest < guess, rest, guess)
        guess = where(guess.equals(0.0), 1e-6, guess)
        guess = self.largest(guess, abs(t) * FIRST)
        sign = where(until < t, -1.0, 1.0)
        ahead = guess * sign
        with self.loop(self.order) as i:
            self.store(self.load(y, i) + ahead * self.load(f, i), memory["new"], i)
        self.store(t + ahead, self.reals, Real64.stage_time)
        self.slopes(self.at(self.reals, Real64.stage_time), memory["new"], memory["stages"])
        d2 = size(memory["stages"], f) / guess
        most = self.largest(d2, d1)
        eighth = root(root(root(0.01 / most)))
        small = self.largest(guess * 1e-3, self.real(1e-6))
        second = where(most > 1e-15, eighth, small)
        step = guess * 100.0
        for other in (second, longest):
            step = where(other < step, other, step)
        self.store(step * sign, self.reals, Real64.h)
        with self.loop(self.int(self.sizes.arrays["stages"][1])) as i:
            self.store(0.0, memory["stages"], i)

    def watched(self) -> None:
        """The event functions at the start; a motion must not begin beyond what ends it."""
        if not self.sizes.events:
            return
        b, memory, signs = self.b, self.memory, self.memory["signs"]
        clock = self.at(self.reals, Real64.t)
        self.result_of("event", clock, memory["y"], memory["parameters"], memory["looked"])
        for i, (direction, _, _) in enumerate(self.plan.events):
            self.store(self.load(memory["looked"], i), signs, 2 * i)
            self.store(float(direction), signs, 2 * i + 1)
        for i, (direction, _, guard) in enumerate(self.plan.events):
            if guard and direction:
                with self.if_(((self.load(signs, 2 * i) * float(direction)) > 0.0).value):
                    self.store_int(self.int(i), self.counts, Count.ended)
                    b.ret(ir.Constant(ir.IntType(32), int(Ready.ALREADY)))


class Begin(Planned):
    """`begin(until, rtol, atol, longest)`: the start of a motion, and its first step; `Ready` says whether it may go on."""

    name = "begin"
    takes: ClassVar[dict[str, ir.Type]] = {"until": DOUBLE, "rtol": DOUBLE, "atol": DOUBLE, "longest": DOUBLE}

    def written(self) -> None:
        b, memory = self.b, self.memory
        self.settled(self.real(self.plan.t))
        found = self.result_of("start")
        with self.if_(b.icmp_signed("!=", found, ir.Constant(found.type, 0))):
            self.answer(Ready.NO_START)
        self.copied(memory["y"], memory["first"])
        self.answer(self.result_of("set_out"))

    def settled(self, t: Real) -> None:
        """The numbers that steps begin with, at a time."""
        sizes, plan, limits = self.sizes, self.plan, self.plan.limits
        for place in Real64:
            self.store(0.0, self.reals, place)
        for place in Int64:
            self.store_int(self.int(0), self.ints, place)
        for name in ("pivots", "inner_pivots"):
            with self.loop(self.int(sizes.arrays[name][1])) as i:
                self.store(0.0, self.memory[name], i)
        for name in ("y", "new", "inner_y", "inner_new"):
            with self.loop(self.int(sizes.padded)) as i:
                self.store(1.0, self.memory[name], i)
        for name in ("stages", "inner_stages"):
            with self.loop(self.int(sizes.arrays[name][1])) as i:
                self.store(0.0, self.memory[name], i)
        numbers = {
            Real64.t: t,
            Real64.until: self.real(self.arguments["until"]),
            Real64.rtol: self.at_least(self.real(self.arguments["rtol"]), SMALLEST_RTOL),
            Real64.atol: self.at_least(self.real(self.arguments["atol"]), SMALLEST_ATOL),
            Real64.longest: self.real(self.arguments["longest"]),
            Real64.growth_limit: self.real(limits.growth),
            Real64.correction_limit: self.real(limits.correction),
            Real64.distance: self.real(inf),
            Real64.quiet: t,
            Real64.behind: self.real(inf),
            Real64.behind_at: t,
        }
        for place, number in numbers.items():
            self.store(number, self.reals, place)
        counts = {
            Int64.coordinates: sizes.coordinates,
            Int64.size: sizes.padded,
            Int64.pivots: sizes.pivots,
            Int64.project_positions: int(plan.project[0]),
            Int64.project_velocities: int(plan.project[1]),
            Int64.events: sizes.events,
        }
        for place, count in counts.items():
            self.store_int(self.int(count), self.ints, place)
            self.store_int(self.int(count), self.memory["inner_ints"], place)
        self.store_int(self.int(sizes.row), self.ints, Int64.width)
        self.store_int(self.int(1 + sizes.state), self.memory["inner_ints"], Int64.width)
        self.store_int(self.int(1), self.memory["inner_ints"], Int64.capacity)
        if plan.stretches:
            table = self.b.ptrtoint(self.module.globals["stretches"], INT)
            self.store_int(table, self.ints, Int64.table)
            self.store_int(self.int(len(plan.stretches)), self.ints, Int64.stretches)
            self.store_int(self.int(2**62), self.ints, Int64.patience)
        self.store(t, self.numbers, Number.first)
        self.store_int(self.int(0), self.counts, Count.noted)
        for place in (Count.ended, Count.opened):
            self.store_int(self.int(-1), self.counts, place)

    def at_least(self, x: Real, least: float) -> Real:
        """A tolerance that arithmetic can meet."""
        return where(x > least, x, least)


class Resume(Begin):
    """`resume(t, until, rtol, atol, longest)`: the same from the time t and the state in `first`."""

    name = "resume"
    takes: ClassVar[dict[str, ir.Type]] = {"t": DOUBLE, **Begin.takes}

    def written(self) -> None:
        self.settled(self.real(self.arguments["t"]))
        self.copied(self.memory["first"], self.memory["y"])
        self.answer(self.result_of("set_out"))


ROUTINES = (Start, SetOut, Begin, Resume)
