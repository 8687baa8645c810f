"""Collocation of order 15 whose eight stages are evaluated together in SIMD lanes, as machine code.

The accelerations at the stages are predicted by the polynomial of the step before, continued, and then iterated,

    states of the stages from accelerations → accelerations at these states → …,

until they stand still [HS1990]. All stages of an iteration are independent: a processor that works on
eight numbers at a time evaluates them in little more than the time of one. What is left of the error after an iteration
follows from its contraction; the step is as long as lets `ITERATIONS` of them reach the tolerance.
"""

from __future__ import annotations

from itertools import pairwise

from zeromass.codegen import ir
from zeromass.codegen.elementary.arithmetic import Real, Truth, fma, sqrt, where
from zeromass.codegen.target import Target
from zeromass.integrate.methods.collocation.coefficients import (
    AT_START,
    PARTS,
    PLACES,
    STAGES,
    TERMS,
    VELOCITIES,
    C,
    between,
)
from zeromass.integrate.methods.collocation.stages import END, UNKNOWN, Stages
from zeromass.integrate.stepping.kernel import EPSILON, NEAR, Advance
from zeromass.integrate.stepping.layout import Int64, Real64
from zeromass.integrate.stepping.status import Status
from zeromass.integrate.stepping.writer import CHUNK, DOUBLE

GAPS = tuple(after - before for before, after in pairwise((0.0, *C)))
"""Between the places of a step at which its state is known."""

ITERATIONS = 3
"""Iterations that the length of a step aims at."""

MOST = 12
"""Iterations after which a step is given up."""

CONVERGED = 0.1
"""What may be left of the error of the iteration, in units of the tolerance: errors are then those of "dop853"."""

DIVERGING, WORSE = 0.8, 10.0
"""Contraction from which an iteration is not worth going on with, and growth of the second change from the first."""

SLOW = 0.5
"""Slowest contraction that is supposed of a step before it has been measured."""

EXPECTED = 0.1
"""Least contraction that is believed before it has been measured in a step."""

INTERPOLATED = 0.1
"""Error of the velocities between the stages in units of the first Legendre coefficient that is left out."""

SMOOTH = 4.0
"""How many times the last two Legendre coefficients a smooth acceleration may differ from its polynomial at the start."""

SHRINK, GROW, FURTHEST = 0.3, 1.6, 3.0
"""Bounds of the change of the step, and longest step, in steps, that the polynomial before it is continued over."""

NOISE = 8 * EPSILON
"""Rounding of a state that no iteration makes smaller, in units of the growth of the pivots."""


