"""Error, length and order of the steps of Radau's methods, in machine code [HW1996, §IV.8; HW1999]."""

from __future__ import annotations

from math import inf, nan

from zeromass.codegen import ir
from zeromass.codegen.elementary.arithmetic import Real, fma, where
from zeromass.codegen.target import Target
from zeromass.integrate.methods.radau.coefficients import Table
from zeromass.integrate.methods.radau.memory import OnMemory, Part, Slot
from zeromass.integrate.methods.radau.newton import KEEP, power
from zeromass.integrate.stepping.layout import Int64, Real64
from zeromass.integrate.stepping.writer import CHUNK, DOUBLE

SAFETY, SHRINK, GROW = 0.9, 0.2, 8.0
"""Part of the step that the error estimate allows that is taken, and the bounds of its change from step to step."""

UNCHANGED = 1.2
"""A step that might grow by less than this stays as it is, and with it the matrices of the iterations."""

NOISY = 0.1
"""Part of the tolerance above which it matters what directions rounding errors have."""

RAISE, WAIT = 2e-3, 10
"""Rate of convergence up to which the order is raised, and steps between two changes of it."""

LEAST, TREND = 1e-10, 1e-2
"""Errors over the tolerance below which the next step, and its trend, are those of this one."""


class Trial(Part):
    """`trial(memory)`: the stages of a step, and its error over the tolerance.

    ∞ where the iterations do not converge, NaN where a formula has no finite value; 0 for a fixed step.
    """

    y: ir.Value
    size: ir.Value
    wide: ir.Value

    def __init__(self, module: ir.Module, target: Target) -> None:
        super().__init__(module, target, "trial", {}, DOUBLE)
        b = self.b
        self.y, self.size, self.wide = self.array(Slot.y), self.whole(Slot.size), self.whole(Slot.wide)
        self.Z = self.array(Slot.Z)
        singular = self.called("prepare", self.memory)
        with self.if_(b.icmp_signed("!=", singular, self.int(0))):
            b.ret(self.real(inf).value)
        self.find_noise()
        self.allow(None)
        self.guess()
        self.called("stages", self.memory)
        with self.if_(b.not_(self.holds(Slot.converged))):
            b.ret(b.select(self.holds(Slot.finite), self.real(inf).value, self.real(nan).value))
        fixed = self.setting(Real64.fixed)
        with self.if_(b.not_(fixed.equals(0.0).value)):
            b.ret(self.real(0.0).value)
        last = self.row(self.Z, b.sub(self.stages(), self.int(1)), self.wide)
        self.allow(last)
        b.ret(self.error().value)
        self.finish()

    def find_noise(self) -> None:
        """What a rounding of y makes of a solution for the real shift, by the forces that follow from it: no step avoids it.

        Stiff forces make accelerations of the rounding errors of positions, however short the step.
        """
        noise = self.array(Slot.noise)
        with self.each(self.wide, step=CHUNK) as i:
            self.store_chunk(self.vector(0.0), noise, i)
        self.allow(None)
        self.called("rounding", self.memory, self.y, noise)
        self.solve(noise)
        with self.if_((self.norm(noise) > NOISY).value):
            self.called("signed_rounding", self.memory, self.y, noise)

    def allow(self, end: ir.Value | None) -> None:
        """Inverse of the error allowed in a state as large as y, and as y at the end, never below the noise."""
        rtol, atol = (self.splat(self.setting(place)) for place in (Real64.rtol, Real64.atol))
        with self.each(self.size, step=CHUNK) as i:
            y = self.load_chunk(self.y, i)
            size = abs(y)
            if end is not None:
                new = abs(y + self.load_chunk(end, i))
                size = where(size > new, size, new)
            allowed = fma(rtol, size, atol) + abs(self.load_chunk(self.array(Slot.noise), i))
            self.store_chunk(1.0 / allowed, self.array(Slot.scale), i)

    def solve(self, row: ir.Value) -> None:
        """(γ/h − ∂f/∂y)⁻¹ of a row in place, γ the real eigenvalue of A⁻¹."""
        matrix, pivots = self.array(Slot.shifted_real), self.array(Slot.shifted_pivots)
        self.called("solve_shifted_real", self.memory, self.table(Table.eigenvalues), matrix, pivots, row)

    def guess(self) -> None:
        """Times of the stages, and increments of the polynomial of the last step, continued; zero for the first.

        u(x) − y = y₀ − y + Σ_j w_j Z_j Π_{k ≠ j} (x − x_k),   x_0 = 0, x_k = c_k in the last step
        """
        t, h, times = self.number(Slot.t), self.number(Slot.h), self.array(Slot.times)
        shares, guess, before = self.array(Slot.shares), self.array(Slot.guess), self.whole(Slot.last_stages)
        table = self.last_table()
        with self.each(self.stages()) as i:
            time = fma(self.load(self.table(Table.c), i), h, t)
            self.store(time, times, i)
            x = (time - self.number(Slot.last_start)) / self.number(Slot.last_step)
            with self.each(before) as j:
                self.store(self.load(table, self.plus(j, Table.weights)) * x, shares, j)
                with self.each(before) as k, self.if_(self.b.icmp_signed("!=", j, k)):
                    distance = x - self.load(table, self.plus(k, Table.c))
                    self.store(self.load(shares, j) * distance, shares, j)
            row = self.row(guess, i, self.wide)
            with self.each(self.size, step=CHUNK) as k:
                self.store_chunk(self.vector(0.0), row, k)
                with self.if_(self.holds(Slot.last_stages)):
                    start = self.load_chunk(self.array(Slot.last_y), k) - self.load_chunk(self.y, k)
                    Z = self.array(Slot.last_Z)
                    self.store_chunk(self.weighted(start, before, shares, Z, self.wide, k), row, k)

    def last_table(self) -> ir.Value:
        """The numbers of the method of the last step."""
        place = self.b.select(self.holds(Slot.last_stages), self.whole(Slot.last_place), self.whole(Slot.place))
        return self.row(self.array(Slot.tables), place, Table.end)

    def error(self) -> Real:
        """The defect of the polynomial at the start of the step, as an error of the state, over the tolerance.

            e = (γ/h − ∂f/∂y)⁻¹ (f(y) − u′(0)),   γ the real eigenvalue of A⁻¹         [HW1996, eq. IV.8.19]

        At the first step and after a rejection, where e may be far too large in stiff directions, f(y + e) replaces f(y).
        """
        b, e, state = self.b, self.array(Slot.estimate), self.array(Slot.states)
        self.defect(self.array(Slot.slope))
        first = self.norm(e)
        ints = self.array(Slot.ints)
        again = b.icmp_signed(">", self.load_int(ints, Int64.repeated), self.int(0))
        again = b.or_(again, b.not_(self.holds(Slot.last_stages)))
        with self.if_(b.not_(b.and_(again, (first >= 1.0).value))):
            b.ret(first.value)
        with self.each(self.size, step=CHUNK) as i:
            self.store_chunk(self.load_chunk(self.y, i) + self.load_chunk(e, i), state, i)
        slope = self.array(Slot.defects)
        self.evaluate(self.at(self.memory, Slot.t), state, slope)
        self.count(ints, Int64.evaluations)
        self.defect(slope)
        return self.norm(e)

    def defect(self, slope: ir.Value) -> None:
        e, rate = self.array(Slot.estimate), -1.0 / self.number(Slot.h)
        with self.each(self.size, step=CHUNK) as i:
            start = self.load_chunk(slope, i)
            r = self.weighted(start, self.stages(), self.table(Table.start), self.Z, self.wide, i, rate)
            self.store_chunk(r, e, i)
        self.solve(e)


