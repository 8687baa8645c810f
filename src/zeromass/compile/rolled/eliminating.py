# pyright: reportPossiblyUnboundVariable=false
"""The loops of elimination, the same for all systems: K = L D Lᵀ front by front, and x from it.

Fronts of frequent shapes have code of their own, see `Unrolled`; the arithmetic is the same to the bit.
"""

from __future__ import annotations

from collections.abc import Callable

from zeromass.codegen import ir
from zeromass.codegen.elementary.arithmetic import Real, fma
from zeromass.compile.rolled.numbers import DOUBLE, INT, INT32, POINTER
from zeromass.compile.rolled.panels import FOUR, Panels
from zeromass.compile.rolled.plan import HEADER, ROUTINES, Pass, Plan
from zeromass.compile.rolled.unrolled import grown
from zeromass.compile.rolled.writing import Range, Writing

TOGETHER = 4
"""Pivots that are taken out of a row at a time: the row is read and written once for all of them."""

BLOCK = 12
"""Pivots that are taken out of all rows before the next ones: their rows stay in the first cache."""

_FORWARD = ir.FunctionType(ir.VoidType(), [POINTER] * 4 + [INT])
_CHECK = ir.FunctionType(ir.VoidType(), [POINTER] * 5 + [INT] * 3)
_BACK = ir.FunctionType(ir.VoidType(), [POINTER] * 4 + [INT] * 2)


def _FRONT(value: ir.Type) -> ir.FunctionType:
    return ir.FunctionType(value, [POINTER] * 5 + [INT, value])


Meanwhile = Callable[[ir.Value], None]
"""What is done along with a front, by its number."""