class CollocationAdvance(Stages, Advance):
    """Steps of order 15.

    They do not cross singular positions: however short the step, the iteration does not contract at a stage whose distance
    from one is a small part of it.
    """

    name = "collocation_advance"
    crossing: float | None = None

    def attempt(self, t: Real, h: Real, until: Real) -> None:
        b = self.b
        first, last, before = (self.variable(DOUBLE, name) for name in ("first", "last", "before"))
        with self.if_((abs(h) > abs(self.load(self.reals, Real64.previous)) * FURTHEST).value):
            self.store_int(self.int(0), self.ints, Int64.started)
            b.branch(self.next_step)
        measured = self.load(self.reals, Real64.contraction)
        fresh = measured.equals(UNKNOWN)
        longer = h / self.load(self.reals, Real64.previous)  # a contraction grows with the step or with its square
        supposed = measured * where(longer > 1.0, longer * longer, 1.0)
        expected = where(fresh, UNKNOWN, where(supposed < SLOW, supposed, SLOW))

        def judge(e: Real, done: ir.Value, again: ir.Block) -> None:
            on, failed, converged = (self.block(name) for name in ("on", "failed", "converged"))
            once, twice = (b.icmp_signed("==", done, self.int(count)) for count in (1, 2))
            with self.if_(once):
                self.store(e, first)
            contraction = self.contraction(e, self.load(last), self.load(before), expected, once, twice)
            left = where(contraction < 1.0, e * contraction / (1.0 - contraction), 1.0)
            noise = self.worst() * NOISE / self.load(self.reals, Real64.rtol)
            b.cbranch(((left < CONVERGED) | (e < noise)).value, converged, on)

            b.position_at_end(on)
            late = b.not_(b.or_(once, twice))
            diverging = b.or_(
                b.and_(late, (contraction > DIVERGING).value), b.and_(twice, (e > self.load(first) * WORSE).value)
            )
            many = b.icmp_signed(">=", done, self.int(MOST))
            self.store(self.load(last), before)
            self.store(e, last)
            b.cbranch(b.or_(b.or_(diverging, many), e.is_nan().value), failed, again)

            b.position_at_end(failed)
            self.reject(h, self.real(0.5), e.is_nan())

            b.position_at_end(converged)
            ratio, half = e / self.load(last), where(fresh, 0.0, expected * 0.5)
            second = where(ratio > half, ratio, half)
            measured = self.real(b.select(twice, second.value, contraction.value))
            measured = where(measured < DIVERGING, measured, DIVERGING)  # of rounding alone it may be anything
            measured = self.real(b.select(once, expected.value, measured.value))
            self.check(t, h, until, self.load(first), fresh, measured)

        self.iterate(t, h, judge)

    def contraction(self, e: Real, last: Real, before: Real, expected: Real, once: ir.Value, twice: ir.Value) -> Real:
        """By what the iteration shrinks its changes, from the last three: fast and slow iterations may alternate.

        Before it is known, the step before tells: after one iteration alone, after two together with their ratio.
        """
        b = self.b
        believed = where(expected > EXPECTED, expected, EXPECTED)
        known = where(expected.equals(UNKNOWN), 0.0, expected)
        ratio = e / last
        second = where(ratio > known, ratio, known)
        early = b.select(once, believed.value, second.value)
        return self.real(b.select(b.or_(once, twice), early, sqrt(e / before).value))

    def check(self, t: Real, h: Real, until: Real, first: Real, fresh: Truth, contraction: Real) -> None:
        """Accepts the step if its polynomial is good, and chooses the next one."""
        b = self.b
        coarse, accepted = self.block("coarse"), self.block("accepted")
        error, last = self.truncation(h)
        gap = self.gap(h)
        unseen = gap * C[0]
        error = where((unseen > 1.0) & (unseen > error) & (gap > last * SMOOTH), unseen, error)
        bound = self.rooted(error)
        near = self.near()
        b.cbranch(((error < 1.0) & ~near).value, accepted, coarse)

        b.position_at_end(coarse)
        shorter = where(near, 0.5, bound)
        self.reject(h, where(shorter > SHRINK, shorter, SHRINK), error.is_nan())

        b.position_at_end(accepted)
        self.store(contraction, self.reals, Real64.contraction)
        # where nothing was known before this step, its prediction tells nothing of the next
        change = where(fresh, 2.0, self.change(first, contraction))
        change = where(change > bound, bound, change)
        self.accept(t, h, until, where(change > SHRINK, change, SHRINK))

    def near(self) -> Truth:
        """Whether a singular position lies less than half a step beyond the end of this one: no method would cross it."""
        room = 1.0 / sqrt(self.load(self.growths, END))
        return (room < NEAR) & (room * 3.0 < self.load(self.reals, Real64.room))

    def truncation(self, h: Real) -> tuple[Real, Real]:
        """Error of the polynomial of a step, in units of the tolerance, from Legendre's coefficients of the accelerations.

        And the last two of these, times h, in these units.

        Where they fall, the first one that is left out is as much smaller than the last two as these are than the two
        before; where they do not fall, the step is not resolved at all.
        """
        n = self.coordinates
        columns = [self.constant(tuple(parts)) for parts in PARTS]
        with self.summing(n, self.vector(0.0)) as (i, total):
            coefficients = self.splat(self.load(self.accelerations, self.place(n, i, 0))) * columns[0]
            for j in range(1, STAGES):
                part = self.splat(self.load(self.accelerations, self.place(n, i, j)))
                coefficients = fma(part, columns[j], coefficients)
            coefficients = coefficients * self.splat(self.load(self.scales, self.b.add(i, n)))
            total.value = fma(coefficients, coefficients, total.value)
        squares = [
            self.real(self.b.extract_element(total.value.value, ir.Constant(ir.IntType(32), k)))
            for k in range(4, STAGES)
        ]
        before, last = sqrt(squares[0] + squares[1]), sqrt(squares[2] + squares[3])
        fall = where(last < before, last / before, 1.0)
        size = sqrt(0.5 / self.real(self.b.sitofp(n, DOUBLE)))
        return abs(h) * last * fall * size * INTERPOLATED, abs(h) * last * size

    def gap(self, h: Real) -> Real:
        """Difference at the start of a step between its polynomial and the acceleration, times h, in units of the tolerance.

        No stage is at the start. Where the acceleration changes fast between it and the first stage, as where a length
        nearly vanishes, the polynomial is smooth, but its value at the start is not the acceleration there, which is that
        at the end of the step before. The velocities then miss at most the gap times the time to the first stage.
        """
        n = self.coordinates
        with self.summing(n, self.real(0.0)) as (i, squares):
            told = self.load_stages(self.accelerations, n, i) * self.constant(AT_START)
            gap = self.total(told) - self.load(self.before, self.place(n, i, END))
            gap = gap * self.load(self.scales, self.b.add(i, n))
            squares.value = fma(gap, gap, squares.value)
        return abs(h) * sqrt(squares.value * (0.5 / self.real(self.b.sitofp(n, DOUBLE))))

    def rooted(self, error: Real) -> Real:
        """0.9 error^(−1/8): the change of the step that makes this error of order 8 just tolerable."""
        return 0.9 / sqrt(sqrt(sqrt(error)))

    def change(self, first: Real, contraction: Real) -> Real:
        """The change r of the step after which the aimed at iterations leave a third of what is allowed.

        The first change of the iteration has order 9 and each contraction order 1, so r is a 12th root; x^(1/16 + 1/64)
        comes near enough.
        """
        x = first * (3.0 / CONVERGED)
        for _ in range(ITERATIONS):
            x = x * contraction
        root = sqrt(sqrt(sqrt(sqrt(x))))
        root = root * sqrt(sqrt(root))
        return where(root * GROW > 1.0, 1.0 / root, GROW)

    def accept(self, t: Real, h: Real, until: Real, change: Real) -> None:
        new = self.arguments["new"]
        time = self.arrival(t, h, until)
        with self.loop(self.twice) as i:
            self.store(self.load(self.states, self.place(self.twice, i, END)), new, i)
        self.store(self.load(self.growths, END), self.reals, Real64.growth)
        self.project(time)
        unexplained = self.unexplained(
            self.load(self.growths, END), lambda i: self.load(self.states, self.place(self.twice, i, END))
        )
        with self.if_(unexplained):
            self.reject(h, self.real(0.5), self.real(0.0).is_nan())
        self.store(h, self.reals, Real64.previous)
        self.keep()
        self.settle(time, h, change)

    def pivot(self, i: ir.Value) -> tuple[Real, Real]:
        """Size of a pivot at the end of the step, and its least one in the stages."""
        stages = abs(self.load_stages(self.arguments["pivots"], self.pivots, i))
        sizes = [self.real(self.b.extract_element(stages.value, ir.Constant(ir.IntType(32), k))) for k in range(STAGES)]
        end = sizes[END]
        while len(sizes) > 1:
            sizes = [where(x < y, x, y) for x, y in zip(sizes[::2], sizes[1::2], strict=True)]
        return end, sizes[0]

    def not_finite(self) -> ir.Value:
        new = self.arguments["new"]
        with self.summing(self.size, self.vector(0.0), CHUNK) as (i, total):
            x = self.load_chunk(new, i)
            total.value = total.value + (x - x)
        return self.total(total.value).is_nan().value

    def happened(self, time: Real, h: Real) -> Real:
        """An event function is looked at in every stage; the last of them is the recorded state."""
        b, a = self.b, self.arguments
        count = self.load_int(self.ints, Int64.events)
        with self.loop(self.twice) as i:
            self.store(self.load(a["y"], i), self.states, self.place(self.twice, i, END))
        self.store(time, self.times, END)
        for first in range(0, STAGES, self.lanes):
            states = self.at(self.states, b.mul(self.twice, self.int(first)))
            values = self.at(a["scratch"], b.mul(count, self.int(first)))
            self.call(a["event"], self.at(self.times, first), states, self.constants, values)
        gaps = self.constant((1.0, *GAPS[:-1])), self.constant(GAPS)
        with self.summing(count, self.real(0.0)) as (i, hits):
            place = b.mul(i, self.int(2))
            old, direction = self.load(a["signs"], place), self.load(a["signs"], b.add(place, self.int(1)))
            after = self.load_stages(a["scratch"], count, i)
            here = self.shifted(after, old)
            dips = self.dips((self.shifted(here, self.real(0.0)), here, after), *gaps)
            weight = self.weight(i)
            hits.value = hits.value + where(self.turns(direction), self.total(where(dips, 1.0, 0.0)), 0.0) * weight
            for stage in range(STAGES):
                new = self.load(a["scratch"], self.place(count, i, stage))
                hits.value = hits.value + where(self.crossed(old, new, direction), weight, 0.0)
                old = where(new.equals(0.0), old, new)
            self.store(old, a["signs"], place)
        return hits.value


