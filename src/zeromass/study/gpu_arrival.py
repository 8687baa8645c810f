"""The end of a step in a thread: projection, events, pivots, and what becomes the state; see `Dop853Lanes.step`."""

from __future__ import annotations

from math import inf

from zeromass.codegen import ir
from zeromass.codegen.elementary.arithmetic import Real, Truth, fma, sqrt, where
from zeromass.integrate.stepping.kernel import PROJECTIONS, REPEAT, ROUNDING, WORST
from zeromass.integrate.stepping.layout import Real64
from zeromass.integrate.stepping.loop import CHUNK_OF_STEPS
from zeromass.integrate.stepping.writer import DOUBLE, INT
from zeromass.study.gpu_layout import Cell
from zeromass.study.gpu_stages import Stages
from zeromass.study.gpu_thread import TRUTH
from zeromass.study.layout import Own


class Arrival(Stages):
    """What follows the last stage.

    Threads whose step is rejected go along, so that the warp stays together; nobody looks at what they find.
    """

    def brought(self, accepted: Truth) -> Truth:
        """Takes the end of the step, brought to the constraints, for `new`; whether that was further than its error
        explains."""
        wrong = Truth(accepted.on, ir.Constant(TRUTH, 0))
        for i in range(2 * self.n):
            self.store(self.load(self.of(i % self.n, Cell.END[i // self.n])), self.new, i)
        for name, first in (("positions", 0), ("velocities", self.n)):
            if name in self.motion.corrections:
                self.returned(self.functions[name], first, accepted)
        if self.motion.corrections:
            self.fence()
            wrong = accepted & (self.moved() > self.number(Real64.correction_limit))
        for i in range(2 * self.n):
            self.store(self.load(self.new, i), self.arrived(i))
        return wrong

    def returned(self, function: ir.Function, first: int, wanted: Truth) -> None:
        """Corrections of positions or velocities, repeated while they are large."""
        b = self.b
        before, again, after = b.block, self.block("correct"), self.block("corrected")
        change = self.array(self.n, "change")
        b.branch(again)
        b.position_at_end(again)
        passes = b.phi(INT)
        passes.add_incoming(self.int(0), before)
        b.call(function, [self.at(self.reals, Real64.stage_time), self.new, self.fixed_values, change])
        large = self.real(0.0)
        for i in range(self.n):
            x, δ = self.load(self.new, first + i), self.load(change, i)
            size = where(abs(x) > 1.0, abs(x), 1.0)
            large = large + where(abs(δ) > size * REPEAT, 1.0, 0.0)
            self.store(x + δ, self.new, first + i)
        done = b.add(passes, self.int(1))
        passes.add_incoming(done, b.block)
        b.cbranch(b.and_((wanted & (large > 0.0)).value, b.icmp_signed("<", done, self.int(PROJECTIONS))), again, after)
        b.position_at_end(after)

    def moved(self) -> Real:
        """How far the projection has moved the end of the step; see `Control.deviation`."""
        rtol, atol, growth = (self.number(place) for place in (Real64.rtol, Real64.atol, Real64.worst))
        least = fma(where(growth < WORST, growth, WORST), ROUNDING, atol)
        total = self.real(0.0)
        for i in range(2 * self.n):
            new, before = self.load(self.new, i), self.load(self.of(i % self.n, Cell.END[i // self.n]))
            e = (new - before) / fma(rtol, abs(new), least)
            total = fma(e, e, total)
        return sqrt(total / float(2 * self.n))

    def no_number(self, array: ir.Value, count: int) -> Truth:
        """Whether one of some numbers is infinite or none: there x − x is no number."""
        total = self.real(0.0)
        for x in self.values(self.cells_of(array, count)):
            total = total + (x - x)
        return total.is_nan()

    def halfway(self, time: Real, h: Real) -> None:
        """The state in the middle of the step for `new`, by Hermite's cubic."""
        n, eighth = self.n, h * 0.125
        for i in range(2 * n):
            y, new = self.load(self.y(i)), self.load(self.arrived(i))
            if i < n:
                first, last = self.load(self.y(n + i)), self.load(self.arrived(n + i))
            else:
                first, last = (self.load(self.of(i - n, cell)) for cell in (Cell.SLOPE, Cell.NEXT_SLOPE))
            self.store(fma(eighth, first - last, (y + new) * 0.5), self.new, i)
        self.keep(time - h * 0.5, Real64.stage_time)

    def crossed_any(self, inside: ir.Value) -> Truth:
        """Whether an event function may have crossed zero, from its values before, inside the step and at the end."""
        hits = self.real(0.0)
        for i, way in enumerate(self.motion.directions):
            old, new, between = self.load(self.signs, i), self.load(self.at_end, i), self.load(inside, i)
            twice = ((old * between) < 0.0) & ((between * new) < 0.0)
            twice = twice | self.dips((old, between, new), 0.5, 0.5)
            seen = self.crossed(old, new, self.real(float(way))) | twice
            hits = hits + where(seen, 1.0, 0.0)
        return hits > 0.0

    def fading(self, h: Real) -> tuple[Real, Real]:
        """The time after which a pivot would vanish, and how many may have vanished inside the step; roots at its end
        stand where the least sizes were."""
        distance, dips = self.real(inf), self.real(0.0)
        for i in range(self.count_of_pivots):
            end, lowest = abs(self.load(self.kept["pivots"], i)), self.load(self.kept["lowest"], i)
            root, largest = self.load(self.kept["roots"], i), self.load(self.kept["largest"], i)
            faded = self.faded(end, lowest, root, largest, abs(h))
            distance = where(faded.distance < distance, faded.distance, distance)
            dips = dips + where(faded.dipped, 1.0, 0.0)
            self.store(faded.root, self.kept["lowest"], i)
        return distance, dips

    def settle(self, time: Real, h: Real, growth: Real) -> None:
        """Takes what the step has arrived at for the state at `time`."""
        length, steps = abs(h), self.number(Own.steps)
        room, before = 1.0 / sqrt(growth), self.number(Real64.room)
        self.keep(time, Real64.t)
        self.keep((before - room) / length, Real64.fall)
        self.keep(room, Real64.room)
        for value, place, better in (
            (growth, Own.largest, growth > self.number(Own.largest)),
            (length, Own.longest_taken, length > self.number(Own.longest_taken)),
            (length, Own.shortest_taken, (length < self.number(Own.shortest_taken)) & (steps > 0.0)),
        ):
            self.keep(where(better, value, self.number(place)), place)
        self.keep(steps + 1.0, Own.steps)
        for i in range(2 * self.n):
            self.store(self.load(self.arrived(i)), self.y(i))
        for i in range(self.n):
            self.store(self.load(self.of(i, Cell.NEXT_SLOPE)), self.of(i, Cell.SLOPE))
        for i in range(self.count_of_pivots):
            f, most = self.load(self.kept["lowest"], i), self.load(self.kept["largest"], i)
            self.store(where(f > most, f, most), self.kept["largest"], i)
            self.store(f, self.kept["roots"], i)
        for i in range(self.events):
            old, new = self.load(self.signs, i), self.load(self.at_end, i)
            self.store(where(new.equals(0.0), old, new), self.signs, i)
        if self.motion.recording:
            self.record(time, h, growth)

    def stalls(self, time: Real, going: Truth) -> Truth:
        """Whether the last steps of a member have brought it forward by next to nothing."""
        left = self.number(Own.budget) - where(going, 1.0, 0.0)
        look, since = going & (left <= 0.0), self.number(Own.since)
        self.keep(where(look, float(CHUNK_OF_STEPS), left), Own.budget)
        self.keep(where(look, time, since), Own.since)
        return look & (abs(time - since) < self.number(Own.least))

    def record(self, time: Real, h: Real, growth: Real) -> None:
        """The step, with its member, t, h, the growth of the pivots and the state, as long as there is room."""
        b = self.b
        k = b.atomic_rmw("add", self.arguments["recorded"], self.int(1), "monotonic")
        with self.if_(b.icmp_signed("<", k, self.arguments["capacity"])):
            row = self.cell(self.arguments["record"], b.mul(k, self.int(4 + 2 * self.n)))
            member = self.real(b.sitofp(b.load(self.seat, typ=INT), DOUBLE))
            state = self.values([self.arrived(i) for i in range(2 * self.n)])
            for i, value in enumerate((member, time, h, growth, *state)):
                self.store(value, row, i)
