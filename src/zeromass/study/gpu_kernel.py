"""The method of Dormand and Prince for members of a study, one in each thread of a graphics card.

A thread takes a member from the table, moves it until it ends or asks, writes it back and takes the next one. It goes
through the operations of `Dop853Lanes`, in their order, so that a member ends with the same bits; only the memory is
another one.

    stages, end, middle ─► new ─► right-hand side, events

The right-hand side stands there once, in a loop over the states at which it is needed: the fewer instructions a step has,
the fewer have to be fetched while threads wait.
"""

from __future__ import annotations

from math import inf

from zeromass.codegen import ir
from zeromass.codegen.elementary.arithmetic import Real, Truth, fma, where
from zeromass.codegen.target import Target
from zeromass.integrate.methods.dop853.coefficients import STAGES, C
from zeromass.integrate.methods.dop853.kernel import CROSSING
from zeromass.integrate.stepping.layout import Real64
from zeromass.integrate.stepping.writer import DOUBLE, INT
from zeromass.study.gpu_arrival import Arrival
from zeromass.study.gpu_layout import Block, Cell, Motion
from zeromass.study.gpu_thread import TRUTH
from zeromass.study.kernel import REJECTIONS
from zeromass.study.layout import Left, Own

END, MIDDLE = STAGES, STAGES + 1
"""Turns of the loop after those of the stages."""