class Eliminating(Writing):
    """Elimination of some fronts; with a guard, which rows are independent is decided on the way."""

    _guard: float | None = None
    _panels: Panels
    """In lanes; one state is seldom evaluated, and its code is to be compiled at once."""

    def _gathered(self, table: ir.Value, i: ir.Value) -> Real:
        """The sum of two values whose places stand in a table."""
        at = self.b.shl(i, self.int(1))
        first, second = (self._index(table, self.b.add(at, self.int(k))) for k in range(2))
        return self.load(first) + self.load(second)

    def _head(self, fronts: ir.Value, f: ir.Value) -> list[ir.Value]:
        row = self.b.mul(f, self.int(HEADER))
        return [self._index(fronts, self.b.add(row, self.int(k))) for k in range(HEADER)]

    def _row(self, fronts: ir.Value, f: ir.Value) -> ir.Value:
        return self.b.gep(fronts, [self.b.mul(f, self.int(HEADER))], source_etype=INT32)

    def _routine(self, shape: ir.Value, name: str | ir.Value, kind: ir.Type) -> ir.Value:
        """The function of a shape, see `Unrolled`."""
        number = self.int(ROUTINES.index(name)) if isinstance(name, str) else name
        at = self.b.add(self.b.mul(shape, self.int(len(ROUTINES))), number)
        return self.b.inttoptr(self._int64(self._pointer(Plan.shapes), at), ir.PointerType(kind))

    def _factor(self, some: Range, start: ir.Value, what: ir.Value, meanwhile: Meanwhile) -> Real:
        """K = L D Lᵀ, and the right side brought through L; the largest growth of a pivot, if not done again."""
        b, p, one = self.b, self._p, self.int(1)
        fronts, unknowns, slots, sums, masks = (
            self._pointer(x) for x in (Plan.fronts, Plan.names, Plan.slots, Plan.sums, Plan.masks)
        )
        routine = ir.Constant(INT, ROUTINES.index("front"))
        for pass_ in (Pass.ahead, Pass.again):
            chosen = ir.Constant(INT, ROUTINES.index(pass_.name))
            routine = b.select(b.icmp_signed("==", what, self.int(pass_)), chosen, routine)
        with self.loop(*some, [start]) as (f, growths):
            meanwhile(f)
            pivots, coordinates, s, rows, left, names, table, extra, extras, first, shape, _ = self._head(fronts, f)
            if self._guard is None:
                short, long, done = self._blocks(3)
                b.cbranch(b.icmp_signed(">=", shape, self.int(0)), short, long)
                b.position_at_end(short)
                given = [self._W, self._row(fronts, f), unknowns, slots, masks, p[Plan.residual], growths.now[0]]
                shortly = b.call(self._routine(shape, routine, _FRONT(self._type)), given)
                b.branch(done)
                b.position_at_end(long)
            places = b.gep(slots, [table], source_etype=INT32)
            pairs = b.gep(sums, [b.shl(extra, one)], source_etype=INT32)
            with self.loop(self.int(0), extras) as (i, _):
                self.store(self._gathered(pairs, i), b.add(p[Plan.summed], i))
            if self._w == 1:
                self._filled(places, pivots, s, rows, left)
            mine = b.gep(unknowns, [names], source_etype=INT32)
            heads = pivots, coordinates, s, rows, left, first, first
            blocks = b.sdiv(b.add(pivots, self.int(BLOCK - 1)), self.int(BLOCK))
            with self.loop(self.int(0), blocks, [growths.now[0]]) as (n, grew):
                begin = b.mul(n, self.int(BLOCK))
                past = b.add(begin, self.int(BLOCK))
                end = b.select(b.icmp_signed("<", past, pivots), past, pivots)
                if self._w == 1:
                    grew.next[0] = self._pivots(begin, end, heads, mine, grew.now[0])
                else:
                    grew.next[0] = self._in_panels(begin, end, heads, [mine, places], grew.now[0])
            growths.next[0] = grew.now[0]
            if self._guard is None:
                end = b.block
                b.branch(done)
                b.position_at_end(done)
                either = b.phi(self._type)
                either.add_incoming(shortly, short)
                either.add_incoming(grew.now[0], end)
                growths.next[0] = either
        return Real(self._on, growths.now[0])

    def _filled(self, places: ir.Value, pivots: ir.Value, s: ir.Value, rows: ir.Value, left: ir.Value) -> None:
        """Entries as they are before anything is taken from them; in lanes that is done on the way, see `Rows`."""
        b = self.b
        size, rest = b.add(self._before(pivots, s), pivots), b.sub(s, pivots)
        more = b.sdiv(b.mul(rest, b.add(rest, self.int(3))), self.int(2))
        for count, first, to in ((size, self.int(0), rows), (more, size, left)):
            table = b.gep(places, [first], source_etype=INT32)
            with self.loop(self.int(0), count) as (i, _):
                self.store(self.load(self._index(table, i)), b.add(to, i))

    def _pivots(self, begin, end, heads, mine, growth) -> ir.Value:  # type: ignore[no-untyped-def]
        """Inverses of a block of pivots, which are taken out of all rows behind them; the growth."""
        b, p = self.b, self._p
        pivots, coordinates, s, rows, left, first, slot = heads
        masks = self._pointer(Plan.masks)
        with self.loop(begin, end, [growth]) as (k, at):
            row, unknown = b.add(b.add(rows, self._before(k, s)), k), b.add(first, k)
            whole = self._reduced(row, k, begin, k, heads, b.add(p[Plan.residual], b.add(slot, k)))
            d = self.load(row)
            positive = b.icmp_signed("<", k, coordinates)
            kept = b.fcmp_ordered("!=", self._number(masks, unknown), ir.Constant(DOUBLE, 0.0))
            inverse = 1.0 / d
            if self._guard is not None:
                size = Real(self._on, b.select(positive, d.value, (-d).value))
                kept = b.and_(kept, (size > whole * self._guard).value)
                to = b.gep(self._pointer(Plan.kept), [unknown], source_etype=DOUBLE)
                b.store(b.uitofp(kept, DOUBLE), to, align=8)
            inverse = Real(self._on, b.select(kept, inverse.value, self._on.real(0.0).value))
            signed = Real(self._on, b.select(positive, inverse.value, (-inverse).value))
            at.next[0] = grown(Real(self._on, at.now[0]), whole, signed).value
            self.store(inverse, row)
        self._all_reduced(end, pivots, b.add(b.add(rows, self._before(end, s)), end), begin, end, heads, mine)
        self._all_reduced(pivots, s, left, begin, end, heads, mine)
        return at.now[0]

    def _in_panels(self, begin, end, heads, tables, growth) -> ir.Value:  # type: ignore[no-untyped-def]
        """The same in lanes; the first panel, and what the first block takes from rows, fills them on the way."""
        b = self.b
        pivots, coordinates, s, rows, left, first, slot = heads
        masks, most = b.gep(self._pointer(Plan.masks), [first], source_etype=DOUBLE), self._panels.growth
        b.store(growth, most, align=8)

        def above(k: ir.Value) -> list[ir.Value]:
            return [b.add(rows, self._before(k, s)), b.add(self._p[Plan.residual], b.add(slot, k)), s, k]

        def take(pivots: Range, some: Range, start: ir.Value) -> None:
            now = b.icmp_signed("==", pivots[0], self.int(0))
            given = [self._W, *tables, self._p[Plan.residual], *above(pivots[0]), pivots[1]]
            self._panels.take(self, given, some, start, now)

        count = b.sdiv(b.add(b.sub(end, begin), self.int(FOUR - 1)), self.int(FOUR))
        with self.loop(self.int(0), count) as (n, _):
            k = b.add(begin, b.mul(n, self.int(FOUR)))
            past = b.add(k, self.int(FOUR))
            past = b.select(b.icmp_signed("<", past, end), past, end)
            given = [self._W, tables[1], b.gep(masks, [k], source_etype=DOUBLE), most, *above(k), coordinates]
            b.call(self._panels.panel(self, b.sub(past, k), b.icmp_signed("==", k, self.int(0))), given)
            take((k, past), (past, end), b.add(b.add(rows, self._before(past, s)), past))
        take((begin, end), (end, pivots), b.add(b.add(rows, self._before(end, s)), end))
        take((begin, end), (pivots, s), left)
        return b.load(most, typ=self._type, align=8)

    def _before(self, k: ir.Value, s: ir.Value) -> ir.Value:
        """Entries in front of row k, less those that it would have before its diagonal."""
        return self.b.sub(self.b.mul(k, s), self.b.sdiv(self.b.mul(k, self.b.sub(k, self.int(1))), self.int(2)))

    def _all_reduced(self, first, last, start, begin, end, heads, mine) -> None:  # type: ignore[no-untyped-def]
        """Takes some pivots out of rows one after another in memory."""
        with self.loop(first, last, [start]) as (i, after):
            after.next[0] = self.b.add(after.now[0], self.b.add(self.b.sub(heads[2], i), self.int(1)))
            self._reduced(after.now[0], i, begin, end, heads, self.b.add(self._p[Plan.residual], self._index(mine, i)))

    def _reduced(self, row, i, begin, end, heads, right) -> Real:  # type: ignore[no-untyped-def]
        """Takes some pivots out of row i and out of its right side, a few at a time; the sizes its diagonal is made of."""
        b = self.b
        _, _, s, rows, _, _, slot = heads
        last_ = b.add(row, b.sub(s, i))
        many = b.add(begin, b.and_(b.sub(end, begin), self.int(-TOGETHER)))
        sums = [self.load(at).value for at in (right, last_)]
        for first, last, count in ((begin, many, TOGETHER), (many, end, 1)):
            steps = b.sdiv(b.sub(last, first), self.int(count))
            with self.loop(self.int(0), steps, sums) as (n, found):
                total, whole = (Real(self._on, x) for x in found.now)
                sources, shares = [], []
                for step in range(count):
                    k = b.add(first, b.add(b.mul(n, self.int(count)), self.int(step)))
                    before = b.add(rows, self._before(k, s))
                    inverse, r = self.load(b.add(before, k)), self.load(b.add(self._p[Plan.residual], b.add(slot, k)))
                    sources.append(b.add(before, i))
                    a = self.load(sources[-1])
                    shares.append(-(a * inverse))
                    total = fma(shares[-1], r, total)
                    whole = fma(abs(shares[-1]), abs(a), whole)
                with self.loop(self.int(0), b.sub(s, i), some=True) as (j, _):
                    value = self.load(b.add(row, j))
                    for share, source in zip(shares, sources, strict=True):
                        value = fma(share, self.load(b.add(source, j)), value)
                    self.store(value, b.add(row, j))
                found.next[:] = [total.value, whole.value]
            sums = found.now
        for x, at in zip(sums, (right, last_), strict=True):
            self.store(Real(self._on, x), at)
        return Real(self._on, sums[1])

    def _forward(self) -> None:
        """A right side brought through L."""
        b, p, one = self.b, self._p, self.int(1)
        fronts, unknowns, slots = (self._pointer(x) for x in (Plan.fronts, Plan.unknowns, Plan.slots))
        with self.loop(*self._all(Plan.front_count)) as (f, _):
            pivots, _, s, rows, _, names, _, _, _, _, shape, slot = self._head(fronts, f)
            short, long, done = self._blocks(3)
            b.cbranch(b.icmp_signed(">=", shape, self.int(0)), short, long)
            b.position_at_end(short)
            given = [self._W, self._row(fronts, f), unknowns, slots, p[Plan.residual]]
            b.call(self._routine(shape, "forward", _FORWARD), given)
            b.branch(done)
            b.position_at_end(long)
            mine = b.gep(unknowns, [names], source_etype=INT32)
            with self.loop(self.int(0), pivots, [rows]) as (k, at):
                row = at.now[0]
                scaled = -(self.load(row) * self.load(b.add(p[Plan.residual], b.add(slot, k))))
                with self.loop(b.add(k, one), s) as (i, _):
                    name = b.add(p[Plan.residual], self._index(mine, i))
                    entry = self.load(b.add(row, b.sub(i, k)))
                    self.store(fma(entry, scaled, self.load(name)), name)
                at.next[0] = b.add(row, b.add(b.sub(s, k), one))
            b.branch(done)
            b.position_at_end(done)

    def _back(self, to: ir.Value, some: Range, *, check: bool = False, meanwhile: Meanwhile | None = None) -> None:
        """x from D Lᵀ x = L⁻¹ r, and what elements take from r."""
        b, p = self.b, self._p
        fronts, unknowns, slots = (self._pointer(x) for x in (Plan.fronts, Plan.unknowns, Plan.slots))
        with self.loop(*some, down=True) as (f, _):
            if meanwhile is not None:
                meanwhile(f)
            pivots, _, s, rows, _, names, _, _, _, first, shape, slot = self._head(fronts, f)
            short, long, done = self._blocks(3)
            b.cbranch(b.icmp_signed(">=", shape, self.int(0)), short, long)
            b.position_at_end(short)
            given = [self._W, self._row(fronts, f), unknowns, slots, p[Plan.residual], to]
            b.call(self._routine(shape, "back", _BACK), given)
            b.branch(done)
            b.position_at_end(long)
            mine = b.gep(unknowns, [names], source_etype=INT32)
            heads = pivots, s, rows, first, slot
            if self._w > 1:
                self._back_in_panels(heads, mine, to)
            else:
                self._back_by_rows(heads, mine, to)
            b.branch(done)
            b.position_at_end(done)
            if check:
                self._checked(f)

    def _back_by_rows(self, heads, mine, to) -> None:  # type: ignore[no-untyped-def]
        """x of the pivots of a front, the last first."""
        b, p, one = self.b, self._p, self.int(1)
        pivots, s, rows, first, slot = heads
        s1 = b.add(s, one)
        end = b.add(rows, b.sub(b.mul(pivots, s1), b.sdiv(b.mul(pivots, b.sub(pivots, one)), self.int(2))))
        with self.loop(self.int(0), pivots, [end], down=True) as (k, at):
            row = b.sub(at.now[0], b.sub(s1, k))
            unknown = b.add(slot, k)
            right = self.load(b.add(p[Plan.residual], b.add(first, k)))
            with self.loop(b.add(k, one), s, [right.value], down=True) as (i, total):
                x = self.load(b.add(to, self._index(mine, i)))
                entry = self.load(b.add(row, b.sub(i, k)))
                total.next[0] = fma(-entry, x, Real(self._on, total.now[0])).value
            self.store(self.load(row) * Real(self._on, total.now[0]), b.add(to, unknown))
            at.next[0] = row

    def _back_in_panels(self, heads, mine, to) -> None:  # type: ignore[no-untyped-def]
        """The same in lanes."""
        b = self.b
        pivots, s, rows, first, slot = heads

        def given(k: ir.Value) -> list[ir.Value]:
            above, right = b.add(rows, self._before(k, s)), b.add(self._p[Plan.residual], b.add(first, k))
            return [self._W, mine, to, above, right, s, k, b.add(to, b.add(slot, k))]

        self._panels.back(self, pivots, given)

    def _checked(self, f: ir.Value) -> None:
        """r and |r| of the pivots of a front, from which a frequent one takes K x and |K| |x| of its entries."""
        b, p = self.b, self._p
        fronts, unknowns, slots, table = (
            self._pointer(x) for x in (Plan.fronts, Plan.unknowns, Plan.slots, Plan.right)
        )
        pivots, _, _, _, _, _, _, _, _, first, shape, slot = self._head(fronts, f)
        short, long, done = self._blocks(3)
        b.cbranch(b.icmp_signed(">=", shape, self.int(0)), short, long)
        b.position_at_end(short)
        given = [self._W, self._row(fronts, f), unknowns, slots, table]
        b.call(self._routine(shape, "check", _CHECK), [*given, *[p[x] for x in (Plan.solution, Plan.left, Plan.sizes)]])
        b.branch(done)
        b.position_at_end(long)
        with self.loop(self.int(0), pivots) as (i, _):
            right = self._gathered(table, b.add(first, i))
            self.store(right, b.add(p[Plan.left], b.add(slot, i)))
            self.store(abs(right), b.add(p[Plan.sizes], b.add(slot, i)))
        b.branch(done)
        b.position_at_end(done)
