# pyright: reportArgumentType=false
# llvmlite has no types: what its builder returns is taken for None
"""The method of Dormand and Prince of order 8(5,3) with step control, as machine code [HNW1993, §II.4–II.6].

One piece of code for systems of every size: it is compiled once and calls the system's own functions by address. After
each accepted step the state is projected onto the constraints, then recorded; Python is asked only when the
record is full, an event function changes sign, or something is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from functools import cache

from llvmlite import ir

from zeromass.compile.elementary.arithmetic import Real, fma, sqrt, where
from zeromass.compile.machine import Code
from zeromass.integrate.dop853_coefficients import DENSE, ERROR_3, ERROR_5, EXTENDED, STAGES, A, C
from zeromass.integrate.functions import PROJECTIONS, REPEAT
from zeromass.integrate.kernel import CHUNK, DOUBLE, INT, POINTER, Writer, function_pointer
from zeromass.integrate.stepper import Status

CROSSING = 0.466
"""Part of a step at which a singular position is best placed: no stage is nearer to it than 0.13 of the step."""

EPSILON = 2.0**-52

SAFETY, SHRINK, GROW = 0.9, 0.2, 10.0
"""Part of the step that the error estimate allows that is taken, and the bounds of its change from step to step."""

FIRST, MIDDLE = 13, 14
"""Stages of the dense output, free during a step: they hold the slope at its start and the state in its middle."""

HEAD = 3
"""Values in a record before the state: t, h and the growth of the pivots."""


class Real64(IntEnum):
    """Places in the array of float64 settings and results."""

    t = 0
    h = 1
    until = 2
    rtol = 3
    atol = 4
    longest = 5
    growth_limit = 6
    growth = 7
    stage_time = 8
    fixed = 9  # not zero: every step has length h, no error is estimated
    room = 10  # growth^(−1/2), which falls linearly to zero at a singular position
    fall = 11  # its fall in unit time over the last step
    worst = 12  # largest growth in the stages of a step


class Int64(IntEnum):
    """Places in the array of int64 settings and counters."""

    coordinates = 0
    size = 1  # padded length of a state vector
    steps = 2
    rejected = 3
    evaluations = 4
    recorded = 5
    capacity = 6
    events = 7
    budget = 8  # steps until the code pauses
    started = 9  # whether the first derivative is there
    project_positions = 10
    project_velocities = 11
    repeated = 12  # rejections in a row
    width = 13  # values in a record: t, h, growth and the state


_ARGUMENTS: dict[str, ir.Type] = {
    "reals": POINTER,
    "ints": POINTER,
    "y": POINTER,
    "stages": POINTER,
    "new": POINTER,
    "scratch": POINTER,
    "parameters": POINTER,
    "record": POINTER,
    "signs": POINTER,
    "rhs": function_pointer(5),
    "positions": function_pointer(4),
    "velocities": function_pointer(4),
    "event": function_pointer(4),
}


@cache
def code(name: str) -> Code:
    """The machine code of `dop853_advance` or `dop853_dense`.

    LLVM's optimiser is left out: it doubles the time to compile and gains nothing, the loops are written as they shall run.
    """
    module = ir.Module(name)
    {"dop853_advance": _Advance, "dop853_dense": _Dense}[name](module)
    return Code(str(module), optimisation=0)


class _Method(Writer):
    def __init__(self, module: ir.Module, name: str) -> None:
        super().__init__(module, name, _ARGUMENTS, INT)
        self.reals, self.ints = self.arguments["reals"], self.arguments["ints"]
        self.size = self.load_int(self.ints, Int64.size)

    def derivative(self, time: Real, y: ir.Value, stage: int) -> None:
        """k_stage = f(time, y), and the growth of its pivots."""
        arguments = self.arguments
        self.store(time, self.reals, Real64.stage_time)
        place = self.at(arguments["stages"], self.b.mul(self.int(stage), self.size))
        clock, quality = self.at(self.reals, Real64.stage_time), self.at(self.reals, Real64.growth)
        self.call(arguments["rhs"], clock, y, arguments["parameters"], place, quality)
        self.count(self.ints, Int64.evaluations)

    def advance(self, weights: Mapping[int, float], h: Real, target: ir.Value) -> None:
        """target = y + h Σ w_s k_s"""
        step = self.splat(h)
        with self.loop(self.size, CHUNK) as i:
            slope = self.combination(weights, self.arguments["stages"], self.size, i)
            self.store_chunk(fma(step, slope, self.load_chunk(self.arguments["y"], i)), target, i)


class _Advance(_Method):
    """Steps until `until`, or until something happens."""

    def __init__(self, module: ir.Module) -> None:
        super().__init__(module, "dop853_advance")
        b, arguments = self.b, self.arguments
        loop, attempt, accepted, rejected = (self.block(n) for n in ("step", "attempt", "accepted", "rejected"))
        with self.if_(b.icmp_signed("==", self.load_int(self.ints, Int64.started), self.int(0))):
            self.derivative(self.load(self.reals, Real64.t), arguments["y"], 0)
            self.store_int(self.int(1), self.ints, Int64.started)
        b.branch(loop)

        b.position_at_end(loop)
        t, until = self.load(self.reals, Real64.t), self.load(self.reals, Real64.until)
        self.leave_if(b.fcmp_ordered("==", t.value, until.value), Status.FINISHED)
        full = b.icmp_signed(">=", self.load_int(self.ints, Int64.recorded), self.load_int(self.ints, Int64.capacity))
        self.leave_if(full, Status.RECORD_FULL)
        self.leave_if(b.icmp_signed("<=", self.load_int(self.ints, Int64.budget), self.int(0)), Status.PAUSED)
        b.branch(attempt)

        b.position_at_end(attempt)
        h = self.step_length(t, until)
        self.stages(t, h)
        error = self.error(h)
        fixed = self.fixed()
        b.cbranch(b.or_(fixed, (error < 1.0).value), accepted, rejected)

        b.position_at_end(rejected)
        self.reject(h, error)
        b.branch(loop)

        b.position_at_end(accepted)
        self.accept(t, h, until, error, fixed)
        b.branch(loop)
        self.finish()

    def leave_if(self, condition: ir.Value, status: Status) -> None:
        with self.if_(condition):
            self.b.ret(self.int(status))

    def step_length(self, t: Real, until: Real) -> Real:
        """The step to try: as controlled, not over `until`; a remainder shorter than a millionth of it is taken along."""
        h, rest = self.planned(self.load(self.reals, Real64.h)), until - t
        self.leave_if(self.too_small(h, t), Status.STEP_TOO_SMALL)
        return where(abs(h) * (1.0 + 1e-6) >= abs(rest), rest, h)

    def too_small(self, h: Real, t: Real) -> ir.Value:
        """Whether a step no longer changes the time."""
        return (abs(h) < abs(t) * 1e-15 + 1e-300).value

    def planned(self, h: Real) -> Real:
        """The step h, changed where a singular position lies ahead so that it falls between two stages.

        Its distance d follows from the fall of growth^(−1/2). The step before it ends where the next one, of length h,
        has it at `CROSSING`.
        """
        room, fall = self.load(self.reals, Real64.room), self.load(self.reals, Real64.fall)
        length, sign = abs(h), where(h < 0.0, -1.0, 1.0)
        d = room / fall
        ahead = (fall > 0.0) & (room < 0.25) & (d < length * 2.0)
        ahead = ahead & self.real(self.b.select(self.fixed(), self.real(0.0).value, self.real(1.0).value)).equals(1.0)
        runway = d - length * CROSSING
        shorter = where(runway < length, runway, length)
        across = where(d > length, length, d * (1.0 / CROSSING))
        return where(ahead, sign * where(runway > length * 0.05, shorter, across), h)

    def fixed(self) -> ir.Value:
        """Whether steps have a fixed length."""
        return self.b.fcmp_ordered("!=", self.load(self.reals, Real64.fixed).value, self.real(0.0).value)

    def stages(self, t: Real, h: Real) -> None:
        """k_1 … k_11 and the new state of order 8; k_0 is there from the last step."""
        new = self.arguments["new"]
        self.store(0.0, self.reals, Real64.worst)
        for s in range(1, STAGES):
            self.advance(A[s], h, new)
            self.derivative(fma(h, C[s], t), new, s)
            growth, worst = self.load(self.reals, Real64.growth), self.load(self.reals, Real64.worst)
            self.store(where(growth > worst, growth, worst), self.reals, Real64.worst)
        self.advance(A[STAGES], h, new)

    def error(self, h: Real) -> Real:
        """Error of the step over the tolerance: |h| e₅²/√(n (e₅² + 0.01 e₃²)), scaled by atol + rtol max(|y|, |y_new|).

        Rounding that the growth of the pivots has magnified is not made smaller by a shorter step, so the tolerance is
        never below it.
        """
        a = self.arguments
        fifth, third = self.variable(DOUBLE, "fifth"), self.variable(DOUBLE, "third")
        self.store(0.0, fifth)
        self.store(0.0, third)
        rtol, atol = (self.splat(self.load(self.reals, place)) for place in (Real64.rtol, Real64.atol))
        with self.loop(self.size, CHUNK) as i:
            old, new = abs(self.load_chunk(a["y"], i)), abs(self.load_chunk(a["new"], i))
            scale = 1.0 / fma(rtol, where(old > new, old, new), atol)
            for weights, sum_ in ((ERROR_5, fifth), (ERROR_3, third)):
                e = self.combination(weights, a["stages"], self.size, i) * scale
                self.store(self.load(sum_) + self.total(e * e), sum_)
        e5, e3 = self.load(fifth), self.load(third)
        n = self.real(self.b.sitofp(self.b.mul(self.load_int(self.ints, Int64.coordinates), self.int(2)), DOUBLE))
        below = sqrt((e5 + e3 * 0.01) * n)
        rounding = self.load(self.reals, Real64.worst) * EPSILON / self.load(self.reals, Real64.rtol)
        return where(e5.equals(0.0), 0.0, abs(h) * e5 / (below * where(rounding > 1.0, rounding, 1.0)))

    def factor(self, error: Real) -> Real:
        """0.9 error^(−1/8), between SHRINK and GROW; GROW for a vanishing error."""
        root = sqrt(sqrt(sqrt(error)))
        change = where(root > SAFETY / GROW, SAFETY / root, GROW)
        return where(change < SHRINK, SHRINK, change)

    def reject(self, h: Real, error: Real) -> None:
        """A smaller step; one that is not a number first becomes ten times smaller."""
        self.count(self.ints, Int64.rejected)
        self.count(self.ints, Int64.repeated)
        smaller = where(error.is_nan(), self.real(0.1), self.factor(error))
        shorter = where(smaller > 1.0, 1.0, smaller) * h
        again = self.b.icmp_signed(">", self.load_int(self.ints, Int64.repeated), self.int(60))
        vain = self.b.or_(again, self.too_small(shorter, self.load(self.reals, Real64.t)))
        self.leave_if(self.b.and_(vain, error.is_nan().value), Status.NOT_A_NUMBER)
        self.store(shorter, self.reals, Real64.h)

    def accept(self, t: Real, h: Real, until: Real, error: Real, fixed: ir.Value) -> None:
        b, a = self.b, self.arguments
        rest = until - t
        last = where(abs(h) >= abs(rest), 1.0, 0.0)
        time = where(last > 0.5, until, t + h)
        change = self.factor(error)
        after_rejection = b.icmp_signed(">", self.load_int(self.ints, Int64.repeated), self.int(0))
        change = self.real(b.select(after_rejection, where(change > 1.0, 1.0, change).value, change.value))
        longer, longest = h * change, self.load(self.reals, Real64.longest)
        bounded = where(abs(longer) > longest, longest * where(h < 0.0, -1.0, 1.0), longer)
        # a step cut short, by `until` or before a singular position, says nothing against the longer one of before
        planned = self.load(self.reals, Real64.h)
        cut = abs(h) < abs(planned)
        controlled = where(cut & (abs(planned) > abs(bounded)), planned, bounded)
        self.project(time)
        with self.loop(self.size, CHUNK) as i:  # the slope at the start of the step, for its middle
            self.store_chunk(self.load_chunk(a["stages"], i), a["stages"], b.add(b.mul(self.int(FIRST), self.size), i))
        self.derivative(time, a["new"], 0)
        self.middle(h)
        growth = self.load(self.reals, Real64.growth)
        self.leave_if(b.or_(growth.is_nan().value, self.not_finite()), Status.NOT_A_NUMBER)
        room = 1.0 / sqrt(growth)
        self.store((self.load(self.reals, Real64.room) - room) / abs(h), self.reals, Real64.fall)
        self.store(room, self.reals, Real64.room)
        self.store(self.real(b.select(fixed, planned.value, controlled.value)), self.reals, Real64.h)
        self.store(time, self.reals, Real64.t)
        self.store_int(self.int(0), self.ints, Int64.repeated)
        self.record(time, h)
        self.count(self.ints, Int64.steps)
        self.count(self.ints, Int64.budget, -1)
        self.events(time, h)  # first: new pivots start a new watch, and a crossing of this step would be lost
        self.leave_if((growth > self.load(self.reals, Real64.growth_limit)).value, Status.PIVOTS)

    def middle(self, h: Real) -> None:
        """The state in the middle of the step by Hermite's cubic, (y + y_new)/2 + h (f − f_new)/8, for events."""
        b, a = self.b, self.arguments
        eighth = self.splat(h * 0.125)
        with self.loop(self.size, CHUNK) as i:
            first = self.load_chunk(a["stages"], b.add(b.mul(self.int(FIRST), self.size), i))
            turn = first - self.load_chunk(a["stages"], i)
            mean = (self.load_chunk(a["y"], i) + self.load_chunk(a["new"], i)) * 0.5
            self.store_chunk(fma(eighth, turn, mean), a["stages"], b.add(b.mul(self.int(MIDDLE), self.size), i))

    def not_finite(self) -> ir.Value:
        """Whether the new state or its derivative is infinite or not a number somewhere: there x − x is no number."""
        sum_ = self.variable(DOUBLE, "differences")
        self.store(0.0, sum_)
        with self.loop(self.size, CHUNK) as i:
            for vector in (self.arguments["new"], self.arguments["stages"]):
                x = self.load_chunk(vector, i)
                self.store(self.load(sum_) + self.total(x - x), sum_)
        return self.load(sum_).is_nan().value

    def project(self, time: Real) -> None:
        """new ← the nearest state on the constraints, positions first, then velocities."""
        a = self.arguments
        self.store(time, self.reals, Real64.stage_time)
        n = self.load_int(self.ints, Int64.coordinates)
        velocities = self.at(a["new"], n)
        for flag, function, place in (
            (Int64.project_positions, a["positions"], a["new"]),
            (Int64.project_velocities, a["velocities"], velocities),
        ):
            self.correct(flag, function, place, n)

    def correct(self, flag: Int64, function: ir.Value, place: ir.Value, n: ir.Value) -> None:
        b, a = self.b, self.arguments
        again, after = self.block("correct"), self.block("corrected")
        passes, largest = self.variable(INT, "passes"), self.variable(DOUBLE, "largest")
        self.b.store(self.int(0), passes)
        wanted = b.icmp_signed("!=", self.load_int(self.ints, flag), self.int(0))
        b.cbranch(wanted, again, after)
        b.position_at_end(again)
        clock = self.at(self.reals, Real64.stage_time)
        self.call(function, clock, a["new"], a["parameters"], a["scratch"])
        self.store(0.0, largest)
        with self.loop(n) as i:
            x, change = self.load(place, i), self.load(a["scratch"], i)
            size = abs(change) / where(abs(x) > 1.0, abs(x), 1.0)
            worst = self.load(largest)
            self.store(where(size > worst, size, worst), largest)
            self.store(x + change, place, i)
        done = b.add(b.load(passes, typ=INT), self.int(1))
        b.store(done, passes)
        more = b.and_((self.load(largest) > REPEAT).value, b.icmp_signed("<", done, self.int(PROJECTIONS)))
        b.cbranch(more, again, after)
        b.position_at_end(after)

    def record(self, time: Real, h: Real) -> None:
        """y ← new, and into the record with t, h and the growth of the pivots."""
        b, a = self.b, self.arguments
        with self.loop(self.size, CHUNK) as i:
            self.store_chunk(self.load_chunk(a["new"], i), a["y"], i)
        width, k = self.load_int(self.ints, Int64.width), self.load_int(self.ints, Int64.recorded)
        row = self.at(a["record"], b.mul(k, width))
        self.store(time, row, 0)
        self.store(h, row, 1)
        self.store(self.load(self.reals, Real64.growth), row, 2)
        with self.loop(b.sub(width, self.int(HEAD))) as i:
            self.store(self.load(a["new"], i), row, b.add(i, self.int(HEAD)))
        self.count(self.ints, Int64.recorded)

    def events(self, time: Real, h: Real) -> None:
        """Returns where an event function has changed sign the way it is watched for, or has another sign in the middle.

        `signs` holds for each event its last value and its direction: 1 rising, −1 falling, 0 either.
        """
        b, a = self.b, self.arguments
        count = self.load_int(self.ints, Int64.events)
        hit = self.variable(INT, "hit")
        b.store(self.int(0), hit)
        with self.if_(b.icmp_signed(">", count, self.int(0))):
            self.store(time, self.reals, Real64.stage_time)
            clock = self.at(self.reals, Real64.stage_time)
            self.call(a["event"], clock, a["y"], a["parameters"], a["scratch"])
            self.store(time - h * 0.5, self.reals, Real64.stage_time)
            between = self.at(a["scratch"], count)
            halfway = self.at(a["stages"], b.mul(self.int(MIDDLE), self.size))
            self.call(a["event"], clock, halfway, a["parameters"], between)
            with self.loop(count) as i:
                place = b.mul(i, self.int(2))
                old, new = self.load(a["signs"], place), self.load(a["scratch"], i)
                direction = self.load(a["signs"], b.add(place, self.int(1)))
                rising = (old < 0.0) & (new >= 0.0) & (direction >= 0.0)
                falling = (old > 0.0) & (new <= 0.0) & (direction <= 0.0)
                inside = self.load(between, i)
                twice = ((old * inside) < 0.0) & ((inside * new) < 0.0)
                crossed = b.zext((rising | falling | twice).value, INT)
                b.store(b.or_(b.load(hit, typ=INT), crossed), hit)
                self.store(where(new.equals(0.0), old, new), a["signs"], place)
        self.leave_if(b.icmp_signed("!=", b.load(hit, typ=INT), self.int(0)), Status.EVENT)


