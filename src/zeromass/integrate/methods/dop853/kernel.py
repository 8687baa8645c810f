"""The method of Dormand and Prince of order 8(5,3) with step control, as machine code [HNW1993, §II.4–II.6]."""

from __future__ import annotations

from collections.abc import Mapping

from zeromass.codegen import ir
from zeromass.codegen.elementary.arithmetic import Real, Truth, fma, sqrt, where
from zeromass.codegen.target import Target
from zeromass.integrate.methods.dop853.coefficients import DENSE, ERROR_3, ERROR_5, EXTENDED, STAGES, A, C
from zeromass.integrate.stepping.kernel import EPSILON, Advance, Control, Routine
from zeromass.integrate.stepping.layout import Int64, Real64
from zeromass.integrate.stepping.status import Status

SAFETY, SHRINK, GROW = 0.9, 0.2, 10.0
"""Part of the step that the error estimate allows that is taken, and the bounds of its change from step to step."""

FIRST, MIDDLE = 13, 14
"""Stages of the dense output, free during a step: they hold the slope at its start, and first the end before its
projection, then the state in its middle."""


class _Stages(Routine):
    """Derivatives and combinations of them."""

    def derivative(self, time: Real, y: ir.Value, stage: int) -> None:
        """k_stage = f(time, y), and the growth of its pivots."""
        arguments = self.arguments
        self.store(time, self.reals, Real64.stage_time)
        place = self.at(arguments["stages"], self.b.mul(self.int(stage), self.size))
        clock, quality = self.at(self.reals, Real64.stage_time), self.at(self.reals, Real64.growth)
        self.call(arguments["rhs"], clock, y, arguments["parameters"], place, quality, arguments["pivots"])
        self.count(self.ints, Int64.evaluations)
        self.note_pivots()

    def note_pivots(self) -> None:
        """Nothing is asked of pivots in steps that are taken again."""

    def advance(self, weights: Mapping[int, float], h: Real, target: ir.Value) -> None:
        """target = y + h Σ w_s k_s"""
        step = self.splat(h)
        with self.loop(self.size, self.chunk) as i:
            slope = self.combination(weights, self.arguments["stages"], self.size, i)
            self.store_chunk(fma(step, slope, self.load_chunk(self.arguments["y"], i)), target, i)


CROSSING = 0.466
"""Part of a step that crosses a singular position where that is best placed: no stage is nearer to it than 0.13 of the
step."""


class Dop853Step(_Stages, Control):
    """The formulas of a step of order 8, for one state or for several side by side."""

    def note_pivots(self) -> None:
        """The least sizes of pivots so far in the step."""
        with self.if_(self.any_pivots()), self.loop(self.pivots) as i:
            size, least = abs(self.load(self.kept_pivot(i, 0))), self.load(self.lowest(i))
            self.store(where(size < least, size, least), self.lowest(i))

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
        rtol, atol = (self.splat(self.load(self.reals, place)) for place in (Real64.rtol, Real64.atol))
        with self.sums(self.size, [self.real(0.0)] * 2, self.chunk) as (i, (fifth, third)):
            old, new = abs(self.load_chunk(a["y"], i)), abs(self.load_chunk(a["new"], i))
            scale = 1.0 / fma(rtol, where(old > new, old, new), atol)
            for weights, sum_ in ((ERROR_5, fifth), (ERROR_3, third)):
                e = self.combination(weights, a["stages"], self.size, i) * scale
                sum_.value = sum_.value + self.total(e * e)
        e5, e3 = fifth.value, third.value
        n = self.from_int(self.order)
        below = sqrt((e5 + e3 * 0.01) * n)
        rounding = self.load(self.reals, Real64.worst) * EPSILON / self.load(self.reals, Real64.rtol)
        return where(e5.equals(0.0), 0.0, abs(h) * e5 / (below * where(rounding > 1.0, rounding, 1.0)))

    def factor(self, error: Real) -> Real:
        """0.9 error^(−1/8), between SHRINK and GROW; GROW for a vanishing error."""
        root = sqrt(sqrt(sqrt(error)))
        change = where(root > SAFETY / GROW, SAFETY / root, GROW)
        return where(change < SHRINK, SHRINK, change)

    def kept_end(self) -> ir.Value:
        """Where the end of a step is kept while it is projected."""
        end = self.at(self.arguments["stages"], self.b.mul(self.int(MIDDLE), self.size))
        with self.loop(self.size, self.chunk) as i:
            self.store_chunk(self.load_chunk(self.arguments["new"], i), end, i)
        return end

    def keep_slope(self) -> None:
        """Keeps the slope at the start of a step, for its middle."""
        stages, place = self.arguments["stages"], self.b.mul(self.int(FIRST), self.size)
        with self.loop(self.size, self.chunk) as i:
            self.store_chunk(self.load_chunk(stages, i), stages, self.b.add(place, i))

    def middle(self, h: Real) -> None:
        """The state in the middle of the step by Hermite's cubic, (y + y_new)/2 + h (f − f_new)/8, for events."""
        b, a = self.b, self.arguments
        eighth = self.splat(h * 0.125)
        with self.loop(self.size, self.chunk) as i:
            first = self.load_chunk(a["stages"], b.add(b.mul(self.int(FIRST), self.size), i))
            turn = first - self.load_chunk(a["stages"], i)
            mean = (self.load_chunk(a["y"], i) + self.load_chunk(a["new"], i)) * 0.5
            self.store_chunk(fma(eighth, turn, mean), a["stages"], b.add(b.mul(self.int(MIDDLE), self.size), i))

    def without_number(self) -> Truth:
        """Whether the new state or its derivative is infinite or not a number somewhere: there x − x is no number."""
        sum_ = self.variable(self.real_type, "differences")
        self.store(0.0, sum_)
        with self.loop(self.size, self.chunk) as i:
            for vector in (self.arguments["new"], self.arguments["stages"]):
                x = self.load_chunk(vector, i)
                self.store(self.load(sum_) + self.total(x - x), sum_)
        return self.load(sum_).is_nan()

    def looked_at(self, y: ir.Value, time: Real, h: Real) -> None:
        """The event functions at the end of a step, y, and in its middle, one after the other in `scratch`."""
        a = self.arguments
        count = self.load_int(self.ints, Int64.events)
        clock = self.at(self.reals, Real64.stage_time)
        self.store(time, self.reals, Real64.stage_time)
        self.call(a["event"], clock, y, a["parameters"], a["scratch"])
        self.store(time - h * 0.5, self.reals, Real64.stage_time)
        halfway = self.at(a["stages"], self.b.mul(self.int(MIDDLE), self.size))
        self.call(a["event"], clock, halfway, a["parameters"], self.at(a["scratch"], count))

    def seen(self, i: ir.Value) -> tuple[Truth, Real]:
        """Whether the event function i, looked at, may have crossed zero, and its value to compare the next one with."""
        b, a = self.b, self.arguments
        count, place = self.load_int(self.ints, Int64.events), b.mul(i, self.int(2))
        old, direction = self.load(a["signs"], place), self.load(a["signs"], b.add(place, self.int(1)))
        new, inside = self.load(a["scratch"], i), self.load(self.at(a["scratch"], count), i)
        twice = ((old * inside) < 0.0) & ((inside * new) < 0.0)
        twice = twice | (self.dips((old, inside, new), 0.5, 0.5) & self.turns(direction))
        crossed = self.crossed(old, new, direction) | twice
        return crossed, where(new.equals(0.0), old, new)


