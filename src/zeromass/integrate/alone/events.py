"""What happens inside a step: zeros of event functions, and the end of the motion at the first one that ends it."""

from __future__ import annotations

from math import inf
from typing import ClassVar

from zeromass.codegen import ir
from zeromass.codegen.elementary.arithmetic import Real, Truth, where
from zeromass.integrate.alone.memory import NOTED, PLACES, Alone, Count, Number
from zeromass.integrate.stepping.layout import Real64
from zeromass.integrate.stepping.writer import DOUBLE, INT
from zeromass.kernel.roots import DEEPER, NEAR_ZERO

VOID: ir.Type = ir.VoidType()

LOCATED = 1e-14
"""How well a zero is located, as a part of the time itself."""

HALVINGS = 100
"""Most halvings of a bracket."""

NARROWINGS = 26
"""Most narrowings of a bracket in which a function may dip to the other sign and back."""

POLE = 1e3
"""A function that is so many times as large where it changes its sign as at the ends of the bracket has no zero there."""


class Between(Alone):
    """`between(i, a, b, fa, fb)`: notes the zero of event function i between a and b if it crosses the way it is watched
    for; on the side of b, by halving."""

    name = "between"
    result: ClassVar[ir.Type] = VOID
    takes: ClassVar[dict[str, ir.Type]] = {"i": INT, "a": DOUBLE, "b": DOUBLE, "fa": DOUBLE, "fb": DOUBLE}

    def written(self) -> None:
        b, i = self.b, self.arguments["i"]
        a, z, fa, fz = (self.real(self.arguments[name]) for name in ("a", "b", "fa", "fb"))
        direction = self.load(self.memory["signs"], b.add(b.mul(i, self.int(2)), self.int(1)))
        rises = (fa < 0.0) & (fz >= 0.0) & (direction >= 0.0)
        falls = (fa > 0.0) & (fz <= 0.0) & (direction <= 0.0)
        with self.if_((~(rises | falls)).value):
            b.ret_void()
        low, high, last, turns = (self.variable(kind, name) for kind, name in _BRACKET)
        self.store(a, low)
        self.store(z, high)
        self.store(fz, last)
        b.store(self.int(0), turns)
        again, more, done = (self.block(name) for name in ("again", "more", "done"))
        b.branch(again)
        b.position_at_end(again)
        wide = abs(self.load(high) - self.load(low)) > self.load(self.numbers, Number.tolerance) * 2.0
        some = b.icmp_signed("<", b.load(turns, typ=INT), self.int(HALVINGS))
        b.cbranch(b.and_(wide.value, some), more, done)
        b.position_at_end(more)
        middle = (self.load(low) + self.load(high)) * 0.5
        self.result_of("look", middle.value)
        f = self.load(self.memory["looked"], i)
        beyond = ((f > 0.0) & (fz > 0.0)) | ((f < 0.0) & (fz < 0.0)) | f.equals(0.0)
        beyond = beyond | (fz.equals(0.0) & (((f > 0.0) & (fa < 0.0)) | ((f < 0.0) & (fa > 0.0))))
        self.store(where(beyond, middle, self.load(high)), high)
        self.store(where(beyond, f, self.load(last)), last)
        self.store(where(beyond, self.load(low), middle), low)
        b.store(b.add(b.load(turns, typ=INT), self.int(1)), turns)
        b.branch(again)
        b.position_at_end(done)
        size = where(abs(fa) > abs(fz), abs(fa), abs(fz)) * POLE
        with self.if_((~(abs(self.load(last)) > size)).value):
            self.note(i, self.load(high))
        b.ret_void()

    def note(self, i: ir.Value, place: Real) -> None:
        """Among the zeros in this step, once: brackets may overlap."""
        b, hits = self.b, self.memory["hits"]
        k = self.load_int(self.counts, Count.hits)
        slack = self.load(self.numbers, Number.tolerance) * 8.0
        with self.if_(b.icmp_signed(">", k, self.int(0))), self.loop(k) as j:
            other, t = (
                self.load(hits, b.mul(j, self.int(2))),
                self.load(hits, b.add(b.mul(j, self.int(2)), self.int(1))),
            )
            with self.if_((other.equals(self.from_int(i)) & (abs(t - place) <= slack)).value):
                b.ret_void()
        room = self.sizes.arrays["hits"][1] // 2
        with self.if_(b.icmp_signed("<", k, self.int(room))):
            self.store(self.from_int(i), hits, b.mul(k, self.int(2)))
            self.store(place, hits, b.add(b.mul(k, self.int(2)), self.int(1)))
            self.count(self.counts, Count.hits)


_BRACKET = ((DOUBLE, "low"), (DOUBLE, "high"), (DOUBLE, "last"), (INT, "turns"))