class CollocationDense(Stages):
    """Polynomials of many steps: from rows (t, h, y₀, y₁) of `record`, `capacity` of them, to `scratch`.

    They have the shape (steps, TERMS, 2n).

    The steps are taken again. A first guess of the accelerations is the cubic that has those at both ends, and between them
    the change of velocities and places; it is continued as that of a step before would be.
    """

    name = "collocation_dense"

    def __init__(self, module: ir.Module, target: Target) -> None:
        super().__init__(module, target)
        b, a = self.b, self.arguments
        last = self.variable(DOUBLE, "last")
        with self.loop(self.load_int(self.ints, Int64.capacity)) as k:
            step = self.at(a["record"], b.mul(k, b.add(b.mul(self.twice, self.int(2)), self.int(2))))
            ends = self.at(step, 2), self.at(step, b.add(self.twice, self.int(2)))
            t, h = self.load(step, 0), self.load(step, 1)
            self.store(t, self.reals, Real64.t)
            self.store(h, self.reals, Real64.h)
            finished = self.block("finished")

            def judge(e: Real, done: ir.Value, again: ir.Block, finished: ir.Block = finished) -> None:
                # the changes may grow at first; what remains of them in the end is rounding
                once = b.icmp_signed("==", done, self.int(1))
                ratio = self.real(b.select(once, self.real(1.0).value, (e / self.load(last)).value))
                left = where(ratio < SLOW, e * ratio / (1.0 - ratio), e)
                early = b.icmp_signed("<", done, self.int(MOST))
                falling = b.and_((ratio < DIVERGING).value, b.icmp_signed("<", done, self.int(4 * MOST)))
                more = b.and_(b.or_(early, falling), (left > CONVERGED * 1e-3).value)
                self.store(e, last)
                b.cbranch(more, again, finished)

            self.begin_between(t, h, *ends)
            self.iterate(t, h, judge)
            b.position_at_end(finished)
            self.write(h, *ends, self.at(a["scratch"], b.mul(k, b.mul(self.twice, self.int(TERMS)))))
        b.ret(self.int(Status.FINISHED))
        self.finish()

    def begin_between(self, t: Real, h: Real, y0: ir.Value, y1: ir.Value) -> None:
        """Takes for a step before what leads to accelerations between both ends of this one."""
        b, n = self.b, self.coordinates
        end = ir.Constant(ir.IntType(32), END)
        with self.loop(self.twice) as i:
            x = self.load(y0, i)
            self.store(x, self.arguments["y"], i)
            both = b.insert_element(self.splat(x).value, self.load(y1, i).value, end)
            self.store_stages(self.vector(both), self.states, self.twice, i)
        times = b.insert_element(self.splat(t).value, (t + h).value, end)
        self.store_chunk(self.vector(times), self.times, self.int(0))
        self.evaluate()
        basis = [self.constant(tuple(column)) for column in zip(*[between(c - 1.0) for c in C], strict=True)]
        with self.loop(n) as i:
            j = b.add(i, n)
            (q, p), (v, w) = ([self.load(y, place) for y in (y0, y1)] for place in (i, j))
            told = [self.load(self.accelerations, self.place(n, i, stage)) for stage in (0, END)]
            told += [(w - v) / h, ((p - q) / h - v) / h]
            total = self.splat(told[0]) * basis[0]
            for x, column in zip(told[1:], basis[1:], strict=True):
                total = fma(self.splat(x), column, total)
            self.store_stages(total, self.before, n, i)
        self.store(h, self.reals, Real64.previous)
        self.store(UNKNOWN, self.reals, Real64.contraction)

    def write(self, h: Real, y0: ir.Value, y1: ir.Value, to: ir.Value) -> None:
        """Legendre's coefficients of velocities and places; what the projection has added at the end is a linear part."""
        n, half = self.coordinates, h * 0.5
        with self.loop(n) as i:
            j = self.b.add(i, n)
            (q, p), (v, w) = ([self.load(y, place) for y in (y0, y1)] for place in (i, j))
            parts = [self.splat(self.load(self.accelerations, self.place(n, i, stage))) for stage in range(STAGES)]
            for matrix, unit, place, begin, slope, end in (
                (VELOCITIES, h, j, v, self.real(0.0), w),
                (PLACES, h * h, i, q + half * v, half * v, p),
            ):
                found = [self.combined(parts, rows) * self.splat(unit) for rows in matrix]
                rest = (end - (self.total(found[0]) + self.total(found[1]) + (begin + slope))) * 0.5
                terms = [self.picked(found[m // STAGES], m % STAGES) for m in range(TERMS)]
                terms[0], terms[1] = terms[0] + begin + rest, terms[1] + slope + rest
                for m, term in enumerate(terms):
                    self.store(term, to, self.b.add(place, self.b.mul(self.twice, self.int(m))))

    def combined(self, parts: list[Real], rows: list[tuple[float, ...]]) -> Real:
        """Several sums of the accelerations at the stages, beside one another."""
        total = parts[0] * self.constant(rows[0])
        for part, column in zip(parts[1:], rows[1:], strict=True):
            total = fma(part, self.constant(column), total)
        return total

    def picked(self, vector: Real, k: int) -> Real:
        return self.real(self.b.extract_element(vector.value, ir.Constant(ir.IntType(32), k)))
