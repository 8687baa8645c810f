"""States at the stages of many steps in a row, from the ends of the steps around each of them.

Hermite's polynomial through q, q̇ and q̈ at four ends, those of a step and one beyond on either side, is as near to the
motion inside as the tolerance, or nearly. Iterations as those of the step itself bring it to the polynomial of collocation:
one or two, where the step itself takes three or four and a `CollocationDense`, which knows no neighbours, seven.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from zeromass.codegen import ir
from zeromass.codegen.elementary.arithmetic import Real, fma, sqrt, where
from zeromass.codegen.target import Target
from zeromass.integrate.methods.collocation.coefficients import STAGES, C
from zeromass.integrate.methods.collocation.stages import END, Stages
from zeromass.integrate.stepping.kernel import EPSILON, ROUNDING
from zeromass.integrate.stepping.layout import Int64, Real64
from zeromass.integrate.stepping.status import Status
from zeromass.integrate.stepping.writer import DOUBLE, INT, POINTER, function_pointer

ENDS = 4
"""Of steps, that a polynomial goes through."""

CLOSE = 0.5
"""Change of the stages in an iteration, in units of the tolerance, after which the next would change them by next to
nothing: by a twentieth of it, about."""

NOISE = 8 * EPSILON
"""Rounding of a state that no iteration makes smaller, in units of the growth of the pivots."""

MOST = 6
"""Iterations after which a step is left to others."""


class CollocationAround(Stages):
    """States at the stages of `budget` steps from the step `recorded` on, of a run of `capacity` steps, at least three.

    t, y     times and states at the ends of all steps
    slopes   room for accelerations at the ends, (budget + 3, n)
    times    at the stages, (budget, 8)
    inside   states there, (budget, 8 / side, 2n, side), `side` of them beside one another; the last is the end as recorded
    q̈        accelerations of the last iteration, (budget, 8 / lanes, n, lanes), where `started` is not zero
    open     of each step: not zero where the iteration did not converge
    """

    name = "collocation_around"
    takes: ClassVar[Mapping[str, ir.Type]] = {
        **dict.fromkeys(
            ("reals", "ints", "stages", "pivots", "t", "y", "slopes", "times", "inside", "q̈", "open"), POINTER
        ),
        "rhs": function_pointer(6),
    }

    def __init__(self, module: ir.Module, target: Target) -> None:
        super().__init__(module, target)
        b, a, ints = self.b, self.arguments, self.ints
        first, count, steps = (self.load_int(ints, place) for place in (Int64.recorded, Int64.budget, Int64.capacity))
        t, y = a["t"], a["y"]
        low = self._least(self._most(b.sub(first, self.int(1)), self.int(0)), b.sub(steps, self.int(ENDS - 1)))
        high = self._least(self._most(b.add(b.add(first, count), self.int(1)), self.int(ENDS - 1)), steps)
        self.slopes_at_ends(t, y, low, b.add(b.sub(high, low), self.int(1)))
        with self.loop(count) as k:
            step = b.add(first, k)
            begin = self._least(self._most(b.sub(step, self.int(1)), self.int(0)), b.sub(steps, self.int(ENDS - 1)))
            now, then = self.load(t, step), self.load(t, b.add(step, self.int(1)))
            a["y"] = self.at(y, b.mul(step, self.twice))
            end = self.at(y, b.mul(b.add(step, self.int(1)), self.twice))
            self.measure_between(end)
            self.guess(t, y, begin, b.sub(begin, low), now, then, end)
            self.iterated(then - now, k)
            times = self.at(a["times"], b.mul(k, self.int(STAGES)))
            self.store_chunk(self.load_chunk(self.times, self.int(0)), times, self.int(0))
            with self.if_(b.icmp_signed("!=", self.load_int(ints, Int64.started), self.int(0))):
                size = b.mul(self.coordinates, self.int(STAGES))
                with self.loop(size, STAGES) as i:
                    self.store_chunk(self.load_chunk(self.accelerations, i), self.at(a["q̈"], b.mul(k, size)), i)
            self.write(end, self.at(a["inside"], b.mul(k, b.mul(self.twice, self.int(STAGES)))))
        b.ret(self.int(Status.FINISHED))
        self.finish()

    def _least(self, x: ir.Value, y: ir.Value) -> ir.Value:
        return self.b.select(self.b.icmp_signed("<", x, y), x, y)

    def _most(self, x: ir.Value, y: ir.Value) -> ir.Value:
        return self.b.select(self.b.icmp_signed(">", x, y), x, y)

    def slopes_at_ends(self, t: ir.Value, y: ir.Value, first: ir.Value, count: ir.Value) -> None:
        """Accelerations at some ends of steps, as many at a time as there are stages."""
        b, n, last = self.b, self.coordinates, self.b.sub(count, self.int(1))
        with self.loop(count, STAGES) as k:
            rows = [self._least(b.add(k, self.int(stage)), last) for stage in range(STAGES)]
            for stage, row in enumerate(rows):
                place = b.add(first, row)
                self.store(self.load(t, place), self.times, stage)
                state = self.at(y, b.mul(place, self.twice))
                with self.loop(self.twice) as i:
                    self.store(self.load(state, i), self.states, self.place(self.twice, i, stage))
            self.evaluate()
            for stage, row in enumerate(rows):
                to = self.at(self.arguments["slopes"], b.mul(row, n))
                with self.loop(n) as i:
                    self.store(self.load(self.accelerations, self.place(n, i, stage)), to, i)

    def measure_between(self, end: ir.Value) -> None:
        """1 / (atol + rtol max(|y₀|, |y₁|) + 16 ε), the units of all errors."""
        rtol, atol = (self.load(self.reals, place) for place in (Real64.rtol, Real64.atol))
        with self.loop(self.twice) as i:
            old, new = abs(self.load(self.arguments["y"], i)), abs(self.load(end, i))
            size = fma(rtol, where(old > new, old, new), atol + ROUNDING)
            self.store(1.0 / size, self.scales, i)

    def guess(
        self, t: ir.Value, y: ir.Value, begin: ir.Value, slot: ir.Value, now: Real, then: Real, end: ir.Value
    ) -> None:
        """States at the stages by Hermite's polynomial, and their times."""
        b, n, a = self.b, self.coordinates, self.arguments
        h = then - now
        self.store_chunk(fma(self.constant(C), self.splat(h), self.splat(now)), self.times, self.int(0))
        self.store(then, self.times, END)
        places, rates = self.weights([(self.load(t, b.add(begin, self.int(m))) - now) / h for m in range(ENDS)])
        units, back = (self.real(1.0), h, h * h), self.splat(1.0 / h)
        places = [[w * self.splat(unit) for w, unit in zip(row, units, strict=True)] for row in places]
        rates = [[w * self.splat(unit) * back for w, unit in zip(row, units, strict=True)] for row in rates]
        last = ir.Constant(ir.IntType(32), END)
        with self.loop(n) as i:
            q, v = self.vector(0.0), self.vector(0.0)
            for m in range(ENDS):
                state = self.at(y, b.mul(b.add(begin, self.int(m)), self.twice))
                slope = self.at(a["slopes"], b.mul(b.add(slot, self.int(m)), n))
                told = self.load(state, i), self.load(state, b.add(i, n)), self.load(slope, i)
                for x, place, rate in zip(told, places[m], rates[m], strict=True):
                    known = self.splat(x)
                    q, v = fma(known, place, q), fma(known, rate, v)
            for value, place in ((q, i), (v, b.add(i, n))):
                whole = b.insert_element(value.value, self.load(end, place).value, last)
                self.store_stages(self.vector(whole), self.states, self.twice, place)

    def weights(self, x: list[Real]) -> tuple[list[list[Real]], list[list[Real]]]:
        """What q, h q̇ and h² q̈ at places x, in steps from the beginning of this one, give to q and h q̇ at the stages.

        With d = θ − x_k, L = Π_{m ≠ k} ((θ − x_m)/(x_k − x_m))³ and 1/L = 1 + c₁ d + c₂ d² + …:

            L (1 + c₁ d + c₂ d²),   L (d + c₁ d²),   L d²/2
        """
        θ = self.constant((*C[:-1], 0.5))  # the end is known
        d = [θ - self.splat(place) for place in x]
        inverse = self.inverse(d)
        apart: dict[tuple[int, int], Real] = {}
        for k in range(ENDS):
            for m in range(k):
                apart[m, k] = 1.0 / (x[k] - x[m])
                apart[k, m] = -apart[m, k]
        places: list[list[Real]] = []
        rates: list[list[Real]] = []
        for k in range(ENDS):
            others = [m for m in range(ENDS) if m != k]
            a, b, c = (apart[m, k] for m in others)
            one, two = a + b + c, fma(a, a, fma(b, b, c * c))
            c1, c2 = self.splat(one * -3.0), self.splat(one * one * 4.5 + two * 1.5)
            ratio = d[others[0]] * d[others[1]] * d[others[2]] * self.splat(a * b * c)
            L = ratio * ratio * ratio
            slope = (inverse[others[0]] + inverse[others[1]] + inverse[others[2]]) * 3.0
            e, square = d[k], d[k] * d[k]
            parts = [fma(c2, square, fma(c1, e, 1.0)), fma(c1, square, e), square * 0.5]
            derived = [fma(c2 * 2.0, e, c1), fma(c1 * 2.0, e, 1.0), e]
            places.append([L * part for part in parts])
            rates.append([L * fma(slope, part, other) for part, other in zip(parts, derived, strict=True)])
        return places, rates

    def inverse(self, d: list[Real]) -> list[Real]:
        """1/d of four numbers, by one division."""
        a, b, c, e = d
        left, right = a * b, c * e
        whole = 1.0 / (left * right)
        left, right = left * whole, right * whole
        return [right * b, right * a, left * e, left * c]

    def iterated(self, h: Real, k: ir.Value) -> None:
        """Iterates the stages until they stand still, or too often."""
        b = self.b
        again, after = self.block("again"), self.block("after")
        count = self.variable(INT, "count")
        b.store(self.int(0), count)
        b.branch(again)
        b.position_at_end(again)
        self.evaluate()
        change = sqrt(self.total(self.place_stages(h)) * (1.0 / STAGES))
        done = b.add(b.load(count, typ=INT), self.int(1))
        b.store(done, count)
        noise = self.worst() * NOISE / self.load(self.reals, Real64.rtol)
        far = b.fcmp_unordered(">", change.value, where(noise > CLOSE, noise, CLOSE).value)
        self.store(self.real(b.uitofp(far, DOUBLE)), self.arguments["open"], k)
        b.cbranch(b.and_(far, b.icmp_signed("<", done, self.int(MOST))), again, after)
        b.position_at_end(after)

    def write(self, end: ir.Value, to: ir.Value) -> None:
        """States at the stages; what the projection has added at the end is a linear part."""
        b, last = self.b, ir.Constant(ir.IntType(32), END)
        with self.loop(self.twice) as i:
            x, y1 = self.load_stages(self.states, self.twice, i), self.load(end, i)
            rest = y1 - self.real(b.extract_element(x.value, last))
            found = fma(self.constant(C), self.splat(rest), x)
            whole = self.vector(b.insert_element(found.value, y1.value, last))
            self.put(whole, to, i)

    def put(self, value: Real, to: ir.Value, i: ir.Value) -> None:
        """Writes the i-th numbers of the states at all stages."""
        self.store_stages(value, to, self.twice, i)


class CollocationAroundRows(CollocationAround):
    """The same with the states one after another."""

    name = "collocation_around_rows"

    def put(self, value: Real, to: ir.Value, i: ir.Value) -> None:
        for stage in range(STAGES):
            one = self.real(self.b.extract_element(value.value, ir.Constant(ir.IntType(32), stage)))
            self.store(one, to, self.b.add(i, self.b.mul(self.twice, self.int(stage))))
