"""The motion itself without Python: slopes, and steps until something ends them."""

from __future__ import annotations

from zeromass.codegen import ir
from zeromass.integrate.alone.memory import Count, Number
from zeromass.integrate.alone.plan import Planned
from zeromass.integrate.methods.dop853.kernel import Dop853Advance
from zeromass.integrate.stepping.layout import Int64, Real64
from zeromass.integrate.stepping.loop import HOPELESS
from zeromass.integrate.stepping.status import Status
from zeromass.integrate.stepping.writer import DOUBLE

CHUNK_OF_STEPS = 4096
"""Steps that must bring a motion forward by `Limits.stalled` of it."""


class Slope(Planned):
    """`slope()`: slopes ← (q̇, q̈) at the time reals[t], the state y and the parameters; reals[growth] tells the pivots'."""

    name = "slope"

    def written(self) -> None:
        self.slopes(self.at(self.reals, Real64.t), self.memory["y"], self.memory["slopes"])
        self.answer(0)


class Go(Planned):
    """`advance()`: steps until the end of the motion, an event that ends it, or trouble; `Status` says which.

    Where the record is full it returns too, and goes on when it is called again with a larger one.
    """

    name = "advance"

    def written(self) -> None:
        b, since = self.b, self.variable(DOUBLE, "since")
        turn = self.block("turn")
        self.store_int(self.int(CHUNK_OF_STEPS), self.ints, Int64.budget)
        self.store(self.load(self.reals, Real64.t), since)
        b.branch(turn)
        b.position_at_end(turn)
        self.store_int(self.load_int(self.counts, Count.capacity), self.ints, Int64.capacity)
        status = self.stepped()
        with self.if_(b.icmp_signed("==", status, self.int(Status.EVENT))):
            ended = self.result_of("locate")
            with self.if_(b.icmp_signed("!=", ended, ir.Constant(ended.type, 0))):
                self.answer(int(Status.EVENT))
            b.branch(turn)
        with self.if_(b.icmp_signed("==", status, self.int(Status.PAUSED))):
            first, until = self.load(self.numbers, Number.first), self.load(self.reals, Real64.until)
            t = self.load(self.reals, Real64.t)
            with self.if_((abs(t - self.load(since)) < abs(until - first) * self.plan.limits.stalled).value):
                self.answer(int(Status.STEP_TOO_SMALL))
            self.store(t, since)
            self.store_int(self.int(CHUNK_OF_STEPS), self.ints, Int64.budget)
            b.branch(turn)
        if self.plan.levels is not None:
            self.refined(status, turn)
        faded = b.icmp_signed("==", status, self.int(Status.FADING))
        whole = self.load(self.reals, Real64.dipped).equals(0.0).value
        with self.if_(b.and_(faded, whole)):  # a pivot falls: one more step tells whether it vanishes
            ahead = self.load(self.reals, Real64.t) + self.load(self.reals, Real64.h)
            self.store(ahead, self.reals, Real64.quiet)
            self.store(0.0, self.reals, Real64.careful)
            b.branch(turn)
        with self.if_(b.and_(faded, b.icmp_signed(">", self.recorded(), self.int(0)))):
            self.back()
        self.answer(b.trunc(status, ir.IntType(32)))

    def stepped(self) -> ir.Value:
        """The status after some steps."""
        return self.routine(Dop853Advance.name)

    def refined(self, status: ir.Value, turn: ir.Block) -> None:
        """Solutions of a large program are refined where pivots lose digits: it goes on with those that it has."""
        growth = self.load(self.reals, Real64.growth)
        with self.if_(
            self.b.and_(self.b.icmp_signed("==", status, self.int(Status.PIVOTS)), (growth < HOPELESS).value)
        ):
            self.store(growth * 10.0, self.reals, Real64.growth_limit)
            self.b.branch(turn)

    def back(self) -> None:
        """Forgets the last step, in which a pivot may have vanished."""
        b = self.b
        left = b.sub(self.recorded(), self.int(1))
        self.store_int(left, self.ints, Int64.recorded)
        some, row = b.icmp_signed(">", left, self.int(0)), self.row_of(b.sub(left, self.int(1)))
        time = b.select(some, row, self.at(self.numbers, Number.first))
        self.store(self.load(time), self.reals, Real64.t)
        self.copied(b.select(some, self.at(row, self.sizes.head), self.memory["first"]), self.memory["y"])


ROUTINES = (Slope, Go)
