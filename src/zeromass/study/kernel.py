"""The method of Dormand and Prince for many members of a study, one in each SIMD lane, as machine code.

Each member has its own time and step, and goes through exactly the operations that it would go through alone: its
neighbours decide nothing, and it ends with the same bits. A member that has ended makes room for the next one. One that
Python has to look at (an event, weak pivots, a step that leads nowhere) leaves its lane as it was before that step, which
the ordinary machinery then takes itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import inf
from typing import ClassVar

from zeromass.codegen import ir
from zeromass.codegen.elementary.arithmetic import Real, Truth, sqrt, where
from zeromass.codegen.target import BEST, Code, Target
from zeromass.integrate.methods.dop853.kernel import CROSSING, FIRST, MIDDLE, Dop853Step
from zeromass.integrate.stepping.kernel import routine
from zeromass.integrate.stepping.layout import LARGEST, LOWEST, ROOT, Int64, Real64
from zeromass.integrate.stepping.loop import CHUNK_OF_STEPS
from zeromass.integrate.stepping.sampling import correct_some
from zeromass.integrate.stepping.status import Status
from zeromass.integrate.stepping.writer import DOUBLE, INT
from zeromass.study.layout import LANE_ARGUMENTS, LEAST_ARGUMENTS, Left, Own, Queue

REJECTIONS = 60.0
"""In a row, after which a step that is not a number is given up."""


class Dop853Lanes(Dop853Step):
    """Steps of all members, until the last has left its lane, the record is full, or for `budget` turns."""

    name = "dop853_lanes"
    side_by_side = True
    takes: ClassVar[Mapping[str, ir.Type]] = LANE_ARGUMENTS

    def __init__(self, module: ir.Module, target: Target) -> None:
        super().__init__(module, target)
        b = self.b
        turn = self.block("turn")
        b.branch(turn)
        b.position_at_end(turn)
        self.leave_if(b.icmp_signed("<=", self.load_int(self.ints, Queue.alive), self.int(0)), Status.FINISHED)
        room = b.sub(self.load_int(self.ints, Int64.capacity), self.load_int(self.ints, Int64.recorded))
        self.leave_if(b.icmp_signed("<", room, self.int(self.members)), Status.RECORD_FULL)
        self.leave_if(b.icmp_signed("<=", self.load_int(self.ints, Int64.budget), self.int(0)), Status.PAUSED)
        self.count(self.ints, Int64.budget, -1)
        self.step()
        b.branch(turn)
        self.finish()

    def step(self) -> None:
        """One step of every member: accepted, rejected, or left to Python."""
        b, new = self.b, self.arguments["new"]
        t, until, planned = (self.load(self.reals, place) for place in (Real64.t, Real64.until, Real64.h))
        live = self.own(Own.live) > 0.0
        fading = live & self.soon(planned)
        h = self.planned(planned)
        small = self.too_small(h, t)
        h = self.reaching(h, until - t)
        with self.if_(self.any_pivots()), self.loop(self.pivots) as i:
            self.store(inf, self.lowest(i))
        self.stages(t, h)
        error, trying = self.error(h), live & ~small & ~fading
        accepted = trying & (error < 1.0)
        time = self.arrival(t, h, until)
        end = self.kept_end()
        self.project_some(time, accepted)
        correction = self.deviation(
            self.load(self.reals, Real64.worst), lambda i: self.load(new, i) - self.load(end, i)
        )
        wrong = accepted & (correction > self.load(self.reals, Real64.correction_limit))
        done = accepted & ~wrong
        self.keep_slope()
        self.arrive(time)
        growth = self.load(self.reals, Real64.growth)
        asks = growth.is_nan() | self.without_number() | (growth > self.load(self.reals, Real64.growth_limit))
        hits = self.hits(time, h)
        distance, dips = self.fade(h)
        asks, dipped = done & (asks | (hits > 0.0)), done & (dips > 0.0)
        good = done & ~asks & ~dipped

        nan = error.is_nan()
        shorter = self.shortened(where(wrong, 0.5, self.factor(error)), nan) * h
        repeated = self.own(Own.repeated)
        rejected = trying & ~done
        vain = rejected & nan & ((repeated + 1.0 > REJECTIONS) | self.too_small(shorter, t))
        again = rejected & ~vain

        change = self.factor(error)
        change = where(repeated > 0.0, where(change > 1.0, 1.0, change), change)
        self.store(
            where(good, self.following(h, change, planned), where(again, shorter, planned)), self.reals, Real64.h
        )
        self.keep(where(good, 0.0, where(again, repeated + 1.0, repeated)), Own.repeated)
        self.keep(self.own(Own.rejected) + where(again, 1.0, 0.0), Own.rejected)
        self.store(where(good, distance, self.load(self.reals, Real64.distance)), self.reals, Real64.distance)
        self.settle(time, h, good)
        stalls = self.stalls(time, good & ~time.equals(until))
        self.record(time, h, good)
        asks = asks | (live & small) | vain
        left = where(good & time.equals(until), float(Left.ENDED), where(asks, float(Left.ASKS), 0.0))
        left = where(stalls, float(Left.STALLS), where(fading | dipped, float(Left.FADES), left))
        self.keep(left, Own.left)
        with self.if_((left > 0.0).anywhere()), self.loop(self.int(self.members)) as lane:
            gone = b.fcmp_ordered(">", b.load(self.lane(Own.left, lane), typ=DOUBLE, align=8), ir.Constant(DOUBLE, 0.0))
            with self.if_(gone):
                self.leave(lane)

    @property
    def order(self) -> ir.Value:
        return self.load_int(self.ints, Queue.order)

    # numbers of the members --------------------------------------------------------------------------------------
    def own(self, place: Own) -> Real:
        return self.load(self.reals, place)

    def keep(self, value: Real, place: Own) -> None:
        self.store(value, self.reals, place)

    def lane(self, place: int, lane: ir.Value) -> ir.Value:
        """Address of the number of one member."""
        return self.cell(self.at(self.reals, place), lane)

    def arrive(self, time: Real) -> None:
        """The slope at the end of a step."""
        self.derivative(time, self.arguments["new"], 0)

    # parts of a step ---------------------------------------------------------------------------------------------
    def planned(self, h: Real) -> Real:
        """The step h, changed where a singular position lies ahead so that it falls between two stages."""
        ahead, d = self.singular_ahead(h)
        b, quiet = self.b, where(self.quiet(h), 1.0, 0.0)
        alone = (
            self.real(b.select(self.any_pivots(), quiet.value, self.real(1.0).value)) > 0.0
        )  # nobody leaps across it
        return where(ahead & alone, self.across(h, d, CROSSING), h)

    def kept_pivot(self, i: ir.Value, place: int) -> ir.Value:
        """What is kept of a pivot between steps stands with its member."""
        array = self.arguments["roots" if place in (ROOT, LARGEST) else "pivots"]
        return self.at(array, self.b.add(self.pivots, i) if place in (LARGEST, LOWEST) else i)

    def fade(self, h: Real) -> tuple[Real, Real]:
        """The time after which a pivot of each member would vanish, and how many may have vanished inside the step.

        Roots at its end stand where the least sizes were.
        """
        distance, dips = (self.variable(self.real_type, name) for name in ("distance", "dips"))
        self.store(inf, distance)
        self.store(0.0, dips)
        with self.if_(self.any_pivots()), self.loop(self.pivots) as i:
            end, lowest = self.pivot(i)
            root, largest = self.load(self.kept_pivot(i, ROOT)), self.load(self.kept_pivot(i, LARGEST))
            faded, least = self.faded(end, lowest, root, largest, abs(h)), self.load(distance)
            self.store(where(faded.distance < least, faded.distance, least), distance)
            self.store(self.load(dips) + where(faded.dipped, 1.0, 0.0), dips)
            self.store(faded.root, self.lowest(i))  # which nobody needs any more
        return self.load(distance), self.load(dips)

    def project_some(self, time: Real, which: Truth) -> None:
        """new ← the nearest state on the constraints for some members, positions first, then velocities."""
        a, n = self.arguments, self.coordinates
        self.store(time, self.reals, Real64.stage_time)
        states = self.at(self.reals, Real64.stage_time), a["new"], a["parameters"], a["scratch"]
        for flag, function, place in (
            (Int64.project_positions, a["positions"], a["new"]),
            (Int64.project_velocities, a["velocities"], self.at(a["new"], n)),
        ):
            correct_some(self, flag, partial(self.call, function, *states), place, a["scratch"], which)

    def hits(self, time: Real, h: Real) -> Real:
        """How many event functions of each member may have crossed zero in the step that ends at `time` in `new`."""
        total = self.variable(self.real_type, "hits")
        self.store(0.0, total)
        with self.if_(self.watching()):
            self.middle(h)
            self.looked_at(self.arguments["new"], time, h)
            with self.summing(self.load_int(self.ints, Int64.events), self.real(0.0)) as (i, hits):
                hits.value = hits.value + where(self.seen(i)[0], 1.0, 0.0)
            self.store(hits.value, total)
        return self.load(total)

    def without_number(self) -> Truth:
        """The same as alone, with a sum that stays in a register."""
        with self.summing(self.size, self.vector(0.0), self.chunk) as (i, sum_):
            for vector in (self.arguments["new"], self.arguments["stages"]):
                x = self.load_chunk(vector, i)
                sum_.value = sum_.value + (x - x)
        return self.total(sum_.value).is_nan()

    def watching(self) -> ir.Value:
        return self.b.icmp_signed(">", self.load_int(self.ints, Int64.events), self.int(0))

    def settle(self, time: Real, h: Real, good: Truth) -> None:
        """Takes `new` for the state at `time` of the members whose step is good; the others have their slope back."""
        b, a = self.b, self.arguments
        growth = self.load(self.reals, Real64.growth)
        room, before = 1.0 / sqrt(growth), self.load(self.reals, Real64.room)
        for value, place in (
            (time, Real64.t),
            ((before - room) / abs(h), Real64.fall),
            (room, Real64.room),
        ):
            self.store(where(good, value, self.load(self.reals, place)), self.reals, place)
        steps, length = self.own(Own.steps), abs(h)
        for value, place, better in (
            (growth, Own.largest, growth > self.own(Own.largest)),
            (length, Own.longest_taken, length > self.own(Own.longest_taken)),
            (length, Own.shortest_taken, (length < self.own(Own.shortest_taken)) & (steps > 0.0)),
        ):
            self.keep(where(good & better, value, self.own(place)), place)
        self.keep(steps + where(good, 1.0, 0.0), Own.steps)
        slope = b.mul(self.int(FIRST), self.size)
        with self.loop(self.size) as i:
            self.store(where(good, self.load(a["new"], i), self.load(a["y"], i)), a["y"], i)
            kept = self.load(a["stages"], b.add(slope, i))
            self.store(where(good, self.load(a["stages"], i), kept), a["stages"], i)
        with self.if_(self.any_pivots()), self.loop(self.pivots) as i:
            root, largest = self.kept_pivot(i, ROOT), self.kept_pivot(i, LARGEST)
            f, most = self.load(self.lowest(i)), self.load(largest)
            self.store(where(good & (f > most), f, most), largest)
            self.store(where(good, f, self.load(root)), root)
        with self.if_(self.watching()), self.loop(self.load_int(self.ints, Int64.events)) as i:
            place = b.mul(i, self.int(2))
            self.store(where(good, self.seen(i)[1], self.load(a["signs"], place)), a["signs"], place)

    def stalls(self, time: Real, going: Truth) -> Truth:
        """Whether the last steps of a member have brought it forward by next to nothing."""
        left = self.own(Own.budget) - where(going, 1.0, 0.0)
        look, since = going & (left <= 0.0), self.own(Own.since)
        self.keep(where(look, float(CHUNK_OF_STEPS), left), Own.budget)
        self.keep(where(look, time, since), Own.since)
        return look & (abs(time - since) < self.own(Own.least))

    def record(self, time: Real, h: Real, good: Truth) -> None:
        """The steps that are good, each with its member, t, h, the growth of the pivots and the state."""
        b, a = self.b, self.arguments
        wanted = b.icmp_signed("!=", self.load_int(self.ints, Queue.recording), self.int(0))
        with self.if_(wanted):
            ended, length, counts = (self.variable(self.real_type, name) for name in ("ended", "length", "counts"))
            self.store(time, ended)
            self.store(h, length)
            self.store(where(good, 1.0, 0.0), counts)
            with self.loop(self.int(self.members)) as lane:
                one = b.load(self.cell(counts, lane), typ=DOUBLE, align=8)
                with self.if_(b.fcmp_ordered(">", one, ir.Constant(DOUBLE, 0.0))):
                    width, k = self.load_int(self.ints, Int64.width), self.load_int(self.ints, Int64.recorded)
                    row = self.cell(a["record"], b.mul(k, width))
                    member = b.load(self.cell(self.cell(self.ints, Queue.members), lane), typ=INT, align=8)
                    b.store(b.sitofp(member, DOUBLE), row, align=8)
                    sources = self.cell(ended, lane), self.cell(length, lane), self.lane(Real64.growth, lane)
                    for place, source in enumerate(sources, 1):
                        b.store(b.load(source, typ=DOUBLE, align=8), self.cell(row, place), align=8)
                    with self.loop(self.order) as i:
                        y = b.load(self.cell(self.at(a["y"], i), lane), typ=DOUBLE, align=8)
                        b.store(y, self.cell(row, b.add(i, self.int(4))), align=8)
                    self.count(self.ints, Int64.recorded)

    # lanes -------------------------------------------------------------------------------------------------------
    def leave(self, lane: ir.Value) -> None:
        """Writes a member back to the table and gives its lane to the next one."""
        b, a = self.b, self.arguments
        numbers = self.load_int(self.ints, Queue.row)
        seat = self.cell(self.cell(self.ints, Queue.members), lane)
        row = self.cell(a["table"], b.mul(b.load(seat, typ=INT, align=8), numbers))
        with self.loop(numbers) as i:
            value = b.load(self.cell(self.at(self.reals, i), lane), typ=DOUBLE, align=8)
            b.store(value, self.cell(row, i), align=8)
        following = self.load_int(self.ints, Queue.waiting)
        with b.if_else(b.icmp_signed("<", following, self.load_int(self.ints, Queue.count))) as (some, none):
            with some:
                self.count(self.ints, Queue.waiting)
                b.store(following, seat, align=8)
                row = self.cell(a["table"], b.mul(following, numbers))
                with self.loop(numbers) as i:
                    value = b.load(self.cell(row, i), typ=DOUBLE, align=8)
                    b.store(value, self.cell(self.at(self.reals, i), lane), align=8)
            with none:
                self.count(self.ints, Queue.alive, -1)
                b.store(ir.Constant(DOUBLE, 0.0), self.lane(Own.live, lane), align=8)


class Dop853LeastLanes(Dop853Lanes):
    """The same for states of a few numbers, positions and not as many speeds: nothing is wasted on their padding."""

    name = "dop853_least_lanes"
    chunk = 1
    takes: ClassVar[Mapping[str, ir.Type]] = LEAST_ARGUMENTS

    @property
    def projected(self) -> ir.Value:
        """Positions; the speeds are free."""
        return self.coordinates

    def arrive(self, time: Real) -> None:
        """The slope at the end of a step and, where there are events, their functions there, which have most in common."""
        a = self.arguments
        with self.b.if_else(self.watching()) as (some, none):
            with some:
                self.store(time, self.reals, Real64.stage_time)
                clock, quality = (self.at(self.reals, place) for place in (Real64.stage_time, Real64.growth))
                self.call(
                    a["ending"], clock, a["new"], a["parameters"], a["stages"], quality, a["pivots"], a["scratch"]
                )
                self.count(self.ints, Int64.evaluations)
                self.note_pivots()
            with none:
                super().arrive(time)

    def looked_at(self, y: ir.Value, time: Real, h: Real) -> None:
        """The event functions in the middle of a step, beside those at its end."""
        a, count = self.arguments, self.load_int(self.ints, Int64.events)
        self.store(time - h * 0.5, self.reals, Real64.stage_time)
        halfway = self.at(a["stages"], self.b.mul(self.int(MIDDLE), self.size))
        clock = self.at(self.reals, Real64.stage_time)
        self.call(a["event"], clock, halfway, a["parameters"], self.at(a["scratch"], count))


def lanes_routine(target: Target, kind: type[Dop853Lanes] = Dop853Lanes) -> Code:
    """Machine code of steps in lanes, for a number of them and systems of every size."""
    return routine(kind, target, BEST)
