"""Values of expressions at many states along dense output, in machine code: states are brought onto the constraints first.

In SIMD lanes, or one after another: the arithmetic is the same, to the bit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import ClassVar

from zeromass.codegen import ir
from zeromass.codegen.elementary.arithmetic import Real, Truth, fma, sqrt, where
from zeromass.codegen.target import Target
from zeromass.integrate.stepping.between import legendre_at
from zeromass.integrate.stepping.dense import DEGREE
from zeromass.integrate.stepping.kernel import PROJECTIONS, REPEAT, ROUNDING, Routine
from zeromass.integrate.stepping.layout import Int64, Real64
from zeromass.integrate.stepping.status import Status
from zeromass.integrate.stepping.writer import DOUBLE, INT, POINTER, function_pointer

PLACES = 8
"""Of which the last is the end of a step, as it was recorded: it is on the constraints."""


class NodeValues(Routine):
    """Values at eight places of each of `capacity` steps, in groups of as many as there are lanes.

    times   (steps, 8)
    inside  states, (steps, 8 / lanes, 2n, lanes), brought onto the constraints where they are
    moved   how far, in units of the tolerance, (steps, 8)
    values  (steps, 8 / lanes, events, lanes), of `value(t, y, parameters, accelerations, values)`; none if that is not given
    q̈       accelerations, (steps, 8 / lanes, n, lanes): as they are, or found first where `started` is not zero
    room    of what is between: 3n values in lanes, and the growth and the pivots of accelerations
    """

    name = "node_values"
    side_by_side = True
    takes: ClassVar[Mapping[str, ir.Type]] = {
        **dict.fromkeys(("reals", "ints", "times", "inside", "moved", "values", "q̈", "room", "parameters"), POINTER),
        "positions": function_pointer(4),
        "velocities": function_pointer(4),
        "rhs": function_pointer(6),
        "value": function_pointer(5),
    }

    def __init__(self, module: ir.Module, target: Target) -> None:
        super().__init__(module, target)
        self.sample()
        self.b.ret(self.int(Status.FINISHED))
        self.finish()

    def sample(self) -> None:
        b, a, n = self.b, self.arguments, self.coordinates
        groups = self.int(PLACES // self.members)
        with self.loop(b.mul(self.load_int(self.ints, Int64.capacity), groups)) as k:
            y, q̈ = self.at(a["inside"], b.mul(k, self.order)), self.at(a["q̈"], b.mul(k, n))
            self.sample_group(k, y, q̈, lambda: self.inner(b.srem(k, groups)))

    def sample_group(self, k: ir.Value, y: ir.Value, q̈: ir.Value, inner: Callable[[], Truth]) -> None:
        """Samples the k-th group of states; `inner` tells which of them are brought onto the constraints."""
        b, a, t = self.b, self.arguments, self.at(self.arguments["times"], k)
        outputs = self.load_int(self.ints, Int64.events)
        with self.if_(b.or_(*[self.flag(f) for f in (Int64.project_positions, Int64.project_velocities)])):
            self.store(self.corrected(t, y, inner()), a["moved"], k)
        with self.if_(self.flag(Int64.started)):
            self.accelerate(t, y, q̈)
        with self.if_(b.icmp_signed(">", outputs, self.int(0))):
            self.call(a["value"], t, y, a["parameters"], q̈, self.at(a["values"], b.mul(k, outputs)))

    def accelerate(self, t: ir.Value, y: ir.Value, q̈: ir.Value) -> None:
        """Accelerations at some states; alone, a state has its rates before them."""
        n, room = self.coordinates, self.arguments["room"]
        slopes, more = (room, self.at(room, self.order)) if self.members == 1 else (q̈, room)
        self.call(self.arguments["rhs"], t, y, self.arguments["parameters"], slopes, more, self.at(more, 1))
        if self.members == 1:
            with self.loop(n) as i:
                self.store(self.load(room, self.b.add(n, i)), q̈, i)

    def flag(self, place: Int64) -> ir.Value:
        return self.b.icmp_signed("!=", self.load_int(self.ints, place), self.int(0))

    def inner(self, group: ir.Value) -> Truth:
        """Places that are not the end of a step."""
        first = self.from_int(self.b.mul(group, self.int(self.members)))
        if self.members == 1:
            return first < PLACES - 1.0
        return first + self.real(ir.Constant(self.real_type, [float(k) for k in range(self.members)])) < PLACES - 1.0

    def corrected(self, t: ir.Value, y: ir.Value, which: Truth) -> Real:
        """Brings some states onto the constraints, positions first, then velocities; how far, in units of the tolerance."""
        b, n, room = self.b, self.coordinates, self.arguments["room"]
        before, change = self.at(room, 0), self.at(room, b.mul(n, self.int(2)))
        with self.loop(self.order) as i:
            self.store(self.load(y, i), before, i)
        for flag, function, place in (
            (Int64.project_positions, "positions", y),
            (Int64.project_velocities, "velocities", self.at(y, n)),
        ):
            correct = partial(self.call, self.arguments[function], t, y, self.arguments["parameters"], change)
            correct_some(self, flag, correct, place, change, which)
        rtol, atol = (self.load(self.reals, place) for place in (Real64.rtol, Real64.atol))
        with self.summing(self.order, self.real(0.0)) as (i, total):
            old = self.load(before, i)
            e = (self.load(y, i) - old) / (fma(rtol, abs(old), atol) + ROUNDING)
            total.value = fma(e, e, total.value)
        return sqrt(total.value / self.from_int(self.order))


class TimeValues(NodeValues):
    """Values at `width` groups of times in each of `capacity` steps, in as many lanes as times of a group.

    times        (steps, width, lanes), within their steps; at the ends of these are the states that were recorded
    inside, q̈    room for the states of one group, and for their accelerations
    moved        how far states were brought onto the constraints, (steps, width, lanes)
    values       (steps, width, 1, lanes)
    t, y         at the ends of all steps of a run
    steps        numbers of the steps among those, and of their polynomials among these, (capacity, 2)
    table        where the polynomials are
    """

    name = "time_values"
    takes: ClassVar[Mapping[str, ir.Type]] = {
        **NodeValues.takes,
        **dict.fromkeys(("t", "y", "steps"), POINTER),
    }

    def sample(self) -> None:
        b, a, order = self.b, self.arguments, self.order
        groups, inside = self.load_int(self.ints, Int64.width), a["inside"]
        polynomials = b.inttoptr(self.load_int(self.ints, Int64.table), POINTER)
        with self.loop(self.load_int(self.ints, Int64.capacity)) as s:
            of = b.mul(s, self.int(2))
            step, row = (b.load(self.cell(a["steps"], b.add(of, self.int(k))), typ=INT, align=8) for k in range(2))
            after = b.add(step, self.int(1))
            t0, t1 = (self.every(a["t"], place) for place in (step, after))
            begin, end = b.mul(step, order), b.mul(after, order)
            first = b.mul(row, b.mul(order, self.int(DEGREE + 1)))
            with self.loop(groups) as g:
                k = b.add(b.mul(s, groups), g)
                time = self.load(a["times"], k)
                P = legendre_at((time - t0) / (t1 - t0), self.real(1.0), DEGREE + 1)
                begins, ends = time.equals(t0), time.equals(t1)
                with self.loop(order) as i:
                    place, total = b.add(first, i), self.real(0.0)
                    for p in P:
                        total = total + p * self.every(polynomials, place)
                        place = b.add(place, order)
                    total = where(ends, self.every(a["y"], b.add(end, i)), total)
                    self.store(where(begins, self.every(a["y"], b.add(begin, i)), total), inside, i)
                self.sample_group(k, inside, a["q̈"], lambda begins=begins, ends=ends: ~(begins | ends))

    def every(self, array: ir.Value, place: ir.Value) -> Real:
        """One number, in every lane."""
        x = self.b.load(self.cell(array, place), typ=DOUBLE, align=8)
        return self.real(x if self.members == 1 else self._spread(x, self.members))


def correct_some(
    writer: Routine, flag: Int64, correct: Callable[[], object], place: ir.Value, change: ir.Value, which: Truth
) -> None:
    """Corrections of some states are repeated, each while its own are large, whatever those of the others are.

    correct  writes how `change` is found for what is at `place`
    """
    b = writer.b
    again, after = writer.block("correct"), writer.block("corrected")
    passes, wanted = writer.variable(INT, "passes"), writer.variable(writer.real_type, "wanted")
    b.store(writer.int(0), passes)
    writer.store(where(which, 1.0, 0.0), wanted)
    asked = b.icmp_signed("!=", writer.load_int(writer.ints, flag), writer.int(0))
    b.cbranch(asked, again, after)
    b.position_at_end(again)
    correct()
    some = writer.load(wanted) > 0.0
    with writer.summing(writer.coordinates, writer.real(0.0)) as (i, large):
        x, δ = writer.load(place, i), writer.load(change, i)
        size = where(abs(x) > 1.0, abs(x), 1.0)
        large.value = large.value + where(abs(δ) > size * REPEAT, 1.0, 0.0)
        writer.store(where(some, x + δ, x), place, i)
    more = some & (large.value > 0.0)
    writer.store(where(more, 1.0, 0.0), wanted)
    done = b.add(b.load(passes, typ=INT), writer.int(1))
    b.store(done, passes)
    b.cbranch(b.and_(more.anywhere(), b.icmp_signed("<", done, writer.int(PROJECTIONS))), again, after)
    b.position_at_end(after)
