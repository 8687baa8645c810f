"""Values at many states: brought onto the constraints first, as those between steps are, and then looked at.

In SIMD lanes, or one after another: the arithmetic is the same, to the bit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import ClassVar

from zeromass.compile import ir
from zeromass.compile.elementary.arithmetic import Real, Truth, fma, sqrt, where
from zeromass.compile.target import Target
from zeromass.integrate.stepping.kernel import PROJECTIONS, REPEAT, ROUNDING, Routine
from zeromass.integrate.stepping.layout import Int64, Real64
from zeromass.integrate.stepping.status import Status
from zeromass.integrate.stepping.writer import INT, POINTER, function_pointer

PLACES = 8
"""At which a step is looked at."""


class Looks(Routine):
    """Values at eight places of each of `capacity` steps, in groups of as many as there are lanes.

    times   (steps, 8)
    inside  states, (steps, 8 / lanes, 2n, lanes), brought onto the constraints
    inner   of which states: where it is not zero, (steps, 8)
    moved   how far, in units of the tolerance, (steps, 8)
    values  (steps, 8 / lanes, events, lanes), of `value(t, y, parameters, accelerations, values)`; none if that is not given
    q̈       accelerations, (steps, 8 / lanes, n, lanes): as they are, or found first where `started` is not zero
    room    of what is between: 3n values in lanes, and the growth and the pivots of accelerations
    """

    name = "looks"
    side_by_side = True
    takes: ClassVar[Mapping[str, ir.Type]] = {
        **dict.fromkeys(("reals", "ints", "times", "inside", "inner", "moved"), POINTER),
        **dict.fromkeys(("values", "q̈", "room", "parameters"), POINTER),
        "positions": function_pointer(4),
        "velocities": function_pointer(4),
        "rhs": function_pointer(6),
        "value": function_pointer(5),
    }

    def __init__(self, module: ir.Module, target: Target) -> None:
        super().__init__(module, target)
        b, a, n, lanes = self.b, self.arguments, self.coordinates, self.members
        groups = self.int(PLACES // lanes)
        twice, outputs = b.mul(n, self.int(2)), self.load_int(self.ints, Int64.events)
        correcting = b.or_(*[self.flag(f) for f in (Int64.project_positions, Int64.project_velocities)])
        moving = self.flag(Int64.started)
        with self.loop(b.mul(self.load_int(self.ints, Int64.capacity), groups)) as k:
            t, y = self.at(a["times"], k), self.at(a["inside"], b.mul(k, twice))
            with self.if_(correcting):
                self.store(self.corrected(t, y, self.load(a["inner"], k) > 0.0), a["moved"], k)
            q̈ = self.at(a["q̈"], b.mul(k, n))
            with self.if_(moving):
                self.accelerate(t, y, q̈)
            with self.if_(b.icmp_signed(">", outputs, self.int(0))):
                self.call(a["value"], t, y, a["parameters"], q̈, self.at(a["values"], b.mul(k, outputs)))
        b.ret(self.int(Status.FINISHED))
        self.finish()

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