class Dop853Advance(Dop853Step, Advance):
    """Steps of order 8, one state after the other."""

    name = "dop853_advance"
    crossing: float | None = CROSSING

    def begin(self) -> None:
        self.derivative(self.load(self.reals, Real64.t), self.arguments["y"], 0)

    def attempt(self, t: Real, h: Real, until: Real) -> None:
        self.stages(t, h)
        error = self.error(h)
        accepted, rejected = self.block("accepted"), self.block("rejected")
        self.b.cbranch(self.b.or_(self.fixed(), (error < 1.0).value), accepted, rejected)
        self.b.position_at_end(rejected)
        self.reject(h, self.factor(error), error.is_nan())
        self.b.position_at_end(accepted)
        self.accept(t, h, until, error)

    def accept(self, t: Real, h: Real, until: Real, error: Real) -> None:
        time = self.arrival(t, h, until)
        end = self.kept_end()
        self.project(time)
        with self.if_(self.unexplained(self.load(self.reals, Real64.worst), lambda i: self.load(end, i))):
            self.reject(h, self.real(0.5), self.real(0.0).is_nan())
        self.keep_slope()
        self.derivative(time, self.arguments["new"], 0)
        self.middle(h)
        self.settle(time, h, self.factor(error))

    def not_finite(self) -> ir.Value:
        return self.without_number().value

    def happened(self, time: Real, h: Real) -> Real:
        """An event function is looked at in the middle of the step too: it may have changed sign twice."""
        self.looked_at(self.arguments["y"], time, h)
        with self.summing(self.load_int(self.ints, Int64.events), self.real(0.0)) as (i, hits):
            seen, value = self.seen(i)
            hits.value = hits.value + where(seen, self.weight(i), 0.0)
            self.store(value, self.arguments["signs"], self.b.mul(i, self.int(2)))
        return hits.value


DENSE_VECTORS = 3 + len(DENSE)
"""Coefficients of the dense output of a step."""


class Dense(_Stages):
    """Coefficients of the dense output of a step h from y to `new` at t: seven vectors of `size`.

    y(t + θh) = y + θ (F₀ + (1 − θ)(F₁ + θ (F₂ + (1 − θ)(F₃ + θ (F₄ + (1 − θ)(F₅ + θ F₆))))))
    """

    def write(self, t: Real, h: Real, to: ir.Value) -> None:
        """Takes the step again."""
        b, a = self.b, self.arguments
        self.derivative(t, a["y"], 0)
        for s in range(1, STAGES):
            self.advance(A[s], h, a["scratch"])
            self.derivative(fma(h, C[s], t), a["scratch"], s)
        self.derivative(t + h, a["new"], STAGES)
        for s in range(STAGES + 1, EXTENDED):
            self.advance(A[s], h, a["scratch"])
            self.derivative(fma(h, C[s], t), a["scratch"], s)
        step = self.splat(h)
        with self.loop(self.size, self.chunk) as i:
            first, last = (self.load_chunk(a["stages"], b.add(b.mul(self.int(s), self.size), i)) for s in (0, STAGES))
            change = self.load_chunk(a["new"], i) - self.load_chunk(a["y"], i)
            vectors = [change, step * first - change, change * 2.0 - step * (first + last)]
            vectors += [step * self.combination(weights, a["stages"], self.size, i) for weights in DENSE]
            for k, vector in enumerate(vectors):
                self.store_chunk(vector, to, b.add(b.mul(self.int(k), self.size), i))


class Dop853Dense(Dense):
    """Those of one step, to `record`."""

    name = "dop853_dense"

    def __init__(self, module: ir.Module, target: Target) -> None:
        super().__init__(module, target)
        t, h = self.load(self.reals, Real64.t), self.load(self.reals, Real64.h)
        self.write(t, h, self.arguments["record"])
        self.b.ret(self.int(Status.FINISHED))
        self.finish()