class Dop853Threads(Arrival):
    """`kernel(table, count, next, record, recorded, capacity, settings …, slots)`: moves members until none is left.

    next      place of the number of the next member that nobody has taken
    recorded  place of the number of steps in the record, which has room for `capacity`
    slots     memory of one thread, where there is no shared one
    """

    wrong: ir.Value
    amiss: ir.Value

    name = "dop853_threads"

    def __init__(self, module: ir.Module, target: Target, motion: Motion, block: Block) -> None:
        super().__init__(module, target, motion, block)
        self.error_found: ir.Value = self.variable(DOUBLE, "error")
        self.wrong, self.amiss = self.variable(TRUTH, "wrong"), self.variable(TRUTH, "amiss")
        self.inside: ir.Value = self.array(self.events, "inside")
        self.members_of_table()
        self.finish()

    def members_of_table(self) -> None:
        """while a thread of the warp has a member: step; where it leaves, write it back and take the next one"""
        b = self.b
        turn, none, leave, onward = (self.block(name) for name in ("turn", "none", "leave", "onward"))
        self.take()
        b.branch(turn)
        b.position_at_end(turn)
        b.cbranch(self.step().value, leave, onward)
        b.position_at_end(leave)
        with self.if_(b.load(self.alive, typ=TRUTH)):
            self.write_back(self.row(b.load(self.seat, typ=INT)))
            self.take()
        b.branch(onward)
        b.position_at_end(onward)
        b.cbranch(self.any_of_warp(b.load(self.alive, typ=TRUTH)), turn, none)
        b.position_at_end(none)
        b.ret_void()

    def take(self) -> None:
        """Takes the next member; where there is none, the thread goes on with one of the others, and nobody looks at it."""
        b, count = self.b, self.arguments["count"]
        mine = b.atomic_rmw("add", self.arguments["next"], self.int(1), "monotonic")
        there = b.icmp_signed("<", mine, count)
        b.store(there, self.alive)
        b.store(mine, self.seat)
        self.begin(self.row(b.select(there, mine, self.int(0))))

    def step(self) -> Truth:
        """One step: accepted, rejected, or left to Python; whether the member leaves."""
        t, until, planned = (self.number(place) for place in (Real64.t, Real64.until, Real64.h))
        fading = self.soon(planned)
        h = self.planned(planned)
        small = self.too_small(h, t)
        h = self.reaching(h, until - t)
        trying = Truth(t.on, self.b.load(self.alive, typ=TRUTH)) & ~small & ~fading
        self.evaluated(t, h, until, trying)

        error, growth, time = self.load(self.error_found), self.number(Real64.growth), self.arrival(t, h, until)
        wrong, amiss = (Truth(t.on, self.b.load(place, typ=TRUTH)) for place in (self.wrong, self.amiss))
        asks = growth.is_nan() | amiss | (growth > self.number(Real64.growth_limit))
        if self.events:
            asks = asks | self.crossed_any(self.inside)
        distance, dips = self.fading(h)
        done = trying & (error < 1.0) & ~wrong
        asks, dipped = done & asks, done & (dips > 0.0)
        good = done & ~asks & ~dipped

        nan = error.is_nan()
        shorter = self.shortened(where(wrong, 0.5, self.factor(error)), nan) * h
        repeated = self.number(Own.repeated)
        rejected = trying & ~done
        vain = rejected & nan & ((repeated + 1.0 > REJECTIONS) | self.too_small(shorter, t))
        again = rejected & ~vain

        change = self.factor(error)
        change = where(repeated > 0.0, where(change > 1.0, 1.0, change), change)
        self.keep(where(good, self.following(h, change, planned), where(again, shorter, planned)), Real64.h)
        self.keep(where(good, 0.0, where(again, repeated + 1.0, repeated)), Own.repeated)
        self.keep(self.number(Own.rejected) + where(again, 1.0, 0.0), Own.rejected)
        self.keep(where(good, distance, self.number(Real64.distance)), Real64.distance)
        with self.if_(good.value):
            self.settle(time, h, growth)
        stalls = self.stalls(time, good & ~time.equals(until))
        asks = asks | small | vain
        left = where(good & time.equals(until), float(Left.ENDED), where(asks, float(Left.ASKS), 0.0))
        left = where(stalls, float(Left.STALLS), where(fading | dipped, float(Left.FADES), left))
        self.keep(left, Own.left)
        return left > 0.0

    def planned(self, h: Real) -> Real:
        """The step h, changed where a singular position lies ahead so that it falls between two stages."""
        ahead, d = self.singular_ahead(h)
        if self.count_of_pivots:
            ahead = ahead & self.quiet(h)
        return where(ahead, self.across(h, d, CROSSING), h)

    def evaluated(self, t: Real, h: Real, until: Real, trying: Truth) -> None:
        """k_1 … k_11, the end of the step and its slope, and events there and in the middle; k_0 is there already."""
        b = self.b
        self.keep(0.0, Real64.worst)
        for address in self.cells_of(self.kept["lowest"], self.count_of_pivots):
            self.store(inf, address)
        before, top, slope, after = b.block, self.block("state"), self.block("slope"), self.block("evaluated")
        b.branch(top)
        b.position_at_end(top)
        s = b.phi(INT)
        s.add_incoming(self.int(1), before)
        nowhere = self.block("nowhere")
        choice = b.switch(s, nowhere)
        b.position_at_end(nowhere)
        b.unreachable()
        last = MIDDLE if self.events else END
        for turn in range(1, last + 1):
            case = self.block(f"state{turn}")
            choice.add_case(self.int(turn), case)
            b.position_at_end(case)
            self.fence()
            if turn < STAGES:
                self.stage(turn, h)
                self.keep(fma(h, C[turn], t), Real64.stage_time)
            elif turn == END:
                self.arrive(self.arrival(t, h, until), h, trying)
            else:
                self.halfway(self.arrival(t, h, until), h)
            b.branch(slope)
        b.position_at_end(slope)
        self.slope(s)
        following = b.add(s, self.int(1))
        s.add_incoming(following, b.block)
        b.cbranch(b.icmp_signed("<=", following, self.int(last)), top, after)
        b.position_at_end(after)

    def arrive(self, time: Real, h: Real, trying: Truth) -> None:
        """The end of the step, on the constraints, for `new`."""
        error = self.last_stage(h)
        self.keep(time, Real64.stage_time)
        self.store(error, self.error_found)
        self.b.store(self.brought(trying & (error < 1.0)).value, self.wrong)
        self.b.store(self.no_number(self.new, 2 * self.n).value, self.amiss)

    def slope(self, s: ir.Value) -> None:
        """The acceleration at `new`, up to the end of the step, and events, from there on."""
        b = self.b
        clock, growth = self.at(self.reals, Real64.stage_time), self.at(self.reals, Real64.growth)
        pivots, lowest = self.kept["pivots"], self.kept["lowest"]
        with self.if_(b.icmp_signed("<=", s, self.int(END))):
            b.call(self.functions["rhs"], [clock, self.new, self.fixed_values, self.a, growth, pivots])
            now, worst = self.number(Real64.growth), self.number(Real64.worst)
            self.keep(where(now > worst, now, worst), Real64.worst)
            for i in range(self.count_of_pivots):
                size, least = abs(self.load(pivots, i)), self.load(lowest, i)
                self.store(where(size < least, size, least), lowest, i)
        with self.if_(b.icmp_signed("==", s, self.int(END))):
            amiss = b.or_(b.load(self.amiss, typ=TRUTH), self.no_number(self.a, self.n).value)
            b.store(amiss, self.amiss)
            for i in range(self.n):
                self.store(self.load(self.a, i), self.of(i, Cell.NEXT_SLOPE))
        if self.events:
            with self.if_(b.icmp_signed(">=", s, self.int(END))):
                for i in range(self.events):
                    self.store(self.load(self.inside, i), self.at_end, i)
                b.call(self.functions["event"], [clock, self.new, self.fixed_values, self.inside])
