"""The loops of an evaluation, the same for all systems: entries of elements, elimination, the way back, refinement.

    K x = r,   K = L D Lᵀ front by front

x is refined, x ← x + K⁻¹(r − K x), where the residual is more than rounding,

    ω = max |r − K x| / (|K| |x| + |r|),

each lane by itself: hinges that close a loop lose digits in elimination, and get them back here.

All of it is done tile by tile, some fronts with the elements that they need, as the walk tells: first to last on the way
through L, last to first on the way back. What a tile works on stays in the cache, and memory is read twice; see `Memory`.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from zeromass.codegen import ir
from zeromass.codegen.elementary.arithmetic import Real, fma, where
from zeromass.codegen.target import Target
from zeromass.compile.rolled.eliminating import BLOCK, Eliminating, Meanwhile
from zeromass.compile.rolled.numbers import DOUBLE, INT, POINTER
from zeromass.compile.rolled.panels import Panels
from zeromass.compile.rolled.plan import STAGE, Pass, Plan, Tile
from zeromass.compile.rolled.writing import Range

EPSILON = 2.0**-52

TRUSTED = 512 * EPSILON
"""ω up to which a solution counts as exact: rounding of its own terms."""

FLOOR = 2.0**-7
"""Part of the largest terms below which those of an equation are small because they cancel elsewhere: what is left of it
is compared with that. Times TRUSTED it is four units of rounding of the largest terms."""

REFINEMENTS = 8
"""How often a solution is refined at most."""


_KERNEL = ir.FunctionType(ir.VoidType(), [POINTER] * 7 + [INT] * 3)


class Loops(Eliminating):
    """The functions `evaluate` and, where `deciding`, one that tells which rows of constraints are independent.

    void evaluate(plan, values, t, y, parameters, slopes, growth)
    """

    def __init__(self, module: ir.Module, target: Target, guard: float | None = None) -> None:
        super().__init__(module, target, "evaluate" if guard is None else "decide")
        self._guard = guard
        if target.width > 1:
            self._panels = Panels(module, target, BLOCK, self.b.alloca(self._type))
        self._body()
        self.b.ret_void()

    # the evaluation --------------------------------------------------------------------------------------------------
    def _body(self) -> None:
        p, b = self._p, self.b
        one, zero = (self._on.real(x).value for x in (1.0, 0.0))
        table = self._pointer(Plan.walk)
        with self.loop(*self._all(Plan.walk_count), [one, zero, zero]) as (n, found):
            at = b.shl(n, self.int(1))
            tile = self._tile(self._index(table, at))
            what, following, then = (self._index(table, b.add(at, self.int(k))) for k in (1, 2, 3))
            meanwhile = self._asking(what, tile, following, then)
            through, back, done = self._blocks(3)
            b.cbranch(b.icmp_signed("==", what, self.int(Pass.back)), back, through)
            b.position_at_end(through)
            self._run(Plan.stages, tile[Tile.stages], self.int(0))
            again = b.icmp_signed("==", what, self.int(Pass.again))
            self._touch(tile, again)
            with self._unless(again):
                grown = self._factor(tile[Tile.fronts], found.now[0], what, meanwhile).value
            grown = b.select(again, found.now[0], grown)
            ends = [(b.block, [grown, *found.now[1:]])]
            b.branch(done)
            b.position_at_end(back)
            suspected = found.now[1:]
            if self._guard is None:
                self._back(p[Plan.solution], tile[Tile.fronts], check=True, meanwhile=meanwhile)
                self._take(tile[Tile.entries], tile[Tile.beside])
                suspected = self._suspected(tile[Tile.done], *suspected)
                self._run(Plan.spreads, tile[Tile.spreads], p[Plan.out])
            ends.append((b.block, [found.now[0], *suspected]))
            b.branch(done)
            b.position_at_end(done)
            found.next[:] = self._either(ends)
        growth = Real(self._on, found.now[0])
        if self._guard is None:
            worst = self._refine(Real(self._on, found.now[2]))
            growth = where(worst > TRUSTED, worst * (1.0 / EPSILON), growth)
            growth = where(growth < 1.0, 1.0, growth)
            growth = where(worst < 0.0, float("nan"), growth)  # another plan tells
            with self.loop(*self._all(Plan.copies)) as (i, _):  # rates come before accelerations, of one state
                rate = b.gep(self._a["y"], [b.add(i, p[Plan.coordinates])], source_etype=self._type)
                to = b.gep(self._a["slopes"], [i], source_etype=self._type)
                b.store(b.load(rate, typ=self._type, align=8), to, align=8)
            told = self._pointer(Plan.told)
            with self.loop(*self._all(Plan.told_count)) as (i, _):
                at = b.shl(i, self.int(1))
                slot, place = (self._index(told, b.add(at, self.int(k))) for k in range(2))
                λ = -self.load(b.add(p[Plan.solution], slot))  # M q̈ − Aᵀλ = Q
                b.store(λ.value, b.gep(self._a["slopes"], [place], source_etype=self._type), align=8)
        b.store(growth.value, self._a["growth"], align=8)

    def _tile(self, t: ir.Value) -> dict[Tile, Range]:
        """What of each table belongs to a tile."""
        b, table = self.b, self._pointer(Plan.tiles)
        before = b.mul(t, self.int(len(Tile)))
        after = b.add(before, self.int(len(Tile)))

        def at(row: ir.Value, column: Tile) -> ir.Value:
            return self._index(table, b.add(row, self.int(int(column))))

        return {column: (at(before, column), at(after, column)) for column in Tile}

    def _asking(self, what: ir.Value, tile: dict[Tile, Range], following: ir.Value, then: ir.Value) -> Meanwhile:
        """Asks for states and the right side of the next tile, front by front of this one; or for the place of its slopes.

        Where tiles share memory that is all that comes from afar, and work on fronts takes longer than its coming. What is
        needed first is asked for first: the way back begins with the last of its fronts.
        """
        b, r, nothing = self.b, self._p[Plan.residual], self.int(0)
        next_, fronts = self._tile(following), tile[Tile.fronts]
        here, there, again = (
            b.icmp_signed("==", x, self.int(y)) for x, y in ((what, Pass.back), (then, Pass.back), (then, Pass.again))
        )
        slopes = b.gep(self._a["slopes"], [self._p[Plan.out]], source_etype=self._type)
        count = b.sub(fronts[1], fronts[0])
        count = b.select(b.icmp_signed(">", count, nothing), count, self.int(1))
        turned = b.or_(here, there)

        def unless(some: Range, known: ir.Value) -> tuple[Range, ir.Value]:
            """What is asked for, and how much of it with each front."""
            first, last = some[0], b.select(known, some[0], some[1])
            return (first, last), b.sdiv(b.add(b.sub(last, first), b.sub(count, self.int(1))), count)

        def part(f: ir.Value, some: Range, share: ir.Value) -> Range:
            place = b.select(turned, b.sub(b.sub(fronts[1], self.int(1)), f), b.sub(f, fronts[0]))
            begin = b.add(some[0], b.mul(place, share))
            end = b.add(begin, share)
            return begin, b.select(b.icmp_signed("<", end, some[1]), end, some[1])

        numbers = [
            (self._a["y"], self._pointer(Plan.states), *unless(next_[Tile.states], there)),
            (
                slopes,
                self._pointer(Plan.slopes),
                *unless(tile[Tile.slopes], b.xor(here, ir.Constant(ir.IntType(1), 1))),
            ),
        ]
        right = unless(next_[Tile.unknowns], again)
        shares = [share for *_, share in (*numbers, right)]
        any_ = b.zext(b.icmp_signed("!=", functools.reduce(b.or_, shares), nothing), INT)

        def meanwhile(f: ir.Value) -> None:
            with self.loop(nothing, any_):
                for memory, table, *some in numbers:
                    with self.loop(*part(f, *some)) as (i, _):
                        at = b.shl(i, self.int(1))
                        row, more = (self._index(table, b.add(at, self.int(k))) for k in range(2))
                        self._lines(memory, row, b.add(row, more))
                self._lines(self._W, *(b.add(r, x) for x in part(f, *right)))

        return meanwhile

    def _lines(self, memory: ir.Value, first: ir.Value, end: ir.Value) -> None:
        """Asks for all lines of some values."""
        b = self.b
        begin, last = (b.ptrtoint(b.gep(memory, [i], source_etype=self._type), INT) for i in (first, end))
        begin, last = b.ashr(begin, self.int(6)), b.ashr(b.add(last, self.int(63)), self.int(6))
        with self.loop(begin, last) as (line, _):
            self.ask(b.inttoptr(b.shl(line, self.int(6)), POINTER))

    def _either(self, ends: Sequence[tuple[ir.Block, Sequence[ir.Value]]]) -> list[ir.Value]:
        """Values that come from the ends of several branches."""
        found = []
        for k in range(len(ends[0][1])):
            phi = self.b.phi(ends[0][1][k].type)
            for block, values in ends:
                phi.add_incoming(values[k], block)
            found.append(phi)
        return found

    @contextmanager
    def _unless(self, again: ir.Value) -> Iterator[None]:
        """What is made of r, unless it is known: then loops write what they make of it nowhere."""
        r = self._p[Plan.residual]
        self._p[Plan.residual] = self.b.select(again, self._p[Plan.nowhere], r)
        yield
        self._p[Plan.residual] = r

    def _run(self, stages: Plan, some: Range, out: ir.Value) -> None:
        """Kernels one after another."""
        b, a, table = self.b, self._a, self._pointer(stages)
        with self.loop(*some) as (i, _):
            row = b.mul(i, self.int(STAGE))
            call, places, constants, n, first = (self._int64(table, b.add(row, self.int(k))) for k in range(STAGE))
            function = b.inttoptr(call, ir.PointerType(_KERNEL))
            pointers = [b.inttoptr(x, POINTER) for x in (places, constants)]
            given = [self._W, a["t"], a["y"], a["parameters"], a["slopes"], *pointers]
            b.call(function, [*given, n, b.add(first, out), self._p[Plan.coordinates]])

    # the right side --------------------------------------------------------------------------------------------------
    def _touch(self, tile: dict[Tile, Range], again: ir.Value) -> None:
        """r of unknowns that the fronts of a tile are the first to reach, as the elements tell it; unless it is known."""
        b, table = self.b, self._pointer(Plan.touched)
        some, more = (
            (first, b.select(again, first, last)) for first, last in (tile[Tile.touched], tile[Tile.touched_beside])
        )
        right = self._pointer(Plan.right)
        with self.loop(*some) as (i, _):
            at = b.mul(i, self.int(3))
            unknown, row, count = (self._index(table, b.add(at, self.int(k))) for k in range(3))
            first = b.add(self._p[Plan.residual], unknown)
            with self.loop(self.int(0), count, some=True) as (k, _):
                self.store(self._gathered(right, b.add(row, k)), b.add(first, k))
        self._more(Plan.touched_beside, more)

    def _more(self, table: Plan, some: Range) -> None:
        """Adds what has no place in the table of the right side."""
        b, more = self.b, self._pointer(table)
        with self.loop(*some) as (i, _):
            at = b.shl(i, self.int(1))
            to = b.add(self._p[Plan.residual], self._index(more, at))
            self.store(self.load(to) + self.load(self._index(more, b.add(at, self.int(1)))), to)

    # the residual ----------------------------------------------------------------------------------------------------
    def _take(self, entries: Range, beside: Range) -> None:
        """What entries in fronts that are not frequent take from r, and further terms of r."""
        b, p = self.b, self._p
        table, more = self._pointer(Plan.entries), self._pointer(Plan.right_beside)
        with self.loop(*entries) as (k, _):
            row = b.mul(k, self.int(3))
            i, j, place = (self._index(table, b.add(row, self.int(c))) for c in range(3))
            value = self.load(place)
            self._subtract(value, i, j)
            self._subtract(
                Real(self._on, b.select(b.icmp_signed("==", i, j), self._on.real(0.0).value, value.value)), j, i
            )
        with self.loop(*beside) as (k, _):
            row = b.shl(k, self.int(1))
            i, place = (self._index(more, b.add(row, self.int(c))) for c in range(2))
            value = self.load(place)
            for base, new in ((Plan.left, value), (Plan.sizes, abs(value))):
                to = b.add(p[base], i)
                self.store(self.load(to) + new, to)

    def _subtract(self, value: Real, to: ir.Value, by: ir.Value) -> None:
        """r ← r − K x and sizes ← sizes + |K| |x| of one entry."""
        b, p = self.b, self._p
        x = self.load(b.add(p[Plan.solution], by))
        r, size = b.add(p[Plan.left], to), b.add(p[Plan.sizes], to)
        self.store(fma(-value, x, self.load(r)), r)
        self.store(fma(abs(value), abs(x), self.load(size)), size)

    def _suspected(self, some: Range, most: ir.Value, worst: ir.Value) -> list[ir.Value]:
        """The largest size with some further unknowns; and 1, or what it was where none of these has an ω that counts.

        By the sizes known so far, which makes ω larger: what is not suspected now is exact.
        """
        b, p, table, masks = self.b, self._p, self._pointer(Plan.done), self._pointer(Plan.masks)
        with self.loop(*some, [most, worst]) as (k, all_):
            at = b.shl(k, self.int(1))
            first, count = (self._index(table, b.add(at, self.int(c))) for c in range(2))
            with self.loop(first, b.add(first, count), all_.now, some=True) as (i, found):
                old = Real(self._on, found.now[1])
                found.next[0] = self._larger(found.now[0], i)
                size, left = self.load(b.add(p[Plan.sizes], i)), abs(self.load(b.add(p[Plan.left], i)))
                if self._w == 1:  # in lanes those that are left out are not listed
                    left = left * Real(self._on, self._number(masks, i))
                new = left > (size + Real(self._on, found.next[0]) * FLOOR) * TRUSTED
                found.next[1] = where(new, 1.0, old).value
            all_.next[:] = found.now
        return all_.now

    def _larger(self, most: ir.Value, i: ir.Value) -> ir.Value:
        size, old = self.load(self.b.add(self._p[Plan.sizes], i)), Real(self._on, most)
        return where(size > old, size, old).value

    def _ω(self) -> Real:
        """The largest ω, by the largest of all sizes."""
        b, p, masks = self.b, self._p, self._pointer(Plan.masks)
        zero = self._on.real(0.0).value
        with self.loop(*self._all(Plan.count), [zero]) as (i, most):
            most.next[0] = self._larger(most.now[0], i)
        least = Real(self._on, most.now[0]) * FLOOR
        with self.loop(*self._all(Plan.count), [zero]) as (i, worst):
            size, left = self.load(b.add(p[Plan.sizes], i)) + least, abs(self.load(b.add(p[Plan.residual], i)))
            kept = b.fcmp_ordered("!=", self._number(masks, i), ir.Constant(DOUBLE, 0.0))
            ratio = where(size > 0.0, left / size, 0.0)
            old = Real(self._on, worst.now[0])
            new = where(ratio > old, ratio, old)
            worst.next[0] = b.select(kept, new.value, old.value)
        return Real(self._on, worst.now[0])

    def _refine(self, suspected: Real) -> Real:
        """Refines where it is worth while; the last ω, or what is not suspected to be one that counts.

        −1 where that is left to another plan: this one has not kept what it takes.
        """
        b, p = self.b, self._p
        before = b.block
        ask, give_up, look, again, spread, done = self._blocks(6)
        b.cbranch((suspected > TRUSTED).anywhere(), ask, done)
        b.position_at_end(ask)
        b.cbranch(b.icmp_signed("!=", p[Plan.otherwise], self.int(0)), give_up, look)
        b.position_at_end(give_up)
        unknown = self._on.real(-1.0)
        b.branch(done)
        b.position_at_end(look)
        first = self._ω()
        looked = b.block
        b.cbranch((first > TRUSTED).anywhere(), again, done)
        b.position_at_end(again)
        pass_, last = b.phi(INT), b.phi(self._type)
        pass_.add_incoming(self.int(0), looked)
        last.add_incoming(first.value, looked)
        old = Real(self._on, last)
        wanted = old > TRUSTED
        self._forward()
        self._back(p[Plan.change], self._all(Plan.front_count))
        self._add(wanted)
        with self.loop(*self._all(Plan.front_count), down=True) as (f, _):
            self._checked(f)
        self._take(self._all(Plan.entry_count), self._all(Plan.right_beside_count))
        new = self._ω()
        better = wanted & (new < old * 0.5)
        now = where(wanted, new, old)
        following = b.add(pass_, self.int(1))
        pass_.add_incoming(following, b.block)
        last.add_incoming(now.value, b.block)
        more = b.and_((better & (new > TRUSTED)).anywhere(), b.icmp_signed("<", following, self.int(REFINEMENTS)))
        b.cbranch(more, again, spread)
        b.position_at_end(spread)
        self._run(Plan.spreads, self._all(Plan.spread_count), p[Plan.out])
        end = b.block
        b.branch(done)
        b.position_at_end(done)
        result = b.phi(self._type)
        for value, block in ((suspected, before), (unknown, give_up), (first, looked), (now, end)):
            result.add_incoming(value.value, block)
        return Real(self._on, result)

    def _add(self, wanted) -> None:  # type: ignore[no-untyped-def]
        b, p = self.b, self._p
        with self.loop(*self._all(Plan.count)) as (i, _):
            at = b.add(p[Plan.solution], i)
            change = where(wanted, self.load(b.add(p[Plan.change], i)), 0.0)
            self.store(self.load(at) + change, at)
