"""The loop over the steps of Radau's methods, as machine code."""

from __future__ import annotations

from math import inf, nan

from zeromass.codegen import ir
from zeromass.codegen.elementary.arithmetic import Real, fma, where
from zeromass.codegen.target import Target
from zeromass.integrate.methods.radau.coefficients import MOST, Table
from zeromass.integrate.methods.radau.control import Control, Trial
from zeromass.integrate.methods.radau.increments import KEPT
from zeromass.integrate.methods.radau.linear import linear_parts
from zeromass.integrate.methods.radau.lu import linear_systems
from zeromass.integrate.methods.radau.memory import Slot
from zeromass.integrate.methods.radau.newton import KEEP, newton_parts
from zeromass.integrate.methods.radau.outside import outside_parts
from zeromass.integrate.methods.radau.simplified import simplified_parts
from zeromass.integrate.stepping.kernel import Advance
from zeromass.integrate.stepping.layout import Int64, Real64
from zeromass.integrate.stepping.status import Status
from zeromass.integrate.stepping.writer import CHUNK, DOUBLE


class RadauAdvance(Control, Advance):
    """Steps of order 5, 9 or 13; no stage is nearer to a singular position than 0.1 of the step that crosses it."""

    name = "radau_advance"
    many = False
    crossing: float | None = 0.44

    @classmethod
    def emit(cls, module: ir.Module, target: Target) -> None:
        linear_systems(module, target)
        linear_parts(module, target, products=cls.many)
        simplified_parts(module, target)
        newton_parts(module, target, chord=cls.many)
        Trial(module, target)
        cls(module, target)

    def prepare(self) -> None:
        self.memory: ir.Value = self.arguments["stages"]

    def begin(self) -> None:
        self.keep(self.load(self.reals, Real64.t), Slot.t)
        self.evaluate(self.at(self.memory, Slot.t), self.arguments["y"], self.array(Slot.slope))
        self.count(self.ints, Int64.evaluations)
        self.store(self.number(Slot.growth), self.reals, Real64.growth)
        for slot in (Slot.jacobian_known, Slot.factored, Slot.exact):
            self.keep_whole(0, slot)

    def attempt(self, t: Real, h: Real, until: Real) -> None:
        b = self.b
        growth, limit = (self.load(self.reals, place) for place in (Real64.growth, Real64.growth_limit))
        self.leave_if((growth > limit).value, Status.PIVOTS)
        longest = self.plus(self.times(self.whole(Slot.twice), MOST), KEPT)
        full = b.icmp_signed(">", self.plus(self.whole(Slot.used), longest), self.whole(Slot.capacity))
        self.leave_if(full, Status.RECORD_FULL)
        self.keep(t, Slot.t)
        self.keep(h, Slot.h)
        self.keep(self.real(self.called("trial", self.memory)), Slot.error)
        good, bad = self.block("good"), self.block("bad")
        b.cbranch((self.number(Slot.error) < 1.0).value, good, bad)

        b.position_at_end(good)
        time = self.arrival(t, h, until)
        self.complete(time, bad)
        self.accept(t, h, time)
        done = self.block("done")
        b.branch(done)

        b.position_at_end(bad)
        self.fail(h, self.number(Slot.error))

        b.position_at_end(done)

    def fail(self, h: Real, error: Real) -> None:
        """Tries again with a shorter step and the Jacobian of the current state; a fixed step has no other."""
        b, nan_ = self.b, error.is_nan()
        with self.if_(self.fixed()):
            self.count(self.ints, Int64.rejected)
            b.ret(b.select(nan_.value, self.int(Status.NOT_A_NUMBER), self.int(Status.STEP_TOO_SMALL)))
        with self.if_(b.not_(self.holds(Slot.fresh))):
            self.keep_whole(0, Slot.jacobian_known)
        shorter = self.shorter(error)
        self.lower(error, self.plus(self.load_int(self.ints, Int64.repeated), 1))
        self.reject(h, shorter, nan_)

    def complete(self, time: Real, bad: ir.Block) -> None:
        """The end of the step, returned to the constraints, and the slope there; `bad` where they are no such end."""
        b, a, wide = self.b, self.arguments, self.whole(Slot.wide)
        s, Z = self.stages(), self.array(Slot.Z)
        end = self.row(Z, b.sub(s, self.int(1)), wide)
        with self.each(self.size, step=CHUNK) as i:
            self.store_chunk(self.load_chunk(a["y"], i) + self.load_chunk(end, i), a["new"], i)
        self.project(time)
        ahead, clock = self.array(Slot.ahead), self.at(self.reals, Real64.stage_time)
        self.store(time, self.reals, Real64.stage_time)
        self.evaluate(clock, a["new"], ahead)
        self.count(self.ints, Int64.evaluations)
        growth, finite = self.number(Slot.growth), self.block("finite")
        unknown = b.or_(self.not_all_finite(ahead, wide), b.not_((growth - growth).equals(0.0).value))
        with self.if_(unknown):
            self.keep(nan, Slot.error)
            b.branch(bad)
        b.branch(finite)
        b.position_at_end(finite)
        y = a["y"]
        with self.if_(self.unexplained(growth, lambda i: self.load(y, i) + self.load(end, i))):
            self.keep(inf, Slot.error)
            b.branch(bad)
        self.store(growth, self.reals, Real64.growth)

    def accept(self, t: Real, h: Real, time: Real) -> None:
        b = self.b
        error, failures = self.number(Slot.error), self.load_int(self.ints, Int64.repeated)
        change = self.longer(h, error, failures)
        self.share_projection()
        self.keep_increments(t, h)
        self.copy(self.array(Slot.ahead), self.array(Slot.slope), self.whole(Slot.wide))
        self.keep_whole(0, Slot.fresh)
        exact = self.whole(Slot.exact)
        moving = b.or_(self.holds(Slot.exact), (self.number(Slot.rate) > KEEP).value)
        with self.if_(moving):
            self.keep_whole(0, Slot.jacobian_known)
        self.keep_whole(b.select(self.holds(Slot.exact), b.sub(exact, self.int(1)), exact), Slot.exact)
        self.remember(h, error, change)
        self.settle(time, h, change)

    def share_projection(self) -> None:
        """Z_i ← Z_i + c_i (y_new − y − Z_s): what the projection has moved at the end is shared out along the step."""
        b, a, s, wide, Z = self.b, self.arguments, self.stages(), self.whole(Slot.wide), self.array(Slot.Z)
        end = self.row(Z, b.sub(s, self.int(1)), wide)
        with self.each(self.size, step=CHUNK) as i:
            y = self.load_chunk(a["y"], i)
            moved = self.load_chunk(a["new"], i) - (y + self.load_chunk(end, i))
            with self.each(s) as j:
                row, c = self.row(Z, j, wide), self.splat(self.load(self.table(Table.c), j))
                self.store_chunk(fma(c, moved, self.load_chunk(row, i)), row, i)

    def keep_increments(self, t: Real, h: Real) -> None:
        """The polynomial of the step: for the next one, and into the record."""
        s, wide, twice = self.stages(), self.whole(Slot.wide), self.whole(Slot.twice)
        Z = self.array(Slot.Z)
        self.copy(Z, self.array(Slot.last_Z), self.times(s, wide))
        self.copy(self.arguments["y"], self.array(Slot.last_y), self.size)
        for value, slot in ((s, Slot.last_stages), (self.whole(Slot.place), Slot.last_place)):
            self.keep_whole(value, slot)
        self.keep(t, Slot.last_start)
        self.keep(h, Slot.last_step)
        used = self.whole(Slot.used)
        target = self.room(used)
        self.store(h, target, 0)
        self.store(self.as_real(self.whole(Slot.place)), target, 1)
        with self.each(s) as j:
            row, kept = self.row(Z, j, wide), self.at(self.row(target, j, twice), KEPT)
            with self.each(twice) as i:
                self.store(self.load(row, i), kept, i)
        self.keep_whole(self.plus(used, self.plus(self.times(s, twice), KEPT)), Slot.used)

    def room(self, used: ir.Value) -> ir.Value:
        """Where the increments of the step are recorded: behind the values that were used so far."""
        recorded = self.load_int(self.ints, Int64.recorded)
        self.b.store(used, self.at(self.array(Slot.offsets), recorded), align=8)
        return self.at(self.array(Slot.increments), used)

    def not_finite(self) -> ir.Value:
        """A step is settled only after it was found to be finite."""
        return ir.Constant(ir.IntType(1), 0)

    def happened(self, time: Real, h: Real) -> Real:
        """An event function is looked at in every stage; the last of them is the recorded state."""
        b, a, wide = self.b, self.arguments, self.whole(Slot.wide)
        count, s, state = self.load_int(self.ints, Int64.events), self.whole(Slot.last_stages), self.array(Slot.states)
        last = b.sub(s, self.int(1))
        hits, old = self.variable(DOUBLE, "hits"), self.variable(DOUBLE, "old")
        g0, g1, u, t1 = (self.variable(DOUBLE, name) for name in ("g0", "g1", "u", "t1"))
        self.store(0.0, hits)
        times = self.array(Slot.times)
        self.store(time, times, last)
        with self.each(s) as j:
            row = self.row(self.array(Slot.last_Z), j, wide)
            with self.each(self.size, step=CHUNK) as i:
                self.store_chunk(self.load_chunk(self.array(Slot.last_y), i) + self.load_chunk(row, i), state, i)
            with self.if_(b.icmp_signed("==", j, last)):
                self.copy(a["y"], state, self.size)
            self.call(a["event"], self.at(times, j), state, a["parameters"], self.row(a["scratch"], j, count))
        with self.each(count) as i:
            place = self.times(i, 2)
            direction = self.load(a["signs"], self.plus(place, 1))
            self.store(self.load(a["signs"], place), old)
            for name, value in ((g0, self.real(0.0)), (g1, self.load(old)), (u, self.real(1.0)), (t1, time - h)):
                self.store(value, name)
            with self.each(s) as j:
                before, new = self.load(old), self.load(self.row(a["scratch"], j, count), i)
                w = self.load(times, j) - self.load(t1)
                dips = self.dips((self.load(g0), self.load(g1), new), self.load(u), w)
                seen = self.crossed(before, new, direction) | (dips & self.turns(direction))
                self.store(self.load(hits) + where(seen, self.weight(i), 0.0), hits)
                self.store(where(new.equals(0.0), before, new), old)
                for name, value in ((g0, self.load(g1)), (g1, new), (u, w), (t1, self.load(times, j))):
                    self.store(value, name)
            self.store(self.load(old), a["signs"], place)
        return self.load(hits)


class RadauAdvanceMany(RadauAdvance):
    """The same steps for many coordinates: Jacobians may be made by products with directions, and are made less often."""

    name = "radau_advance_many"
    many = True


class RadauAdvanceOutside(RadauAdvance):
    """The same steps, with linear systems that are solved outside of machine code."""

    name = "radau_advance_outside"

    @classmethod
    def emit(cls, module: ir.Module, target: Target) -> None:
        outside_parts(module, target)
        simplified_parts(module, target)
        newton_parts(module, target, exact=False)
        Trial(module, target)
        cls(module, target)