class Control(OnMemory):
    """What the next step will be, after one that was accepted or rejected."""

    def shorter(self, error: Real) -> Real:
        """Part of a rejected step that is tried next: half where the error is infinite."""
        change = power(self, error, self.load(self.table(Table.power))) * SAFETY
        change = where(change < SHRINK, SHRINK, where(change > 1.0, 1.0, change))
        return where(error.equals(inf), 0.5, change)

    def lower(self, error: Real, failures: ir.Value) -> None:
        """The next lower order where the iterations fail again."""
        endless = self.b.not_((error - error).equals(0.0).value)
        again = self.b.icmp_signed(">", failures, self.int(1))
        with self.if_(self.b.and_(endless, again)):
            self.take(self.b.sub(self.whole(Slot.place), self.int(1)))

    def longer(self, h: Real, error: Real, failures: ir.Value) -> Real:
        """h_new/h after an accepted step: the error's own verdict, or what its trend predicts if that is less [G1994]."""
        b, exponent, rate = self.b, self.load(self.table(Table.power)), self.number(Slot.rate)
        limit = self.as_real(self.times(self.load_int(self.table(Table.iterations), 0), 2))
        safety = (limit + 1.0) * SAFETY / (limit + self.as_real(self.whole(Slot.iterations)))
        least = where(error > LEAST, error, LEAST)
        change = safety * power(self, least, exponent)
        length, earlier = self.number(Slot.before_step), self.number(Slot.before_error)
        trend = safety * abs(h) / length * power(self, least * least / earlier, exponent)
        change = where((length > 0.0) & (trend < change), trend, change)
        most = self.real(
            b.select(b.icmp_signed("==", failures, self.int(0)), self.real(GROW).value, self.real(1.0).value)
        )
        change = where(change < SHRINK, SHRINK, change)
        change = where(change > most, most, change)
        return where((change >= 1.0) & (change <= UNCHANGED) & (rate <= KEEP), 1.0, change)

    def remember(self, h: Real, error: Real, change: Real) -> None:
        """Takes note of an accepted step, and raises the order where the iterations are quick and steps no longer grow."""
        b = self.b
        self.keep(abs(h), Slot.before_step)
        self.keep(where(error > TREND, error, TREND), Slot.before_error)
        self.count(self.memory, Slot.waited)
        steady = (change >= 1 / UNCHANGED) & (change <= UNCHANGED) & (self.number(Slot.rate) <= RAISE)
        steady = steady & self.setting(Real64.fixed).equals(0.0)
        waited = b.icmp_signed(">=", self.whole(Slot.waited), self.int(WAIT))
        with self.if_(b.and_(steady.value, waited)):
            self.take(self.plus(self.whole(Slot.place), 1))

    def take(self, place: ir.Value) -> None:
        """Goes on with another method, if there is one at this place."""
        b = self.b
        there = b.and_(b.icmp_signed(">=", place, self.int(0)), b.icmp_signed("<", place, self.whole(Slot.places)))
        with self.if_(there):
            self.keep_whole(place, Slot.place)
            self.keep_whole(0, Slot.waited)
            self.keep(0.0, Slot.before_step)
