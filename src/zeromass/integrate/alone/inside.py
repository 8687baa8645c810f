"""The inside of recorded steps: states on the constraints, what happens there, and samples of anything."""

from __future__ import annotations

from typing import ClassVar

from zeromass.codegen import ir
from zeromass.codegen.elementary.arithmetic import Real, where
from zeromass.integrate.alone.memory import VECTORS, Alone, Count, Number
from zeromass.integrate.methods.dop853.kernel import Dop853Dense
from zeromass.integrate.stepping.kernel import Project
from zeromass.integrate.stepping.layout import Real64
from zeromass.integrate.stepping.writer import DOUBLE, INT, POINTER

VOID: ir.Type = ir.VoidType()


class Open(Alone):
    """`open(k)`: what is inside the recorded step k, as the vectors of its dense output."""

    name = "open"
    result: ClassVar[ir.Type] = VOID
    takes: ClassVar[dict[str, ir.Type]] = {"k": INT}

    def written(self) -> None:
        b, k, memory = self.b, self.arguments["k"], self.memory
        inner = memory["inner_reals"]
        row, before = self.row_of(k), self.row_of(b.sub(k, self.int(1)))
        later = b.icmp_signed(">", k, self.int(0))
        time = b.select(later, before, self.at(self.numbers, Number.first))
        state = b.select(later, self.at(before, self.sizes.head), memory["first"])
        self.copied(state, memory["inner_y"])
        for name in ("inner_new", "inner_end"):  # a projection works in the first
            self.copied(self.at(row, self.sizes.head), memory[name])
        first = self.load(time)
        self.store(first, inner, Real64.t)
        self.store(self.load(row) - first, inner, Real64.h)
        self.store(self.load(row), inner, Real64.until)
        self.store_int(k, self.counts, Count.opened)
        self.dense()
        b.ret_void()

    def dense(self) -> None:
        self.routine(Dop853Dense.name, inner=True, record=self.memory["vectors"])


class Inside(Alone):
    """`inside(t)`: row ← (t, the state at t) in the step that is open, on the constraints; its ends as they were recorded.

    y(t + θh) = y + θ (F₀ + (1 − θ)(F₁ + θ (F₂ + (1 − θ)(F₃ + θ (F₄ + (1 − θ)(F₅ + θ F₆))))))
    """

    name = "inside"
    result: ClassVar[ir.Type] = VOID
    takes: ClassVar[dict[str, ir.Type]] = {"t": DOUBLE}

    def written(self) -> None:
        b, memory = self.b, self.memory
        inner, row = memory["inner_reals"], memory["row"]
        t, state = self.real(self.arguments["t"]), self.at(row, 1)
        self.store(t, row)
        for name, place in (("inner_y", Real64.t), ("inner_end", Real64.until)):
            with self.if_(t.equals(self.load(inner, place)).value):
                self.copied(memory[name], state)
                b.ret_void()
        self.course(t, state)
        self.routine(Project.name, inner=True, record=row)
        b.ret_void()

    def course(self, t: Real, state: ir.Value) -> None:
        """state ← what the dense output says of the time t."""
        b, memory = self.b, self.memory
        inner = memory["inner_reals"]
        θ = (t - self.load(inner, Real64.t)) / self.load(inner, Real64.h)
        rest = 1.0 - θ
        with self.loop(self.order) as i:
            total = self.real(0.0)
            for k in reversed(range(VECTORS)):
                F = self.load(memory["vectors"], b.add(self.int(k * self.sizes.padded), i))
                total = (total + F) * (θ if k % 2 == 0 else rest)
            self.store(self.load(memory["inner_y"], i) + total, state, i)


class Look(Alone):
    """`look(t)`: the event functions at t in the step that is open."""

    name = "look"
    result: ClassVar[ir.Type] = VOID
    takes: ClassVar[dict[str, ir.Type]] = {"t": DOUBLE}

    def written(self) -> None:
        row = self.memory["row"]
        self.result_of("inside", self.arguments["t"])
        self.result_of("event", row, self.at(row, 1), self.memory["parameters"], self.memory["looked"])
        self.b.ret_void()


class Judge(Alone):
    """`judge()`: judged ← what switches are decided by, there."""

    name = "judge"

    def written(self) -> None:
        t, memory = self.at(self.reals, Real64.t), self.memory
        self.result_of("judged_values", t, memory["y"], memory["parameters"], memory["judged"])
        self.answer(0)


class Sample(Alone):
    """`sample(times, count, values)`: the outputs at times of the motion in their order, one row a time."""

    name = "sample"
    takes: ClassVar[dict[str, ir.Type]] = {"times": POINTER, "count": ir.IntType(32), "values": POINTER}

    def written(self) -> None:
        b, memory = self.b, self.memory
        count = b.sext(self.arguments["count"], INT)
        with self.if_(b.icmp_signed("<=", count, self.int(0))):
            self.answer(0)
        k = self.variable(INT, "step")
        b.store(self.int(0), k)
        self.store_int(self.int(-1), self.counts, Count.opened)
        last = b.sub(self.recorded(), self.int(1))
        ahead = where(self.load(self.reals, Real64.until) < self.load(self.numbers, Number.first), -1.0, 1.0)
        with self.loop(count) as j:
            t = self.load(self.arguments["times"], j)
            head, body, after = (self.block(name) for name in ("head", "body", "after"))
            b.branch(head)
            b.position_at_end(head)
            step = b.load(k, typ=INT)
            beyond = (ahead * (t - self.load(self.row_of(step)))) > 0.0
            b.cbranch(b.and_(b.icmp_signed("<", step, last), beyond.value), body, after)
            b.position_at_end(body)
            b.store(b.add(step, self.int(1)), k)
            b.branch(head)
            b.position_at_end(after)
            step = b.load(k, typ=INT)
            with self.if_(b.icmp_signed("!=", step, self.load_int(self.counts, Count.opened))):
                self.result_of("open", step)
            self.result_of("inside", t.value)
            values = self.at(self.arguments["values"], b.mul(j, self.int(self.sizes.outputs)))
            row = memory["row"]
            self.result_of("outputs", row, self.at(row, 1), memory["parameters"], values)
        self.answer(0)


class Field(Alone):
    """`field(points, count, values)`: functions of time and place at points (t, X, Y, Z), one row a point."""

    name = "field"
    takes: ClassVar[dict[str, ir.Type]] = {"points": POINTER, "count": ir.IntType(32), "values": POINTER}

    def written(self) -> None:
        b, arguments = self.b, self.arguments
        count = b.sext(arguments["count"], INT)
        with self.if_(b.icmp_signed("<=", count, self.int(0))):
            self.answer(0)
        with self.loop(count) as j:
            point = self.at(arguments["points"], b.mul(j, self.int(4)))
            values = self.at(arguments["values"], b.mul(j, self.int(self.sizes.field)))
            self.result_of("field_values", point, self.at(point, 1), self.memory["parameters"], values)
        self.answer(0)


ROUTINES = (Open, Inside, Look, Sample, Field)
