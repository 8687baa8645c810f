"""The iteration of a leap as machine code: stages brought onto the constraints, evaluated, integrated, until they stand.

It is compiled once for systems of every size. Stages stand one after another, coordinates padded to whole chunks, and are
handed to the right-hand side in lanes; what is left of the last group of lanes repeats the last stage.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import ClassVar

from zeromass.codegen import ir
from zeromass.codegen.elementary.arithmetic import Real, fma, sqrt, where
from zeromass.codegen.target import Target
from zeromass.integrate.singular.places import ENDS, PLACES, STAGES
from zeromass.integrate.stepping.kernel import Routine
from zeromass.integrate.stepping.layout import ARGUMENTS, Int64, Real64
from zeromass.integrate.stepping.status import Status
from zeromass.integrate.stepping.writer import CHUNK, INT, POINTER

ITERATIONS = 40
"""After which an attempt is given up."""

CONVERGED = 1e-3
"""Change of the stages, in units of the tolerance, that ends the iteration."""

SLOW, EARLY = 0.5, 4
"""Contraction from which a change is taken for rounding, after some iterations."""

TABLES = (
    *("integrals", "told", "scales", "first", "accelerations", "stages", "ends"),
    *("times", "growths", "states", "slopes", "lanes"),
)
"""What a leap works with beside the memory of a run; see `Leaping`."""


class Told(IntEnum):
    """Places of what is told about a leap."""

    left = 0  # last change of the iteration, in units of the tolerance
    off = 1  # largest correction of a stage, in a position
    growth = 2  # largest, of the pivots
    correction = 3  # of the end, in units of the tolerance


class Leaping(Routine):
    """A leap of length h from t, where the state `first` is known.

    integrals      see `Integrals.table`
    told           see `Told`
    scales, first  1 over the errors allowed in a state, and a state: positions and velocities, each padded with 0
    accelerations  at the stages, padded; those to begin with, or those of `y` at t, where `started` is zero
    stages         states at the stages and at `ENDS`, as `first`
    ends           the latter, on the constraints
    times, growths, states, slopes, pivots  of the stages in lanes, group by group
    lanes          the parameters in lanes
    """

    name = "leap"
    twice: ir.Value
    padded: ir.Value
    takes: ClassVar[Mapping[str, ir.Type]] = {**ARGUMENTS, **dict.fromkeys(TABLES, POINTER)}

    def __init__(self, module: ir.Module, target: Target) -> None:
        self.width: int = target.width
        super().__init__(module, target)
        b, done, last = self.b, self.variable(INT, "done"), self.at(self.arguments["told"], Told.left)
        t, h = self.load(self.reals, Real64.t), self.load(self.reals, Real64.h)
        b.store(self.int(0), done)
        with self.if_(b.icmp_signed("==", self.load_int(self.ints, Int64.started), self.int(0))):
            self.begin(t)
        for j in range(self.in_lanes):
            self.store(fma(h, float(PLACES[min(j, STAGES - 1)]), t), self.arguments["times"], j)
        again, on, converged = (self.block(name) for name in ("again", "on", "converged"))
        b.branch(again)

        b.position_at_end(again)
        change, count = self.integrate(h), b.load(done, typ=INT)
        known = b.icmp_signed(">", count, self.int(0))
        self.leave_if(b.and_(known, (change - change).is_nan().value), Status.NOT_A_NUMBER)
        slow = b.and_(b.icmp_signed(">", count, self.int(EARLY)), (change > self.load(last) * SLOW).value)
        still = b.and_(known, b.or_((change < CONVERGED).value, slow))
        self.store(change, last)
        b.cbranch(still, converged, on)

        b.position_at_end(on)
        self.leave_if(b.icmp_signed(">=", count, self.int(ITERATIONS)), Status.STEP_TOO_SMALL)
        self.return_stages()
        self.evaluate()
        b.store(b.add(count, self.int(1)), done)
        b.branch(again)

        b.position_at_end(converged)
        self.arrive(t, h)
        b.ret(self.int(Status.FINISHED))
        self.finish()

    def prepare(self) -> None:
        b, n = self.b, self.coordinates
        self.in_lanes: int = -(-STAGES // self.width) * self.width
        self.twice = b.mul(n, self.int(2))
        self.padded = b.mul(b.sdiv(b.add(n, self.int(CHUNK - 1)), self.int(CHUNK)), self.int(CHUNK))

    # memory ----------------------------------------------------------------------------------------------------
    def in_stage(self, j: ir.Value) -> tuple[ir.Value, ir.Value]:
        """Addresses of the positions and of the velocities of a stage, or of an end."""
        place = self.b.mul(self.b.mul(j, self.int(2)), self.padded)
        return self.at(self.arguments["stages"], place), self.at(
            self.arguments["stages"], self.b.add(place, self.padded)
        )

    def lane(self, table: str, rows: ir.Value, j: ir.Value) -> ir.Value:
        """Address of the first row of a table in lanes for stage j; the next is `width` values further."""
        b, width = self.b, self.int(self.width)
        lane = b.srem(j, width)
        return self.at(self.arguments[table], b.add(b.mul(rows, b.sub(j, lane)), lane))

    def in_lane(self, i: ir.Value) -> ir.Value:
        return self.b.mul(i, self.int(self.width))

    @property
    def slope_rows(self) -> ir.Value:
        """Of the slopes in lanes: (q̇, q̈) where there is one lane, q̈ where there are several."""
        return self.twice if self.width == 1 else self.coordinates

    def slopes(self, j: ir.Value) -> ir.Value:
        """Address of q̈ in the lane of stage j."""
        first = self.lane("slopes", self.slope_rows, j)
        return self.at(first, self.coordinates) if self.width == 1 else first

    # the leap --------------------------------------------------------------------------------------------------
    def begin(self, t: Real) -> None:
        """Takes q̈ at the state `y` for that of all stages."""
        a = self.arguments
        for lane in range(self.width):
            self.store(t, a["times"], lane)
        for lane in range(self.width):
            states = self.lane("states", self.twice, self.int(lane))
            with self.loop(self.twice) as i:
                self.store(self.load(a["y"], i), states, self.in_lane(i))
        self.call_rhs(0)
        slopes = self.slopes(self.int(0))
        with self.loop(self.int(STAGES)) as j:
            accelerations = self.at(a["accelerations"], self.b.mul(j, self.padded))
            with self.loop(self.coordinates) as i:
                self.store(self.load(slopes, self.in_lane(i)), accelerations, i)

    def call_rhs(self, group: int) -> None:
        """Accelerations, growths and pivots at the states of a group of lanes that begins with a stage."""
        a, b = self.arguments, self.b
        rows = {"states": self.twice, "slopes": self.slope_rows, "pivots": self.pivots}
        states, slopes, pivots = (self.at(a[name], b.mul(count, self.int(group))) for name, count in rows.items())
        times, growths = (self.at(a[name], group) for name in ("times", "growths"))
        self.call(a["rhs"], times, states, a["lanes"], slopes, growths, pivots)
        self.count(self.ints, Int64.evaluations, self.width)

    def integrate(self, h: Real) -> Real:
        """States of the stages and of the ends from the accelerations; their change, in units of the tolerance."""
        a, b = self.arguments, self.b
        square, values = h * h, 2 * STAGES + 1
        with self.summing(self.padded, self.vector(0.0), CHUNK) as (i, total):
            k = [self.load_chunk(a["accelerations"], b.add(b.mul(self.int(j), self.padded), i)) for j in range(STAGES)]
            (q, qs), (v, vs) = (
                [self.load_chunk(a[name], place) for name in ("first", "scales")]
                for place in (i, b.add(i, self.padded))
            )
            with self.summing(self.int(STAGES + len(ENDS)), total.value) as (j, part):
                row = self.at(a["integrals"], b.mul(j, self.int(values)))
                weights = [self.splat(self.load(row, place)) for place in range(values)]
                place, rate = k[0] * weights[0], k[0] * weights[STAGES]
                for l in range(1, STAGES):
                    place, rate = fma(k[l], weights[l], place), fma(k[l], weights[STAGES + l], rate)
                place = q + fma(self.splat(h) * weights[-1], v, self.splat(square) * place)
                rate = fma(self.splat(h), rate, v)
                for new, scale, at in zip((place, rate), (qs, vs), self.in_stage(j), strict=True):
                    e = (new - self.load_chunk(at, i)) * scale
                    part.value = fma(e, e, part.value)
                    self.store_chunk(new, at, i)
            total.value = part.value
        return sqrt(self.total(total.value) / self.from_int(b.mul(self.twice, self.int(STAGES + len(ENDS)))))

    def return_stages(self) -> None:
        """Brings the stages onto the constraints, in lanes."""
        a, n = self.arguments, self.coordinates
        self.store(0.0, a["told"], Told.off)
        with self.loop(self.int(STAGES)) as j:
            self.take(j)
            self.project(self.load(a["times"], j))
            positions, _ = self.in_stage(j)
            with self.summing(n, self.load(a["told"], Told.off)) as (i, off):
                far = abs(self.load(a["new"], i) - self.load(positions, i))
                off.value = where(far > off.value, far, off.value)
            self.store(off.value, a["told"], Told.off)
            self.spread(j)
        for j in range(STAGES, self.in_lanes):
            self.spread(self.int(j))

    def spread(self, j: ir.Value) -> None:
        """The lane of a stage ← new"""
        states = self.lane("states", self.twice, j)
        with self.loop(self.twice) as i:
            self.store(self.load(self.arguments["new"], i), states, self.in_lane(i))

    def take(self, j: ir.Value) -> None:
        """new ← a stage, or an end"""
        new, n = self.arguments["new"], self.coordinates
        positions, velocities = self.in_stage(j)
        with self.loop(n) as i:
            self.store(self.load(positions, i), new, i)
            self.store(self.load(velocities, i), new, self.b.add(i, n))

    def evaluate(self) -> None:
        """Accelerations at the stages, from their states in lanes, and the largest growth."""
        a, b = self.arguments, self.b
        for group in range(0, self.in_lanes, self.width):
            self.call_rhs(group)
        with self.loop(self.int(STAGES)) as j:
            slopes, accelerations = self.slopes(j), self.at(a["accelerations"], b.mul(j, self.padded))
            with self.loop(self.coordinates) as i:
                self.store(self.load(slopes, self.in_lane(i)), accelerations, i)
        with self.summing(self.int(self.in_lanes), self.real(0.0)) as (j, worst):
            growth = self.load(a["growths"], j)
            worst.value = where(growth < worst.value, worst.value, growth)  # and what is no number stays
        self.store(worst.value, a["told"], Told.growth)

    def arrive(self, t: Real, h: Real) -> None:
        """The ends on the constraints, and what that took at the last."""
        a, b, n = self.arguments, self.b, self.coordinates
        for k, end in enumerate(ENDS):
            self.take(self.int(STAGES + k))
            self.project(t + h * end)
            with self.loop(self.twice) as i:
                self.store(self.load(a["new"], i), a["ends"], b.add(b.mul(self.int(k), self.twice), i))
        positions, velocities = self.in_stage(self.int(STAGES + len(ENDS) - 1))
        with self.summing(n, self.real(0.0)) as (i, total):
            for at, place, scale in ((positions, i, i), (velocities, b.add(i, n), b.add(i, self.padded))):
                e = (self.load(a["new"], place) - self.load(at, i)) * self.load(a["scales"], scale)
                total.value = fma(e, e, total.value)
        self.store(sqrt(total.value / self.from_int(self.twice)), a["told"], Told.correction)
