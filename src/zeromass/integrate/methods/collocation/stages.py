"""The stages of a step of collocation in SIMD lanes: prediction, iteration, and the units of their errors."""

from __future__ import annotations

from collections.abc import Callable

from zeromass.codegen import ir
from zeromass.codegen.elementary.arithmetic import Real, fma, sqrt, where
from zeromass.codegen.target import Target
from zeromass.integrate.methods.collocation.coefficients import BARYCENTRIC, ONCE, STAGES, TWICE, C
from zeromass.integrate.stepping.kernel import EPSILON, Routine
from zeromass.integrate.stepping.layout import Int64, Real64
from zeromass.integrate.stepping.writer import CHUNK, DOUBLE, INT, VECTOR

END = STAGES - 1
"""The stage at the end of the step."""

TIMES, GROWTH, MATRIX, LANES = 0, 8, 16, 80
"""Places in the memory of the stages: their times and growths, the matrix of the prediction, tables of the system's size."""

TABLES = 34
"""Values that these tables hold for each coordinate; the parameters in lanes come after them."""

UNKNOWN = 1.0
"""Stands for a contraction that no step has told yet."""


class Stages(Routine):
    """Stages in lanes: of a table with r rows, the values of a row stand beside each other in groups of `width`."""

    times: ir.Value
    growths: ir.Value
    matrix: ir.Value
    states: ir.Value
    accelerations: ir.Value
    before: ir.Value
    scales: ir.Value
    constants: ir.Value

    def __init__(self, module: ir.Module, target: Target) -> None:
        self.lanes: int = target.width
        super().__init__(module, target)

    def prepare(self) -> None:
        b, n = self.b, self.coordinates
        self.twice: ir.Value = b.mul(n, self.int(2))
        stages = self.arguments["stages"]
        self.times, self.growths, self.matrix = (self.at(stages, place) for place in (TIMES, GROWTH, MATRIX))

        def part(values: int) -> ir.Value:
            return self.at(stages, b.add(self.int(LANES), b.mul(n, self.int(values))))

        self.states, self.accelerations, self.before = part(0), part(16), part(24)
        self.scales, self.constants = part(32), part(TABLES)

    # memory ----------------------------------------------------------------------------------------------------
    def place(self, rows: ir.Value, i: ir.Value, stage: int) -> ir.Value:
        """Index of one value of a table in lanes."""
        b, group = self.b, stage // self.lanes * self.lanes
        inside = b.add(b.mul(i, self.int(self.lanes)), self.int(stage % self.lanes))
        return b.add(b.mul(rows, self.int(group)), inside) if group else inside

    def load_stages(self, table: ir.Value, rows: ir.Value, i: ir.Value) -> Real:
        """A row of a table, all stages as one chunk."""
        part, width = ir.VectorType(DOUBLE, self.lanes), self.lanes
        places = [self.at(table, self.place(rows, i, stage)) for stage in range(0, STAGES, self.lanes)]
        parts = [self.b.load(place, typ=part, align=8) for place in places]
        while len(parts) > 1:
            width *= 2
            mask = self._mask(range(width))
            parts = [self.b.shuffle_vector(x, y, mask) for x, y in zip(parts[::2], parts[1::2], strict=True)]
        return self.vector(parts[0])

    def store_stages(self, value: Real, table: ir.Value, rows: ir.Value, i: ir.Value) -> None:
        for stage in range(0, STAGES, self.lanes):
            chosen = value.value
            if self.lanes < STAGES:
                mask = self._mask(range(stage, stage + self.lanes))
                chosen = self.b.shuffle_vector(value.value, ir.Constant(VECTOR, ir.Undefined), mask)
            self.b.store(chosen, self.at(table, self.place(rows, i, stage)), align=8)

    @staticmethod
    def _mask(places: range) -> ir.Constant:
        return ir.Constant(ir.VectorType(ir.IntType(32), len(places)), list(places))

    def constant(self, values: tuple[float, ...]) -> Real:
        return self.vector(ir.Constant(VECTOR, list(values)))

    # the method ------------------------------------------------------------------------------------------------
    def begin(self) -> None:
        """Takes the acceleration at the current state for all stages of a step before."""
        with self.loop(self.twice) as i:
            self.store_stages(self.splat(self.load(self.arguments["y"], i)), self.states, self.twice, i)
        self.store_chunk(self.splat(self.load(self.reals, Real64.t)), self.times, self.int(0))
        self.evaluate()
        self.keep()
        self.store(self.load(self.reals, Real64.h), self.reals, Real64.previous)
        self.store(UNKNOWN, self.reals, Real64.contraction)

    def keep(self) -> None:
        """The accelerations of this step are those that the next one is predicted from."""
        with self.loop(self.b.mul(self.coordinates, self.int(STAGES)), CHUNK) as i:
            self.store_chunk(self.load_chunk(self.accelerations, i), self.before, i)

    def evaluate(self) -> None:
        """Accelerations and growths at the states of the stages."""
        b, n, a = self.b, self.coordinates, self.arguments
        for first in range(0, STAGES, self.lanes):
            states, slopes = (
                self.at(table, b.mul(rows, self.int(first)))
                for table, rows in ((self.states, self.twice), (self.accelerations, n))
            )
            self.call(
                a["rhs"],
                self.at(self.times, first),
                states,
                self.constants,
                slopes,
                self.at(self.growths, first),
                self.at(a["pivots"], b.mul(self.pivots, self.int(first))),
            )
        self.count(self.ints, Int64.evaluations, STAGES)

    def predict(self, t: Real, h: Real) -> None:
        """Continues the accelerations of the step before, of length h₀, to the stages of the step h at t.

        E_ij = w_j Π_{k ≠ j} (x_i − c_k),   x_i = 1 + c_i h / h₀
        """
        length = self.load(self.reals, Real64.previous)
        self.store_chunk(fma(self.constant(C), self.splat(h), self.splat(t)), self.times, self.int(0))
        x = fma(self.constant(C), self.splat(h / length), 1.0)
        distances = [x - c for c in C]
        below, above = [self.vector(1.0)], [self.vector(1.0)]
        for d in distances[:-1]:
            below.append(below[-1] * d)
        for d in reversed(distances[1:]):
            above.append(above[-1] * d)
        for j, weight in enumerate(BARYCENTRIC):
            self.store_chunk(below[j] * above[END - j] * weight, self.matrix, self.int(STAGES * j))
        n = self.coordinates
        with self.loop(n) as i:
            parts = [self.splat(self.load(self.before, self.place(n, i, j))) for j in range(STAGES)]
            total = parts[0] * self.load_chunk(self.matrix, self.int(0))
            for j in range(1, STAGES):
                total = fma(parts[j], self.load_chunk(self.matrix, self.int(STAGES * j)), total)
            self.store_stages(total, self.accelerations, n, i)

    def place_stages(self, h: Real) -> Real:
        """States of the stages from their accelerations; the mean square of their change, for each stage."""
        b, n, y = self.b, self.coordinates, self.arguments["y"]
        step = self.splat(h)
        columns = [[self.constant(column) for column in zip(*matrix, strict=True)] for matrix in (ONCE, TWICE)]
        with self.summing(n, self.vector(0.0)) as (i, total):
            parts = [self.splat(self.load(self.accelerations, self.place(n, i, j))) for j in range(STAGES)]
            sums = [parts[0] * matrix[0] for matrix in columns]
            for j in range(1, STAGES):
                sums = [fma(parts[j], matrix[j], s) for matrix, s in zip(columns, sums, strict=True)]
            j = b.add(i, n)
            q, v = self.splat(self.load(y, i)), self.splat(self.load(y, j))
            velocity = fma(step, sums[0], v)
            position = fma(step, fma(step, sums[1], v * self.constant(C)), q)
            for row, x in ((i, position), (j, velocity)):
                change = x - self.load_stages(self.states, self.twice, row)
                change = change * self.splat(self.load(self.scales, row))
                total.value = fma(change, change, total.value)
                self.store_stages(x, self.states, self.twice, row)
        return total.value * (0.5 / self.splat(self.real(b.sitofp(n, DOUBLE))))

    def measure(self) -> None:
        """1 / (atol + rtol max(|y|, |y in the first stage of the step before|)), the units of all errors.

        Not of the step ahead: a prediction that is far off would make everything tolerable.

        Rounding that the growth of the pivots has magnified is not made smaller by a shorter step, so the tolerance is
        never below it.
        """
        rtol, atol = (self.load(self.reals, place) for place in (Real64.rtol, Real64.atol))
        rounding = self.worst() * EPSILON / rtol
        least = where(rounding > 1.0, 1.0 / rounding, 1.0)
        with self.loop(self.twice) as i:
            old = abs(self.load(self.arguments["y"], i))
            before = abs(self.load(self.states, self.place(self.twice, i, 0)))
            self.store(least / fma(rtol, where(old > before, old, before), atol), self.scales, i)

    def worst(self) -> Real:
        """The largest growth of the pivots at the stages."""
        growth = [self.load(self.growths, stage) for stage in range(STAGES)]
        while len(growth) > 1:
            growth = [where(x > y, x, y) for x, y in zip(growth[::2], growth[1::2], strict=True)]
        return growth[0]

    def iterate(self, t: Real, h: Real, judge: Callable[[Real, ir.Value, ir.Block], None]) -> None:
        """Iterates the stages of a step until `judge` says otherwise.

        It is given the change of the stages in units of the tolerance, the number of iterations so far, and where to
        branch to for another one.
        """
        b = self.b
        placing, evaluating, judging = (self.block(name) for name in ("placing", "evaluating", "judging"))
        count = self.variable(INT, "count")
        with self.if_(b.icmp_signed("==", self.load_int(self.ints, Int64.repeated), self.int(0))):
            self.measure()  # before the stages of the last step are overwritten
        self.predict(t, h)
        b.store(self.int(0), count)
        b.branch(placing)

        b.position_at_end(placing)
        squares = self.place_stages(h)
        done = b.load(count, typ=INT)
        b.cbranch(b.icmp_signed("==", done, self.int(0)), evaluating, judging)

        b.position_at_end(evaluating)
        self.evaluate()
        b.store(b.add(b.load(count, typ=INT), self.int(1)), count)
        b.branch(placing)

        b.position_at_end(judging)
        change = sqrt(self.total(squares) * (1.0 / STAGES))
        judge(change, done, evaluating)