class Graze(Alone):
    """`graze(i, x0, x1, x2, g0, g1, g2)`: looks for a place where event function i, of one sign at three places, has the
    other one, in ever narrower brackets, and notes the zeros beside it."""

    name = "graze"
    result: ClassVar[ir.Type] = VOID
    takes: ClassVar[dict[str, ir.Type]] = {"i": INT, **{f"{kind}{k}": DOUBLE for kind in "xg" for k in range(3)}}

    def written(self) -> None:
        b, i = self.b, self.arguments["i"]
        x = [self.variable(DOUBLE, f"place{k}") for k in range(3)]
        g = [self.variable(DOUBLE, f"value{k}") for k in range(3)]
        ends = [self.real(self.arguments[name]) for name in ("x0", "x2", "g0", "g2")]
        for k in range(3):
            self.store(self.real(self.arguments[f"x{k}"]), x[k])
            self.store(self.real(self.arguments[f"g{k}"]), g[k])
        with self.loop(self.int(NARROWINGS)):
            (x0, x1, x2), (g0, g1, g2) = ([self.load(v) for v in some] for some in (x, g))
            between = []
            for middle in ((x0 + x1) * 0.5, (x1 + x2) * 0.5):
                self.result_of("look", middle.value)
                value = self.load(self.memory["looked"], i)
                with self.if_(((value * g1) <= 0.0).value):
                    beside = (i, ends[0].value, middle.value, ends[2].value, value.value)
                    self.result_of("between", *beside)
                    beside = (i, middle.value, ends[1].value, value.value, ends[3].value)
                    self.result_of("between", *beside)
                    b.ret_void()
                between.append((middle, value))
            (left, gl), (right, gr) = between
            at_left: Truth = (abs(gl) < abs(g1)) & (abs(gl) <= abs(gr))
            at_right: Truth = (abs(gr) < abs(g1)) & ~at_left
            points = ((x0, g0), (left, gl), (x1, g1), (right, gr), (x2, g2))
            for k in range(3):
                chosen = [
                    where(at_left, points[k][c], where(at_right, points[k + 2][c], points[k + 1][c])) for c in (0, 1)
                ]
                self.store(chosen[0], x[k])
                self.store(chosen[1], g[k])
        b.ret_void()


class Locate(Alone):
    """`locate()`: what happened in the last step is noted; the motion ends at the first event that ends it.

    1 where it does, 0 where it goes on.
    """

    name = "locate"

    def written(self) -> None:
        b, memory, events = self.b, self.memory, max(self.sizes.events, 1)
        inner, last = memory["inner_reals"], b.sub(self.recorded(), self.int(1))
        self.result_of("open", last)
        t0, t1, h = (self.load(inner, place) for place in (Real64.t, Real64.until, Real64.h))
        self.store(self.largest(abs(t0), abs(t1)) * LOCATED, self.numbers, Number.tolerance)
        self.store_int(self.int(0), self.counts, Count.hits)
        places = [where_in(t0, t1, h, k) for k in range(PLACES)]
        for k, place in enumerate(places):
            self.result_of("look", place.value)
            with self.loop(self.int(events)) as i:
                self.store(self.load(memory["looked"], i), memory["seen"], b.add(self.int(k * events), i))
        with self.loop(self.int(events)) as i:
            g = [self.load(memory["seen"], b.add(self.int(k * events), i)) for k in range(PLACES)]
            for k in range(PLACES - 1):
                self.result_of("between", i, *[v.value for v in (*places[k : k + 2], *g[k : k + 2])])
            for k in range(1, PLACES - 1):
                with self.if_(self.dips(*g[k - 1 : k + 2]).value):
                    self.result_of("graze", i, *[v.value for v in (*places[k - 1 : k + 2], *g[k - 1 : k + 2])])
        self.kept(where(h < 0.0, -1.0, 1.0))

    def dips(self, g0: Real, g1: Real, g2: Real) -> Truth:
        """Whether a function of one sign at three places, equally far apart, may have the other sign between them."""
        left, right = g1 - g0, g2 - g1
        c, s = (right - left) * 0.5, (left + right) * 0.5
        longer = where(abs(right) > abs(left), abs(right), abs(left))
        near = ((abs(g1) - longer * NEAR_ZERO) * abs(c) * 4.0) <= s * s * DEEPER
        same = ((g0 * g1) > 0.0) & ((g1 * g2) > 0.0) & ((c * g1) > 0.0)
        return same & near & (abs(s) <= abs(c) * 4.0)

    def kept(self, ahead: Real) -> None:
        """Notes what happened until the first event that ends the motion, and ends it there."""
        b, memory = self.b, self.memory
        count = self.load_int(self.counts, Count.hits)
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
        b, place = self.b, self.b.mul(k, self.int(2))
        number = self.load(self.memory["hits"], place)
        return b.fptosi(number.value, INT), self.load(self.memory["hits"], b.add(place, self.int(1)))

    def cut(self, t: Real) -> None:
        """Ends the last step earlier."""
        row, state = self.row_of(self.b.sub(self.recorded(), self.int(1))), self.at(self.memory["row"], 1)
        self.result_of("inside", t.value)
        self.store(self.load(row, 1) - (self.load(row) - t), row, 1)
        self.store(t, row)
        self.store(t, self.reals, Real64.t)
        self.copied(state, self.at(row, self.sizes.head))
        self.copied(state, self.memory["y"])


def where_in(t0: Real, t1: Real, h: Real, k: int) -> Real:
    """One of `PLACES` times in a step, its ends among them."""
    return t0 if k == 0 else t1 if k == PLACES - 1 else t0 + h * (k / (PLACES - 1))


ROUTINES = (Between, Graze, Locate)