class _Dense(_Method):
    """Coefficients of the dense output of the step h from y to `new` at t, written to `record`: seven vectors of `size`.

    y(t + θh) = y + θ (F₀ + (1 − θ)(F₁ + θ (F₂ + (1 − θ)(F₃ + θ (F₄ + (1 − θ)(F₅ + θ F₆))))))
    """

    def __init__(self, module: ir.Module) -> None:
        super().__init__(module, "dop853_dense")
        b, a = self.b, self.arguments
        t, h = self.load(self.reals, Real64.t), self.load(self.reals, Real64.h)
        self.derivative(t, a["y"], 0)
        for s in range(1, STAGES):
            self.advance(A[s], h, a["scratch"])
            self.derivative(fma(h, C[s], t), a["scratch"], s)
        self.derivative(t + h, a["new"], STAGES)
        for s in range(STAGES + 1, EXTENDED):
            self.advance(A[s], h, a["scratch"])
            self.derivative(fma(h, C[s], t), a["scratch"], s)
        step = self.splat(h)
        with self.loop(self.size, CHUNK) as i:
            first, last = (self.load_chunk(a["stages"], b.add(b.mul(self.int(s), self.size), i)) for s in (0, STAGES))
            change = self.load_chunk(a["new"], i) - self.load_chunk(a["y"], i)
            vectors = [change, step * first - change, change * 2.0 - step * (first + last)]
            vectors += [step * self.combination(weights, a["stages"], self.size, i) for weights in DENSE]
            for k, vector in enumerate(vectors):
                self.store_chunk(vector, a["record"], b.add(b.mul(self.int(k), self.size), i))
        b.ret(self.int(Status.FINISHED))
        self.finish()
