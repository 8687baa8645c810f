"""The stages of one step, by Newton iterations in machine code [HW1996, §IV.8].

Simplified ones, with one Jacobian for all stages and, while it serves, for several steps. They crawl where a stiff
direction turns during the step, as that of a stiff spring does [L1993]; then each stage has its own Jacobian.
"""

from __future__ import annotations

from zeromass.codegen import elementary, ir
from zeromass.codegen.elementary.arithmetic import Real
from zeromass.codegen.target import Target
from zeromass.integrate.methods.radau.coefficients import Table
from zeromass.integrate.methods.radau.memory import OnMemory, Part, Slot
from zeromass.integrate.stepping.layout import Int64
from zeromass.integrate.stepping.writer import CHUNK, DOUBLE, INT

ENOUGH = 1e-3
"""Part of the tolerance that the iterations may leave of their error."""

STALLED = {False: 0.1, True: 1.0}
"""Part of the tolerance below which corrections that no longer shrink are rounding errors, by simplified and exact."""

KEEP = 1e-3
"""Rate of convergence up to which the Jacobian of an earlier step serves the next one."""

RENEW = 0.1
"""Rate of convergence from which exact iterations that keep their Jacobians take new ones."""

EXACT = 10
"""Steps with exact iterations before simplified ones are tried again."""


def power(writer: OnMemory, x: Real, exponent: Real) -> Real:
    return writer.real(elementary.emit(writer.b, "pow", [x.value, exponent.value], writer.fused))


