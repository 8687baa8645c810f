"""What happens inside a step: roots of event functions, and the end of the motion at the first one that ends it."""

from __future__ import annotations

from math import inf
from typing import ClassVar

from zeromass.codegen import ir
from zeromass.codegen.elementary.arithmetic import Real, where
from zeromass.integrate.alone.memory import NOTED, PLACES, Alone, Count, Number, root_arrays
from zeromass.integrate.stepping.layout import Real64
from zeromass.integrate.stepping.writer import DOUBLE, INT, POINTER
from zeromass.kernel.roots import KNOWN, STACK, RootSearch, locate_roots
from zeromass.kernel.structs import fields
from zeromass.kernel.unit import Unit

VOID: ir.Type = ir.VoidType()


class Evaluate(Alone):
    """`evaluate_events(context, t)`: `look(t)`, as a search for roots calls it."""

    name = "evaluate_events"
    result: ClassVar[ir.Type] = VOID
    takes: ClassVar[dict[str, ir.Type]] = {"context": POINTER, "t": DOUBLE}

    def written(self) -> None:
        self.result_of("look", self.arguments["t"])
        self.b.ret_void()


class Searching(Alone):
    """A function that writes into a search for roots, see `RootSearch`."""

    def field(self, search: ir.Value, name: str) -> ir.Value:
        """Address of a field."""
        return self.at(search, fields(RootSearch)[name][1])

    def point(self, search: ir.Value, name: str, array: ir.Value, *sizes: int) -> None:
        """Sets a view of an array, or the address of a function, which has no sizes."""
        place = self.field(search, name)
        self.store_int(self.b.ptrtoint(array, INT), place, 0)
        for k, size in enumerate(sizes):
            self.store_int(self.int(size), place, 1 + k)


class Roots(Searching):
    """`roots(search)`: locates roots in the step that is open; who asks has said where, and has room for them."""

    name = "roots"
    takes: ClassVar[dict[str, ir.Type]] = {"search": POINTER}

    def written(self) -> None:
        b, search, memory = self.b, self.arguments["search"], self.memory
        self.point(search, "evaluate", self.module.globals["evaluate_events"])
        self.point(search, "values", memory["looked"], max(self.sizes.events, 1))
        self.point(search, "stack", memory["root_stack"], STACK, 6)
        self.point(search, "known", memory["root_known"], KNOWN, 3)
        self.store_int(self.load_int(self.field(search, "places"), 1), self.field(search, "looks"), 0)
        kernel = Unit(self.target, self.module).function(locate_roots)
        self.answer(b.trunc(b.call(kernel, [search]), ir.IntType(32)))


class Locate(Searching):
    """`locate()`: what happened in the last step is noted; the motion ends at the first event that ends it.

    1 where it does, 0 where it goes on.
    """

    name = "locate"

    def written(self) -> None:
        b, memory, events = self.b, self.memory, max(self.sizes.events, 1)
        inner, last, search = memory["inner_reals"], b.sub(self.recorded(), self.int(1)), memory["root_search"]
        self.result_of("open", last)
        t0, t1, h = (self.load(inner, place) for place in (Real64.t, Real64.until, Real64.h))
        for k in range(PLACES):
            place = t0 if k == 0 else t1 if k == PLACES - 1 else t0 + h * (k / (PLACES - 1))
            self.store(place, memory["root_places"], k)
        with self.loop(self.int(events)) as i:
            direction = self.load(memory["signs"], b.add(b.mul(i, self.int(2)), self.int(1)))
            b.store(i, self.at(memory["root_columns"], i))
            self.store(direction, memory["root_directions"], i)
            b.store(self.int(1), self.at(memory["root_turning"], i))
        for name, sizes in root_arrays(events).items():
            self.point(search, name, memory[f"root_{name}"], *sizes)
        count = b.sext(self.result_of("roots", search), INT)
        self.store(self.load(self.field(search, "tolerance")), self.numbers, Number.tolerance)
        self.kept(count, where(h < 0.0, -1.0, 1.0))

    def kept(self, count: ir.Value, ahead: Real) -> None:
        """Notes what happened until the first event that ends the motion, and ends it there."""
        b, memory = self.b, self.memory
        self.store(inf, self.numbers, Number.end)
        with self.if_(b.icmp_signed(">", count, self.int(0))):
            with self.loop(count) as k:
                i, t = self.hit(k)
                ends = self.load(self.module.globals["terminal"], i)
                earlier = (ends > 0.0) & (ahead * t < self.load(self.numbers, Number.end))
                with self.if_(earlier.value):
                    self.store(ahead * t, self.numbers, Number.end)
                    self.store_int(i, self.counts, Count.ended)
            slack = self.load(self.numbers, Number.tolerance) * 2.0
            with self.loop(count) as k:
                i, t = self.hit(k)
                noted = self.load_int(self.counts, Count.noted)
                before = (ahead * t <= self.load(self.numbers, Number.end) + slack).value
                with self.if_(b.and_(before, b.icmp_signed("<", noted, self.int(NOTED)))):
                    self.store(self.from_int(i), memory["noted"], b.mul(noted, self.int(2)))
                    self.store(t, memory["noted"], b.add(b.mul(noted, self.int(2)), self.int(1)))
                    self.count(self.counts, Count.noted)
        end = self.load(self.numbers, Number.end)
        with self.if_((end < inf).value):
            self.cut(end * ahead)
            self.answer(1)
        self.answer(0)

    def hit(self, k: ir.Value) -> tuple[ir.Value, Real]:
        """Which event a root belongs to, and when it happens."""
        return self.b.load(self.at(self.memory["root_which"], k), typ=INT), self.load(self.memory["root_times"], k)

    def cut(self, t: Real) -> None:
        """Ends the last step earlier."""
        row, state = self.row_of(self.b.sub(self.recorded(), self.int(1))), self.at(self.memory["row"], 1)
        self.result_of("inside", t.value)
        self.store(self.load(row, 1) - (self.load(row) - t), row, 1)
        self.store(t, row)
        self.store(t, self.reals, Real64.t)
        self.copied(state, self.at(row, self.sizes.head))
        self.copied(state, self.memory["y"])


ROUTINES = (Evaluate, Roots, Locate)