class Iterate(Part):
    """`iterate(memory, exact)`: increments Z with f(u(c_i)) = u′(c_i) at every stage, from `guess`.

    Z ← Z + ΔZ,   B ΔZ − ∂f/∂y ΔZ = f(u(c)) − u′(c),   u′(c) = B Z,   until ΔZ is small or ceases to shrink

    chord  whether exact iterations keep the Jacobians of their stages while they converge: there those are what takes time
    """

    s: ir.Value
    wide: ir.Value
    size: ir.Value
    k: ir.Value
    last: ir.Value
    fresh: ir.Value

    def __init__(self, module: ir.Module, target: Target, *, chord: bool) -> None:
        super().__init__(module, target, "iterate", {"exact": INT}, ir.VoidType())
        self.chord: bool = chord
        b = self.b
        self.s, self.wide, self.size = self.stages(), self.whole(Slot.wide), self.whole(Slot.size)
        self.exact: ir.Value = b.icmp_signed("!=", self.arguments["exact"], self.int(0))
        self.limit: ir.Value = self.load_int(self.table(Table.iterations), 0)
        self.k, self.last = self.variable(INT, "k"), self.variable(DOUBLE, "last")
        self.fresh = self.variable(INT, "fresh")
        b.store(self.int(1), self.fresh)
        self.Z = self.array(Slot.Z)
        rows = self.times(self.s, self.wide)
        self.copy(self.array(Slot.guess), self.Z, rows)
        b.store(self.int(0), self.k)
        self.store(0.0, self.last)
        self.keep(0.0, Slot.rate)
        again, more = self.block("again"), self.block("more")
        b.branch(again)

        b.position_at_end(again)
        k = b.load(self.k, typ=INT)
        self.slopes()
        with self.if_(self.not_all_finite(self.array(Slot.defects), rows)):
            self.leave(k, converged=False, finite=self.int(0))
        self.defects()
        self.correct()
        change = self.array(Slot.change)
        with self.each(rows, step=CHUNK) as i:
            self.store_chunk(self.load_chunk(self.Z, i) + self.load_chunk(change, i), self.Z, i)
        self.judge(k, self.norm(change, self.s))
        b.branch(more)

        b.position_at_end(more)
        following = self.plus(k, 1)
        b.store(following, self.k)
        with self.if_(b.icmp_signed(">=", following, self.limit)):
            self.give_up()
        b.branch(again)
        self.finish()

    def leave(self, iterations: ir.Value, *, converged: bool, finite: ir.Value) -> None:
        self.keep_whole(iterations, Slot.iterations)
        self.keep_whole(int(converged), Slot.converged)
        self.keep_whole(finite, Slot.finite)
        self.b.ret_void()

    def give_up(self) -> None:
        size = self.load(self.last)
        finite = self.b.zext((size - size).equals(0.0).value, INT)
        self.leave(self.limit, converged=False, finite=finite)

    def slopes(self) -> None:
        """f at the states of the stages, into `defects`."""
        with self.each(self.s) as j:
            state, slope, Z = (self.row(self.array(slot), j, self.wide) for slot in (Slot.states, Slot.defects, Slot.Z))
            with self.each(self.size, step=CHUNK) as i:
                self.store_chunk(self.load_chunk(self.array(Slot.y), i) + self.load_chunk(Z, i), state, i)
            self.evaluate(self.at(self.array(Slot.times), j), state, slope)
        ints = self.array(Slot.ints)
        self.store_int(self.plus(self.load_int(ints, Int64.evaluations), self.s), ints, Int64.evaluations)

    def defects(self) -> None:
        """f(u(c)) − B Z"""
        rate = -1.0 / self.number(Slot.h)
        with self.each(self.s) as j:
            row, weights = self.row(self.array(Slot.defects), j, self.wide), self.row(self.table(Table.slope), j, CHUNK)
            with self.each(self.size, step=CHUNK) as i:
                defect = self.weighted(self.load_chunk(row, i), self.s, weights, self.Z, self.wide, i, rate)
                self.store_chunk(defect, row, i)

    def correct(self) -> None:
        b = self.b
        with b.if_else(self.exact) as (exact, simplified):
            with exact:
                singular = self.called("coupled", self.memory, b.load(self.fresh, typ=INT))
                with self.if_(b.icmp_signed("!=", singular, self.int(0))):
                    self.leave(self.limit, converged=False, finite=self.int(1))
            with simplified:
                self.called("simplified", self.memory)

    def judge(self, k: ir.Value, size: Real) -> None:
        """Returns where the iterations are over, by the size of the last correction and of the one before."""
        b, exact = self.b, self.exact
        before, one = self.load(self.last), self.real(1.0)
        self.store(size, self.last)
        later = b.icmp_signed(">", k, self.int(0))
        θ = size / before
        fresh = b.icmp_signed("!=", b.load(self.fresh, typ=INT), self.int(0))
        if self.chord:
            b.store(b.zext(b.and_(later, b.not_((θ <= RENEW).value)), INT), self.fresh)
        with self.if_(later):
            second = b.and_(b.icmp_signed("==", k, self.int(1)), b.not_(exact))
            self.keep(self.real(b.select(second, θ.value, self.number(Slot.rate).value)), Slot.rate)
            with self.if_(b.and_((θ >= 1.0).value, b.or_(fresh, b.not_(exact)))):
                bound = b.select(exact, self.real(STALLED[True]).value, self.real(STALLED[False]).value)
                self.keep(0.0, Slot.rate)
                with self.if_((size <= self.real(bound)).value):
                    self.leave(self.plus(k, 1), converged=True, finite=self.int(1))
                finite = b.zext((size - size).equals(0.0).value, INT)
                self.leave(self.plus(k, 1), converged=False, finite=finite)
            with self.if_(b.not_(exact)):
                left = power(self, θ, self.as_real(b.sub(self.limit, k))) / (1.0 - θ) * size
                with self.if_((left > ENOUGH).value):
                    self.give_up()
        # the error left, over the last correction
        remaining = self.real(b.select(later, (θ / (1.0 - θ)).value, one.value))
        with self.if_((remaining * size <= ENOUGH).value):
            self.leave(self.plus(k, 1), converged=True, finite=self.int(1))


class Stages(Part):
    """`stages(memory)`: the iterations of a step: simplified ones, again with a new Jacobian, and exact ones, if any."""

    def __init__(self, module: ir.Module, target: Target, *, exact: bool = True) -> None:
        super().__init__(module, target, "stages", {}, ir.VoidType())
        b = self.b
        with self.if_(b.not_(self.holds(Slot.exact))):
            self.called("iterate", self.memory, self.int(0))
            self.leave_if_converged()
            with self.if_(b.not_(self.holds(Slot.fresh))):
                self.keep_whole(0, Slot.jacobian_known)
                singular = self.called("prepare", self.memory)
                with self.if_(b.icmp_signed("!=", singular, self.int(0))):
                    self.keep_whole(1, Slot.finite)
                    b.ret_void()
                self.called("iterate", self.memory, self.int(0))
                self.leave_if_converged()
            if exact:
                self.keep_whole(EXACT, Slot.exact)
            else:
                b.ret_void()
        self.called("iterate", self.memory, self.int(1))
        b.ret_void()
        self.finish()

    def leave_if_converged(self) -> None:
        with self.if_(self.holds(Slot.converged)):
            self.b.ret_void()


def newton_parts(module: ir.Module, target: Target, *, exact: bool = True, chord: bool = False) -> None:
    """The functions of this file in a module that has those of `lu`, `linear` and `simplified`."""
    Iterate(module, target, chord=chord)
    Stages(module, target, exact=exact)
